"""Reads the directives of a message: the sentences that tell an agent how to work, quoted as they were typed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from wisen.model.directive import Directive, DirectiveForm
from wisen.text.demand_reading import FEWEST, read_demand
from wisen.text.directive_matches import SentenceMatches, matches_of
from wisen.text.directive_neighbours import (
    MOST_STRESS_WORDS,
    are_two_halves,
    belongs_to_previous,
    explains_pronoun,
    share_subject,
)
from wisen.text.directive_reading import SentenceReading, has_language_words, read_sentence
from wisen.text.directive_weights import shipped_weights
from wisen.text.letter_folding import fold_letters
from wisen.text.message_languages import MessageLanguages
from wisen.text.message_sentences import MessageSentence, sentences_of
from wisen.text.sentence_leaning import has_content, introduces_next, is_only_denial, without_steps
from wisen.text.words_reading import SAID_BEFORE, read_by_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directive_weights import DirectiveWeights
    from wisen.text.directive_words import DirectiveWords

LONGEST = 280
"""A directive is quoted whole or not at all."""
_NOT_DOUBTED = (DirectiveForm.PROHIBITION, DirectiveForm.REPLACEMENT, DirectiveForm.COMPLAINT)
FEW = 2
"""Up to so many sentences are a message of which each may be known by its words alone."""
_WANTED = 2
"""So many words behind it at least."""
_SHORT = 48
"""Up to so many letters a sentence may only say what is not wanted, before one that says what is."""


class DirectiveReader:
    """Reads messages in the languages that are shipped, and in those that were added."""

    def __init__(self, added: Mapping[str, DirectiveWords] | None = None) -> None:
        self._languages = MessageLanguages(added)
        self._divided: tuple[str, list[MessageSentence], list[DirectiveGrammar]] = "", [], []

    def directives_in(self, message: str) -> tuple[Directive, ...]:
        """The directives of a message, in order; a permission, a question or a remark is none."""
        return tuple([each for each in self.possible_directives_in(message) if not each.doubtful])

    def possible_directives_in(self, message: str) -> tuple[Directive, ...]:
        """The same with those that only may be one."""
        sentences, grammars = self._split_message(message)
        if len(sentences) > 1 and ":" in message:
            sentences = without_steps(sentences, grammars)
        if not sentences:
            return ()
        few = len(sentences) <= FEW and len(message) <= LONGEST
        readings = [self._read_sentence(each, grammars, alone=len(sentences) == 1, few=few) for each in sentences]
        for number, stress in enumerate(sentences[1:]):
            if not _is_certain(readings[number]) and not _is_certain(readings[number + 1]):
                readings[number] = self._read_with_stress(sentences[number], stress, grammars) or readings[number]
        self._join_denials(sentences, readings, grammars)
        if SAID_BEFORE.match(message.lower()):
            readings = [None if _is_by_words(read) else read for read in readings]
        if not any(readings):
            return ()
        # What is sure takes the sentences beside it that belong to it; what is left of the others may be one.
        sure = [read if _is_certain(read) else None for read in readings]
        covered: set[int] = set()
        beside = [_is_by_words(read) or (read is not None and _is_pronoun_only(read[0])) for read in readings]
        found = list(self._quote_directives(message, sentences, sure, beside, covered))
        if len(covered) < len(sentences):
            found += self._quote_directives(message, sentences, readings, beside, covered)
        return tuple(sorted(found, key=lambda each: each.start))

    def _split_message(self, message: str) -> tuple[list[MessageSentence], list[DirectiveGrammar]]:
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
            if len(sentence.text) > _SHORT or not any(is_only_denial(sentence, grammar) for grammar in grammars):
                continue
            if not _is_certain(readings[number + 1]):
                wanted = self._read_demand(sentences[number + 1], grammars, _WANTED)
                if wanted is not None:
                    readings[number + 1] = wanted[0]._replace(form=DirectiveForm.REPLACEMENT), wanted[1]
            if _is_certain(readings[number + 1]):
                readings[number] = None

    def is_question_or_temporary(self, message: str) -> bool:
        """Whether a message asks, with or without a mark, or says that it holds for now alone."""
        grammars = self.grammars_of(message)
        for sentence in sentences_of(message):
            for grammar in grammars:
                matches = matches_of(grammar, sentence.text)
                begin = min(matches.clause_starts(), default=0)
                if matches.spans("passing") or any(start == begin for start, _ in matches.spans("questions")):
                    return True
        return False

    def demands_in(self, message: str) -> tuple[Directive, ...]:
        """What a message that corrects the work wants done; none of it says that it lasts.

        Only for what is known to be a correction and holds no directive: an order alone is a piece of work.
        """
        if len(message) > LONGEST or "\n" in message.strip():
            return ()  # in a long message an order is part of a task, or was pasted
        sentences, grammars = self._split_message(message)
        return tuple(each for sentence in sentences for each in self._read_demands(message, sentence, grammars))

    def _read_demands(
        self, message: str, sentence: MessageSentence, grammars: list[DirectiveGrammar]
    ) -> Iterator[Directive]:
        if (wanted := self._read_demand(sentence, grammars)) is not None:
            reading, grammar = wanted
            start, end = trim_courtesy(message, sentence.start, sentence.end, grammar)
            text = " ".join(message[start:end].split())
            yield Directive(text=text, start=start, end=end, form=reading.form, forbids=reading.forbids)

    def _read_demand(
        self, sentence: MessageSentence, grammars: list[DirectiveGrammar], fewest: int = FEWEST
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        for grammar in self._add_sentence_languages(sentence.text, grammars) if len(sentence.text) <= LONGEST else ():
            suited = grammar.with_accents_of(sentence.text)
            reading = read_demand(matches_of(suited, sentence.text), fewest)
            if reading is not None:
                return reading, suited
        return None

    def grammars_of(self, text: str) -> list[DirectiveGrammar]:
        """The languages that a text may be in, the likeliest first."""
        return self._languages.grammars_of(text)

    def every_grammar_of(self, text: str) -> list[DirectiveGrammar]:
        """All languages in the letters of a text, the likeliest first: a few words do not tell which one it is."""
        return self._languages.every_grammar_of(text)

    def _add_sentence_languages(self, text: str, grammars: list[DirectiveGrammar]) -> list[DirectiveGrammar]:
        """The languages of a message, and of one of its sentences where that may be in another one."""
        if grammars == [self._languages.grammar("en")] and text.isascii():
            return grammars
        return list(dict.fromkeys([*self.grammars_of(text), *grammars]))

    def _read_sentence(
        self, sentence: MessageSentence, grammars: list[DirectiveGrammar], *, alone: bool, few: bool
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        if len(sentence.text) > LONGEST:
            return None
        languages = grammars if alone else self._add_sentence_languages(sentence.text, grammars)
        doubted = None
        for number, grammar in enumerate(languages):
            suited = grammar.with_accents_of(sentence.text)
            matches = matches_of(suited, sentence.text)
            reading = read_sentence(matches, is_message=few)
            if reading is not None:
                reading = self._check_by_words(reading, matches)
                if not reading.doubtful:
                    empty = doubted is not None and not has_content(sentence, doubted[1])
                    return reading, doubted[1] if doubted is not None and empty else suited
                doubted = doubted or (reading, suited)
            is_last = not any(each.code == "en" for each in languages[number + 1 :])
            if is_last and languages[1:] and has_language_words(matches):
                break
        return doubted or (self._read_words(sentence.text, languages[0]) if languages else None)

    def _weights(self, grammar: DirectiveGrammar) -> DirectiveWeights | None:
        return None if self._languages.is_added(grammar) else shipped_weights(grammar.code)

    def _check_by_words(self, reading: SentenceReading, matches: SentenceMatches) -> SentenceReading:
        """What a rule has heard, after its words have been weighed: a task may look like an order.

        What forbids or replaces something is not doubted, but that it lasts: "the app must never crash" is a task. Nor
        is that where it begins with "never", "from now on" or "remember"; "whenever …" may begin a report. What stands
        within a longer sentence is one where the words of the whole say so.
        """
        weights = self._weights(matches.grammar)
        if weights is None or (reading.marker is None and not reading.inner and reading.form in _NOT_DOUBTED):
            return reading
        score = weights.score_words(matches.folded) + weights.score_rule_features(matches, reading)
        if reading.marker is not None:
            begins = any(matches.opening_spans(name) for name in ("opening", "remember", "lasting"))
            if begins and not matches.grammar.words.glued and not matches.opening_spans("conditions"):
                return reading
            least = (
                weights.veto_threshold
                if matches.opening_spans("forbid")
                else max(weights.standing_threshold, weights.veto_threshold)
            )
            return reading if score >= least else reading._replace(marker=None, doubtful=True)
        if reading.inner:
            if score < weights.doubt_threshold:
                return reading
            return reading._replace(inner=False, doubtful=score < weights.certain_threshold)
        return reading if score >= weights.veto_threshold else reading._replace(doubtful=True)

    def _read_words(self, text: str, grammar: DirectiveGrammar) -> tuple[SentenceReading, DirectiveGrammar] | None:
        """What a sentence is by its words, which no rule hears."""
        weights, suited = self._weights(grammar), grammar.with_accents_of(text)
        if weights is None:
            return None
        matches = matches_of(suited, text)
        score = weights.score_words(matches.folded)
        if not weights.may_reach(score):
            return None
        score += weights.score_rule_features(matches, None)
        if score < weights.doubt_threshold or not weights.knows_words_of(matches.folded):
            return None
        reading = read_by_words(matches, doubtful=score < weights.certain_threshold)
        return None if reading is None else (reading, suited)

    def _read_with_stress(
        self, sentence: MessageSentence, stress: MessageSentence, grammars: list[DirectiveGrammar]
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        """What a sentence tells of which only the next one says that it lasts: "use pnpm. always."."""
        if len(sentence.text) + len(stress.text) >= LONGEST or stress.text.count(" ") >= MOST_STRESS_WORDS:
            return None
        for grammar in grammars:
            if has_content(stress, grammar) or sentence.text.endswith("?"):
                continue
            suited = grammar.with_accents_of(sentence.text)
            both = suited.fold(f"{sentence.text.rstrip(' .!。！')} {stress.text}")
            reading = read_sentence(SentenceMatches(suited, both))
            if reading is not None:
                return reading._replace(marker=None), suited
        return None

    def _quote_directives(
        self,
        message: str,
        sentences: list[MessageSentence],
        readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None],
        beside: Sequence[bool],
        covered: set[int],
    ) -> Iterator[Directive]:
        """Each directive with the sentences beside it that belong to it; `covered` are those that some other has.

        `beside`: for which sentences only their words speak, or which only may point at others. One without its
        neighbour may say the opposite of both.
        """
        for number, read in enumerate(readings):
            if read is None or number in covered:
                continue
            reading, grammar = read
            first = last = number
            lasting = reading.marker
            while last + 1 < len(sentences) and last + 1 not in covered:
                behind = None if beside[last + 1] else readings[last + 1]
                leans = belongs_to_previous(sentences[last + 1], behind, reading, grammar)
                halves = behind is not None and are_two_halves(reading, behind[0])
                if halves and share_subject(sentences[number], sentences[last + 1], grammar):
                    leans = sentences[last + 1].end - sentences[first].start <= LONGEST
                if not leans and not (reading.by_words and beside[last + 1]):
                    break
                last += 1
            empty = not has_content(sentences[number], grammar)
            is_free = first > 0 and first - 1 not in covered
            leaning = (empty or reading.points) and is_free
            explained = leaning and explains_pronoun(sentences, readings, first - 1, empty=empty)
            recalls = reading.form is DirectiveForm.COMPLAINT and sentences[number].text.count(" ") <= MOST_STRESS_WORDS
            if explained or (is_free and (recalls or introduces_next(sentences[first - 1], grammar))):
                first -= 1
            while reading.by_words and first > 0 and beside[first - 1] and first - 1 not in covered:
                first -= 1
            covered.update(range(first, last + 1))
            ends = [at for at in (first - 1, last + 1) if 0 <= at < len(beside)]
            covered.update([at for at in ends if beside[at] and readings[at] is None])  # in doubt beside what is sure
            if sentences[last].end - sentences[first].start > LONGEST:
                first = last = number
            if empty and first == last:
                continue
            start, end = trim_courtesy(message, sentences[first].start, sentences[last].end, grammar)
            marker = _words_at(sentences[number].text, grammar, lasting)
            if not marker and last > number:
                marker = self._find_marker_after(sentences[number + 1 : last + 1], grammar)
            yield Directive(
                text=" ".join(message[start:end].split()),
                start=start,
                end=end,
                form=reading.form,
                forbids=reading.forbids and not self._has_replacement_after(readings[number + 1 : last + 1]),
                marker=marker,
                passing=reading.passing,
                stands_alone=not reading.points or first < number,
                inner=reading.inner,
                doubtful=reading.doubtful,
            )

    def _has_replacement_after(self, readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None]) -> bool:
        return bool(readings) and any(read is None or not read[0].forbids for read in readings)

    def _find_marker_after(self, sentences: Sequence[MessageSentence], grammar: DirectiveGrammar) -> str:
        for sentence in sentences:
            if (found := grammar.pattern("lasting").search(grammar.fold(sentence.text))) is not None:
                return _words_at(sentence.text, grammar, found.span())
        return ""


def _is_certain(read: tuple[SentenceReading, DirectiveGrammar] | None) -> bool:
    """Whether a sentence is a directive beyond doubt."""
    return read is not None and not read[0].doubtful


def _is_pronoun_only(reading: SentenceReading) -> bool:
    """Whether what may be a directive points at another sentence, and says nothing without it."""
    return reading.doubtful and reading.points


def _is_by_words(read: tuple[SentenceReading, DirectiveGrammar] | None) -> bool:
    """Whether only its words speak for a sentence: one without the other may say the opposite of both."""
    return read is not None and read[0].by_words


def _words_at(text: str, grammar: DirectiveGrammar, span: tuple[int, int] | None) -> str:
    """The user's words at a place of the folded sentence: correcting a word may have moved those behind it."""
    if span is None:
        return ""
    folded = grammar.fold(text)
    if len(folded) == len(text):
        return text[span[0] : span[1]].strip()
    first, last = folded[: span[0]].count(" "), folded[: span[1]].count(" ")
    return " ".join(text.split(" ")[first : last + 1]).strip(" ,.;:!?")


def trim_courtesy(message: str, start: int, end: int, grammar: DirectiveGrammar) -> tuple[int, int]:
    """A span without a greeting, a name or a polite word around it; nothing else falls away."""
    folded = fold_letters(message[start:end], accents=grammar.words.accents)
    if len(folded) != end - start:
        return start, end
    front, back = grammar.leading_courtesy.match(folded), grammar.trailing_courtesy.search(folded)
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
