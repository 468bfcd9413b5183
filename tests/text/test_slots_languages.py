"""Opposites, changes of mind and rewordings are distinguished in and across the shipped languages."""

from __future__ import annotations

import pytest

from wisen.text.sameness import LessonIndex, are_opposed, are_same
from wisen.text.slots import slots_of

PNPM = {
    "ar": "استخدم pnpm بدلاً من npm.",
    "de": "Nutze pnpm statt npm.",
    "en": "Use pnpm, not npm.",
    "es": "Usa siempre pnpm en lugar de npm.",
    "fr": "Utilise pnpm au lieu de npm.",
    "hi": "npm की जगह pnpm इस्तेमाल करो।",
    "it": "Usa pnpm invece di npm.",
    "ja": "npmではなくpnpmを使って。",
    "ko": "npm 말고 pnpm을 써.",
    "pl": "Używaj pnpm zamiast npm.",
    "pt": "Use o pnpm em vez do npm.",
    "ru": "Используй pnpm вместо npm.",
    "sv": "Använd pnpm i stället för npm.",
    "tr": "npm yerine pnpm kullan.",
    "vi": "Dùng pnpm thay vì npm.",
    "zh": "用pnpm而不是npm。",
}
NO_COMMENTS = {
    "ar": "لا تكتب تعليقات في الكود.",
    "de": "Schreib keine Kommentare in den Code.",
    "en": "Don't write comments in the code.",
    "es": "No escribas comentarios en el código.",
    "fr": "N'écris pas de commentaires dans le code.",
    "hi": "कोड में कमेंट मत लिखो।",
    "it": "Non scrivere commenti nel codice.",
    "ja": "コードにコメントを書かないで。",
    "ko": "코드에 주석을 작성하지 마.",
    "pl": "Nie pisz komentarzy w kodzie.",
    "pt": "Não escreva comentários no código.",
    "ru": "Не пиши комментарии в коде.",
    "sv": "Skriv inte kommentarer i koden.",
    "tr": "Koda yorum yazma.",
    "vi": "Đừng viết comment trong code.",
    "zh": "不要在代码里写注释。",
}
COMMENTS = {
    "ar": "اكتب تعليقات في الكود.",
    "de": "Schreib Kommentare in den Code.",
    "en": "Write comments in the code.",
    "es": "Escribe comentarios en el código.",
    "fr": "Écris des commentaires dans le code.",
    "hi": "कोड में कमेंट लिखो।",
    "it": "Scrivi commenti nel codice.",
    "ja": "コードにコメントを書いて。",
    "ko": "코드에 주석을 작성해 줘.",
    "pl": "Pisz komentarze w kodzie.",
    "pt": "Escreva comentários no código.",
    "ru": "Пиши комментарии в коде.",
    "sv": "Skriv kommentarer i koden.",
    "tr": "Koda yorum yaz.",
    "vi": "Viết comment trong code.",
    "zh": "在代码里写注释。",
}


def swap_names(text: str) -> str:
    return text.replace("pnpm", "@").replace("npm", "pnpm").replace("@", "npm")


@pytest.mark.requirement("S4")
@pytest.mark.parametrize("language", PNPM)
def test_the_same_wish_is_one_lesson_in_whichever_language_it_is_said(language: str) -> None:
    assert slots_of(PNPM[language])[:2] == (frozenset({"pnpm"}), frozenset({"npm"}))
    for texts in (PNPM, NO_COMMENTS, COMMENTS):
        assert [other for other in texts if not are_same(texts[language], texts[other])] == []


@pytest.mark.requirement("S9")
@pytest.mark.parametrize("language", PNPM)
def test_the_opposite_is_detected_in_whichever_language_it_is_stated(language: str) -> None:
    others = [
        *((PNPM, swap_names(text)) for text in PNPM.values()),
        *((COMMENTS, text) for text in NO_COMMENTS.values()),
    ]
    for texts, two in others:
        assert are_opposed(slots_of(texts[language]), slots_of(two)), two
        assert not are_same(texts[language], two)


@pytest.mark.requirement("S9", "N5")
def test_another_tool_for_the_same_purpose_takes_the_place_of_the_first() -> None:
    lessons = LessonIndex()
    lessons.add("a", "Use foo for tests.")
    lessons.add("b", "Use npm.")
    lessons.add("c", "Use fixtures for tests.")
    lessons.add("d", "Use React for the frontend.")
    assert lessons.find_opposites("From now on use bar for tests") == ["a"]
    assert lessons.find_opposites("For tests use bar.") == ["a"]
    assert lessons.find_opposites("use pnpm") == ["b"]
    assert lessons.find_opposites("Use factories for tests.") == []
    assert lessons.find_opposites("Use Tailwind for the frontend.") == []


@pytest.mark.requirement("S4")
def test_going_on_and_keeping_something_are_two_matters() -> None:
    assert not are_same("I've finished that part - keep going.", "Why are we keeping `parseRows` at all?")
