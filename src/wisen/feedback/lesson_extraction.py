"""Extracts the lesson from what a user typed: the sentences that say what to do, quoted as they were typed.

Nothing is stripped but a greeting, a name, and a "no," that punctuation separates from an order. The request is also
read as an order (`text/order_reading.py`), only to classify it; that reading is never delivered.
"""

from __future__ import annotations

import re
from bisect import bisect
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from wisen.feedback import foreign_sentences
from wisen.feedback.lexicon import shipped_lexicon
from wisen.feedback.text_normalization import fold, is_unspaced_letter
from wisen.model.signal import LessonTopic
from wisen.text import orders
from wisen.text.lasting_words import has_lasting_words
from wisen.text.lazy_regex import lazy_regex
from wisen.text.negations import count_negations
from wisen.text.order_reading import read_order, strip_introduction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.feedback.language import Language
    from wisen.feedback.lexicon import Lexicon

_MAX_READ = 1_000
"""How much of a text is read."""
_MAX_LESSON = 240
_ELLIPSIS = " …"
"""How a truncated lesson ends."""
_MAX_SENTENCE = 400
"""How much of a sentence is searched for words of orders."""
_SEPARATOR = "  \0 "
"""Separates sentences so that no phrase begins in one and ends in the next."""
_SHORT_ORDER, _MIN_SCORE = 6, 1.0
"""An order of fewer words may depend on another sentence, if that one scores below the minimum."""
_PASTED = lazy_regex(r"```.*?(?:```|\Z)", re.DOTALL)
_ENDS = lazy_regex(
    r"[.!?;\n。！？；।؟؛](?:(?<=\n)\n*|(?<=[;؛])\s+|(?<=[\w)\]\"'`][.!?؟])\s+(?=\S)|(?<=[。！？；।])\s*)"
)
"""The ends of sentences and lines; the pattern begins with rare characters, so that the search is fast."""
_LIST_MARK = lazy_regex(r"\s*(?:[-*•>+]|\d{1,2}[.)]|[a-zA-Z]\))\s+")
_EMPTY = lazy_regex(
    r"^(?:no|wrong|that'?s (?:wrong|not right|incorrect)|not (?:quite|right)|stop|wait|hm+|"
    r"(?:that|this|it) (?:was|is) (?:wrong|not right|incorrect)|you (?:misunderstood|got (?:it|that) wrong)|"
    r"what are you doing|thanks?|great|perfect|nice|good|sorry|[\s,])+[\s.!?…]*$",
    re.IGNORECASE,
)
"""Says that something is wrong, but not what."""
_QUESTION = lazy_regex(r"^(?:why|what|how|where|when|who|which|is|are|does|do|did|was|were|has|have)\b", re.IGNORECASE)
_LOGGED = lazy_regex(
    r"^(?://|[\s│├└─✓✗=+|$❯#]{2,}|at \S+:\d|[\w./-]+:\d+:|\w*(?:Error|Exception):|\[\w{6,}\]|https?://\S+$)"
)
_COMMAND = lazy_regex(r"`[a-z][\w-]* [^`]+`|(?<!\w)--\w")
_PATH = lazy_regex(r"(?<![\w:/])[\w.-]*/[\w./-]+")
_FILE = lazy_regex(r"\w-*\.(?:py|ts|tsx|js|jsx|go|rs|java|md|json|ya?ml|toml|sh|sql|css|html|txt|lock|cfg|ini)\b")
_POINTS = lazy_regex(r"\b(?:this|that|these|those|it|them|so|such|either|any(?: ?more)?)\b", re.IGNORECASE)
_MAX_JOINED, _DEPENDENT_WORDS, _POINTING_WORDS = 2, 5, 12
"""So many sentences after the lesson are quoted with it if they have few words, or point at it in a few more."""
_HARMLESS = lazy_regex(
    r"no (?:problem|worries|rush|hurry|offen[cs]e|doubt)\b|not (?:now|urgent)\b|never ?mind\b", re.IGNORECASE
)
_ALTERNATIVE = lazy_regex(r"(?:please )?(?:use|prefer|instead|rather)\b(?:\W+\w+){1,10}\W*$", re.IGNORECASE)
"""What is wanted instead of what the sentence before forbids."""
_SEMICOLONS = (";", "；", "؛")
_STOPS = (".", "!", "?", "…", ":", "。", "！", "？", "।", "؟")
_ADDRESSEE = (
    r"(?:claude|codex|gemini|chatgpt|gpt|copilot|cursor|assistant|agent|bot"
    r"|there|buddy|bro|dude|man|mate|guys|all|everyone|friend)"
)
_GREETING = lazy_regex(
    rf"(?:(?:hey|hi|hello|hallo|hola|bonjour|salut|ciao|olá|oi|привет|cześć|hej|merhaba|selam|xin chào|dear|yo"
    rf"|ok|okay)(?: {_ADDRESSEE})?|{_ADDRESSEE})"
    r"\s*[,!:.–—-]+\s+|(?:hey|hi|hello) (?:claude|codex|gemini)\s+|(?:你好|您好|こんにちは|안녕하세요)[，,!！。 ]\s*",
    re.IGNORECASE,
)
_INTERJECTION = lazy_regex(
    r"(?:(?:no+|nope|nah|wait|hold on|hang on|stop|hm+|erm+|uh+|ugh|argh|oh|ah|ok|okay|yes|yeah|yep|well|so"
    r"|again|also|btw|fyi|actually|right|sorry|wrong"
    r"|(?:that|this)(?:'s| is| was) wrong)\s*(?:[,:;!…]+|\.{2,}"
    r"|\s[–—-]|[–—])\s+)+",
    re.IGNORECASE,
)
"""Answers to the agent, where punctuation separates them from what follows."""
_NEGATED_BY_NO = lazy_regex(r"(?:more|need|needs|longer|one|way|reason|other|further|such)\b", re.IGNORECASE)
"""A "no" before one of these words may negate it, whatever is in between."""
_POLITE_TAIL = lazy_regex(r"(?:[\s,]+(?:please|pls|thanks|thank you|thx|:\)|;\)|:-\)))+[.!\s]*$", re.IGNORECASE)
_PLAIN_OPENING = lazy_regex(
    r"(?:use|using|do|don't|dont|never|always|prefer|avoid|keep|stop|quit|run|write|put|call|name|only|no|not"
    r"|stick|leave|"
    r"split|skip|ask|wait|answer|explain|respond|reply|add|include|exclude|ignore|document|commit|push|follow"
    r"|check|ensure|"
    r"read|start|treat|remove|delete|rename|move|replace|drop|switch|change|sort|make sure|we|you|i|the|all"
    r"|every|each|when|"
    r"if|in|on|for|from|before|after|this|that|these|those|it|it's|there|a|an|please|just|also|and|but|so|can"
    r"|could|would|"
    r"should|let's|lets|i'd|i'm|i've|isn't|remember|our|my|why|what|how|tests|everything|nobody|enough|unless"
    r"|until|once|whenever|there's|without|more|less) ",
)
"""First words of sentences that are not names: they are capitalized."""
_ABOUT = tuple((f"about {of.value}", of) for of in LessonTopic if of is not LessonTopic.FACT)


