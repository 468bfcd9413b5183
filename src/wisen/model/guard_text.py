"""Guards in plain words, for agents and people: the form they are written in is for who writes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import ProposalType
from wisen.model.guard import ACTIONS, Mode, parse_guard

if TYPE_CHECKING:
    from wisen.model.entry import Proposal
    from wisen.model.guard import Guard

_VERBS = {Mode.DENY: "Stop", Mode.ASK: "Ask before"}


def describe_watch(watch: str) -> str:
    """What is watched for: a command, a change of files, or a call of another tool."""
    on, _, what = watch.partition(": ")
    if on == "shell":
        return f"`{what}`"
    if on in ("edit", "read"):
        return f"{'changes of' if on == 'edit' else 'reading'} `{what}`"
    return f"{on} with `{what}`"


def describe_guard(guard: Guard, mode: Mode | None = None, *, with_reason: bool = True) -> str:
    """A guard in one sentence: what it does, before what, what is better, and why.

    In a `mode` in which it does nothing, what it was made to do is said. The reason of one that was made of a fix can
    hold what a tool said, which agents are not told.
    """
    action = mode if mode in ACTIONS else guard.action
    return _sentence(action, guard.watch, guard.better, guard.reason if with_reason else "")


def describe_proposal(proposal: Proposal, *, with_reason: bool = True) -> str:
    """What is proposed, in words: a rule in its own, a guard in ours."""
    if proposal.type is not ProposalType.GUARD:
        return proposal.text
    try:
        form = parse_guard(proposal.text)
        return _sentence(form.action, form.watch, form.better, form.reason if with_reason else "")
    except UsageError:  # written by a version that had other forms
        return f"Guard {proposal.entry}"


def _sentence(action: Mode, watch: str, better: str, reason: str) -> str:
    instead = f"; `{better}` instead" if better else ""
    why = f" ({reason.rstrip('.')})" if reason else ""
    return f"{_VERBS.get(action, 'Warn before')} {describe_watch(watch)}{instead}{why}"
