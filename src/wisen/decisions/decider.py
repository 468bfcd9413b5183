"""What is left of the mixin of deciding: it hands on to `Decisions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.service import rule_words
from wisen.model.entry import Who

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from wisen.model.entry import Answer
    from wisen.model.entry_state import Asked
    from wisen.model.presence import Person
    from wisen.parts import Parts
    from wisen.store.home import Home


class Decider:
    """Hands on."""

    _parts: Parts

    @property
    def _home(self) -> Home:
        return self._parts.base

    def require_person(self, *words: str, chat: str = "", dry_run: bool = False) -> None:
        """See `Decisions`."""
        self._parts.decisions.require_person(*words, chat=chat, dry_run=dry_run)

    def refuse_agent(self, *words: str, dry_run: bool = False) -> None:
        """See `Decisions`."""
        self._parts.decisions.refuse_agent(*words, dry_run=dry_run)

    def requests(self) -> tuple[Asked, ...]:
        """See `Decisions`."""
        return self._parts.decisions.requests()

    def on_word_of(self, person: Person) -> AbstractContextManager[None]:
        """See `Decisions`."""
        return self._parts.decisions.on_word_of(person)

    def as_decision(
        self, did: str, subject: str = "", *, dry_run: bool = False, by: Who = Who.USER
    ) -> AbstractContextManager[None]:
        """See `Decisions`."""
        return self._parts.decisions.as_decision(did, subject, dry_run=dry_run, by=by)

    def answer_request(self, request: str, given: Answer) -> None:
        """See `Decisions`."""
        self._parts.decisions.answer_request(request, given)

    def _worded(self, text: str) -> str:
        return rule_words(text)
