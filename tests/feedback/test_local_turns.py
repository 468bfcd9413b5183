"""Messages typed to a local model are not sent to models that classify messages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from wisen.feedback import adjudication
from wisen.feedback.adjudication import Adjudicator
from wisen.feedback.phrase_naming import PhraseNamer
from wisen.feedback.turn_signs import observe_turns
from wisen.model.history import History, Turn, UserAction
from wisen.testing.log_writer import NOON

TEXTS = ("the Quince list is upside down", "the Pear list is upside down")


def session(*, local: bool) -> History:
    """Two turns, of which the first may have been typed to a local model."""
    turns = tuple(
        Turn(id=text, action=UserAction.SAID, at=NOON, text=text, before=0, origin="prompt", local=local and not number)
        for number, text in enumerate(TEXTS)
    )
    return History(session=1, agent="codex", native="s", steps=(), turns=turns)


class Listening:
    """A model that notes what it is shown, and answers nothing."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def ask(self, question: Any) -> Any:
        self.shown += [each.text for each in question.material]
        return SimpleNamespace(value=SimpleNamespace(rulings=[], labels=[], phrases=[]), withheld=())


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(("local", "allowed", "shown"), [(False, False, 2), (True, False, 1), (True, True, 2)])
def test_a_model_that_decides_what_is_in_doubt_is_not_shown_them(
    monkeypatch: pytest.MonkeyPatch, *, local: bool, allowed: bool, shown: int
) -> None:
    monkeypatch.setattr(adjudication, "is_doubtful", lambda _heard, _model: True)
    model: Any = Listening()
    own: Any = SimpleNamespace(model=None)
    Adjudicator(own, lambda: model, enabled=True, local=allowed).adjudicate([session(local=local)], [])
    assert model.shown == [*TEXTS[-shown:]]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(("local", "shown"), [(False, 2), (True, 1)])
def test_a_model_that_names_phrases_is_not_shown_them(*, local: bool, shown: int) -> None:
    model: Any = Listening()
    turns = [each._replace(detected=False) for each in observe_turns(session(local=local))]
    PhraseNamer(model).candidates(turns, turns, ())
    assert model.shown == [*TEXTS[-shown:]]
