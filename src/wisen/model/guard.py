"""Guards: what each one watches for before a call, what it does then, and how it has performed."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - guards are read back by their types
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct

from wisen.errors import UsageError
from wisen.kernel.matching import GAP, watch_keys
from wisen.model.entry import Actor, Entry, Move, MoveKind, Occurrence, Proposal

if TYPE_CHECKING:
    from collections.abc import Iterable

GUARD_SYNTAX = "[warn|deny|ask] [shell|edit|read|TOOL:] PATTERN [-> BETTER] [# REASON]"
_ARROWS = ("->", "→", "=>")
_FORBIDDEN_ACTION = "allow"


class Mode(StrEnum):
    """What a guard does when a call matches."""

    SHADOW = "shadow"
    """Nothing; what it would have done is recorded."""
    WARN = "warn"
    """The call goes ahead, and the agent is warned."""
    DENY = "deny"
    """The call is blocked, and the agent is given the better one."""
    ASK = "ask"
    """The user is asked."""
    OFF = "off"
    REMOVED = "removed"


LIVE_MODES = (Mode.SHADOW, Mode.WARN, Mode.DENY, Mode.ASK)
"""The modes in which calls are inspected."""
ACTIONS = (Mode.WARN, Mode.DENY, Mode.ASK)
"""What a guard can do: it never allows what the agent's own permission rules would not."""


class GuardSource(StrEnum):
    """What a guard was created from."""

    FIX = "fix"
    RULE = "rule"
    HAND = "hand"


class Guard(Struct, frozen=True, kw_only=True):
    """Something that is watched for. Rows never change; what became of a guard is in moves."""

    id: str
    """The same for the same watch in the same context."""
    version: str
    """Changes with the watch, the action or the alternative."""
    machine: str
    at: datetime
    context: str
    """The key of the context it applies in; empty for everywhere."""
    watch: str
    """What is watched for: `shell: rtk bun`."""
    better: str
    """What to do instead; empty for nothing."""
    reason: str
    source: GuardSource
    of: str = ""
    """The id of the fix or of the rule's entry."""
    action: Mode = Mode.WARN
    """The action it was created with."""

    @property
    def source_text(self) -> str:
        """Return the guard in one line, in the syntax for writing one by hand."""
        better = f" -> {self.better}" if self.better else ""
        reason = f" # {self.reason}" if self.reason else ""
        return f"{self.action.value} {self.watch}{better}{reason}"


LearnedRow: TypeAlias = Entry | Occurrence | Move | Proposal | Guard
"""The rows about what was learned and decided that are recorded together."""


class ParsedGuard(NamedTuple):
    """A guard parsed from its text."""

    action: Mode
    watch: str
    better: str
    reason: str


class GuardStats(Struct, frozen=True, kw_only=True):
    """How a guard has performed live."""

    decisions: int = 0
    sessions: int = 0
    failed: int = 0
    """Calls that were made anyway, in shadow mode or after a warning, and failed."""
    went_well: int = 0
    """Calls that were made anyway and succeeded."""
    stopped: int = 0
    """Calls that were blocked."""
    open: int = 0
    overruled: int = 0
    """How often the user overrode it since its mode was last set."""


class GuardState(Struct, frozen=True, kw_only=True):
    """A guard with its current mode."""

    guard: Guard
    mode: Mode
    why: str = ""
    """The reason for this mode, if one was given."""
    by: Actor = Actor.WISEN
    since: datetime


def newest_versions(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Return the last version of each guard, in the order of their first versions; `guards` are oldest first."""
    return tuple({each.id: each for each in guards}.values())


def guard_states(guards: Iterable[Guard], moves: Iterable[Move]) -> tuple[GuardState, ...]:
    """Return the state of each guard, in order; one without decisions is in shadow mode."""
    last = {move.subject: move for move in moves if move.kind is MoveKind.GUARD}
    states = []
    for guard in guards:
        move = last.get(guard.id)
        if move is None:
            states.append(GuardState(guard=guard, mode=Mode.SHADOW, since=guard.at))
        else:
            states.append(GuardState(guard=guard, mode=Mode(move.value), why=move.why, by=move.by, since=move.at))
    return tuple(states)


def parse_guard(text: str) -> ParsedGuard:
    """Parse a guard that was written by hand.

    Raises:
        UsageError: it is invalid; the message says what is wrong and shows the syntax.
    """
    spec, _, reason = f" {' '.join(text.split())} ".partition(" # ")
    spec = f"{spec} "
    mark = min((f" {each} " for each in _ARROWS if f" {each} " in spec), key=spec.index, default="\n")
    watch, _, better = spec.partition(mark)
    first, _, rest = watch.strip().partition(" ")
    action = Mode.WARN
    if first == _FORBIDDEN_ACTION:
        raise UsageError(f"A guard never allows a call: {text!r}. It can warn, deny or ask: {GUARD_SYNTAX}")
    if first in ACTIONS:
        action, watch = Mode(first), rest
    watch = _normalize_watch(watch.strip(), text)
    return ParsedGuard(action, watch, better.strip(), reason.strip())


def parse_watch(text: str) -> dict[str, object]:
    """Parse a watch into the values by which calls are matched.

    Raises:
        UsageError: it is invalid.
    """
    on, _, rest = text.partition(": ")
    words = rest.split()
    if on == "shell":
        if not words or words[0] in (GAP, "…") or words[0][:1] == "-":
            raise UsageError(f"{text!r} watches for no program. Begin with one, as in `shell: git push --force`.")
        return {"on": on, "words": words}
    if on in ("edit", "read"):
        if len(words) != 1:
            raise UsageError(f"{text!r} names no single place. Give one, as in `edit: migrations/**`.")
        return {"on": on, "glob": words[0]}
    pairs = [word.partition("=") for word in words]
    if not on or not all(sign and name for name, sign, _ in pairs):
        raise UsageError(f"{text!r} cannot be read. Give the tool's arguments, as in `WebFetch: url=*example.org*`.")
    return {"on": on, "fields": {name: glob for name, _, glob in pairs}}


def guard_id(context: str, watch: str) -> str:
    """Return the id of the guard with this watch in a context."""
    return f"G-{_digest(context, watch)}"


def guard_version(watch: str, better: str, action: Mode) -> str:
    """Return the version of a guard: a new wording or action is a new treatment."""
    return _digest(watch, better, action)


def _normalize_watch(watch: str, text: str) -> str:
    """Normalize a watch to its stored form, with what it inspects in front."""
    head, colon, rest = watch.partition(":")
    is_tool_name = head.replace("_", "").replace("-", "").isalnum()
    if colon and is_tool_name and (rest.startswith(" ") or not rest or head in ("shell", "edit", "read")):
        watch = f"{head}: {rest.strip()}"
    else:
        watch = f"shell: {watch}"
    if not watch.partition(": ")[2]:
        raise UsageError(f"{text!r} watches for nothing. The syntax of a guard is: {GUARD_SYNTAX}")
    watch_keys(parse_watch(watch))
    return watch


def _digest(*texts: str) -> str:
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
