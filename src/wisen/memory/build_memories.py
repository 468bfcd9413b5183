"""Builds searchable memories from sessions, entries, daily notes and the notebooks of other agents.

Memories are grouped by origin and replaced together with it. Notebooks can be found by recall and never teach rules.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wisen.memory.day_lines import source_of
from wisen.memory.search_words import words_of
from wisen.model.context import NOWHERE
from wisen.model.entry import EntryOrigin, EntryStatus, EntryType
from wisen.model.event import Status as Worked
from wisen.model.failure import Ending
from wisen.model.history import UserAction
from wisen.model.memory import ENTRY_ORIGIN_PREFIX, Memory, MemoryKind
from wisen.safety import sentinel
from wisen.safety.fix_texts import describe_fix, quote_step
from wisen.safety.withhold import rule_against
from wisen.text import daily
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.external_memory import ExternalMemoryFile
    from wisen.model.failure import Goal
    from wisen.model.fix import Fix
    from wisen.model.history import History, Turn
    from wisen.model.memory import MemoryFields
    from wisen.model.summary import Summary, SummaryItem

    Gathered = dict[str, list[tuple[Memory, MemoryFields]]]

SESSIONS, NOTEBOOKS, DAYS = "session:", "notebook:", "day:"
"""Prefixes of origin names, besides those of entries."""
_NEIGHBOR_LENGTH = 700
"""How much of a turn is stored as the neighbor of the next."""
MIN_REPEATS = 2
"""In how many sessions a statement that is not in force must occur to be a memory besides its turn."""
MIN_STEPS, MAX_STEPS = 2, 8
"""How many steps make a workflow, and how many of them are shown."""
_MAX_LINE = 120
_MAX_PIECE = 1_200
"""How long a piece of a notebook may be."""
_OURS = lazy_regex(r"<!-- wisen:")
_HEADING = lazy_regex(r"#{1,6}\s+(.*?)\s*#*$")
_BULLET = lazy_regex(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")
_SEPARATOR = lazy_regex(r"^\s*(?:§|---+|\*\*\*+)\s*$")


def memories_of_session(history: History, goals: Iterable[Goal], summaries: Iterable[Summary] = ()) -> Gathered:
    """Build the memories of a session: the user's turns, its summaries, and the workflows that reached a goal."""
    turns = [turn for turn in history.turns if turn.action is UserAction.SAID and (turn.text or turn.whole)]
    texts = [turn.whole or turn.text or "" for turn in turns]
    origin = f"{SESSIONS}{history.session}"
    places = {turn.id: place for place, turn in enumerate(turns)}
    reached = [goal for goal in goals if goal.ending is Ending.CHECKED and goal.request in places]
    turn_memories = _with_words(
        Memory(
            id=f"turn:{history.agent}:{turn.id}",
            kind=MemoryKind.TURN,
            text=texts[place],
            origin=origin,
            context=turn.context or NOWHERE,
            agent=history.agent,
            session=history.native,
            turn=place + 1,
            at=turn.at,
            beside="\n".join(
                text[:_NEIGHBOR_LENGTH] for text in (*texts[max(0, place - 1) : place], *texts[place + 1 : place + 2])
            ),
            local=turn.local,
        )
        for place, turn in enumerate(turns)
    )
    workflows = [
        _workflow_memory(history, goal, turns[places[goal.request]], places[goal.request] + 1, steps)
        for goal in reached
        if len(steps := steps_of(history, goal)) >= MIN_STEPS
    ]
    local = {turn.context for turn in turns if turn.local}
    summary_memories = (
        _summary_memory(origin, each)._replace(local=each.context in local) for each in summaries if each.items
    )
    return {origin: turn_memories + workflows + _with_words(summary_memories)}


def _summary_memory(origin: str, summary: Summary) -> Memory:
    """Build a memory of a session summary as one text. It comes after the last turn."""
    parts = (("Done", summary.tasks), ("Learnt", summary.learnings), ("Open", summary.open))
    sentences = (
        f"{name}: {'; '.join(_format_item(item) for item in items).rstrip('.')}." for name, items in parts if items
    )
    return Memory(
        id=f"summary:{summary.key}:{summary.context}",
        kind=MemoryKind.SUMMARY,
        text=" ".join(sentences),
        origin=origin,
        context=summary.context or NOWHERE,
        agent=summary.agent,
        session=summary.session,
        turn=summary.turns,
        at=summary.last,
    )


def _format_item(item: SummaryItem) -> str:
    return f"{item.text} ({item.measured})" if item.measured else item.text


def memories_of_day(context: str, path: str, day: str, text: str) -> Gathered:
    """Build memories of the lines of a day that a person wrote; the others are about turns, which are memories."""
    origin = f"{DAYS}{context}:{path}"
    lines = [
        (line, at)
        for line in daily.read_day(text)
        if not source_of(line.text)
        and rule_against(line.text) is None
        and (at := _parse_time(day, line.time)) is not None
    ]
    return {
        origin: _with_words(
            Memory(
                id=f"{origin}:{place}",
                kind=MemoryKind.NOTE,
                text=line.text,
                origin=origin,
                context=context,
                turn=place + 1,
                at=at,
                place=f"{day} {line.time}",
            )
            for place, (line, at) in enumerate(lines)
        )
    }


def _parse_time(day: str, time: str) -> datetime | None:
    try:
        return datetime.fromisoformat(f"{day}T{time}").astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _workflow_memory(
    history: History, goal: Goal, request: Turn, turn: int, steps: Sequence[str]
) -> tuple[Memory, MemoryFields]:
    """Build a memory of a request with its steps. It is found by the request, and with less weight by its steps."""
    request_line, route = _first_line(request.text or ""), "; then ".join(steps)
    memory = Memory(
        id=f"workflow:{history.agent}:{goal.request}",
        kind=MemoryKind.WORKFLOW,
        text=f"{request_line}: {route}",
        origin=f"{SESSIONS}{history.session}",
        context=request.context or NOWHERE,
        agent=history.agent,
        session=history.native,
        turn=turn,
        at=goal.ended,
        local=request.local,
    )
    return memory, words_of(memory._replace(text=request.text or "", beside=route))


