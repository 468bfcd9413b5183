"""Adapts Gemini CLI events, which differ from other agents: prompts, and how calls ended.

Parses the same texts as `agents/gemini_cli` does in its chats; a test checks that both agree.
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


def is_discarded(event: str, payload: Payload) -> bool:
    """Whether the model does not receive an answer now: after `/clear`. The first prompt then gets it."""
    return event == "session-start" and payload.get("source") == "clear"


def with_typed_prompt(payload: Payload) -> Payload:
    """Return an event with the prompt only: without a terminal, the session-start text precedes it."""
    prompt = payload.get("prompt")
    if isinstance(prompt, str) and prompt.startswith(_BEGIN) and _END in prompt:
        return {**payload, "prompt": prompt[prompt.index(_END) + len(_END) :].lstrip("\n")}
    return payload


def failure_in(payload: Payload) -> Payload | None:
    """Return the event as a failed command, with its output; None if it did not fail.

    Other failures are skipped: Gemini CLI does not show the model what follows an error.
    """
    response = payload.get("tool_response")
    if payload.get("tool_name") != _SHELL or not isinstance(response, dict) or response.get("error"):
        return None
    error = failure_of(_text(response.get("llmContent")))
    return None if error is None else {**payload, "error": error}


def failure_of(output: str) -> str | None:
    """Return the output of a failed command, in the format that mining reads; None if it succeeded."""
    if "Exit Code: " not in output and "Signal: " not in output:
        return None
    framed = pattern(_FRAME, DOTALL).match(output)
    text = framed["inside"] if framed else output
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
