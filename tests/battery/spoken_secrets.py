"""What people say about passwords, PINs, seed phrases and other people, in sentences that no rule was written for."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

PASSWORDS = {
    "en": (
        "fyi the db login changed, pw: {}",
        "just log in with root / {} and check",
        "Password for wifi = {}",
        "I set the admin password to {} yesterday",
        "use {} as the password",
        "try the password {} on staging",
        "the new passcode for the box: {}",
        "can you ssh in, pass is {}",
    ),
    "de": (
        "das neue Passwort für die Datenbank: {}",
        "mein Passwort wäre {}",
        "ich habe das Passwort auf {} geändert",
        "nimm {} als Passwort",
        "Zugang: admin, Passwort {}",
        "Kennwort = {}",
        "Das Passwort vom Router heißt {}",
    ),
    "fr": (
        "j'ai changé le mot de passe en {}",
        "utilise {} comme mot de passe",
        "le nouveau mot de passe : {}",
        "mot de passe du serveur = {}",
        "connecte-toi avec le mot de passe {}",
    ),
    "es": (
        "cambié la contraseña a {}",
        "usa {} como contraseña",
        "la nueva contraseña: {}",
        "entra con la contraseña {}",
        "contraseña del servidor = {}",
    ),
    "it": (
        "ho cambiato la password in {}",
        "usa {} come password",
        "la nuova password: {}",
        "entra con la password {}",
        "password del server = {}",
    ),
    "pt": (
        "mudei a senha para {}",
        "usa {} como senha",
        "a nova senha: {}",
        "entra com a senha {}",
        "senha do servidor = {}",
    ),
    "pl": (
        "zmieniłem hasło na {}",
        "użyj {} jako hasła",
        "nowe hasło: {}",
        "zaloguj się hasłem {}",
        "hasło do bazy = {}",
    ),
    "sv": (
        "jag bytte lösenordet till {}",
        "använd {} som lösenord",
        "nya lösenordet: {}",
        "logga in med lösenordet {}",
        "lösenord = {}",
    ),
    "tr": (
        "şifreyi {} yaptım",
        "şifre olarak {} kullan",
        "yeni şifre: {}",
        "{} şifresiyle gir",
        "sunucu şifresi = {}",
        "parola: {}",
    ),
    "vi": ("tôi đã đổi mật khẩu thành {}", "dùng {} làm mật khẩu", "mật khẩu mới: {}", "đăng nhập bằng mật khẩu {}"),
    "hi": ("मैंने पासवर्ड बदलकर {} कर दिया", "पासवर्ड {} इस्तेमाल करो", "नया पासवर्ड: {}", "पासवर्ड = {}"),
    "ru": (
        "я поменял пароль на {}",
        "используй {} как пароль",
        "новый пароль: {}",
        "зайди с паролем {}",
        "пароль = {}",
    ),
    "zh": ("我把密码改成了{}", "用 {} 作为密码", "新密码：{}", "密码设为 {}", "密码={}"),
    "ja": ("パスワードを{}に変更しました", "パスワードには {} を使って", "新しいパスワード: {}", "パスワード={}"),
    "ko": ("비밀번호를 {} 로 바꿨어", "{} 를 비밀번호로 써", "새 비밀번호: {}", "비밀번호={}"),
    "ar": ("غيرت كلمة المرور إلى {}", "استخدم {} ككلمة مرور", "كلمة المرور الجديدة: {}", "كلمة السر = {}"),
}
PINS = (
    *("my pin is {}", "the PIN for the door: {}", "enter PIN {}", "die PIN ist {}", "PIN für die Karte: {}"),
    *(
        "mon code PIN est {}",
        "el PIN es {}",
        "il PIN è {}",
        "o PIN é {}",
        "PIN to {}",
        "PIN-koden är {}",
        "PIN kodu {}",
    ),
    *("mã PIN là {}", "पिन {} है", "ПИН-код: {}", "PIN码是{}", "暗証番号は{}です", "핀 번호는 {}", "الرقم السري هو {}"),
)
_SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve wi zo cra plo ster min dal ker".split()


def make_password(chance: random.Random) -> str:
    """A password as people make them, or as a manager does."""
    word, letters = "".join(chance.choices(_SYLLABLES, k=2)), string.ascii_letters + string.digits
    return chance.choice(
        (
            f"{word}{chance.randrange(10, 99999)}",
            f"{word.title()}{chance.randrange(10, 9999)}!",
            "".join(chance.choices(letters, k=11)) + "7k",
            f"{word}-{chance.randrange(100, 999)}-{word.title()}{chance.randrange(9)}x",
            f"{word.title()}#{chance.randrange(10, 9999)}{word}",
        )
    )


def make_pin(chance: random.Random) -> str:
    """Four to six digits that are no year."""
    return str(chance.choice((chance.randrange(3000, 9999), chance.randrange(300_000, 999_999))))


def luhn(digits: str) -> str:
    """The digits with their check digit."""
    total = sum(int(digit) * 2 // 10 + int(digit) * 2 % 10 for digit in digits[::-2])
    total += sum(int(digit) for digit in digits[-2::-2])
    return f"{digits}{-total % 10}"


def private_texts(chance: random.Random) -> dict[str, str]:
    """Texts with private data, by what they have: cards, accounts, papers, telephones, illness. All made up."""

    def some(many: int) -> str:
        return "".join(chance.choices("2346789", k=many))

    # Numbers of few different digits are taken for made up.
    card = luhn((chance.choice(("4", "51", "52")) + "".join(chance.sample("0123456789", k=10)) + some(4))[:15])
    spaced = " ".join(card[start : start + 4] for start in range(0, 16, 4))
    bank = some(18)
    iban = f"DE{98 - int(f'{bank}131400') % 97:02}{bank}"
    ssn = f"{chance.randrange(100, 665)}-{chance.randrange(10, 99)}-{chance.randrange(1000, 9999)}"
    who, ill = (
        chance.choice(("My wife", "Our client", "My boss", "His son")),
        chance.choice(("diabetes", "epilepsy", "HIV")),
    )
    found = chance.choice(("diagnosed with", "treated for"))
    return {
        "card": chance.choice((f"charge the card {spaced}", f"Karte: {spaced}", f"visa {card} cvv 123")),
        "account": chance.choice((f"please wire it to {iban}", f"IBAN: {iban}", f"mi cuenta es {iban}")),
        "identity": chance.choice((f"her SSN: {ssn}", f"the social security number is {ssn}")),
        "passport": f"his passport number is {chance.choice('CFGHJK')}{''.join(chance.sample('23456789', 8))}",
        "illness": f"{who} was {found} {ill} last {chance.choice(('year', 'May'))}",
        "telephone": chance.choice(
            (
                f"text Maria on her mobile: +44 7{some(3)} {some(6)}",
                f"Omas Handynummer lautet 017{some(1)} {some(7)}",
                f"le portable de Luc, c'est le 06 {some(2)} {some(2)} {some(2)} {some(2)}",
                f"el móvil de Ana: +34 6{some(2)} {some(3)} {some(3)}",
            )
        ),
    }


def seed_phrase(chance: random.Random) -> str:
    """Twelve or twenty-four words of no language in a sentence."""
    words = ["".join(chance.choices(_SYLLABLES, k=2))[:8] for _ in range(chance.choice((12, 24)))]
    row = chance.choice((" ".join(words), ", ".join(words), "\n".join(words)))
    return chance.choice(
        (
            "here is my seed phrase, keep it safe: {}",
            "ok restore the wallet with {}",
            "die Wiederherstellungsphrase lautet: {}",
            "mi frase de recuperación es {}",
            "助记词是：{}",
            "сид-фраза кошелька: {}",
        )
    ).format(row)
