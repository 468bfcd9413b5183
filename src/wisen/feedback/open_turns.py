"""Selects the turns that an agent may be asked about: those where an answer changes most and nothing forbids it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.feedback.doubt import doubts_by_worth, is_worth_asking
from wisen.feedback.quote_verification import MAX_QUOTE, has_pasted_block
from wisen.feedback.turns import turns_of
from wisen.model.pointing import OpenTurn, settled_turns, turn_id
from wisen.model.report import Selection
from wisen.safety import invisible_characters
from wisen.safety.withhold import rule_against
from wisen.text.directives import directives_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.feedback.detector import DetectorModel
    from wisen.logs.projects import Projects
    from wisen.model.history import History, Turn
    from wisen.model.signal import TypedTurn
    from wisen.store.home import Home

RECENT = timedelta(days=30)
"""The maximum age, relative to the newest turn, of a turn that an agent is asked about at a session's start."""


class DoubtfulTurn(NamedTuple):
    """A turn in doubt, with everything that is needed to verify a quote from it."""

    open: OpenTurn
    history: History
    turn: Turn
    message: TypedTurn


def doubtful_turns(
    home: Home,
    projects: Projects,
    model: DetectorModel,
    context: str | None = None,
    *,
    recent: bool = True,
    local: bool = False,
) -> Iterator[DoubtfulTurn]:
    """The unsettled turns of a context, or of all contexts; `recent`: only those of the last weeks.

    `local`: whether hosted agents may be asked about what was typed to models on the user's own machine.
    """
    settled = settled_turns(home.ledger.moves.all())
    folders = [each for each in projects.active_aliases() if context is None or each.context == context]
    contexts = {each.context for each in folders}  # none where wisen is disabled
    if not contexts:
        return
    newest = home.index.events.counts(Selection()).last or home.clock.now()
    since = newest - RECENT if recent else None
    places = () if context is None else tuple(each.path for each in folders)
    for history in home.index.events.histories(Selection(places=places, since=since)):
        for turn, message in turns_of(history):
            id_ = turn_id(history.agent, history.native, turn.id)
            if id_ in settled or turn.context not in contexts or (turn.local and not local):
                continue
            if _may_be_shown(home, message.text) and is_worth_asking(message, model):
                found = OpenTurn(
                    id=id_,
                    agent=history.agent,
                    session=history.native,
                    message=turn.id,
                    context=turn.context,
                    at=turn.at,
                    text=message.text,
                )
                yield DoubtfulTurn(found, history, turn, message)


def sort_by_worth(turns: Iterable[DoubtfulTurn], model: DetectorModel) -> list[DoubtfulTurn]:
    """Sort turns by how much an answer is likely to change; the newest first where that is equal."""
    newest = sorted(turns, key=lambda each: (-each.turn.at.timestamp(), each.open.id))
    return [newest[number] for number in doubts_by_worth([each.message for each in newest], len(newest), model)]


def _may_be_shown(home: Home, text: str) -> bool:
    """Whether a text may be shown to an agent: short, fully visible, neither secret nor forgotten, and in doubt.

    A text that says itself that it lasts is not in doubt: no answer of an agent can keep it from being learned.
    """
    if (
        not text.strip()
        or len(text) > MAX_QUOTE
        or invisible_characters.remove_invisible(text) != text
        or has_pasted_block(text)
    ):
        return False
    if rule_against(text) is not None or home.forgotten_filter.contains_forgotten(text):
        return False
    return not any(each.standing for each in directives_in(text))
