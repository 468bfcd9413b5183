"""What a Learner can be asked and told about trials."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.guards.service import Guarder
from wisen.model.entry import Answer, MoveKind, Origin, ProposalType, Who

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry_state import Asked, EntryState
    from wisen.model.trial import BeforeAfter, Portfolio, Trial, TrialRow

_NEVER_TRIED = (ProposalType.GUARD, ProposalType.FIX, ProposalType.SUGGESTION)
"""Guards prove themselves in shadow; what an agent made up is evidence of nothing."""


class Trier(Guarder):
    """What a Learner does with trials."""

    def trials(self) -> tuple[Trial, ...]:
        """Every trial with how it stands, those with most sessions first."""
        from wisen.trials.trying import standings

        found = standings(self._parts.ledger).values()
        return tuple(sorted(found, key=lambda each: (-each.judged.sessions, each.id)))

    def trial(self, name: str) -> Trial:
        """A trial by the id of what is on trial, or how that begins; of several versions the newest.

        Raises:
            UsageError: nothing, or more than one thing, on trial has such an id.
        """
        fits = [each for each in self.trials() if name and each.id.startswith(name)]
        if len({each.subject for each in fits}) != 1:
            found = f"{len(fits)} trials begin with" if fits else "No trial has the id"
            raise UsageError(f"{found} {name!r}. The ids stand beside the trials: wisen trials")
        return max(fits, key=lambda each: each.last)

    def named(self, trial: Trial) -> str:
        """What is on trial, in words."""
        from wisen.model.entry import rule_id

        for state in self.entries():
            if trial.subject == rule_id(state.entry.id) or trial.subject in state.entry.tags:
                return state.text
        return f"the fix {trial.subject} (wisen explain {trial.subject})"

    def welcomes_experiments(self, context: str = "") -> bool:
        """Whether what was only inferred may be tried in a context."""
        from wisen.trials.trying import welcome

        return welcome(self._parts, self._parts.ledger.moves())(context)

    def welcome(self, context: str = "", *, yes: bool) -> None:
        """Keep the user's word whether experiments are welcome, in one context or in all; hooks know it at once.

        What was said of one context stays when all are spoken of.

        Raises:
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
            StoreError: what hooks read cannot be written.
        """
        self.require_person("trials", "on" if yes else "off", *(("--here",) if context else ()))
        parts = self._parts
        if context:
            value = "on" if yes else "off"
            with self.as_decision("experiments", context):
                self._parts.ledger.enter([parts.scribe.move(context, MoveKind.EXPERIMENTS, value, by=Who.USER)])
        else:
            self.welcome_experiments(welcome=yes)
            self._parts = replace(parts, experiments=yes)
        self.prepare()

    def can_try(self, each: Asked) -> bool:
        """Whether a proposal may be tried first: it was only inferred, and experiments are welcome where it holds."""
        if each.proposal.type in _NEVER_TRIED or not self.welcomes_experiments(each.proposal.context):
            return False
        (entry,) = self._parts.ledger.entries([each.proposal.entry])
        return entry.origin is not Origin.STATED

    def try_out(self, proposal: str, *, dry_run: bool = False) -> Asked:
        """Have the rule of a proposal prove itself in a trial before it goes into a file.

        Raises:
            UsageError: it was answered already, or may not be tried.
        """
        each = self.proposal(proposal)
        if not each.waits:
            raise self._answered_already(each)
        if not self.can_try(each):
            raise UsageError(
                "Only what was inferred can be tried, and only where you welcome it: wisen trials on. "
                "What you said yourself is never held back."
            )
        self.require_person("proposals", "try", each.proposal.id, dry_run=dry_run)
        if not dry_run:
            answer = self._parts.scribe.move(each.proposal.id, MoveKind.ANSWER, Answer.TRIED, by=Who.USER)
            with self.as_decision(Answer.TRIED.value, each.proposal.id):
                self._parts.ledger.enter([answer])
        return each

    def check_changes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Check the rules in files that are due. Returns what was done or is to be known, and what could not be."""
        from wisen.lessons.rulebook import write_books
        from wisen.trials.checking import check_changes

        checked = check_changes(self._parts)
        if checked.done:
            write_books(self._parts, self.entries())
        return tuple(checked.done), tuple(checked.troubles)

    def since_rules(self) -> tuple[tuple[EntryState, BeforeAfter], ...]:
        """The rules that hold and are never withheld, with the sessions before and after each came."""
        from wisen.trials.helping import helped

        return tuple((each.state, each.told) for each in helped(self._parts))

    def effect(self) -> tuple[Portfolio, Sequence[TrialRow]]:
        """What all hints together do, by the sessions that got none; and these sessions."""
        from wisen.trials.portfolio import together
        from wisen.trials.rows import ALL, rows_of

        ledger = self._parts.ledger
        rows = rows_of(ledger.exposures(tossed=True), ledger.outcomes()).get(ALL, [])
        return together(rows), rows
