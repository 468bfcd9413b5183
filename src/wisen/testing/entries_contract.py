"""The contract of every ledger for entries, occurrences, moves and proposals, as a test suite."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.entry import (
    Actor,
    Category,
    Entry,
    EntryOrigin,
    EntrySource,
    EntryType,
    Move,
    MoveKind,
    Occurrence,
    Priority,
    Proposal,
    ProposalType,
)
from wisen.model.signal import LessonTopic
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.store.ledger import Ledger

HOSTILE = "a\0b \udcff \x1a0000 é 漢 '\"\\"


def an_entry(id_: str = "01A", **other: object) -> Entry:
    """Return a sample entry."""
    entry = Entry(
        id=id_,
        name=f"LRN-20260301-{id_}",
        machine="desk",
        context="github.com/acme/shop",
        at=NOON,
        type=EntryType.LEARNING,
        category=Category.CORRECTION,
        summary="Use pnpm, not npm.",
        source=EntrySource.USER_FEEDBACK,
        origin=EntryOrigin.STATED,
        about=LessonTopic.TOOL,
        durable=0.75,
    )
    return structs.replace(entry, **other)


def an_occurrence(id_: str, entry: str = "01A", session: str = "s1", minutes: int = 0) -> Occurrence:
    """Return a sample occurrence of an entry."""
    return Occurrence(
        id=id_,
        entry=entry,
        machine="desk",
        context="github.com/acme/shop",
        agent="claude-code",
        session=session,
        message=f"m{id_}",
        at=NOON + timedelta(minutes=minutes),
        quote="no, use pnpm",
    )


def a_move(id_: str, subject: str = "01A", kind: MoveKind = MoveKind.STATUS, value: str = "resolved") -> Move:
    """Return a sample decision row."""
    return Move(id=id_, subject=subject, machine="desk", at=NOON, by=Actor.USER, kind=kind, value=value, why="done")


def a_proposal(id_: str, entry: str = "01A") -> Proposal:
    """Return a sample proposal."""
    return Proposal(
        id=id_,
        machine="desk",
        at=NOON,
        type=ProposalType.PROMOTION,
        entry=entry,
        context="github.com/acme/shop",
        text="Use pnpm, not npm.",
        path="/home/me/shop/CLAUDE.md",
        heading="Rules",
        why="You said so in 3 sessions.",
        hypothesis="It will not come up again.",
        risk="low",
        effort="low",
        impact="medium",
        tokens=9,
        sessions=3,
    )


class EntriesContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_entries_come_back_whole_oldest_first_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        late = an_entry(
            "02B",
            summary=HOSTILE,
            details=HOSTILE,
            context=HOSTILE,
            priority=Priority.CRITICAL,
            tags=("a", HOSTILE),
            files=(HOSTILE,),
            about=None,
            category=None,
            at=NOON.astimezone(timezone(timedelta(hours=9))),
        )
        ledger.entries.record([late, an_entry()])
        ledger.entries.record([structs.replace(late, summary="another story")])
        again = reopen()
        again.check()
        assert again.entries.all() == (an_entry(), late)
        assert again.entries.of(["02B", "none"]) == (late,)
        assert again.entries.of([]) == ()
        assert len(again.entries.of(f"{number}" for number in range(1_200))) == 0

    def test_the_mark_differs_after_everything_that_was_learned_or_decided(self, ledger: Ledger) -> None:
        marks = [ledger.mark()]
        rows = (an_entry(), an_occurrence("o1"), an_occurrence("o2", session="s2"), a_move("m1"), a_proposal("p1"))
        for row in rows:
            ledger.entries.record([row])
            marks.append(ledger.mark())
        assert len({*marks}) == len(rows) + 1
        assert ledger.mark() == marks[-1]
        assert ledger.entries.ids() == {"01A"}
        assert {(each.entry, each.session, each.quote) for each in ledger.occurrences.sightings()} == {
            ("01A", "s1", "no, use pnpm"),
            ("01A", "s2", "no, use pnpm"),
        }

    def test_how_often_an_entry_was_seen_is_counted_by_sessions(self, ledger: Ledger) -> None:
        sights = [an_occurrence("a", minutes=5), an_occurrence("b", minutes=9), an_occurrence("c", session="s2")]
        ledger.entries.record([an_entry(), an_entry("02B"), *sights, sights[0]])
        first, second = ledger.entries.tallies()
        assert (first.entry, first.times, first.sessions) == ("01A", 3, 2)
        assert (first.first, first.last) == (NOON, NOON + timedelta(minutes=9))
        assert (second.entry, second.times, second.sessions, second.first) == ("02B", 0, 0, NOON)
        assert ledger.occurrences.ids() == {"a", "b", "c"}
        assert ledger.entries.tallies(["02B", "none"]) == (second,)

    def test_entries_are_ranked_by_sessions_then_by_how_new_they_are(self, ledger: Ledger) -> None:
        entries = [an_entry(id_, context=context) for id_, context in (("1", "a"), ("2", "a"), ("3", "b"), ("4", "b"))]
        sights = [an_occurrence("x", "3", "s1", 1), an_occurrence("y", "3", "s2", 2), an_occurrence("z", "2", "s1", 9)]
        ledger.entries.record([*entries, *sights, an_occurrence("w", "1", "s1", 3)])
        assert ledger.entries.ranked_ids() == ("3", "2", "1", "4")
        assert ledger.entries.ranked_ids("b") == ("3", "4")
        assert ledger.entries.ranked_ids("none") == ()

    def test_an_occurrence_that_was_taken_out_counts_where_it_went_and_by_the_last_word(self, ledger: Ledger) -> None:
        seen = [an_occurrence(f"o{number}", "1", session=f"s{number % 2}", minutes=number) for number in range(4)]
        ledger.entries.record([an_entry("1"), an_entry("2"), an_entry("3"), *seen, an_occurrence("p", "2", minutes=9)])
        ledger.entries.record([a_move("a", "o1", MoveKind.SPLIT, "3"), a_move("b", "o3", MoveKind.SPLIT, "2")])
        counted = {each.entry: (each.times, each.sessions) for each in ledger.entries.tallies()}
        assert counted == {"1": (2, 1), "2": (2, 1), "3": (1, 1)}
        assert [each.id for each in ledger.occurrences.of("2")] == ["o3", "p"]
        assert {each.entry for each in ledger.occurrences.of("3")} == {"3"}
        every = ledger.occurrences.all()
        assert ledger.occurrences.of_messages(each.message for each in every) == every
        assert [(each.id, each.entry) for each in ledger.occurrences.all()][1] == ("o1", "3")
        assert ledger.entries.ranked_ids() == ("2", "1", "3")
        ledger.entries.record([a_move("c", "o1", MoveKind.SPLIT, "1")])
        assert {each.entry: each.times for each in ledger.entries.tallies(["1", "3"])} == {"1": 3, "3": 0}
        assert ledger.occurrences.ids() == {"o0", "o1", "o2", "o3", "p"}

    def test_occurrences_come_back_whole_oldest_first(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        hostile = structs.replace(an_occurrence("z", entry="02B", minutes=-1), quote=HOSTILE, session=HOSTILE)
        ledger.entries.record([an_occurrence("b"), an_occurrence("a"), hostile])
        again = reopen()
        assert again.occurrences.all() == (hostile, an_occurrence("a"), an_occurrence("b"))
        assert again.occurrences.of("02B") == (hostile,)
        assert again.occurrences.of_messages([hostile.message, "none"]) == (hostile,)
        assert again.occurrences.of_messages([]) == ()
        assert again.occurrences.of("none") == ()

    def test_moves_and_proposals_come_back_whole_oldest_first_and_once(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        moves = (a_move("1"), a_move("2", subject="p", kind=MoveKind.ANSWER, value="approved"))
        proposals = (a_proposal("p"), structs.replace(a_proposal("q"), text=HOSTILE))
        ledger.entries.record([*reversed(moves), *reversed(proposals), structs.replace(moves[0], value="pending")])
        again = reopen()
        again.check()
        assert again.moves.all() == moves
        assert again.moves.of("p") == (moves[1],)
        assert again.proposals.all() == proposals

    def test_what_is_over_goes_by_the_last_word(self, ledger: Ledger) -> None:
        words = [("1", "resolved"), ("1", "pending"), ("2", "wont_fix"), ("3", "promoted"), ("4", "pending")]
        rows = [a_move(f"{number}", subject, value=value) for number, (subject, value) in enumerate(words)]
        merged = [a_move("x", "4", MoveKind.MERGE, "3"), a_move("y", "5", MoveKind.MERGE, "3")]
        ledger.entries.record(
            [*(an_entry(each) for each in "12345"), *rows, *merged, a_move("z", "5", MoveKind.MERGE, "")]
        )
        assert ledger.entries.closed_entries() == {"2": "", "4": "3"}

    def test_all_of_it_or_nothing(self, ledger: Ledger) -> None:
        def rows() -> Iterator[Entry]:
            yield an_entry()
            raise ValueError("in the midst of it")

        with pytest.raises(ValueError, match="in the midst"):
            ledger.entries.record(rows())
        assert ledger.entries.all() == ()
