"""Determines the outcome of Gemini CLI tool calls, from the status and the result text given to the model."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents.gemini_cli.gemini_cli_typed_text import strip_hook_context
from wisen.agents.gemini_cli.records import display_text, parts_of
from wisen.agents.masked_failures import has_error_line
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.agents.gemini_cli.records import ToolCall

SHELL = "run_shell_command"
_FRAME = lazy_regex(r"\s*<untrusted_context>\n(?P<inside>.*?)\n?</untrusted_context>\s*\Z", re.DOTALL)
_EXIT = lazy_regex(
    # Only the last lines come from the tool itself; anything before them may be output of the command.
    r"^(?:Exit Code: (?P<code>-?\d+|\(none\))\n?)?(?:Signal: (?P<signal>[^\n]*)\n?)?"
    r"(?:(?:Background PIDs|Process Group PGID|PGID): [^\n]*\n?)*\s*\Z",
    re.MULTILINE,
)
_OUTPUT = lazy_regex(r"(?:Command: [^\n]*\n(?:Directory: [^\n]*\n)?)?(?:Output|Stdout): ?")
_BLOCKED = "Tool execution blocked: "
"""How the text of a hook begins that blocked a call."""
_REJECTED = lazy_regex(r"did not allow|denied|declined|rejected", re.IGNORECASE)


class GeminiOutcomeKind(StrEnum):
    """How a call ended."""

    SUCCEEDED = "well"
    FAILED = "failed"
    MASKED = "masked"
    BLOCKED = "blocked"
    """A hook blocked it before it ran."""
    REJECTED = "refused"
    STOPPED = "stopped"


class GeminiOutcome(NamedTuple):
    """How a call ended, with the error text of a failure."""

    kind: GeminiOutcomeKind
    text: str | None = None


def outcome_of(call: ToolCall, *, hides_exit: bool) -> GeminiOutcome | None:
    """Return the outcome of a call; None while it runs."""
    if call.status == "success":
        return _outcome_of_success(call, hides_exit=hides_exit)
    if call.status == "error":
        text = _result_text(call) or display_text(call.resultDisplay)
        return (
            GeminiOutcome(GeminiOutcomeKind.BLOCKED)
            if text.startswith(_BLOCKED)
            else GeminiOutcome(GeminiOutcomeKind.FAILED, text)
        )
    if call.status == "cancelled":
        return GeminiOutcome(
            GeminiOutcomeKind.REJECTED if _REJECTED.search(_result_text(call)) else GeminiOutcomeKind.STOPPED
        )
    return None


def _outcome_of_success(call: ToolCall, *, hides_exit: bool) -> GeminiOutcome:
    if call.name != SHELL and not hides_exit:
        return GeminiOutcome(GeminiOutcomeKind.SUCCEEDED)
    text = _result_text(call)
    last = _EXIT.search(text)
    printed = _OUTPUT.sub("", text[: last.start()] if last else text, count=1).strip("\n")
    code, signal = (last["code"] or "0", last["signal"] or "(none)") if last else ("0", "(none)")
    if code not in ("0", "(none)"):
        return GeminiOutcome(GeminiOutcomeKind.FAILED, f"Exit code {code}\n{printed}")
    if signal not in ("0", "(none)"):
        return GeminiOutcome(GeminiOutcomeKind.FAILED, f"{printed}\nSignal: {signal}")
    return (
        GeminiOutcome(GeminiOutcomeKind.MASKED, printed)
        if hides_exit and has_error_line(printed)
        else GeminiOutcome(GeminiOutcomeKind.SUCCEEDED)
    )


def _result_text(call: ToolCall) -> str:
    """Return the result text given to the model, without frames and hook context."""
    try:
        parts = parts_of(call.result)
    except msgspec.ValidationError:
        return display_text(call.resultDisplay)
    texts = [part.text or "" for part in parts]
    for part in parts:
        response = part.functionResponse.response if part.functionResponse else None
        value = (response.error or response.output) if response else None
        texts.append(value if isinstance(value, str) else "")
    text = strip_hook_context("\n".join(text for text in texts if text))
    framed = _FRAME.match(text)
    return framed["inside"] if framed else text
