"""JSON by the C part of the standard library: loading the whole module takes a third of the time we have."""

from __future__ import annotations

from _json import encode_basestring_ascii, make_scanner  # type: ignore[import-not-found,unused-ignore]


class _Options:
    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner asks for one


_scan = make_scanner(_Options())  # type: ignore[arg-type,unused-ignore]  # any object with these names will do


def loads(text: str) -> object:
    """Parse a JSON text. Raises: ValueError."""
    text = text.strip(" \t\n\r")
    try:
        value, end = _scan(text, 0)
    except (StopIteration, SystemError):  # the second where the module is not loaded that knows the right error
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError("more than one JSON value")
    found: object = value
    return found


def dumps(value: object) -> str:
    """Encode texts, numbers, lists and objects as ASCII JSON."""
    if isinstance(value, str):
        return str(encode_basestring_ascii(value))
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(str(name))}:{dumps(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(dumps, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)
