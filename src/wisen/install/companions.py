"""Installs and removes our own files next to an agent's settings, as recorded edits; never anybody else's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.agents.hook_ports import HasCompanionFiles
from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor, PassagePlan
from wisen.errors import FileError, SettingsUnclear
from wisen.install.hook_settings import parse_hook_settings
from wisen.model.change import PassageEdit, content_digest
from wisen.model.hook import RewrittenFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wisen.agents.hook_ports import Hooks
    from wisen.edits.edit_history import EditPorts


def companions(agent: Hooks, settings: Path) -> Mapping[Path, bytes]:
    """Return the files that must be next to a settings file with our hooks; none for most agents."""
    return agent.companion_files(settings) if isinstance(agent, HasCompanionFiles) else {}


def install_companions(edit_ports: EditPorts, settings: Path, agent: Hooks) -> tuple[RewrittenFile, ...]:
    """Write these files; nothing is written if they are up to date.

    Raises:
        SettingsUnclear: one of them is somebody else's.
        FileError: it cannot be read or written.
    """
    return tuple(
        _install_file(edit_ports, path, content, agent.name) for path, content in companions(agent, settings).items()
    )


def repair_companions(edit_ports: EditPorts, settings: Path, agent: Hooks) -> tuple[RewrittenFile, ...]:
    """Repair these files next to settings with our hooks; if a person removed those, remove the files.

    A file that cannot be read now, or is somebody else's, is left alone.
    """
    try:
        callings = agent.parse(parse_hook_settings(edit_ports.files.read(settings).content, str(settings))).callings
        is_ours = any(each.caller is not None for each in callings)
        return (
            install_companions(edit_ports, settings, agent)
            if is_ours
            else remove_companions(edit_ports, settings, agent)
        )
    except (SettingsUnclear, FileError):
        return ()


def remove_companions(edit_ports: EditPorts, settings: Path, agent: Hooks) -> tuple[RewrittenFile, ...]:
    """Remove these files if we put them there and nobody changed them. Raises: FileError."""
    return tuple(_remove_file(edit_ports, path) for path in companions(agent, settings))


def _install_file(edit_ports: EditPorts, path: Path, content: bytes, agent: str) -> RewrittenFile:
    old_content = edit_ports.files.read(path).content
    if old_content == content:
        return RewrittenFile(str(path), old_content, old_content)
    remaining = _remove_file(edit_ports, path).holds
    if remaining:
        raise SettingsUnclear(f"{path} is not as wisen wrote it. Move it away, then try again.")
    Editor(edit_ports).add_passage(PassagePlan(str(path), content, f"hooks of {agent}", content_digest(remaining)))
    return RewrittenFile(str(path), old_content, edit_ports.files.read(path).content)


def _remove_file(edit_ports: EditPorts, path: Path) -> RewrittenFile:
    old_content = edit_ports.files.read(path).content
    for change in reversed(list(edit_history(edit_ports).open_changes(edit_ports.files.real_path(path)))):
        if isinstance(change.operation, PassageEdit):
            Editor(edit_ports).undo(change.id)
    return RewrittenFile(str(path), old_content, edit_ports.files.read(path).content)
