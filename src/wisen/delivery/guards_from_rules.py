"""Derives a guard pattern from a rule that clearly says what not to run or edit: "use pnpm, not npm".

It recognizes a few phrasings and no others: a guard that misreads a sentence would get in the way.
"""

from __future__ import annotations

import re

from wisen.delivery.guards_from_fixes import GuardPattern
from wisen.text.glossary import ENGLISH, NEGATIVE_MARKS
from wisen.text.lazy_regex import lazy_regex
from wisen.text.slots import Slots, SlotWord, slots_of
from wisen.text.tool_choices import RIVALS

_NAME = r"(?:`[^`\n]{2,60}`|[a-z][a-z0-9_.+-]{1,24})"
_PLACE = r"(?:`[^`\n]{2,80}`|[\w.*~-]*/[\w./*~-]*|[\w-]*\.[a-z]{1,5}\b|\*\.[a-z]{1,5}\b)"
_END = r"(?=[\s,;.!?)]|$)"
_DO = r"(?:use|using|run|running|call|calling|invoke|execute)"
_NOT = r"(?:never|don't|do not|dont|must not|should not|stop|avoid|no longer)"
_CHANGE = r"(?:edit|editing|touch|touching|modify|modifying|change|changing|write to|overwrite|delete)"
_FOR = r"(?: for [^,.;]{1,30})?"
_OVER = rf"(?:instead of|rather than|and not|and never|not|never|over){_END}"
_CHOICES = tuple(
    lazy_regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DO} (?P<new>{_NAME}){_FOR},? {_OVER} (?:{_DO} )?(?P<old>{_NAME}){_END}",
        rf"\bprefer (?P<new>{_NAME}) over (?P<old>{_NAME}){_END}",
        rf"\b{_NOT} (?:ever )?{_DO} (?P<old>{_NAME}){_FOR}[,;.:]? (?:but )?(?:always )?{_DO} (?P<new>{_NAME}){_END}",
        rf"^(?P<new>{_NAME}),? not (?P<old>{_NAME})[.!]?$",
        rf"\breplace (?P<old>{_NAME}) (?:with|by) (?P<new>{_NAME}){_END}",
    )
)
_REFUSES = rf"(?:^|[.;:!] ?|\bplease ){_NOT} (?:ever )?{_DO} (?P<old>{_NAME})(?= ?(?:[.!;]|$))"
_SPARES = rf"\b{_NOT} (?:ever )?{_CHANGE} (?:any )?(?:files? )?(?:in |under |below |the )*(?P<place>{_PLACE})"
_REFUSAL, _UNTOUCHED = (lazy_regex(pattern, re.IGNORECASE) for pattern in (_REFUSES, _SPARES))
_BULLET = lazy_regex(r"^\s*(?:(?:[-*+]|\d+[.)])\s+)+")
_BOLD = lazy_regex(r"\*\*(\w[^*`]*)\*\*")
_TURNED = lazy_regex(
    r"\b(?:not|never|no|without|avoid|stop|quit|nobody|if|when|whenever|while|why|whether|because|since|although"
    r"|though|unless"
    r"|might|could|would|did|was|were|they|he|she|people|some|instead|rather)\b|n't\b|\bdont\b",
    re.IGNORECASE,
)
"""Before a choice these reverse it, or only report it: "never use yarn instead of npm" asks for npm."""
_COMMON = frozenset(
    "a an any all and as at be but by for from in is it its of on or so that the their them then this those to too we"
    " with you your code file files function functions class test tests echo cd set time true false if then else case"
    " do done type export import let var const one two new old same other another more less it's tool tools command"
    " commands script scripts library framework single double quotes tabs spaces comments emoji emojis mock mocks any"
    " version versions branch main master dev prod local remote default custom plain simple short long sync async"
    " await return yield throw raise exit print".split()
)
"""Words that are, or could be, names of programs: they count only if marked as code."""
_OTHER_SCRIPTS = frozenset("ar hi ja ko ru uk zh".split())
"""In these languages a word in Latin letters is a name, unless it was translated into English."""
_EDITS = frozenset("edit change delete".split())
_KNOWN_VERBS = _EDITS | frozenset("run file folder code".split())
_UNDERSTOOD = (
    _COMMON
    | _KNOWN_VERBS
    | frozenset(
        "commit push merge comment docstring emoji answer english ask format docs dependency install folder code"
        " change add write create update read line message tab space quote indent fix variable database plan summary"
        " explain language without first".split()
    )
)
_CONDITIONS = frozenset("if when because until unless without before after only except".split())
_PROGRAMS = frozenset(
    "git docker sudo curl wget make cargo node deno npx tsc tox mypy gh kubectl terraform rm sed awk grep ssh brew apt"
    " podman nox hatch rye just mise bazel cmake ninja pylint mvn".split()
)
"""Programs that are recognized by name, besides those of which a project uses one."""
_KEYWORDS = frozenset("export import let var const return exit set test type true false eval exec local".split())
"""Shell words that are also words of other languages: on their own they do not name a command, however marked."""


