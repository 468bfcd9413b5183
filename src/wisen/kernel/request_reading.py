"""Reads what a typed message asks of wisen, by a table of forms in all languages (data: `delivery/requests/`).

Plain Python that imports nothing else, because the hook client loads this file inside an agent's turn; the cycle, which
checks in the agent's log whether the user typed it, uses the same code. Only a whole message is a request.
"""

from __future__ import annotations

from .request_hints import COMMAS_AND_SPACE, MARKS, MAX_LENGTH, SPACELESS, fold, strip_polite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EVERYTHING = "everything"
HERE, GLOBAL, EVERYWHERE = "here", "global", "everywhere"
SCOPES = (HERE, GLOBAL, EVERYWHERE)
"""Where something is forgotten: these names are the same in every language."""
FORGET_KINDS = ("forget", "confirm")
_MAX_WORDS, _MAX_PLACE_WORDS = 12, 5
_ENDS = (". ", "! ", "? ", "。", "！", "？", "؟ ", "। ", "; ", "；")
_COMMAS = (",", "，", "、", "،", ":", "：")
_SHORT_ID_LETTERS = frozenset("bcdfghjkmnpqrstvwxz")
"""The letters of short ids, as in `model/short_ids.py`."""
_MIN_ID_LENGTH, _MAX_ID_LENGTH = 4, 12


class ChatRequest:
    """What a message asks for."""

    __slots__ = ("is_joined", "kind", "language", "scope", "subject", "target")

    def __init__(self, kind: str = "", of: str = "", language: str = "", what: str = "", scope: str = "") -> None:
        self.kind, self.target, self.language = kind, of, language
        """What is asked, of which number, name or words; empty for any other message. In which language."""
        self.subject, self.scope = what, scope
        """Of what is to be forgotten: an id, words or `everything`; and where, empty where that was not typed."""
        self.is_joined = False
        """Whether the message continues with something else: "the cache key and use the id" is meant for the agent."""


def read_request(text: str, table: dict[str, object]) -> ChatRequest:
    """What a typed message asks of wisen; its kind is empty where it asks nothing."""
    raw = text.strip()
    if not table or not raw or len(raw) > MAX_LENGTH or "\n" in raw:
        return ChatRequest()
    plain = " ".join(raw.casefold().split()).strip(MARKS)
    folded, places = fold(plain)
    phrases, forms, languages = table["phrases"], table["forms"], table["languages"]
    assert isinstance(phrases, dict)
    assert isinstance(forms, list)
    assert isinstance(languages, dict)
    bare = strip_polite(folded, table)
    for kind, known in phrases.items():
        if f"\n{bare}\n" in known:
            return ChatRequest(kind)
    starts = _forget_starts(folded, table)
    for before, between, after, kind, language, slots in forms:
        words = languages[language]
        if slots == "w":
            for start, spoken, scope, is_sure in starts:
                first, last = start + len(before), len(folded) - len(after)
                fits = spoken in ("", language) and first < last and folded.startswith(before, start)
                if not fits or not folded.endswith(after):
                    continue
                found = _read_forget(plain[places[first] : places[last]], words, scope)
                if found is not None:
                    found.kind, found.language = "confirm" if is_sure else kind, language
                    return found
        elif bare.startswith(before) and bare.endswith(after) and len(bare) > len(before) + len(after):
            found = _read_numbered(bare[len(before) : len(bare) - len(after)], between, slots, words)
            if found is not None:
                found.kind, found.language = kind, language
                return found
    return ChatRequest()


def phrase_request(table: dict[str, object], language: str, name: str, **slots: str) -> str:
    """The words to type, in the user's language; `scope` and `everything` by their names."""
    languages = table["languages"]
    assert isinstance(languages, dict)
    words = languages.get(language) or languages["en"]
    if name not in words["say"]:
        words = languages["en"]
    text = str(words["say"][name])
    filled = {"n": "", "place": "", "what": "", "scope": "", **slots}
    if filled["what"] == EVERYTHING:
        filled["what"] = str(words["say"].get(EVERYTHING, EVERYTHING))
    filled["scope"] = str(words["say"].get(filled["scope"], filled["scope"]))
    for slot, value in filled.items():
        text = text.replace(f"{{{slot}}}", value)
    return " ".join(text.split())


def _forget_starts(folded: str, table: dict[str, object]) -> list[tuple[int, str, str, bool]]:
    """Where the subject of a forget request may begin: after a yes or a scope; with the language and the scope."""
    yes, languages, found = table["yes"], table["languages"], [(0, "", "", False)]
    assert isinstance(yes, list)
    assert isinstance(languages, dict)
    for phrase, language in yes:
        rest = folded[len(phrase) :].lstrip(COMMAS_AND_SPACE)
        start = len(folded) - len(rest)
        if folded.startswith(phrase) and rest and (start > len(phrase) or not languages[language]["spaced"]):
            found.append((start, language, "", True))
    for start, spoken, _, is_sure in [*found]:
        for language, words in languages.items() if not spoken else [(spoken, languages[spoken])]:
            for name, scope in words["scopes"].items():
                rest = folded[start + len(name) :].lstrip(COMMAS_AND_SPACE)
                after = len(folded) - len(rest)
                if folded.startswith(name, start) and rest and (after > start + len(name) or not words["spaced"]):
                    found.append((after, language, scope, is_sure))
    return found[::-1]


