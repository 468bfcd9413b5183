"""What tells whether a lesson is meant beyond the task at hand, as named numbers; which way they point is learnt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.signal import Before

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.model.signal import Heard

_READ = 700
OF_TURN = {
    name: f"turn: {name}"
    for name in (
        *"liking keep telling lasting lacking again failing doubt order ourselves refuse sight finding softly".split(),
        *"otherwise committed conceded undone".split(),
        *("edited last", "trouble after work"),
    )
}
"""What the turn itself shows that counts here as well, and how it is called here."""
_DIGIT = re.compile(r"\d")
_PAST = re.compile(
    r"(?:d(?<!\wd)id(?:n't)?|w(?<!\ww)(?:as(?:n't)?|ere|ent|rote)|h(?<!\wh)ad|g(?<!\wg)ot|m(?<!\wm)ade|s(?<!\ws)aid|"
    r"y(?<!\wy)ou've)\b"
)
_ENDED = re.compile(r"\b[a-z]{2,}[^\We]ed\b")
"""What tells of something that happened once: words, which begin with what is rare, and how words end."""
_FORBIDS = ("Do not ", "Never ", "Avoid ", "Don't ")


def lasting(heard: Heard, lesson: str, groups: Mapping[str, int], shown: Mapping[str, float]) -> dict[str, float]:
    """The features of a lesson and of the turn it was drawn from; `shown` is what the turn shows."""
    of_turn = {named: shown[name] for name, named in OF_TURN.items() if name in shown}
    return of_turn | of_lesson(heard, lesson, groups)


def of_lesson(heard: Heard, lesson: str, groups: Mapping[str, int]) -> dict[str, float]:
    """The features of a lesson; `groups` tells how many of its words stand for what."""
    text = heard.text[:_READ]
    values = {group: min(many, 2) / 2.0 for group, many in groups.items() if group.startswith("lasting ")}
    low = lesson.lower()
    words = low.split()
    happened = _happened(low, words)
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
    if heard.reason:
        values["refusal's reason"] = 1.0
    elif heard.before is Before.INTERRUPT:
        values["after interrupt"] = 1.0
    if _DIGIT.search(text):
        values["digits"] = 1.0
    if '"' in text:
        values["quotes"] = 1.0
    if text.count("\n") > 2:
        values["many lines"] = 1.0
    return values


def _happened(lesson: str, words: list[str]) -> int:
    """How many words of a lesson tell of something that happened; from two on it may be more."""
    found = len(_PAST.findall(lesson))
    if found < 2 and "ed" in lesson:
        found += len(_ENDED.findall(" ".join([word for word in words if "ed" in word])))
    return found
