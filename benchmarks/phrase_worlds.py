"""Simulates users who correct and praise in their own words: a month of sessions each, with planted phrases.

How often which sign occurs around corrections and around other turns was counted in real sessions: see `AROUND`.
"""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from wisen.feedback.turn_signs import is_detected
from wisen.model.event import MessageOrigin, Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.signal import SignalKind

DAYS = 30
AROUND = {
    "correction": {"conceded": 0.45, "undone": 0.28, "refused": 0.17, "stopped": 0.09},
    "other": {"conceded": 0.05, "undone": 0.08, "refused": 0.02, "stopped": 0.035},
}
"""How often a sign happens around a turn, by what the turn is."""
PRAISED = {"committed": 0.35, "ended": 0.3, "thanked": 0.25}
"""What follows praise, one of them at most; the rest of it is followed by the next wish."""
OUTSIDE = 0.12
"""In which share of the turns with his phrase a user means nothing by it."""
_BEGAN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """How users of one language talk."""

    wishes: tuple[str, ...]
    """With places for a thing and a part of it."""
    things: tuple[str, ...]
    parts: tuple[str, ...]
    complaints: tuple[str, ...]
    """Shorter ones."""
    rest: tuple[str, ...]
    """What is neither wish nor feedback."""
    thanks: tuple[str, ...]
    corrections: tuple[str, ...]
    """Phrases that may be planted."""
    praise: tuple[str, ...]
    gap: str = ", "
    """What separates a phrase from what follows it."""


@cache
def speeches() -> dict[str, Speech]:
    """How users talk, by language."""
    read = tomllib.loads(Path(__file__).with_name("phrase_speeches.toml").read_text(encoding="utf-8"))
    return {name: msgspec.convert(of, Speech) for name, of in read.items()}


class World(NamedTuple):
    """A user: what was planted, and what they typed in a month."""

    language: str
    planted: dict[str, SignalKind]
    histories: tuple[History, ...]


def make_world(seed: int, *, planted: bool = True, language: str | None = None, days: int = DAYS) -> World:
    """Simulate one user; the same seed gives the same user."""
    random = Random(seed)
    name = language or sorted(speeches())[seed % len(speeches())]
    return _WorldBuilder(random, name, planted=planted).made(days)


def _undetected(phrases: tuple[str, ...]) -> list[str]:
    """Return the phrases that the detector does not detect by itself: only these are a user's own wording."""
    return [phrase for phrase in phrases if not is_detected(phrase)]


