"""Recognizes directives by grammar rules: reads one sentence for its form and the words that make it lasting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_grammar import QUOTED
from wisen.text.lazy_regex import lazy_regex
from wisen.text.sentence_leaning import OMISSION, REFERS_BACK
from wisen.text.sentence_reading import SentenceReading

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.text.directive_matches import SentenceMatches, Span

_MAX_BARE_WORDS = 9
"""Maximum number of words of a choice without a verb: `tabs instead of spaces`."""
MAX_LOOSE_WORDS = 28
"""Maximum number of words of a sentence that may be recognized by its words alone."""
_MAX_WORDS_BEFORE = 6
"""More words in front of a prohibition than this are a statement of their own."""
_MAX_BARE_LENGTH = 24
"""The same as characters, for scripts without spaces between words."""
_POLITE_ENDING_LENGTH = 5  # Length of a polite verb ending, which may negate without forbidding.
_NO_ORDER_AFTER = lazy_regex(
    r"(?:^|\W)(?:i|we|it|they|he|she|to|the|a|an|this|that|of|my|your|can|will|would|could|did|does|do|is|are|and|or|not"
    r"|each|every|any|on|in|by|for|with|from)\s\Z"
)
"""A verb right after one of these words is not an order."""
_SYMBOLS = frozenset(f"{QUOTED}>~|{{}}[]=@$\\")
"""Characters that do not occur in short plain sentences."""
_CODE_NAME = lazy_regex(r"\w\(\S*\)|<\w+>|\.\w{1,4}:\d")
"""Calls, parameters and code locations: from a pasted finding, or about what code should do."""
_OTHER_OPENING = lazy_regex(
    r"\W*(?:can|could|would|it|this|what|where|why|how|is|are|was|does|did|do|yes|yeah|there|thanks|thank|looks|who|should"
    r"|i'm|i've|i think|i see|great|good|nice|perfect|hmm?)\b"
)
"""Openings of messages that are not about how to work: most messages are ruled out by this alone."""
_SEPARATORS = frozenset(",;:.–-(")
"""Punctuation that separates a clause from the one before it."""


def read_sentence(matches: SentenceMatches, *, is_message: bool = False) -> SentenceReading | None:
    """Read what a sentence says about how to work; None if it says nothing about it.

    `is_message`: whether it is all that was typed, or nearly: then it may be recognized by its words alone.
    """
    folded = matches.folded
    is_question = folded.rstrip(" \"')”").endswith("?")
    matched = bool(matches) or (is_question and bool(matches.spans_anywhere("negators") and matches.spans("polite")))
    may_be_manner = is_message and not is_question and not _OTHER_OPENING.match(folded)
    if not matched and not (may_be_manner and matches.spans_at_start("manners")):
        return None
    if folded.rstrip().endswith(":") or matches.spans("citations"):
        return None  # what follows the colon is not in this sentence
    return SentenceReader(matches, is_question=is_question, is_message=is_message).read()


def has_language_words(matches: SentenceMatches) -> bool:
    """Whether words of the language matched, so that the sentence need not be read in another one."""
    return bool(matches or matches.spans_anywhere("harmless"))


class SentenceReader:
    """Looks for each form of directive in one sentence."""

    def __init__(self, matches: SentenceMatches, *, is_question: bool, is_message: bool) -> None:
        self._matches, self._is_message = matches, is_message
        self._folded = matches.folded
        self._is_question = is_question
        self._harmless = matches.spans("harmless")
        clauses = [self._clause_span(span) for name in ("permissions", "narratives") for span in matches.spans(name)]
        self._reported = [*self._harmless, *clauses]
        """Spans that cannot be part of a directive: clauses that only permit or describe."""

    def read(self) -> SentenceReading | None:
        polite = self._find_first("polite", anywhere=True)
        has_complaint = bool(self._find_all("complaints", anywhere=True))
        is_complaint = has_complaint and self._has_specific_complaint()
        if polite is None and (is_complaint or self._find_all("lapses", anywhere=True)):
            # Repeating oneself makes a prohibition last; a report of what was said does not.
            insists = self._find_all("insists", anywhere=True) if self._find_all("negators", anywhere=True) else []
            markers = [*self._find_all("lasting"), *insists]
            return self._build_reading(DirectiveForm.COMPLAINT, forbids=is_complaint, markers=markers)
        # It does not say which action is unwanted.
        is_vague_complaint = has_complaint and not is_complaint and polite is None and not self._verb_spans()
        if is_vague_complaint or self._find_first("suppositions", anywhere=True) is not None:
            return None
        if polite is not None and (self._is_question or not self._opens_as_question()):
            return self._read_polite_request(polite)
        is_question = self._is_question and not self._is_tag_question()
        if is_question or self._opens_as_question():
            return None
        if (remember := self._find_first("remember")) is not None:
            forbids = self._prohibition_span() is not None and not self._is_replacement()
            reading = self._build_reading(
                DirectiveForm.FACT, forbids=forbids, markers=[*self._find_all("lasting"), remember]
            )
            # "remember that she owns billing now" states a change, which is permanent.
            is_permanent = all(self._folded[slice(*span)] == "now" for span in self._matches.spans("passing"))
            return reading._replace(is_temporary=False) if is_permanent else reading
        return self._read_statement()

    def _has_specific_complaint(self) -> bool:
        """Whether a complaint negates or insists: otherwise its words could be read as an order."""
        negators = [self._folded[start:end] for start, end in self._find_all("negators", anywhere=True)]
        return any(OMISSION.match(each) is None for each in negators) or bool(self._find_all("insists", anywhere=True))

    def _read_statement(self) -> SentenceReading | None:
        """Read a sentence that is not a question."""
        lasting = [span for span in self._find_all("lasting") if not self._belongs_to_task(span)]
        forbid, habits = self._prohibition_span(), self._find_all("habits")
        markers = [*lasting, *habits]
        form = self._form(forbid, lasting, habits) or self._mandate_form() or self._loose_form()
        if form is None:
            return None
        if form in (DirectiveForm.REPLACEMENT, DirectiveForm.PROHIBITION, DirectiveForm.CONVENTION):
            markers.extend(self._convention_spans())
        forbids = {
            DirectiveForm.PROHIBITION: (forbid is not None and not self._has_order_besides(forbid))
            or (forbid is None and not self._verb_spans()),
            DirectiveForm.WISH: self._find_first("dislikes") is not None or self._is_negated_from(0),
        }
        reading = self._build_reading(
            form, forbids=forbids.get(form, False), markers=[*markers, *self._find_all("opening")]
        )
        is_embedded = form is DirectiveForm.PROHIBITION and forbid is not None and self._is_embedded(forbid)
        return reading._replace(is_embedded=True) if is_embedded else reading

    def _is_embedded(self, span: Span) -> bool:
        """Whether a longer statement precedes a span."""
        words = len(self._folded[: span[0]].split())
        return words > _MAX_WORDS_BEFORE and span not in self._matches.opening_spans("forbid")

    def _form(self, forbid: Span | None, lasting: list[Span], habits: list[Span]) -> DirectiveForm | None:
        """Return the form of a sentence that is not a question; None if it is not about how to work."""
        general = self._is_general()
        lasting = [span for span in lasting if self._is_lasting_span(span)]
        forms: tuple[tuple[DirectiveForm, Callable[[], bool]], ...] = (
            (DirectiveForm.WISH, lambda: self._find_first("dislikes") is not None),
            (DirectiveForm.REPLACEMENT, lambda: self._is_replacement() and (forbid is not None or self._is_choice())),
            (DirectiveForm.PROHIBITION, lambda: forbid is not None),
            (DirectiveForm.ORDER, lambda: bool(habits)),
            (DirectiveForm.CONVENTION, lambda: self._is_agreed_or_required() and not self._is_question),
            (DirectiveForm.WISH, lambda: self._find_first("wishes") is not None),
            (DirectiveForm.ORDER, lambda: self._find_first("opening") is not None),
            (DirectiveForm.ORDER, lambda: bool(lasting or general) and self._is_order()),
            (DirectiveForm.ORDER, lambda: bool(lasting) and self._is_unreported_order()),
        )
        return next((form for form, applies in forms if applies()), None)

    def _loose_form(self) -> DirectiveForm | None:
        """Return the form of a sentence recognized by its words alone: it limits, refuses or scopes an action.

        Tasks, descriptions and temporary requests do not count, whatever they limit.
        """
        if not self._is_message or self._matches.spans("passing") or self._matches.spans("pointing"):
            return None
        if self._matches.spans("permissions") or self._opens_with_narrative() or _CODE_NAME.search(self._folded):
            return None
        if len(self._folded.split()) > MAX_LOOSE_WORDS or self._matches.opening_spans("tasks"):
            return None
        limits = [name for name in ("quantifiers", "conditions", "exceptions") if self._matches.spans_anywhere(name)]
        refusals, obligations = self._find_all("negators", anywhere=True), self._matches.spans_anywhere("obliges")
        if refusals and (obligations or self._verb_spans()):
            return DirectiveForm.PROHIBITION
        if limits and (obligations or (self._verb_spans() and "quantifiers" in limits)):
            return DirectiveForm.ORDER
        return None

    def _mandate_form(self) -> DirectiveForm | None:
        """Return the form of a directive known only by its structure: no narrative or permission may precede it."""
        opening_spans = set(self._matches.opening_spans("mandates"))
        if self._is_message and not self._matches.spans("pointing") and "://" not in self._folded:
            opening_spans.update(self._matches.spans_at_start("manners"))
        mandates = self._matches.spans("mandates")
        separated = [span for span in mandates if self._folded[: span[0]].rstrip()[-1:] in _SEPARATORS]
        found = [*opening_spans, *separated, *self._matches.spans("binding")]
        without_arrow = self._folded.replace(" > ", " ", 1)  # a preference: "tabs > spaces"
        if not found or len(self._folded.split()) > MAX_LOOSE_WORDS or not _SYMBOLS.isdisjoint(without_arrow):
            return None
        if self._matches.spans("passing"):
            return None
        start = min(found)[0]
        if any(span[1] <= start for name in ("narratives", "permissions") for span in self._matches.spans(name)):
            return None
        if self._matches.spans("negators") and not self._verb_spans():
            return DirectiveForm.PROHIBITION
        return DirectiveForm.ORDER

    def _opens_with_narrative(self) -> bool:
        """Whether it opens with a description, unless that begins with a negator or quantifier."""
        ignored = {start for name in ("negators", "quantifiers") for start, _ in self._matches.spans_anywhere(name)}
        first_start = min(self._matches.clause_starts(), default=0)
        return any(span[0] <= first_start + 2 and span[0] not in ignored for span in self._matches.spans("narratives"))

    def _is_general(self) -> bool:
        """Whether it applies to every case and is not a task that only mentions such cases."""
        general = self._find_first("general")
        if general is None or self._matches.spans("passing"):
            return False
        return not any(span[0] < general[0] for span in self._find_all("tasks"))

    def _is_lasting_span(self, span: Span) -> bool:
        """Whether lasting words belong to the order: "make it never wrap" is a task."""
        matches = self._matches
        if matches.grammar.words.free_order or span[0] in matches.clause_starts():
            return True
        if not any(adverb[0] == span[0] for adverb in matches.spans("adverbs")):
            return True
        rest = self._folded[span[1] : matches.clause_end(span[1])]
        return not rest.strip(" .!") or any(end == span[0] - 1 for _, end in self._find_all("orders"))

    def _belongs_to_task(self, span: Span) -> bool:
        """Whether lasting words only belong to a task."""
        matches = self._matches
        if matches.grammar.words.free_order or span[0] in matches.clause_starts():
            return False
        tasks = self._find_all("tasks")
        follows_task = bool(tasks) and tasks[0][0] < span[0]
        return follows_task and not any(opening[0] == span[0] for opening in matches.spans_anywhere("opening"))

    def _is_unreported_order(self) -> bool:
        """Whether lasting words alone make an order, because no part of the sentence is a description."""
        return self._matches.grammar.words.free_order and not self._reported

    def _read_polite_request(self, polite: Span) -> SentenceReading | None:
        """Read a question that asks to stop, to choose or to keep a habit; a one-off task does not count."""
        offset = polite[1] if self._folded[polite[1] :].strip(" ?!.") else polite[0]
        negations = [*self._matches.spans_anywhere("forbid"), *self._matches.spans_anywhere("negators")]
        if offset == polite[0]:  # verb-final language: the polite request is the ending of the verb
            forbidding = [span for span in negations if span[1] <= polite[1] - _POLITE_ENDING_LENGTH]
        else:
            forbidding = [span for span in negations if span[0] >= offset and self._are_close(offset, span[0])]
        habits = [span for span in self._matches.spans_anywhere("habits") if span[0] >= offset]
        replaces = [span for span in self._find_all("swap") if span[0] >= offset] and not self._find_first("checks")
        lasting = [span for span in self._find_all("lasting") if self._is_framed_by(offset, span)]
        if not (forbidding or habits or replaces or lasting or self._is_general()):
            return None
        forbids = bool(forbidding) and not replaces
        return self._build_reading(DirectiveForm.QUESTION, forbids=forbids, markers=[*lasting, *habits])

    def _is_framed_by(self, offset: int, span: Span) -> bool:
        """Whether lasting words come before a request, right after its opening or at its end."""
        return span[0] < offset or self._are_close(offset, span[0]) or not self._folded[span[1] :].strip(" ?.!")

    def _are_close(self, start: int, end: int) -> bool:
        """Whether at most one word lies between two positions, not counting polite ones."""
        between = self._matches.grammar.pattern("pleases").sub(" ", self._folded[start:end])
        return len(between.split()) <= 1

    def _build_reading(self, form: DirectiveForm, *, forbids: bool, markers: list[Span]) -> SentenceReading:
        return SentenceReading(
            form=form,
            forbids=forbids,
            marker=min(markers) if markers else None,
            is_temporary=self._is_temporary(),
            has_dangling_pronoun=self._has_dangling_pronoun(),
        )

    def _has_dangling_pronoun(self) -> bool:
        """Whether it refers to something outside it; "remember that …" mostly refers to its own content."""
        remember_spans = self._matches.spans("remember")
        found = [start for start, _ in self._matches.spans("pointing")]
        return any(REFERS_BACK.match(self._folded, end) for _, end in remember_spans) or any(
            not any(first <= start < last for first, last in remember_spans) for start in found
        )

    def _is_temporary(self) -> bool:
        """Whether it says that it applies only for now: "ahora" does, "a partir de ahora" does not."""
        lasting = [*self._matches.spans("lasting"), *self._matches.spans("opening")]
        starts = [start for start, _ in self._matches.spans("passing")]
        return any(not any(first <= start < last for first, last in lasting) for start in starts)

    def _find_all(self, name: str, *, anywhere: bool = False) -> list[Span]:
        excluded = self._harmless if anywhere else self._reported
        spans = self._matches.spans(name)
        return [span for span in spans if not any(a <= span[0] < b for a, b in excluded)] if excluded else spans

    def _find_first(self, name: str, *, anywhere: bool = False) -> Span | None:
        found = self._find_all(name, anywhere=anywhere)
        return found[0] if found else None

    def _prohibition_span(self) -> Span | None:
        if (found := self._find_first("forbid") or self._find_first("forbidden")) is not None:
            return found
        first_start = min(self._matches.clause_starts(), default=0)
        conditions = [span for span in self._find_all("conditions") if span[0] == first_start]
        scopes = [*self._find_all("general"), *conditions]
        return self._find_in_scope("forbid", min(scopes)[0]) if scopes else None

    def _find_in_scope(self, name: str, start: int) -> Span | None:
        """Find words of a kind after their scope: "before committing run the linter"."""
        for span in self._matches.spans_anywhere(name):
            if span[0] >= start and not _NO_ORDER_AFTER.search(self._folded, max(0, span[0] - 12), span[0]):
                return span
        return None

    def _opens_as_question(self) -> bool:
        first_start = min(self._matches.clause_starts(), default=0)
        return any(span[0] <= first_start + 12 for span in self._find_all("questions", anywhere=True))

    def _is_order(self) -> bool:
        if self._verb_spans():
            return True
        general = self._find_first("general")
        return general is not None and self._is_order_after(general)

    def _is_order_after(self, general: Span) -> bool:
        """Whether an order directly follows its scope, or is introduced by a comma or "always"."""
        for start, _ in self._matches.spans_anywhere("orders"):
            before = self._folded[general[1] : start].rstrip()
            if general[0] < start and (
                start < general[1]
                or not before
                or before.endswith(",")
                or any(b == start - 1 for _, b in self._find_all("lasting"))
            ):
                return True
        return False

    def _has_order_besides(self, forbid: Span) -> bool:
        """Whether another clause says what to do instead."""
        negators = {start for start, _ in self._find_all("negators")}
        negated = [span for span in self._find_all("lasting") if span[0] in negators]
        negations = [*negated, *(span for name in ("forbid", "forbidden") for span in self._find_all(name))]
        return any(not any(a <= span[0] <= b + 1 for a, b in [*negations, forbid]) for span in self._verb_spans())

    def _verb_spans(self) -> list[Span]:
        """Return the orders, except those that only introduce another: "make sure that"."""
        leads = {start for start, _ in self._matches.spans_anywhere("leads")}
        opening_spans = [span for name in ("orders", "tasks") for span in self._find_all(name) if span[0] not in leads]
        return [*opening_spans, *self._find_all("closing")]

    def _is_replacement(self) -> bool:
        return bool(self._find_all("swap")) or self._is_bare_replacement()

    def _is_bare_replacement(self) -> bool:
        """Whether the sentence only names one thing and another that it is not."""
        if not self._is_bare():
            return False
        prohibitions = [span for name in ("forbid", "forbidden", "lasting") for span in self._find_all(name)]
        bare = [span for span in self._find_all("bare") if not any(a <= span[0] < b for a, b in prohibitions)]
        return any(self._folded[:a].strip(" ,") and self._folded[b:].strip(" .,!") for a, b in bare)

    def _is_bare(self) -> bool:
        is_glued = self._matches.grammar.words.glued
        is_short = len(self._folded) <= _MAX_BARE_LENGTH if is_glued else len(self._folded.split()) <= _MAX_BARE_WORDS
        return is_short and _SYMBOLS.isdisjoint(self._folded) and not self._matches.spans("narratives")

    def _is_choice(self) -> bool:
        """Whether a choice is ordered and not only reported."""
        order = self._find_first("orders")
        if (order and order != self._find_first("tasks")) or self._find_all("closing"):
            return True
        if any(self._find_all(name) for name in ("wishes", "opening", "lasting")) or self._is_agreed():
            return True
        first_start = min(self._matches.clause_starts(), default=0)
        if any(start == first_start for start, _ in self._find_all("conditions")):
            return True  # "if it is red, tell me instead of …"
        return self._is_bare() and self._find_first("tasks") is None

    def _convention_spans(self) -> list[Span]:
        """Return the words that name the project, if the sentence says how things are done there."""
        return self._find_all("project") if self._is_agreed() else []

    def _is_agreed_or_required(self) -> bool:
        return self._is_agreed() or bool(self._find_all("required"))

    def _is_agreed(self) -> bool:
        """Whether the sentence opens by saying how things are done in a project."""
        return bool(self._matches.opening_spans("conventions")) and self._find_first("conventions") is not None

    def _is_negated_from(self, start: int) -> bool:
        return any(span[0] >= start for span in self._find_all("negators"))

    def _is_tag_question(self) -> bool:
        """Whether only a word after an order is a question: "…, ok?"."""
        body = self._folded.rstrip(" ?!")
        for start, end in self._matches.spans("tails"):
            if end == len(body) and body[:start].rstrip().endswith((",", ".", "!", "،", "、", "–")):
                return True
        return False

    def _clause_span(self, span: Span) -> Span:
        return span[0], self._matches.clause_end(span[1])
