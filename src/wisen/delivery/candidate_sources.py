"""Callbacks by which features contribute what may be delivered; delivery ranks it and keeps to the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from wisen.delivery.block import DeliveredLine
    from wisen.delivery.chat_requests import RequestTable
    from wisen.delivery.turn_questions import TurnQuestion
    from wisen.delivery.workflow_hints import WorkflowHint
    from wisen.model.entry import Proposal
    from wisen.model.place import RulePlace
    from wisen.model.trial import TrialStandings
    from wisen.store.known_entries import KnownEntries


class CandidateSources(Struct, frozen=True, kw_only=True):
    """The features' contributions, each fetched when it is needed."""

    trial_standings: Callable[[KnownEntries], TrialStandings]
    """The state of all trials, given the ledger's entries."""
    questions: Callable[[], Mapping[str, Sequence[DeliveredLine]]]
    """By context, the open questions to the user about files and folders."""
    question_about: Callable[[Proposal], tuple[str, Sequence[RulePlace]]]
    """What prevents approving a proposal as it is, and where it may go instead."""
    turn_questions: Callable[[str], Sequence[TurnQuestion]]
    """What the user's agent may be asked to classify in a context; nothing without the user's consent."""
    requests: Callable[[], RequestTable]
    """The phrases by which users make requests in a chat, including those of languages they added."""
    language_of: Callable[[str], str]
    """The language code of a text of the user, as used in the request table."""
    praise_counts: Callable[[datetime], Mapping[str, int]]
    """How much praise entries and fixes had by a given time, by id."""
    workflow_hints: Callable[[str], Sequence[WorkflowHint]]
    """What agents may be told in a context about how goals were reached before."""
