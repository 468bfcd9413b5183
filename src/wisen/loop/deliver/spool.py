"""What hooks noted down, as values: exposures for the ledger, and wishes that the agent's log must bear out."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.domain.events import Origin
from wisen.domain.exposures import Arm, Channel, Exposure
from wisen.domain.histories import Act
from wisen.loop.deliver.snapshot import FILLERS, LONGEST, PHRASES, PLACED, SCOPES, VERBS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.domain.entries import Proposal
    from wisen.domain.histories import History
    from wisen.ports.shelf import Note, Spooled

_AROUND = timedelta(minutes=10)
"""How far the clocks of a hook and of a log may be apart."""
_TYPED = ("prompt", "queued")
_ASKED = timedelta(days=1)
"""How long what was asked back may wait for the second word."""
APPROVE, CONFIRM = "approve", "confirm"
EVERYTHING = "everything"


class Wish(NamedTuple):
    """What a hook heard the user type."""

    name: str
    """Of the note."""
    agent: str
    session: str
    at: datetime
    kind: str
    of: str
    """The number or name that was typed."""
    id: str
    """What the number or name stood for in that session."""

    @property
    def around(self) -> datetime:
        """From when on the log may show it."""
        return self.at - (_ASKED if self.kind == CONFIRM else _AROUND)

    @property
    def to(self) -> str | None:
        """The place that was typed behind the number, in the user's words; None where none was."""
        named = self.of.split(maxsplit=2)
        return named[2] if self.kind == APPROVE and len(named) > 2 else None

    @property
    def words(self) -> str:
        """As it was typed; what is to be forgotten stands in the log alone."""
        return "yes forget …" if self.kind == CONFIRM else f"{self.kind} {self.of}"


class Forgotten(NamedTuple):
    """What the user typed twice that they want forgotten."""

    what: str
    """An id, words, or `everything`."""
    everywhere: bool
    context: str
    """In which they typed it; empty outside of any."""


def exposures(spooled: Iterable[Spooled], machine: str) -> list[Exposure]:
    """What sessions were given or kept from, one row for each subject."""
    rows = []
    for each in spooled:
        for number, note in enumerate(each.notes):
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


def wishes(spooled: Iterable[Spooled]) -> list[Wish]:
    """What hooks heard the user wish."""
    found = []
    for each in spooled:
        for note in each.notes:
            at, ids = _at(note), _ids(note)
            if note.get("event") == "wish" and at is not None and ids:
                agent, session, kind, of = (str(note.get(name, "")) for name in ("agent", "session", "kind", "of"))
                found.append(Wish(each.name, agent, session, at, kind, of, ids[0]))
    return found


def is_borne_out(wish: Wish, histories: Iterable[History]) -> bool:
    """Whether the agent's own log shows that the user typed a wish: what a hook heard alone is not trusted."""
    return any(
        turn.act is Act.SAID
        and turn.origin in _TYPED
        and abs(turn.at - wish.at) <= _AROUND
        and wish_in(turn.text or "") == (wish.kind, wish.of)
        for history in histories
        if (history.agent, history.native) == (wish.agent, wish.session)
        for turn in history.turns
    )


def typed_command(request: Proposal, histories: Iterable[History], used: str) -> tuple[str, str] | None:
    """The session and the id of the line in which the agent's log shows that the user ran a command to wisen.

    A line that is `used` proved a decision before, and proves no second one.
    """
    for history in histories:
        for turn in history.turns if history.agent == request.agent else ():
            near = abs(turn.at - request.at) <= _AROUND and turn.act is Act.SAID and turn.origin == Origin.SHELL
            if near and turn.id not in used and _words(turn.text or "") == ["wisen", *_words(request.typed)]:
                return history.native, turn.id
    return None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def confirmed(wish: Wish, histories: Iterable[History]) -> Forgotten | None:
    """What the agent's own log shows that the user wants forgotten: typed, and typed again with `yes` in front."""
    turns = [
        (turn, wish_in(turn.text or ""))
        for history in histories
        if (history.agent, history.native) == (wish.agent, wish.session)
        for turn in history.turns
        if turn.act is Act.SAID and turn.origin in _TYPED
    ]
    second = [each for each in turns if each[1][0] == CONFIRM and abs(each[0].at - wish.at) <= _AROUND]
    for turn, (_, of) in sorted(second, key=lambda each: abs(each[0].at - wish.at)):
        if any(asked == ("forget", of) and first.at <= turn.at for first, asked in turns):
            what, scope = subject(of)
            return Forgotten(what, scope == SCOPES["everywhere"], turn.context) if what != EVERYTHING or scope else None
    return None


def subject(of: str) -> tuple[str, str]:
    """What is to be forgotten and where; the client reads it alike."""
    words = of.split()
    scope = SCOPES[words.pop()] if len(words) > 1 and words[-1] in SCOPES else ""
    if words in ([EVERYTHING], [of]):
        return words[0], scope
    rest = [*words]
    while rest and rest[0] in FILLERS["before"]:
        rest.pop(0)
    while len(rest) > 1 and rest[-1] in FILLERS["behind"]:
        rest.pop()
    return " ".join(rest or words), scope


def wish_in(text: str) -> tuple[str, str]:
    """What a typed text asks of wisen, and of what; both empty where it asks nothing. The client reads it alike."""
    plain = " ".join(text.casefold().split()).strip(" .!?")
    if plain in PHRASES:
        return PHRASES[plain], ""
    for verb, kind in VERBS.items():
        of = plain[len(verb) + 1 :].lstrip("#") if plain.startswith(f"{verb} ") else ""
        alone = " " not in of or not ("\n" in text.strip() or ". " in of)
        words = of.split()
        named = kind != APPROVE or len(words) <= 1 or (len(words) > 2 and words[1] in PLACED)
        if of and alone and named and len(words) <= LONGEST.get(kind, 1):
            return kind, of
    return "", ""


def _at(note: Note) -> datetime | None:
    at = note.get("at")
    try:
        return datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else None
    except (OverflowError, OSError, ValueError):
        return None


def _chances(note: Note) -> list[float]:
    """Of a note about coins: the chance of each id."""
    found = note.get("chances")
    return [float(each) for each in found if isinstance(each, int | float)] if isinstance(found, list) else []


def _ids(note: Note) -> list[str]:
    ids = note.get("ids")
    return [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else []
