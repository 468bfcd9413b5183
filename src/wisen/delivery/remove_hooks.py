"""Removes wisen from agents' settings without needing wisen: `python3 remove-hooks.py [--dry-run] [SETTINGS_FILE ...]`.

`wisen install` puts a copy of this file next to its launcher, in case wisen itself is gone. It needs only the standard
library. It removes what belongs to wisen and leaves every other byte unchanged; a backup of each changed file stays
next to it. A file that is not plain JSON is not touched: it says what to delete there.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

FILES: list[str] = []
USUAL = (
    ".claude/settings.json",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".config/opencode/opencode.json",
    ".config/opencode/opencode.jsonc",
    ".openclaw/openclaw.json",
    ".hermes/plugins/wisen/plugin.yaml",
)
"""The usual settings files, below the user's home."""
COMMAND = re.compile(
    r"/bin/sh \S.*/hook'?(?:\"'\"')? [a-z-]+ [a-z-]+ 2>/dev/null \|\| cat >/dev/null 2>&1 \|\| :"
    r"|.* -I -S .*/surfaces/hook/client\.py'? --home .*",
    re.DOTALL,
)
"""The commands with which agents call wisen, in this and older versions."""
PLUGIN = re.compile(r"file:.*/(?:plugins/wisen-opencode|agents/opencode/plugin)/wisen\.js")
FOLDER = re.compile(r".*/plugins/wisen-openclaw/?")
BACKUP = ".before-wisen-was-removed"
_SPACE = re.compile(r"[ \t\r\n]*")
_decoder = json.JSONDecoder()


def main(words: list[str]) -> int:
    """Process the named files, or those that wisen knew and the usual ones."""
    dry_run = "--dry-run" in words
    named = [word for word in words if word != "--dry-run"]
    usual = [str(Path.home() / each) for each in USUAL]
    known = [str(Path(each).expanduser()) for each in FILES]
    left = 0
    for path in dict.fromkeys(named or [*known, *usual]):
        said, is_left = remove_from(Path(path), dry_run=dry_run)
        left += is_left
        if said:
            print(f"{path}: {said}")
    print("Nothing was written." if dry_run else "Done. A session that runs now may keep its hooks until it ends.")
    return 1 if left else 0


def remove_from(path: Path, *, dry_run: bool) -> tuple[str, bool]:
    """Process one file; return what was done, and whether something of wisen is left for a person to remove."""
    try:
        if not path.is_file():
            return "", False
        if path.name == "plugin.yaml":
            return _remove_files(path.parent, ("__init__.py", "plugin.yaml"), "wisen in Hermes", dry_run=dry_run), False
        raw = path.read_bytes()
        said = ""
        if path.name.startswith("openclaw"):
            folder = path.parent / "extensions" / "wisen"
            files = ("index.js", "openclaw.plugin.json", "package.json")
            said = _remove_files(folder, files, "Calls wisen", dry_run=dry_run)
        try:
            text = raw.decode("utf-8")
            new = without_wisen(text)
        except ValueError:
            return _by_hand(raw) or said, bool(_by_hand(raw))
        if new == text:
            return said, False
        if not dry_run:
            _write(path, raw, new.encode("utf-8"))
        return f"wisen {'would be' if dry_run else 'is'} taken out", False
    except OSError as error:
        return f"cannot be changed: {error.strerror}", True


