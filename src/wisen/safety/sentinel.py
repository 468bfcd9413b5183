"""Marks around whatever we put into an agent's context, and the removal of everything between them.

What we inject comes back in the agent's log. It must never teach, so every reader strips it first. A mark holds a seal
that differs in every session and that only who has the home's key can make: who strips with the key tells marks of ours
from imitations, so that a hostile text can neither end a block of ours nor have the user's words taken for one.
Without the key, and for marks of older versions, too much is removed rather than too little.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = "51902"
"""The part of the name that no change of case can alter, so that one search decides for most texts."""
_NAME = f"wisen{_DIGITS}"
_VERSION = 1
_PASSES = 16
"""Removing a block can join two halves of a mark. Beyond so many joints a text was made to be hostile."""

_KEYED_PASSES = 64
_NAME_ANYWHERE = re.compile(rf"(wisen)({_DIGITS})", re.IGNORECASE | re.ASCII)
_MARK = re.compile(
    r"(?:<|&(?:amp;)*(?:lt|\#0*60|\#x0*3c);|\\u003c)"  # an agent may have escaped it
    r"[\s\\]{0,4}(?P<close>/[\s\\]{0,4})?" + _NAME + r"(?:-(?P<seal>[0-9a-f]{16}))?"
    r"(?(close)(?:\s{0,4}(?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e))?)",
    re.IGNORECASE | re.ASCII,
)
_REST_OF_TAG = re.compile(r"[^>\n&]{0,400}(?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e)?", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t>]*\r?\n")
_LONGEST = 1 << 14
_TAG = 6
_HEADS = re.compile(
    r"[\s>]*(?:What wisen learnt|From earlier sessions|This failed before|A guard of the user|Rules that the user"
    r"|Said by the user|Hints, inferred|Tell the user once|Waiting for the user|Open and important|wisen\b)"
)
"""How our blocks begin: what is left of one that was cut off is known by it."""
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9._:-]")


def seal_of(key: bytes, agent: str, session: str) -> str:
    """The seal of a session's marks: the same as long as it lasts, another one in every session."""
    of = f"{agent}\0{session}".encode("utf-8", "surrogatepass")
    tag = blake2b(of, digest_size=_TAG // 2, key=key[:64]).hexdigest()
    return tag + _proof(key, tag)


def _proof(key: bytes, tag: str) -> str:
    return blake2b(tag.encode("ascii"), digest_size=5, key=key[:64], person=b"wisen mark").hexdigest()


def is_own_seal(key: bytes, seal: str) -> bool:
    """Whether a seal was made with this key, for whichever session."""
    seal = seal.lower()
    return bool(key) and compare_digest(seal[_TAG:], _proof(key, seal[:_TAG]))


def sealed(block: str, seal: str) -> str:
    """A block with the seal in its marks; our name stands nowhere else in it."""
    return block.replace(_NAME, f"{_NAME}-{seal}") if seal else block


def wrap(text: str, ids: Sequence[str] = ()) -> str:
    """The text between our marks, with the ids of what it holds. Our own name inside it is broken up."""
    inside = _NAME_ANYWHERE.sub(r"\1 \2", text)
    named = f' ids="{" ".join(_NOT_IN_AN_ID.sub("_", id_) for id_ in ids)}"' if ids else ""
    return f'<{_NAME} v="{_VERSION}"{named}>\n{inside}\n</{_NAME}>'


def strip(text: str, key: bytes = b"") -> str:
    """The text without any block of ours; the same object when there is none.

    A block without an end is removed up to the end of the text, an end without a beginning from the beginning on. With
    the `key` that is so for marks that were made with it; of others only what can be a block of ours is removed.
    """
    if _DIGITS not in text:
        return text
    for _ in range(_KEYED_PASSES if key else _PASSES):
        if _MARK.search(text) is None:
            return text
        text = _outside_own(text, key) if key else _outside(text)
    found = _MARK.search(text)
    if key and found is not None:
        return _NAME_ANYWHERE.sub(r"\1 \2", text)  # imitations only: nobody's words go with them
    return text if found is None else text[: found.start()]


def _outside(text: str) -> str:
    pieces: list[str] = []
    depth = 0
    position = 0
    for mark in _MARK.finditer(text):
        if mark["close"] is None:
            if depth == 0:
                pieces.append(text[position : mark.start()])
            depth += 1
        elif depth > 1:
            depth -= 1
        else:
            if depth == 0:
                pieces.clear()
            depth = 0
            position = mark.end()
    if depth == 0:
        pieces.append(text[position:])
    return "".join(pieces)


class _Found(NamedTuple):
    """A mark in a text."""

    start: int
    end: int
    close: bool
    seal: str


def _outside_own(text: str, key: bytes) -> str:
    """The text outside of blocks whose marks were made with the key, and then outside of what else may be one."""
    marks = [
        _Found(each.start(), each.end(), each["close"] is not None, each["seal"] or "") for each in _MARK.finditer(text)
    ]
    own = [each for each in marks if is_own_seal(key, each.seal)]
    if not own:
        return _outside_others(text, marks)
    pieces: list[str] = []
    position, open_ = 0, None
    for each in own:
        if open_ is None and not each.close:
            pieces.append(text[position : each.start])
            open_ = each
        elif each.close and (open_ is None or each.seal.lower() == open_.seal.lower()):
            if open_ is None:
                pieces.clear()  # its beginning was cut off
            position, open_ = each.end, None
    if open_ is None:
        pieces.append(text[position:])
    return "".join(pieces)


def _outside_others(text: str, marks: Sequence[_Found]) -> str:
    """The text without what may be a block of an older version or another machine, and without imitations of marks."""
    first = marks[0]
    if first.close:
        began = max((each.end() for each in _PARAGRAPH.finditer(text, 0, first.start)), default=0)
        return text[:began] + text[first.end :]
    end = next((each for each in marks[1:] if each.close and each.seal == first.seal), None)
    if end is not None and end.end - first.start <= _LONGEST and not _PARAGRAPH.search(text, first.start, end.start):
        return text[: first.start] + text[end.end :]
    rest = _REST_OF_TAG.match(text, first.end)
    behind = rest.end() if rest else first.end
    if _HEADS.match(text, behind):
        paragraph = _PARAGRAPH.search(text, behind)
        behind = paragraph.start() if paragraph else len(text)
    return text[: first.start] + text[behind:]
