"""Summarizes a session for each context it worked in, from what was typed and what was measured.

No model is used, and nothing that the assistant said. A task counts as completed where its calls ended well and the
user did not correct it afterwards.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.memory import shorten
from wisen.memory.session_failures import SessionFailures
from wisen.model.event import Status
from wisen.model.failure import Ending
from wisen.model.history import EDITS, UserAction
from wisen.model.signal import SignalKind
from wisen.model.summary import DayMark, Summary, SummaryItem
from wisen.safety.withhold import rule_against
from wisen.text.command_lines import command_of, fields_of
from wisen.text.directives import directives_in
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from wisen.model.failure import Goal, SessionFindings
    from wisen.model.history import History, Step, Turn
    from wisen.model.signal import Signal

MAX_ITEMS = 12
"""Items per section: the best of them, in chronological order."""
_FAILED = (Status.FAILED, Status.MASKED)
_MIN_PROBABILITY = 0.5
"""The probability from which a turn counts as correction or praise."""
_MAX_AMENDMENT = 200
"""A correction of more characters is a request of its own."""
_MIN_REQUEST_WORDS = 3
"""A request of fewer words says too little."""
_LESSON_WORTH = 7.0
"""A lasting lesson from the user is worth more than any task."""
_LATER = lazy_regex(
    r"\b(?:todo|to-do|for later|(?:do|add|fix|handle|address|revisit|tackle|look at) (?:it|this|that|them|those) later"
    r"|next time|(?:in|as) a follow[- ]?up|follow[- ]?up (?:pr|ticket|issue)|another (?:pr|day|time)|separate pr"
    r"|remind me|not now)\b",
    re.IGNORECASE,
)
_LATER_WORDS = ("todo", "to-do", "later", "next time", "follow", "another", "separate", "remind", "not now")
"""Every postponement contains one of them; a cheap filter."""
_SKILL = "/SKILL.md"
_FEEDBACK = (SignalKind.CORRECTION, SignalKind.PRAISE)
_NEED_A_LESSON = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
"""Without a lesson they are mere remarks."""
_LESSON_KINDS = (SignalKind.REMEMBER, SignalKind.PREFERENCE, SignalKind.CORRECTION, SignalKind.GAP)


def summarize_history(
    history: History, mined: SessionFindings, is_self_contained: Callable[[str], bool]
) -> tuple[Summary, ...]:
    """Summarize a session, one summary per context, where there is something to report.

    `is_self_contained` says whether a lesson can be understood by somebody who was not there.
    """
    contexts = dict.fromkeys(turn.context for turn in history.turns if turn.action is UserAction.SAID)
    summaries = (_SessionSummarizer(history, mined, is_self_contained, context).build_summary() for context in contexts)
    return tuple(summary for summary in summaries if summary.items)


class _SessionSummarizer:
    """Summarizes the part of a session that belongs to one context."""

    def __init__(
        self, history: History, mined: SessionFindings, is_self_contained: Callable[[str], bool], context: str
    ) -> None:
        self._history, self._mined, self._is_self_contained, self._context = history, mined, is_self_contained, context
        self._typed = [turn for turn in history.turns if turn.action is UserAction.SAID]
        self._numbers = {turn.id: number for number, turn in enumerate(self._typed, 1)}
        self._here = {turn.id: turn for turn in self._typed if turn.context == context}
        self._steps = {step.call: step for step in history.steps if step.context == context}
        self._signals: dict[str, list[Signal]] = {}
        for each in mined.signals:
            self._signals.setdefault(each.message, []).append(each.signal)

    def build_summary(self) -> Summary:
        steps = [*self._steps.values()]
        moments = [turn.at for turn in self._history.turns] + [step.at for step in self._history.steps]
        failures = SessionFailures(self._mined, steps, self._turn_of)
        tasks = _best_items(self._tasks())
        done = {item.message for item in tasks}
        return Summary(
            agent=self._history.agent,
            session=self._history.native,
            context=self._context,
            first=min(moments),
            last=max(moments),
            turns=len(self._here),
            calls=len(steps),
            failed=sum(step.status in _FAILED for step in steps),
            tasks=tasks,
            learnings=_best_items([*self._learnings(done), *failures.resolved_items()]),
            skills=_best_items(self._skills(steps)),
            feedback=_best_items(self._feedback(done)),
            open=_best_items([*self._unfinished(), *failures.unresolved_items(), *self._postponed()]),
        )

    def _tasks(self) -> Iterator[SummaryItem]:
        for goals in self._chains():
            request, last = self._here[goals[0].request], goals[-1]
            if last.ending not in (Ending.DONE, Ending.CHECKED):
                continue
            calls = [self._steps[call] for goal in goals for call in goal.calls if call in self._steps]
            steps = [step for step in calls if step.status is Status.OK]
            lines = [line for step in steps if (line := _command_with(step, "commit")) and shorten.is_commit(line)]
            edited = any(step.tool in EDITS for step in steps)
            checked = last.ending is Ending.CHECKED and edited
            praised = self._was_praised(goals)
            worth = 3.0 * bool(lines) + 2.0 * checked + 2.0 * praised + edited
            asked = shorten.gist(request.text or "")
            text = shorten.strip_politeness(asked)
            subjects = list(filter(None, map(shorten.commit_subject, lines)))
            if subjects and (len(text.split()) < _MIN_REQUEST_WORDS or shorten.is_question(asked)):
                text, subjects = f"committed “{subjects[-1]}”", []
            if worth and len(text.split()) >= _MIN_REQUEST_WORDS and not shorten.is_question(text):
                yield SummaryItem(
                    text=text,
                    turn=self._numbers[request.id],
                    at=request.at,
                    message=request.id,
                    measured=_describe_outcome(subjects, checked=checked, praised=praised, corrected=len(goals) - 1),
                    mark=DayMark.SUCCESS if worth > 1 and (lines or not shorten.is_vague(text)) else None,
                    worth=worth + min(len(steps), 20) / 20,
                )

    def _chains(self) -> list[list[Goal]]:
        """Return the goals of this context, each with the goals that only corrected it."""
        chains: list[list[Goal]] = []
        for goal in self._mined.goals:
            if goal.request not in self._here:
                continue
            if chains and self._is_correction(goal.request):
                chains[-1].append(goal)
            else:
                chains.append([goal])
        return chains

    def _is_correction(self, message: str) -> bool:
        short = len(self._here[message].text or "") < _MAX_AMENDMENT
        return short and self._has_signal(SignalKind.CORRECTION, message)

    def _has_signal(self, kind: SignalKind, message: str) -> bool:
        return any(
            each.kind is kind and each.probability >= _MIN_PROBABILITY for each in self._signals.get(message, ())
        )

    def _was_praised(self, goals: Sequence[Goal]) -> bool:
        """Whether the user praised the work, up to their first message after it."""
        until = goals[-1].said_next
        numbers = range(self._numbers[goals[0].request] + 1, self._numbers.get(until or "", len(self._typed)) + 1)
        return any(self._has_signal(SignalKind.PRAISE, self._typed[number - 1].id) for number in numbers)

    def _learnings(self, done: Container[str]) -> Iterator[SummaryItem]:
        """Yield the user's lasting lessons; one that was itself a task of the day is listed there."""
        for turn in self._here.values():
            seen: set[str] = set()
            signals = sorted(self._signals.get(turn.id, ()), key=lambda each: _kind_order(each.kind))
            for signal in signals:
                text = self._lesson(turn, signal)
                if not text or text in seen:
                    continue
                seen.add(text)
                note = signal.kind is SignalKind.REMEMBER
                insight = signal.kind is not SignalKind.GAP and turn.id not in done and shorten.is_order(text)
                yield SummaryItem(
                    text=text,
                    turn=self._numbers[turn.id],
                    at=turn.at,
                    message=turn.id,
                    mark=DayMark.NOTE if note else DayMark.INSIGHT if insight else None,
                    worth=_LESSON_WORTH + signal.probability + (signal.lesson.durable if signal.lesson else note),
                )

    def _lesson(self, turn: Turn, signal: Signal) -> str:
        """Return what a signal teaches somebody who was not there; empty where it teaches nothing."""
        if signal.kind not in _LESSON_KINDS or signal.probability < _MIN_PROBABILITY or not turn.text:
            return ""
        lesson = signal.lesson
        if signal.kind in _NEED_A_LESSON and not (lesson and (lesson.trigger or directives_in(lesson.text))):
            return ""  # a remark: it does not become an entry
        if signal.lesson is not None:
            text = shorten.clip(signal.lesson.text, 220)
        else:
            text = shorten.remembered_sentence(turn.text, signal.start)
        return text if self._is_self_contained(text) else ""

    def _feedback(self, done: Container[str]) -> Iterator[SummaryItem]:
        """Yield the user's feedback on the work; a message that was itself a task is listed there."""
        for turn in self._here.values():
            for kind in _FEEDBACK if turn.id not in done else ():
                signals = [each for each in self._signals.get(turn.id, ()) if each.kind is kind]
                if turn.text and signals and signals[0].probability >= _MIN_PROBABILITY:
                    quoted = shorten.quote_at(turn.text, signals[0].start)
                    if quoted:
                        yield self._item(turn, f"{kind.value}: “{quoted}”", worth=signals[0].probability)

    def _skills(self, steps: Sequence[Step]) -> Iterator[SummaryItem]:
        for step in steps:
            if step.status is not Status.OK or step.tool not in EDITS or _SKILL not in (step.arguments or ""):
                continue
            path = fields_of(step.arguments).get("file_path")
            if isinstance(path, str) and path.endswith(_SKILL):
                yield SummaryItem(text=shorten.clip(path), turn=self._turn_of(step), at=step.at)

    def _unfinished(self) -> Iterator[SummaryItem]:
        """Yield the last request, where it was stopped or left failing."""
        goals = [goal for goal in self._mined.goals if goal.request in self._here]
        if not goals:
            return
        turn = self._here[goals[-1].request]
        stopped = any(each.action is not UserAction.SAID and each.at >= turn.at for each in self._history.turns[-1:])
        text = shorten.gist(turn.text or "")
        if text and (goals[-1].ending is Ending.STOPPED or (goals[-1].ending is Ending.EMPTY and stopped)):
            yield self._item(turn, text, measured="stopped", worth=3.0)
        elif text and goals[-1].ending is Ending.FAILING:
            yield self._item(turn, text, measured="left with a failure", worth=3.0)

    def _postponed(self) -> Iterator[SummaryItem]:
        for turn in self._here.values():
            for part in shorten.sentences_with(turn.text or "", _LATER_WORDS):
                if _LATER.search(part) and len(part) <= 2 * shorten.MAX_LENGTH and not part.rstrip().endswith("?"):
                    yield self._item(turn, f"“{shorten.clip(part)}”", worth=1.0)

    def _turn_of(self, step: Step) -> int:
        return sum(turn.at <= step.at for turn in self._typed)

    def _item(self, turn: Turn, text: str, *, worth: float, measured: str = "") -> SummaryItem:
        number = self._numbers[turn.id]
        return SummaryItem(text=text, turn=number, at=turn.at, message=turn.id, measured=measured, worth=worth)


