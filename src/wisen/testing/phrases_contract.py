"""The contract of every ledger for the user's phrases, as a test suite."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.phrase import PhraseProof, PhraseSearch, PhraseSource, UserPhrase
from wisen.model.signal import SignalKind
from wisen.testing.entries_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.store.ledger import Ledger
    from wisen.store.phrases import PhraseRow


def a_phrase(id_: str = "a", text: str = "tss", machine: str = "desk") -> UserPhrase:
    """Return a sample phrase that was counted."""
    return UserPhrase(
        id=id_,
        machine=machine,
        at=NOON,
        text=text,
        kind=SignalKind.CORRECTION,
        way=PhraseSource.COUNTED,
        hits=5,
        turns=6,
        sessions=4,
        signs=20,
        others=200,
    )


def a_proof(id_: str = "a-m1", phrase: str = "a", minutes: int = 0) -> PhraseProof:
    """Return a sample turn that is evidence for it."""
    return PhraseProof(
        id=id_,
        phrase=phrase,
        machine="desk",
        agent="claude-code",
        session="s1",
        message="m1",
        at=NOON + timedelta(minutes=minutes),
        context="shop",
        quote="tss, the blue one",
        signs="conceded, undone",
    )


def a_search(id_: str = "a") -> PhraseSearch:
    """Return a sample search for phrases."""
    return PhraseSearch(
        id=id_, machine="desk", at=NOON, since=NOON - timedelta(days=30), way=PhraseSource.COUNTED, turns=100, found=1
    )


class PhrasesContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_phrases_come_back_whole_oldest_first_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        east = timezone(timedelta(hours=9))
        hostile = structs.replace(a_phrase("b", HOSTILE), at=NOON.astimezone(east), way=PhraseSource.REMOVED)
        quoted = structs.replace(a_proof("b-m1", "b", 1), quote=HOSTILE, context=HOSTILE)
        rows: list[PhraseRow] = [a_search(), quoted, a_proof(), hostile, a_phrase()]
        ledger.phrases.add(rows)
        ledger.phrases.add([structs.replace(a_phrase(), hits=99)])
        again = reopen()
        assert again.phrases.of("desk") == (a_phrase(), structs.replace(hostile, at=NOON))
        assert again.phrases.proofs("desk") == (a_proof(), quoted)
        assert again.phrases.searches("desk") == (a_search(),)

    def test_phrases_of_one_machine_are_no_others(self, ledger: Ledger) -> None:
        ledger.phrases.add([a_phrase(), a_phrase("b", machine="laptop")])
        assert [each.id for each in ledger.phrases.of("laptop")] == ["b"]
        assert [each.id for each in ledger.phrases.all()] == ["a", "b"]
        assert (ledger.phrases.proofs("laptop"), ledger.phrases.searches("laptop")) == ((), ())

    def test_phrases_are_noted_all_or_none(self, ledger: Ledger) -> None:
        def rows() -> Iterator[PhraseRow]:
            yield a_phrase()
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ledger.phrases.add(rows())
        assert ledger.phrases.all() == ()

    def test_phrases_and_what_speaks_for_them_can_be_forgotten(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        ledger.phrases.add([a_phrase(), a_phrase("b"), a_proof(), a_search()])
        assert {a_phrase(), a_proof(), a_search()} <= set(ledger.removal.rows())
        assert ledger.removal.remove([a_phrase(), a_proof(), a_search()]) == 3
        again = reopen()
        assert (again.phrases.all(), again.phrases.proofs(), again.phrases.searches()) == ((a_phrase("b"),), (), ())
