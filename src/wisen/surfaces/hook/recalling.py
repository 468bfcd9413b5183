"""What a prompt that asks for it recalls from the index, read-only.

Only here the client loads modules of wisen itself, and opens a store: a prompt that does not ask waits for neither.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest

if TYPE_CHECKING:
    from wisen.model.memory import Memory

WORK = 0.4
"""Seconds of work that recalling may take."""
_MOST = 3
_LONGEST = 300
_ASKS = (
    *(
        "what did we",
        "what have we",
        "what had we",
        "what was decided",
        "what was agreed",
        "did we decide",
        "did we agree",
    ),
    *(
        "do you remember",
        "you remember when",
        "as we discussed",
        "as discussed",
        "we discussed",
        "like we agreed",
        "as agreed",
    ),
    *(
        "last time",
        "remind me",
        "previous session",
        "earlier session",
        "how did we",
        "why did we",
        "when did we",
        "where did we",
    ),
    *("was haben wir", "wie haben wir", "warum haben wir", "weißt du noch", "erinnerst du", "letztes mal"),
    *(
        "qué decidimos",
        "qué acordamos",
        "recuerdas",
        "la última vez",
        "qu'avons-nous",
        "te souviens",
        "la dernière fois",
    ),
    *("o que decidimos", "da última vez", "上次", "之前我们", "我们决定", "前回", "지난번"),
)
"""What a prompt says that asks for something said before."""


def recall_lines(home: str, context: str, prompt: str) -> list[tuple[str, str]]:
    """Lines that answer a prompt that asks for them, each with its id, the most relevant first."""
    plain = prompt.casefold()
    asks = [phrase for phrase in _ASKS if phrase in plain]
    path = os.path.join(home, "index.db")
    if not asks or not os.path.exists(path):
        return []
    for phrase in asks:
        plain = plain.replace(phrase, " ")
    return _recalled(path, context, plain)


def _recalled(path: str, context: str, question: str) -> list[tuple[str, str]]:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    if root not in sys.path:
        sys.path.append(root)
    import sqlite3
    from datetime import UTC, datetime
    from pathlib import Path

    from wisen.memory.memory_words import sought
    from wisen.memory.ranking import group, rank
    from wisen.memory.replaced import settle
    from wisen.model.memory import DESIGN, MemoryKind, Sought
    from wisen.store.memories import SqliteMemories
    from wisen.store.sqlite import SqliteDatabase

    words = sought(question)
    if not words:
        return []
    kinds = tuple(kind for kind in MemoryKind if kind not in (MemoryKind.WORKFLOW, MemoryKind.IMPORTED))
    connection = sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True, timeout=0.05)
    try:
        connection.execute("PRAGMA query_only = ON")
        store = SqliteMemories(SqliteDatabase(connection, Path(path), 0))
        asked = Sought(words, (context, "") if context else ("",), kinds=kinds)
        hits = store.find(asked, DESIGN)
    finally:
        connection.close()
    groups = settle(group(rank(hits, now=datetime.now(UTC), here=context)))
    said = {" ".join(each.best.text.split()): each.best for each in reversed(groups) if not each.replaced_by}
    return [_line(text, memory) for text, memory in reversed(said.items())][:_MOST]


def _line(text: str, memory: Memory) -> tuple[str, str]:
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
    return memory.id, f"- {shown} ({memory.cited})"
