"""Summarizes the calls of a session by their words: what was run, and which files were given.

A call is encoded as one text, in which a word is found as a substring: that is far faster than sets of words, and takes
a fraction of their space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.call_summary import CallSummary, FailedCall
from wisen.text.command_lines import command_of, fields_of, parse_command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.failure import Failure
    from wisen.model.history import History, Step

_WORD, _PART = "\x1f", "\x1c"
"""Around each word, and around each part of a path."""
_CALL = "\x1e"
"""Between the calls of a session. `str.split` splits at all of these, so no word that is looked for contains them."""
_SEPARATORS = str.maketrans(dict.fromkeys("\x1c\x1d\x1e\x1f", "\ufffd"))
_PATH_DEPTH = 7
"""How many trailing parts of a path are considered."""
_PATH_FIELDS = ("file_path", "path", "notebook_path")


def summarize_calls(history: History, failures: Iterable[Failure]) -> CallSummary:
    """Return the calls of a session, and which of them failed."""
    if not history.steps:
        return CallSummary(None, None)
    numbers: dict[str, int] = {}
    places = {step.call: numbers.setdefault(_encode(step), len(numbers)) for step in history.steps}
    return CallSummary(
        started=min(step.at for step in history.steps),
        ended=max(step.at for step in history.steps),
        calls=join_calls(numbers),
        failures=tuple(
            FailedCall(failure.signature, failure.call, places[failure.call])
            for failure in failures
            if failure.call in places and not failure.transient
        ),
    )


def calls_in(calls: str) -> list[str]:
    """Return the distinct calls of a session, each encoded."""
    return calls.split(_CALL)


def contains_word(calls: str, word: str) -> bool:
    """Whether an encoded call, or one of several, has a word: as such, or as the name of a file or of its folders."""
    return f"{_WORD}{word}{_WORD}" in calls or f"{_PART}{word.replace('/', _PART)}{_PART}" in calls


def has_call_with(calls: str, words: Iterable[str]) -> bool:
    """Whether one of a session's calls has all of these words."""
    wanted = tuple(words)
    if not all(contains_word(calls, word) for word in wanted):
        return False
    return len(wanted) <= 1 or any(all(contains_word(call, word) for word in wanted) for call in calls_in(calls))


def encode_call(words: Iterable[str], paths: Iterable[str] = ()) -> str:
    """Encode one call by its words and the paths it names."""
    texts = [*(word.translate(_SEPARATORS) for word in words), *map(_encode_path, paths)]
    return f"{_WORD}{_WORD.join(texts)}{_WORD}"


def join_calls(calls: Iterable[str]) -> str:
    """Join the encoded calls of a session."""
    return _CALL.join(calls)


def _encode(step: Step) -> str:
    """Encode the words of a call: those of its command, or the tool's name and the files it is given."""
    fields = fields_of(step.arguments)
    line = command_of(fields)
    if line is not None:
        words = dict.fromkeys(word for part in parse_command(line).parts for word in part.tokens)
        paths = [word for word in words if "/" in word]
    else:
        words = {step.tool: None}
        paths = [str(fields[name]) for name in _PATH_FIELDS if fields.get(name)]
    return encode_call(words, dict.fromkeys(paths))


def _encode_path(path: str) -> str:
    """Encode a path so that every name that people use for it and its folders is found: `db.ts`, `api/db.ts`, `api`."""
    parts = [part for part in path.translate(_SEPARATORS).split("/") if part not in ("", ".")][-_PATH_DEPTH:]
    return f"{_PART}{_PART.join(parts)}{_PART}" if parts else ""
