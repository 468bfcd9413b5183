"""X: texts that act on a terminal, in all that is read, shown by every command: piped, as JSON, in a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import time
from pathlib import Path

import typer.main

from tests.battery.check import Check, Tally
from tests.battery.odd_worlds import working_in
from tests.command_server import run_main
from tests.surfaces.test_terminal import ACTING, SERVERS, commands, run_in_process
from wisen.surfaces import cli
from wisen.testing.transcripts import ClaudeTranscript

ATTACKS = {
    "erase": "\x1b[2K\x1b[1G\x1b[8m",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;eA==\x07",
    "C1": "\x9b31m\x9d0;x\x9c\x90q\x85",
    "DCS": '\x1bP$q"p\x1b\\\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\',
    "modes": "\x1b[?1049h\x1b[?25l\x1bc\x0e\x1b[6n\x05",
    "bidi": "\u202e\u2066\u2069\u061c\u200f",
    "invisible": "\u200b\u2060\ufeff\U000e0041\U000e007f\u00ad\u3164",
    "returns": "\r\x08\x7f\x0b\x0c",
    "separators": "\u2028\u2029\x1c\x1e",
    "NUL": "a\x00b",
    "surrogate": "\ud800\udfff",
    "long": "x" * 9000,
    "marks": "e" + "\u0301" * 3000,
    "markup": "[red][/][link=http://x]y[/link][@click=x]:smile:\\[z",
    "page": "<script>alert(1)</script><img src=x onerror=alert(1)>\"' onload=x <!-- ]]> [a](javascript:x) `",
    "terminal ends": "\x1b",
    "numbers": "１２\u0660 %s %n {0} {x!r} \\x1b \\u001b $(id) `id`",
}
_MARK = "ATTACKMARK"
_SLICES = 6
"""Each run tries one of so many parts of the commands: all take five seconds."""
_OWN = re.compile(r"\x1b\[(\?25[lh]|\?7[lh]|[0-9;]*[mAKJ])")
"""What our own progress and colours send."""
_SLOW = (["blame"], ["install"], ["doctor"])
_ACTIVE_PAGE = re.compile(r"<script>alert|<img src=x|\" onload=x|href=[\"']?javascript", re.IGNORECASE)
_SECONDS = 30


def show_hostile_texts(seed: int, folder: Path) -> Tally:
    """One attack in all texts; a part of the commands, one of them in a terminal; the pages."""
    tally, names = Tally(), list(ATTACKS)
    name, part = names[seed % len(names)], seed // len(names) % _SLICES
    attack = ATTACKS[name]
    project = _write_world(folder, attack)
    with working_in(project):
        for words in (["learn"], ["cycle", "--quick"]):
            _expect_inert(tally, name, words, run_in_process(*words)[:2])
        found, err, _ = run_in_process("lessons", "--json")
        tally.expect("instead of npm" in found, f"{name}: nothing was learned next to it: {found[:300]} {err}")
        walked = [each for each in commands() if each not in SERVERS][part::_SLICES]
        argument = os.fsdecode(attack.replace("\0", "")[:500].encode("utf-8", "surrogatepass"))
        for words in walked:
            variants = (
                (["--json"], [argument]) if words not in _SLOW else (["CLAUDE.md"] if words == ["blame"] else [],)
            )
            for more in variants:
                out, err, _ = run_in_process(*words, *(each for each in more))
                _expect_inert(tally, name, [*words, *more], (out, err))
                if more == ["--json"] and out.strip():
                    tally.expect(_is_json(out), f"{name}: {words} --json is no JSON: {out[:200]!r}")
        words = walked[seed % len(walked)] if seed % 3 else ["explain", "LRN-1"]
        shown = _OWN.sub("", _in_terminal(words).replace("\r\n", "\n")).replace("\r", "")
        tally.expect(not ACTING.search(shown) and "Traceback" not in shown, f"{name}: {words} in a terminal: {shown!r}")
        for words in (["learn", "--html"], ["learn", "--markdown"], ["blame", "CLAUDE.md", "--html"]):
            page = folder / f"page{words[-1]}-{words[0]}"
            run_in_process(*words, str(page))
            text = page.read_text(encoding="utf-8") if page.exists() else ""
            tally.expect(bool(text) and not ACTING.search(text), f"{name}: {words} acts or is empty: {text[:300]!r}")
            active = _ACTIVE_PAGE.search(text)
            tally.expect(not active, f"{name}: {words} is active: {active and text[active.start() - 80 :][:200]}")
    return tally


def _write_world(folder: Path, attack: str) -> Path:
    """A project with the attack in its name, and in prompts, calls, tools, errors, branches, files and settings."""
    safe = attack.replace("\0", "").replace("/", "_").encode("utf-8", "replace")[:60].decode("utf-8", "ignore")
    project = folder / f"shop{safe}"
    project.mkdir()
    (project / "CLAUDE.md").write_bytes(f"# Rules {attack}\n- Use pnpm {attack}.\n".encode("utf-8", "surrogatepass"))
    for number in (1, 2, 3):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("count the pears")
        log.bash(f"shopctl count --all '{_MARK}'", f"shopctl: error: unrecognized {_MARK} --all", exit_code=2)
        log.bash(f"shopctl count '{_MARK}'", "7")
        log.fail(log.call(f"mcp__{_MARK}__read", path=f"/x/{_MARK}"), f"no such {_MARK}")
        log.prompt("no, from now on always use pnpm instead of npm")
        log.bash("pnpm install", "ok")
        log.prompt(f"Always write tests {_MARK} in the folder spec.")
        log.prompt(f"no, never call it {_MARK} again, from now on call it pear")
        path = log.write(folder / ".claude" / "projects" / "shop")
        text = path.read_bytes().replace(b'"gitBranch":"main"', f'"gitBranch":"{_MARK}"'.encode())
        path.write_bytes(text.replace(_MARK.encode(), json.dumps(attack)[1:-1].encode()))
    (folder / "wisen").mkdir()
    shown = json.dumps(attack.encode("utf-8", "ignore").decode(), ensure_ascii=False)
    (folder / "wisen/config.toml").write_text(
        f"[off]\ndirectories = [{shown}]\n".replace("\x7f", "\\u007f"), encoding="utf-8"
    )
    return project


def _expect_inert(tally: Tally, name: str, words: list[str], output: tuple[str, ...]) -> None:
    text = "".join(output)
    acting = ACTING.search(text)
    crashed = "Traceback" in text or "a bug in wisen" in text
    tally.expect(not acting and not crashed, f"{name}: {words}: {acting and acting[0]!r} {text[-400:]!r}")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _in_terminal(words: list[str]) -> str:
    """What a command writes to a terminal in a process of its own, which is answered `q`."""
    typer.main.get_command(cli.app)  # loaded once, before the fork
    pid, master = pty.fork()
    if pid == 0:
        code = 1
        try:
            import sys

            os.environ["TERM"] = "xterm"
            sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w"), open(2, "w")  # noqa: SIM115
            sys.argv = ["wisen", *words]
            code = run_main()
            sys.stdout.flush()
        finally:
            os._exit(code)
    os.write(master, b"q\nq\n")
    output, end = b"", time.monotonic() + _SECONDS
    while time.monotonic() < end:
        try:
            more = os.read(master, 1 << 16)
        except OSError:  # the terminal is closed
            break
        if not more:
            break
        output += more
    os.waitpid(pid, 0)
    os.close(master)
    return output.decode("utf-8", "surrogateescape")


CHECKS = (
    Check("X", "terminal", "a text acts on a terminal, or makes JSON or a page invalid or active",
          show_hostile_texts, quick=1, full=len(ATTACKS) * _SLICES),
)  # fmt: skip
