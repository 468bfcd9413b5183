"""Describes guards in plain sentences, for agents and people."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import ProposalType
from wisen.model.guard import ACTIONS, Mode, parse_guard

if TYPE_CHECKING:
    from wisen.model.entry import Proposal
    from wisen.model.guard import Guard

_VERBS = {Mode.DENY: "Stop", Mode.ASK: "Ask before"}


def describe_watch(watch: str) -> str:
    """Describe a watch: a command, file changes, or a call of another tool."""
    on, _, pattern = watch.partition(": ")
    if on == "shell":
        return f"`{pattern}`"
    if on in ("edit", "read"):
        return f"{'changes of' if on == 'edit' else 'reading'} `{pattern}`"
    return f"{on} with `{pattern}`"


def describe_guard(guard: Guard, mode: Mode | None = None, *, with_reason: bool = True) -> str:
    """Describe a guard in one sentence: what it does, before what, the alternative, and the reason.

    In a `mode` in which it does nothing, the action it was created with is described. The reason of a guard made from a
    fix can hold a tool's output, which is not delivered to agents.
    """
    action = mode if mode in ACTIONS else guard.action
    return _sentence(action, guard.watch, guard.better, guard.reason if with_reason else "")


def describe_proposal(proposal: Proposal, *, with_reason: bool = True) -> str:
    """Describe what is proposed: a rule by its own text, a guard by a sentence, a skill by its name and description."""
    if proposal.type is ProposalType.SKILL:
        return f"Skill {PurePath(proposal.path).parent.name}: {proposal.text}"
    if proposal.type is not ProposalType.GUARD:
        return proposal.text
    try:
        parsed = parse_guard(proposal.text)
        return _sentence(parsed.action, parsed.watch, parsed.better, parsed.reason if with_reason else "")
    except UsageError:  # written by a version with another syntax
        return f"Guard {proposal.entry}"


def _sentence(action: Mode, watch: str, better: str, reason: str) -> str:
    instead = f"; `{better}` instead" if better else ""
    why = f" ({reason.rstrip('.')})" if reason else ""
    return f"{_VERBS.get(action, 'Warn before')} {describe_watch(watch)}{instead}{why}"
