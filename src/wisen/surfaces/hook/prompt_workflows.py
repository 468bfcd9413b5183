"""Finds what was done before for the goal that a prompt asks for: one workflow at most, once a session."""

from __future__ import annotations

import sys

from .hook_store import BrokenSnapshot, HookStore
from .token_budget import WORKFLOW

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.request_words import asks_for_work, request_score, request_words
else:
    # The same file, found by the folder of the package: nothing else of wisen is loaded with it.
    sys.path.append(__file__.rsplit("/", 3)[0])
    from kernel.request_words import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        asks_for_work,
        request_score,
        request_words,
    )

VERSION = 1


def hints_at_prompt(prompt: str, cwd: object, store: HookStore, before: list[str]) -> list[tuple[int, str, str]]:
    """Return the workflow that fits a prompt best, as a candidate; none if the session was told of it."""
    if not asks_for_work(prompt):
        return []
    digest = store.snapshots.sheet_digest("workflows", cwd if isinstance(cwd, str) else "")
    if not digest:
        return []
    sheet = store.snapshots.content(digest)
    if sheet is None:
        raise BrokenSnapshot(digest)
    hints = sheet.get("hints")
    if sheet.get("version") != VERSION or not isinstance(hints, list):
        return []
    words = request_words(prompt)
    scored = [(request_score(words, each["words"]), str(each["id"]), str(each["text"])) for each in hints]
    score, id_, text = max(scored, default=(0.0, "", ""), key=lambda each: each[0])
    return [(WORKFLOW, id_, text)] if score and id_ not in before else []
