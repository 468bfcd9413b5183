"""Typed requests to wisen, in every shipped language, and messages that only look like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.delivery.chat_requests import ChatForms, build_table, read_forms, shipped_forms, shipped_table
from wisen.errors import LanguageError
from wisen.feedback.language import shipped_languages
from wisen.kernel.request_hints import fold, recall_query
from wisen.kernel.request_reading import EVERYTHING, SCOPES, phrase_request, read_request

pytestmark = pytest.mark.requirement("N8")

ASKED = {
    "en": ("What did you learn?", "Show my rules", "memory stats", "Improve yourself!", "forget it"),
    "es": ("¿Qué aprendiste?", "muéstrame mis reglas", "estadísticas", "mejórate", "olvídalo"),
    "fr": ("Qu'as-tu appris ?", "montre-moi mes règles", "statistiques", "améliore-toi", "oublie ça"),
    "de": ("Was hast du gelernt?", "Zeig mir meine Regeln", "Statistik", "Verbessere dich", "Vergiss es!"),
    "pt": ("O que você aprendeu?", "mostra as minhas regras", "estatísticas da memória", "melhore-se", "esquece isso"),
    "it": ("Cosa hai imparato?", "mostrami le mie regole", "statistiche della memoria", "migliorati", "lascia perdere"),
    "ru": ("Чему ты научился?", "покажи мои правила", "статистика памяти", "улучши себя", "забудь об этом"),
    "pl": ("Czego się nauczyłeś?", "pokaż moje reguły", "statystyki pamięci", "ulepsz się", "zapomnij o tym"),
    "tr": ("Benden ne öğrendin?", "kurallarımı göster", "hafıza istatistikleri", "kendini geliştir", "bunu unut"),
    "ar": ("ماذا تعلمتَ مني؟", "اعرض قواعدي", "إحصائيات الذاكرة", "حسّن نفسك", "انسَ الأمر"),
    "hi": ("तुमने क्या सीखा?", "मेरे नियम दिखाओ", "memory stats dikhao", "खुद को सुधारो", "इसे भूल जाओ"),
    "vi": ("Bạn đã học được gì từ tôi?", "xem quy tắc của tôi", "thống kê bộ nhớ", "hãy tự cải thiện", "quên nó đi"),
    "sv": ("Vad har du lärt dig?", "visa mina regler", "minnesstatistik", "förbättra dig", "glöm det"),
    "zh": ("你学到了什么？", "显示我的规则", "记忆统计", "改进你自己", "忘了吧"),
    "ja": ("私から何を学びましたか？", "私のルールを見せて", "記憶の統計", "自分を改善して", "それは忘れて"),
    "ko": ("뭘 배웠어?", "내 규칙 보여줘", "메모리 통계 보여줘", "스스로 개선해", "그건 잊어줘"),
}
KINDS = ("learnt", "rules", "stats", "improve", "")

TYPED = [
    ("approve 3", "approve", "3"),
    ("please approve #3", "approve", "3"),
    ("Approve kqtz to SOUL.md.", "approve", "kqtz to soul.md"),
    ("skip 2!", "skip", "2"),
    ("overrule G-1a2b3c4d", "overrule", "g-1a2b3c4d"),
    ("aprueba el número 3", "approve", "3"),
    ("Aprueba 3 en el archivo", "approve", "3 to file"),
    ("sáltate 4, por favor", "skip", "4"),
    ("Approuve 3 dans mon fichier", "approve", "3 to own"),
    ("passe le numéro 3", "skip", "3"),
    ("Genehmige Nummer 3", "approve", "3"),
    ("gib 3 frei", "approve", "3"),
    ("3 überspringen", "skip", "3"),
    ("ueberspringe 3", "skip", "3"),
    ("aprova 3 em soul", "approve", "3 to soul"),
    ("pula o 3", "skip", "3"),
    ("approva 3 per favore", "approve", "3"),
    ("salta 3", "skip", "3"),
    ("одобри №3", "approve", "3"),
    ("Пропусти 3, пожалуйста", "skip", "3"),
    ("zatwierdź 3 do pliku", "approve", "3 to file"),
    ("pomiń 3", "skip", "3"),
    ("3 onayla", "approve", "3"),
    ("3'ü onayla", "approve", "3"),
    ("3 numarayı soul.md için onayla", "approve", "3 to soul.md"),
    ("3 numarayı atla", "skip", "3"),
    ("وافق على ٣", "approve", "3"),
    ("تخطَّ الاقتراح ٢", "skip", "2"),
    ("३ को मंज़ूर करो", "approve", "3"),
    ("3 approve kar do", "approve", "3"),
    ("3 ko skip karo", "skip", "3"),
    ("duyệt số 3", "approve", "3"),
    ("bo qua 3", "skip", "3"),
    ("godkänn 3", "approve", "3"),
    ("hoppa över nr 3", "skip", "3"),
    ("批准３", "approve", "3"),
    ("批准第三条", "approve", "3"),
    ("把第3条批准到记忆", "approve", "3 to memory"),
    ("跳过第2个", "skip", "2"),
    ("3番を承認", "approve", "3"),
    ("3番を承認してください", "approve", "3"),
    ("３番目をスキップして", "skip", "3"),
    ("3を記憶に承認", "approve", "3 to memory"),
    ("3번 승인해줘", "approve", "3"),
    ("2번을 건너뛰어", "skip", "2"),
    ("3번을 메모리에 승인", "approve", "3 to memory"),
]

FORGOTTEN = [
    ("forget R-1a2b3c4d.", "forget", "r-1a2b3c4d", ""),
    ("forget the staging password rule", "forget", "staging password", ""),
    ("Yes, forget the staging password rule!", "confirm", "staging password", ""),
    ("forget everything about the blue door", "forget", "blue door", ""),
    ("forget blue door everywhere", "forget", "blue door", "everywhere"),
    ("forget everything", "forget", EVERYTHING, ""),
    ("yes forget everything here", "confirm", EVERYTHING, "here"),
    ("forget here", "forget", "here", ""),
    ("forget the rules", "forget", "the rules", ""),
    ("olvida la regla sobre pnpm", "forget", "pnpm", ""),
    ("sí, olvida pnpm en todos los proyectos", "confirm", "pnpm", "everywhere"),
    ("oublie tout", "forget", EVERYTHING, ""),
    ("oui, oublie la règle sur pnpm ici", "confirm", "pnpm", "here"),
    ("Vergiss die Regel über pnpm", "forget", "pnpm", ""),
    ("ja, vergiss pnpm überall", "confirm", "pnpm", "everywhere"),
    ("esquece a regra do pnpm", "forget", "pnpm", ""),
    ("dimentica tutto", "forget", EVERYTHING, ""),
    ("забудь правило про pnpm", "forget", "pnpm", ""),
    ("да, забудь всё везде", "confirm", EVERYTHING, "everywhere"),
    ("zapomnij o regule pnpm", "forget", "pnpm", ""),
    ("pnpm'i unut", "forget", "pnpm", ""),
    ("pnpm kuralını unut", "forget", "pnpm", ""),
    ("evet, her yerde pnpm'i unut", "confirm", "pnpm", "everywhere"),
    ("انسَ القاعدة عن pnpm", "forget", "pnpm", ""),
    ("نعم، انس كل شيء هنا", "confirm", EVERYTHING, "here"),
    ("pnpm wala rule bhool jao", "forget", "pnpm", ""),
    ("pnpm को भूल जाओ", "forget", "pnpm", ""),
    ("हाँ, हर जगह pnpm भूल जाओ", "confirm", "pnpm", "everywhere"),
    ("quên quy tắc về pnpm đi", "forget", "pnpm", ""),
    ("glöm regeln om pnpm", "forget", "pnpm", ""),
    ("忘掉关于pnpm的规则", "forget", "pnpm", ""),
    ("把pnpm忘了吧", "forget", "pnpm", ""),
    ("是的，在所有项目中忘掉pnpm", "confirm", "pnpm", "everywhere"),
    ("pnpmを忘れて", "forget", "pnpm", ""),
    ("pnpmについてのルールを忘れてください", "forget", "pnpm", ""),
    ("全部忘れて", "forget", EVERYTHING, ""),
    ("はい、どこでもpnpmのことを忘れて", "confirm", "pnpm", "everywhere"),
    ("pnpm 규칙을 잊어줘", "forget", "pnpm", ""),
    ("네, 어디서나 pnpm 잊어줘", "confirm", "pnpm", "everywhere"),
]

HARMLESS = """
    skip tests|skip the slow tests|approve it|approve the pull request please|approve 2 and go on|approve 1 2
    approve|approve this to be done with|forget the plan. Go on with the tests.|don't forget the tests
    forget to mention it|what did you learn from the logs about the crash?|stats of the last build
    show rules for eslint|improve the parser|did you forget the tests?|I forgot to say something|rules
    overrule the linter|forget a b c d e f g h i j k l m|no olvides las pruebas|olvida que dije eso
    aprueba el pull request|salta las pruebas lentas|muestra las reglas de eslint
    qué aprendiste de los registros del servidor|mejora el analizador|se me olvidó el archivo|aprueba todo
    olvidaste una prueba|n'oublie pas les tests|passe à la suite|passe les tests en parallèle|approuve la PR
    montre les règles de lint|tu as oublié les tests|qu'as-tu appris en lisant ce fichier|améliore le code
    oublie pas de committer|ignore les fichiers générés|valide le formulaire|vergiss nicht die Tests
    du hast die Tests vergessen|überspringe die langsamen Tests|genehmige den Pull Request
    zeig mir die Regeln von ESLint|verbessere den Parser|was hast du an der Datei geändert
    ja, vergiss nicht zu committen|não esqueça os testes|pula os testes|aprova o PR|esqueceu um teste
    mostra as regras do lint|melhora o código|non dimenticare i test|salta i test lenti|approva la PR
    hai dimenticato un test|mostra le regole del linter|migliora il codice|не забудь тесты|забудь не про тесты
    пропусти медленные тесты|одобри запрос|ты забыл тесты|покажи правила линтера|улучши код
    nie zapomnij o testach|zapomniałeś o testach|pomiń wolne testy|zatwierdź zmiany|pokaż reguły lintera
    popraw kod|testleri unutma|testleri unuttun|yavaş testleri atla|değişiklikleri onayla
    eslint kurallarını göster|kodu geliştir|PR'ı onayla|لا تنس الاختبارات|نسيت الاختبارات
    تخط الاختبارات البطيئة|وافق على الطلب|اعرض قواعد اللنتر|حسن الكود|टेस्ट मत भूल जाना|टेस्ट मत भूलो
    तुम टेस्ट भूल गए|धीमे टेस्ट छोड़ो|कोड सुधारो|tests mat bhoolna|tests skip karo|code improve karo
    đừng quên kiểm thử|bạn quên kiểm thử rồi|bỏ qua các bài kiểm thử chậm|duyệt thay đổi|xem quy tắc của eslint
    cải thiện mã|glöm inte testerna|du glömde testerna|hoppa över de långsamma testerna|godkänn ändringen
    visa reglerna för eslint|förbättra koden|别忘了测试|忘了写测试|你忘记写测试了吗|跳过慢的测试
    批准这个合并请求|显示eslint的规则|改进代码|通过测试了吗|不要忘记提交|テストを忘れないで
    テストを書くのを忘れています|遅いテストをスキップして|プルリクエストを承認して|ESLintのルールを直して
    コードを改善して|테스트 잊지 마|테스트를 잊었어|느린 테스트는 건너뛰어|PR 승인해줘|eslint 규칙 고쳐줘
    코드를 개선해줘|forget-me-not should be spelled with hyphens|ne apprends pas par coeur
    aprende de los errores|3 tests fail|números 3 y 4|3番のテストが落ちる|3번 테스트가 실패해|第3条测试失败了
    3 numaralı test başarısız|teste 3 falhou|3 नंबर टेस्ट फेल है|الاختبار 3 فشل|glömde du testet?
    czy zapomniałeś o teście?|忘れてた|잊었어?|忘了
