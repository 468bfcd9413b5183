"""Extracts directives from a message: the sentences that tell an agent how to work, quoted as typed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from wisen.model.directive import Directive, DirectiveForm
from wisen.text.demand_reading import MIN_DEMAND_WORDS, read_demand
from wisen.text.directive_matches import SentenceMatches, matches_of
from wisen.text.directive_neighbors import (
    MAX_STRESS_WORDS,
    are_two_halves,
    belongs_to_previous,
    explains_pronoun,
    share_subject,
)
from wisen.text.directive_reading import has_language_words, read_sentence
from wisen.text.directive_weights import shipped_weights
from wisen.text.letter_folding import fold_letters
from wisen.text.message_languages import MessageLanguages
from wisen.text.message_sentences import MessageSentence, sentences_of
from wisen.text.sentence_leaning import has_content, introduces_next, is_only_denial, without_steps
from wisen.text.words_reading import SAID_BEFORE, read_by_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directive_weights import DirectiveWeights
    from wisen.text.directive_words import DirectiveWords
    from wisen.text.sentence_reading import SentenceReading

MAX_QUOTE_LENGTH = 280
"""Maximum number of characters of a directive: it is quoted whole or not at all."""
_TRUSTED_FORMS = (DirectiveForm.PROHIBITION, DirectiveForm.REPLACEMENT, DirectiveForm.COMPLAINT)
MAX_SHORT_MESSAGE_SENTENCES = 2
"""In messages of up to this many sentences, each may be recognized by its words alone."""
_MIN_REPLACEMENT_WORDS = 2
"""Minimum number of words of the sentence after a denial that says what is wanted instead."""
_MAX_DENIAL_LENGTH = 48
"""Maximum number of characters of a sentence that only says what is not wanted, before one that says what is."""


class DirectiveReader:
    """Reads messages in the shipped languages and in those that the user added."""

    def __init__(self, added: Mapping[str, DirectiveWords] | None = None) -> None:
        self._languages = MessageLanguages(added)
        self._last_split: tuple[str, list[MessageSentence], list[DirectiveGrammar]] = "", [], []

    def directives_in(self, message: str) -> tuple[Directive, ...]:
        """Return the directives of a message, in order; permissions, questions and remarks do not count."""
        return tuple([each for each in self.possible_directives_in(message) if not each.doubtful])

    def possible_directives_in(self, message: str) -> tuple[Directive, ...]:
        """Return the directives of a message, including the doubtful ones."""
        sentences, grammars = self._split_message(message)
        if len(sentences) > 1 and ":" in message:
            sentences = without_steps(sentences, grammars)
        if not sentences:
            return ()
        is_short = len(sentences) <= MAX_SHORT_MESSAGE_SENTENCES and len(message) <= MAX_QUOTE_LENGTH
        readings = [
            self._read_sentence(each, grammars, is_only=len(sentences) == 1, is_short=is_short) for each in sentences
        ]
        for number, stress in enumerate(sentences[1:]):
            if not _is_certain(readings[number]) and not _is_certain(readings[number + 1]):
                readings[number] = self._read_with_stress(sentences[number], stress, grammars) or readings[number]
        self._join_denials(sentences, readings, grammars)
        if SAID_BEFORE.match(message.lower()):
            readings = [None if _is_by_weights(candidate) else candidate for candidate in readings]
        if not any(readings):
            return ()
        # Certain directives claim the adjacent sentences that belong to them; the rest may still be doubtful ones.
        certain = [candidate if _is_certain(candidate) else None for candidate in readings]
        covered: set[int] = set()
        dependent = [
            _is_by_weights(candidate) or (candidate is not None and _is_pronoun_only(candidate[0]))
            for candidate in readings
        ]
        found = list(self._quote_directives(message, sentences, certain, dependent, covered))
        if len(covered) < len(sentences):
            found += self._quote_directives(message, sentences, readings, dependent, covered)
        return tuple(sorted(found, key=lambda each: each.start))

    def _split_message(self, message: str) -> tuple[list[MessageSentence], list[DirectiveGrammar]]:
        """Return the sentences of a message and its likely languages; the last message is cached."""
        last_message, sentences, grammars = self._last_split
        if last_message is not message:
            sentences = sentences_of(message)
            grammars = self.grammars_of(message) if sentences else []
            self._last_split = message, sentences, grammars
        return sentences, grammars

    def _join_denials(
        self,
        sentences: list[MessageSentence],
        readings: list[tuple[SentenceReading, DirectiveGrammar] | None],
        grammars: list[DirectiveGrammar],
    ) -> None:
        """Attach a sentence that only denies something to the next one, which says what is wanted."""
        for number, sentence in enumerate(sentences[:-1]):
            if len(sentence.text) > _MAX_DENIAL_LENGTH or not any(
                is_only_denial(sentence, grammar) for grammar in grammars
            ):
                continue
            if not _is_certain(readings[number + 1]):
                demand = self._read_demand(sentences[number + 1], grammars, _MIN_REPLACEMENT_WORDS)
                if demand is not None:
                    readings[number + 1] = demand[0]._replace(form=DirectiveForm.REPLACEMENT), demand[1]
            if _is_certain(readings[number + 1]):
                readings[number] = None

    def is_question_or_temporary(self, message: str) -> bool:
        """Whether a message is a question, with or without a question mark, or says that it applies only for now."""
        grammars = self.grammars_of(message)
        for sentence in sentences_of(message):
            for grammar in grammars:
                matches = matches_of(grammar, sentence.text)
                first_start = min(matches.clause_starts(), default=0)
                if matches.spans("passing") or any(start == first_start for start, _ in matches.spans("questions")):
                    return True
        return False

    def demands_in(self, message: str) -> tuple[Directive, ...]:
        """Return what a correcting message wants done; none of it is marked as lasting.

        Only for known corrections that contain no directive: elsewhere a plain order is a task.
        """
        if len(message) > MAX_QUOTE_LENGTH or "\n" in message.strip():
            return ()  # in a long message an order is part of a task, or was pasted
        sentences, grammars = self._split_message(message)
        return tuple(each for sentence in sentences for each in self._read_demands(message, sentence, grammars))

    def _read_demands(
        self, message: str, sentence: MessageSentence, grammars: list[DirectiveGrammar]
    ) -> Iterator[Directive]:
        if (demand := self._read_demand(sentence, grammars)) is not None:
            reading, grammar = demand
            start, end = trim_courtesy(message, sentence.start, sentence.end, grammar)
            text = " ".join(message[start:end].split())
            yield Directive(text=text, start=start, end=end, form=reading.form, forbids=reading.forbids)

    def _read_demand(
        self, sentence: MessageSentence, grammars: list[DirectiveGrammar], min_words: int = MIN_DEMAND_WORDS
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        for grammar in (
            self._add_sentence_languages(sentence.text, grammars) if len(sentence.text) <= MAX_QUOTE_LENGTH else ()
        ):
            variant = grammar.with_accents_of(sentence.text)
            reading = read_demand(matches_of(variant, sentence.text), min_words)
            if reading is not None:
                return reading, variant
        return None

    def grammars_of(self, text: str) -> list[DirectiveGrammar]:
        """Return the languages that a text may be in, the likeliest first."""
        return self._languages.grammars_of(text)

    def every_grammar_of(self, text: str) -> list[DirectiveGrammar]:
        """Return all languages written in a text's script, the likeliest first: a few words do not identify one."""
        return self._languages.every_grammar_of(text)

    def _add_sentence_languages(self, text: str, grammars: list[DirectiveGrammar]) -> list[DirectiveGrammar]:
        """Return the languages of a message plus those of one sentence, which may be in another language."""
        if grammars == [self._languages.grammar("en")] and text.isascii():
            return grammars
        return list(dict.fromkeys([*self.grammars_of(text), *grammars]))

    def _read_sentence(
        self, sentence: MessageSentence, grammars: list[DirectiveGrammar], *, is_only: bool, is_short: bool
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        if len(sentence.text) > MAX_QUOTE_LENGTH:
            return None
        languages = grammars if is_only else self._add_sentence_languages(sentence.text, grammars)
        uncertain = None
        for number, grammar in enumerate(languages):
            variant = grammar.with_accents_of(sentence.text)
            matches = matches_of(variant, sentence.text)
            reading = read_sentence(matches, is_message=is_short)
            if reading is not None:
                reading = self._check_weights(reading, matches)
                if not reading.doubtful:
                    is_empty = uncertain is not None and not has_content(sentence, uncertain[1])
                    return reading, uncertain[1] if uncertain is not None and is_empty else variant
                uncertain = uncertain or (reading, variant)
            is_last = not any(each.code == "en" for each in languages[number + 1 :])
            if is_last and languages[1:] and has_language_words(matches):
                break
        return uncertain or (self._read_by_weights(sentence.text, languages[0]) if languages else None)

    def _weights(self, grammar: DirectiveGrammar) -> DirectiveWeights | None:
        return None if self._languages.is_added(grammar) else shipped_weights(grammar.code)

    def _check_weights(self, reading: SentenceReading, matches: SentenceMatches) -> SentenceReading:
        """Check what a rule matched against the word weights: a task may look like an order.

        Prohibitions and replacements are trusted, but not that they last: "the app must never crash" is a task. Even
        that is trusted after an opening "never", "from now on" or "remember"; "whenever …" may open a report. A clause
        inside a longer sentence counts only if the words of the whole sentence support it.
        """
        weights = self._weights(matches.grammar)
        if weights is None or (reading.marker is None and not reading.is_embedded and reading.form in _TRUSTED_FORMS):
            return reading
        score = weights.score_words(matches.folded) + weights.score_rule_features(matches, reading)
        if reading.marker is not None:
            is_opening = any(matches.opening_spans(name) for name in ("opening", "remember", "lasting"))
            if is_opening and not matches.grammar.words.glued and not matches.opening_spans("conditions"):
                return reading
            threshold = (
                weights.veto_threshold
                if matches.opening_spans("forbid")
                else max(weights.standing_threshold, weights.veto_threshold)
            )
            return reading if score >= threshold else reading._replace(marker=None, doubtful=True)
        if reading.is_embedded:
            if score < weights.doubt_threshold:
                return reading
            return reading._replace(is_embedded=False, doubtful=score < weights.certain_threshold)
        return reading if score >= weights.veto_threshold else reading._replace(doubtful=True)

    def _read_by_weights(self, text: str, grammar: DirectiveGrammar) -> tuple[SentenceReading, DirectiveGrammar] | None:
        """Read a sentence that no rule matches by the weights of its words."""
        weights, variant = self._weights(grammar), grammar.with_accents_of(text)
        if weights is None:
            return None
        matches = matches_of(variant, text)
        score = weights.score_words(matches.folded)
        if not weights.may_reach(score):
            return None
        score += weights.score_rule_features(matches, None)
        if score < weights.doubt_threshold or not weights.knows_words_of(matches.folded):
            return None
        reading = read_by_weights(matches, doubtful=score < weights.certain_threshold)
        return None if reading is None else (reading, variant)

    def _read_with_stress(
        self, sentence: MessageSentence, stress: MessageSentence, grammars: list[DirectiveGrammar]
    ) -> tuple[SentenceReading, DirectiveGrammar] | None:
        """Read a sentence that only the next one makes lasting: "use pnpm. always."."""
        if len(sentence.text) + len(stress.text) >= MAX_QUOTE_LENGTH or stress.text.count(" ") >= MAX_STRESS_WORDS:
            return None
        for grammar in grammars:
            if has_content(stress, grammar) or sentence.text.endswith("?"):
                continue
            variant = grammar.with_accents_of(sentence.text)
            joined = variant.fold(f"{sentence.text.rstrip(' .!。！')} {stress.text}")
            reading = read_sentence(SentenceMatches(variant, joined))
            if reading is not None:
                return reading._replace(marker=None), variant
        return None

    def _quote_directives(
        self,
        message: str,
        sentences: list[MessageSentence],
        readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None],
        dependent: Sequence[bool],
        covered: set[int],
    ) -> Iterator[Directive]:
        """Yield each directive with the adjacent sentences that belong to it; `covered` collects the claimed sentences.

        `dependent`: which sentences rest on word weights alone or only refer to others. Quoted without its neighbor,
        such a sentence may say the opposite of both.
        """
        for number, candidate in enumerate(readings):
            if candidate is None or number in covered:
                continue
            reading, grammar = candidate
            first = last = number
            marker_span = reading.marker
            while last + 1 < len(sentences) and last + 1 not in covered:
                following = None if dependent[last + 1] else readings[last + 1]
                belongs = belongs_to_previous(sentences[last + 1], following, reading, grammar)
                are_halves = following is not None and are_two_halves(reading, following[0])
                if are_halves and share_subject(sentences[number], sentences[last + 1], grammar):
                    belongs = sentences[last + 1].end - sentences[first].start <= MAX_QUOTE_LENGTH
                if not belongs and not (reading.by_weights and dependent[last + 1]):
                    break
                last += 1
            is_empty = not has_content(sentences[number], grammar)
            is_previous_free = first > 0 and first - 1 not in covered
            needs_previous = (is_empty or reading.has_dangling_pronoun) and is_previous_free
            is_explained = needs_previous and explains_pronoun(sentences, readings, first - 1, is_empty=is_empty)
            is_short_complaint = (
                reading.form is DirectiveForm.COMPLAINT and sentences[number].text.count(" ") <= MAX_STRESS_WORDS
            )
            if is_explained or (
                is_previous_free and (is_short_complaint or introduces_next(sentences[first - 1], grammar))
            ):
                first -= 1
            while reading.by_weights and first > 0 and dependent[first - 1] and first - 1 not in covered:
                first -= 1
            covered.update(range(first, last + 1))
            adjacent = [at for at in (first - 1, last + 1) if 0 <= at < len(dependent)]
            # doubtful sentences next to a certain one
            covered.update([at for at in adjacent if dependent[at] and readings[at] is None])
            if sentences[last].end - sentences[first].start > MAX_QUOTE_LENGTH:
                first = last = number
            if is_empty and first == last:
                continue
            start, end = trim_courtesy(message, sentences[first].start, sentences[last].end, grammar)
            marker = _words_at(sentences[number].text, grammar, marker_span)
            if not marker and last > number:
                marker = self._find_marker_after(sentences[number + 1 : last + 1], grammar)
            yield Directive(
                text=" ".join(message[start:end].split()),
                start=start,
                end=end,
                form=reading.form,
                forbids=reading.forbids and not self._has_replacement_after(readings[number + 1 : last + 1]),
                marker=marker,
                passing=reading.is_temporary,
                stands_alone=not reading.has_dangling_pronoun or first < number,
                inner=reading.is_embedded,
                doubtful=reading.doubtful,
            )

    def _has_replacement_after(self, readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None]) -> bool:
        return bool(readings) and any(candidate is None or not candidate[0].forbids for candidate in readings)

    def _find_marker_after(self, sentences: Sequence[MessageSentence], grammar: DirectiveGrammar) -> str:
        for sentence in sentences:
            if (found := grammar.pattern("lasting").search(grammar.fold(sentence.text))) is not None:
                return _words_at(sentence.text, grammar, found.span())
        return ""


