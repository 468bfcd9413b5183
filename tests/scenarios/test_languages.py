"""Languages that a user adds, as he meets them: read from the home, heard, told when they are broken."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.commands import run

import wisen
from wisen.domain.report import Selection
from wisen.domain.signals import SignalKind
from wisen.learner import Learner
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("C2")

DUTCH = """
code = "nl"
name = "Dutch"
own_name = "Nederlands"
[negations]
before = ["niet", "geen"]
[correction]
unmistakable = ["dat klopt niet", "dat is fout"]
told = ["je bent vergeten"]
[praise]
praise = ["helemaal goed zo"]
[plain]
marks = ["het", "een", "deze", "naar", "wordt"]
[lesson]
leads = ["dat klopt niet"]
"""


def dutch(home: Path, text: str = DUTCH, name: str = "nl.toml") -> Path:
    file = home / "wisen" / "languages" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def session(home: Path, *said: str, number: int = 1) -> None:
    """A session in which something was done before each thing that was said."""
    log = ClaudeTranscript(number, cwd=str(home / "shop"), start=datetime.now(UTC) - timedelta(hours=2))
    for each in said:
        log.ok(log.call("Edit", file_path="/x/a.py", old_string="a", new_string="b"))
        log.say("Done.")
        log.prompt(each)
    log.write(home / ".claude" / "projects" / "shop")


def corrections(learner: Learner) -> list[str]:
    found = learner._parts.index.signals(Selection())
    return [each.said.message for each in found if each.said.signal.kind is SignalKind.CORRECTION]


def test_a_language_of_the_home_is_heard_and_sessions_are_understood_again_when_it_changes(home: Path) -> None:
    session(home, "Zet de knop links.", "Dat klopt niet, de knop hoort links.")
    with wisen.open_learner() as learner:
        learner.learn()
        assert corrections(learner) == []
    assert run("detect", "Dat klopt niet, de knop hoort links.").stdout == "none\n"

    file = dutch(home)
    assert "correction: Dat klopt niet" in run("detect", "Dat klopt niet, de knop hoort links.").stdout
    with wisen.open_learner() as learner:
        assert learner.learn().warnings == ()
        assert len(corrections(learner)) == 1
        assert list(learner._parts.index.unmined(learner._parts.languages.understanding(1))) != []

    file.unlink()
    with wisen.open_learner() as learner:
        learner.learn()
        assert corrections(learner) == []


def test_a_file_whose_words_are_the_same_has_nothing_understood_again(home: Path) -> None:
    from wisen.cycle import UNDERSTANDING

    session(home, "Zet de knop links.")
    file = dutch(home)
    run("learn")
    file.write_text(f"# A comment.\n{DUTCH}", encoding="utf-8")
    with wisen.open_learner() as learner:
        version = learner._parts.languages.understanding(UNDERSTANDING)
        assert list(learner._parts.index.unmined(version)) == []
        assert list(learner._parts.index.unmined(UNDERSTANDING)) != []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("code = ", "is no language file"),
        (DUTCH.replace("[praise]", "[prayer]"), "prayer"),
        (DUTCH.replace("told =", "tolled ="), "has no group 'tolled'"),
        (DUTCH.replace('"je bent vergeten"', '"!"'), "'told' in [correction] holds '!'"),
        (DUTCH.replace('code = "nl"', 'code = "n l"'), "'n l' is no code"),
    ],
)
def test_a_broken_file_is_told_with_its_reason_and_learning_goes_on(home: Path, text: str, says: str) -> None:
    dutch(home)
    broken = dutch(home, text, "xx.toml")
    session(home, "Zet de knop links.", "Dat klopt niet, de knop hoort links.")
    with wisen.open_learner() as learner:
        (warning,) = learner.learn().warnings
        assert str(broken) in warning
        assert says in warning
        assert len(corrections(learner)) == 1
        assert warning in learner.status().warnings
    told = run("doctor", expect=4).stdout
    assert "xx.toml" in told.replace("\n", "")
    assert "is left out" in " ".join(told.split())


def test_two_files_of_one_language_are_one_too_many(home: Path) -> None:
    dutch(home)
    dutch(home, name="zz.toml")
    with wisen.open_learner() as learner:
        assert ["zz.toml" in each for each in learner.learn().warnings] == [True]
        assert [each.code for each in learner._parts.languages.languages] == ["nl"]


def test_a_dry_run_hears_added_languages_too(home: Path) -> None:
    dutch(home)
    session(home, "Zet de knop links.", "Dat klopt niet, de knop hoort links.")
    assert '"correction": 1' in run("learn", "--dry-run", "--json").stdout
