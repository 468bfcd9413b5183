"""Contexts: the projects that things are learned in, each with a unique key.

A key consists of a readable part of the canonical name (a repository's URL or a path) and a digest of the whole name.
Only the digest distinguishes names: `a-b` and `a/b` look alike and are different contexts. A path names a directory of
one machine, so the machine is part of the digest. A key is a valid directory name on every system, case-insensitive
ones included.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import datetime

READABLE_LENGTH = 48
"""How many characters of the name a key shows."""

EVERYWHERE, NOWHERE = "", "-"
"""The keys for what applies in all projects, and for what was said outside of any project, which is not the same."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")
"""Names that Windows treats as devices, going by the part before the first dot."""


class ContextKind(StrEnum):
    """What the canonical name of a context is."""

    REMOTE = "remote"
    """The URL of the repository's remote: the same on every machine."""
    PATH = "path"
    """A directory of one machine."""


class Context(Struct, frozen=True, kw_only=True):
    """A project."""

    key: str
    kind: ContextKind
    name: str
    """The canonical name, without credentials."""


class Alias(Struct, frozen=True, kw_only=True):
    """A directory in which a context was seen on a machine."""

    context: str
    machine: str
    path: str
    since: datetime


def context_of(kind: ContextKind, canonical: str, suffix: str | None = None, *, machine: str = "") -> Context:
    """Return the context with this canonical name; `suffix` is the user's, for one of several contexts in a project."""
    name = canonical if suffix is None else f"{canonical}#{suffix}"
    where = machine if kind is ContextKind.PATH else ""
    # The length distinguishes ("a#b", no suffix) from ("a", suffix "b").
    exact = f"{kind.value}\0{len(where)}\0{where}\0{len(canonical)}\0{name}"
    digest = hashlib.blake2b(exact.encode("utf-8", "surrogatepass"), digest_size=10).digest()
    tail = b32encode(digest).decode("ascii").lower()
    readable = re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-.")
    shown = readable[-READABLE_LENGTH:] if kind is ContextKind.PATH else readable[:READABLE_LENGTH]
    shown = shown.strip("-.") or "context"
    if _RESERVED.match(shown):
        shown = f"_{shown}"
    # A path may hold bytes that are not valid text, which a store could not hold.
    return Context(key=f"{shown}-{tail}", kind=kind, name=name.encode("utf-8", "backslashreplace").decode())


def canonical_of(context: Context, *, machine: str = "") -> str | None:
    """Return the canonical name without the user's suffix, or None if it cannot be derived from the name."""
    if context_of(context.kind, context.name, machine=machine) == context:
        return context.name
    for hash_sign in re.finditer("#", context.name):
        canonical, suffix = context.name[: hash_sign.start()], context.name[hash_sign.end() :]
        if context_of(context.kind, canonical, suffix, machine=machine) == context:
            return canonical
    return None


EVERY_PROJECT = "(what holds everywhere)"
"""The project name shown for what belongs to no single project."""
