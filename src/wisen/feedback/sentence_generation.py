"""Has a model translate template sentences into a language; the file of that language is evaluated on them.

The author of the file does not see them, and nothing that the user typed is sent.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec

from wisen.feedback.language_detection import is_in_script
from wisen.feedback.language_evaluation import MAX_SENTENCE, MIN_SENTENCES, LabelledSentences, read_sentences
from wisen.feedback.phrase_statistics import is_storable
from wisen.language_models.model_ports import MaterialItem, Question
from wisen.model.model_use import Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TOKENS = 6_000
_ASK = """
You help to test a program that reads what people type to AI coding agents. Say each of these sentences in {name}
({own_name}) as native speakers who write software would type it to their agent: not word by word, in their own word
order, some polite and some curt. Commands, names and paths stay as they are. Each item holds the sentences of one kind,
one a line: give those of each kind in the same order, one for each, and let none change what it says, forbids or asks.
"""


@cache
def template_sentences() -> LabelledSentences:
    """The English sentences that come with the package."""
    file = resources.files(__package__).joinpath("sentence_templates.toml")
    return read_sentences(file.read_text(encoding="utf-8"), file.name)


def sentence_question(purpose: str, name: str, own_name: str) -> Question[Any]:
    """The question that asks for the sentences of a language."""
    fields = [(kind, list[str]) for kind in MIN_SENTENCES]
    return Question(
        purpose=purpose,
        tier=Tier.HEAVY,
        instructions=_ASK.format(name=name, own_name=own_name),
        answer=msgspec.defstruct("Sentences", fields, frozen=True, forbid_unknown_fields=True),
        material=tuple(MaterialItem(kind, "\n".join(getattr(template_sentences(), kind))) for kind in MIN_SENTENCES),
        max_tokens=_TOKENS,
    )


def valid_sentences(answer: Any, script: str) -> LabelledSentences:
    """The acceptable sentences of an answer; `script`: the one that they must be in."""
    return LabelledSentences(
        **{kind: tuple(_filter_sentences(getattr(answer, kind), script)) for kind in MIN_SENTENCES}
    )


def _filter_sentences(sentences: Iterable[str], script: str) -> Iterator[str]:
    for sentence in dict.fromkeys(" ".join(each.split()) for each in sentences):
        controls = any(unicodedata.category(letter) in ("Cc", "Cs", "Co", "Cn") for letter in sentence)
        fits = not controls and 0 < len(sentence) <= MAX_SENTENCE
        if fits and is_in_script(script, sentence) and is_storable(sentence):
            yield sentence


def format_sentences(sentences: LabelledSentences, comment: str) -> str:
    """The text of a sentence file."""
    lines = [f"# {line}" for line in comment.splitlines()]
    for kind in MIN_SENTENCES:
        lines += ["", f"{kind} = ["]
        lines += [f"  {msgspec.json.encode(each).decode()}," for each in getattr(sentences, kind)]
        lines.append("]")
    return "\n".join([*lines, ""])
