"""Finds out what an agent reads from its own instruction files, so that hooks do not deliver the same rule again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from wisen.errors import FileError
from wisen.text.lazy_regex import lazy_regex
from wisen.text.rule_wording import rule_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wisen.system.machine_ports import Files

_READ = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_LED_TO = ("AGENTS.md",)
"""Read if one of the others imports it."""
_OPENCLAW = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md")
_HERMES = (".hermes.md", "HERMES.md", "AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules")
OTHER_AGENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "codex": (("AGENTS.override.md", "AGENTS.md"), (".codex/AGENTS.override.md", ".codex/AGENTS.md")),
    "gemini-cli": (("GEMINI.md",), (".gemini/GEMINI.md",)),
    "hermes": (_HERMES, (".hermes/SOUL.md",)),
    "openclaw": (_OPENCLAW, ()),
    "opencode": (("AGENTS.md", "CLAUDE.md", "CONTEXT.md"), (".config/opencode/AGENTS.md", ".claude/CLAUDE.md")),
}
"""Agents that read other files than Claude Code, whose files all the rest are assumed to read: in a folder, and below
the user's home. Of each row they read the first file that has content."""
_ALL = frozenset({"openclaw"})
"""Agents that read every file of a row."""
_RULES = "rules/wisen.md"
"""Below `.claude`, of a project or of the user: every file next to it is read, unless it is limited to some paths."""
_SOME_PATHS = lazy_regex(r"\A---\s*\n(?:(?!---).*\n)*?paths\s*:")
_CUT = {"codex": 32 * 1024}
"""Bytes after which an agent stops reading a project's file: whatever follows must be delivered."""
_MAX_BYTES = 1 << 18
_SPACE = lazy_regex(r"[\W_]+")


def read_instructions(files: Files, folders: Iterable[Path]) -> str:
    """Return what Claude Code reads by itself in these folders."""
    parts: list[str] = []
    for folder in folders:
        texts = [_text(files, folder / name) for name in _READ]
        parts += texts
        parts += _always_read(files, (folder if folder.name == ".claude" else folder / ".claude") / _RULES)
        parts += [_text(files, folder / name) for name in _LED_TO if any(f"@{name}" in text for text in texts)]
    return "\n".join(parts)


def read_other_instructions(files: Files, agent: str, folders: Iterable[Path], home: Path) -> str:
    """Return what another agent reads by itself in these folders and below the user's home."""
    names, home_names = OTHER_AGENTS[agent]
    cut = _CUT.get(agent, _MAX_BYTES)
    rows = [([folder / name for name in names], cut) for folder in folders]
    texts_by_row = (
        (_text(files, path, most) for path in row)
        for row, most in (*rows, ([home / name for name in home_names], _MAX_BYTES))
    )
    if agent in _ALL:
        return "\n".join(text for texts in texts_by_row for text in texts)
    return "\n".join(next((text for text in texts if text.strip()), "") for texts in texts_by_row)


def contains_rule(rule: str, text: str, instructions: str) -> bool:
    """Whether instructions already contain a rule: as our line, or in the same words, ignoring a leading "no,"."""
    if f"wisen:{rule}" in instructions:
        return True
    there = _plain(instructions)
    return any(words and words in there for words in (_plain(text), _plain(_line(text))))


@lru_cache(maxsize=8192)
def _line(text: str) -> str:
    return rule_line(text)


@lru_cache(maxsize=16384)
def _plain(text: str) -> str:
    return _SPACE.sub(" ", text.casefold()).strip()


def _always_read(files: Files, path: Path) -> list[str]:
    """Return our rules file and the files next to it that Claude Code reads in every session."""
    texts = [_text(files, each) for each in (path, *files.siblings(path))]
    return [text for text in texts if not _SOME_PATHS.match(text)]


def _text(files: Files, path: Path, most: int = _MAX_BYTES) -> str:
    try:
        content = files.read(path).content
    except FileError:
        return ""
    return (content or b"")[:most].decode("utf-8", "replace")
