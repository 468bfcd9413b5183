"""Tokenizes texts and search queries, both in the same way.

English words are stemmed by the store. Scripts without spaces become pairs of letters, camelCase names are also split,
and the date is put into words. Only the standard library is used, because a hook imports it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from wisen.kernel.unspaced_scripts import LETTERS, letter_pairs
from wisen.model.memory import MemoryFields

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.memory import Memory

MAX_TEXT = 4_000
"""How much of a text is indexed, and how much of its neighbors."""
MAX_NEIGHBORS = 1_500
MAX_QUERY_WORDS = 40
"""How many words of a question are searched for."""
_RUN = re.compile(f"[{LETTERS}]+")
_WORD = re.compile(rf"[^\W_{LETTERS}]+(?:['’][^\W\d_]+)?|[{LETTERS}]+")
_QUOTED = re.compile(r'"([^"]{2,80})"|“([^”]{2,80})”|«([^»]{2,80})»')
_CAMEL_PARTS = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_CAMEL = re.compile(r"\b[A-Za-z]*[a-z][A-Z]\w*\b|\b[A-Z]{2,}[a-z]\w*\b")
_STOP = frozenset(
    # English
    " a an the and or but if of at by for with about to from in on is are was were be been being have has had do"
    " does did doing what which who whom whose when where why how this that these those i me my we our us you"
    " your he him his she her it its they them their as so than too very can could will would shall should may"
    " might must not no nor only own same such there here then once during before after above below up down out"
    " off over under again further into through between because until while just any both each few more most"
    " other some all am don t s ll m re ve d let"
    # German
    " der die das den dem des ein eine einen einem einer eines und oder aber wenn von vom bei für mit über zu"
    " zum zur aus im ist sind war waren sein haben hat hatte wir uns ihr euch er sie es ich du mich dich nicht"
    " kein keine auch noch schon nur wie wer wo wann warum was welche welcher welches dass daß als auf an nach"
    " vor wird werden wurde"
    # Spanish, French, Portuguese, Italian
    " el los las un una unos unas y o pero si de del al por para con sobre que qué cuál cuando cuándo donde"
    " dónde como cómo es son era ser fue fueron hemos ha han lo su sus se nos le les no más este esta esto la"
    " une des du et ou mais pour avec sur dans est sont était nous vous ils elles ne pas plus ce cette os as um"
    " uma e em na com não foi il gli uno di da che è".split()
)
_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


def words_of(memory: Memory) -> MemoryFields:
    """Return the words that a memory is found by."""
    return MemoryFields(
        text=index_text(memory.text[:MAX_TEXT]),
        who=memory.who,
        day=day_words(memory.at) if memory.at is not None else "",
        beside=index_text(memory.beside[:MAX_NEIGHBORS]),
    )


def index_text(text: str) -> str:
    """Return a text as it is indexed in the store."""
    if not text.isascii():
        text = _RUN.sub(lambda run: f" {' '.join(letter_pairs(run[0]))} ", unicodedata.normalize("NFKC", text))
    names = [part for name in _CAMEL.findall(text) for part in _CAMEL_PARTS.findall(name)]
    return f"{text} {' '.join(names)}" if names else text


def query_words(question: str) -> tuple[str, ...]:
    """Return the words and quoted phrases of a question that are worth searching for.

    Stop words are left out, unless there are no others.
    """
    question = unicodedata.normalize("NFKC", question)
    phrases = [" ".join(_WORD.findall(next(filter(None, words.groups())))) for words in _QUOTED.finditer(question)]
    found: list[str] = []
    for word in _WORD.findall(question):
        if _RUN.fullmatch(word):
            found += letter_pairs(word)[: len(word) - 1] or [word]
        else:
            found.append(word.casefold())
            if _CAMEL.fullmatch(word):
                found += [part.casefold() for part in _CAMEL_PARTS.findall(word)]
    unique = list(dict.fromkeys(found))
    meaningful = [word for word in unique if word not in _STOP]
    return tuple([*dict.fromkeys(filter(None, phrases)), *(meaningful or unique)][:MAX_QUERY_WORDS])


def day_words(at: datetime) -> str:
    """Return a day in the words that people search for."""
    return f"{at:%Y-%m-%d} {at.day} {_MONTHS[at.month - 1]} {at.year} {_DAYS[at.weekday()]}"
