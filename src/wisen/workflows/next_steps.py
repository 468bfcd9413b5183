"""Predicts which tool is called next, from what followed in earlier sessions and in this one.

A situation is what is known before a call: the tool before it, how that ended, which program it ran, the calls before
that one, the recently used tools. Each counts how often each tool came next, smoothed by the coarser situation that it
refines (Witten and Bell: the more different tools came next, the less certain it is). How much more likely a situation
makes a tool than the coarser one did counts with a weight, in logarithms: what two of them both know counts once. What
this session did in the same situation counts in the same way.

It predicts tools, never their arguments. `benchmarks/next_tool.py` measures it and explains how the weights were found.
"""

from __future__ import annotations

import json
import math
from collections import Counter, deque
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct

from wisen.model.event import Status
from wisen.model.history import UserAction
from wisen.text.command_lines import parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.history import History, Step, Turn

Counts: TypeAlias = dict[str, dict[str, dict[str, float]]]
"""By situation name, by situation, by the tool that came next."""
_Keys: TypeAlias = dict[str, str]

SESSION_WINDOW = 40
"""How many of the last calls of this session are counted."""
_MAX_LOOKBACK = 25
"""How many calls a situation looks back."""
DECAY = 0.98
"""The factor by which each new session reduces the weight of earlier ones: agents, tools and habits change."""
_SMOOTHING = 1.5
"""How strongly the coarser situation smooths a finer one."""
_SESSION_SMOOTHING = 3.0
_MAX_SCALE = 1e6
"""New counts grow with each session instead of all old ones shrinking; at this size all are scaled down again."""
_NEGLIGIBLE = 1e-3
_EVIDENCE = "evidence"
"""The name of the plain counts that a prediction cites."""

_WORD = lazy_regex(r"[A-Za-z][\w:.-]{0,23}\Z")
_LETTERS = lazy_regex(r"[^\W\d_]{2,24}")
_NOISE = lazy_regex(r"Exit code -?\d+|</?tool_use_error>")
_PLAN = "plan: "
_PATHS = ("file_path", "notebook_path", "path")
_FAILED = (Status.FAILED, Status.MASKED)


class Situation(NamedTuple):
    """The coarser situation that it refines, and the weight of what it adds to that."""

    coarser: str
    weight: float


SITUATIONS: Mapping[str, Situation] = {
    "tool": Situation("", 0.66),
    "end": Situation("tool", 0.34),
    "kind": Situation("end", 0.40),  # the program; or whether the file is the same, seen or new
    "detail": Situation("kind", 0.19),  # its subcommand, or the ending of the file
    "in a row": Situation("detail", 0.11),  # how often the tool was called in a row
    "error": Situation("end", 0.79),  # how the text of the failure begins
    "plan": Situation("end", 0.48),  # what the agent's list of tasks says is under way
    "said": Situation("tool", 0.34),  # the first word of what the user just typed
    "burst": Situation("end", 0.35),  # the calls that have not ended
    "two": Situation("end", 0.00),  # the last two tools; and so on
    "three": Situation("two", 0.04),
    "four": Situation("three", 0.11),
    "five": Situation("four", 0.04),
    "six": Situation("five", 0.23),
    "kind, three": Situation("kind", 0.16),
    "details": Situation("detail", 0.29),  # of the last two calls
    "last 6": Situation("end", 0.17),  # which tools the last six calls used; and so on
    "last 12": Situation("end", 0.17),
    "last 25": Situation("end", 0.18),
}
"""Every situation, after the one it refines; one with weight 0 only smooths."""
IN_SESSION: Mapping[str, float] = {"": 0.20, "end": 0.26, "kind": 0.19, "detail": 0.12, "two": 0.09}
"""The weight of what this session did in the same situation; "" is any situation."""
OVERALL = 0.67
"""The weight of how often a tool is called overall."""
WEIGHTS = {name: weight for name, (_, weight) in SITUATIONS.items()} | {
    f"session {name}": weight for name, weight in IN_SESSION.items()
}
"""The weight of every situation, those within the session under separate names."""


class ToolPrediction(Struct, frozen=True, kw_only=True):
    """A tool that may be called next."""

    tool: str
    probability: float
    seen: int
    """How often it came next after a similar call: of the same tool and kind, with the same end."""
    of: int
    """How often any tool came next after a similar call."""


