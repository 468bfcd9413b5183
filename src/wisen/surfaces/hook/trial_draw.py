"""Draws which of the things on trial a session gets: the random draw of `trials/coin.py`, once per session.

The result is pinned and recorded at the first event that delivers something, and holds for the whole session.
"""

from __future__ import annotations

from .block_lines import without_lines

ALL = "hints:"
"""The id of everything on trial together, if a share of sessions gets nothing of it."""
_BYTES, _MAX_KEY_BYTES = 32, 64
_SIDES = 1 << 8 * _BYTES

Snapshot = dict[str, object]
Draws = dict[str, list[tuple[str, float]]]
"""By arm, the ids and the chance that each had to be given."""


def draw(snapshot: Snapshot, salt: bytes, session: str) -> Draws:
    """Draw for a session; empty if nothing is on trial, or the session has no id."""
    trials = snapshot.get("trials")
    if not isinstance(trials, dict) or not salt or session == "none":
        return {}
    share = _share(snapshot.get("holdout"))
    found: Draws = {"given": [], "withheld": []}
    some = share >= 1 or is_given(salt, ALL, session, share)
    if share < 1:
        found["given" if some else "withheld"].append((ALL, share))
    for id_ in sorted(trials):
        own = float(trials[id_])
        given = some and is_given(salt, id_, session, own)
        found["given" if given else "withheld"].append((id_, own * share))
    return found


def is_given(salt: bytes, id_: str, session: str, chance: float) -> bool:
    """Whether a session gets what has this id and version."""
    try:
        from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import blake2b
    rule, _, version = id_.partition(":")
    text = f"{rule}|{version}|{session}".encode("utf-8", "surrogatepass")
    side = int.from_bytes(blake2b(text, digest_size=_BYTES, key=salt[:_MAX_KEY_BYTES]).digest(), "big")
    return side < int(chance * _SIDES)


def remove_withheld(snapshot: Snapshot, withheld: list[str]) -> tuple[Snapshot, list[str] | None]:
    """Return a snapshot without what is withheld, and the rest of its block; None if the block is unchanged."""
    gone = set(withheld)
    fixes = snapshot.get("fixes")
    left = [each for each in fixes if not gone.intersection(each["ids"])] if isinstance(fixes, list) else []
    tried = snapshot.get("tried")
    places = {int(place): str(id_) for id_, place in tried} if isinstance(tried, list) else {}
    numbers = {place for place, id_ in places.items() if id_ in gone}
    if not numbers:
        return {**snapshot, "fixes": left}, None
    return without_lines({**snapshot, "fixes": left}, numbers, gone)


def _share(holdout: object) -> float:
    return 1 - min(max(float(holdout), 0.0), 1.0) if isinstance(holdout, int | float) else 1.0
