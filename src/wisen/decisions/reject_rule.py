"""Takes the user's word that they do not want a rule: its entry is closed, and what was proposed of it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.entry import Actor, Answer, EntryStatus, MoveKind

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.store.home import Home


def reject(home: Home, entry: str, why: str, at: datetime | None = None) -> None:
    """Take the user's word that they do not want a rule; `at` is when that was, where it was not just now."""
    said = home.row_factory.build_move(entry, MoveKind.STATUS, EntryStatus.WONT_FIX, by=Actor.USER, why=why)
    rows = [said if at is None else structs.replace(said, at=at)]
    for each in home.ledger.proposals.all():
        if each.entry == entry:
            rows.append(home.row_factory.build_move(each.id, MoveKind.ANSWER, Answer.REJECTED, by=Actor.USER, why=why))
    home.ledger.entries.record(rows)
