"""Turns known fixes into remedies that a hook matches by failure signature, excluding any that could be injected."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.fix import Danger
from wisen.safety.fix_causes import error_names_change
from wisen.safety.fix_texts import is_own_wording, is_reordered, quote_change, quote_line
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wisen.delivery.settings import DeliverPolicy
    from wisen.model.fix import Evidence, Fix

_SURE = 0.6
_SILENT = "shell.said-nothing"
_MAX_COMMAND_LENGTH = 160
_PLACEHOLDERS = lazy_regex(r"<(?:url|path|id|time)>|…|\bN\b")


class Remedy(NamedTuple):
    """A fix as it is stored in a snapshot."""

    id: str
    tool: str
    match: dict[str, object]
    """The signature, the words that the failed command must contain, and the whole command if it was seen once."""
    near: tuple[str, ...]
    """Lowercase words, one of which occurs in every such failure; empty if that is unknown."""
    text: str
    danger: str
    ids: tuple[str, ...]


def is_named_by_error(fix: Fix) -> bool:
    """Whether the error message of its newest example names what a fix changes."""
    return error_names_change(fix.signature, fix.change, fix.said, fix.before, fix.after)


def build_remedies(  # noqa: PLR0913 - what a remedy depends on
    fixes: Sequence[Fix],
    evidence_of: Callable[[str], Sequence[Evidence]],
    is_allowed: Callable[[Fix, Evidence], bool],
    near: Mapping[str, Sequence[str]],
    policy: DeliverPolicy,
    praised: Mapping[str, int] | None = None,
    *,
    is_named: Callable[[Fix], bool] = is_named_by_error,
) -> dict[str, list[Remedy]]:
    """Return, by context, what may be delivered after a failure, the most reliable first; "" holds the global ones.

    A fix that is not known to be harmless is delivered only if `is_allowed` says so.

    Among equally reliable fixes, each praise counts as one more session in which the fix helped.

    A fix of one context is delivered there, with its own example. One that helped in two is global, without example.
    """
    by_context: dict[str, list[Remedy]] = {"": []}
    praise = praised or {}
    for fix in sorted(fixes, key=lambda each: (-each.confidence, -each.sessions - praise.get(each.id, 0), each.id)):
        if not is_reliable(fix, policy, is_named):
            continue
        examples: dict[str, Evidence] = {}
        for each in evidence_of(fix.id):
            if each.worked and each.context:
                examples.setdefault(each.context, each)
        for context, example in examples.items():
            if _says_something(fix, example) and (fix.danger is Danger.NONE or is_allowed(fix, example)):
                by_context.setdefault(context, []).append(_remedy(fix, example, near))
        is_global = fix.danger is Danger.NONE and _holds_anywhere(fix) and "…" not in fix.change.description
        if len(examples) > 1 and fix.sessions > 1 and is_global:
            by_context[""].append(_remedy(fix, None, near))
    for context, local in by_context.items():
        if context:
            known = {each.id for each in local}
            local += [each for each in by_context[""] if each.id not in known]
    return by_context


def _holds_anywhere(fix: Fix) -> bool:
    """Whether a fix only removes or reorders words, or changes how the agent's own tool is used: it adds no names."""
    change = fix.change
    added = [*change.added, *change.first]
    if not added or all(is_own_wording(each) for each in added):
        return True
    return is_reordered(change)


def is_reliable(fix: Fix, policy: DeliverPolicy, is_named: Callable[[Fix], bool] = is_named_by_error) -> bool:
    """Whether a fix helps often enough.

    One that was seen once must be a command whose error message names the fix: other calls cannot be told apart from
    similar ones.
    """
    if not fix.last_worked or fix.sessions < policy.fix_sessions or max(fix.success_rate, fix.confidence) < _SURE:
        return False
    if fix.sessions == 1 and command_of(fields_of(fix.before)) is None:
        return False
    if is_named(fix):
        return fix.success_rate >= _SURE
    return fix.sessions > 1 and fix.confidence >= _SURE


class FailingForm(NamedTuple):
    """The words of a command that failed, by which a success of the same command is recognized."""

    tool: str
    program: str
    words: tuple[str, ...]
    whole: bool
    """Whether these are all its words: the fix removed none, so none of them is wrong."""

    def fits(self, tool: str, line: str) -> bool:
        """Whether a call of a tool with a command line has this form."""
        if tool != self.tool or not all(word in line for word in self.words):
            return False
        command = parse_command(line)
        tokens = command.tokens
        return (
            tokens == self.words
            if self.whole
            else command.main_part.program == self.program and {*self.words} <= {*tokens}
        )


def failing_form(fix: Fix, is_named: Callable[[Fix], bool] = is_named_by_error) -> FailingForm | None:
    """Return what a fix based on repetition alone says is wrong; None if the error names it or a check failed."""
    line = command_of(fields_of(fix.before))
    if line is None or fix.change.first or fix.signature.key.startswith("build.") or is_named(fix):
        return None
    command = parse_command(line)
    removed = tuple(word for word in fix.change.removed if "…" not in word)
    return FailingForm(fix.change.tool, command.main_part.program, removed or command.tokens, not removed)


def _says_something(fix: Fix, example: Evidence | None) -> bool:
    """Whether anything is left of a fix without the values that differ every time."""
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
    once = ", seen once" if fix.sessions == 1 else ""
    helped = (
        f"This failed before in the same way ({signature.safe_description}). What helped then: {quote_change(change)}"
    )
    text = f"{helped}{_example_text(example)} ({fix.id}{once})"
    # The count and the newest example are not part of the version: otherwise a trial would never end.
    whole = json.dumps([helped, match], sort_keys=True)
    version = blake2b(whole.encode("ascii"), digest_size=4).hexdigest()
    words = () if signature.key == _SILENT else tuple(near.get(signature.key, ())) or _pieces(signature.says)
    return Remedy(fix.id, change.tool, match, words, text, fix.danger.value, (f"{fix.id}:{version}",))


def _example_text(example: Evidence | None) -> str:
    if example is None:
        return "."
    before, after = (command_of(fields_of(each)) for each in (example.before, example.after))
    if before is None or after is None or before == after or max(len(before), len(after)) > _MAX_COMMAND_LENGTH:
        return "."
    one, two = quote_line(before), quote_line(after)
    return f", as in `{one}` → `{two}`." if one and two and one != two else "."


def _pieces(says: str) -> tuple[str, ...]:
    """Return the longest part of a line between its placeholders: it occurs in every such line."""
    longest = max((piece.strip() for piece in _PLACEHOLDERS.split(says)), key=len, default="")
    return (max(longest.casefold().split(), key=len),) if longest else ()
