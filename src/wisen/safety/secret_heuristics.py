"""Heuristics for whether a value looks like a real secret or like a placeholder for one.

Judged by form alone: how its characters are mixed, and whether it reads as a placeholder, a name, a path or code.
Passphrases made of plain words cannot be told from prose and are not found.
"""

from __future__ import annotations

import binascii
import math
import re
from base64 import b64decode
from collections import Counter

from wisen.text.lazy_regex import lazy_regex

MIN_LENGTH = 8
"""A shorter value cannot be told from a word."""
MIN_ENTROPY = 2.75
"""Bits per character: among eight characters hardly one repeats."""
MIN_MIXED_LENGTH, MIN_PLAIN_LENGTH = 12, 24
"""The minimum length of a value that is only called a secret: if it is mixed, and if it is not."""
MIN_TURNS = 3
"""How often a digit follows a letter, or a letter a digit, in a mixed value."""
MIN_KEY_TURNS = 4
"""The same within twenty letters and digits, whatever is around them."""
MIN_WORD_LENGTH = 3.5
"""The minimum average length of words separated only by capitals; random capitals make shorter ones."""
MIN_ABBREVIATION_LENGTH, MAX_CODE_WORD_LENGTH = 2.6, 16
"""The same for a bare word in code, which may consist of abbreviations, and the length up to which that applies."""
MIN_SPOKEN_LENGTH = 12
"""The minimum length of a value that a sentence calls a secret."""
MIN_VOWEL_SHARE = 0.15
"""The minimum share of vowels in a long run of letters."""

