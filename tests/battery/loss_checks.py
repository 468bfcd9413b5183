"""T5: a database is deleted, cut off or garbled: the index comes back from the logs, the ledger from its backups."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tests.battery.busy_home import LIMIT, Attempt, BusyHome
from tests.battery.check import Check, Tally
from tests.store.test_corrupted_bytes import corrupt
from tests.store.test_index_damaged import DAMAGES, UNTOUCHED
from wisen.errors import StoreDamaged
from wisen.store.ledger import TABLES
from wisen.store.sqlite_ledger import open_ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Damage = Callable[[Path, random.Random], object]
    Rows = dict[str, set[tuple[object, ...]]]
    Content = dict[str, list[tuple[object, ...]]]
    """The rows of each table of the index, in their order."""

EACH = 5
"""How many times a home is damaged in one run."""
PAGE = 4096
_NUMBERED = ("memor", "folds", "sqlite_sequence")
"""Tables of the index whose numbers depend on how many runs read the logs; their texts are compared instead."""


def _garble_bytes(path: Path, chance: random.Random) -> None:
    path.write_bytes(corrupt(path.read_bytes(), chance))


def _garble_pages(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(max(len(content) // PAGE, 1)) * PAGE
        content[start : start + PAGE] = chance.randbytes(PAGE) if chance.random() < 0.5 else bytes(PAGE)
    path.write_bytes(content)


def _garble_header(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[: 1 + chance.randrange(100)] = chance.randbytes(1 + chance.randrange(100))
    path.write_bytes(content)


def _cut_off(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


RANDOM_DAMAGES: dict[str, Damage] = {
    "bytes are garbled": _garble_bytes,
    "pages are garbled": _garble_pages,
    "its header is garbled": _garble_header,
    "it is cut off": _cut_off,
    "it is gone": lambda path, _: path.unlink(),
    "it is all zeros": lambda path, _: path.write_bytes(bytes(path.stat().st_size)),
    "it is random": lambda path, chance: path.write_bytes(chance.randbytes(path.stat().st_size)),
}
INDEX_DAMAGES: dict[str, Damage] = RANDOM_DAMAGES | {
    name: lambda path, _, do=do: do(path) for name, do in DAMAGES.items() if name not in UNTOUCHED
}


def lose_index(seed: int, folder: Path) -> Tally:
    """The index is damaged: a run or the doctor says so, and what is built again is what was there."""
    chance, tally = random.Random(seed), Tally()
    home = BusyHome(folder)
    shutil.rmtree(home.home)  # one run that reads everything, as the one after the damage does
    assert home.run("learn").returncode == 0
    kept = home.folder / "kept"
    shutil.copytree(home.home, kept)
    expected = _index_content(home.home / "index.db")
    for _ in range(EACH):
        name = chance.choice([*INDEX_DAMAGES])
        _bring_back(home, kept)
        INDEX_DAMAGES[name](home.home / "index.db", chance)
        garbled = _readable_index(home.home / "index.db")
        tally.expect(not (problem := _after_index_damage(home, expected, garbled)), f"{name}: {problem}")
    return tally


def _after_index_damage(home: BusyHome, expected: Content, garbled: Content | None) -> str:
    """What is wrong after an ordinary run and a repair; `garbled` is what SQLite read and found no fault with before.

    Rows of the index have no seals: SQLite's checks see its structure and what is stored twice, and a repair each text
    that is none. A value that is another valid one of its kind now, in its row, stays until its session is read again.
    """
    learned = home.run("learn")
    if learned.returncode != 0:
        return f"learn ends with {learned.returncode}: {learned.stderr}"
    said = "built again" in learned.stdout + learned.stderr or "new events" in learned.stdout
    findings = _findings(home, "--repair")
    if findings["index"]["health"] == "bad" or findings["ledger"]["health"] != "good":
        return f"not repaired: {findings['index']} {findings['ledger']}"
    home.run("learn")
    differing = _differing(_index_content(home.home / "index.db"), expected, garbled)
    return f"{differing}, and {'it was said' if said else 'nothing was said'}" if differing else ""


def _differing(now: Content, expected: Content, garbled: Content | None) -> str:
    """What of the content differs but for values that were garbled in place and are valid."""
    for name, rows in expected.items():
        if len(now[name]) != len(rows):
            return f"{name} has {len(now[name])} rows instead of {len(rows)}"
        before = garbled.get(name, rows) if garbled is not None else rows
        for row, wanted, left in zip(now[name], rows, before if len(before) == len(rows) else rows, strict=True):
            for value, right, seen in zip(row, wanted, left, strict=True):
                if value != right and (value != seen or type(value) is not type(right)):
                    return f"a value of {name} is {value!r} instead of {right!r}"
    return ""


def _readable_index(index: Path) -> Content | None:
    """Return what is in an index whose structure SQLite finds no fault with."""
    if not index.is_file():
        return None
    copy = index.with_name("looked-at.db")
    shutil.copyfile(index, copy)
    try:
        with closing(sqlite3.connect(copy)) as connection:
            if connection.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
                return None
        return _index_content(copy)
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    finally:
        for side in ("", "-wal", "-shm"):
            copy.with_name(f"{copy.name}{side}").unlink(missing_ok=True)


def lose_ledger(seed: int, folder: Path) -> Tally:
    """The ledger is damaged, and some of its backups: it is noticed, restored, and nothing is thrown away."""
    chance, tally = random.Random(seed), Tally()
    home = BusyHome(folder)
    kept, expected = _with_log(home)
    for _ in range(EACH):
        name, side = chance.choice([*RANDOM_DAMAGES]), chance.choice(["", "", "", "-wal", "-shm"])
        bad_copies = chance.choice(["", "", "newest", "all"]) if not side else ""
        _bring_back(home, kept)
        if not side and chance.random() < 0.7:
            _settle_log(home.home / "ledger.db")
        for copy in _backups(home)[: {"": 0, "newest": 1, "all": None}[bad_copies]]:
            RANDOM_DAMAGES[chance.choice(["bytes are garbled", "pages are garbled", "it is random"])](copy, chance)
        content = _pages(home.home)
        RANDOM_DAMAGES[name](home.home / f"ledger.db{side}", chance)
        untouched = content & _pages(home.home)
        problem = _after_ledger_damage(home, expected, side, untouched)
        tally.expect(not problem, f"ledger.db{side}: {name}, bad backups: {bad_copies or 'none'}: {problem}")
    return tally


def _with_log(home: BusyHome) -> tuple[Path, Rows]:
    """Decide some things, some of which are in backups; return a copy whose newest rows are in SQLite's log."""
    kept = home.folder / "kept"
    home.run("remember", "always rinse plum1 before use")
    home.run("cycle")
    home.add_session()
    home.run("remember", "always rinse plum2 before use")
    home.run("cycle")
    with closing(sqlite3.connect(home.home / "ledger.db")) as reader:
        reader.execute("SELECT count(*) FROM entries").fetchone()
        home.run("remember", "always rinse plum3 before use")
        home.run("note", "met fig1 at noon")
        shutil.copytree(home.home, kept)
        rows = _rows(home.home / "ledger.db")
    assert (kept / "ledger.db-wal").stat().st_size > 0
    assert len(_backups(home)) > 1
    return kept, rows