class ExtractedLesson(NamedTuple):
    """A lesson as it was found."""

    text: str
    """The user's words."""
    reading: str
    """The request as one order: only its features are used, it is never delivered."""


_NOTHING = ExtractedLesson("", "")


class _Sentence(NamedTuple):
    """A sentence or line of a text."""

    text: str
    separator: str
    """What is between it and the sentence before: the end of a sentence, a semicolon or a line break."""


def lesson_text(text: str, languages: Sequence[Language] = (), lexicon: Lexicon | None = None) -> str:
    """What is to be done, in the user's own words; empty where they only say that something is wrong.

    `languages`: the languages of the text, where it is not English; `lexicon`: the known languages.
    """
    return extract_lesson(text, languages, lexicon).text


def extract_lesson(text: str, languages: Sequence[Language] = (), lexicon: Lexicon | None = None) -> ExtractedLesson:
    """The lesson in a text, quoted and read as an order; both empty where it only says that something is wrong."""
    text = text[:_MAX_READ]
    if "```" in text:
        text = _PASTED.sub("\n", text)
    parts = split_sentences(text)
    if languages:
        parts = [part for part in parts if not foreign_sentences.is_empty(part.text, languages)]
    if not parts:
        return _NOTHING
    texts = [part.text for part in parts]
    ranked = _rank(texts, lexicon, foreign=bool(languages)) if parts[1:] else [(0.0, 0)]
    best = ranked[0][1]
    if _EMPTY.match(texts[best]) or not any(map(str.isalpha, texts[best])):
        return _NOTHING
    return ExtractedLesson(_quote(parts, best, languages), _read_as_order(texts, ranked, languages))


