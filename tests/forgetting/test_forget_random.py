"""After forgetting, a home knows what it would know if the words had never been typed, and no byte of them is left."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import wisen
from tests.planted_secrets import find_residues
from wisen.model.tombstone import ALL_CONTEXTS
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N8")

WORD = "quickbeamox"
FORMS = (WORD, WORD.upper(), WORD.title(), f"`{WORD}`", f"“{WORD}”", WORD.replace("q", "ｑ"))
TOOLS = ("ruffian", "mypyrus", "pnpmoss", "bunyan")
SENTENCES = (
    "no, from now on always use {} instead of npm",
    "please remember: {} needs the blue cable … and → nothing else",
    "look at {} and the rest",
    "never call {} without a timeout",
)


def draw_sessions(chance: random.Random) -> list[list[tuple[str, str]]]:
    """Sessions of messages, each with the output of the call before it."""
    sessions = []
    for _ in range(chance.randint(2, 5)):
        session = []
        for _ in range(chance.randint(1, 4)):
            name = chance.choice(FORMS) if chance.random() < 0.4 else chance.choice(TOOLS)
            output = f"it said {chance.choice(FORMS)} here" if chance.random() < 0.2 else "ok"
            session.append((chance.choice(SENTENCES).format(name), output))
        sessions.append(session)
    return sessions


def holds_it(text: str) -> bool:
    return WORD in text.lower().replace("ｑ", "q")


def learn(home: Path, sessions: list[list[tuple[str, str]]], *, forget: bool) -> tuple[set[str], set[str]]:
    """What a new home learns from the sessions, and the turns that can be recalled."""
    for folder in (home / "wisen", home / ".claude"):
        shutil.rmtree(folder, ignore_errors=True)
    (home / "shop").mkdir(exist_ok=True)
    for number, session in enumerate(sessions, 1):
        log = ClaudeTranscript(number, cwd=str(home / "shop"))
        log.prompt("run the tests")
        for message, output in session:
            log.bash("make test", output, exit_code=int(output != "ok"))
            log.prompt(message)
        log.write(home / ".claude" / "projects" / "shop")
    with wisen.open_learner() as learner:
        learner.cycle()
        if forget:
            learner.forgetting.forget(WORD, scope=ALL_CONTEXTS)
            assert find_residues(home / "wisen", [WORD, WORD.replace("q", "ｑ")]) == {}
            learner.learn(recheck=True)
            learner.cycle()
            assert find_residues(home / "wisen", [WORD, WORD.replace("q", "ｑ")]) == {}
        turns = {each.text for each in learner.home.index.memories.every() if each.id.startswith("turn:")}
        return {each.text for each in learner.lessons.all()}, turns


@pytest.mark.parametrize("seed", range(6))
def test_it_is_as_if_the_words_had_never_been_typed(home: Path, seed: int) -> None:
    sessions = draw_sessions(random.Random(seed))
    after = learn(home, sessions, forget=True)
    without = [
        [("go on" if holds_it(said) else said, "ok" if holds_it(output) else output) for said, output in each]
        for each in sessions
    ]
    lessons, turns = learn(home, without, forget=False)
    assert after == (lessons, turns - {"go on"})