def steps_of(history: History, goal: Goal) -> list[str]:
    """Return the commands that succeeded on the way to a goal, in order, each once, without read-only ones."""
    calls = frozenset(goal.calls)
    steps: dict[str, None] = {}
    for step in history.steps:
        line = command_of(fields_of(step.arguments)) if step.call in calls and step.status is Worked.OK else None
        if line is not None and not parse_command(line).main_part.only_reads:
            steps.setdefault(f"`{_first_line(quote_step(line))}`")
    return list(steps)[:MAX_STEPS]


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE].rsplit(' ', 1)[0]} …"


def memories_of_entries(states: Iterable[EntryState], fixes: Iterable[Fix] = ()) -> Gathered:
    """Build memories of rules, known fixes and all other entries that were not given up.

    A statement made once, and only about the task at hand, is found as its turn. Measured entries are worded by wisen,
    as in `fixes`, until the user approves them.
    """
    return build_entry_memories(with_agent_texts([*states], fixes))


def with_agent_texts(states: Sequence[EntryState], fixes: Iterable[Fix]) -> list[tuple[EntryState, str]]:
    """Return entries with the texts in which agents are told of them."""
    from wisen.safety.entry_texts import agent_text

    named = {tag for state in states if state.entry.type is EntryType.ERROR for tag in state.entry.tags}
    known = {fix.id: describe_fix(fix) for fix in fixes if fix.id in named}
    return [(state, agent_text(state, known)) for state in states]


def build_entry_memories(texts: Iterable[tuple[EntryState, str]]) -> Gathered:
    """Build the memories of entries, each given with its text for agents."""
    return {
        f"{ENTRY_ORIGIN_PREFIX}{state.entry.id}": _with_words([_entry_memory(state, text)])
        for state, text in texts
        if text and _is_lasting(state)
    }


def _is_lasting(state: EntryState) -> bool:
    from wisen.text.entry_standing import is_lesson, is_standing

    if state.merged_into or state.status is EntryStatus.WONT_FIX:
        return False
    entry = state.entry
    stated = entry.origin is EntryOrigin.STATED and entry.type is EntryType.LEARNING
    if stated and state.status is EntryStatus.RESOLVED and not state.confirmed and not is_lesson(state):
        return False  # a remark
    said_once = entry.origin is EntryOrigin.STATED and state.sessions < MIN_REPEATS and not is_standing(state)
    return not said_once or state.status is not EntryStatus.PENDING


def _entry_memory(state: EntryState, text: str) -> Memory:
    entry = state.entry
    neighbors = (
        entry.details,
        entry.error,
        entry.action,
        entry.setting,
        entry.key,
        " ".join((*entry.tags, *entry.files)),
    )
    if entry.type is EntryType.ERROR:
        kind = MemoryKind.FIX
    else:
        approved = state.confirmed or state.status is EntryStatus.PROMOTED
        kind = MemoryKind.RULE if approved and not state.superseded_by else MemoryKind.ENTRY
    return Memory(
        id=f"{ENTRY_ORIGIN_PREFIX}{entry.id}",
        kind=kind,
        text=text,
        origin=f"{ENTRY_ORIGIN_PREFIX}{entry.id}",
        context=state.context,
        at=state.last,
        beside="\n".join(each for each in neighbors if each and each != text),
        uses=state.sessions,
        place=entry.name,
        local=state.is_private,
    )


def memories_of_notebooks(notebooks: Iterable[ExternalMemoryFile]) -> Gathered:
    """Build memories of other agents' notes, one per passage, and of skills, one each.

    What may not be stored, or wisen wrote into notes, is left out.
    """
    gathered: Gathered = {}
    for notebook in notebooks:
        origin = f"{NOTEBOOKS}{notebook.path}"
        gathered[origin] = _with_words(
            Memory(
                id=f"{origin}:{line}",
                kind=MemoryKind.SKILL if notebook.is_skill else MemoryKind.IMPORTED,
                text=text,
                origin=origin,
                context=notebook.context,
                agent=notebook.agent,
                turn=place + 1,
                at=notebook.modified,
                beside=heading,
                place=f"{notebook.path}:{line}",
            )
            for place, (line, heading, text) in enumerate(split_markdown(notebook.text))
        )
    return gathered


def split_markdown(text: str) -> Iterator[tuple[int, str, str]]:
    """Split Markdown into paragraphs and bullets: yield the first line number, the heading and the text of each."""
    heading, start, lines = "", 0, list[str]()
    for number, line in enumerate([*sentinel.strip(text).splitlines(), ""], start=1):
        heading_match, bullet, separator = _HEADING.match(line), _BULLET.match(line), _SEPARATOR.match(line)
        if lines and (not line.strip() or heading_match or bullet or separator):
            piece = "\n".join(lines).strip()[:_MAX_PIECE]
            if piece and not _OURS.search(piece) and rule_against(piece) is None:
                yield start, heading, piece
            lines = []
        if heading_match:
            heading = heading_match[1]
        elif line.strip() and not separator:
            if not any(map(str.strip, lines)):
                start, lines = number, []
            lines.append(line[bullet.end() :] if bullet else line)


def _with_words(memories: Iterable[Memory]) -> list[tuple[Memory, MemoryFields]]:
    return [(memory, words_of(memory)) for memory in memories]
