"""Guards: what is watched for before a call, what is done then, and how each has fared."""

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
_PARTS = ("->", "→", "=>")
_NOT_ALLOWED = "allow"


class Mode(StrEnum):
    """What a guard does when a call fits."""

    SHADOW = "shadow"
    """Nothing; it is only noted what it would have done."""
    WARN = "warn"
    """The call is made, and the agent is told."""
    DENY = "deny"
    """The call is not made, and the agent is told the better one."""
    ASK = "ask"
    """The user is asked."""
    OFF = "off"
    REMOVED = "removed"


LIVE_MODES = (Mode.SHADOW, Mode.WARN, Mode.DENY, Mode.ASK)
"""The modes in which calls are looked at."""
ACTIONS = (Mode.WARN, Mode.DENY, Mode.ASK)
"""What a guard can be told to do: it never allows what the agent's own rules would not."""


class GuardSource(StrEnum):
    """Of what a guard was made."""

    FIX = "fix"
    RULE = "rule"
    HAND = "hand"


class Guard(Struct, frozen=True, kw_only=True):
    """Something that is watched for. Rows never change; what became of a guard stands in moves."""

    id: str
    """The same for the same watch in the same context."""
    version: str
    """Of what it watches for, does and proposes instead."""
    machine: str
    at: datetime
    context: str
    """The key of the context it holds in; empty for everywhere."""
    watch: str
    """What is watched for: `shell: rtk bun`."""
    better: str
    """What is to be done instead; empty where nothing is."""
    reason: str
    source: GuardSource
    of: str = ""
    """The id of the fix or of the rule's entry."""
    action: Mode = Mode.WARN
    """What it was made to do."""

    @property
    def source_text(self) -> str:
        """The guard in one line, as it can be written by hand."""
        better = f" -> {self.better}" if self.better else ""
        reason = f" # {self.reason}" if self.reason else ""
        return f"{self.action.value} {self.watch}{better}{reason}"


LearnedRow: TypeAlias = Entry | Occurrence | Move | Proposal | Guard
"""What was learnt and decided, as the ledger remembers it."""


class ParsedGuard(NamedTuple):
    """A guard as it was written."""

    action: Mode
    watch: str
    better: str
    reason: str


class GuardStats(Struct, frozen=True, kw_only=True):
    """How a guard has fared live."""

    decisions: int = 0
    sessions: int = 0
    failed: int = 0
    """Calls that were made all the same, in shadow or warned, and failed."""
    went_well: int = 0
    """Calls that were made all the same and went well."""
    stopped: int = 0
    """Calls that were not made."""
    open: int = 0
    overruled: int = 0
    """How often the user had his way against it since it was last set."""


class GuardState(Struct, frozen=True, kw_only=True):
    """A guard with what became of it."""

    guard: Guard
    mode: Mode
    why: str = ""
    """Why it is in this mode, where somebody said so."""
    by: Actor = Actor.WISEN
    since: datetime


def newest_versions(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Of guards in the order of their making, the last version of each, in the order of the first."""
    return tuple({each.id: each for each in guards}.values())


def guard_states(guards: Iterable[Guard], moves: Iterable[Move]) -> tuple[GuardState, ...]:
    """What became of guards, in their order; one about which nothing was decided is in shadow."""
    last = {move.subject: move for move in moves if move.kind is MoveKind.GUARD}
    found = []
    for guard in guards:
        move = last.get(guard.id)
        if move is None:
            found.append(GuardState(guard=guard, mode=Mode.SHADOW, since=guard.at))
        else:
            found.append(GuardState(guard=guard, mode=Mode(move.value), why=move.why, by=move.by, since=move.at))
    return tuple(found)


def parse_guard(text: str) -> ParsedGuard:
    """What a guard that was written by hand says.

    Raises:
        UsageError: it cannot be read; the error says what is wrong and how guards are written.
    """
    said, _, reason = f" {' '.join(text.split())} ".partition(" # ")
    said = f"{said} "
    mark = min((f" {each} " for each in _PARTS if f" {each} " in said), key=said.index, default="\n")
    watch, _, better = said.partition(mark)
    first, _, rest = watch.strip().partition(" ")
    action = Mode.WARN
    if first == _NOT_ALLOWED:
        raise UsageError(f"A guard never allows a call: {text!r}. It can warn, deny or ask: {GUARD_SYNTAX}")
    if first in ACTIONS:
        action, watch = Mode(first), rest
    watch = _spelt(watch.strip(), text)
    return ParsedGuard(action, watch, better.strip(), reason.strip())


def parse_watch(text: str) -> dict[str, object]:
    """What a watch says, as values by which calls are matched.

    Raises:
        UsageError: it cannot be read.
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
    """The id of the guard that watches for this in a context."""
    return f"G-{_digest(context, watch)}"


def guard_version(watch: str, better: str, action: Mode) -> str:
    """The version of a guard: other words, and another action, are another treatment."""
    return _digest(watch, better, action)


def _spelt(watch: str, text: str) -> str:
    """A watch as it is stored: with what it looks at in front."""
    head, colon, rest = watch.partition(":")
    named = head.replace("_", "").replace("-", "").isalnum()
    if colon and named and (rest.startswith(" ") or not rest or head in ("shell", "edit", "read")):
        watch = f"{head}: {rest.strip()}"
    else:
        watch = f"shell: {watch}"
    if not watch.partition(": ")[2]:
        raise UsageError(f"{text!r} watches for nothing. A guard is written so: {GUARD_SYNTAX}")
    watch_keys(parse_watch(watch))
    return watch


def _digest(*texts: str) -> str:
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
