"""No text can control a terminal and no command ends in a traceback: every command, on a home full of hostile texts."""

from __future__ import annotations

import ast
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import wisen
from tests.commands import WISEN
from wisen.surfaces import cli
from wisen.surfaces.cli.error_reporting import run_program
from wisen.surfaces.cli.terminal import EscapingStream, escape_json, escape_text, join_styled, safe_console
from wisen.surfaces.pages.plot import Pair, render_svg
from wisen.testing.transcripts import ClaudeTranscript

EVIL = (
    "\x1b[2K\x1b[1G\x1b]8;;http://x\x1b\\a\x1b]52;c;eA==\x07\x9b31m\x85\x7f\r\x08\u202e\u2066\u200b\u2028\ufeff"
    "\U000e0041[red][/][link=http://x]y[/link]:cd::smile:\\[z"
)
ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def hostile(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an evil name, sessions with evil texts, and what is learned of them."""
    project = home / f"shop{EVIL.replace('/', '_')}"[:60]
    project.mkdir()
    (project / "CLAUDE.md").write_text(f"# Rules\n- Use pnpm {EVIL}.\n", encoding="utf-8")
    for number in range(1, 5):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("count the pears")
        log.bash(
            f"shopctl count --everything '{EVIL}'", f"shopctl: error: unrecognized {EVIL} --everything", exit_code=2
        )
        log.bash(f"shopctl count '{EVIL}'", "7")
        log.prompt(f"no, use pnpm {EVIL} and never npm for this")
        log.bash("pnpm install", "ok")
        log.prompt(f"Always write tests {EVIL} in the folder spec.")
        log.write(home / ".claude" / "projects" / "shop")
    monkeypatch.chdir(project)
    with wisen.open_learner() as learner:
        learner.learn()
        learner.cycle(quick=True)
    return project


def commands() -> list[list[str]]:
    """Every command of the program, by its words."""
    found: list[list[str]] = []

    def walk(group: object, words: list[str]) -> None:
        for name, each in getattr(group, "commands", {}).items():
            if getattr(each, "commands", None):
                walk(each, [*words, name])
            found.append([*words, name])

    walk(typer.main.get_command(cli.app), [])
    return found


SERVERS = (["mcp"], ["serve"])
"""Commands that run until they are stopped; their output is tested elsewhere."""
SLOW = (["learn"], ["cycle"], ["blame"], ["install"], ["doctor"])
"""Slow commands; the others cover their arguments as well."""
WALKED = [each for each in commands() if each not in SERVERS]


def run_in_process(*words: str) -> tuple[str, str, object]:
    """Return what a command prints in this process, including the program's own error handling."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    code: object = 0
    kept, given, stdin = (sys.stdout, sys.stderr), sys.argv, sys.stdin
    try:
        sys.stdout, sys.stderr, sys.argv, sys.stdin = out, err, ["wisen", *words], io.StringIO("")
        run_program(cli.app, failed=cli.FAILED, stopped=cli.STOPPED)
    except SystemExit as ended:
        code = ended.code
    finally:
        (sys.stdout, sys.stderr), sys.argv, sys.stdin = kept, given, stdin
    texts = []
    for each in (out, err):
        each.flush()
        texts.append(each.buffer.getvalue().decode("utf-8"))
    return texts[0], texts[1], code


@pytest.mark.requirement("X7")
def test_every_command_shows_hostile_texts_and_none_acts(hostile: Path) -> None:
    output = ""
    with wisen.open_learner() as learner:
        ids = [each.entry.name for each in learner.lessons.all()] + [each.id for each in learner.fixes.all()]
    tried = 0
    for words in WALKED:
        for more in (["--json"], [EVIL]) if words not in SLOW else ([],):
            out, err, _ = run_in_process(*words, *more)
            tried += 1
            assert not ACTING.search(out), (words, more, out)
            assert not ACTING.search(err), (words, more, err)
            assert "Traceback" not in err, (words, more, err)
            assert "💿" not in out + err, (words, more)
            assert "😄" not in out + err, (words, more)
            assert "a bug in wisen" not in err, (words, more, err)
            if "--json" in more and out.strip():
                json.loads(out)
            output += out
    assert tried > len(WALKED)
    for words in (["fixes", "--all"], ["explain", ids[-1]], ["entries"], ["status"], ["proposals"], ["recall", "pnpm"]):
        out, _, _ = run_in_process(*words)
        assert not ACTING.search(out), words
        output += out
    assert "[red][/]" in output, "marks are shown as they stand"
    assert ":cd::smile:" in output
    assert "\\x1b[2K" in output


def test_json_holds_the_exact_text() -> None:
    text = json.dumps(EVIL + "\ud800", ensure_ascii=False)
    assert not ACTING.search(escape_json(text))
    assert json.loads(escape_json(text)) == EVIL + "\ud800"


@pytest.mark.parametrize("width", [1, 7, 40, 400])
def test_a_terminal_gets_colours_and_nothing_else_that_acts(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", EscapingStream(terminal))
    out = safe_console(width=width)
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table(EVIL)
    table.add_row(EVIL, style="bold")
    for each in (EVIL, join_styled((EVIL, "red"), EVIL), Text(EVIL, style="dim"), table, Panel(EVIL, title=Text(EVIL))):
        out.print(each, style="bold")
    print(EVIL)
    output = terminal.getvalue()
    assert COLOURS.search(output)
    assert not ACTING.search(COLOURS.sub("", output))
    assert "💿" not in output


@pytest.mark.requirement("X7")
def test_in_a_real_terminal_nothing_acts_either(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for words in (["learn", "--days", "9999"], ["review"], ["fixes", "--all"], ["explain", EVIL]):
        output = b""
        pid, master = pty.fork()
        if pid == 0:
            os.execv(WISEN, [str(WISEN), *words])
        os.write(master, b"w\nq\n")
        while True:
            try:
                more = os.read(master, 4096)
            except OSError:
                break
            if not more:
                break
            output += more
        os.waitpid(pid, 0)
        os.close(master)
        text = output.decode("utf-8").replace("\r\n", "\n")
        text = re.sub(r"\x1b\[(\?25[lh]|[0-9;]*[mAKJ])", "", text).replace("\r", "")
        assert not ACTING.search(text), (words, text)
        assert "Traceback" not in text


def test_a_picture_shows_hostile_names_and_is_valid() -> None:
    from xml.etree import ElementTree

    made = render_svg([Pair(EVIL, 0.5, 0.25)])
    assert not ACTING.search(made)
    ElementTree.fromstring(made)


def test_what_is_harmless_is_shown_as_it_is() -> None:
    for text in ("plain\ttext\n", "żółć 日本語 नमस्ते", "👩‍👩‍👧 ❤️", "می‌خواهم", "é e\u0301", "a\\x1b"):
        assert escape_text(text) == text
    assert escape_text("a\u200db") == "a\\u200db"


def test_no_command_writes_past_the_filter() -> None:
    """Only `terminal` makes consoles, and nothing touches the bytes of the output."""
    for path in sorted((Path(cli.__file__).parent).glob("*.py")):
        if path.name == "terminal.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in {
                    "Console",
                    "rich.print",
                    "os.write",
                    "Text.from_markup",
                    "Text.from_ansi",
                    "rprint",
                }, f"{path.name}:{node.lineno} {name}"
                for keyword in node.keywords:
                    switched = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                    assert not (keyword.arg in {"markup", "emoji"} and switched), f"{path.name}:{node.lineno}"
            elif isinstance(node, ast.Attribute):
                assert node.attr != "buffer", f"{path.name}:{node.lineno}"


def _worlds(home: Path) -> dict[str, dict[str, str | None]]:
    (home / "file").write_text("x")
    return {
        "home is a file": {"WISEN_HOME": str(home / "file")},
        "home below a file": {"WISEN_HOME": str(home / "file" / "x")},
        "home below nothing": {"WISEN_HOME": "/proc/nonexistent/x"},
        "no home": {"WISEN_HOME": str(home / "w2"), "HOME": None},
        "a home in other letters": {"WISEN_HOME": os.fsdecode(bytes(home / "w3") + b"\xff\xfe")},
        "narrow": {"COLUMNS": "1"},
    }


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("turn", range(3))
def test_no_command_ends_in_a_traceback_whatever_the_world_is_like(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, turn: int
) -> None:
    """Each command in one world a turn, so that every world sees many and every command several."""
    monkeypatch.chdir(tmp_path)
    worlds = [*_worlds(home).items()]
    for number, words in enumerate(each for each in WALKED if each not in SLOW or turn == 0):
        name, changed = worlds[(number + turn) % len(worlds)]
        with monkeypatch.context() as patch:
            for key, value in changed.items():
                patch.delenv(key) if value is None else patch.setenv(key, value)
            out, err, _ = run_in_process(*words, *([os.fsdecode(b"\xff\x80")] if (number + turn) % 2 else []))
        assert "Traceback" not in err, (name, words, err)
        assert "a bug in wisen" not in err, (name, words, err)
        assert not ACTING.search(out + err), (name, words)


@pytest.mark.requirement("X7")
def test_an_output_that_cannot_be_written_is_reported_in_one_line(hostile: Path) -> None:
    for words, option in (
        (["effect"], "--svg"),
        (["learn"], "--html"),
        (["learn"], "--markdown"),
        (["blame"], "--html"),
    ):
        for target in ("/nonexistent/x", "/proc/x", str(hostile), "/dev/full", os.fsdecode(b"/nonexistent/\xff")):
            _, err, code = run_in_process(*words, option, target)
            assert "Traceback" not in err, (words, err)
            assert "a bug in wisen" not in err, (words, target, err)
            if code:
                assert err.strip(), (words, target)


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("to", [">&-", "> /dev/full", ">&- 2>&-", "2> /dev/full", "| true"])
def test_no_output_or_a_full_one_ends_a_command_quietly(home: Path, to: str) -> None:
    script = f'"{WISEN}" config --template {to}; "{WISEN}" nonsense {to}; true'
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, timeout=60, env=environment)
    for word in ("Traceback", "Exception ignored", "a bug in wisen"):
        assert word not in done.stderr, done.stderr
