"""What a typed turn shows: its phrases, its form, and what is known around it, each as a named number.

Words of the assistant and of tools are never features: of calls it only counts that they edited or committed something.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.domain.signals import Before
from wisen.loop.detect.lanes import Rows
from wisen.loop.detect.phrases import Match, english, fold, is_negated, mask, sentence_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.domain.signals import Heard

_CALLS = 8
"""How many calls are looked at."""
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
_FIRST, _EARLY = 2, 14
"""Up to where in a text a phrase counts as standing first, or early."""
_LIMITS = (12, 30, 80, 200, 500)
"""Up to which length a text counts as how long."""
_LENGTHS = (*(f"length to {limit}" for limit in _LIMITS), "length over 500")
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
    """What one turn shows."""

    said: dict[str, float]
    """The features that come from its phrases."""
    shown: dict[str, float]
    """Those that come from its form, and from pairs."""
    around: dict[str, float]
    work: dict[str, float]
    """Those that come from what happened around it, and from the work before it; many turns share these two."""
    total: int
    """What all of them add to the scores, in lanes."""
    found: list[Match]


class _Feature(NamedTuple):
    name: str
    row: int


class _Group(NamedTuple):
    """What a phrase of a group tells."""

    name: str
    row: int
    most: float
    """How often it counts."""
    negated: _Feature | None
    """None where negation tells nothing."""
    asked: _Feature | None
    first: _Feature
    early: _Feature


class Table:
    """What each feature adds to the scores."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.around = _Known(rows, _around)
        self.work = _Known(rows, _work)
        groups = {name for names in english().groups_of.values() for name in names}
        self._groups = {name: self._group(name) for name in groups}
        self.told = [self._told(phrase) for phrase in english().numbered]
        """What each phrase tells, by number."""

    def _told(self, phrase: str) -> tuple[str, int, str, int, int, tuple[_Group, ...]]:
        """Its group with what both add, if that is plain; its own feature; by how much it is moved; all its groups.

        It is plain where one group is told by nothing but that the phrase is there: such phrases are the most frequent.
        """
        own, of = f"= {phrase}", tuple(self._groups[name] for name in english().groups_of.get(phrase, ()))
        plain = [group for group in of if len(of) == 1 and not group.negated and not group.asked]
        both = self.rows[own] + sum(group.row for group in plain)
        return plain[0].name if plain else "", both, own, self.rows[own], english().shift(phrase), of

    def _group(self, group: str) -> _Group:
        return _Group(
            group,
            self.rows[group],
            1.0 if group in _ONCE else 3.0,
            self._feature(f"{group} negated") if group in _TURNS_ON_NEGATION else None,
            self._feature(f"{group} asked") if group in _TURNS_ON_QUESTION else None,
            self._feature(f"{group} first"),
            self._feature(f"{group} early"),
        )

    def _feature(self, name: str) -> _Feature:
        return _Feature(name, self.rows[name])


class _Known(dict[tuple[object, ...], tuple[dict[str, float], int]]):
    """Features that come in few combinations, and what they add: each combination is worked out once."""

    def __init__(self, rows: Rows, tell: Callable[..., dict[str, float]]) -> None:
        super().__init__()
        self._rows, self._tell = rows, tell

    def __missing__(self, key: tuple[object, ...]) -> tuple[dict[str, float], int]:
        values = self._tell(*key)
        return self.setdefault(key, (values, self._rows.weigh(values)))


def look(heard: Heard) -> dict[str, float]:
    """The features of a turn by name."""
    seen = glance(heard, _named_only())
    return seen.said | seen.shown | seen.around | seen.work


@cache
def _named_only() -> Table:
    return Table(Rows(()))


def glance(heard: Heard, table: Table) -> Seen:
    """What a turn shows, and what that adds to the scores."""
    text = heard.text[:READ]
    masked = mask(text)
    folded = fold(masked)
    found = english().matches(folded)
    said: dict[str, float] = {}
    shown: dict[str, float] = {}
    total = _phrases(folded, found, table, said)
    _form(text, masked, shown)
    _opening(text, folded, said, shown)
    around, added = table.around[
        "refusal's reason" if heard.reason else _BEFORE[heard.before],
        heard.queued,
        not heard.earlier,
        heard.later is None,
        heard.undone,
        heard.conceded,
    ]
    work, added_too = table.work[_worked(heard.calls[:_CALLS])]
    _both(said, shown, around, work)
    total += added + added_too + table.rows.weigh(shown)
    return Seen(said, shown, around, work, total, found)


