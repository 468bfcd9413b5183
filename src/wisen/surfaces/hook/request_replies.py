"""Delivers results of the user's requests to wisen: once, in the same session or at the next start in the project."""

from __future__ import annotations

import posix

from .lean_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook_store import HookStore

_FOLDER = "spool/replies"


def take_replies(store: HookStore, begins: str) -> list[str]:
    """Return the messages to deliver now; each file is removed first, so that no other hook delivers it too.

    `begins`: the directory in which a session starts; empty inside a session.
    """
    folder = f"{store.home}/{_FOLDER}"
    try:
        names = sorted(name for name in posix.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    told, context = list[str](), store.snapshots.context(begins) if begins and names else ""
    for name in names:
        found = _reply(f"{folder}/{name}")
        here = (found.get("agent"), found.get("session")) == (store.agent, store.session)
        if here or (context and found.get("context") == context):
            try:
                posix.unlink(f"{folder}/{name}")
            except FileNotFoundError:
                continue  # another hook delivers it
            told.append(str(found.get("text", "")))
    return [text for text in told if text]


def _reply(path: str) -> dict[str, object]:
    try:
        handle = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            value = loads(posix.read(handle, 1 << 16).decode("utf-8"))
        finally:
            posix.close(handle)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
