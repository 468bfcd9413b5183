"""Measures how well the outcome of the work towards a goal is judged, against two annotators of real goals.

Data: `--data DIR` with transcripts/*.jsonl, codex/*.jsonl next to it if there are any, sessions.jsonl and
user_turns.jsonl; `labels/README.md` says how the goals were drawn and labelled.

`judge` is given what a detector finds that was trained without the project at hand; `judge_shipped` what the shipped
detector finds, which was trained on these very sessions; `judge_no_signals` nothing that was typed. `ending` is how the
calls ended (done or checked: worked, failing or stopped: failed), and `always_worked` needs no explanation. `mean` is
the mean of the accuracies against the two annotators, to be held against their `agreement` with each other.
`agreed` counts the goals on which both agree; `worked` and `not_worked` (partial or failed) are precision and recall
on those. `read_once`: goals that one reader labelled when the judge was finished.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import wisen
from benchmarks.data import MissingDataError, json_lines, transcripts
from benchmarks.outcome_signals import context_of, projects_of_sessions, signals_without_project
from wisen.feedback.signal_detection import detect_in_session
from wisen.mining.goals import goals_of
from wisen.mining.work_outcomes import as_next_session, judge_outcomes
from wisen.model.failure import Ending
from wisen.model.work_outcome import WorkOutcome

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.failure import Goal
    from wisen.model.history import History
    from wisen.model.signal import RecordedSignal
    from wisen.model.work_outcome import JudgedOutcome, NextSession

    Verdicts = Mapping[tuple[str, str], WorkOutcome]

_LABELS = Path(__file__).parent / "labels/outcomes.jsonl"
_ONCE = Path(__file__).parent / "labels/outcomes_once.jsonl"
_Z = 1.96
_OF_ENDING = {
    Ending.DONE: WorkOutcome.WORKED,
    Ending.CHECKED: WorkOutcome.WORKED,
    Ending.FAILING: WorkOutcome.FAILED,
    Ending.STOPPED: WorkOutcome.FAILED,
    Ending.EMPTY: WorkOutcome.UNKNOWN,
}


class Labelled(NamedTuple):
    """A goal with the verdicts of two annotators."""

    key: tuple[str, str]
    """Its session and its request, by the agent's ids."""
    project: str
    first: WorkOutcome
    second: WorkOutcome
    is_studied: bool
    """Whether it is of the half on which the judge's errors were looked at."""


class _Session(NamedTuple):
    history: History
    goals: tuple[Goal, ...]
    later: NextSession | None


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    histories = _read(options.data)
    sessions = _sessions(histories)
    projects = projects_of_sessions(options.data, histories)
    labelled = labelled_goals(sessions, projects)
    unseen = _judge(sessions, signals_without_project(options.data, histories, projects))
    shipped = _judge(sessions, {each.session: detect_in_session(each) for each in histories})
    silent = _judge(sessions, dict.fromkeys((each.session for each in histories), ()))
    called = {(s.history.native, goal.request): goal for s in sessions for goal in s.goals if goal.calls}
    return {
        "goals": len(called),
        "labelled": len(labelled),
        "agreement": agreement(labelled),
        "judge": _figures(labelled, _outcomes(unseen)) | {"confusion": _confusion(labelled, _outcomes(unseen))},
        "judge_shipped": _figures(labelled, _outcomes(shipped)),
        "judge_no_signals": _figures(labelled, _outcomes(silent)),
        "ending": _figures(labelled, {key: _OF_ENDING[goal.ending] for key, goal in called.items()}),
        "always_worked": _figures(labelled, dict.fromkeys(called, WorkOutcome.WORKED)),
        "halves": {
            name: agreement(half) | _figures(half, _outcomes(unseen))
            for name, half in (
                ("studied", [each for each in labelled if each.is_studied]),
                ("not_studied", [each for each in labelled if not each.is_studied]),
            )
            if half
        },
        "read_once": _read_once(called, _outcomes(unseen)),
        "by_project": {
            project: agreement(several) | _figures(several, _outcomes(unseen))
            for project, several in _by_project(labelled).items()
        },
        "share": _shares(outcome.outcome.value for key, outcome in unseen.items() if key in called),
        "share_of_ending": _shares(_OF_ENDING[goal.ending].value for goal in called.values()),
        "reasons": _shares(f"{each.outcome}, {each.reason}" for key, each in unseen.items() if key in called),
    }


def _read(data: Path | None) -> list[History]:
    """Read the sessions of all agents into one index: those of one project then share their contexts."""
    folder = transcripts(data)
    with (
        tempfile.TemporaryDirectory() as home,
        wisen.open_learner(f"{home}/wisen", environment={"HOME": home}) as learner,
    ):
        for each in (folder, folder.parent / "codex"):
            if each.is_dir():
                learner.learn(each)
        return list(learner.histories())


def _sessions(histories: Iterable[History]) -> list[_Session]:
    """The sessions with goals, each with the next one of its context that began after its last goal."""
    by_context: dict[str, list[History]] = defaultdict(list)
    for history in histories:
        by_context[context_of(history)].append(history)
    found = []
    for several in by_context.values():
        following = [each for history in several if (each := as_next_session(history)) is not None]
        for history in several:
            goals = goals_of(history)
            if goals:
                found.append(_Session(history, goals, _next_after(goals[-1].at, following)))
    return found


