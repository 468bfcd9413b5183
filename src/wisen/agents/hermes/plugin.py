"""wisen in Hermes: calls wisen at Hermes' events and returns its answers in Hermes' own form.

`wisen install hermes` created this file, and `wisen uninstall hermes` removes it. Hermes loads it into its own process
once you have enabled the plug-in. It needs only the standard library and Hermes; the commands to run are listed in
plugin.yaml next to it. Whatever goes wrong, Hermes continues without an answer.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import threading
from pathlib import Path
from typing import Any

SECONDS = 5
"""After so long nobody waits for an answer any more; the program itself gives up long before."""
_MARK = "wisen51902"
"""The name between whose marks everything stands that was told."""
_REVIEW = "bg-review"
"""The thread in which Hermes looks back at a session, under its name: nobody types there."""
_MOST = 64
"""Warnings that wait for the end of their call."""
_ASK_FIRST = "Do not make this call before you have asked the user."
_GUARD = re.compile(r"\bG-[0-9a-f]{8}\b")
_LONGEST = 200
_INTERRUPTED = 130
_YES = ("1", "true", "yes", "on")
_OUTPUTS = ("output", "stdout", "stderr", "error", "message")


def register(context: Any) -> None:
    """Called by Hermes when it has loaded this file."""
    try:
        import yaml  # type: ignore[import-untyped,import-not-found,unused-ignore]  # Hermes has it

        told = yaml.safe_load(Path(__file__).with_name("plugin.yaml").read_text(encoding="utf-8")) or {}
        calls = told.get("calls") or {}
        listen(context, {event: [each["command"] for each in listed] for event, listed in calls.items()})
    except Exception:  # noqa: BLE001 - Hermes goes on as if this were not there
        return


def listen(context: Any, commands: dict[str, list[str]]) -> None:
    """Have Hermes call us at the events that have commands, as a shell reads them, each with our name of the event."""
    calls = Calls({_event_in(command): command for each in commands.values() for command in each})
    for event in commands:
        context.register_hook(event, getattr(calls, event))


def _event_in(command: str) -> str:
    """Of `/bin/sh LAUNCHER AGENT EVENT ...`."""
    return shlex.split(command)[3]


class Calls:
    """What is done at each event; the methods have Hermes' names for them."""

    def __init__(self, programs: dict[str, str]) -> None:
        """`programs`: what a shell runs, by our own names of the events."""
        self._programs = programs
        self._begun: dict[str, bool] = {}
        """The sessions that were begun here, and whether they were told anything then."""
        self._warnings: dict[str, str] = {}

    def pre_llm_call(self, **told: Any) -> dict[str, str] | None:
        """What a session begins with, and what a prompt gets: Hermes sends it along with the user's text."""
        if told.get("platform") == "subagent" or threading.current_thread().name == _REVIEW:
            return None
        prompt = told.get("user_message")
        texts = [self._start(told), self._asked("prompt", told, prompt=prompt)[0] if isinstance(prompt, str) else ""]
        context = "\n".join(filter(None, texts))
        return {"context": context} if context else None

    def _start(self, told: dict[str, Any]) -> str:
        """The block of a session, once; again where Hermes has summed up what it was told."""
        session, history = str(told.get("session_id")), told.get("conversation_history") or []
        is_there = any(_MARK in str(each.get("api_content")) for each in history if isinstance(each, dict))
        if session in self._begun and (is_there or not self._begun[session]):
            return ""
        source = "startup" if told.get("is_first_turn") else "resume" if is_there else "compact"
        text, _ = self._asked("session-start", told, source=source)
        self._begun[session] = bool(text)
        return text

    def pre_tool_call(self, **told: Any) -> dict[str, str] | None:
        """What guards say to a call. What only warns is told with the result of the call."""
        text, decision = self._asked(
            "before-call",
            told,
            tool_name=told.get("tool_name"),
            tool_input=told.get("args"),
            tool_use_id=told.get("tool_call_id"),
        )
        if not text:
            return None
        if decision == "ask" and _told_by_hermes("HERMES_YOLO_MODE").lower() not in _YES:
            guards = " ".join(sorted(set(_GUARD.findall(text))))
            asks = f"{_shown(told.get('args'))}: {_bare(text)}"
            return {"action": "approve", "message": asks, "rule_key": f"wisen:{guards}"}
        if decision == "ask":
            text = f"{_ASK_FIRST}\n{text}"
        if decision:
            return {"action": "block", "message": text}
        if len(self._warnings) < _MOST:
            self._warnings[str(told.get("tool_call_id"))] = text
        return None

    def transform_tool_result(self, **told: Any) -> str | None:
        """The result of a call with its known fix, where it failed, and with what guards had to say before it."""
        result = told.get("result")
        if not isinstance(result, str):
            return None
        texts = [self._warnings.pop(str(told.get("tool_call_id")), "")]
        error = failure_in(result)
        if error is not None:
            fields = {"tool_name": told.get("tool_name"), "tool_input": told.get("args"), "error": error}
            texts.append(self._asked("failure", told, **fields)[0])
        text = "\n".join(filter(None, texts))
        return with_text(result, text) if text else None

    def on_session_end(self, **told: Any) -> None:
        """The end of a turn, whatever Hermes calls it."""
        self._asked("stop", told)

    def on_session_finalize(self, **told: Any) -> None:
        """The end of a session."""
        self._asked("session-end", told)

    def _asked(self, event: str, told: dict[str, Any], **fields: Any) -> tuple[str, str]:
        """What the client says to an event, and whether it stops the call or has the user asked."""
        payload = {"session_id": told.get("session_id") or "", "cwd": _place(), **fields}
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


def failure_in(result: str) -> str | None:
    """What went wrong in a call, in the words that wisen's reader will find in the log; None where nothing did."""
    told = _object(result)
    if told is None or told.get("status") in ("blocked", "cancelled"):
        return None
    code = told.get("exit_code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else 0
    if "not an error" in str(told.get("exit_code_meaning")):
        return None
    if code == _INTERRUPTED and "[Command interrupted]" in str(told.get("output")):
        return None
    if not code and told.get("success") is not False and told.get("error") in (None, False, "", [], {}):
        return None
    shown = "\n".join(value for name in _OUTPUTS if isinstance(value := told.get(name), str) and value) or result
    return f"Exit code {code}\n{shown}" if code else shown


def with_text(result: str, text: str) -> str:
    """A result with more to read before it; one that is an object stays one, because Hermes reads it too.

    Of a long result the model gets the beginning only.
    """
    told = _object(result)
    return f"{text}\n\n{result}" if told is None else json.dumps({"wisen": text, **told}, ensure_ascii=False)


def _object(result: str) -> dict[str, Any] | None:
    try:
        told = json.loads(result) if result.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _bare(text: str) -> str:
    """A text for a person, who gets it as one line: without the lines of marks around it."""
    return " ".join(line for line in text.splitlines() if _MARK not in line)


def _shown(fields: object) -> str:
    """What a call is about, because Hermes names only its tool."""
    named = fields if isinstance(fields, dict) else {}
    return str(named.get("command") or named.get("path") or "it")[:_LONGEST]


def _place() -> str:
    """The directory that the session works in: commands may be sent elsewhere than where Hermes was started."""
    configured = Path(_told_by_hermes("TERMINAL_CWD"))
    try:
        return str(configured if configured.is_absolute() else Path.cwd())
    except OSError:
        return ""


def _told_by_hermes(name: str) -> str:
    return os.environ.get(name, "").strip()  # noqa: TID251 - this runs in Hermes, which tells it so
