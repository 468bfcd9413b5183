"""Keeps forgotten text from coming back out of the same old logs or out of files that are read again.

What the user types again is a new event, and may be learned again. A file does not say when it was typed: text in a
file that contains forgotten words is left out as long as the tombstone exists.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import structs
from msgspec.structs import replace

from wisen.model.context import NOWHERE
from wisen.model.event import Call, Message, Outcome
from wisen.model.tombstone import FORGOTTEN, TombstoneKeyKind, is_in_scope
from wisen.safety.forgotten_phrases import PhraseDigests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.event import Event
    from wisen.model.index_batch import FilteredEvent, IndexBatch
    from wisen.model.tombstone import TombstoneKey

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ForgottenFilter:
    """Recognizes what was forgotten, without storing a word of it."""

    def __init__(self, keys: Iterable[TombstoneKey], salt: bytes) -> None:
        keys = tuple(keys)
        self._events = {(key.agent, key.value) for key in keys if key.kind is TombstoneKeyKind.EVENT}
        self._forgotten_until = [
            (key.value, forgotten_until(key)) for key in keys if key.kind is TombstoneKeyKind.UNTIL
        ]
        self._words = PhraseDigests(keys, salt)

    def contains_forgotten(self, text: str) -> bool:
        """Whether a text from a file contains words that were forgotten."""
        return self._words.holds(text)

    def filter_index_batches(self, index_batches: Iterable[IndexBatch]) -> list[IndexBatch]:
        """Return what was read without what was forgotten: such events lose their texts, or are dropped."""
        if not self._events and not self._forgotten_until:
            return [*index_batches]
        return [
            replace(each, events=tuple(k for kept in each.events for k in self._filter_event(kept)))
            for each in index_batches
        ]

    def _filter_event(self, kept: FilteredEvent) -> tuple[FilteredEvent, ...]:
        event = kept.event
        if any(
            event.at <= until and is_in_scope(scope, kept.context or NOWHERE) for scope, until in self._forgotten_until
        ):
            return ()
        agent = event.session.agent
        # The result of a call is forgotten with the call.
        if (agent, event.id) not in self._events and (agent, getattr(event, "call", None)) not in self._events:
            return (kept,)
        return (kept._replace(event=without_text(event), withheld=FORGOTTEN),)


class DisabledSessions:
    """The sessions that were disabled. It is small, so that it can be sent to worker processes."""

    def __init__(self, keys: Iterable[TombstoneKey], salt: bytes) -> None:
        self._sessions = {key.value for key in keys if key.kind is TombstoneKeyKind.SESSION}
        self._salt = salt
        self._known: dict[tuple[str, str], bool] = {}

    def is_disabled(self, agent: str, session: str) -> bool:
        """Whether a session was disabled; a sub-agent's session follows the one that started it."""
        if not self._sessions:
            return False
        if (agent, session) not in self._known:
            names = {session, session.partition("/")[0]}
            off = any(session_digest(self._salt, agent, name) in self._sessions for name in names)
            self._known[agent, session] = off
        return self._known[agent, session]


def session_digest(salt: bytes, agent: str, session: str) -> str:
    """Return a keyed digest of a session; the hook client computes the same."""
    raw = f"{agent}\0{session}".encode("utf-8", "surrogatepass")
    return blake2b(raw, digest_size=16, key=salt).hexdigest()


def without_text(event: Event) -> Event:
    """Return an event as a stub: that it happened, and nothing of what was said."""
    if isinstance(event, Call):
        return structs.replace(event, arguments=None)
    return structs.replace(event, text=None) if isinstance(event, Message | Outcome) else event


def forgotten_until(key: TombstoneKey) -> datetime:
    """Return until when a key says that everything was forgotten."""
    return _EPOCH + timedelta(microseconds=key.size)
