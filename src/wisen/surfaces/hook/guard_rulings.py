"""Evaluates guards for a call that is about to be made. They warn, deny or ask, and never allow."""

from __future__ import annotations

from .hook_store import BrokenSnapshot, HookStore
from .lean_json import dumps, loads
from .lean_paths import variable

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest
if TYPE_CHECKING:
    from .guard_kernel import WatchedCall

_RANKS = {"deny": 0, "ask": 1, "warn": 2}
_MESSAGES = {
    "deny": "A guard of the user's stops this call",
    "ask": "A guard of the user's asks about this call",
    "warn": "A guard of the user's warns about this call",
}
_CANNOT_ASK = ("codex", "gemini-cli", "opencode")
"""Agents that cannot ask the user about a call (they would let it pass, or wait forever): there it is denied."""
_ASK_USER = "Do not make it before you have asked the user."
_MAY_NOT_ASK = ("openclaw",)
"""Agents that show our question to the user if they can, and otherwise skip the call: both must be told."""
_USER_DECIDES = "It is not to be made before the user has said yes."
_WRITE_PLAINLY = "Written out plainly, without anything that only the shell can work out, it is judged by what it says."
_WATCHED_BY_LINE = (b'\n["shell:', b'\n["edit:')
"""How the lines of guards that watch command lines begin."""

Guard = dict[str, object]


class GuardRuling:
    """The ruling on a call: its mode, its message, and the guards it comes from."""

    def __init__(self, mode: str, lines: list[str], ids: list[str]) -> None:
        self.mode, self.lines, self.ids = mode, lines, ids


def evaluate_guards(payload: dict[str, object], store: HookStore, pin: dict[str, object]) -> GuardRuling | None:
    """Return what the guards of a session's place say about a call; record what they did, or would have done."""
    call, matching = _matching_guards(payload, store)
    overruled = pin.get("overruled")
    active = [each for each in matching if not isinstance(overruled, list) or each["id"] not in overruled]
    if call is None or not active:
        return None
    return _build_ruling(active, call, store, payload, pin)


def late_warnings(payload: dict[str, object], store: HookStore, ids: list[str]) -> tuple[list[str], list[str]]:
    """Return the warnings of these guards that match a call, and their ids, for an agent that missed them."""
    call, matching = _matching_guards(payload, store)
    by_id = {f"{each['id']}:{each['version']}": each for each in matching}
    found = {id_: guard for id_, guard in by_id.items() if id_ in ids}
    return [line for each in found.values() for line in _lines(each, call)] if call else [], list(found)


def _matching_guards(payload: dict[str, object], store: HookStore) -> tuple[WatchedCall | None, list[Guard]]:
    """Return a call, and the guards of its place that match it."""
    tool, fields, cwd = payload.get("tool_name"), payload.get("tool_input"), payload.get("cwd")
    where = cwd if isinstance(cwd, str) else ""
    digest = store.snapshots.sheet(where)
    if not digest or not isinstance(tool, str) or not isinstance(fields, dict):
        return None, []
    raw = store.snapshots.raw(digest)
    if raw is None:
        raise BrokenSnapshot(digest)
    from .guard_kernel import WatchedCall  # most places have no guards

    call = WatchedCall(tool, fields, where, variable("HOME"))
    return call, _guards_on_sheet(raw, call)


def _guards_on_sheet(raw: bytes, call: WatchedCall) -> list[Guard]:
    """Return the guards on a sheet that match a call. Only the lines under its keys are read."""
    from .guard_kernel import find_hits, is_doubtful

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
        for guard in _doubtful_guards(raw, call):
            found.setdefault(str(guard["id"]), guard)
    return list(found.values())


def _doubtful_guards(raw: bytes, call: WatchedCall) -> list[Guard]:
    """Return the guards that may match a call that cannot be fully parsed. They never deny it: they ask or warn."""
    from .guard_kernel import doubt_of

    found: list[Guard] = []
    for mark in _WATCHED_BY_LINE:
        at = raw.find(mark)
        while at >= 0:
            end = raw.find(b"\n", at + 1)
            line = loads(raw[at + 1 : end].decode("ascii"))
            guard = line[1] if isinstance(line, list) else {}
            # Shadow mode measures a guard on calls that clearly match, not on doubtful ones.
            doubt = doubt_of(guard["watch"], call) if guard["mode"] != "shadow" else ""
            if doubt:
                mode = "warn" if guard["mode"] == "warn" else "ask"
                found.append({**guard, "mode": mode, "would": mode, "doubt": doubt})
            at = raw.find(mark, at + 1)
    return found


def _build_ruling(
    guards: list[Guard], call: WatchedCall, store: HookStore, payload: dict[str, object], pin: dict[str, object]
) -> GuardRuling | None:
    delivered = pin.get("told")
    before = delivered if isinstance(delivered, list) else []
    active = list[Guard]()
    for each in guards:
        id_, shadow = f"{each['id']}:{each['version']}", each["mode"] == "shadow"
        if each["mode"] == "warn" and id_ in before:
            continue  # already said in this session
        number = payload.get("tool_use_id")
        arm, mode = "withheld" if shadow else "given", _effective_mode(each["would"], store)
        store.record("before-call", ids=[id_], arm=arm, mode=mode, call=number if isinstance(number, str) else "")
        if not shadow:
            active.append(each)
    if not active:
        return None
    active.sort(key=lambda each: (_RANKS[str(each["mode"])], str(each["id"])))
    ids = [f"{each['id']}:{each['version']}" for each in active]
    lines = [line for each in active for line in _lines(each, call)]
    mode = str(active[0]["mode"])
    if mode != _effective_mode(mode, store):
        lines.append(_ASK_USER)
    elif mode == "ask" and store.agent in _MAY_NOT_ASK:
        lines.append(_USER_DECIDES)
    return GuardRuling(_effective_mode(mode, store), lines, ids)


def _effective_mode(mode: object, store: HookStore) -> str:
    """Return the effective mode for the calling agent."""
    return "deny" if mode == "ask" and store.agent in _CANNOT_ASK else str(mode)


def _lines(guard: Guard, call: WatchedCall) -> list[str]:
    reason, better, watch, id_ = (guard.get(name) for name in ("reason", "better", "watch", "id"))
    lines = [f"{_MESSAGES[str(guard['mode'])]}{f': {reason}' if reason else ''}."]
    if guard.get("doubt"):
        lines.append(f"It may be what the guard watches for: {guard['doubt']}. {_WRITE_PLAINLY}")
    elif better and isinstance(watch, dict):
        from .guard_kernel import corrected_line

        line = corrected_line(watch, str(better).split(), call)
        lines.append(f"Instead: {line.strip() or better}")
    lines.append(f"To lift it for this session, the user types: overrule {id_}")
    return lines
