"""Language files: what speakers of a language write to an agent, as phrase groups. A new language is a new file.

Each group of phrases is one feature of the model, the same in all languages; its weights are learned. Files come with
the package (`languages/`), and users may add more in a folder of the home.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

from wisen.delivery.chat_requests import ChatForms, check_forms
from wisen.errors import LanguageError
from wisen.feedback.text_normalization import fold
from wisen.safety.foreign_settings import parse_toml
from wisen.text.directive_words import DirectiveWords, check_patterns
from wisen.text.lazy_regex import lazy_regex
from wisen.text.stored_tables import stored_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

T = TypeVar("T")
Words: TypeAlias = tuple[str, ...]
GROUPS = {
    "correction": tuple(
        "unmistakable deny refuse take_back told you_did otherwise not_that softly opinion sigh dislike doubt again "
        "contrast turning failing sight lacking isnt finding prose asked_check frown".split()
    ),
    "praise": ("praise", "thanks", "smile"),
    "preference": ("lasting", "liking"),
    "feature_request": ("wish", "by_hand"),
    "knowledge_gap": ("telling",),
    "remember": ("keep",),
    "plain": tuple(
        "agree order new_work asking other_people supposing ourselves addressed myself pointing marks".split()
    ),
}
"""The phrase groups, by the kind of signal that they mainly indicate."""
MARKS = "marks"
"""The group of words that only identify the language."""
ENGLISH = ("en", "emoji")
"""What English texts need; English first."""
_MAX_WIDTH = 120
_BARE_KEY = lazy_regex(r"[A-Za-z0-9_-]+")


class Negations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that negate a phrase."""

    before: Words = ()
    after: Words = ()


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First words of messages, by what they are."""

    command: Words = ()
    auxiliary: Words = ()
    question: Words = ()
    thing: Words = ()
    person: Words = ()
    lead: Words = ()
    """Words that only lead to the one that counts."""


class LessonWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which lessons are found and classified."""

    orders: Words = ()
    """Words of sentences that say what is to be done."""
    leads: Words = ()
    """Words that only lead to what is said."""
    tails: Words = ()
    """Words that only lead out of it."""
    empty: Words = ()
    """Messages that say that something is wrong, but not what."""
    forbids: Words = ()
    """First words of sentences that only forbid."""
    always: Words = ()
    """Words that show that a lesson is meant to last."""
    about: dict[str, Words] = {}
    lasting: dict[str, Words] = {}


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One language."""

    code: str
    name: str
    own_name: str = ""
    extends: bool = False
    """Whether its phrases are added to those of the shipped language with this code, instead of replacing them."""
    prefixes: Words = ()
    """What is glued to the front of words."""
    respell: dict[str, str] = {}
    """Other ways to type a letter."""
    confusable: Words = ()
    """Phrases with another meaning in another language: they count only next to another phrase of this one."""
    harmless: Words = ()
    """Phrases that hide the phrases in them."""
    common: Words = ()
    """Other frequent words; only those of English are used, to exclude other languages quickly."""
    negations: Negations = Negations()
    correction: dict[str, Words] = {}
    praise: dict[str, Words] = {}
    preference: dict[str, Words] = {}
    feature_request: dict[str, Words] = {}
    knowledge_gap: dict[str, Words] = {}
    remember: dict[str, Words] = {}
    plain: dict[str, Words] = {}
    opening: Opening = Opening()
    lesson: LessonWords = LessonWords()
    directives: DirectiveWords = DirectiveWords()
    """The words by which directives are recognized; those of shipped languages are in `text/languages`."""
    requests: ChatForms = ChatForms()
    """What its speakers type to ask something of wisen; for shipped languages see `delivery/requests`."""
    emoticons: dict[str, Words] = {}
    """Emoticons, by the emoji they stand for."""

    @property
    def groups(self) -> dict[str, Words]:
        """The phrases by group."""
        return {group: words for table in GROUPS for group, words in getattr(self, table).items()}


def read_language(text: str, where: str) -> Language:
    """Parse the text of a language file. Raises: LanguageError."""
    try:
        language = msgspec.convert(parse_toml(text), Language)
    except ValueError as error:
        raise LanguageError(
            f"{where} is not a valid language file: {error}. See docs/languages.md for the format."
        ) from error
    for table, groups in GROUPS.items():
        for group in getattr(language, table):
            if group not in groups:
                known = ", ".join(groups)
                raise LanguageError(f"{where}: [{table}] has no group {group!r}. Known groups: {known}.")
    for place, words in _word_lists(language):
        if silent := [word for word in words if not fold(word).strip(" *")]:
            raise LanguageError(f"{where}: {place} holds {silent[0]!r}, a phrase without a letter or sign.")
    check_patterns(language.directives, where)
    check_forms(language.requests, f"{where}: [requests]")
    short = [sign for signs in language.emoticons.values() for sign in signs if len(sign) <= 1]
    if short:
        raise LanguageError(f"{where}: [emoticons] holds {short[0]!r}. Emoticons have two or more characters.")
    if not language.code.isascii() or not language.code.replace("-", "").isalnum():
        raise LanguageError(f"{where}: {language.code!r} is not a language code. Codes look like en, pt or zh-tw.")
    return language


@cache
def shipped_languages() -> tuple[Language, ...]:
    """The languages that come with the package, English first."""
    names = [file.name for file in _folder().iterdir() if file.name.endswith(".toml")]
    read = [_shipped(name) for name in names]
    return tuple(sorted(read, key=lambda language: (language.code != ENGLISH[0], language.code)))


def english_languages() -> tuple[Language, ...]:
    """The shipped languages that English texts need."""
    stored = [stored_json(__package__, f"languages/{code}") for code in ENGLISH]
    return tuple(msgspec.json.decode(each, type=Language) for each in stored)


@cache
def _shipped(name: str) -> Language:
    return read_language(_folder().joinpath(name).read_text(encoding="utf-8"), name)


def _folder() -> Traversable:
    return resources.files(__package__).joinpath("languages")


def merge_languages(shipped: Iterable[Language], added: Iterable[Language]) -> tuple[Language, ...]:
    """Shipped and added languages; an added one replaces the shipped one of the same code, or extends it."""
    by_code = {language.code: language for language in shipped}
    for language in added:
        known = by_code.get(language.code)
        by_code[language.code] = merge(known, language) if known is not None and language.extends else language
    return tuple(by_code.values())


def merge(one: T, more: T) -> T:
    """Merge two languages, or parts of them, without duplicates."""
    both: object = more or one
    if isinstance(one, tuple) and isinstance(more, tuple):
        both = tuple(dict.fromkeys((*one, *more)))
    elif isinstance(one, dict) and isinstance(more, dict):
        both = {**one, **{key: merge(one[key], value) if key in one else value for key, value in more.items()}}
    elif isinstance(one, msgspec.Struct):
        both = type(one)(**dict(_merge_fields(one, more)))
    return both  # type: ignore[return-value] # mypy cannot tell that each kind stays what it is


def _merge_fields(one: msgspec.Struct, more: object) -> Iterator[tuple[str, object]]:
    """The merged fields of two structs; unset fields of the second keep the values of the first."""
    for field in msgspec.structs.fields(one):
        held, added = getattr(one, field.name), getattr(more, field.name)
        yield field.name, held if added == field.default else merge(held, added)


def read_language_file(file: Path) -> Language:
    """Read the language of a file. Raises: LanguageError."""
    try:
        return read_language(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageError(f"{file} cannot be read: {error}. Fix or remove it.") from error


def _word_lists(language: Language) -> Iterator[tuple[str, Iterable[str]]]:
    """Every list of words, with its name."""
    yield from (("prefixes", language.prefixes), ("respell", language.respell), ("harmless", language.harmless))
    yield from ((f"{group!r} in [{table}]", words) for table in GROUPS for group, words in _lists_of(language, table))
    for table in ("negations", "opening", "lesson"):
        yield from ((f"{group!r} in [{table}]", words) for group, words in _lists_of(language, table))


def _lists_of(language: Language, table: str) -> Iterator[tuple[str, Words]]:
    held = getattr(language, table)
    for name, words in held.items() if isinstance(held, dict) else msgspec.structs.asdict(held).items():
        yield from words.items() if isinstance(words, dict) else [(name, words)]


def format_language(language: Language, comment: str = "") -> str:
    """The text of a language file: `read_language` restores the same language from it."""
    head = [f"# {line}".rstrip() for line in comment.splitlines()]
    return "\n".join([*head, *_format_table("", language), ""])


def _format_table(name: str, held: object) -> Iterator[str]:
    """The lines of a table: first its own values, then its subtables."""
    items = held if isinstance(held, dict) else dict(_set_fields(held))
    tables = {key: value for key, value in items.items() if isinstance(value, (dict, msgspec.Struct))}
    if name and (len(tables) < len(items) or not items):
        yield from ("", f"[{name}]")
    for key, value in items.items():
        if key not in tables:
            yield from _format_value(_format_key(key), value)
    for key, value in tables.items():
        yield from _format_table(f"{name}.{_format_key(key)}" if name else _format_key(key), value)


def _set_fields(held: object) -> Iterator[tuple[str, object]]:
    """The fields of a part of a language that are set."""
    assert isinstance(held, msgspec.Struct)
    for field in msgspec.structs.fields(held):
        value = getattr(held, field.name)
        if isinstance(value, msgspec.Struct):
            says = value != type(value)()
        else:
            says = value is not field.default if isinstance(value, bool) else bool(value)
        if says or field.name in ("code", "name"):
            yield field.encode_name, value


def _format_value(key: str, value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"{key} = {'true' if value else 'false'}"
    elif not isinstance(value, tuple):
        yield f"{key} = {_format_string(str(value))}"
    elif len(line := f"{key} = [{', '.join(map(_format_string, value))}]") <= _MAX_WIDTH:
        yield line
    else:
        yield f"{key} = ["
        line = " "
        for word in map(_format_string, value):
            if len(line) + len(word) + 2 > _MAX_WIDTH:
                yield line
                line = " "
            line += f" {word},"
        yield from (line, "]")


def _format_key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _format_string(name)


def _format_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
