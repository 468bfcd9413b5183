"""In which languages a user writes is told over all his turns, and never where he does not."""

from __future__ import annotations

import pytest

from wisen.loop.detect.language import shipped_languages
from wisen.loop.detect.tongues import SCRIPTS, is_in, tongues, written

pytestmark = pytest.mark.requirement("C2")

USERS = {
    "nl": [
        "Zet de knop links van het zoekveld, niet rechts.",
        "waarom staat dit nog in de config? dat hoort in settings.py",
        "Dat klopt niet, de test faalt nog steeds op de laatste regel van het bestand",
        "kun je ook een test voor de lege lijst schrijven?",
        "gebruik geen print maar de logger die we al hebben",
        "ziet er goed uit, maar de import naar utils is niet meer nodig",
    ],
    "da": [
        "Flyt knappen til venstre, den skal ikke være under feltet.",
        "hvorfor bliver testen stadig ikke kørt i CI?",
        "Det er ikke det jeg bad om, du skal kun ændre parseren",
        "kan du også skrive noget om hvordan man kører den lokalt",
        "nej, brug den funktion som vi fik lavet i går, og ikke en ny",
        "nu virker det, men der er blevet meget kode af det",
    ],
    "uk": [
        "Перенеси кнопку ліворуч, вона не має бути під полем.",
        "чому цей тест досі не проходить? я вже казав, що треба оновити базу",
        "Це не те, що я просив: потрібно змінити тільки парсер",
        "додай ще перевірку, якщо список порожній",
        "зараз працює, але коду стало забагато, зроби простіше",
    ],
    "el": [
        "Βάλε το κουμπί αριστερά, όχι κάτω από το πεδίο.",
        "γιατί δεν τρέχει ακόμα το test στο CI;",
        "Δεν είναι αυτό που ζήτησα, άλλαξε μόνο τον parser",
        "πρόσθεσε και έναν έλεγχο για άδεια λίστα",
    ],
    "th": [
        "ย้ายปุ่มไปทางซ้าย ไม่ใช่ใต้ช่องค้นหา",
        "ทำไม test ยังไม่ผ่านใน CI",
        "นี่ไม่ใช่ที่ขอ แก้แค่ parser ก็พอ",
        "ช่วยเพิ่มการตรวจสอบรายการว่างด้วยครับ",
    ],
    "fa": [
        "دکمه را ببر سمت چپ، نباید زیر کادر جستجو باشد.",
        "چرا این تست هنوز در CI رد می‌شود؟",
        "این چیزی نیست که من خواستم، فقط parser را عوض کن",
        "برای لیست خالی هم یک تست بنویس لطفا",
        "الان درست شد اما کد خیلی زیاد است",
    ],
    "id": [
        "tolong pindahkan tombolnya ke kiri, bukan di bawah kolom itu",
        "kenapa test ini masih gagal di CI? saya sudah bilang harus pakai pnpm",
        "jangan ubah file yang lain, hanya parser ini",
        "kalau daftarnya kosong juga harus ada pesan dari server",
        "sekarang bisa, tapi kodenya belum rapi dan tidak ada test untuk itu",
    ],
    "cs": [
        "Posuň to tlačítko doleva, nemá být pod polem.",
        "proč ten test ještě není v CI? už jsem říkal, že se má spustit",
        "tohle není to, co jsem chtěl, prosím změň jen parser",
        "když je seznam prázdný, tak by se měla ukázat chyba, nebo ne?",
        "teď je to dobře, ale ještě tam něco je v tom souboru, který jsi smazal",
    ],
}
SHIPPED = {
    "en": [
        "move the button to the left of the search box, not under it",
        "why is this test still red in CI? cat /etc/os-release and check the node version",
        "no, use the van der Waals table we have in data/het.csv, not a new one",
        "git checkout -b fix/die-on-sigterm && rebase it on main",
        "de-dupe the list in la_utils.py, then run `npm run e2e` again",
        "set LANG=da_DK in the docker file and see if sort still works",
        "i ran it on my mac: zsh: no such file: en.po, so add it",
        "rename var i to idx and kan to can, that's a typo",
    ],
    "de": [
        "Schieb den Knopf nach links, der soll nicht unter das Feld.",
        "warum ist der Test in CI immer noch rot?",
        "das ist nicht was ich wollte, ändere nur den Parser",
        "wenn die Liste leer ist, dann soll auch eine Meldung kommen",
        "jetzt geht es, aber der Code ist viel zu lang geworden",
    ],
    "sv": [
        "Flytta knappen till vänster, den ska inte vara under fältet.",
        "varför är testet fortfarande rött i CI?",
        "det är inte det jag bad om, ändra bara parsern",
        "om listan är tom ska det också komma ett meddelande",
        "nu fungerar det, men koden har blivit för lång",
        "kan du göra det igen men med den andra filen och inte den här",
    ],
    "es": [
        "Mueve el botón a la izquierda, no debajo del campo.",
        "¿por qué el test sigue en rojo en CI?",
        "eso no es lo que pedí, cambia solo el parser",
        "si la lista está vacía también tiene que salir un mensaje",
        "ahora funciona, pero el código es muy largo",
    ],
    "pt": [
        "Move o botão para a esquerda, não por baixo do campo.",
        "por que o teste ainda está vermelho no CI?",
        "não foi isso que pedi, muda só o parser",
        "se a lista estiver vazia também tem que aparecer uma mensagem",
        "agora funciona, mas o código está muito longo",
    ],
    "fr": [
        "Mets le bouton à gauche, pas sous le champ.",
        "pourquoi le test est encore rouge dans la CI ?",
        "ce n'est pas ce que j'ai demandé, change seulement le parser",
        "si la liste est vide il faut aussi un message",
        "ça marche, mais le code est trop long",
    ],
    "it": [
        "Sposta il bottone a sinistra, non sotto il campo.",
        "perché il test è ancora rosso in CI?",
        "non è quello che ho chiesto, cambia solo il parser",
        "se la lista è vuota ci vuole anche un messaggio",
        "adesso funziona, ma il codice è troppo lungo",
    ],
    "pl": [
        "Przesuń przycisk w lewo, nie ma być pod polem.",
        "dlaczego ten test jest jeszcze czerwony w CI?",
        "to nie jest to, o co prosiłem, zmień tylko parser",
        "jak lista jest pusta, to też ma być komunikat",
        "teraz działa, ale kod jest za długi",
    ],
    "tr": [
        "Düğmeyi sola al, alanın altında olmasın.",
        "bu test neden hala kırmızı?",
        "bu istediğim şey değil, sadece parser'ı değiştir",
        "liste boş ise bir mesaj da olsun",
        "şimdi oldu ama kod çok uzun ve daha test yok",
    ],
    "vi": [
        "Chuyển nút sang trái, không phải ở dưới ô tìm kiếm.",
        "sao test này vẫn đỏ trong CI?",
        "đây không phải cái tôi cần, chỉ sửa parser thôi",
        "nếu danh sách rỗng thì cũng phải có thông báo",
    ],
    "ru": [
        "Передвинь кнопку влево, она не должна быть под полем.",
        "почему этот тест все еще красный в CI?",
        "это не то, что я просил, поменяй только парсер",
        "если список пустой, то тоже надо показать сообщение",
        "теперь работает, но код слишком длинный, и это не все",
    ],
    "ar": [
        "انقل الزر إلى اليسار، لا تضعه تحت الحقل.",
        "لماذا هذا الاختبار ما زال يفشل في CI؟",
        "هذا ليس ما طلبته، غير المحلل فقط",
        "إذا كانت القائمة فارغة يجب أن تظهر رسالة من الخادم",
    ],
    "hi": [
        "बटन को बाईं ओर ले जाओ, इसे फ़ील्ड के नीचे मत रखो।",
        "यह टेस्ट अभी भी CI में क्यों फेल हो रहा है?",
        "मैंने यह नहीं कहा था, बस parser को बदलो",
        "अगर लिस्ट खाली है तो भी एक मैसेज आना चाहिए",
    ],
    "zh": ["把按钮移到左边，不要放在下面", "为什么测试还是红的？", "这不是我要的，只改 parser", "列表为空也要提示"],
    "ja": ["ボタンを左に移動して", "なぜテストがまだ赤いの？", "これは頼んだことじゃない", "空のリストもチェックして"],
    "ko": [
        "버튼을 왼쪽으로 옮겨줘",
        "왜 테스트가 아직 빨간색이야?",
        "이건 내가 말한 게 아니야",
        "빈 목록도 확인해줘",
    ],
}


