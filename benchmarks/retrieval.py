"""Measures retrieval of earlier turns on LoCoMo and sde-bench, compared with plain FTS5, bm25s and an embedder.

Data: `--data DIR` with locomo/ and sde-bench/. Weights are tuned on one half of LoCoMo's conversations and reported on
the other, then the halves are swapped. bm25s and the embedder are measured where they are installed (extra `bench`).
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import TYPE_CHECKING

from benchmarks.data import MissingDataError
from benchmarks.recall_peers import PEERS
from benchmarks.recall_speed import measure_speeds
from benchmarks.recalled import group_hits, load_decisions, load_locomo, open_memories, search
from wisen.memory.ranking import rank
from wisen.model.memory import DEFAULT_WEIGHTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from benchmarks.recalled import Conversation, Question
    from wisen.model.memory import MemoryHit, RankingWeights

_FIELDS = [DEFAULT_WEIGHTS._replace(beside=beside) for beside in (0.2, 0.3, 0.5)]
_RANKS = [(session, fade) for session in (0.2, 0.4, 0.6) for fade in (0.5, 0.6, 0.75)]
"""What is tried: the weights of the fields, and those of the session."""


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    talks = load_locomo(options.data)
    if len(talks) < len(("tuned on", "measured on")) or not all(talk.questions for talk in talks):
        raise MissingDataError(f"locomo10.json in {options.data} holds fewer than two conversations with questions")
    found = {fields: _search_all(talks, fields) for fields in _FIELDS}
    halves = [range(0, len(talks), 2), range(1, len(talks), 2)]
    tuned = [_best(talks, found, half) for half in halves]
    swapped = _mean([figures for design, half in zip(tuned, reversed(halves), strict=True)
                     for figures in _measure(talks, found[_fields_of(design)], design, half)])  # fmt: skip
    everything = range(len(talks))
    shipped = _mean(_measure(talks, found[_fields_of(DEFAULT_WEIGHTS)], DEFAULT_WEIGHTS, everything))
    return {
        **swapped,
        "tuned": [_shown_weights(design) for design in tuned],
        "shipped": shipped,
        "decisions": _decisions(options.data),
        **measure_speeds(),
        "baselines": {name: peer(talks, _score) for name, peer in PEERS.items()},
    }


def _fields_of(design: RankingWeights) -> RankingWeights:
    return DEFAULT_WEIGHTS._replace(who=design.who, day=design.day, beside=design.beside)


def _shown_weights(design: RankingWeights) -> dict[str, float]:
    return {name: getattr(design, name) for name in ("who", "day", "beside", "session", "fade")}


def _search_all(talks: Sequence[Conversation], design: RankingWeights) -> list[list[list[MemoryHit]]]:
    """For each question of each conversation what the store finds; ranking is cheap and comes later."""
    answers = []
    for talk in talks:
        with open_memories(talk.memories) as store:
            answers.append([search(store, question.text, design) for question in talk.questions])
    return answers


def _best(
    talks: Sequence[Conversation], found: dict[RankingWeights, list[list[list[MemoryHit]]]], half: Iterable[int]
) -> RankingWeights:
    """The design with the best mean of turn R@5, R@10 and nDCG@10 on some conversations."""
    half = list(half)
    tried = [fields._replace(session=session, fade=fade) for fields in _FIELDS for session, fade in _RANKS]

    def worth(design: RankingWeights) -> float:
        return sum(_mean(_measure(talks, found[_fields_of(design)], design, half, whole=False))["turn"].values())

    return max(tried, key=worth)


def _measure(
    talks: Sequence[Conversation],
    found: list[list[list[MemoryHit]]],
    design: RankingWeights,
    which: Iterable[int],
    *,
    whole: bool = True,
) -> list[dict[str, float]]:
    """The figures of each question; those of sessions only in a `whole` measurement."""
    figures = []
    for number in which:
        talk = talks[number]
        now = max(memory.at for memory in talk.memories if memory.at is not None)
        for question, hit in zip(talk.questions, found[number], strict=True):
            ranked = [each.memory.id for each in rank(hit, now=now, design=design)]
            sessions = [group.best.session for group in group_hits(hit, now, design)] if whole else []
            figures.append(_score(question, ranked, sessions))
    return figures


def _score(question: Question, ranked: Sequence[str], sessions: Sequence[str]) -> dict[str, float]:
    """The figures of one question."""
    evidence = question.evidence
    needed = {each.split(":")[0].removeprefix("D") for each in evidence}
    return {
        "r5": len(evidence & set(ranked[:5])) / len(evidence),
        "r10": len(evidence & set(ranked[:10])) / len(evidence),
        "ndcg10": _ndcg(ranked[:10], evidence),
        "s5": float(needed <= set(sessions[:5])),
        "s10": float(needed <= set(sessions[:10])),
    }


def _ndcg(ranked: Sequence[str], evidence: Collection[str]) -> float:
    gained = sum(1 / math.log2(place + 2) for place, each in enumerate(ranked) if each in evidence)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(len(evidence), 10)))


def _mean(figures: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    means = {name: sum(each[name] for each in figures) / len(figures) for name in figures[0]}
    return {
        "turn": {name: means[name] for name in ("r5", "r10", "ndcg10")},
        "session_all": {"r5": means["s5"], "r10": means["s10"]},
    }


def _decisions(data: Path | None) -> dict[str, object] | None:
    """Whether the session that holds the decision comes first, and an amended one before the one it replaces.

    None where the data has no such part.
    """
    figures: dict[str, object] = {}
    right = asked = stale = amended = 0
    for source in ("conversation", "conversation-amended", "history"):
        for typed in (False, True):
            try:
                decisions = load_decisions(data, source, typed=typed)
            except MissingDataError:
                return None
            if not decisions.decisions:
                figures[f"{source}{' typed only' if typed else ''}"] = None
                continue
            with ExitStack() as stack:
                store = stack.enter_context(open_memories(decisions.memories))
                now: datetime = max(memory.at for memory in decisions.memories if memory.at is not None)
                first = before = 0
                for decision in decisions.decisions:
                    ranked = [group.best.session for group in group_hits(search(store, decision.question), now)]
                    first += ranked[:1] == [decision.sessions[-1]]
                    places = [ranked.index(each) if each in ranked else len(ranked) for each in decision.sessions]
                    before += places[-1] != min(places)
            figures[f"{source}{' typed only' if typed else ''}"] = {
                "r1": first / len(decisions.decisions),
                "n": len(decisions.decisions),
                "stale_first": before,
            }
            if not typed and source != "history":
                right, asked = right + first, asked + len(decisions.decisions)
            if not typed and source == "conversation-amended":
                stale, amended = before, len(decisions.decisions)
    return {"r1": right / asked if asked else None, "n": asked, "stale_first": stale, "amended": amended, **figures}
