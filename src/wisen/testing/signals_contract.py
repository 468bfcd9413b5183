"""The contract of every index for the user's signals, as a test suite for any backend.

A backend's test inherits from `SignalsContract` and provides the same two fixtures as for `EventsContract`.
"""

from __future__ import annotations

from datetime import timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.directive import Trigger, TriggerCause
from wisen.model.event import Message
from wisen.model.failure import SessionFindings
from wisen.model.report import Selection
from wisen.model.signal import Lesson, LessonTopic, Polarity, SignalKind
from wisen.testing.fake_miner import mine_all
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON, Log
from wisen.testing.sample_findings import a_signal, store_three_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.signal import SourcedSignal
    from wisen.store.index import Index

ALL = Selection()
LESSON = Lesson(
    text="Run the tests with `uv`.", forbids=False, durable=0.1, is_durable=False, about=LessonTopic.COMMAND
)


class SignalsContract:
    """The contract of every index for the user's signals."""

    def test_a_new_index_holds_no_signals(self, index: Index) -> None:
        assert index.findings.signals(ALL) == ()

    def test_a_signal_comes_back_whole_with_where_it_was_said(self, index: Index, reopen: Callable[[], Index]) -> None:
        session = _store_turns(index, "a", 2, agent="codex")
        plain = a_signal("a0", kind=SignalKind.PRAISE)
        taught = a_signal("a1", 1, lesson=LESSON)
        index.findings.store_findings([SessionFindings(session=session, signals=(plain, taught))], 1)
        again = reopen()
        newest, oldest = again.findings.signals(ALL)
        assert (newest.said, oldest.said) == (taught, plain)
        assert (newest.text, oldest.text) == ("text of a1", "text of a0")
        assert {(each.agent, each.native, each.session) for each in (newest, oldest)} == {("codex", "a", session)}

    @pytest.mark.parametrize("kind", SignalKind)
    @pytest.mark.parametrize("polarity", Polarity)
    def test_every_kind_and_polarity_comes_back(self, index: Index, kind: SignalKind, polarity: Polarity) -> None:
        session = _store_turns(index, "a", 1)
        recorded = a_signal("a0", kind=kind)
        recorded = structs.replace(recorded, signal=structs.replace(recorded.signal, polarity=polarity))
        index.findings.store_findings([SessionFindings(session=session, signals=(recorded,))], 1)
        assert [each.said for each in index.findings.signals(ALL)] == [recorded]

    @pytest.mark.parametrize("about", LessonTopic)
    @pytest.mark.parametrize("number", [0.0, 1.0, 1 / 3, 5e-324])
    def test_every_lesson_comes_back(self, index: Index, about: LessonTopic, number: float) -> None:
        session = _store_turns(index, "a", 2)
        one = Lesson(text="", forbids=True, durable=number, is_durable=False, about=about)
        other = Lesson(text="Do it.", forbids=False, durable=number, is_durable=True, about=about)
        recorded = tuple(a_signal(f"a{each}", each, lesson=lesson) for each, lesson in enumerate((one, other)))
        recorded = tuple(
            structs.replace(each, signal=structs.replace(each.signal, probability=number)) for each in recorded
        )
        index.findings.store_findings([SessionFindings(session=session, signals=recorded)], 1)
        assert tuple(each.said for each in reversed(index.findings.signals(ALL))) == recorded

    def test_a_moment_comes_back_in_whole_milliseconds_and_in_utc(self, index: Index) -> None:
        session = _store_turns(index, "a", 1)
        moment = (NOON + timedelta(microseconds=7)).astimezone(timezone(timedelta(hours=5)))
        index.findings.store_findings(
            [SessionFindings(session=session, signals=(structs.replace(a_signal("a0"), at=moment),))], 1
        )
        (sighting,) = index.findings.signals(ALL)
        assert (sighting.said.at, sighting.said.at.utcoffset()) == (NOON, timedelta())

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_that_was_said_comes_back_as_it_was(
        self, index: Index, reopen: Callable[[], Index], text: str
    ) -> None:
        log = Log("/a.jsonl", native=text, agent=text)
        log.typed(f"1{text}")
        _reword(log, text)
        index.events.store([log.batch()])
        (history,) = index.findings.take_unmined(1)
        recorded = a_signal(f"1{text}", lesson=structs.replace(LESSON, text=text))
        index.findings.store_findings([SessionFindings(session=history.session, signals=(recorded,))], 1)
        (sighting,) = reopen().findings.signals(ALL)
        assert (sighting.agent, sighting.native, sighting.text, sighting.said) == (text, text, text, recorded)

    def test_the_context_is_that_of_the_message(self, index: Index) -> None:
        log = Log("/a.jsonl", context="shop")
        log.typed("m0")
        log.context = None
        log.typed("m1")
        index.events.store([log.batch()])
        (history,) = index.findings.take_unmined(1)
        index.findings.store_findings(
            [SessionFindings(session=history.session, signals=tuple(a_signal(f"m{each}", each) for each in range(2)))],
            1,
        )
        assert [(each.said.message, each.context) for each in index.findings.signals(ALL)] == [
            ("m1", ""),
            ("m0", "shop"),
        ]

    def test_a_signal_and_its_turn_tell_whether_a_local_model_was_spoken_to(self, index: Index) -> None:
        log = Log("/logs/a.jsonl", "a")
        log.typed("a0")
        log.typed("a1", local=True)
        index.events.store([log.batch()])
        (history,) = index.events.histories(ALL)
        recorded = tuple(a_signal(name) for name in ("a0", "a1"))
        index.findings.store_findings([SessionFindings(session=history.session, signals=recorded)], 1)
        assert {each.id: each.local for each in history.turns} == {"a0": False, "a1": True}
        assert {each.said.message: each.local for each in index.findings.signals(ALL)} == {"a0": False, "a1": True}

    def test_a_message_whose_text_was_not_kept_is_shown_without(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1")
        _reword(log, None)
        index.events.store([log.batch()])
        (history,) = index.findings.take_unmined(1)
        index.findings.store_findings([SessionFindings(session=history.session, signals=(a_signal("m1"),))], 1)
        assert [(each.said.message, each.text) for each in index.findings.signals(ALL)] == [("m1", "")]

    def test_mining_again_replaces_what_was_detected(self, index: Index) -> None:
        one, two = _store_turns(index, "a", 3), _store_turns(index, "b", 1)
        first = a_signal("a0", lesson=LESSON), a_signal("a1", 1)
        index.findings.store_findings(
            [SessionFindings(session=one, signals=first), SessionFindings(session=two, signals=(a_signal("b0", 9),))], 1
        )
        assert _messages(index.findings.signals(ALL)) == ["b0", "a1", "a0"]
        now = a_signal("a0", kind=SignalKind.PRAISE), a_signal("a2", 2)
        index.findings.store_findings([SessionFindings(session=one, signals=now)], 1)
        assert [each.said for each in index.findings.signals(ALL)] == [a_signal("b0", 9), now[1], now[0]]
        index.findings.store_findings([SessionFindings(session=one)], 1)
        assert _messages(index.findings.signals(ALL)) == ["b0"]

    def test_a_message_says_several_things_of_one_kind_each_with_its_lesson(self, index: Index) -> None:
        session = _store_turns(index, "a", 1)
        trigger = Trigger(cause=TriggerCause.REJECTED, tool="Bash", words=("git", "push"), did="git push origin main")
        other = structs.replace(LESSON, text="Ask before you push.", marker="always", standing=True, trigger=trigger)
        recorded = (
            a_signal("a0", lesson=LESSON),
            a_signal("a0", lesson=other),
            a_signal("a0", kind=SignalKind.PREFERENCE),
        )
        index.findings.store_findings([SessionFindings(session=session, signals=recorded)], 1)
        assert [each.said for each in index.findings.signals(ALL)] == [*recorded]

    def test_what_was_said_in_an_unknown_message_is_left_out(self, index: Index) -> None:
        _store_turns(index, "a", 1)
        theirs = _store_turns(index, "b", 1, agent="codex")
        # The same id from another agent is another message.
        recorded = a_signal("gone"), a_signal("a0"), a_signal("b0")
        index.findings.store_findings(
            [
                SessionFindings(session=theirs, signals=recorded),
                SessionFindings(session=999, signals=(a_signal("a0"),)),
            ],
            1,
        )
        assert _messages(index.findings.signals(ALL)) == ["b0"]

    def test_signals_come_newest_first_and_of_one_moment_by_message_and_kind(self, index: Index) -> None:
        one, two = _store_turns(index, "a", 3), _store_turns(index, "b", 1)
        kinds = SignalKind.PRAISE, SignalKind.CORRECTION, SignalKind.REMEMBER
        recorded = a_signal("a0", 5), a_signal("a2", 1), *(a_signal("a1", 1, kind=kind) for kind in kinds)
        index.findings.store_findings(
            [
                SessionFindings(session=one, signals=recorded),
                SessionFindings(session=two, signals=(a_signal("b0", 1),)),
            ],
            1,
        )
        assert [(each.said.message, each.said.signal.kind.value) for each in index.findings.signals(ALL)] == [
            ("a0", "correction"),
            ("b0", "correction"),
            ("a2", "correction"),
            ("a1", "correction"),
            ("a1", "praise"),
            ("a1", "remember"),
        ]

    def test_a_selection_narrows_what_was_said(self, index: Index) -> None:
        store_three_sessions(index)
        log = Log("/p/d.jsonl", "d")
        log.place = "/src/tools"
        log.typed("dm", 30)
        index.events.store([log.batch()])
        mine_all(index)
        minutes = [NOON + timedelta(minutes=each) for each in (10, 31)]
        for selection, messages in (
            (ALL, ["dm", "cm", "bm", "am"]),
            (Selection(under=Path("/p")), ["dm", "bm", "am"]),
            (Selection(under=Path("/p/b.jsonl")), ["bm"]),
            (Selection(agent="codex"), ["cm"]),
            (Selection(agent="nobody"), []),
            (Selection(since=minutes[0]), ["dm", "cm", "bm"]),
            (Selection(since=minutes[0], agent="claude-code"), ["dm", "bm"]),
            (Selection(since=minutes[1]), []),
            (Selection(places=("/src/tools",)), ["dm"]),
            (Selection(places=("/src/tool/",)), ["cm", "bm", "am"]),
            (Selection(places=("/src/tool", "/src/tools"), since=minutes[0]), ["dm", "cm", "bm"]),
            (Selection(places=("/elsewhere",)), []),
        ):
            found = index.findings.signals(selection)
            assert list(dict.fromkeys(_messages(found))) == messages, selection
            for kind in SignalKind:
                of_kind = tuple(each for each in found if each.said.signal.kind is kind)
                assert index.findings.signals(selection, kind) == of_kind, (selection, kind)

    def test_detected_signals_stay_while_a_session_grows(self, index: Index, reopen: Callable[[], Index]) -> None:
        session = _store_turns(index, "a", 1)
        index.findings.store_findings([SessionFindings(session=session, signals=(a_signal("a0"),))], 1)
        again = reopen()
        assert _store_turns(again, "a", 2) == session
        assert _messages(again.findings.signals(ALL)) == ["a0"]


def _store_turns(index: Index, native: str, many: int, *, agent: str = "claude-code") -> int:
    """Store a session of typed messages `<native>0`, `<native>1` and so on; returns its number."""
    log = Log(f"/logs/{native}.jsonl", native, agent=agent)
    for each in range(many):
        log.typed(f"{native}{each}", each)
    index.events.store([log.batch()])
    (history,) = (each for each in index.findings.take_unmined(1) if each.native == native)
    return history.session


def _reword(log: Log, text: str | None) -> None:
    """Replace the text of the last message."""
    last = log.events.pop()
    assert isinstance(last.event, Message)
    log.events.append(last._replace(event=structs.replace(last.event, text=text)))


def _messages(found: tuple[SourcedSignal, ...]) -> list[str]:
    return [each.said.message for each in found]
