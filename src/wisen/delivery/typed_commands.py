"""Finds out which commands the user typed in a session; the answers are kept until the session changes."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.model.report import Selection
from wisen.store.folds import Fold, keep_fold
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from wisen.store.index import Index

    SessionKey = tuple[str, str]
    """The agent, and its own id of the session."""

_NAME = "typed-commands"
_FORMAT = "1"
_MANY = 200
_ASKS = lazy_regex(
    r"(?:(?:please|just|now|ok|then) )*(?:(?:run|use|try|do|execute|call):? )?(?:\$ |! ?)?", re.IGNORECASE
)


def find_typed(
    index: Index, asked: Iterable[tuple[SessionKey, str]], version: str, *, keeps: bool = True
) -> set[tuple[SessionKey, str]]:
    """Return those of the sessions and commands in which the user typed the command on a line of its own.

    `version`: of the program that keeps the answers. `keeps`: whether to keep them.
    """
    wanted: dict[SessionKey, set[str]] = defaultdict(set)
    for session, line in asked:
        wanted[session].add(line)
    folds, version = index.folds, f"{_FORMAT} {version}"
    revision, stored = folds.revision(), folds.load(_NAME, version)
    if not wanted and stored is None:
        return set()  # most homes of few sessions
    before = {} if stored is None else _decode(stored.value)
    known = dict(before)
    if stored is not None and stored.revision != revision:
        for session in index.sessions.keys(Selection(sessions=folds.changed_sessions(stored.revision))):
            known.pop(_name(session), None)
    digests = {session: {_digest(line): line for line in lines} for session, lines in wanted.items()}
    unknown = {session for session in wanted if not digests[session].keys() <= known.get(_name(session), {}).keys()}
    typed = _read_typed(index, wanted, unknown) if unknown else {}
    for session in unknown:
        here = typed.get(session, frozenset())
        known[_name(session)] = {digest: line in here for digest, line in digests[session].items()}
    known = {_name(session): known[_name(session)] for session in wanted}
    if keeps and (stored is None or stored.revision != revision or known != before):
        keep_fold(folds, _NAME, version, Fold(revision, json.dumps(known, sort_keys=True)))
    return {
        (session, line)
        for session, lines in digests.items()
        for digest, line in lines.items()
        if known[_name(session)][digest]
    }


def typed_commands(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are only a command, apart from a request to run it: `run make`, but not `never run make`."""
    for text in texts:
        for line in text.splitlines():
            yield " ".join(_ASKS.sub("", line.strip()).strip(" `").split())


def _read_typed(
    index: Index, wanted: Mapping[SessionKey, Iterable[str]], sessions: set[SessionKey]
) -> Mapping[SessionKey, frozenset[str]]:
    """Return the commands that were typed in some sessions, as far as they are wanted."""
    numbers = index.sessions.numbers_of(sessions)
    if len(numbers) > _MANY:  # one pass over all messages costs less than loading so many sessions
        lines = {line for session in sessions for line in wanted[session]}
        texts = index.sessions.typed_texts()
        may_hold = _line_finder(lines)
        numbers = frozenset({number for number, text in texts if number in numbers and may_hold(text)})
    found: dict[SessionKey, frozenset[str]] = defaultdict(frozenset)
    for each in index.events.histories(Selection(sessions=numbers)):
        here = typed_commands(turn.text for turn in each.turns if turn.text)
        found[each.agent, each.native] |= frozenset(here)
    return found


def _line_finder(lines: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that says whether the words of one of these lines are in a text; it may say so wrongly."""
    by_first: dict[str, list[list[str]]] = defaultdict(list)
    for line in lines:
        first, *others = line.split() or [""]
        by_first[first].append(others)

    def may_hold(text: str) -> bool:
        if not text.isascii():
            return True  # hidden characters may divide its words
        return any(
            first in text and any(all(word in text for word in others) for others in some)
            for first, some in by_first.items()
        )

    return may_hold


def _name(session: SessionKey) -> str:
    return " ".join(session)


def _digest(line: str) -> str:
    return blake2b(line.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _decode(value: str) -> dict[str, dict[str, bool]]:
    """Return the stored answers; none if they cannot be read."""
    try:
        decoded = json.loads(value)
    except ValueError:
        return {}
    is_valid = isinstance(decoded, dict) and all(isinstance(answers, dict) for answers in decoded.values())
    return decoded if is_valid else {}
