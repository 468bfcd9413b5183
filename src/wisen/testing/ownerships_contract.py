"""The contract of every ledger for ownership rows, as a test suite."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.entry import Actor
from wisen.model.ownership import Ownership, OwnershipSubject, OwnershipVerdict
from wisen.testing.entries_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.store.ledger import Ledger


def an_ownership(id_: str = "a", machine: str = "desk", minutes: int = 0) -> Ownership:
    """Return a sample row: the user adopted a file."""
    return Ownership(
        id=id_,
        machine=machine,
        at=NOON + timedelta(minutes=minutes),
        subject=OwnershipSubject.FILE,
        path="/src/shop/.learnings/LEARNINGS.md",
        context="shop",
        verdict=OwnershipVerdict.OWNED,
        by=Actor.USER,
        digest="0f" * 16,
        size=12,
        identity="1:2",
    )


class OwnershipsContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_words_about_files_come_back_whole_oldest_first_and_once(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        east = timezone(timedelta(hours=9))
        late = structs.replace(
            an_ownership("b", minutes=1), path=HOSTILE, context=HOSTILE, verdict=OwnershipVerdict.FOREIGN
        )
        place = structs.replace(
            an_ownership("c"), at=NOON.astimezone(east), subject=OwnershipSubject.PLACE, by=Actor.WISEN
        )
        ledger.ownerships.add([late, place, an_ownership()])
        ledger.ownerships.add([structs.replace(an_ownership(), verdict=OwnershipVerdict.FOREIGN)])
        again = reopen()
        assert again.ownerships.of("desk") == (an_ownership(), structs.replace(place, at=NOON), late)

    def test_words_about_files_of_one_machine_are_no_others(self, ledger: Ledger) -> None:
        ledger.ownerships.add([an_ownership(), an_ownership("b", "laptop")])
        assert [each.id for each in ledger.ownerships.of("laptop")] == ["b"]
        assert [each.id for each in ledger.ownerships.all()] == ["a", "b"]

    def test_words_about_files_are_noted_all_or_none(self, ledger: Ledger) -> None:
        def rows() -> Iterator[Ownership]:
            yield an_ownership()
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ledger.ownerships.add(rows())
        assert ledger.ownerships.all() == ()

    def test_words_about_files_can_be_forgotten(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        ledger.ownerships.add([an_ownership(), an_ownership("b")])
        assert an_ownership() in ledger.removal.rows()
        assert ledger.removal.remove([an_ownership()]) == 1
        assert reopen().ownerships.all() == (an_ownership("b"),)
