"""What guards say to a call that is about to be made. They warn, deny or ask, and never allow."""

from __future__ import annotations

import os
import sys

from .hook_shelf import Shelf, SnapshotBroken
from .lean_json import dumps, loads

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.doubts import doubt_of, is_doubtful
    from wisen.kernel.matching import WatchedCall, corrected_line, find_hits
else:
    # The same files, found by the folder of the package: nothing else of wisen is loaded with them.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from kernel.doubts import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        doubt_of,
        is_doubtful,
    )
    from kernel.matching import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        WatchedCall,
        corrected_line,
        find_hits,
    )

_RANKS = {"deny": 0, "ask": 1, "warn": 2}
_SAYS = {
    "deny": "A guard of the user's stops this call",
    "ask": "A guard of the user's asks about this call",
    "warn": "A guard of the user's warns about this call",
}
_CANNOT_ASK = ("codex", "gemini-cli", "opencode")
"""Agents that cannot ask the user about a call (they would let it pass, or wait for ever): there it is stopped."""
_ASK_HIM = "Do not make it before you have asked the user."
_MAY_NOT_ASK = ("openclaw",)
"""Agents that show the user our question where they can, and else do not make the call: both have to be told."""
_HE_DECIDES = "It is not to be made before the user has said yes."
_WRITE_PLAINLY = "Written out plainly, without anything that only the shell can work out, it is judged by what it says."
_WATCHED_BY_LINE = (b'\n["shell:', b'\n["edit:')
"""How the lines of guards begin that look at command lines."""

Guard = dict[str, object]


class GuardRuling:
    """What is to be said to a call: how, in which words, and by which guards."""

    def __init__(self, mode: str, lines: list[str], ids: list[str]) -> None:
        self.mode, self.lines, self.ids = mode, lines, ids


def ruling(payload: dict[str, object], shelf: Shelf, pin: dict[str, object]) -> GuardRuling | None:
    """What the guards of a session's place say to a call; what they did, or would have done, is noted down."""
    call, standing = _met(payload, shelf)
    lifted = pin.get("overruled")
    met = [each for each in standing if not isinstance(lifted, list) or each["id"] not in lifted]
    if call is None or not met:
        return None
    return _ruled(met, call, shelf, payload, pin)


def warning(payload: dict[str, object], shelf: Shelf, ids: list[str]) -> tuple[list[str], list[str]]:
    """What those of these guards that a call fits warn of, and which they are: for who could not be told before it."""
    call, standing = _met(payload, shelf)
    met = {f"{each['id']}:{each['version']}": each for each in standing}
    found = {id_: guard for id_, guard in met.items() if id_ in ids}
    return [line for each in found.values() for line in _lines(each, call)] if call else [], list(found)


def _met(payload: dict[str, object], shelf: Shelf) -> tuple[WatchedCall | None, list[Guard]]:
    """A call, and the guards of its place that it fits."""
    tool, fields, cwd = payload.get("tool_name"), payload.get("tool_input"), payload.get("cwd")
    where = cwd if isinstance(cwd, str) else ""
    digest = shelf.snapshots.sheet(where)
    if not digest or not isinstance(tool, str) or not isinstance(fields, dict):
        return None, []
    raw = shelf.snapshots.raw(digest)
    if raw is None:
        raise SnapshotBroken(digest)
    call = WatchedCall(tool, fields, where, os.environ.get("HOME", ""))
    return call, _standing(raw, call)


def _standing(raw: bytes, call: WatchedCall) -> list[Guard]:
    """The guards on a sheet that a call fits. Only the lines under its keys are read."""
    found: dict[str, Guard] = {}
    for key in sorted(call.guard_keys):
        mark = b"\n[" + dumps(key).encode("ascii") + b","
        at = raw.find(mark)
        while at >= 0:
            end = raw.find(b"\n", at + 1)
            line = loads(raw[at + 1 : end].decode("ascii"))
            guard = line[1] if isinstance(line, list) else {}
            if find_hits(guard["watch"], call):
                found[str(guard["id"])] = guard
            at = raw.find(mark, at + 1)
    if call.line and is_doubtful(call):
        for guard in _doubting(raw, call):
            found.setdefault(str(guard["id"]), guard)
    return list(found.values())


def _doubting(raw: bytes, call: WatchedCall) -> list[Guard]:
    """The guards that a call may fit which cannot be read whole. They never deny it: they ask, or warn."""
    found: list[Guard] = []
    for mark in _WATCHED_BY_LINE:
        at = raw.find(mark)
        while at >= 0:
            end = raw.find(b"\n", at + 1)
            line = loads(raw[at + 1 : end].decode("ascii"))
            guard = line[1] if isinstance(line, list) else {}
            # In shadow it is to be seen how the guard fares with what it watches for, not with riddles.
            doubt = doubt_of(guard["watch"], call) if guard["mode"] != "shadow" else ""
            if doubt:
                mode = "warn" if guard["mode"] == "warn" else "ask"
                found.append({**guard, "mode": mode, "would": mode, "doubt": doubt})
            at = raw.find(mark, at + 1)
    return found


def _ruled(
    met: list[Guard], call: WatchedCall, shelf: Shelf, payload: dict[str, object], pin: dict[str, object]
) -> GuardRuling | None:
    told = pin.get("told")
    before = told if isinstance(told, list) else []
    spoken = list[Guard]()
    for each in met:
        id_, shadow = f"{each['id']}:{each['version']}", each["mode"] == "shadow"
        if each["mode"] == "warn" and id_ in before:
            continue  # it was said in this session
        number = payload.get("tool_use_id")
        arm, mode = "withheld" if shadow else "given", _mode(each["would"], shelf)
        shelf.spool("before-call", ids=[id_], arm=arm, mode=mode, call=number if isinstance(number, str) else "")
        if not shadow:
            spoken.append(each)
    if not spoken:
        return None
    spoken.sort(key=lambda each: (_RANKS[str(each["mode"])], str(each["id"])))
    ids = [f"{each['id']}:{each['version']}" for each in spoken]
    lines = [line for each in spoken for line in _lines(each, call)]
    mode = str(spoken[0]["mode"])
    if mode != _mode(mode, shelf):
        lines.append(_ASK_HIM)
    elif mode == "ask" and shelf.agent in _MAY_NOT_ASK:
        lines.append(_HE_DECIDES)
    return GuardRuling(_mode(mode, shelf), lines, ids)


def _mode(mode: object, shelf: Shelf) -> str:
    """What a mode comes to with the agent that asks."""
    return "deny" if mode == "ask" and shelf.agent in _CANNOT_ASK else str(mode)


def _lines(guard: Guard, call: WatchedCall) -> list[str]:
    reason, better, watch, id_ = (guard.get(name) for name in ("reason", "better", "watch", "id"))
    lines = [f"{_SAYS[str(guard['mode'])]}{f': {reason}' if reason else ''}."]
    if guard.get("doubt"):
        lines.append(f"It may be what the guard watches for: {guard['doubt']}. {_WRITE_PLAINLY}")
    elif better and isinstance(watch, dict):
        line = corrected_line(watch, str(better).split(), call)
        lines.append(f"Instead: {line.strip() or better}")
    lines.append(f"To lift it for this session, the user types: overrule {id_}")
    return lines
