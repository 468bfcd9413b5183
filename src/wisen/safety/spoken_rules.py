"""Rules for secrets that people say in a sentence, in every shipped language: passwords, PINs, and seed phrases."""

from __future__ import annotations

import re

from wisen.safety.secret_forms import SecretRule
from wisen.safety.secret_heuristics import is_placeholder
from wisen.text.lazy_regex import lazy_regex

_WORDS = (
    *"password passwort passwd passphrase passcode pwd kennwort zugangscode contraseña contrasena clave parola".split(),
    *"senha palavra-passe hasło haslo hasła lösenord losenord şifre sifre पासवर्ड ароль ароля".split(),
    *"密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 패스워드".split(),
    *("mot de passe", "mật khẩu", "كلمة المرور", "كلمة السر", "pass is"),
)
_IS = (
    "is|was|are|equals|ist|war|lautet|heißt|est|était|es|era|sarà|è|é|jest|to|brzmi|är|olarak|là|है|это|будет|هي|هو|now|still"
    "|jetzt|currently"
)
_GLUED = "(?:は|が|는|은|이|是|为|為|：)"
_STARTS = r"""\\*["'`«»„“”「『(]{0,3}"""
_VALUE = r"""(?P<value>[^\s"'`«»“”」』)(\\,;<>|。、]{5,80})"""
_FOR = r"""[^\n.!?;{}()=<>]{0,60}?"""
_NAME_OF_METHOD = lazy_regex(
    r"(?i)(?:sha-?\d+|md5|base(?:32|64)|utf-?\d+|oauth2?|bcrypt\d?|argon2\w*|pbkdf2|scrypt|aes-?\d+|ipv[46]|rfc\d+|hs256|rs256)"
    r"(?:-?\w+)?"
)
_CODE_LIKE = lazy_regex(
    r"(?i)\w+\.\w{1,5}|v?\d+(?:\.\d+)+|\d{1,3}(?:st|nd|rd|th|-\w+)|\d{4}-\d\d-\d\d|\w+\[\w*\]?|\w+::\w+|\w+(?:/[\w.-]+)+|p\d+"
    r"|\w+_\w+|\d+|[a-z]+-[a-z-]+|[a-z]+\d?"
)
"""Words with digits or symbols that say something about a password and are none."""
_WORD_AND_NUMBER = lazy_regex(r"[a-z]{3,12}\d{2,6}|[A-Z][a-z]{2,}\d{2,6}|[A-Za-z]{3,}\d+[^\w\s]+")


def is_spoken_password(value: str) -> bool:
    """Whether what a sentence calls a password can be one: no word, no name and no value of code."""
    bare = value.rstrip(".:!?…")
    if len(bare) < 6 or not bare.isascii() or is_placeholder(bare) or _NAME_OF_METHOD.fullmatch(bare):
        return False
    if bare.startswith(("$", "%", "/", "~", "--", "@", "#", "http", "{", "[")) or not any(map(str.isdigit, bare)):
        return False
    return bool(_WORD_AND_NUMBER.fullmatch(bare)) or not _CODE_LIKE.fullmatch(bare)


def is_pin(value: str) -> bool:
    """Whether digits can be a PIN, and not a year."""
    return not re.fullmatch(r"(?:19|20)\d\d", value)


_SEED = (
    "seed phrase|seed words|seed is|seed:|seedphrase|seed-phrase|recovery phrase|recovery words|mnemonic|backup phrase"
    "|wallet|secret phrase|wiederherstellung|phrase de récup|phrase secrète|phrase mnémo|frase semilla|frase de recup"
    "|frase mnem"
    "|frase seed|frase segreta|frase di recup|palavras-chave|frase-semente|fraza|frazy|återställning|kurtarma|tohum"
    "|khôi phục|cụm từ|रिकवरी|सीड|фраз|раза|мнемони|сид|助记词|助記詞|种子|恢复|ニーモニック|シード|リカバリー|復元"
    "|시드|복구|니모닉|الاسترداد|الاستعادة|البذور|bip39|bip-39|12 words|24 words|twelve words"
)
_NOT_SEED = frozenset(
    "the and for are was has not but with from have been does did its his her our their were had would could which "
    "into than them these those being also because very just like".split()
)
_NUMBERED = r"(?:\#?\d{1,2}[.):\]-]?[ \t]{0,3})?"
_BETWEEN = r"[ \t]{0,3}(?:[,;|/-]|\\?\r?\n|\\n)?[ \t>*-]{0,8}"
_ROW = rf"(?P<value>{_NUMBERED}[a-z]{{3,8}}(?:{_BETWEEN}{_NUMBERED}(?<=[^a-z])[a-z]{{3,8}}){{11,23}})(?![A-Za-z])"


def is_seed_phrase(row: str) -> bool:
    """Whether a row of words can be a wallet's seed phrase: as many as those have, and no function words."""
    words = re.findall(r"[a-z]{3,8}", row.replace("\\n", " "))
    return len(words) >= 12 and not _NOT_SEED.intersection(words) and len(set(words)) >= len(words) - 3


SPOKEN: tuple[SecretRule, ...] = (
    *(
        SecretRule(
            name="spoken-password",
            triggers=_WORDS,
            form=rf"(?:{'|'.join(map(re.escape, _WORDS))})(?:{between}){_STARTS}{_VALUE}",
            check=is_spoken_password,
            ignores_case=True,
        )
        for between in (
            rf"\w{{0,6}}(?:\s?[:=]\s{{0,3}}|\s{{1,3}})|[ ]?{_GLUED}[:\s]{{0,3}}",
            rf"{_FOR}(?:(?<![A-Za-z])(?:{_IS})(?![A-Za-z])[: ]{{0,3}}|:\s{{1,3}})",
        )
    ),
    SecretRule(
        name="spoken-pin",
        triggers=(
            *("pin is", "pin ist", "pin: ", "pin code", "pin-code", "pincode", "pin est", "pin es ", "pin è", "pin é"),
            *("pin-код", "pin码", "pin 码", "my pin", "meine pin"),
        ),
        form=r"pin(?:[ -]?code|-код|\s?码)?(?:[ ]for[ ][^\n.]{1,30}?)?[ ]?"
        r"(?:is|ist|est|es|è|é|lautet|:|=|是|—)[: ]{0,2}"
        r"""["'`]?(?P<value>\d{4,8})(?![\w.:-])""",
        check=is_pin,
        ignores_case=True,
    ),
    SecretRule(
        name="seed-words",
        triggers=tuple(_SEED.split("|")),
        form=rf"""[\s\S]{{0,160}}?(?:[\s:"'`(>=\[]|{_GLUED}){_ROW}""",
        check=is_seed_phrase,
    ),
)
"""Tried after all other rules."""
