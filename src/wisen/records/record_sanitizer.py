"""Sanitizes what programs record before it is stored.

A string with a secret or private data is left out whole, and the rule's name is stored instead. Text that wisen
injected itself is removed, and long text is truncated.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from wisen.model.learning import Record, RecordKind
from wisen.safety import sentinel
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterator

UNNAMED = "?"
"""Stands for a tool whose name may not be stored."""


class LengthLimits(Struct, frozen=True, kw_only=True):
    """How many characters are stored."""

    error_head: int
    error_tail: int
    text: int
    argument: int


def sanitize_record(record: Record, lengths: LengthLimits) -> Record:
    """The record without anything that may not be stored, and the first rule that a part of it violated."""
    rules = [_rule_against_name(name) if name else None for name in (record.tool, record.session, record.place)]
    tool, session, place = (
        None if rule else name for name, rule in zip((record.tool, record.session, record.place), rules, strict=True)
    )
    text, against_text = _sanitize_text(record, lengths)
    arguments, against_arguments = _sanitize_arguments(record.arguments, lengths.argument)
    return replace(
        record,
        tool=UNNAMED if record.tool and not tool else tool,
        session=session,
        place=place or "",
        text=text,
        arguments=arguments,
        withheld=next(filter(None, (against_text, against_arguments, *rules)), None),
    )


@lru_cache(maxsize=4096)
def _rule_against_name(name: str) -> str | None:
    return rule_against(_readable(name))


def _sanitize_text(record: Record, lengths: LengthLimits) -> tuple[str | None, str | None]:
    if record.text is None:
        return None, None
    # Removing our own text can join the halves of a secret, so it comes first.
    text = sentinel.strip(record.text)
    rule = rule_against(_readable(text))
    if rule is not None:
        return None, rule
    if record.kind is RecordKind.FAILURE:
        return _truncate(text, lengths.error_head, lengths.error_tail), None
    return _truncate(text, lengths.text, 0), None


def _sanitize_arguments(raw: str | None, longest: int) -> tuple[str | None, str | None]:
    if raw is None:
        return None, None
    arguments = json.loads(raw)
    rule = _rule_against_any(raw, arguments)
    if rule is None and (len(raw) > longest or sentinel.strip(raw) is not raw):
        arguments = _shorten(arguments, longest)
        raw = json.dumps(arguments, ensure_ascii=False)
        rule = _rule_against_any(raw, arguments)
    return (raw, None) if rule is None else (None, rule)


def _rule_against_any(raw: str, arguments: object) -> str | None:
    """The rule against arguments as they are written, or against a decoded string in them."""
    return next(filter(None, map(rule_against, map(_readable, (raw, *_strings(arguments))))), None)


def _readable(text: str) -> str:
    # The rules need text that can be encoded; a byte that is not UTF-8 is never part of what they search for.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _shorten(value: object, longest: int) -> object:
    if isinstance(value, str):
        return _truncate(sentinel.strip(value), longest, 0)
    if isinstance(value, dict):
        return {name: _shorten(part, longest) for name, part in value.items()}
    if isinstance(value, list):
        return [_shorten(part, longest) for part in value]
    return value


def _truncate(text: str, head: int, tail: int) -> str:
    if len(text) <= head + tail:
        return text
    return text[:head] + "…" + (text[-tail:] if tail else "")
