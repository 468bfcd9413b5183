"""Reads the directives of a message: the sentences that tell an agent how to work, quoted as they were typed."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from wisen.model.directive import Directive, DirectiveForm
from wisen.text.demand_reading import FEWEST, read_demand
from wisen.text.directive_grammar import DirectiveGrammar
from wisen.text.directive_matches import SentenceMatches, matches_of
from wisen.text.directive_reading import SentenceReading, is_decided, read_sentence
from wisen.text.directive_words import SHIPPED, DirectiveWords, shipped_words
from wisen.text.letter_folding import fold_letters
from wisen.text.message_sentences import MessageSentence, sentences_of
from wisen.text.sentence_leaning import LEANING, leads_to_next, only_denies, opens, says_what, without_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LONGEST = 280
"""A directive is quoted whole or not at all."""
_SCRIPTS = (
    ("kana", re.compile("[\u3040-\u30ff]")),
    ("hangul", re.compile("[\uac00-\ud7af]")),
    ("han", re.compile("[\u3400-\u9fff]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ASCII_NAME = re.compile(r"[!-~]+")
_ENGLISH_ENOUGH = 0.15
"""From such a share of English words on a text in ASCII is not looked at in other languages."""
_READ = 600
"""So much of a text tells its language."""
_BY_VOCABULARY, _BY_MARK, _BY_LETTER = 1, 2, 3
"""How surely words of patterns, frequent words and letters tell a language."""
_FEW = 2
"""Up to so many sentences are a message of which each may be known by its words alone."""
_WANTED = 2
"""So many words behind it at least."""
_SHORT = 48
"""Up to so many letters a sentence may only say what is not wanted, before one that says what is."""
_STRESSING, _SWAPPING = 3, 14
"""Up to so many words one may only stress it, or say what is wanted in the place of what it forbids."""


_FOLLOWS = re.compile(
    r"(?:so|therefore|hence|because|deshalb|darum|weil|por eso|asi que|porque|donc|parce que|quindi|percio|perche"
    r"|por isso|поэтому|потому что|dlatego|bo|cunku|bu yuzden|darfor|vi the|لذلك|لأن|इसलिए|क्योंकि)\b"
    r"|所以|因此|因为|だから|なので|그래서|왜냐하면"
)
"""How a sentence begins that says what follows from the one before it, or why."""


class DirectiveReader:
    """Reads messages in the languages that are shipped, and in those that were added."""

    def __init__(self, added: Mapping[str, DirectiveWords] | None = None) -> None:
        self._added = {code: words for code, words in (added or {}).items() if words != DirectiveWords()}
        self._grammars: dict[str, DirectiveGrammar] = {}
        self._divided: tuple[str, list[MessageSentence], list[DirectiveGrammar]] = "", [], []

    def directives_in(self, message: str) -> tuple[Directive, ...]:
        """The directives of a message, in order; a permission, a question or a remark is none."""
        sentences, grammars = self._divide(message)
        if len(sentences) > 1 and ":" in message:
            sentences = without_steps(sentences, grammars)
        if not sentences:
            return ()
        few = len(sentences) <= _FEW and len(message) <= LONGEST
        readings = [self._read(each, grammars, alone=len(sentences) == 1, few=few) for each in sentences]
        for number, stress in enumerate(sentences[1:]):
            if readings[number] is None and readings[number + 1] is None:
                readings[number] = self._stressed(sentences[number], stress, grammars)
        self._join_denials(sentences, readings, grammars)
        if not any(readings):
            return ()
        return tuple(self._quoted(message, sentences, readings))

    def _divide(self, message: str) -> tuple[list[MessageSentence], list[DirectiveGrammar]]:
        """The sentences of a message and its languages; of the last one they are known."""
        known, sentences, grammars = self._divided
        if known is not message:
            sentences = sentences_of(message)
            grammars = self.grammars_of(message) if sentences else []
            self._divided = message, sentences, grammars
        return sentences, grammars

    def _join_denials(
        self,
        sentences: list[MessageSentence],
        readings: list[tuple[SentenceReading, DirectiveGrammar] | None],
        grammars: list[DirectiveGrammar],
    ) -> None:
        """Lets what only says no to something belong to the sentence behind it, which says what is wanted."""
        for number, sentence in enumerate(sentences[:-1]):
            if len(sentence.text) > _SHORT or not any(only_denies(sentence, grammar) for grammar in grammars):
                continue
            if readings[number + 1] is None:
                wanted = self._demanded(sentences[number + 1], grammars, _WANTED)
                readings[number + 1] = wanted and (wanted[0]._replace(form=DirectiveForm.REPLACEMENT), wanted[1])
            if readings[number + 1] is not None:
                readings[number] = None

    def asks_or_passes(self, message: str) -> bool:
        """Whether a message asks, with or without a mark, or says that it holds for now alone."""
        grammars = self.grammars_of(message)
        for sentence in sentences_of(message):
            for grammar in grammars:
                matches = matches_of(grammar, sentence.text)
                begin = min(matches.begins(), default=0)
                if matches.spans("passing") or any(start == begin for start, _ in matches.spans("questions")):
                    return True
        return False

    def demands_in(self, message: str) -> tuple[Directive, ...]:
        """What a message that corrects the work wants done; none of it says that it lasts.

        Only for what is known to be a correction and holds no directive: an order alone is a piece of work.
        """
        if len(message) > LONGEST or "\n" in message.strip():
            return ()  # in a long message an order is part of a task, or was pasted
        sentences, grammars = self._divide(message)
        return tuple(each for sentence in sentences for each in self._demand(message, sentence, grammars))

    def _demand(self, message: str, sentence: MessageSentence, grammars: list[DirectiveGrammar]) -> Iterator[Directive]:
        if (wanted := self._demanded(sentence, grammars)) is not None:
            reading, grammar = wanted
            start, end = trimmed_span(message, sentence.start, sentence.end, grammar)
            text = " ".join(message[start:end].split())
            yield Directive(text=text, start=start, end=end, form=reading.form, forbids=reading.forbids)

    def _demanded(
        self, sentence: MessageSentence, grammars: list[DirectiveGrammar], fewest: int = FEWEST
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        for grammar in self._also(sentence.text, grammars) if len(sentence.text) <= LONGEST else ():
            suited = grammar.suited_to(sentence.text)
            reading = read_demand(matches_of(suited, sentence.text), fewest)
            if reading is not None:
                return reading, suited
        return None

    def grammars_of(self, text: str) -> list[DirectiveGrammar]:
        """The languages that a text may be in, the likeliest first."""
        if not text.isascii():
            for script, letters in _SCRIPTS:
                if letters.search(text):
                    return [self._grammar(code) for code in self._codes(script)]
        if text.isascii():
            words = set(text[:_READ].lower().split())
            if words and len(words & self._grammar("en").sure) >= max(1, _ENGLISH_ENOUGH * len(words)):
                return [self._grammar("en")]
        return self._latin(text[:_READ])

    def every_grammar_of(self, text: str) -> list[DirectiveGrammar]:
        """All languages in the letters of a text, the likeliest first: a few words do not tell which one it is."""
        likely = self.grammars_of(text)
        script = likely[0].words.script
        return list(dict.fromkeys([*likely, *(self._grammar(code) for code in self._codes(script))]))

    def _also(self, text: str, grammars: list[DirectiveGrammar]) -> list[DirectiveGrammar]:
        """The languages of a message, and of one of its sentences where that may be in another one."""
        if grammars == [self._grammar("en")] and text.isascii():
            return grammars
        return list(dict.fromkeys([*self.grammars_of(text), *grammars]))

    def _latin(self, text: str) -> list[DirectiveGrammar]:
        """The languages in Latin letters that a text may be in, by its words and letters."""
        likely: dict[str, int] = {}
        telling = self._telling
        plain = text.isascii()
        words = set(_WORD.findall(text.lower())) if plain else {fold_letters(word) for word in _WORD.findall(text)}
        for word in words:
            for code, weight in telling.get(word, ()):
                likely[code] = likely.get(code, 0) + weight
        if not plain:
            for letter in set(text.lower()):
                for code, weight in telling.get(letter, ()):
                    likely[code] = likely.get(code, 0) + weight
        most = max(likely.values(), default=0)
        # What is nearly as likely is looked at too: a few words tell little.
        near = [code for code in self._latin_codes if code in likely and likely[code] >= most - 1]
        codes = sorted(near, key=lambda code: -likely[code])  # of two that are as likely the one that is listed first
        if not codes or (plain and "en" not in codes and most <= _BY_LETTER):
            codes.append("en")  # a few words without accents may be English, whatever they look like
        return [self._grammar(code) for code in codes]

    @cached_property
    def _latin_codes(self) -> list[str]:
        return self._codes("latin")

    @cached_property
    def _telling(self) -> dict[str, list[tuple[str, int]]]:
        """The words and letters that tell a language in Latin letters, and how surely."""
        telling: dict[str, list[tuple[str, int]]] = {}
        for code in self._latin_codes:
            grammar = self._grammar(code)
            weights = dict.fromkeys(grammar.vocabulary, _BY_VOCABULARY)
            for word in grammar.marks:
                weights[word] = weights.get(word, 0) + _BY_MARK
            weights |= dict.fromkeys(grammar.words.letters, _BY_LETTER)
            for word, weight in weights.items():
                telling.setdefault(word, []).append((code, weight))
        return telling

    def _codes(self, script: str) -> list[str]:
        added = sorted(self._added.keys() - set(SHIPPED))
        return [code for code in (*SHIPPED, *added) if self._script_of(code) == script]

    def _script_of(self, code: str) -> str:
        return self._words(code).script

    def _words(self, code: str) -> DirectiveWords:
        return self._added[code] if code in self._added else shipped_words(code)

    def _grammar(self, code: str) -> DirectiveGrammar:
        if code not in self._grammars:
            self._grammars[code] = DirectiveGrammar(code, self._words(code))
        return self._grammars[code]

    def _read(
        self, sentence: MessageSentence, grammars: list[DirectiveGrammar], *, alone: bool, few: bool
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        if len(sentence.text) > LONGEST:
            return None
        languages = grammars if alone else self._also(sentence.text, grammars)
        for number, grammar in enumerate(languages):
            suited = grammar.suited_to(sentence.text)
            matches = matches_of(suited, sentence.text)
            if (reading := read_sentence(matches, is_message=few)) is not None:
                return reading, suited
            is_last = not any(each.code == "en" for each in languages[number + 1 :])
            if is_last and languages[1:] and is_decided(matches):
                return None
        return None

    def _stressed(
        self, sentence: MessageSentence, stress: MessageSentence, grammars: list[DirectiveGrammar]
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        """What a sentence tells of which only the next one says that it lasts: "use pnpm. always."."""
        if len(sentence.text) + len(stress.text) >= LONGEST or stress.text.count(" ") >= _STRESSING:
            return None
        for grammar in grammars:
            if says_what(stress, grammar) or sentence.text.endswith("?"):
                continue
            suited = grammar.suited_to(sentence.text)
            both = suited.fold(f"{sentence.text.rstrip(' .!。！')} {stress.text}")
            reading = read_sentence(SentenceMatches(suited, both))
            if reading is not None:
                return reading._replace(marker=None), suited
        return None

    def _quoted(
        self,
        message: str,
        sentences: list[MessageSentence],
        readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None],
    ) -> Iterator[Directive]:
        """Each directive with the sentences beside it that belong to it."""
        taken = -1
        for number, read in enumerate(readings):
            if read is None or number <= taken:
                continue
            reading, grammar = read
            first = last = number
            lasting = reading.marker
            while last + 1 < len(sentences) and self._leans(sentences[last + 1], readings[last + 1], reading, grammar):
                last += 1
            empty = not says_what(sentences[number], grammar)
            leaning = (empty or reading.points) and first - 1 > taken
            explained = leaning and self._explains(sentences, readings, first - 1, empty=empty)
            if explained or (first - 1 > taken and leads_to_next(sentences[first - 1], grammar)):
                first -= 1
            if sentences[last].end - sentences[first].start > LONGEST:
                first = last = number
            if empty and first == last:
                continue
            taken = last
            start, end = trimmed_span(message, sentences[first].start, sentences[last].end, grammar)
            marker = _words_at(sentences[number].text, grammar, lasting)
            if not marker and last > number:
                marker = self._marker_behind(sentences[number + 1 : last + 1], grammar)
            yield Directive(
                text=" ".join(message[start:end].split()),
                start=start,
                end=end,
                form=reading.form,
                forbids=reading.forbids and not self._swaps_behind(readings[number + 1 : last + 1]),
                marker=marker,
                passing=reading.passing,
                stands_alone=not reading.points or first < number,
                inner=reading.inner,
            )

    def _leans(
        self,
        sentence: MessageSentence,
        read: tuple[SentenceReading, DirectiveGrammar] | None,
        before: SentenceReading,
        grammar: DirectiveGrammar,
    ) -> bool:
        """Whether a sentence only stresses, limits or completes the directive before it."""
        matches = matches_of(grammar, sentence.text)
        said = matches.said
        if said.rstrip().endswith("?"):
            return False
        words = len(said.split()) if not grammar.words.glued else _dense_size(said)
        if words <= _STRESSING and (
            grammar.pattern("lasting").search(said)
            or grammar.pattern("negators").match(said)
            or (before.forbids and grammar.pattern("quantifiers").search(said))  # "quit that. drafts only"
        ):
            return True
        if words <= LEANING and (
            opens(matches, "exceptions") or opens(matches, "conditions") or grammar.pattern("complaints").search(said)
        ):
            return True
        if before.form is DirectiveForm.COMPLAINT and words <= LEANING + 2 and read is None:
            return True
        if _FOLLOWS.match(said) or (before.forbids and words <= LEANING and read is not None and not read[0].forbids):
            return True
        completes = before.forbids and words <= _SWAPPING
        return completes and (read is None or read[0].form is DirectiveForm.REPLACEMENT) and opens(matches, "orders")

    def _explains(
        self,
        sentences: list[MessageSentence],
        readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None],
        number: int,
        *,
        empty: bool,
    ) -> bool:
        """Whether the sentence before may say what "it" is; or what it is that an `empty` one only negates."""
        text = sentences[number].text
        return readings[number] is None and not text.endswith(("?", ":")) and len(text.split()) > (1 if empty else 2)

    def _swaps_behind(self, readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None]) -> bool:
        return bool(readings) and any(read is None or not read[0].forbids for read in readings)

    def _marker_behind(self, sentences: Sequence[MessageSentence], grammar: DirectiveGrammar) -> str:
        for sentence in sentences:
            if (found := grammar.pattern("lasting").search(grammar.fold(sentence.text))) is not None:
                return _words_at(sentence.text, grammar, found.span())
        return ""


def _dense_size(said: str) -> int:
    """About how many words there are where words are not written apart: names in Latin letters are one each."""
    names = _ASCII_NAME.findall(said)
    return len(names) + (len(said) - sum(map(len, names))) // 3


def _words_at(text: str, grammar: DirectiveGrammar, span: tuple[int, int] | None) -> str:
    """The user's words at a place of the folded sentence: mending a word may have moved those behind it."""
    if span is None:
        return ""
    folded = grammar.fold(text)
    if len(folded) == len(text):
        return text[span[0] : span[1]].strip()
    first, last = folded[: span[0]].count(" "), folded[: span[1]].count(" ")
    return " ".join(text.split(" ")[first : last + 1]).strip(" ,.;:!?")


def trimmed_span(message: str, start: int, end: int, grammar: DirectiveGrammar) -> tuple[int, int]:
    """A span without a greeting, a name or a polite word around it; nothing else falls away."""
    folded = fold_letters(message[start:end], accents=grammar.words.accents)
    if len(folded) != end - start:
        return start, end
    front, back = grammar.front.match(folded), grammar.back.search(folded)
    first = front.end() if front is not None else 0
    last = back.start() if back is not None and back.start() > first else len(folded)
    return start + first, start + last


@cache
def shipped_reader() -> DirectiveReader:
    """The reader of the languages that come with the package."""
    return DirectiveReader()


def directives_in(message: str) -> tuple[Directive, ...]:
    """The directives of a message, in order; a permission, a question or a remark is none."""
    return shipped_reader().directives_in(message)
