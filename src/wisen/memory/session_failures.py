"""Finds failures of a session that cost several tries: what solved them, and which were never solved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.memory.shorten import clip
from wisen.model.event import Status
from wisen.model.summary import DayMark, SummaryItem
from wisen.text.command_lines import command_of, fields_of, parse_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wisen.model.failure import Failure, SessionFindings
    from wisen.model.history import Step

_CHECK_FAILURES = "build."
"""Key prefix of failed checks: they are part of the work, not mistakes, but may be left unresolved."""
_NO_OUTPUT = "shell.said-nothing"
"""A search that found nothing."""
_MIN_TRIES = 2
"""From how many failed calls on a failure is reported."""
_COSTLY_TRIES = 3
"""From how many failed calls on it is worth a day line, even where no solution is known."""


class SessionFailures:
    """The failures of a session, retries of the same failure counted together."""

    def __init__(self, mined: SessionFindings, steps: Sequence[Step], turn_of: Callable[[Step], int]) -> None:
        self._steps = {step.call: step for step in steps}
        self._position = {step.call: place for place, step in enumerate(steps)}
        self._turn_of = turn_of
        working = [each for each in mined.attempts if each.worked and each.later in self._steps]
        self._working_changes = {each.failure: each.change.description for each in working}
        retried: set[str] = set()
        self._failures: list[Failure] = []
        for failure in mined.failures:
            if failure.call in self._steps and failure.call not in retried and not _is_negligible(failure):
                self._failures.append(failure)
            retried.update(failure.attempts)

    def resolved_items(self) -> Iterator[SummaryItem]:
        """Yield what worked after several tries, with what helped, where that is known."""
        for failure in self._failures:
            tries = failure.trajectory.count("0")
            helped = next(filter(None, map(self._working_changes.get, failure.attempts)), "")
            if failure.ended_by is None or failure.signature.key.startswith(_CHECK_FAILURES) or tries < _MIN_TRIES:
                continue
            if helped or tries >= _COSTLY_TRIES:
                outcome = f"helped: {clip(helped)}" if helped else "then it worked"
                yield self._item(failure, f"{tries} tries, {outcome}", DayMark.FAILURE)

    def unresolved_items(self) -> Iterator[SummaryItem]:
        """Yield what failed several times and never worked until the end."""
        for failure in self._failures:
            if (
                failure.ended_by is not None
                or failure.trajectory.count("0") < _MIN_TRIES
                or self._worked_later(failure)
            ):
                continue
            costly = failure.trajectory.count("0") >= _COSTLY_TRIES and not failure.signature.key.startswith(
                _CHECK_FAILURES
            )
            tries = failure.trajectory.count("0")
            yield self._item(failure, f"{tries} tries, never worked", DayMark.FAILURE if costly else None)

    def _worked_later(self, failure: Failure) -> bool:
        """Whether a later call of the same tool, or of the same command, succeeded."""
        head = _command_head(self._steps[failure.call])
        later = list(self._steps.values())[self._position[failure.call] + 1 :]
        return any(
            step.status is Status.OK and step.tool == failure.tool and (not head or _command_head(step) == head)
            for step in later
        )

    def _item(self, failure: Failure, measured: str, mark: DayMark | None) -> SummaryItem:
        step = self._steps[failure.call]
        tries = failure.trajectory.count("0")
        worth = 2.0 + min(tries, 10) / 2
        text = clip(failure.signature.safe_description)
        return SummaryItem(text=text, turn=self._turn_of(step), at=step.at, measured=measured, mark=mark, worth=worth)


def _is_negligible(failure: Failure) -> bool:
    return failure.transient or failure.signature.key == _NO_OUTPUT


def _command_head(step: Step) -> str:
    line = command_of(fields_of(step.arguments))
    return parse_command(line).main_part.head if line else ""
