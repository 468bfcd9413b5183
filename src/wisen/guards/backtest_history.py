"""Runs guards over recorded sessions: what each would have met, and how those calls ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.matching import WatchedCall, hits
from wisen.model.backtest import Backtest, bounds
from wisen.model.event import Status
from wisen.model.guard import watch_of
from wisen.model.history import EDITS, Act
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from wisen.model.failure import Signature
    from wisen.model.history import History, Step

_FAILED = (Status.FAILED, Status.MASKED)
_MOST = 3
_LONGEST = 160
_NEAR = 10
"""Within how many calls something is undone."""
_UNDOES = frozenset("restore checkout revert reset".split())
_QUOTES = str.maketrans("", "", "'\"\\")


class WatchedGuard(NamedTuple):
    """A guard that is to be tried on the past."""

    watch: str
    context: str
    """Where it holds; empty for everywhere."""
    signature: Signature | None
    """Of the failures that it is about; None where every call that it meets is one too many."""


class Met(NamedTuple):
    """A call that a guard would have met."""

    history: History
    at: int
    """Which step it is."""

    @property
    def step(self) -> Step:
        """The call."""
        return self.history.steps[self.at]


def meetings(
    watches: Sequence[WatchedGuard], histories: Iterable[History], is_out: Callable[[Met], bool] = lambda _: False
) -> tuple[list[list[Met]], int]:
    """For each watch the calls that it would have met, and how many sessions were looked at.

    A watch that met a call which puts it out is followed no further; when all are out, nothing more is read.
    """
    compiled = [(each, watch_of(each.watch)) for each in watches]
    left = set(range(len(compiled)))
    words = [_literals(watch) for _, watch in compiled]
    found: list[list[Met]] = [[] for _ in watches]
    sessions = 0
    for history in histories:
        if not left:
            break
        sessions += 1
        for at, step in enumerate(history.steps):
            plain = (step.arguments or "").translate(_QUOTES)
            call = None
            for number in sorted(left):
                each, watch = compiled[number]
                if each.context not in ("", step.context) or not all(word in plain for word in words[number]):
                    continue
                call = call or WatchedCall(step.tool, fields_of(step.arguments))
                if hits(watch, call):
                    found[number].append(met := Met(history, at))
                    if is_out(met):
                        left.discard(number)
    return found, sessions


def backtested(
    watched: WatchedGuard,
    met: Sequence[Met],
    sessions: int,
    sign: Callable[[Step], Signature],
    corrected: Collection[tuple[str, str]],
) -> Backtest:
    """How a guard would have fared. `corrected`: session and id of what the user said to correct the agent."""
    about, bad, good, open_ = list[Met](), 0, list[Met](), 0
    for each in met:
        status = each.step.status
        if status in _FAILED and (watched.signature is None or _same(sign(each.step), watched.signature)):
            about.append(each)
        elif status in _FAILED or is_regretted(each.history, each.at, corrected):
            bad += 1
        elif status is Status.OK:
            good.append(each)
        else:
            open_ += 1
    low, high = bounds(len(about), len(about) + bad + len(good))
    helped = {(each.history.agent, each.history.native) for each in about}
    times = sorted(each.step.at for each in met)
    return Backtest(
        sessions=sessions,
        calls=len(met),
        met=len(about),
        masked=sum(each.step.status is Status.MASKED for each in about),
        bad=bad,
        good=len(good),
        open=open_,
        helped=len(helped),
        low=low,
        high=high,
        hit=shown(good),
        examples=shown(about),
        first=times[0] if times else None,
        last=times[-1] if times else None,
    )


def is_regretted(history: History, at: int, corrected: Collection[tuple[str, str]]) -> bool:
    """Whether a call that went through was one too many: refused, stopped, corrected right away, or undone."""
    for turn in history.turns:
        if turn.before == at + 1:
            if turn.act is not Act.SAID or (history.native, turn.id) in corrected:
                return True
            break
    return _is_undone(history, at)


def shown(met: Iterable[Met]) -> tuple[str, ...]:
    """Some calls as a person would write them, no two alike."""
    found: dict[str, None] = {}
    for each in met:
        call = WatchedCall(each.step.tool, fields_of(each.step.arguments))
        text = " ".join((call.line or f"{call.tool} {_place(call)}").split())
        found.setdefault(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
        if len(found) == _MOST:
            break
    return tuple(found)


def _same(one: Signature, two: Signature) -> bool:
    return (one.key, one.who, one.says) == (two.key, two.who, two.says)


def _literals(watch: dict[str, object]) -> list[str]:
    """Words that the arguments of every call must hold that can be met: most calls end here, unread."""
    words = watch.get("words")
    if not isinstance(words, list):
        return []
    return [word for word in words if word.isascii() and not set(word) & set("*?|…\"'\\-") and word != "..."]


def _is_undone(history: History, at: int) -> bool:
    """Whether version control took back what a call did, a few calls later."""
    step = history.steps[at]
    call = WatchedCall(step.tool, fields_of(step.arguments))
    place = _place(call) if step.tool in EDITS else ""
    own = any(view[0].text == "git" for run in call.runs for view in run.views)
    if not place and not own:
        return False
    for later in history.steps[at + 1 : at + 1 + _NEAR]:
        if later.status is not Status.OK or "git" not in (later.arguments or ""):
            continue
        for run in WatchedCall(later.tool, fields_of(later.arguments)).runs:
            words = [word.text for word in run.views[-1]] if run.views else []
            if words[:1] != ["git"] or not _UNDOES.intersection(words[1:3]):
                continue
            if place and any(place.endswith(word) for word in words[2:] if word not in ("", ".", "--")):
                return True
            if own and _UNDOES.intersection(words[1:3]) & {"revert", "reset"}:
                return True
    return False


def _place(call: WatchedCall) -> str:
    place = call.fields.get("file_path") or call.fields.get("notebook_path") or call.fields.get("path")
    return place if isinstance(place, str) else ""
