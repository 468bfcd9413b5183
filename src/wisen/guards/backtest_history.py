"""Backtests guards on recorded sessions: which calls each would have matched, and how those calls ended."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from wisen.guards.watch_matcher import WatchMatcher
from wisen.kernel.matching import WatchedCall
from wisen.mining.signatures import describe_failure
from wisen.model.backtest import Backtest, confidence_bounds
from wisen.model.event import Status
from wisen.model.history import EDITS, UserAction
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.model.failure import Signature
    from wisen.model.history import History, Step

FailureKey = tuple[str, str, str]
"""The key, program and line of a failure's signature."""
_FAILED = (Status.FAILED, Status.MASKED)
_MAX_EXAMPLES = 3
_MAX_LENGTH = 160
_UNDO_WINDOW = 10
"""Within how many calls an undo counts as the undo of a call."""
_UNDO_COMMANDS = frozenset("restore checkout revert reset".split())


class WatchedGuard(NamedTuple):
    """A guard to backtest."""

    watch: str
    context: str = ""
    """Where it holds; empty for everywhere."""
    stops: bool = False
    """Whether one good call is enough to know that it is of no use: then no further calls are looked at."""


class CallEnding(StrEnum):
    """How a call ended that a guard would have matched."""

    FAILED = "failed"
    MASKED = "masked"
    """It failed, but reported success to the agent."""
    REGRETTED = "regretted"
    """It was rejected, reverted or corrected."""
    GOOD = "good"
    OPEN = "open"
    """Nobody knows."""


class MatchedCall(NamedTuple):
    """A call that a guard would have matched, without the session around it."""

    agent: str
    native: str
    """The agent's own id of the session."""
    at: datetime
    turn: int
    """How many things the user had done before, in the session."""
    ending: CallEnding
    failure: FailureKey | None
    """How it failed; None where it did not."""
    text: str
    """The call as a person would write it."""


class WatchedGuards:
    """Many guards, compared with one session after another; those that stopped are compared no more."""

    def __init__(self, guards: Sequence[WatchedGuard]) -> None:
        self.matcher = WatchMatcher(each.watch for each in guards)
        self._guards = guards
        self._by_watch: dict[str, list[int]] = {}
        for number, each in enumerate(guards):
            self._by_watch.setdefault(each.watch, []).append(number)

    @property
    def watches(self) -> Collection[str]:
        """The watches of the guards that are still compared."""
        return self._by_watch.keys()

    def judge(self, history: History, corrected: Collection[tuple[str, str]]) -> Iterator[tuple[int, MatchedCall]]:
        """Yield the calls that guards would have matched, each with the place of its guard among all.

        `corrected`: session and id of the user's corrections.
        """
        for at, step in enumerate(history.steps):
            call: MatchedCall | None = None
            for watch in self.matcher.match(step.tool, step.arguments):
                for number in [*self._by_watch.get(watch, ())]:
                    if self._guards[number].context in ("", step.context):
                        call = call or judge_call(history, at, corrected)
                        if self._guards[number].stops and call.ending is CallEnding.GOOD:
                            self.discard(number)
                        yield number, call

    def discard(self, number: int) -> None:
        """Compare no more calls with a guard."""
        watch = self._guards[number].watch
        self._by_watch[watch].remove(number)
        if not self._by_watch[watch]:
            del self._by_watch[watch]
            self.matcher.discard(watch)


def match_calls(
    guards: Sequence[WatchedGuard], histories: Iterable[History], corrected: Collection[tuple[str, str]] = ()
) -> tuple[list[list[MatchedCall]], int]:
    """Return the calls that each guard would have matched, and how many sessions were read.

    When all guards stopped, reading stops.
    """
    watched = WatchedGuards(guards)
    matches: list[list[MatchedCall]] = [[] for _ in guards]
    sessions = 0
    for history in histories:
        if not watched.watches:
            break
        sessions += 1
        for number, call in watched.judge(history, corrected):
            matches[number].append(call)
    return matches, sessions


