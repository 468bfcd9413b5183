"""Has a model write a language file, group by group. Nothing that the user typed is sent.

The last question asks for sentences to evaluate the file on; the other questions do not mention them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wisen.errors import ModelAbsent, ModelError
from wisen.feedback.language import GROUPS, LessonWords, Negations, Opening, shipped_languages
from wisen.feedback.language_detection import language_profiles
from wisen.feedback.language_draft import LanguageDraft
from wisen.feedback.sentence_generation import sentence_question, valid_sentences
from wisen.language_models.model_ports import MaterialItem, Question
from wisen.model.model_use import Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.feedback.language import Language, Words
    from wisen.feedback.language_evaluation import LabelledSentences
    from wisen.language_models.model_ports import Model

    Progress = Callable[[str, int, int], None]

PURPOSE = "languages"
_EMOJI = ("frown", "smile")
"""Groups without words."""
_EXAMPLES = 8
_TOKENS, _TOKENS_EACH = 400, 260
"""The maximum length of an answer, and the addition for each group."""
_ASK = """
You help a program that reads what people type to AI coding agents. It finds phrases by their words, in groups.
Write the phrases of {name} ({own_name}): what native speakers who write software really type, polite and rude, formal
and casual, as they spell it in chats, in small letters. Each item is one group: its id is the group's name, its text
tells by English examples what the group is for. Do not translate the examples: give what people say in {name}.
Give 10 to 30 phrases a group, the most frequent first, one to four words each; fewer where the language has fewer, and
none where it has nothing of the kind. "word*" also matches longer words that begin so: use it for inflection.
No phrase may be an ordinary English word of another meaning, unless it stands in `confusable` as well: there goes each
phrase of yours that is also a word of English or of another large language and means something else there.
"""
_HINTS = {
    "harmless": "longer phrases that hold such words and tell nothing",
    "prefixes": "none in English: what is glued to the front of words, like Arabic و or French l'",
    "before": "words that negate what follows",
    "after": "none in English: words or endings that negate what stands before them, like Turkish değil",
    "marks": "the, of, with, and, from, was: 25 to 40 of the most frequent small words of the language",
    "leads": "no, wait, ok, actually, please, as i said, from now on: what only leads to what is said",
    "tails": "please, though, thanks, again: what only leads out of a sentence",
    "empty": "that's wrong, no, stop: whole messages that say that something is wrong, and not what",
    "forbids": "don't, never, no, avoid: how a sentence begins that only forbids",
    "always": "always, never, every, by default, we use: what tells that a lesson is meant to last",
    "orders": "use, must, should, always, never, don't: words of sentences that say what is to be done",
    "lead": "please, ok, so, now: first words that only lead to the word that counts",
}


class GroupQuestion(NamedTuple):
    """One question: a table with its groups."""

    table: str
    """Empty for top-level lists."""
    groups: tuple[str, ...]


QUESTIONS = (
    *(GroupQuestion(table, tuple(each for each in groups if each not in _EMOJI)) for table, groups in GROUPS.items()),
    GroupQuestion("", ("harmless", "prefixes")),
    GroupQuestion("negations", Negations.__struct_fields__),
    GroupQuestion("opening", Opening.__struct_fields__),
    GroupQuestion("lesson", tuple(each for each in LessonWords.__struct_fields__ if each not in ("about", "lasting"))),
)

QUESTION_COUNT = len(QUESTIONS) + 1
"""The number of questions for a language, including the one for sentences."""


class DraftResult(NamedTuple):
    """What a model wrote."""

    draft: LanguageDraft
    answered: int
    sentences: LabelledSentences | None = None
    """The sentences that the file is evaluated on."""
    problem: str = ""
    """Why it is incomplete."""

    @property
    def is_complete(self) -> bool:
        """Whether every question was answered."""
        return self.answered == QUESTION_COUNT


def draft_language(model: Model, code: str, progress: Progress) -> DraftResult:
    """Have a model write a language. If it stops halfway, the model port caches the answers so far.

    Raises:
        ModelAbsent: none is configured.
        MissingExtra: asking it needs something that is not installed.
    """
    profile = language_profiles()[code]
    draft = LanguageDraft(code, profile.name, profile.own_name, profile.script)
    for number, groups in enumerate(QUESTIONS):
        progress(profile.name, number, QUESTION_COUNT)
        try:
            answer = model.ask(build_question(groups, profile.name, profile.own_name)).value
        except ModelAbsent:
            raise
        except ModelError as error:
            return DraftResult(draft, number, problem=str(error))
        confusable = getattr(answer, "confusable", ())
        for group in groups.groups:
            draft.add(groups.table, group, getattr(answer, group), confusable)
    progress(profile.name, len(QUESTIONS), QUESTION_COUNT)
    try:
        sentences = model.ask(sentence_question(PURPOSE, profile.name, profile.own_name)).value
    except ModelAbsent:
        raise
    except ModelError as error:
        return DraftResult(draft, len(QUESTIONS), problem=str(error))
    progress(profile.name, QUESTION_COUNT, QUESTION_COUNT)
    return DraftResult(draft, QUESTION_COUNT, valid_sentences(sentences, profile.script))


def build_question(groups: GroupQuestion, name: str, own_name: str) -> Question[Any]:
    """The question about one table."""
    fields = [*groups.groups, *(("confusable",) if groups.table in GROUPS else ())]
    named = f"Phrases_{groups.table or 'top'}"
    answer = msgspec.defstruct(named, [(each, list[str]) for each in fields], frozen=True, forbid_unknown_fields=True)
    return Question(
        purpose=PURPOSE,
        tier=Tier.HEAVY,
        instructions=_ASK.format(name=name, own_name=own_name),
        answer=answer,
        material=tuple(MaterialItem(group, _example(groups.table, group)) for group in groups.groups),
        max_tokens=_TOKENS + _TOKENS_EACH * len(fields),
    )


def _example(table: str, group: str) -> str:
    words = _words_of(shipped_languages()[0], table, group)
    return "; ".join(part for part in (_HINTS.get(group, ""), ", ".join(_sample(words))) if part)


def _words_of(language: Language, table: str, group: str) -> Words:
    held = getattr(language, table) if table else language
    found: Words = held.get(group, ()) if isinstance(held, dict) else getattr(held, group)
    return found


def _sample(words: Words) -> Iterable[str]:
    """A few items from all over a list."""
    return words[:: max(1, len(words) // _EXAMPLES)][:_EXAMPLES]
