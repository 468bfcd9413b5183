"""Loads LoCoMo and sde-bench, conversations with questions about known turns, and queries the product."""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import MissingDataError, json_lines
from wisen.memory.ranking import group, rank
from wisen.memory.replaced_memories import demote_replaced
from wisen.memory.search_words import query_words, words_of
from wisen.model.memory import DEFAULT_WEIGHTS, Memory, MemoryKind, MemoryQuery
from wisen.store.sqlite_index import open_index
from wisen.system.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.model.memory import MemoryGroup, MemoryHit, RankingWeights
    from wisen.store.memories import Memories

_EVIDENCE = re.compile(r"D\d+:\d+")
_MONTHS = "january february march april may june july august september october november december".split()
_WHEN = re.compile(r"(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d{4})")


@dataclass(frozen=True)
class Question:
    """A question, and the ids of the turns that hold its answer."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """One conversation over several sessions, with what is asked about it."""

    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]


def load_locomo(data: Path | None) -> list[Conversation]:
    """The conversations, with the known errors of the labels corrected. Raises: MissingDataError."""
    folder = _folder(data, "locomo", "locomo10.json")
    talks = json.loads((folder / "locomo10.json").read_text(encoding="utf-8"))
    errors = folder / "errors.json"
    corrected = {each["question_id"]: each for each in json.loads(errors.read_text("utf-8"))} if errors.exists() else {}
    return [_parse_conversation(number, talk, corrected) for number, talk in enumerate(talks)]


def _parse_conversation(number: int, talk: dict[str, Any], corrected: dict[str, Any]) -> Conversation:
    spoken = talk["conversation"]
    memories: list[Memory] = []
    for session in sorted(int(name.split("_")[1]) for name in spoken if re.fullmatch(r"session_\d+", name)):
        turns = spoken[f"session_{session}"]
        texts = [f"{turn['text']} {turn.get('blip_caption', '')}".strip() for turn in turns]
        at = _parse_time(spoken[f"session_{session}_date_time"])
        memories += [
            Memory(
                id=turn["dia_id"],
                kind=MemoryKind.TURN,
                text=texts[place],
                origin=f"session:{session}",
                session=str(session),
                turn=place + 1,
                at=at,
                who=turn["speaker"],
                beside="\n".join([*texts[max(0, place - 1) : place], *texts[place + 1 : place + 2]]),
            )
            for place, turn in enumerate(turns)
        ]
    known = {memory.id for memory in memories}
    questions = []
    for place, asked in enumerate(talk["qa"]):
        evidence = asked["evidence"]
        error = corrected.get(f"locomo_{number}_qa{place}")
        if error and error.get("correct_evidence"):
            evidence = error["correct_evidence"]
        found = frozenset(each for cited in evidence for each in _EVIDENCE.findall(cited)) & known
        if found:
            questions.append(Question(str(asked["question"]), found))
    return Conversation(tuple(memories), tuple(questions))


def _parse_time(text: str) -> datetime:
    found = _WHEN.match(text)
    if found is None:
        raise ValueError(f"{text!r} is no date of LoCoMo")
    hour, minute, half, day, month, year = found.groups()
    return datetime(
        int(year),
        _MONTHS.index(month.lower()) + 1,
        int(day),
        int(hour) % 12 + 12 * (half == "pm"),
        int(minute),
        tzinfo=UTC,
    )


@dataclass(frozen=True)
class Decision:
    """A report of a fault, and the sessions that tell what was decided about it, oldest first."""

    question: str
    sessions: tuple[str, ...]
    """The last one is right, those before it are stale."""


@dataclass(frozen=True)
class Decisions:
    """Sessions in which something was decided among others, and what is asked about them."""

    memories: tuple[Memory, ...]
    decisions: tuple[Decision, ...]


def load_decisions(data: Path | None, source: str, *, typed: bool = False) -> Decisions:
    """Return the tasks of one source with all decoys; `typed`: only what users typed. Raises: MissingDataError."""
    folder = _folder(data, "sde-bench", "tasks.jsonl")
    tasks = json_lines(folder / "tasks.jsonl")
    others = folder / "decoy_conversations.json"
    decoys = json.loads(others.read_text(encoding="utf-8")) if others.exists() else []
    memories: list[Memory] = []
    asked = []
    began = datetime(2026, 1, 1, tzinfo=UTC)
    for place, task in enumerate(tasks):
        # A task whose decision was amended has another one in which it was not: together they would contradict.
        sessions = _sessions_of_task(task) if task["source"] == source else []
        names = tuple(f"{task['task_id']}#{number}" for number in range(len(sessions)))
        for number, (name, turns) in enumerate(zip(names, sessions, strict=True)):
            at = began + timedelta(days=place + 90 * number)
            memories += _turns(name, turns, at, typed=typed and source != "history")
        if names:
            asked.append(Decision(task["bug_report"], names))
    for place, decoy in enumerate(decoys):
        memories += _turns(f"decoy-{place}", decoy["turns"], began + timedelta(days=place), typed=typed)
    return Decisions(tuple(memories), tuple(asked))


def _sessions_of_task(task: dict[str, Any]) -> list[list[dict[str, str]]]:
    if task["source"] == "history":
        subject = task.get("decision_subject")
        return [[{"role": "user", "text": f"{subject}\n{task['decision_rationale']}"}]] if subject else []
    spoken = task["conversations"]
    return spoken if isinstance(spoken[0], list) else [spoken]


def _turns(session: str, turns: Sequence[dict[str, str]], at: datetime, *, typed: bool) -> list[Memory]:
    texts = [turn["text"] for turn in turns if not typed or turn["role"] == "user"]
    return [
        Memory(
            id=f"{session}:{place}",
            kind=MemoryKind.TURN,
            text=text,
            origin=f"session:{session}",
            session=session,
            turn=place + 1,
            at=at,
            beside="\n".join([*texts[max(0, place - 1) : place], *texts[place + 1 : place + 2]]),
        )
        for place, text in enumerate(texts)
    ]


@contextmanager
def open_memories(memories: Sequence[Memory]) -> Iterator[Memories]:
    """A store of the product that holds these memories."""
    by_origin: dict[str, list[Memory]] = {}
    for memory in memories:
        by_origin.setdefault(memory.origin, []).append(memory)
    with tempfile.TemporaryDirectory() as folder:
        index, _ = open_index(Path(folder) / "index.db", clock=SystemClock())
        store = index.memories
        store.replace({name: [(each, words_of(each)) for each in some] for name, some in by_origin.items()})
        yield store
        index.close()


def search(store: Memories, question: str, design: RankingWeights = DEFAULT_WEIGHTS) -> list[MemoryHit]:
    """What the product's store finds."""
    return store.find(MemoryQuery(query_words(question)), design)


def group_hits(found: list[MemoryHit], now: datetime, design: RankingWeights = DEFAULT_WEIGHTS) -> list[MemoryGroup]:
    """What the product shows, by session."""
    return demote_replaced(group(rank(found, now=now, design=design), design))


def _folder(data: Path | None, name: str, file: str) -> Path:
    if data is None or not (data / name / file).exists():
        raise MissingDataError(f"--data needs a folder with {name}/{file}")
    return data / name