def _read_as_order(texts: list[str], ranked: list[tuple[float, int]], languages: Sequence[Language]) -> str:
    best = texts[ranked[0][1]]
    if languages:
        return _truncate(foreign_sentences.strip_leads_and_tails(best, languages))
    if ranked[1:] and ranked[1][0] < _MIN_SCORE and len(best.split()) < _SHORT_ORDER:
        # So short an order depends on its neighbor.
        neighbor = texts[ranked[1][1]]
        if not neighbor.endswith("?"):
            return f"{read_order(best)[:-1]}; {strip_introduction(neighbor)}."
    return _truncate(read_order(best))


def is_order(text: str, languages: Sequence[Language] = ()) -> bool:
    """Whether a lesson tells what to do, so that it can be delivered to an agent before it was approved."""
    if text.endswith(_ELLIPSIS):
        return False  # the missing part may reverse it
    return foreign_sentences.is_order(text, languages) if languages else orders.is_order(text)


def _quote(parts: list[_Sentence], best: int, languages: Sequence[Language]) -> str:
    """The sentence with the neighbors that say how it is meant, as they were typed."""
    first, last = _span(parts, best, languages)
    words = _join(parts[first : last + 1])
    single = " ".join(parts[best].text.split())
    if len(words) > _MAX_LESSON and count_negations(single) == count_negations(words):
        words = single
    short = _strip_opening(words, languages)
    if languages:
        return foreign_sentences.punctuate(_truncate(short))
    short = _POLITE_TAIL.sub("", short).rstrip(" ,;:-–—") or short
    if short[:1] == "(" and short.find(")") == len(short) - 1:
        short = short[1:-1].strip() or short
    short = _truncate(short)
    if _PLAIN_OPENING.match(short):
        short = short[0].upper() + short[1:]
    return short if short.endswith(_STOPS) else f"{short}."


def _span(parts: list[_Sentence], best: int, languages: Sequence[Language]) -> tuple[int, int]:
    """The first and last sentence to quote: a short "never" or "stop it" belongs to what it is about.

    A sentence before an order answers the agent; before a remark it may reverse it.
    """
    first = last = best
    while last + 1 < len(parts) and last - best < _MAX_JOINED and _is_dependent(parts[last + 1].text):
        last += 1
    if last + 1 < len(parts) and count_negations(parts[last].text) and _ALTERNATIVE.match(parts[last + 1].text):
        last += 1
    while last + 1 < len(parts) and parts[last + 1].separator in _SEMICOLONS:
        last += 1
    while first and parts[first].separator in _SEMICOLONS:
        first -= 1
    chosen = parts[best].text
    points = len(chosen.split()) < _SHORT_ORDER and _POINTS.search(chosen) is not None
    before = parts[first - 1].text if first else ""
    tells = bool(before) and not before.endswith("?") and not _EMPTY.match(before)
    if (points and tells) or (before and _is_dependent(before) and not is_order(chosen, languages)):
        first -= 1
    elif points and last == best and last + 1 < len(parts) and not parts[last + 1].text.endswith("?"):
        last += 1
    return first, last


