"""The hook command in agents' settings, run by a shell: whatever is missing, broken or slow, it exits with 0.

What real clients make of it: `tests/agents/test_live_breakages.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wisen.delivery.launcher import SECONDS, HomeLauncher, program_of, render_script
from wisen.model.hook import Caller, Program
from wisen.surfaces.hook import client

pytestmark = [pytest.mark.requirement("X6"), pytest.mark.requirement("X10")]

CLIENT = Path(client.__file__)
TIMEOUT = shutil.which("timeout") or ""
LONG = b"x" * 300_000
"""More than a pipe holds: whoever writes it must not meet a closed pipe."""
ANSWER = '{"hookSpecificOutput": {"additionalContext": "caf\\u00e9"}}'


class Home:
    """A home with a launcher, of an odd name."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / 'ada\'s "wise" $HOME `x` \\ ü\u202e'
        self.path.mkdir()
        self.launch()

    def launch(self, python: str | Path = sys.executable, client: str | Path = CLIENT, timeout: str = TIMEOUT) -> None:
        """Have the launcher start something."""
        (self.path / "hook").write_text(render_script(Program(python=str(python), client=str(client)), timeout))

    def program(self, text: str, timeout: str = TIMEOUT) -> None:
        """Have the launcher start a shell script in place of the interpreter."""
        stand_in = self.path / "python"
        stand_in.write_text(f"#!/bin/sh\n{text}\n")
        stand_in.chmod(0o755)
        self.launch(python=stand_in, timeout=timeout)

    def replace_launcher(self, by: Callable[[Path], None]) -> None:
        """Have something else stand in its place."""
        (self.path / "hook").unlink()
        by(self.path / "hook")

    def replace_home(self, by: Callable[[Path], None]) -> None:
        """Have something else stand in place of the home."""
        shutil.rmtree(self.path)
        by(self.path)

    def run(self, event: str = "prompt", *, shell: str = "/bin/sh", may_be_unread: bool = False) -> str:
        """What an agent gets: it must be able to write the event, and to see success and nothing on the error side."""
        command = Caller(home=str(self.path)).command(event, "codex")
        pipe = subprocess.PIPE
        words = [shell, "-c", command]
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as running:
            assert running.stdin is not None
            rest, unread = LONG, False
            while rest and not unread:
                try:
                    rest = rest[running.stdin.write(rest) or 0 :]
                except BrokenPipeError:
                    unread = True
            out, error = running.communicate(timeout=30)
        assert may_be_unread or not unread
        assert (running.returncode, error) == (0, b"")
        return out.decode()


@pytest.fixture
def home(tmp_path: Path) -> Home:  # it hides the user's home of other tests, which these do not need
    return Home(tmp_path)


def test_the_command_in_settings_is_these_words_and_no_others_for_ever() -> None:
    """Codex asks for trust anew where they change: so they never do."""
    assert Caller(home="/home/ada/.wisen").command("prompt", "codex") == (
        "/bin/sh /home/ada/.wisen/hook codex prompt 2>/dev/null || cat >/dev/null 2>&1 || :"
    )


@pytest.mark.parametrize("shell", [each for each in ("sh", "bash", "dash", "zsh", "ksh", "fish") if shutil.which(each)])
def test_an_answer_is_handed_on_whole_in_every_shell(home: Home, shell: str) -> None:
    for timeout in (TIMEOUT, ""):
        home.program(f"cat >/dev/null\nprintf '%s' '{ANSWER}'", timeout)
        assert json.loads(home.run(shell=shell)) == json.loads(ANSWER)


def test_the_client_is_told_the_home_the_agent_and_the_event(home: Home) -> None:
    for timeout in (TIMEOUT, ""):
        home.program('cat >"$0.input"\nprintf \'{"%s"}\' "$*"', timeout)
        delivered = home.run("before-call")
        assert delivered.strip() == f'{{"-I -S {CLIENT} --home {home.path} --agent codex before-call"}}'
        assert (home.path / "python.input").read_bytes() == LONG
    (home.path / "snapshots").mkdir()
    (home.path / "snapshots" / "no-guards").touch()
    assert home.run("before-call") == ""
    assert home.run("prompt") != ""