def plain_wording(line: str) -> str:
    """Return what a line of a file says, without list markers and emphasis."""
    return " ".join(_BOLD.sub(r"\1", _BULLET.sub("", line)).split())


def pattern_of_rule(rule: str) -> GuardPattern | None:
    """Return what a rule prohibits and what to use instead; None if it does not say so clearly."""
    text = plain_wording(rule).replace("’", "'")
    if text.endswith(("?", "？", "؟")):
        return None
    slots = slots_of(text)
    if slots.language != ENGLISH:
        return _pattern_of_foreign_rule(slots)
    for choice in _CHOICES:
        found = choice.search(text)
        if found:
            return (
                None if _TURNED.search(_sentence_before(text, found.start())) else _command(found["old"], found["new"])
            )
    found = _REFUSAL.search(text)
    if found:
        return _command(found["old"], "")
    found = _UNTOUCHED.search(text)
    if found:
        place = found["place"].strip("`").rstrip(".")
        return GuardPattern(f"edit: {place}", "") if place.strip("/.*~") and " " not in place else None
    return None


def _pattern_of_foreign_rule(slots: Slots) -> GuardPattern | None:
    """Do the same for a rule in another language, if every word is understood and exactly one thing is prohibited."""
    pieces = set(slots.pieces)
    if pieces & _CONDITIONS or sum(piece in NEGATIVE_MARKS for piece in slots.pieces) != 1:
        return None
    places = [word for word in slots.places if word.refused]
    names = [word for word in slots.words if word not in slots.places and _is_program(word, slots.language)]
    rest = [word for word in slots.words if word not in slots.places and word not in names]
    if any(word.bound for word in slots.words) or any(word.raw not in _KNOWN_VERBS for word in rest):
        return None
    old, new = ([word.raw for word in names if word.refused is refused] for refused in (True, False))
    if places:
        edits = any(word.refused and word.raw in _EDITS for word in rest)
        if len(places) != 1 or len(slots.places) != 1 or names or not edits:
            return None
        place = places[0].raw.strip("`").rstrip(".")
        return GuardPattern(f"edit: {place}", "") if place.strip("/.*~") and " " not in place else None
    if len(old) != 1 or len(new) > 1 or any(word.raw in _EDITS for word in rest):
        return None
    return _command(old[0], new[0] if new else "") if new or pieces & {"use", "run"} else None


def _is_program(word: SlotWord, language: str) -> bool:
    if word.raw[:1] == "`" or word.raw in RIVALS or word.raw in _PROGRAMS:
        return True
    return (
        language in _OTHER_SCRIPTS
        and re.fullmatch(r"[a-z][a-z0-9_.+-]+", word.raw) is not None
        and (word.raw not in _UNDERSTOOD)
    )


def _sentence_before(text: str, place: int) -> str:
    """Return what the same sentence says before a position; a leading "no," only answers somebody."""
    before = text[:place]
    sentence = re.split(r"[.;:!?]\s", before)[-1]
    return re.sub(r"^\W*(?:no|nope|nah|stop|wait),\s*", "", sentence, flags=re.IGNORECASE)


def _command(old: str, new: str) -> GuardPattern | None:
    words = _words(old)
    if not words or (len(words) == 1 and words[0] in _KEYWORDS):
        return None
    better = _words(new) or []
    return GuardPattern(f"shell: {' '.join(words)}", " ".join(better)) if words != better else None


def _words(name: str) -> list[str] | None:
    """Return the words of a command that a rule names; None if it is not a command."""
    marked = name.startswith("`")
    words = name.strip("`").rstrip(".").split()
    if not marked and words and (words[0] in _COMMON or not words[0].islower()):
        return None  # program names are lowercase; languages, products and sentence starts are not
    if not words or any(set(word) & set("*?|…\"'\\$<>(){};&#") for word in words):
        return None
    return words if re.fullmatch(r"[A-Za-z][\w.+-]*", words[0]) else None
