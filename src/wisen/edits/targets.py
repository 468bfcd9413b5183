"""Decides where a rule goes: the file of the agent that it was said to, and the heading it goes under."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits import preferences
from wisen.model.entry import Category, EntryType
from wisen.model.signal import LessonTopic

if TYPE_CHECKING:
    from wisen.model.entry import Entry
    from wisen.system.machine_ports import Files


class Target(NamedTuple):
    """A file and a heading in it, if it has headings."""

    path: str
    heading: str


_OPENCLAW = {
    "behaviour": Target("SOUL.md", "Boundaries"),
    "workflow": Target("AGENTS.md", "Red Lines"),
    "tool": Target("TOOLS.md", "Known Gotchas"),
    "preference": Target("USER.md", "Preferences"),
    "principle": Target("MEMORY.md", "Self-Improvement Principles"),
}
"""The files of an OpenClaw workspace by kind of rule, with the headings that are usual there."""
_ONE_FILE = {"claude-code": "CLAUDE.md", "codex": "AGENTS.md", "gemini-cli": "GEMINI.md"}
"""Agents that read one file of a project."""
_HEADINGS = {
    "behaviour": "How to work",
    "workflow": "How to work",
    "tool": "Commands and tools",
    "preference": "Preferences",
    "principle": "About this project",
}


def rule_kind(entry: Entry) -> str:
    """Return the kind of a rule: behaviour, workflow, tool, preference or principle."""
    if entry.type is EntryType.ERROR or entry.about in (LessonTopic.COMMAND, LessonTopic.TOOL):
        return "tool"
    if entry.about is LessonTopic.STYLE:
        return "behaviour"
    if entry.category is Category.PREFERENCE:
        return "preference"
    return "principle" if entry.category is Category.KNOWLEDGE_GAP or entry.about is LessonTopic.FACT else "workflow"


def global_target(entry: Entry, agent: str, folder: str, files: Files) -> Target:
    """Return where a rule for all projects goes, in the folder where an agent keeps the user's own files."""
    kind, root = rule_kind(entry), Path(folder)
    if agent == "openclaw":
        return _workspace_target("principle" if kind in ("tool", "principle") else "preference", root, files)
    path, heading = project_target(entry, agent, folder, files)
    return Target(path, "Good to know" if kind == "principle" else heading)


def project_target(entry: Entry, agent: str, folder: str, files: Files) -> Target:
    """Return where a rule of a project goes; `folder` is the project's folder on this machine."""
    kind, root = rule_kind(entry), Path(folder)
    if agent == "openclaw":
        return _workspace_target(kind, root, files)
    name = _ONE_FILE.get(agent, "AGENTS.md")
    if name == "CLAUDE.md" and b"@AGENTS.md" in (files.read(root / name).content or b""):
        name = "AGENTS.md"  # CLAUDE.md only includes it
    return Target(str(root / name), _HEADINGS[kind])


def _workspace_target(kind: str, root: Path, files: Files) -> Target:
    """Return the file of an OpenClaw workspace; preferences go to its preferences.json if it has one we can read."""
    if kind == "preference":
        path = root / preferences.FILE
        if preferences.insertion_keys(files.read(path).content, "") is not None:
            return Target(str(path), "")
    name, heading = _OPENCLAW[kind]
    return Target(str(root / name), heading)
