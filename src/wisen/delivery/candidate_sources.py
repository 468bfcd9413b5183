"""What features hand in to be told: the one arbiter asks for it, ranks it and keeps to the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from wisen.delivery.block import DeliveredLine
    from wisen.delivery.chat_requests import RequestTable
    from wisen.delivery.turn_questions import TurnQuestion
    from wisen.model.entry import Proposal
    from wisen.model.place import RulePlace
    from wisen.model.trial import TrialStandings
    from wisen.store.known_entries import KnownEntries


@dataclass(frozen=True, kw_only=True)
class CandidateSources:
    """What features know of what may be told; each is asked for when it is needed."""

    trial_standings: Callable[[KnownEntries], TrialStandings]
    """How trials stand, by what the ledger knows."""
    questions: Callable[[], Mapping[str, Sequence[DeliveredLine]]]
    """By context, what waits there for the user's word about files and folders."""
    question_about: Callable[[Proposal], tuple[str, Sequence[RulePlace]]]
    """What stands against approving a proposal as it is, and where it may go instead."""
    turn_questions: Callable[[str], Sequence[TurnQuestion]]
    """What the user's agent may be asked to sort in a context; nothing without the user's yes."""
    requests: Callable[[], RequestTable]
    """By which forms users ask something in a chat, with those of languages that they added."""
    language_of: Callable[[str], str]
    """The code of the language that words of the user are in, as the table of requests knows it."""
    praise_counts: Callable[[datetime], Mapping[str, int]]
    """How much praise speaks for entries and fixes as of a moment, by id."""
