"""Tells which skill a call loaded into the agent's context: by the agent's tool for it, or by reading its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOL, FILE = "Skill", "SKILL.md"
_FIELDS = ("skill", "command", "name")
"""The fields of the tool that name the skill, in different versions."""
_PATH_FIELDS = ("file_path", "path", "absolute_path", "filePath")
_WRITES = frozenset({"content", "old_string", "new_string", "oldString", "newString", "old_str", "new_str", "patch"})
"""Fields of tools that change a file."""
_READERS = frozenset("cat head tail less more bat sed nl type".split())
_IN_PATH = lazy_regex(rf"(?:^|[/\\])([\w.-]{{1,64}})[/\\]{FILE}$")


def loaded_skill(tool: str, arguments: str | None) -> str:
    """Return the name of the skill that a call loads, which is that of its folder; empty if it loads none."""
    if arguments is None or (tool != TOOL and FILE not in arguments):
        return ""
    return next(filter(None, _names(tool, fields_of(arguments))), "")


def _names(tool: str, fields: dict[str, object]) -> Iterator[str]:
    """Yield what may be the name of a loaded skill."""
    if tool == TOOL:
        yield next((each for name in _FIELDS if isinstance(each := fields.get(name), str)), "")
    elif (line := command_of(fields)) is not None:
        for part in parse_command(line).parts:
            if part.program in _READERS and "-i" not in part.words:
                yield from (_name_in(word) for word in part.words[1:])
    elif not _WRITES.intersection(fields):
        yield from (_name_in(each) for name in _PATH_FIELDS if isinstance(each := fields.get(name), str))


def _name_in(path: str) -> str:
    found = _IN_PATH.search(path)
    return found[1] if found is not None else ""
