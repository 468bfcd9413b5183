"""The step of a turn that judges trials and acts on it: a thing is kept and proposed, dropped, or recalled only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.proposal_rows import proven
from wisen.model.entry import JUDGED, EntryStatus, EntryType, MoveKind, Proposal, ProposalType, rule_id
from wisen.model.entry_state import asked, put_on_trial
from wisen.model.trial import Trial, Verdict
from wisen.store.known_entries import KnownEntries
from wisen.trials.coin import chance
from wisen.trials.multiple_testing import standing
from wisen.trials.outcomes import conclude
from wisen.trials.rows import ALL, rows_of
from wisen.trials.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry import Move
    from wisen.model.entry_state import Asked, EntryState
    from wisen.model.trial import JudgedTrial
    from wisen.store.home import Home
    from wisen.store.ledger import Ledger
    from wisen.trials.outcomes import Listen

DROPPED = (Verdict.INEFFECTIVE, Verdict.WORSE, Verdict.INCONCLUSIVE)
"""What is told no longer by itself; an inconclusive one can still be recalled."""


def standings(ledger: Ledger) -> dict[str, Trial]:
    """Every trial by its id and version: what coins said and what sessions showed decides, and nothing else."""
    coins = ledger.exposures.all(tossed=True)
    found = rows_of(coins, ledger.trial_outcomes.all())
    last = {(each.subject, each.version): each.at for each in coins}
    judged = {subject: judge(found.get(subject, ())) for subject in last if subject != ALL}
    best = standing({":".join(subject): each.good for subject, each in judged.items()})
    made = (
        Trial(
            *subject,
            judged=each,
            rows=tuple(found.get(subject, ())),
            last=last[subject],
            chance=chance(each.sessions, each.verdict),
            stands=":".join(subject) in best and each.verdict is Verdict.CONFIRMED,
        )
        for subject, each in judged.items()
    )
    return {each.id: each for each in made}


def welcome(moves: Iterable[Move], *, everywhere: bool | None) -> Callable[[str], bool]:
    """Whether experiments are welcome in a context: as the user said of it, or of all; without a word they are not."""
    said = said_about_experiments(moves)
    return lambda context: said.get(context, everywhere is True)


def said_about_experiments(moves: Iterable[Move]) -> dict[str, bool]:
    """What the user said about experiments, by context."""
    return {move.subject: move.value == "on" for move in moves if move.kind is MoveKind.EXPERIMENTS}


def first_chance() -> float:
    """With which probability a session gets something that has no trial yet."""
    return chance(0, Verdict.RUNNING)


def share_of(trial: Trial) -> float | None:
    """With which probability the next session gets what is on trial; None where the trial has ended it."""
    return None if trial.judged.verdict in DROPPED else trial.chance


def act_on_verdicts(home: Home, rule_files: RuleFiles, listener: Callable[[], Listen]) -> int:
    """Note what sessions that are over showed, and act on every verdict once. Returns how many proposals are new."""
    if not home.ledger.exposures.all(tossed=True):
        return 0
    conclude(home, listener)
    known = KnownEntries(home.ledger)
    done = {(move.subject, move.value) for move in known.moves if move.kind is MoveKind.VERDICT}
    before = asked(home.ledger.proposals.all(), known.moves)
    wanted = put_on_trial(before)
    rows: list[Move | Proposal] = []
    for each in standings(home.ledger).values():
        verdict = each.judged.verdict
        value = f"{each.version}:{verdict.value}"
        if verdict is Verdict.RUNNING or (each.subject, value) in done:
            continue
        rows.append(home.scribe.move(each.subject, MoveKind.VERDICT, value, why=each.judged.words))
        meant = [state for state in known.states if _is_about(state, each.subject) and _is_open(state, wanted)]
        if verdict is Verdict.CONFIRMED:
            rows += _offered(home, rule_files, meant, each.judged, before)
        elif verdict in (Verdict.INEFFECTIVE, Verdict.WORSE):
            rows += [_dropped(home, state, each.judged) for state in meant]
    if rows:
        home.ledger.entries.enter(rows)
    return sum(isinstance(row, Proposal) for row in rows)


def _is_about(state: EntryState, subject: str) -> bool:
    """Whether an entry is what was on trial: the hint itself, or what is known of a fix in a context."""
    return rule_id(state.entry.id) == subject or (state.entry.type is EntryType.ERROR and subject in state.entry.tags)


def _is_open(state: EntryState, wanted: frozenset[str]) -> bool:
    """Whether nobody has decided about it, or the user left it to the trial.

    What he confirmed or approved is his, whatever a trial says.
    """
    left = state.entry.id in wanted or not state.confirmed
    return left and state.status is EntryStatus.PENDING and not state.is_over


def _dropped(home: Home, state: EntryState, judged: JudgedTrial) -> Move:
    return home.scribe.move(state.entry.id, MoveKind.STATUS, EntryStatus.WONT_FIX, why=f"{JUDGED}{judged.words}")


def _offered(
    home: Home, rule_files: RuleFiles, meant: list[EntryState], judged: JudgedTrial, before: Iterable[Asked]
) -> list[Proposal]:
    """What a trial confirmed is proposed for the file, where it came up most."""
    waiting = {each.proposal.entry for each in before if each.proposal.type is ProposalType.VERIFICATION}
    fits = [state for state in meant if state.entry.id not in waiting]
    if not fits:
        return []
    state = max(fits, key=lambda each: (each.sessions, each.entry.id))
    target = rule_files.target(state.entry, home.ledger.occurrences.of(state.entry.id), state.context)
    return [proven(state, judged.words, target, home.scribe)]
