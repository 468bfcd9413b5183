"""Phrases by which users make requests to wisen in a chat, in all languages: one file per language in `requests/`.

A form is a whole message with slots: `{n}` a number or an id, `{place}` where an approved rule goes, `{what}` what to
forget. `[x]` is optional, `(a|b)` is one of several, `[a|b]` is one of several or none.
Accents and marks need not be written, because they need not be typed: `kernel/request_reading.py` matches messages.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from wisen.errors import LanguageError
from wisen.kernel.request_hints import fold
from wisen.kernel.request_reading import SCOPES
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Forms: TypeAlias = tuple[str, ...]
RequestTable: TypeAlias = dict[str, object]
"""The table that the hook client and the cycle match messages against, as plain data."""
FormParts: TypeAlias = tuple[str, str, str, str, str, str]
"""The text before, between and after the slots of a form, with its kind, language and slots."""
_QUESTIONS = {"learnt": "learnt", "rules": "rules", "stats": "stats", "improve": "improve", "for_agent": ""}
"""Requests without arguments, with their kind; empty for what is meant for the agent."""
_DEEDS = ("approve", "skip", "overrule", "forget")
_CHOICE = lazy_regex(r"[\[(]([^\[\]()]*)[\])]")
_SLOT = lazy_regex(r"\{(n|place|what)\}")
_MAX_FORMS = 200
"""How many messages one form may expand to."""


class TypedWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What users are shown to type."""

    approve: str = ""
    approve_to: str = ""
    skip: str = ""
    forget: str = ""
    confirm: str = ""
    everything: str = ""
    here: str = ""
    global_: str = msgspec.field(name="global", default="")
    everywhere: str = ""


class SpokenScopes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The names of a scope."""

    here: Forms = ()
    global_: Forms = msgspec.field(name="global", default=())
    everywhere: Forms = ()


class ChatForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What speakers of one language type."""

    code: str = ""
    spaced: bool = True
    """Whether its words are separated by spaces."""
    learnt: Forms = ()
    rules: Forms = ()
    stats: Forms = ()
    improve: Forms = ()
    for_agent: Forms = ()
    """Messages that look like a request and are meant for the agent: "forget it"."""
    polite: Forms = ()
    approve: Forms = ()
    skip: Forms = ()
    overrule: Forms = ()
    forget: Forms = ()
    yes: Forms = ()
    """What is typed before such a form to confirm it."""
    everything: Forms = ()
    before_number: Forms = ()
    """What may precede a number, with the space if there is one."""
    behind_number: Forms = ()
    endings: Forms = ()
    """Endings attached to the words that are named."""
    before: Forms = ()
    """Words that introduce what is named and are not part of it."""
    behind: Forms = ()
    never: Forms = ()
    """Beginnings of texts that nobody wants forgotten: "not …"."""
    joins: Forms = ()
    """What shows that a message continues with something for the agent: "… and use the other one"."""
    recall: Forms = ()
    """Phrases, anywhere in a message, that ask for something said before."""
    scopes: SpokenScopes = SpokenScopes()
    say: TypedWords = TypedWords()
    places: dict[str, Forms] = {}
    """The names of places, by the word for each in `model/place.py`."""
    numerals: dict[str, str] = {}


@cache
def shipped_forms() -> tuple[ChatForms, ...]:
    """Return the forms of the languages that come with the package, English first."""
    folder = resources.files(__package__).joinpath("requests")
    read = [
        read_forms(tomllib.loads(file.read_text(encoding="utf-8")), file.name)
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    ]
    return tuple(sorted(read, key=lambda forms: (forms.code != "en", forms.code)))


def read_forms(data: object, where: str) -> ChatForms:
    """Parse the forms of a file. Raises: LanguageError."""
    try:
        forms = msgspec.convert(data, ChatForms)
    except msgspec.ValidationError as error:
        raise LanguageError(
            f"{where} has no valid requests: {error}. docs/languages.md describes the format."
        ) from error
    check_forms(forms, where)
    return forms


def check_forms(forms: ChatForms, where: str) -> None:
    """Reject forms that no message could match. Raises: LanguageError."""
    for deed in _DEEDS:
        slot = "{what}" if deed == "forget" else "{n}"
        for form in getattr(forms, deed):
            for each in _variants(form, where):
                if each.count(slot) != 1 or not fold(_SLOT.sub("", each.casefold()))[0].strip():
                    raise LanguageError(f"{where}: {deed} holds {form!r}. A form has words and {slot} once.")


