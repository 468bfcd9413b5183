"""Builds the block that a session starts with: sections in a fixed order, within a token budget, lines never cut."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety import sentinel
from wisen.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.delivery.settings import DeliverPolicy

HEAD = "Learnt from the user; their word now wins. Name ids you use."
_RULES = ""
STATED_HEADING = "Said, not approved:"
HINTS_HEADING = "Hints, inferred and not confirmed:"
NEWS_HEADING = "Tell the user once:"
WAITING_HEADING = "Ask the user once; they type the answer:"
DUE_HEADING = "Open and important:"
_SEAL = estimate_tokens("-0123456789abcdef" * 2)
"""What the seal of a session adds to both marks."""


class DeliveredLine(NamedTuple):
    """One line for an agent, with its source."""

    id: str
    text: str
    source: str
    """The name of its entry; not delivered, but the user may refer to it by that name."""
    command: str = ""
    """The command that shows more about it, if the user should know it."""
    note: str = ""
    """What an agent must know about it besides its text: that nobody approved it."""

    @property
    def line(self) -> str:
        """The line as it appears in a block: the advice first, and one id at its end."""
        return f"- {self.text} ({self.command or self.id}{self.note and f', {self.note}'})"

    @property
    def exposure_id(self) -> str:
        """Its id with a digest of its text: another wording is another treatment in a trial."""
        return f"{self.id}:{blake2b(self.text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


class PendingQuestion(NamedTuple):
    """A proposal with the number by which the user answers it."""

    number: int
    id: str
    rule: str
    """The id of the rule it would become."""
    text: str
    """The question, in plain words."""
    problem: str = ""
    """Why its file cannot take it as it is; empty if it can."""
    places: tuple[tuple[str, str], ...] = ()
    """Where it may go instead: what the user types, and what that means."""
    is_new: bool = True
    """Whether no session was asked to put it to the user yet: each is asked once, then only in review."""
    approve: str = ""
    skip: str = ""
    """What the user types, in the language of the lesson; empty for English."""

    def line(self, *, briefly: bool) -> str:
        """The question as it appears in a block; short if the block already contains the rule's text."""
        what = f"Make {self.rule} a rule?" if briefly else self.text
        yes, no = self.approve or f"approve {self.number}", self.skip or f"skip {self.number}"
        return f'- {what} "{yes}" or "{no}"'


class BlockContent(NamedTuple):
    """What can be delivered in one context, each part with the most important first."""

    rules: Sequence[DeliveredLine]
    """What the user approved and no file tells the agent."""
    stated: Sequence[DeliveredLine]
    """What they stated, and neither approved nor rejected yet."""
    hints: Sequence[DeliveredLine]
    waiting: Sequence[PendingQuestion]
    due: Sequence[DeliveredLine]
    filed: Sequence[DeliveredLine] = ()
    """What they approved and a file already tells the agent: listed on request, never delivered."""
    on_trial: Sequence[DeliveredLine] = ()
    """Hints on trial: they are in the block, and the hook removes those that a session's draw withholds."""
    news: Sequence[DeliveredLine] = ()
    """What the user must be told once."""


class Block(NamedTuple):
    """A block as it is delivered, with the ids of its lines."""

    text: str
    ids: tuple[str, ...]
    on_trial: tuple[tuple[str, int], ...] = ()
    """The ids on trial, and the number of the line that holds each."""
    title: int = 0
    """The line in which the hints start, if some are on trial."""
    once: tuple[tuple[str, int], ...] = ()
    """What is delivered or asked once, by whichever session is first, and its line number."""


def build_block(content: BlockContent, policy: DeliverPolicy) -> Block:
    """Build what a session starts with; empty if there is nothing. A line that does not fit is left out whole."""
    parts: list[tuple[str, Iterable[DeliveredLine | PendingQuestion]]] = [
        (_RULES, content.rules),
        (STATED_HEADING, content.stated[: policy.said]),
        (HINTS_HEADING, [*content.on_trial, *(content.hints if policy.hints else ())]),
        (NEWS_HEADING, content.news),
        (WAITING_HEADING, [each for each in content.waiting if each.is_new][: policy.due]),
        (DUE_HEADING, content.due[: policy.due]),
    ]
    lines, ids, shown = [HEAD], list[str](), set[str]()
    trial_ids, trial_lines = {each.exposure_id for each in content.on_trial}, list[tuple[str, int]]()
    once = list[tuple[str, int]]()
    for title, members in parts:
        # The first section needs no title: the opening line introduces it.
        head = [title] if title and (lines[1:] or title != STATED_HEADING) else []
        for each in members:
            if isinstance(each, DeliveredLine):
                line, exposure_id = each.line, each.exposure_id
            else:
                line, exposure_id = each.line(briefly=each.rule in shown), each.id
            if estimate_tokens(_wrapped([*lines, *head, line])) + _SEAL > policy.tokens:
                continue
            lines += [*head, line]
            if exposure_id in trial_ids:
                trial_lines.append((exposure_id, len(lines) - 1))
            if title in (NEWS_HEADING, WAITING_HEADING):
                once.append((exposure_id, len(lines) - 1))
            ids.append(exposure_id)
            shown.add(each.id)
            head = []
    begins = lines.index(HINTS_HEADING) if trial_lines else 0
    return Block(_wrapped(lines), tuple(ids), tuple(trial_lines), begins, tuple(once)) if ids else Block("", ())


def _wrapped(lines: Sequence[str]) -> str:
    return sentinel.wrap("\n".join(lines))