class Gains(NamedTuple):
    """The evidence for each tool."""

    overall: dict[str, float]
    """The overall probability of each tool."""
    by_situation: dict[str, dict[str, float]]
    """How much more likely each situation makes the tools that followed in it, as logarithms."""


class NextSteps:
    """Learns session by session, the oldest first, and predicts which tools are called next."""

    def __init__(self) -> None:
        self._tables: Counts = {"": {"": {}}, **{name: {} for name in SITUATIONS}}
        self._counts_after: dict[str, Counter[str]] = {}
        self._scale = 1.0

    def learn(self, history: History) -> None:
        """Count what followed what in a session; it weighs slightly more than earlier sessions."""
        if not history.steps:
            return
        cursor = _SessionCursor(history.turns)
        for step in history.steps:
            cursor.update_ends(step.at)
            keys = cursor.situations()
            for name, key in keys.items():
                row = self._tables[name].setdefault(key, {})
                row[step.tool] = row.get(step.tool, 0.0) + self._scale
            self._counts_after.setdefault(keys["kind"], Counter())[step.tool] += 1
            cursor.add(step)
        self._scale /= DECAY
        if self._scale > _MAX_SCALE:
            self._rescale()

    def predict(
        self, steps: Sequence[Step], turns: Iterable[Turn] = (), *, at: datetime | None = None, limit: int = 3
    ) -> tuple[ToolPrediction, ...]:
        """Return the most likely next tools of a session, best first; an end later than `at` is not known yet."""
        keys, session_counts = _session_state(steps, turns, at)
        probabilities = _probabilities(*self._gains(keys, session_counts))
        after = self._counts_after.get(keys["kind"], Counter())
        of = after.total()
        best = sorted(probabilities, key=lambda tool: (-probabilities[tool], tool))[: max(limit, 0)]
        return tuple(
            ToolPrediction(tool=tool, probability=probabilities[tool], seen=after[tool], of=of) for tool in best
        )

    def to_counts(self) -> Counts:
        """Return everything learned as plain numbers for JSON."""
        scaled = {
            name: {key: {tool: count / self._scale for tool, count in row.items()} for key, row in table.items()}
            for name, table in self._tables.items()
        }
        return {**scaled, _EVIDENCE: {key: dict(row) for key, row in self._counts_after.items()}}

    @classmethod
    def from_counts(cls, counts: Counts) -> NextSteps:
        """Restore from the result of `to_counts`, ready to continue learning; unknown situations are left out."""
        model = cls()
        for name, table in counts.items():
            if name in model._tables:
                model._tables[name] = {key: dict(row) for key, row in table.items()}
        model._tables[""].setdefault("", {})
        after = counts.get(_EVIDENCE, {})
        model._counts_after = {key: Counter({tool: int(n) for tool, n in row.items()}) for key, row in after.items()}
        return model

    def gains(self, steps: Sequence[Step], turns: Iterable[Turn] = (), *, at: datetime | None = None) -> Gains:
        """Explain a prediction: the overall probability of each tool, and the gain of each situation."""
        return self._gains(*_session_state(steps, turns, at))

    def _gains(self, keys: _Keys, session_counts: Counts) -> Gains:
        overall = self._overall(session_counts)
        smoothed = {"": _Smoothed(overall, 0.0, None)}
        by_situation: dict[str, dict[str, float]] = {}
        for name, (coarser, _) in SITUATIONS.items():
            row = self._tables[name].get(keys[name]) if name in keys else None
            smoothed[name] = smoothed[coarser]
            if row:
                smoothed[name], by_situation[name] = smoothed[coarser].refine(row, _SMOOTHING * self._scale)
        for name in IN_SESSION:
            row = session_counts[name].get(keys[name])
            if row:
                _, by_situation[f"session {name}"] = smoothed[name].refine(row, _SESSION_SMOOTHING)
        return Gains(overall, by_situation)

    def _overall(self, session_counts: Counts) -> dict[str, float]:
        row = self._tables[""][""]
        tools = {**row, **session_counts[""].get("", {})}
        smoothing = max(len(row), 1) * self._scale
        total = sum(row.values()) + smoothing
        return {tool: (row.get(tool, 0.0) + smoothing / len(tools)) / total for tool in tools}

    def _rescale(self) -> None:
        for name, table in self._tables.items():
            light = {
                key: {tool: n / self._scale for tool, n in row.items() if n / self._scale > _NEGLIGIBLE}
                for key, row in table.items()
            }
            self._tables[name] = {key: row for key, row in light.items() if row or not name}
        self._scale = 1.0


