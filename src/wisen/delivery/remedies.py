"""Known fixes as a hook can match them: by signature, and only those that nobody could have smuggled in."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.event import Status
from wisen.model.fix import Danger
from wisen.safety.fix_causes import is_named_by_complaint
from wisen.safety.fix_words import is_own_wording, is_reordered, quote_change, quote_line
from wisen.text.command_lines import command_of, fields_of, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wisen.delivery.settings import DeliverPolicy
    from wisen.model.fix import Evidence, Fix
    from wisen.model.history import Step

_SURE = 0.6
_SILENT = "shell.said-nothing"
_LONGEST = 160
_PLACEHOLDERS = re.compile(r"<(?:url|path|id|time)>|…|\bN\b")


class Remedy(NamedTuple):
    """A fix as it stands in a snapshot."""

    id: str
    tool: str
    match: dict[str, object]
    """The signature; words that the failed command must hold; and the whole command, where it was seen once."""
    near: tuple[str, ...]
    """Words in small letters, one of which stands in every such failure; none where that cannot be told."""
    text: str
    danger: str
    ids: tuple[str, ...]


def build_remedies(
    fixes: Sequence[Fix],
    evidence_of: Callable[[str], Sequence[Evidence]],
    is_allowed: Callable[[Fix, Evidence], bool],
    near: Mapping[str, Sequence[str]],
    policy: DeliverPolicy,
    praised: Mapping[str, int] | None = None,
) -> dict[str, list[Remedy]]:
    """By context, what may be told after a failure, the surest first; empty for what holds anywhere.

    What is not known to be harmless is told only where `is_allowed` says so.

    Of those that are as sure, each praise counts as one more session in which a fix helped.

    A fix of one context is told there, with its own example. What helped in two is told everywhere, without one.
    """
    found: dict[str, list[Remedy]] = {"": []}
    liked = praised or {}
    for fix in sorted(fixes, key=lambda each: (-each.confidence, -each.sessions - liked.get(each.id, 0), each.id)):
        if not is_reliable(fix, policy):
            continue
        here: dict[str, Evidence] = {}
        for each in evidence_of(fix.id):
            if each.worked and each.context:
                here.setdefault(each.context, each)
        for context, example in here.items():
            if _says_something(fix, example) and (fix.danger is Danger.NONE or is_allowed(fix, example)):
                found.setdefault(context, []).append(_remedy(fix, example, near))
        holds = fix.danger is Danger.NONE and _holds_anywhere(fix) and "…" not in fix.change.words
        if len(here) > 1 and fix.sessions > 1 and holds:
            found[""].append(_remedy(fix, None, near))
    for context, own in found.items():
        if context:
            known = {each.id for each in own}
            own += [each for each in found[""] if each.id not in known]
    return found


def _holds_anywhere(fix: Fix) -> bool:
    """Whether a fix only takes away, reorders, or asks the agent's own tool otherwise: it names nothing new."""
    change = fix.change
    added = [*change.added, *change.first]
    if not added or all(is_own_wording(each) for each in added):
        return True
    return is_reordered(change)


def is_reliable(fix: Fix, policy: DeliverPolicy) -> bool:
    """Whether it helps often enough.

    What was seen once is told only where the complaint itself names it, and only of a command: others cannot be told
    apart from their like.
    """
    named = is_named_by_error(fix)
    if fix.sessions == 1 and (command_of(fields_of(fix.before)) is None or not named):
        return False
    helps = fix.success if named else fix.confidence
    return fix.last_worked and fix.sessions >= policy.fix_sessions and helps >= _SURE


class FailingForm(NamedTuple):
    """The words of a command that failed, by which the same is known where it succeeded."""

    tool: str
    program: str
    words: tuple[str, ...]
    whole: bool
    """Whether these are all its words: nothing was taken away from it, and so nothing in it is wrong."""

    def has_succeeded(self, step: Step) -> bool:
        """Whether a step is a call of this form that succeeded."""
        line = command_of(fields_of(step.arguments)) if step.status is Status.OK and step.tool == self.tool else None
        if line is None or not all(word in line for word in self.words):
            return False
        command = parsed(line)
        tokens = command.tokens
        return (
            tokens == self.words if self.whole else command.main.program == self.program and {*self.words} <= {*tokens}
        )


def failing_form(fix: Fix) -> FailingForm | None:
    """What a fix that rests on repetition alone says is wrong; None where a complaint names it, or a check failed."""
    line = command_of(fields_of(fix.before))
    if line is None or fix.change.first or fix.signature.key.startswith("build.") or is_named_by_error(fix):
        return None
    command = parsed(line)
    gone = tuple(word for word in fix.change.removed if "…" not in word)
    return FailingForm(fix.change.tool, command.main.program, gone or command.tokens, not gone)


def is_named_by_error(fix: Fix) -> bool:
    """Whether the complaint of its newest example names what a fix changes."""
    return is_named_by_complaint(fix.signature, fix.change, fix.said, fix.before, fix.after)


def _says_something(fix: Fix, example: Evidence | None) -> bool:
    """Whether anything is left of a fix when the values are taken out that differ every time."""
    words = (*fix.change.removed, *fix.change.added, *fix.change.first)
    return any(word.strip("… ") for word in words) or _example_text(example) != "."


def _remedy(fix: Fix, example: Evidence | None, near: Mapping[str, Sequence[str]]) -> Remedy:
    signature, change = fix.signature, fix.change
    match: dict[str, object] = {"key": signature.key, "who": signature.who, "says": signature.says}
    before = command_of(fields_of(example.before if example else fix.before))
    if before is not None:
        match["needs"] = [word for word in change.removed if "…" not in word]
        if fix.sessions == 1:
            match["command"] = " ".join(before.split())
    seen = ", seen once" if fix.sessions == 1 else ""
    helped = f"This failed before in the same way ({signature.phrase}). What helped then: {quote_change(change)}"
    text = f"{helped}{_example_text(example)} ({fix.id}{seen})"
    # How often it was seen, and the newest example, are no part of it: a trial would never end.
    whole = json.dumps([helped, match], sort_keys=True)
    version = blake2b(whole.encode("ascii"), digest_size=4).hexdigest()
    nearby = () if signature.key == _SILENT else tuple(near.get(signature.key, ())) or _pieces(signature.says)
    return Remedy(fix.id, change.tool, match, nearby, text, fix.danger.value, (f"{fix.id}:{version}",))


def _example_text(example: Evidence | None) -> str:
    if example is None:
        return "."
    before, after = (command_of(fields_of(each)) for each in (example.before, example.after))
    if before is None or after is None or before == after or max(len(before), len(after)) > _LONGEST:
        return "."
    one, two = quote_line(before), quote_line(after)
    return f", as in `{one}` → `{two}`." if one and two and one != two else "."


def _pieces(says: str) -> tuple[str, ...]:
    """The longest piece of a line whose values were taken out: it stands in every such line."""
    longest = max((piece.strip() for piece in _PLACEHOLDERS.split(says)), key=len, default="")
    return (max(longest.casefold().split(), key=len),) if longest else ()
