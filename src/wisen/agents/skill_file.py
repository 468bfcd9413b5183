"""Reads and writes a skill in the Agent Skills standard: a SKILL.md with a name, a description, metadata and a body."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types of fields
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.errors import UsageError
from wisen.safety.foreign_settings import parse_yaml
from wisen.safety.markdown_quoting import shorten, visible
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Collection

FILE = "SKILL.md"
MAX_NAME, MAX_DESCRIPTION = 64, 1024
MAX_BYTES = 1 << 18
"""A longer file is no skill that an agent would load."""
SOURCE, CREATED, UPDATED, TRIGGERS, TOOLS = "source", "created", "updated", "triggers", "tools"
"""The keys of our metadata."""
_NAME = lazy_regex(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_LETTERS = lazy_regex(r"[a-z0-9]+")
_FRONTMATTER = lazy_regex(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_RESERVED = frozenset({"anthropic", "claude"})
"""Words that an agent does not allow in the name of a skill."""
_FILLERS = frozenset(
    "a an the to of in on for with and or please can could you now me my our your it this that".split()
)
_MAX_NAME_WORDS = 5


class SkillFile(Struct, frozen=True, kw_only=True):
    """The content of a SKILL.md."""

    name: str
    description: str
    metadata: Mapping[str, str] = {}
    body: str = ""


def is_valid_name(name: str) -> bool:
    """Whether a name follows the standard: lower case, digits and single hyphens."""
    return len(name) <= MAX_NAME and _NAME.match(name) is not None


def skill_name(texts: Collection[str]) -> str:
    """Return a name made from the first of these texts that has enough ASCII words; `workflow` if none has."""
    for text in texts:
        words = [
            word
            for word in _LETTERS.findall(visible(text).casefold())
            if word not in _FILLERS and word not in _RESERVED and not word.isdecimal()
        ]
        name = "-".join(dict.fromkeys(words[:_MAX_NAME_WORDS]))[:MAX_NAME].strip("-")
        if len(words) > 1 and is_valid_name(name):
            return name
    return "workflow"


def write_skill(skill: SkillFile) -> str:
    """Return the text of a skill. Raises: UsageError: its name is not one."""
    if not is_valid_name(skill.name):
        raise UsageError(
            f"{skill.name!r} cannot name a skill. Use at most {MAX_NAME} lower-case letters, digits and single hyphens."
        )
    description = shorten(visible(skill.description), MAX_DESCRIPTION)
    lines = ["---", f"name: {skill.name}", f"description: {_quote(description)}"]
    if skill.metadata:
        lines += ["metadata:", *(f"  {key}: {_quote(visible(value))}" for key, value in skill.metadata.items())]
    return "\n".join((*lines, "---", "", skill.body.strip("\n"), ""))


def _quote(text: str) -> str:
    """Return a text as a YAML scalar on one line: a JSON string is one."""
    return json.dumps(text, ensure_ascii=False)


def parse_skill(text: str) -> SkillFile | None:
    """Parse a SKILL.md, whoever wrote it; None if it is none: without frontmatter, name or description."""
    match = _FRONTMATTER.match(text)
    if match is None:
        return None
    try:
        fields = parse_yaml(match[1])
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not isinstance(description, str) or not description.strip():
        return None
    metadata = fields.get("metadata")
    kept = metadata.items() if isinstance(metadata, dict) else ()
    return SkillFile(
        name=name,
        description=description,
        metadata={str(key): value for key, value in kept if isinstance(value, str)},
        body=text[match.end() :].strip("\r\n"),
    )
