"""Languages that a user adds: loaded from the home, used by the detector, reported when broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wisen
from tests.commands import run
from tests.feedback.typed_languages import SHIPPED, USERS
from wisen.errors import ModelFailed, Reason, UsageError
from wisen.feedback.language import read_language_file
from wisen.feedback.language_building import QUESTIONS
from wisen.language_models.metered_model import MeterContext, MeteredModel
from wisen.language_models.model_ports import Prompt, Question
from wisen.learner import Learner
from wisen.model.model_use import ModelsPolicy
from wisen.model.report import Selection
from wisen.model.signal import SignalKind
from wisen.testing.fake_models import ScriptedModel, ScriptedResponder
from wisen.testing.fakes import FixedClock
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


def session(home: Path, *messages: str, number: int = 1) -> None:
    """A session in which something was done before each thing that was said."""
    log = ClaudeTranscript(number, cwd=str(home / "shop"), start=datetime.now(UTC) - timedelta(hours=2))
    for each in messages:
        log.ok(log.call("Edit", file_path="/x/a.py", old_string="a", new_string="b"))
        log.say("Done.")
        log.prompt(each)
    log.write(home / ".claude" / "projects" / "shop")


def corrections(learner: Learner) -> list[str]:
    found = learner.home.index.findings.signals(Selection())
    return [each.said.message for each in found if each.said.signal.kind is SignalKind.CORRECTION]


def test_a_language_of_the_home_is_detected_and_sessions_are_understood_again_when_it_changes(home: Path) -> None:
    session(home, "Zet de knop links.", "Dat klopt niet, de knop hoort links.")
    with wisen.open_learner() as learner:
        learner.learn()
        assert corrections(learner) == []
    assert run("detect", "Dat klopt niet, de knop hoort links.").stdout.startswith("none\n")

    file = dutch(home)
    assert "correction: Dat klopt niet" in run("detect", "Dat klopt niet, de knop hoort links.").stdout
    with wisen.open_learner() as learner:
        assert learner.learn().warnings == ()
        assert len(corrections(learner)) == 1
        assert (
            list(learner.home.index.findings.take_unmined(learner.feedback.added_languages.analysis_version(1))) != []
        )

    file.unlink()
    with wisen.open_learner() as learner:
        learner.learn()
        assert corrections(learner) == []


def test_a_file_whose_words_are_the_same_has_nothing_understood_again(home: Path) -> None:
    from wisen.feedback.analysis_version import ANALYSIS_VERSION

    session(home, "Zet de knop links.")
    file = dutch(home)
    run("learn")
    file.write_text(f"# A comment.\n{DUTCH}", encoding="utf-8")
    with wisen.open_learner() as learner:
        version = learner.feedback.added_languages.analysis_version(ANALYSIS_VERSION)
        assert list(learner.home.index.findings.take_unmined(version)) == []
        assert list(learner.home.index.findings.take_unmined(ANALYSIS_VERSION)) != []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("code = ", "is not a valid language file"),
        (DUTCH.replace("[praise]", "[prayer]"), "prayer"),
        (DUTCH.replace("told =", "tolled ="), "has no group 'tolled'"),
        (DUTCH.replace('"je bent vergeten"', '"!"'), "'told' in [correction] holds '!'"),
        (DUTCH.replace('code = "nl"', 'code = "n l"'), "'n l' is not a language code"),
    ],
)
def test_a_broken_file_is_reported_with_its_reason_and_learning_goes_on(home: Path, text: str, says: str) -> None:
    dutch(home)
    broken = dutch(home, text, "xx.toml")
    session(home, "Zet de knop links.", "Dat klopt niet, de knop hoort links.")
    with wisen.open_learner() as learner:
        (warning,) = learner.learn().warnings
        assert str(broken) in warning
        assert says in warning
        assert len(corrections(learner)) == 1
        assert warning in learner.status().warnings
    output = run("doctor", expect=4).stdout
    assert "xx.toml" in output.replace("\n", "")
    assert "It is skipped" in " ".join(output.split())


def test_two_files_of_one_language_are_one_too_many(home: Path) -> None:
    dutch(home)
    dutch(home, name="zz.toml")
    with wisen.open_learner() as learner:
        assert ["zz.toml" in each for each in learner.learn().warnings] == [True]
        assert [each.code for each in learner.feedback.added_languages.languages] == ["nl"]


def test_a_dry_run_hears_added_languages_too(home: Path) -> None:
    dutch(home)
    session(home, "Zet de knop links.", "Dat klopt niet, de knop hoort links.")
    assert '"correction": 1' in run("learn", "--dry-run", "--json").stdout


def month(home: Path, texts: list[str]) -> None:
    for number, text in enumerate(texts, 1):
        session(home, text, number=number)


def listed(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("languages", "list", "--json", *arguments).stdout)
    return found


def scripted(learner: Learner, script: Callable[[Question[Any]], object]) -> ScriptedModel:
    model = ScriptedModel(script)
    learner.feedback.model_factory = lambda: model
    return model


def metered_by(learner: Learner, responder: ScriptedResponder, clock: FixedClock) -> MeteredModel:
    """A model behind the real meter, whose answers are kept in the learner's own index."""
    home = learner.home
    around = MeterContext(
        home.index.model_answers, home.ledger.model_uses, clock, home.ids, home.machine, lambda at: at, clock.advance
    )
    return MeteredModel(ModelsPolicy(heavy="local"), lambda _: responder, around)


