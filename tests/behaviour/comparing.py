"""Compares two recordings file by file, and shows what differs."""

from __future__ import annotations

import difflib
from collections import Counter
from pathlib import Path

_LINES, _WIDTH = 12, 200
_HEAD = "recording.txt"


def compare(one: Path, other: Path, most: int = 40) -> int:
    """Print what differs between two recordings; 0 where nothing does."""
    items = {folder: _items(folder) for folder in (one, other)}
    for folder, found in items.items():
        if not found:
            raise SystemExit(f"{folder} holds no recording.")
    if _bytes(items[one].pop(_HEAD, None)) != _bytes(items[other].pop(_HEAD, None)):
        print("These were recorded with other sessions or by other versions of the recorder: record both anew.")
    names = sorted(items[one].keys() | items[other].keys(), key=_order)
    different = [name for name in names if _bytes(items[one].get(name)) != _bytes(items[other].get(name))]
    for name in different[:most]:
        print(f"≠ {name}")
        for line in _difference(items[one].get(name), items[other].get(name)):
            print(f"    {line}")
    rest = Counter("/".join(Path(name).parts[:3][:-1]) for name in different[most:])
    for where, many in sorted(rest.items()):
        print(f"≠ {many} more in {where}")
    print(f"{len(names) - len(different)} of {len(names)} items are the same, {len(different)} differ.")
    return 1 if different else 0


def _items(folder: Path) -> dict[str, Path]:
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _order(name: str) -> tuple[str, int, str]:
    """What was done first comes first: a difference leads to others behind it."""
    _, _, rest = name.partition("/")
    return rest.partition("/")[0], rest.count("/"), name


def _bytes(path: Path | None) -> bytes | None:
    return None if path is None else path.read_bytes()


def _difference(one: Path | None, other: Path | None) -> list[str]:
    if one is None or other is None:
        return ["only in the second" if one is None else "only in the first"]
    before, after = (each.read_bytes().decode("utf-8", "replace").splitlines() for each in (one, other))
    lines: list[str] = []
    for line in difflib.unified_diff(before, after, lineterm="", n=1) if len(before) + len(after) < 20_000 else ():
        if line.startswith(("---", "+++")):
            continue
        lines.append(_around_change(line))
        if len(lines) > _LINES:
            return [*lines[:_LINES], "…"]
    if not lines:
        lines = [f"- {each[:_WIDTH]}" for each in sorted({*before} - {*after})[:_LINES]]
        lines += [f"+ {each[:_WIDTH]}" for each in sorted({*after} - {*before})[:_LINES]]
    return lines


def _around_change(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"
