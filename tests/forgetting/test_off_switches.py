"""The off switches leave no trace: hooks deliver and record nothing, and readers keep nothing, even after a re-read."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest

import wisen
from tests.commands import run
from tests.hooks import failed_call, fire
from tests.planted_secrets import Facts, Planter, find_residues
from wisen.model.tombstone import DISABLED_SESSION
from wisen.safety.forgotten_filter import session_digest
from wisen.surfaces.hook.event_answers import EVENTS
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from wisen.store.home import Home

pytestmark = pytest.mark.requirement("N8")


@pytest.fixture
def ours(home: Path) -> Path:
    return home / "wisen"


class Session(Planter):
    """A project in which sessions hold facts in every kind of event, with hooks that fire in each of them."""

    def fired(self, session: str, *, off: str | None = None) -> list[str]:
        """Return the output of the hook client at every event of a session."""
        event = {"session_id": session, "cwd": str(self.project), "source": "startup", "reason": "other"}
        calls = {**failed_call(f"make {self.facts.new('hook call')}", "no such target"), **event}
        prompts = [f"look at the {self.facts.new('hook prompt')}", "forget everything here", "what did you learn"]
        outputs = []
        for name in EVENTS:
            for prompt in prompts if name == "prompt" else prompts[:1]:
                outputs.append(fire(self.home / "wisen", name, {**calls, "prompt": prompt}, off=off))
        return outputs


def plant_other_project(home: Path, *, first: int = 500) -> Planter:
    """Another project, which is learned from as ever."""
    keeper = Planter(home, home / "blog", Facts(2), first=first)
    keeper.write_logs(3)
    return keeper


def left_by_hooks(ours: Path) -> set[str]:
    """The files that hooks may have left."""
    return {
        str(path.relative_to(ours)) for folder in ("spool", "snapshots/pins") for path in (ours / folder).rglob("*")
    }


def read_everything_again(ours: Path, how: str) -> None:
    if how == "rebuilt":
        for file in ours.glob("index.db*"):
            file.unlink()
    run("learn", *(["--recheck"] if how == "rechecked" else []))
    run("cycle")


@pytest.mark.parametrize("switch", ["session", "marker", "marker above", "settings"])
def test_the_off_switches_leave_no_trace(home: Path, ours: Path, switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = plant_other_project(home)
    run("cycle")
    before = find_residues(ours, keeper.facts.all())
    secret = Facts(1)
    there = home / "clients" / "acme" / "shop"
    there.mkdir(parents=True)
    session = Session(home, there, secret, first=900)
    if switch == "settings":
        (ours / "config.toml").write_text(f'[off]\ndirectories = ["{home}/clients"]\n')
        run("cycle")
    elif switch != "session":
        monkeypatch.chdir(there.parent if switch == "marker above" else there)
        run("off")
        monkeypatch.chdir(home)
    session.write_logs(3)
    session.write_files(3)
    quiet = left_by_hooks(ours)
    natives = _natives(home, there)
    for native in natives:
        assert set(session.fired(native, off="1" if switch == "session" else None)) == {""}
    salt = bytes.fromhex((ours / "salt").read_text()) if switch == "session" else b""
    notes = {f"spool/off/{session_digest(salt, 'claude-code', native)}" for native in natives}
    assert left_by_hooks(ours) - quiet == (notes | {"spool/off"} if switch == "session" else set())
    assert not (ours / "spool" / "wake").exists()
    for how in ("as ever", "rechecked", "rebuilt"):
        read_everything_again(ours, how)
        assert find_residues(ours, secret.all()) == {}, how
        assert find_residues(ours, keeper.facts.all()).keys() == before.keys(), how
    with wisen.open_learner() as learner:
        assert learner.home.ledger.exposures.all() == ()
        assert {each.native for each in learner.home.index.removal.archived_sessions()}.isdisjoint(natives)
        assert [each.scope for each in learner.forgetting.tombstones()] == (
            [DISABLED_SESSION] if switch == "session" else []
        )
    assert not (ours / "spool" / "beats").exists()
    assert [path for path in ours.rglob("*") if any(native in path.name for native in natives)] == []


def _natives(home: Path, project: Path) -> list[str]:
    folder = home / ".claude" / "projects" / str(project).replace("/", "-")
    return [path.stem for path in sorted(folder.glob("*.jsonl"))]


def test_what_was_read_of_a_session_before_goes_with_what_it_taught(home: Path, ours: Path) -> None:
    keeper = plant_other_project(home)
    secret = Facts(1)
    session = Session(home, home / "shop", secret, first=900)
    session.write_logs(2)
    run("cycle")
    before = find_residues(ours, [*secret.all(), *keeper.facts.all()])
    assert set(secret.all()) <= before.keys()
    for native in _natives(home, home / "shop"):
        fire(ours, "prompt", {"session_id": native, "cwd": str(home / "shop"), "prompt": "x"}, off="yes")
    for how in ("as ever", "rebuilt"):
        read_everything_again(ours, how)
        left = find_residues(ours, secret.all())
        assert {place: left[w] for place, words in secret.of.items() for w in words if w in left} == {}
        assert find_residues(ours, keeper.facts.all()).keys() == before.keys() & set(keeper.facts.all())
    with wisen.open_learner() as learner:
        (tombstone,) = learner.forgetting.tombstones()
        assert tombstone.done
        learner.forgetting.unforget(tombstone.id)
        learner.learn()
    assert find_residues(ours, secret.all()) != {}, "the user's word lifts it"


def test_a_sub_agent_of_a_session_that_is_off_is_off_too(home: Path, ours: Path) -> None:
    shop = home / "shop"
    shop.mkdir()
    log = ClaudeTranscript(1, cwd=str(shop))
    log.prompt("hello")
    log.write(home / ".claude" / "projects" / "shop")
    run("learn")
    fire(ours, "session-start", {"session_id": log.session, "cwd": str(shop)}, off="1")
    run("learn")
    with wisen.open_learner() as learner:
        silence = learner.home.disabled_sessions
    assert silence.is_disabled("claude-code", f"{log.session}/agent-a1")
    assert not silence.is_disabled("claude-code", f"{log.session}1")
    assert not silence.is_disabled("codex", log.session)


@pytest.mark.parametrize("value", ["0", "", "false", "No"])
def test_a_switch_that_says_no_is_on(home: Path, ours: Path, value: str) -> None:
    plant_other_project(home)
    run("cycle")
    fire(ours, "session-start", {"session_id": "s", "cwd": str(home / "blog"), "source": "startup"}, off=value)
    assert (ours / "spool" / "beats" / "session-start").exists()
    assert not (ours / "spool" / "off").exists()


def test_nothing_that_breaks_makes_a_session_that_is_off_leave_a_trace(home: Path, ours: Path) -> None:
    plant_other_project(home)
    run("cycle")
    (ours / "spool").mkdir(exist_ok=True)
    (ours / "spool" / "off").write_text("in the way")
    assert fire(ours, "prompt", {"session_id": "s", "cwd": "/", "prompt": "hush"}, off="1") == ""
    assert fire(ours, "prompt", b"{no json", off="1") == ""
    assert left_by_hooks(ours) == {"spool/off"}


def test_silence_where_wisen_is_off_is_no_alarm(home: Path, ours: Path) -> None:
    shop = home / "shop"
    shop.mkdir()
    run("learn", expect=3)
    run("install", "claude-code")
    start = {"cwd": str(shop), "source": "startup"}
    fire(ours, "session-start", {"session_id": "s", **start})

    def began(number: int, minutes: int) -> str:
        log = ClaudeTranscript(number, cwd=str(shop), start=datetime.now(UTC) + timedelta(minutes=minutes))
        log.prompt("hello")
        log.write(home / ".claude" / "projects" / "shop")
        return log.session

    def alarmed() -> bool:
        return "without them" in run("status").stdout

    (shop / ".wisen-off").touch()
    began(1, 10)
    assert not alarmed()
    (shop / ".wisen-off").unlink()
    assert alarmed(), "there hooks should have fired"
    fire(ours, "session-start", {"session_id": began(2, 0), **start}, off="1")
    (home / ".claude" / "projects" / "shop" / f"{ClaudeTranscript(1).session}.jsonl").unlink()
    assert not alarmed()
    run("cycle")
    assert not alarmed()


def test_commands_that_learn_say_that_they_are_off_and_others_work(home: Path, ours: Path) -> None:
    keeper = plant_other_project(home)
    environment = {**_environment(), "WISEN_OFF": "1"}

    def off(*words: str) -> str:
        return run(*words, env=environment).stdout

    for command in (("learn",), ("cycle",), ("note", "mind the gap"), ("entries", "log", "insight", "mind the gap")):
        assert "switched off" in off(*command), command
    assert json.loads(off("cycle", "--json")) == {"off": True}
    assert not ours.exists()
    run("learn")
    assert "3 sessions" in off("status")
    assert set(keeper.facts.of["correction"][:1]) <= find_residues(ours, keeper.facts.all()).keys()


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def test_a_project_is_switched_off_and_on_through_the_editor(
    home: Path, ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = plant_other_project(home)
    run("cycle")
    below = home / "blog" / "src"
    below.mkdir()
    (home / "blog" / ".git").mkdir()
    (home / "blog" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(below)
    marker = home / "blog" / ".wisen-off"
    assert "would be written" in run("off", "--dry-run").stdout
    assert not marker.exists()
    assert json.loads(run("off", "--json").stdout)["marker"] == str(marker)
    assert "is off here" in run("status").stdout
    assert "already" in run("off", expect=1).stderr
    kept = find_residues(ours, keeper.facts.all()).keys()
    keeper.write_logs(1)
    run("cycle")
    assert find_residues(ours, keeper.facts.all()).keys() == kept, "what was learned before stays, and nothing comes"
    assert fire(ours, "session-start", {"session_id": "s", "cwd": str(below), "source": "startup"}) == ""
    assert json.loads(run("changes", "--json").stdout)["changes"][0]["path"] == str(marker)
    run("on", "--dry-run")
    assert marker.exists()
    run("on")
    assert not marker.exists()
    assert "already on" in run("on", expect=1).stderr
    keeper.write_logs(1)
    run("cycle")
    assert find_residues(ours, keeper.facts.all()).keys() > kept
    marker.touch()
    assert "was not made by" in run("on", expect=1).stderr
    monkeypatch.chdir(home)
    assert "is not a project" in run("off", expect=1).stderr


def test_switching_off_waits_for_who_prepares_what_hooks_read(home: Path) -> None:
    shop = home / "shop"
    shop.mkdir()
    places, begun, done = home / "wisen" / "off-places", Event(), Event()

    def publish(holder: Home) -> str:
        with holder.one_publisher():
            begun.set()
            done.wait(0.5)  # it ends now, unless it waits
            return places.read_text() if places.exists() else ""

    with wisen.open_learner() as learner, ThreadPoolExecutor(1) as threads:
        published = threads.submit(publish, learner.home)
        assert begun.wait(60)
        learner.forgetting.disable(shop)
        done.set()
        assert published.result(timeout=60) == "", "the same file was written by both"
    assert places.read_text() == f"{shop}\n"
