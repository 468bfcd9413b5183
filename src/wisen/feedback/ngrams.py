"""Splits a text into n-grams that may be phrases: runs of words, or of characters in scripts without spaces.

Code, quotes, file names, paths and numbers are never part of one, and none crosses a comma or a period.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from wisen.feedback.text_normalization import fold, mask
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_READ = 600
"""How much of a text is read: the point of a turn comes early."""
MAX_WORDS = 4
_HAN = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters and kana: a word mostly has two to four of them."""
_SYLLABLES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese, Khmer: letters and marks, of which a word has more."""
_LENGTHS = ((lazy_regex(f"[{_HAN}]+"), 2, 5), (lazy_regex(f"[{_SYLLABLES}]+"), 3, 10))
_UNSPACED = lazy_regex(f"[{_HAN}{_SYLLABLES}]")
_RUNS = lazy_regex(f"[{_HAN}]+|[{_SYLLABLES}]+|[^{_HAN}{_SYLLABLES}]+")
_CHUNK = lazy_regex(rf"[^\s\0{_HAN}{_SYLLABLES}、。，！？；：「」『』（）…]+")
_CODE = lazy_regex(r"[\d/\\_@#$=<>{}\[\]|~^%&+]|\w[.:]\w|^\.\w|^-|\(\)|[^\W\d_][A-Z]\w*[a-z]|[a-z][A-Z]")
"""What ordinary words do not contain."""
_BREAK = lazy_regex(r"[.,;:!?…\n()\"“”„«»*—–、。，！？；：「」『』（）·।]+")
_CLAUSE_END = "\x01"
_EDGES = "'’‘-"
_MIN_LENGTH = 2


def ngrams_in(text: str) -> frozenset[str]:
    """Every run of words or characters that may be a phrase, folded as the detector folds."""
    return frozenset(gram for words in clauses(text) for gram in _clause_ngrams(words))


def opening_ngrams(text: str) -> frozenset[str]:
    """The n-grams that begin a clause."""
    return frozenset(
        gram for words in clauses(text) for gram in _clause_ngrams(words) if _starts_clause(" ".join(words), gram)
    )


def clauses(text: str) -> Iterator[list[str]]:
    """The words of a text by clause; a run of a script without spaces counts as one word."""
    plain = _CHUNK.sub(
        lambda chunk: _CLAUSE_END * len(chunk[0]) if _CODE.search(chunk[0]) else chunk[0], mask(text[:MAX_READ])
    )
    for clause in re.split(f"[\0{_CLAUSE_END}]+", fold(_BREAK.sub(_CLAUSE_END, plain))):
        words: list[str] = []
        for run in (run for chunk in clause.split() for run in _RUNS.findall(chunk)):
            word = run.strip(_EDGES)
            if words and not run.startswith(word or run[0]):
                yield words
                words = []
            words += [word] if word else []
            if words and not run.endswith(word or " "):
                # The stripped marks are between this word and the next: together they are no phrase.
                yield words
                words = []
        if words:
            yield words


def is_unspaced(text: str) -> bool:
    """Whether a text uses a script without spaces between words."""
    return _UNSPACED.search(text) is not None


def content_words(text: str) -> frozenset[str]:
    """What a text is about: its longer words, or pairs of characters."""
    return frozenset(
        piece
        for words in clauses(text)
        for word in words
        for piece in (_character_ngrams(word, 2, 2) if is_unspaced(word) else (word,) if len(word) > 3 else ())
    )


def _clause_ngrams(words: list[str]) -> Iterator[str]:
    run: list[str] = []
    for word, following in zip([*words, ""], [*words[1:], "", ""], strict=True):
        is_mark = _is_mark(word[:1] or " ")  # it belongs to the letter before, which is of another script
        if word and not is_unspaced(word) and not is_mark:
            run.append(word)
            continue
        yield from _word_ngrams(run)
        run = []
        whole = word[:-1] if _is_mark(following[:1] or " ") else word
        for script, least, most in _LENGTHS:
            if script.fullmatch(whole):
                yield from _character_ngrams(whole, least, most)


def _starts_clause(clause: str, gram: str) -> bool:
    return clause.startswith(gram if is_unspaced(gram) else f"{gram} ") or clause == gram


def _word_ngrams(run: list[str]) -> Iterator[str]:
    for start in range(len(run)):
        for end in range(start + 1, min(start + MAX_WORDS, len(run)) + 1):
            gram = " ".join(run[start:end])
            if end - start > 1 or len(gram) >= _MIN_LENGTH or not gram.isascii():
                yield gram


def _character_ngrams(run: str, least: int, most: int) -> Iterator[str]:
    """Runs of characters; none begins with a combining mark, which belongs to the letter before, or ends before one."""
    for start in range(len(run)):
        if _is_mark(run[start]):
            continue
        for end in range(start + least, min(start + most, len(run)) + 1):
            if end == len(run) or not _is_mark(run[end]):
                yield run[start:end]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")
