"""The contract of every ledger for equivalent rows: the second writer finds what the first one recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.change import Change
from wisen.model.entry import MoveKind
from wisen.testing.entries_contract import a_move, a_proposal, an_entry, an_occurrence
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.guard import LearnedRow
    from wisen.store.ledger import Ledger


def a_change(id_: str, follows: str | None, path: str = "/p/CLAUDE.md") -> Change:
    """Return a sample file change."""
    return Change(
        id=id_,
        machine="desk",
        path=path,
        at=NOON,
        why="you said so",
        before="",
        after="aa",
        splices=(),
        follows=follows,
    )


class KeysContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_an_entry_that_was_made_twice_for_one_sight_is_the_first(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        assert ledger.entries.record([an_entry("01A"), an_occurrence("a", "01A")]) == {}
        second: list[LearnedRow] = [an_entry("02B"), an_occurrence("a", "02B"), an_occurrence("b", "02B", minutes=1)]
        about = [a_move("m1", "02B"), a_move("m2", "03C", MoveKind.CONFLICT, "02B"), a_move("m3", "03C", value="02B")]
        assert ledger.entries.record([*second, *about, a_proposal("1P", "02B")]) == {"02B": "01A"}
        again = reopen()
        again.check()
        assert [each.id for each in again.entries.all()] == ["01A"]
        assert [(each.id, each.entry) for each in again.occurrences.all()] == [("a", "01A"), ("b", "01A")]
        assert [(each.subject, each.value) for each in again.moves.all()] == [
            ("01A", "resolved"),
            ("03C", "01A"),
            ("03C", "02B"),
        ], "only a value that names an entry is changed"
        assert [each.entry for each in again.proposals.all()] == ["01A"]

    def test_any_sight_that_both_have_makes_two_entries_one(self, ledger: Ledger) -> None:
        ledger.entries.record([an_entry("01A"), an_occurrence("b", "01A")])
        assert ledger.entries.record([an_entry("02B"), an_occurrence("a", "02B"), an_occurrence("b", "02B")]) == {
            "02B": "01A"
        }
        assert {each.entry for each in ledger.occurrences.all()} == {"01A"}
        assert ledger.entries.record([an_entry("03C"), an_occurrence("c", "03C")]) == {}, (
            "another sight is another entry"
        )

    def test_the_same_rows_again_change_nothing(self, ledger: Ledger) -> None:
        rows: list[LearnedRow] = [an_entry("01A"), an_occurrence("a", "01A"), an_occurrence("b", "01A")]
        assert ledger.entries.record(rows) == {}
        assert ledger.entries.record(rows) == {}
        assert len(ledger.entries.all()) == 1
        assert len(ledger.occurrences.all()) == 2

    def test_two_entries_that_name_one_sight_at_once_are_both_kept(self, ledger: Ledger) -> None:
        assert (
            ledger.entries.record(
                [an_entry("01A"), an_entry("02B"), an_occurrence("a", "01A"), an_occurrence("a", "02B")]
            )
            == {}
        )
        assert [each.id for each in ledger.entries.all()] == ["01A", "02B"]

    def test_what_was_asked_behind_the_same_proposal_is_asked_once(self, ledger: Ledger) -> None:
        first = structs.replace(a_proposal("1P"), follows="")
        ledger.entries.record([first, structs.replace(first, id="2P")])
        ledger.entries.record([structs.replace(first, id="3P", text="in other words")])
        assert [each.id for each in ledger.proposals.all()] == ["1P"]
        ledger.entries.record(
            [
                structs.replace(first, id="4P", follows="1P"),
                structs.replace(first, id="5P", context=""),
                structs.replace(first, id="6P", entry="02B"),
                a_proposal("7P"),
                a_proposal("8P"),
            ]
        )
        assert [each.id for each in ledger.proposals.all()] == ["1P", "4P", "5P", "6P", "7P", "8P"]

    def test_one_change_of_a_file_comes_behind_another(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        first = a_change("01", "")
        assert ledger.changes.add(first)
        assert ledger.changes.add(first), "the same again is the same"
        assert not ledger.changes.add(a_change("02", "")), "another process was first"
        assert ledger.changes.add(a_change("03", "01"))
        assert ledger.changes.add(a_change("04", "", path="/p/AGENTS.md"))
        assert ledger.changes.add(structs.replace(a_change("05", ""), machine="lap"))
        assert ledger.changes.add(a_change("06", None))
        assert ledger.changes.add(a_change("07", None)), "what does not know what came before stands beside"
        again = reopen()
        again.check()
        assert [each.id for each in again.changes.of(machine="desk")] == ["01", "03", "04", "06", "07"]
        assert again.changes.of(machine="desk")[0] == first
