"""What tells whether a lesson is meant beyond the task at hand, as named numbers; which way they point is learnt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.domain.signals import Before

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.domain.signals import Heard

_READ = 700
_OF_TURN = {
    name: f"turn: {name}"
    for name in (
        *"liking keep telling lasting lacking again failing doubt order ourselves refuse sight finding softly".split(),
        *"otherwise committed conceded undone names".split(),
        *("edited last", "asked again later", "trouble after work"),
    )
}
"""What the turn itself shows that counts here as well."""
_DIGIT = re.compile(r"\d")
_PAST = re.compile(r"\b(?:did(?:n't)?|was(?:n't)?|were|had|got|made|went|wrote|said|you've|[a-z]{2,}[^\We]ed)\b")
"""What tells of something that happened once."""
_FORBIDS = ("Do not ", "Never ", "Avoid ", "Don't ")


def lasting(heard: Heard, lesson: str, groups: Mapping[str, int], shown: Mapping[str, float]) -> dict[str, float]:
    """The features of a lesson and of the turn it was drawn from.

    `groups` tells how many of its words stand for what, `shown` is what the turn shows.
    """
    text = heard.text[:_READ]
    values = {named: shown[name] for name, named in _OF_TURN.items() if name in shown}
    values.update({group: min(many, 2) / 2.0 for group, many in groups.items() if group.startswith("lasting ")})
    happened = len(_PAST.findall(lesson.lower()))
    if happened:
        values["happened"] = min(happened, 2) / 2.0
    if lesson.startswith(_FORBIDS):
        values["forbids"] = 1.0
    words = len(lesson.split())
    if words <= 6:
        values["few words"] = 1.0
    elif words > 22:
        values["many words"] = 1.0
    if len(text) <= 60:
        values["short"] = 1.0
    elif len(text) > 300:
        values["long"] = 1.0
    if heard.reason:
        values["refusal's reason"] = 1.0
    elif heard.before is Before.INTERRUPT:
        values["after interrupt"] = 1.0
    for name, holds in (
        ("digits", _DIGIT.search(text) is not None),
        ("quotes", '"' in text),
        ("many lines", text.count("\n") > 2),
    ):
        if holds:
            values[name] = 1.0
    return values
