"""Reads one sentence: whether it tells how to work, in which form, and by which words it says that it lasts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.directive import DirectiveForm
from wisen.text.directive_grammar import QUOTED
from wisen.text.sentence_leaning import POINTS_BACK, WITHOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.text.directive_matches import SentenceMatches, Span

_BARE = 9
"""Up to so many words a choice of one thing and not another needs no verb: `tabs instead of spaces`."""
LOOSE = 28
"""Up to so many words a sentence may be known by its words alone."""
_BEFORE = 6
"""More words in front of what is forbidden tell something else."""
_DENSE_BARE = 24
"""The same in letters, where words are not written apart."""
_POLITE_ENDING = 5  # So many letters at the end only ask politely: they may negate, and do not forbid.
_SUBJECT = re.compile(
    r"(?:^|\W)(?:i|we|it|they|he|she|to|the|a|an|this|that|of|my|your|can|will|would|could|did|does|do|is|are|and|or|not"
    r"|each|every|any|on|in|by|for|with|from)\s\Z"
)
"""Behind such a word a verb is no order."""
_SIGNS = frozenset(f"{QUOTED}>~|{{}}[]=@$\\")
"""What stands in no sentence of few words."""
_CODE_NAME = re.compile(r"\w\(\S*\)|<\w+>|\.\w{1,4}:\d")
"""Calls, parameters and places in code: of a pasted finding, or of what code is to do."""
_ELSE = re.compile(
    r"\W*(?:can|could|would|it|this|what|where|why|how|is|are|was|does|did|do|yes|yeah|there|thanks|thank|looks|who|should"
    r"|i'm|i've|i think|i see|great|good|nice|perfect|hmm?)\b"
)
"""How messages begin that tell no manner of working: most are known by this, and looked at no further."""
_APART = frozenset(",;:.–-(")
"""What sets a clause apart from the one before it."""


class SentenceReading(NamedTuple):
    """What a sentence is read as."""

    form: DirectiveForm
    forbids: bool
    marker: Span | None
    """Where the words stand in the folded sentence by which it says that it lasts."""
    passing: bool
    points: bool
    """Whether it points at something that only the user saw."""
    inner: bool = False
    """Whether it only stands within a longer sentence, which begins with something else."""
    by_words: bool = False
    """Whether no rule hears it, but its words speak for it."""
    doubtful: bool = False
    """Whether it only may be a directive."""


def read_sentence(matches: SentenceMatches, *, is_message: bool = False) -> SentenceReading | None:
    """What a sentence tells of how to work; None where it tells nothing of it.

    `is_message`: whether it is all that was typed, or nearly: then it may be known by its words alone.
    """
    said = matches.folded
    asks = said.rstrip(" \"')”").endswith("?")
    fires = bool(matches) or (asks and bool(matches.spans_anywhere("negators") and matches.spans("polite")))
    if not fires and (asks or not is_message or _ELSE.match(said) or not matches.spans_at_start("manners")):
        return None
    if said.rstrip().endswith(":") or matches.spans("citations"):
        return None  # what follows a colon is not told here
    return SentenceReader(matches, asks=asks, is_message=is_message).read()


def has_language_words(matches: SentenceMatches) -> bool:
    """Whether words of the language were found, so that a sentence need not be read in another one."""
    return bool(matches or matches.spans_anywhere("harmless"))


class SentenceReader:
    """Looks for the forms of a directive in one sentence."""

    def __init__(self, matches: SentenceMatches, *, asks: bool, is_message: bool) -> None:
        self._matches, self._is_message = matches, is_message
        self._ends_asking = asks
        self._blanks = matches.spans("harmless")
        clauses = [self._clause_span(span) for name in ("permissions", "narratives") for span in matches.spans(name)]
        self._reported = [*self._blanks, *clauses]
        """What is no part of a directive: clauses that only allow, or tell how things are."""

    def read(self) -> SentenceReading | None:
        polite = self._find_first("polite", whole=True)
        blames = bool(self._find_all("complaints", whole=True))
        complains = blames and self._says_what_for()
        if polite is None and (complains or self._find_all("lapses", whole=True)):
            # To have said it before makes a prohibition last; a report of what was said does not.
            insists = self._find_all("insists", whole=True) if self._find_all("negators", whole=True) else []
            markers = [*self._find_all("lasting"), *insists]
            return self._build_reading(DirectiveForm.COMPLAINT, forbids=complains, markers=markers)
        # Nothing says that what was done is not wanted.
        only_blames = blames and not complains and polite is None and not self._verb_spans()
        if only_blames or self._find_first("suppositions", whole=True) is not None:
            return None
        if polite is not None and (self._ends_asking or not self._opens_question()):
            return self._read_polite_request(polite)
        asks = self._ends_asking and not self._only_tail_asks()
        if asks or self._opens_question():
            return None
        if (keep := self._find_first("remember")) is not None:
            forbids = self._prohibition_span() is not None and not self._is_replacement()
            fact = self._build_reading(DirectiveForm.FACT, forbids=forbids, markers=[*self._find_all("lasting"), keep])
            # "remember that she owns billing now" tells a change, which lasts.
            lasts = all(self._matches.folded[slice(*span)] == "now" for span in self._matches.spans("passing"))
            return fact._replace(passing=False) if lasts else fact
        return self._read_statement()

    def _says_what_for(self) -> bool:
        """Whether a complaint negates or insists: else its words alone may be read as an order."""
        negators = [self._matches.folded[start:end] for start, end in self._find_all("negators", whole=True)]
        return any(WITHOUT.match(each) is None for each in negators) or bool(self._find_all("insists", whole=True))

    def _read_statement(self) -> SentenceReading | None:
        """What a sentence tells that is no question."""
        lasting = [span for span in self._find_all("lasting") if not self._belongs_to_task(span)]
        forbid, habits = self._prohibition_span(), self._find_all("habits")
        markers = [*lasting, *habits]
        form = self._form(forbid, lasting, habits) or self._mandate_form() or self._loose_form()
        if form is None:
            return None
        if form in (DirectiveForm.REPLACEMENT, DirectiveForm.PROHIBITION, DirectiveForm.CONVENTION):
            markers.extend(self._convention_spans())
        forbids = {
            DirectiveForm.PROHIBITION: (forbid is not None and not self._is_order_beside(forbid))
            or (forbid is None and not self._verb_spans()),
            DirectiveForm.WISH: self._find_first("dislikes") is not None or self._is_negated_from(0),
        }
        reading = self._build_reading(
            form, forbids=forbids.get(form, False), markers=[*markers, *self._find_all("opening")]
        )
        inner = form is DirectiveForm.PROHIBITION and forbid is not None and self._stands_within(forbid)
        return reading._replace(inner=True) if inner else reading

    def _stands_within(self, span: Span) -> bool:
        """Whether something else is said before a place, at some length."""
        words = len(self._matches.folded[: span[0]].split())
        return words > _BEFORE and span not in self._matches.opening_spans("forbid")

    def _form(self, forbid: Span | None, lasting: list[Span], habits: list[Span]) -> DirectiveForm | None:
        """The form of a sentence that is no question; None where it tells nothing of how to work."""
        general = self._holds_for_each()
        lasting = [span for span in lasting if self._is_lasting_span(span)]
        forms: tuple[tuple[DirectiveForm, Callable[[], bool]], ...] = (
            (DirectiveForm.WISH, lambda: self._find_first("dislikes") is not None),
            (DirectiveForm.REPLACEMENT, lambda: self._is_replacement() and (forbid is not None or self._may_choose())),
            (DirectiveForm.PROHIBITION, lambda: forbid is not None),
            (DirectiveForm.ORDER, lambda: bool(habits)),
            (DirectiveForm.CONVENTION, lambda: self._is_agreed_or_required() and not self._ends_asking),
            (DirectiveForm.WISH, lambda: self._find_first("wishes") is not None),
            (DirectiveForm.ORDER, lambda: self._find_first("opening") is not None),
            (DirectiveForm.ORDER, lambda: bool(lasting or general) and self._is_order()),
            (DirectiveForm.ORDER, lambda: bool(lasting) and self._is_free()),
        )
        return next((form for form, holds in forms if holds()), None)

    def _loose_form(self) -> DirectiveForm | None:
        """The form of what is only known by its words: it limits, refuses or scopes something that is to be done.

        A piece of work, and what tells how things are or is for now, is none, whatever it limits.
        """
        if not self._is_message or self._matches.spans("passing") or self._matches.spans("pointing"):
            return None
        if self._matches.spans("permissions") or self._tells_at_its_head() or _CODE_NAME.search(self._matches.folded):
            return None
        if len(self._matches.folded.split()) > LOOSE or self._matches.opening_spans("tasks"):
            return None
        limits = [name for name in ("quantifiers", "conditions", "exceptions") if self._matches.spans_anywhere(name)]
        refuses, obliges = self._find_all("negators", whole=True), self._matches.spans_anywhere("obliges")
        if refuses and (obliges or self._verb_spans()):
            return DirectiveForm.PROHIBITION
        if limits and (obliges or (self._verb_spans() and "quantifiers" in limits)):
            return DirectiveForm.ORDER
        return None

    def _mandate_form(self) -> DirectiveForm | None:
        """The form of what only its build makes a directive: nothing before it may tell, allow or limit it to now."""
        said = self._matches.folded
        begun = set(self._matches.opening_spans("mandates"))
        if self._is_message and not self._matches.spans("pointing") and "://" not in said:
            begun.update(self._matches.spans_at_start("manners"))
        apart = [span for span in self._matches.spans("mandates") if said[: span[0]].rstrip()[-1:] in _APART]
        found = [*begun, *apart, *self._matches.spans("binding")]
        signs = said.replace(" > ", " ", 1)  # one thing before another: "tabs > spaces"
        if not found or len(said.split()) > LOOSE or not _SIGNS.isdisjoint(signs) or self._matches.spans("passing"):
            return None
        start = min(found)[0]
        if any(span[1] <= start for name in ("narratives", "permissions") for span in self._matches.spans(name)):
            return None
        if self._matches.spans("negators") and not self._verb_spans():
            return DirectiveForm.PROHIBITION
        return DirectiveForm.ORDER

    def _tells_at_its_head(self) -> bool:
        """Whether it begins by telling how things are; not so where that is said of nothing, or of everything."""
        heads = {start for name in ("negators", "quantifiers") for start, _ in self._matches.spans_anywhere(name)}
        begin = min(self._matches.clause_starts(), default=0)
        return any(span[0] <= begin + 2 and span[0] not in heads for span in self._matches.spans("narratives"))

    def _holds_for_each(self) -> bool:
        """Whether it holds for each case, and is no piece of work that only mentions such cases."""
        general = self._find_first("general")
        if general is None or self._matches.spans("passing"):
            return False
        return not any(span[0] < general[0] for span in self._find_all("tasks"))

    def _is_lasting_span(self, span: Span) -> bool:
        """Whether words that say that something lasts belong to the order: "make it never wrap" is a piece of work."""
        said, matches = self._matches.folded, self._matches
        if matches.grammar.words.free_order or span[0] in matches.clause_starts():
            return True
        if not any(adverb[0] == span[0] for adverb in matches.spans("adverbs")):
            return True
        behind = said[span[1] : matches.clause_end(span[1])]
        return not behind.strip(" .!") or any(end == span[0] - 1 for _, end in self._find_all("orders"))

    def _belongs_to_task(self, span: Span) -> bool:
        """Whether words that say that something lasts only say where a piece of work is to be done."""
        matches = self._matches
        if matches.grammar.words.free_order or span[0] in matches.clause_starts():
            return False
        tasks = self._find_all("tasks")
        is_behind = bool(tasks) and tasks[0][0] < span[0]
        return is_behind and not any(opening[0] == span[0] for opening in matches.spans_anywhere("opening"))

    def _is_free(self) -> bool:
        """Whether what lasts is an order by itself, as nothing says that it only tells how things are."""
        return self._matches.grammar.words.free_order and not self._reported

    def _read_polite_request(self, polite: Span) -> SentenceReading | None:
        """A question that asks to stop, to choose or to keep to a habit; a task of the day is none."""
        after = polite[1] if self._matches.folded[polite[1] :].strip(" ?!.") else polite[0]
        banned = [*self._matches.spans_anywhere("forbid"), *self._matches.spans_anywhere("negators")]
        if after == polite[0]:  # the verb stands last, and what asks for it politely is its ending
            near = [span for span in banned if span[1] <= polite[1] - _POLITE_ENDING]
        else:
            near = [span for span in banned if span[0] >= after and self._leads_to(after, span[0])]
        habits = [span for span in self._matches.spans_anywhere("habits") if span[0] >= after]
        swaps = [span for span in self._find_all("swap") if span[0] >= after] and not self._find_first("checks")
        lasting = [span for span in self._find_all("lasting") if self._is_framed_by(after, span)]
        if not (near or habits or swaps or lasting or self._holds_for_each()):
            return None
        forbids = bool(near) and not swaps
        return self._build_reading(DirectiveForm.QUESTION, forbids=forbids, markers=[*lasting, *habits])

    def _is_framed_by(self, after: int, span: Span) -> bool:
        """Whether words that say that it lasts stand before a request, right behind its first words or at its end."""
        said = self._matches.folded
        return span[0] < after or self._leads_to(after, span[0]) or not said[span[1] :].strip(" ?.!")

    def _leads_to(self, start: int, end: int) -> bool:
        """Whether a word at most stands between two places, but for polite ones."""
        between = self._matches.grammar.pattern("pleases").sub(" ", self._matches.folded[start:end])
        return len(between.split()) <= 1

    def _build_reading(self, form: DirectiveForm, *, forbids: bool, markers: list[Span]) -> SentenceReading:
        return SentenceReading(
            form=form,
            forbids=forbids,
            marker=min(markers) if markers else None,
            passing=self._is_temporary(),
            points=self._has_dangling_pronoun(),
        )

    def _has_dangling_pronoun(self) -> bool:
        """Whether it points at something; "remember that …" points at what it says itself, seldom at what was said."""
        said, keeps = self._matches.folded, self._matches.spans("remember")
        found = [start for start, _ in self._matches.spans("pointing")]
        return any(POINTS_BACK.match(said, end) for _, end in keeps) or any(
            not any(first <= start < last for first, last in keeps) for start in found
        )

    def _is_temporary(self) -> bool:
        """Whether it says that it is for now: "ahora" does, "a partir de ahora" does not."""
        lasting = [*self._matches.spans("lasting"), *self._matches.spans("opening")]
        starts = [start for start, _ in self._matches.spans("passing")]
        return any(not any(first <= start < last for first, last in lasting) for start in starts)

    def _find_all(self, name: str, *, whole: bool = False) -> list[Span]:
        hidden = self._blanks if whole else self._reported
        spans = self._matches.spans(name)
        return [span for span in spans if not any(a <= span[0] < b for a, b in hidden)] if hidden else spans

    def _find_first(self, name: str, *, whole: bool = False) -> Span | None:
        found = self._find_all(name, whole=whole)
        return found[0] if found else None

    def _prohibition_span(self) -> Span | None:
        if (found := self._find_first("forbid") or self._find_first("forbidden")) is not None:
            return found
        begin = min(self._matches.clause_starts(), default=0)
        holds = [*self._find_all("general"), *(span for span in self._find_all("conditions") if span[0] == begin)]
        return self._find_in_scope("forbid", min(holds)[0]) if holds else None

    def _find_in_scope(self, name: str, start: int) -> Span | None:
        """What stands behind what it holds for: "before committing run the linter"."""
        for span in self._matches.spans_anywhere(name):
            if span[0] >= start and not _SUBJECT.search(self._matches.folded, max(0, span[0] - 12), span[0]):
                return span
        return None

    def _opens_question(self) -> bool:
        begin = min(self._matches.clause_starts(), default=0)
        return any(span[0] <= begin + 12 for span in self._find_all("questions", whole=True))

    def _is_order(self) -> bool:
        if self._verb_spans():
            return True
        general = self._find_first("general")
        return general is not None and self._is_order_after(general)

    def _is_order_after(self, general: Span) -> bool:
        """Whether an order stands right behind what it holds for, or a mark or "always" leads to it."""
        said = self._matches.folded
        for start, _ in self._matches.spans_anywhere("orders"):
            before = said[general[1] : start].rstrip()
            if general[0] < start and (
                start < general[1]
                or not before
                or before.endswith(",")
                or any(b == start - 1 for _, b in self._find_all("lasting"))
            ):
                return True
        return False

    def _is_order_beside(self, forbid: Span) -> bool:
        """Whether another clause says what to do instead."""
        negating = {start for start, _ in self._find_all("negators")}
        never = [span for span in self._find_all("lasting") if span[0] in negating]
        banned = [*never, *(span for name in ("forbid", "forbidden") for span in self._find_all(name))]
        return any(not any(a <= span[0] <= b + 1 for a, b in [*banned, forbid]) for span in self._verb_spans())

    def _verb_spans(self) -> list[Span]:
        """The orders, but for those that only lead to something: "make sure that"."""
        leads = {start for start, _ in self._matches.spans_anywhere("leads")}
        begun = [span for name in ("orders", "tasks") for span in self._find_all(name) if span[0] not in leads]
        return [*begun, *self._find_all("closing")]

    def _is_replacement(self) -> bool:
        return bool(self._find_all("swap")) or self._chooses_barely()

    def _chooses_barely(self) -> bool:
        """Whether nothing is said but one thing, and another that it is not."""
        if not self._is_bare():
            return False
        said = self._matches.folded
        bans = [span for name in ("forbid", "forbidden", "lasting") for span in self._find_all(name)]
        bare = [span for span in self._find_all("bare") if not any(a <= span[0] < b for a, b in bans)]
        return any(said[:a].strip(" ,") and said[b:].strip(" .,!") for a, b in bare)

    def _is_bare(self) -> bool:
        said = self._matches.folded
        size = len(said) <= _DENSE_BARE if self._matches.grammar.words.glued else len(said.split()) <= _BARE
        return size and _SIGNS.isdisjoint(said) and not self._matches.spans("narratives")

    def _may_choose(self) -> bool:
        """Whether a choice is told and not only reported."""
        if (self._find_first("orders") and self._find_first("orders") != self._find_first("tasks")) or self._find_all(
            "closing"
        ):
            return True
        if (
            any(self._find_first(name) for name in ("wishes", "opening"))
            or self._is_agreed()
            or self._find_all("lasting")
        ):
            return True
        begin = min(self._matches.clause_starts(), default=0)
        if any(start == begin for start, _ in self._find_all("conditions")):
            return True  # "if it is red, tell me instead of …"
        return self._is_bare() and self._find_first("tasks") is None

    def _convention_spans(self) -> list[Span]:
        """The words that name the project at hand, where it is told how things are done there."""
        return self._find_all("project") if self._is_agreed() else []

    def _is_agreed_or_required(self) -> bool:
        return self._is_agreed() or bool(self._find_all("required"))

    def _is_agreed(self) -> bool:
        """Whether the sentence opens by telling how things are done in a project."""
        return bool(self._matches.opening_spans("conventions")) and self._find_first("conventions") is not None

    def _is_negated_from(self, start: int) -> bool:
        return any(span[0] >= start for span in self._find_all("negators"))

    def _only_tail_asks(self) -> bool:
        """Whether only a word behind an order is asked: "…, ok?"."""
        body = self._matches.folded.rstrip(" ?!")
        for start, end in self._matches.spans("tails"):
            if end == len(body) and body[:start].rstrip().endswith((",", ".", "!", "،", "、", "–")):
                return True
        return False

    def _clause_span(self, span: Span) -> Span:
        return span[0], self._matches.clause_end(span[1])
