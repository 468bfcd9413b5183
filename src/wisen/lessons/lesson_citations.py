"""Counts lessons that assistants named by id as used: they fade from then on, not from when they were stated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.entry import MoveKind, rule_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.citation import CitedId
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory


def record_citations(
    citations: Iterable[CitedId], states: Sequence[EntryState], moves: Iterable[Move], factory: RowFactory
) -> list[Move]:
    """Return the newest use of each lesson, if newer than the recorded one.

    An id that does not exist in the session's contexts is ignored, whoever wrote it.
    """
    by_id = {state.entry.id: state for state in states}
    by_name = {name: state for state in states for name in (state.entry.name, rule_id(state.entry.id))}
    last = {move.subject: move.at for move in moves if move.kind is MoveKind.CITE}
    newest: dict[str, CitedId] = {}
    for each in citations:
        state = by_name.get(each.name)
        while state is not None and state.merged_into in by_id:
            state = by_id[state.merged_into]
        if state is None or (state.context and state.context not in each.contexts):
            continue
        id_ = state.entry.id
        before = newest[id_].last if id_ in newest else last.get(id_)
        if before is None or each.last > before:
            newest[id_] = each
    return [
        structs.replace(
            factory.build_move(id_, MoveKind.CITE, why=f"named by {each.agent} in {each.native}"), at=each.last
        )
        for id_, each in newest.items()
    ]
