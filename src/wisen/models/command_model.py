"""The agents' own programs as models: asked once, without tools, in an empty folder, and ended when time is up.

What they are asked stands between our marks, so that no reader takes it for something the user typed, wherever the
agent writes it down. Most of them send it to their vendor: they never count as local.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from wisen.errors import ModelFailed, Reason
from wisen.model.model_use import MODEL_WORK_DIR
from wisen.models.model_ports import Reply
from wisen.safety.sentinel import wrap
from wisen.system.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from wisen.models.model_ports import Prompt

_OFF, _MARKER = {"WISEN_OFF": "1"}, ".wisen-off"
_MARKER_SAYS = "wisen asks the agents' programs here, as models. What is said here is not the user's.\n"
_INSIDE = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR")
"""By these a program knows that another session of it started us, and may refuse."""
_OVERHEAD = 20_000
"""Tokens of an agent's own instructions, which go in beside the prompt."""
_LAST_BREATH = 2.0
"""Seconds between asking a program to end and ending it."""
_LONGEST_ARGUMENT = 120_000
"""Bytes: systems refuse longer ones."""
_LIMITED = ("rate limit", "rate_limit", "usage limit", "overloaded", "429")
_ACCOUNT = ("log in", "login", "logged in", "api key", "unauthorized", "authentication")


UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)
"""What reading raises where a program printed something of another shape."""


class ProgramCall(NamedTuple):
    """How a program is asked."""

    arguments: list[str]
    given: str
    """What it reads from its input."""


class Client(NamedTuple):
    """One agent's program."""

    call: Callable[[Prompt, str, str], ProgramCall]
    """The call for a prompt, the name of a model of the agent's, and a name for the session."""
    read: Callable[[str], Reply]
    """The reply in what it prints. Raises: one of `UNREADABLE`."""


