"""Measures recurring failures on real sessions: signatures, fixes, what they would have saved, the next tool.

Data: `--data DIR` with transcripts/*.jsonl. Figures based on labels (`labels/`) are only given if the labelled calls
are in the data.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wisen
from benchmarks import next_tool
from benchmarks.data import transcripts
from wisen.mining.session_mining import mine_session
from wisen.model.fix import Danger, Fix

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from wisen.model.failure import CallChange, Failure, FixAttempt, SessionFindings, Signature
    from wisen.model.history import History, Step

_LABELS = Path(__file__).parent / "labels"
_DRAWS = (("all", (1, 2)), ("drawn_first", (1,)), ("drawn_afterwards", (2,)))


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    folder = transcripts(options.data)
    with (
        tempfile.TemporaryDirectory() as home,
        wisen.open_learner(f"{home}/wisen", environment={"HOME": home}) as learner,
    ):
        report = learner.learn(folder)
        began = time.perf_counter()
        fixes = learner.fixes.all()
        listing = time.perf_counter() - began
        histories = list(learner.histories())
    began = time.perf_counter()
    mined = [mine_session(history) for history in histories]
    mining = time.perf_counter() - began
    failures = [failure for each in mined for failure in each.failures]
    steps = {step.call: step for history in histories for step in history.steps}
    seen = _sessions_by_signature(mined)
    return {
        "sessions": report.counts.sessions,
        "tool_errors": sum(tool.failed for tool in report.counts.tools),
        "masked": sum(failure.masked for failure in failures),
        "signatures": len(seen),
        "signatures_2plus": sum(len(sessions) >= 2 for sessions in seen.values()),
        "signatures_3plus": sum(len(sessions) >= 3 for sessions in seen.values()),
        "fixes": len([fix for fix in fixes if fix.is_reliable]),
        "fixes_seen_once": len([fix for fix in fixes if not fix.is_reliable]),
        **_judged_fixes(mined, steps),
        "signature_pairs": _judged_pairs(failures, steps),
        "preventable_repeats": _replay(histories, mined),
        "named_by": _first_named(histories, mined),
        **next_tool.measure(histories),
        "seconds": {"mining": mining, "listing": listing},
    }


def _sessions_by_signature(mined: Iterable[SessionFindings]) -> dict[Signature, set[int]]:
    seen: dict[Signature, set[int]] = defaultdict(set)
    for each in mined:
        for failure in each.failures:
            seen[failure.signature].add(each.session)
    return seen


def _labels(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_LABELS / name).read_text(encoding="utf-8").splitlines()]


def _judged_pairs(failures: Sequence[Failure], steps: dict[str, Step]) -> dict[str, object] | None:
    """Whether two failures have the same signature, against the verdicts; a peer's normaliser on the same pairs."""
    ours = {failure.call: failure.signature for failure in failures}
    pairs = [pair for pair in _labels("signature_pairs.jsonl") if pair["same"] is not None]
    pairs = [pair for pair in pairs if pair["a"] in ours and pair["b"] in ours]
    if not pairs:
        return None
    return {
        "n": len(pairs),
        **_agreement(pairs, lambda call: ours[call]),
        "foundry": _agreement(pairs, lambda call: _foundry(steps[call])),
    }


def _agreement(pairs: Sequence[dict[str, Any]], signature: Callable[[str], object]) -> dict[str, float]:
    found = Counter((signature(pair["a"]) == signature(pair["b"]), pair["same"]) for pair in pairs)
    right, false, missed = found[True, True], found[True, False], found[False, True]
    precision, recall = right / max(right + false, 1), right / max(right + missed, 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
    }


def _foundry(step: Step) -> tuple[str, str]:
    """The signature of OpenClaw Foundry, rebuilt from its description: the same steps in the same order."""
    text = re.sub(r"\d+", "N", step.text or "")
    text = re.sub(r"0x[a-f0-9]+", "ADDR", text)
    text = re.sub(r"""["'][^"']*["']""", "STR", text)
    text = re.sub(r"at .*:\d+:\d+", "at LOCATION", text)
    return step.tool, text[:150]


def _judged_fixes(mined: Iterable[SessionFindings], steps: dict[str, Step]) -> dict[str, object]:
    """Return how many of the fixes that we name a labeller confirmed, and how many of theirs we name.

    Coverage is of the failures that a change or a call between got over; `coverage_with_work` counts also those that
    were got over by editing code, which is work and never named as a fix.
    """
    labels = [label for label in _labels("fixes.jsonl") if label["failure"] in steps]
    judged = {name: _judged(mined, [label for label in labels if label["drawn"] in drawn]) for name, drawn in _DRAWS}
    return {
        "fix_precision": judged["all"]["precision"],
        "fix_coverage": judged["all"]["coverage"],
        "fix_labels": judged,
    }


