"""Measures whether reminders arrive when needed: real sessions in chronological order, delivered by product code.

Data: `--data DIR` with transcripts/*.jsonl, codex/*.jsonl next to it if there are any, and user_turns.jsonl.

`corrections`: those whose subject had been corrected in an earlier session (`labels/echo_pairs.jsonl`, labelled before
anything was measured), `told_before` of them by a reminder. `moments`: all reminders that would have been delivered,
`told_per_session` in addition to the session start. `lift`: how often a delivered reminder was followed by a correction
or a rejection before the next typed turn, compared with all calls of the main threads of its project in the same
window; by bootstrap over sessions. `right_after`: the same if it followed the call immediately. Corrections are those
of the labels; with `by_detector` the detected ones. A lesson is only delivered in sessions that began after it was
stated, with trigger words that remained after a backtest on the sessions before it.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import wisen
from benchmarks.data import MissingDataError, json_lines, transcripts
from wisen.delivery.reminders import Reminder, build_reminders, encode_reminders
from wisen.delivery.settings import DeliverPolicy
from wisen.feedback.signal_detection import detect_in_session
from wisen.mining.trigger_backtest import TriggerOptions, narrow_triggers
from wisen.mining.triggers import find_triggers
from wisen.model.entry import Category, Entry, EntryOrigin, EntrySource, EntryType
from wisen.model.entry_state import EntryState, fold_entry_states
from wisen.model.history import UserAction
from wisen.model.signal import SignalKind
from wisen.surfaces.hook import call_reminders
from wisen.surfaces.hook.token_budget import select
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from wisen.model.directive import Trigger
    from wisen.model.history import History, Turn

_LABELS = Path(__file__).parent / "labels"
_ROUNDS = 2000
_POLICY = DeliverPolicy(moments=2)
_LESSONS = (SignalKind.CORRECTION, SignalKind.PREFERENCE)


class DeliveredReminder(NamedTuple):
    """A reminder that was delivered."""

    session: str
    context: str
    entry: str
    cause: str
    at: datetime
    where: str
    """At a prompt or a call."""
    step: int
    """Before which call; for a prompt, before which the next would come."""


class _Snapshots:
    """The reminders that a hook reads, from memory."""

    def __init__(self, sheet: bytes) -> None:
        self._sheet = json.loads(sheet)

    def moments(self, cwd: str) -> str:
        del cwd
        return "sheet"

    def content(self, digest: str) -> dict[str, object]:
        del digest
        found: dict[str, object] = self._sheet
        return found

    def welcomes(self, context: str) -> bool:
        del context
        return False


class _SnapshotStore:
    def __init__(self, sheet: bytes, session: str) -> None:
        self.snapshots, self.session = _Snapshots(sheet), session


class _Lesson(NamedTuple):
    state: EntryState
    message: tuple[str, str]
    """Session and turn."""


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    histories = _histories(options.data)
    labels = _labels(options.data, histories)
    lessons, delivered = replay(histories)
    detected = {
        (history.native, each.message)
        for history in histories
        for each in detect_in_session(history)
        if each.signal.kind is SignalKind.CORRECTION
    }
    known = {session for session, _ in labels}
    by_label = CallOutcomes(
        [each for each in histories if each.native in known], lambda key: "correction" in labels.get(key, ())
    )
    by_ear = CallOutcomes(histories, lambda key: key in detected)
    pairs, echoed = _echoes(lessons, delivered, histories)
    judged = [each for each in delivered if each.session in known]
    return {
        "sessions": len(histories),
        "lessons": len(lessons),
        "corrections": len(pairs),
        "told_before": echoed,
        "earlier_with_trigger": sum(
            any(one in {each.message for each in lessons} for one in some) for some in pairs.values()
        ),
        "moments": len(delivered),
        "told_per_session": round(len(delivered) / len(histories), 3),
        "judged_moments": len(judged),
        "lift": by_label.lift(judged),
        "right_after": by_label.lift([each for each in judged if each.where == "call"], at_once=True),
        "by_cause": {
            cause: by_label.lift([each for each in judged if each.cause == cause]) for cause in _causes(judged)
        },
        "by_moment": {
            where: by_label.lift([each for each in judged if each.where == where]) for where in ("prompt", "call")
        },
        "by_detector": by_ear.lift(delivered),
    }


def replay(histories: Sequence[History]) -> tuple[list[_Lesson], list[DeliveredReminder]]:
    """Return what would have been learned and delivered, session by session."""
    lessons, delivered = list[_Lesson](), list[DeliveredReminder]()
    past: dict[str, list[History]] = defaultdict(list)
    sources: dict[str, str] = {}
    for history in histories:
        context = _context(history)
        before = [each for each in lessons if each.state.context == context and each.state.last < _start_of(history)]
        moments = build_reminders([each.state for each in before], context, lambda entry: [sources[entry]])
        if moments:
            delivered += _deliveries_in(history, context, moments, {each.state.entry.id: each for each in before})
        new = _lessons_of(history, context, past[context])
        lessons += new
        sources.update({each.state.entry.id: each.message[0] for each in new})
        past[context].append(history)
    return lessons, delivered


def _deliveries_in(
    history: History, context: str, moments: Sequence[Reminder], known: dict[str, _Lesson]
) -> list[DeliveredReminder]:
    """Return the reminders of one session, in the order of its prompts and calls, as the hook would deliver them."""
    store: Any = _SnapshotStore(encode_reminders(moments, context, _POLICY), history.native)
    budget, pin, found = store.snapshots.content("")["budget"], dict[str, object](), list[DeliveredReminder]()
    by_text = {each.id: each.text for each in moments}
    names = {
        moment.id: each for each in known.values() for moment in build_reminders([each.state], context, lambda _: ())
    }
    events: list[tuple[datetime, int, int]] = [(step.at, 1, at) for at, step in enumerate(history.steps)]
    events += [
        (turn.at, 0, at)
        for at, turn in enumerate(history.turns)
        if turn.action is UserAction.SAID and turn.text and turn.origin != "rejection"
    ]
    for when, is_call, at in sorted(events):
        if is_call:
            step = history.steps[at]
            payload: dict[str, object] = {"cwd": "/", "tool_name": step.tool, "tool_input": fields_of(step.arguments)}
            now = call_reminders.reminders_at_call(payload, store, pin)
        else:
            prompt = history.turns[at].text or ""
            candidates = call_reminders.reminders_at_prompt(prompt, {"cwd": "/"}, store, pin)
            now = select(candidates, budget, pin.get("spent"), 3)
        if now:
            pin = call_reminders.pin_with_delivery(
                pin, [id_ for id_, _ in now], "\n".join(by_text[id_] for id_, _ in now)
            )
        place = at if is_call else history.turns[at].before
        for id_, _ in now:
            lesson, trigger = names[id_], names[id_].state.trigger
            cause = trigger.cause.value if trigger else ""
            where = "call" if is_call else "prompt"
            found.append(DeliveredReminder(history.native, context, lesson.state.entry.id, cause, when, where, place))
    return found


def _lessons_of(history: History, context: str, past: Sequence[History]) -> list[_Lesson]:
    """Return the lessons of a session that still have a trigger after a backtest on the sessions before."""
    turns = {turn.id: turn for turn in history.turns}
    found: dict[str, tuple[Entry, Turn, tuple[Trigger, ...]]] = {}
    for recorded in detect_in_session(history):
        lesson = recorded.signal.lesson
        if lesson is None or lesson.trigger is None or lesson.standing or recorded.signal.kind not in _LESSONS:
            continue
        turn = turns[recorded.message]
        entry = Entry(
            id=f"{history.native} {recorded.message} {lesson.text}",
            name="LRN",
            machine="",
            context=context,
            at=recorded.at,
            type=EntryType.LEARNING,
            summary=lesson.text,
            source=EntrySource.USER_FEEDBACK,
            origin=EntryOrigin.STATED,
            category=Category.CORRECTION,
            standing=False,
            trigger=lesson.trigger,
        )
        found.setdefault(entry.id, (entry, turn, tuple(find_triggers(history, turn, turn.text or ""))))
    source = (history.agent, history.native)
    left = narrow_triggers(
        [TriggerOptions(id_, context, source, options) for id_, (_, _, options) in found.items()], past
    )
    made = []
    for id_, (entry, turn, _) in found.items():
        if left[id_] is not None:
            (state,) = fold_entry_states([_with_trigger(entry, left[id_])], (), ())
            made.append(_Lesson(state, (history.native, turn.id)))
    return made


def _with_trigger(entry: Entry, trigger: Trigger | None) -> Entry:
    from msgspec import structs

    return structs.replace(entry, trigger=trigger)


class CallOutcomes:
    """What followed each call of the main threads, for one definition of a correction."""

    def __init__(self, histories: Iterable[History], corrects: Callable[[tuple[str, str]], bool]) -> None:
        self._of, self._corrects = {each.native: each for each in histories}, corrects
        self._base: dict[bool, dict[str, float]] = {}
        for at_once in (False, True):
            bad, every = Counter[str](), Counter[str]()
            for history in self._of.values():
                every[_context(history)] += len(history.steps)
                bad[_context(history)] += sum(
                    self._follows(history, at + 1, at_once=at_once) for at in range(len(history.steps))
                )
            self._base[at_once] = {context: bad[context] / every[context] for context in every if every[context]}

    def lift(self, delivered: Sequence[DeliveredReminder], *, at_once: bool = False) -> dict[str, object]:
        """Return how much more often reminders were followed by a correction than calls of the same project."""
        rows: dict[str, list[tuple[bool, float]]] = defaultdict(list)
        for each in delivered:
            history, base = self._of.get(each.session), self._base[at_once].get(each.context)
            if history is not None and base is not None:
                place = each.step + 1 if each.where == "call" else each.step
                since = each.at if each.where == "prompt" else None
                rows[each.session].append((self._follows(history, place, at_once=at_once, since=since), base))
        flat = [row for some in rows.values() for row in some]
        if not flat:
            return {"value": None, "interval": None, "moments": 0, "share": None, "base": None}
        chance, names, values = random.Random(1), list(rows), list[float]()
        for _ in range(_ROUNDS):
            drawn = [row for name in chance.choices(names, k=len(names)) for row in rows[name]]
            values.append(_ratio(drawn))
        values.sort()
        return {
            "value": round(_ratio(flat), 3),
            "interval": [round(values[int(_ROUNDS * 0.025)], 3), round(values[int(_ROUNDS * 0.975)], 3)],
            "moments": len(flat),
            "share": round(sum(bad for bad, _ in flat) / len(flat), 4),
            "base": round(sum(base for _, base in flat) / len(flat), 4),
        }

    def _follows(self, history: History, place: int, *, at_once: bool, since: datetime | None = None) -> bool:
        """Whether a correction or a refusal follows before the next typed turn but one; `at_once`: before any call."""
        for turn in history.turns:
            if turn.before < place or (since is not None and turn.at <= since):
                continue
            if at_once and turn.before > place:
                return False
            if turn.action is UserAction.REJECTED:
                return True
            if turn.action is UserAction.SAID and turn.text:
                if self._corrects((history.native, turn.id)):
                    return True
                if turn.origin != "rejection":
                    return False
        return False


def _ratio(rows: Sequence[tuple[bool, float]]) -> float:
    expected = sum(base for _, base in rows)
    return sum(bad for bad, _ in rows) / expected if expected else 0.0


def _echoes(
    lessons: Sequence[_Lesson], delivered: Sequence[DeliveredReminder], histories: Sequence[History]
) -> tuple[dict[tuple[str, str], list[tuple[str, str]]], int]:
    """Corrections on a matter that was corrected before, with the earlier ones; and of how many one was told before."""
    at = {(history.native, turn.id): turn.at for history in histories for turn in history.turns}
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for row in json_lines(_LABELS / "echo_pairs.jsonl"):
        earlier, later = ((row[name]["session"], row[name]["turn"]) for name in ("earlier", "later"))
        if row["same"] and earlier in at and later in at:
            pairs[later].append(earlier)
    message = {each.state.entry.id: each.message for each in lessons}
    many = sum(
        any(each.session == later[0] and each.at < at[later] and message[each.entry] in earlier for each in delivered)
        for later, earlier in pairs.items()
    )
    return pairs, many


def _causes(delivered: Iterable[DeliveredReminder]) -> list[str]:
    return sorted({each.cause for each in delivered})


def _context(history: History) -> str:
    return next((each.context for each in history.steps), "") or next((each.context for each in history.turns), "")


def _start_of(history: History) -> datetime:
    times = [each.at for each in history.steps] + [each.at for each in history.turns]
    return min(times, default=datetime.max.replace(tzinfo=UTC))


def _histories(data: Path | None) -> list[History]:
    """Return the main threads in chronological order."""
    folder = transcripts(data)
    beside = folder.parent / "codex"
    with (
        tempfile.TemporaryDirectory() as home,
        wisen.open_learner(f"{home}/wisen", environment={"HOME": home}) as learner,
    ):
        learner.learn(folder)
        if beside.is_dir():
            learner.learn(beside)
        found = [each for each in learner.histories() if "/" not in each.native]
    return sorted(found, key=_start_of)


def _labels(data: Path | None, histories: Sequence[History]) -> dict[tuple[str, str], list[str]]:
    """Return the labels of typed turns, by session and turn. Raises: MissingDataError."""
    path = data / "user_turns.jsonl" if data else None
    if path is None or not path.is_file():
        raise MissingDataError(f"no user_turns.jsonl in {data or 'no folder'}; give the unpacked folder as --data DIR")
    found = {(row["session"], row["turn"]): row["labels"] for row in json_lines(_LABELS / "turns.jsonl")}
    typed: dict[str, list[Turn]] = {
        each.native: [turn for turn in each.turns if turn.action is UserAction.SAID and turn.text] for each in histories
    }
    for row in json_lines(path):
        turns, at = typed.get(row["session"], []), datetime.fromisoformat(row["timestamp"])
        fits = [turn for turn in turns if turn.id == row["turn_uuid"]]
        fits = fits or [turn for turn in turns if (turn.text or "").strip() == row["user"].strip()]
        fits = fits or [turn for turn in turns if abs((turn.at - at).total_seconds()) < 2]
        for turn in fits[:1]:
            found[row["session"], turn.id] = row["labels"]
    return found
