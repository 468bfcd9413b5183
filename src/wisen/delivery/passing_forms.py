"""Finds the failing forms of fixes that also succeed unchanged in some session; what it found is kept between runs.

A form that was searched once is searched again only in sessions that changed.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.model.event import Status
from wisen.model.report import Selection
from wisen.store.folds import Fold, keep_fold
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.delivery.remedies import FailingForm
    from wisen.model.history import History
    from wisen.store.index import Index

_NAME = "passing-forms"
_FORMAT = "1"
_KEPT = 4
"""In how many sessions a form is looked for; the others matter only if these are all deleted."""
_BATCH = 64
"""How many calls of each form are looked at before it is decided which forms are still searched."""
_FEW = 6
"""How many forms the database may look for; of more, every call is compared with all forms at once."""
_WORD = lazy_regex(r"\w+")
_JOINED = lazy_regex(r"\w[\"'\\]+\w")
"""Quotes inside a word: the shell reads the words around them as one."""


def find_passing(
    index: Index, forms: Mapping[str, FailingForm], version: str, *, name: str = _NAME, keeps: bool = True
) -> set[str]:
    """Return the keys of the forms that succeeded in some session.

    `version`: of the program that keeps the results, for the next time that the same forms are asked for. `name`: of
    the fold that has them. `keeps`: whether to keep them.
    """
    if not forms and index.folds.load(name, f"{_FORMAT} {version}") is None:
        return set()  # most homes of few sessions
    digests = {key: _digest(form) for key, form in forms.items()}
    by_digest = {digests[key]: form for key, form in forms.items()}
    found = _search(index, by_digest, f"{_FORMAT} {version}", name=name, keeps=keeps)
    return {key for key, digest in digests.items() if found[digest]}


def _search(
    index: Index, forms: Mapping[str, FailingForm], version: str, *, name: str, keeps: bool
) -> dict[str, list[int]]:
    """Return the sessions in which each form succeeded, by the digest of the form; not more than needed."""
    folds = index.folds
    revision, stored = folds.revision(), folds.load(name, version)
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
    found |= _search_everywhere(index, unknown) if unknown else {}
    if keeps and (stored is None or stored.revision != revision or found != before):
        keep_fold(folds, name, version, Fold(revision, json.dumps(found, sort_keys=True)))
    return found


def _search_everywhere(index: Index, forms: Mapping[str, FailingForm]) -> dict[str, list[int]]:
    matcher = FormMatcher(forms)
    fitting: dict[str, list[tuple[int, int]]] = {digest: [] for digest in forms}
    for call in index.sessions.calls_with(_words_to_look_for(forms)):
        for digest in matcher.fitting(call.tool, call.arguments):
            fitting[digest].append((call.session, call.number))
    found = {digest: list[int]() for digest in forms}
    waiting = {digest: sorted(calls, reverse=True) for digest, calls in fitting.items()}
    while any(waiting.values()):  # most succeed early
        some = {digest: [calls.pop() for _ in range(min(len(calls), _BATCH))] for digest, calls in waiting.items()}
        outcomes = index.sessions.outcomes_of({number for calls in some.values() for _, number in calls})
        for digest, calls in some.items():
            for session, number in calls:
                if outcomes.get(number) is Status.OK and session not in found[digest]:
                    _add(found, [digest], session)
            if len(found[digest]) == _KEPT:
                waiting[digest] = []
    return found


def _words_to_look_for(forms: Mapping[str, FailingForm]) -> list[frozenset[str]]:
    """Return words that the database can look for, one group per form; none if all calls must be compared."""
    if len(forms) > _FEW:
        return []
    groups = [
        frozenset(word for text in form.words for word in _WORD.findall(text) if word.isascii())
        for form in forms.values()
    ]
    return groups if all(groups) else []


def _add(found: dict[str, list[int]], succeeded: Iterable[str], session: int) -> None:
    for digest in succeeded:
        if len(found[digest]) < _KEPT:
            found[digest].append(session)


class FormMatcher:
    """Recognizes forms in calls. Most lines lack the words that are looked for, and are not parsed."""

    def __init__(self, forms: Mapping[str, FailingForm]) -> None:
        """Create it from forms by key."""
        self._forms = forms
        required = {key: required_words(form) for key, form in forms.items()}
        frequency = Counter(word for words in required.values() for word in words)
        self._by_word: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        self._wordless = [key for key, words in required.items() if not words]
        for key, words in required.items():
            if words:
                rarest = min(words, key=lambda word: (frequency[word], -len(word), word))
                self._by_word[rarest].append((key, words))

    def succeeded(self, history: History) -> set[str]:
        """Return the keys of the forms that succeeded in a session."""
        found: set[str] = set()
        for step in history.steps:
            if step.arguments is not None and step.status is Status.OK:
                found |= self.fitting(step.tool, step.arguments)
        return found

    def fitting(self, tool: str, arguments: str) -> set[str]:
        """Return the keys of the forms that a call has, however it ended."""
        is_plain = "\\" not in arguments and "'" not in arguments
        if is_plain and not self._wordless and self._by_word.keys().isdisjoint(_WORD.findall(arguments)):
            return set()
        line = command_of(fields_of(arguments))
        if line is None:
            return set()
        words = words_in(line)
        candidates = [
            key for word in self._by_word.keys() & words for key, needed in self._by_word[word] if needed <= words
        ]
        return {key for key in (*self._wordless, *candidates) if self._forms[key].fits(tool, line)}


def required_words(form: FailingForm) -> frozenset[str]:
    """Return the words that every line of a form holds."""
    program = () if form.whole else (form.program,)
    # `doas` is read as `sudo`.
    return frozenset(word for text in (*form.words, *program) for word in _WORD.findall(text)) - {"sudo"}


def words_in(line: str) -> set[str]:
    """Return the words of a command line, without punctuation; also those that the shell joins."""
    found = set(_WORD.findall(line))
    if _JOINED.search(line):
        found.update(word for token in parse_command(line).tokens for word in _WORD.findall(token))
    return found


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
