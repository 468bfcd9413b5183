"""Loads the messages in `written/`, made up for training: what is rare in real sessions, and what only looks like it.

English: one file per kind, one message per line; a message in two files has both kinds. Other languages and emoji: one
file each in `languages/`, with the kinds before each message. None is taken from anybody's sessions or from test data.
`lasting.txt` and `passing.txt` contain corrections and preferences by whether they are meant beyond the current task.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

_FOLDER = Path(__file__).parent / "written"
_KINDS = ("correction", "none", "praise", "preference", "feature_request", "knowledge_gap", "remember")


def messages() -> list[tuple[str, frozenset[str]]]:
    """Each English text with its kinds; no kind means that it says nothing to learn from."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for kind in _KINDS:
        for text in _lines(kind):
            kinds[text] |= {kind} - {"none"}
    return [(text, frozenset(of)) for text, of in kinds.items()]


def messages_of_languages() -> list[tuple[str, str, frozenset[str]]]:
    """Each text in another language with the language and its kinds."""
    out = []
    for file in sorted((_FOLDER / "languages").glob("*.tsv")):
        for line in file.read_text(encoding="utf-8").splitlines():
            kinds, _, text = line.partition("\t")
            out.append((text, file.stem, frozenset(kinds.split(",")) - {"none"}))
    return out


def lessons() -> list[tuple[str, bool]]:
    """Each correction or preference, and whether it is meant to last."""
    return [(text, name == "lasting") for name in ("lasting", "passing") for text in _lines(name)]


def _lines(name: str) -> list[str]:
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
