"""Keyword files by language, and language drafts: what is accepted, what is dropped and why."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.feedback.detector import build_detector
from wisen.feedback.keyword_file import Keywords, changed_fields, read_keywords
from wisen.feedback.language import GROUPS, read_language
from wisen.feedback.language_draft import MAX_PHRASES, LanguageDraft
from wisen.feedback.language_evaluation import read_sentences
from wisen.model.signal import SignalKind, TypedTurn

pytestmark = pytest.mark.requirement("C2")

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
CODES = st.sampled_from(["nl", "sv", "pt-br"])
TEXTS = st.lists(st.text(min_size=1, max_size=9).filter(lambda text: bool(text.strip())), max_size=3)
OURS = st.dictionaries(st.sampled_from(["told", "unmistakable", "praise", "keep", "deny"]), TEXTS, max_size=3)
GROUPED = st.dictionaries(st.sampled_from(["triggers", "correctionSignals", "mine"]), TEXTS, max_size=3)


@given(st.none() | st.dictionaries(CODES, GROUPED), st.lists(CODES, unique=True), st.dictionaries(CODES, OURS))
def test_what_is_written_is_read_again_and_nothing_that_stood_there_is_lost(
    held: dict[str, dict[str, list[str]]] | None, top: list[str], languages: dict[str, dict[str, list[str]]]
) -> None:
    file = {"version": 1, "translations": held} if held is not None else {}
    known = read_keywords(json.dumps(file)) if file else None
    file |= changed_fields(known, top, languages, NOW)
    read = read_keywords(json.dumps(file))
    assert (read.version, list(read.top)) == (2, top)
    for code, groups in (held or {}).items():
        for name, texts in groups.items():
            assert set(texts) <= set(read.translations[code][name])
    assert changed_fields(read, top, languages, NOW) == {}


def test_the_groups_of_theirs_become_ours_by_one_table() -> None:
    groups = {
        "triggers": ["kom ihåg"],
        "correctionSignals": ["fel", "helt fel"],
        "directiveSignals": ["från nu"],
        "directivePreference": ["föredrar"],
        "reinforcementSignals": ["bra"],
        "reinforcementGenericPoliteness": ["tack"],
        "categoryDecision": ["beslut"],
    }
    held = read_keywords(json.dumps({"version": 2, "translations": {"sv": groups}}))
    assert held.phrases == {
        "sv": {
            "keep": ("kom ihåg",),
            "told": ("fel",),
            "unmistakable": ("helt fel",),
            "lasting": ("från nu",),
            "liking": ("föredrar",),
            "praise": ("bra",),
            "thanks": ("tack",),
        }
    }
    assert held.skipped_groups == ("categoryDecision",)
    known = {group for groups in GROUPS.values() for group in groups}
    assert {group for of in held.phrases.values() for group in of} <= known


def test_categories_go_to_the_language_that_holds_the_phrase_or_to_the_first() -> None:
    held = Keywords(
        top=("nl", "sv"),
        translations={"sv": {"reinforcementSignals": ("toppen",)}},
        categories={"reinforcementStrongPraise": ("toppen", "super gedaan")},
    )
    assert held.phrases == {"sv": {"praise": ("toppen",)}, "nl": {"praise": ("super gedaan",)}}


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("", "empty"),
        (" * ", "empty"),
        ("λά\x07θος", "with control characters"),
        ("λ" * 61, "longer than 60 characters"),
        ("ошибка", "in another script"),
        ("wrong", "in another script"),
        ("λάθος", "twice in a group"),
        ("ΛΆΘΟΣ", "twice in a group"),
    ],
)
def test_a_phrase_that_may_not_stand_there_is_dropped_and_counted(phrase: str, why: str) -> None:
    draft = LanguageDraft("el", "Greek", "Ελληνικά", "Greek")
    draft.add("correction", "deny", ["λάθος", phrase])
    assert draft.language().correction == {"deny": ("λάθος",)}
    assert draft.dropped == {why: 1}


def test_an_english_phrase_of_another_meaning_needs_to_be_marked() -> None:
    draft = LanguageDraft("nl", "Dutch", "Nederlands", "Latin")
    draft.add("correction", "told", ["stop", "wait"], confusable=["Wait"])
    draft.add("correction", "refuse", ["stop"])
    language = draft.language()
    assert language.correction == {"told": ("wait",), "refuse": ("stop",)}
    assert language.confusable == ("wait",)
    assert draft.dropped == {"an English phrase of another meaning": 1}


def test_a_group_holds_only_so_many() -> None:
    draft = LanguageDraft("nl", "Dutch", "Nederlands", "Latin")
    draft.add("", "harmless", [f"geen probleem{'o' * number}" for number in range(MAX_PHRASES - 20)])
    draft.add("", "harmless", [f"niet erg{'o' * number}" for number in range(30)])
    assert len(draft.language().harmless) == MAX_PHRASES
    assert draft.dropped == {f"more than {MAX_PHRASES} in a group": 10}


def test_the_language_in_the_docs_is_one_and_is_detected() -> None:
    text = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
    example, requests, sentences = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    language = read_language(example + requests, "docs/languages.md")
    assert language.requests.forget
    assert read_sentences(sentences, "docs/languages.md").prohibitions == ("Push nooit naar main.",)
    assert set(language.confusable) <= {"die", "wat"}
    model = build_detector((language,))
    kinds = {each.kind for each in model.signals(TypedTurn(text="dat klopt niet, de knop hoort in de balk"))}
    assert SignalKind.CORRECTION in kinds
