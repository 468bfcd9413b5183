"""A rule that forbids running or editing something gives the same watch pattern in each shipped language."""

from __future__ import annotations

import pytest

from wisen.delivery.guards_from_rules import pattern_of_rule

pytestmark = pytest.mark.requirement("X3")

CHOICE, REFUSAL, PLACE = ("shell: npm", "pnpm"), ("shell: npm", ""), ("edit: src/gen/", "")
FORMS = {
    "ar": [
        "استخدم pnpm بدلاً من npm.",
        "لا تستخدم npm، استخدم pnpm.",
        "لا تستخدم npm أبداً.",
        "لا تعدل الملفات في src/gen/",
    ],
    "de": [
        "Nutze pnpm statt npm.",
        "Benutze kein npm, sondern pnpm.",
        "Benutze niemals npm.",
        "Bearbeite niemals Dateien in src/gen/",
    ],
    "en": [
        "Use pnpm instead of npm.",
        "Don't use npm, use pnpm.",
        "Never use npm.",
        "Never edit files in src/gen/",
    ],
    "es": [
        "Usa siempre pnpm en lugar de npm.",
        "No uses npm, usa pnpm.",
        "No uses npm.",
        "No edites los archivos en src/gen/",
    ],
    "fr": [
        "Utilise pnpm au lieu de npm.",
        "Utilise pnpm, jamais npm.",
        "N'utilise jamais npm.",
        "Ne modifie jamais les fichiers dans src/gen/",
    ],
    "hi": [
        "npm की जगह pnpm इस्तेमाल करो।",
        "npm इस्तेमाल मत करो, pnpm इस्तेमाल करो।",
        "npm का इस्तेमाल मत करो।",
        "src/gen/ में फ़ाइलें एडिट मत करो।",
    ],
    "it": [
        "Usa pnpm invece di npm.",
        "Non usare npm, usa pnpm.",
        "Non usare mai npm.",
        "Non modificare i file in src/gen/",
    ],
    "ja": [
        "npmではなくpnpmを使って。",
        "pnpmを使って、npmは使わないで。",
        "npmは使わないでください。",
        "src/gen/ のファイルは編集しないで。",
    ],
    "ko": [
        "npm 대신 pnpm을 사용해.",
        "npm 쓰지 말고 pnpm 사용해 주세요.",
        "npm을 사용하지 마세요.",
        "src/gen/ 파일을 수정하지 마.",
    ],
    "pl": [
        "Używaj pnpm zamiast npm.",
        "Nie używaj npm, używaj pnpm.",
        "Nigdy nie używaj npm.",
        "Nie edytuj plików w src/gen/",
    ],
    "pt": [
        "Use o pnpm em vez do npm.",
        "Não use npm, use pnpm.",
        "Nunca use npm.",
        "Não edite os arquivos em src/gen/",
    ],
    "ru": [
        "Используй pnpm вместо npm.",
        "Не используй npm, используй pnpm.",
        "Никогда не используй npm.",
        "Не редактируй файлы в src/gen/",
    ],
    "sv": [
        "Använd pnpm i stället för npm.",
        "Använd inte npm, använd pnpm.",
        "Använd aldrig npm.",
        "Redigera aldrig filer i src/gen/",
    ],
    "tr": [
        "npm yerine pnpm kullan.",
        "npm kullanma, pnpm kullan.",
        "Asla npm kullanma.",
        "src/gen/ dosyalarını düzenleme.",
    ],
    "vi": [
        "Dùng pnpm thay vì npm.",
        "Đừng dùng npm, hãy dùng pnpm.",
        "Đừng bao giờ dùng npm.",
        "Đừng sửa file trong src/gen/",
    ],
    "zh": [
        "用pnpm而不是npm。",
        "不要用npm，用pnpm。",
        "不要使用npm。",
        "不要修改 src/gen/ 里的文件。",
    ],
}
MEANT = (CHOICE, CHOICE, REFUSAL, PLACE)


@pytest.mark.parametrize(("language", "form"), [(language, form) for language in FORMS for form in range(4)])
def test_what_is_refused_and_what_is_better_is_read_in_every_language(language: str, form: int) -> None:
    found = pattern_of_rule(FORMS[language][form])
    assert found is not None
    watch, better = MEANT[form]
    assert (found.watch.rstrip("/"), found.better) == (watch.rstrip("/"), better)


@pytest.mark.parametrize(
    "text",
    [
        "Benutze npm, nicht pnpm, wenn der Build fehlschlägt.",
        "Warum benutzt du npm?",
        "¿Por qué no usas npm?",
        "No uses npm sin preguntar.",
        "N'utilise pas npm avant le build.",
        "npmは使わないでほしいと言われたことはない。",
        "npm을 사용하지 않으면 안 돼.",
        "не используй npm без pnpm",
        "Не используй npm, если нет pnpm.",
        "不是不能用npm。",
        "npm kullanmayı unutma.",
        "Nicht nur npm, auch pnpm benutzen.",
        "Não é que não use npm.",
        "Non usare i commenti.",
        "Schreib keine Kommentare.",
        "コメントを書かないで。",
        "Usa npm, non pnpm, ma solo per i test vecchi.",
        "किसी ने कहा npm मत इस्तेमाल करो लेकिन वह गलत था।",
    ],
)
def test_what_is_not_said_plainly_gives_no_watch(text: str) -> None:
    assert pattern_of_rule(text) is None


@pytest.mark.parametrize("language", FORMS)
def test_a_choice_turned_round_is_read_turned_round(language: str) -> None:
    for text in FORMS[language][:2]:
        found = pattern_of_rule(text.replace("pnpm", "@").replace("npm", "pnpm").replace("@", "npm"))
        assert found is not None
        assert (found.watch, found.better) == ("shell: pnpm", "npm")