def _judged(mined: Iterable[SessionFindings], labels: Sequence[dict[str, Any]]) -> dict[str, object]:
    worked: dict[str, FixAttempt] = {}
    for each in mined:
        for tried in each.attempts:
            if tried.worked:
                worked.setdefault(tried.failure, tried)
    named = [label for label in labels if label["failure"] in worked]
    fixable = [label for label in labels if label["how"] in ("change", "between")]
    later = [label for label in labels if label["same_tool_later"]]
    right = [label for label in named if label in fixable and worked[label["failure"]].later in label["by"]]
    return {
        "n": len(labels),
        "precision": len(right) / len(named) if named else None,
        "coverage": len(right) / len(fixable) if fixable else None,
        "named": len(named),
        "right": len(right),
        "fixable": len(fixable),
        "same_tool_later": len(later),
        "coverage_with_work": len(right) / len(later) if later else None,
        "work_called_a_fix": sum(label["how"] == "work" for label in named),
    }


class _KnownChange:
    """What was known of one change against one failure up to a moment of the replay."""

    def __init__(self, signature: Signature, change: CallChange) -> None:
        self._what = signature, change
        self._worked: set[int] = set()
        self._failed: set[int] = set()
        self._last: tuple[datetime, bool] | None = None

    def add(self, session: int, tried: FixAttempt) -> None:
        (self._worked if tried.worked else self._failed).add(session)
        self._last = tried.at, tried.worked

    def is_known(self) -> bool:
        if self._last is None:
            return False
        signature, change = self._what
        at, worked = self._last
        fix = Fix(
            id="",
            signature=signature,
            change=change,
            before="",
            after="",
            said="",
            sessions=len(self._worked),
            calls=len(self._worked),
            failed_again=len(self._failed - self._worked),
            by_chance=0.0,
            danger=Danger.NONE,
            lost_ms=0,
            lost_tokens=0,
            first=at,
            last=at,
            last_worked=worked,
        )
        return fix.is_reliable


def _in_order(histories: Sequence[History], mined: Sequence[SessionFindings]) -> list[tuple[History, SessionFindings]]:
    pairs = [pair for pair in zip(histories, mined, strict=True) if pair[0].steps]
    return sorted(pairs, key=lambda pair: pair[0].steps[0].at)


def _replay(histories: Sequence[History], mined: Sequence[SessionFindings]) -> dict[str, int]:
    """Count failures that a fix known from earlier sessions would have avoided: the change that finally helped."""
    known: dict[tuple[Signature, CallChange], _KnownChange] = {}
    spared, sessions = 0, set()
    for _, each in _in_order(histories, mined):
        helped = [tried for tried in each.attempts if tried.worked]
        met = {
            tried.failure
            for tried in helped
            if (fix := known.get((tried.signature, tried.change))) is not None and fix.is_known()
        }
        spared += len(met)
        sessions |= {each.session} if met else set()
        for tried in each.attempts:
            what = tried.signature, tried.change
            known.setdefault(what, _KnownChange(*what)).add(each.session, tried)
    return {"failed_calls": spared, "sessions": len(sessions)}


def _first_named(histories: Sequence[History], mined: Sequence[SessionFindings]) -> dict[str, int]:
    """For each fix that became known: in which session of its failure it could first be named."""
    known: dict[tuple[Signature, CallChange], _KnownChange] = {}
    met: dict[Signature, set[int]] = defaultdict(set)
    first: dict[tuple[Signature, CallChange], int] = {}
    for _, each in _in_order(histories, mined):
        for failure in each.failures:
            met[failure.signature].add(each.session)
        for tried in each.attempts:
            what = tried.signature, tried.change
            known.setdefault(what, _KnownChange(*what)).add(each.session, tried)
            if what not in first and known[what].is_known():
                first[what] = len(met[tried.signature])
    return {_words(signature, change): number for (signature, change), number in first.items()}


def _words(signature: Signature, change: CallChange) -> str:
    parts = [*(f"-{word}" for word in change.removed), *(f"+{word}" for word in change.added), *change.first]
    return f"{signature.key} ({signature.who}): {' '.join(parts)[:60]}"
