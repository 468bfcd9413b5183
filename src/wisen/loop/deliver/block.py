"""The block that a session begins with: in a fixed order, within a budget, and never cut in the midst of a line."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.domain.tokens import tokens_at_most
from wisen.safety import sentinel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.loop.deliver.policy import DeliverPolicy

_HEAD = (
    "What wisen learnt from the user's earlier sessions. What the user says now comes first. "
    "When you act on a line, name its id."
)
_RULES = "Rules that the user approved:"
_SAID = "Said by the user in earlier sessions; follow it where it fits:"
_HINTS = "Hints, inferred and not confirmed:"
_NEWS = "Tell the user once:"
_WAITING = "Waiting for the user, who alone can answer by typing it (tell him when it suits):"
_DUE = "Open and important:"


class Line(NamedTuple):
    """One thing to tell, with where it comes from."""

    id: str
    text: str
    source: str

    @property
    def told(self) -> str:
        """The line as it stands in a block."""
        return f"- {self.text} ({self.id}, {self.source})"

    @property
    def exposed(self) -> str:
        """Its id with the version of its words: other words are another treatment."""
        return f"{self.id}:{blake2b(self.text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


class Waiting(NamedTuple):
    """A proposal with the number that the user answers by."""

    number: int
    id: str
    rule: str
    """The id of the rule it would become."""
    text: str
    trouble: str = ""
    """Why its file cannot take it as it is; empty where it can."""
    places: tuple[tuple[str, str], ...] = ()
    """Where it may go then: what the user types, and what that means."""

    def told(self, *, briefly: bool) -> str:
        """The line as it stands in a block; briefly where the block holds its words already."""
        what = f"{self.rule} as a rule" if briefly else self.text
        return f'{self.number}. {what} ("approve {self.number}" or "skip {self.number}")'


class Matter(NamedTuple):
    """What there is to tell in one context, each part with the most important first."""

    rules: Sequence[Line]
    """What the user approved and no file tells the agent."""
    said: Sequence[Line]
    """What he said, and did not approve or refuse yet."""
    hints: Sequence[Line]
    waiting: Sequence[Waiting]
    due: Sequence[Line]
    filed: Sequence[Line] = ()
    """What he approved and a file tells the agent already: it is listed where he asks, and never delivered."""
    tried: Sequence[Line] = ()
    """Hints on trial: they stand in the block, and the hook takes out what the coin of a session withholds."""
    news: Sequence[Line] = ()
    """What the user must be told once."""


class Block(NamedTuple):
    """A block as it is delivered, with the ids of what it holds."""

    text: str
    ids: tuple[str, ...]
    tried: tuple[tuple[str, int], ...] = ()
    """What is on trial in it, and in which line of the text it stands."""
    title: int = 0
    """In which line hints begin, where some are on trial."""


def block_of(matter: Matter, policy: DeliverPolicy) -> Block:
    """What a session begins with; empty where there is nothing. A line that does not fit is left out whole."""
    parts: list[tuple[str, Iterable[Line | Waiting]]] = [
        (_RULES, matter.rules),
        (_SAID, matter.said[: policy.said]),
        (_HINTS, [*matter.tried, *(matter.hints if policy.hints else ())]),
        (_NEWS, matter.news),
        (_WAITING, matter.waiting[: policy.due]),
        (_DUE, matter.due[: policy.due]),
    ]
    lines, ids, shown = [_HEAD], list[str](), set[str]()
    on_trial, tried = {each.exposed for each in matter.tried}, list[tuple[str, int]]()
    for title, members in parts:
        head: list[str] = [title]
        for each in members:
            if isinstance(each, Line):
                told, exposed = each.told, each.exposed
            else:
                told, exposed = each.told(briefly=each.rule in shown), each.id
            if tokens_at_most(_wrapped([*lines, *head, told], [*ids, exposed])) > policy.tokens:
                continue
            lines += [*head, told]
            if exposed in on_trial:
                tried.append((exposed, len(lines)))
            ids.append(exposed)
            shown.add(each.id)
            head = []
    begins = lines.index(_HINTS) + 1 if tried else 0
    return Block(_wrapped(lines, ids), tuple(ids), tuple(tried), begins) if ids else Block("", ())


def _wrapped(lines: Sequence[str], ids: Sequence[str]) -> str:
    return sentinel.wrap("\n".join(lines), ids)
