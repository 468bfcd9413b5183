"""How well an added language is detected, on sentences that its author did not see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wisen
from tests.commands import run
from wisen.feedback.detector import build_detector
from wisen.feedback.language import read_language
from wisen.feedback.language_directives import directive_words_of
from wisen.feedback.language_evaluation import MIN_SENTENCES, evaluate_language, is_held_back, read_sentences
from wisen.feedback.sentence_generation import format_sentences, template_sentences, valid_sentences
from wisen.model.signal import TypedTurn
from wisen.testing.fake_models import ScriptedModel

pytestmark = pytest.mark.requirement("C2")

DUTCH = """
code = "nl"
name = "Dutch"
own_name = "Nederlands"
harmless = ["geen probleem", "maakt niet uit"]
[negations]
before = ["niet", "geen", "nooit"]
[correction]
unmistakable = ["dat klopt niet", "dat is fout"]
[preference]
lasting = ["altijd", "nooit", "vanaf nu", "voortaan", "elke keer"]
[remember]
keep = ["onthoud", "vergeet niet"]
[plain]
agree = ["ja", "prima", "ga maar door", "je mag"]
order = ["kun je", "wil je"]
marks = ["het", "een", "deze", "naar", "wordt", "de", "en", "van", "met", "voor", "niet", "ik", "je", "wij"]
[opening]
command = ["maak", "voeg", "schrijf", "verander"]
question = ["waarom", "hoe", "wat", "moeten"]
[lesson]
orders = ["gebruik", "schrijf", "draai", "zet", "vraag", "houd", "noem", "toon", "sluit", "push", "raak", "wijzig"]
forbids = ["nooit", "geen"]
always = ["altijd", "nooit", "standaard"]
"""
SENTENCES: dict[str, list[str]] = {
    "directives": [
        "Gebruik altijd pnpm voor pakketten.",
        "Schrijf de commits voortaan in het Engels.",
        "Draai altijd de linter voor een commit.",
        "Zet de imports altijd op volgorde.",
        "Vraag het mij altijd voor je een bestand wist.",
        "Houd de antwoorden vanaf nu kort.",
        "Noem de branches voortaan naar het ticket.",
        "Toon mij vanaf nu eerst het plan.",
        "Sluit de verbinding altijd.",
        "Vanaf nu antwoord je in het Nederlands.",
        "Onthoud dat de server op poort 8081 draait.",
        "Gebruik voortaan vier spaties.",
        "Zet de datum altijd in UTC.",
        "Onthoud: het deployen gaat met deploy.sh.",
        "Schrijf voortaan een test voor elk endpoint.",
        "Draai elke keer alle tests voor de push.",
        "Houd de functies altijd klein.",
        "Vraag voortaan eerst naar het ticket.",
        "Toon altijd het hele commando.",
        "Noem een test altijd naar het gedrag.",
    ],
    "prohibitions": [
        "Push nooit naar main.",
        "Raak de map vendor nooit aan.",
        "Gebruik nooit globale variabelen.",
        "Schrijf voortaan geen commentaar in de code.",
        "Wijzig het lockbestand nooit met de hand.",
        "Nooit mergen zonder review.",
        "Gebruik voortaan geen emoji in de antwoorden.",
        "Draai de migraties nooit op productie.",
        "Toon wachtwoorden nooit in de log.",
        "Nooit de tests overslaan.",
        "Zet nooit geheimen in de code.",
        "Push nooit met force.",
        "Sluit nooit een ticket zonder test.",
        "Schrijf nooit een samenvatting.",
    ],
    "harmless": [
        "Waarom faalt de test?",
        "Bedankt, dat ziet er goed uit.",
        "Ja, ga maar door.",
        "Je mag het nu pushen.",
        "De pagina laadt nooit op mijn telefoon.",
        "Voeg een knop toe aan de pagina.",
        "Wat doet deze functie?",
        "Ik krijg altijd een timeout bij dit verzoek.",
        "Geen probleem, neem de tijd.",
        "Wij gaan morgen verder.",
        "Moeten wij dit altijd cachen?",
        "Maak een test voor de parser.",
        "De build was gisteren stuk.",
        "Het werkt nu.",
        "Ik weet niet waarom het traag is.",
        "Verander de titel van de pagina.",
    ],
}


def put(home: Path, *, language: str = DUTCH, sentences: dict[str, list[str]] | str | None = None) -> Path:
    """The file of a language and its sentences in the home; where the sentences lie."""
    file = home / "wisen" / "languages" / "nl.toml"
    beside = file.parent / "sentences" / "nl.toml"
    beside.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(language, encoding="utf-8")
    if sentences is not None:
        text = (
            sentences
            if isinstance(sentences, str)
            else "\n".join(f"{k} = {json.dumps(v)}" for k, v in sentences.items())
        )
        beside.write_text(text, encoding="utf-8")
    return beside


def hearing(*arguments: str) -> dict[str, Any]:
    (found,) = json.loads(run("languages", "build", "--json", *arguments).stdout)["hearing"]
    assert isinstance(found, dict)
    return found


def test_building_tells_how_well_the_held_back_sentences_are_detected(home: Path) -> None:
    beside = put(home, sentences=SENTENCES)
    held = {kind: [each for each in sentences if is_held_back(each)] for kind, sentences in SENTENCES.items()}
    assert all(len(held[kind]) >= least for kind, least in MIN_SENTENCES.items())
    assert all(len(held[kind]) < len(SENTENCES[kind]) for kind in MIN_SENTENCES)
    found = hearing()
    assert (found["code"], found["file"], found["needed"]) == ("nl", str(beside), {})
    assert found["directives"] == len(held["directives"]) + len(held["prohibitions"])
    assert (found["prohibitions"], found["harmless"]) == (len(held["prohibitions"]), len(held["harmless"]))
    assert found["heard"] >= 0.8 * found["directives"]
    assert found["negations_kept"] == found["prohibitions_heard"] >= 0.8 * found["prohibitions"]
    assert found["taken"] <= 1
    output = " ".join(run("languages", "build").stdout.split())
    assert f"Dutch (nl), on test sentences: {found['heard']} of {found['directives']} directives" in output
    assert f"{found['taken']} of {found['harmless']} harmless ones mistaken for a directive" in output


def test_a_worse_file_is_reported_as_worse(home: Path) -> None:
    put(home, sentences=SENTENCES)
    before = hearing()
    worse = DUTCH.replace('"push", "raak", "wijzig"', '"raak"').replace('"gebruik", "schrijf", "draai", ', "")
    put(home, language=worse, sentences=SENTENCES)
    after = hearing("--language", "nl")
    assert after["heard"] < before["heard"]
    assert after["directives"] == before["directives"]
    # What follows a file is only what is not held back: by the rest it is judged.
    assert after["missed"]
    assert not any(map(is_held_back, after["missed"]))
    output = run("languages", "build").stdout
    assert not any(each in output for kind in SENTENCES.values() for each in kind if is_held_back(each))


def test_a_file_that_detects_too_much_is_reported(home: Path) -> None:
    loose = DUTCH.replace('command = ["maak", "voeg",', 'command = ["maak",').replace(
        'orders = ["gebruik"', 'orders = ["de", "ik", "wij", "het", "gebruik"'
    )
    put(home, sentences=SENTENCES)
    before = hearing()["taken"]
    put(home, language=loose, sentences=SENTENCES)
    everything = {"harmless": SENTENCES["harmless"] + ["De pagina laadt altijd te traag.", "Ik zie nooit een fout."]}
    put(home, language=loose, sentences=SENTENCES | everything)
    assert hearing()["taken"] > before


@pytest.mark.parametrize("sentences", [None, {"directives": SENTENCES["directives"][:2]}])
def test_with_too_few_sentences_it_says_so_and_how_many_are_needed(
    home: Path, sentences: dict[str, list[str]] | None
) -> None:
    beside = put(home, sentences=sentences)
    found = hearing()
    assert set(found["needed"]) == set(MIN_SENTENCES)
    assert all(0 < found["needed"][kind] <= 2 * least for kind, least in MIN_SENTENCES.items())
    output = "".join(run("languages", "build").stdout.split())
    assert "toofewsentencestomeasurehowwellitisunderstood" in output
    assert f"{found['needed']['harmless']}harmless.Addthemtoxx".removesuffix("xx") in output
    assert "".join(str(beside).split()) in output


@pytest.mark.parametrize("broken", ["directives = ", 'directions = ["x"]', "harmless = [1]"])
def test_sentences_that_cannot_be_read_are_reported_with_their_file(home: Path, broken: str) -> None:
    beside = put(home, sentences=broken)
    assert hearing()["trouble"].startswith(f"{beside} is not a valid sentence file")
    assert "could not be judged" in run("languages", "build").stdout


def test_a_sentence_never_changes_sides() -> None:
    """Pinned: whoever wrote a file by one half must never find it in the other."""
    sides = {
        each: is_held_back(each) for each in ("Push nooit naar main.", "Het werkt nu.", "Sluit de verbinding altijd.")
    }
    assert sides == {each: is_held_back(f"  {each.upper().rstrip('.')} !") for each in sides}
    shares = [is_held_back(f"sentence number {number}") for number in range(400)]
    assert 160 < sum(shares) < 240


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_blanks_and_end_marks_do_not_move_a_sentence(text: str) -> None:
    assert is_held_back(text) == is_held_back(f" {text}  ") == is_held_back(f"{text}!")


def test_what_a_language_without_words_for_directives_says_is_learnt(home: Path) -> None:
    """The lists of a file that an older version took are enough: without them nothing of it became a lesson."""
    language = read_language(DUTCH, "nl.toml")
    (signal,) = build_detector((language,)).signals(TypedTurn(text="Push nooit naar main."))
    assert signal.lesson is not None
    assert (signal.lesson.text, signal.lesson.forbids, signal.lesson.standing) == ("Push nooit naar main.", True, True)
    own = read_language(DUTCH + '\n[directives]\nlasting = ["ooit"]\n', "nl.toml")
    assert directive_words_of(own).lasting == ("ooit",)
    assert directive_words_of(read_language('code = "de"\nname = "x"\nextends = true\n', "x")).lasting == ()


def test_a_model_writes_the_sentences_too_and_those_of_the_user_stay(home: Path) -> None:
    def answer(question: Any) -> object:
        ids = [item.id for item in question.material]
        if "prohibitions" in ids:
            return question.answer(**SENTENCES)
        confusable: dict[str, list[str]] = (
            {"confusable": []} if "confusable" in question.answer.__struct_fields__ else {}
        )
        return question.answer(**{each: [f"woord{each}"] for each in ids}, **confusable)

    beside = home / "wisen" / "languages" / "sentences" / "nl.toml"
    with wisen.open_learner() as learner:
        model = ScriptedModel(answer)
        learner.feedback.model_factory = lambda: model
        learner.feedback.build_languages(["nl"], model=True)
        (found,) = learner.feedback.evaluate_languages(["nl"])
        assert found.sentences == sum(map(len, SENTENCES.values()))
        assert found.heard < found.directives  # such words hear nothing: the counts say so
        asked = [each for each in model.questions if "prohibitions" not in [item.id for item in each.material]]
        assert not any("pnpm" in item.text for each in asked for item in each.material)
        mine = 'harmless = ["Het werkt nu."]\n'
        beside.write_text(mine, encoding="utf-8")
        learner.feedback.build_languages(["nl"], model=True, again=True)
    assert beside.read_text(encoding="utf-8") == mine


def test_sentences_that_may_not_be_kept_are_left_out() -> None:
    class ModelAnswer:
        directives = ("Gebruik altijd pnpm.", "используй pnpm", "x" * 300, "a\x07b", "Gebruik altijd  pnpm.", " ")
        prohibitions = ("token ghp_" + "b7Kd93jfK2mQ0vXz71LpRtY5wEuB4nHsCgJ6",)
        harmless = ('Zeg "ja" \\ niets.',)

    kept = valid_sentences(ModelAnswer(), "Latin")
    assert (kept.directives, kept.prohibitions) == (("Gebruik altijd pnpm.",), ())
    assert read_sentences(format_sentences(kept, "A comment.\nTwo lines."), "x") == kept


def test_the_templates_are_detected_in_the_language_they_are_written_in() -> None:
    """They are there to judge other languages by, so our own hears them."""
    english = read_language('code = "en"\nname = "English"\nextends = true\n', "en.toml")
    found = evaluate_language(english, template_sentences(), build_detector(), "x")
    assert found.needed == {}
    assert found.heard >= 0.95 * found.directives
    assert found.negations_kept >= found.prohibitions_heard - 1  # "we do not use" is quoted whole, read as a convention
    assert found.taken == 0
