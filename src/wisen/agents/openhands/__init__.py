"""OpenHands: conversations as folders, with one JSON file an event and one of what holds throughout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import folders_below
from wisen.agents.openhands.event_files import event_files, read_events
from wisen.agents.openhands.read import AGENT, OpenhandsConversation
from wisen.agents.openhands.records import working_directory
from wisen.model.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.agents.openhands.event_files import EventCursor, EventFile
    from wisen.model.source import Batch, SourceMark

__all__ = ["OpenHands"]

_EVENTS, _STATE, _SUB_AGENTS = "events", "base_state.json", "subagents"
_ENOUGH = 5


class OpenHands:
    """The conversations of OpenHands on this machine. They do not tell whether a person or a program gave a prompt."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        kept = Path(environment.get("OPENHANDS_PERSISTENCE_DIR") or home / ".openhands").expanduser()
        self._root = Path(environment.get("OPENHANDS_CONVERSATIONS_DIR") or kept / "conversations").expanduser()

    def roots(self) -> tuple[Path, ...]:
        """Where the command line keeps its conversations; a program that uses the SDK keeps them where it likes."""
        return (self._root,)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Every conversation below the root or below `under`, those of sub-agents too, in a stable order."""
        for path, folders, _ in folders_below(self._root if under is None else under):
            if path.name != _EVENTS:
                continue
            folders.clear()
            found = event_files(path)
            if found and (under is None or _is_conversation(path.parent, found)):
                yield Source(
                    agent=AGENT,
                    path=path,
                    size=sum(each.size for each in found),
                    modified_ns=max(each.modified_ns for each in found),
                )

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """The events of the files behind the mark."""
        folder = source.path.absolute().parent
        within = folder.parent.name == _SUB_AGENTS
        native = f"{folder.parent.parent.name}/{folder.name}" if within else folder.name

        def conversation_of(cursor: EventCursor) -> OpenhandsConversation:
            place = cursor.place or working_directory(folder / _STATE)
            return OpenhandsConversation(cursor.segments, native=native, place=place, sub_agent=within)

        return read_events(source.path, mark, conversation_of)


def _is_conversation(folder: Path, found: Sequence[EventFile]) -> bool:
    """Whether a folder that was found somewhere is one; the first events may be too long to tell."""
    return (folder / _STATE).is_file() or any(detect_agent(each.path) == AGENT for each in found[:_ENOUGH])
