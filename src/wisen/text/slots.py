"""Reads a lesson for its slots: the telling words of what it asks for, of what it refuses, and the places it names.

It knows the ways in which people say that ("use X, not Y", "never X", "switch from Y to X"), not what words mean. Other
languages are put into the same words and marks first. It never fails: what it cannot read it takes as asked for.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from wisen.text.glossary import BANNED as _BANNED
from wisen.text.glossary import CANNOT as _CANNOT
from wisen.text.glossary import ENGLISH, language_of, translate_terms
from wisen.text.glossary import NEVER as _NEVER
from wisen.text.glossary import NOT as _NOT
from wisen.text.glossary import YES as _YES
from wisen.text.terms import BOUND, EMPTY, term_of
from wisen.text.tool_choices import RIVALS

_KEPT = re.compile(r"`([^`]*[^`\s][^`]*)`|((?<![\w-])--?\w[\w=.:/-]*\w|[\w.@~*]*[\w@~*][/@_-](?:[\w./@*-]*[\w*])?)")
"""What no phrase is looked for in: commands, flags, and names that are joined of words."""
_CLEAN = {1: " ", 2: " "} | {ord(wide): f"{plain} " for wide, plain in zip("，。；、：！？", ",.;,:!?", strict=True)}
"""Our own marks have no place in a text; signs of other scripts end clauses as ours do."""
_STRESSED = re.compile(r"(?<!\w)(\*{1,3}|_)(\w[^*_]*)\1(?!\w)")
_REST = r"((?:(?![,;]|[.!?:]\s).){0,120}?)"
"""What may stand between the two halves of a phrase: anything up to the end of the clause, if that is not far."""
_BE, _MODAL = r"(?:is|are|be|was|were)", r"(?:do|does|did|should|must|can|could|may|might|will|would|shall|need|ought)"
_SAID = r"\b(?:i|we)(?: have)? (?:already )?(?:told|asked|said|want|wanted|need|expect)(?: you)?(?: that)?"
_ALLOWED = r"(?:fine|ok|okay|allowed|permitted|acceptable|welcome|all ?right)"
_MOVES = r"(?:switch|migrat|chang|convert|mov|upgrad|downgrad)(?:e|ed|ing)?"
_TAKE_IN = r"(?:install|add|introduc|includ|pull in|bring in)(?:e|ing|ed)?"
_START = r"(?:^|(?<=[,;.!?:] ))"
_UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_BESIDE_LATIN = re.compile(rf"(?<={_UNSPACED})(?=[a-z0-9@])|(?<=[a-z0-9])(?={_UNSPACED})")
"""Where a name stands beside letters of a script without spaces."""
_PHRASES = tuple(
    (tuple(hints.split()), re.compile(pattern), put)
    for hints, pattern, put in (
        ("‘ ’", r"[‘’]", "'"),
        ("'", r"'(?:ve|re|d|ll|m|s)\b", ""),
        ("forget hesitate fail", r"\b(?:do not|don't|dont|never|not) (?:ever )?(?:forget|hesitate|fail) to\b", " "),
        ("told asked said want need expect", rf"{_SAID} (?:not to|to not|to never|never to)\b", f" {_NEVER} "),
        ("told asked said want need expect", rf"{_SAID}(?: to)?\b(?! for)", " "),
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
            rf"\b{_TAKE_IN} (?:an?y? |the )?(?:new )?(?:packages?|dependenc\w+|librar\w+)",
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
        ("over", rf"\b(?:prefer|favou?r|choose|pick)\w*\b{_REST}\bover\b", rf" \1 {_NOT} "),
        ("prefer", rf"\bprefer\w* (?!to\b|you\b|that\b|it\b|us\b){_REST}\bto\b(?! be\b| use\b)", rf" \1 {_NOT} "),
        ("nobody no", r"\bnobody\b|\bno[- ]one\b", f" {_NEVER} "),
        ("better replaces", r"\bbetter than\b|\breplaces\b", f" {_NOT} "),
        ("replaced", rf"{_START}{_REST}\b{_BE} replaced (?:with|by)\b", rf" {_NOT} \1 {_YES} "),
        ("favo", rf"\b(?:drop|ditch|abandon|deprecate)\b{_REST}\bin favou?r of\b", rf" {_NOT} \1 {_YES} "),
        (
            "replac swap substitute",
            rf"\b(?:replac(?:e|ed|ing)|swap|substitute)\b{_REST}\b(?:with|by|for)\b",
            rf" {_NOT} \1 {_YES} ",
        ),
        ("from", rf"\b{_MOVES}(?: over| away)? from\b{_REST}\bto\b", rf" {_NOT} \1 {_YES} "),
        ("from", rf"\b{_MOVES}(?: over)? to\b{_REST}\bfrom\b", rf" \1 {_NOT} "),
        ("switch migrat", r"\b(?:switch|migrat)(?:e|ed|ing)?(?: over)? to\b", " "),
        ("stop quit refrain", r"\b(?:stop|quit)(?= (?:\w+|\x01\d+)ing\b)|\brefrain from\b", f" {_NEVER} "),
        ("avoid never", r"\bavoid(?:ing)?\b|\bnever(?: ever)?\b", f" {_NEVER} "),
        ("no stop", rf"{_START}(?:no+|nope|stop)(?=[,;.!?:])", " "),
        ("no", rf"{_START}no\b", f" {_NEVER} "),
        ("not", r"\bnot to\b", f" {_NEVER} "),
        ("no", r"\bno\b|\bnot\b(?! only)", f" {_NOT} "),
    )
)
"""How phrases become marks, the earlier ones first. A pattern is slow: it waits for one of its hints."""
_PIECE = re.compile(
    r"\x01\d+(?:ing)?\x01|\x02\w+|[\u0900-\u0963\u0966-\u097f]+|[,;:.!?…()\[\]\n]+(?=[\s)\]]|$)|[()\[\]—–]|\s-\s|"
    r"(?:--?|\.{1,2}/?|[@*~/#]+)?\w(?:[\w'./@:+#*=-]*[\w+#*/])?"
)
_BREAK = re.compile(r"[,;:.!?…()\[\]\n—–\s-]+\Z")
_PLACES = frozenset("for in on when while inside within during at if to".split())
"""They end what is refused by contrast: in "use X, not Y, for Z" all is about Z."""
_ASKS = frozenset("use using prefer always run keep".split())
_JOINS = frozenset("and but so then".split())
_TURNS = frozenset("import rename move copy convert change merge migrate port cast map translate send sync".split())
"""What is done to one thing and yields another: the order of the two matters."""
_ROLES = frozenset("import depend extend inherit call reference own know".split())
"""Who does it and to whom it is done cannot be told from the words alone."""
_PASSIVE = frozenset("is are be been being was were".split())
_MODALS = frozenset("must should may can only will shall".split())
_BINDS = frozenset("before after over than".split())
_DEEDS = frozenset("commit push merge deploy release install delete edit change".split())
_PLACE = re.compile(r"[\w.*~@-]*/[\w./*~@-]*|[\w-]*\.[a-z]{1,5}|\*\.[a-z]{1,5}")
_RUN = re.compile(rf"{_UNSPACED}+\Z")
_LIST = 2
"""So many words a member of a list may have."""


class SlotWord(NamedTuple):
    """A telling word of a lesson where it stands."""

    term: str
    raw: str
    """As it was typed, where it is one word or stands in backticks."""
    bound: str
    refused: bool


class Slots(NamedTuple):
    """What a lesson asks for and refuses: its telling words, as stems; what stands behind "before" is bound to it."""

    wanted: frozenset[str]
    unwanted: frozenset[str]
    order: tuple[str, ...] = ()
    """Its telling words one after the other; none where the voice is passive, which turns them round."""
    words: tuple[SlotWord, ...] = ()
    pieces: tuple[str, ...] = ()
    """All that was read, in English words and marks as far as they are known."""
    language: str = ENGLISH

    @property
    def places(self) -> tuple[SlotWord, ...]:
        """The paths and kinds of files that it names."""
        return tuple(word for word in self.words if _PLACE.fullmatch(word.raw.strip("`")))


class _Word:
    """A telling word while it is read."""

    def __init__(self, term: str, raw: str, bound: str, refused: bool) -> None:  # noqa: FBT001 - as it is put together
        self.term, self.raw, self.bound, self.refused = term, raw, bound, refused


class _Reader:
    """A lesson, read word by word."""

    def __init__(self, pieces: list[str], quoted: list[str], language: str) -> None:
        self.pieces, self.quoted, self.language = pieces, quoted, language
        self.words: list[_Word] = []
        self.clause = 0
        """Where in the words the clause begins."""
        self.opening = ""
        """The first word of the clause."""
        self.since = 0
        """Where in the words began what is refused."""
        self.turned = 0
        """Where in the words stands what a verb turns into another."""
        self.refusing = self.contrast = False
        self.bound, self.bound_from = "", 0

    def read(self) -> Slots:
        for at, piece in enumerate(self.pieces):
            if _BREAK.match(piece):
                self._break(at)
            elif piece[0] == "\x02":
                self._mark(at, piece)
            else:
                self._word(at, piece)
                self.opening = self.opening or piece
        self._turn_round()
        wanted = frozenset(word.bound + word.term for word in self.words if not word.refused)
        unwanted = frozenset(word.bound + word.term for word in self.words if word.refused)
        order = () if _PASSIVE.intersection(self.pieces) else tuple(word.bound + word.term for word in self.words)
        words = tuple(SlotWord(each.term, each.raw, each.bound, each.refused) for each in self.words)
        return Slots(wanted, unwanted - wanted, order, words, tuple(self.pieces), self.language)

    def _break(self, at: int) -> None:
        self.bound, self.turned = "", 0
        if not (self.refusing and self.pieces[at].strip() == "," and self._goes_on(at + 1)):
            self._turn_round()
            self.refusing = self.contrast = False
            self.clause, self.opening = len(self.words), ""

    def _turn_round(self) -> None:
        """A refusal with which a clause ends is of what stands before it: "benutze npm nicht"."""
        if self.refusing and self.since == len(self.words) and self.language != ENGLISH:
            for word in self.words[self.clause :]:
                word.refused = True

    def _goes_on(self, at: int) -> bool:
        """Whether what follows a comma is the rest of a list: some words, and an `or`."""
        length = 0
        for piece in self.pieces[at:]:
            if piece in ("or", "nor"):
                return True
            length = 0 if piece.strip() == "," else length + 1
            if length > _LIST or piece in _ASKS or piece[0] == "\x02":
                return False
        return False

    def _mark(self, at: int, mark: str) -> None:
        if mark == _YES:
            self.refusing = False
            return
        joined = at > 0 and self.pieces[at - 1] in _JOINS
        led = mark == _CANNOT or (mark == _NEVER and self.opening in _PLACES)
        if mark == _BANNED or (led and not joined and self.opening not in _ASKS):
            # "X must not be Y" refuses both, and so does "in X never Y".
            for word in self.words[self.clause :]:
                word.refused = True
        if mark != _BANNED:
            self.refusing, self.contrast, self.since = True, mark == _NOT, len(self.words)
            self.bound = ""

    def _word(self, at: int, piece: str) -> None:
        if piece in ("without", "until"):
            self._lacking(at, piece)
        elif piece in _BINDS:
            self.bound, self.bound_from = f"{piece}{BOUND}", len(self.words)
        else:
            self._turn(at, piece)
            self._take(at, piece)

    def _turn(self, at: int, piece: str) -> None:
        """What a word that stays in its place changes for those behind it."""
        if piece in _ASKS and self.opening in _BINDS and len(self.words) > self.bound_from:
            self.bound = ""
        if piece == "unless":
            self.refusing = False
        elif piece in ("to", "into", "from") and 0 < self.turned < len(self.words):
            self.bound = f"{piece}{BOUND}".replace("into", "to")
        elif self.refusing and len(self.words) > self.since and self._ends_refusal(at, piece):
            self.refusing = False

    def _take(self, at: int, piece: str) -> None:
        if piece[0] == "\x01":
            words = self.quoted[int(piece[1:-1].removesuffix("ing"))].split()
            self._name(at)
            for term in (" ".join(words),) if words[1:] else term_of(words[0]) or words:
                self._add(term, f"`{' '.join(words)}`")
        elif piece not in EMPTY:
            if self.language != ENGLISH and piece in RIVALS:
                self._name(at)
            for term in _bigrams(piece) if _RUN.match(piece) else term_of(piece):
                self._add(term, piece)
            if self.language == "de" and piece in _DEEDS:
                self.bound = ""
            if piece in _TURNS:
                self.turned = len(self.words)
            if piece in _ROLES and len(self.words) - 1 > self.clause and self._told(at - 1):
                self.bound = f"{piece}{BOUND}"

    def _told(self, at: int) -> bool:
        return self.pieces[at][0] == "\x02" or self.pieces[at] in _MODALS

    def _name(self, at: int) -> None:
        """Of two names side by side behind a contrast the second is what is wanted: "statt npm pnpm"."""
        if (
            self.contrast
            and self.refusing
            and len(self.words) == self.since + 1
            and self.words[-1].raw == self._raw(at - 1)
        ):
            self.refusing = False

    def _raw(self, at: int) -> str:
        piece = self.pieces[at]
        if piece[0] != "\x01":
            return piece
        return f"`{' '.join(self.quoted[int(piece[1:-1].removesuffix('ing'))].split())}`"

    def _ends_refusal(self, at: int, piece: str) -> bool:
        if piece in ("use", "but") or (self.contrast and (piece in _PLACES or piece in _ASKS)):
            return True
        return piece in _JOINS and at + 1 < len(self.pieces) and self.pieces[at + 1] in _ASKS

    def _lacking(self, at: int, piece: str) -> None:
        clause = self.words[self.clause :]
        if self.refusing and len(self.words) > self.since:
            # "Never X without Y" asks for Y before X.
            for word in clause:
                word.refused, word.bound = False, word.bound or f"before{BOUND}"
            self.refusing = False
        elif piece == "without" and at + 1 < len(self.pieces) and self.pieces[at + 1] in ("ask", "asking"):
            # "Push without asking" refuses to ask before that.
            for word in clause:
                word.refused, word.bound = True, word.bound or f"before{BOUND}"
            self.refusing, self.since = True, len(self.words)
        elif piece == "without":
            self._add("without")
            self.refusing, self.contrast, self.since = True, True, len(self.words)
        else:
            self.bound = f"until{BOUND}"

    def _add(self, term: str, raw: str = "") -> None:
        self.words.append(_Word(term, raw or term, self.bound, self.refusing))


def _bigrams(run: str) -> tuple[str, ...]:
    """What words of a script without blanks are compared by where they are not known."""
    return (run,) if len(run) <= 2 else tuple(run[at : at + 2] for at in range(len(run) - 1))


@lru_cache(maxsize=20_000)
def slots_of(text: str) -> Slots:
    """What a lesson asks for and what it refuses, in whichever language it was said."""
    quoted: list[str] = []

    def keep(found: re.Match[str]) -> str:
        quoted.append(found[1] or found[2])
        doing = "ing" if found[2] and found[2].endswith("ing") else ""
        return f"\x01{len(quoted) - 1}{doing}\x01"

    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded)
        folded = _BESIDE_LATIN.sub(" ", folded.translate(_CLEAN))
    elif "\x01" in folded or "\x02" in folded:
        folded = folded.translate(_CLEAN)
    plain = _KEPT.sub(keep, _STRESSED.sub(r"\2", folded))
    language = language_of(plain)
    if language != ENGLISH:
        plain = translate_terms(plain, language)
    for hints, pattern, put in _PHRASES:
        for hint in hints:
            if hint in plain:
                plain = pattern.sub(put, plain)
                break
    return _Reader(_PIECE.findall(plain), quoted, language).read()
