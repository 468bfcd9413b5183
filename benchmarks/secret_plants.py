"""Generates texts that must not be kept: forms × languages × carriers, from a seed.

Passwords in a sentence, PINs, wallet seed words, tokens split over lines or concatenated from strings, telephone
numbers. `count_kept` has all of them learned and then searches for them in every byte of the home.
"""

from __future__ import annotations

import random
import string
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import wisen
from wisen.testing.transcripts import ClaudeTranscript

SPOKEN = {
    "en": (
        "my password is {}",
        "the password for the staging box is {} by the way",
        "ok the passphrase was {}, try again",
    ),
    "de": ("das Passwort ist {}", "Mein Kennwort für den Server lautet {}", "nimm das Passwort: {}"),
    "fr": ("le mot de passe est {}", "mon mot de passe pour la base est {}", "mot de passe : {}"),
    "es": ("la contraseña es {}", "mi contraseña del servidor es {}", "usa la clave {}"),
    "it": ("la password è {}", "la mia password per il server è {}", "usa la parola d'ordine: password {}"),
    "pt": ("a senha é {}", "minha senha do servidor é {}", "senha: {}"),
    "pl": ("hasło to {}", "moje hasło do serwera to {}", "hasło: {}"),
    "sv": ("lösenordet är {}", "mitt lösenord till servern är {}", "lösenord: {}"),
    "tr": ("şifre: {}", "sunucu şifresi {}", "şifrem {}"),
    "vi": ("mật khẩu là {}", "mật khẩu của máy chủ là {}", "mật khẩu: {}"),
    "hi": ("मेरा पासवर्ड {} है", "सर्वर का पासवर्ड है {}", "पासवर्ड: {}"),
    "ru": ("мой пароль {}", "пароль от сервера: {}", "Пароль это {}"),
    "zh": ("密码是{}", "服务器的密码是 {}", "密码：{}"),
    "ja": ("パスワードは{}です", "サーバーのパスワードは {} です", "パスワード：{}"),
    "ko": ("비밀번호는 {} 입니다", "서버 비밀번호는 {}", "비밀번호: {}"),
    "ar": ("كلمة المرور هي {}", "كلمة السر هي {}", "كلمة المرور: {}"),
}
SEEDS = {
    "en": ("my seed phrase is: {}", "recovery phrase: {}", "wallet backup, 12 words: {}"),
    "de": ("meine Wiederherstellungswörter: {}", "Seed-Phrase der Wallet: {}"),
    "fr": ("phrase de récupération : {}",),
    "es": ("mi frase semilla: {}", "frase de recuperación: {}"),
    "it": ("la frase seed: {}",),
    "pt": ("frase-semente: {}", "frase de recuperação: {}"),
    "pl": ("fraza odzyskiwania: {}",),
    "sv": ("återställningsfras: {}",),
    "tr": ("kurtarma kelimeleri: {}",),
    "vi": ("cụm từ khôi phục: {}",),
    "hi": ("रिकवरी वाक्यांश: {}",),
    "ru": ("сид-фраза: {}", "мнемоническая фраза: {}"),
    "zh": ("助记词：{}", "钱包恢复短语: {}"),
    "ja": ("リカバリーフレーズ: {}", "シードフレーズ：{}"),
    "ko": ("시드 문구: {}", "복구 문구: {}"),
    "ar": ("عبارة الاسترداد: {}",),
}
CALLED = {
    "en": ("call Anna at {}", "her phone number is {}", "Tom's mobile: {}"),
    "de": ("Annas Telefonnummer ist {}", "ruf Tom unter {} an", "Handy von Eva: {}"),
    "fr": ("son numéro est le {}", "le téléphone de Luc : {}"),
    "es": ("el teléfono de Ana es {}", "llama a Luis al {}"),
    "it": ("il numero di Carla è {}", "chiama Marco al {}"),
    "pt": ("o telefone da Rita é {}", "celular do João: {}"),
    "pl": ("numer telefonu Ewy to {}", "zadzwoń do Jana: {}"),
    "sv": ("Annas telefonnummer är {}", "ring Lars på {}"),
    "tr": ("Ayşe'nin telefonu {}", "telefon numarası: {}"),
    "vi": ("số điện thoại của Lan là {}", "gọi cho Minh: {}"),
    "hi": ("रवि का फोन नंबर {} है",),
    "ru": ("телефон Анны: {}", "позвони Олегу: {}"),
    "zh": ("小王的电话是 {}", "手机号：{}"),
    "ja": ("彼女の電話番号は {}", "携帯: {}"),
    "ko": ("민수 전화번호는 {}", "연락처: {}"),
    "ar": ("رقم هاتف ليلى {}", "اتصل بـ سامي {}"),
}
WITNESS = "please count the pears in the orchard again"
"""A harmless sentence in every session: it has to be there."""
_SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve wi zo cra plo ster min dal ker".split()
_SPLITS = ("{0}\n{1}", "{0}\n    {1}", "> {0}\n> {1}", "+{0}\n+{1}")
_JOINS = (
    'k = "{0}" + "{1}"',
    "k = '{0}'+'{1}'",
    'k = ("{0}"\n     "{1}")',
    '$k = "{0}" . "{1}";',
    'k := "{0}" +\n\t"{1}"',
)
CARRIERS = ("{}", "hi, {}", "first line\n{}\nthanks", "- {}", '"{}"', "NOTE ({})", "```\n{}\n```", "[10:02] bob: {}")


