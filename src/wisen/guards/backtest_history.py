"""Backtests guards on recorded sessions: which calls each would have matched, and how those calls ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.matching import WatchedCall, find_hits
from wisen.model.backtest import Backtest, confidence_bounds
from wisen.model.event import Status
from wisen.model.guard import parse_watch
from wisen.model.history import EDITS, UserAction
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from wisen.model.failure import Signature
    from wisen.model.history import History, Step

_FAILED = (Status.FAILED, Status.MASKED)
_MAX_EXAMPLES = 3
_MAX_LENGTH = 160
_UNDO_WINDOW = 10
"""Within how many calls an undo counts as the undo of a call."""
_UNDO_COMMANDS = frozenset("restore checkout revert reset".split())
_QUOTES = str.maketrans("", "", "'\"\\")


class WatchedGuard(NamedTuple):
    """A guard to backtest."""

    watch: str
    context: str
    """Where it holds; empty for everywhere."""
    signature: Signature | None
    """The failures that it is meant to prevent; None where no matching call should be made at all."""


class MatchedCall(NamedTuple):
    """A call that a guard would have matched."""

    history: History
    at: int
    """The index of the step."""

    @property
    def step(self) -> Step:
        """The call."""
        return self.history.steps[self.at]


def match_calls(
    watches: Sequence[WatchedGuard],
    histories: Iterable[History],
    disqualifies: Callable[[MatchedCall], bool] = lambda _: False,
) -> tuple[list[list[MatchedCall]], int]:
    """Return the calls that each guard would have matched, and how many sessions were read.

    A guard that matched a disqualifying call is dropped; when all are dropped, reading stops.
    """
    compiled = [(each, parse_watch(each.watch)) for each in watches]
    active = set(range(len(compiled)))
    literals = [_literals(watch) for _, watch in compiled]
    matches: list[list[MatchedCall]] = [[] for _ in watches]
    sessions = 0
    for history in histories:
        if not active:
            break
        sessions += 1
        for at, step in enumerate(history.steps):
            plain = (step.arguments or "").translate(_QUOTES)
            call = None
            for number in sorted(active):
                each, watch = compiled[number]
                if each.context not in ("", step.context) or not all(word in plain for word in literals[number]):
                    continue
                call = call or WatchedCall(step.tool, fields_of(step.arguments))
                if find_hits(watch, call):
                    matches[number].append(match := MatchedCall(history, at))
                    if disqualifies(match):
                        active.discard(number)
    return matches, sessions


def build_backtest(
    watched: WatchedGuard,
    matches: Sequence[MatchedCall],
    sessions: int,
    signature_of: Callable[[Step], Signature],
    corrected: Collection[tuple[str, str]],
) -> Backtest:
    """Build the backtest of a guard. `corrected`: session and id of the user's corrections."""
    same_failure, bad, good, not_run = list[MatchedCall](), 0, list[MatchedCall](), 0
    for each in matches:
        status = each.step.status
        if status in _FAILED and (
            watched.signature is None or _is_same_failure(signature_of(each.step), watched.signature)
        ):
            same_failure.append(each)
        elif status in _FAILED or is_regretted(each.history, each.at, corrected):
            bad += 1
        elif status is Status.OK:
            good.append(each)
        else:
            not_run += 1
    low, high = confidence_bounds(len(same_failure), len(same_failure) + bad + len(good))
    helped = {(each.history.agent, each.history.native) for each in same_failure}
    times = sorted(each.step.at for each in matches)
    return Backtest(
        sessions=sessions,
        calls=len(matches),
        met=len(same_failure),
        masked=sum(each.step.status is Status.MASKED for each in same_failure),
        bad=bad,
        good=len(good),
        open=not_run,
        helped=len(helped),
        low=low,
        high=high,
        hit=describe_calls(good),
        examples=describe_calls(same_failure),
        first=times[0] if times else None,
        last=times[-1] if times else None,
    )


def is_regretted(history: History, at: int, corrected: Collection[tuple[str, str]]) -> bool:
    """Whether a call that ran should not have: it was refused, stopped, corrected right away, or undone."""
    for turn in history.turns:
        if turn.before == at + 1:
            if turn.action is not UserAction.SAID or (history.native, turn.id) in corrected:
                return True
            break
    return _is_undone(history, at)


def describe_calls(matches: Iterable[MatchedCall]) -> tuple[str, ...]:
    """Return a few distinct calls as a person would write them."""
    examples: dict[str, None] = {}
    for each in matches:
        call = WatchedCall(each.step.tool, fields_of(each.step.arguments))
        text = " ".join((call.line or f"{call.tool} {_file_path(call)}").split())
        examples.setdefault(text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…")
        if len(examples) == _MAX_EXAMPLES:
            break
    return tuple(examples)


def _is_same_failure(one: Signature, two: Signature) -> bool:
    return (one.key, one.who, one.says) == (two.key, two.who, two.says)


def _literals(watch: dict[str, object]) -> list[str]:
    """Return words that the arguments of every matching call contain: a cheap filter that skips parsing most calls."""
    words = watch.get("words")
    if not isinstance(words, list):
        return []
    return [word for word in words if word.isascii() and not set(word) & set("*?|…\"'\\-") and word != "..."]


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