def files_of(home: Path) -> dict[str, bytes]:
    """Every file of wisen's home, but for what the stores keep beside theirs while they are open."""
    files = (path for path in (home / "wisen").rglob("*") if path.is_file() and path.suffix != ".db-shm")
    return {str(path): path.read_bytes() for path in files}


def phrases(question: Question[Any]) -> object:
    """Two Dutch phrases for each group, and one in each that may not stand there."""
    confusable = {"confusable": ["wat fout"]} if "confusable" in question.answer.__struct_fields__ else {}
    ids = [item.id for item in question.material]
    groups = {each: [f"goed {each}", f"fout {each}", "это не то", f"goed {each}"] for each in ids}
    return question.answer(**groups, **confusable)


def test_languages_are_listed_with_how_often_they_are_spoken_and_those_without_a_file(home: Path) -> None:
    month(home, [*USERS["nl"], *SHIPPED["de"]])
    run("learn")
    before = files_of(home)
    found = listed()["languages"]
    german = next(each for each in found["known"] if each["code"] == "de")
    assert found["turns"] == len(USERS["nl"]) + len(SHIPPED["de"])
    assert (german["origin"], german["phrases"] > 300, 3 <= german["turns"] <= 6) == ("shipped", True, True)
    assert german["newest"].startswith(f"{datetime.now(UTC):%Y-}")
    (none,) = found["unknown"]
    assert (none["code"], none["turns"] >= 3, "de" in none["words"]) == ("nl", True, True)
    output = run("languages", "list").stdout
    assert "Dutch (nl) has no file" in output
    assert "wisen languages build --model" in output
    assert files_of(home) == before

    dutch(home)
    found = listed()["languages"]
    assert found["unknown"] == []
    assert next(each for each in found["known"] if each["code"] == "nl")["origin"] == "added"


def test_listing_makes_no_files_where_nothing_was_learnt(home: Path) -> None:
    assert len(listed()["languages"]["known"]) == 17
    assert "has no file" in run("languages", "build", "--language", "nl").stdout
    assert not (home / "wisen").exists()


def test_without_a_model_it_is_told_which_languages_lack_a_file(home: Path) -> None:
    run("learn", expect=3)
    assert "Every language that you write in has a file" in run("languages", "build").stdout
    month(home, USERS["nl"])
    run("learn")
    output = run("languages", "build").stdout
    assert "Dutch (nl) has no file" in output
    assert "docs/languages.md" in output
    assert not (home / "wisen" / "languages").exists()
    assert "No heavy model is configured" in run("languages", "build", "--model", expect=1).stderr