def _command_with(step: Step, word: str) -> str:
    """Return the command line of a call that contains a word; empty otherwise, mostly without parsing the call."""
    return (command_of(fields_of(step.arguments)) or "") if word in (step.arguments or "") else ""


def _kind_order(kind: SignalKind) -> int:
    return _LESSON_KINDS.index(kind) if kind in _LESSON_KINDS else len(_LESSON_KINDS)


def _describe_outcome(subjects: Sequence[str], *, checked: bool, praised: bool, corrected: int) -> str:
    parts = [f"committed “{subjects[-1]}”"] if len(subjects) == 1 else []
    parts += [f"{len(subjects)} commits, the last “{subjects[-1]}”"] if len(subjects) > 1 else []
    parts += ["checks passed"] if checked else []
    parts += ["praised"] if praised else []
    parts += [f"corrected {'once' if corrected == 1 else f'{corrected} times'}"] if corrected else []
    return ", ".join(parts)


def _best_items(items: Iterable[SummaryItem]) -> tuple[SummaryItem, ...]:
    """Return the best items that may be shown, each once, in chronological order."""
    unique = {item.text.casefold().rstrip(" .!"): item for item in reversed([*items])}
    best = sorted(unique.values(), key=lambda item: (-item.worth, item.at, item.text))
    allowed = [item for item in best if rule_against(f"{item.text} {item.measured}") is None][:MAX_ITEMS]
    return tuple(sorted(allowed, key=lambda item: (item.at, item.turn, item.text)))


def with_entry_names(summary: Summary, names: Callable[[str], str]) -> Summary:
    """Add to a summary the names of the entries that its learnings became; `names` finds them by message."""
    learnings = tuple(structs.replace(item, entry=names(item.message)) for item in summary.learnings)
    return structs.replace(summary, learnings=learnings)
