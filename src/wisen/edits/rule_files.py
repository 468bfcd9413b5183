"""Finds the file for a rule: an agent's file in a project, the user's own, or a context file below the home."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.edits.targets import Target, global_target, project_target, rule_kind
from wisen.model.context import EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wisen.model.entry import Entry, Occurrence
    from wisen.system.machine_ports import Files


def context_folder(home: Path, context: str) -> Path:
    """Return the folder of a context's files below the home."""
    return home / "contexts" / context if context else home / "global"


class RuleFiles(Struct, frozen=True, kw_only=True):
    """The files that rules go to."""

    files: Files
    home: Path
    """Where our own files are."""
    folders: Mapping[str, Path]
    """The folder of each agent's files that apply wherever the user works, by the agent's name."""
    user_home: Path
    """The user's home directory, where agents keep what applies to every project."""
    places: Callable[[], Sequence[tuple[str, str]]]
    """The directories of this machine with the context that each belongs to now."""

    def target_for(
        self,
        entry: Entry,
        seen: Sequence[Occurrence],
        scope: str,
        agent: str = "",
        *,
        places: Sequence[tuple[str, str]] | None = None,
    ) -> Target:
        """Return the project's own file, or the user's for what applies everywhere; otherwise our own context file."""
        agent = seen[-1].agent if seen else agent or "claude-code"
        if scope == EVERYWHERE:
            folder = self.folders.get(agent)
            if folder is not None and folder.is_dir():
                return global_target(entry, agent, str(folder), self.files)
            return Target(str(self.rules_file(scope)), rule_kind(entry).capitalize())
        for path, context in reversed(self.places() if places is None else places):
            if context == scope and Path(path).is_dir():
                return project_target(entry, agent, path, self.files)
        return Target(str(self.rules_file(scope)), rule_kind(entry).capitalize())

    def rules_file(self, context: str) -> Path:
        """Return our own rules file of a context: where rules go if the project is not on this machine."""
        return context_folder(self.home, context) / "rules.md"
