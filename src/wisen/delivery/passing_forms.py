"""Finds the failing forms of fixes that also succeed unchanged in some session; what it found is kept between runs.

A form that was searched once is searched again only in sessions that changed. To search a new one in all sessions,
`delivery/command_words.py` says which of them can hold it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.delivery.command_words import CommandWords, words_in
from wisen.model.event import Status
from wisen.model.report import Selection
from wisen.store.folds import Fold
from wisen.text.command_lines import command_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wisen.delivery.remedies import FailingForm
    from wisen.model.history import History
    from wisen.store.index import Index

_NAME = "passing-forms"
_FORMAT = "1"
_KEPT = 4
"""In how many sessions a form is looked for; the others matter only if these are all deleted."""
_BATCH = 64
"""How many sessions are loaded before it is decided again which forms are still searched."""


def find_passing(index: Index, forms: Mapping[str, FailingForm], version: str) -> set[str]:
    """Return the keys of the forms that succeeded in some session. `version`: of the program that keeps the results."""
    if not forms:
        return set()
    digests = {key: _digest(form) for key, form in forms.items()}
    found = _search(index, {digests[key]: form for key, form in forms.items()}, f"{_FORMAT} {version}")
    return {key for key, digest in digests.items() if found[digest]}


def _search(index: Index, forms: Mapping[str, FailingForm], version: str) -> dict[str, list[int]]:
    """Return the sessions in which each form succeeded, by the digest of the form; not more than needed."""
    folds = index.folds
    revision, stored = folds.revision(), folds.load(_NAME, version)
    before = _decode(stored)
    changed = folds.changed_sessions(stored.revision) if stored is not None and before else frozenset[int]()
    found = {digest: [each for each in before[digest] if each not in changed] for digest in forms if digest in before}
    # One whose sessions are all gone may have succeeded in others that were not kept.
    found = {digest: sessions for digest, sessions in found.items() if sessions or not before[digest]}
    if changed and found:
        matcher = FormMatcher({digest: forms[digest] for digest in found})
        for history in index.events.histories(Selection(sessions=changed)):
            _add(found, matcher.succeeded(history), history.session)
    unknown = {digest: form for digest, form in forms.items() if digest not in found}
    found |= _search_everywhere(index, unknown, version) if unknown else {}
    if stored is None or stored.revision != revision or found != before:
        folds.save(_NAME, version, Fold(revision, json.dumps(found, sort_keys=True)))
    return found


def _search_everywhere(index: Index, forms: Mapping[str, FailingForm], version: str) -> dict[str, list[int]]:
    words, found = CommandWords(index, version), {digest: list[int]() for digest in forms}
    wanted: dict[int, list[str]] = defaultdict(list)
    for digest, form in forms.items():
        for session in words.sessions_with(required_words(form)):
            wanted[session].append(digest)
    sessions = sorted(wanted)
    for start in range(0, len(sessions), _BATCH):
        open_ = {digest for digest, sessions in found.items() if len(sessions) < _KEPT}
        some = frozenset(each for each in sessions[start : start + _BATCH] if not open_.isdisjoint(wanted[each]))
        for history in index.events.histories(Selection(sessions=some)) if some else ():
            here = {digest: forms[digest] for digest in wanted[history.session] if digest in open_}
            _add(found, FormMatcher(here).succeeded(history), history.session)
    return found


def _add(found: dict[str, list[int]], succeeded: Iterable[str], session: int) -> None:
    for digest in succeeded:
        if len(found[digest]) < _KEPT:
            found[digest].append(session)


class FormMatcher:
    """Recognizes forms in sessions. Most lines hold none of the words that are looked for, and are not parsed."""

    def __init__(self, forms: Mapping[str, FailingForm]) -> None:
        """Create it from forms by key."""
        self._forms = forms
        required = {key: required_words(form) for key, form in forms.items()}
        frequency = Counter(word for words in required.values() for word in words)
        self._by_word: dict[str, list[str]] = defaultdict(list)
        self._wordless = [key for key, words in required.items() if not words]
        for key, words in required.items():
            if words:
                self._by_word[min(words, key=lambda word: (frequency[word], -len(word), word))].append(key)

    def succeeded(self, history: History) -> set[str]:
        """Return the keys of the forms that succeeded in a session."""
        found: set[str] = set()
        for step in history.steps:
            line = command_of(fields_of(step.arguments)) if step.status is Status.OK else None
            if line is None:
                continue
            for key in self._candidates(line):
                if key not in found and self._forms[key].has_succeeded(step):
                    found.add(key)
        return found

    def _candidates(self, line: str) -> Iterator[str]:
        yield from self._wordless
        if self._by_word:
            for word in words_in(line):
                yield from self._by_word.get(word, ())


def required_words(form: FailingForm) -> frozenset[str]:
    """Return the words that every line of a form holds."""
    program = () if form.whole else (form.program,)
    # `doas` is read as `sudo`.
    return frozenset(word for text in (*form.words, *program) for word in words_in(text)) - {"sudo"}


def _digest(form: FailingForm) -> str:
    return blake2b(json.dumps(form).encode(), digest_size=12).hexdigest()


def _decode(fold: Fold | None) -> dict[str, list[int]]:
    """Return what a fold holds; nothing if it cannot be read."""
    try:
        value = json.loads(fold.value) if fold is not None else {}
    except ValueError:
        return {}
    is_valid = isinstance(value, dict) and all(
        isinstance(sessions, list) and all(isinstance(each, int) for each in sessions) for sessions in value.values()
    )
    return value if is_valid else {}
