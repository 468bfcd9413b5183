"""Kept backtests: whatever happened to sessions since, they are what reading all sessions gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.guards.plain_backtest import match_all_calls
from tests.sizes import size
from tests.store.test_index import open_sound
from wisen.delivery.guards_from_fixes import patterns_of_fix
from wisen.delivery.guards_from_rules import pattern_of_rule
from wisen.guards.backtest_history import MatchedCall, WatchedGuard, build_backtest, match_calls
from wisen.guards.backtest_totals import backtest_guard, backtest_guards
from wisen.guards.fix_patterns import derive_patterns
from wisen.guards.rule_patterns import RulePatterns
from wisen.mining.session_mining import mine_session
from wisen.model.event import Status
from wisen.model.report import Selection
from wisen.model.signal import Polarity, RecordedSignal, Signal, SignalKind
from wisen.store.folds import Fold
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.log_writer import Log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.model.failure import SessionFindings
    from wisen.model.history import History
    from wisen.store.index import Index

NO_BUN = "error: unrecognized subcommand 'bun'"
GUARDS = (
    WatchedGuard("shell: rtk bun", "", stops=True),
    WatchedGuard("shell: rtk bun"),
    WatchedGuard("shell: rtk bun", "ctx"),
    WatchedGuard("shell: rtk bun", "other", stops=True),
    WatchedGuard("shell: npm run --force"),
    WatchedGuard("edit: db/**"),
    WatchedGuard("WebFetch: url=*"),
)
COMMANDS = (
    "rtk bun test",
    "'rt'k bun x",
    "cd a && rtk bun",
    "npm run x --force",
    "O=force; npm run --$O",
    "git reset --hard",
    "ls > db/x",
    "echo rtk bun",
)
CALLS = st.one_of(
    st.sampled_from(COMMANDS).map(lambda line: ("Bash", json.dumps({"command": line}))),
    st.sampled_from([("Edit", '{"file_path": "/a/db/1.sql"}'), ("WebFetch", None), ("Edit", '{"file_path": "/a"}')]),
)
ENDS = st.sampled_from([None, Status.OK, Status.OK, Status.FAILED, Status.MASKED, Status.CANCELLED])
ACTS = st.one_of(
    st.tuples(st.just("call"), CALLS, ENDS, st.sampled_from([NO_BUN, "boom", None])),
    st.tuples(st.sampled_from(["said", "wrong", "stopped", "refused"])),
)
STEPS = st.one_of(
    st.tuples(st.just("session"), st.integers(0, 3), st.lists(ACTS, min_size=1, max_size=4)),
    st.tuples(st.sampled_from(["mine", "mine", "test", "remove", "redact", "damage", "again"]), st.integers(0, 3)),
)


class Sessions:
    """Sessions of an index, which tests add to and remove."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.many = 0

    def add(self, number: int, acts: list[Any]) -> None:
        """Add acts to a session; sessions 2 and 3 are in another context."""
        log = Log(f"/{number}.jsonl", f"s{number}", context="ctx" if number < 2 else "other")
        for what, *rest in acts:
            self.many += 1
            name, minute = f"{what}{number}-{self.many}", self.many * 10
            if what == "call":
                (tool, arguments), status, text = rest
                log.call(name, minute, tool, arguments)
                if status is not None:
                    log.end(name, status, minute + 1, text if status in (Status.FAILED, Status.MASKED) else None)
            elif what == "stopped":
                log.interrupt(name, None, minute)
            elif what == "refused":
                log.reject(name, minute)
            else:
                log.typed(name, minute)
        self.index.events.store([log.batch()])

    def mine(self, most: int = 99) -> None:
        """Mine some of the sessions with new events."""
        for _, history in zip(range(most), list(self.index.findings.take_unmined(1)), strict=False):
            self.index.findings.store_findings([mine(history)], 1)

    def corrected(self) -> frozenset[tuple[str, str]]:
        signals = self.index.findings.signals(Selection())
        return frozenset(
            (each.native, each.said.message) for each in signals if each.said.signal.kind is SignalKind.CORRECTION
        )


def mine(history: History) -> SessionFindings:
    """Findings in which every message with this name is a correction."""
    signal = Signal(kind=SignalKind.CORRECTION, probability=1.0, start=0, end=4, polarity=Polarity.AGAINST)
    said = [
        RecordedSignal(message=each.id, at=each.at, signal=signal)
        for each in history.turns
        if each.id.startswith("wrong")
    ]
    return replace(mine_session(history), signals=tuple(said))