def test_a_model_writes_the_file_and_sees_nothing_that_was_typed(home: Path) -> None:
    month(home, USERS["nl"])
    steps: list[tuple[str, int, int]] = []
    with wisen.open_learner() as learner:
        learner.learn()
        model = scripted(learner, phrases)
        assert learner.feedback.build_languages(model=True, dry_run=True)[0].questions == 12
        assert model.questions == []
        (built,) = learner.feedback.build_languages(model=True, progress=lambda *each: steps.append(each))
    file = home / "wisen" / "languages" / "nl.toml"
    assert (built.code, built.written, built.file, built.problem) == ("nl", True, str(file), "")
    groups = sum(len(asked.groups) for asked in QUESTIONS)
    assert built.dropped == {"in another script": groups, "twice in a group": groups}
    assert len(model.questions) == 12
    assert [each[1] for each in steps] == list(range(13))
    sent = repr(model.questions)
    assert "you forgot" in sent
    assert not any(text[:20] in sent for text in USERS["nl"])
    language = read_language_file(file)
    assert language.groups["told"] == ("goed told", "fout told")
    assert language.negations.before == ("goed before", "fout before")
    assert language.lesson.leads == ("goed leads", "fout leads")
    assert language.harmless == ("goed harmless", "fout harmless")
    assert "Written by a language model (scripted)" in file.read_text(encoding="utf-8")
    # Both are phrases of the file that was made, and of no other; the one that speaks more is shown.
    assert "correction: goed told" in run("detect", "goed told, fout unmistakable").stdout


def test_a_file_is_never_overwritten_in_silence_and_the_old_one_is_kept(home: Path) -> None:
    file = dutch(home)
    with wisen.open_learner() as learner:
        model = scripted(learner, phrases)
        with pytest.raises(UsageError, match="exists already"):
            learner.feedback.build_languages(["nl"], model=True)
        assert file.read_text(encoding="utf-8") == DUTCH
        assert model.questions == []
        (built,) = learner.feedback.build_languages(["NL"], model=True, again=True)
        assert built.kept == f"{file}.bak1"
        assert Path(built.kept).read_text(encoding="utf-8") == DUTCH
        (again,) = learner.feedback.build_languages(["nl"], model=True, again=True)
        assert again.kept == f"{file}.bak2"
    with wisen.open_learner() as learner:
        assert learner.learn().warnings == ()


@pytest.mark.parametrize(("code", "says"), [("de", "comes with wisen"), ("tlh", "is not one of af, am,")])
def test_a_language_that_cannot_be_built_is_refused(home: Path, code: str, says: str) -> None:
    assert says in run("languages", "build", "--model", "--language", code, expect=1).stderr
    assert not (home / "wisen" / "languages").exists()


def test_what_stops_half_way_writes_nothing_and_the_next_run_asks_only_for_the_rest(home: Path) -> None:
    sent: list[str] = []

    def respond(prompt: Prompt) -> str | Exception:
        sent.append(prompt.user)
        if len(sent) == 4:
            return ModelFailed("The server has a trouble of its own.", Reason.DENIED)
        groups = [item["id"] for item in json.loads(prompt.user)]
        more: dict[str, list[str]] = {"confusable": []} if "confusable" in prompt.schema["properties"] else {}
        return json.dumps({group: [f"goed {group}"] for group in groups} | more)

    month(home, USERS["nl"])
    clock = FixedClock(datetime.now(UTC))
    with wisen.open_learner() as learner:
        learner.learn()
        metered = metered_by(learner, ScriptedResponder(respond), clock)
        learner.feedback.model_factory = lambda: metered
        (built,) = learner.feedback.build_languages(model=True)
        assert (built.answered, built.questions, built.written) == (3, 12, False)
        assert "trouble of its own" in built.problem
        assert not (home / "wisen" / "languages").exists()
        clock.advance(3600)
        (built,) = learner.feedback.build_languages(model=True)
        assert (built.answered, built.written) == (12, True)
    assert len(sent) == 4 + 9
    assert len(set(sent)) == 12


KEYWORDS = {
    "version": 1,
    "detectedAt": "2026-02-01T10:00:00Z",
    "topLanguages": ["nl", "sv"],
    "translations": {
        "nl": {
            "triggers": ["onthoud dit"],
            "correctionSignals": ["fout", "dat klopt niet"],
            "directiveSignals": ["vanaf nu"],
            "reinforcementSignals": ["top gedaan"],
            "decayPermanentKeys": ["naam"],
        },
        "sv": {"correctionSignals": ["helt uppåt väggarna"]},
    },
    "reinforcementCategories": {"strongPraise": ["top gedaan"], "genericPoliteness": ["bedankt hoor"]},
    "mine": {"kept": 1},
}