def _is_dependent(part: str) -> bool:
    """Whether a sentence negates or stresses its neighbor and says nothing without it."""
    if part.endswith("?") or _HARMLESS.match(part) or orders.is_waiver(part):
        return False
    words = len(part.split()) + (0 if part.isascii() else sum(map(is_unspaced_letter, part)) // 2)
    if words <= _DEPENDENT_WORDS:
        return count_negations(part) > 0 or has_lasting_words(part)
    return words <= _POINTING_WORDS and count_negations(part) > 0 and _POINTS.search(part) is not None


def _strip_opening(words: str, languages: Sequence[Language]) -> str:
    """Words without a greeting, and without a "no," before an order; nothing else, and never a negation of it."""
    greeting = _GREETING.match(words)
    short = (words[greeting.end() :] if greeting is not None else words) or words
    if languages:
        bare = foreign_sentences.strip_interjections(short, languages)
    else:
        interjection = _INTERJECTION.match(short)
        bare = short[interjection.end() :] if interjection is not None else short
    if len(bare) == len(short):
        return short
    cut = short[: len(short) - len(bare)]
    if (
        not bare
        or _NEGATED_BY_NO.match(bare)
        or not is_order(bare, languages)
        or count_negations(short) != count_negations(cut) + count_negations(bare)
    ):
        return short
    return bare


def split_sentences(text: str) -> list[_Sentence]:
    """The sentences and lines of a text that say something, without list markers."""
    several = "\n" in text or ". " in text or "? " in text or "! " in text or "; " in text or not text.isascii()
    parts = []
    for each, separator in _split(text) if several else ((text, ""),):
        mark = _LIST_MARK.match(each)
        part = (each if mark is None else each[mark.end() :]).strip()
        if part:
            parts.append(_Sentence(part, separator))
    return parts


def _split(text: str) -> list[tuple[str, str]]:
    parts, start, separator = [], 0, ""
    for end in _ENDS.finditer(text):
        stop = end.start()
        is_end = text[stop] in ".!?。！？।؟"
        parts.append((text[start : stop + 1 if is_end else stop], separator))
        start, separator = end.end(), "" if is_end else text[stop]
    return [*parts, (text[start:], separator)]


def _join(parts: Iterable[_Sentence]) -> str:
    """Sentences as they were typed, on one line."""
    words = ""
    for part in parts:
        between = "" if not words else "; " if part.separator and not words.endswith(_STOPS) else " "
        between = "" if between == " " and is_unspaced_letter(words[-1]) else between
        words += between + " ".join(part.text.split())
    return words


def count_groups(text: str, languages: Sequence[Language] = (), lexicon: Lexicon | None = None) -> dict[str, int]:
    """The number of words of a lesson by group."""
    lexicon = lexicon or shipped_lexicon()
    return (lexicon.lesson_phrases.lessons if languages else lexicon.lesson_phrases.english_lessons).count_groups(text)


def topic_of(text: str, groups: Mapping[str, int]) -> LessonTopic:
    """What a lesson is about; a fact where nothing tells."""
    if ("`" in text or "--" in text) and _COMMAND.search(text):
        return LessonTopic.COMMAND
    for name, topic in _ABOUT:
        if name in groups:
            return topic
    is_file = ("/" in text and _PATH.search(text)) or ("." in text[:-1] and _FILE.search(text))
    return LessonTopic.FILE if is_file else LessonTopic.FACT


def _rank(parts: list[str], lexicon: Lexicon | None, *, foreign: bool) -> list[tuple[float, int]]:
    """The sentences with scores, the one first that most says what is to be done; ties go to the earlier one."""
    orders = count_orders([part[:_MAX_SENTENCE] for part in parts], lexicon, foreign=foreign)
    return sorted([(-_score(number, part, orders[number]), number) for number, part in enumerate(parts)])


def count_orders(parts: list[str], lexicon: Lexicon | None = None, *, foreign: bool = False) -> list[int]:
    """How many words of each sentence say that something is to be done. All sentences are searched in one pass."""
    starts = list(accumulate([len(part) + len(_SEPARATOR) for part in parts]))
    lexicon = lexicon or shipped_lexicon()
    phrases = lexicon.lesson_phrases
    found = (phrases.orders if foreign else phrases.english_orders).matches(fold(_SEPARATOR.join(parts)))
    counts = [0] * len(parts)
    for number, _ in {(bisect(starts, start), order) for order, start, _ in found}:
        counts[number] += 1
    return counts


def _score(number: int, part: str, orders: int) -> float:
    """How clearly a sentence says what is to be done."""
    words = len(part.split())
    worth = 2.0 * min(orders, 3) - 0.3 * min(number, 10)
    if words > 25:
        worth -= 0.03 * (words - 25)
    elif words < 3:
        worth -= 2.0
    if _EMPTY.match(part):
        worth -= 6.0
    if (":" in part or not part[0].isalnum()) and _LOGGED.match(part):
        worth -= 4.0
    if part.endswith("?") and _QUESTION.match(part):
        worth -= 2.0
    return worth


def _truncate(sentence: str) -> str:
    if len(sentence) <= _MAX_LESSON:
        return sentence
    return sentence[:_MAX_LESSON].rsplit(" ", 1)[0] + _ELLIPSIS
