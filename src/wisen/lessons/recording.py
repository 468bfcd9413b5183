"""Records what the user said as entries: one per lesson, however often and in whatever words it recurs."""

from __future__ import annotations

import re
from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from wisen.lessons.global_scope import is_for_all_projects, source_sentence
from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry import (
    ONLY_LOCAL,
    Actor,
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
)
from wisen.model.entry_names import entry_name
from wisen.model.entry_state import encode_trigger
from wisen.model.signal import SURE_GAP, LessonTopic, SignalKind
from wisen.text.directives import directives_in
from wisen.text.lazy_regex import lazy_regex
from wisen.text.negations import count_negations
from wisen.text.outright_words import is_improvement
from wisen.text.sameness import LessonIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.signal import Lesson, SourcedSignal
    from wisen.store.row_factory import RowFactory

Rows: TypeAlias = "list[Entry | Occurrence | Move]"

_CATEGORIES = {
    SignalKind.REMEMBER: Category.PREFERENCE,
    SignalKind.PREFERENCE: Category.PREFERENCE,
    SignalKind.CORRECTION: Category.CORRECTION,
    SignalKind.REQUEST: None,
    SignalKind.GAP: Category.KNOWLEDGE_GAP,
}
"""What a signal is recorded as, the most specific first: a message that says several things is one occurrence."""
_MAX_SENTENCE_LENGTH = 280
"""A longer sentence is not recorded: the part cut off might say the opposite."""
_DETAILS = 960
_CUT = " …"
_OLD_QUOTE = 240
_NEED_A_LESSON = (SignalKind.CORRECTION, SignalKind.PREFERENCE, SignalKind.REMEMBER)
"""Without a lesson they are remarks: recall finds them, and nothing is learned from them."""
_NOT_A_FACT = lazy_regex(
    r"(?:a+r+g+h+|ah|oh|hm+|ugh|i|i've|i'm|i'll|another agent|(?:it )?(?:looks|seems))\b|.*\?\s*\Z", re.IGNORECASE
)
"""A question, or what users say about themselves: not a fact about the project."""
_NAME = lazy_regex(r"(?i:\b(?:we|our|there|there's|this repo|this project)\b)|`|\w[./_]\w|[a-z][A-Z]|[A-Z]{2}|\d")
"""A fact that names nothing could be about anything."""
_REQUESTS = lazy_regex(
    r"\b(?:can|could|would|please|let's|lets|want|need|wish|add|support|should|feature|nice|love|like|hope)\b",
    re.IGNORECASE,
)
"""How English asks for something: a reported defect, or a line of a review, is not a request."""
_SENTENCE = lazy_regex(r"[^.!?。！？।؟\n]+(?:[.!?](?!\s|\Z)[^.!?。！？।؟\n]*)*[.!?。！？।؟]*")
_CRITICAL = lazy_regex(
    r"\b(?:data ?loss|lost (?:my|our|all|the) (?:data|work|changes|files)|wiped|dropped the (?:database|table)|"
    r"secrets?|password|credentials?|api key|leak(?:ed|s)?|production|force[- ]push(?:ed)?|rm -rf)\b",
    re.IGNORECASE,
)
_AREAS = (
    ("tests", lazy_regex(r"\b(?:tests?|testing|coverage|fixtures?|mocks?|e2e)\b", re.IGNORECASE)),
    ("docs", lazy_regex(r"\b(?:docs?|documentation|readme|changelog|comments?)\b", re.IGNORECASE)),
    ("security", lazy_regex(r"\b(?:security|secrets?|tokens?|credentials?|passwords?)\b", re.IGNORECASE)),
    ("config", lazy_regex(r"\b(?:config\w*|settings?|env|ci)\b", re.IGNORECASE)),
)
_AREA_OF: dict[LessonTopic | None, str] = {LessonTopic.STYLE: "behavior", LessonTopic.FACT: "project"}
_FILE = lazy_regex(r"(?<![\w/])[\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5}\b")


