"""Uses the command-line programs of agents as models: one prompt, no tools, an empty folder, a timeout.

The prompt is wrapped in our marks, so that no log reader takes it for something the user typed, wherever the agent
records it. Most programs send it to their vendor, so they never count as local.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from wisen.errors import ModelFailed, Reason
from wisen.language_models.model_ports import Reply
from wisen.model.model_use import MODEL_WORK_DIR
from wisen.safety.sentinel import wrap
from wisen.system.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from wisen.language_models.model_ports import Prompt

_OFF_VARIABLES, _MARKER_FILE = {"WISEN_OFF": "1"}, ".wisen-off"
_MARKER_TEXT = "wisen asks the agents' programs here, as models. What is said here is not the user's.\n"
_SESSION_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR")
"""Variables by which a program detects that it runs inside another session of itself, and may refuse to start."""
_OVERHEAD = 20_000
"""Tokens of an agent's own instructions, which are sent in addition to the prompt."""
_GRACE_SECONDS = 2.0
"""Seconds between SIGTERM and SIGKILL."""
_MAX_ARGUMENT_BYTES = 120_000
"""Bytes; operating systems reject longer arguments."""
_LIMITED = ("rate limit", "rate_limit", "usage limit", "overloaded", "429")
_ACCOUNT = ("log in", "login", "logged in", "api key", "unauthorized", "authentication")


UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)
"""Errors that parsing raises if a program printed something unexpected."""


class ProgramCall(NamedTuple):
    """The arguments and the input of a program."""

    arguments: list[str]
    stdin: str
    """What it reads from standard input."""


class AgentProgram(NamedTuple):
    """How to call the program of one agent and parse its output."""

    build_call: Callable[[Prompt, str, str], ProgramCall]
    """Builds the call for a prompt, a model name of the agent, and a session name."""
    parse_reply: Callable[[str], Reply]
    """Parses the reply from the output. Raises: one of `UNREADABLE`."""


class CommandModel:
    """An agent's program as a model."""

    is_local = False
    overhead = _OVERHEAD

    def __init__(self, name: str, environment: Mapping[str, str], home: Path, session: Callable[[], str]) -> None:
        """`name`: `program` or `program:model`; `session`: returns a new name for each session."""
        self._name = name
        self._program, _, self._model = name.partition(":")
        self._environment = {
            key: each for key, each in environment.items() if key not in _SESSION_VARIABLES
        } | _OFF_VARIABLES
        self._work = home.joinpath(*MODEL_WORK_DIR)
        self._session = session

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return None: the cost of an agent's program is not known in advance."""
        del tokens_in, tokens_out
        return None

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """Return the reply, within this many seconds. Raises: ModelFailed."""
        program = AGENT_PROGRAMS[self._program]
        path = find_program(self._program, self._environment)
        if path is None:
            message = (
                f"{self._program} is not in the PATH, or only in a project's folder, from which nothing is run. "
                "Install it, or choose another model: wisen models show"
            )
            raise ModelFailed(message, Reason.UNREACHABLE)
        call = program.build_call(prompt, self._model, self._session())
        if any(len(each.encode()) > _MAX_ARGUMENT_BYTES for each in call.arguments):
            raise ModelFailed(f"The question is too long for {self._program}.", Reason.DENIED)
        code, output, errors = self._run([path, *call.arguments], call.stdin, seconds)
        try:
            reply = program.parse_reply(output)
        except UNREADABLE:
            raise self._failed(code, output + errors) from None
        if code:
            raise self._failed(code, output + errors)
        return reply

    def _run(self, command: list[str], stdin: str, seconds: float) -> tuple[int, str, str]:
        """Return exit code, output and errors. On timeout, the program and its child processes are ended."""
        try:
            self._work.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self._work / _MARKER_FILE).write_text(_MARKER_TEXT, encoding="utf-8")
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
            message = f"{self._program} cannot be started: {error.strerror}."
            raise ModelFailed(message, Reason.UNREACHABLE) from error
        with child:
            try:
                output, errors = child.communicate(stdin.encode("utf-8", "replace"), timeout=seconds)
            except subprocess.TimeoutExpired:
                _terminate(child)
                message = f"{self._program} did not answer within {seconds:.0f} s, and was ended."
                raise ModelFailed(message, Reason.TIMEOUT) from None
            except BaseException:
                _terminate(child)
                raise
        return child.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")

    def _failed(self, code: int, output: str) -> ModelFailed:
        """Explain in our own words why there is no reply: the output may quote what was sent."""
        lowered = output.casefold()
        if any(word in lowered for word in _LIMITED):
            return ModelFailed(f"{self._program} says that one of your limits is reached.", Reason.RATE_LIMITED)
        if any(word in lowered for word in _ACCOUNT):
            message = f"{self._program} is not logged in, or its key is not accepted. Try it by hand."
            return ModelFailed(message, Reason.DENIED)
        problem = f"ended with exit code {code}" if code else "printed no answer"
        return ModelFailed(f"{self._program} {problem}. Try it by hand.", Reason.UNAVAILABLE)


