"""What waits for the user's yes: what agents suggest, and questions that a command of the user's answers.

An agent's words never teach. They are no entry, so that nothing compares, counts, delivers or tries them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.change import estimate_tokens
from wisen.model.entry import Proposal, ProposalType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.entry_state import ProposalState
    from wisen.store.row_factory import RowFactory

MOST = 20
"""How many suggestions wait at once: an agent cannot bury what else waits."""
LONGEST = 500


class Suggested(NamedTuple):
    """What an agent says is worth keeping."""

    text: str
    kind: str
    """One of LOGGABLE; empty for other words for an entry that there is."""
    agent: str
    context: str
    why: str
    entry: str = ""
    """The entry it is about, or the one it would become, where that is known."""


def suggestion(said: Suggested, factory: RowFactory) -> Proposal:
    """The proposal of what an agent suggests; where it would go is for others to say."""
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.SUGGESTION,
        entry=said.entry or factory.ids.new(),
        context=said.context,
        text=said.text,
        path="",
        heading="",
        why=said.why,
        hypothesis="An agent believes that it will be of use again. Nothing was measured.",
        risk="medium",
        effort="low",
        impact="low",
        tokens=estimate_tokens(f"- {said.text} <!-- wisen:R-00000000 -->\n".encode()),
        sessions=0,
        agent=said.agent,
        kind=said.kind,
    )


def waiting(before: Iterable[ProposalState]) -> list[ProposalState]:
    """The suggestions that wait for the user."""
    return [each for each in before if each.is_waiting and each.proposal.type is ProposalType.SUGGESTION]