def record_statements(
    sightings: Iterable[SourcedSignal],
    known: Sequence[EntryState],
    seen: Collection[str],
    factory: RowFactory,
    apart: Iterable[Occurrence] = (),
    confined: Collection[str] = (),
) -> Rows:
    """Return the rows for new statements: occurrences of known lessons, and new entries; `seen` was recorded before.

    An entry that says the opposite of another one of its context is a conflict, never a duplicate. What a person split
    `apart` from an entry is not merged with it again when it is said in the same words. What `confined` agents recorded
    belongs to one project and applies there only, whatever it says about others.
    """
    sightings_to_record = _select_sightings(sightings)
    restored = _restore_negations((each for each in sightings_to_record if is_recorded(each, seen)), known, factory)
    new = [each for each in sightings_to_record if occurrence_id(each) not in seen]
    if not new:
        return [*restored]
    contexts = {EVERYWHERE, *(each.context or NOWHERE for each in new)}
    recorder = _Recorder(known, contexts, apart, confined, factory)
    for sighting in new:
        recorder.record(sighting, is_old=message_id(sighting) in seen)
    return [*restored, *recorder.rows]


class _Recorder:
    """Finds the entry of each lesson, and collects the rows to record."""

    def __init__(
        self,
        known: Sequence[EntryState],
        contexts: Collection[str],
        apart: Iterable[Occurrence],
        confined: Collection[str],
        factory: RowFactory,
    ) -> None:
        """Create it; `contexts`: where something was said."""
        self.rows: Rows = []
        self._factory, self._confined = factory, confined
        self._lookups: dict[str, LessonIndex] = defaultdict(LessonIndex)
        for state in known:
            if state.context in contexts:
                self._lookups[state.context].add(state.entry.id, state.text, trigger=state.trigger)
        self._names = {state.entry.name for state in known}
        self._merged = {state.entry.id: state.merged_into for state in known if state.merged_into}
        self._global = {state.entry.id for state in known if state.everywhere or state.context == EVERYWHERE}
        self._split = {(each.context, each.quote): each.entry for each in apart}
        self._lasting = {state.entry.id for state in known if state.is_standing}
        self._triggers = {state.entry.id: state.trigger for state in known}
        self._local = {state.entry.id for state in known if state.local}
        self._by_message: dict[str, set[str]] = defaultdict(set)
        """By message, the entries made from it: lessons of one message are never merged with each other."""

    def record(self, sighting: SourcedSignal, *, is_old: bool) -> None:
        """Record one lesson; `is_old`: whether an earlier version recorded its whole message."""
        context, text = sighting.context or NOWHERE, text_of(sighting)
        entry = self._find_entry(sighting, context, text)
        if is_old and entry is not None:
            return
        siblings = self._by_message[message_id(sighting)]
        if entry is None or entry in siblings:
            entry = self._add_entry(sighting, context, text)
            siblings.add(entry)
        while entry in self._merged:
            entry = self._merged[entry]
        self.rows.append(_occurrence(sighting, entry, context, text, self._factory))
        if not sighting.local and entry in self._local:
            self._mark_hosted(entry, text)
        lesson = sighting.said.signal.lesson
        if lesson is not None and (entry in self._local or not sighting.local):
            self._strengthen(entry, lesson)
        sentence = source_sentence(sighting.text, text)
        if entry not in self._global and sighting.agent not in self._confined and is_for_all_projects(sentence):
            self._global.add(entry)
            self.rows.append(self._factory.build_move(entry, MoveKind.EVERYWHERE, by=Actor.USER, why="you said so"))

    def _find_entry(self, sighting: SourcedSignal, context: str, text: str) -> str | None:
        apart = self._split.get((context, text)) or self._split.get((context, _message_head(sighting)))
        lesson = sighting.said.signal.lesson
        trigger = None if lesson is None else lesson.trigger
        return (
            apart
            or self._lookups[context].find(text, trigger=trigger)
            or self._lookups[EVERYWHERE].find(text, trigger=trigger)
        )

    def _add_entry(self, sighting: SourcedSignal, context: str, text: str) -> str:
        lookup, factory = self._lookups[context], self._factory
        entry = _entry(sighting, text, context, self._names, factory)
        self.rows.append(entry)
        self.rows += [factory.build_move(entry.id, MoveKind.CONFLICT, other) for other in lookup.find_opposites(text)]
        if sighting.local:
            self._local.add(entry.id)
            self.rows.append(
                factory.build_move(entry.id, MoveKind.LOCAL, ONLY_LOCAL, why="you typed it to a local model")
            )
        lookup.add(entry.id, text, trigger=entry.trigger)
        self._triggers[entry.id] = entry.trigger
        if entry.standing:
            self._lasting.add(entry.id)
        return entry.id

    def _mark_hosted(self, entry: str, text: str) -> None:
        """Record that it was typed to a hosted model too: in these words, which may differ from the local ones."""
        self._local.remove(entry)
        self.rows.append(self._factory.build_move(entry, MoveKind.LOCAL, why="you typed it to a hosted model as well"))
        self.rows.append(self._factory.build_move(entry, MoveKind.TEXT, text, why="as you typed it to a hosted model"))
        if self._triggers.pop(entry, None) is not None:
            self.rows.append(self._factory.build_move(entry, MoveKind.TRIGGER, why="that was with a local model"))

    def _strengthen(self, entry: str, lesson: Lesson) -> None:
        """Record that the user now said that it lasts, or what it was about this time."""
        if lesson.standing and entry not in self._lasting:
            self._lasting.add(entry)
            why = f"you said it again, and that it lasts: “{lesson.marker}”"
            self.rows.append(self._factory.build_move(entry, MoveKind.LASTING, by=Actor.USER, why=why))
        if lesson.trigger is not None and self._triggers.get(entry) != lesson.trigger:
            self._triggers[entry] = lesson.trigger
            value = encode_trigger(lesson.trigger)
            self.rows.append(self._factory.build_move(entry, MoveKind.TRIGGER, value, why="it came up again"))