def build_table(every: Iterable[ChatForms]) -> RequestTable:
    """Build the table of some languages; if two use the same phrase for different requests, the first wins."""
    phrases: dict[str, str] = {}
    forms: dict[tuple[str, str, str], FormParts] = {}
    languages: dict[str, object] = {}
    polite, recall, yes = dict[str, None](), dict[str, None](), list[list[str]]()
    for each in every:
        for name, kind in _QUESTIONS.items():
            for said in _expand(getattr(each, name)):
                phrases.setdefault(said, kind)
        for kind in _DEEDS:
            for form in _parts(each, kind):
                forms.setdefault(form[:3], form)
        languages[each.code] = _words(each)
        polite.update(dict.fromkeys(_expand(each.polite)))
        yes += [[said, each.code] for said in _expand(each.yes)]
        recall.update(dict.fromkeys(_expand(each.recall)))
    ordered = sorted(forms.values(), key=lambda form: (-len("".join(form[:3])), form))
    return {
        "phrases": {
            kind: "\n".join(["", *(said for said, of in phrases.items() if of == kind), ""])
            for kind in dict.fromkeys(phrases.values())
        },
        "forms": [list(form) for form in ordered],
        "languages": languages,
        "yes": yes,
        "polite": sorted(polite, key=_longest_first),
        "recall": sorted(recall, key=_longest_first),
    }


@cache
def shipped_table() -> RequestTable:
    """Return the table of the languages that come with the package."""
    return build_table(shipped_forms())


def _words(forms: ChatForms) -> dict[str, object]:
    scopes = {"here": forms.scopes.here, "global": forms.scopes.global_, "everywhere": forms.scopes.everywhere}
    named = [(said, scope) for scope in SCOPES for said in (*_expand(scopes[scope]), scope)]
    return {
        "spaced": forms.spaced,
        "everything": [*_expand(forms.everything), "everything"],
        "scopes": dict(sorted(named, key=lambda each: (-len(each[0]), each[0]))),
        "places": {said: place for place, names in sorted(forms.places.items()) for said in _expand(names)},
        "numerals": dict(forms.numerals),
        "say": {name: said for name, said in msgspec.to_builtins(forms.say).items() if said},
        **{name: list(_expand(getattr(forms, name))) for name in ("before", "behind", "never", "joins")},
        **{
            name: sorted((fold(each.casefold())[0] for each in getattr(forms, name)), key=_longest_first)
            for name in ("endings", "before_number", "behind_number")
        },
    }


def _parts(forms: ChatForms, kind: str) -> Iterator[FormParts]:
    for form in getattr(forms, kind):
        for variant in _variants(form, forms.code):
            slots = {"what": "w", "n": "n", "n place": "np", "place n": "pn"}[" ".join(_SLOT.findall(variant))]
            before, *rest = (fold(part.casefold())[0] for part in _SLOT.split(variant)[::2])
            between, behind = rest if len(rest) > 1 else ("", rest[0])
            yield (before, between, behind, kind, forms.code, slots)


def _longest_first(word: str) -> tuple[int, str]:
    return -len(word), word


def _expand(forms: Iterable[str]) -> Iterator[str]:
    """Yield every message that some forms expand to, normalized for comparison."""
    for form in forms:
        for each in _variants(form, form):
            if plain := fold(each.casefold())[0].strip():
                yield plain


def _variants(form: str, where: str) -> list[str]:
    """Expand a form into every message it stands for. Raises: LanguageError."""
    found = [form]
    while any(_CHOICE.search(each) for each in found):
        grown = []
        for each in found:
            met = _CHOICE.search(each)
            if met is None:
                grown.append(each)
                continue
            ways = met[1].split("|") + ([""] if met[0].startswith("[") else [])
            grown += [f"{each[: met.start()]}{way}{each[met.end() :]}" for way in ways]
        if len(grown) > _MAX_FORMS:
            raise LanguageError(f"{where}: {form!r} expands to more than {_MAX_FORMS} messages. Write it as several.")
        found = grown
    return list(dict.fromkeys(" ".join(each.split()) for each in found))
