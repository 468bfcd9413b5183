"""Searches memories: answers questions about the past (recall), and builds the briefing for a task."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.context import NOWHERE
from wisen.model.entry import EntryType
from wisen.model.entry_state import fold_entry_states
from wisen.model.memory import BRIEFING_TOKENS, DEFAULT_WEIGHTS, Memory, MemoryKind, MemoryQuery, RecallResult
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from wisen.delivery.workflow_hints import WorkflowHint
    from wisen.logs.projects import Projects
    from wisen.model.memory import Briefing, MemoryHit, RankedMemory
    from wisen.store.home import Home

    CountPraise = Callable[[Iterable[MemoryHit]], dict[str, int]]
    """Counts the praise for found memories, by id."""
    FindWorkflows = Callable[[str, str], Iterable[WorkflowHint]]
    """Finds how a goal was reached before in a context."""


FREQUENT_SESSIONS = 10
"""From how many sessions on a failure is worth knowing before every task that runs commands."""
_DEFAULT_KINDS = tuple(kind for kind in MemoryKind if kind is not MemoryKind.WORKFLOW)
"""The kinds searched by default: the request of a workflow is a turn, and found as that."""


class MemorySearch:
    """Searches memories for questions and tasks."""

    def __init__(
        self, home: Home, projects: Projects, count_praise: CountPraise, find_workflows: FindWorkflows
    ) -> None:
        self._home, self._projects = home, projects
        self._count_praise, self._find_workflows = count_praise, find_workflows

    def recall(  # noqa: PLR0913 - search options, all by keyword
        self,
        question: str,
        place: Path,
        *,
        everywhere: bool = False,
        days: float | None = None,
        kinds: tuple[MemoryKind, ...] = (),
        limit: int = 10,
        local: bool = True,
    ) -> RecallResult:
        """Search for a question, best match first, in the context of `place` and what applies everywhere, or in all.

        `local`: whether to include what was typed to models on the user's own machine.

        Raises:
            UsageError: the question contains no word, or a number is out of range.
        """
        from wisen.memory.ranking import group, lift_praised_groups, rank
        from wisen.memory.replaced_memories import demote_replaced
        from wisen.memory.search_words import query_words

        words = query_words(question)
        if not words:
            raise UsageError(f"{question!r} contains no word to search for. Use at least one.")
        if limit < 1:
            raise UsageError(f"--limit {limit} shows nothing. Give 1 or more.")
        if days is not None and days <= 0:
            raise UsageError(
                f"--days {days:g} leaves nothing to search. Give a number above 0, or omit it to search everything."
            )
        now, here = self._home.clock.now(), self._context_of(place)
        query = MemoryQuery(
            words=words,
            contexts=None if everywhere else (here, ""),
            since=now - timedelta(days=days) if days is not None else None,
            kinds=kinds or _DEFAULT_KINDS,
            local=local,
        )
        memories = self._home.index.memories
        hits = memories.find(query, DEFAULT_WEIGHTS)
        ordered = group(rank(hits, now=now, here=here))
        groups = demote_replaced(lift_praised_groups(ordered, hits, self._count_praise(hits)))
        names = {context.key: context.name for context in self._home.ledger.contexts.all()}
        return RecallResult(
            groups=tuple(groups[:limit]),
            more=max(0, len(groups) - limit),
            contexts={each.best.context: names.get(each.best.context, each.best.context) for each in groups[:limit]},
            here=here,
            total=sum(memories.count().values()),
        )

    def neighbors(self, memory: Memory, reach: int) -> tuple[Memory, ...]:
        """Return the memories before and after a memory in its session or file."""
        return tuple(self._home.index.memories.neighbors(memory.id, reach))

    def brief(self, prompt: str, place: Path, *, budget: int = BRIEFING_TOKENS, local: bool = True) -> Briefing:
        """Build the briefing for a task, within a token budget.

        Raises:
            UsageError: the budget is below 1.
        """
        from wisen.memory.briefing import BRIEFING_KINDS, RULE_KINDS, BriefingTask, build_briefing
        from wisen.memory.implied_words import implied_words
        from wisen.memory.ranking import lift_praised, rank
        from wisen.memory.search_words import query_words

        if budget < 1:
            raise UsageError(f"--budget {budget} is not a number of tokens. Give 1 or more.")
        now, here = self._home.clock.now(), self._context_of(place)
        words = query_words(prompt)
        if not words:
            return build_briefing((), budget=budget)
        implied = implied_words(words)

        def search(*wanted: str, kinds: tuple[MemoryKind, ...]) -> list[RankedMemory]:
            asked = MemoryQuery(words=wanted, contexts=(here, ""), kinds=kinds, local=local)
            hits = self._home.index.memories.find(asked, DEFAULT_WEIGHTS)
            return lift_praised(rank(hits, now=now, here=here), hits, self._count_praise(hits))

        return build_briefing(
            search(*words, kinds=BRIEFING_KINDS),
            task=BriefingTask(words, implied),
            rules=search(*words, *implied, kinds=RULE_KINDS),
            frequent=[*self._workflows(prompt, here), *(self._frequent_failures(here) if implied else ())],
            budget=budget,
        )

    def _workflows(self, prompt: str, here: str) -> list[Memory]:
        """Return the workflows of a context that a task asks for."""
        return [
            Memory(each.id, MemoryKind.WORKFLOW, each.text, "workflows", context=here, place=each.id)
            for each in self._find_workflows(prompt, here)
        ]

    def _frequent_failures(self, here: str) -> list[Memory]:
        """Return failures with a known fix that occur in many sessions of a context, whatever the task."""
        from wisen.memory.build_memories import memories_of_entries

        ledger = self._home.ledger
        entries = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
        frequent = [
            each
            for each in entries
            if each.entry.type is EntryType.ERROR
            and each.context in (here, "")
            and each.sessions >= FREQUENT_SESSIONS
            and not each.is_over
        ]
        memories = memories_of_entries(frequent, self._home.index.findings.fixes(Selection()))
        return sorted((memory for made_of in memories.values() for memory, _ in made_of), key=lambda each: -each.uses)

    def _context_of(self, place: Path) -> str:
        return self._projects.context_of(place) or NOWHERE