def _terminate(child: subprocess.Popen[bytes]) -> None:
    """Terminate a program that we started, and its child processes."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=_GRACE_SECONDS)
            # Its child processes may have outlived it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            return


def _claude_call(prompt: Prompt, model: str, session: str) -> ProgramCall:
    del session  # no session is stored
    arguments = ["-p", "--output-format", "json", "--no-session-persistence", "--tools", "", "--strict-mcp-config"]
    arguments += ["--disable-slash-commands", "--settings", '{"disableAllHooks": true}']
    arguments += ["--system-prompt", prompt.system, *(["--model", model] if model else [])]
    return ProgramCall(arguments, wrap(prompt.user))


def _parse_claude(output: str) -> Reply:
    record = json.loads(output)
    result = [each for each in record if each.get("type") == "result"][-1] if isinstance(record, list) else record
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


def _codex_call(prompt: Prompt, model: str, session: str) -> ProgramCall:
    del session
    arguments = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", *(["-m", model] if model else [])]
    return ProgramCall([*arguments, "-"], wrap(_combined_prompt(prompt)))


def _parse_codex(output: str) -> Reply:
    text: str | None = None
    tokens_in = tokens_out = None
    for line in output.splitlines():
        record: Any = json.loads(line) if line.startswith("{") else {}
        item = record.get("item") or {}
        if record.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = str(item["text"])
        elif record.get("type") == "turn.completed" and record.get("usage"):
            tokens_in, tokens_out = int(record["usage"]["input_tokens"]), int(record["usage"]["output_tokens"])
    if text is None:
        raise ValueError("there is no message")
    return Reply(text, tokens_in, tokens_out)


def _openclaw_call(prompt: Prompt, model: str, session: str) -> ProgramCall:
    arguments = ["agent", "--local", "--agent", "main", "--session-id", f"wisen-{session}", "--json"]
    return ProgramCall(
        [*arguments, *(["--model", model] if model else []), "--message", wrap(_combined_prompt(prompt))], ""
    )


def _parse_openclaw(output: str) -> Reply:
    record = json.loads(output[output.index("{") :])
    result = record.get("result") or record
    text = "\n".join(str(each["text"]) for each in result["payloads"] if each.get("text"))
    usage = ((result.get("meta") or {}).get("agentMeta") or {}).get("usage") or {}
    tokens_in = sum(int(usage.get(part) or 0) for part in ("input", "cacheRead", "cacheWrite")) if usage else None
    return Reply(text, tokens_in, int(usage.get("output") or 0) if usage else None)


def _hermes_call(prompt: Prompt, model: str, session: str) -> ProgramCall:
    del session
    # It approves every call by itself; this toolset is empty.
    arguments = ["--toolsets", "context_engine", *(["--model", model] if model else [])]
    return ProgramCall([*arguments, "-z", wrap(_combined_prompt(prompt))], "")


def _parse_hermes(output: str) -> Reply:
    """Parse the answer, which is all that it prints, except for its own text around the object."""
    return Reply(output[output.index("{") : output.rindex("}") + 1])


def _combined_prompt(prompt: Prompt) -> str:
    return f"{prompt.system}\n{prompt.user}"


AGENT_PROGRAMS: dict[str, AgentProgram] = {
    "claude": AgentProgram(_claude_call, _parse_claude),
    "codex": AgentProgram(_codex_call, _parse_codex),
    "openclaw": AgentProgram(_openclaw_call, _parse_openclaw),
    "hermes": AgentProgram(_hermes_call, _parse_hermes),
}
