"""What a Learner can be asked and told about the user's own wording of feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.decisions.decider import Decider
from wisen.errors import UsageError
from wisen.model.phrase import Known, in_force
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.edits.edit import Edit
    from wisen.feedback.own_phrases import Own
    from wisen.feedback.phrase_search import Found
    from wisen.model.phrase import OwnPhrase
    from wisen.parts import Parts


class TakenIn(NamedTuple):
    """What was taken from a file of phrases, or taken out, or would be."""

    phrases: tuple[OwnPhrase, ...]
    left: tuple[str, ...]
    """What was left out, and why."""
    sessions: int
    """How many sessions will be understood anew."""


class Phraser(Decider):
    """What a Learner does with the user's own wording."""

    _parts: Parts

    def phrases(self) -> tuple[Known, ...]:
        """The user's own phrases with the turns that speak for each, newest first."""
        ledger, machine = self._parts.ledger, self._parts.machine
        proofs = sorted(ledger.proofs(machine), key=lambda each: each.at, reverse=True)
        return tuple(
            Known(phrase, tuple(each for each in proofs if each.phrase == phrase.id))
            for phrase in in_force(ledger.phrases(machine))
        )

    def speech(self) -> Own:
        """How the user of this machine speaks: his own phrases, and the languages he added."""
        from wisen.feedback.phrase_search import own

        return own(self._parts)

    @one_writer("phrases")
    def learn_phrases(self, *, days: float | None = None, model: bool = False, dry_run: bool = False) -> Found:
        """Look for phrases by which the user corrects and praises in what he typed; keep those that are sure enough.

        `days`: how far back; where it is left out, 30 the first time and 3 later. With `model` the configured models
        name phrases as well, and nothing that does not stand in what he typed. With `dry_run` nothing is kept.

        Raises:
            UsageError: `days` is no number that makes sense.
            ModelError: no model is configured, or it could not be asked.
        """
        from wisen.feedback import phrase_search

        if days is not None and days <= 0:
            raise UsageError(f"--days {days:g} leaves nothing to look at. Give a number above 0, or leave it out.")
        parts = self._parts
        seen = phrase_search.window(parts, days)
        found = phrase_search.search(parts, seen, parts.model() if model else None)
        if not dry_run and seen.new:  # where there was nothing to look at, the first search is still to come
            proofs = [proof for _, of in found.phrases for proof in of]
            phrase_search.keep(parts, [phrase for phrase, _ in found.phrases], [*proofs, found.search])
        return found

    @one_writer("phrases")
    def take_in_phrases(self, path: Path, *, dry_run: bool = False) -> TakenIn:
        """Take in a file of feedback phrases.

        Raises:
            UsageError: it is not there, or not such a file; the value that is wrong is named.
            FileError: it cannot be read.
        """
        from wisen.feedback import phrase_search
        from wisen.feedback.phrase_file import read_phrases

        content = self._parts.files.read(path).content
        if content is None:
            raise UsageError(f"{path} is not there. Give a file of feedback phrases.")
        try:
            held = read_phrases(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} was not taken in: it is no text in UTF-8.") from error
        except UsageError as error:
            raise UsageError(f"{path} was not taken in: {error}.") from error
        self.require_person("phrases", "learn", "--from", str(path.absolute()), dry_run=dry_run)
        new, left = phrase_search.told(self._parts, held.phrases)
        return TakenIn(tuple(new), tuple(left), self._kept(new, dry_run=dry_run))

    def write_phrases(self, path: Path, *, dry_run: bool = False) -> tuple[Edit, ...]:
        """Put the user's phrases into a file of feedback phrases; what stands there stays, and it can be undone.

        Returns what was changed in it; nothing where it holds them already.

        Raises:
            UsageError: what is there is not such a file.
            FileError, SettingsUnclear: it cannot be read or written.
        """
        from wisen.edits.edit import Editor, ValuePlan
        from wisen.feedback.phrase_file import FeedbackPhrases, fields, read_phrases

        parts = self._parts
        content = parts.files.read(path).content
        try:
            held = FeedbackPhrases() if content is None else read_phrases(content.decode("utf-8", "replace"))
        except UsageError as error:
            raise UsageError(f"{path} was not written: {error}.") from error
        own = [(each.text, each.kind) for each in in_force(parts.ledger.phrases(parts.machine))]
        made: list[Edit] = []
        for name, value in fields(held, own, parts.clock.now()).items():
            saw = parts.files.read(path).digest
            plan = ValuePlan(str(path.absolute()), (name,), value, "your own phrases of feedback", saw)
            made.append(Editor(parts.desk).set(plan, dry_run=dry_run))
        return tuple(made)

    @one_writer("phrases")
    def remove_phrase(self, text: str, *, dry_run: bool = False) -> TakenIn:
        """Take one phrase out: it is heard no longer, and does not come back by itself.

        Raises:
            UsageError: there is no such phrase.
        """
        from wisen.feedback import phrase_search

        rows = phrase_search.take_out(self._parts, text)
        if not rows:
            raise UsageError(f"{text!r} is none of your phrases. Those that are: wisen phrases show")
        self.require_person("phrases", "remove", text, dry_run=dry_run)
        return TakenIn(tuple(rows), (), self._kept(rows, dry_run=dry_run))

    def _kept(self, rows: list[OwnPhrase], *, dry_run: bool) -> int:
        from wisen.feedback import phrase_search

        if dry_run:
            return len(phrase_search.holding(self._parts, [each.text for each in rows]))
        return phrase_search.keep(self._parts, rows) if rows else 0
