"""What a Learner takes from agents: suggestions that wait for the user, and readings of what is in doubt.

Nothing of it teaches, is applied or is told to another session before the user approves it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from wisen.errors import UsageError
from wisen.model.context import NOWHERE, Alias
from wisen.model.entry import LOGGABLE, Answer, EntryOrigin, EntryStatus, ProposalType
from wisen.model.entry_state import asked
from wisen.model.suggestion import Doubt, DoubtKind, TakenReading
from wisen.store.known_entries import entry_states, find_entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.projects import Projects
    from wisen.model.entry import Occurrence, Proposal
    from wisen.model.entry_state import Asked
    from wisen.model.history import History, Turn
    from wisen.model.signal import Heard
    from wisen.model.suggestion import Reading
    from wisen.proposals.suggest import Suggested
    from wisen.store.home import Home

_PURPOSE = "review"
_NAME = re.compile(r"[^a-z0-9._-]+")
_KNOWN = ("claude-code", "codex", "openclaw", "gemini-cli", "opencode")


class DoubtfulTurns(Protocol):
    """Finds the turns of which it is in doubt what the user said."""

    def __call__(self, context: str) -> Iterator[tuple[History, Turn, Heard]]:
        """The newest ones in a context."""
        ...


class Suggestions:
    """What is taken from agents."""

    def __init__(self, home: Home, projects: Projects, rule_files: RuleFiles, doubtful_turns: DoubtfulTurns) -> None:
        self._home, self._projects = home, projects
        self._rule_files, self._doubtful_turns = rule_files, doubtful_turns

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

    def doubts(self, place: Path, *, limit: int = 10) -> tuple[Doubt, ...]:
        """What is in doubt in the project of a directory and no agent was asked about, the newest first.

        Raises:
            UsageError: the limit shows nothing.
        """
        if limit < 1:
            raise UsageError(f"limit {limit} shows nothing. Give 1 or more.")
        found = sorted(self._doubts(place), key=lambda each: (each.at, each.id), reverse=True)
        return tuple(found[:limit])

    def take_readings(self, readings: Sequence[Reading], place: Path, *, agent: str = "") -> tuple[TakenReading, ...]:
        """Take what an agent says of doubts: each becomes a suggestion, or nothing. None of it is applied."""
        open_, here = {each.id: each for each in self._doubts(place)}, self._projects.context_of(place)
        done = []
        for reading in readings:
            doubt = open_.pop(reading.id, None)
            if doubt is None:
                why = "It is not in doubt here, or was answered before."
                done.append(TakenReading(id=reading.id, became="refused", why=why))
                continue
            try:
                done.append(self._read(doubt, reading, named(agent), here))
            except UsageError as error:
                done.append(TakenReading(id=reading.id, became="refused", why=str(error)))
        return tuple(done)

    def _read(self, doubt: Doubt, reading: Reading, agent: str, context: str) -> TakenReading:
        from wisen.proposals.suggest import Suggested

        index = self._home.index
        if not (reading.correction or reading.preference):
            if doubt.kind is DoubtKind.WORDING and reading.lesson.strip():
                raise UsageError("Say whether it is a correction or a preference, or leave the lesson empty.")
            index.model_answers.keep(_digest(doubt), _PURPOSE, "none")
            return TakenReading(id=doubt.id, became="none", why="What wisen's own detector heard stands.")
        said = self._admitted(reading.lesson)
        quote = doubt.quote or doubt.text
        why = (
            f"The agent {agent} read it so; it is for you to say whether that is what you meant.\n"
            f"“{quote}” ({doubt.at:%Y-%m-%d}, {doubt.agent} {doubt.session[:8]})"
        )
        turn = doubt.kind is DoubtKind.TURN
        kind = ("correction" if reading.correction else "learning") if turn else ""
        made = self._suggested(Suggested(said, kind, agent, context, why, doubt.entry))
        index.model_answers.keep(_digest(doubt), _PURPOSE, made.id)
        return TakenReading(id=doubt.id, became="waits", proposal=made.id)

    def _doubts(self, place: Path) -> Iterator[Doubt]:
        """Everything that is open in the project of a directory."""
        home, here = self._home, self._projects.context_of(place)
        if not here or self._projects.scope.is_off(str(place)):
            return
        asked = {each.entry for each in home.ledger.proposals.all()}
        for each in (*self._unclear(here), *self._undecided(here)):
            if each.entry not in asked and home.index.model_answers.of(_digest(each)) is None:
                yield each

    def _unclear(self, context: str) -> Iterator[Doubt]:
        from wisen.text.standing_alone import stands_alone

        for state in entry_states(self._home.ledger):
            stated = (
                state.entry.origin is EntryOrigin.STATED and state.status is EntryStatus.PENDING and not state.is_over
            )
            if state.context != context or not stated or stands_alone(state.text):
                continue
            seen = self._home.ledger.occurrences.of(state.entry.id)
            if seen:
                last = seen[-1]
                yield Doubt(
                    id=state.entry.name,
                    kind=DoubtKind.WORDING,
                    text=state.text,
                    quote=last.quote,
                    at=last.at,
                    agent=last.agent,
                    session=last.session,
                    entry=state.entry.id,
                )

    def _undecided(self, context: str) -> Iterator[Doubt]:
        from wisen.proposals.suggest import turn_id

        for history, turn, heard in self._doubtful_turns(context):
            id_ = turn_id(history.agent, history.native, turn.id)
            yield Doubt(
                id=id_,
                kind=DoubtKind.TURN,
                text=heard.text,
                before=heard.before.value,
                at=turn.at,
                agent=history.agent,
                session=history.native,
                entry=id_,
            )

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
        draft = suggestion(said, home.scribe)
        for where, path in self._projects.scope.sightings.take_new():
            home.ledger.contexts.add(where, Alias(context=where.key, machine=home.machine, path=path, since=draft.at))
        if said.kind:
            entry, seen = suggested_entry(draft, lambda *_: "", home.scribe), tuple["Occurrence", ...]()
        else:
            entry = find_entry(entry_states(home.ledger), said.entry).entry
            seen = home.ledger.occurrences.of(entry.id)
        made = draft
        if not is_only_recorded(entry):
            target = self._rule_files.target(entry, seen, said.context, said.agent)
            made = structs.replace(draft, path=target.path, heading=target.heading)
        home.ledger.entries.enter([made])
        return made

    def _all(self) -> tuple[Asked, ...]:
        return asked(self._home.ledger.proposals.all(), self._home.ledger.moves.all())

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
        from wisen.safety import hidden, sentinel
        from wisen.safety.withhold import rule_against

        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text holds what may not be stored ({rule}). Word it without that.")
        said = " ".join(hidden.without(sentinel.strip(text)).split())
        said = "".join(letter for letter in said if letter.isprintable())
        if not said or len(said) > LONGEST:
            what = f"The text has {len(said)} characters" if said else "There is nothing to keep"
            raise UsageError(f"{what}. Give words of your own, 1 to {LONGEST} characters.")
        if (rule := rule_against(said)) is not None or self._home.ward.holds(said):
            raise UsageError(f"The text holds what may not be stored ({rule or 'the user had it forgotten'}).")
        return said


def named(agent: str) -> str:
    """An agent by a name of ours where we know it; else as it names itself, in letters that can do no harm."""
    plain = _NAME.sub("-", agent.casefold())[:40].strip("-.")
    return next((known for known in _KNOWN if known.partition("-")[0] in plain), plain or "unknown")


def _digest(doubt: Doubt) -> str:
    return f"{_PURPOSE}:{doubt.entry}"
