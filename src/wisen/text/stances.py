"""Reads a lesson for its stance: the telling words of what it asks for, and of what it refuses.

It knows the ways in which people say that ("use X, not Y", "never X", "switch from Y to X"), not what words mean. It
never fails: what it cannot read it takes as asked for.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from wisen.text.terms import BOUND, EMPTY, term_of

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
_START = r"(?:^|(?<=[,;.!?:] ))"
_NOT, _NEVER, _CANNOT, _YES, _BANNED = "\x02_not", "\x02_never", "\x02_cannot", "\x02_yes", "\x02_banned"
_NAME = r"(\x01\d+(?:ing)?\x01|[\w@./-]+?)"
_ANDS = "und|aber|et|mais|y|e|en|maar|och|og|i|a|а|но|та"
_CONTRASTS = (
    ("statt stelle", r"\b(?:an)?statt\b|\ban ?stelle von\b", f" {_NOT} "),
    ("vez lugar", r"\be[nm] (?:vez|lugar) d(?:el?|[oa])\b|\bno lugar d[eoa]\b", f" {_NOT} "),
    ("lieu plut", r"\bau lieu (?:du\b|de la\b|de\b|d')|\bplutôt qu(?:e\b|')", f" {_NOT} "),
    ("invece anzich", r"\binvece (?:che|d(?:i|el|ella))\b|\banziché\b", f" {_NOT} "),
    ("plaats stedet stället", r"\bin plaats van\b|\bi stedet for\b|\bistället för\b", f" {_NOT} "),
    ("zamiast вместо замість", r"\b(?:zamiast|вместо|замість)\b", f" {_NOT} "),
    (
        "nicht kein pas non não niet geen inte ikke nie не ні",
        rf"(?<=[,;]) (?:(?:{_ANDS}) )?(?:nicht|kein\w*|pas(?: de)?|non|não|niet|geen|inte|ikke|nie|не|ні)\b",
        f" {_NOT} ",
    ),
    ("不 而 别 別", r"不要再?(?:使?用)?|[别別]再?使?用|不再?使?用|而不是|而非", f" {_NOT} "),
    ("なく", rf"{_NAME} *(?:では|じゃ|で)なくて?", rf" {_NOT} \1 , "),
    ("말고 대신", rf"{_NAME} *(?:말고|대신에?)", rf" {_NOT} \1 , "),
    ("yerine değil बजाय जगह", rf"{_NAME} +(?:yerine|değil|के बजाय|की जगह)(?!\w)", rf" {_NOT} \1 , "),
)
"""How other languages name a thing in whose place another is wanted: "bun statt pnpm", "usa bun en vez de pnpm"."""
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
            "back",
            rf"\b(?:(?:going|went|{_MOVES}|revert(?:ed|ing)?|are|is|go|get) )?back (?:to|on)\b|\bgo back\b(?=[,;:.])",
            " ",
        ),
        (
            "forget ditch",
            rf"{_START}(?:please )?(?:forget(?: about)?|ditch) (?=[\w@.\x01/-]+ *(?:[,;.]|$))",
            f" {_NEVER} ",
        ),
        *_CONTRASTS,
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
    r"\x01\d+(?:ing)?\x01|\x02\w+|[,;:.!?…()\[\]\n]+(?=[\s)\]]|$)|[()\[\]—–]|\s-\s|"
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
_FOREIGN = frozenset(
    "nicht kein keine keinen nie niemals ohne statt anstatt pas jamais sans nunca jamás sin evita evitar senza "
    "mai não sem niet geen nooit zonder ikke aldrig inte ingen inget inga utan sluta undvik bez nigdy zamiast "
    "unikaj przestań не нет ни никогда без вместо нельзя хватит перестань đừng không chẳng chưa tránh cấm मत "
    "नहीं नही न बिना nahi nahin bina لا لم لن ليس بدون بلا ممنوع تجنب asla sakın değil olmadan yok nada "
    "tampoco deja basta non niente smetti smettila nenhum chega pare aucun aucune arrête évite vermeide".split()
)
"""They turn what is said in other languages. What they turn is not understood, but it is kept apart."""
_LIST = 2
"""So many words a member of a list may have."""


class Stance(NamedTuple):
    """The telling words of a lesson, as stems; what stands behind "before" and its like is bound to it."""

    wanted: frozenset[str]
    unwanted: frozenset[str]


class LessonReading(NamedTuple):
    """A lesson as it was read."""

    stance: Stance
    order: tuple[str, ...]
    """Its telling words one after the other; none where the voice is passive, which turns them round."""


class _Word:
    """A telling word where it stands."""

    def __init__(self, term: str, bound: str, refused: bool) -> None:  # noqa: FBT001 - it is one of its three values
        self.term, self.bound, self.refused = term, bound, refused


class _Reader:
    """A lesson, read word by word."""

    def __init__(self, pieces: list[str], quoted: list[str]) -> None:
        self.pieces, self.quoted = pieces, quoted
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

    def read(self) -> LessonReading:
        for at, piece in enumerate(self.pieces):
            if _BREAK.match(piece):
                self._break(at)
            elif piece[0] == "\x02":
                self._mark(at, piece)
            else:
                self._word(at, piece)
                self.opening = self.opening or piece
        self._unbind()
        wanted = frozenset(word.bound + word.term for word in self.words if not word.refused)
        unwanted = frozenset(word.bound + word.term for word in self.words if word.refused)
        order = () if _PASSIVE.intersection(self.pieces) else tuple(word.bound + word.term for word in self.words)
        return LessonReading(Stance(wanted, unwanted - wanted), order)

    def _break(self, at: int) -> None:
        self._unbind()
        if not (self.refusing and self.pieces[at].strip() == "," and self._goes_on(at + 1)):
            self.refusing = self.contrast = False
            self.clause, self.opening = len(self.words), ""

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
            self._lacking(piece)
        elif piece in _BINDS or piece in _FOREIGN:
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
            for term in (" ".join(words),) if words[1:] else term_of(words[0]) or words:
                self._add(term)
        elif piece not in EMPTY:
            for term in term_of(piece):
                self._add(term)
            if piece in _TURNS:
                self.turned = len(self.words)
            if piece in _ROLES and len(self.words) - 1 > self.clause and self._told(at - 1):
                self.bound = f"{piece}{BOUND}"

    def _told(self, at: int) -> bool:
        return self.pieces[at][0] == "\x02" or self.pieces[at] in _MODALS

    def _unbind(self) -> None:
        """End what is bound; a foreign word that stood at the end turns what was before it."""
        if len(self.words) == self.bound_from and self.bound.rstrip(BOUND) in _FOREIGN:
            for word in self.words[self.clause :]:
                word.bound = self.bound
        self.bound, self.turned = "", 0

    def _ends_refusal(self, at: int, piece: str) -> bool:
        if piece in ("use", "but") or (self.contrast and (piece in _PLACES or piece in _ASKS)):
            return True
        return piece in _JOINS and at + 1 < len(self.pieces) and self.pieces[at + 1] in _ASKS

    def _lacking(self, piece: str) -> None:
        clause = self.words[self.clause :]
        if self.refusing and len(self.words) > self.since:
            # "Never X without Y" asks for Y before X.
            for word in clause:
                word.refused, word.bound = False, word.bound or f"before{BOUND}"
            self.refusing = False
        elif piece == "without":
            self._add("without")
            self.refusing, self.contrast, self.since = True, True, len(self.words)
        else:
            self.bound = f"until{BOUND}"

    def _add(self, term: str) -> None:
        self.words.append(_Word(term, self.bound, self.refusing))


def stance(text: str) -> Stance:
    """What a lesson asks for and what it refuses."""
    return read(text).stance


def read(text: str) -> LessonReading:
    """A lesson's stance, and the order of its words."""
    quoted: list[str] = []

    def keep(found: re.Match[str]) -> str:
        quoted.append(found[1] or found[2])
        doing = "ing" if found[2] and found[2].endswith("ing") else ""
        return f"\x01{len(quoted) - 1}{doing}\x01"

    folded = _BESIDE_LATIN.sub(" ", text.casefold().translate(_CLEAN))
    plain = _KEPT.sub(keep, _STRESSED.sub(r"\2", folded))
    for hints, pattern, put in _PHRASES:
        for hint in hints:
            if hint in plain:
                plain = pattern.sub(put, plain)
                break
    return _Reader(_PIECE.findall(plain), quoted).read()
