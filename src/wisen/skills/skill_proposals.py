"""Decides which drafts are proposed, and builds the proposals: each asked once, and again only with something new."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.change import estimate_tokens
from wisen.model.entry import Answer, Proposal, ProposalType
from wisen.safety.markdown_quoting import visible
from wisen.skills.skill_merge import changed_units
from wisen.skills.skill_text import describe_success

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry_state import ProposalState
    from wisen.skills.skill_drafts import SkillDraft
    from wisen.store.row_factory import RowFactory

_MATTERS = frozenset({"## procedure", "## pitfalls", "## verification"})
"""The parts whose change is worth asking about; examples, dates and sessions change with every run."""
_SHOWN_DANGERS = 12


def skill_proposals(before: Iterable[ProposalState]) -> list[ProposalState]:
    """Return the proposals of skills, oldest first."""
    return [each for each in before if each.proposal.type is ProposalType.SKILL]


def last_about(workflow: str, before: Sequence[ProposalState]) -> ProposalState | None:
    """Return the last proposal about the skill of a workflow."""
    return next((each for each in reversed(before) if each.proposal.entry == workflow), None)


def written_content(workflow: str, before: Sequence[ProposalState]) -> str | None:
    """Return what we would have written the last time it was approved: what we compare the file with."""
    approved = (
        each.proposal.content
        for each in reversed(before)
        if each.proposal.entry == workflow and each.answer is Answer.APPROVED
    )
    return next(approved, None)


def is_news(last: str | None, new: str) -> bool:
    """Whether a draft says something else than what we wrote before."""
    return last is None or not _MATTERS.isdisjoint(changed_units(last, new))


def may_ask(draft: SkillDraft, before: Sequence[ProposalState], *, is_requested: bool) -> bool:
    """Whether a draft may be proposed: not if the user rejected or removed it, unless they ask for it themselves.

    One that waits is proposed again only if its procedure is another one by now.
    """
    last = last_about(draft.workflow.id, before)
    if last is None:
        return True
    if last.is_waiting:
        return is_news(last.proposal.content, draft.content)
    if last.answer is Answer.APPROVED and draft.existing is not None:
        return is_news(last.proposal.content, draft.content)
    if is_requested:
        return True
    if last.answer in (Answer.APPROVED, Answer.REJECTED):
        return False  # they removed it, or said no
    return draft.workflow.sessions > last.proposal.sessions


def expired_proposals(before: Iterable[ProposalState], now: datetime, days: int) -> list[Proposal]:
    """Return the proposals that waited too long."""
    return [each.proposal for each in before if each.is_waiting and now - each.at > timedelta(days=days)]


def build_skill_proposal(draft: SkillDraft, why: str, last: ProposalState | None, factory: RowFactory) -> Proposal:
    """Build the proposal of a draft."""
    lines = [f"{'It changes the skill that exists' if draft.existing else 'A new skill'}: {why}."]
    lines.append(describe_success(draft.workflow))
    replayed = draft.replay()
    if replayed.steps:
        again = f"{replayed.reproduced} of {replayed.steps}"
        lines.append(f"Made from the other runs, it reproduces the commands of {again} steps of the run left out.")
    if draft.left_out:
        lines.append(f"Runs were left out: {'; '.join(draft.left_out)}.")
    lines += [f"Careful: {visible(each.command)}: {visible(each.why)}" for each in draft.dangers[:_SHOWN_DANGERS]]
    if len(draft.dangers) > _SHOWN_DANGERS:
        lines.append(f"Careful: {len(draft.dangers) - _SHOWN_DANGERS} more of these.")
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.SKILL,
        entry=draft.workflow.id,
        context=draft.workflow.context,
        text=draft.skill.description,
        path=draft.path,
        heading="",
        why="\n".join(lines),
        hypothesis="An agent that loads it takes these steps at once.",
        risk="high" if draft.dangers else "medium",
        effort="low",
        impact="high" if draft.workflow.uses >= 5 else "medium",
        tokens=estimate_tokens(draft.content.encode()),
        sessions=draft.workflow.sessions,
        follows="" if last is None else last.proposal.id,
        content=draft.content,
    )
