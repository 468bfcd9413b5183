"""Explains what would be recorded from a message and when it would be delivered; or why nothing would."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, json

from wisen.feedback.language import shipped_languages
from wisen.feedback.lesson_triggers import add_triggers
from wisen.feedback.text_normalization import fold
from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.signal import SURE_GAP, PrecedingEvent, SignalKind
from wisen.text.directives import MAX_QUOTE_LENGTH, directives_in
from wisen.text.lasting_words import is_temporary
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.directive import Trigger
    from wisen.model.signal import Lesson, Signal

_AT = datetime(2000, 1, 1, tzinfo=UTC)
_QUESTION = "?？؟"
_KEPT_WHOLE = {
    SignalKind.REQUEST: "kept as a request, and never delivered as a rule",
    SignalKind.GAP: "kept as something that was not known, and never delivered as a rule",
}
STANDS = "given to agents at each session start"
PASSES = "it says itself that it is for now"
POINTS = "it points at something that only this conversation shows"
PERMITS = "a permission, which is never delivered again"
UNMARKED = "nothing in it says that it lasts"
DOUBTFUL = "in doubt: your agent is asked about it where it may help; said with “from now on” it is kept"


class KeptQuote(Struct, frozen=True, kw_only=True):
    """A part of a message that would be recorded, or not."""

    quote: str
    kept: bool
    standing: bool
    """Whether it is delivered at each start; otherwise what is kept is delivered when its trigger comes again."""
    marker: str
    """The words by which it says itself that it lasts."""
    trigger: Trigger | None
    why: str
    """Why it is standing, not standing, or not kept."""


def add_call_trigger(text: str, signals: Iterable[Signal], before: PrecedingEvent, call: str) -> tuple[Signal, ...]:
    """Signals with triggers, where the command is known that was run just before."""
    if not call:
        return tuple(signals)
    arguments = json.encode({"command": call}).decode()
    step = Step(call="1", tool="Bash", arguments=arguments, status=Status.OK, text=None, at=_AT)
    turn = Turn(id="2", action=UserAction.SAID, at=_AT, text=text, before=1, origin="prompt")
    acts = {PrecedingEvent.REJECT: UserAction.REJECTED, PrecedingEvent.INTERRUPT: UserAction.INTERRUPTED}
    stop = [Turn(id="1", action=acts[before], at=_AT, text=None, before=1, call="1")] if before in acts else []
    return add_triggers(History(session=0, steps=(step,), turns=(*stop, turn)), turn, signals)


def _is_kept_whole(signal: Signal) -> bool:
    sure = signal.kind is SignalKind.REQUEST or signal.probability >= SURE_GAP
    return sure and signal.kind in _KEPT_WHOLE


def explain_message(text: str, signals: Iterable[Signal]) -> tuple[KeptQuote, ...]:
    """What would be recorded from a message; where nothing would, one item that says why."""
    found: dict[str, KeptQuote] = {}
    detected = tuple(signals)
    for signal in detected:
        if signal.lesson is not None:
            kept = _explain_doubtful(signal.lesson) if signal.is_doubtful else _explain_lesson(signal.lesson)
            found.setdefault(signal.lesson.text, kept)
        elif _is_kept_whole(signal) and len(quote := " ".join(text.split())) <= MAX_QUOTE_LENGTH:
            found.setdefault(quote, _quote(quote, kept=True, standing=False, why=_KEPT_WHOLE[signal.kind]))
    for each in directives_in(text):
        if not any(
            _normalize(each.text) in _normalize(quote) or _normalize(quote) in _normalize(each.text) for quote in found
        ):
            why = PASSES if each.passing else PERMITS if _is_agreement(each.text) else "a task, and no lesson"
            found[each.text] = KeptQuote(
                quote=each.text, kept=False, standing=False, marker=each.marker, trigger=None, why=why
            )
    return tuple(found.values()) or (_quote(" ".join(text.split()), why=_explain_nothing(text, detected)),)


def _quote(quote: str, *, kept: bool = False, standing: bool = False, why: str) -> KeptQuote:
    return KeptQuote(quote=quote, kept=kept, standing=standing, marker="", trigger=None, why=why)


def _explain_doubtful(lesson: Lesson) -> KeptQuote:
    return _quote(lesson.text, why=DOUBTFUL)


def _explain_lesson(lesson: Lesson) -> KeptQuote:
    when = "given to agents when such a call comes again" if lesson.trigger is not None else "only found by search"
    if lesson.standing:
        why = STANDS
    elif is_temporary(lesson.text):
        why = f"{when}: {PASSES}"
    elif lesson.marker and not stands_alone(lesson.text):
        why = f"{when}: {POINTS}"
    else:
        why = f"{when}: {UNMARKED}"
    return KeptQuote(
        quote=lesson.text,
        kept=True,
        standing=lesson.standing,
        marker=lesson.marker,
        trigger=lesson.trigger,
        why=why,
    )


def _explain_nothing(text: str, signals: tuple[Signal, ...]) -> str:
    """Why nothing of a message would be recorded."""
    kinds = {signal.kind for signal in signals}
    plain = " ".join(text.split())
    too_long = (
        f"no sentence of it tells how to work, and whole it has {len(plain)} characters: at most {MAX_QUOTE_LENGTH}"
    )
    reasons = (
        (len(plain) > MAX_QUOTE_LENGTH, too_long),
        (SignalKind.PRAISE in kinds, "praise: it strengthens what was at work, and teaches nothing new"),
        (plain.rstrip("\"'”)").endswith(tuple(_QUESTION)), "a question"),
        (is_temporary(plain), PASSES),
        (SignalKind.CORRECTION in kinds, "a correction that no call can be found for: a remark, only found by search"),
        (_is_agreement(plain), PERMITS),
    )
    return next((why for holds, why in reasons if holds), "a task or a remark: it does not say how to work")


def _normalize(text: str) -> str:
    return text.casefold().strip(" .!?")


def _is_agreement(plain: str) -> bool:
    folded = fold(plain).strip(" .!")
    return any(folded == each or folded.startswith((f"{each} ", f"{each},")) for each in _agreements())


@cache
def _agreements() -> frozenset[str]:
    groups = (language.groups.get("agree", ()) for language in shipped_languages())
    return frozenset(fold(phrase).strip(" *") for phrases in groups for phrase in phrases)
