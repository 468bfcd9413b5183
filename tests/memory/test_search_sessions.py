"""Searching sessions of several agents and languages, with the source of each hit."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import wisen
from tests.commands import run
from wisen.errors import UsageError
from wisen.model.memory import MemoryKind
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = [pytest.mark.requirement("S15"), pytest.mark.requirement("N9")]

SHOP, BLOG = "/home/ada/shop", "/home/ada/blog"
SAID = {
    "en": ("We deploy with blue-green on Tuesdays.", "when do we deploy?"),
    "en code": ("rename parseUserConfig before the release", "user config"),
    "de": ("Die Datenbankverbindung läuft über den Pool, nicht direkt.", "Datenbank Verbindung"),
    "es": ("Usa siempre la rama de desarrollo para las migraciones.", "¿qué rama usamos para las migraciones?"),
    "fr": ("Les clés d'accès se trouvent dans le coffre partagé.", "où sont les clés ?"),
    "zh": ("数据库迁移必须在部署之前运行", "迁移"),
    "zh one": ("把图标换成猫", "猫"),
    "ja": ("テストデータは毎晩リセットしてください", "テストデータ"),
    "ko": ("배포하기 전에 항상 백업을 만드세요", "백업"),
    "mixed": ("nginx 的超时设为 30 秒, see ops/timeouts.md", "nginx 超时"),
    "th": ("ใช้ฐานข้อมูลสำรองก่อนเสมอ", "ฐานข้อมูล"),
    "accents": ("Le déploiement échoue le vendredi", "deploiement echoue"),
}


@pytest.fixture
def projects(home: Path) -> Path:
    return home / ".claude" / "projects"


def write_session(projects: Path, number: int, *texts: str, cwd: str = SHOP) -> None:
    transcript = ClaudeTranscript(number, cwd=cwd)
    for text in texts:
        transcript.prompt(text)
        transcript.say("Done.")
    transcript.write(projects / cwd.replace("/", "-"))


def learn() -> None:
    with wisen.open_learner() as learner:
        learner.learn()


def texts_for(question: str, cwd: str = SHOP, **more: object) -> list[str]:
    with wisen.open_learner() as learner:
        found = learner.memory.recall(question, Path(cwd), **more)  # type: ignore[arg-type]
    return [each.memory.text for group in found.groups for each in group.memories]


@pytest.mark.parametrize("language", SAID)
def test_what_was_said_is_found_in_every_language(projects: Path, language: str) -> None:
    for number, (text, _) in enumerate(SAID.values(), start=1):
        write_session(projects, number, "hello there", text, "thanks")
    learn()
    text, question = SAID[language]
    assert text in texts_for(question)[0]  # as it was typed, or as what was learned from it


@pytest.mark.requirement("N3")
def test_another_project_is_looked_in_only_when_asked(projects: Path) -> None:
    write_session(projects, 1, "the shop uses tabs for indentation")
    write_session(projects, 2, "the blog uses spaces for indentation", cwd=BLOG)
    learn()
    assert texts_for("indentation") == ["the shop uses tabs for indentation"]
    assert texts_for("indentation", BLOG) == ["the blog uses spaces for indentation"]
    assert len(texts_for("indentation", everywhere=True)) == 2
    assert texts_for("indentation", "/home/ada") == []


def test_a_session_that_goes_on_is_found_whole(projects: Path) -> None:
    write_session(projects, 1, "we settled on sqlite")
    learn()
    write_session(projects, 1, "we settled on sqlite", "and the backup goes to the attic")
    learn()
    assert texts_for("backup attic") == ["and the backup goes to the attic", "we settled on sqlite"]
    assert texts_for("sqlite")[0] == "we settled on sqlite"


def test_a_lesson_that_was_learnt_is_found_by_its_name(projects: Path) -> None:
    for number in (1, 2, 3):
        write_session(projects, number, "build it", "no, use pnpm, not npm. always.")
    learn()
    with wisen.open_learner() as learner:
        best = learner.memory.recall("pnpm or npm", Path(SHOP)).groups[0].best
    assert (best.kind, best.uses) == (MemoryKind.ENTRY, 3)
    assert best.place.startswith("LRN-")


@pytest.mark.requirement("F9")
def test_a_brief_for_a_task_contains_what_is_known_about_it(projects: Path) -> None:
    for number in (1, 2, 3):
        transcript = ClaudeTranscript(number, cwd=SHOP)
        transcript.prompt("run the tests")
        transcript.bash("npm test", "npm error use pnpm", exit_code=1)
        transcript.bash("pnpm test", "ok")
        transcript.write(projects / "shop")
    learn()
    with wisen.open_learner() as learner:
        made = learner.memory.brief("please run npm test again", Path(SHOP), budget=200)
        nothing = learner.memory.brief("paint the fence", Path(SHOP))
    assert "what helped: npm → pnpm (ERR-" in made.text
    assert made.tokens <= 200
    assert nothing.text == ""


def test_memories_of_other_systems_are_found_as_such_and_teach_nothing(home: Path, projects: Path) -> None:
    write_session(projects, 1, "hello")
    files = {
        projects / "-home-ada-shop" / "memory" / "deploys.md": "- The shop deploys from the green branch",
        projects / "-home-ada-unknown" / "memory" / "x.md": "- Nobody knows whose green branch this is",
        home / ".openclaw" / "workspace" / "MEMORY.md": "# Facts\n\nAda prefers green tea.",
        home / ".hermes" / "memories" / "USER.md": "Always answer in green.\n§\nNever use npm.",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    learn()
    with wisen.open_learner() as learner:
        found = [group.best for group in learner.memory.recall("green", Path(SHOP)).groups]
        assert learner.lessons.all() == ()
        assert learner.memory.brief("green tea", Path(SHOP)).text == ""
    assert {(each.agent, each.kind) for each in found} == {
        ("claude-code", MemoryKind.IMPORTED),
        ("openclaw", MemoryKind.IMPORTED),
        ("hermes", MemoryKind.IMPORTED),
    }
    (home / ".hermes" / "memories" / "USER.md").unlink()
    learn()
    assert "Always answer in green." not in texts_for("green")


def test_the_command_cites_agent_session_turn_and_day(
    projects: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_session(projects, 1, "hello", "the invoices of last year lie in the blue box", "good", cwd=str(tmp_path))
    run("learn")
    monkeypatch.chdir(tmp_path)
    shown = run("recall", "invoices", "--around", "1").stdout
    assert "claude-code · session" in shown
    assert "turn 2" in shown
    assert "the invoices of last year lie in the blue box" in shown
    assert "turn 3: good" in shown
    (found,) = json.loads(run("recall", "invoices", "--json", "--around", "1").stdout)["found"]
    assert found["memories"][0]["turn"] == 2
    assert [each["text"] for each in found["around"]] == [
        "hello",
        "the invoices of last year lie in the blue box",
        "good",
    ]
    assert "Nothing found" in run("recall", "walruses").stdout
    assert run("brief", "invoices").stdout.startswith("Nothing that was learned here")


def test_bad_questions_are_named(home: Path, projects: Path) -> None:
    assert run("recall", "anything", expect=3).stdout.startswith("Nothing learned yet")
    write_session(projects, 1, "hello")
    learn()
    for arguments, named in (
        (("recall", "?!"), "'?!' contains no word"),
        (("recall", "x", "--scope", "moon"), "--scope moon"),
        (("recall", "x", "--kind", "dream"), "--kind dream"),
        (("recall", "x", "--days", "0"), "--days 0"),
        (("recall", "x", "--limit", "0"), "--limit 0"),
        (("recall", "x", "--around", "-1"), "--around -1"),
        (("brief", "x", "--budget", "0"), "--budget 0"),
    ):
        assert named in run(*arguments, expect=1).stderr
    with wisen.open_learner() as learner, pytest.raises(UsageError):
        learner.memory.recall("", Path(SHOP))


def test_a_rebuilt_index_finds_the_same(home: Path, projects: Path) -> None:
    write_session(projects, 1, "the last deploy went out with blue-green on Tuesday")
    learn()
    before = texts_for("deploy")
    for file in Path(os.environ["WISEN_HOME"]).glob("index.db*"):
        file.unlink()
    learn()
    assert texts_for("deploy") == before == ["the last deploy went out with blue-green on Tuesday"]


def test_what_was_noted_is_found_at_once_and_no_longer_when_it_is_taken_out(
    projects: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_session(projects, 1, "hello", cwd=str(tmp_path))
    learn()
    monkeypatch.chdir(tmp_path)
    run("note", "the landlord wants the keys back in June")
    with wisen.open_learner() as learner:
        best = learner.memory.recall("landlord", tmp_path).groups[0].best
    assert (best.kind, best.text) == (MemoryKind.NOTE, "the landlord wants the keys back in June")
    learn()
    assert texts_for("landlord", str(tmp_path)) == ["the landlord wants the keys back in June"]
    for day in Path(os.environ["WISEN_HOME"]).glob("contexts/*/memory/*.md"):
        day.write_text("# empty\n", encoding="utf-8")
    learn()
    assert texts_for("landlord", str(tmp_path)) == []


def test_what_a_session_came_to_is_shown_with_the_session(projects: Path) -> None:
    transcript = ClaudeTranscript(1, cwd=SHOP)
    transcript.prompt("please add a walrus to the landing page of the shop")
    transcript.bash("git commit -am 'Add the walrus'", "1 file changed")
    transcript.write(projects / "shop")
    learn()
    with wisen.open_learner() as learner:
        (found,) = learner.memory.recall("walrus", Path(SHOP)).groups
    assert {each.memory.kind for each in found.memories} == {MemoryKind.TURN, MemoryKind.SUMMARY}
