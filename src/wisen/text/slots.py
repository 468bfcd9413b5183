"""Parses a lesson into slots: the significant words of what it asks for and refuses, and the paths it names.

It knows how people phrase this ("use X, not Y", "never X", "switch from Y to X"), not what words mean. Other languages
are mapped to the same words and marks first. It never fails: what it cannot parse counts as asked for.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.word_stems import EMPTY
from wisen.text.glossary import BANNED as _BANNED
from wisen.text.glossary import CANNOT as _CANNOT
from wisen.text.glossary import ENGLISH, language_of, translate_terms
from wisen.text.glossary import NEVER as _NEVER
from wisen.text.glossary import NOT as _NOT
from wisen.text.glossary import YES as _YES
from wisen.text.lazy_regex import lazy_regex
from wisen.text.terms import BOUND, term_of
from wisen.text.tool_choices import RIVALS

if TYPE_CHECKING:
    import re

_VERBATIM = lazy_regex(r"`([^`]*[^`\s][^`]*)`|((?<![\w-])--?\w[\w=.:/-]*\w|[\w.@~*]*[\w@~*][/@_-](?:[\w./@*-]*[\w*])?)")
"""Text in which no phrases are looked for: commands, flags and compound names."""
_PUNCTUATION = {1: " ", 2: " "} | {
    ord(wide): f"{plain} " for wide, plain in zip("，。；、：！？", ",.;,:!?", strict=True)
}
"""Removes our internal marks; maps punctuation of other scripts to ASCII, as both end clauses."""
_STRESSED = lazy_regex(r"(?<!\w)(\*{1,3}|_)(\w[^*_]*)\1(?!\w)")
_UP_TO_CLAUSE_END = r"((?:(?![,;]|[.!?:]\s).){0,120}?)"
"""What may come between the two halves of a phrase: anything up to a nearby end of the clause."""
_BE, _MODAL = r"(?:is|are|be|was|were)", r"(?:do|does|did|should|must|can|could|may|might|will|would|shall|need|ought)"
_USER_WANTS = r"\b(?:i|we)(?: have)? (?:already )?(?:told|asked|said|want|wanted|need|expect)(?: you)?(?: that)?"
_ALLOWED = r"(?:fine|ok|okay|allowed|permitted|acceptable|welcome|all ?right)"
_MOVES = r"(?:switch|migrat|chang|convert|mov|upgrad|downgrad)(?:e|ed|ing)?"
_ADDS = r"(?:install|add|introduc|includ|pull in|bring in)(?:e|ing|ed)?"
_START = r"(?:^|(?<=[,;.!?:] ))"
_UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_SCRIPT_BOUNDARY = lazy_regex(rf"(?<={_UNSPACED})(?=[a-z0-9@])|(?<=[a-z0-9])(?={_UNSPACED})")
"""Positions where a Latin name touches letters of a script without spaces."""
_PHRASES = tuple(
    (tuple(hints.split()), lazy_regex(pattern), replacement)
    for hints, pattern, replacement in (
        ("‘ ’", r"[‘’]", "'"),
        ("'", r"'(?:ve|re|d|ll|m|s)\b", ""),
        ("forget hesitate fail", r"\b(?:do not|don't|dont|never|not) (?:ever )?(?:forget|hesitate|fail) to\b", " "),
        ("told asked said want need expect", rf"{_USER_WANTS} (?:not to|to not|to never|never to)\b", f" {_NEVER} "),
        ("told asked said want need expect", rf"{_USER_WANTS}(?: to)?\b(?! for)", " "),
        ("said told", r"\bas (?:i|we) (?:already )?(?:said|told you)\b", " "),
        ("order", r"\bin order to\b", " to "),
        ("prior", r"\bprior to\b", " before "),
        ("request", r"\bpull requests?\b|\bmerge requests?\b", " pr "),
        (
            "pr",
            r"\b(?:open|create|raise|make|file|submit|get|put up|prepare)(?: me)? an? (?:new )?(draft )?pr\b",
            r" \1 pr ",
        ),
        ("commit", r"\bcommit messages?\b", " commit "),
        (
            "packag dependenc librar",
            rf"\b{_ADDS} (?:an?y? |the )?(?:new )?(?:packages?|dependenc\w+|librar\w+)",
            " dependency ",
        ),
        (
            "without",
            r"\bwithout (?:my |our |any |explicit )*(?:ok|okay|permission|approval|consent|confirmation|go-ahead)\b",
            " without ask ",
        ),
        (
            "short brief concise terse",
            r"\b(?:be|keep it|make it|keep things)(?: more| very| as)? (?=(?:short|brief|concise|terse)\b)",
            " answer ",
        ),
        (
            "too",
            r"\b(?:you (?:write|talk|say)|is|are|it) (?:way |far |much )?too (?:much|long|verbose|wordy)\b",
            " answer short ",
        ),
        ("why", r"\bwhy (?:did|do|are|have|would) you(?: still| again| keep| just)*\b", f" {_NEVER} "),
        (
            "it they",
            r"(?<=[,;–—] )(?:it|they)(?: is| are|s|re) (?:auto\w*[ -])?(?:generated|vendored|managed)\b[^,;.]*",
            " ",
        ),
        (
            "back",
            rf"\b(?:(?:going|went|{_MOVES}|revert(?:ed|ing)?|are|is|go|get) )?back (?:to|on)\b|\bgo back\b(?=[,;:.])",
            " ",
        ),
        (
            "forget ditch",
            rf"{_START}(?:please )?(?:forget(?: about)?|ditch) (?=[\w@.\x01/-]+ *(?:[,;.]|$))",
            f" {_NEVER} ",
        ),
        ("instead rather opposed", r"\b(?:instead of|rather than|as opposed to)\b", f" {_NOT} "),
        (
            "forbidden banned prohibited disallowed limits allowed",
            rf"\b{_BE} (?:strictly )?(?:forbidden|banned|prohibited|disallowed|off[- ]limits|not allowed)\b",
            _BANNED,
        ),
        (
            "not never n't",
            rf"\b(?:{_MODAL}|{_BE}) (?:not|never)(?: ever)?(?: be)?\b|\b\w+n't\b(?: ever)?(?: be)?",
            _CANNOT,
        ),
        (
            "fine ok allow permit accept welcome right",
            rf"\b{_BE} (?:(?:now|again|also) )*{_ALLOWED}\b",
            " ",
        ),
        ("fine ok permit accept welcome right", rf"{_CANNOT} {_ALLOWED}\b", _BANNED),
        ("cannot longer nt", r"\bcannot\b|\bno longer\b|\b(?:do|does|did|is|are|should|ca|wo)nt\b", _CANNOT),
        ("more", r"\b(?:any ?more|no more)\b(?= *(?:[.,;!]|$))", " "),
        ("more", r"\bno more\b", f" {_NEVER} "),
        ("over", rf"\b(?:prefer|favou?r|choose|pick)\w*\b{_UP_TO_CLAUSE_END}\bover\b", rf" \1 {_NOT} "),
        (
            "prefer",
            rf"\bprefer\w* (?!to\b|you\b|that\b|it\b|us\b){_UP_TO_CLAUSE_END}\bto\b(?! be\b| use\b)",
            rf" \1 {_NOT} ",
        ),
        ("nobody no", r"\bnobody\b|\bno[- ]one\b", f" {_NEVER} "),
        ("better replaces", r"\bbetter than\b|\breplaces\b", f" {_NOT} "),
        ("replaced", rf"{_START}{_UP_TO_CLAUSE_END}\b{_BE} replaced (?:with|by)\b", rf" {_NOT} \1 {_YES} "),
        ("favo", rf"\b(?:drop|ditch|abandon|deprecate)\b{_UP_TO_CLAUSE_END}\bin favou?r of\b", rf" {_NOT} \1 {_YES} "),
        (
            "replac swap substitute",
            rf"\b(?:replac(?:e|ed|ing)|swap|substitute)\b{_UP_TO_CLAUSE_END}\b(?:with|by|for)\b",
            rf" {_NOT} \1 {_YES} ",
        ),
        ("from", rf"\b{_MOVES}(?: over| away)? from\b{_UP_TO_CLAUSE_END}\bto\b", rf" {_NOT} \1 {_YES} "),
        ("from", rf"\b{_MOVES}(?: over)? to\b{_UP_TO_CLAUSE_END}\bfrom\b", rf" \1 {_NOT} "),
        ("switch migrat", r"\b(?:switch|migrat)(?:e|ed|ing)?(?: over)? to\b", " "),
        ("stop quit refrain", r"\b(?:stop|quit)(?= (?:\w+|\x01\d+)ing\b)|\brefrain from\b", f" {_NEVER} "),
        ("avoid never", r"\bavoid(?:ing)?\b|\bnever(?: ever)?\b", f" {_NEVER} "),
        ("no stop", rf"{_START}(?:no+|nope|stop)(?=[,;.!?:])", " "),
        ("no", rf"{_START}no\b", f" {_NEVER} "),
        ("not", r"\bnot to\b", f" {_NEVER} "),
        ("no", r"\bno\b|\bnot\b(?! only)", f" {_NOT} "),
    )
)
"""Phrases and the marks that replace them, in order. A pattern is slow: it is only tried if a hint occurs."""
_PIECE = lazy_regex(
    r"\x01\d+(?:ing)?\x01|\x02\w+|[\u0900-\u0963\u0966-\u097f]+|[,;:.!?…()\[\]\n]+(?=[\s)\]]|$)|[()\[\]—–]|\s-\s|"
    r"(?:--?|\.{1,2}/?|[@*~/#]+)?\w(?:[\w'./@:+#*=-]*[\w+#*/])?"
)
_BREAK = lazy_regex(r"[,;:.!?…()\[\]\n—–\s-]+\Z")
_PLACES = frozenset("for in on when while inside within during at if to".split())
"""Words that end a contrast: in "use X, not Y, for Z" everything is about Z."""
_ASKING = frozenset("use using prefer always run keep".split())
_CONJUNCTIONS = frozenset("and but so then".split())
_CONVERSIONS = frozenset(
    "import rename move copy convert change merge migrate port cast map translate send sync".split()
)
"""Verbs that turn one thing into another: the order of the two matters."""
_DIRECTED_VERBS = frozenset("import depend extend inherit call reference own know".split())
"""Verbs whose subject and object cannot be told apart by the words alone."""
_PASSIVE = frozenset("is are be been being was were".split())
_MODALS = frozenset("must should may can only will shall".split())
_BINDING = frozenset("before after over than".split())
_ACTIONS = frozenset("commit push merge deploy release install delete edit change".split())
_PATH = lazy_regex(r"[\w.*~@-]*/[\w./*~@-]*|[\w-]*\.[a-z]{1,5}|\*\.[a-z]{1,5}")
_UNSPACED_RUN = lazy_regex(rf"{_UNSPACED}+\Z")
_MAX_LIST_ITEM_WORDS = 2
"""Maximum number of words of a list item."""


class SlotWord(NamedTuple):
    """A significant word of a lesson, in its position."""

    term: str
    raw: str
    """As typed, if it is one word or in backticks."""
    bound: str
    refused: bool


class Slots(NamedTuple):
    """What a lesson asks for and refuses: its significant words as stems; what follows "before" is bound to it."""

    wanted: frozenset[str]
    unwanted: frozenset[str]
    order: tuple[str, ...] = ()
    """Its significant words in order; empty for the passive voice, which reverses them."""
    words: tuple[SlotWord, ...] = ()
    pieces: tuple[str, ...] = ()
    """Everything that was read, as English words and marks where known."""
    language: str = ENGLISH

    @property
    def places(self) -> tuple[SlotWord, ...]:
        """The paths and file patterns that it names."""
        return tuple(word for word in self.words if _PATH.fullmatch(word.raw.strip("`")))


class _DraftWord:
    """A significant word while the lesson is being read."""

    def __init__(self, term: str, raw: str, bound: str, refused: bool) -> None:  # noqa: FBT001 - internal constructor
        self.term, self.raw, self.bound, self.refused = term, raw, bound, refused


class _SlotReader:
    """Reads a lesson word by word."""

    def __init__(self, pieces: list[str], quoted: list[str], language: str) -> None:
        self.pieces, self.quoted, self.language = pieces, quoted, language
        self.words: list[_DraftWord] = []
        self.clause_start = 0
        """Index of the first word of the clause."""
        self.first_word = ""
        """The first piece of the clause."""
        self.refusal_start = 0
        """Index of the first refused word."""
        self.converted = 0
        """Index of the thing that a verb converts into another."""
        self.is_refusing = self.is_contrast = False
        self.bound, self.bound_from = "", 0

    def read(self) -> Slots:
        for position, piece in enumerate(self.pieces):
            if _BREAK.match(piece):
                self._read_break(position)
            elif piece[0] == "\x02":
                self._read_mark(position, piece)
            else:
                self._read_word(position, piece)
                self.first_word = self.first_word or piece
        self._refuse_clause_before()
        wanted = frozenset(word.bound + word.term for word in self.words if not word.refused)
        unwanted = frozenset(word.bound + word.term for word in self.words if word.refused)
        order = () if _PASSIVE.intersection(self.pieces) else tuple(word.bound + word.term for word in self.words)
        words = tuple(SlotWord(each.term, each.raw, each.bound, each.refused) for each in self.words)
        return Slots(wanted, unwanted - wanted, order, words, tuple(self.pieces), self.language)

    def _read_break(self, position: int) -> None:
        self.bound, self.converted = "", 0
        if not (self.is_refusing and self.pieces[position].strip() == "," and self._is_list_continued(position + 1)):
            self._refuse_clause_before()
            self.is_refusing = self.is_contrast = False
            self.clause_start, self.first_word = len(self.words), ""

    def _refuse_clause_before(self) -> None:
        """A refusal at the end of a clause applies to the words before it: "benutze npm nicht"."""
        if self.is_refusing and self.refusal_start == len(self.words) and self.language != ENGLISH:
            for word in self.words[self.clause_start :]:
                word.refused = True

    def _is_list_continued(self, position: int) -> bool:
        """Whether a comma is followed by the rest of a list: some words and an `or`."""
        length = 0
        for piece in self.pieces[position:]:
            if piece in ("or", "nor"):
                return True
            length = 0 if piece.strip() == "," else length + 1
            if length > _MAX_LIST_ITEM_WORDS or piece in _ASKING or piece[0] == "\x02":
                return False
        return False

    def _read_mark(self, position: int, mark: str) -> None:
        if mark == _YES:
            self.is_refusing = False
            return
        after_conjunction = position > 0 and self.pieces[position - 1] in _CONJUNCTIONS
        covers_clause = mark == _CANNOT or (mark == _NEVER and self.first_word in _PLACES)
        if mark == _BANNED or (covers_clause and not after_conjunction and self.first_word not in _ASKING):
            # "X must not be Y" refuses both, and so does "in X never Y".
            for word in self.words[self.clause_start :]:
                word.refused = True
        if mark != _BANNED:
            self.is_refusing, self.is_contrast, self.refusal_start = True, mark == _NOT, len(self.words)
            self.bound = ""

    def _read_word(self, position: int, piece: str) -> None:
        if piece in ("without", "until"):
            self._read_condition(position, piece)
        elif piece in _BINDING:
            self.bound, self.bound_from = f"{piece}{BOUND}", len(self.words)
        else:
            self._update_state(position, piece)
            self._add_terms(position, piece)

    def _update_state(self, position: int, piece: str) -> None:
        """Update how the following words are read."""
        if piece in _ASKING and self.first_word in _BINDING and len(self.words) > self.bound_from:
            self.bound = ""
        if piece == "unless":
            self.is_refusing = False
        elif piece in ("to", "into", "from") and 0 < self.converted < len(self.words):
            self.bound = f"{piece}{BOUND}".replace("into", "to")
        elif self.is_refusing and len(self.words) > self.refusal_start and self._ends_refusal(position, piece):
            self.is_refusing = False

    def _add_terms(self, position: int, piece: str) -> None:
        if piece[0] == "\x01":
            words = self.quoted[int(piece[1:-1].removesuffix("ing"))].split()
            self._end_contrast(position)
            for term in (" ".join(words),) if words[1:] else term_of(words[0]) or words:
                self._add(term, f"`{' '.join(words)}`")
        elif piece not in EMPTY:
            if self.language != ENGLISH and piece in RIVALS:
                self._end_contrast(position)
            for term in _bigrams(piece) if not piece.isascii() and _UNSPACED_RUN.match(piece) else term_of(piece):
                self._add(term, piece)
            if self.language == "de" and piece in _ACTIONS:
                self.bound = ""
            if piece in _CONVERSIONS:
                self.converted = len(self.words)
            if piece in _DIRECTED_VERBS and len(self.words) - 1 > self.clause_start and self._is_modal(position - 1):
                self.bound = f"{piece}{BOUND}"

    def _is_modal(self, position: int) -> bool:
        return self.pieces[position][0] == "\x02" or self.pieces[position] in _MODALS

    def _end_contrast(self, position: int) -> None:
        """Of two adjacent names after a contrast, the second is the wanted one: "statt npm pnpm"."""
        if (
            self.is_contrast
            and self.is_refusing
            and len(self.words) == self.refusal_start + 1
            and self.words[-1].raw == self._raw_text(position - 1)
        ):
            self.is_refusing = False

    def _raw_text(self, position: int) -> str:
        piece = self.pieces[position]
        if piece[0] != "\x01":
            return piece
        return f"`{' '.join(self.quoted[int(piece[1:-1].removesuffix('ing'))].split())}`"

    def _ends_refusal(self, position: int, piece: str) -> bool:
        if piece in ("use", "but") or (self.is_contrast and (piece in _PLACES or piece in _ASKING)):
            return True
        return piece in _CONJUNCTIONS and position + 1 < len(self.pieces) and self.pieces[position + 1] in _ASKING

    def _read_condition(self, position: int, piece: str) -> None:
        clause = self.words[self.clause_start :]
        if self.is_refusing and len(self.words) > self.refusal_start:
            # "Never X without Y" asks for Y before X.
            for word in clause:
                word.refused, word.bound = False, word.bound or f"before{BOUND}"
            self.is_refusing = False
        elif piece == "without" and position + 1 < len(self.pieces) and self.pieces[position + 1] in ("ask", "asking"):
            # "Push without asking" refuses to ask before that.
            for word in clause:
                word.refused, word.bound = True, word.bound or f"before{BOUND}"
            self.is_refusing, self.refusal_start = True, len(self.words)
        elif piece == "without":
            self._add("without")
            self.is_refusing, self.is_contrast, self.refusal_start = True, True, len(self.words)
        else:
            self.bound = f"until{BOUND}"

    def _add(self, term: str, raw: str = "") -> None:
        self.words.append(_DraftWord(term, raw or term, self.bound, self.is_refusing))


def _bigrams(text: str) -> tuple[str, ...]:
    """Return the bigrams by which unknown words of a script without spaces are compared."""
    return (text,) if len(text) <= 2 else tuple(text[position : position + 2] for position in range(len(text) - 1))


@lru_cache(maxsize=4_000)
def slots_of(text: str) -> Slots:
    """Parse what a lesson asks for and what it refuses, in any supported language."""
    quoted: list[str] = []

    def store_verbatim(match: re.Match[str]) -> str:
        quoted.append(match[1] or match[2])
        suffix = "ing" if match[2] and match[2].endswith("ing") else ""
        return f"\x01{len(quoted) - 1}{suffix}\x01"

    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded)
        folded = _SCRIPT_BOUNDARY.sub(" ", folded.translate(_PUNCTUATION))
    elif "\x01" in folded or "\x02" in folded:
        folded = folded.translate(_PUNCTUATION)
    plain = _VERBATIM.sub(store_verbatim, _STRESSED.sub(r"\2", folded))
    language = language_of(plain)
    if language != ENGLISH:
        plain = translate_terms(plain, language)
    for hints, pattern, replacement in _PHRASES:
        for hint in hints:
            if hint in plain:
                plain = pattern.sub(replacement, plain)
                break
    return _SlotReader(_PIECE.findall(plain), quoted, language).read()