BREAKAGES: dict[str, Callable[[Home], object]] = {
    "interpreter gone": lambda home: home.launch(python="/no/such/python"),
    "interpreter a folder": lambda home: home.launch(python=home.path),
    "interpreter not executable": lambda home: home.launch(python=CLIENT),
    "package gone": lambda home: home.launch(client="/no/such/client.py"),
    "package a folder": lambda home: home.launch(client=home.path),
    "package half gone": lambda home: home.launch(client=shutil.copy(CLIENT, home.path / "client.py")),
    "client not Python": lambda home: home.launch(client=Path("/bin/sh").resolve()),
    "ends with 2 and a word": lambda home: home.program("echo no; echo no >&2; exit 2"),
    "half an answer, then 0": lambda home: home.program("printf '{\"decision\":'"),
    "half an answer, then killed": lambda home: home.program(f"printf '{ANSWER}'; kill -9 $$"),
    "text that is no answer": lambda home: home.program("echo Traceback"),
    "launcher empty": lambda home: (home.path / "hook").write_bytes(b""),
    "launcher cut off": lambda home: (home.path / "hook").write_bytes((home.path / "hook").read_bytes()[:900]),
    "launcher garbage": lambda home: (home.path / "hook").write_bytes(bytes(range(256)) * 9),
    "launcher ends with 2": lambda home: (home.path / "hook").write_bytes(b"echo no >&2; exit 2"),
    "launcher killed": lambda home: (home.path / "hook").write_bytes(b"kill -9 $$"),
    "launcher gone": lambda home: (home.path / "hook").unlink(),
    "launcher a folder": lambda home: home.replace_launcher(Path.mkdir),
    "launcher a loop": lambda home: home.replace_launcher(lambda path: path.symlink_to(path)),
    "home gone": lambda home: shutil.rmtree(home.path),
    "home a file": lambda home: home.replace_home(Path.touch),
    "home a loop": lambda home: home.replace_home(lambda path: path.symlink_to(path)),
}


ENDS_WELL = (
    "package half gone",
    "half an answer, then 0",
    "text that is no answer",
    "launcher empty",
    "launcher a folder",
)
"""What ends with 0 without having read the event. The real clients go on then, as the live tests show."""


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_whatever_is_broken_an_agent_sees_success_and_silence(home: Home, breakage: str) -> None:
    BREAKAGES[breakage](home)
    assert home.run(may_be_unread=breakage in ENDS_WELL) == ""


@pytest.mark.parametrize("timeout", [TIMEOUT, ""])
@pytest.mark.parametrize("hangs", ["exec sleep 60", "trap '' TERM; while :; do :; done"])
def test_an_interpreter_that_hangs_is_stopped_in_time(home: Home, hangs: str, timeout: str) -> None:
    home.program(hangs, timeout)
    began = time.monotonic()
    assert home.run() == ""
    assert SECONDS - 0.5 < time.monotonic() - began < SECONDS + 8, "well before any agent gives up"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="takes root, to become somebody else")
def test_a_home_that_may_not_be_read_is_silence(home: Home) -> None:
    home.path.chmod(0o000)
    command = Caller(home=str(home.path)).command("prompt", "codex")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/bin/sh", "-c", command]
    done = subprocess.run(nobody, input=b"{}", capture_output=True, check=False, cwd="/")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_launcher_is_written_whole_for_its_owner_alone_and_read_again(tmp_path: Path) -> None:
    program = Program(python="/opt/it's here/ü/python", client="/opt/a\nb/client.py")
    launcher = HomeLauncher(tmp_path / "new", program)
    assert not launcher.is_intact()
    launcher.write(["/home/ada/.claude/settings.json"])
    path = tmp_path / "new" / "hook"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert subprocess.run(["/bin/sh", "-n", path], check=False).returncode == 0
    assert "'/home/ada/.claude/settings.json'" in (tmp_path / "new" / "remove-hooks.py").read_text()
    written = path.stat().st_mtime_ns
    launcher.write(["/home/ada/.claude/settings.json"])
    assert path.stat().st_mtime_ns == written, "what is right is not written again"
    assert not launcher.is_intact(), "what it starts is not there"
    ours = HomeLauncher(tmp_path / "new", Program(python=sys.executable, client=str(CLIENT)))
    ours.write([])
    assert ours.is_intact()
    assert program_of(tmp_path / "new") == Program(python=sys.executable, client=str(CLIENT))
    assert [each.name for each in (tmp_path / "new").iterdir() if each.name.endswith(".part")] == []
    ours.remove()
    assert list((tmp_path / "new").iterdir()) == []
