"""Selects what is delivered in each context, by what kind of lesson it is and what an agent's own files already say."""

from __future__ import annotations

from collections import defaultdict
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.agent_instructions import OTHER_AGENTS, contains_rule, read_instructions, read_other_instructions
from wisen.delivery.block import BlockContent
from wisen.delivery.delivered_lines import delivered_line
from wisen.delivery.user_statements import is_raised
from wisen.model.entry import EntryOrigin, EntryStatus, Priority, rule_id
from wisen.safety.entry_texts import agent_text
from wisen.text.superseded import find_overruled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from wisen.delivery.judgements import Judgements
    from wisen.delivery.private_words import PrivateWords
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import EntryState


class _Role(NamedTuple):
    """As what an entry may be delivered, whatever an agent's files say."""

    rule: bool = False
    stated: bool = False
    hint: bool = False
    due: bool = False
    """Unless it is delivered as a statement."""


class ContextContents:
    """What can be delivered in each context. Each entry is judged once, for all contexts and agents."""

    def __init__(
        self,
        states: Sequence[EntryState],
        trial_ids: frozenset[str],
        private: PrivateWords,
        judgements: Judgements,
    ) -> None:
        """Create it from the entries in use, the most important first; `trial_ids`: those that the user wants tried."""
        self._trial_ids, self._private, self._judgements = trial_ids, private, judgements
        self._by_context: dict[str, list[tuple[int, EntryState]]] = defaultdict(list)
        for position, each in enumerate(states):
            self._by_context[each.context].append((position, each))
        self._roles: dict[str, _Role] = {}
        self._candidates: dict[str, list[tuple[int, EntryState]]] = {}
        self._merged: dict[str, list[EntryState]] = {}
        self._contents: dict[tuple[str, frozenset[str]], BlockContent] = {}

    def of(self, context: str, instructions: str) -> BlockContent:
        """Return what can be delivered in a context, given what the agent's own files say; without questions."""
        states = self.candidates(context)
        filed_ids = frozenset(
            each.entry.id for each in states if contains_rule(rule_id(each.entry.id), each.text, instructions)
        )
        key = context, filed_ids
        if key not in self._contents:
            self._contents[key] = self._content(states, filed_ids, context)
        return self._contents[key]

    def candidates(self, context: str) -> list[EntryState]:
        """Return the entries that may be delivered in a context in any way, the most important first."""
        if context not in self._merged:
            own = self._candidates_of(context) if context else []
            merged = merge(self._candidates_of(""), own, key=lambda pair: pair[0])
            self._merged[context] = [each for _, each in merged]
        return self._merged[context]

    def count_stated(self, context: str) -> int:
        """Count the lasting statements of the user about a context."""
        return sum(self._roles[each.entry.id].stated for _, each in self._candidates_of(context))

    def count_rules(self, context: str) -> int:
        """Count the rules of a context."""
        return sum(self._roles[each.entry.id].rule for _, each in self._candidates_of(context))

    def _candidates_of(self, context: str) -> list[tuple[int, EntryState]]:
        if context not in self._candidates:
            found = []
            for position, each in self._by_context.get(context, ()):
                role = self._roles[each.entry.id] = self._role(each)
                if any(role):
                    found.append((position, each))
            self._candidates[context] = found
        return self._candidates[context]

    def _role(self, state: EntryState) -> _Role:
        if state.status is EntryStatus.PROMOTED:
            return _Role(rule=True)
        if state.status is not EntryStatus.PENDING:
            return _Role()
        is_measured, is_tried = state.entry.origin is EntryOrigin.MEASURED, state.entry.id in self._trial_ids
        stated = self._judgements.is_lasting_statement(state)
        hint = is_tried or (is_measured and bool(agent_text(state, {})) and self._judgements.is_worth_showing(state))
        due = (
            state.priority in (Priority.CRITICAL, Priority.HIGH)
            and not (is_measured or is_tried)
            and is_raised(state)
            and self._judgements.is_worth_showing(state)
        )
        return _Role(stated=stated, hint=hint, due=due)

    def _content(self, states: Sequence[EntryState], filed_ids: frozenset[str], context: str) -> BlockContent:
        roles = self._roles
        rules = [each for each in states if roles[each.entry.id].rule and each.entry.id not in filed_ids]
        filed = [each for each in states if roles[each.entry.id].rule and each.entry.id in filed_ids]
        unfiled = [each for each in states if each.entry.id not in filed_ids]
        stated = [each for each in unfiled if roles[each.entry.id].stated]
        local = [each for each in (*rules, *filed, *stated) if context and each.context == context]
        overruled_ids = (
            find_overruled([each for each in (*rules, *filed, *stated) if not each.context], local)
            if local
            else set[str]()
        )
        rules, filed, stated = (
            [each for each in some if each.entry.id not in overruled_ids] for some in (rules, filed, stated)
        )
        stated_ids = {each.entry.id for each in stated}
        hints = [each for each in unfiled if roles[each.entry.id].hint]
        due = [each for each in unfiled if roles[each.entry.id].due and each.entry.id not in stated_ids]
        rules, stated, hints, due = map(self._private.deliverable, (rules, stated, hints, due))
        return BlockContent(
            rules=list(map(delivered_line, rules)),
            stated=list(map(delivered_line, stated)),
            hints=list(map(delivered_line, hints)),
            waiting=(),
            due=list(map(delivered_line, due)),
            filed=list(map(delivered_line, filed)),
        )


class AgentReader:
    """The instruction files that an agent reads by itself: their rules need not be delivered."""

    def __init__(self, rule_files: RuleFiles, agent: str, folders: Mapping[str, Sequence[Path]]) -> None:
        self._rule_files, self._agent, self._folders = rule_files, agent, folders

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts in which it may work; "" for the global one."""
        return ("", *sorted(self._folders))

    def instructions(self, context: str) -> str:
        """Return everything that it reads in the folders of a context."""
        home, files = self._rule_files.user_home, self._rule_files.files
        folders = self._folders.get(context, ())
        if self._agent in OTHER_AGENTS:
            return read_other_instructions(files, self._agent, folders, home)
        return read_instructions(files, [*folders, home / ".claude"])
