"""Loads labelled turns for training and testing the detector: real ones from the data, and written ones."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as with_fields

import wisen
from benchmarks.data import MissingDataError, json_lines, transcripts
from benchmarks.written_messages import lessons, messages, messages_of_languages
from wisen.feedback.turns import turns_of
from wisen.model.signal import PrecedingEvent, TypedTurn
from wisen.safety.passages import own_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.model.history import History, Turn

WRITTEN = "written"
"""Project name of written messages."""
_OWN_LABELS = Path(__file__).parent / "labels/turns.jsonl"
_HEAD = 200_000
_HOME_FOLDER = re.compile(r'"cwd":\s*"/(?:Users|home)/([^/"]+)')
_CALLS = (
    (),
    ("Edit src/app/main.py", "Read src/app/main.py", "pytest -q"),
    ("ls", "Read README", "git status"),
    ("git commit -m done", "Edit a.py", "Edit b.py", "make test"),
)
"""Calls before written messages, in turn, so that the calls carry no information there."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A labelled turn."""

    id: str
    group: str
    """Items of one group are never split between folds."""
    typed_turn: TypedTurn
    kinds: frozenset[str]
    lang: str = "en"
    weight: float = 1.0
    borderline: bool = False
    written: bool = False
    ours: bool = False
    """Whether the label is one of labels/turns.jsonl: trained on, never counted in figures of the data's own labels."""
    rule: str = ""
    """What should be learned from it, in the labeller's words."""
    lasts: bool | None = None
    """Whether that is meant beyond the current task; None if not labelled."""
    project: str = ""
    """The repository it was typed in; empty if unknown, and for written ones."""
    person: str = ""
    """Who typed it, as far as the session folder shows."""
    began: str = ""
    """When its session began."""


def without_later_events(item: Item) -> Item:
    """Return the same turn without anything that came after it."""
    return replace(
        item, id=f"{item.id} live", typed_turn=with_fields(item.typed_turn, later=None, undone=None, conceded=None)
    )


def real_items(data: Path | None) -> list[Item]:
    """Return the labelled real turns with their context. Raises: MissingDataError."""
    rows = read_rows(data, "user_turns")
    if not rows:
        raise MissingDataError(f"no user_turns.jsonl in {data or 'no folder'}; give the unpacked folder as --data DIR")
    around = _TurnFinder(sessions_of(data))
    return [
        Item(
            id=row["id"],
            group=row["session"],
            typed_turn=around.typed_turn(row),
            kinds=frozenset(row["labels"]) - {"none"},
            weight=row["weight"],
            borderline=row["borderline"],
            rule=row["rule"] or "",
            lasts=_is_lasting(row),
            **_session_fields(data, row),  # type: ignore[arg-type]  # the names of three fields
        )
        for row in rows
    ]


def own_label_items(data: Path | None) -> list[Item]:
    """Return other typed turns of the sessions with the labels of labels/turns.jsonl; empty without sessions."""
    folders = [data / "codex"] if data else []
    histories = [*sessions_of(data), *(each for folder in folders if folder.is_dir() for each in read_sessions(folder))]
    typed_turns = {turn.id: typed_turn for history in histories for turn, typed_turn in turns_of(history)}
    rows = [json.loads(line) for line in _OWN_LABELS.read_text(encoding="utf-8").splitlines()]
    return [
        Item(
            id=row["turn"],
            group=row["session"],
            typed_turn=typed_turns[row["turn"]],
            kinds=frozenset(row["labels"]) - {"none"},
            borderline=row["borderline"],
            ours=True,
            lasts=_is_lasting(row),
            **_session_fields(data, row),  # type: ignore[arg-type]  # the names of three fields
        )
        for row in rows
        if row["turn"] in typed_turns
    ]


def written_items() -> list[Item]:
    """Return the messages written for training, the English ones first."""
    written = [*((text, "en", kinds) for text, kinds in messages()), *messages_of_languages()]
    return [
        Item(
            id=f"written-{number}",
            group=f"written-{number}",
            typed_turn=TypedTurn(
                text=text,
                calls=_CALLS[number % len(_CALLS)],
                earlier=("let us look at the second part of the work",) if number % 3 else (),
            ),
            kinds=kinds,
            lang=lang,
            written=True,
            project=WRITTEN,
        )
        for number, (text, lang, kinds) in enumerate(written)
    ]


def lessons_of(items: Sequence[Item]) -> list[Item]:
    """Return the corrections and preferences that are labelled as lasting or not."""
    return [item for item in items if item.lasts is not None and item.kinds & {"correction", "preference"}]


def read_rows(data: Path | None, stem: str) -> list[dict[str, Any]]:
    """Read the rows of a data file; empty if it does not exist."""
    path = data / f"{stem}.jsonl" if data else None
    if path is None or not path.is_file():
        return []
    return json_lines(path)