def _after_ledger_damage(home: BusyHome, expected: Rows, side: str, untouched: set[bytes]) -> str:
    ledger, before = home.home / "ledger.db", _bytes(home.home)
    copies = [_readable(copy) for copy in _backups(home)]
    newest: Rows = next((rows for rows in copies if rows is not None), {})
    result = home.run("remember", "always rinse plum4 before use")
    refused = result.returncode != 0
    if refused and ("wisen doctor --repair" not in result.stderr or str(ledger) not in result.stderr):
        return f"no way out was named: {result.stderr!r}"
    if refused and (touched := _touched(home.home, before)):
        return f"it was noticed, and yet {touched} was written to: {result.stderr}"
    found = _findings(home, "--repair")["ledger"]
    if found["health"] == "bad":
        # Nothing can be restored: then everything stays as it is, and that is said.
        if "no good backup" not in found["says"] or newest:
            return f"not restored: {found}"
        touched = _touched(home.home, before) if refused else ""
        return f"it was not restored, and yet {touched} was written to" if touched else ""
    now = _rows(ledger)
    strange = {table: rows - expected[table] for table, rows in now.items()}
    # What was added after the damage is the rule, its moves, and the run of the repair.
    if any("plum4" not in str(row) for row in strange["entries"]):
        return f"rows that nobody wrote: {strange['entries']}"
    if found["health"] == "good" and not side and any(expected[table] - now[table] for table in now):
        return "rows are gone, and nothing was said"
    if any(newest[table] - now[table] for table in newest):
        return "what the newest good backup holds was not restored"
    if found["health"] == "notice" and (problem := _after_recovery(found["says"], now, newest, expected, untouched)):
        return problem
    if found["health"] == "notice":
        asides = [each for each in home.home.glob("ledger.db.damaged-*") if not each.name.endswith(("-wal", "-shm"))]
        if before.get("ledger.db") is not None and refused and before["ledger.db"] not in map(_content, asides):
            return "the damaged file was not kept"
    again = home.run("remember", "always rinse plum5 before use")
    return "" if again.returncode == 0 else f"it cannot be written after the repair: {again.stderr}"


