"""Evaluates how well an added language is detected, on sentences of which half are held back.

Sentences are next to the language file, in `languages/sentences/<code>.toml`, sorted by what they are. Which half a
sentence belongs to follows from its letters alone, so it never changes sides. The other half is there to improve the
file: missed sentences are shown. Of the held-back half only counts are reported.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from wisen.errors import LanguageError
from wisen.feedback.text_normalization import fold
from wisen.model.signal import TypedTurn
from wisen.model.user_language import LanguageAccuracy
from wisen.safety.foreign_settings import parse_toml

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.feedback.detector import DetectorModel
    from wisen.feedback.language import Language, Words

SENTENCES = "sentences"
"""The folder of sentences, inside that of the languages."""
MIN_SENTENCES = {"directives": 6, "prohibitions": 5, "harmless": 6}
"""The number of held-back sentences of each kind that make counts meaningful."""
MAX_SENTENCE = 280
_SEED = b"wisen held back"
_SHOWN = 5
_MARKS = " .!?…。！？؟।"


class LabelledSentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences of one language by what they are."""

    directives: tuple[str, ...] = ()
    """They tell how to work, and forbid nothing."""
    prohibitions: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    """A task of the day, a question, a permission, a report: nothing to learn."""


def read_sentences(text: str, where: str) -> LabelledSentences:
    """Parse a sentence file. Raises: LanguageError."""
    try:
        return msgspec.convert(parse_toml(text), LabelledSentences)
    except ValueError as error:
        raise LanguageError(
            f"{where} is not a valid sentence file: {error}. See docs/languages.md for the format."
        ) from error


def is_held_back(sentence: str) -> bool:
    """Whether a sentence is in the held-back half; case, whitespace and end marks do not matter."""
    plain = " ".join(fold(sentence).split()).strip(_MARKS)
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=1, person=_SEED).digest()[0] % 2 == 0


def evaluate_language(
    language: Language, sentences: LabelledSentences, model: DetectorModel, file: str
) -> LanguageAccuracy:
    """Evaluate a language with the model that reads the user's turns; `file`: where its sentences are."""
    held = {kind: [each for each in _unique_sentences(sentences, kind) if is_held_back(each)] for kind in MIN_SENTENCES}
    forbids = {each: _forbids(each, model) for kind in MIN_SENTENCES for each in _unique_sentences(sentences, kind)}
    detected = [forbids[each] is not None for each in (*held["directives"], *held["prohibitions"])]
    banned = [forbids[each] for each in held["prohibitions"] if forbids[each] is not None]
    missed = [
        each
        for kind in ("directives", "prohibitions")
        for each in _unique_sentences(sentences, kind)
        if not is_held_back(each) and not (forbids[each] if kind == "prohibitions" else forbids[each] is not None)
    ]
    false_positives = [each for each in sentences.harmless if not is_held_back(each) and forbids[each] is not None]
    return LanguageAccuracy(
        code=language.code,
        name=language.name,
        file=file,
        sentences=sum(len(_unique_sentences(sentences, kind)) for kind in MIN_SENTENCES),
        directives=len(detected),
        heard=sum(detected),
        prohibitions=len(held["prohibitions"]),
        prohibitions_heard=len(banned),
        negations_kept=sum(map(bool, banned)),
        harmless=len(held["harmless"]),
        taken=sum(forbids[each] is not None for each in held["harmless"]),
        needed={
            kind: 2 * (least - len(held[kind])) for kind, least in MIN_SENTENCES.items() if len(held[kind]) < least
        },
        missed=tuple(missed[:_SHOWN]),
        wrongly_taken=tuple(false_positives[:_SHOWN]),
    )


def _unique_sentences(sentences: LabelledSentences, kind: str) -> Collection[str]:
    found: Words = getattr(sentences, kind)
    return dict.fromkeys(each for each in found if each.strip())


def _forbids(sentence: str, model: DetectorModel) -> bool | None:
    """Whether a sentence is detected as one that forbids; None where nothing would be learned from it."""
    lessons = [signal.lesson for signal in model.signals(TypedTurn(text=sentence)) if signal.lesson is not None]
    return any(lesson.forbids for lesson in lessons) if lessons else None
