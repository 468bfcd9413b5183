"""A project with messages of every kind, and an agent that quotes them over MCP."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import wisen
from tests.agents.codex_rollouts import Rollout
from tests.commands import run
from tests.surfaces.mcp_clients import ToolAnswer, ask_tool
from wisen.feedback import open_turns
from wisen.learner import Learner
from wisen.testing.transcripts import ClaudeTranscript

TURNS = {
    "plain": "the pears should be in boxes",
    "negated": "don't load the crates before they are sealed. They fall apart",
    "list": "things that nobody wants to see here:\n- washed plums\n- wet crates",
    "pasted": "> always use the blue tape\n> and seal it\n\nthe tape on the crates is wrong",
    "quoted": 'Mara wrote "Weigh it first. Use the blue tape. Then go." and I do not agree',
    "leave": "yes, push it to main",
    "now": "leave the gate open this time",
    "joke": "Ship the plums on Fridays. Just kidding.",
    "polite": "could the labels be on the side. They peel off on the lid",
    "lead": "here is what I do not want to see. Boxes without a label. Boxes without a lid",
    "two": "the scale is off. Weigh the plums twice",
    "cased": "the GATE stays shut",
    "long word": "e.g. the plums are not to be stacked, i.e. no more than two crates",
    "fenced": "that was the label:\n```\nThe tape is blue.\n```\nand it is too small",
    "german": "die Kisten kommen nicht auf den Anhänger. Erst wiegen",
    "chinese": "标签不要贴在盖子上。贴在侧面",
}
SAID_BY_TOOL = "always paint the crates green"
SAID_BY_ASSISTANT = "From now on I will stack the crates."
ELSEWHERE = "the barn door should be red"
TO_CODEX = "the sacks should stand upright"


def make_project(home: Path, monkeypatch: pytest.MonkeyPatch, turns: Iterable[str] = ()) -> Path:
    """A project whose turns are all in doubt, with an agent that may help."""
    monkeypatch.setattr(open_turns, "is_worth_asking", lambda turn, model: bool(turn.text))
    project = home / "orchard"
    for name in ("orchard", "barn"):
        (home / name).mkdir()
    log = ClaudeTranscript(1, cwd=str(project))
    for text in turns or TURNS.values():
        log.prompt(text)
        log.bash("cat notes.txt", SAID_BY_TOOL)
        log.say(SAID_BY_ASSISTANT)
    log.write(home / ".claude" / "projects" / "orchard")
    other = ClaudeTranscript(2, cwd=str(home / "barn"))
    other.prompt(ELSEWHERE)
    other.say("Fine.")
    other.write(home / ".claude" / "projects" / "barn")
    codex = Rollout(3, cwd=str(project))
    codex.prompt(TO_CODEX)
    codex.write(home)
    with wisen.open_learner() as learner:
        learner.learn()
    run("feedback", "on")
    return project


def open_turn_ids(project: Path) -> dict[str, str]:
    """The open turns of a project by their words."""
    with wisen.open_learner() as learner:
        found = learner.feedback.settlement.open_turns(learner.contexts.key_of(project))
        return {each.text: each.id for each in found}


def point_at(project: Path, turn: str, **answer: Any) -> ToolAnswer:
    """What becomes of what an agent says of a turn."""
    return ask_tool(project, "point", turn=turn, **({"kind": "correction"} | answer))


def typed_texts(learner: Learner) -> list[str]:
    """Everything that the user typed, in their own words."""
    turns = (turn for history in learner.histories() for turn in history.turns)
    return [" ".join(turn.text.split()) for turn in turns if turn.text]


def entry_texts(learner: Learner) -> dict[str, str]:
    """What every entry says."""
    return {each.entry.id: each.text for each in learner.lessons.all()}


def assert_only_user_words(learner: Learner, before: dict[str, str]) -> None:
    """Every lesson that is new or has new words consists of words that the user typed in one turn, and none holds."""
    typed = typed_texts(learner)
    for state in learner.lessons.all():
        assert not state.confirmed
        assert state.status != "promoted"
        if before.get(state.entry.id) != state.text:
            assert any(state.text in each for each in typed), state.text
