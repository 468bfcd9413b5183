"""Finds the known fixes of a failed call: those with the same signature."""

from __future__ import annotations

from .hook_store import BrokenSnapshot, HookStore

_MAX_FIXES = 2
_SHELLS = (
    *("Bash", "shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"),
    *("terminal", "exec", "bash", "run_shell_command"),
)
"""Tools that run a command, by the names that agents give them in hooks and in logs: a fix is for all of them."""


def fixes_for(payload: dict[str, object], snapshot: dict[str, object], store: HookStore) -> list[dict[str, object]]:
    """Return the fixes in a snapshot that match the failure of a call, the most reliable first."""
    tool, error, fields = payload.get("tool_name"), payload.get("error"), payload.get("tool_input")
    known = snapshot.get("fixes")
    if not isinstance(error, str) or not isinstance(known, list) or payload.get("is_interrupt"):
        return []
    fields = fields if isinstance(fields, dict) else {}
    said = error.casefold()
    near = [each for each in known if _runs_alike(each["tool"], tool) and _is_near(each, said, fields)]
    if not near:
        return []
    signature = _signature(str(tool), fields, error, snapshot, store)
    return [each for each in near if (each["match"]["key"], each["match"]["who"], each["match"]["says"]) == signature][
        :_MAX_FIXES
    ]


def _runs_alike(one: object, other: object) -> bool:
    return one == other or (one in _SHELLS and other in _SHELLS)


def _is_near(fix: dict[str, object], said: str, fields: dict[str, object]) -> bool:
    """Whether a fix can match at all, judging by words: most failures end here."""
    near, match = fix["near"], fix["match"]
    if not isinstance(near, list) or not isinstance(match, dict) or (near and not any(word in said for word in near)):
        return False
    command = fields.get("command")
    words = command.split() if isinstance(command, str) else []
    if "command" in match and match["command"] != " ".join(words):
        return False
    return not isinstance(command, str) or all(need in command for need in match.get("needs", ()))


def _signature(
    tool: str, fields: dict[str, object], error: str, snapshot: dict[str, object], store: HookStore
) -> tuple[str, str, str] | None:
    from .failure_signature import (  # patterns take time to load, and most failures have no fix
        VERSION,
        Complaints,
        compute_signature,
    )

    complaints = store.snapshots.content(str(snapshot.get("complaints")))
    if complaints is None:
        raise BrokenSnapshot("complaints")
    if complaints.get("version") != VERSION:
        return None
    cut = snapshot.get("cut")
    head, tail, longest = (int(each) for each in cut) if isinstance(cut, list) else (0, 0, 0)
    short = {name: _cut(each, longest, 0) if isinstance(each, str) else each for name, each in fields.items()}
    return compute_signature(tool, short, _cut(error, head, tail), Complaints(complaints))


def _cut(text: str, head: int, tail: int) -> str:
    if len(text) <= head + tail:
        return text
    return text[:head] + "…" + (text[-tail:] if tail else "")
