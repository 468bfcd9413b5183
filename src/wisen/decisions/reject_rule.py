"""Records that the user does not want a rule: closes its entry and rejects its proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.entry import Actor, Answer, EntryStatus, MoveKind

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.store.home import Home


def reject_rule(home: Home, entry: str, why: str, at: datetime | None = None) -> None:
    """Record that the user does not want a rule; `at` is when they said so, if not just now."""
    move = home.row_factory.build_move(entry, MoveKind.STATUS, EntryStatus.WONT_FIX, by=Actor.USER, why=why)
    rows = [move if at is None else structs.replace(move, at=at)]
    for each in home.ledger.proposals.all():
        if each.entry == entry:
            rows.append(home.row_factory.build_move(each.id, MoveKind.ANSWER, Answer.REJECTED, by=Actor.USER, why=why))
    home.ledger.entries.record(rows)
