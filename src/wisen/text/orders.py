"""Classifies English text as an order or project convention, as opposed to remarks, questions and waivers."""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex
from wisen.text.order_reading import read_order

PROJECT = (
    r"(?:project|repo|repository|code ?base|monorepo|workspace|package|team|company|organi[sz]ation|org|app|service|"
    r"product|site|module|library)"
)
"""Words for the current project: anybody who works there later knows what is meant."""
_VERBS = (
    "use|using|do|don't|dont|never|always|prefer|avoid|keep|stop|quit|run|write|put|make|call|name|only|no|not"
    "|stick|leave|"
    "separate|split|skip|ask|wait|answer|explain|respond|reply|format|add|include|exclude|ignore|test|document"
    "|commit|"
    "push|follow|check|ensure|read|set|start|end|begin|treat|assume|return|log|mock|import|prefix|indent|sort"
    "|group|store|"
    "pin|bump|rebase|squash|merge|deploy|build|install|verify|confirm|mention|cite|show|give|tell|talk|speak"
    "|address|limit|"
    "wrap|quote|escape|validate|handle|raise|throw|catch|declare|define|place|create|generate|update|fix|remove"
    "|delete|"
    "rename|move|refactor|replace|drop|switch|change|convert|translate|review|open|close|tag|label|sign|append"
    "|refrain|"
    "consider|remember|rely|pass|pick|choose|require|restrict|reuse|lint|target|spell|stay|let|work|be|go|take|cover"
)
_IMPERATIVE = lazy_regex(
    rf"(?:(?:please|just|simply|rather|really|only|also|always|never) )*(?:{_VERBS})\b", re.IGNORECASE
)
_NO_ORDER = lazy_regex(
    r"(?:no (?:problem|worries|idea|rush|hurry|wonder|doubt|luck|clue|offen[cs]e|errors?|difference|thanks"
    r"|reason|way\b(?! to)|"
    r"such|one|big deal|change|changes|longer need|need)|no [\w`-]+ (?:was|were|is|are|fail(?:s|ed)|pass(?:es"
    r"|ed)|work(?:s|ed)|broke|breaks|exists?|changed|found)\b"
    r"|make [\w`-]+ (?:fails?|failed|passes|passed|works|worked|breaks|broke)\b|never ?mind|not (?:sure|yet|bad"
    r"|quite|really|now|only|a |an |the )"
    r"|using .{0,60}\b(?:is|are|was|were|gives?|causes?|breaks?|fails?|works?)\b"
    r"|(?:make|test|build|run|check|commit|merge|push|start|update|change|install|review|answer|name|call|log"
    r"|set|place|"
    r"project|release|format|open)s? (?:is|are|was|were|has|fails?|failed|works?|worked|passes|passed|breaks?"
    r"|looks?|seems?)\b)",
    re.IGNORECASE,
)
"""Text that begins like an order but is not one."""
_WAIVER = lazy_regex(
    r"\W*(?:(?:please|ok|okay|and|so|also|but|btw|fyi)[,:]? )*(?:there(?:'s| is) )?(?:no need\b|not necessary"
    r"|unnecessary|feel free"
    r"|you (?:do not|don't|dont|no longer) (?:have|need) to|you needn't|you (?:can|may)\b(?!(?:not|'t))|it(?:'s"
    r"| is) (?:fine|ok|okay|not necessary)"
    r"|(?:we|i) (?:do not|don't|dont) need you to|don't (?:bother|worry)|no longer necessary)",
    re.IGNORECASE,
)
"""Text that only says that something need not or may be done."""
_REMARK = lazy_regex(
    rf"(?:you\b|it\b|it's|its\b|that\b|that's|there\b|there's|this\b(?! {PROJECT})|these\b|those\b|my\b|he\b"
    rf"|she\b|they\b|why\b|what\b"
    r"|how\b|where\b|who\b|which\b|is\b|are\b|was\b|were\b|does\b|did\b|has\b|have\b|had\b|still\b|seems\b"
    r"|looks\b|nothing\b|nobody\b"
    r"|i'm\b|i've\b|i am\b|i have\b|i (?:hate|saw|see|found|find|notice|noticed|thought|think|did|was|don't"
    r"|do not|can|can't|cannot|never|always)\b"
    r"|we (?:were|was|had|did|used to|once|already|just|'ve|have|got|broke|lost|removed|added|moved|changed"
    r"|tried|saw)\b|we've\b|not only\b)",
    re.IGNORECASE,
)
"""Openings of a sentence that describes how things are or were."""
_PAST = lazy_regex(
    r"\byou (?:\w+ed|did|put|wrote|ran|made|have|are|were|keep|kept|always|still|forgot|just|again)\b", re.IGNORECASE
)
_CONVENTION_VERBS = (
    r"(?:use|run|write|prefer|keep|commit|name|format|indent|deploy|test|put|store|follow|stick|call|import"
    r"|avoid|ship|build|"
    r"release|branch|merge|rebase|squash|log|mock|target|support|pin|document|review|speak|answer|allow|accept"
    r"|require|do|work|"
    r"sort|group|prefix|spell|read|push|lint|cache|sign|tag|version|mark|wrap|never|always|only)(?:s|es)?"
)
_ADVERBS = (
    r"(?:(?:only|always|never|generally|usually|normally|strictly|all|do not|don't|dont|do"
    r"|does not|doesn't|also|now|still|both|no longer) )*"
)
_CONVENTION = lazy_regex(
    rf"(?:(?:here|in|for|on|at|with|inside)\b[^,.;?!]{{0,40}},? )?(?:(?:we|our \w+|everyone|everybody|everything"
    rf"|all \w+|(?:this|the|our) {PROJECT})(?: here| in \w+ {PROJECT})?,? "
    rf"(?:{_ADVERBS}{_CONVENTION_VERBS}|(?:are|is|'re) (?:not |all )?(?:using|on|in|written|tabs|spaces))"
    rf"|we're (?:not )?(?:using|on))\b(?! to\b)",
    re.IGNORECASE,
)
"""Statements of what a project does, which are orders to whoever works there."""
_FRONTED = lazy_regex(
    r"(?:when|if|before|after|for|in|on|whenever|while|unless|every ?time|each time|with|inside|under|at|once"
    r"|until|as soon as)\b[^.;?!]{2,80}?"
    rf"(?:,? (?:please )?(?:always|never|do not|don't|dont|use|prefer|avoid|only|no|run|ask|stick to)\b"
    rf"|, (?:please )?(?:{_VERBS})\b)",
    re.IGNORECASE,
)
_MODAL = lazy_regex(
    r"\b(?:must|should|shouldn't|mustn't|shall|ought to|(?:has|have|needs|need) to|(?:is"
    r"|are) (?:strictly )?(?:forbidden|banned|prohibited|"
    r"mandatory|required|not allowed|off[- ]limits))\b(?! have\b|'ve)",
    re.IGNORECASE,
)
_CHOICE = lazy_regex(
    r"\b(?:instead of|rather than|always|never|from now on|no more)\b|, (?:and )?not (?:\w|`)", re.IGNORECASE
)
_BRIEF_CHOICE = lazy_regex(r"(?:\S+ ){1,3}not(?: \S+){1,3}")
"""One thing and not another, and nothing else: `pnpm not npm`."""
_STATEMENT = lazy_regex(
    r"(?:the|a|an|your|some|one|both|each of|[\w-]+ (?:tests?|builds?|checks?|runs?)) .*"
    r"\b(?:is|are|was|were|has|had|might|may|could|would|fails?|breaks?|crashes|finishes|passes|happens)\b"
    r"|(?:the|a|an|your) [\w-]+ (?:never|always|still) \w+s\b",
    re.IGNORECASE,
)
"""Descriptions: they do not ask anybody to do anything, whatever they contrast."""
_WISH = lazy_regex(
    r"(?:i|we)(?:'d| would)? (?:only |really |always |much )?(?:want|need|prefer|like|expect|told|said|asked"
    r"|meant|rather)\b",
    re.IGNORECASE,
)
_NEGATED = lazy_regex(
    r"\b(?:is|are|was|were|does|did|do|has|have|had|will|would|could|can|it|that)\b,? (?:and )?not\b", re.IGNORECASE
)
_TASK_REQUEST = lazy_regex(r"^(?:can you|could you)\b|,\s*can you\b", re.IGNORECASE)
_ASKS_POLITELY = lazy_regex(
    r"\W*(?:\w+[,:]? ){0,3}?(?:can|could|would|will) you\b.*\b(?:please|pls|stop|not|instead|never|always"
    r"|rather)\b|.*\bplease\b",
    re.IGNORECASE,
)


def is_order(text: str) -> bool:
    """Whether a lesson says what to do or how a project does it; questions, remarks and waivers do not."""
    text = text.replace("’", "'")
    is_question = text.rstrip().endswith("?") and not _ASKS_POLITELY.match(text)
    if is_question or is_waiver(text):
        return False
    order = read_order(text)
    if (
        _TASK_REQUEST.search(order)
        or _NO_ORDER.match(order)
        or order.endswith("?")
        or _PAST.search(order.partition(". ")[0])
    ):
        return False
    if any(form.match(order) for form in (_IMPERATIVE, _CONVENTION, _FRONTED)):
        return True
    if _REMARK.match(order):
        return False
    is_choice = (_CHOICE.search(order) or _BRIEF_CHOICE.fullmatch(order.rstrip(" .!"))) and not _NEGATED.search(order)
    return (
        bool(is_choice and not _STATEMENT.match(order))
        or _WISH.match(order) is not None
        or _MODAL.search(order) is not None
    )


def is_waiver(text: str) -> bool:
    """Whether a text only says that something need not or may be done."""
    return _WAIVER.match(text.replace("’", "'")) is not None
