"""What people and the cycle ask of trials: what is on trial, how it stands, and whether experiments are welcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.proposal_kinds import already_answered
from wisen.errors import UsageError
from wisen.model.change import EXPERIMENTS_ANSWER, digest
from wisen.model.entry import Answer, EntryOrigin, MoveKind, ProposalType, Who
from wisen.model.trial import TrialStandings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit import Edit
    from wisen.edits.past import Desk
    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import Asked, EntryState
    from wisen.model.trial import BeforeAfter, Portfolio, Trial, TrialRow
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries
    from wisen.trials.outcomes import Listen

_NEVER_TRIED = (ProposalType.GUARD, ProposalType.FIX, ProposalType.SUGGESTION)
"""Guards prove themselves in shadow; what an agent made up is evidence of nothing."""


class TrialService:
    """Hints that nobody approved are given in some sessions and held back in others, to see whether they help."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        desk: Desk,
        rule_files: RuleFiles,
        decisions: Decisions,
        refresh: Refresh,
        *,
        experiments: bool | None,
        holdout: float,
        promote: PromotePolicy,
        listener: Callable[[], Listen],
        proposal: Callable[[str], Asked],
    ) -> None:
        """Begin.

        `experiments`: whether the user welcomes them; None where they were never asked. `holdout`: the share of
        sessions that get no hint on trial. `listener` gives what hears how this user speaks, as it is known now;
        `proposal` finds a proposal by its number or id.
        """
        self._home, self._desk, self._rule_files = home, desk, rule_files
        self._decisions, self._refresh = decisions, refresh
        self._experiments, self._holdout, self._promote = experiments, holdout, promote
        self._listener, self._proposal = listener, proposal

    def all(self) -> tuple[Trial, ...]:
        """Every trial with how it stands, those with most sessions first."""
        from wisen.trials.trying import standings

        found = standings(self._home.ledger).values()
        return tuple(sorted(found, key=lambda each: (-each.judged.sessions, each.id)))

    def get(self, name: str) -> Trial:
        """A trial by the id of what is on trial, or how that begins; of several versions the newest.

        Raises:
            UsageError: nothing, or more than one thing, on trial has such an id.
        """
        fits = [each for each in self.all() if name and each.id.startswith(name)]
        if len({each.subject for each in fits}) != 1:
            found = f"{len(fits)} trials begin with" if fits else "No trial has the id"
            raise UsageError(f"{found} {name!r}. The ids stand beside the trials: wisen trials")
        return max(fits, key=lambda each: each.last)

    def named(self, trial: Trial) -> str:
        """What is on trial, in words."""
        from wisen.model.entry import rule_id
        from wisen.store.known_entries import KnownEntries

        for state in KnownEntries(self._home.ledger).states:
            if trial.subject == rule_id(state.entry.id) or trial.subject in state.entry.tags:
                return state.text
        return f"the fix {trial.subject} (wisen explain {trial.subject})"

    def welcomes_experiments(self, context: str = "") -> bool:
        """Whether what was only inferred may be tried in a context."""
        from wisen.trials.trying import welcome

        return welcome(self._home.ledger.moves.all(), everywhere=self._experiments)(context)

    def welcome(self, context: str = "", *, yes: bool) -> None:
        """Keep the user's word whether experiments are welcome, in one context or in all; hooks know it at once.

        What was said of one context stays when all are spoken of.

        Raises:
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
            StoreError: what hooks read cannot be written.
        """
        self._decisions.require_person("trials", "on" if yes else "off", *(("--here",) if context else ()))
        if context:
            value = "on" if yes else "off"
            with self._decisions.as_decision("experiments", context):
                self._home.ledger.entries.enter(
                    [self._home.scribe.move(context, MoveKind.EXPERIMENTS, value, by=Who.USER)]
                )
        else:
            self.welcome_experiments(welcome=yes)
            self._experiments = yes
        self._refresh.hooks()

    def welcome_experiments(self, *, welcome: bool) -> Edit | None:
        """Keep the user's answer whether hints that they did not approve may be tried; None where it is known.

        Raises:
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
        """
        from wisen.edits.edit import Editor, ValuePlan

        if self._experiments is welcome:
            return None
        self._decisions.require_person("trials", "on" if welcome else "off")
        path = self._home.path / "config.toml"
        saw = digest(self._desk.files.read(path).content)
        plan = ValuePlan(str(path), ("trials", "experiments"), welcome, EXPERIMENTS_ANSWER, saw)
        with self._decisions.as_decision("experiments", "config"):
            return Editor(self._desk).set(plan)

    def can_try(self, each: Asked) -> bool:
        """Whether a proposal may be tried first: it was only inferred, and experiments are welcome where it holds."""
        if each.proposal.type in _NEVER_TRIED or not self.welcomes_experiments(each.proposal.context):
            return False
        (entry,) = self._home.ledger.entries.of([each.proposal.entry])
        return entry.origin is not EntryOrigin.STATED

    def try_out(self, proposal: str, *, dry_run: bool = False) -> Asked:
        """Have the rule of a proposal prove itself in a trial before it goes into a file.

        Raises:
            UsageError: it was answered already, or may not be tried.
        """
        each = self._proposal(proposal)
        if not each.waits:
            raise already_answered(self._home.ledger, each)
        if not self.can_try(each):
            raise UsageError(
                "Only what was inferred can be tried, and only where you welcome it: wisen trials on. "
                "What you said yourself is never held back."
            )
        self._decisions.require_person("proposals", "try", each.proposal.id, dry_run=dry_run)
        if not dry_run:
            answer = self._home.scribe.move(each.proposal.id, MoveKind.ANSWER, Answer.TRIED, by=Who.USER)
            with self._decisions.as_decision(Answer.TRIED.value, each.proposal.id):
                self._home.ledger.entries.enter([answer])
        return each

    def act_on_verdicts(self) -> int:
        """Note what sessions that are over showed, and act on every verdict once. Returns how many proposals are new.

        The cycle asks for it where sessions held something new.
        """
        from wisen.trials.trying import act_on_verdicts

        return act_on_verdicts(self._home, self._rule_files, self._listener)

    def check_changes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Check the rules in files that are due. Returns what was done or is to be known, and what could not be."""
        from wisen.edits.permission import may_write_unasked
        from wisen.trials.checking import check_changes

        checked = check_changes(self._home, self._desk, unasked=may_write_unasked(self._promote.profile))
        if checked.done:
            self._refresh.books()
        return tuple(checked.done), tuple(checked.troubles)

    def standings(self, known: KnownEntries) -> TrialStandings:
        """How trials stand, for what agents are told."""
        from wisen.trials.trying import first_chance, said_about_experiments, share_of, standings

        return TrialStandings(
            chances={id_: share_of(trial) for id_, trial in standings(self._home.ledger).items()},
            first_chance=first_chance(),
            said=said_about_experiments(known.moves),
            everywhere=self._experiments is True,
            holdout=self._holdout,
        )

    def since_rules(self) -> tuple[tuple[EntryState, BeforeAfter], ...]:
        """The rules that hold and are never withheld, with the sessions before and after each came."""
        from wisen.trials.helping import helped

        return tuple((each.state, each.told) for each in helped(self._home))

    def effect(self) -> tuple[Portfolio, Sequence[TrialRow]]:
        """What all hints together do, by the sessions that got none; and these sessions."""
        from wisen.trials.portfolio import together
        from wisen.trials.rows import ALL, rows_of

        ledger = self._home.ledger
        rows = rows_of(ledger.exposures.all(tossed=True), ledger.trial_outcomes.all()).get(ALL, [])
        return together(rows), rows
