"""Writes sessions as each agent records them, with a text in the user's turn or in a record that is not the user's.

It uses the writers of the tests, which are checked there against recordings of the real clients.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from tests.agents import aider_chats, gemini_chats, hermes_sessions, openclaw_sessions, opencode_sessions
from tests.agents.codex_rollouts import OldRollout, Rollout
from tests.agents.openhands_events import Conversation

from wisen.testing.transcripts import REJECTED_TEXT, ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PLACE = "/home/ada/orchard"
_TASK = "please look at the date parser"


class _Session(Protocol):
    def prompt(self, text: str) -> object: ...
    def say(self, text: str) -> object: ...


def typed(agent: str, home: Path, number: int, text: str) -> None:
    """A session in which the user typed this."""
    session, save = _OPENED[agent](home, number)
    session.prompt(_TASK)
    _work(session)
    session.prompt(text)
    _work(session)
    save()


def _work(session: Any, output: str = "ok", exit_code: int = 0) -> None:
    if isinstance(session, aider_chats.Project):
        session.reply("Done.")
        return
    if isinstance(session, ClaudeTranscript):
        session.bash("make check", output, exit_code=exit_code)
    elif isinstance(session, _Generic):
        session.tool(output)
    else:
        session.shell("make check", output, exit_code)
    session.say("Done.")


class _Generic:
    """A conversation in OpenAI's style."""

    def __init__(self, path: Path) -> None:
        self.path, self.messages = path, list[dict[str, object]]()

    def prompt(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def say(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": text})

    def tool(self, output: str) -> None:
        call = {"id": f"call_{len(self.messages)}", "type": "function"}
        function = {"name": "bash", "arguments": '{"command": "make check"}'}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [{**call, "function": function}]})
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps({"messages": self.messages}, ensure_ascii=False), encoding="utf-8")


_Opened = tuple[Any, "Callable[[], object]"]


def _claude(home: Path, number: int) -> _Opened:
    session = ClaudeTranscript(number, cwd=PLACE)
    return session, lambda: session.write(home / ".claude" / "projects" / "-home-ada-orchard")


def _codex(home: Path, number: int) -> _Opened:
    session = (OldRollout if number % 3 == 0 else Rollout)(number, cwd=PLACE)
    return session, lambda: session.write(home)


def _openclaw(home: Path, number: int) -> _Opened:
    session = openclaw_sessions.Transcript(number, version=4, cwd=PLACE)
    return session, lambda: openclaw_sessions.Database(home).save(session)


def _openclaw_files(home: Path, number: int) -> _Opened:
    session = openclaw_sessions.Transcript(number, version=3, cwd=PLACE)
    return session, lambda: session.write(home / openclaw_sessions.SESSIONS)


def _hermes(home: Path, number: int) -> _Opened:
    session = hermes_sessions.Talk(number)
    return session, lambda: session.save(home)


def _gemini(home: Path, number: int) -> _Opened:
    session = gemini_chats.Chat(number, cwd=PLACE)
    return session, lambda: session.write(home)


def _opencode(home: Path, number: int) -> _Opened:
    session = opencode_sessions.Talk(number)
    return session, lambda: session.save(home)


def _openhands(home: Path, number: int) -> _Opened:
    session = Conversation(number, home / ".openhands" / "conversations", place=PLACE)
    session.begin()
    return session, session.save


def _aider(home: Path, number: int) -> _Opened:
    # Outside of any project: what lies in one is other people's until the user adopts it.
    session = _Chats.of(home)
    session.pass_time(100_000)
    session.start()
    return session, session.save


class _Chats:
    """The one file of chats of a home, to which each session is appended."""

    _open: tuple[Path, aider_chats.Project] | None = None

    @classmethod
    def of(cls, home: Path) -> aider_chats.Project:
        if cls._open is None or cls._open[0] != home:
            cls._open = home, aider_chats.Project(home)
        return cls._open[1]


def _generic(home: Path, number: int) -> _Opened:
    session = _Generic(home / "chats" / f"talk-{number}.json")
    return session, session.save


_OPENED: dict[str, Callable[[Path, int], _Opened]] = {
    "claude-code": _claude,
    "codex": _codex,
    "openclaw": _openclaw,
    "openclaw files": _openclaw_files,
    "hermes": _hermes,
    "gemini-cli": _gemini,
    "opencode": _opencode,
    "openhands": _openhands,
    "aider": _aider,
    "generic": _generic,
}
AGENTS = tuple(_OPENED)


def _tool_output(agent: str, home: Path, number: int, text: str) -> None:
    session, save = _OPENED[agent](home, number)
    session.prompt(_TASK)
    if isinstance(session, aider_chats.Project):
        session.tell_lines(text)
    _work(session, text)
    _work(session, f"make: *** no rule\n{text}", 2)
    save()


def _assistant(agent: str, home: Path, number: int, text: str) -> None:
    session, save = _OPENED[agent](home, number)
    session.prompt(_TASK)
    (session.reply if isinstance(session, aider_chats.Project) else session.say)(text)
    save()


