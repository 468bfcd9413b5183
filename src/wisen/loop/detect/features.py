"""What a typed turn shows: its phrases, its form, and what is known around it, each as a named number.

Words of the assistant and of tools are never features. What a call or its output named is only compared with what the
user typed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.domain.signals import Before
from wisen.loop.detect.compare import CALLS, compare
from wisen.loop.detect.phrases import Found, english, fold, is_negated, mask, sentence_end

if TYPE_CHECKING:
    from wisen.domain.signals import Heard

_FORM = 300
"""How much of it the costly patterns see."""
READ = 600
"""How much of a text is looked at: the point of a turn comes early."""
_TURNS_ON_QUESTION = frozenset(
    "deny refuse otherwise again contrast failing lacking praise finding wish keep lasting opinion told turning "
    "unmistakable dislike sigh sight isnt softly".split()
)
_TURNS_ON_NEGATION = frozenset("praise failing lasting thanks keep otherwise finding".split())
_ONCE = frozenset(
    "agree order new_work asking other_people supposing ourselves addressed myself pointing asked_check telling".split()
)
"""Groups of everyday words: that one stands there counts, not how many."""
_LIMITS = (12, 30, 80, 200, 500)
"""Up to which length a text counts as how long."""
_LENGTHS = (*(f"length to {limit}" for limit in _LIMITS), "length over 500")
_NAME = re.compile(r"[A-Z_(/.`](?:(?<=[a-z][A-Z])|(?<=\w[_/.])(?=\w\w)|(?<=\w\()(?=\))|(?<=\w`))")
"""A mark inside a name of code: it begins with what is rare, so that the search is fast."""
_LOG = re.compile(r"\n\s*(?:[A-Z][A-Za-z]*(?:Error|Exception)\b|ERROR|FAIL|===|Traceback|\$ |❯|at \S+:\d+)")
_BOXES = "│├└─✓✗"
_LINE = re.compile(r"[\d@](?:(?<=\bline \d)|(?<=\blines \d)|(?<=:\d)\d*\b|(?<=@)@)")
"""A number of a line, or the mark of a part of a diff: it too begins with what is rare."""
_COMMANDS = frozenset(
    "add amend analyse analyze apply ask avoid brainstorm build bump change check clean clear commit compare continue "
    "convert copy create delete deploy describe display document do drop ensure evaluate explain extract find "
    "fix focus generate get give handle have hide implement include install keep list look log make mention merge "
    "move open optimize order print propose push put read rebase reduce refactor release rename reply remove replace "
    "respond rerun retry revert review rewrite run save set show simplify sort split start suggest summarize switch "
    "test try turn update upgrade use verify write".split()
)
_LEADS = frozenset("please and also then now ok okay yes so".split())
_FIRST_WORDS = {
    **dict.fromkeys(_COMMANDS, "begins as command"),
    **dict.fromkeys(
        "can could would should will shall is are was were does did has had may might isn't aren't don't doesn't "
        "didn't can't couldn't shouldn't won't wouldn't".split(),
        "begins with auxiliary",
    ),
    **dict.fromkeys("what how where when which who why whats what's".split(), "begins as question"),
    **dict.fromkeys("the this that these those it it's there a an all in on for with".split(), "begins with thing"),
    **dict.fromkeys("i i'm i've i'd we we're you you're".split(), "begins with person"),
}
_BEFORE = {before: f"before {before.value}" for before in Before}
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "edit", "write")
_PERSONS = frozenset("ourselves addressed myself order agree".split())


class Seen(Struct, frozen=True):
    """The features of one turn, and the phrases they come from."""

    values: dict[str, float]
    graded: list[str]
    """Those of the features that may be other than 1.0."""
    found: list[Found]
    folded: str
    """The text they stand in."""


class _Group(NamedTuple):
    """What a phrase of a group tells, as names of features."""

    name: str
    negated: str
    """Empty where negation tells nothing."""
    asked: str
    first: str
    early: str
    once: bool


@cache
def _groups() -> dict[str, tuple[str, tuple[_Group, ...]]]:
    """For each phrase its own feature and its groups."""
    return {
        phrase: (
            f"= {phrase}",
            tuple(
                _Group(
                    group,
                    f"{group} negated" if group in _TURNS_ON_NEGATION else "",
                    f"{group} asked" if group in _TURNS_ON_QUESTION else "",
                    f"{group} first",
                    f"{group} early",
                    group in _ONCE,
                )
                for group in groups
            ),
        )
        for phrase, groups in english().groups_of.items()
    }


def look(heard: Heard) -> Seen:
    """The features of a turn."""
    seen = glance(heard)
    seen.values.update(compare(heard, seen.folded))
    return seen


def glance(heard: Heard) -> Seen:
    """The features of a turn, but for those that come from comparing it."""
    values: dict[str, float] = {}
    graded: list[str] = []
    text = heard.text[:READ]
    masked = mask(text)
    folded = fold(masked)
    found = english().find(folded)
    _phrases(folded, found, values, graded)
    _form(text, masked, values, graded)
    _opening(text, folded, values)
    _around(heard, values, graded)
    _both(values)
    return Seen(values, graded, found, folded)


def _phrases(folded: str, found: list[Found], values: dict[str, float], graded: list[str]) -> None:
    groups = _groups()
    questions, stop = "?" in folded, -1
    for start, end, phrase in found:
        own, of = groups[phrase]
        values[own] = 1.0
        for name, negated, asked, first, early, once in of:
            shown = negated if negated and is_negated(folded, start) else name
            if once or shown not in values:
                values[shown] = 1.0
            elif values[shown] < 3.0:
                if values[shown] == 1.0:
                    graded.append(shown)
                values[shown] += 1.0
            if asked and questions:
                if stop < end:
                    stop = sentence_end(folded, end)
                if folded[stop] == "?" or folded[end - 1] == "?":
                    values[asked] = 1.0
            if start <= 14:
                values[first if start <= 2 else early] = 1.0


def _form(text: str, masked: str, values: dict[str, float], graded: list[str]) -> None:
    length = len(text)
    values[_LENGTHS[bisect_left(_LIMITS, length)]] = 1.0
    names = _NAME.findall(text, 0, _FORM)
    if names:
        values["names"] = min(len(names), 6) / 3.0
        graded.append("names")
    if masked is not text and masked != text:
        values["quotes"] = 1.0
    stripped = text.rstrip()
    if "?" in masked:
        values["question"] = 1.0
        if stripped.endswith("?"):
            values["ends as question"] = 1.0
    elif stripped.endswith("."):
        values["ends as sentence"] = 1.0
    if "..." in masked or "…" in masked:
        values["trails off"] = 1.0
    if ", not " in masked:
        values["this, not that"] = 1.0
    if "!" in masked or "??" in masked:
        values["stress"] = 1.0
    if length > 60:
        _pasted(text, values)


def _pasted(text: str, values: dict[str, float]) -> None:
    if text.count("\n") > 3:
        values["many lines"] = 1.0
    head = text[:_FORM]
    if _LOG.search(f"\n{head}") or (not head.isascii() and any(box in head for box in _BOXES)):
        values["log"] = 1.0
    if (":" in head or "line" in head or "@@" in head) and _LINE.search(head):
        values["line number"] = 1.0


def _opening(text: str, folded: str, values: dict[str, float]) -> None:
    words = folded.split(None, 2)
    first = words[0].rstrip(".:?") if words else ""
    values[_FIRST_WORDS.get(first, "begins otherwise")] = 1.0
    if first in _LEADS and len(words) > 1 and words[1] in _COMMANDS:
        values["command later"] = 1.0
    if text[:1].isupper():
        values["capital"] = 1.0
        if len(text) > 150 and _PERSONS.isdisjoint(values):
            values["prose of others"] = 1.0


def _around(heard: Heard, values: dict[str, float], graded: list[str]) -> None:
    values["refusal's reason" if heard.reason else _BEFORE[heard.before]] = 1.0
    if heard.queued:
        values["queued"] = 1.0
    if not heard.earlier:
        values["nothing earlier"] = 1.0
    if heard.calls:
        _calls(heard.calls[:CALLS], values, graded)
    else:
        values["no calls"] = 1.0
    if heard.later is None:
        values["later unknown"] = 1.0
    if heard.undone is None:
        values["undone unknown"] = 1.0
    elif heard.undone:
        values["undone"] = 1.0
    if heard.conceded is None:
        values["answer unknown"] = 1.0
    elif heard.conceded:
        values["conceded"] = 1.0


def _calls(calls: tuple[str, ...], values: dict[str, float], graded: list[str]) -> None:
    edits = [call.startswith(_EDITS) for call in calls]
    if any(edits):
        values["edited"] = min(sum(edits), 4) / 2.0
        graded.append("edited")
        if edits[0]:
            values["edited last"] = 1.0
    if "git commit" in "\n".join(calls):
        values["committed"] = 1.0
    values["calls"] = len(calls) / 4.0
    graded.append("calls")


def _both(values: dict[str, float]) -> None:
    """Pairs that say more together than each alone."""
    worked = "edited" in values or "committed" in values
    if "question" in values:
        if "refusal's reason" in values:
            values["reason asked"] = 1.0
        elif worked:
            values["question after work"] = 1.0
    if "before start" in values:
        return
    if "prose of others" in values:
        values["prose of others within"] = 1.0
    if worked and ("failing" in values or "lacking" in values or "again" in values):
        values["trouble after work"] = 1.0
    if "before interrupt" in values and ("agree" in values or "length to 12" in values):
        values["goes on after interrupt"] = 1.0