def _read_numbered(inner: str, between: str, slots: str, words: dict[str, dict[str, str]]) -> ChatRequest | None:
    """A request about a number or an id, with the place that it names; None where there is none."""
    place = ""
    if slots != "n":
        first, found, second = inner.partition(between)
        inner, place = (first, second) if slots == "np" else (second, first)
        place = place.strip()
        if not found or not place or len(place.split()) > _MAX_PLACE_WORDS:
            return None
    number = inner.strip()
    for each in words["before_number"]:
        number = number.removeprefix(each)
    number = number.lstrip("#")
    ending = next((each for each in words["behind_number"] if number.endswith(each) and number != each), "")
    number = number.removesuffix(ending).rstrip(",;:").strip()
    number = words["numerals"].get(number, number)
    if not _is_number(number):
        return None
    return ChatRequest(of=f"{number} to {words['places'].get(place, place)}" if place else number)


def _is_number(word: str) -> bool:
    """Whether a word is a number, a short id or a name: no word of a language is one."""
    if not word or " " in word:
        return False
    if any(letter.isdigit() for letter in word):
        return word.isascii()
    return (_MIN_ID_LENGTH <= len(word) <= _MAX_ID_LENGTH and _SHORT_ID_LETTERS.issuperset(word)) or word.startswith(
        "g-"
    )


def _read_forget(text: str, words: dict[str, Sequence[str]], scope: str) -> ChatRequest | None:
    """A forget request, without filler words; None where it is not one."""
    text = text.strip(COMMAS_AND_SPACE)
    plain = fold(text)[0]
    if not plain or any(end in text for end in _ENDS) or _word_count(plain) > _MAX_WORDS:
        return None
    if any(_is_edge(plain, each, spaced=bool(words["spaced"])) for each in words["never"]):
        return None
    ending = next((each for each in words["endings"] if plain.endswith(each) and plain != each), "")
    if ending:
        text = text[: fold(text)[1][len(plain) - len(ending)]].strip()
        plain = fold(text)[0]
    if not scope:
        text, scope = _split_scope(text, words)
        plain = fold(text)[0]
    is_joined = any(comma in text for comma in _COMMAS) or _is_joined(plain, words)
    if plain in words["everything"]:
        subject = EVERYTHING
    elif not scope and " " not in text and words["spaced"]:
        subject = text
    else:
        subject = _strip_fillers(text, words)
    if not any(letter.isalnum() for letter in subject):
        return None
    found = ChatRequest(of=f"{subject} {scope}".strip(), what=subject, scope=scope)
    found.is_joined = is_joined
    return found


def _is_edge(plain: str, each: str, *, spaced: bool) -> bool:
    """Whether a text begins with a word, or ends with it where the verb comes last."""
    if not spaced:
        return plain.startswith(each)
    return plain == each or plain.startswith(f"{each} ") or plain.endswith(f" {each}")


def _split_scope(text: str, words: dict[str, Sequence[str]]) -> tuple[str, str]:
    """Words without the scope before or after them, and the scope."""
    scopes = words["scopes"]
    assert isinstance(scopes, dict)
    plain, places = fold(text)
    for name, scope in scopes.items():
        if len(plain) <= len(name):
            continue
        ends = plain.endswith(f" {name}" if words["spaced"] else name)
        if ends and plain[: -len(name)].strip():
            return text[: places[len(plain) - len(name)]].strip(), str(scope)
        if plain.startswith(f"{name} " if words["spaced"] else name) and plain[len(name) :].strip():
            return text[places[len(name)] :].strip(), str(scope)
    return text, ""


def _is_joined(plain: str, words: dict[str, Sequence[str]]) -> bool:
    if not words["spaced"]:
        return any(each in plain for each in words["joins"])
    return any(f" {each} " in f" {plain} " for each in words["joins"])


def _strip_fillers(text: str, words: dict[str, Sequence[str]]) -> str:
    if not words["spaced"]:
        rest = text
        for each in words["before"]:
            rest = rest[len(each) :].strip() if rest.startswith(each) and len(rest) > len(each) else rest
        for each in words["behind"]:
            rest = rest[: -len(each)].strip() if rest.endswith(each) and len(rest) > len(each) else rest
        return rest
    parts = text.split()
    plain = [fold(each)[0] for each in parts]
    first, last = 0, len(parts)
    while first < last and plain[first] in words["before"]:
        first += 1
    while last - first > 1 and plain[last - 1] in words["behind"]:
        last -= 1
    return " ".join(parts[first:last] or parts)


def _word_count(plain: str) -> int:
    """The number of words of a text: in scripts without spaces two characters are about one."""
    return (
        len(plain.split())
        + sum(1 for letter in plain if letter >= SPACELESS and not "\uac00" <= letter <= "\ud7a3") // 2
    )
