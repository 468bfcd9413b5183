"""Finds the project directory of a Gemini CLI chat, whose folder is named after the project or its digest."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from wisen.safety.regular_files import MAX_SIDE_FILE_BYTES, open_regular_file, read_at_most, read_regular_file

if TYPE_CHECKING:
    from pathlib import Path

CHATS = "chats"
_MAX_PATH_BYTES = 4096


class _Projects(msgspec.Struct):
    projects: dict[str, str] = {}


_registry = msgspec.json.Decoder(_Projects)


def folder_of(chat: Path) -> Path | None:
    """Return the folder of a chat's project; None for a chat stored anywhere else."""
    return next((parent.parent for parent in chat.parents if parent.name == CHATS), None)


def place_of(chat: Path) -> str:
    """Return the directory of the project that a chat belongs to; empty if it is not recorded."""
    folder = folder_of(chat)
    if folder is None:
        return ""
    try:
        with open_regular_file(folder / ".project_root") as file:
            recorded = read_at_most(file, _MAX_PATH_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        recorded = ""
    return recorded or _find_in_registry(folder)


def _find_in_registry(folder: Path) -> str:
    """Return the registered directory whose name or digest is the folder's name."""
    try:
        projects = _registry.decode(
            read_regular_file(folder.parent.parent / "projects.json", MAX_SIDE_FILE_BYTES)
        ).projects
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return ""
    for place, name in projects.items():
        if folder.name in (name, hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()):
            return place
    return ""
