"""In which directory chats were held: Gemini CLI names its folders after projects, by a name or a digest."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from wisen.safety.regular_files import SIDE_FILE, open_regular_file, read_at_most, read_regular_file

if TYPE_CHECKING:
    from pathlib import Path

CHATS = "chats"
_LONGEST = 4096


class _Projects(msgspec.Struct):
    projects: dict[str, str] = {}


_registry = msgspec.json.Decoder(_Projects)


def folder_of(chat: Path) -> Path | None:
    """The folder of a chat's project; None for a chat that lies anywhere else."""
    return next((parent.parent for parent in chat.parents if parent.name == CHATS), None)


def place_of(chat: Path) -> str:
    """The directory of the project that a chat belongs to; empty where nothing tells it."""
    folder = folder_of(chat)
    if folder is None:
        return ""
    try:
        with open_regular_file(folder / ".project_root") as file:
            told = read_at_most(file, _LONGEST).decode("utf-8", "replace").strip()
    except OSError:
        told = ""
    return told or _registered(folder)


def _registered(folder: Path) -> str:
    """The directory that goes by the folder's name, or whose digest is its name."""
    try:
        projects = _registry.decode(read_regular_file(folder.parent.parent / "projects.json", SIDE_FILE)).projects
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return ""
    for place, name in projects.items():
        if folder.name in (name, hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()):
            return place
    return ""