def _restore_negations(seen: Iterable[SourcedSignal], known: Sequence[EntryState], factory: RowFactory) -> list[Move]:
    """Restore the user's words in entries whose wording by an earlier version lost a negation.

    Such a version made one entry of a message. Later ones quote each lesson of a message: one does not word another.
    """
    open_ = {
        (state.context, state.entry.details): state
        for state in known
        if state.entry.origin is EntryOrigin.STATED
        and state.entry.standing is None
        and state.status is EntryStatus.PENDING
        and not state.confirmed
        and state.text == state.entry.summary
    }
    moves: dict[str, Move] = {}
    for sighting in seen if open_ else ():
        state = open_.get((sighting.context or NOWHERE, _details(sighting)))
        text = text_of(sighting) if state is not None else ""
        if state is None or not text or count_negations(text) <= count_negations(state.text):
            continue
        move = factory.build_move(
            state.entry.id, MoveKind.TEXT, text, why="in your own words: a negation had been left out"
        )
        moves[state.entry.id] = move
    return [*moves.values()]


def message_id(sighting: SourcedSignal) -> str:
    """Return the id of a message: the same on every machine that reads the same log."""
    identity = "\0".join((sighting.agent, sighting.native, sighting.said.message)).encode("utf-8", "surrogateescape")
    return blake2b(identity, digest_size=13).hexdigest()


def occurrence_id(sighting: SourcedSignal) -> str:
    """Return the id of the occurrence for a sighting: a message may hold several lessons."""
    identity = f"{message_id(sighting)}\0{text_of(sighting)}".encode("utf-8", "surrogateescape")
    return blake2b(identity, digest_size=13).hexdigest()


def is_recorded(sighting: SourcedSignal, seen: Collection[str]) -> bool:
    """Whether it was recorded before: this lesson, or its whole message by an earlier version."""
    return occurrence_id(sighting) in seen or message_id(sighting) in seen


def _select_sightings(sightings: Iterable[SourcedSignal]) -> list[SourcedSignal]:
    """Return one sighting per lesson of each message, and per request or gap besides them; oldest first."""
    order = list(_CATEGORIES)
    of: dict[tuple[str, str], SourcedSignal] = {}
    lessons: dict[str, list[SourcedSignal]] = defaultdict(list)
    for each in sightings:
        signal, text = each.said.signal, text_of(each)
        if signal.kind not in _CATEGORIES or signal.is_doubtful or not text or not _is_understandable(each):
            continue
        key = message_id(each), text
        if key not in of or order.index(signal.kind) < order.index(of[key].said.signal.kind):
            of[key] = each
        if signal.lesson is not None:
            lessons[key[0]].append(each)
    found = [
        each
        for (message, _), each in of.items()
        if each.said.signal.lesson is not None or not any(_overlap(each, other) for other in lessons[message])
    ]
    return sorted(found, key=lambda each: (each.said.at, message_id(each), each.said.signal.start))


