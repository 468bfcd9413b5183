"""`wisen praise`: lists praise, and the lessons, fixes, workflows and skills that it strengthened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.model.reinforcement import MAX_STRENGTH, PraiseMoment
from wisen.surfaces.cli.render import clip, plural, print_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.reinforcement import Praise, Reinforcement

_SHOWN = 30
_WIDE = 96
_KINDS = {"W-": "a workflow", "S-": "a skill"}
"""What something without a text is, by how its id begins."""
_NONE = "No praise was found yet. wisen learn reads your sessions."
MOMENTS = {
    PraiseMoment.START: "given in the session",
    PraiseMoment.PROMPT: "given at a prompt",
    PraiseMoment.FAILURE: "given at a failure",
    PraiseMoment.NAMED: "named by you",
    PraiseMoment.LOADED: "loaded by the agent",
}


def list_praises(*, days: float | None, as_json: bool) -> int:
    """List praises, newest first."""
    with app.wire().learner(reads=False) as learner:
        found = learner.praise.list_praises(days=days)
    if as_json:
        print_json({"praises": [_praise_fields(each) for each in found]})
        return 0
    for each in found[:_SHOWN]:
        quote = f"“{clip(each.quote, _WIDE)}”" if each.quote else "(the message is no longer kept)"
        say(f"{each.at:%Y-%m-%d %H:%M}  {quote}")
        say(f"    {each.agent} session {each.session}", dim=True)
        for one in each.strengthened:
            again = "" if one.counts else ", counted with another praise of the session"
            what = clip(one.text, _WIDE) if one.text else _KINDS.get(one.id[:2], "a fix")
            say(f"    +{one.weight:g}  {one.name}  {what} ({MOMENTS[one.how]}{again})")
        if not each.strengthened:
            say(f"    strengthened nothing: {each.why}", dim=True)
    if len(found) > _SHOWN:
        say(f"and {len(found) - _SHOWN:,} more: wisen praise --json", dim=True)
    strengthening = sum(bool(each.strengthened) for each in found)
    say(
        f"{plural(len(found), 'praise')} found, {strengthening} of them strengthened what was in use."
        if found
        else _NONE
    )
    return 0


def praise_lines(praises: Sequence[Reinforcement], strength: float) -> list[str]:
    """Return lines about the praise of one lesson or fix."""
    if not praises:
        return []
    head = f"Praised in {plural(len(praises), 'session')}; strength {strength:.2f} of {MAX_STRENGTH:g} now:"
    return [head, *(f"  {row.at:%Y-%m-%d %H:%M}, +{row.weight:g}, {MOMENTS[row.how]}" for row in reversed(praises))]


def _praise_fields(praise: Praise) -> dict[str, object]:
    strengthened = [each._asdict() for each in praise.strengthened]
    return {**praise._asdict(), "calls": list(praise.calls), "strengthened": strengthened}
