"""At any terminal width, no word or number is cut: every read-only command."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len
from rich.text import Text

import wisen
from tests.commands import WISEN
from wisen.surfaces import cli
from wisen.surfaces.cli.command_table import SHORT_FORMS
from wisen.surfaces.cli.error_reporting import run_program
from wisen.surfaces.cli.layout import FittedTable, clip_text, line_spans, wrap_text
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X4")

WIDTHS = (60, 80, 120)
WIDEST = 200
MARKS = "…,.;:()“”·"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
LONG_NAME = "the-shop-with-the-long-name-that-everybody-wanted-to-have-in-there-somewhere"


class Terminal(io.TextIOWrapper):
    """An output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def fill(home: Path) -> Path:
    """Sessions with failures, fixes, corrections and praise in a project with a long path and a long CLAUDE.md."""
    project = home / "Work" / LONG_NAME
    project.mkdir(parents=True)
    rules = "\n".join(
        f"- Rule {number}: run `shopctl step{number}` before anything else is done." for number in range(30)
    )
    (project / "CLAUDE.md").write_text(f"# Rules\n{rules}\n- Use {'x' * 90}/{LONG_NAME}/file.txt 必要です。\n")
    skill = home / ".claude" / "skills" / "pick" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: pick\ndescription: Pick pears and apples in the cellar.\n---\n\nPick them by hand.\n")
    for number in range(1, 7):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("count the pears and the apples in every box of the cellar and write down how many there are")
        for more in range(8):
            log.bash(f"shopctl count --everything box{more}", "shopctl: unknown option --everything", exit_code=2)
            log.wait(minutes=37)
            log.bash(f"shopctl count box{more}", "7")
        log.prompt("no, always use pnpm and never npm in this project, whatever the README of the template says")
        log.bash("pnpm install", "ok")
        log.prompt("Always write the tests into the folder spec, with one file for each of the modules that they test.")
        log.bash(f"cat {project}/deep/deeper/deepest/file-{number}.txt", "cat: no such file", exit_code=1)
        log.prompt("perfect, thank you")
        log.write(home / ".claude" / "projects" / "shop")
    with wisen.open_learner() as learner:
        learner.learn()
        learner.cycle()
    return project


ALSO_READS = ("blame", "learn")
"""Commands that only show something unless asked to change it."""


def read_commands() -> dict[str, Any]:
    """The commands that only read: they have --json and no --dry-run; groups that list by themselves are among them."""
    found: dict[str, Any] = {}

    def walk(group: Any, words: list[str]) -> None:
        options = {option for each in group.params for option in each.opts}
        if words and "--json" in options and ("--dry-run" not in options or words[0] in ALSO_READS):
            found[" ".join(words)] = group
        for name, each in getattr(group, "commands", {}).items():
            if words or name not in SHORT_FORMS:
                walk(each, [*words, name])

    walk(typer.main.get_command(cli.app), [])
    return found


READS = read_commands()
ARGUMENTS = {
    "blame": ["CLAUDE.md"],
    "explain": ["{fix}"],
    "memory recall": ["pears in the cellar"],
    "memory brief": ["install the packages with npm and write tests"],
    "feedback detect": ["no, always use pnpm and never npm"],
    "lessons show": ["{entry}"],
    "fixes show": ["{fix}"],
    "proposals show": ["1"],
    "guards test": ["shopctl count --everything"],
    "guards backtest": ["warn shopctl count --everything"],
    "guards show": ["{guard}"],
    "skills show": ["pick"],
    "workflows show": ["{workflow}"],
    "workflows suggest": ["count the pears and the apples in every box"],
    "trials show": ["{trial}"],
    "changes show": ["{change}"],
    "rules show": ["{entry}"],
    "memory show": [],
}
"""Arguments of the commands that need some; a name in braces is looked up."""
ABSENT = ("{guard}", "{trial}", "{change}", "{workflow}")
"""Arguments that the sessions above do not provide."""


