"""Which skill a call loads: by the agent's tool for it, or by reading its file, and never by writing it."""

from __future__ import annotations

import json

import pytest

from wisen.mining.skill_loads import loaded_skill


@pytest.mark.parametrize(
    ("tool", "fields", "name"),
    [
        ("Skill", {"skill": "deploy-staging"}, "deploy-staging"),
        ("Skill", {"command": "deploy-staging"}, "deploy-staging"),
        ("Read", {"file_path": "/p/.claude/skills/deploy-staging/SKILL.md"}, "deploy-staging"),
        ("read_file", {"absolute_path": "/p/.agents/skills/pick/SKILL.md"}, "pick"),
        ("read", {"filePath": "skills/pick/SKILL.md"}, "pick"),
        ("Bash", {"command": "cat .agents/skills/pick/SKILL.md"}, "pick"),
        ("shell", {"command": ["bash", "-lc", "sed -n 1,200p /p/.agents/skills/pick/SKILL.md"]}, "pick"),
        ("Bash", {"command": "cd .agents && cat skills/pick/SKILL.md | head"}, "pick"),
        ("Skill", {}, ""),
        ("Skill", {"skill": 7}, ""),
        ("Write", {"file_path": "/p/.claude/skills/pick/SKILL.md", "content": "x"}, ""),
        ("Edit", {"file_path": "/p/.claude/skills/pick/SKILL.md", "old_string": "a", "new_string": "b"}, ""),
        ("Bash", {"command": "rm .agents/skills/pick/SKILL.md"}, ""),
        ("Bash", {"command": "sed -i s/a/b/ .agents/skills/pick/SKILL.md"}, ""),
        ("Bash", {"command": "echo see skills/pick/SKILL.md"}, ""),
        ("Read", {"file_path": "/p/SKILL.md"}, "p"),
        ("Read", {"file_path": "/p/skills/pick/SKILL.md.orig"}, ""),
        ("Grep", {"pattern": "SKILL.md"}, ""),
    ],
)
def test_a_call_loads_a_skill_or_none(tool: str, fields: dict[str, object], name: str) -> None:
    assert loaded_skill(tool, json.dumps(fields)) == name


@pytest.mark.parametrize("arguments", [None, "", "{", "[]", '"SKILL.md"', "SKILL.md"])
def test_arguments_that_cannot_be_read_load_none(arguments: str | None) -> None:
    assert loaded_skill("Read", arguments) == loaded_skill("Skill", arguments) == ""