def _probabilities(overall: dict[str, float], gains: dict[str, dict[str, float]]) -> dict[str, float]:
    scores = {tool: OVERALL * math.log(chance) for tool, chance in overall.items()}
    for name, gained in gains.items():
        weight = WEIGHTS[name]
        for tool, gain in gained.items():
            scores[tool] += weight * gain
    top = max(scores.values(), default=0.0)
    powers = {tool: math.exp(score - top) for tool, score in scores.items()}
    total = sum(powers.values())
    return {tool: power / total for tool, power in powers.items()}


class _Smoothed:
    """The probability of each tool in a situation; for tools never seen there, that of the coarser situation."""

    __slots__ = ("_coarser", "_left", "_listed")

    def __init__(self, listed: dict[str, float], left: float, coarser: _Smoothed | None) -> None:
        self._listed, self._left, self._coarser = listed, left, coarser

    def probability(self, tool: str) -> float:
        """Return the probability of a tool."""
        known = self._listed.get(tool)
        if known is not None or self._coarser is None:
            return known or 0.0
        return self._left * self._coarser.probability(tool)

    def refine(self, row: dict[str, float], smoothing: float) -> tuple[_Smoothed, dict[str, float]]:
        """Return a finer situation with these counts, and how much more likely it makes its tools, as logarithms."""
        smoothing *= len(row)
        total = sum(row.values()) + smoothing
        listed, gains = {}, {}
        for tool, count in row.items():
            coarse = smoothing * self.probability(tool)
            listed[tool] = (count + coarse) / total
            gains[tool] = math.log1p(count / coarse)
        return _Smoothed(listed, smoothing / total, self), gains


class _CallView:
    """The features of a call that situations use."""

    __slots__ = ("detail", "end", "kind", "step", "tool")

    def __init__(self, step: Step | None, kind: str, detail: str) -> None:
        self.step, self.kind, self.detail = step, kind, detail
        self.tool, self.end = (step.tool, "?") if step else ("", "")


_NO_CALL = _CallView(None, "", "")


class _SessionCursor:
    """Walks through a session and computes the situations of the next call, from what was known by then."""

    def __init__(self, turns: Iterable[Turn], number: int = 0) -> None:
        self._turns: dict[int, list[Turn]] = {}
        for turn in turns:
            self._turns.setdefault(turn.before, []).append(turn)
        self._number = number
        self._views: deque[_CallView] = deque(maxlen=_MAX_LOOKBACK)
        self._open: list[_CallView] = []
        self._last_use: dict[str, int] = {}
        self._last_path = ""
        self._repeats = 0
        self._plan = ""

    def update_ends(self, at: datetime | None) -> None:
        """Update how calls ended, as far as that was known at a time."""
        for glance in self._open:
            glance.end = _end(glance.step, at)
        self._open = [glance for glance in self._open[-_MAX_LOOKBACK:] if glance.end == "?"]

    def add(self, step: Step) -> None:
        """Advance by one call."""
        kind, detail, path = _call_shape(step.arguments)
        if kind.startswith(_PLAN):
            self._plan = kind
        if path:
            known = self._last_use.get(path, -_MAX_LOOKBACK) > self._number - _MAX_LOOKBACK
            state = "same" if path == self._last_path else "seen" if known else "new"
            kind, detail = state + kind, state + detail
            self._last_use[path], self._last_path = self._number, path
        self._repeats = self._repeats + 1 if self._views and self._views[-1].tool == step.tool else 1
        glance = _CallView(step, kind, detail)
        self._views.append(glance)
        self._open.append(glance)
        self._number += 1

    def session_situations(self) -> _Keys:
        """Return the situations that are counted within the session too."""
        last = self._views[-1] if self._views else _NO_CALL
        tool = f"{self._turn()}|{last.tool}"
        end = f"{tool}|{last.end}"
        kind = f"{end}|{last.kind}"
        two = f"{end}|{self._views[-2].tool if len(self._views) > 1 else ''}"
        return {"": "", "tool": tool, "end": end, "kind": kind, "detail": f"{kind}|{last.detail}", "two": two}

    def situations(self) -> _Keys:
        """Return every situation of the next call."""
        keys, glances = self.session_situations(), [*self._views]
        tools = [glance.tool for glance in glances]
        end, kind, detail = keys["end"], keys["kind"], keys["detail"]
        before = ["", "", "", "", "", *tools[-6:]][-6:]
        keys["in a row"] = f"{detail}|{self._repeats if self._repeats < 5 else 5 if self._repeats < 8 else 8}"
        for name, reach in (("three", 3), ("four", 4), ("five", 5), ("six", 6)):
            keys[name] = f"{end}|{'|'.join(before[-reach:-1])}"
        keys["kind, three"] = f"{kind}|{before[-3]}|{before[-2]}"
        if len(glances) > 1:
            keys["details"] = f"{detail}|{glances[-2].tool}|{glances[-2].end}|{glances[-2].detail}"
        for name, reach in (("last 6", 6), ("last 12", 12), ("last 25", 25)):
            keys[name] = f"{end}|{'|'.join(sorted(set(tools[-reach:])))}"
        if glances and glances[-1].end == "?":
            keys["burst"] = f"{end}|{'|'.join(glance.tool for glance in glances[-4:] if glance.end == '?')}"
        if glances and glances[-1].end == "!":
            keys["error"] = f"{end}|{_first_words(glances[-1].step)}"
        if self._plan:
            keys["plan"] = f"{end}|{self._plan}"
        words = next((turn.text for turn in reversed(self._turns.get(self._number, [])) if turn.text), "").split()
        if words:
            keys["said"] = f"{keys['tool']}|{words[0].lower()[:24]}"
        return keys

    def _turn(self) -> str:
        turns = self._turns.get(self._number)
        return "" if not turns else "said" if all(turn.action is UserAction.SAID for turn in turns) else "stopped"


