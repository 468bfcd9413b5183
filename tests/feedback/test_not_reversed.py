"""No lesson says the opposite of what the user typed, and a remark is not delivered without approval."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.delivery.guards_from_rules import pattern_of_rule
from wisen.feedback.detector import shipped_detector
from wisen.feedback.lesson_explanation import add_call_trigger
from wisen.feedback.lesson_extraction import is_order as tells_what_to_do
from wisen.feedback.lesson_extraction import lesson_text
from wisen.memory.shorten import gist
from wisen.model.signal import Lesson, PrecedingEvent, SignalKind, TypedTurn
from wisen.text.negations import count_negations
from wisen.text.orders import is_order
from wisen.text.sameness import LessonIndex


def learnt(text: str) -> Lesson:
    """What is learned where a message is known to be a correction."""
    turn = TypedTurn(text=text, before=PrecedingEvent.OK)
    found = shipped_detector().signals(turn, forced={SignalKind.CORRECTION})
    return next(each.lesson for each in found if each.lesson is not None)


FORBIDDEN = [
    # English
    ("stop wrapping every call in try/except", "stop wrapping"),
    ("no more wildcard imports in the api folder", "no more wildcard"),
    ("no trailing commas in our JSON fixtures", "no trailing"),
    ("no inline styles please", "no inline styles"),
    ("quit touching the lock file", "quit touching"),
    ("enough with the ASCII banners", "enough with"),
    ("wait, don't squash those commits", "don't squash"),
    ("ok so never mock the clock in tests", "never mock"),
    ("but do not bump the major version", "do not bump"),
    ("right, avoid global state in workers", "avoid global"),
    ("please no barrel files", "no barrel files"),
    ("just no default exports", "no default exports"),
    ("nope, not lodash", "not lodash"),
    ("and no hardcoded ports anywhere", "no hardcoded ports"),
    ("You keep adding semicolons. Stop it.", "stop it"),
    ("Three exclamation marks in a heading. Never again.", "never again"),
    ("You opened the pull request yourself. Please don't do that.", "don't do that"),
    ("I said no comments above getters", "no comments"),
    ("I told you not to reformat vendored code", "not to reformat"),
    ("can you not paste whole files back at me", "not paste"),
    ("instead of sleeping, wait for the event", "instead of sleeping"),
    # German
    ("nicht jede Zeile kommentieren", "nicht jede"),
    ("kein Deutsch in den Commit-Nachrichten", "kein deutsch"),
    ("bitte keine neuen Abhängigkeiten einbauen", "keine neuen"),
    ("hör auf, die Tests zu löschen", "hör auf"),
    ("nie wieder ohne Rückfrage pushen", "ohne rückfrage"),
    ("nein, nicht die ganze Datei neu schreiben", "nicht die ganze"),
    # Spanish
    ("no toques los archivos generados", "no toques"),
    ("nada de abreviaturas en los nombres", "nada de"),
    ("deja de añadir comentarios obvios", "deja de"),
    ("no, no borres las migraciones viejas", "no borres"),
    # French
    ("pas de commentaires en anglais dans ce module", "pas de commentaires"),
    ("n'ajoute pas de dépendance pour ça", "n'ajoute pas"),
    ("arrête de renommer mes variables", "arrête de"),
    ("plus jamais de force push sur main", "jamais"),
    # Portuguese
    ("para de mudar a formatação do arquivo", "para de mudar"),
    ("chega de emojis nas mensagens de commit", "chega de"),
    # Italian
    ("non toccare la cartella delle migrazioni", "non toccare"),
    ("smettila di aggiungere log ovunque", "smettila"),
    ("basta commenti inutili nel codice", "basta commenti"),
    # Russian
    ("не трогай файлы в папке legacy", "не трогай"),
    ("не надо объяснять каждую строчку", "не надо"),
    ("хватит добавлять лишние зависимости", "хватит"),
    # Polish
    ("nie zmieniaj nazw kolumn w bazie", "nie zmieniaj"),
    ("bez komentarzy w testach proszę", "bez komentarzy"),
    # Turkish
    ("artık yorum satırı ekleme", "ekleme"),
    ("bana sormadan dosya silme", "sormadan"),
    # Swedish
    ("sluta lägga till tomma rader överallt", "sluta lägga"),
    ("inte fler beroenden i det här paketet", "inte fler"),
    # Vietnamese
    ("đừng đổi tên biến của tôi", "đừng đổi"),
    # Chinese, Japanese, Korean
    ("不要改测试里的断言", "不要"),
    ("别再加注释了", "别再"),
    ("コメントを勝手に消さないで", "消さないで"),
    ("不要なログは出さないでください", "出さないで"),
    ("테스트 파일은 건드리지 마세요", "지 마"),
    # Hindi, Arabic
    ("पुरानी फ़ाइलें मत बदलो", "मत"),
    ("لا تحذف الاختبارات القديمة", "لا تحذف"),
    ("بدون تعليقات في هذا الملف", "بدون"),
]  # fmt: skip
REMARKS = [
    "no need to explain each line of the diff",
    "now without the feature flag",
    "You wrote a README again. Nobody wanted one.",
    "we don't need a new class for every enum",
    "no hace falta que expliques cada cambio",
    "não precisa rodar tudo a cada alteração",
    "no, tabs",
    "stop: hammertime is a constant",
]
"""What waives something, or says only for the moment that something is not wanted: no directives."""


@pytest.mark.requirement("N4", "X7")
@pytest.mark.parametrize(("message", "kept"), FORBIDDEN, ids=[message for message, _ in FORBIDDEN])
def test_what_forbids_stays_in_the_lesson(message: str, kept: str) -> None:
    lesson = learnt(message).text
    assert kept in lesson.casefold()
    words = re.findall(r"\w+", lesson.casefold())
    assert " ".join(words) in " ".join(re.findall(r"\w+", message.casefold()))


@pytest.mark.requirement("N4", "X7")
@pytest.mark.parametrize("message", [*REMARKS, "log lines with emoji? no. plain text."])
def test_what_negates_and_is_no_directive_teaches_nothing_by_itself(message: str) -> None:
    found = shipped_detector().signals(
        TypedTurn(text=message, before=PrecedingEvent.OK), forced={SignalKind.CORRECTION}
    )
    assert [each.lesson for each in found if each.kind is SignalKind.CORRECTION] == [None]
    assert all(each.is_doubtful for each in found if each.lesson is not None), "at most its words speak for one"


@pytest.mark.requirement("N4", "X7")
@pytest.mark.parametrize("message", REMARKS)
def test_said_to_a_refused_call_it_is_quoted_whole_for_such_calls_alone(message: str) -> None:
    found = shipped_detector().signals(
        TypedTurn(text=message, before=PrecedingEvent.REJECT), forced={SignalKind.CORRECTION}
    )
    called = add_call_trigger(message, found, PrecedingEvent.REJECT, "make plums")
    (lesson,) = [each.lesson for each in called if each.lesson is not None and not each.is_doubtful]
    assert (lesson.text, lesson.standing) == (message, False)
    assert lesson.trigger is not None


@pytest.mark.requirement("N4")
@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        ("no, use pnpm, not npm. always.", "no, use pnpm, not npm. always."),
        ("hey claude, never commit on main", "never commit on main"),
        ("Claude: always keep the imports sorted!", "always keep the imports sorted!"),
        ("wait — don't merge without a review", "wait — don't merge without a review"),
        ("no more than two levels of nesting", "no more than two levels of nesting"),
        ("Prefer small commits. No exceptions.", "Prefer small commits. No exceptions."),
        ("That is wrong. Always keep the header, please.", "Always keep the header"),
        ("Keep the header. Always.", "Keep the header. Always."),
        ("Three banners in a page. Never again.", "Three banners in a page. Never again."),
    ],
)
def test_only_a_greeting_a_name_or_a_polite_word_falls_away(message: str, quoted: str) -> None:
    assert learnt(message).text == quoted


@pytest.mark.requirement("N4", "X7")
@pytest.mark.parametrize("message", ["never", "no, never.", "No. Never again.", "nein, nie", "non, jamais", "不要。"])
def test_what_only_negates_is_no_lesson(message: str) -> None:
    found = shipped_detector().signals(
        TypedTurn(text=message, before=PrecedingEvent.OK), forced={SignalKind.CORRECTION}
    )
    assert [each.lesson for each in found if each.lesson is not None] == []


@given(
    st.sampled_from(["no, ", "wait, ", "hey claude, ", "stop. ", "please ", "so ", "nein, ", "", "that's wrong. "]),
    st.sampled_from(["stop using", "never use", "do not use", "no more", "avoid", "use", "quit adding", "no need for"]),
    st.sampled_from(["tabs", "the cache", "any types", "npm in this repo"]),
    st.sampled_from(["", ". never.", ". always.", ", thanks", ". I do not want that.", " without asking", " for now"]),
)
def test_a_lesson_never_loses_a_negation_of_its_sentence(lead: str, order: str, what: str, tail: str) -> None:
    turn = TypedTurn(text=f"{lead}{order} {what}{tail}", before=PrecedingEvent.OK)
    lessons = [each.lesson for each in shipped_detector().signals(turn, forced={SignalKind.CORRECTION}) if each.lesson]
    waived = order == "no need for" or (order == "use" and tail not in (". never.", ". always.", " without asking"))
    assert lessons or waived or tail == " for now", "what holds for now teaches nothing"
    ends = "" if tail == ". I do not want that." else tail
    for each in lessons:
        assert f"{order} {what}" in each.text.casefold()
        # a whole sentence that is no directive is no part of the one before it
        assert count_negations(each.text) >= count_negations(f"{order} {what}{ends}")


@pytest.mark.requirement("N4")
@pytest.mark.parametrize(
    "message",
    [
        "no need to run the linter after each edit",
        "you don't have to explain everything",
        "feel free to use lodash",
        "you always forget the tests",
        "you used npm instead of pnpm",
        "it never works on the first try",
        "no problem, we can keep npm",
        "never mind",
        "why do you always use npm?",
        "can we use pnpm?",
        "the build is not green yet",
        "we used npm before the move",
        "no tests failed",
    ],
)
def test_a_remark_a_question_and_a_waiver_are_no_orders(message: str) -> None:
    assert not is_order(message)


@pytest.mark.parametrize(
    "message",
    [
        "stop using any types",
        "no more emojis",
        "we use tabs in this repo, never spaces",
        "this project uses pnpm",
        "here we squash before merging",
        "our team never pushes on Fridays",
        "tests must live next to the code",
        "could you please stop adding banners?",
        "in tests never use sleep",
        "I told you to use pnpm, not npm",
    ],
)
def test_an_order_and_the_way_of_a_project_are_orders(message: str) -> None:
    assert is_order(message)


@pytest.mark.requirement("S4")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dùng npm để cài thư viện trong dự án này", "đừng dùng npm để cài thư viện trong dự án này"),
        ("używaj npm do instalacji pakietów w projekcie", "nie używaj npm do instalacji pakietów w projekcie"),
        (
            "usa npm para instalar las dependencias del proyecto",
            "no uses npm para instalar las dependencias del proyecto",
        ),
        ("استخدم npm لتثبيت الحزم في المشروع", "لا تستخدم npm لتثبيت الحزم في المشروع"),
        ("चलाओ npm पैकेज लगाने के लिए इस प्रोजेक्ट में", "मत चलाओ npm पैकेज लगाने के लिए इस प्रोजेक्ट में"),
        ("använd npm för att installera paket i projektet", "använd inte npm för att installera paket i projektet"),
        ("run the whole suite after each change", "no need to run the whole suite after each change"),
        ("add emojis to commit messages", "no more emojis in commit messages"),
        ("keep using any types in tests", "stop using any types in tests"),
    ],
)
def test_an_order_and_its_opposite_are_never_one_lesson(one: str, other: str) -> None:
    lessons = LessonIndex()
    lessons.add("one", one)
    assert lessons.find(other) is None


@pytest.mark.requirement("X3")
@pytest.mark.parametrize(
    "rule",
    [
        "never use yarn instead of npm", "Stop using pnpm rather than npm.", "don't replace npm with pnpm",
        "If you use yarn instead of npm the lock file breaks.", "don't stop using npm", "no need to run npm",
        "Nobody should prefer yarn over npm.",
    ],
)  # fmt: skip
def test_no_guard_forbids_what_a_rule_asks_for(rule: str) -> None:
    made = pattern_of_rule(rule)
    assert made is None or made.watch != "shell: npm"


@pytest.mark.parametrize("rule", ["Stop using npm.", "no, use pnpm, not npm", "Use pnpm, not npm. always."])
def test_a_guard_forbids_what_a_rule_forbids(rule: str) -> None:
    made = pattern_of_rule(rule)
    assert made is not None
    assert made.watch == "shell: npm"


def test_a_diary_does_not_turn_a_request_round() -> None:
    assert gist("no more emojis in the headings") == "no more emojis in the headings"
    assert gist("no, sort the headings by name") == "sort the headings by name"


@pytest.mark.requirement("N4")
@pytest.mark.parametrize(
    "remark",
    [
        "But the cache has a problem if we rebase, since then the key would be not correct anymore.",
        "The list might not be valid when we split the pages.",
        "The comment is wrong: the name comes from the caller, not from the file.",
        "The build never finishes", "the test still fails, not sure why", "a run always takes an hour",
    ],
)  # fmt: skip
def test_what_tells_how_a_thing_is_is_no_order(remark: str) -> None:
    assert not is_order(remark)


@pytest.mark.parametrize(
    "order", ["pnpm not npm", "tabs, not spaces", "error messages in English, never in German", "no more emojis"]
)
def test_a_choice_without_a_verb_is_an_order(order: str) -> None:
    assert is_order(order)


@pytest.mark.requirement("N4")
def test_an_order_whose_end_is_missing_is_not_delivered_before_it_is_approved() -> None:
    long = (
        "Always use the new client for every request to the shop "
        + "and its many branches " * 12
        + "unless I say never"
    )
    lesson = lesson_text(long)
    assert lesson.endswith(" …")
    assert not tells_what_to_do(lesson)
    assert tells_what_to_do(lesson_text("Always use the new client for every request to the shop"))


@given(
    st.lists(
        st.sampled_from("don't n't no never n'a yapmadan 'no' not. cannot, x'no stop-it _no no_ a".split()), max_size=8
    )
)
def test_negations_are_counted_alike_whatever_letters_stand_beside_them(words: list[str]) -> None:
    text = " ".join(words)
    assert count_negations(text) == count_negations(f"{text} é")
