"""Turns recurring failures and their fixes into entries: one for each fix and context, however often it was seen."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.model.context import NOWHERE
from wisen.model.entry import Entry, EntryOrigin, EntrySource, EntryType, Occurrence, Priority
from wisen.model.entry_names import entry_name
from wisen.model.fix import Danger

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.fix import Evidence, Fix
    from wisen.store.row_factory import RowFactory

_MAX_LENGTH = 240


def new_error_rows(
    fixes: Iterable[Fix],
    evidence_of: Callable[[str], Sequence[Evidence]],
    known: Iterable[EntryState],
    recorded: Collection[str],
    factory: RowFactory,
) -> list[Entry | Occurrence]:
    """The new entries and occurrences of failures with known fixes; `recorded`: ids of occurrences recorded before."""
    entries = {(state.entry.context, tag): state.entry.id for state in known for tag in state.entry.tags}
    names = {state.entry.name for state in known}
    rows: list[Entry | Occurrence] = []
    for fix in fixes:
        new: dict[str, list[Evidence]] = defaultdict(list)
        for each in evidence_of(fix.id):
            if _occurrence_id(fix, each) not in recorded:
                new[each.context or NOWHERE].append(each)
        for context, found in new.items():
            entry = entries.get((context, fix.id))
            if entry is None:
                new_entry = _entry(fix, context, names, factory)
                names.add(new_entry.name)
                rows.append(new_entry)
                entry = entries[context, fix.id] = new_entry.id
            rows += [_occurrence(fix, each, entry, context, factory) for each in found]
    return rows


def _entry(fix: Fix, context: str, names: Collection[str], factory: RowFactory) -> Entry:
    id_ = factory.ids.new()
    careful = "" if fix.danger is Danger.NONE else f"Careful: {fix.danger.value}."
    return Entry(
        id=id_,
        name=entry_name(EntryType.ERROR, fix.last, id_, names),
        machine=factory.machine,
        context=context,
        at=factory.clock.now(),
        type=EntryType.ERROR,
        summary=f"{fix.signature.safe_description}; what helped: {fix.change.description}",
        details=careful,
        action=fix.change.description,
        error=fix.said[:_MAX_LENGTH],
        source=EntrySource.ERROR,
        origin=EntryOrigin.MEASURED,
        priority=Priority.HIGH if fix.sessions > 2 else Priority.MEDIUM,
        area="tooling",
        tags=(fix.id,),
        key=fix.signature.key,
    )


def _occurrence(fix: Fix, each: Evidence, entry: str, context: str, factory: RowFactory) -> Occurrence:
    return Occurrence(
        id=_occurrence_id(fix, each),
        entry=entry,
        machine=factory.machine,
        context=context,
        agent=each.agent,
        session=each.session,
        message=each.call,
        at=each.at,
        quote=" ".join(each.said.split())[:_MAX_LENGTH],
    )


def occurrence_id(fix: str, agent: str, session: str, call: str) -> str:
    """Return the id of the occurrence of a fix, by its id, after a call of a session that failed."""
    identity = "\0".join((agent, session, call, fix)).encode("utf-8", "surrogateescape")
    return blake2b(identity, digest_size=13).hexdigest()


def _occurrence_id(fix: Fix, each: Evidence) -> str:
    return occurrence_id(fix.id, each.agent, each.session, each.call)
