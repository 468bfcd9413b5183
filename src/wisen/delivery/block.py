"""The block that a session begins with: in a fixed order, within a budget, and never cut in the midst of a line."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety import sentinel
from wisen.text.tokens import tokens_at_most

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.delivery.settings import DeliverPolicy

_HEAD = "Learnt from the user; their word now wins. Name ids you use."
_RULES = ""
_SAID = "Said, not approved:"
_HINTS = "Hints, inferred and not confirmed:"
_NEWS = "Tell the user once:"
_WAITING = "Ask the user once; they type the answer:"
_DUE = "Open and important:"
_SEAL = tokens_at_most("-0123456789abcdef" * 2)
"""What the seal of a session adds to both marks."""


class DeliveredLine(NamedTuple):
    """One thing to tell, with where it comes from."""

    id: str
    text: str
    source: str
    """The name of its entry; it is not told, and a name that the user may use for it."""
    command: str = ""
    """What tells more of it, where the user is to be told that."""
    note: str = ""
    """What an agent must know of it beside its words: that nobody approved it."""

    @property
    def line(self) -> str:
        """The line as it stands in a block: the advice first, and one id at its end."""
        return f"- {self.text} ({self.command or self.id}{self.note and f', {self.note}'})"

    @property
    def exposure_id(self) -> str:
        """Its id with the version of its words: other words are another treatment."""
        return f"{self.id}:{blake2b(self.text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


class PendingQuestion(NamedTuple):
    """A proposal with the number that the user answers by."""

    number: int
    id: str
    rule: str
    """The id of the rule it would become."""
    text: str
    """What is asked, in plain words."""
    trouble: str = ""
    """Why its file cannot take it as it is; empty where it can."""
    places: tuple[tuple[str, str], ...] = ()
    """Where it may go then: what the user types, and what that means."""
    is_new: bool = True
    """Whether no session was told to ask yet: each is asked once, and then only in review."""
    approve: str = ""
    skip: str = ""
    """What the user types, in the language in which they said the lesson; empty for English."""

    def line(self, *, briefly: bool) -> str:
        """The question as it stands in a block; briefly where the block holds its words already."""
        what = f"Make {self.rule} a rule?" if briefly else self.text
        yes, no = self.approve or f"approve {self.number}", self.skip or f"skip {self.number}"
        return f'- {what} "{yes}" or "{no}"'


class BlockContent(NamedTuple):
    """What there is to tell in one context, each part with the most important first."""

    rules: Sequence[DeliveredLine]
    """What the user approved and no file tells the agent."""
    stated: Sequence[DeliveredLine]
    """What they said, and did not approve or refuse yet."""
    hints: Sequence[DeliveredLine]
    waiting: Sequence[PendingQuestion]
    due: Sequence[DeliveredLine]
    filed: Sequence[DeliveredLine] = ()
    """What they approved and a file tells the agent already: it is listed where they ask, and never delivered."""
    on_trial: Sequence[DeliveredLine] = ()
    """Hints on trial: they stand in the block, and the hook takes out what the coin of a session withholds."""
    news: Sequence[DeliveredLine] = ()
    """What the user must be told once."""


class Block(NamedTuple):
    """A block as it is delivered, with the ids of what it holds."""

    text: str
    ids: tuple[str, ...]
    on_trial: tuple[tuple[str, int], ...] = ()
    """What is on trial in it, and in which line of the text it stands."""
    title: int = 0
    """In which line hints begin, where some are on trial."""
    once: tuple[tuple[str, int], ...] = ()
    """What is told or asked once, by whichever session is first, and in which line it stands."""


def build_block(content: BlockContent, policy: DeliverPolicy) -> Block:
    """What a session begins with; empty where there is nothing. A line that does not fit is left out whole."""
    parts: list[tuple[str, Iterable[DeliveredLine | PendingQuestion]]] = [
        (_RULES, content.rules),
        (_SAID, content.stated[: policy.said]),
        (_HINTS, [*content.on_trial, *(content.hints if policy.hints else ())]),
        (_NEWS, content.news),
        (_WAITING, [each for each in content.waiting if each.is_new][: policy.due]),
        (_DUE, content.due[: policy.due]),
    ]
    lines, ids, shown = [_HEAD], list[str](), set[str]()
    trial_ids, trial_lines = {each.exposure_id for each in content.on_trial}, list[tuple[str, int]]()
    once = list[tuple[str, int]]()
    for title, members in parts:
        # What stands first needs no title: the opening line says what it is.
        head = [title] if title and (lines[1:] or title != _SAID) else []
        for each in members:
            if isinstance(each, DeliveredLine):
                line, exposure_id = each.line, each.exposure_id
            else:
                line, exposure_id = each.line(briefly=each.rule in shown), each.id
            if tokens_at_most(_wrapped([*lines, *head, line])) + _SEAL > policy.tokens:
                continue
            lines += [*head, line]
            if exposure_id in trial_ids:
                trial_lines.append((exposure_id, len(lines) - 1))
            if title in (_NEWS, _WAITING):
                once.append((exposure_id, len(lines) - 1))
            ids.append(exposure_id)
            shown.add(each.id)
            head = []
    begins = lines.index(_HINTS) if trial_lines else 0
    return Block(_wrapped(lines), tuple(ids), tuple(trial_lines), begins, tuple(once)) if ids else Block("", ())


def _wrapped(lines: Sequence[str]) -> str:
    return sentinel.wrap("\n".join(lines))