def judge_call(history: History, at: int, corrected: Collection[tuple[str, str]]) -> MatchedCall:
    """Return a call of a session, and how it ended."""
    step = history.steps[at]
    failure: FailureKey | None = None
    if step.status in _FAILED:
        failure = failure_key(_step_signature(step))
        ending = CallEnding.MASKED if step.status is Status.MASKED else CallEnding.FAILED
    elif is_regretted(history, at, corrected):
        ending = CallEnding.REGRETTED
    else:
        ending = CallEnding.GOOD if step.status is Status.OK else CallEnding.OPEN
    turn = sum(turn.before <= at for turn in history.turns)
    return MatchedCall(history.agent, history.native, step.at, turn, ending, failure, _describe_step(step))


def failure_key(signature: Signature) -> FailureKey:
    """Return what failures of the same kind have in common, whatever the version of their signature."""
    return signature.key, signature.who, signature.says


def build_backtest(matches: Sequence[MatchedCall], sessions: int, signature: Signature | None = None) -> Backtest:
    """Build the backtest of a guard from the calls that it would have matched, in the order of their sessions.

    `signature`: the failures that it is meant to prevent; None where no matching call should be made at all.
    """
    about = None if signature is None else failure_key(signature)
    failed = [each for each in matches if each.failure is not None]
    same_failure = [each for each in failed if about is None or each.failure == about]
    endings = Counter(each.ending for each in matches)
    bad = len(failed) - len(same_failure) + endings[CallEnding.REGRETTED]
    good = endings[CallEnding.GOOD]
    low, high = confidence_bounds(len(same_failure), len(same_failure) + bad + good)
    return Backtest(
        sessions=sessions,
        calls=len(matches),
        met=len(same_failure),
        masked=sum(each.ending is CallEnding.MASKED for each in same_failure),
        bad=bad,
        good=good,
        open=endings[CallEnding.OPEN],
        helped=len({(each.agent, each.native) for each in same_failure}),
        low=low,
        high=high,
        hit=_examples(each for each in matches if each.ending is CallEnding.GOOD),
        examples=_examples(same_failure),
        first=min((each.at for each in matches), default=None),
        last=max((each.at for each in matches), default=None),
    )


def is_regretted(history: History, at: int, corrected: Collection[tuple[str, str]]) -> bool:
    """Whether a call that ran should not have: it was refused, stopped, corrected right away, or undone."""
    for turn in history.turns:
        if turn.before == at + 1:
            if turn.action is not UserAction.SAID or (history.native, turn.id) in corrected:
                return True
            break
    return _is_undone(history, at)


def _examples(matches: Iterable[MatchedCall]) -> tuple[str, ...]:
    """Return a few distinct calls."""
    return tuple(dict.fromkeys(each.text for each in matches))[:_MAX_EXAMPLES]


def _describe_step(step: Step) -> str:
    call = WatchedCall(step.tool, fields_of(step.arguments))
    text = " ".join((call.line or f"{call.tool} {_file_path(call)}").split())
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def _step_signature(step: Step) -> Signature:
    return describe_failure(tool=step.tool, arguments=step.arguments, text=step.text).signature


def _is_undone(history: History, at: int) -> bool:
    """Whether version control undid what a call did, a few calls later."""
    step = history.steps[at]
    call = WatchedCall(step.tool, fields_of(step.arguments))
    path = _file_path(call) if step.tool in EDITS else ""
    is_git = any(view[0].text == "git" for run in call.runs for view in run.views)
    if not path and not is_git:
        return False
    for later in history.steps[at + 1 : at + 1 + _UNDO_WINDOW]:
        if later.status is not Status.OK or "git" not in (later.arguments or ""):
            continue
        for run in WatchedCall(later.tool, fields_of(later.arguments)).runs:
            words = [word.text for word in run.views[-1]] if run.views else []
            if words[:1] != ["git"] or not _UNDO_COMMANDS.intersection(words[1:3]):
                continue
            if path and any(path.endswith(word) for word in words[2:] if word not in ("", ".", "--")):
                return True
            if is_git and _UNDO_COMMANDS.intersection(words[1:3]) & {"revert", "reset"}:
                return True
    return False


def _file_path(call: WatchedCall) -> str:
    path = call.fields.get("file_path") or call.fields.get("notebook_path") or call.fields.get("path")
    return path if isinstance(path, str) else ""