def written_lessons() -> list[Item]:
    """Return the corrections and preferences written to distinguish lasting from temporary ones."""
    return [
        Item(
            id=f"lesson-{number}",
            group=f"lesson-{number}",
            typed_turn=TypedTurn(text=text, calls=_CALLS[number % len(_CALLS)]),
            kinds=frozenset({"correction"}),
            written=True,
            lasts=lasts,
        )
        for number, (text, lasts) in enumerate(lessons())
    ]


def directive_items(data: Path | None) -> list[Item]:
    """Return the written directives and other sentences; empty if they are not available."""
    return [
        Item(
            id=row["id"],
            group=row["id"],
            typed_turn=TypedTurn(
                text=own_words(row["user"]), before=PrecedingEvent(row.get("preceding_event") or PrecedingEvent.OK)
            ),
            kinds=frozenset(row["labels"]) - {"none"},
            lang=row["lang"],
            lasts=_is_lasting(row),
        )
        for row in read_rows(data, "directives")
    ]


def _is_lasting(row: dict[str, Any]) -> bool | None:
    return None if row["durable"] is None else row["durable"] in ("yes", True)


def _session_fields(data: Path | None, row: dict[str, Any]) -> dict[str, str]:
    """Return the project, person and session start of a labelled turn, as far as known."""
    known = _sessions(data).get(row["session"], {})
    project = row.get("repo") or known.get("repo", "")
    person = row.get("person") or _person(data, known.get("file", ""))
    return {"project": project, "person": f"{project} {person}", "began": known.get("first", "")}


@cache
def _sessions(data: Path | None) -> dict[str, dict[str, Any]]:
    return {row["session"]: row for row in read_rows(data, "sessions")}


@cache
def _person(data: Path | None, file: str) -> str:
    """Return whose home folder a session was run in."""
    path = data / file if data and file else None
    if path is None or not path.is_file():
        return ""
    with path.open("rb") as session:
        found = _HOME_FOLDER.search(session.read(_HEAD).decode(errors="replace"))
    return found[1] if found else ""


@cache
def sessions_of(data: Path | None) -> list[History]:
    """Read the sessions of the data once: two sets of labels refer to them."""
    try:
        folder = transcripts(data)
    except MissingDataError:
        return []
    return read_sessions(folder)


def read_sessions(folder: Path) -> list[History]:
    """Read the sessions in a folder of logs."""
    with (
        tempfile.TemporaryDirectory() as home,
        wisen.open_learner(f"{home}/wisen", environment={"HOME": home}) as learner,
    ):
        learner.learn(folder)
        return list(learner.histories())


class _TurnFinder:
    """Finds labelled turns in the sessions, with their context."""

    def __init__(self, histories: Sequence[History]) -> None:
        self._by_id: dict[str, tuple[Turn, TypedTurn]] = {}
        self._by_session: dict[str, list[tuple[Turn, TypedTurn]]] = {}
        for history in histories:
            for turn, typed_turn in turns_of(history):
                self._by_id.setdefault(turn.id, (turn, typed_turn))
                self._by_session.setdefault(history.native, []).append((turn, typed_turn))

    def typed_turn(self, row: dict[str, Any]) -> TypedTurn:
        found = self._find(row)
        return typed_turn_of(row) if found is None else with_fields(found[1], text=own_words(row["user"]))

    def _find(self, row: dict[str, Any]) -> tuple[Turn, TypedTurn] | None:
        if row["turn_uuid"] in self._by_id:
            return self._by_id[row["turn_uuid"]]
        at = datetime.fromisoformat(row["timestamp"])

        def near(place: tuple[Turn, TypedTurn]) -> float:
            return abs((place[0].at - at).total_seconds())

        places = self._by_session.get(row["session"], [])
        same = [place for place in places if place[1].text.strip() == row["user"].strip()]
        found = min(same or places, key=near, default=None)
        return found if found is not None and (same or near(found) < 2) else None


def typed_turn_of(row: dict[str, Any]) -> TypedTurn:
    """What a record of the data tells by itself."""
    return TypedTurn(
        text=own_words(row["user"]),
        before=PrecedingEvent(row["preceding_event"]),
        reason=row["origin"] == "reject_reason",
        queued=row["origin"] == "queued",
    )


def _real(item: Item, *, is_live: bool) -> bool:
    return not item.written and not item.ours and item.id.endswith(" live") is is_live


SLICES: dict[str, Callable[[Item], bool]] = {
    "user_turns": lambda item: _real(item, is_live=False),
    "user_turns_live": lambda item: _real(item, is_live=True),
    "user_turns_clear": lambda item: _real(item, is_live=False) and not item.borderline,
    "user_turns_clear_live": lambda item: _real(item, is_live=True) and not item.borderline,
    "our_labels": lambda item: item.ours and not item.id.endswith(" live"),
    "written": lambda item: item.written and item.lang == "en",
    "written_emoji": lambda item: item.written and item.lang == "emoji",
}
"""The sets that folds are judged on: with what came after, live, and both without the doubtful ones."""