def _phrases(folded: str, found: list[Match], table: Table, said: dict[str, float]) -> int:
    told, total, questions, stop = table.told, 0, "?" in folded, -1
    for number, start, end in found:
        plain, both, own, own_row, shift, groups = told[number]
        place = start - shift
        if plain and place > _EARLY and plain not in said:
            said[plain] = said[own] = 1.0
            total += both
            continue
        if own not in said:
            said[own] = 1.0
            total += own_row
        for name, row, most, negated, asked, first, early in groups:
            if negated and is_negated(folded, place):
                told_as, adds = negated
            else:
                told_as, adds = name, row
            many = said.get(told_as, 0.0)
            if many < most:
                said[told_as] = many + 1.0
                total += adds
            if asked and questions:
                if stop < end - 1:
                    stop = sentence_end(folded, end - 1)
                if (folded[stop] == "?" or folded[end - 2] == "?") and asked.name not in said:
                    said[asked.name] = 1.0
                    total += asked.row
            if place <= _EARLY:
                near = first if place <= _FIRST else early
                if near.name not in said:
                    said[near.name] = 1.0
                    total += near.row
    return total


def _form(text: str, masked: str, shown: dict[str, float]) -> None:
    length = len(text)
    shown[_LENGTHS[bisect_left(_LIMITS, length)]] = 1.0
    if masked is not text and masked != text:
        shown["quotes"] = 1.0
    stripped = text.rstrip()
    if "?" in masked:
        shown["question"] = 1.0
        if stripped.endswith("?"):
            shown["ends as question"] = 1.0
    elif stripped.endswith("."):
        shown["ends as sentence"] = 1.0
    if "..." in masked or "…" in masked:
        shown["trails off"] = 1.0
    if ", not " in masked:
        shown["this, not that"] = 1.0
    if "!" in masked or "??" in masked:
        shown["stress"] = 1.0


def _opening(text: str, folded: str, said: dict[str, float], shown: dict[str, float]) -> None:
    words = folded.split(None, 2)
    first = words[0].rstrip(".:?") if words else ""
    shown[_FIRST_WORDS.get(first, "begins otherwise")] = 1.0
    if first in _LEADS and len(words) > 1 and words[1] in _COMMANDS:
        shown["command later"] = 1.0
    if text[:1].isupper():
        shown["capital"] = 1.0
        if len(text) > 150 and _PERSONS.isdisjoint(said):
            shown["prose of others"] = 1.0


def _around(
    before: str,
    queued: bool,  # noqa: FBT001  # the parts of a key
    first: bool,  # noqa: FBT001
    live: bool,  # noqa: FBT001
    undone: bool | None,  # noqa: FBT001
    conceded: bool | None,  # noqa: FBT001
) -> dict[str, float]:
    holds = {
        before: True,
        "queued": queued,
        "nothing earlier": first,
        "later unknown": live,
        "undone unknown": undone is None,
        "undone": undone,
        "answer unknown": conceded is None,
        "conceded": conceded,
    }
    return {name: 1.0 for name, held in holds.items() if held}


def _worked(calls: tuple[str, ...]) -> tuple[int, int, bool, bool]:
    """How many calls there were, how many of them edited something, whether the last did, and whether one committed."""
    edits = [call.startswith(_EDITS) for call in calls]
    return len(calls), edits.count(True), edits[:1] == [True], "git commit" in "\n".join(calls)


def _work(calls: int, edits: int, edited_last: bool, committed: bool) -> dict[str, float]:  # noqa: FBT001  # of a key
    values = {"calls": calls / 4.0} if calls else {"no calls": 1.0}
    if edits:
        values["edited"] = min(edits, 4) / 2.0
    if edited_last:
        values["edited last"] = 1.0
    if committed:
        values["committed"] = 1.0
    return values


def _both(said: dict[str, float], shown: dict[str, float], around: dict[str, float], work: dict[str, float]) -> None:
    """Pairs that say more together than each alone."""
    worked = "edited" in work or "committed" in work
    if "question" in shown:
        if "refusal's reason" in around:
            shown["reason asked"] = 1.0
        elif worked:
            shown["question after work"] = 1.0
    if "before start" in around:
        return
    if "prose of others" in shown:
        shown["prose of others within"] = 1.0
    if worked and ("failing" in said or "lacking" in said or "again" in said):
        shown["trouble after work"] = 1.0
    if "before interrupt" in around and ("agree" in said or "length to 12" in shown):
        shown["goes on after interrupt"] = 1.0