def _after_recovery(says: str, now: Rows, newest: Rows, expected: Rows, untouched: set[bytes]) -> str:
    """What is wrong with a restored ledger: a row that the newest good backup lacks is there if its page was."""
    since = {table: (rows - newest[table]) & expected[table] for table, rows in now.items()}
    for table, rows in expected.items():
        for row in rows - newest[table] - since[table]:
            if any(_holds(page, row) for page in untouched):
                return f"a row of {table} is gone, and its page was not damaged: {row}"
    many = sum(len(rows) for rows in since.values())
    said = re.search(r"([\d,]+) rows? written since", says)
    if many != int(said[1].replace(",", "") if said else 0):
        return f"{many} rows were recovered, and what was said is: {says}"
    known = re.search(r"at least (.*?)(;|$)", says)
    lost = sum(len(rows - newest[table] - since[table]) for table, rows in expected.items())
    if sum(int(each) for each in re.findall(r"\d+", known[1] if known else "")) > lost:
        return f"{lost} rows are lost, and what was said is: {says}"
    return ""


def _holds(page: bytes, row: tuple[object, ...]) -> bool:
    """Whether a page has a row as a whole: then all its texts are there one after the other."""
    texts = [each.encode() for each in row if isinstance(each, str)]
    start = 0
    for text in texts:
        if (start := page.find(text, start)) < 0:
            return False
        start += len(text)
    return True


def _pages(home: Path) -> set[bytes]:
    """Return the pages of the ledger in which rows are, from its file and its log."""
    file, log = (home / "ledger.db", 0, PAGE), (home / "ledger.db-wal", 32 + 24, 24 + PAGE)
    pages: set[bytes] = set()
    for path, first, step in (file, log):
        content = path.read_bytes() if path.exists() else b""
        pages |= {content[start : start + PAGE] for start in range(first, len(content) - PAGE + 1, step)}
    return {page for page in pages if page[0] == 0x0D}


def _findings(home: BusyHome, *more: str) -> dict[str, Any]:
    """Return what the doctor says first about each part."""
    done = home.start(Attempt(words=("doctor", "--json", *more))).wait(LIMIT)
    return {each["about"]: each for each in reversed(json.loads(done.stdout)["findings"])}


def _bring_back(home: BusyHome, kept: Path) -> None:
    shutil.rmtree(home.home)
    shutil.copytree(kept, home.home)


def _settle_log(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _backups(home: BusyHome) -> list[Path]:
    return sorted((home.home / "backups").glob("ledger-*.db"), reverse=True)


def _bytes(home: Path) -> dict[str, bytes]:
    return {each.name: _content(each) for each in home.glob("ledger.db*") if not each.name.endswith("-shm")}


def _touched(home: Path, before: dict[str, bytes]) -> str:
    now = _bytes(home)
    # An empty log is none: SQLite makes one to read.
    changed = [name for name in now.keys() | before.keys() if now.get(name, b"") != before.get(name, b"")]
    return ", ".join(sorted(changed))


def _content(path: Path) -> bytes:
    return path.read_bytes()


def _readable(copy: Path) -> Rows | None:
    try:
        with closing(open_ledger(copy, backups=copy)) as ledger:
            ledger.check()
    except StoreDamaged:
        return None
    return _rows(copy)


def _rows(ledger: Path) -> Rows:
    with closing(sqlite3.connect(ledger)) as connection:
        return {table.name: set(connection.execute(f"SELECT * FROM {table.name}")) for table in TABLES}


def _index_content(index: Path) -> Content:
    with closing(sqlite3.connect(index)) as connection:
        names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        content = {
            name: connection.execute(f"SELECT * FROM {name}").fetchall()
            for name in names
            if not name.startswith(_NUMBERED)
        }
        content["memories"] = connection.execute("SELECT kind, text FROM memories ORDER BY kind, text").fetchall()
    return content


CHECKS = (
    Check(
        "T5",
        "index",
        "a damaged index is not noticed, or comes back with other content",
        lose_index,
        quick=1,
        full=100,
        needs=("git",),
    ),
    Check(
        "T5",
        "ledger",
        "a damaged ledger is written to, not restored, or something is dropped silently",
        lose_ledger,
        quick=1,
        full=100,
        needs=("git",),
    ),
)
