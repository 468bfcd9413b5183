"""The fix service: lists and explains fixes, and asks whether they may be delivered to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.proposal_kinds import Answered
from wisen.decisions.service import answer_command
from wisen.errors import UsageError
from wisen.model.entry import Actor, Answer
from wisen.model.report import Selection
from wisen.system.path_arguments import existing_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.delivery.rules_in_force import WithheldFix
    from wisen.delivery.settings import DeliverPolicy
    from wisen.edits.permission import Permission
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import ProposalState
    from wisen.model.fix import Evidence, Fix
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries


class FixService:
    """Lists, explains and proposes fixes: changes that made a failing call work."""

    def __init__(
        self,
        home: Home,
        rule_files: RuleFiles,
        decisions: Decisions,
        refresh: Refresh,
        *,
        deliver: DeliverPolicy,
        count_praise: Callable[[datetime], Mapping[str, int]],
    ) -> None:
        """Create the service; `count_praise` returns the praise for each fix as of a moment, by id."""
        self._home, self._rule_files = home, rule_files
        self._decisions, self._refresh = decisions, refresh
        self._deliver, self._count_praise = deliver, count_praise

    def all(self, path: Path | None = None) -> tuple[Fix, ...]:
        """Return all fixes found so far; with `path` only those of sessions below it.

        Raises:
            UsageError: `path` does not exist.
        """
        return self._home.index.findings.fixes(Selection(under=existing_path(path)))

    def known_fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """Return the fixes of the selected sessions that are reliable enough to be delivered."""
        return tuple(fix for fix in self._home.index.findings.fixes(selection) if fix.is_reliable)

    def explain(self, fix: str) -> tuple[Fix, tuple[Evidence, ...]]:
        """Return a fix by its id or the beginning of it, and every time it was tried.

        Raises:
            UsageError: no fix, or more than one, has such an id.
        """
        matches = [each for each in self.all() if fix and each.id.startswith(fix)]
        if len(matches) != 1:
            problem = f"{len(matches)} fixes begin with" if matches else "No fix has the id"
            raise UsageError(f"{problem} {fix!r}. List the ids with: wisen fixes --all")
        return matches[0], self._home.index.findings.evidence(matches[0].id)

    def permission_for(self, each: ProposalState) -> Permission:
        """Return ASK: the user always decides about a fix."""
        from wisen.edits.permission import Permission

        return Permission.ASK

    def answer(
        self,
        each: ProposalState,
        given: Answer,
        *,
        text: str | None = None,
        to: str | None = None,
        dry_run: bool = False,
        by: Actor = Actor.USER,
    ) -> Answered:
        """Apply the user's answer to a proposed fix: approval delivers it to agents, rejection ends it.

        Raises:
            UsageError: it was answered already, or the answer gives another wording or a file.
            PersonNeeded: the answer is said to be the user's, and nothing shows that a person gives it.
        """
        from wisen.fixes.fix_questions import answer_moves

        if not each.is_waiting:
            raise UsageError(f"{each.proposal.id} was {each.answer} already. List open ones with: wisen proposals")
        if to is not None:
            raise UsageError(f"{to!r} is not a target for a fix: it is delivered when the call fails, not in a file.")
        if text is not None:
            raise UsageError("A fix cannot be reworded: answer yes or no, or add a rule of your own.")
        if by is not Actor.USER:
            raise UsageError(f"{each.proposal.id} is about a risky fix, and needs the user's own decision.")
        self._decisions.require_person(*answer_command(each.proposal.id, given, None), dry_run=dry_run)
        if not dry_run:
            self._home.ledger.entries.record(answer_moves(each.proposal, given, by, self._home.row_factory))
            self._refresh.snapshots()
        return Answered(each, None)

    def propose(self, known: KnownEntries) -> int:
        """Propose fixes that need the user's approval, each once. Returns how many are new."""
        from wisen.fixes.ask_about_fixes import ask_about_fixes

        fixes = self._home.index.findings.fixes(Selection())
        return ask_about_fixes(self._home, self._rule_files, self._deliver, known, fixes)

    def withheld(self) -> tuple[WithheldFix, ...]:
        """Return the fixes that are withheld somewhere, because a rule in force forbids what they do."""
        from wisen.delivery.deliverable_fixes import deliverable_fixes
        from wisen.store.known_entries import KnownEntries

        states = KnownEntries(self._home.ledger).states
        return tuple(deliverable_fixes(self._home, self._rule_files, states, self._deliver, self._count_praise)[1])
