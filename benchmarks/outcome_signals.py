"""Detects corrections and praise in whole sessions with a detector that was trained without their project."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from benchmarks.detect_fit import HOME, predict_left_out
from benchmarks.detect_items import Item, own_label_items, read_rows, real_items, written_items
from wisen.feedback.features import named_features
from wisen.feedback.turns import turns_of
from wisen.model.signal import Polarity, RecordedSignal, Signal, SignalKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from wisen.model.history import History, Turn

_KINDS = (SignalKind.CORRECTION, SignalKind.PRAISE)


def projects_of_sessions(data: Path | None, histories: Sequence[History]) -> dict[int, str]:
    """By the number of a session, its project: as the data says, else that of other sessions of its context."""
    named = {row["session"]: row["repo"] for row in read_rows(data, "sessions")}
    named |= {item.group: item.project for item in own_label_items(data) if item.project}
    known: dict[str, Counter[str]] = defaultdict(Counter)
    for history in histories:
        if history.native in named:
            known[context_of(history)][named[history.native]] += 1
    found = {}
    for history in histories:
        context = context_of(history)
        of_context = known[context].most_common(1)
        found[history.session] = named.get(history.native) or (of_context[0][0] if of_context else context)
    return found


def context_of(history: History) -> str:
    """The context in which a session was held; empty outside of any."""
    contexts = (*(turn.context for turn in history.turns), *(step.context for step in history.steps))
    return next(filter(None, contexts), "")


def signals_without_project(
    data: Path | None, histories: Sequence[History], projects: Mapping[int, str]
) -> dict[int, tuple[RecordedSignal, ...]]:
    """By the number of a session, its signals. Raises: MissingDataError: there are no labelled turns to train on."""
    items = [*real_items(data), *own_label_items(data), *(each for each in written_items() if each.lang in HOME)]
    features = [named_features(item.typed_turn, paired=False) for item in items]
    found: dict[int, list[RecordedSignal]] = {history.session: [] for history in histories}
    for project in sorted(set(projects.values())):
        asked = [
            (history.session, turn, typed)
            for history in histories
            if projects[history.session] == project
            for turn, typed in turns_of(history)
        ]
        within = [number for number, item in enumerate(items) if item.project != project]
        if not asked:
            continue
        unlabelled = [Item(id=turn.id, group="", typed_turn=typed, kinds=frozenset()) for _, turn, typed in asked]
        predicted = predict_left_out(
            [*(items[number] for number in within), *unlabelled],
            [*(features[number] for number in within), *(named_features(t, paired=False) for _, _, t in asked)],
            [kind.value for kind in _KINDS],
            (range(len(within)), range(len(within), len(within) + len(asked))),
        )
        for kind in _KINDS:
            for (session, turn, _), probability, holds in zip(asked, *predicted[kind.value], strict=True):
                if holds:
                    found[session].append(_recorded(turn, kind, float(probability)))
    return {session: tuple(several) for session, several in found.items()}


def _recorded(turn: Turn, kind: SignalKind, probability: float) -> RecordedSignal:
    signal = Signal(kind=kind, probability=probability, start=0, end=0, polarity=Polarity.NEITHER)
    return RecordedSignal(message=turn.id, at=turn.at, signal=signal)