def _is_certain(candidate: tuple[SentenceReading, DirectiveGrammar] | None) -> bool:
    """Whether a sentence is a directive without doubt."""
    return candidate is not None and not candidate[0].doubtful


def _is_pronoun_only(reading: SentenceReading) -> bool:
    """Whether a doubtful directive refers to another sentence and says nothing without it."""
    return reading.doubtful and reading.has_dangling_pronoun


def _is_by_weights(candidate: tuple[SentenceReading, DirectiveGrammar] | None) -> bool:
    """Whether only word weights make a sentence a directive: without its neighbor it may say the opposite."""
    return candidate is not None and candidate[0].by_weights


def _words_at(text: str, grammar: DirectiveGrammar, span: tuple[int, int] | None) -> str:
    """Return the typed words at a span of the folded sentence; corrected typos may have shifted positions."""
    if span is None:
        return ""
    folded = grammar.fold(text)
    if len(folded) == len(text):
        return text[span[0] : span[1]].strip()
    first, last = folded[: span[0]].count(" "), folded[: span[1]].count(" ")
    return " ".join(text.split(" ")[first : last + 1]).strip(" ,.;:!?")


def trim_courtesy(message: str, start: int, end: int, grammar: DirectiveGrammar) -> tuple[int, int]:
    """Trim greetings, names and polite words from both ends of a span, and nothing else."""
    folded = fold_letters(message[start:end], accents=grammar.words.accents)
    if len(folded) != end - start:
        return start, end
    leading, trailing = grammar.leading_courtesy.match(folded), grammar.trailing_courtesy.search(folded)
    first = leading.end() if leading is not None else 0
    last = trailing.start() if trailing is not None and trailing.start() > first else len(folded)
    return start + first, start + last


@cache
def shipped_reader() -> DirectiveReader:
    """Return the reader for the languages that ship with the package."""
    return DirectiveReader()


def directives_in(message: str) -> tuple[Directive, ...]:
    """Return the directives of a message, in order; permissions, questions and remarks do not count."""
    return shipped_reader().directives_in(message)
