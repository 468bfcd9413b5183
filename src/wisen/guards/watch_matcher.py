"""Finds which of many watches a call matches, comparing words first: few calls have to be parsed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.matching import EDITORS, READERS, WatchedCall, find_hits
from wisen.model.guard import parse_watch
from wisen.store.recorded_calls import CallWords
from wisen.text.command_lines import fields_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NOT_LITERAL = frozenset("*?|…\"'\\")
_GAPS = ("...", "…")
_LINE_FIELDS = ('"command"', '"cmd"', '"script"')
"""Every call that runs a command line has one of these fields."""
_EXPANDING = ("$", "`", "%", "\\\\", "\\u")
"""What a shell, or the notation of arguments, may put other words in place of."""
_BREAKS = ("\\n", "\\t", "\\r")
_tokens = lazy_regex(r"[A-Za-z0-9_]+").findall


class _Watch(NamedTuple):
    """A watch, and what every matching call contains."""

    text: str
    parsed: dict[str, object]
    words: CallWords
    tokens: frozenset[str]
    """The parts of the words, of letters and digits."""


class WatchMatcher:
    """Many watches, compared with one call after another."""

    def __init__(self, watches: Iterable[str]) -> None:
        compiled = [_compile(text) for text in dict.fromkeys(watches)]
        of_lines = [each for each in compiled if each.parsed["on"] == "shell"]
        self._others = [each for each in compiled if each.parsed["on"] != "shell"]
        self._without_token = [each for each in of_lines if not each.tokens]
        self._by_token: dict[str, list[_Watch]] = {}
        self._keys: dict[str, str] = {}
        shared = Counter(token for each in of_lines for token in each.tokens)
        for each in of_lines:
            if each.tokens:
                key = min(each.tokens, key=lambda token: (shared[token], token))
                self._by_token.setdefault(key, []).append(each)
                self._keys[each.text] = key

    def discard(self, watch: str) -> None:
        """Compare calls with this watch no more."""
        key = self._keys.get(watch)
        for group in (self._others, self._without_token) if key is None else (self._by_token[key],):
            group[:] = [each for each in group if each.text != watch]

    def match(self, tool: str, arguments: str | None) -> list[str]:
        """Return the watches that a call matches."""
        text = arguments or ""
        runs_line = any(field in text for field in _LINE_FIELDS)
        if not runs_line and not self._others:
            return []
        is_literal = not (text.find("{", 1) > 0 or any(mark in text for mark in _EXPANDING))
        call = WatchedCall(tool, fields_of(arguments)) if not is_literal else None
        possible = [*self._of_lines(text, call)] if runs_line else []
        possible += (each for each in self._others if _may_match(each.parsed, tool, runs_line=runs_line))
        if not possible:
            return []
        plain = text.replace("\\", "").replace('"', "").replace("'", "")
        found: list[str] = []
        for each in possible:
            words = (*each.words.always, *each.words.plainly) if is_literal else each.words.always
            if all(word in plain for word in words):
                call = call or WatchedCall(tool, fields_of(arguments))
                if find_hits(each.parsed, call):
                    found.append(each.text)
        return found

    def _of_lines(self, text: str, call: WatchedCall | None) -> Iterator[_Watch]:
        """Yield the watches for commands that a call may match. `call`: given if its words are not in the text."""
        yield from self._without_token
        if call is not None:
            tokens = {token for run in call.runs for view in run.views for word in view for token in _tokens(word.text)}
        else:
            for each in _BREAKS:
                text = text.replace(each, " ")
            tokens = {*_tokens(text.replace("\\", "").replace('"', "").replace("'", ""))}
        for token in tokens & self._by_token.keys():
            for watch in self._by_token[token]:
                if watch.tokens <= tokens:
                    yield watch


def required_words(watch: str) -> CallWords:
    """Return words that the arguments of every call contain that matches a watch."""
    parsed = parse_watch(watch)
    words = parsed.get("words")
    if isinstance(words, list):
        literal = [each for each in words if _is_literal(each) and each not in _GAPS]
        # A single letter may stand among others: `-rf` has `-f`.
        return CallWords(
            tuple(each for each in literal if "-" not in each),
            tuple(each for each in literal if "-" in each and (each[:1] != "-" or each[:2] == "--")),
        )
    segments = str(parsed.get("glob") or "").split("/")
    if ".." in segments:
        return CallWords(())
    return CallWords((), tuple(each for each in segments if each not in ("", ".") and _is_literal(each)))


def _compile(watch: str) -> _Watch:
    words = required_words(watch)
    tokens = frozenset(token for word in (*words.always, *words.plainly) for token in _tokens(word))
    return _Watch(watch, parse_watch(watch), words, tokens)


def _is_literal(word: str) -> bool:
    return word.isascii() and not _NOT_LITERAL & set(word)


def _may_match(parsed: dict[str, object], tool: str, *, runs_line: bool) -> bool:
    """Whether a call can match a watch for files or for another tool, by its tool."""
    on = str(parsed["on"])
    if on == "edit":
        return runs_line or tool in EDITORS
    return tool in READERS if on == "read" else tool == on
