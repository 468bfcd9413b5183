"""Judges trials in the learning cycle and acts on each verdict: proposes, drops, or leaves for recall only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.proposal_rows import trial_proposal
from wisen.model.entry import JUDGED_PREFIX, EntryStatus, EntryType, MoveKind, Proposal, ProposalType, rule_id
from wisen.model.entry_state import entries_on_trial, fold_proposal_states
from wisen.model.trial import Trial, Verdict
from wisen.store.known_entries import KnownEntries
from wisen.trials.coin import chance
from wisen.trials.multiple_testing import standing_rules
from wisen.trials.outcomes import record_outcomes
from wisen.trials.trial_rows import ALL_HINTS, build_trial_rows
from wisen.trials.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.trial import TrialJudgment
    from wisen.store.home import Home
    from wisen.store.ledger import Ledger
    from wisen.trials.outcomes import DetectSignals

DROPPED_VERDICTS = (Verdict.INEFFECTIVE, Verdict.WORSE, Verdict.INCONCLUSIVE)
"""Verdicts after which a hint is no longer delivered by itself; an inconclusive one can still be recalled."""


def judge_trials(ledger: Ledger) -> dict[str, Trial]:
    """Return every trial by id and version, judged by coin tosses and outcomes and nothing else."""
    coins = ledger.exposures.all(coin_only=True)
    rows = build_trial_rows(coins, ledger.trial_outcomes.all())
    last = {(each.subject, each.version): each.at for each in coins}
    judged = {subject: judge(rows.get(subject, ())) for subject in last if subject != ALL_HINTS}
    confirmed = standing_rules({":".join(subject): each.good for subject, each in judged.items()})
    trials = (
        Trial(
            *subject,
            judged=each,
            rows=tuple(rows.get(subject, ())),
            last=last[subject],
            chance=chance(each.sessions, each.verdict),
            stands=":".join(subject) in confirmed and each.verdict is Verdict.CONFIRMED,
        )
        for subject, each in judged.items()
    )
    return {each.id: each for each in trials}


def experiments_allowed(moves: Iterable[Move], *, everywhere: bool | None) -> Callable[[str], bool]:
    """Return a predicate: whether the user allows experiments in a context, or everywhere; by default they are not."""
    choices = experiment_choices(moves)
    return lambda context: choices.get(context, everywhere is True)


def experiment_choices(moves: Iterable[Move]) -> dict[str, bool]:
    """Return the user's choices about experiments, by context."""
    return {move.subject: move.value == "on" for move in moves if move.kind is MoveKind.EXPERIMENTS}


def initial_chance() -> float:
    """Return the probability that a session gets a hint that has no trial yet."""
    return chance(0, Verdict.RUNNING)


def next_chance(trial: Trial) -> float | None:
    """Return the probability that the next session gets a hint on trial; None where the verdict dropped it."""
    return None if trial.judged.verdict in DROPPED_VERDICTS else trial.chance


def act_on_verdicts(home: Home, rule_files: RuleFiles, detector: Callable[[], DetectSignals]) -> int:
    """Record the outcomes of finished sessions, and act on every verdict once. Returns how many proposals are new."""
    if not home.ledger.exposures.all(coin_only=True):
        return 0
    record_outcomes(home, detector)
    known, moves = KnownEntries(home.ledger), home.ledger.moves.all()  # entries are read only if there is a new verdict
    acted_on = {(move.subject, move.value) for move in moves if move.kind is MoveKind.VERDICT}
    before = fold_proposal_states(home.ledger.proposals.all(), moves)
    on_trial = entries_on_trial(before)
    rows: list[Move | Proposal] = []
    for each in judge_trials(home.ledger).values():
        verdict = each.judged.verdict
        value = f"{each.version}:{verdict.value}"
        if verdict is Verdict.RUNNING or (each.subject, value) in acted_on:
            continue
        rows.append(home.row_factory.build_move(each.subject, MoveKind.VERDICT, value, why=each.judged.description))
        affected = [state for state in known.states if _is_about(state, each.subject) and _is_open(state, on_trial)]
        if verdict is Verdict.CONFIRMED:
            rows += _propose_confirmed(home, rule_files, affected, each.judged, before)
        elif verdict in (Verdict.INEFFECTIVE, Verdict.WORSE):
            rows += [_drop_entry(home, state, each.judged) for state in affected]
    if rows:
        home.ledger.entries.record(rows)
    return sum(isinstance(row, Proposal) for row in rows)


def _is_about(state: EntryState, subject: str) -> bool:
    """Whether an entry is what was on trial: the hint itself, or the entry of a fix in a context."""
    return rule_id(state.entry.id) == subject or (state.entry.type is EntryType.ERROR and subject in state.entry.tags)


def _is_open(state: EntryState, on_trial: frozenset[str]) -> bool:
    """Whether nobody has decided about an entry, or the user left it to the trial.

    What the user confirmed or approved stays, whatever a trial says.
    """
    undecided = state.entry.id in on_trial or not state.confirmed
    return undecided and state.status is EntryStatus.PENDING and not state.is_over


def _drop_entry(home: Home, state: EntryState, judged: TrialJudgment) -> Move:
    return home.row_factory.build_move(
        state.entry.id, MoveKind.STATUS, EntryStatus.WONT_FIX, why=f"{JUDGED_PREFIX}{judged.description}"
    )


def _propose_confirmed(
    home: Home,
    rule_files: RuleFiles,
    affected: list[EntryState],
    judged: TrialJudgment,
    before: Iterable[ProposalState],
) -> list[Proposal]:
    """Propose a confirmed hint for the file of the context where it came up most."""
    waiting = {each.proposal.entry for each in before if each.proposal.type is ProposalType.VERIFICATION}
    candidates = [state for state in affected if state.entry.id not in waiting]
    if not candidates:
        return []
    state = max(candidates, key=lambda each: (each.sessions, each.entry.id))
    target = rule_files.target_for(state.entry, home.ledger.occurrences.of(state.entry.id), state.context)
    return [trial_proposal(state, judged.description, target, home.row_factory)]
