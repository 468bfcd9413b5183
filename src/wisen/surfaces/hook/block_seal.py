"""Seals the marks of a session, like `safety/sentinel.py`; tests check that both agree."""

from __future__ import annotations

_NAME = "wisen51902"


def seal_marks(text: str, key: bytes, agent: str, session: str) -> str:
    """Add the session's seal to the marks of our blocks; our name occurs nowhere else in them."""
    if not key or _NAME not in text:
        return text
    try:
        from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import blake2b
    of = f"{agent}\0{session}".encode("utf-8", "surrogatepass")
    tag = blake2b(of, digest_size=3, key=key[:64]).hexdigest()
    proof = blake2b(tag.encode("ascii"), digest_size=5, key=key[:64], person=b"wisen mark").hexdigest()
    return text.replace(_NAME, f"{_NAME}-{tag}{proof}")