def _is_understandable(sighting: SourcedSignal) -> bool:
    """Whether it makes sense without having been there; without a lesson, whether it is recorded nevertheless."""
    lesson = sighting.said.signal.lesson
    if lesson is None:
        return _is_recorded_without_lesson(sighting)
    if lesson.standing or lesson.trigger is not None:
        return True
    read = directives_in(lesson.text)
    return not read or any(each.stands_alone for each in read)


def _is_recorded_without_lesson(sighting: SourcedSignal) -> bool:
    """Whether it is recorded without a lesson: a request is, and what the agent surely did not know."""
    if sighting.said.signal.kind is SignalKind.GAP:
        text, sure = text_of(sighting), sighting.said.signal.probability >= SURE_GAP
        names = _NAME.search(text) is not None or not text.isascii()
        return is_improvement(text) or (sure and names and _NOT_A_FACT.match(text) is None)
    if sighting.said.signal.kind is SignalKind.REQUEST:
        return _REQUESTS.search(text_of(sighting)) is not None or not text_of(sighting).isascii()
    return sighting.said.signal.kind not in _NEED_A_LESSON


def _overlap(one: SourcedSignal, other: SourcedSignal) -> bool:
    """Whether the evidence of two sightings overlaps in the text."""
    ours, theirs = one.said.signal, other.said.signal
    return ours.start < theirs.end and theirs.start < ours.end


def text_of(sighting: SourcedSignal) -> str:
    """Return the lesson, or the sentence that contains the evidence; empty if that is too long to quote."""
    signal = sighting.said.signal
    if signal.lesson is not None:
        return signal.lesson.text
    for found in _SENTENCE.finditer(sighting.text):
        sentence = " ".join(found.group().split())
        if found.end() > signal.start and sentence:
            return sentence if len(sentence) <= _MAX_SENTENCE_LENGTH else ""
    return ""


def _entry(sighting: SourcedSignal, text: str, context: str, names: set[str], factory: RowFactory) -> Entry:
    signal = sighting.said.signal
    lesson, id_ = signal.lesson, factory.ids.new()
    type_ = EntryType.FEATURE if signal.kind is SignalKind.REQUEST else EntryType.LEARNING
    name = entry_name(type_, sighting.said.at, id_, names)
    names.add(name)
    about = None if lesson is None else lesson.about
    return Entry(
        id=id_,
        name=name,
        machine=factory.machine,
        context=context,
        at=factory.clock.now(),
        type=type_,
        category=_category(signal.kind, text),
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
        standing=lesson is not None and lesson.standing,
        trigger=None if lesson is None else lesson.trigger,
    )


def _category(kind: SignalKind, text: str) -> Category | None:
    better = kind is SignalKind.GAP and is_improvement(text)
    return Category.BEST_PRACTICE if better else _CATEGORIES[kind]


def _durable(sighting: SourcedSignal) -> float:
    """Return how likely it is meant to last; what users asked to remember is."""
    signal = sighting.said.signal
    if signal.kind is SignalKind.REMEMBER:
        return 1.0
    return 0.0 if signal.lesson is None else signal.lesson.durable


def _priority(sighting: SourcedSignal) -> Priority:
    signal = sighting.said.signal
    if signal.kind is SignalKind.CORRECTION and _CRITICAL.search(sighting.text):
        return Priority.CRITICAL
    lasting = signal.lesson is not None and signal.lesson.standing
    return Priority.MEDIUM if lasting or signal.kind is not SignalKind.CORRECTION else Priority.LOW


def _occurrence(sighting: SourcedSignal, entry: str, context: str, text: str, factory: RowFactory) -> Occurrence:
    return Occurrence(
        id=occurrence_id(sighting),
        entry=entry,
        machine=factory.machine,
        context=context,
        agent=sighting.agent,
        session=sighting.native,
        message=sighting.said.message,
        at=sighting.said.at,
        quote=text,
    )


def _details(sighting: SourcedSignal) -> str:
    words = " ".join(sighting.text.split())
    return words if len(words) <= _DETAILS else words[: _DETAILS - len(_CUT)].rpartition(" ")[0] + _CUT


def _message_head(sighting: SourcedSignal) -> str:
    """Return what earlier versions stored as the quote of a message."""
    return " ".join(sighting.text.split())[:_OLD_QUOTE]
