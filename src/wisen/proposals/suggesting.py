"""What a Learner takes from agents: suggestions that wait for the user, and words for lessons that need some.

Nothing of it teaches, is applied or is told to another session before the user approves it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.errors import UsageError
from wisen.model.context import NOWHERE, Alias
from wisen.model.entry import LOGGABLE, Answer, EntryOrigin, EntryStatus, ProposalType
from wisen.model.entry_state import fold_proposal_states
from wisen.store.known_entries import entry_states, find_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.projects import Projects
    from wisen.model.entry import Occurrence, Proposal
    from wisen.model.entry_state import ProposalState
    from wisen.proposals.suggest import Suggested
    from wisen.store.home import Home

_NAME = re.compile(r"[^a-z0-9._-]+")
_KNOWN = ("claude-code", "codex", "openclaw", "gemini-cli", "opencode")


class UnwordedLesson(NamedTuple):
    """A lesson that needs words of its own before it can be a rule."""

    name: str
    text: str
    """The user's own words."""


class Suggestions:
    """What is taken from agents."""

    def __init__(self, home: Home, projects: Projects, rule_files: RuleFiles) -> None:
        self._home, self._projects, self._rule_files = home, projects, rule_files

    def suggest(self, text: str, place: Path, *, kind: str = "learning", agent: str = "", note: str = "") -> Proposal:
        """Keep an agent's words as a proposal that only the user can answer; the same again is the one that waits.

        Raises:
            UsageError: the kind is none that there is; the text is empty, too long, holds what may not be stored or was
                forgotten; the user rejected it; or too many suggestions wait.
        """
        from wisen.proposals.suggest import Suggested

        if kind not in LOGGABLE:
            raise UsageError(f"{kind!r} cannot be logged. It is one of {', '.join(LOGGABLE)}.")
        said, by = self._admitted(text), named(agent)
        why = f"The agent {by} suggested it. You did not say it, and nothing was measured."
        if note.strip():
            why += f"\nIts reason: “{self._admitted(note)}”"
        return self._suggested(Suggested(said, kind, by, self._projects.context_of(place) or NOWHERE, why))

    def unworded(self, context: str, *, local: bool = True) -> Iterator[UnwordedLesson]:
        """The lessons of a context that say little to somebody who was not there, and of which nothing was proposed."""
        from wisen.text.standing_alone import stands_alone

        ledger = self._home.ledger
        proposed = {each.entry for each in ledger.proposals.all()}
        for state in entry_states(ledger):
            open_ = (
                state.entry.origin is EntryOrigin.STATED and state.status is EntryStatus.PENDING and not state.is_over
            ) and (local or not state.is_private)
            if state.context == context and open_ and state.entry.id not in proposed and not stands_alone(state.text):
                yield UnwordedLesson(state.entry.name, state.text)

    def word(self, name: str, wording: str, *, agent: str, why: str = "", context: str | None = None) -> Proposal:
        """Keep an agent's wording of a lesson as a proposal, with the user's own words beside it.

        `context`: the project that the agent works in, where it may word nothing but what was said there.

        Raises:
            UsageError: there is no such lesson there, a proposal of it waits, or the wording may not be kept or does
                not say what the user said.
        """
        from wisen.proposals.suggest import Suggested
        from wisen.text.wording_check import mismatch

        home, by = self._home, named(agent)
        try:
            state = find_entry(entry_states(home.ledger), name)
        except UsageError:
            state = None
        if state is None or state.is_over or (context is not None and state.context != context):
            raise UsageError(f"No lesson of this project that waits for words is called {name[:40]!r}.")
        if any(each.is_waiting and each.proposal.entry == state.entry.id for each in self._all()):
            raise UsageError(f"A proposal of {state.entry.name} waits for the user already.")
        said = self._admitted(wording)
        if wrong := mismatch(state.text, said):
            raise UsageError(f"The wording does not say what the user said: {wrong}. Word it anew.")
        seen = home.ledger.occurrences.of(state.entry.id)
        source = f" ({seen[-1].at:%Y-%m-%d}, {seen[-1].agent} {seen[-1].session[:8]})" if seen else ""
        whose = "" if said == state.text else f"The words are those of {by}. "
        told = f"{why or f'{by} worded it as one rule.'} {whose}Yours were: “{state.text}”{source}"
        return self._suggested(Suggested(said, "", by, state.context, told, state.entry.id))

    def _suggested(self, said: Suggested) -> Proposal:
        from wisen.decisions.proposal_rows import is_only_recorded, suggested_entry
        from wisen.proposals.suggest import MOST, suggestion, waiting

        home, every = self._home, self._all()
        self._refuse_again(said)
        waits = waiting(every)
        from wisen.text.sameness import Lessons

        same = Lessons()
        for each in waits:
            if each.proposal.context == said.context and each.proposal.kind == said.kind:
                same.add(each.proposal.id, each.proposal.text)
        if (known := same.find(said.text)) is not None:
            return next(each.proposal for each in waits if each.proposal.id == known)
        if len(waits) >= MOST:
            raise UsageError(f"{len(waits)} suggestions wait for the user already. They answer them in: wisen review")
        draft = suggestion(said, home.row_factory)
        for where, path in self._projects.scope.sightings.take_new():
            home.ledger.contexts.add(where, Alias(context=where.key, machine=home.machine, path=path, since=draft.at))
        if said.kind:
            entry, seen = suggested_entry(draft, lambda *_: "", home.row_factory), tuple["Occurrence", ...]()
        else:
            entry = find_entry(entry_states(home.ledger), said.entry).entry
            seen = home.ledger.occurrences.of(entry.id)
        made = draft
        if not is_only_recorded(entry):
            target = self._rule_files.target_for(entry, seen, said.context, said.agent)
            made = structs.replace(draft, path=target.path, heading=target.heading)
        home.ledger.entries.record([made])
        return made

    def _all(self) -> tuple[ProposalState, ...]:
        return fold_proposal_states(self._home.ledger.proposals.all(), self._home.ledger.moves.all())

    def _refuse_again(self, said: Suggested) -> None:
        """What the user rejected, whoever proposed it, is not suggested in other words."""
        from wisen.text.sameness import Lessons

        refused = Lessons()
        for each in self._all():
            guard = each.proposal.type in (ProposalType.GUARD, ProposalType.FIX)
            if each.answer is Answer.REJECTED and not guard and each.proposal.context in ("", said.context):
                refused.add(each.proposal.id, each.proposal.text)
        if refused.find(said.text) is not None:
            raise UsageError("The user rejected that before. It is not asked again.")

    def _admitted(self, text: str) -> str:
        """An agent's words as they may be kept: one line, as it is seen, without what we said ourselves.

        Raises:
            UsageError: nothing is left of it, it is too long, or it may not be kept.
        """
        from wisen.proposals.suggest import LONGEST
        from wisen.safety import invisible_characters, sentinel
        from wisen.safety.withhold import rule_against

        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text holds what may not be stored ({rule}). Word it without that.")
        said = " ".join(invisible_characters.remove_invisible(sentinel.strip(text)).split())
        said = "".join(letter for letter in said if letter.isprintable())
        if not said or len(said) > LONGEST:
            what = f"The text has {len(said)} characters" if said else "There is nothing to keep"
            raise UsageError(f"{what}. Give words of your own, 1 to {LONGEST} characters.")
        if (rule := rule_against(said)) is not None or self._home.forgotten_filter.contains_forgotten(said):
            raise UsageError(f"The text holds what may not be stored ({rule or 'the user had it forgotten'}).")
        return said


def named(agent: str) -> str:
    """An agent by a name of ours where we know it; else as it names itself, in letters that can do no harm."""
    plain = _NAME.sub("-", agent.casefold())[:40].strip("-.")
    return next((known for known in _KNOWN if known.partition("-")[0] in plain), plain or "unknown")
