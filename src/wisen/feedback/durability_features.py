"""Features that tell whether a lesson is meant beyond the task at hand, as named numbers; the weights are learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.signal import PrecedingEvent
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.model.signal import TypedTurn

_MAX_READ = 700
TURN_FEATURES = {
    name: f"turn: {name}"
    for name in (
        *"liking keep telling lasting lacking again failing doubt order ourselves refuse sight finding softly".split(),
        *"otherwise committed conceded undone".split(),
        *("edited last", "trouble after work"),
    )
}
"""The features of the turn that count here as well, with their names here."""
_DIGIT = lazy_regex(r"\d")
_PAST = lazy_regex(
    r"(?:d(?<!\wd)id(?:n't)?|w(?<!\ww)(?:as(?:n't)?|ere|ent|rote)|h(?<!\wh)ad|g(?<!\wg)ot|m(?<!\wm)ade|s(?<!\ws)aid|"
    r"y(?<!\wy)ou've)\b"
)
_PAST_ENDING = lazy_regex(r"\b[a-z]{2,}[^\We]ed\b")
"""Words and endings that tell of something that happened once; the patterns begin with rare letters."""
_FORBIDS = ("Do not ", "Never ", "Avoid ", "Don't ")


def durability_features(
    message: TypedTurn, lesson: str, groups: Mapping[str, int], turn_features: Mapping[str, float]
) -> dict[str, float]:
    """The features of a lesson and of the turn it was extracted from; `turn_features` are those of the turn."""
    of_turn = {named: turn_features[name] for name, named in TURN_FEATURES.items() if name in turn_features}
    return of_turn | lesson_features(message, lesson, groups)


def lesson_features(message: TypedTurn, lesson: str, groups: Mapping[str, int]) -> dict[str, float]:
    """The features of a lesson; `groups` counts its words by group."""
    text = message.text[:_MAX_READ]
    values = {group: min(many, 2) / 2.0 for group, many in groups.items() if group.startswith("lasting ")}
    low = lesson.lower()
    words = low.split()
    happened = _count_past_words(low, words)
    if happened:
        values["happened"] = min(happened, 2) / 2.0
    if lesson.startswith(_FORBIDS):
        values["forbids"] = 1.0
    if len(words) <= 6:
        values["few words"] = 1.0
    elif len(words) > 22:
        values["many words"] = 1.0
    if len(text) <= 60:
        values["short"] = 1.0
    elif len(text) > 300:
        values["long"] = 1.0
    if message.reason:
        values["refusal's reason"] = 1.0
    elif message.before is PrecedingEvent.INTERRUPT:
        values["after interrupt"] = 1.0
    if _DIGIT.search(text):
        values["digits"] = 1.0
    if '"' in text:
        values["quotes"] = 1.0
    if text.count("\n") > 2:
        values["many lines"] = 1.0
    return values


def _count_past_words(lesson: str, words: list[str]) -> int:
    """How many words of a lesson tell of something that happened; exact up to two."""
    found = len(_PAST.findall(lesson))
    if found < 2 and "ed" in lesson:
        found += len(_PAST_ENDING.findall(" ".join([word for word in words if "ed" in word])))
    return found
