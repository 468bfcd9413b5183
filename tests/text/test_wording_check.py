"""A rewording of the user's statement keeps its polarity, its conditions and its subject."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.text.rule_wording import rule_line
from wisen.text.wording_check import find_mismatch

pytestmark = pytest.mark.requirement("S6", "C5")

NOT, POSITIVE, SWAP = 0, 1, 2
SAYINGS = {
    "en": ("never use {a}", "use {a}", "use {a} instead of {b}"),
    "de": ("benutze nie {a}", "benutze bitte {a}", "benutze {a} statt {b}"),
    "fr": ("n'utilise jamais {a}", "utilise {a} dans ce projet", "utilise {a} au lieu de {b}"),
    "es": ("no uses {a}", "usa {a} en el proyecto", "usa {a} en vez de {b}"),
    "pt": ("não use {a}", "use {a} para os testes", "use {a} em vez de {b}"),
    "it": ("non usare mai {a}", "usa {a} per il progetto", "usa {a} invece di {b}"),
    "pl": ("nie używaj {a}", "używaj {a}", "używaj {a} zamiast {b}"),
    "sv": ("använd aldrig {a}", "använd {a}", "använd {a} istället för {b}"),
    "tr": ("{a} kullanma", "{a} kullan", "{b} yerine {a} kullan"),
    "vi": ("đừng dùng {a}", "hãy dùng {a}", "dùng {a} thay vì {b}"),
    "ru": ("никогда не используй {a}", "используй {a}", "используй {a} вместо {b}"),
    "ar": ("لا تستخدم {a} أبدا", "استخدم {a}", "استخدم {a} بدلا من {b}"),
    "hi": ("{a} का उपयोग मत करो", "{a} का उपयोग करो", "{b} के बजाय {a} का उपयोग करो"),
    "zh": ("不要使用 {a}", "请使用 {a}", "使用 {a} 而不是 {b}"),
    "ja": ("{a}を使わないでください", "{a}を使ってください", "{b}ではなく{a}を使ってください"),
    "ko": ("{a}을 쓰지 마세요", "{a}을 쓰세요", "{b} 대신 {a}을 쓰세요"),
}
"""In each language: what not to do, the same to be done, and one thing instead of another."""
LIMITS = {
    "en": (
        "run {a} only in CI",
        "run {a} before each merge",
        "run {a} unless it is slow",
        "never run {a} without asking",
    ),
    "de": (
        "starte {a} nur im Test",
        "starte {a}, bevor du pushst",
        "starte {a}, außer im CI",
        "starte {a} nie ohne Frage",
    ),
    "fr": (
        "lance {a} uniquement en test",
        "lance {a} avant le push",
        "lance {a} sauf en test",
        "ne lance pas {a} sans avis",
    ),
    "es": (
        "corre {a} solo en los tests",
        "corre {a} antes del push",
        "corre {a} salvo en los tests",
        "no corras {a} sin avisar",
    ),
    "pt": (
        "rode {a} apenas nos testes",
        "rode {a} antes do push",
        "rode {a} exceto nos testes",
        "não rode {a} sem avisar",
    ),
    "it": (
        "esegui {a} solo nei test",
        "esegui {a} prima del push",
        "esegui {a} tranne nei test",
        "non eseguire {a} senza dirlo",
    ),
    "pl": (
        "uruchamiaj {a} tylko w testach",
        "uruchom {a} przed wysłaniem",
        "uruchom {a} oprócz testów",
        "nie uruchamiaj {a} bez zgody",
    ),
    "sv": (
        "kör {a} bara i testerna",
        "kör {a} innan du pushar",
        "kör {a} utom i testerna",
        "kör inte {a} utan lov",
    ),
    "tr": (
        "{a} sadece testte çalıştır",
        "{a} önce çalıştır",
        "{a} test hariç çalıştır",
        "{a} sormadan çalıştırma",
    ),
    "vi": (
        "chỉ chạy {a} trong test",
        "chạy {a} trước đó",
        "chạy {a} trừ trong test",
        "đừng chạy {a} mà không hỏi",
    ),
    "ru": (
        "запускай {a} только в тестах",
        "запускай {a} перед пушем",
        "запускай {a} кроме тестов",
        "не запускай {a} без спроса",
    ),
    "ar": (
        "شغل {a} في الاختبار فقط",
        "شغل {a} قبل الدفع",
        "شغل {a} باستثناء الاختبار",
        "لا تشغل {a} بدون سؤال",
    ),
    "hi": (
        "{a} केवल टेस्ट में चलाओ",
        "{a} पहले चलाओ",
        "{a} टेस्ट के अलावा चलाओ",
        "{a} बिना पूछे मत चलाओ",
    ),
    "zh": ("只在测试里运行 {a}", "合并之前运行 {a}", "除非很慢，运行 {a}", "未经同意不要运行 {a}"),
    "ja": (
        "{a}はテストだけで実行して",
        "マージの前に{a}を実行して",
        "テスト以外で{a}を実行して",
        "確認なしで{a}を実行しないで",
    ),
    "ko": (
        "{a} 는 테스트에서만 실행해",
        "병합 전에 {a} 실행해",
        "테스트 제외하고 {a} 실행해",
        "확인 없이 {a} 실행하지 마",
    ),
}
"""In each language: only, before, except, not without."""
DROPPED = {
    "en": ("only ", "before each merge", "unless it is slow", "without asking"),
    "de": ("nur ", ", bevor du pushst", ", außer im CI", "ohne Frage"),
    "fr": ("uniquement ", "avant le push", "sauf en test", "sans avis"),
    "es": ("solo ", "antes del push", "salvo en los tests", "sin avisar"),
    "pt": ("apenas ", "antes do push", "exceto nos testes", "sem avisar"),
    "it": ("solo ", "prima del push", "tranne nei test", "senza dirlo"),
    "pl": ("tylko ", "przed wysłaniem", "oprócz testów", "bez zgody"),
    "sv": ("bara ", "innan du pushar", "utom i testerna", "utan lov"),
    "tr": ("sadece ", "önce ", "test hariç ", "sormadan "),
    "vi": ("chỉ ", "trước đó", "trừ trong test", "mà không hỏi"),
    "ru": ("только ", "перед пушем", "кроме тестов", "без спроса"),
    "ar": ("فقط", "قبل الدفع", "باستثناء الاختبار", "بدون سؤال"),
    "hi": ("केवल ", "पहले ", "टेस्ट के अलावा ", "बिना पूछे "),
    "zh": ("只", "合并之前", "除非很慢，", "未经同意"),
    "ja": ("だけ", "マージの前に", "テスト以外で", "確認なしで"),
    "ko": ("만", "병합 전에 ", "테스트 제외하고 ", "확인 없이 "),
}
TOOLS = st.sampled_from(["ruff", "pnpm", "docker", "pytest", "eslint", "make"])
LANGUAGES = st.sampled_from(sorted(SAYINGS))


@given(code=LANGUAGES, a=TOOLS)
def test_a_wording_that_lost_the_negation_is_refused_in_every_language(code: str, a: str) -> None:
    forbids, asks = SAYINGS[code][NOT].format(a=a), SAYINGS[code][POSITIVE].format(a=a)
    assert find_mismatch(forbids, asks)
    assert find_mismatch(asks, forbids)
    assert not find_mismatch(forbids, forbids)
    assert not find_mismatch(asks, asks)


@given(code=LANGUAGES, other=LANGUAGES, a=TOOLS)
def test_a_wording_in_another_language_is_held_against_the_quote_too(code: str, other: str, a: str) -> None:
    forbids, asks = SAYINGS[code][NOT].format(a=a), SAYINGS[other][POSITIVE].format(a=a)
    assert find_mismatch(forbids, asks)
    assert not find_mismatch(forbids, SAYINGS[other][NOT].format(a=a))


@given(code=LANGUAGES, other=LANGUAGES, names=st.lists(TOOLS, min_size=2, max_size=2, unique=True))
def test_one_thing_instead_of_another_is_not_the_other_way_round(code: str, other: str, names: list[str]) -> None:
    a, b = names
    statement, turned = SAYINGS[code][SWAP].format(a=a, b=b), SAYINGS[other][SWAP].format(a=b, b=a)
    assert find_mismatch(statement, turned)
    assert not find_mismatch(statement, SAYINGS[other][SWAP].format(a=a, b=b))


@given(code=LANGUAGES, which=st.integers(0, 3), a=TOOLS)
def test_no_limit_condition_or_exception_is_lost_or_added(code: str, which: int, a: str) -> None:
    statement = LIMITS[code][which].format(a=a)
    lost = statement.replace(DROPPED[code][which], "")
    assert lost != statement
    assert find_mismatch(statement, lost), (statement, lost)
    assert find_mismatch(lost, statement), (lost, statement)
    assert not find_mismatch(statement, statement)


@pytest.mark.parametrize(
    ("quote", "wording"),
    [
        ("wrap lines at 100", "Wrap lines at 120."),
        ("keep it in `src/app`", "Keep it in `src/web`."),
        ("call load_settings first", "Call read_settings first."),
        ("pass --frozen to uv", "Pass --locked to uv."),
        ("put tests into tests/unit", "Put tests into tests."),
        ("don't use npm instead of pnpm", "Use npm instead of pnpm."),
        ("never push without asking", "Push without asking."),
        ("run the linter before each commit", "Run the linter after each commit."),
        ("用 pnpm 装依赖", "用 yarn 装依赖"),
    ],
)
def test_names_numbers_and_order_are_those_that_were_said(quote: str, wording: str) -> None:
    assert find_mismatch(quote, wording)


@pytest.mark.parametrize(
    ("quote", "wording"),
    [
        ("use ruff instead of flake8", "Use ruff, not flake8."),
        ("no, don't do that again, never mock the database", "Never mock the database."),
        ("don't forget to run the tests", "Run the tests."),
        ("can you please stop adding emojis", "Do not add emojis."),
        ("don't do it like that again", "Do not mock `requests` in tests."),
        ("use pnpm", "Use `pnpm` in this repository."),
        ("テストを実行しなければならない", "テストを実行してください"),
        ("n'oublie pas de lancer les tests", "Lance les tests."),
    ],
)
def test_other_words_for_the_same_pass(quote: str, wording: str) -> None:
    assert not find_mismatch(quote, wording)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_are_compared(quote: str, wording: str) -> None:
    assert isinstance(find_mismatch(quote, wording), str)
    assert not find_mismatch(quote, quote)


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("no, use pnpm, not npm", "Use pnpm, not npm"),
        ("never push to main", "Never push to main"),
        ("No emojis.", "No emojis."),
        ("nein, nie auf main pushen", "Nie auf main pushen"),
        ("pnpm_install runs never before checkout", "pnpm_install runs never before checkout"),
    ],
)
def test_a_line_of_a_file_is_what_was_said_without_an_answer_in_front(statement: str, line: str) -> None:
    assert rule_line(statement) == line
    assert not find_mismatch(statement, rule_line(statement))
