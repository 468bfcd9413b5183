"""The messages in `written/`, made up for training: what is rare in real sessions, and what only looks like it.

One file a kind, one message a line; none is taken from anybody's sessions. A message in two files says both.
`lasting.txt` and `passing.txt` hold corrections and preferences by whether they are meant beyond the task at hand.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

_FOLDER = Path(__file__).parent / "written"
_KINDS = ("correction", "none", "praise", "preference", "feature_request", "knowledge_gap", "remember")


def messages() -> list[tuple[str, frozenset[str]]]:
    """Each text with its kinds; no kind means that it says nothing to learn from."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for kind in _KINDS:
        for text in _lines(kind):
            kinds[text] |= {kind} - {"none"}
    return [(text, frozenset(of)) for text, of in kinds.items()]


def lessons() -> list[tuple[str, bool]]:
    """Each correction or preference, and whether it is meant to last."""
    return [(text, name == "lasting") for name in ("lasting", "passing") for text in _lines(name)]


def _lines(name: str) -> list[str]:
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