class _WorldBuilder:
    def __init__(self, random: Random, language: str, *, planted: bool) -> None:
        self._random, self._language, self._speech = random, language, speeches()[language]
        self._corrections = (
            random.sample(_undetected(self._speech.corrections), random.choice((1, 2))) if planted else []
        )
        self._praise = random.sample(_undetected(self._speech.praise), 1) if planted else []
        self._projects = [f"project-{number}" for number in range(random.choice((1, 2, 3)))]
        self._idle: list[str] = []
        """What the user says next without meaning it."""
        self._pace = random.uniform(2.0, 4.5)
        """Sessions a day."""
        self._words = (*self._speech.wishes, *self._speech.wishes, *self._speech.complaints, *self._speech.rest)
        self._uses = {each: random.uniform(0.1, 0.2) for each in self._corrections}
        """In which share of his corrections he says it."""

    def made(self, days: int) -> World:
        histories: list[History] = []
        for day in range(days):
            for number in range(max(1, round(self._random.gauss(self._pace, 1)))):
                at = _BEGAN + timedelta(days=day, hours=2 * number)
                histories.append(self._session(len(histories) + 1, at))
        planted = dict.fromkeys(self._corrections, SignalKind.CORRECTION)
        return World(self._language, planted | dict.fromkeys(self._praise, SignalKind.PRAISE), tuple(histories))

    def _session(self, number: int, at: datetime) -> History:
        course = _SessionBuilder(number, at, self._random.choice(self._projects))
        hard = self._random.uniform(0.5, 1.6)
        """Some tasks are harder than others: there is more to correct."""
        for _ in range(self._random.randint(3, 10)):
            things = self._random.sample(self._speech.things, 2)
            wish = self._filled(self._random.choice(self._words), things)
            self._turn(course, wish, "other")
            while self._random.random() < 0.25 * hard:
                self._turn(course, self._correction(things), "correction")
            if self._random.random() < 0.12 and self._praised(course, things):
                break
            if self._random.random() < 0.35:
                self._turn(course, self._filled(self._random.choice(self._speech.rest), things), "other")
        return course.done()

    def _correction(self, things: list[str]) -> str:
        # They sound like any wish: only what is around them tells.
        complaint = self._filled(self._random.choice(self._words), things)
        phrase = next((each for each, share in self._uses.items() if self._random.random() < share), "")
        if phrase:
            self._said(phrase)
            return self._random.choice((phrase, f"{phrase}{self._speech.gap}{complaint}", f"{phrase} {complaint}"))
        return complaint

    def _said(self, phrase: str) -> str:
        """Note that it was said: now and then he says it again where he means nothing by it."""
        if self._random.random() < OUTSIDE / (1 - OUTSIDE):
            self._idle.append(phrase)
        return phrase

    def _praised(self, course: _SessionBuilder, things: list[str]) -> bool:
        """Praise, and what follows it; whether the session ends with it."""
        course.edit()
        if self._praise and self._random.random() < 0.5:
            course.say(self._said(self._random.choice(self._praise)))
        else:
            words = self._speech.thanks if self._random.random() < 0.5 else self._words
            course.say(self._filled(self._random.choice(words), things))
        rest = 1 - sum(PRAISED.values())
        (follows,) = self._random.choices([*PRAISED, "nothing"], [*PRAISED.values(), rest])
        if follows == "committed":
            course.call("Bash", command="git commit -m done")
        elif follows == "thanked":
            course.say(self._random.choice(self._speech.thanks))
        return follows == "ended"

    def _turn(self, course: _SessionBuilder, text: str, what: str) -> None:
        around = {sign for sign, share in AROUND[what].items() if self._random.random() < share}
        if what == "other" and self._idle:
            text = f"{self._idle.pop()} {text}"
        if "refused" in around:
            course.act(UserAction.REJECTED)
        elif "stopped" in around:
            course.act(UserAction.INTERRUPTED)
        course.say(text, conceded="conceded" in around)
        if "undone" in around:
            course.edit(again=True)
        for _ in range(self._random.randint(0, 2)):
            course.edit()
        if "commit" in text or "einchecken" in text or "提交" in text:
            course.call("Bash", command="git commit -m done")

    def _filled(self, text: str, things: list[str]) -> str:
        return text.format(thing=things[0], thing2=things[1], part=self._random.choice(self._speech.parts))


class _SessionBuilder:
    """A session under construction."""

    def __init__(self, number: int, at: datetime, context: str) -> None:
        self._number, self._at, self._context = number, at, context
        self._steps: list[Step] = []
        self._turns: list[Turn] = []
        self._file = 0

    def say(self, text: str, *, conceded: bool = False) -> None:
        self._turn(UserAction.SAID, text, origin=MessageOrigin.PROMPT.value, conceded=conceded)

    def act(self, act: UserAction) -> None:
        self._turn(act, None)

    def edit(self, *, again: bool = False) -> None:
        self._file += not again
        self.call("Edit", file_path=f"src/part{self._file}.py")

    def call(self, tool: str, **arguments: str) -> None:
        self._at += timedelta(seconds=20)
        name = f"{self._number}-c{len(self._steps)}"
        self._steps.append(
            Step(call=name, tool=tool, arguments=json.dumps(arguments), status=Status.OK, text=None, at=self._at)
        )

    def done(self) -> History:
        native, steps, turns = f"session-{self._number}", tuple(self._steps), tuple(self._turns)
        return History(session=self._number, agent="made-up", native=native, steps=steps, turns=turns)

    def _turn(self, act: UserAction, text: str | None, *, origin: str = "", conceded: bool = False) -> None:
        self._at += timedelta(seconds=40)
        self._turns.append(
            Turn(
                id=f"{self._number}-t{len(self._turns)}",
                action=act,
                at=self._at,
                text=text,
                before=len(self._steps),
                origin=origin,
                conceded=conceded,
                context=self._context,
            )
        )
