"""A context: the project something was learnt in, under a key that two projects never share.

The key is made from a canonical name (a repository's address or a path) as a readable part and a digest of the whole
name. Only the digest tells names apart: `a-b` and `a/b` read alike and are different contexts.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

READABLE = 48
"""How many characters of the name a key shows."""


class ContextKind(StrEnum):
    """What the canonical name of a context is."""

    REMOTE = "remote"
    """The address of the repository's remote: the same on every machine."""
    PATH = "path"
    """A directory of one machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A project."""

    key: str
    kind: ContextKind
    name: str
    """The canonical name, without credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A directory in which a context was seen on a machine."""

    context: str
    machine: str
    path: str
    since: datetime


def context_of(kind: ContextKind, canonical: str, suffix: str | None = None) -> Context:
    """The context with this canonical name, and the user's own suffix where one project holds several."""
    name = canonical if suffix is None else f"{canonical}#{suffix}"
    # Lengths keep ("a#b", no suffix) apart from ("a", suffix "b").
    exact = f"{kind.value}\0{len(canonical)}\0{name}"
    digest = hashlib.blake2b(exact.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    tail = b32encode(digest).decode("ascii").rstrip("=").lower()
    readable = re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-.")
    shown = readable[-READABLE:] if kind is ContextKind.PATH else readable[:READABLE]
    return Context(key=f"{shown.strip('-.') or 'context'}-{tail}", kind=kind, name=name)