class CommandModel:
    """An agent's program as a model."""

    is_local = False
    overhead = _OVERHEAD

    def __init__(self, name: str, environment: Mapping[str, str], home: Path, session: Callable[[], str]) -> None:
        """`name`: the program's, or `program:model`; `session`: a new name for each session."""
        self._name = name
        self._program, _, self._model = name.partition(":")
        self._environment = {key: each for key, each in environment.items() if key not in _INSIDE} | _OFF
        self._work = home.joinpath(*MODEL_WORK_DIR)
        self._session = session

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Nobody knows beforehand what an agent's program costs."""
        del tokens_in, tokens_out
        return None

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """The reply, within so many seconds. Raises: ModelFailed."""
        client = CLIENTS[self._program]
        path = find_program(self._program, self._environment)
        if path is None:
            says = (
                f"{self._program} is not in the PATH, or only in a project's folder, from which nothing is started. "
                "Install it, or choose another model: wisen models show"
            )
            raise ModelFailed(says, Reason.UNREACHABLE)
        call = client.call(prompt, self._model, self._session())
        if any(len(each.encode()) > _LONGEST_ARGUMENT for each in call.arguments):
            raise ModelFailed(f"The question is too long for {self._program}.", Reason.DENIED)
        code, said, complained = self._run([path, *call.arguments], call.given, seconds)
        try:
            reply = client.read(said)
        except UNREADABLE:
            raise self._failed(code, said + complained) from None
        if code:
            raise self._failed(code, said + complained)
        return reply

    def _run(self, command: list[str], given: str, seconds: float) -> tuple[int, str, str]:
        """What it returned and printed. It and what it started end with the time."""
        try:
            self._work.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self._work / _MARKER).write_text(_MARKER_SAYS, encoding="utf-8")
            child = subprocess.Popen(  # noqa: S603 - no shell; the program is one that the settings name
                command,
                cwd=self._work,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            says = f"{self._program} cannot be started: {error.strerror}."
            raise ModelFailed(says, Reason.UNREACHABLE) from error
        with child:
            try:
                said, complained = child.communicate(given.encode("utf-8", "replace"), timeout=seconds)
            except subprocess.TimeoutExpired:
                _end(child)
                says = f"{self._program} did not answer within {seconds:.0f} s, and was ended."
                raise ModelFailed(says, Reason.TIMEOUT) from None
            except BaseException:
                _end(child)
                raise
        return child.returncode, said.decode("utf-8", "replace"), complained.decode("utf-8", "replace")

    def _failed(self, code: int, told: str) -> ModelFailed:
        """Why there is no reply, in our own words: what it printed may quote what was sent."""
        low = told.casefold()
        if any(word in low for word in _LIMITED):
            return ModelFailed(f"{self._program} says that a limit of yours is reached.", Reason.RATE_LIMITED)
        if any(word in low for word in _ACCOUNT):
            says = f"{self._program} is not logged in, or its key is not accepted. Try it by hand."
            return ModelFailed(says, Reason.DENIED)
        ended = f"ended with exit code {code}" if code else "printed nothing that holds an answer"
        return ModelFailed(f"{self._program} {ended}. Try it by hand.", Reason.UNAVAILABLE)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a program that we started, and whatever it started itself."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=_LAST_BREATH)
            # What it started may have outlived it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            return


def _claude(prompt: Prompt, model: str, session: str) -> ProgramCall:
    del session  # nothing of it is kept
    arguments = ["-p", "--output-format", "json", "--no-session-persistence", "--tools", "", "--strict-mcp-config"]
    arguments += ["--disable-slash-commands", "--settings", '{"disableAllHooks": true}']
    arguments += ["--system-prompt", prompt.system, *(["--model", model] if model else [])]
    return ProgramCall(arguments, wrap(prompt.user))


def _read_claude(said: str) -> Reply:
    told = json.loads(said)
    result = [each for each in told if each.get("type") == "result"][-1] if isinstance(told, list) else told
    if result.get("is_error"):
        raise ValueError("it failed")
    usage = result.get("usage") or {}
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    money = result.get("total_cost_usd")
    return Reply(
        str(result["result"]),
        sum(int(usage.get(part) or 0) for part in parts) if usage else None,
        int(usage.get("output_tokens") or 0) if usage else None,
        float(money) if money is not None else None,
        refused=result.get("stop_reason") == "refusal",
    )


def _codex(prompt: Prompt, model: str, session: str) -> ProgramCall:
    del session
    arguments = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", *(["-m", model] if model else [])]
    return ProgramCall([*arguments, "-"], wrap(_whole(prompt)))


def _read_codex(said: str) -> Reply:
    text: str | None = None
    tokens_in = tokens_out = None
    for line in said.splitlines():
        told: Any = json.loads(line) if line.startswith("{") else {}
        item = told.get("item") or {}
        if told.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = str(item["text"])
        elif told.get("type") == "turn.completed" and told.get("usage"):
            tokens_in, tokens_out = int(told["usage"]["input_tokens"]), int(told["usage"]["output_tokens"])
    if text is None:
        raise ValueError("it said nothing")
    return Reply(text, tokens_in, tokens_out)


def _openclaw(prompt: Prompt, model: str, session: str) -> ProgramCall:
    arguments = ["agent", "--local", "--agent", "main", "--session-id", f"wisen-{session}", "--json"]
    return ProgramCall([*arguments, *(["--model", model] if model else []), "--message", wrap(_whole(prompt))], "")


def _read_openclaw(said: str) -> Reply:
    told = json.loads(said[said.index("{") :])
    result = told.get("result") or told
    text = "\n".join(str(each["text"]) for each in result["payloads"] if each.get("text"))
    usage = ((result.get("meta") or {}).get("agentMeta") or {}).get("usage") or {}
    tokens_in = sum(int(usage.get(part) or 0) for part in ("input", "cacheRead", "cacheWrite")) if usage else None
    return Reply(text, tokens_in, int(usage.get("output") or 0) if usage else None)


def _hermes(prompt: Prompt, model: str, session: str) -> ProgramCall:
    del session
    # It approves every call by itself; of this set of tools there are none.
    arguments = ["--toolsets", "context_engine", *(["--model", model] if model else [])]
    return ProgramCall([*arguments, "-z", wrap(_whole(prompt))], "")


def _read_hermes(said: str) -> Reply:
    """It prints the answer and nothing else; what stands around an object is its own."""
    return Reply(said[said.index("{") : said.rindex("}") + 1])


def _whole(prompt: Prompt) -> str:
    return f"{prompt.system}\n{prompt.user}"


CLIENTS: dict[str, Client] = {
    "claude": Client(_claude, _read_claude),
    "codex": Client(_codex, _read_codex),
    "openclaw": Client(_openclaw, _read_openclaw),
    "hermes": Client(_hermes, _read_hermes),
}
