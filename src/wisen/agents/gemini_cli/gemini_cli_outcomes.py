"""How a tool call of Gemini CLI ended: its status says too little, the text that the model was given says the rest."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents.gemini_cli.gemini_cli_typed_text import strip_hook_context
from wisen.agents.gemini_cli.records import display_text, parts_of
from wisen.agents.masked_failures import has_error_line

if TYPE_CHECKING:
    from wisen.agents.gemini_cli.records import ToolCall

SHELL = "run_shell_command"
_FRAME = re.compile(r"\s*<untrusted_context>\n(?P<inside>.*?)\n?</untrusted_context>\s*\Z", re.DOTALL)
_EXIT = re.compile(
    # Only the last lines are the tool's own; whatever stands before them the command may have printed.
    r"^(?:Exit Code: (?P<code>-?\d+|\(none\))\n?)?(?:Signal: (?P<signal>[^\n]*)\n?)?"
    r"(?:(?:Background PIDs|Process Group PGID|PGID): [^\n]*\n?)*\s*\Z",
    re.MULTILINE,
)
_OUTPUT = re.compile(r"(?:Command: [^\n]*\n(?:Directory: [^\n]*\n)?)?(?:Output|Stdout): ?")
_BLOCKED = "Tool execution blocked: "
"""How the words of a hook begin that stopped a call."""
_REFUSED = re.compile(r"did not allow|denied|declined|rejected", re.IGNORECASE)


class GeminiOutcomeKind(StrEnum):
    """How a call ended."""

    SUCCEEDED = "well"
    FAILED = "failed"
    MASKED = "masked"
    BLOCKED = "blocked"
    """A hook stopped it before it began."""
    REFUSED = "refused"
    STOPPED = "stopped"


class GeminiOutcome(NamedTuple):
    """An end, with the words of a failure."""

    how: GeminiOutcomeKind
    text: str | None = None


def outcome_of(call: ToolCall, *, hides_exit: bool) -> GeminiOutcome | None:
    """How a call ended; None while it has not."""
    if call.status == "success":
        return _of_success(call, hides_exit=hides_exit)
    if call.status == "error":
        words = _told(call) or display_text(call.resultDisplay)
        return (
            GeminiOutcome(GeminiOutcomeKind.BLOCKED)
            if words.startswith(_BLOCKED)
            else GeminiOutcome(GeminiOutcomeKind.FAILED, words)
        )
    if call.status == "cancelled":
        return GeminiOutcome(GeminiOutcomeKind.REFUSED if _REFUSED.search(_told(call)) else GeminiOutcomeKind.STOPPED)
    return None


def _of_success(call: ToolCall, *, hides_exit: bool) -> GeminiOutcome:
    if call.name != SHELL and not hides_exit:
        return GeminiOutcome(GeminiOutcomeKind.SUCCEEDED)
    text = _told(call)
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


def _told(call: ToolCall) -> str:
    """What the model was told, without frames and without what hooks added."""
    try:
        parts = parts_of(call.result)
    except msgspec.ValidationError:
        return display_text(call.resultDisplay)
    texts = [part.text or "" for part in parts]
    for part in parts:
        response = part.functionResponse.response if part.functionResponse else None
        said = (response.error or response.output) if response else None
        texts.append(said if isinstance(said, str) else "")
    text = strip_hook_context("\n".join(text for text in texts if text))
    framed = _FRAME.match(text)
    return framed["inside"] if framed else text
