"""The trial service: lists trials and their verdicts, acts on them, and stores whether experiments are allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.proposal_kinds import already_answered
from wisen.errors import UsageError
from wisen.model.change import EXPERIMENTS_ANSWER, content_digest
from wisen.model.entry import Actor, Answer, EntryOrigin, MoveKind, ProposalType
from wisen.model.trial import TrialStandings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.trial import BeforeAfter, Portfolio, Trial, TrialRow
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries
    from wisen.trials.outcomes import DetectSignals

_NEVER_TRIED = (ProposalType.GUARD, ProposalType.FIX, ProposalType.SUGGESTION, ProposalType.SKILL)
"""Guards prove themselves in shadow; an agent's suggestion is evidence of nothing; an agent loads skills by itself."""


class TrialService:
    """Delivers unapproved hints in some sessions and withholds them in others, to see whether they help."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        edit_ports: EditPorts,
        rule_files: RuleFiles,
        decisions: Decisions,
        refresh: Refresh,
        *,
        experiments: bool | None,
        holdout: float,
        promote: PromotePolicy,
        detector: Callable[[], DetectSignals],
        proposal: Callable[[str], ProposalState],
    ) -> None:
        """Create the service.

        `experiments`: whether the user allows them; None where they were never asked. `holdout`: the share of
        sessions that get no hint on trial. `detector` returns the feedback detector with this user's phrases as known
        now; `proposal` finds a proposal by its number or id.
        """
        self._home, self._edit_ports, self._rule_files = home, edit_ports, rule_files
        self._decisions, self._refresh = decisions, refresh
        self._experiments, self._holdout, self._promote = experiments, holdout, promote
        self._detector, self._proposal = detector, proposal

    def all(self) -> tuple[Trial, ...]:
        """Return every trial with its standing, those with the most sessions first."""
        from wisen.trials.verdict_actions import judge_trials

        trials = judge_trials(self._home.ledger).values()
        return tuple(sorted(trials, key=lambda each: (-each.judged.sessions, each.id)))

    def get(self, name: str) -> Trial:
        """Return a trial by the id of what is on trial, or the beginning of it; of several versions the newest.

        Raises:
            UsageError: nothing, or more than one thing, on trial has such an id.
        """
        matches = [each for each in self.all() if name and each.id.startswith(name)]
        if len({each.subject for each in matches}) != 1:
            problem = f"{len(matches)} trials begin with" if matches else "No trial has the id"
            raise UsageError(f"{problem} {name!r}. List the ids with: wisen trials")
        return max(matches, key=lambda each: each.last)

    def describe(self, trial: Trial) -> str:
        """Return the text of what is on trial."""
        from wisen.model.entry import rule_id
        from wisen.store.known_entries import KnownEntries

        for state in KnownEntries(self._home.ledger).states:
            if trial.subject == rule_id(state.entry.id) or trial.subject in state.entry.tags:
                return state.text
        return f"the fix {trial.subject} (wisen explain {trial.subject})"

    def allows_experiments(self, context: str = "") -> bool:
        """Whether inferred hints may be tried in a context."""
        from wisen.trials.verdict_actions import experiments_allowed

        return experiments_allowed(self._home.ledger.moves.all(), everywhere=self._experiments)(context)

    def allow_experiments(self, context: str = "", *, allowed: bool) -> None:
        """Store the user's decision whether experiments are allowed, in one context or in all; hooks see it at once.

        A decision about one context stays when one about all is made.

        Raises:
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
            StoreError: the snapshot that hooks read cannot be written.
        """
        self._decisions.require_person("trials", "on" if allowed else "off", *(("--here",) if context else ()))
        if context:
            value = "on" if allowed else "off"
            with self._decisions.as_decision("experiments", context):
                self._home.ledger.entries.record(
                    [self._home.row_factory.build_move(context, MoveKind.EXPERIMENTS, value, by=Actor.USER)]
                )
        else:
            self.save_experiments_setting(allowed=allowed)
            self._experiments = allowed
        self._refresh.snapshots()

    def save_experiments_setting(self, *, allowed: bool) -> Edit | None:
        """Save in config.toml whether hints that the user did not approve may be tried; None if it is unchanged.

        Raises:
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
        """
        from wisen.edits.editor import Editor, ValuePlan

        if self._experiments is allowed:
            return None
        self._decisions.require_person("trials", "on" if allowed else "off")
        path = self._home.path / "config.toml"
        saw = content_digest(self._edit_ports.files.read(path).content)
        plan = ValuePlan(str(path), ("trials", "experiments"), allowed, EXPERIMENTS_ANSWER, saw)
        with self._decisions.as_decision("experiments", "config"):
            return Editor(self._edit_ports).set_value(plan)

    def can_try(self, each: ProposalState) -> bool:
        """Whether a proposal may be tried first: it was inferred, and experiments are allowed where it applies."""
        if each.proposal.type in _NEVER_TRIED or not self.allows_experiments(each.proposal.context):
            return False
        (entry,) = self._home.ledger.entries.of([each.proposal.entry])
        return entry.origin is not EntryOrigin.STATED

    def try_out(self, proposal: str, *, dry_run: bool = False) -> ProposalState:
        """Put the rule of a proposal on trial before it goes into a file.

        Raises:
            UsageError: it was answered already, or may not be tried.
        """
        each = self._proposal(proposal)
        if not each.is_waiting:
            raise already_answered(self._home.ledger, each)
        if not self.can_try(each):
            raise UsageError(
                "Only inferred rules can be tried, and only where you allow experiments: wisen trials on. "
                "What you stated yourself is never withheld."
            )
        self._decisions.require_person("proposals", "try", each.proposal.id, dry_run=dry_run)
        if not dry_run:
            answer = self._home.row_factory.build_move(each.proposal.id, MoveKind.ANSWER, Answer.TRIED, by=Actor.USER)
            with self._decisions.as_decision(Answer.TRIED.value, each.proposal.id):
                self._home.ledger.entries.record([answer])
        return each

    def act_on_verdicts(self) -> int:
        """Record the outcomes of finished sessions, and act on every verdict once. Returns how many proposals are new.

        The cycle calls it when there are new events.
        """
        from wisen.trials.verdict_actions import act_on_verdicts

        return act_on_verdicts(self._home, self._rule_files, self._detector)

    def check_changes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Check the rules in files that are due. Returns what was done or needs attention, and what failed."""
        from wisen.edits.permission import can_write_unasked
        from wisen.trials.change_checks import check_changes

        checked = check_changes(self._home, self._edit_ports, may_write=can_write_unasked(self._promote.profile))
        if checked.done:
            self._refresh.context_files()
        return tuple(checked.done), tuple(checked.problems)

    def standings(self, known: KnownEntries) -> TrialStandings:
        """Return the standing of every trial, for delivery."""
        from wisen.trials.verdict_actions import experiment_choices, initial_chance, judge_trials, next_chance

        return TrialStandings(
            chances={id_: next_chance(trial) for id_, trial in judge_trials(self._home.ledger).items()},
            first_chance=initial_chance(),
            answers=experiment_choices(known.moves),
            everywhere=self._experiments is True,
            holdout=self._holdout,
        )

    def rule_effects(self) -> tuple[tuple[EntryState, BeforeAfter], ...]:
        """Return the rules in force that are never withheld, with the sessions before and after each was promoted."""
        from wisen.trials.rule_effects import measure_rule_effects

        return tuple((each.state, each.comparison) for each in measure_rule_effects(self._home))

    def combined_effect(self) -> tuple[Portfolio, Sequence[TrialRow]]:
        """Return the combined effect of all hints, measured by the sessions that got none; and these sessions."""
        from wisen.trials.portfolio import build_portfolio
        from wisen.trials.trial_rows import ALL_HINTS, build_trial_rows

        ledger = self._home.ledger
        rows = build_trial_rows(ledger.exposures.all(coin_only=True), ledger.trial_outcomes.all()).get(ALL_HINTS, [])
        return build_portfolio(rows), rows
