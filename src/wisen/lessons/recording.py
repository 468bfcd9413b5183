"""Turns what the user said into entries: one for each lesson, however often and in whatever words it recurs."""

from __future__ import annotations

import re
from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from wisen.lessons.reach import says_everywhere, teaching
from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry import (
    Category,
    Entry,
    EntryOrigin,
    EntrySource,
    EntryStatus,
    EntryType,
    Move,
    MoveKind,
    Occurrence,
    Priority,
    Who,
)
from wisen.model.entry_names import name_of
from wisen.model.signal import About, SignalKind
from wisen.text.lasting_words import is_for_now, is_insistent
from wisen.text.negations import count_negations
from wisen.text.sameness import Lessons

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.signal import Sighting
    from wisen.store.scribe import Scribe

Rows: TypeAlias = "list[Entry | Occurrence | Move]"

_CATEGORIES = {
    SignalKind.REMEMBER: Category.PREFERENCE,
    SignalKind.PREFERENCE: Category.PREFERENCE,
    SignalKind.CORRECTION: Category.CORRECTION,
    SignalKind.REQUEST: None,
    SignalKind.GAP: Category.KNOWLEDGE_GAP,
}
"""What a signal becomes, the most telling first: a message that says several things is one occurrence."""
_LONGEST = 240
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LEAD = re.compile(
    r"^(?:please )?(?:remember|note|keep in mind)(?:(?: that| this)?[:,]| that)\s+|^(?:fyi|btw)[:,]\s+", re.IGNORECASE
)
"""What only asks to remember; "remember to" and "remember not to" are part of what is to be remembered."""
_LASTING = 0.9
"""From here on an order says itself that it lasts."""
_CRITICAL = re.compile(
    r"\b(?:data ?loss|lost (?:my|our|all|the) (?:data|work|changes|files)|wiped|dropped the (?:database|table)|"
    r"secrets?|password|credentials?|api key|leak(?:ed|s)?|production|force[- ]push(?:ed)?|rm -rf)\b",
    re.IGNORECASE,
)
_AREAS = (
    ("tests", re.compile(r"\b(?:tests?|testing|coverage|fixtures?|mocks?|e2e)\b", re.IGNORECASE)),
    ("docs", re.compile(r"\b(?:docs?|documentation|readme|changelog|comments?)\b", re.IGNORECASE)),
    ("security", re.compile(r"\b(?:security|secrets?|tokens?|credentials?|passwords?)\b", re.IGNORECASE)),
    ("config", re.compile(r"\b(?:config\w*|settings?|env|ci)\b", re.IGNORECASE)),
)
_AREA_OF: dict[About | None, str] = {About.STYLE: "behavior", About.FACT: "project"}
_FILE = re.compile(r"(?<![\w/])[\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5}\b")


def entered(
    sightings: Iterable[Sighting],
    known: Sequence[EntryState],
    seen: Collection[str],
    scribe: Scribe,
    apart: Iterable[Occurrence] = (),
    confined: Collection[str] = (),
) -> Rows:
    """What is new in what was said: occurrences of known lessons, and entries for new ones; `seen` was entered before.

    An entry that says the opposite of another one of its context is a conflict, and never the same. What a person took
    `apart` from another entry is not joined with that again when it is said in the same words. What `confined` agents
    recorded was kept in a project, and holds there, whatever it says of others.
    """
    telling = _telling(sightings)
    requoted = _requoted((each for each in telling if sight_of(each) in seen), known, scribe)
    new = [each for each in telling if sight_of(each) not in seen]
    if not new:
        return [*requoted]
    lookups: dict[str, Lessons] = defaultdict(Lessons)
    for state in known:
        lookups[state.context].add(state.entry.id, state.text)
    names = {state.entry.name for state in known}
    followed = {state.entry.id: state.merged_into for state in known if state.merged_into}
    wide = {state.entry.id for state in known if state.everywhere or state.context == EVERYWHERE}
    split = {(each.context, each.quote): each.entry for each in apart}
    lasts = {state.entry.id: state.durable for state in known}
    rows: Rows = [*requoted]
    for sighting in new:
        context = sighting.context or NOWHERE
        text = _text(sighting)
        if not text:
            continue
        lookup = lookups[context]
        entry = split.get((context, _quote(sighting))) or lookup.find(text) or lookups[EVERYWHERE].find(text)
        if entry is None:
            made = _entry(sighting, text, context, names, scribe)
            rows.append(made)
            rows += [scribe.move(made.id, MoveKind.CONFLICT, other) for other in lookup.opposites(text)]
            lookup.add(made.id, text)
            entry = made.id
            lasts[entry] = made.durable
        while entry in followed:
            entry = followed[entry]
        rows.append(_occurrence(sighting, entry, context, scribe))
        if lasts.get(entry, 1.0) < _LASTING and (_durable(sighting) >= _LASTING or _repeats(sighting, rows)):
            lasts[entry] = 1.0
            rows.append(scribe.move(entry, MoveKind.LASTING, by=Who.USER, why="you said it again, more strongly"))
        if entry not in wide and sighting.agent not in confined and says_everywhere(teaching(sighting.text, text)):
            wide.add(entry)
            rows.append(scribe.move(entry, MoveKind.EVERYWHERE, by=Who.USER, why="you said so"))
    return rows


