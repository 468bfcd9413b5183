"""What Gemini CLI says and wants to hear otherwise than the rest: prompts, and how calls ended.

What `agents/gemini_cli` reads of the same in a chat is the same text here; a test holds them equal.
"""

from __future__ import annotations

from .lean_re import DOTALL, MULTILINE, pattern

_BEGIN, _END = "<hook_context>", "</hook_context>"
_SHELL = "run_shell_command"
_FRAME = r"\s*<untrusted_context>\n(?P<inside>.*?)\n?</untrusted_context>\s*\Z"
_EXIT = (
    r"^(?:Exit Code: (?P<code>-?\d+|\(none\))\n?)?(?:Signal: (?P<signal>[^\n]*)\n?)?"
    r"(?:(?:Background PIDs|Process Group PGID|PGID): [^\n]*\n?)*\s*\Z"
)
_OUTPUT = r"(?:Command: [^\n]*\n(?:Directory: [^\n]*\n)?)?(?:Output|Stdout): ?"

Payload = dict[str, object]


def is_unheard(event: str, payload: Payload) -> bool:
    """Whether what is said now is kept from the model: after `/clear`. Then the first prompt gets it."""
    return event == "session-start" and payload.get("source") == "clear"


def typed(payload: Payload) -> Payload:
    """An event with the prompt alone: without a terminal, what the start of the session was told stands before it."""
    prompt = payload.get("prompt")
    if isinstance(prompt, str) and prompt.startswith(_BEGIN) and _END in prompt:
        return {**payload, "prompt": prompt[prompt.index(_END) + len(_END) :].lstrip("\n")}
    return payload


def failure_in(payload: Payload) -> Payload | None:
    """The event as one of a failed command, with what it said; None where it did not fail.

    Whatever else failed is not told: Gemini CLI keeps what is said behind an error from the model.
    """
    response = payload.get("tool_response")
    if payload.get("tool_name") != _SHELL or not isinstance(response, dict) or response.get("error"):
        return None
    error = failure_of(_text(response.get("llmContent")))
    return None if error is None else {**payload, "error": error}


def failure_of(told: str) -> str | None:
    """What a failed command said, in the words that mining reads; None where it ended well."""
    if "Exit Code: " not in told and "Signal: " not in told:
        return None
    framed = pattern(_FRAME, DOTALL).match(told)
    text = framed["inside"] if framed else told
    last = pattern(_EXIT, MULTILINE).search(text)
    if last is None:
        return None
    printed = pattern(_OUTPUT).sub("", text[: last.start()], count=1).strip("\n")
    code, signal = last["code"] or "0", last["signal"] or "(none)"
    if code not in ("0", "(none)"):
        return f"Exit code {code}\n{printed}"
    return f"{printed}\nSignal: {signal}" if signal not in ("0", "(none)") else None


def _text(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str) and text)
