"""What of a call's arguments is looked at or kept: the command, and whole files as their size and digest only."""

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
    """The command of a call and where it runs, as far as the arguments have such a thing."""
    try:
        return _shell.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ShellArguments()


def strip_file_contents(raw: msgspec.Raw, files: Mapping[str, int]) -> str:
    """The arguments as a JSON object. A named text longer than its limit gives way to its size and digest."""
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
