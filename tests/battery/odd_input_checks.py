"""X: times that no calendar holds and nesting without end, in every reader and parser."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.battery.check import Check, Tally
from tests.battery.odd_worlds import AGENTS, problem_of_run, replace_values, session_files, write_intact_sessions
from wisen.agents.hook_config import parse_strict_json
from wisen.blame.line_parsing import heading_of, is_instruction, named_words
from wisen.edits.managed_lines import managed_lines
from wisen.edits.settings_text import parse_settings
from wisen.errors import WisenError
from wisen.kernel.scripts import read_line
from wisen.kernel.shell_output import expand_braces
from wisen.mining.signatures import signature_of
from wisen.model.guard import parse_guard
from wisen.rules.learnings_text import parse_entries
from wisen.rules.rule_page import parse_page
from wisen.safety import sentinel
from wisen.safety.dangers import judge_line
from wisen.safety.foreign_settings import parse_toml, parse_yaml
from wisen.safety.passages import split_passages
from wisen.safety.private import find_private_data
from wisen.safety.secrets import find_secret
from wisen.surfaces.hook.shell import parts_of
from wisen.text.command_lines import fields_of, parse_command
from wisen.text.directives import directives_in
from wisen.text.markdown import find_fences
from wisen.text.message_sentences import sentences_of
from wisen.text.slots import slots_of

TIME_FIELDS = re.compile(r"timestamp|time|start|end|startTime|lastUpdated|created(?:_?[aA]t)?|updated(?:_?[aA]t)?"
                         r"|time_created|time_updated|started_at|ended_at|completed")  # fmt: skip
ODD_TIMES: tuple[object, ...] = (
    *("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-14:00"),
    *(
        "1969-12-31T23:59:59Z",
        "2026-02-30T10:00:00Z",
        "2026-03-01",
        "10:00",
        "",
        "soon",
        "NaN",
        "２０２６-03-01T10:00:00Z",
    ),
    *("2026-03-01T10:00:00+99:99", "2026-W09-7", "2026-03-01T24:00:00Z", "2026-03-01T10:00:60Z", "x" * 10_000),
    *(0, -1, -(10**18), 10**18, 2**63 - 1, 2**63, 10**40, 1e300, -1e300, 0.1, 1e12, float("nan"), float("inf")),
    *(None, True, [], {}, [1], "1772442000000", "\ud800"),
)
ODD_FILE_TIMES = (-(2**40), 0, 2**34, 2**40, 2**62)
"""Seconds since 1970; what the file system cannot hold it cuts."""


def learn_odd_times(seed: int, folder: Path) -> Tally:
    """A session of one agent in which all times are odd, in one way; files are dated in odd years."""
    chance, tally = random.Random(seed), Tally()
    agents = sorted(AGENTS)
    agent, value = agents[seed % len(agents)], ODD_TIMES[seed // len(agents) % len(ODD_TIMES)]
    project = write_intact_sessions(folder)
    AGENTS[agent](folder, 7)
    assert replace_values(folder, TIME_FIELDS, value), f"{agent} has no times"
    for path in session_files(folder):
        with_time = chance.choice((*ODD_FILE_TIMES, None))
        if with_time is not None:
            os.utime(path, ns=(max(-(2**62), min(2**62, with_time * 10**9)),) * 2)
    problem = problem_of_run(project)
    tally.expect(not problem, f"{agent} with {str(value)[:40]!r}: {problem}")
    return tally


LINE, MESSAGE, FILE = 16_000, 32_000, 1 << 20
"""How many characters callers pass at most: of a call, of a typed message (`door.longest_message`), of a file here."""
SECONDS = 20.0
"""Of processor time. Each takes far less; what takes time with the square of the depth takes minutes."""
PARSERS: dict[str, tuple[int, Callable[[str], object]]] = {
    "shell line of a guard": (FILE, read_line),
    "braces": (LINE, expand_braces),
    "shell words": (LINE, parse_command),
    "shell words of the hook": (LINE, parts_of),
    "danger of a line": (2000, judge_line),
    "signature": (4000, lambda text: signature_of(tool="Bash", arguments=json.dumps({"command": text}), text=text)),
    "arguments": (FILE, fields_of),
    "guard": (2000, parse_guard),
    "directives": (MESSAGE, directives_in),
    "sentences": (MESSAGE, sentences_of),
    "slots": (4000, slots_of),
    "passages": (MESSAGE, split_passages),
    "secrets": (MESSAGE, find_secret),
    "private data": (MESSAGE, find_private_data),
    "marks": (FILE, sentinel.strip),
    "fences": (FILE, lambda text: find_fences(text.splitlines())),
    "instruction lines": (FILE, lambda text: (heading_of(text), is_instruction(text), *named_words(text))),
    "managed lines": (FILE, lambda text: managed_lines(text.encode("utf-8", "surrogatepass"))),
    "learnings": (FILE, parse_entries),
    "rule page": (FILE, parse_page),
    "json": (FILE, lambda text: parse_settings(text, "json")),
    "json with comments": (FILE, lambda text: parse_settings(text, "json5")),
    "strict json": (FILE, lambda text: parse_strict_json(text.encode("utf-8", "surrogatepass"))),
    "toml": (FILE, parse_toml),
    "yaml": (LINE, parse_yaml),
}
PAIRS = (
    *(("[", "1", "]"), ('{"a":', "1", "}"), ("a = [", "1", "]"), ("a = {b = ", "1", "}"), ("- ", "x", "")),
    ("a.", "b = 1", ""),
    *(("(", " ls ", ")"), ("echo $(", "ls", ")"), ("echo `", "ls", "`"), ("{ ", "ls; ", "}; "), ("${a:-", "x", "}")),
    *(("if true; then ", "ls", "; fi"), ("while true; do ", "ls", "; done"), ("f(){ ", "ls; ", "}; ")),
    ("{a,", "b", "}"),
    *(("case a in a) ", "ls", ";; esac"), ("bash -c '", "ls", "'"), ("eval ", "ls", ""), ("sudo ", "ls", "")),
    *(("ls | ", "cat", ""), ("a && ", "b", ""), ("cat <<A\n", "x", "\nA"), ("cat <(", "ls", ")"), ("$((", "1", "))")),
    *(("\\", "x", ""), ('"', "x", ""), ("'", "x", ""), ("find . -exec ", "ls", " \\;"), ("ssh h ", "ls", "")),
    *(("> ", "use pnpm", ""), ("  - ", "use pnpm", ""), ("*", "x", "*"), ("[", "x", "](y)"), ("`", "x", "`")),
    ("#", " x", ""),
    *(("```\n", "x", "\n```"), ("<b>", "x", "</b>"), ("<!-- ", "x", " -->"), ("<wisen51902> ", "x", "</wisen51902>")),
    *(("use a, ", "b", ""), ("do not ", "go", ""), ("always ", "use pnpm", ""), ("a: ", "b", ""), ("\u200b", "x", "")),
    *(("e\u0301", "x", ""), ("\t", "x", ""), ("/a", "x", ""), ("&a [*a, ", "1", "]"), ("? ", "x", "")),
    ("\ud83d", "", ""),
)  # fmt: skip
"""What is nested: how a level begins, what is innermost, and how the level ends."""
DEPTHS = (10, 100, 1_000, 10_000, 100_000)


class _TooLong(BaseException):
    """A parser took too much processor time."""


def parse_nested_texts(seed: int, folder: Path) -> Tally:
    """One form of nesting in every depth, one in two with its end missing, in every parser."""
    del folder
    tally = Tally()
    opening, inside, closing = PAIRS[seed % len(PAIRS)]
    is_closed = seed // len(PAIRS) % 2 == 0
    with _bounded_memory():
        for depth in DEPTHS:
            text = opening * depth + inside + closing * (depth if is_closed else 0)
            for name, (most, parse) in PARSERS.items():
                problem = _problem_of_parsing(parse, text[:most])
                tally.expect(not problem, f"{name}, {opening!r} {depth} times, closed: {is_closed}: {problem}")
    return tally


def _problem_of_parsing(parse: Callable[[str], object], text: str) -> str:
    def stop(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        parse(text)
    except (WisenError, ValueError):
        return ""  # it is refused
    except _TooLong:
        return f"more than {SECONDS:g} seconds"
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {str(error)[:100]}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return ""


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Whoever takes a gigabyte more than there is gets a MemoryError."""
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (held + (1 << 30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


NESTED_FILES = (
    *(".claude/settings.json", ".claude/projects/shop/odd.jsonl", ".codex/hooks.json", ".codex/config.toml"),
    *(".codex/sessions/2026/03/01/rollout-odd.jsonl", ".gemini/settings.json", ".gemini/projects.json"),
    *(".gemini/tmp/odd/chats/session-1.json", ".openclaw/openclaw.json"),
    ".openclaw/agents/main/sessions/sessions.json",
    *(".openclaw/agents/main/sessions/odd.jsonl", ".hermes/config.yaml", ".hermes/plugins/wisen/plugin.yaml"),
    *(".config/opencode/opencode.json", ".openhands/conversations/a/base_state.json", ".claude/CLAUDE.md"),
    *(".openhands/conversations/a/events/event-00000-a.json", "shop/CLAUDE.md", "shop/.learnings/LEARNINGS.md"),
    *("shop/package.json", "shop/.aider.chat.history.md", "wisen/languages/xx.toml", "wisen/spool/stopped"),
    *("wisen/spool/beats/failed", "wisen/snapshots/current.json", "shop/.gitignore", ".gemini/trustedFolders.json"),
)  # fmt: skip


def read_nested_files(seed: int, folder: Path) -> Tally:
    """One form of nesting of one depth in the place of one file, next to intact sessions; every command looks at it."""
    chance, tally = random.Random(seed), Tally()
    name = NESTED_FILES[seed % len(NESTED_FILES)]
    opening, inside, closing = chance.choice(PAIRS[:6] if chance.random() < 0.7 else PAIRS)
    depth = chance.choice((300, 900, 1_000, 5_000, 50_000))
    project = write_intact_sessions(folder)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = opening * depth + inside + closing * depth
    path.write_text(text[: FILE // 8], encoding="utf-8", errors="surrogatepass")
    began = time.process_time()
    problem = problem_of_run(project)
    took = time.process_time() - began
    tally.expect(not problem and took < 3 * SECONDS, f"{name}, {opening!r} {depth} times, {took:.0f} s: {problem}")
    return tally


CHECKS = (
    Check("X", "times", "a time out of the calendar stops a command", learn_odd_times, quick=1, full=8 * 36),
    Check("X", "depth", "a nested text ends a parser or takes it minutes", parse_nested_texts, quick=1, full=106),
    Check("X", "nested-files", "a nested file stops a command", read_nested_files, quick=1, full=4 * 27),
)
