"""In which directory chats were held: Gemini CLI names its folders after projects, by a name or a digest."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

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
        with (folder / ".project_root").open(encoding="utf-8", errors="replace") as file:
            told = file.read(_LONGEST).strip()
    except OSError:
        told = ""
    return told or _registered(folder)


def _registered(folder: Path) -> str:
    """The directory that goes by the folder's name, or whose digest is its name."""
    try:
        projects = _registry.decode((folder.parent.parent / "projects.json").read_bytes()).projects
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return ""
    for place, name in projects.items():
        if folder.name in (name, hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()):
            return place
    return ""