def without_wisen(text: str) -> str:
    """Return a settings file without what belongs to wisen. Raises: ValueError if it is not plain JSON."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(mark) :]
    if not text.strip():
        return mark + text
    wanted = _pruned(json.loads(text), ())
    while span := _first_of_ours(text, _SPACE.match(text).end(), ()):  # type: ignore[union-attr]  # it always matches
        text = text[: span[0]] + text[span[1] :]
    if json.loads(text) != wanted:
        raise ValueError("the rest of the file would not stay as it is")
    return mark + text


def _is_ours(keys: tuple[str, ...], value: Any) -> bool:
    """Whether a value, given its path of keys (`*` in a list), was put there by wisen."""
    if len(keys) == 3 and keys[0] == "hooks" and keys[2] == "*" and isinstance(value, dict):
        inner = value.get("hooks")
        commands = [each.get("command") if isinstance(each, dict) else None for each in inner or [None]]
        return all(isinstance(each, str) and COMMAND.fullmatch(each) for each in commands)
    if keys == ("plugin", "*"):
        name = value[0] if isinstance(value, list) and value else value
        return isinstance(name, str) and PLUGIN.fullmatch(name) is not None
    if keys == ("plugins", "entries", "wisen"):
        return isinstance(value, dict) and isinstance(value.get("config"), dict) and "home" in value["config"]
    if keys == ("plugins", "allow", "*"):
        return bool(value == "wisen")
    return keys == ("plugins", "load", "paths", "*") and isinstance(value, str) and FOLDER.fullmatch(value) is not None


def _goes(keys: tuple[str, ...], value: Any) -> bool:
    """Whether a value is to be removed: it is ours, or a list or mapping of hooks with nothing else in it."""
    if _is_ours(keys, value):
        return True
    if keys[:1] != ("hooks",) or len(keys) > 2 or not value:
        return False
    inner = [("*", each) for each in value] if isinstance(value, list) else list(getattr(value, "items", list)())
    return bool(inner) and all(_goes((*keys, name), each) for name, each in inner)


def _pruned(value: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if not _goes((*keys, name), each)}
        return {name: _pruned(each, (*keys, name)) for name, each in kept.items()}
    if isinstance(value, list):
        return [_pruned(each, (*keys, "*")) for each in value if not _goes((*keys, "*"), each)]
    return value


def _first_of_ours(text: str, at: int, keys: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the span of the first value of ours, including its separator."""
    if text[at] not in "{[":
        return None
    items = _items(text, at)
    for number, (name, begins, from_, to) in enumerate(items):
        place = (*keys, name)
        if _goes(place, _decoder.raw_decode(text, from_)[0]):
            if number + 1 < len(items):
                return begins, items[number + 1][1]
            if number:
                return items[number - 1][3], to
            return at + 1, _SPACE.match(text, to).end()  # type: ignore[union-attr]  # it always matches
        if span := _first_of_ours(text, from_, place):
            return span
    return None


def _items(text: str, at: int) -> list[tuple[str, int, int, int]]:
    """Return the items of a list or mapping: each name, where the item starts, and where its value starts and ends."""
    found = []
    is_mapping, at = text[at] == "{", _after_space(text, at + 1)
    while text[at] not in "}]":
        begins, name = at, "*"
        if is_mapping:
            name, at = _decoder.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        to = _decoder.raw_decode(text, at)[1]
        found.append((name, begins, at, to))
        at = _after_space(text, to)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return found


def _after_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it always matches


def _by_hand(raw: bytes) -> str:
    """Return what a person must delete in a file that is not plain JSON; empty if nothing."""
    marks = (
        b"/hook",
        b"surfaces/hook/client.py",
        b"wisen-opencode",
        b"plugin/wisen.js",
        b'"wisen"',
        b"wisen:",
    )
    lines = [str(at) for at, line in enumerate(raw.splitlines(), 1) if any(mark in line for mark in marks)]
    return f"not plain JSON, so it was left. Delete what names wisen in it: line {', '.join(lines)}" if lines else ""


def _remove_files(folder: Path, names: tuple[str, ...], mark: str, *, dry_run: bool) -> str:
    """Delete a plug-in of ours, if it is ours."""
    code = next((folder / name for name in names if name.endswith((".py", ".js"))), folder)
    if not code.is_file() or mark not in code.read_text(encoding="utf-8", errors="replace")[:400]:
        return ""
    if not dry_run:
        for name in names:
            if (folder / name).is_file():
                (folder / name).unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
    return f"the plug-in in {folder} {'would be' if dry_run else 'is'} deleted"


def _write(path: Path, held: bytes, holds: bytes) -> None:
    """Write a file atomically, following links, with its current permissions; keep a backup."""
    real = Path(os.path.realpath(path))
    mode = real.stat().st_mode & 0o777
    for to, content in ((real.with_name(real.name + BACKUP), held), (real, holds)):
        part = to.with_name(f".{to.name}.{os.getpid()}.part")
        try:
            part.write_bytes(content)
            part.chmod(mode)
            part.replace(to)
        finally:
            if part.exists():
                part.unlink()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
