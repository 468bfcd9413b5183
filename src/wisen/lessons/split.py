"""Splits occurrences off an entry, when a person says that they are another lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.errors import UsageError
from wisen.model.entry import ONLY_LOCAL, Actor, MoveKind
from wisen.model.entry_names import entry_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from wisen.model.entry import Entry, Move, Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory


def split(
    state: EntryState,
    seen: Sequence[Occurrence],
    which: Sequence[str],
    text: str,
    names: Collection[str],
    factory: RowFactory,
) -> tuple[Entry, list[Move]]:
    """Return a new entry, and the moves that give it the occurrences with these sessions or ids, or prefixes of them.

    They are never merged again: what a person split stays split.

    Raises:
        UsageError: a name matches none, or nothing would be left.
    """
    old, taken = state.entry, dict[str, None]()
    for name in which:
        fits = [each.id for each in seen if name and (each.session.startswith(name) or each.id.startswith(name))]
        if not fits:
            raise UsageError(f"{old.name} was not seen in {name!r}. To see where: wisen lessons show {old.name} --json")
        taken |= dict.fromkeys(fits)
    if len(taken) == len(seen):
        raise UsageError(f"Nothing of {old.name} would be left. Name fewer of the sessions it was seen in.")
    id_, first = factory.ids.new(), next(each for each in seen if each.id in taken)
    entry = structs.replace(
        old,
        id=id_,
        name=entry_name(old.type, first.at, id_, names),
        machine=factory.machine,
        context=state.context,
        at=factory.clock.now(),
        summary=text or first.quote,
        details=f"Taken out of {old.name}.",
        priority=state.priority,
        tags=(),
    )
    why = f"taken out of {old.name}"
    local = [factory.build_move(id_, MoveKind.LOCAL, ONLY_LOCAL, why=why)] if state.local else []
    return entry, [
        *local,
        *(factory.build_move(each, MoveKind.SPLIT, id_, by=Actor.USER, why=why) for each in taken),
    ]