"""

RECALLS = {
    "en": "remind me what we said about pnpm",
    "es": "¿recuerdas lo de pnpm?",
    "fr": "qu'est-ce qu'on avait dit pour pnpm ?",
    "de": "Weißt du noch, was mit pnpm war?",
    "pt": "o que combinamos sobre pnpm?",
    "it": "cosa avevamo deciso su pnpm?",
    "ru": "помнишь, что там с pnpm?",
    "pl": "co ustaliliśmy w sprawie pnpm?",
    "tr": "pnpm hakkında ne konuşmuştuk?",
    "ar": "ماذا قررنا بخصوص pnpm؟",
    "hi": "pnpm के बारे में हमने क्या तय किया था?",
    "vi": "lần trước chúng ta nói gì về pnpm?",
    "sv": "vad bestämde vi om pnpm?",
    "zh": "关于pnpm，之前说过什么？",
    "ja": "pnpmについて前に何を決めましたか？",
    "ko": "pnpm은 지난번에 뭐로 정했지?",
}


def harmless() -> list[str]:
    return [each.strip() for line in HARMLESS.strip().splitlines() for each in line.split("|")]


def test_every_shipped_language_has_forms_and_says_what_to_type() -> None:
    codes = {each.code for each in shipped_languages()} - {"emoji"}
    assert {forms.code for forms in shipped_forms()} == codes == ASKED.keys() == RECALLS.keys()


@pytest.mark.parametrize("code", sorted(ASKED))
def test_questions_are_detected_in_every_language(code: str) -> None:
    for text, kind in zip(ASKED[code], KINDS, strict=True):
        asked = read_request(text, shipped_table())
        assert (asked.kind, asked.target) == (kind, ""), text


@pytest.mark.parametrize(("text", "kind", "of"), TYPED)
def test_answers_are_detected_with_the_word_order_of_each_language(text: str, kind: str, of: str) -> None:
    asked = read_request(text, shipped_table())
    assert (asked.kind, asked.target) == (kind, of)


@pytest.mark.parametrize(("text", "kind", "what", "scope"), FORGOTTEN)
def test_what_is_to_be_forgotten_is_detected_without_how_it_is_named(
    text: str, kind: str, what: str, scope: str
) -> None:
    asked = read_request(text, shipped_table())
    assert (asked.kind, asked.subject, asked.scope) == (kind, what, scope)
    assert asked.target == f"{what} {scope}".strip()


def test_ordinary_prompts_are_not_taken_for_a_request() -> None:
    taken = [text for text in harmless() if read_request(text, shipped_table()).kind]
    assert len(harmless()) > 130
    assert taken == []


@pytest.mark.parametrize(
    "text",
    [
        "forget the cache key and use the id",
        "vergiss den Schlüssel und nimm die Nummer",
        "olvida la clave y usa el número",
        "oublie la clé mais garde le test",
        "забудь ключ и используй номер",
        "anahtarı ve numarayı unut",
        "忘掉缓存键，改用编号",
        "forget the first one, take the second",
    ],
)
def test_words_that_go_on_with_something_else_are_marked_as_such(text: str) -> None:
    asked = read_request(text, shipped_table())
    assert asked.kind == "" or asked.is_joined


@pytest.mark.parametrize("code", sorted(ASKED))
@pytest.mark.parametrize("scope", ["", *SCOPES])
def test_the_words_that_the_user_is_asked_to_type_are_understood(code: str, scope: str) -> None:
    table = shipped_table()
    for what in ("blue door", EVERYTHING):
        for name in ("forget", "confirm"):
            asked = read_request(phrase_request(table, code, name, what=what, scope=scope), table)
            assert (asked.kind, asked.subject, asked.scope) == (name, what, scope)
    for name, of in (("approve", "3"), ("skip", "3"), ("approve_to", "3 to soul.md")):
        asked = read_request(phrase_request(table, code, name, n="3", place="soul.md"), table)
        assert (asked.kind, asked.target) == (name.partition("_")[0], of)


def test_accents_marks_and_case_need_not_be_typed() -> None:
    table = shipped_table()
    for text in (
        "QUE APRENDISTE",
        "qu'as tu appris",
        "was hast du gelernt",
        "pokaz moje reguly",
        "ne ogrendin",
        "ماذا تعلمت",
    ):
        assert read_request(text, table).kind in ("learnt", "rules"), text
    assert read_request("«Qué aprendiste»…", table).kind == "learnt"


@given(st.text(max_size=450))
def test_any_text_can_be_read(text: str) -> None:
    asked = read_request(text, shipped_table())
    assert asked.kind in ("", "learnt", "rules", "stats", "improve", "approve", "skip", "overrule", "forget", "confirm")
    folded, places = fold(text)
    assert len(places) == len(folded) + 1
    assert places == sorted(places)
    recall_query(text, shipped_table())


@pytest.mark.requirement("S15")
@pytest.mark.parametrize("code", sorted(RECALLS))
def test_a_prompt_that_asks_for_something_said_before_keeps_what_it_asks_about(code: str) -> None:
    left = recall_query(RECALLS[code], shipped_table())
    assert left is not None
    assert "pnpm" in left


@pytest.mark.requirement("S15")
@pytest.mark.parametrize("text", ["之前说过什么", "帮我回忆一下", "之前說過什麼？"])
def test_a_bare_wish_to_recall_leaves_nothing_to_look_for(text: str) -> None:
    left = recall_query(text, shipped_table())
    assert left is not None
    assert not any(letter.isalnum() for letter in left)


def test_a_prompt_that_does_not_ask_recalls_nothing() -> None:
    taken = [text for text in harmless() if recall_query(text, shipped_table()) is not None]
    assert taken == []


def test_a_language_of_the_user_comes_beside_the_shipped_ones() -> None:
    dutch = read_forms({"code": "nl", "learnt": ["wat heb je geleerd"], "approve": ["keur {n} goed"]}, "nl.toml")
    table = build_table([*shipped_forms(), dutch])
    assert read_request("Wat heb je geleerd?", table).kind == "learnt"
    assert read_request("keur 3 goed", table).target == "3"
    assert phrase_request(table, "nl", "approve", n="3") == "approve 3", "what it does not say is said in English"


@pytest.mark.parametrize(
    "data",
    [
        {"approve": ["keur goed"]},
        {"forget": ["{what}"]},
        {"forget": ["vergeet {n}"]},
        {"learned": ["wat"]},
        {"learnt": "wat"},
        {"forget": ["(a|b|c|d|e)(a|b|c|d|e)(a|b|c|d|e)(a|b|c|d|e) {what}"]},
    ],
)
def test_forms_by_which_nothing_can_be_read_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(LanguageError):
        read_forms({"code": "nl", **data}, "nl.toml")


def test_a_table_without_languages_asks_nothing() -> None:
    assert read_request("what did you learn", {}).kind == ""
    assert build_table([ChatForms(code="nl")])["forms"] == []
