"""Builds proposal rows: questions that a command answers, rules for a file, and replacements of outdated lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from wisen.model.change import estimate_tokens
from wisen.model.context import NOWHERE
from wisen.model.entry import LOGGABLE, Entry, EntryOrigin, EntrySource, EntryType, Proposal, ProposalType, request_id

if TYPE_CHECKING:
    from collections.abc import Callable

from wisen.model.entry import Priority

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.edits.targets import Target
    from wisen.model.entry import Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory


def command_proposal(words: tuple[str, ...], text: str, why: str, factory: RowFactory, *, risk: str) -> Proposal:
    """Build a question that a command answers: `words` are run once the user says yes."""
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.SUGGESTION,
        entry=request_id(words),
        context=NOWHERE,
        text=text,
        path="",
        heading="",
        why=why,
        hypothesis="Nothing is done before you say so.",
        risk=risk,
        effort="low",
        impact="low",
        tokens=0,
        sessions=0,
        words=words,
    )


def suggested_entry(proposal: Proposal, named: Callable[[EntryType, str], str], factory: RowFactory) -> Entry:
    """Build the entry that a suggestion becomes when the user approves it; it says whose words they were."""
    type_, category = LOGGABLE[proposal.kind]
    return Entry(
        id=proposal.entry,
        name=named(type_, proposal.entry),
        machine=factory.machine,
        context=proposal.context,
        at=factory.clock.now(),
        type=type_,
        category=category,
        summary=proposal.text,
        source=EntrySource.SELF_DISCOVERY,
        origin=EntryOrigin.LOGGED,
        setting=f"suggested by {proposal.agent}",
    )


def is_only_recorded(entry: Entry) -> bool:
    """Whether an approved suggestion is no rule: a failure or feature request is kept as an entry."""
    return entry.type is not EntryType.LEARNING


_QUOTES = 3


_HYPOTHESIS = "Once agents are given this, you will not have to say it again."


def trial_proposal(state: EntryState, finding: str, target: Target, factory: RowFactory) -> Proposal:
    """Propose what a trial confirmed: it proved itself as a hint, and may become a rule."""
    made = rule_proposal(state, f"A trial showed that it helps: {finding}.", state.context, target, factory)
    return structs.replace(made, type=ProposalType.VERIFICATION, hypothesis="It keeps helping once it is in a file.")


class OldLine(Protocol):
    """A line in a file that no longer matches its rule."""

    @property
    def of(self) -> EntryState:
        """The entry it was written for."""
        ...

    @property
    def line(self) -> str:
        """Its id."""
        ...

    @property
    def text(self) -> str:
        """What it says."""
        ...

    @property
    def target(self) -> Target:
        """Where it is."""
        ...


def replacement_proposal(
    state: EntryState, evidence: Sequence[Occurrence], old: OldLine, follows: str, factory: RowFactory
) -> Proposal:
    """Propose to replace an outdated line with what is in force now."""
    name = Path(old.target.path).name
    if old.of.entry.id == state.entry.id:
        why = f"You worded it otherwise; {name} still says “{old.text}”."
    else:
        why = f"You said it later than “{old.text}” ({old.of.entry.name}), which {name} still says."
    made = rule_proposal(
        state, "\n".join((why, describe_evidence(state, evidence, 0))), state.context, old.target, factory
    )
    return structs.replace(made, replaces=old.line, follows=follows)


def rule_proposal(state: EntryState, why: str, scope: str, target: Target, factory: RowFactory) -> Proposal:
    from wisen.text.rule_wording import rule_line

    critical, text = state.priority is Priority.CRITICAL, rule_line(state.text)
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.CRITICAL_FIX if critical else ProposalType.PROMOTION,
        entry=state.entry.id,
        context=scope,
        text=text,
        path=target.path,
        heading=target.heading,
        why=why,
        hypothesis=_HYPOTHESIS,
        risk="medium" if target.path.endswith(("SOUL.md", "AGENTS.md", "CLAUDE.md")) else "low",
        effort="low",
        impact="high" if critical or state.sessions >= 3 else "medium" if state.sessions == 2 else "low",
        tokens=estimate_tokens(f"- {text} <!-- wisen:R-00000000 -->\n".encode()),
        sessions=state.sessions,
    )


def describe_evidence(state: EntryState, evidence: Sequence[Occurrence], projects: int) -> str:
    """In how many sessions, and in which words; and why it may hold everywhere, where it is proposed so."""
    many = (
        "once" if state.times == 1 else f"{state.times} times in {state.sessions} session{'s' * (state.sessions != 1)}"
    )
    lines = [f"You said it {many}."]
    if state.everywhere:
        lines.append("You said that it holds in all your projects.")
    elif projects:
        lines.append(f"You made it a rule in {projects} projects.")
    for each in [*reversed(evidence)][:_QUOTES]:
        lines.append(f"“{each.quote}” ({each.at:%Y-%m-%d}, {each.agent} {each.session[:8]})")
    return "\n".join(lines)
