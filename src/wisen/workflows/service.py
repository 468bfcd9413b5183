"""The workflow service: what repeats in each context, and which workflow a request asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import Actor, MoveKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.decisions.service import Decisions
    from wisen.delivery.workflow_hints import WorkflowHint
    from wisen.model.fix import Fix
    from wisen.model.workflow import Pitfall, Procedure, Workflow, WorkflowRun
    from wisen.store.home import Home
    from wisen.workflows.match_request import Suggestion
    from wisen.workflows.stored_workflows import ContextWorkflows, KeptWorkflows

_FORGOTTEN = "forgotten"
_AGAIN_AT_ONCE = 200
"""Sessions: going through a thousand takes a second or two."""


class WorkflowService:
    """Lists workflows and finds the one that a request asks for."""

    def __init__(
        self,
        home: Home,
        decisions: Decisions,
        fixes: Callable[[], Sequence[Fix]],
        *,
        count_praise: Callable[[datetime], Mapping[str, int]],
    ) -> None:
        """Create the service.

        `fixes`: every known one, for the pitfalls of workflows. `count_praise` returns the praise for each workflow as
        of a moment, by id.
        """
        self._home, self._decisions, self._fixes, self._count_praise = home, decisions, fixes, count_praise
        self._known: tuple[object, dict[str, ContextWorkflows]] | None = None
        """What was found last, and the state of the index then: a run asks for every context several times."""
        self._kept: tuple[object, KeptWorkflows] | None = None
        """The same for what is kept."""

    def refresh(self) -> None:
        """Find the workflows of contexts in which sessions changed; of many that are to be gone through again, some."""
        from wisen.workflows.stored_workflows import current_workflows

        current_workflows(self._home.index, self._home.version, most=_AGAIN_AT_ONCE)

    def list(self, context: str | None = None) -> tuple[Workflow, ...]:
        """Return the workflows of a context, or of all, those of most sessions first; without forgotten ones.

        Praise counts like sessions.
        """
        every = self._current().items()
        found = (each for key, there in every for each in there.workflows if context in (None, key))
        return self._listed(found, self._count_praise(self._home.clock.now()))

    def load_stored(self, context: str) -> tuple[Workflow, ...]:
        """Return those of a context as they were found last: at once, without newer sessions, and without praise.

        Agents are told of them, and equal ledgers give equal bytes, whenever that is.
        """
        from wisen.workflows.stored_workflows import KeptWorkflows

        stamp = self._home.index.storage.stamp
        if self._kept is None or self._kept[0] != stamp or stamp is None:
            self._kept = stamp, KeptWorkflows(self._home.index, self._home.version)
        return self._listed(self._kept[1].of(context), {})

    def _listed(self, found: Iterable[Workflow], praise: Mapping[str, int]) -> tuple[Workflow, ...]:
        gone = self._forgotten()
        left = (each for each in found if each.id not in gone)
        return tuple(sorted(left, key=lambda each: (-each.sessions - praise.get(each.id, 0), -each.uses, each.id)))

    def get(self, workflow: str) -> tuple[Workflow, tuple[WorkflowRun, ...]]:
        """Return a workflow by its id or the beginning of it, and its runs, the oldest first.

        Raises:
            UsageError: no workflow, or more than one, has such an id.
        """
        matches = [each for each in self.list() if workflow and each.id.casefold().startswith(workflow.casefold())]
        if len(matches) != 1:
            problem = f"{len(matches)} workflows begin with" if matches else "No workflow has the id"
            raise UsageError(f"{problem} {workflow!r}. List the ids with: wisen workflows list --all")
        return matches[0], self.runs_of(matches[0])

    def runs_of(self, workflow: Workflow) -> tuple[WorkflowRun, ...]:
        """Return the runs of a workflow, the oldest first."""
        requests = set(workflow.runs)
        return self._home.index.runs.of_requests(workflow.context, requests)

    def procedure(self, workflow: Workflow, runs: Sequence[WorkflowRun]) -> Procedure:
        """Return the commands that runs of a workflow share, with parameters for what varies, and its pitfalls."""
        from wisen.workflows.procedure import build_procedure

        return build_procedure(workflow, runs, self.pitfalls(workflow, runs))

    def pitfalls(self, workflow: Workflow, runs: Sequence[WorkflowRun]) -> tuple[Pitfall, ...]:
        """Return what failed in runs of a workflow, and what overcame it."""
        from wisen.workflows.pitfalls import find_pitfalls

        evidence = self._home.index.fix_examples.in_sessions({run.session for run in runs})
        return find_pitfalls(workflow, runs, self._fixes() if evidence else (), evidence)

    def suggest(self, goal: str, context: str) -> tuple[Suggestion, ...]:
        """Return the workflows that a request in a context asks for, the best first; none for anything else."""
        from wisen.workflows.match_request import match_request

        return match_request(goal, self.list(context), self._count_praise(self._home.clock.now()))

    def hints(self, context: str) -> tuple[WorkflowHint, ...]:
        """Return what agents may be told about the workflows of a context, as they were found last."""
        from wisen.workflows.hints import hints_of

        return hints_of(self.load_stored(context))

    def hints_for(self, goal: str, context: str) -> tuple[WorkflowHint, ...]:
        """Return the same of workflows that a goal asks for, the best first."""
        from wisen.workflows.hints import hints_of
        from wisen.workflows.match_request import match_request

        praise = self._count_praise(self._home.clock.now())
        return hints_of(each.workflow for each in match_request(goal, self.load_stored(context), praise))

    def forget(self, workflow: str, *, dry_run: bool = False) -> Workflow:
        """Never list, suggest or tell a workflow again; `wisen undo` brings it back. Its sessions stay.

        Raises:
            UsageError: no workflow, or more than one, has such an id.
            PersonNeeded: nothing shows that a person decided this.
        """
        found, _ = self.get(workflow)
        self._decisions.require_person("workflows", "forget", found.id, dry_run=dry_run)
        if not dry_run:
            with self._decisions.as_decision(_FORGOTTEN, found.id):
                move = self._home.row_factory.build_move(found.id, MoveKind.STATUS, _FORGOTTEN, by=Actor.USER)
                self._home.ledger.entries.record([move])
        return found

    def _current(self) -> dict[str, ContextWorkflows]:
        from wisen.workflows.stored_workflows import current_workflows

        storage, known = self._home.index.storage, self._known
        if known is not None and known[0] == storage.stamp is not None:
            return known[1]
        found = current_workflows(self._home.index, self._home.version)
        self._known = storage.stamp, found
        return found

    def _forgotten(self) -> frozenset[str]:
        moves = self._home.ledger.moves.all()
        return frozenset(each.subject for each in moves if each.kind is MoveKind.STATUS and each.value == _FORGOTTEN)