def _session_state(steps: Sequence[Step], turns: Iterable[Turn], at: datetime | None) -> tuple[_Keys, Counts]:
    """Return the situations of the next call, and what followed them recently in the session."""
    recent = steps[-SESSION_WINDOW:]
    cursor = _SessionCursor(turns, len(steps) - len(recent))
    session_counts: Counts = {name: {} for name in IN_SESSION}
    for step in recent:
        cursor.update_ends(step.at)
        keys = cursor.session_situations()
        for name, table in session_counts.items():
            row = table.setdefault(keys[name], {})
            row[step.tool] = row.get(step.tool, 0.0) + 1.0
        cursor.add(step)
    cursor.update_ends(at)
    return cursor.situations(), session_counts


def _end(step: Step | None, at: datetime | None) -> str:
    """Return how a call ended: "" well, "!" failed, "x" not run, "?" not known at that time."""
    if step is None or (step.status is None and step.ended is None):
        return "?"
    if at is not None and step.ended is not None and step.ended > at:
        return "?"
    return "" if step.status is Status.OK else "!" if step.status in _FAILED else "x"


def _first_words(step: Step | None) -> str:
    """Return how the output of a failed call begins; without the exit code, which nearly all share."""
    text = _NOISE.sub("", ((step and step.text) or "")[:300])
    return " ".join(_LETTERS.findall(text)[:3]).lower()


@lru_cache(maxsize=512)
def _call_shape(arguments: str | None) -> tuple[str, str, str]:
    """Return the shape of a call: a coarse word, a finer one, and the file, if any."""
    try:
        fields = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        fields = {}
    if not isinstance(fields, dict):
        return "", "", ""
    command = fields.get("command")
    if isinstance(command, str):
        main = parse_command(command).main_part
        return main.program, main.head, ""
    path = next((fields[name] for name in _PATHS if isinstance(fields.get(name), str)), "")
    if path and "pattern" not in fields:
        part = " part" if "offset" in fields or "limit" in fields else ""
        name = path.rsplit("/", 1)[-1]
        return part, f"{part}{name[name.rfind('.') :][:6] if '.' in name else ''}", path
    plan = next((value for value in fields.values() if isinstance(value, list)), [])
    if plan and all(isinstance(item, dict) and "status" in item for item in plan):
        current = next((str(item.get("content", "")) for item in plan if item["status"] == "in_progress"), "").split()
        word = current[0].lower()[:24] if current else "."
        return _PLAN + word, _PLAN + word, ""
    words = [
        value
        for name, value in sorted(fields.items())
        if name not in ("pattern", "query") and isinstance(value, str) and _WORD.match(value)
    ]
    return " ".join(words[:1]), " ".join(words[:3]), ""
