"""What went wrong in a session and cost several tries: what helped against it, and what was never overcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.memory.shortened import clipped
from wisen.model.event import Status
from wisen.model.summary import DayMark, Item
from wisen.text.command_lines import command_of, fields_of, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wisen.model.failure import Failure, Mined
    from wisen.model.history import Step

_WORK = "build."
"""Checks that fail are what work consists of; they are no mistake, but may be left standing."""
_SILENT = "shell.said-nothing"
"""Something was looked for that is not there."""
_TRIES = 2
"""So many failed calls are trouble."""
_COSTLY = 3
"""So many are worth a line in the day, also where nothing is known to help."""


class Troubles:
    """The failures of a session, those of one trouble together."""

    def __init__(self, mined: Mined, steps: Sequence[Step], turn_of: Callable[[Step], int]) -> None:
        self._steps = {step.call: step for step in steps}
        self._place = {step.call: place for place, step in enumerate(steps)}
        self._turn_of = turn_of
        here = [each for each in mined.tries if each.worked and each.later in self._steps]
        self._helped = {each.failure: each.change.words for each in here}
        within: set[str] = set()
        self._first: list[Failure] = []
        for failure in mined.failures:
            if failure.call in self._steps and failure.call not in within and not _is_small(failure):
                self._first.append(failure)
            within.update(failure.attempts)

    def overcome(self) -> Iterator[Item]:
        """What was overcome after several tries, with what helped, where that is known."""
        for failure in self._first:
            tries = failure.trajectory.count("0")
            helped = next(filter(None, map(self._helped.get, failure.attempts)), "")
            if failure.ended_by is None or failure.signature.key.startswith(_WORK) or tries < _TRIES:
                continue
            if helped or tries >= _COSTLY:
                told = f"helped: {clipped(helped)}" if helped else "then it worked"
                yield self._item(failure, f"{tries} tries, {told}", DayMark.FAILURE)

    def standing(self) -> Iterator[Item]:
        """What failed several times and never worked until the end."""
        for failure in self._first:
            if failure.ended_by is not None or failure.trajectory.count("0") < _TRIES or self._worked_later(failure):
                continue
            costly = failure.trajectory.count("0") >= _COSTLY and not failure.signature.key.startswith(_WORK)
            tries = failure.trajectory.count("0")
            yield self._item(failure, f"{tries} tries, never worked", DayMark.FAILURE if costly else None)

    def _worked_later(self, failure: Failure) -> bool:
        """Whether a later call of the same tool, or of the same command, succeeded."""
        head = _head(self._steps[failure.call])
        later = list(self._steps.values())[self._place[failure.call] + 1 :]
        return any(
            step.status is Status.OK and step.tool == failure.tool and (not head or _head(step) == head)
            for step in later
        )

    def _item(self, failure: Failure, measured: str, mark: DayMark | None) -> Item:
        step = self._steps[failure.call]
        tries = failure.trajectory.count("0")
        worth = 2.0 + min(tries, 10) / 2
        text = clipped(failure.signature.phrase)
        return Item(text=text, turn=self._turn_of(step), at=step.at, measured=measured, mark=mark, worth=worth)


def _is_small(failure: Failure) -> bool:
    return failure.transient or failure.signature.key == _SILENT


def _head(step: Step) -> str:
    line = command_of(fields_of(step.arguments))
    return parsed(line).main.head if line else ""
