"""What hooks noted down, as values: exposures for the ledger, and wishes that the agent's log must bear out."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.request_reading import EVERYTHING, HERE, read_request
from wisen.model.event import MessageOrigin
from wisen.model.exposure import Arm, Channel, Exposure
from wisen.model.history import Act

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.delivery.chat_requests import RequestTable
    from wisen.delivery.snapshot_store import SpoolFile, SpoolRecord
    from wisen.model.entry import Proposal
    from wisen.model.history import History

_AROUND = timedelta(minutes=10)
"""How far the clocks of a hook and of a log may be apart."""
_TYPED = ("prompt", "queued")
APPROVE, CONFIRM, FORGET = "approve", "confirm", "forget"


class SpooledRequest(NamedTuple):
    """What a hook heard the user type."""

    name: str
    """Of the note."""
    agent: str
    session: str
    at: datetime
    kind: str
    argument: str
    """The number or name that was typed; of what is to be forgotten a digest, keyed with the home's salt."""
    id: str
    """What the number or name stood for in that session."""

    @property
    def earliest(self) -> datetime:
        """From when on the log may show it."""
        return self.at - _AROUND

    @property
    def to(self) -> str | None:
        """The place that was typed behind the number, in the user's words; None where none was."""
        named = self.argument.split(maxsplit=2)
        return named[2] if self.kind == APPROVE and len(named) > 2 else None

    @property
    def shown_text(self) -> str:
        """As it was typed; what is to be forgotten stands in the log alone."""
        told = {FORGET: "forget …", CONFIRM: "yes forget …"}
        return told.get(self.kind) or f"{self.kind} {self.argument}"


class ForgetRequest(NamedTuple):
    """What the user typed that they want forgotten."""

    what: str
    """An id, words, or `everything`."""
    scope: str
    """Here, global or everywhere."""
    context: str
    """In which it was typed; empty outside of any."""


def read_exposures(spooled: Iterable[SpoolFile], machine: str) -> list[Exposure]:
    """What sessions were given or kept from, one row for each subject."""
    rows = []
    for each in spooled:
        for number, note in enumerate(each.records):
            at, arm, call, mode = _at(note), note.get("arm"), note.get("call"), note.get("mode")
            if at is None or arm not in list(Arm):
                continue
            chances = _chances(note)
            for place, subject in enumerate(_ids(note)):
                id_, _, version = subject.partition(":")
                told = "\0".join((machine, each.name, str(number), subject))
                rows.append(
                    Exposure(
                        id=blake2b(told.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
                        machine=machine,
                        agent=str(note.get("agent", "")),
                        session=str(note.get("session", "")),
                        subject=id_,
                        version=version,
                        channel=Channel.HOOK,
                        event=str(note.get("event", "")),
                        arm=Arm(str(arm)),
                        at=at,
                        call=call if isinstance(call, str) else None,
                        mode=mode if isinstance(mode, str) else None,
                        chance=chances[place] if place < len(chances) else None,
                    )
                )
    return rows


def read_requests(spooled: Iterable[SpoolFile]) -> list[SpooledRequest]:
    """What hooks heard the user wish."""
    found = []
    for each in spooled:
        for note in each.records:
            at, ids = _at(note), _ids(note)
            if note.get("event") == "wish" and at is not None and ids:
                agent, session, kind, of = (str(note.get(name, "")) for name in ("agent", "session", "kind", "of"))
                found.append(SpooledRequest(each.name, agent, session, at, kind, of, ids[0]))
    return found


def is_confirmed_by_log(wish: SpooledRequest, histories: Iterable[History], table: RequestTable) -> bool:
    """Whether the agent's own log shows that the user typed a wish: what a hook heard alone is not trusted.

    `table`: by which forms.
    """
    return any(
        turn.act is Act.SAID
        and turn.origin in _TYPED
        and abs(turn.at - wish.at) <= _AROUND
        and is_same_request(wish, turn.text or "", table)
        for history in histories
        if (history.agent, history.native) == (wish.agent, wish.session)
        for turn in history.turns
    )


def find_typed_command(request: Proposal, histories: Iterable[History], used: str) -> tuple[str, str] | None:
    """The session and the id of the line in which the agent's log shows that the user ran a command to wisen.

    A line that is `used` proved a decision before, and proves no second one.
    """
    for history in histories:
        for turn in history.turns if history.agent == request.agent else ():
            near = abs(turn.at - request.at) <= _AROUND and turn.act is Act.SAID and turn.origin == MessageOrigin.SHELL
            if near and turn.id not in used and _words(turn.text or "") == ["wisen", *_words(request.typed)]:
                return history.native, turn.id
    return None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def is_same_request(wish: SpooledRequest, text: str, table: RequestTable) -> bool:
    """Whether a typed text asks for what a hook heard."""
    asked = read_request(text, table)
    return (asked.kind, asked.of) == (wish.kind, wish.argument)


def find_forget_request(
    wish: SpooledRequest, histories: Iterable[History], key: bytes, table: RequestTable
) -> ForgetRequest | None:
    """What the agent's own log shows that the user wants forgotten; `key` is the salt of the home.

    Typed once it goes where it was typed. Other scopes, and everything, need a `yes` in front, which a hook notes only
    where it had asked. The question itself need not be in the log any more: its words may be forgotten by now.
    """
    near = [
        (abs(turn.at - wish.at), turn.context, asked.what, asked.scope)
        for history in histories
        if (history.agent, history.native) == (wish.agent, wish.session)
        for turn in history.turns
        if turn.act is Act.SAID and turn.origin in _TYPED and abs(turn.at - wish.at) <= _AROUND
        for asked in [read_request(turn.text or "", table)]
        if asked.kind == wish.kind and wish.argument == digest_words(asked.of, key)
    ]
    for _, context, what, scope in sorted(near):
        is_wide = what == EVERYTHING or scope not in ("", HERE)
        if (wish.kind == CONFIRM or not is_wide) and (scope or what != EVERYTHING):
            return ForgetRequest(what, scope or HERE, context)
    return None


def digest_words(words: str, key: bytes) -> str:
    """Words that are to be forgotten, so that nobody can read them; the client makes the same."""
    told = words.encode("utf-8", "surrogatepass")
    return blake2b(told, digest_size=8, key=key[:64], person=b"wisen forget").hexdigest()


def _at(note: SpoolRecord) -> datetime | None:
    at = note.get("at")
    try:
        return datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else None
    except (OverflowError, OSError, ValueError):
        return None


def _chances(note: SpoolRecord) -> list[float]:
    """Of a note about coins: the chance of each id."""
    found = note.get("chances")
    return [float(each) for each in found if isinstance(each, int | float)] if isinstance(found, list) else []


def _ids(note: SpoolRecord) -> list[str]:
    ids = note.get("ids")
    return [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else []
