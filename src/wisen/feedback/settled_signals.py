"""Signals of settled turns: sentences that an agent pointed at and the log verified replace what was detected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs
from msgspec.structs import replace

from wisen.feedback.turns import turns_of
from wisen.model.pointing import TurnClaimKind, turn_id
from wisen.model.signal import Lesson, LessonTopic, Polarity, RecordedSignal, Signal, SignalKind, TypedTurn
from wisen.text.directives import directives_in
from wisen.text.negations import count_negations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.feedback.detector import DetectorModel
    from wisen.model.failure import SessionFindings
    from wisen.model.history import History
    from wisen.model.pointing import SettledTurn

KINDS = {
    TurnClaimKind.CORRECTION: SignalKind.CORRECTION,
    TurnClaimKind.PREFERENCE: SignalKind.PREFERENCE,
    TurnClaimKind.REMEMBER: SignalKind.REMEMBER,
}
_STATED = 0.9
_MAX_UNSTATED = 0.5
"""For words that do not say themselves that they last: neither an agent nor a probability makes them do so."""
_SURE = 1.0


def apply_settled(
    session: History, mined: SessionFindings, settled: Mapping[str, SettledTurn], model: DetectorModel | None = None
) -> SessionFindings:
    """Return the session's findings with the signals of settled turns replaced by what was settled."""
    if not settled:
        return mined
    from wisen.feedback.detector import shipped_detector

    signals = list(mined.signals)
    for turn, message in turns_of(session):
        known = settled.get(turn_id(session.agent, session.native, turn.id))
        if known is None:
            continue
        of_turn = [each.signal for each in signals if each.message == turn.id]
        new = [
            RecordedSignal(message=turn.id, at=turn.at, signal=each)
            for each in settled_signals(known, message, of_turn, model or shipped_detector())
        ]
        before = [each for each in signals if each.message != turn.id and each.at <= turn.at]
        after = [each for each in signals if each.message != turn.id and each.at > turn.at]
        signals = [*before, *new, *after]
    return replace(mined, signals=tuple(signals))


def settled_signals(
    settled: SettledTurn, message: TypedTurn, signals: Iterable[Signal], model: DetectorModel
) -> tuple[Signal, ...]:
    """The signals of a settled turn; `signals` are those detected in it, of which the other kinds stay."""
    before = tuple(signals)
    others = tuple(each for each in before if each.kind not in KINDS.values())
    if settled.kind is TurnClaimKind.NONE:
        return others
    kind = KINDS[settled.kind]
    lesson = _lesson(settled, message, before, model)
    start = max(0, message.text.find(settled.words))
    return (
        Signal(
            kind=kind,
            probability=_SURE,
            start=start,
            end=min(len(message.text), start + len(settled.words)),
            polarity=Polarity.AGAINST if kind is SignalKind.CORRECTION or lesson.forbids else Polarity.FOR,
            lesson=lesson,
        ),
        *others,
    )


def _lesson(settled: SettledTurn, message: TypedTurn, signals: Iterable[Signal], model: DetectorModel) -> Lesson:
    """The lesson: the user's verified sentences. Only their own words can make it last."""
    words = settled.words
    directives = directives_in(words)
    standing = next((each for each in directives if each.standing), None)
    lasts = standing is not None or settled.kind is TurnClaimKind.REMEMBER
    read = TypedTurn(text=words, before=message.before, reason=message.reason, calls=message.calls)
    drawn = next((each.lesson for each in model.signals(read, {SignalKind.CORRECTION}) if each.lesson), None)
    trigger = next((each.lesson.trigger for each in signals if each.lesson and each.lesson.trigger), None)
    forbids = all(each.forbids for each in directives) if directives else count_negations(words) > 0
    lesson = drawn or Lesson(text=words, forbids=forbids, durable=0.0, is_durable=False, about=LessonTopic.FACT)
    return structs.replace(
        lesson,
        text=words,
        forbids=forbids,
        durable=max(lesson.durable, _STATED) if lasts else min(lesson.durable, _MAX_UNSTATED),
        is_durable=lasts,
        marker=standing.marker if standing else "",
        standing=standing is not None,
        trigger=trigger,
    )
