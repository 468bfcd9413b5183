"""Decodes what a text hides: base64, percent-encoding, split lines and strings, invisible characters and colours.

A word looks different in base64 depending on where in a group of three bytes it begins; so each word worth searching
for has three spellings, which are searched for together with everything else. Only the run around one is decoded.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import Struct

from wisen.safety import invisible_characters
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

FOLD_SIGNS = (
    *(sign.encode() for sign in invisible_characters.INVISIBLE),
    invisible_characters.TAG_LEAD,
    b"%3a%2f%2f",
    b"begin%20",
    b"begin+",
    b"\x1b[", b"\\u001b[", b"\\x1b[", b"\\033[", b"\\e[",
)  # fmt: skip
"""Signs that a text has to be scanned again, unfolded."""
_ESCAPED = (1, 2, 4)
"""How many backslashes there are if JSON is escaped once, and again inside of JSON."""
CONTINUATIONS = (
    b"\\\n", b"\\\r\n",
    *(b"\\" * 3 * many + b"n" for many in _ESCAPED),
    *(b"\\" * 3 * many + b"r" + b"\\" * many + b"n" for many in _ESCAPED),
)  # fmt: skip
"""A continued line, as it is and as JSON escapes it: it matters if it breaks a word."""

_GAP = r"(?:\s|\\+[nrt]){0,26}"
_PLUS = r"(?:[+.&~]|<>|\|\||\.\.|;?\s{0,4}\$?[A-Za-z_]\w{0,30}\s?[+.]=)"
"""What concatenates two strings, if anything does."""
_JOINED = rf"""\\*["'`]{_GAP}(?:{_PLUS}|,)?{_GAP}\\*["'`]"""
"""Between two strings that are concatenated, or are in a list."""
_PIECE = rb"[A-Za-z0-9_./+=-]{1,120}"
SPLIT_TOKEN = lazy_regex(_PIECE + rf"(?:{_JOINED}|(?:\\?\r?\n|\\n)[ \t>|\#*+]{{0,24}})".encode())
"""A piece of a token that ends with its line, or continues in another string."""
_LAST = lazy_regex(_PIECE)
_CHARACTER, _END = r"[A-Za-z0-9_./+~:@$%-]", r"[A-Za-z0-9_./+~:@$%=-]"
_MIN_WRAPPED = 16
"""Characters without a space that end a line for it to continue in the next one."""
_LINE_BEGIN = rf"[ \t>|\#*+]{{0,24}}(?={_CHARACTER}{{4}})"
_JOINT = rf"""\\*["'`]{_GAP}{_PLUS}?{_GAP}\\*["'`](?={_CHARACTER})"""
JOINT_SIGNS = (
    *(
        f"{quote}{plus}".encode()
        for quote in "\"'"
        for plus in ("+", " +", " .", " &", " ~", "..", "\n", "\r\n", "\\n", ";")
    ),
    *(b'""', b"''", b'" "', b"' '", b'"."', b"'.'", b"join(", b"concat(", b"implode("),
)
"""How the place can begin where two strings are concatenated."""
_JOINT_AT = lazy_regex(
    rf"""(?<=\]\.)join\(|(?:join|concat|implode)\(\s{{0,3}}\[?\s{{0,3}}\\*["']|{_JOINT}""".encode(), re.IGNORECASE
)
_JOINTS = lazy_regex(rf"(?<={_END}){_JOINT}".encode())
_LISTED = lazy_regex(rf"""(?<={_END})\\*["'`],{_GAP}\\*["'`](?={_CHARACTER})""".encode())
_LISTS = lazy_regex(rb"(?:join|concat|implode)\(", re.IGNORECASE)
_WRAP_SIGNS = (
    # They begin with what is searched for, which is many times as fast.
    lazy_regex(rf"\n(?<=[A-Za-z0-9_./+~:@$%=\r-]{{{_MIN_WRAPPED}}}.){_LINE_BEGIN}".encode(), re.DOTALL),
    lazy_regex(rf"\\n(?<={_END}{{{_MIN_WRAPPED}}}..){_LINE_BEGIN}".encode()),
)
_WRAPS = lazy_regex(rf"(?<={_CHARACTER}{{{_MIN_WRAPPED - 2}}})=?(?:\r?\n|\\n){_LINE_BEGIN}".encode())
_MIXED = lazy_regex(rb"[0-9][^\r\n]*[A-Za-z]|[A-Za-z][^\r\n]*[0-9]")
_JOINT_WINDOW = 600
"""Bytes around a joint in which a token is searched for."""
_MAX_PIECES = 6
_MIN_WORD_LENGTH = 4
_MIN_LETTERS = 4
"""Characters of base64 by which a word is searched for; fewer occur in ordinary words too."""
_MAX_RUN_LENGTH = 16_384
_MENTION_WINDOW = 4_000
"""Bytes around a mention of base64 in which a run of it can begin."""
MENTION = b"base64"
_COLOUR = lazy_regex(r"(?:\x1b|\\+(?:u001b|x1b|033|e))\[[0-9;?]{0,16}[A-Za-z]")
_CONTINUATION = lazy_regex(
    r"(?:\\\r?\n|" + "|".join(rf"(?<!\\)\\{{{3 * many}}}(?:r\\{{{many}}})?n" for many in _ESCAPED) + r")[+>]?[ \t]*"
)
_SKIPPED = (0, 2, 3)
"""Characters of a group that are not determined by a word beginning at its first, second or third byte."""
_LONG_RUN = lazy_regex(rb"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24}")
_RUN = lazy_regex(rb"[A-Za-z0-9+/_-]*")
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")


class Spelling(Struct, frozen=True):
    """A word in base64, at one of three positions in a group."""

    letters: bytes
    skipped: int


def base64_spellings(words: Iterable[str]) -> Iterator[Spelling]:
    """Yield how each word looks in base64."""
    for word in words:
        if len(word) < _MIN_WORD_LENGTH:
            continue
        for place, skipped in enumerate(_SKIPPED):
            encoded = b64encode(b"\0" * place + word.encode())
            letters = encoded[skipped : (place + len(word)) * 8 // 6]
            if len(letters) >= _MIN_LETTERS:
                yield Spelling(letters, skipped)


def decode_mentioned(data: bytes, start: int) -> tuple[bytes, int]:
    """Decode every run of base64 around a mention of it, and return where the last of them ends."""
    inside, end = [], start + _MENTION_WINDOW
    for run in _LONG_RUN.finditer(data, max(0, start - _MENTION_WINDOW), start + _MENTION_WINDOW):
        run_end = _run_end(data, run.start())
        end = max(end, run_end)
        inside.append(_decode(data[run.start() : run_end]))
    return b"\n".join(inside), end


def decode_around(data: bytes, start: int, spelling: Spelling) -> tuple[bytes, int]:
    """Decode the run of base64 around a spelling, and return where it ends; empty if case or position are wrong."""
    if not data.startswith(spelling.letters, start):
        return b"", start
    ahead = data[max(0, start - _MAX_RUN_LENGTH) : start]
    begin = start - len(ahead) + len(ahead.rstrip(_LETTERS))
    begin += (start - spelling.skipped - begin) % 4
    end = _run_end(data, start)
    return _decode(data[begin:end]), end


def _decode(run: bytes) -> bytes:
    """Decode a run; a single last character yields no byte."""
    run = run.translate(_TO_STANDARD)
    run = run[: len(run) - (len(run) % 4 == 1)]
    return binascii.a2b_base64(run + b"=" * (-len(run) % 4))


def _run_end(data: bytes, start: int) -> int:
    match = _RUN.match(data, start, start + _MAX_RUN_LENGTH)
    return match.end() if match else start


def joined_tokens(data: bytes, start: int) -> Iterator[bytes]:
    """Yield a token that begins here and continues in other lines or strings, with one more piece each time."""
    token, at = b"", start
    for _ in range(_MAX_PIECES):
        piece = _LAST.match(data, at)
        if piece is None:
            return
        token += piece[0]
        if at != start:
            yield token
        cut = SPLIT_TOKEN.match(data, at)
        if cut is None:
            return
        token, at = token.removesuffix(b"="), cut.end()  # the sign of a soft line break


def is_joint(data: bytes, start: int) -> bool:
    """Whether one of the `JOINT_SIGNS` is where a string is added to another one, or where a list becomes one."""
    return _JOINT_AT.match(data, start) is not None


def join_pieces(data: bytes, joints: Collection[int]) -> bytes:
    """Return what is around these joints, and around those of wrapped lines, in one piece; empty if there is none."""
    if not joints and b"\n" not in data and rb"\n" not in data:
        return b""  # no sign of a wrapped line, as in nearly every command
    wraps = [
        found.start()
        for sign in _WRAP_SIGNS
        for found in sign.finditer(data)
        if _MIXED.search(data, max(0, found.start() - _MIN_WRAPPED), found.start())
    ]
    windows: list[tuple[int, int]] = []
    for place in sorted((*joints, *wraps)):
        start, end = max(0, place - _JOINT_WINDOW), place + _JOINT_WINDOW
        if windows and start <= windows[-1][1]:
            start = windows.pop()[0]
        windows.append((start, end))
    return b"\n\n".join(_join_all(data[start:end]) for start, end in windows)


def _join_all(data: bytes) -> bytes:
    if _LISTS.search(data):
        data = _LISTED.sub(b"", data)
    return _WRAPS.sub(b"", _JOINTS.sub(b"", data))


def unfold(text: str) -> str:
    """Return the text as it is read: without invisible characters and colours, on whole lines, addresses decoded."""
    plain = _CONTINUATION.sub("", _COLOUR.sub("", invisible_characters.remove_invisible(text)))
    if "%" not in plain and "BEGIN+" not in plain:
        return plain
    return unquote(plain.replace("+", " ") if "BEGIN+" in plain else plain, errors="replace")
