"""Resolves what the user asks to forget, a text or an id, to words, rows and events in a scope."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import UsageError
from wisen.model.context import NOWHERE
from wisen.model.entry import rule_id
from wisen.model.entry_state import fold_entry_states
from wisen.model.tombstone import ALL_CONTEXTS
from wisen.safety.forgotten_phrases import phrase_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.forgetting.erasure_search import EventRef
    from wisen.model.entry_state import EntryState
    from wisen.safety.forgotten_phrases import Phrase
    from wisen.store.home import Home


_BLANK = lazy_regex(r"\s")
_ULID = lazy_regex(r"[0-9A-HJKMNP-TV-Z]{26}")
_FIX = lazy_regex(r"[0-9a-f]{10}")
"""The full id of a fix: a prefix is not enough here."""


class NamedTarget(NamedTuple):
    """What to forget within one scope."""

    scope: str
    phrases: frozenset[Phrase] = frozenset()
    things: frozenset[str] = frozenset()
    """Rows, as `kind:id`."""
    events: frozenset[EventRef] = frozenset()


def resolve_targets(home: Home, wanted: Iterable[str], scope: str | None) -> list[NamedTarget]:
    """Resolve texts and ids, one target per scope. An id has its own context, and needs no scope.

    Raises:
        UsageError: a text contains no words, or is not an id and no scope is given.
    """
    known = _KnownIds(home)
    by_scope: dict[str, NamedTarget] = {}
    for text in wanted:
        named = known.find(text.strip())
        for each in named or [_text_target(text, scope)]:
            before = by_scope.get(each.scope, NamedTarget(each.scope))
            by_scope[each.scope] = NamedTarget(
                each.scope, before.phrases | each.phrases, before.things | each.things, before.events | each.events
            )
    return [each for _, each in sorted(by_scope.items())]


def is_known_id(home: Home, text: str) -> bool:
    """Whether a text is a known id."""
    return bool(_KnownIds(home).find(text.strip()))


def _text_target(text: str, scope: str | None) -> NamedTarget:
    phrase = phrase_of(text)
    if phrase is None:
        raise UsageError("There is nothing to forget. Give words, or the id of an entry, rule, fix, memory or change.")
    if scope is None:
        raise UsageError(f"{text!r} is not an id, and this is not a project. Give a scope: --scope global or all.")
    return NamedTarget(scope, frozenset({phrase}))


class _KnownIds:
    """Looks up entries, proposals, memories, changes, guards and fixes by id."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @cached_property
    def _states(self) -> tuple[EntryState, ...]:
        ledger = self._home.ledger
        return fold_entry_states(ledger.entries.all(), (), ledger.moves.all())

    @cached_property
    def _entries(self) -> dict[str, EntryState]:
        return {
            name.casefold(): state
            for state in self._states
            for name in (state.entry.id, state.entry.name, rule_id(state.entry.id), f"entry:{state.entry.id}")
        }

    @cached_property
    def _proposals(self) -> dict[str, str]:
        return {each.id.casefold(): each.entry for each in self._home.ledger.proposals.all()}

    def find(self, name: str) -> list[NamedTarget]:
        """Return the targets with an id; empty where it is unknown."""
        if _BLANK.search(name):
            return self._memory(name)  # only ids of agents may contain a blank
        folded = name.casefold()
        state = self._entries.get(folded)
        if folded in self._proposals:
            state = self._entries.get(self._proposals[folded].casefold())
        if state is not None:
            return [self._entry(state)]
        return self._memory(name) or self._row(name) or self._guard(name) or self._fix(name)

    def _entry(self, state: EntryState, events: frozenset[EventRef] = frozenset()) -> NamedTarget:
        """Return the target of a lesson, by its original and its current wording."""
        texts = {phrase for text in (state.text, state.entry.summary) if (phrase := phrase_of(text)) is not None}
        return NamedTarget(state.context, frozenset(texts), frozenset({f"entry:{state.entry.id}"}), events)

    def _memory(self, name: str) -> list[NamedTarget]:
        if ":" not in name:
            return []
        for memory in self._home.index.memories.neighbors(name, 0):
            if memory.id != name:
                continue
            kind, _, rest = name.partition(":")
            if kind in ("turn", "workflow"):
                event = memory.agent, memory.session, rest.partition(":")[2]
                return [NamedTarget(memory.context, events=frozenset({event}))]
            phrase = phrase_of(memory.text)
            return [NamedTarget(memory.context, frozenset({phrase} if phrase else ()))]
        return []

    def _row(self, name: str) -> list[NamedTarget]:
        """Return the target of a change, or of a program's record."""
        id_, ledger = name.upper(), self._home.ledger
        if not _ULID.fullmatch(id_):
            return []
        changes = [each for each in ledger.changes.of(machine=self._home.machine) if each.id == id_]
        named = [f"change:{each.id}" for each in changes] + [
            f"record:{each.id}" for each in ledger.program_records.find(id_=id_)
        ]
        return [NamedTarget(ALL_CONTEXTS, things=frozenset({each})) for each in named]

    def _guard(self, name: str) -> list[NamedTarget]:
        return [
            NamedTarget(each.context, things=frozenset({f"guard:{each.id}"}))
            for each in self._home.ledger.guards.all()
            if each.id.casefold() == name.casefold()
        ]

    def _fix(self, name: str) -> list[NamedTarget]:
        """Return the target of a fix with its failed calls, and of the entries made from it."""
        evidence = self._home.index.findings.evidence(name) if _FIX.fullmatch(name) else ()
        if not evidence:
            return []
        events = frozenset((each.agent, each.session, each.call) for each in evidence if each.call)
        entries = [self._entry(state) for state in self._states if name in state.entry.tags]
        things = frozenset({f"fix:{name}"})
        return [NamedTarget(evidence[0].context or NOWHERE, things=things, events=events), *entries]
