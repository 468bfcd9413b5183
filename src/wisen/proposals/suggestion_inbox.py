"""Accepts suggestions and wordings from agents, and keeps them as proposals for the user.

Nothing of it teaches, is applied or is delivered to another session before the user approves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.errors import UsageError
from wisen.model.context import NOWHERE, Alias
from wisen.model.entry import LOGGABLE, Answer, EntryOrigin, EntryStatus, ProposalType
from wisen.model.entry_state import fold_proposal_states
from wisen.store.known_entries import entry_states, find_entry
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.projects import Projects
    from wisen.model.entry import Occurrence, Proposal
    from wisen.model.entry_state import ProposalState
    from wisen.proposals.suggestion_rows import SuggestionDraft
    from wisen.store.home import Home

_NAME = lazy_regex(r"[^a-z0-9._-]+")
_KNOWN = ("claude-code", "codex", "openclaw", "gemini-cli", "opencode")


class UnwordedLesson(NamedTuple):
    """A lesson that needs a wording of its own before it can become a rule."""

    name: str
    text: str
    """The user's own words."""


class SuggestionInbox:
    """Accepts agents' suggestions."""

    def __init__(self, home: Home, projects: Projects, rule_files: RuleFiles) -> None:
        self._home, self._projects, self._rule_files = home, projects, rule_files

    def suggest(self, text: str, place: Path, *, kind: str = "learning", agent: str = "", note: str = "") -> Proposal:
        """Keep an agent's text as a proposal that only the user can answer; a repeated one returns the waiting one.

        Raises:
            UsageError: the kind is unknown; the text is empty, too long, may not be stored or was forgotten; the user
                rejected it; or too many suggestions wait.
        """
        from wisen.proposals.suggestion_rows import SuggestionDraft

        if kind not in LOGGABLE:
            raise UsageError(f"{kind!r} cannot be logged. Allowed: {', '.join(LOGGABLE)}.")
        cleaned, by = self._clean_text(text), agent_name(agent)
        why = f"The agent {by} suggested it. You did not say it, and nothing was measured."
        if note.strip():
            why += f"\nIts reason: “{self._clean_text(note)}”"
        return self._record_suggestion(
            SuggestionDraft(cleaned, kind, by, self._projects.context_of(place) or NOWHERE, why)
        )

    def unworded_lessons(self, context: str, *, local: bool = True) -> Iterator[UnwordedLesson]:
        """Yield the lessons of a context that are not understandable on their own, and that were never proposed."""
        from wisen.text.standing_alone import stands_alone

        ledger = self._home.ledger
        proposed = {each.entry for each in ledger.proposals.all()}
        for state in entry_states(ledger):
            open_ = (
                state.entry.origin is EntryOrigin.STATED and state.status is EntryStatus.PENDING and not state.is_over
            ) and (local or not state.is_private)
            if state.context == context and open_ and state.entry.id not in proposed and not stands_alone(state.text):
                yield UnwordedLesson(state.entry.name, state.text)

    def suggest_wording(
        self, name: str, wording: str, *, agent: str, why: str = "", context: str | None = None
    ) -> Proposal:
        """Keep an agent's wording of a lesson as a proposal, next to the user's own words.

        `context`: the project that the agent works in; it may only word what was said there.

        Raises:
            UsageError: there is no such lesson there, a proposal of it waits, or the wording may not be kept or does
                not match what the user said.
        """
        from wisen.proposals.suggestion_rows import SuggestionDraft
        from wisen.text.wording_check import find_mismatch

        home, by = self._home, agent_name(agent)
        try:
            state = find_entry(entry_states(home.ledger), name)
        except UsageError:
            state = None
        if state is None or state.is_over or (context is not None and state.context != context):
            raise UsageError(f"No lesson of this project that waits for words is called {name[:40]!r}.")
        if any(each.is_waiting and each.proposal.entry == state.entry.id for each in self._all()):
            raise UsageError(f"A proposal of {state.entry.name} waits for the user already.")
        text = self._clean_text(wording)
        if wrong := find_mismatch(state.text, text):
            raise UsageError(f"The wording does not say what the user said: {wrong}. Word it again.")
        seen = home.ledger.occurrences.of(state.entry.id)
        source = f" ({seen[-1].at:%Y-%m-%d}, {seen[-1].agent} {seen[-1].session[:8]})" if seen else ""
        credit = "" if text == state.text else f"The words are those of {by}. "
        reason = f"{why or f'{by} worded it as one rule.'} {credit}Yours were: “{state.text}”{source}"
        return self._record_suggestion(SuggestionDraft(text, "", by, state.context, reason, state.entry.id))

    def _record_suggestion(self, draft: SuggestionDraft) -> Proposal:
        from wisen.decisions.proposal_rows import is_only_recorded, suggested_entry
        from wisen.proposals.suggestion_rows import MAX_WAITING, build_suggestion, waiting_suggestions

        home, every = self._home, self._all()
        self._reject_repeated(draft)
        waiting = waiting_suggestions(every)
        from wisen.text.sameness import LessonIndex

        same = LessonIndex()
        for each in waiting:
            if each.proposal.context == draft.context and each.proposal.kind == draft.kind:
                same.add(each.proposal.id, each.proposal.text)
        if (known := same.find(draft.text)) is not None:
            return next(each.proposal for each in waiting if each.proposal.id == known)
        if len(waiting) >= MAX_WAITING:
            raise UsageError(f"{len(waiting)} suggestions wait for the user already. They answer them in: wisen review")
        proposal_draft = build_suggestion(draft, home.row_factory)
        for where, path in self._projects.resolver.locations.take_new():
            home.ledger.contexts.add(
                where, Alias(context=where.key, machine=home.machine, path=path, since=proposal_draft.at)
            )
        if draft.kind:
            entry, seen = suggested_entry(proposal_draft, lambda *_: "", home.row_factory), tuple["Occurrence", ...]()
        else:
            entry = find_entry(entry_states(home.ledger), draft.entry).entry
            seen = home.ledger.occurrences.of(entry.id)
        proposal = proposal_draft
        if not is_only_recorded(entry):
            target = self._rule_files.target_for(entry, seen, draft.context, draft.agent)
            proposal = structs.replace(proposal_draft, path=target.path, heading=target.heading)
        home.ledger.entries.record([proposal])
        return proposal

    def _all(self) -> tuple[ProposalState, ...]:
        return fold_proposal_states(self._home.ledger.proposals.all(), self._home.ledger.moves.all())

    def _reject_repeated(self, draft: SuggestionDraft) -> None:
        """Reject a suggestion that says in other words what the user rejected, whoever proposed it."""
        from wisen.text.sameness import LessonIndex

        rejected = LessonIndex()
        for each in self._all():
            is_no_rule = each.proposal.type in (ProposalType.GUARD, ProposalType.FIX, ProposalType.SKILL)
            if each.answer is Answer.REJECTED and not is_no_rule and each.proposal.context in ("", draft.context):
                rejected.add(each.proposal.id, each.proposal.text)
        if rejected.find(draft.text) is not None:
            raise UsageError("The user rejected that before. It is not asked again.")

    def _clean_text(self, text: str) -> str:
        """Clean an agent's text for storage: one line of visible characters, without our own marks.

        Raises:
            UsageError: nothing is left of it, it is too long, or it may not be kept.
        """
        from wisen.proposals.suggestion_rows import MAX_LENGTH
        from wisen.safety import invisible_characters, sentinel
        from wisen.safety.withhold import rule_against

        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text contains something that may not be stored ({rule}). Rephrase it without that.")
        line = " ".join(invisible_characters.remove_invisible(sentinel.strip(text)).split())
        line = "".join(letter for letter in line if letter.isprintable())
        if not line or len(line) > MAX_LENGTH:
            what = f"The text has {len(line)} characters" if line else "There is nothing to keep"
            raise UsageError(f"{what}. Give words of your own, 1 to {MAX_LENGTH} characters.")
        if (rule := rule_against(line)) is not None or self._home.forgotten_filter.contains_forgotten(line):
            reason = rule or "the user had it forgotten"
            raise UsageError(
                f"The text contains something that may not be stored ({reason}). Rephrase it without that."
            )
        return line


def agent_name(agent: str) -> str:
    """Return our name for an agent if we know it; else the name it gives itself, reduced to safe characters."""
    plain = _NAME.sub("-", agent.casefold())[:40].strip("-.")
    return next((known for known in _KNOWN if known.partition("-")[0] in plain), plain or "unknown")
