"""In the default profile a whole cycle changes no byte outside of wisen's home, and `approved` is what people approved.

The same world in the profile `autonomous` shows that there was something to write.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents import hermes_sessions
from tests.agents.codex_rollouts import Rollout
from tests.agents.gemini_chats import Chat
from tests.agents.openclaw_sessions import SESSIONS, Transcript
from tests.agents.opencode_sessions import Talk
from tests.agents.openhands_events import Conversation
from tests.commands import run
from tests.hooks import fire, write_lesson_sessions
from tests.rules.test_preferences_file import prefer
from wisen import app
from wisen.model.entry import EntryOrigin, EntrySource, EntryStatus, ManualEntry, MoveKind
from wisen.model.entry_state import fold_entry_states
from wisen.safety.entry_texts import describe_author, describe_decision
from wisen.testing.entries_contract import a_move, an_entry

STATED = "remember: I prefer short answers, always answer in short sentences"


def bytes_outside(home: Path) -> dict[str, bytes | None]:
    """Every file and folder of the world but wisen's own, with what it holds."""
    own = home / "wisen"
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in home.rglob("*")
        if path != own and own not in path.parents
    }


@pytest.fixture
def workspace(home: Path) -> Path:
    """A world with sessions of every agent, their files and a workspace with all of its notes; hooks are installed."""
    shop = home / "shop"
    write_lesson_sessions(home, shop)
    (shop / ".git").mkdir()
    workspace = home / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "2026-03-01.md").write_text("# 2026-03-01\n\n- It rained.\n")
    for name in ("SOUL", "AGENTS", "TOOLS", "USER", "MEMORY", "IDENTITY"):
        (workspace / f"{name}.md").write_text(f"# {name}\n\nMine.\n")
    for name in ("CLAUDE", "AGENTS", "GEMINI", "HERMES"):
        (shop / f"{name}.md").write_text(f"# {name}\n\nMine.\n")
    for number in (1, 2):
        _sessions(home, shop, workspace, number)
    with app.wire(home / "wisen").learner(reads=False) as learner:
        for agent in ("claude-code", "codex", "gemini-cli", "opencode", "hermes", "openclaw"):
            learner.install.add(agent)
    prefer(workspace)
    return workspace


def _sessions(home: Path, shop: Path, workspace: Path, number: int) -> None:
    claw = Transcript(number, cwd=str(workspace))
    claw.prompt(STATED)
    claw.shell("npm test", "npm error use pnpm", 1)
    claw.shell("pnpm test", "ok")
    claw.prompt("no, from now on always use pnpm instead of npm")
    claw.write(home / SESSIONS)
    rollout = Rollout(number, cwd=str(shop))
    rollout.prompt(STATED)
    rollout.write(home)
    for talk in (Chat(number), Talk(number), hermes_sessions.Talk(number)):
        talk.prompt(STATED)
        talk.shell("npm test", "npm error use pnpm", 1)
        talk.shell("pnpm test", "ok")
        talk.prompt("no, don't use npm here, use pnpm instead")
        talk.say("You're right.")
        talk.write(home) if isinstance(talk, Chat) else talk.save(home)
    hands = Conversation(number, home / ".openhands" / "conversations")
    hands.prompt(STATED)
    hands.save()


@pytest.mark.requirement("S6")
@pytest.mark.parametrize("profile", ["standard", "autonomous"])
def test_only_in_the_profile_autonomous_a_cycle_writes_outside_of_the_home(
    home: Path, workspace: Path, profile: str
) -> None:
    if profile != "standard":  # the default
        (home / "wisen" / "config.toml").write_text(f'[promote]\nprofile = "{profile}"\n')
    before = bytes_outside(home)
    begins = ""
    for session in ("s1", "s2"):
        with app.wire(home / "wisen").learner() as learner:
            learner.cycle()
        start = {"session_id": session, "cwd": str(workspace), "source": "startup"}
        begins += fire(home / "wisen", "session-start", start)
    after = bytes_outside(home)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    notes = workspace.relative_to(home)
    if profile == "autonomous":
        assert changed >= {str(notes / "USER.md"), str(notes / "memory" / ".hook-context.txt")}
        assert all(name.startswith(str(notes)) for name in changed), "notes, and no rules of a project"
        assert "put into its file by the profile, not approved by you" in run("rules", "--all").stdout
    else:
        assert changed == set()
        assert "Answer in short sentences." in begins, "what was stated works at once, by hook"
        assert "Answer in short sentences." in run("proposals").stdout
    assert "approved by you" not in run("rules", "--all").stdout.replace("not approved by you", "")


@pytest.mark.requirement("S6")
@pytest.mark.parametrize(
    ("origin", "source", "words"),
    [
        (EntryOrigin.STATED, EntrySource.CONVERSATION, "said by you"),
        (EntryOrigin.LOGGED, EntrySource.SELF_DISCOVERY, "written by the agent"),
        (EntryOrigin.LOGGED, EntrySource.ERROR, "written by the agent"),
        (EntryOrigin.LOGGED, EntrySource.USER_FEEDBACK, "written by you"),
        (EntryOrigin.MEASURED, EntrySource.ERROR, "measured in your sessions"),
        (EntryOrigin.IMPORTED, EntrySource.CONVERSATION, "imported"),
    ],
)
def test_it_is_told_whose_words_they_are_and_approved_is_what_a_person_approved(
    origin: EntryOrigin, source: EntrySource, words: str
) -> None:
    entry = an_entry("01A", origin=origin, source=source)
    assert describe_author(entry) == words
    promoted = a_move("1", value=EntryStatus.PROMOTED)
    confirmed = a_move("2", kind=MoveKind.CONFIRM, value="")
    decisions = [
        describe_decision(state)
        for moves in ([], [promoted], [confirmed], [confirmed, promoted])
        for state in fold_entry_states([entry], (), [*moves])
    ]
    assert decisions == [
        "not approved", "put into its file by the profile, not approved by you", "confirmed by you", "approved by you",
    ]  # fmt: skip


def test_what_an_agent_wrote_is_shown_as_its_words_also_where_the_user_approved_it(home: Path) -> None:
    (home / "shop").mkdir()
    with app.wire(home / "wisen").learner(reads=False) as learner:
        learner.lessons.log(ManualEntry("insight", "The build needs Node 22.", ""))
    shown = json.loads(run("entries", "--json").stdout)["entries"]
    assert [each["author"] for each in shown] == ["written by the agent"]
    assert "written by the agent, not approved" in run("entries", "show", shown[0]["name"]).stdout
    run("entries", "confirm", shown[0]["name"])
    assert "written by the agent, confirmed by you" in run("entries", "show", shown[0]["name"]).stdout
