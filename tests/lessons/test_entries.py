"""The user's statements become entries: one per lesson, however often and however worded."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec import structs

from wisen.lessons.recording import message_id, record_statements
from wisen.mining.error_entries import new_error_rows
from wisen.model.context import NOWHERE
from wisen.model.directive import Trigger, TriggerCause
from wisen.model.entry import Actor, Category, EntryOrigin, EntryStatus, EntryType, Move, MoveKind, Priority
from wisen.model.entry_names import entry_name
from wisen.model.entry_state import fold_entry_states, fold_proposal_states
from wisen.model.failure import CallChange, Signature
from wisen.model.fix import Danger, Evidence, Fix
from wisen.model.signal import Lesson, LessonTopic, Polarity, RecordedSignal, Signal, SignalKind, SourcedSignal
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import a_move, a_proposal, an_entry
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON


def row_factory() -> RowFactory:
    return RowFactory(FixedClock(NOON), CountingIds(), "desk")


def sighting(
    session: int, text: str, kind: SignalKind = SignalKind.CORRECTION, *, marker: str = "", context: str = "shop"
) -> SourcedSignal:
    lesson = None
    if kind in (SignalKind.CORRECTION, SignalKind.PREFERENCE):
        lesson = Lesson(
            text=text,
            forbids=False,
            durable=0.4,
            is_durable=False,
            about=LessonTopic.TOOL,
            marker=marker,
            standing=bool(marker),
        )
    signal = Signal(kind=kind, probability=0.9, start=0, end=3, polarity=Polarity.AGAINST, lesson=lesson)
    recorded = RecordedSignal(message=f"m{session}-{text}", at=NOON + timedelta(hours=session), signal=signal)
    return SourcedSignal(
        agent="codex", native=f"n{session}", session=session, said=recorded, text=text, context=context
    )


def run(ledger: MemoryLedger, *sightings: SourcedSignal, by: RowFactory | None = None) -> MemoryLedger:
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    ledger.entries.record(record_statements(sightings, known, ledger.occurrences.ids(), by or row_factory()))
    return ledger


@pytest.mark.requirement("S4")
def test_the_same_correction_reworded_in_three_sessions_of_one_day_is_one_entry() -> None:
    ledger = run(
        MemoryLedger(),
        sighting(1, "Use pnpm, not npm."),
        sighting(2, "Please use pnpm here, not npm."),
        sighting(3, "I told you to use pnpm, not npm."),
    )
    (entry,) = ledger.entries.all()
    (tally,) = ledger.entries.tallies()
    assert (entry.summary, entry.category, entry.origin) == (
        "Use pnpm, not npm.",
        Category.CORRECTION,
        EntryOrigin.STATED,
    )
    assert entry.name.startswith("LRN-20260301-")
    assert (tally.times, tally.sessions) == (3, 3)
    assert ledger.occurrences.all()[0].quote == "Use pnpm, not npm."


def test_what_was_entered_before_is_not_entered_again() -> None:
    ledger = run(MemoryLedger(), sighting(1, "Use pnpm, not npm."))
    before = ledger.entries.all(), ledger.occurrences.all(), ledger.moves.all()
    run(ledger, sighting(1, "Use pnpm, not npm."))
    assert (ledger.entries.all(), ledger.occurrences.all(), ledger.moves.all()) == before


@pytest.mark.requirement("S9")
def test_opposites_are_two_entries_in_conflict() -> None:
    ids = row_factory()
    ledger = run(MemoryLedger(), sighting(1, "Use pnpm, not npm."), by=ids)
    run(ledger, sighting(2, "Use npm, not pnpm."), by=ids)
    first, second = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    assert (first.sessions, second.sessions) == (1, 1)
    assert second.conflicts == (first.entry.id,)


def test_contexts_have_entries_of_their_own_and_outside_of_any_is_not_everywhere() -> None:
    ledger = run(
        MemoryLedger(),
        sighting(1, "Use pnpm, not npm.", context="shop"),
        sighting(2, "Use pnpm, not npm.", context="mill"),
        sighting(3, "Use pnpm, not npm.", context=""),
    )
    assert [entry.context for entry in ledger.entries.all()] == ["shop", "mill", NOWHERE]


def test_a_message_that_says_two_things_is_one_occurrence_and_praise_is_none() -> None:
    ledger = run(
        MemoryLedger(),
        sighting(1, "Never force-push.", SignalKind.CORRECTION),
        sighting(1, "Never force-push.", SignalKind.PREFERENCE),
        sighting(2, "nice", SignalKind.PRAISE),
    )
    (entry,) = ledger.entries.all()
    assert entry.category is Category.PREFERENCE
    assert len(ledger.occurrences.all()) == 1


@pytest.mark.parametrize(
    ("kind", "text", "type_", "summary"),
    [
        (SignalKind.REQUEST, "I wish there was a dark mode. thanks", EntryType.FEATURE,
         "I wish there was a dark mode."),
        (SignalKind.GAP, "fyi: the API moved to v3", EntryType.LEARNING, "fyi: the API moved to v3"),
    ],
)  # fmt: skip
def test_what_has_no_lesson_is_described_by_its_sentence(
    kind: SignalKind, text: str, type_: EntryType, summary: str
) -> None:
    (entry,) = run(MemoryLedger(), sighting(1, text, kind)).entries.all()
    assert (entry.type, entry.summary) == (type_, summary)


def of_message(text: str, *lessons: str, trigger: Trigger | None = None, marker: str = "") -> list[SourcedSignal]:
    """Return the lessons of one message, each at its position."""
    found = []
    for lesson in lessons:
        each = sighting(1, text, SignalKind.CORRECTION)
        assert each.said.signal.lesson is not None
        kept = structs.replace(
            each.said.signal.lesson, text=lesson, trigger=trigger, marker=marker, standing=bool(marker)
        )
        start = text.index(lesson)
        signal = structs.replace(each.said.signal, start=start, end=start + len(lesson), lesson=kept)
        found.append(structs.replace(each, said=structs.replace(each.said, signal=signal)))
    return found


@pytest.mark.requirement("S4")
def test_several_lessons_of_one_message_are_several_entries_each_recorded_once() -> None:
    text = "Use tabs in this repo. And never edit dist by hand."
    both = of_message(text, "Use tabs in this repo.", "And never edit dist by hand.")
    ledger = run(run(MemoryLedger(), *both), *both)
    assert [entry.summary for entry in ledger.entries.all()] == [
        "Use tabs in this repo.",
        "And never edit dist by hand.",
    ]
    assert sorted((each.quote for each in ledger.occurrences.all()), reverse=True) == [
        "Use tabs in this repo.",
        "And never edit dist by hand.",
    ]


def test_lessons_of_one_message_are_not_joined_with_each_other() -> None:
    text = "No, not pip. Always use uv for packages, never pip."
    ledger = run(MemoryLedger(), *of_message(text, "No, not pip.", "Always use uv for packages, never pip."))
    assert len(ledger.entries.all()) == 2


def test_a_request_beside_a_lesson_is_an_entry_of_its_own_kind() -> None:
    text = "Never use inline styles. I wish there was a dark mode."
    (lesson,) = of_message(text, "Never use inline styles.")
    wish = sighting(1, text, SignalKind.REQUEST)
    wish = structs.replace(
        wish, said=structs.replace(wish.said, signal=structs.replace(wish.said.signal, start=25, end=50))
    )
    entries = run(MemoryLedger(), lesson, wish).entries.all()
    assert [(entry.type, entry.summary) for entry in entries] == [
        (EntryType.LEARNING, "Never use inline styles."),
        (EntryType.FEATURE, "I wish there was a dark mode."),
    ]


@pytest.mark.requirement("N4")
@pytest.mark.parametrize("kind", [SignalKind.CORRECTION, SignalKind.PREFERENCE, SignalKind.REMEMBER])
def test_what_teaches_without_a_lesson_stays_a_remark(kind: SignalKind) -> None:
    remark = sighting(1, "that looks odd to me", kind)
    signal = structs.replace(remark.said.signal, lesson=None)
    remark = structs.replace(remark, said=structs.replace(remark.said, signal=signal))
    assert run(MemoryLedger(), remark).entries.all() == ()


def test_a_sentence_that_is_too_long_to_be_quoted_whole_is_not_recorded_in_part() -> None:
    long = "I wish that " + "the nightly job of the second warehouse writes its figures late, " * 6
    assert run(MemoryLedger(), sighting(1, long, SignalKind.REQUEST)).entries.all() == ()


def test_what_is_said_again_and_to_last_is_so_and_what_calls_it_up_is_the_newest() -> None:
    trigger = Trigger(cause=TriggerCause.REJECTED, tool="Bash", words=("npm",), did="npm install")
    (again,) = of_message("From now on use pnpm, not npm.", "From now on use pnpm, not npm.", trigger=trigger,
                          marker="From now on")  # fmt: skip
    ledger = run(run(MemoryLedger(), sighting(2, "Use pnpm, not npm.")), again)
    (state,) = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    assert (state.is_standing, state.trigger) == (True, trigger)
    assert not state.entry.standing


def test_a_message_that_an_earlier_version_recorded_as_a_whole_is_not_recorded_again() -> None:
    (lesson,) = of_message("Use pnpm, not npm. Thanks!", "Use pnpm, not npm.")
    ledger = run(MemoryLedger(), lesson)
    (made,) = ledger.occurrences.all()
    older = MemoryLedger()
    older.entries.record([*ledger.entries.all(), structs.replace(made, id=message_id(lesson), quote=lesson.text)])
    assert len(run(older, lesson).occurrences.all()) == 1


def test_priority_goes_by_what_is_at_stake() -> None:
    ledger = run(
        MemoryLedger(),
        sighting(1, "Never print the password of the shop."),
        sighting(2, "Always sort the orders by date.", marker="always"),
        sighting(3, "Move the button to the left."),
    )
    assert [entry.priority for entry in ledger.entries.all()] == [Priority.CRITICAL, Priority.MEDIUM, Priority.LOW]


def test_a_name_is_lengthened_where_it_would_collide() -> None:
    name = entry_name(EntryType.ERROR, NOON, "01A", set())
    assert name.startswith("ERR-20260301-")
    assert len(name) == len("ERR-20260301-XXX")
    longer = entry_name(EntryType.ERROR, NOON, "01A", {name})
    assert longer.startswith(name)
    assert longer != name


def test_an_entry_is_what_its_moves_make_of_it() -> None:
    moves = [
        a_move("1", kind=MoveKind.PRIORITY, value="high"),
        a_move("2", kind=MoveKind.TEXT, value="Use pnpm 9."),
        a_move("3", kind=MoveKind.CONFIRM),
        a_move("4", kind=MoveKind.STATUS, value="promoted"),
        a_move("5", subject="nobody"),
    ]
    (state,) = fold_entry_states([an_entry()], [], moves)
    assert (state.text, state.priority, state.status, state.confirmed) == (
        "Use pnpm 9.",
        Priority.HIGH,
        EntryStatus.PROMOTED,
        True,
    )
    assert not state.is_over


def test_a_merged_entry_adds_to_the_other_and_new_sights_of_it_go_there() -> None:
    ids = row_factory()
    ledger = run(MemoryLedger(), sighting(1, "Use pnpm, not npm."), sighting(2, "Install with the usual tool."), by=ids)
    first, second = ledger.entries.all()
    ledger.entries.record([ids.build_move(second.id, MoveKind.MERGE, first.id, by=Actor.USER)])
    run(ledger, sighting(3, "Install with the usual tool."), by=ids)
    one, other = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    assert (one.times, one.sessions, one.last) == (3, 3, NOON + timedelta(hours=3))
    assert other.is_over


def test_the_last_answer_to_a_proposal_counts() -> None:
    moves: list[Move] = [
        a_move("1", subject="p", kind=MoveKind.ANSWER, value="later"),
        a_move("2", subject="q", kind=MoveKind.ANSWER, value="approved"),
    ]
    found = fold_proposal_states([a_proposal("p"), a_proposal("q"), a_proposal("r")], moves)
    assert [(each.answer, each.is_waiting) for each in found] == [("later", True), ("approved", False), (None, True)]


def a_fix(sessions: int = 3) -> Fix:
    return Fix(
        id="f4fac408cb",
        signature=Signature(key="shell.unknown-subcommand", who="rtk", version=1),
        change=CallChange(tool="Bash", removed=("rtk",)),
        before="rtk bun test",
        after="bun test",
        said="error: unrecognized subcommand 'bun'",
        sessions=sessions,
        calls=sessions,
        failed_again=0,
        by_chance=0.0,
        danger=Danger.NONE,
        lost_ms=0,
        lost_tokens=0,
        first=NOON,
        last=NOON,
        last_worked=True,
    )


def evidence(session: int, context: str = "shop") -> Evidence:
    return Evidence(
        agent="codex", session=f"s{session}", at=NOON, before="", after="", said="unrecognized", trajectory="01",
        worked=True, call=f"c{session}", context=context,
    )  # fmt: skip


@pytest.mark.requirement("S2")
def test_what_kept_failing_becomes_an_entry_of_its_context_with_what_helped() -> None:
    ledger, by = MemoryLedger(), row_factory()

    def meet(*tries: Evidence) -> None:
        known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
        ledger.entries.record(new_error_rows([a_fix()], lambda _: tries, known, ledger.occurrences.ids(), by))

    meet(evidence(1), evidence(2), evidence(3, "mill"))
    meet(evidence(1), evidence(2), evidence(3, "mill"), evidence(4))
    shop, mill = ledger.entries.all()
    assert (shop.type, shop.origin, shop.key) == (EntryType.ERROR, EntryOrigin.MEASURED, "shell.unknown-subcommand")
    assert shop.summary == "rtk: unknown subcommand; what helped: without rtk"
    assert shop.name.startswith("ERR-")
    assert [tally.sessions for tally in ledger.entries.tallies()] == [3, 1]
    assert mill.context == "mill"