class Plant(NamedTuple):
    """A text with something in it that must not be kept."""

    form: str
    language: str
    text: str
    needles: tuple[str, ...]
    """Parts by which it would be found again."""


def make_plants(seed: int, many: int) -> list[Plant]:
    """So many plants, the forms in turn."""
    chance = random.Random(seed)
    forms = (_password, _seed_words, _telephone, _split, _joined)
    return [forms[number % len(forms)](chance) for number in range(many)]


def count_kept(folder: Path, seed: int, many: int) -> dict[str, object]:
    """Count the plants found in the bytes of a home that learned from sessions full of them."""
    made = make_plants(seed, many)
    for first in range(0, many, 20):
        log = ClaudeTranscript(first + 1, cwd="/home/ada/orchard")
        for number, plant in enumerate(made[first : first + 20]):
            if number % 2:
                log.bash("make notes", plant.text, exit_code=number % 4 == 1)
            else:
                log.prompt(plant.text)
        log.prompt(WITNESS)
        log.write(folder / "logs")
    home = folder / "home"
    with wisen.open_learner(home, environment={"HOME": str(folder), "WISEN_HOME": str(home)}) as learner:
        learner.learn(folder / "logs")
        learner.cycle(quick=True)
    held = b"\n".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())
    if WITNESS.encode() not in held:
        raise AssertionError("nothing at all was kept, so that nothing was measured")
    kept = [each for each in made if any(needle.encode() in held for needle in each.needles)]
    by_form = Counter(each.form for each in kept)
    by_language = Counter(each.language for each in kept)
    return {
        "plants": many,
        "kept": len(kept),
        "share": round(len(kept) / many, 4),
        "by_form": dict(by_form),
        "by_language": dict(by_language),
        "examples": [each.text for each in kept[:10]],
    }


def measure_seeds(seeds: tuple[int, ...], many: int) -> dict[str, object]:
    """The same for several seeds."""
    found: dict[str, object] = {}
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            found[str(seed)] = count_kept(Path(folder), seed, many)
    return found


def _in_carrier(chance: random.Random, text: str) -> str:
    return chance.choice(CARRIERS).format(text)


def _password(chance: random.Random) -> Plant:
    language = chance.choice([*SPOKEN])
    word = "".join(chance.choices(_SYLLABLES, k=2))
    made = chance.choice(
        (
            f"{word}{chance.randrange(10, 99999)}",
            f"{word.title()}{chance.randrange(10, 9999)}!",
            "".join(chance.choices(string.ascii_letters + string.digits, k=11)) + "7k",
            f"{word}-{chance.randrange(100, 999)}-{word.title()}{chance.randrange(9)}x",
        )
    )
    return Plant("password", language, _in_carrier(chance, chance.choice(SPOKEN[language]).format(made)), (made,))


def _seed_words(chance: random.Random) -> Plant:
    language = chance.choice([*SEEDS])
    words = [
        "".join(chance.choices(_SYLLABLES, k=2))[: chance.randrange(4, 9)]
        for _ in range(chance.choice((12, 15, 18, 24)))
    ]
    row = chance.choice(
        (
            " ".join(words),
            ", ".join(words),
            "\n" + "\n".join(f"{number}. {word}" for number, word in enumerate(words, 1)),
            " ".join(f"{number}) {word}" for number, word in enumerate(words, 1)),
        )
    )
    text = chance.choice(SEEDS[language]).format(row)
    return Plant("seed words", language, _in_carrier(chance, text), (row, " ".join(words[3:8])))


def _telephone(chance: random.Random) -> Plant:
    language = chance.choice([*CALLED])

    def digits(many: int) -> str:
        return "".join(chance.choices("2346789", k=many))

    number = chance.choice(
        (
            f"+49 17{digits(1)} {digits(7)}",
            f"+34 6{digits(2)} {digits(2)} {digits(2)} {digits(2)}",
            f"017{digits(1)} {digits(7)}",
            f"06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}",
            f"({digits(3)}) {digits(3)}-{digits(4)}",
            f"{digits(3)}-{digits(3)}-{digits(4)}",
            f"090-{digits(4)}-{digits(4)}",
            f"+1 {digits(3)} {digits(3)} {digits(4)}",
            f"+4917{digits(8)}",
        )
    )
    return Plant("telephone", language, _in_carrier(chance, chance.choice(CALLED[language]).format(number)), (number,))


def _token(chance: random.Random) -> str:
    body = "".join(chance.choices(string.ascii_letters + string.digits, k=36))
    return chance.choice(("ghp_", "gho_", "npm_")) + body


def _halves(chance: random.Random) -> tuple[str, str, str]:
    token = _token(chance)
    at = chance.randrange(6, 30)
    return token, token[:at], token[at:]


def _split(chance: random.Random) -> Plant:
    _, one, two = _halves(chance)
    return Plant("split", "", _in_carrier(chance, chance.choice(_SPLITS).format(one, two)), (two,))


def _joined(chance: random.Random) -> Plant:
    _, one, two = _halves(chance)
    return Plant("joined", "", _in_carrier(chance, chance.choice(_JOINS).format(one, two)), (two,))
