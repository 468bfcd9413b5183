"""Runs trials on real data: Reflexion's paired runs, and real sessions with random assignment and no rule (A/A).

Data, both optional: `--data DIR` with reflexion/{base,reflexion}/env_results_trial_N.json, and transcripts/*.jsonl.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import wisen
from benchmarks.trial_verdicts import judge, rank_places
from benchmarks.trial_worlds import chances
from wisen.mining.session_mining import mine_session
from wisen.model.exposure import Arm
from wisen.model.history import UserAction
from wisen.model.trial import TrialJudgment, TrialRow, Verdict
from wisen.trials import coin, verdicts
from wisen.trials.evidence import GOOD, weighted_mean
from wisen.trials.verdicts import VerdictPolicy

if TYPE_CHECKING:
    from benchmarks.trial_verdicts import Floats

_SALTS = 200
_FEWEST = 3


def reflexion(folder: Path) -> dict[str, object] | None:
    """Whether memory is found to help, when each task is run with and without it, and when a coin decides."""
    runs = {arm: _runs(folder / arm) for arm in ("base", "reflexion")}
    rounds = min(len(each) for each in runs.values())
    if rounds < 2:
        return None
    return {
        "tasks": len(runs["base"][0]),
        "paired": _paired(runs["base"][:rounds], runs["reflexion"][:rounds]),
        "by_coin": _by_coin(runs["base"][:rounds], runs["reflexion"][:rounds]),
    }


def _runs(folder: Path) -> list[dict[str, bool]]:
    """Whether each task was solved by the end of each round."""
    found: list[dict[str, bool]] = []
    while (file := folder / f"env_results_trial_{len(found)}.json").exists():
        found.append({row["name"]: bool(row["is_success"]) for row in json.loads(file.read_text(encoding="utf-8"))})
    return found


def _paired(base: list[dict[str, bool]], memory: list[dict[str, bool]]) -> dict[str, object]:
    """A task that neither has solved is run by both; only where they differ does it tell anything."""
    only_base_fails = only_memory_fails = pairs = 0
    result: dict[str, object] = {"helped": False}
    for number in range(1, len(base)):
        for task in base[0]:
            if base[number - 1][task] or memory[number - 1][task]:
                continue
            pairs += 1
            only_base_fails += memory[number][task] and not base[number][task]
            only_memory_fails += base[number][task] and not memory[number][task]
            good = _pair_evidence(only_base_fails, only_memory_fails)
            if good >= VerdictPolicy().good and not result["helped"]:
                result = {"helped": True, "round": number, "pair": pairs, "good": good}
    final = _pair_evidence(only_base_fails, only_memory_fails)
    return {**result, "pairs": pairs, "for": only_base_fails, "against": only_memory_fails, "good_at_end": final}


def _pair_evidence(without: int, given: int) -> float:
    """The evidence of pairs that differ: a fair coin says which of the two fails, if memory does nothing."""
    steps = (
        (given * np.log(2 * ratio / (1 + ratio)) + without * np.log(2 / (1 + ratio)), weight) for ratio, weight in GOOD
    )
    return weighted_mean([(float(log), weight) for log, weight in steps])


def _by_coin(base: list[dict[str, bool]], memory: list[dict[str, bool]]) -> dict[str, object]:
    """The same tasks as sessions of a trial: the coin says from which run each one's result is taken."""
    judged = [_judge_by_coin(base, memory, f"salt {number}".encode()) for number in range(_SALTS)]
    confirmed = [each for each in judged if each.verdict is Verdict.CONFIRMED]
    return {
        "coins": _SALTS,
        "sessions": [min(each.sessions for each in judged), max(each.sessions for each in judged)],
        "verdicts": dict(Counter(each.verdict.value for each in judged)),
        "confirmed_at_median": float(np.median([each.sessions for each in confirmed])) if confirmed else None,
    }


def _judge_by_coin(base: list[dict[str, bool]], memory: list[dict[str, bool]], salt: bytes) -> TrialJudgment:
    rows: list[TrialRow] = []
    for number in range(1, len(base)):
        for task in base[0]:
            if base[number - 1][task] or memory[number - 1][task]:
                continue
            session, share = f"{number}.{task}", coin.chance(len(rows), Verdict.RUNNING)
            arm = coin.toss(salt, rule="memory", version="1", session=session, chance=share)
            failed = not (memory if arm is Arm.GIVEN else base)[number][task]
            rows.append(
                TrialRow(session=session, rule="memory", version="1", arm=arm, chance=share, relevant=True, hit=failed)
            )
    return verdicts.judge(rows)


def no_rule(folder: Path) -> dict[str, object]:
    """Real sessions with coins and no rule: how many recurring failures are said to be helped."""
    failures, rails = _outcomes(folder)
    share = chances("schedule")[: len(failures)]
    seen = Counter(signature for session in failures for signature in session)
    chosen = sorted(signature for signature, times in seen.items() if times >= _FEWEST)
    sessions = range(min(len(failures), len(share)))
    ranked = [rank_places(rails[name][None, : len(sessions)]) for name in sorted(rails)]
    verdicts: Counter[str] = Counter()
    for number in range(_SALTS):
        salt = f"salt {number}".encode()
        given = np.array([[_gets_rule(salt, rule, each, float(share[each])) for each in sessions] for rule in chosen])
        hit = np.array([[rule in failures[each] for each in sessions] for rule in chosen])
        ended = judge(share, given, hit, [np.repeat(each, len(chosen), axis=0) for each in ranked], VerdictPolicy())
        verdicts.update({verdict.value: round(ended.share(verdict) * len(chosen)) for verdict in Verdict})
    trials = _SALTS * len(chosen)
    return {
        "sessions": len(failures),
        "signatures": len(chosen),
        "trials": trials,
        "confirmed": verdicts[Verdict.CONFIRMED.value] / max(trials, 1),
        "worse": verdicts[Verdict.WORSE.value] / max(trials, 1),
    }


def _gets_rule(salt: bytes, rule: str, session: int, share: float) -> bool:
    arm = coin.toss(salt, rule=rule, version="1", session=str(session), chance=share)
    return arm is Arm.GIVEN


def _outcomes(folder: Path) -> tuple[list[set[str]], dict[str, Floats]]:
    """What failed in each session, in the order of time, and what must not get worse in it."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home}
        with wisen.open_learner(Path(home) / "home", environment=environment) as learner:
            learner.learn(folder)
            histories = sorted(
                (each for each in learner.histories() if each.steps), key=lambda each: min(s.at for s in each.steps)
            )
    mined = [mine_session(history).failures for history in histories]
    stops = [sum(turn.action is UserAction.INTERRUPTED for turn in history.turns) for history in histories]
    rails = {
        "failures": [len(each) for each in mined],
        "interrupts": stops,
        "calls": [len(history.steps) for history in histories],
    }
    signatures = [{failure.signature.description for failure in each if not failure.transient} for each in mined]
    return signatures, {name: np.array(numbers, dtype=float) for name, numbers in rails.items()}