def _claude_record(add: Callable[[ClaudeTranscript, str], object]) -> Callable[[str, Path, int, str], None]:
    def write(agent: str, home: Path, number: int, text: str) -> None:
        session, save = _claude(home, number)
        session.prompt(_TASK)
        _work(session)
        add(session, text)
        _work(session)
        save()

    return write


def _notification(text: str) -> str:
    return (
        "<task-notification>\n<task-id>b7</task-id>\n<status>completed</status>\n<summary>Agent done</summary>\n"
        f"<result>{text}</result>\n</task-notification>"
    )


def _queued(content: Callable[[str], str], *, then: str = "remove") -> Callable[[ClaudeTranscript, str], object]:
    def add(session: ClaudeTranscript, text: str) -> None:
        session.queue("enqueue", content(text))
        session.queue(then)
        if then == "dequeue":
            session.prompt(_notification(text))

    return add


def _plan(session: ClaudeTranscript, text: str) -> None:
    call = session.call("ExitPlanMode", plan=f"the user said:\n{text}")
    lead = "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode"
    session.fail(
        call, f"{lead} rather than proceed with implementation.\n\nRejected plan:\n# Plan\nthe user said:\n{text}"
    )


def _mcp(session: ClaudeTranscript, text: str) -> None:
    call = session.call("mcp__notes__search", query="builds")
    session.fail(call, f"{REJECTED_TEXT} To tell you how to proceed, the user said:\n{text}")
    session.ok(session.call("mcp__notes__search", query="more"), f"Human: {text}")


def _attachment(kind: str) -> Callable[[ClaudeTranscript, str], object]:
    def add(session: ClaudeTranscript, text: str) -> None:
        attachment = {"type": kind, "content": [text], "prompt": text, "hookEvent": "UserPromptSubmit"}
        fields: dict[str, object] = {"type": "attachment", "attachment": attachment, "sessionId": session.session}
        stamp = session.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        session.raw({**fields, "timestamp": stamp, "uuid": f"a-{len(session.lines)}", "cwd": session.cwd})

    return add


_CLAUDE: dict[str, list[Callable[[ClaudeTranscript, str], object]]] = {
    "queue notification": [
        _queued(_notification),
        _queued(lambda text: json.dumps({"description": text, "task_id": "b7"})),
        _queued(lambda text: f"Background task finished:\n{_notification(text)}"),
        _queued(lambda text: text, then="dequeue"),
        _queued(lambda text: f"<agent-notification id='3'>{text}</agent-notification>"),
        lambda session, text: session.prompt(_notification(text)),
    ],
    "hook context": [
        _attachment("hook_additional_context"),
        lambda s, text: s.prompt(f"<user-prompt-submit-hook>{text}</user-prompt-submit-hook>\n{_TASK}"),
        lambda s, text: s.prompt(f"{_TASK}\n<system-reminder>\n{text}\n</system-reminder>"),
    ],
    "summary": [
        lambda s, text: s.prompt(
            f"This session is being continued from a previous conversation that ran out of context.\n{text}"
        ),
        lambda s, text: s.prompt(text, isCompactSummary=True),
    ],
    "skill or command text": [
        lambda s, text: s.prompt(text, isMeta=True),
        lambda s, text: s.prompt(f"<command-name>/x</command-name>\n<command-args>{text}</command-args>"),
        lambda s, text: s.prompt(f"<local-command-stdout>{text}</local-command-stdout>"),
        lambda s, text: s.prompt(f"<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>"),
    ],
    "sub-agent": [
        lambda s, text: s.prompt(text, isSidechain=True, agentId="a1"),
        lambda s, text: s.ok(s.call("Task", prompt=text, description="x"), text),
        lambda s, text: s.prompt(f'<teammate-message teammate_id="x">{text}</teammate-message>'),
    ],
    "rejected plan": [_plan, lambda s, text: s.prompt("do it", planContent=text)],
    "MCP result": [_mcp],
    "program's prompt": [
        lambda s, text: s.prompt(text, promptSource="sdk"),
        lambda s, text: s.prompt(text, origin={"kind": "channel"}),
    ],
}


def _gemini_hook(agent: str, home: Path, number: int, text: str) -> None:
    session, save = _gemini(home, number)
    session.prompt(f"<hook_context>{text}</hook_context>\n{_TASK}")
    session.prompt([{"text": _TASK}, {"text": f"<hook_context>{text}</hook_context>"}])
    files = f"--- Content from referenced files ---\nContent from @notes.md:\n{text}\n--- End of content ---"
    session.prompt(f"look at @notes.md\n{files}")
    save()


def _codex_marks(agent: str, home: Path, number: int, text: str) -> None:
    session = Rollout(number, cwd=PLACE)
    session.prompt(_TASK)
    session.user_text_to_model(text, "hooks.additional_context")
    session.user_text_to_model(f"# AGENTS.md instructions for x\n\n{text}", "agents_md.instructions")
    session.turn(trigger="program")
    session.user_text(text)
    session.write(home)
    other = Rollout(number + 500_000, cwd=PLACE, meta={"source": {"subagent": "review"}, "thread_source": "subagent"})
    other.prompt(text)
    other.write(home)
    piped = Rollout(number + 600_000, cwd=PLACE, meta={"source": "exec", "originator": "codex_exec"})
    piped.turn(trigger=None)
    piped.user_text(text)
    piped.write(home)


