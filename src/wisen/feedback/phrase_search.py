"""Searches typed turns for the user's own feedback phrases, and records them so that they are detected from then on."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.feedback.phrase_naming import PhraseNamer
from wisen.feedback.phrase_statistics import find_phrases, is_storable
from wisen.feedback.turn_signs import observe_turns
from wisen.feedback.user_detector import find_phrase, fold_turn
from wisen.model.phrase import (
    PHRASE_KINDS,
    PhraseProof,
    PhraseSearch,
    PhraseSource,
    UserPhrase,
    active_phrases,
    removed_phrases,
)
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from wisen.feedback.added_languages import AddedLanguages
    from wisen.feedback.phrase_statistics import PhraseCandidate
    from wisen.feedback.turn_signs import ObservedTurn
    from wisen.language_models.model_ports import Model
    from wisen.model.signal import SignalKind
    from wisen.store.home import Home

FIRST_DAYS = 30.0
"""How far back the first search looks."""
LATER_DAYS = 3.0
"""How far back later searches look for new phrases; their evidence is counted over the days of the first."""
_LOOKBACK = timedelta(days=1)
"""Read before the window, so that what happened around its first turns is known."""
_MAX_QUOTE = 200
_QUOTE_LEAD = 40
"""How much of a long turn is quoted, and how much of that is before the phrase."""


class FoundPhrases(NamedTuple):
    """The result of a search for phrases."""

    search: PhraseSearch
    phrases: tuple[tuple[UserPhrase, tuple[PhraseProof, ...]], ...]
    notes: tuple[str, ...] = ()
    """What could not be done, and why."""


class SearchWindow(NamedTuple):
    """The turns that are searched."""

    since: datetime
    """New phrases are searched from here on."""
    turns: tuple[ObservedTurn, ...]
    """All turns that count as evidence."""

    @property
    def new(self) -> list[ObservedTurn]:
        """The turns that are searched for new phrases."""
        return [turn for turn in self.turns if turn.at >= self.since]


def search_window(home: Home, added: AddedLanguages, days: float | None) -> SearchWindow:
    """The turns of so many days; by default those of the first search or of a later one."""
    now, first = home.clock.now(), not home.ledger.phrases.searches(home.machine)
    since = now - timedelta(days=days or (FIRST_DAYS if first else LATER_DAYS))
    counted = since if days else now - timedelta(days=FIRST_DAYS)
    histories = home.index.events.histories(Selection(since=counted - _LOOKBACK))
    turns = (turn for history in histories for turn in observe_turns(history, added.model) if turn.at >= counted)
    return SearchWindow(since, tuple(turns))


def count_candidates(home: Home, window: SearchWindow) -> list[PhraseCandidate]:
    """The phrases found by counting, without those that are known, were removed, or may not be stored."""
    rows = home.ledger.phrases.of(home.machine)
    known = {each.text for each in active_phrases(rows)} | {text for text, _ in removed_phrases(rows)}
    fresh = {gram for turn in window.new if turn.signs for gram in turn.ngrams}
    return [each for each in find_phrases(window.turns, without=known) if each.text in fresh and is_storable(each.text)]


def search_phrases(home: Home, added: AddedLanguages, window: SearchWindow, model: Model | None = None) -> FoundPhrases:
    """The phrases found by counting and, with a model, those that it names; nothing is recorded yet.

    Raises:
        ModelAbsent: the model is not configured.
        MissingExtra: asking it needs something that is not installed.
    """
    found = [(each, PhraseSource.COUNTED) for each in count_candidates(home, window)]
    notes: list[str] = []
    if model is not None:
        named = PhraseNamer(model, added.model)
        rows = home.ledger.phrases.of(home.machine)
        known = {each.text for each in active_phrases(rows)} | {text for text, _ in removed_phrases(rows)}
        known |= {each.text for each, _ in found}
        found += [(each, PhraseSource.MODEL) for each in named.candidates(window.turns, window.new, known)]
        notes = named.notes
    return _build_rows(home, window, found, PhraseSource.COUNTED if model is None else PhraseSource.MODEL)._replace(
        notes=tuple(notes)
    )


def _build_rows(
    home: Home, window: SearchWindow, candidates: Iterable[tuple[PhraseCandidate, PhraseSource]], asked: PhraseSource
) -> FoundPhrases:
    """The rows for the found phrases."""
    now, rows = home.clock.now(), list[tuple[UserPhrase, tuple[PhraseProof, ...]]]()
    for each, way in candidates:
        phrase = UserPhrase(
            id=home.ids.new(),
            machine=home.machine,
            at=now,
            text=each.text,
            kind=each.kind,
            way=way,
            hits=len(each.hits),
            turns=len(each.turns),
            sessions=each.sessions,
            signs=each.signs,
            others=each.others,
        )
        rows.append((phrase, tuple(_proof(phrase, turn) for turn in each.hits if is_storable(turn.text))))
    search = PhraseSearch(
        id=home.ids.new(),
        machine=home.machine,
        at=now,
        since=window.since,
        way=asked,
        turns=len(window.new),
        found=len(rows),
    )
    return FoundPhrases(search, tuple(rows))


def rows_from_file(home: Home, phrases: Iterable[tuple[str, SignalKind]]) -> tuple[list[UserPhrase], list[str]]:
    """The rows for the phrases of a file, and which were skipped and why."""
    rows = home.ledger.phrases.of(home.machine)
    known, removed_before = {(each.text, each.kind) for each in active_phrases(rows)}, removed_phrases(rows)
    forgotten, now = home.forgotten_filter, home.clock.now()
    new: dict[tuple[str, SignalKind], UserPhrase] = {}
    skipped: list[str] = []
    for text, kind in phrases:
        named = " ".join(fold_turn(text).split())
        if (named, kind) in known or (named, kind) in new:
            continue
        if not named.strip("\0 "):
            skipped.append(f"{text!r} has no words.")
        elif (named, kind) in removed_before:
            skipped.append(f"{text!r} was removed before, and is not imported again.")
        elif not is_storable(text) or forgotten.contains_forgotten(text):
            skipped.append(
                f"a {kind.value} phrase may not be stored: it contains a secret, private data or forgotten text."
            )
        else:
            new[named, kind] = UserPhrase(
                id=home.ids.new(), machine=home.machine, at=now, text=named, kind=kind, way=PhraseSource.FILE
            )
    return [*new.values()], skipped


def record_phrases(home: Home, phrases: Sequence[UserPhrase], rows: Iterable[PhraseProof | PhraseSearch] = ()) -> int:
    """Record phrases, and have the sessions that contain them analyzed again. Returns the number of those sessions."""
    sessions = sessions_with_phrases(home, [each.text for each in phrases])
    # Also before: a crash in between only causes repeated work.
    home.index.findings.mine_again(sessions)
    home.ledger.phrases.add([*phrases, *rows])
    home.index.findings.mine_again(sessions)
    return len(sessions)


def sessions_with_phrases(home: Home, texts: Collection[str]) -> set[int]:
    """The index numbers of the sessions in which phrases were typed."""
    if not texts:
        return set()
    return {
        history.session
        for history in home.index.events.histories(Selection())
        if any(
            find_phrase(text, typed) is not None
            for turn in history.turns
            if (typed := fold_turn(turn.text or ""))
            for text in texts
        )
    }


def removal_rows(home: Home, text: str) -> list[UserPhrase]:
    """The rows by which a phrase is no longer detected, whatever it stood for."""
    named = " ".join(fold_turn(text).split())
    return [
        UserPhrase(
            id=home.ids.new(),
            machine=home.machine,
            at=home.clock.now(),
            text=named,
            kind=kind,
            way=PhraseSource.REMOVED,
        )
        for kind in PHRASE_KINDS
        if (named, kind) in {(each.text, each.kind) for each in active_phrases(home.ledger.phrases.of(home.machine))}
    ]


def _proof(phrase: UserPhrase, turn: ObservedTurn) -> PhraseProof:
    text = " ".join(turn.text.split())
    place = max(0, (find_phrase(phrase.text, fold_turn(text)) or 0) - _QUOTE_LEAD)
    return PhraseProof(
        id=f"{phrase.id}-{turn.agent}-{turn.message}",
        phrase=phrase.id,
        machine=phrase.machine,
        agent=turn.agent,
        session=turn.session,
        message=turn.message,
        at=turn.at,
        context=turn.context,
        quote=text if len(text) <= _MAX_QUOTE else f"{'…' if place else ''}{text[place : place + _MAX_QUOTE]}…",
        signs=", ".join(sorted(turn.signs)) or "labelled by a model",
    )