def test_a_file_of_keywords_is_taken_in_and_heard(home: Path) -> None:
    source = home / ".language-keywords.json"
    source.write_text(json.dumps(KEYWORDS), encoding="utf-8")
    folder = home / "wisen" / "languages"
    assert "would be imported" in run("languages", "build", "--from", source, "--dry-run").stdout
    assert not folder.exists()
    output = run("languages", "build", "--from", source).stdout
    assert "Dutch (nl): 6 phrases imported" in output
    assert "Swedish (sv): 1 phrase imported" in output
    language = read_language_file(folder / "nl.toml")
    assert language.correction == {"told": ("fout",), "unmistakable": ("dat klopt niet",)}
    assert language.praise == {"praise": ("top gedaan",), "thanks": ("bedankt hoor",)}
    assert (language.preference, language.remember) == ({"lasting": ("vanaf nu",)}, {"keep": ("onthoud dit",)})
    assert (language.extends, read_language_file(folder / "sv.toml").extends) == (False, True)
    assert "correction" in run("detect", "helt uppåt väggarna, knappen ska till vänster").stdout
    assert "correction" in run("detect", "det var fel, knappen ska till vänster").stdout

    assert "exists already, so nothing was imported" in run("languages", "build", "--from", source, expect=1).stderr
    assert "nl.toml.bak1" in run("languages", "build", "--from", source, "--again").stdout
    assert read_language_file(folder / "nl.toml") == language


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "it is not valid JSON"),
        ("[]", "it contains []"),
        ('{"version": 3, "translations": {}}', "version is 3, but only 1 and 2 are supported"),
        ('{"version": true}', "version is true"),
        ('{"version": 2, "translations": {"nl": {"triggers": [7]}}}', "translations.nl.triggers number 1 is 7"),
        ('{"version": 2, "translations": {"../x": {}}}', 'translations names "../x"'),
        ('{"version": 2, "topLanguages": "nl"}', 'topLanguages is "nl"'),
    ],
)
def test_a_file_of_keywords_that_is_not_one_is_refused_with_the_value(home: Path, text: str, says: str) -> None:
    source = home / "keywords.json"
    source.write_text(text, encoding="utf-8")
    run("learn", expect=3)
    for arguments in (("build", "--from", source), ("list", "--write", source)):
        assert says in run("languages", *arguments, expect=1).stderr
    assert source.read_text(encoding="utf-8") == text
    assert not (home / "wisen" / "languages").exists()


def test_a_file_of_keywords_is_written_and_what_stands_there_stays(home: Path) -> None:
    messages = ["Dat klopt niet, zet het links", "dat is fout, helaas", "je bent vergeten het te testen"]
    month(home, [*messages, *SHIPPED["de"], *SHIPPED["en"]])
    dutch(home)
    run("learn")
    file = home / "keywords.json"
    text = json.dumps(KEYWORDS, indent=2)
    file.write_text(text, encoding="utf-8")
    assert "would be written" in run("languages", "list", "--write", file, "--dry-run").stdout
    assert file.read_text(encoding="utf-8") == text
    run("languages", "list", "--write", file)
    held = json.loads(file.read_text(encoding="utf-8"))
    assert (held["version"], held["mine"]) == (2, {"kept": 1})
    assert held["reinforcementCategories"] == KEYWORDS["reinforcementCategories"]
    assert set(held["topLanguages"]) == {"en", "de", "nl"}
    assert held["translations"].keys() == {"nl", "sv", "de"}
    words = ["fout", "dat klopt niet", "dat is fout", "je bent vergeten"]
    assert held["translations"]["nl"]["correctionSignals"] == words
    assert held["translations"]["nl"]["decayPermanentKeys"] == ["naam"]
    assert "das ist falsch" in held["translations"]["de"]["correctionSignals"]
    assert "has them already" in run("languages", "list", "--write", file).stdout
    run("undo", "--yes")  # one decision, however many values it wrote
    assert file.read_text(encoding="utf-8") == text

    new = home / "new.json"
    run("languages", "list", "--write", new)
    assert json.loads(new.read_text(encoding="utf-8"))["version"] == 2


def test_forgetting_names_the_language_file_that_holds_the_words(home: Path) -> None:
    file = dutch(home)
    run("learn", expect=3)
    output = run("forget", "dat is fout", "--scope", "all", "--yes").stdout.replace("\n", "")
    assert str(file) in output
    assert "contains it" in output
    assert file.read_text(encoding="utf-8") == DUTCH
    assert "left" not in run("forget", "fout je bent", "--scope", "all", "--yes").stdout