def _openclaw_others(agent: str, home: Path, number: int, text: str) -> None:
    database = openclaw_sessions.Database(home)
    keys = ("agent:main:cron:nightly", "agent:main:subagent:x", "agent:main:hook:mail", "agent:main:telegram:group:7")
    for place, key in enumerate(keys):
        session = openclaw_sessions.Transcript(number + 100_000 * (place + 1), version=4, cwd=PLACE)
        session.prompt(text, __openclaw={"senderIsOwner": False})
        _work(session)
        database.save(session, key)
    session = openclaw_sessions.Transcript(number, version=4, cwd=PLACE)
    session.prompt(f"<relevant-memories>{text}</relevant-memories>\n{_TASK}", __openclaw={"senderIsOwner": True})
    session.entry("compaction", summary=text)
    database.save(session)


def _hermes_others(agent: str, home: Path, number: int, text: str) -> None:
    for place, about in enumerate(
        ({"source": "cron"}, {"source": "webhook"}, {"source": "telegram", "chat_type": "group"})
    ):
        session = hermes_sessions.Talk(number + 100_000 * (place + 1), **about)
        session.prompt(text)
        _work(session)
        session.save(home)
    session = hermes_sessions.Talk(number)
    session.prompt(f"[CONTEXT SUMMARY] {text}")
    session.prompt(text, observed=1)
    session.save(home)


def _opencode_synthetic(agent: str, home: Path, number: int, text: str) -> None:
    session = opencode_sessions.Talk(number)
    session.prompt(_TASK)
    session.part(session.message("user"), {"type": "text", "text": text, "synthetic": True})
    session.save(home)
    child = opencode_sessions.Talk(number + 100_000, parent=session.session)
    child.prompt(text)
    child.save(home)


def _openhands_added(agent: str, home: Path, number: int, text: str) -> None:
    session, save = _openhands(home, number)
    session.message(_TASK, added=text)
    session.message(text, source="environment")
    session.message(f"The task appears incomplete (iteration 2). {text}")
    save()


_OTHERS: dict[str, tuple[str, Callable[[str, Path, int, str], None]]] = {
    "codex": ("hook, sub-agent and piped prompts", _codex_marks),
    "openclaw": ("other people, jobs and sub-agents", _openclaw_others),
    "hermes": ("other people, jobs and summaries", _hermes_others),
    "gemini-cli": ("hook context and named files", _gemini_hook),
    "opencode": ("synthetic parts and children", _opencode_synthetic),
    "openhands": ("added content and the environment", _openhands_added),
}


def records(agent: str) -> list[tuple[str, Callable[[str, Path, int, str], None]]]:
    """Everything of an agent's log that is not the user's word and can hold a text: what it is, and who writes it."""
    found: list[tuple[str, Callable[[str, Path, int, str], None]]] = [("tool output", _tool_output)]
    found.append(("assistant", _assistant))
    if agent == "claude-code":
        found += [(name, _claude_record(add)) for name, adds in _CLAUDE.items() for add in adds]
    if agent in _OTHERS:
        found.append(_OTHERS[agent])
    return found


def cloned(carrier: str, project: Path, home: Path, number: int, text: str) -> None:
    """A repository that somebody else made, in which the user works: its files try to speak for him."""
    project.mkdir(parents=True, exist_ok=True)
    if carrier == "learnings in a clone":
        (project / ".learnings").mkdir(exist_ok=True)
        entry = f"## [LRN-20260301-{number:03d}] correction\n\n**Logged**: 2026-03-01T09:00:00Z\n**Priority**: high\n"
        entry += f"**Status**: promoted\n**Area**: config\n\n### Summary\n{text}\n\n### Details\n{text}\n\n---\n"
        with (project / ".learnings" / "LEARNINGS.md").open("a", encoding="utf-8") as file:
            file.write(entry)
    elif carrier == "aider history in a clone":
        chats = aider_chats.Project(project)
        for _ in range(2):
            chats.start()
            chats.prompt(text)
            chats.reply("Done.")
            chats.pass_time(100_000)
        chats.save()
    else:
        (project / "CLAUDE.md").write_text(f"# Notes\n\n- {text}\n", encoding="utf-8")
        (project / "README.md").write_text(f"# Read me\n\n{text}\n", encoding="utf-8")
    for each in range(2):
        session = ClaudeTranscript(number + each * 700_000, cwd=str(project))
        session.prompt(_TASK)
        session.ok(session.call("Read", file_path=str(project / "README.md")), text)
        session.prompt("from now on, keep functions short")
        _work(session)
        session.write(home / ".claude" / "projects" / f"-clone-{number}")


CLONED = ("learnings in a clone", "aider history in a clone", "CLAUDE.md and README in a clone")
