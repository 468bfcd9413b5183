"""Extracts the command from a call's arguments, and replaces file contents by their size and digest."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class ShellArguments(msgspec.Struct):
    """The arguments of a shell tool, under the names most agents use."""

    command: str | None = None
    workdir: str | None = None


_shell = msgspec.json.Decoder(ShellArguments)


def shell_arguments(raw: msgspec.Raw) -> ShellArguments:
    """Return the command of a call and its working directory, as far as the arguments have them."""
    try:
        return _shell.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ShellArguments()


def strip_file_contents(raw: msgspec.Raw, files: Mapping[str, int]) -> str:
    """Return the arguments as a JSON object, with named texts over their limit replaced by size and digest."""
    plain = bytes(raw).decode("utf-8", "replace") or "{}"
    if plain.startswith("{") and not files:
        return plain
    try:
        arguments = json.loads(plain)
    except (ValueError, RecursionError):
        return "{}"
    if not isinstance(arguments, dict):
        return json.dumps({"value": arguments}, ensure_ascii=False) if arguments is not None else "{}"
    for name, longest in files.items():
        content = arguments.get(name)
        if isinstance(content, str) and len(content) > longest:
            digest = hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
            arguments[name] = {"characters": len(content), "digest": digest}
    return json.dumps(arguments, ensure_ascii=False)
