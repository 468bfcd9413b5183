"""Parses spool records of hooks: exposures for the ledger, and requests that the agent's own log must confirm."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.request_reading import EVERYTHING, HERE, read_request
from wisen.model.event import MessageOrigin
from wisen.model.exposure import Arm, Channel, Exposure
from wisen.model.history import UserAction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.delivery.chat_requests import RequestTable
    from wisen.delivery.snapshot_store import SpoolFile, SpoolRecord
    from wisen.model.entry import Proposal
    from wisen.model.history import History

_TOLERANCE = timedelta(minutes=10)
"""How far apart the clocks of a hook and of a log may be."""
_TYPED = ("prompt", "queued")
APPROVE, CONFIRM, FORGET = "approve", "confirm", "forget"


class SpooledRequest(NamedTuple):
    """A request to wisen that a hook saw the user type."""

    name: str
    """The name of its spool file."""
    agent: str
    session: str
    at: datetime
    kind: str
    argument: str
    """The number or name that was typed; for a text to forget, a digest of it, keyed with the home's salt."""
    id: str
    """The id that the number or name stood for in that session."""

    @property
    def earliest(self) -> datetime:
        """The earliest time at which the log may show it."""
        return self.at - _TOLERANCE

    @property
    def to(self) -> str | None:
        """The place that was typed after the number, in the user's words; None if there was none."""
        words = self.argument.split(maxsplit=2)
        return words[2] if self.kind == APPROVE and len(words) > 2 else None

    @property
    def shown_text(self) -> str:
        """The request as it was typed; a text to forget is left out and appears in the log only."""
        placeholders = {FORGET: "forget …", CONFIRM: "yes forget …"}
        return placeholders.get(self.kind) or f"{self.kind} {self.argument}"


class ForgetRequest(NamedTuple):
    """What the user asked to forget."""

    what: str
    """An id, a text, or `everything`."""
    scope: str
    """`here`, `global` or `everywhere`."""
    context: str
    """The context in which it was typed; empty outside any."""


def read_exposures(files: Iterable[SpoolFile], machine: str) -> list[Exposure]:
    """Return what sessions were given or denied in trials, one row per subject."""
    rows = []
    for each in files:
        for number, record in enumerate(each.records):
            at, arm, call, mode = _at(record), record.get("arm"), record.get("call"), record.get("mode")
            if at is None or arm not in list(Arm):
                continue
            chances = _chances(record)
            for place, subject in enumerate(_ids(record)):
                id_, _, version = subject.partition(":")
                identity = "\0".join((machine, each.name, str(number), subject))
                rows.append(
                    Exposure(
                        id=blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
                        machine=machine,
                        agent=str(record.get("agent", "")),
                        session=str(record.get("session", "")),
                        subject=id_,
                        version=version,
                        channel=Channel.HOOK,
                        event=str(record.get("event", "")),
                        arm=Arm(str(arm)),
                        at=at,
                        call=call if isinstance(call, str) else None,
                        mode=mode if isinstance(mode, str) else None,
                        chance=chances[place] if place < len(chances) else None,
                    )
                )
    return rows


def read_requests(files: Iterable[SpoolFile]) -> list[SpooledRequest]:
    """Return the requests that hooks saw."""
    requests = []
    for each in files:
        for record in each.records:
            at, ids = _at(record), _ids(record)
            if record.get("event") == "wish" and at is not None and ids:
                agent, session, kind, argument = (
                    str(record.get(name, "")) for name in ("agent", "session", "kind", "of")
                )
                requests.append(SpooledRequest(each.name, agent, session, at, kind, argument, ids[0]))
    return requests


def is_confirmed_by_log(request: SpooledRequest, histories: Iterable[History], table: RequestTable) -> bool:
    """Whether the agent's own log shows that the user typed a request: the hook's record alone is not trusted.

    `table`: the phrases of requests.
    """
    return any(
        turn.action is UserAction.SAID
        and turn.origin in _TYPED
        and abs(turn.at - request.at) <= _TOLERANCE
        and is_same_request(request, turn.text or "", table)
        for history in histories
        if (history.agent, history.native) == (request.agent, request.session)
        for turn in history.turns
    )


def find_typed_command(request: Proposal, histories: Iterable[History], used: str) -> tuple[str, str] | None:
    """Return the session and line id that show, in the agent's log, that the user ran a wisen command.

    A line in `used` already proved another decision, and cannot prove a second one.
    """
    for history in histories:
        for turn in history.turns if history.agent == request.agent else ():
            is_candidate = (
                abs(turn.at - request.at) <= _TOLERANCE
                and turn.action is UserAction.SAID
                and turn.origin == MessageOrigin.SHELL
            )
            if is_candidate and turn.id not in used and _words(turn.text or "") == ["wisen", *_words(request.typed)]:
                return history.native, turn.id
    return None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def is_same_request(request: SpooledRequest, text: str, table: RequestTable) -> bool:
    """Whether a typed text makes the request that a hook saw."""
    read = read_request(text, table)
    return (read.kind, read.target) == (request.kind, request.argument)


def find_forget_request(
    request: SpooledRequest, histories: Iterable[History], key: bytes, table: RequestTable
) -> ForgetRequest | None:
    """Return what the agent's own log shows that the user asked to forget; `key` is the salt of the home.

    Typed once, it is forgotten in the context where it was typed. Other scopes, and `everything`, need a leading `yes`,
    which a hook records only after asking. The question may be missing from the log: its text may be forgotten by now.
    """
    candidates = [
        (abs(turn.at - request.at), turn.context, asked.subject, asked.scope)
        for history in histories
        if (history.agent, history.native) == (request.agent, request.session)
        for turn in history.turns
        if turn.action is UserAction.SAID and turn.origin in _TYPED and abs(turn.at - request.at) <= _TOLERANCE
        for asked in [read_request(turn.text or "", table)]
        if asked.kind == request.kind and request.argument == digest_words(asked.target, key)
    ]
    for _, context, what, scope in sorted(candidates):
        is_wide = what == EVERYTHING or scope not in ("", HERE)
        if (request.kind == CONFIRM or not is_wide) and (scope or what != EVERYTHING):
            return ForgetRequest(what, scope or HERE, context)
    return None


def digest_words(words: str, key: bytes) -> str:
    """Return a digest of a text to forget, so that nobody can read it; the client computes the same."""
    encoded = words.encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=8, key=key[:64], person=b"wisen forget").hexdigest()


def _at(note: SpoolRecord) -> datetime | None:
    at = note.get("at")
    try:
        return datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else None
    except (OverflowError, OSError, ValueError):
        return None


def _chances(note: SpoolRecord) -> list[float]:
    """Return the chance of each id in a record about a trial's draw."""
    found = note.get("chances")
    return [float(each) for each in found if isinstance(each, int | float)] if isinstance(found, list) else []


def _ids(note: SpoolRecord) -> list[str]:
    ids = note.get("ids")
    return [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else []
