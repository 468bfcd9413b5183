"""Removes lines from the start block of a session: what a draw withholds, and what another session delivered."""

from __future__ import annotations

import posix

from .lean_paths import make_folders, parent_of

Snapshot = dict[str, object]


def without_repeated(snapshot: Snapshot, home: str, session: str, source: object) -> tuple[Snapshot, list[str] | None]:
    """Drop what is delivered once and was; return the snapshot and the rest of its block, None if unchanged."""
    once = snapshot.get("once")
    if not isinstance(once, list) or not once:
        return snapshot, None
    # An agent that builds its prompt again for each turn asks for the same text again.
    gone = {str(id_) for id_, _ in once if not is_first(home, str(id_), session, again=source == "again")}
    if not gone:
        return snapshot, None
    return without_lines(snapshot, {int(place) for id_, place in once if id_ in gone}, gone)


def without_lines(snapshot: Snapshot, numbers: set[int], gone: set[str]) -> tuple[Snapshot, list[str]]:
    """Return a snapshot without these lines of its block, and the lines left inside its marks.

    A title with nothing left below it is removed too.
    """
    lines = str(snapshot.get("block")).split("\n")
    head, ids = lines[0].partition(">")[2].strip(), snapshot.get("block_ids")
    kept = [(place, line) for place, line in enumerate(lines) if place not in numbers and 0 < place < len(lines) - 1]
    titles = [_is_title(line) for _, line in kept] + [True]
    kept = [each for at, each in enumerate(kept) if not (titles[at] and titles[at + 1])]
    # A block of an older version had a separate line for its mark.
    places = {place: at + 1 for at, (place, _) in enumerate(kept)}
    moved: Snapshot = {
        name: [[id_, places[place]] for id_, place in _pairs(snapshot.get(name)) if place in places]
        for name in ("once", "tried")
        if name in snapshot
    }
    kept_ids = [id_ for id_ in ids if id_ not in gone] if isinstance(ids, list) else []
    return {**snapshot, **moved, "block_ids": kept_ids}, [*([head] if head else []), *(line for _, line in kept)]


def _is_title(line: str) -> bool:
    return line.endswith(":") and not line.startswith("- ")


def _pairs(value: object) -> list[tuple[str, int]]:
    return [(str(id_), int(place)) for id_, place in value] if isinstance(value, list) else []


def is_first(home: str, id_: str, session: str, *, again: bool) -> bool:
    """Whether this session is the first to deliver something; if that cannot be recorded, it is not delivered."""
    plain = "".join(each if each.isalnum() or each == "-" else "_" for each in id_)
    path = f"{home}/snapshots/once/{plain}"
    try:
        make_folders(parent_of(path), 0o700)
        handle = posix.open(path, posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_CLOEXEC, 0o600)
    except FileExistsError:
        return again and _read(path) == session
    except OSError:
        return False
    try:
        posix.write(handle, session.encode("utf-8", "surrogatepass"))
    finally:
        posix.close(handle)
    return True


def _read(path: str) -> str:
    try:
        handle = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return posix.read(handle, 1 << 12).decode("utf-8", "surrogatepass")
    except (OSError, ValueError):
        return ""
    finally:
        posix.close(handle)
