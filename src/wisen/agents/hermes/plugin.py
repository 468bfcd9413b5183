"""wisen in Hermes: calls wisen at Hermes' events and returns its answers in Hermes' own form.

`wisen install hermes` created this file, and `wisen uninstall hermes` removes it. Hermes loads it into its own process
once you have enabled the plug-in. It needs only the standard library and Hermes; the commands to run are listed in
plugin.yaml next to it. Whatever goes wrong, Hermes continues without an answer.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
from pathlib import Path
from typing import Any

from wisen.text.lazy_regex import lazy_regex

SECONDS = 5
"""Timeout for an answer; the program itself gives up long before."""
_MARK = "wisen51902"
"""The name in the marks around all delivered text."""
_REVIEW = "bg-review"
"""The name of the thread in which Hermes reviews a session: nobody types there."""
_MAX_WARNINGS = 64
"""Warnings that are kept until their call ends."""
_ASK_FIRST = "Do not make this call before you have asked the user."
_GUARD = lazy_regex(r"\bG-[0-9a-f]{8}\b")
_MAX_DESCRIPTION = 200
_INTERRUPTED = 130
_YES = ("1", "true", "yes", "on")
_OUTPUT_FIELDS = ("output", "stdout", "stderr", "error", "message")


def register(context: Any) -> None:
    """Register the hooks; Hermes calls this after loading the file."""
    try:
        import yaml  # type: ignore[import-untyped,import-not-found,unused-ignore]  # Hermes has it

        config = yaml.safe_load(Path(__file__).with_name("plugin.yaml").read_text(encoding="utf-8")) or {}
        calls = config.get("calls") or {}
        register_hooks(context, {event: [each["command"] for each in listed] for event, listed in calls.items()})
    except Exception:  # noqa: BLE001 - Hermes continues as if the plug-in were not there
        return


def register_hooks(context: Any, commands: dict[str, list[str]]) -> None:
    """Register callbacks for the events with commands, which are shell commands that contain our event names."""
    calls = HookCallbacks({_event_in(command): command for each in commands.values() for command in each})
    for event in commands:
        context.register_hook(event, getattr(calls, event))


def _event_in(command: str) -> str:
    """Return the event in `/bin/sh LAUNCHER AGENT EVENT ...`."""
    return shlex.split(command)[3]


class HookCallbacks:
    """The callbacks, named after Hermes' events."""

    def __init__(self, programs: dict[str, str]) -> None:
        """`programs`: the shell commands by our own event names."""
        self._programs = programs
        self._sessions: dict[str, bool] = {}
        """The sessions that began here, and whether text was delivered to them."""
        self._warnings: dict[str, str] = {}

    def pre_llm_call(self, **details: Any) -> dict[str, str] | None:
        """Return the text for the start of a session and for a prompt: Hermes sends it with the user's text."""
        if details.get("platform") == "subagent" or threading.current_thread().name == _REVIEW:
            return None
        prompt = details.get("user_message")
        texts = [
            self._start_text(details),
            self._call_client("prompt", details, prompt=prompt)[0] if isinstance(prompt, str) else "",
        ]
        context = "\n".join(filter(None, texts))
        return {"context": context} if context else None

    def _start_text(self, details: dict[str, Any]) -> str:
        """Return the text for a session, once; again if Hermes has summarized it away."""
        session, history = str(details.get("session_id")), details.get("conversation_history") or []
        is_present = any(_MARK in str(each.get("api_content")) for each in history if isinstance(each, dict))
        if session in self._sessions and (is_present or not self._sessions[session]):
            return ""
        source = "startup" if details.get("is_first_turn") else "resume" if is_present else "compact"
        text, _ = self._call_client("session-start", details, source=source)
        self._sessions[session] = bool(text)
        return text

    def pre_tool_call(self, **details: Any) -> dict[str, str] | None:
        """Return the decision of guards on a call. Mere warnings are delivered with the result of the call."""
        text, decision = self._call_client(
            "before-call",
            details,
            tool_name=details.get("tool_name"),
            tool_input=details.get("args"),
            tool_use_id=details.get("tool_call_id"),
        )
        if not text:
            return None
        if decision == "ask" and _variable("HERMES_YOLO_MODE").lower() not in _YES:
            guards = " ".join(sorted(set(_GUARD.findall(text))))
            message = f"{_describe_call(details.get('args'))}: {_strip_marks(text)}"
            return {"action": "approve", "message": message, "rule_key": f"wisen:{guards}"}
        if decision == "ask":
            text = f"{_ASK_FIRST}\n{text}"
        if decision:
            return {"action": "block", "message": text}
        if len(self._warnings) < _MAX_WARNINGS:
            self._warnings[str(details.get("tool_call_id"))] = text
        return None

    def transform_tool_result(self, **details: Any) -> str | None:
        """Return the result of a call with its known fix, if it failed, and with the warnings of guards."""
        result = details.get("result")
        if not isinstance(result, str):
            return None
        texts = [self._warnings.pop(str(details.get("tool_call_id")), "")]
        error = find_failure(result)
        if error is not None:
            fields = {"tool_name": details.get("tool_name"), "tool_input": details.get("args"), "error": error}
            texts.append(self._call_client("failure", details, **fields)[0])
        text = "\n".join(filter(None, texts))
        return prepend_text(result, text) if text else None

    def on_session_end(self, **details: Any) -> None:
        """Report the end of a turn, whatever Hermes calls it."""
        self._call_client("stop", details)

    def on_session_finalize(self, **details: Any) -> None:
        """Report the end of a session."""
        self._call_client("session-end", details)

    def _call_client(self, event: str, details: dict[str, Any], **fields: Any) -> tuple[str, str]:
        """Return the client's text for an event, and its decision: block the call or ask the user."""
        payload = {"session_id": details.get("session_id") or "", "cwd": _working_directory(), **fields}
        try:
            done = subprocess.run(  # noqa: S603 - what plugin.yaml names
                ["/bin/sh", "-c", self._programs[event]],
                input=json.dumps(payload, default=str).encode("utf-8", "replace"),
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            answer = json.loads(done.stdout)["hookSpecificOutput"]
            text = answer.get("permissionDecisionReason") or answer.get("additionalContext") or ""
            return str(text), str(answer.get("permissionDecision") or "")
        except (OSError, ValueError, LookupError, TypeError, AttributeError, subprocess.SubprocessError):
            return "", ""


def find_failure(result: str) -> str | None:
    """Return the error text of a failed call, as wisen's reader will find it in the log; None if it succeeded."""
    parsed = _parse_object(result)
    if parsed is None or parsed.get("status") in ("blocked", "cancelled"):
        return None
    code = parsed.get("exit_code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else 0
    if "not an error" in str(parsed.get("exit_code_meaning")):
        return None
    if code == _INTERRUPTED and "[Command interrupted]" in str(parsed.get("output")):
        return None
    if not code and parsed.get("success") is not False and parsed.get("error") in (None, False, "", [], {}):
        return None
    shown = (
        "\n".join(value for name in _OUTPUT_FIELDS if isinstance(value := parsed.get(name), str) and value) or result
    )
    return f"Exit code {code}\n{shown}" if code else shown


def prepend_text(result: str, text: str) -> str:
    """Return a result with text before it; an object stays an object, because Hermes reads it, too.

    The text comes first because the model gets only the beginning of a long result.
    """
    parsed = _parse_object(result)
    return f"{text}\n\n{result}" if parsed is None else json.dumps({"wisen": text, **parsed}, ensure_ascii=False)


def _parse_object(result: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(result) if result.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _strip_marks(text: str) -> str:
    """Return a text as one line for a person, without the lines of marks around it."""
    return " ".join(line for line in text.splitlines() if _MARK not in line)


def _describe_call(fields: object) -> str:
    """Describe a call, because Hermes names only its tool."""
    arguments = fields if isinstance(fields, dict) else {}
    return str(arguments.get("command") or arguments.get("path") or "it")[:_MAX_DESCRIPTION]


def _working_directory() -> str:
    """Return the working directory of the session: commands may run elsewhere than where Hermes was started."""
    configured = Path(_variable("TERMINAL_CWD"))
    try:
        return str(configured if configured.is_absolute() else Path.cwd())
    except OSError:
        return ""


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()  # noqa: TID251 - this runs in Hermes, which sets it
