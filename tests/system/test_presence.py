"""Who runs a process: agents' environment variables, agents as ancestors, and terminals; with fakes and for real."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

import pytest

from wisen.agents.agent_signs import AGENT_SIGNS
from wisen.model.presence import Decider, NotAPerson, Person, Process
from wisen.system.parent_processes import ancestors
from wisen.system.person import ProcessPresence, acting_as, agent_of, current_presence

pytestmark = pytest.mark.requirement("X7")

NODE, PYTHON = "/usr/bin/node", "/usr/bin/python3.11"


def chain(*commands: str | tuple[str, str]) -> list[Process]:
    """Return processes, nearest first: the command line of each, or its executable and its command line."""
    made = []
    for number, each in enumerate(commands):
        executable, line = each if isinstance(each, tuple) else (each.split(" ")[0], each)
        made.append(Process(100 - number, 99 - number, executable, tuple(line.split(" "))))
    return made


def look(
    above: Sequence[Process] = (),
    environment: Mapping[str, str] | None = None,
    terminal: str = "/dev/pts/3",
    decided_by: str = "",
) -> Decider:
    found = ProcessPresence(environment or {}, AGENT_SIGNS, lambda: above, lambda: terminal, decided_by=decided_by)
    return found.detect()


@pytest.mark.parametrize(
    "above",
    [
        chain("-bash", "/usr/lib/gnome-terminal-server", "/lib/systemd/systemd --user"),
        chain("-zsh", "login -fp ada", "/Applications/iTerm.app/Contents/MacOS/iTerm2"),
        chain("bash", "sshd: ada@pts/0", "/usr/sbin/sshd -D"),
        chain("bash", "tmux: server", "/sbin/init"),
        chain("bash", ("/usr/bin/tmux", "tmux new -s claude"), "/sbin/init"),
        chain("fish", "/usr/bin/SCREEN -S codex"),
        chain("/usr/bin/bash --init-file x", "/usr/share/code/code --type=utility", "/usr/share/code/code"),
        chain("zsh", "/Applications/Cursor.app/Contents/MacOS/Cursor", "/sbin/launchd"),
        chain("zsh", "/opt/cursor/cursor --no-sandbox"),
        chain("bash", "sudo -i", "-bash", "/bin/login -p --", "/sbin/agetty ttyS0"),
        chain("bash", "docker exec -it box bash"),
        chain("bash", "/usr/bin/containerd-shim-runc-v2 -namespace moby"),
        chain("bash", f"{PYTHON} -m jupyterlab"),
        chain("/usr/bin/make approve", "bash", "/usr/bin/kitty"),
        chain("bash", "/usr/bin/vim claude.md", "bash", "/usr/bin/alacritty"),
        chain("/bin/sh /home/ada/bin/nightly.sh codex gemini", "bash", "/usr/bin/xterm"),
        chain(f"{PYTHON} /home/ada/ask.py --agent claude", "bash", "/usr/bin/xterm"),
        chain(f"{NODE} /home/ada/server.js opencode", "bash", "/usr/bin/xterm"),
        chain("bash", ("", "ssh-agent bash"), "/usr/bin/xterm"),
        chain("/usr/bin/git commit", "bash", "/usr/bin/xterm"),
        [],
    ],
)
def test_a_person_in_a_terminal_is_never_taken_for_an_agent(above: list[Process]) -> None:
    # What users set to configure agents, and what editors set in their terminals, is no sign of an agent.
    set_by_people = dict.fromkeys(
        (
            *(
                "CLAUDE_CONFIG_DIR",
                "CLAUDE_CODE_USE_BEDROCK",
                "CLAUDE_CODE_SSE_PORT",
                "ANTHROPIC_API_KEY",
                "CODEX_HOME",
            ),
            *("GEMINI_API_KEY", "OPENCODE_CONFIG", "HERMES_HOME", "AIDER_MODEL", "CURSOR_TRACE_ID", "TERM_PROGRAM"),
            *("VSCODE_INJECTION", "TMUX", "SSH_TTY", "STY", "OPENCLAW_STATE_DIR", "OPENHANDS_CONFIG", "AGENT"),
        ),
        "1",
    )
    assert look(above, set_by_people) == Person("terminal /dev/pts/3")


@pytest.mark.parametrize(
    ("agent", "above"),
    [
        (
            "claude-code",
            chain("/bin/bash -c x", ("/x/node_modules/@anthropic-ai/claude-code/bin/claude.exe", "claude -p x")),
        ),
        ("claude-code", chain("bash", f"{NODE} /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js")),
        ("claude-code", chain("bash", ("/home/ada/.local/share/claude/versions/2.1.325", "claude"))),
        ("claude-code", chain("bash", "bash", "tmux: server", "/usr/local/bin/claude --resume")),
        ("codex", chain("bash", "/x/bin/codex exec look", f"{NODE} /x/.bin/codex exec look")),
        ("gemini-cli", chain("bash", (NODE, "node --max-old-space-size=12052 /x/node_modules/.bin/gemini -p x"))),
        ("opencode", chain("bash", ("/x/node_modules/opencode-ai/bin/opencode.exe", "/x/.bin/opencode run"))),
        ("openclaw", chain("sh -c x", (NODE, f"{NODE} /x/node_modules/openclaw/dist/process.js"))),
        ("openclaw", [Process(9, 1, NODE, ("openclaw-agent      ",))]),
        ("hermes", chain("bash", (PYTHON, "/v/bin/python3 /v/bin/hermes -z look"))),
        ("hermes", chain("bash", (PYTHON, "python3 -m hermes_cli.main chat"))),
        ("aider", chain("bash", f"{PYTHON} /home/ada/.local/bin/aider")),
        ("aider", chain("bash", f"{PYTHON} -m aider")),
        ("openhands", chain("bash", f"{PYTHON} /v/site-packages/openhands/sdk/run.py")),
        ("cursor-agent", chain("zsh", "/home/ada/.local/bin/cursor-agent")),
        ("copilot", chain("bash", f"{NODE} /x/node_modules/@github/copilot/index.js")),
    ],
)
def test_a_process_below_an_agent_is_the_agents_whatever_terminal_it_has(agent: str, above: list[Process]) -> None:
    voice = look(above)
    assert isinstance(voice, NotAPerson)
    assert voice.agent == agent
    assert f"{agent} started this process" in voice.reason


@pytest.mark.parametrize("sign", [each for each in AGENT_SIGNS if each.variables], ids=lambda each: each.agent)
def test_the_mark_of_an_agent_counts_whatever_terminal_there_is(sign: object) -> None:
    from wisen.model.presence import AgentSigns

    assert isinstance(sign, AgentSigns)
    for name in sign.variables:
        voice = look(environment={name: "1"})
        assert isinstance(voice, NotAPerson)
        assert name in voice.reason
        assert isinstance(look(environment={name: ""}), Person), "an empty one is as none"


def test_without_a_terminal_nobody_shows_that_a_person_decides() -> None:
    voice = look(terminal="")
    assert isinstance(voice, NotAPerson)
    assert "no terminal" in voice.reason


def test_a_program_may_say_who_decided_and_that_stands_in_for_the_terminal_alone() -> None:
    assert look(terminal="", decided_by="Ada, by\n the button") == Person("a program says: Ada, by the button")
    assert isinstance(look(chain("bash", "/usr/bin/claude"), terminal="", decided_by="Ada"), NotAPerson)
    assert isinstance(look(environment={"CLAUDECODE": "1"}, decided_by="Ada"), NotAPerson)


def test_a_word_that_was_proven_otherwise_holds_within_its_block_only() -> None:
    with acting_as(Person("typed in a chat")):
        assert current_presence({"CLAUDECODE": "1"}, AGENT_SIGNS).detect() == Person("typed in a chat")
    assert isinstance(current_presence({"CLAUDECODE": "1"}, AGENT_SIGNS).detect(), NotAPerson)


def test_a_table_of_processes_that_goes_in_circles_or_breaks_off_comes_to_an_end() -> None:
    circle = {1: Process(1, 2, "a"), 2: Process(2, 1, "b")}
    assert len(list(ancestors(1, circle.get))) < 100
    assert list(ancestors(1, {1: Process(1, 7, "a")}.get)) == []
    assert list(ancestors(5, lambda _: None)) == []


def test_the_real_table_names_the_parents_of_this_process() -> None:
    above = list(ancestors())
    assert above[0].pid == os.getppid()
    assert all(each.pid > 0 for each in above)


@pytest.mark.parametrize(
    "words", [["/opt/claude"], ["node", "--flag", "/opt/claude.js"], ["python3", "-m", "aider.main"]]
)
def test_the_script_of_an_interpreter_is_its_program(words: list[str]) -> None:
    assert agent_of(Process(1, 0, words[0], tuple(words)), AGENT_SIGNS)


@pytest.mark.parametrize("words", [["cat", "/opt/claude"], ["node", "-e", "claude"], ["python3", "x.py", "aider"], []])
def test_a_word_among_other_arguments_is_none(words: list[str]) -> None:
    assert agent_of(Process(1, 0, words[0] if words else "", tuple(words)), AGENT_SIGNS) == ""


LOOKS = """
from wisen.system.person import ProcessPresence, terminal_name
from wisen.agents.agent_signs import AGENT_SIGNS
print(ProcessPresence({}, AGENT_SIGNS, lambda: (), terminal_name).detect())
"""


def in_terminal(*command: str) -> str:
    """Return what a command prints in a real terminal of its own."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], command)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the terminal is gone with its last process
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return shown.decode()


def plain(*command: str) -> str:
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, start_new_session=True, check=True
    ).stdout


@pytest.mark.parametrize(
    ("runs", "command", "person"),
    [
        (in_terminal, [sys.executable, "-c", LOOKS], True),
        (in_terminal, ["/bin/sh", "-c", f"echo y | '{sys.executable}' -c '{LOOKS}' 2>&1 | cat"], True),
        (plain, [sys.executable, "-c", LOOKS], False),
        (in_terminal, ["/bin/sh", "-c", f"setsid -w '{sys.executable}' -c '{LOOKS}' </dev/null 2>&1 | cat"], False),
    ],
    ids=["terminal", "pipes in a terminal", "none", "cut off from its terminal"],
)
def test_a_real_terminal_is_seen_also_through_pipes(runs: Callable[..., str], command: list[str], person: bool) -> None:
    assert ("Person(evidence='terminal /dev/" in runs(*command)) is person
