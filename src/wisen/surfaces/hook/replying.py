"""What became of what the user typed to wisen: told once, in the session it was typed in or at the next start there."""

from __future__ import annotations

import os

from .lean_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook_shelf import Shelf

_FOLDER = "spool/replies"


def replies_for(shelf: Shelf, begins: str) -> list[str]:
    """What has to be told now; each is taken away first, so that no other hook tells it too.

    `begins`: the directory that a session begins in; empty in the midst of a session.
    """
    folder = f"{shelf.home}/{_FOLDER}"
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    told, context = list[str](), shelf.snapshots.context(begins) if begins and names else ""
    for name in names:
        found = _reply(f"{folder}/{name}")
        here = (found.get("agent"), found.get("session")) == (shelf.agent, shelf.session)
        if here or (context and found.get("context") == context):
            try:
                os.unlink(f"{folder}/{name}")
            except FileNotFoundError:
                continue  # another hook tells it
            told.append(str(found.get("text", "")))
    return [text for text in told if text]


def _reply(path: str) -> dict[str, object]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            value = loads(os.read(handle, 1 << 16).decode("utf-8"))
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
