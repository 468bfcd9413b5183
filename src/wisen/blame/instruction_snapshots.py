"""Keeps a history of instruction files that no repository tracks: what to snapshot, and how snapshots become versions.

In each run: take the files that `Instructions.files` returns, look up their snapshots in `Ledger.file_snapshots`, pass
both to `new_snapshots`, and add each result to the ledger. To get the history, look the snapshots up again and call
`with_snapshots`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.instruction import Version
from wisen.model.snapshot import Snapshot
from wisen.safety.secrets import find_secret
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.model.instruction import InstructionFile

_MOMENT = timedelta(microseconds=1)


def new_snapshots(
    files: Iterable[InstructionFile], known: Iterable[Snapshot], *, machine: str, now: datetime
) -> list[Snapshot]:
    """Return snapshots of changed files that have no other history, each text safe to store.

    `known`: the ledger's snapshots of these files on this machine, in any order. A file with a git history is left out,
    and so is a text that contains a secret or private data: it is never stored, not even in part.
    """
    newest: dict[str, Snapshot] = {}
    for snapshot in sorted(known, key=lambda each: (each.at, each.digest)):
        if snapshot.machine == machine:
            newest[snapshot.path] = snapshot
    snapshots: list[Snapshot] = []
    for file in files:
        if [version.origin for version in file.versions] != ["file"]:
            continue
        (present,) = file.versions
        last = newest.get(file.path)
        if last is not None and last.text == present.text:
            continue
        if rule_against(present.text) is not None or find_secret(file.path):
            continue
        at = _changed_at(present, last, now)
        snapshots.append(Snapshot(path=file.path, machine=machine, at=at, text=present.text))
    return snapshots


def with_snapshots(file: InstructionFile, snapshots: Iterable[Snapshot]) -> InstructionFile:
    """Add the snapshots of one machine to the versions of a file; with a git history, only older snapshots."""
    stored = sorted((each for each in snapshots if each.path == file.path), key=lambda each: (each.at, each.digest))
    first = file.versions[0] if file.versions else None
    if first is not None and first.origin != "file":
        stored = [each for each in stored if each.at < first.at]
    merged: list[Version] = []
    for version in (*(Version(at=each.at, text=each.text, origin="snapshot") for each in stored), *file.versions):
        if not merged:
            merged.append(version)
        elif merged[-1].text != version.text:
            # A copy keeps the time of the original, so a new text may come with an old time.
            merged.append(structs.replace(version, at=max(version.at, merged[-1].at)))
    return structs.replace(file, versions=tuple(merged))


def _changed_at(present: Version, last: Snapshot | None, now: datetime) -> datetime:
    """Return when a text came into a file: the modification time, unless it is in the future or before the last one."""
    at = min(present.at, now)
    if last is None or at > last.at:
        return at
    return max(now, last.at + _MOMENT)
