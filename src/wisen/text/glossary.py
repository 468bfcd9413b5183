"""Maps the words of a lesson in another language to the English words and marks by which lessons are parsed.

It is not a translation: it knows how a language refuses, contrasts and binds, and common words of lessons about code
(`slot_words.toml`). What it does not know stays as typed.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from wisen.text.lazy_regex import lazy_regex
from wisen.text.stored_tables import stored_table

NOT, NEVER, CANNOT, YES, BANNED = "\x02_not", "\x02_never", "\x02_cannot", "\x02_yes", "\x02_banned"
"""Marks: instead of what follows; what follows is refused; the clause is; refusal ends; what precedes is refused."""
NEGATIVE_MARKS = frozenset({NOT, NEVER, CANNOT, BANNED})
ENGLISH = "en"
_MARKS = {"NOT": NOT, "NEVER": NEVER, "CANNOT": CANNOT, "YES": YES, "BANNED": BANNED}
_MARK = lazy_regex(r"\b(?:NOT|NEVER|CANNOT|YES|BANNED)\b")
_NAME = r"(\x01\d+(?:ing)?\x01|[a-z0-9@][\w@./+-]*)"
_ANY_NAME = r"(\x01\d+(?:ing)?\x01|[\w@][\w@./+-]*)"
_WORD = lazy_regex(r"[\u0900-\u0963\u0966-\u097f]+|(?<![\x01\x02\w])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w\x01])")
"""The regex engine does not treat Devanagari vowel signs as letters."""
_UNSPACED = frozenset({"zh", "ja", "ko"})
_MIN_STEM_LENGTH = 3
_MAX_STEM_LENGTH = 14
_SCRIPTS = (
    (lazy_regex("[\u3040-\u30ff]"), "ja"),
    (lazy_regex("[\uac00-\ud7af\u1100-\u11ff]"), "ko"),
    (lazy_regex("[\u3400-\u9fff]"), "zh"),
    (lazy_regex("[\u0600-\u06ff]"), "ar"),
    (lazy_regex("[\u0900-\u097f]"), "hi"),
    (lazy_regex("[іїєґ]"), "uk"),
    (lazy_regex("[\u0400-\u04ff]"), "ru"),
)
_DISTINCTIVE_LETTERS = (
    (lazy_regex("[ışğ]"), "tr"),
    (lazy_regex("[đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]"), "vi"),
    (lazy_regex("[łśźżćńąę]"), "pl"),
    (lazy_regex("[ãõ]"), "pt"),
    (lazy_regex("[ñ¿¡]"), "es"),
    (lazy_regex("[å]"), "sv"),
)
"""Letters that identify a language if a text has none of its most common words."""
_ENGLISH = frozenset(
    "the a an and or not no never don't do does is are be to of in on for with from please use using always when if "
    "you we i it this that these those before after should must can only all every your my instead rather than don "
    "t s let stop avoid make run add write keep why what how".split()
)
_ARABIC_MARKS = lazy_regex("[\u064b-\u0652\u0640]")
_ARABIC_PREFIXES = ("وال", "بال", "لل", "ال", "و", "ب", "ل", "ف")
_EMPTY = "-"
_MIN_KNOWN_WORDS = 2
"""Minimum number of known words to assign a language by vocabulary alone."""


class _Language(NamedTuple):
    """The phrases and words of one language."""

    code: str
    phrases: tuple[tuple[re.Pattern[str], str], ...]
    exact: dict[str, str]
    stems: dict[str, str]
    joined: re.Pattern[str] | None
    """Entries matched anywhere in a text: words of scripts without spaces, and entries that contain a space."""


def language_of(text: str) -> str:
    """Detect the language of a lowercase text by its script and most common words; English by default."""
    if not text.isascii():
        for script, code in _SCRIPTS:
            if script.search(text):
                return code
    words = _WORD.findall(text)
    hits: dict[str, int] = {}
    known = _codes_by_mark()
    for word in words:
        for code in () if word in _ENGLISH else known.get(word, ()):
            hits[code] = hits.get(code, 0) + 1
    if not hits:
        letters = "" if text.isascii() else next((code for hint, code in _DISTINCTIVE_LETTERS if hint.search(text)), "")
        return letters or (ENGLISH if _ENGLISH.intersection(words) else _language_by_vocabulary(words))
    best_hits = max(hits.values())
    all_codes = [code for word in words for code in known.get(word, ())]
    likely = [code for code in _tables() if hits.get(code) == best_hits]
    best = max(likely, key=lambda code: (all_codes.count(code), _known_word_count(words, code)))
    exact = _language(best).exact
    english = sum(word in _ENGLISH and word not in exact and best not in known.get(word, ()) for word in words)
    return best if best_hits > english or (best_hits == english and not text.isascii()) else ENGLISH


def _language_by_vocabulary(words: list[str]) -> str:
    """Return the language that knows the most words of a text without common words; English if few are known."""
    codes = [code for code, table in _tables().items() if "marks" in table and code not in ("ru", "uk")]
    known = {code: _known_word_count(words, code) for code in codes}
    best = max(codes, key=lambda code: known[code])
    return best if known[best] >= _MIN_KNOWN_WORDS else ENGLISH


def _known_word_count(words: list[str], code: str) -> int:
    """Count the words of a text that a language knows and that differ from English."""
    language = _language(code)
    return sum(
        known != word and not word.startswith(known.strip()[:4] or word)
        for word, known in ((word, _translate_word(word, language)) for word in words)
    )


def translate_terms(text: str, code: str) -> str:
    """Replace the known phrases and words of a lowercase text with English ones."""
    language = _language(code)
    if code == "ar":
        text = _ARABIC_MARKS.sub("", text).replace("،", " , ").replace("؛", " ; ").replace("؟", " ? ")
    text = text.replace("।", " . ").replace("’", "'")
    for pattern, replacement in language.phrases:
        text = pattern.sub(replacement, text)
    if language.joined is not None:
        text = language.joined.sub(lambda found: f" {language.exact[found[0]].removeprefix(_EMPTY)} ", text)
    if code not in _UNSPACED:
        text = _WORD.sub(lambda found: _translate_word(found[0], language), text)
    return _MARK.sub(lambda found: _MARKS[found[0]], text)


def _translate_word(word: str, language: _Language) -> str:
    if word.isupper() and word in _MARKS:
        return word
    known = language.exact.get(word)
    if known is None:
        for length in range(min(len(word), _MAX_STEM_LENGTH), _MIN_STEM_LENGTH - 1, -1):
            known = language.stems.get(word[:length])
            if known is not None:
                break
    if known is None and language.code == "ar":
        for prefix in _ARABIC_PREFIXES:
            stem = word.removeprefix(prefix)
            if stem != word and stem in language.exact:
                known = language.exact[stem]
                break
    return word if known is None else known if known != _EMPTY else " "


@cache
def _tables() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = stored_table("wisen.text", "slot_words")
    return found


@cache
def _codes_by_mark() -> dict[str, tuple[str, ...]]:
    """Return the languages that have each common word."""
    found: dict[str, list[str]] = {}
    for code, table in _tables().items():
        for word in str(table.get("marks", "")).split():
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


@lru_cache
def _language(code: str) -> _Language:
    table = _tables()[code]
    words = table["words"]
    phrases = table["phrases"]
    if not isinstance(words, dict) or not isinstance(phrases, list):
        raise TypeError(f"slot_words.toml: {code} has no phrases or no words")
    name = _NAME if code in _UNSPACED | {"hi", "ar"} else _ANY_NAME
    exact, stems = dict[str, str](), dict[str, str]()
    for english, translations in words.items():
        for word in translations.replace("ё", "е").split():
            if word.endswith("*"):
                stems[word[:-1]] = english
            else:
                exact.setdefault(word.replace("_", " "), english)
    embedded = [word for word in exact if code in _UNSPACED or " " in word]
    joined = "|".join(sorted(map(re.escape, embedded), key=len, reverse=True))
    return _Language(
        code,
        tuple(
            (re.compile(pattern.replace("(?:NAME)", name).replace("NAME", name)), replacement)
            for pattern, replacement in phrases
        ),
        exact,
        stems,
        re.compile(joined) if joined and code in _UNSPACED else re.compile(rf"\b(?:{joined})\b") if joined else None,
    )
