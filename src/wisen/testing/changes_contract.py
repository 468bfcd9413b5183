"""The contract of every ledger for file edits, as a test suite."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.change import Change, ChangeCheck, ChangeFate, LineEdit, Splice, ValueEdit
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.ledger import Ledger


class ChangesContract:
    """Fixtures: `ledger`, `reopen`."""

    def test_a_change_is_rewritten_in_its_place(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        line = LineEdit(id="R-7f3a", heading="Rules", text="Use pnpm.")
        first = Change(
            id="01", machine="desk", path="/p/A.md", at=NOON, why="", before="", after="aa", splices=(), operation=line,
            follows="",
        )  # fmt: skip
        second = structs.replace(first, id="02", follows="01")
        ledger.changes.add(first)
        ledger.changes.add(second)
        owner = structs.replace(first, operation=structs.replace(line, opening=b"## Rules"))
        ledger.changes.rewrite(owner)
        assert reopen().changes.of(machine="desk") == (owner, second)
        reopen().check()

    def test_changes_come_back_whole_oldest_first_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        second = Change(
            id="02",
            machine="desk",
            path="/p/CLAUDE.md",
            at=NOON + timedelta(hours=1),
            why="you said so",
            before="",
            after="aa",
            splices=(Splice(0, b"\xff\x00", "é\n".encode()),),
            head="c0ffee",
            operation=ValueEdit(format="toml", keys=("a", 1), new="[1.5]", old='"\\u0000"', made=1, appended=True),
            undoes="01",
        )
        line = LineEdit(
            id="R-7f3a", heading="Rules", text="\udcff\0", opening=b"\r\n", closing=b"\n", archived=("R-0001",)
        )
        first = structs.replace(second, id="01", path="/p/\udcff.md", operation=line, undoes="")
        for change in (second, first, second):
            ledger.changes.add(change)
        ledger.changes.add(structs.replace(first, id="03", machine="lap"))
        again = reopen()
        assert again.changes.of(machine="desk") == (first, second)
        assert again.changes.of(machine="desk", path="/p/CLAUDE.md") == (second,)
        assert again.changes.of(machine="else") == ()

    def test_looks_come_back_whole_oldest_first_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        second = ChangeCheck(
            id="02",
            change="01",
            machine="desk",
            at=NOON,
            fate=ChangeFate.REWORDED,
            path="/p/\udcff.md",
            head="c0ffee",
            text="Use pnpm\0 9.",
        )
        first = structs.replace(second, id="01", fate=ChangeFate.STANDS, text="")
        for look in (second, first, structs.replace(second, text="another story")):
            ledger.changes.add_check(look)
        ledger.changes.add_check(structs.replace(first, id="03", machine="lap"))
        again = reopen()
        again.check()
        assert again.changes.checks(machine="desk") == (first, second)
        assert again.changes.checks(machine="else") == ()
