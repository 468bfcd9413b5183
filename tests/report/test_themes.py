"""What the user keeps correcting: the lessons of the ledger, with the sessions in which each was said."""

from __future__ import annotations

from datetime import timedelta

from wisen.lessons.recording import record_statements
from wisen.model.entry import EntryStatus, MoveKind
from wisen.model.entry_state import fold_entry_states
from wisen.model.signal import (
    Lesson,
    LessonTopic,
    Polarity,
    RecordedSignal,
    Signal,
    SignalKind,
    SourcedSignal,
    Theme,
)
from wisen.report.themes import build_themes
from wisen.store.row_factory import RowFactory
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON

FACTORY = RowFactory(FixedClock(NOON + timedelta(days=30)), CountingIds(), "desk")


def sighting(
    session: int,
    text: str,
    kind: SignalKind = SignalKind.CORRECTION,
    *,
    durable: float = 0.4,
    context: str = "shop",
) -> SourcedSignal:
    lesson = Lesson(text=text, forbids=False, durable=durable, is_durable=durable > 0.5, about=LessonTopic.FACT)
    signal = Signal(kind=kind, probability=0.9, start=0, end=3, polarity=Polarity.AGAINST, lesson=lesson)
    recorded = RecordedSignal(message=f"m{session}-{text}", at=NOON + timedelta(days=session), signal=signal)
    native = f"n{session}"
    return SourcedSignal(agent="claude-code", native=native, session=session, said=recorded, text=text, context=context)


def ledger_with(*said: SourcedSignal) -> MemoryLedger:
    ledger = MemoryLedger()
    ledger.entries.record(record_statements(said, (), (), FACTORY))
    return ledger


def themes(ledger: MemoryLedger, sessions: set[tuple[str, str]] | None = None) -> tuple[Theme, ...]:
    states = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    return build_themes(states, ledger.occurrences.sightings(), sessions)


def test_the_same_lesson_in_other_words_is_one_theme() -> None:
    found = themes(
        ledger_with(
            sighting(1, "Always use pnpm, not npm."),
            sighting(2, "Use pnpm in this repo, not npm."),
            sighting(3, "Use pnpm, not npm."),
            sighting(3, "Sort the orders by date."),
        )
    )
    assert [(theme.lesson, theme.sessions, theme.times) for theme in found] == [
        ("Use pnpm, not npm.", 3, 3),
        ("Sort the orders by date.", 1, 1),
    ]
    assert (found[0].agent, found[0].session, found[0].last) == ("claude-code", "n3", NOON + timedelta(days=3))
    assert found[0].entry.startswith("LRN-")


def test_what_one_asks_for_and_another_forbids_is_never_one_theme() -> None:
    for one, two in (
        ("Use pnpm, not npm.", "Use npm, not pnpm."),
        ("Commit the lockfile.", "Do not commit the lockfile."),
        ("Use default exports.", "Don't use default exports."),
    ):
        assert [theme.sessions for theme in themes(ledger_with(sighting(1, one), sighting(2, two)))] == [1, 1]


def test_a_message_that_says_two_things_counts_once_and_praise_has_no_theme() -> None:
    both = [sighting(1, "Never force-push."), sighting(1, "Never force-push.", SignalKind.PREFERENCE)]
    praise = Signal(kind=SignalKind.PRAISE, probability=0.9, start=0, end=1, polarity=Polarity.FOR)
    recorded = RecordedSignal(message="p", at=NOON, signal=praise)
    nice = SourcedSignal(agent="claude-code", native="n9", session=9, said=recorded, text="nice")
    (theme,) = themes(ledger_with(*both, nice))
    assert (theme.sessions, theme.times) == (1, 1)


def test_the_same_words_in_two_projects_are_one_theme() -> None:
    (theme,) = themes(ledger_with(sighting(1, "Never force-push."), sighting(2, "never  force-push.", context="other")))
    assert (theme.lesson, theme.sessions) == ("never  force-push.", 2)


def test_only_the_selected_sessions_count() -> None:
    ledger = ledger_with(
        sighting(1, "Use pnpm, not npm."), sighting(2, "Use pnpm, not npm."), sighting(3, "Sort the orders by date.")
    )
    (theme,) = themes(ledger, {("claude-code", "n2")})
    assert (theme.lesson, theme.sessions, theme.session) == ("Use pnpm, not npm.", 1, "n2")


def test_what_is_over_is_no_theme_and_a_persons_wording_is_quoted() -> None:
    ledger = ledger_with(sighting(1, "Use pnpm, not npm."), sighting(2, "Sort the orders by date."))
    pnpm, sort = ledger.entries.all()
    ledger.entries.record(
        [
            FACTORY.build_move(pnpm.id, MoveKind.STATUS, EntryStatus.RESOLVED),
            FACTORY.build_move(sort.id, MoveKind.TEXT, "Sort orders by date, newest first."),
        ]
    )
    assert [theme.lesson for theme in themes(ledger)] == ["Sort orders by date, newest first."]
