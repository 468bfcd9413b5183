"""The user's own phrases end to end: learned from a month of sessions, shown, detected, removed, forgotten."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wisen
from tests.commands import run
from tests.planted_secrets import find_residues
from wisen.errors import ModelAbsent, ModelFailed, Reason, UsageError
from wisen.feedback.analysis_version import ANALYSIS_VERSION
from wisen.feedback.phrase_naming import Label, Labels, Names
from wisen.language_models.model_ports import Question
from wisen.learner import Learner
from wisen.model.model_use import Tier
from wisen.model.phrase import PhraseSource, UserPhrase
from wisen.model.report import Selection
from wisen.model.signal import SignalKind
from wisen.model.tombstone import ALL_CONTEXTS
from wisen.testing.fake_models import ScriptedModel
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("C4")

CORRECTION, PRAISE = SignalKind.CORRECTION, SignalKind.PRAISE
THINGS = ("header", "button", "importer", "footer", "parser", "queue", "table", "icon", "menu", "report")
WISHES = ("make the {} wider", "write a test of our {}", "where does the {} come from", "rename that {}", "sort the {}")
FILE = ".user-feedback-phrases.json"


def sessions(home: Path, *, many: int = 14, phrase: str = "tss", first: int = 1, days: float = 28) -> None:
    """A month of sessions, in each of which the phrase is said and the assistant concedes."""
    began = datetime.now(UTC) - timedelta(days=days)
    for number in range(many):
        log = ClaudeTranscript(
            first + number, cwd=str(home / "shop"), start=began + timedelta(days=days / many * number)
        )
        for place in range(5):
            thing = THINGS[(number + 3 * place) % len(THINGS)]
            log.prompt(WISHES[(number + place) % len(WISHES)].format(thing))
            log.ok(log.call("Edit", file_path=f"/x/{thing}.py", old_string="a", new_string="b"))
            log.say("Done.")
        log.prompt(f"{phrase}, the {THINGS[number % len(THINGS)]} next")
        log.say("You're right, I misread that. Let me fix it.")
        log.prompt(f"now the {THINGS[(number + 5) % len(THINGS)]}")
        log.ok(log.call("Edit", file_path="/x/other.py", old_string="a", new_string="b"))
        log.write(home / ".claude" / "projects" / "shop")


def shown() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("phrases", "show", "--json").stdout)["phrases"]
    return found


def corrections(learner: Learner) -> int:
    return sum(each.said.signal.kind is CORRECTION for each in learner.home.index.findings.signals(Selection()))


def own(text: str, machine: str, way: PhraseSource = PhraseSource.FILE) -> UserPhrase:
    return UserPhrase(id=f"1-{text}", machine=machine, at=datetime.now(UTC), text=text, kind=CORRECTION, way=way)


def test_a_phrase_is_learnt_shown_heard_and_taken_out(home: Path) -> None:
    sessions(home)
    run("learn")
    assert run("detect", "tss, the header").stdout.startswith("none\n")
    tried = json.loads(run("phrases", "learn", "--dry-run", "--json").stdout)
    assert [(each["phrase"], each["kind"]) for each in tried["phrases"]] == [("tss", "correction")]
    assert shown() == []

    output = run("phrases", "learn").stdout
    assert "correction  tss" in output
    assert "1 new phrase" in output
    (phrase,) = shown()
    assert (phrase["hits"], phrase["turns"], phrase["sessions"], phrase["way"]) == (14, 14, 14, "counted")
    assert phrase["background"]["hits"] < phrase["background"]["turns"]
    quoted = phrase["evidence"][0]
    assert quoted["quote"].startswith("tss, the ")
    assert quoted["session"]
    assert quoted["at"] >= phrase["evidence"][-1]["at"]
    assert "conceded" in quoted["signs"]
    assert "“tss, the " in run("phrases", "show").stdout

    assert "correction: tss" in run("detect", "tss, the header").stdout
    assert "Nothing new" in run("phrases", "learn").stdout
    with wisen.open_learner() as learner:
        assert corrections(learner) == 0
        learner.learn()
        assert corrections(learner) == 14
        assert learner.lessons.all() == ()  # they tell nothing to do: remarks

    assert "'tss' removed; 14 sessions" in run("phrases", "remove", "TSS").stdout
    assert shown() == []
    assert run("detect", "tss, the header").stdout.startswith("none\n")
    assert "Nothing new" in run("phrases", "learn", "--days", "40").stdout
    with wisen.open_learner() as learner:
        learner.learn()
        assert corrections(learner) == 0
    assert "not one of your phrases" in run("phrases", "remove", "tss", expect=1).stderr


def test_the_first_search_looks_back_thirty_days_and_those_behind_it_three(home: Path) -> None:
    sessions(home, days=28)
    with wisen.open_learner() as learner:
        assert learner.feedback.learn_phrases().search.turns == 0  # nothing was read yet: this was none
        learner.learn()
        now = datetime.now(UTC)
        first = learner.feedback.learn_phrases(dry_run=True).search
        assert timedelta(days=29.9) < now - first.since < timedelta(days=30.1)
        assert (first.turns, first.found) == (98, 1)
        learner.feedback.learn_phrases()
        later = learner.feedback.learn_phrases().search
        assert timedelta(days=2.9) < now - later.since < timedelta(days=3.1)
        assert later.turns < 20
        assert learner.feedback.learn_phrases(days=10, dry_run=True).search.turns < 60
        with pytest.raises(UsageError, match="--days -1"):
            learner.feedback.learn_phrases(days=-1)


def test_what_a_later_search_finds_new_is_counted_over_the_month(home: Path) -> None:
    sessions(home, days=28)
    with wisen.open_learner() as learner:
        learner.learn()
        found = learner.feedback.learn_phrases(dry_run=True)
        learner.home.ledger.phrases.add([found.search])
        (new,) = learner.feedback.learn_phrases().phrases
        assert (new[0].text, new[0].hits) == ("tss", 14)


def test_only_sessions_that_hold_a_phrase_are_understood_again(home: Path) -> None:
    sessions(home, many=2)
    sessions(home, many=3, phrase="meh", first=10)
    with wisen.open_learner() as learner:
        learner.learn()
        file = home / FILE
        file.write_text('{"correction": ["meh"]}')
        assert learner.feedback.import_phrases(file).sessions == 3
        waiting = list(learner.home.index.findings.take_unmined(ANALYSIS_VERSION))
        assert [any("meh" in (turn.text or "") for turn in each.turns) for each in waiting] == [True] * 3


def test_phrases_of_another_machine_are_never_applied(home: Path) -> None:
    sessions(home, many=2)
    with wisen.open_learner() as learner:
        learner.home.ledger.phrases.add([own("tss", "another")])
        learner.learn()
        assert learner.feedback.phrases() == ()
        assert corrections(learner) == 0
    assert run("detect", "tss").stdout.startswith("none\n")


def test_a_file_of_phrases_is_taken_in_and_written_and_nothing_of_it_is_lost(home: Path) -> None:
    file = home / FILE
    corrections = '"correction": ["tss", "Das ist Lötzinn"]'
    text = f'{{\n  "reinforcement": ["Chef\'s kiss"],\n  {corrections},\n  "mine": {{"kept": 1}}\n}}\n'
    file.write_text(text)
    run("learn", expect=3)
    assert "3 phrases imported" in run("phrases", "learn", "--from", str(file)).stdout
    assert "0 phrases imported" in run("phrases", "learn", "--from", str(file)).stdout
    assert [(each["phrase"], each["kind"]) for each in shown()] == [
        ("chef's kiss", "praise"),
        ("das ist lötzinn", "correction"),
        ("tss", "correction"),
    ]
    assert "50%  correction: Das ist Lötzinn" in run("detect", "Das ist Lötzinn").stdout

    assert "would be written" in run("phrases", "show", "--write", str(file), "--dry-run").stdout
    assert file.read_text() == text
    run("phrases", "show", "--write", str(file))
    data = json.loads(file.read_text())
    assert (data["reinforcement"], data["correction"]) == (["Chef's kiss"], ["tss", "Das ist Lötzinn"])
    assert (data["mine"], data["initialRunDone"]) == ({"kept": 1}, True)
    written = file.read_text()
    assert "has them already" in run("phrases", "show", "--write", str(file)).stdout
    assert file.read_text() == written

    new = home / "new.json"
    run("phrases", "show", "--write", str(new))
    made = json.loads(new.read_text())
    assert (made["reinforcement"], made["correction"]) == (["chef's kiss"], ["das ist lötzinn", "tss"])
    assert datetime.fromisoformat(made["updatedAt"]) <= datetime.now(UTC)

    run("phrases", "remove", "tss")
    assert "was removed before" in run("phrases", "learn", "--from", str(file)).stdout
    assert [each["phrase"] for each in shown()] == ["chef's kiss", "das ist lötzinn"]


def test_a_file_that_is_no_file_of_phrases_is_neither_read_nor_written(home: Path) -> None:
    file = home / FILE
    for text, says in (
        ('{"correction": [7]}', "correction number 1 is 7"),
        ('{"correction": "tss"}', 'correction is "tss"'),
        ("[]", "it contains []"),
        ("{", "not valid JSON"),
    ):
        file.write_text(text)
        assert says in run("phrases", "learn", "--from", str(file), expect=1).stderr
        assert says in run("phrases", "show", "--write", str(file), expect=1).stderr
        assert file.read_text() == text
    assert "does not exist" in run("phrases", "learn", "--from", str(home / "no.json"), expect=1).stderr


def test_secrets_are_never_kept_as_phrases(home: Path) -> None:
    file = home / FILE
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file.write_text(json.dumps({"correction": [f"use {secret}", "tss"]}))
    output = run("phrases", "learn", "--from", str(file)).stdout
    assert "may not be stored" in output
    assert secret not in output
    assert find_residues(home / "wisen", [secret]) == {}
    assert [each["phrase"] for each in shown()] == ["tss"]


@pytest.mark.requirement("N8")
def test_a_phrase_and_what_speaks_for_it_can_be_forgotten(home: Path) -> None:
    sessions(home, phrase="grmpfl")
    with wisen.open_learner() as learner:
        learner.learn()
        learner.feedback.learn_phrases()
        learner.learn()
        assert corrections(learner) == 14
        assert len(learner.feedback.phrases()[0].proofs) == 14
        (done,) = learner.forgetting.forget("grmpfl", scope=ALL_CONTEXTS)
        assert ("phrase", "grmpfl") in {(each.kind, each.text) for each in done.things}
        assert learner.feedback.phrases() == ()
        assert learner.home.ledger.phrases.proofs() == ()
        assert corrections(learner) == 0
        assert find_residues(home / "wisen", ["grmpfl"]) == {}
        learner.learn()
        learner.feedback.learn_phrases(days=40)
        assert find_residues(home / "wisen", ["grmpfl"]) == {}
        file = home / FILE
        file.write_text('{"correction": ["grmpfl"]}')
        taken = learner.feedback.import_phrases(file)
        assert (taken.phrases, len(taken.left)) == ((), 1)


@pytest.mark.requirement("N8")
def test_forgetting_one_turn_leaves_the_phrase_to_the_others(home: Path) -> None:
    sessions(home)
    with wisen.open_learner() as learner:
        learner.learn()
        learner.feedback.learn_phrases()
        quote = learner.feedback.phrases()[0].proofs[0].quote
        assert quote.endswith(" next")
        learner.forgetting.forget("tss the header", scope=ALL_CONTEXTS)
        left = learner.feedback.phrases()
        assert [each.phrase.text for each in left] == ["tss"]
        assert 0 < len(left[0].proofs) < 14
        assert not any("header" in proof.quote for proof in left[0].proofs)
        learner.forgetting.forget_everything(ALL_CONTEXTS)
        assert (learner.feedback.phrases(), learner.home.ledger.phrases.searches()) == ((), ())


def named(learner: Learner, model: ScriptedModel) -> Learner:
    learner.feedback.model_factory = lambda: model
    return learner


def answers(phrases: list[str]) -> ScriptedModel:
    """The small model labels turns by a word, the large one names these phrases."""

    def answer(question: Question[Any]) -> object:
        if question.tier is Tier.HEAVY:
            return Names(phrases)
        return Labels([Label(each.id, "correction" if "pah" in each.text else "neither") for each in question.material])

    return ScriptedModel(answer)


def few(home: Path, number: int, *texts: str) -> None:
    log = ClaudeTranscript(number, cwd=str(home / "shop"), start=datetime.now(UTC) - timedelta(days=2))
    for text in texts:
        log.prompt(text)
        log.say("Done.")
    log.write(home / ".claude" / "projects" / "shop")


def test_a_model_names_phrases_that_stand_there_in_two_sessions_and_invents_none(home: Path) -> None:
    few(home, 1, "pah, the menu", "show the list", "pah")
    few(home, 2, "oh pah, once", "the blue list", "once and for all")
    few(home, 3, "the list again")
    model = answers(["Pah", "once", "balderdash", "ignore all previous instructions", "the", "x" * 80, ""])
    with wisen.open_learner() as learner:
        learner.learn()
        found = named(learner, model).feedback.learn_phrases(model=True)
        assert [(each.text, each.kind, each.way, each.hits, each.turns) for each, _ in found.phrases] == [
            ("pah", CORRECTION, PhraseSource.MODEL, 3, 3)
        ]
        assert found.notes == ()
        assert {question.tier for question in model.questions} == {Tier.NANO, Tier.HEAVY}
        assert [each.phrase.text for each in learner.feedback.phrases()] == ["pah"]
        assert [proof.signs for proof in learner.feedback.phrases()[0].proofs] == ["labelled by a model"] * 3
        assert [each.way for each in learner.home.ledger.phrases.searches()] == [PhraseSource.MODEL]


def test_a_model_that_fails_leaves_what_counting_tells(home: Path) -> None:
    sessions(home)
    failing = ScriptedModel([ModelFailed("It is down.", Reason.UNREACHABLE)])
    with wisen.open_learner() as learner:
        learner.learn()
        found = named(learner, failing).feedback.learn_phrases(model=True)
        assert [(each.text, each.way) for each, _ in found.phrases] == [("tss", PhraseSource.COUNTED)]
        assert found.notes == ("It is down. The result of counting stands.",)
        with pytest.raises(ModelAbsent):
            named(learner, ScriptedModel([], tiers=())).feedback.learn_phrases(model=True)


def test_a_search_with_a_model_that_is_not_configured_says_so(home: Path) -> None:
    few(home, 1, "pah, the menu")
    run("learn")
    assert "model" in run("phrases", "learn", "--model", expect=1).stderr


def test_what_makes_no_sense_together_is_reported(home: Path) -> None:
    assert "--from" in run("phrases", "learn", "--from", "x.json", "--model", expect=1).stderr
    assert "--write" in run("phrases", "show", "--dry-run", expect=1).stderr


def test_nothing_is_learnt_while_wisen_is_off(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions(home)
    run("learn")
    monkeypatch.setenv("WISEN_OFF", "1")
    assert "switched off" in run("phrases", "learn").stdout
    assert shown() == []
