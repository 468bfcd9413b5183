"""The words by which a request is compared with earlier ones, and how well it fits what was done before.

Plain Python without `re`, because the hook client loads this file at prompts; workflows are found by the same words.
"""

from __future__ import annotations

from .request_hints import fold
from .unspaced_scripts import is_unspaced_letter, letter_pairs_in
from .word_stems import CANONICAL, EMPTY, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MIN_WEIGHT = 2.5
"""How much the words that a request shares with a workflow must say."""
MIN_SINGLE = 0.6
"""What part of all words one must be to be enough alone."""
MIN_ABOUT = 0.5
"""Which share of its words must belong to the workflow: rather too seldom than for something else."""
_MAX_WORDS = 40
"""What follows in a longer request is most often pasted."""
_MAX_LETTERS = 4000
_INSIDE = "'-_."
_NEGATIONS = frozenset("don't dont never not without stop no nothing".split())
_QUESTIONS = frozenset("why what whats when where which who whose how is are was were does did do has have had".split())


def request_words(asked: str) -> tuple[str, ...]:
    """Return the stems of a request without stop words, numbers, paths and addresses; each once, in order."""
    found: dict[str, None] = {}
    text = asked[:_MAX_LETTERS]
    for chunk in text.split():
        if chunk.count("/") > 1 or chunk.count("\\") > 1 or "://" in chunk:
            continue
        for token in _tokens(fold(chunk.casefold())[0]):
            if token not in EMPTY and not _is_number(token):
                found.update(dict.fromkeys(_terms(token)))
    found.update(dict.fromkeys(letter_pairs_in(text)))
    return tuple(found)[:_MAX_WORDS]


def request_score(words: tuple[str, ...], weights: Mapping[str, float]) -> float:
    """Return how well a request fits a workflow, from 0 to 1: how much of each is in the other; 0 for too little."""
    shared = [weights[word] for word in words if word in weights]
    if sum(shared) < MIN_WEIGHT:
        return 0.0
    covered, about = sum(shared) / sum(weights.values()), len(shared) / len(words)
    if about < MIN_ABOUT or (len(shared) == 1 and covered < MIN_SINGLE):
        return 0.0
    score: float = (covered * about) ** 0.5
    return score


def asks_for_work(asked: str) -> bool:
    """Whether a prompt wants something done: it neither asks about it nor forbids it. By English words only."""
    words = fold(asked.casefold().strip())[0].split()
    first = words[0].partition("'")[0].strip(",.") if words else ""
    is_question = first in _QUESTIONS and "please" not in words[:4]
    return not is_question and not any(word.strip(",.!") in _NEGATIONS for word in words)


def _tokens(chunk: str) -> list[str]:
    plain = "".join(letter if letter.isalnum() or letter in _INSIDE else " " for letter in chunk)
    return [token for each in plain.split() if (token := each.strip(_INSIDE))]


def _is_number(token: str) -> bool:
    """Whether a token is a number or a version, with a letter or two around it at most."""
    digits = token.lstrip("v").rstrip("abcdefghijklmnopqrstuvwxyz")
    return len(token) - len(digits) <= 2 and all(letter.isdigit() or letter == "." for letter in digits)


def _terms(token: str) -> tuple[str, ...]:
    if any(map(is_unspaced_letter, token)):
        return ()  # its pairs of letters count
    if token.isalpha():
        plain = stem(token)
        return () if token in EMPTY else (CANONICAL.get(plain, plain),)
    if all(part.isalpha() for part in token.split("-")):
        return tuple(term for part in token.split("-") for term in _terms(part))
    return (token,)
