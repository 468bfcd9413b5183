"""The seal of a session's marks, as `safety/sentinel.py` makes it; tests hold them equal."""

from __future__ import annotations

_NAME = "wisen51902"


def sealed(text: str, key: bytes, agent: str, session: str) -> str:
    """Blocks of ours with the seal of their session in their marks; our name stands nowhere else in them."""
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
