"""The words by which a request is compared with earlier ones: stems without stop words, each once, in order."""

from __future__ import annotations

from functools import lru_cache

from wisen.kernel.unspaced_scripts import letter_pairs_in
from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_folding import fold_letters
from wisen.text.terms import EMPTY, term_of

_WORD = lazy_regex(r"@?[^\W_][\w'-]*(?:\.[a-z]{1,5}\b)?")
_MAX_WORDS = 40
"""What follows in a longer request is most often pasted."""
_PATH = lazy_regex(r"\S*/\S*/\S*|\S*\\\S*\\\S*|https?:\S+")
_NUMBER = lazy_regex(r"[\d.]+\w?\Z")


@lru_cache(maxsize=4096)
def request_words(asked: str) -> tuple[str, ...]:
    """Return the words of a request."""
    folded = fold_letters(_PATH.sub(" ", asked))
    found = dict.fromkeys(
        term
        for token in _WORD.findall(folded)
        if token.strip("@") not in EMPTY and not _NUMBER.match(token)
        for term in term_of(token.lstrip("@"))
    )
    found.update(dict.fromkeys(letter_pairs_in(folded)))
    return tuple(found)[:_MAX_WORDS]