def show(words: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a command shows on a terminal of so many columns."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal(io.BytesIO(), "utf-8")
    kept, given, stdin = sys.stdout, sys.argv, sys.stdin
    code: object = None
    try:
        sys.stdout, sys.argv, sys.stdin = out, ["wisen", *words], io.StringIO("")
        run_program(cli.app, failed=cli.FAILED, stopped=cli.STOPPED)
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdout, sys.argv, sys.stdin = kept, given, stdin
    assert code in (0, None, 3), words
    out.flush()
    return COLOURS.sub("", out.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]


def is_one_word(line: str) -> bool:
    """Return whether a line cannot be wrapped: it is a word, maybe with a name, or a command."""
    return line.strip().startswith("wisen ") or len(re.sub(r"^\s*(?:\d+|[-*+]|\w+:)\s+", "", line).split()) == 1


def is_whole(word: str, text: str) -> bool:
    """Return whether a text contains a whole word."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def test_every_command_that_reads_shows_whole_words_and_numbers_at_every_width(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fill(home))
    with wisen.open_learner() as learner:
        names = {"{entry}": learner.lessons.all()[0].entry.name, "{fix}": learner.fixes.all()[0].id}
    tried = 0
    for name, command in READS.items():
        needed = [each for each in command.params if each.param_type_name == "argument" and each.required]
        assert not needed or name in ARGUMENTS, f"say in ARGUMENTS what `wisen {name}` is given"
        more = ARGUMENTS.get(name, [])
        if any(each in ABSENT for each in more):
            continue
        words = [*name.split(), *(names.get(each, each) for each in more)]
        wide = show(words, WIDEST, monkeypatch)
        for width in WIDTHS:
            narrow = show(words, width, monkeypatch)
            for word in set(wide.split()):
                assert is_whole(word.strip(MARKS), narrow) or not word.strip(MARKS), (words, width, word)
            for line in narrow.splitlines():
                assert cell_len(line) <= width or is_one_word(line), (words, width, line)
            tried += 1
    assert tried >= 3 * 20


def test_the_report_keeps_its_figures_at_every_width(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fill(home))
    for width in WIDTHS:
        text = show(["learn"], width, monkeypatch)
        for word in ("sessions", "calls", "cost", "fixed", "rejected", "hidden", "48", "wisen"):
            assert is_whole(word, text), (width, word, text)


def test_a_real_terminal_of_sixty_columns_and_a_pipe_show_the_same_words(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fill(home))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    piped = subprocess.run([WISEN, "learn"], capture_output=True, text=True, check=True, timeout=60, env=environment)
    longest = max(piped.stdout.splitlines(), key=len)
    assert "typed turns" in longest or len(longest) > 100  # no line ends because a terminal would
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    with subprocess.Popen(
        [WISEN, "learn"], stdin=side, stdout=side, stderr=side, env={**environment, "TERM": "dumb"}
    ) as program:
        os.close(side)
        shown = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            shown += part
        assert program.wait(timeout=60) == 0
    os.close(main)
    text = COLOURS.sub("", shown.decode("utf-8")).replace("\r", "")
    assert all(cell_len(line) <= 60 or is_one_word(line) for line in text.splitlines()), text
    missing = [word for word in piped.stdout.split() if not is_whole(word.strip(MARKS), text)]
    assert not missing or all(word in MARKS for word in missing), missing


TABLES = [
    [("111", "go test: tests fail", "2.6 h", "work on the code"), ("1,234,567", "a" * 70, "26 s", "")],
    [("1", "", "", "")],
    [
        (
            "1",
            "日本語の文章はスペースなしで書かれています。長い文もあります。",
            "1 s",
            "한국어 문장은 띄어쓰기가 있습니다",
        )
    ],
    [("9" * 30, "x", "9" * 30, "y z")],
]


@pytest.mark.parametrize("rows", TABLES)
@pytest.mark.parametrize("width", [1, 5, 20, 40, 60, 80, 120, 1000])
def test_a_table_never_breaks_a_word_or_number(rows: list[tuple[str, ...]], width: int) -> None:
    from rich.console import Console

    table = FittedTable(("sessions", "what", "cost", "fixed by"), right=("sessions", "cost"))
    for row in rows:
        table.add_row(*row)
    out = Console(file=io.StringIO(), width=width, height=9)
    out.print(table, soft_wrap=True)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    for word in (word for row in rows for cell in row for word in cell.split() if word.isascii()):
        assert is_whole(word, text), (word, text)
    assert "".join(text.split()).count("日") == sum(cell.count("日") for row in rows for cell in row)
    for line in text.splitlines():
        assert cell_len(line) <= width or len(line.split()) <= 2, line  # a name and its figure stay together


def test_items_of_a_list_hang_under_their_words() -> None:
    text = "  1. Change line 858 of /a/b/CLAUDE.md: Always prefix commands"
    assert [line.plain for line in wrap_text(Text(text), 30)] == [
        "  1. Change line 858 of",
        "     /a/b/CLAUDE.md: Always",
        "     prefix commands",
    ]


def test_a_word_longer_than_the_line_stands_whole() -> None:
    path = "/home/ada/" + "deep/" * 20 + "file.py"
    lines = [line.plain for line in wrap_text(Text(f"Line by line: wisen blame {path} and more"), 40)]
    assert lines == ["Line by line: wisen blame", path, "and more"]


@pytest.mark.parametrize(
    "text", ["", " ", "a", "\t", "   x", "- ", "1. ", "…", "日" * 50, "a" * 50, "x " * 50, "  - " + "y" * 99]
)
@pytest.mark.parametrize("width", [1, 2, 7, 30])
def test_no_character_is_lost_between_lines(text: str, width: int) -> None:
    parts = [text[start:end] for start, end in line_spans(text, width)]
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "longest", "clipped"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two …"),
        ("costs 12345678 pears", 12, "costs …"),
        ("cat /home/ada/orchard/pears/deep/file.py now", 30, "cat /home/ada/o…deep/file.py …"),
        ("数を数えてください、もう一度お願いします", 10, "数を数えてくださ …"),
        ("x" * 99, 11, "xxxxx…xxxxx"),
    ],
)
def test_long_texts_end_between_words_with_a_sign(text: str, longest: int, clipped: str | None) -> None:
    made = clip_text(text, longest)
    assert len(made) <= longest
    assert clipped is None or made == clipped
    if made != text and "…" in made[:-1]:
        head, tail = made.removesuffix(" …").split("…")
        assert text.startswith(head)
        assert tail in text
