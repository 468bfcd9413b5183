"""Recalls earlier sessions from the index, read-only, for a prompt that asks for it.

Only here the client loads modules of wisen and opens a store: other prompts do not wait for that.
"""

from __future__ import annotations

import sys

from .lean_paths import exists

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest

if TYPE_CHECKING:
    from wisen.model.memory import Memory

WORK = 0.4
"""Seconds of CPU time that recalling may take."""
_MAX_MEMORIES = 3
_MAX_LENGTH = 300


def recall_lines(home: str, context: str, question: str, *, local: bool = False) -> list[tuple[str, str]]:
    """Return lines that answer a question about something said before, each with its id, the most relevant first.

    `question`: without the words that ask. If nothing is left of it, the newest lines are returned. `local`: whether to
    include what was typed to models on the user's own machine.
    """
    path = f"{home}/index.db"
    return _query_index(path, context, question, local=local) if exists(path) else []


def _query_index(path: str, context: str, question: str, *, local: bool) -> list[tuple[str, str]]:
    root = __file__.rsplit("/", 4)[0]
    if root not in sys.path:
        sys.path.append(root)
    from _datetime import datetime, timezone  # type: ignore[import-not-found,unused-ignore]

    from wisen.memory.ranking import group, rank
    from wisen.memory.replaced_memories import demote_replaced
    from wisen.memory.search_words import query_words
    from wisen.model.memory import DEFAULT_WEIGHTS, MemoryKind, MemoryQuery
    from wisen.store.memory_finder import MemoryFinder

    from .lean_sqlite import LeanDatabase

    words = query_words(question)
    excluded = (MemoryKind.WORKFLOW, MemoryKind.IMPORTED, MemoryKind.SKILL)  # the agent has its skills already
    kinds = tuple(kind for kind in MemoryKind if kind not in excluded)
    database = LeanDatabase(path, 0.05)
    try:
        store = MemoryFinder(database)  # type: ignore[arg-type]  # all that finding needs
        asked = MemoryQuery(words, (context, "") if context else ("",), kinds=kinds, local=local)
        hits = store.find(asked, DEFAULT_WEIGHTS) if words else store.newest(asked, _MAX_MEMORIES)
    finally:
        database.close()
    groups = demote_replaced(group(rank(hits, now=datetime.now(timezone.utc), here=context)))
    said = {" ".join(each.best.text.split()): each.best for each in reversed(groups) if not each.replaced_by}
    return [_line(text, memory) for text, memory in reversed(said.items())][:_MAX_MEMORIES]


def _line(text: str, memory: Memory) -> tuple[str, str]:
    shown = text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH].rsplit(' ', 1)[0]} …"
    return memory.id, f"- {shown} ({memory.citation})"
