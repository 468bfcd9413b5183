"""Two recordings of one version are equal, and a changed message shows up in the comparison."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.behaviour import world as worlds
from tests.behaviour.comparing import compare
from tests.behaviour.recording import Recording, normalised
from tests.behaviour.sessions import find_sessions
from tests.behaviour.state import save_state

_CHECKOUT = Path(__file__).resolve().parents[2]
_HOUSE = "-home-ada-orchard-shop"
"""The folder of the sample sessions that come with the package."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where worlds are made in this test, so that it waits for no other recording."""
    monkeypatch.setattr(worlds, "ROOT", tmp_path / "worlds")
    return tmp_path / "worlds"


def _record(checkout: Path, out: Path) -> None:
    """A small recording: a few commands, a decision and two hooks, as the large one makes them."""
    sample = next((_CHECKOUT / "src").rglob(_HOUSE)).parent
    recording = Recording(out)
    with worlds.sole_recording():
        worlds.put_source("source", checkout)
        world = worlds.make_world("fresh", find_sessions([sample], None), [sample])
        world.preload = True
        try:
            for words in (("learn", "--jobs", "1"), ("cycle",), ("status",), ("entries", "list", "--json")):
                recording.save_run("text", " ".join(words), words, world.wisen("source", *words))
            rule = ("rules", "add", "Name the port in every answer.")
            done = world.wisen("source", *rule, typed="")
            assert done.code == 0, done.stderr
            recording.save_run("text", "rules add", rule, done)
            payload = {"session_id": "s", "cwd": str(world.projects[0]), "prompt": "what did you learn"}
            for event in ("session-start", "prompt"):
                done = world.hook("source", "claude-code", event, payload)
                assert done.code == 0, done.stderr
                recording.save_run("hooks", event, (event,), done)
            save_state(world, recording, "state")
        finally:
            world.close()


def test_one_version_is_recorded_the_same_twice(
    tmp_path: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids, dates, tables, files and hook answers are the same to the byte."""
    for name in ("one", "two"):
        _record(_CHECKOUT, tmp_path / name)
    assert "learn" in (tmp_path / "one/hooks/session-start.txt").read_text("utf-8").casefold()
    assert compare(tmp_path / "one", tmp_path / "two") == 0
    assert "0 differ" in capsys.readouterr().out


def test_a_word_that_another_version_says_otherwise_is_found(
    tmp_path: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The difference is shown with the item it was found in."""
    other, sample = tmp_path / "other", next((_CHECKOUT / "src").rglob(_HOUSE)).parent
    shutil.copytree(_CHECKOUT / "src", other / "src")
    before, says = "whether it helps", "how it helps"
    for path in (other / "src").rglob("surfaces/cli/*.py"):
        path.write_text(path.read_text("utf-8").replace(before, says), "utf-8")
    for name, checkout in (("one", _CHECKOUT), ("two", other)):
        with worlds.sole_recording():
            worlds.put_source("source", checkout)
            world = worlds.make_world("fresh", find_sessions([sample], None), [sample])
            for words in (("--help",), ("--version",)):
                Recording(tmp_path / name).save_run("text", " ".join(words), words, world.wisen("source", *words))
            world.close()

    assert compare(tmp_path / "one", tmp_path / "two") == 1
    output = capsys.readouterr().out
    assert "≠ text/--help.txt" in output
    assert says in output
    assert "1 of 2 items are the same" in output


def test_an_item_that_only_one_recording_has_is_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing can be left out unseen."""
    for name in ("one", "two"):
        Recording(tmp_path / name).save("reads", "status", "the same\n")
    Recording(tmp_path / "two").save("reads", "stats", "more\n")
    assert compare(tmp_path / "one", tmp_path / "two") == 1
    assert "only in the second" in capsys.readouterr().out


def test_only_what_is_measured_on_the_machine_is_made_the_same() -> None:
    """Any other number counts."""
    assert normalised("an agent waits 12.3 ms (pid 123)") == "an agent waits N ms (pid N)"
    assert normalised("3 sessions, 12 items, 2026-01-02") == "3 sessions, 12 items, 2026-01-02"