@pytest.fixture(params=["file", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    opened: Index = open_sound(tmp_path / "index.db") if request.param == "file" else MemoryIndex()
    yield opened
    opened.close()


def check(sessions: Sessions, guards: tuple[WatchedGuard, ...]) -> None:
    """Compare kept backtests with those over all sessions."""
    index, corrected = sessions.index, sessions.corrected()
    histories = list(index.events.histories(Selection()))
    found = backtest_guards(index, guards, "1")
    for guard, total in zip(guards, found, strict=True):
        expected = match_all_calls(guard, histories, corrected)
        if guard.stops and any(each.ending == "good" for each in expected):
            assert total.stopped_by is not None, "one good call is enough"
            assert total.calls() == []
        else:
            assert (total.stopped_by, total.calls()) == (None, expected)
            assert build_backtest(total.calls(), len(histories)) == build_backtest(expected, len(histories))
    assert index.recorded_calls.count_sessions() == len(histories)
    since = Log("/").at(40)
    cut = list(index.events.histories(Selection(since=since)))
    assert index.recorded_calls.count_sessions(since) == len(cut)
    for guard, total in zip(guards, found, strict=True):
        (expected,), _ = match_calls([guard._replace(stops=False)], cut, corrected)
        if total.stopped_by is None:
            assert [without_turn(each) for each in total.calls(since)] == [without_turn(each) for each in expected]


def without_turn(call: MatchedCall) -> MatchedCall:
    """A call without the number of its turn, which is counted from the beginning of what is read."""
    return call._replace(turn=0)


@pytest.mark.sized
@settings(max_examples=size(80, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=14), in_file=st.booleans(), start=st.integers(0, len(GUARDS) - 1))
def test_after_any_changes_of_sessions_a_kept_backtest_is_that_over_all_sessions(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Any], in_file: bool, start: int
) -> None:
    index: Index = open_sound(tmp_path_factory.mktemp("index") / "index.db") if in_file else MemoryIndex()
    sessions, guards = Sessions(index), GUARDS[start:]
    try:
        for what, number, *acts in steps:
            assert isinstance(number, int)
            if what == "session":
                sessions.add(number, *acts)
            elif what == "mine":
                sessions.mine(number + 1)
            elif what == "remove":
                index.removal.remove_sessions({("claude-code", f"s{number}", 0)})
            elif what == "redact":
                stored = [each for each in index.events.histories(Selection()) if each.steps]
                index.removal.redact([("claude-code", each.steps[0].call) for each in stored[number : number + 1]])
            elif what == "damage":
                index.folds.save("guard backtests", "1 1", Fold(number, "[oh no"))
            elif what == "again":
                index.findings.mine_again([each.session for each in index.events.histories(Selection())][:number])
            else:
                guards = GUARDS[number:] if len(guards) != len(GUARDS[number:]) else GUARDS
                check(sessions, guards)
        check(sessions, GUARDS)
    finally:
        index.close()


def test_a_new_guard_is_matched_with_what_happened_before(index: Index) -> None:
    sessions = Sessions(index)
    sessions.add(0, [("call", ("Bash", '{"command": "rtk bun test"}'), Status.FAILED, NO_BUN)])
    sessions.mine()
    check(sessions, GUARDS[:1])
    check(sessions, GUARDS)
    (total,) = backtest_guards(index, [WatchedGuard("shell: rtk bun")], "1")
    assert [(each.text, each.failure) for each in total.calls()] == [
        ("rtk bun test", ("shell.unknown-subcommand", "rtk", ""))
    ]
    assert backtest_guard(index, WatchedGuard("shell: rtk bun")).calls() == total.calls()


def test_a_guard_that_stopped_is_matched_with_all_again_when_its_good_call_is_gone(index: Index) -> None:
    sessions = Sessions(index)
    sessions.add(0, [("call", ("Bash", '{"command": "rtk bun test"}'), Status.FAILED, NO_BUN)])
    sessions.add(1, [("call", ("Bash", '{"command": "rtk bun x"}'), Status.OK, None)])
    sessions.mine()
    check(sessions, GUARDS)
    (stopped,) = backtest_guards(index, GUARDS[:1], "1")
    assert stopped.stopped_by is not None
    sessions.add(1, [("wrong",)])
    sessions.mine()
    check(sessions, GUARDS[:1])
    (regretted,) = backtest_guards(index, GUARDS[:1], "1")
    assert [each.ending for each in regretted.calls()] == ["failed", "regretted"]
    sessions.add(3, [("call", ("Bash", '{"command": "rtk bun x"}'), Status.OK, None)])
    sessions.mine()
    check(sessions, GUARDS[:1])
    index.removal.remove_sessions({("claude-code", "s3", 0)})
    check(sessions, GUARDS[:1])
    (total,) = backtest_guards(index, GUARDS[:1], "1")
    assert (total.stopped_by, len(total.calls())) == (None, 2)


def test_only_changed_sessions_are_read_again(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(index)
    for number in range(4):
        sessions.add(number, [("call", ("Bash", '{"command": "rtk bun test"}'), Status.FAILED, NO_BUN)])
    sessions.mine()
    backtest_guards(index, GUARDS, "1")
    sessions.add(2, [("call", ("Bash", '{"command": "rtk bun lint"}'), Status.FAILED, NO_BUN)])
    sessions.mine()
    read: list[History] = []
    histories = index.events.histories

    def spy(selection: Selection) -> Iterator[History]:
        for each in histories(selection):
            read.append(each)
            yield each

    monkeypatch.setattr(index.events, "histories", spy)
    monkeypatch.delattr(type(index.recorded_calls), "find")
    totals = backtest_guards(index, GUARDS, "1")
    assert [each.native for each in read] == ["s2"]
    assert len(totals[1].calls()) == 5
    backtest_guards(index, GUARDS, "1")
    assert len(read) == 1, "nothing changed since"


def test_patterns_of_a_fix_are_derived_again_when_its_evidence_changed(index: Index) -> None:
    sessions = Sessions(index)

    def derived() -> list[tuple[object, ...]]:
        marks = index.fix_marks.all()
        fixes = [(fix, marks[fix.id, fix.signature.version]) for fix in index.findings.fixes(Selection())]
        found = derive_patterns(index, fixes, "1")
        for fix, mark in fixes:
            evidence = index.findings.evidence(fix.id)
            assert found[fix.id].patterns == tuple(patterns_of_fix(fix, evidence))
            assert found[fix.id].contexts == tuple(sorted({each.context for each in evidence}))
            assert (mark.tries, mark.failing) == (len(evidence), fix.sessions + fix.failed_again)
        return [(each.contexts, each.worked_in, each.tries) for each in found.values()]

    def fail_and_fix(number: int) -> None:
        rtk = ("call", ("Bash", '{"command": "rtk bun test"}'), Status.FAILED, NO_BUN)
        sessions.add(number, [("said",), rtk, ("call", ("Bash", '{"command": "bun test"}'), Status.OK, None)])
        sessions.mine()

    fail_and_fix(0)
    assert derived() == [(("ctx",), ("ctx",), 1)]
    fail_and_fix(1)
    assert derived() == [(("ctx",), ("ctx",), 2)]
    fail_and_fix(2)
    assert derived() == [(("ctx", "other"), ("ctx", "other"), 3)]
    index.removal.remove_sessions({("claude-code", "s2", 0)})
    fail_and_fix(1)
    assert derived()[0][:2] == (("ctx",), ("ctx",))
    index.folds.save("guard patterns", "1 1", Fold(0, "oh no"))
    assert derived()[0][:2] == (("ctx",), ("ctx",))


def test_what_rules_prohibit_is_kept_by_their_wording(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Use pnpm, not npm.", "Never edit db/migrations.", "Be kind.", "Do not use \udcff"]
    expected = [pattern_of_rule(text) for text in texts]
    assert [pattern is not None for pattern in expected[:3]] == [True, True, False]
    for _ in range(2):
        patterns = RulePatterns(index.folds, "1")
        assert [patterns.of(text) for text in texts] == expected
        patterns.save()
    monkeypatch.setattr("wisen.guards.rule_patterns.pattern_of_rule", None)
    patterns = RulePatterns(index.folds, "1")
    assert [patterns.of(text) for text in texts] == expected, "no wording is read twice"
    monkeypatch.undo()
    index.folds.save("rule patterns", "1 1", Fold(0, "[oh no"))
    patterns = RulePatterns(index.folds, "1")
    assert [patterns.of(text) for text in texts] == expected