def _next_after(at: datetime, following: Iterable[NextSession]) -> NextSession | None:
    return min((each for each in following if each.began > at), key=lambda each: each.began, default=None)


def _judge(
    sessions: Iterable[_Session], signals: Mapping[int, Sequence[RecordedSignal]]
) -> dict[tuple[str, str], JudgedOutcome]:
    return {
        (history.native, goal.request): outcome
        for history, goals, later in sessions
        for goal, outcome in zip(goals, judge_outcomes(history, goals, signals[history.session], later), strict=True)
    }


def _outcomes(judged: Mapping[tuple[str, str], JudgedOutcome]) -> Verdicts:
    return {key: each.outcome for key, each in judged.items()}


def labelled_goals(sessions: Iterable[_Session], projects: Mapping[int, str]) -> list[Labelled]:
    """The labelled goals that are in the data. Raises: MissingDataError: none is."""
    of = {(s.history.native, goal.request): projects[s.history.session] for s in sessions for goal in s.goals}
    found = [
        Labelled(key, of[key], WorkOutcome(row["first"]), WorkOutcome(row["second"]), row["studied"])
        for row in json_lines(_LABELS)
        if (key := (row["session"], row["request"])) in of
    ]
    if not found:
        raise MissingDataError("none of the labelled goals is in the data; give the unpacked folder as --data DIR")
    return found


def agreement(labelled: Sequence[Labelled]) -> dict[str, object]:
    """How often the two annotators give the same verdict, and how far that is beyond chance (kappa)."""
    same = sum(each.first is each.second for each in labelled)
    first, second = Counter(each.first for each in labelled), Counter(each.second for each in labelled)
    chance = sum(first[outcome] * second[outcome] for outcome in WorkOutcome) / len(labelled) ** 2
    share = same / len(labelled)
    return {
        "n": len(labelled),
        "agreement": round(share, 3),
        "agreement_interval": wilson(same, len(labelled)),
        "kappa": round((share - chance) / (1 - chance), 3) if chance < 1 else 1.0,
    }


def _figures(labelled: Sequence[Labelled], verdicts: Verdicts) -> dict[str, object]:
    agreed = [each for each in labelled if each.first is each.second]
    first = sum(verdicts[each.key] is each.first for each in labelled)
    second = sum(verdicts[each.key] is each.second for each in labelled)
    return {
        "mean": round((first + second) / 2 / len(labelled), 3),
        "first": _accuracy(first, len(labelled)),
        "second": _accuracy(second, len(labelled)),
        "agreed": _accuracy(sum(verdicts[each.key] is each.first for each in agreed), len(agreed)),
        "worked": _precision(agreed, verdicts, lambda outcome: outcome is WorkOutcome.WORKED),
        "not_worked": _precision(
            agreed, verdicts, lambda outcome: outcome in (WorkOutcome.PARTIAL, WorkOutcome.FAILED)
        ),
    }


def _read_once(called: Container[tuple[str, str]], verdicts: Verdicts) -> dict[str, object]:
    """The accuracy on goals that one reader labelled when the judge was finished."""
    rows = [(key, row["verdict"]) for row in json_lines(_ONCE) if (key := (row["session"], row["request"])) in called]
    worked = sum(verdict == WorkOutcome.WORKED for _, verdict in rows)
    return {
        "judge": _accuracy(sum(verdicts[key] == verdict for key, verdict in rows), len(rows)),
        "always_worked": _accuracy(worked, len(rows)),
    }


def _accuracy(right: int, of: int) -> dict[str, object]:
    return {"accuracy": round(right / of, 3) if of else None, "n": of, "interval": wilson(right, of)}


def _precision(
    agreed: Iterable[Labelled], verdicts: Verdicts, holds: Callable[[WorkOutcome], bool]
) -> dict[str, object]:
    """Precision and recall of some verdicts where both annotators agree."""
    counts = Counter((holds(verdicts[each.key]), holds(each.first)) for each in agreed)
    said, true = counts[True, True] + counts[True, False], counts[True, True] + counts[False, True]
    return {
        "precision": round(counts[True, True] / said, 3) if said else None,
        "recall": round(counts[True, True] / true, 3) if true else None,
    }


def _confusion(labelled: Iterable[Labelled], verdicts: Verdicts) -> dict[str, dict[str, int]]:
    """For each verdict of the annotators, both counted, what the judge said."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in labelled:
        for truth in (each.first, each.second):
            found[truth.value][verdicts[each.key].value] += 1
    return {f"labelled_{truth}": dict(counts) for truth, counts in sorted(found.items())}


def _by_project(labelled: Iterable[Labelled]) -> dict[str, list[Labelled]]:
    found: dict[str, list[Labelled]] = defaultdict(list)
    for each in labelled:
        found[each.project].append(each)
    return dict(sorted(found.items()))


def _shares(values: Iterable[str]) -> dict[str, float]:
    counts = Counter(values)
    return {name: round(number / counts.total(), 3) for name, number in counts.most_common()}


def wilson(right: int, of: int) -> list[float] | None:
    """The 95% interval of a share, after Wilson."""
    if not of:
        return None
    share, square = right / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return [round(max(0.0, middle - half), 3), round(min(1.0, middle + half), 3)]
