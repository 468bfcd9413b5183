"""Dumps the final state of a recording: files of the home and of the user, and the rows of the databases."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from tests.behaviour.recording import Recording
from tests.behaviour.world import World

_SESSIONS = (Path(".claude/projects"), Path(".codex/sessions"))
_WITH_STAMPS = ("folds",)
"""Worked out from the other tables, and with the stamps of files, which differ from run to run."""
_SHADOWS = ("_data", "_idx", "_docsize", "_config", "_content")
_HOLDER = re.compile(rb"^\d+(?= )")
"""The process that took a lock: processes have other numbers each time."""
_KEPT = ("ledger.db",)
"""Databases of which every row is kept as text; of the others, what can be read again from the logs, a digest."""


def save_state(world: World, recording: Recording, group: str, *, rows: bool = False) -> None:
    """Keep all files and tables of a world; `rows`: also those of the index, which are many."""
    _save_files(world, recording, group)
    for path in sorted(world.home.glob("*.db")):
        _save_database(world, path, recording, group, with_rows=rows or path.name in _KEPT)


def _save_files(world: World, recording: Recording, group: str) -> None:
    listed: list[str] = []
    for path in _files(world.user_home):
        name = path.relative_to(world.user_home)
        if any(name.is_relative_to(each) for each in _SESSIONS) or ".git" in name.parts:
            continue
        mode = oct(path.lstat().st_mode & 0o777)
        if path.is_symlink():
            listed.append(f"{name} {mode} -> {path.readlink()}")
        elif ".db" in path.name:
            listed.append(f"{name} {mode} (a database)" if path.suffix == ".db" else "")
        else:
            raw = path.read_bytes()
            if path.suffix == ".lock":
                raw = _HOLDER.sub(b"PID", raw)
            listed.append(f"{name} {mode} {hashlib.sha256(raw).hexdigest()}")
            text = raw.decode("utf-8", "backslashreplace")
            recording.save(f"{group}/files", str(name).replace(os.sep, "+"), text)
    recording.save(group, "files", "\n".join(filter(None, listed)) + "\n")


def _files(top: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(top):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(files))


def _save_database(world: World, path: Path, recording: Recording, group: str, *, with_rows: bool) -> None:
    """Read a copy: to open a database may change the files around it."""
    copy = world.folder / "scratch" / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for part in path.parent.glob(f"{path.name}*"):
        shutil.copy(part, copy / part.name)
    connection = sqlite3.connect(copy / path.name)
    try:
        tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        virtual = [name for name, sql in tables if sql and sql.upper().startswith("CREATE VIRTUAL")]
        lines = [f"schema {hashlib.sha256(repr(sorted(tables)).encode()).hexdigest()}"]
        for name, _ in tables:
            if any(name == f"{each}{shadow}" for each in virtual for shadow in _SHADOWS):
                continue
            rows = [] if name in _WITH_STAMPS else sorted(_rows(connection, name))
            digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
            lines.append(f"{name} {len(rows)} {digest}")
            if with_rows:
                recording.save(f"{group}/{path.stem}", name, "".join(f"{row}\n" for row in rows))
        recording.save(group, f"{path.stem} tables", "\n".join(lines) + "\n")
    finally:
        connection.close()


def _rows(connection: sqlite3.Connection, table: str) -> list[str]:
    try:
        cursor = connection.execute(f'SELECT * FROM "{table}"')
        columns = [each[0] for each in cursor.description]
        return [json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, default=_plain) for row in cursor]
    except sqlite3.DatabaseError as error:
        return [f"cannot be read: {error}"]


def _plain(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)
