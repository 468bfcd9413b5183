"""Merges what we would write into a skill as it is now: what the user edited stays, what they left alone is renewed.

The units are the lines of the frontmatter and the sections of the body. A unit that is still as we wrote it last
becomes what we would write now; any other one is the user's.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from wisen.text.lazy_regex import lazy_regex

_FENCE = lazy_regex(r" {0,3}(`{3,}|~{3,})")
_KEY = lazy_regex(r"([A-Za-z_][\w-]*)[ \t]*:")
_NESTED_KEY = lazy_regex(r"[ \t]+([A-Za-z_][\w-]*)[ \t]*:")
_HEADING = lazy_regex(r"##[ \t]+(.*)")


class Unit(NamedTuple):
    """A part of a skill."""

    name: str
    text: str


def split_units(text: str) -> list[Unit]:
    """Split a skill into its units; their texts together are the whole text."""
    lines = text.splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), 0)
    if not lines or lines[0].rstrip() != "---" or not end:
        return _name_units(_body_parts(lines))
    return _name_units([("---", [lines[0]]), *_frontmatter_parts(lines[1:end]), *_body_parts(lines[end:])])


def merge_skill(last: str | None, current: str, new: str) -> str:
    """Return the current text with our changes from `last`, which we wrote before, to `new`.

    `last` is None if somebody else wrote the skill: then only sections that it does not have are added at its end.
    """
    if last is None:
        return _add_missing_sections(current, new)
    if current in (last, new):
        return new
    if new == last:
        return current
    before, ours = dict(split_units(last)), dict(split_units(new))
    now = split_units(current)
    here = dict(now)
    kept: list[Unit] = []
    for name, text in ours.items():
        if name in here:
            kept.append(Unit(name, text if here[name] == before.get(name) else here[name]))
        elif name not in before:
            kept.append(Unit(name, text))  # new; one that the user removed does not come back
    theirs = [(at, each) for at, each in enumerate(now) if each.name not in ours and before.get(each.name) != each.text]
    for at, each in theirs:
        _insert_after(kept, [unit.name for unit in now[:at]], each)
    return _join(kept)


def changed_units(last: str, new: str) -> tuple[str, ...]:
    """Return the names of the units in which two texts of ours differ."""
    before, ours = dict(split_units(last)), dict(split_units(new))
    return tuple(name for name in {**before, **ours} if before.get(name) != ours.get(name))


def _add_missing_sections(current: str, new: str) -> str:
    known = {each.name for each in split_units(current)}
    missing = [each for each in split_units(new) if each.name not in known and each.name.startswith("## ")]
    separator = [Unit("", "\n")] if missing and not current.endswith("\n\n") else []
    return _join([Unit("", current), *separator, *missing]) if missing else current


def _insert_after(units: list[Unit], predecessors: list[str], unit: Unit) -> None:
    """Insert a unit of the user's after the nearest unit before it that is still there."""
    names = [each.name for each in units]
    at = next((names.index(name) + 1 for name in reversed(predecessors) if name in names), 0)
    units.insert(at, unit)


def _join(units: list[Unit]) -> str:
    """Join units, each of which begins a line of its own."""
    text = ""
    for each in units:
        text += ("\n" if text and not text.endswith("\n") else "") + each.text
    return text


def _frontmatter_parts(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Split the frontmatter into keys; those inside a mapping count by themselves."""
    parts: list[tuple[str, list[str]]] = []
    above = ""
    for line in lines:
        if key := _KEY.match(line):
            above = key[1]
            parts.append((f"{above}:", [line]))
        elif (nested := _NESTED_KEY.match(line)) and above == "metadata":
            parts.append((f"{above}:{nested[1]}", [line]))
        elif parts:
            parts[-1][1].append(line)
        else:
            parts.append(("", [line]))
    return parts


def _body_parts(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Split the body into its beginning and its sections; a heading inside a code block begins none."""
    parts: list[tuple[str, list[str]]] = [("#", [])]
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            is_end = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if is_end else fence
        elif mark is not None:
            fence = mark[1]
        elif heading := _HEADING.match(line):
            parts.append((f"## {heading[1].strip().casefold()}", []))
        parts[-1][1].append(line)
    return parts


def _name_units(parts: list[tuple[str, list[str]]]) -> list[Unit]:
    """Name units so that each name occurs once."""
    seen: Counter[str] = Counter()
    units = []
    for name, lines in parts:
        seen[name] += 1
        if lines:
            units.append(Unit(name if seen[name] == 1 else f"{name}\0{seen[name]}", "".join(lines)))
    return units