@pytest.mark.parametrize("code", USERS)
def test_the_language_of_a_user_is_found(code: str) -> None:
    found = written(USERS[code])
    assert [each.code for each in found] == [code]
    assert 3 <= found[0].turns <= len(USERS[code])
    assert found[0].words


@pytest.mark.parametrize("code", USERS)
def test_it_is_found_among_much_english(code: str) -> None:
    assert {each.code for each in written([*SHIPPED["en"] * 40, *USERS[code]])} == {"en", code}


@pytest.mark.parametrize("code", USERS)
def test_one_turn_or_the_same_words_again_tell_nothing(code: str) -> None:
    assert written(USERS[code][:1]) == ()
    assert written(USERS[code][:2]) == ()


@pytest.mark.parametrize("code", SHIPPED)
def test_a_language_that_is_shipped_is_taken_for_no_other(code: str) -> None:
    assert {each.code for each in written(SHIPPED[code] * 20)} <= {code}


def test_all_shipped_ones_together_are_taken_for_no_other() -> None:
    every = [text for texts in SHIPPED.values() for text in texts]
    assert {each.code for each in written(every * 3)} <= SHIPPED.keys()


def test_what_is_quoted_or_code_does_not_count() -> None:
    assert written([f"translate `{text}` to English please" for text in USERS["nl"]]) == ()


def test_a_hundred_or_so_words_tell_each_language_and_at_least_forty_more_are_known() -> None:
    more = tongues().keys() - {each.code for each in shipped_languages()}
    assert len(more) >= 55
    for code, tongue in tongues().items():
        words = tongue.words.split()
        assert 12 <= len(words) <= 75, code
        assert all(is_in(tongue.script, word) for word in words), code
        assert tongue.script in SCRIPTS


def test_a_script_is_told_by_letters() -> None:
    assert is_in("Greek", "το parser")
    assert not is_in("Greek", "parser")
    assert not is_in("Greek", "το это")
