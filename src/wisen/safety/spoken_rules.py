"""Rules for secrets that people say in a sentence, in every shipped language: passwords, PINs, and seed phrases."""

from __future__ import annotations

import re

from wisen.safety.secret_forms import SecretRule
from wisen.safety.secret_heuristics import is_placeholder
from wisen.text.lazy_regex import lazy_regex

_WORDS = (
    *"password passwort passwd passphrase passcode pwd kennwort zugangscode contraseña contrasena clave parola".split(),
    *"senha palavra-passe hasło haslo hasła hasłem lösenord losenord şifre sifre parolas".split(),
    *"पासवर्ड ароль ароля пароль паролем".split(),
    *"密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 패스워드".split(),
    *("mot de passe", "mật khẩu", "كلمة المرور", "كلمة السر", "كلمة مرور", "pass is"),
)
_WORD = "|".join(map(re.escape, _WORDS))
_IS = (
    "is|was|are|equals|ist|war|lautet|heißt|est|était|es|era|sarà|è|é|jest|to|brzmi|är|olarak|là|है|это|будет|هي|هو|now|still"
    "|jetzt|currently|wäre|serait|sería|sarebbe|seria|बदलकर"
)
_GLUED = "(?:には|は|が|を|는|은|이|를|을|设为|設為|改为|改為|改成了?|是|为|為|：)"
_CHANGED = "chang|set |updat|rotat|modifi|cambi|mud[eao]|alter|zmieni|byt|ändra|đổi|меня|мени|غير|değiş"
_CHANGED_TO = "to|auf|en|a|in|para|na|till|thành|на|إلى"
_AS = (
    r"(?:as|als|comme|como|come|jako|som|làm|как)[ ](?:(?:the|my|your|das|le|la|il|o|mot[ ]de)[ ]){0,2}"
    r"|作为[ ]?|作為[ ]?|(?:을|를)[ ]?|を|ك"
)
"""Between a value and the word that says what it is used as."""
_STARTS = r"""\\*["'`«»„“”「『(]{0,3}"""
_VALUE = r"""(?P<value>[^\s"'`)(\\,;<>|\x80-\xff]{5,80})"""
_FOR = r"""[^\n.!?;{}()=<>]{0,60}?"""
_NAME_OF_METHOD = lazy_regex(
    r"(?i)(?:sha-?\d+|md5|base(?:32|64)|utf-?\d+|oauth2?|bcrypt\d?|argon2\w*|pbkdf2|scrypt|aes-?\d+|ipv[46]|rfc\d+|varchar\d+|hs256|rs256)"
    r"(?:-?\w+)?"
)
_CODE_LIKE = lazy_regex(
    r"(?i)[\w-]+\.\w{1,5}|v?\d+(?:\.\d+)+|\d{1,3}(?:st|nd|rd|th|-\w+)|\d{4}-\d\d-\d\d|\w+\[\w*\]?|\w+::\w+|\w+(?:/[\w.-]+)+|p\d+"
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


def _after_word(between: str) -> SecretRule:
    """Build the rule for a password that follows the word for it."""
    return SecretRule(
        name="spoken-password",
        triggers=_WORDS,
        form=rf"(?:{_WORD})(?:{between}){_STARTS}{_VALUE}",
        check=is_spoken_password,
        ignores_case=True,
    )


def _around_word(form: str, behind: int, ahead: int) -> SecretRule:
    """Build the rule for a password for which a sentence is searched from `behind` bytes before the word for it."""
    return SecretRule(
        name="spoken-password",
        triggers=_WORDS,
        form=form,
        check=is_spoken_password,
        ignores_case=True,
        lookbehind_bytes=behind,
        search_bytes=ahead,
    )


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
    while words and words[0] in _NOT_SEED:  # the end of the sentence before it
        del words[0]
    return len(words) >= 12 and not _NOT_SEED.intersection(words) and len(set(words)) >= len(words) - 3


SPOKEN: tuple[SecretRule, ...] = (
    _after_word(rf"\w{{0,6}}(?:\s?[:=]\s{{0,3}}|\s{{1,3}})|[ ]?{_GLUED}[:\s]{{0,3}}"),
    _after_word(rf"{_FOR}(?:(?<![A-Za-z])(?:{_IS})(?![A-Za-z])[: ]{{0,3}}|:\s{{1,3}}|(?<=\s)=\s{{1,3}})"),
    _around_word(rf"(?<![^\s\"'`]){_VALUE}\s{{0,3}}(?:{_AS})(?:{_WORD})", 120, 24),
    _around_word(
        rf"(?:{_CHANGED})[^\n]{{0,40}}?(?:{_WORD}){_FOR}\s(?:{_CHANGED_TO})\s{{1,3}}{_STARTS}{_VALUE}", 80, 160
    ),
    _around_word(rf"(?<!\S){_VALUE}\s(?:şifresiyle|parolasıyla)", 90, 24),
    _around_word(rf"(?:{_WORD}){_FOR}\sauf\s{{1,3}}{_STARTS}{_VALUE}\s(?:ge|um)", 0, 160),
    SecretRule(
        name="spoken-password",
        triggers=("log in ", "login "),
        form=rf"log[ ]?in[ ](?:with|as|using)[ ]\w{{2,30}}[ ]?[/:][ ]?{_VALUE}",
        check=is_spoken_password,
        ignores_case=True,
    ),
    SecretRule(
        name="spoken-pin",
        triggers=("pin ", "pin-", "pin:", "pin="),
        # In capitals it is a number, and neither a verb nor a contact.
        form=r"(?<![A-Za-z_-])PIN(?![A-Za-z_])[^\n0-9=(){}]{0,40}?[ :=]{1,3}(?P<value>\d{4,8})(?![\w.:-])",
        check=is_pin,
    ),
    SecretRule(
        name="spoken-pin",
        triggers=(
            "पिन",
            "пин-код",
            "暗証番号",
            "핀 번호",
            "핀번호",
            "الرقم السري",
            "pin码",
            "pin 码",
        ),
        form=r"(?:पिन|暗証番号|핀[ ]?번호|الرقم[ ]السري|[Pp][Ii][Nn][ ]?码)"
        r"[^\n0-9]{0,24}?(?P<value>\d{4,8})(?!\d)",
        check=is_pin,
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
        name="spoken-pin",
        triggers=("-код",),
        form=r"(?:ПИН|пин|Пин)-код[^\n0-9]{0,24}?(?P<value>\d{4,8})(?!\d)",
        check=is_pin,
        lookbehind_bytes=6,
        search_bytes=60,
    ),
    SecretRule(
        name="seed-words",
        triggers=tuple(_SEED.split("|")),
        form=rf"""[\s\S]{{0,160}}?(?:[\s:"'`(>=\[]|{_GLUED}){_ROW}""",
        check=is_seed_phrase,
    ),
)
"""Tried after all other rules."""
