"""OpenHands: reads its conversations, which are folders with one JSON file per event and a state file."""

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
_EVENTS_TRIED = 5


class OpenHands:
    """The conversations of OpenHands on this machine. They do not record whether a program wrote a prompt."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        data_directory = Path(environment.get("OPENHANDS_PERSISTENCE_DIR") or home / ".openhands").expanduser()
        self._root = Path(
            environment.get("OPENHANDS_CONVERSATIONS_DIR") or data_directory / "conversations"
        ).expanduser()

    def roots(self) -> tuple[Path, ...]:
        """Return where the CLI stores its conversations; programs that use the SDK may store them anywhere."""
        return (self._root,)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every conversation below the root or below `under`, including sub-agents, in a stable order."""
        for path, folders, _ in folders_below(self._root if under is None else under):
            if path.name != _EVENTS:
                continue
            folders.clear()
            files = event_files(path)
            if files and (under is None or _is_conversation(path.parent, files)):
                yield Source(
                    agent=AGENT,
                    file=str(path),
                    size=sum(each.size for each in files),
                    modified_ns=max(each.modified_ns for each in files),
                )

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events of the files after the mark."""
        folder = source.path.absolute().parent
        is_sub_agent = folder.parent.name == _SUB_AGENTS
        native = f"{folder.parent.parent.name}/{folder.name}" if is_sub_agent else folder.name

        def conversation_of(cursor: EventCursor) -> OpenhandsConversation:
            place = cursor.place or working_directory(folder / _STATE)
            return OpenhandsConversation(cursor.segments, native=native, place=place, sub_agent=is_sub_agent)

        return read_events(source.path, mark, conversation_of)


def _is_conversation(folder: Path, files: Sequence[EventFile]) -> bool:
    """Whether a folder found anywhere is a conversation; several events are tried, as some may be too long."""
    return (folder / _STATE).is_file() or any(detect_agent(each.path) == AGENT for each in files[:_EVENTS_TRIED])