_PLACEHOLDER_PARTS = (
    *("...", "…", "***", "####", "____", "${", "%{", "#{"),
    *("changeme", "change_me", "change-me", "dummy", "example", "foobar", "hunter2", "insert", "lorem", "placeholder"),
    *(
        "redacted",
        "replace",
        "sample",
        "mysecret",
        "my_secret",
        "my-secret",
        "mytoken",
        "my_token",
        "my-token",
        "myapi",
    ),
    *(
        "my_api",
        "my-api",
        "mypassword",
        "my_password",
        "token_here",
        "token-here",
        "key_here",
        "key-here",
        "secret_here",
    ),
)
"""Substrings that say that another value belongs there."""
_PLACEHOLDER_WORD = lazy_regex(r"(?<![a-z0-9])(?:(?:your|fake)(?![0-9])|todo(?![a-z0-9]))")
_PLACEHOLDER = lazy_regex(
    r"""
      (?P<same>.)(?P=same)*                       # xxxxxxxx, ********
    | [<\[{(].*[>\]})] | [<\[{(]+[a-z_.-]+        # <token>, [redacted], {{ token }}, and the same cut short
    | \{[a-z_][\w.]*[(\[!:|].*                     # {quote(token)}, a template's expression, cut short or not
    | \$[({]?[a-z_]\w*.* | %[a-z_]\w*%?           # $TOKEN, $(command), %TOKEN%
    | [@&!][a-z_.]+                               # @token, !token
    | (?:my|the|some|test|dev|user|admin|new|old|super|wrong)?[-_ ]?
        (?:pass|passw[o0]rd|passwd|pwd|secret|token|key|value|string)s?[-_ ]?[\d!.]{0,6}
    | abc(?:def)?(?:gh)?(?:123|456)\w* | deadbeef\w* | 0?123456789?0?\w{0,6}
    """,
    re.VERBOSE | re.DOTALL,
)
_CODE = lazy_regex(
    r"""
      [A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[\w$]+)*[(\[{].*             # getToken(), os.environ[...], Optional[str]
    | (?:[A-Za-z_$][\w$]*(?:\.|->|::|\?\.))+[A-Za-z_$][\w$]*[;,)\]}]*  # process.env.TOKEN, self.token
    | .*(?:=>|==|!=|\|\||\(\)|\+=).+ | .*\(\)                            # an expression
    """,
    re.VERBOSE | re.DOTALL,
)
_PATH = lazy_regex(
    r"(?:~|\.{1,2})?/?(?:[\w@.+-]*[A-Za-z]{2}[\w@.+-]*/)+[\w@.+:-]*|[a-z][a-z0-9+.-]*://.*|[A-Za-z]:[\\/].*", re.DOTALL
)
_KEY_WITH_SLASHES = lazy_regex(r"(?!/[a-z]+/)[A-Za-z0-9+/]{32,}={0,2}")
_NUMBER = lazy_regex(r"[\d\s.,:;/_+TZ-]+")
_NAME = lazy_regex(
    r"[-_.:/\s]*(?:[^\W\d_]+\d{0,5}|\d{1,4})(?:[-_.:/=%+,\s]+(?:[^\W\d_]+\d{0,5}|\d{1,4}))*[-_.:/=?!,;)\]}\s]*"
)
_WORD = lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
_WORD_AND_NUMBER = lazy_regex(r"(?=.{8})(?=.*\d)(?=.*[^\W\d_])[^\s_./:-]+")
_TURN = lazy_regex(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_PIECE = lazy_regex(r"[A-Za-z0-9]{20,}")
_QUOTES = ('"', "'", "`")
_LETTERS = lazy_regex(r"[^\W\d_]+")
_VOWEL = lazy_regex(r"[aeiouy]", re.IGNORECASE)
_CONSONANTS = lazy_regex(r"[b-df-hj-np-tv-xz]{5}", re.IGNORECASE)
_DEFAULT_PASSWORDS = frozenset(
    "user username postgres root admin guest test mysql redis rabbitmq x-oauth-basic".split()
)


def entropy(value: str) -> float:
    """Return the bits per character, by character frequency."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    """Whether it is a placeholder for a secret."""
    if "xxxx" in value or "XXXX" in value:  # in one case: a long random value may contain four of them
        return True
    value = value.lower()
    if any(mark in value for mark in _PLACEHOLDER_PARTS) or _PLACEHOLDER_WORD.search(value):
        return True
    return _PLACEHOLDER.fullmatch(value) is not None


def is_not_placeholder(value: str) -> bool:
    """Whether it is more than a placeholder, if its form alone already says what it is."""
    return not is_placeholder(value)


def is_token_body(value: str) -> bool:
    """Whether it can be what follows the known prefix of a token."""
    if len(value) < MIN_LENGTH or value.isdecimal() or entropy(value) < MIN_ENTROPY:
        return False
    return not is_placeholder(value)


def is_generated(value: str) -> bool:
    """Whether a machine generated it, as far as its form can tell."""
    return is_token_body(value) and not is_name(value)


def is_named_secret(raw: str) -> bool:
    """Whether a value that something calls a secret can be one. Without an opening quote it can also be code."""
    value = _strip_quotes(raw)
    if not value.isascii() or not is_generated(value) or _NUMBER.fullmatch(value):
        return False
    if has_key_material(value):
        return True
    if (
        not _is_quoted(raw)
        and value.isalpha()
        and len(value) < MAX_CODE_WORD_LENGTH
        and _is_pronounceable(value, MIN_ABBREVIATION_LENGTH)
    ):
        return False
    return not _is_path(value) and (_is_quoted(raw) or not _CODE.fullmatch(value))


def is_key_material(raw: str) -> bool:
    """Whether only a generator makes such a value: long, with letters and digits alternating."""
    value = _strip_quotes(raw)
    mixed = len(value) >= MIN_PLAIN_LENGTH or (
        len(value) >= MIN_MIXED_LENGTH and len(_TURN.findall(value)) >= MIN_TURNS
    )
    return mixed and is_named_secret(raw)


def is_spoken_secret(raw: str) -> bool:
    """Whether a value that a sentence calls a secret is one that nobody would say: of both cases, with a digit."""
    value = _strip_quotes(raw)
    mixed = any(map(str.isdigit, value)) and value != value.lower() and value != value.upper()
    if len(value) < MIN_SPOKEN_LENGTH or not mixed or not value.isascii() or not is_token_body(value):
        return False
    return not all(map(_is_pronounceable, _LETTERS.findall(value))) and not _CODE.fullmatch(value)


def has_key_material(value: str) -> bool:
    """Whether a piece of it is so long and so mixed that neither a path nor code has it."""
    return any(len(_TURN.findall(piece)) >= MIN_KEY_TURNS for piece in _PIECE.findall(value))


def is_named_password(raw: str) -> bool:
    """Whether a value that something calls a password can be one: people end a word with a number."""
    if is_named_secret(raw):
        return True
    value = _strip_quotes(raw)
    if not _WORD_AND_NUMBER.fullmatch(value) or is_placeholder(value):
        return False
    return _is_quoted(raw) or not _CODE.fullmatch(value)


def is_password_in_address(value: str) -> bool:
    """Whether the password within an address is real, and not a placeholder."""
    if value.lower() in _DEFAULT_PASSWORDS or is_placeholder(value):
        return False
    return has_key_material(value) or not _CODE.fullmatch(value)


def is_basic_credential(encoded: str) -> bool:
    """Whether it is `user:password` in base64."""
    try:
        user, colon, word = b64decode(encoded, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return bool(colon) and (user + word).isprintable() and bool(word) and not is_placeholder(word)


def _is_path(value: str) -> bool:
    if not _PATH.fullmatch(value):
        return False
    # A base64 key can contain slashes too, but nobody names folders like that.
    return not _KEY_WITH_SLASHES.fullmatch(value) or all(map(is_name, filter(None, value.split("/"))))


def _strip_quotes(raw: str) -> str:
    if _is_quoted(raw):
        return raw.lstrip("\"'`")
    value = raw.rstrip(".,:;!?")
    return value.rstrip(")") if "(" not in value else value


def _is_quoted(raw: str) -> bool:
    return raw[:1] in _QUOTES


def is_name(value: str) -> bool:
    """Whether it is made of words: an identifier, a title, a version. Words are pronounceable, random text is not."""
    letters = _LETTERS.findall(value)
    return _NAME.fullmatch(value) is not None and all(map(_is_pronounceable, letters)) and not _is_ragged(letters)


def _is_ragged(letters: list[str]) -> bool:
    """Whether capitals are where chance put them: of several pieces, in words of two or three letters."""
    whole = "".join(letters)
    if len(whole) < MAX_CODE_WORD_LENGTH or whole in (whole.lower(), whole.upper()):
        return False
    return len(whole) < MIN_WORD_LENGTH * sum(len(_WORD.findall(each)) for each in letters)


def _is_pronounceable(letters: str, word: float = MIN_WORD_LENGTH) -> bool:
    words = _WORD.findall(letters)
    if len(letters) >= MIN_LENGTH and len(letters) < word * len(words):
        return False
    if any(len(each) > 5 and _CONSONANTS.search(each) for each in words):
        return False
    return (
        len(letters) < MIN_LENGTH
        or not letters.isascii()
        or len(_VOWEL.findall(letters)) >= MIN_VOWEL_SHARE * len(letters)
    )