def _repeats(sighting: Sighting, rows: Rows) -> bool:
    """Whether the user says that it was said before; not where this is the first that is known of it."""
    first = isinstance(rows[-2] if rows[1:] else None, Entry)
    return not first and is_insistent(sighting.text) and not is_for_now(sighting.text)


def _requoted(seen: Iterable[Sighting], known: Sequence[EntryState], scribe: Scribe) -> list[Move]:
    """Entries that an earlier version worded so that a negation of the user's was lost: they get the user's words."""
    open_ = {
        (state.context, state.entry.details): state
        for state in known
        if state.entry.origin is EntryOrigin.STATED
        and state.status is EntryStatus.PENDING
        and not state.confirmed
        and state.text == state.entry.summary
    }
    moves: dict[str, Move] = {}
    for sighting in seen if open_ else ():
        state = open_.get((sighting.context or NOWHERE, _details(sighting)))
        text = _text(sighting) if state is not None else ""
        if state is None or not text or count_negations(text) <= count_negations(state.text):
            continue
        move = scribe.move(state.entry.id, MoveKind.TEXT, text, why="in your own words: a negation had been left out")
        moves[state.entry.id] = move
    return [*moves.values()]


def sight_of(sighting: Sighting) -> str:
    """The id of the occurrence that a sighting makes: the same on every machine that reads the same log."""
    told = "\0".join((sighting.agent, sighting.native, sighting.said.message)).encode("utf-8", "surrogateescape")
    return blake2b(told, digest_size=13).hexdigest()


def _telling(sightings: Iterable[Sighting]) -> list[Sighting]:
    """One sighting for each message that teaches, oldest first."""
    order = list(_CATEGORIES)
    of: dict[str, Sighting] = {}
    for each in sightings:
        kind = each.said.signal.kind
        if kind not in _CATEGORIES or (kind is SignalKind.CORRECTION and each.said.signal.lesson is None):
            continue
        id_ = sight_of(each)
        if id_ not in of or order.index(kind) < order.index(of[id_].said.signal.kind):
            of[id_] = each
    return sorted(of.values(), key=lambda each: (each.said.at, sight_of(each)))


def _text(sighting: Sighting) -> str:
    """The lesson, or the sentence in which the evidence stands."""
    signal = sighting.said.signal
    if signal.lesson is not None:
        return signal.lesson.text
    start = 0
    for sentence in _SENTENCE.split(sighting.text):
        start = sighting.text.find(sentence, start) + len(sentence)
        if start >= signal.start and sentence.strip():
            return _LEAD.sub("", " ".join(sentence.split()))[:_LONGEST].strip()
    return ""


def _entry(sighting: Sighting, text: str, context: str, names: set[str], scribe: Scribe) -> Entry:
    signal = sighting.said.signal
    lesson, id_ = signal.lesson, scribe.ids.new()
    type_ = EntryType.FEATURE if signal.kind is SignalKind.REQUEST else EntryType.LEARNING
    name = name_of(type_, sighting.said.at, id_, names)
    names.add(name)
    about = None if lesson is None else lesson.about
    return Entry(
        id=id_,
        name=name,
        machine=scribe.machine,
        context=context,
        at=scribe.clock.now(),
        type=type_,
        category=_CATEGORIES[signal.kind],
        summary=text,
        details=_details(sighting),
        source=EntrySource.USER_FEEDBACK if signal.kind is SignalKind.CORRECTION else EntrySource.CONVERSATION,
        origin=EntryOrigin.STATED,
        priority=_priority(sighting),
        area=next(
            (area for area, words in _AREAS if words.search(text)),
            _AREA_OF.get(about, "tooling") if about else "tooling",
        ),
        files=tuple(dict.fromkeys(_FILE.findall(text)))[:5],
        about=about,
        durable=_durable(sighting),
    )


def _durable(sighting: Sighting) -> float:
    """How likely it is meant to last; what they asked to be remembered is."""
    signal = sighting.said.signal
    if signal.kind is SignalKind.REMEMBER:
        return 1.0
    return 0.0 if signal.lesson is None else signal.lesson.durable


def _priority(sighting: Sighting) -> Priority:
    signal = sighting.said.signal
    if signal.kind is SignalKind.CORRECTION and _CRITICAL.search(sighting.text):
        return Priority.CRITICAL
    lasting = signal.lesson is not None and signal.lesson.is_durable
    return Priority.MEDIUM if lasting or signal.kind is not SignalKind.CORRECTION else Priority.LOW


def _occurrence(sighting: Sighting, entry: str, context: str, scribe: Scribe) -> Occurrence:
    return Occurrence(
        id=sight_of(sighting),
        entry=entry,
        machine=scribe.machine,
        context=context,
        agent=sighting.agent,
        session=sighting.native,
        message=sighting.said.message,
        at=sighting.said.at,
        quote=_quote(sighting),
    )


def _details(sighting: Sighting) -> str:
    return " ".join(sighting.text.split())[: 4 * _LONGEST]


def _quote(sighting: Sighting) -> str:
    return " ".join(sighting.text.split())[:_LONGEST]
