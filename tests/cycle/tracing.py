"""Traces a value through the program by a unique word in it.

It is followed by that word and by the ids of rows that hold it: in what is handed to a folder and comes back from it,
in what goes into a store and comes out of it, in files.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import wisen

PACKAGE = str(Path(wisen.__file__).parent)
HANDS = {"cli", "mcp", "pages"}
"""What composes, with every file at the top of the package: it takes from one station and hands to the next."""
TOOLS = {"errors.py", "kernel", "model", "text", "safety", "system", "store", "testing", "sample"}
"""Mechanisms that are called and return, whoever calls them."""
MECHANISMS = {"logs", "agents", "edits", "language_models", "mining", "decisions", "delivery"}
"""Stations where hands call them, tools where a station does."""
IN_HANDS = "hands"
"""Not a station: what composes had the value in its hands."""
_OPTIMIZED, _GENERATOR = 0x1, 0x20 | 0x80 | 0x200
_LEAST_ID = 6
_DEPTH = 7
_NUMBER = re.compile(r"[0-9a-f]*\d[0-9a-f.-]*(?=[.-]|$)")
_READ = re.compile(r"\b(?:FROM|JOIN)\s+\"?([a-z_]+)", re.IGNORECASE)
_WRITTEN = re.compile(r"\b(?:INTO|UPDATE|DELETE FROM)\s+\"?([a-z_]+)", re.IGNORECASE)


@dataclass
class Stop:
    """A stay of control in a station, as far as it has the value."""

    station: str
    entry: str
    caller: str
    stay: int
    """The same for parts of one call that was left for another station meanwhile."""
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    functions: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Stay:
    """A call of a station, until it returns."""

    station: str
    entry: str
    caller: str


@dataclass(eq=False)
class Frame:
    """A running function of the package."""

    place: str
    folder: str
    stay: Stay
    code: CodeType | None = None
    has_value: bool = False
    """Whether it is a function of the store that was given a row with the value."""
    tables: set[str] = field(default_factory=set)
    """What the store read in it."""
    wraps: bool = False
    """Whether it is a function of a tool that called a station, as one that holds a lock does."""


class Marks:
    """The word, and the ids of rows that hold it; and every row of that kind that was seen, by a name of its own."""

    def __init__(self, word: str) -> None:
        self._marks = [word]
        self._rows: dict[int, tuple[str, object]] = {}
        self._by_text: dict[str, set[str]] = {}

    def holds(self, text: str) -> bool:
        """Whether a text has to do with the value."""
        return any(mark in text for mark in self._marks)

    def rows(self, value: object) -> tuple[set[str], set[str]]:
        """The rows in a value that have to do with it, and older ones that those not seen before share a text with."""
        found: list[tuple[object, list[str]]] = []
        self._look(value, found, 0)
        names, older = set[str](), set[str]()
        for row, texts in found:
            if id(row) not in self._rows:
                name = f"{type(row).__name__}@{len(self._rows)}"
                self._rows[id(row)] = name, row  # kept, so that no other gets its id
                for text in texts:
                    older |= self._by_text.setdefault(text, set())
                    self._by_text[text].add(name)
            names.add(self._rows[id(row)][0])
        return names, older

    def _look(self, value: object, found: list[tuple[object, list[str]]], depth: int) -> list[str]:
        """The texts right here that have to do with it; rows are put into `found`."""
        if isinstance(value, (str, bytes)):
            text = value if isinstance(value, str) else value.decode(errors="replace")
            return [text] if self.holds(text) else []
        if depth > _DEPTH or value is None or isinstance(value, (int, float)):
            return []
        if isinstance(value, Mapping):
            return self._look_into(chain.from_iterable(value.items()), found, depth)
        if isinstance(value, (list, tuple, set, frozenset)) and not hasattr(value, "_fields"):
            return self._look_into(value, found, depth)
        inner = _fields_of(value, depth)
        if inner is None:
            return []
        if texts := self._look_into(inner.values(), found, depth):
            found.append((value, texts))
            id_ = inner.get("id")
            if isinstance(id_, str) and len(id_) >= _LEAST_ID and not self.holds(id_):
                self._marks.append(id_)
        return []

    def _look_into(self, values: Iterable[object], found: list[tuple[object, list[str]]], depth: int) -> list[str]:
        return [text for each in values for text in self._look(each, found, depth + 1)]


def _fields_of(value: object, depth: int) -> dict[str, object] | None:
    """What a row or a value of ours holds, or None where it is something else."""
    kind: Any = value.__class__
    if not kind.__module__.startswith("wisen.") or hasattr(kind, "__getattr__"):
        return None
    names: Iterable[str] | None = getattr(kind, "__struct_fields__", None) or getattr(kind, "_fields", None)
    if names is None and hasattr(kind, "__dataclass_params__") and kind.__dataclass_params__.frozen:
        names = [each.name for each in fields(kind)]
    if names is None:  # what a service remembers is looked at, what stands behind it is not
        return dict(vars(value)) if depth <= 1 and hasattr(value, "__dict__") else None
    return {name: getattr(value, name, None) for name in names}


class Tracer:
    """Sees every function of the package that runs, and what has to do with the value on the way."""

    def __init__(self, world: Path, word: str) -> None:
        self.files: set[str] = set()
        self.stops: list[Stop] = []
        """In the order in which they had the value; one that has it again after another one is there again."""
        self._marks, self._world = Marks(word), str(world)
        self._places: dict[CodeType, tuple[str, str] | None] = {}
        self._stacks: dict[int, list[Frame]] = {}
        self._last: Stay | None = None
        self._written: list[tuple[Frame, str]] = []
        self._tables: dict[CodeType | None, set[str]] = {}
        self._given: dict[Stay, set[str]] = {}
        self._generators: dict[FrameType, Frame] = {}
        self._outside = Stay(IN_HANDS, "", "")
        self._stays: list[Stay] = []
        """Those with the value: an id is no other's while its object is kept."""
        self._opened: list[sqlite3.Connection] = []
        self._loading = 0
        self._watching = False
        sys.addaudithook(self._audit)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what runs inside."""
        self._watching = True
        threading.setprofile(self._event)
        sys.setprofile(self._event)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self._watching = False
            self._look_at_files(None)

    @property
    def _stack(self) -> list[Frame]:
        return self._stacks.setdefault(threading.get_ident(), [])

    def _event(self, frame: FrameType, event: str, value: Any) -> None:
        if event not in ("call", "return"):
            return
        while self._opened:
            with contextlib.suppress(sqlite3.ProgrammingError):  # closed meanwhile
                self._opened.pop().set_trace_callback(self._statement)
        code = frame.f_code
        if code not in self._places:
            self._places[code] = _place_of(code)
        known = self._places[code]
        if known is None:
            return
        if not code.co_flags & _OPTIMIZED:  # a module or the body of a class: it is being loaded
            self._loading += 1 if event == "call" else -1
        elif self._loading:
            return
        elif event == "call":
            self._enter(frame, *known)
        elif self._stack:
            self._leave([value, frame.f_locals.get("self")])

    def _enter(self, frame: FrameType, file: str, folder: str) -> None:
        if folder != "testing":
            self.files.add(file)
        stack, code = self._stack, frame.f_code
        if frame in self._generators:
            stack.append(self._generators[frame])
            return
        above = stack[-1] if stack else None
        stay = above.stay if above else self._outside
        here = f"{file}: {code.co_name}"
        if folder in HANDS or (folder.endswith(".py") and folder not in TOOLS):
            stay = self._outside
        elif folder not in TOOLS and (stay is self._outside or (folder not in MECHANISMS and stay.station != folder)):
            hands = [each.place for each in stack if each.stay is self._outside and each.folder not in TOOLS]
            for each in stack:
                each.wraps = True
            stay = Stay(folder, here, hands[-1] if hands else "")
        entered = Frame(here, folder, stay, code)
        stack.append(entered)
        if code.co_flags & _GENERATOR:
            self._generators[frame] = entered
        if folder == "store" and above is not None and above.folder != "store":
            entered.has_value = bool(self._marks.rows(_arguments(frame))[0])
        if (above is not None or stay is not self._outside) and (above is None or above.stay is not stay):
            handed = self._given.get(above.stay, set()) if above else set()
            self._hand(above, entered, _arguments(frame), but=handed)

    def _leave(self, value: object) -> None:
        left = self._stack.pop()
        above = self._stack[-1] if self._stack else None
        if above is None or above.stay is not left.stay:
            self._look_at_files(left.stay)
            self._stack.append(left)
            self._hand(left, above, value)
            self._stack.pop()
        elif left.folder == "store" and above.folder != "store" and not left.wraps:
            rows, _ = self._marks.rows(value)
            if rows:
                read = left.tables or self._tables.get(left.code, set())  # what is remembered was read before
                self._note(above, reads=read, writes=rows if above.stay is self._outside else ())

    def _hand(self, giver: Frame | None, taker: Frame | None, value: object, but: Collection[str] = ()) -> None:
        """A value goes from one to the other; what is only handed on (`but`) is not the giver's own."""
        rows, older = self._marks.rows(value)
        if not rows:
            return
        if giver is not None and giver.stay is not self._outside:
            if own := rows - set(but):
                self._note(giver, writes=own)
        elif older:  # made in the hands, of what they had
            self._note(Frame("", "", self._outside), reads=older, writes=rows)
        if taker is not None and taker.stay is not self._outside:
            self._given.setdefault(taker.stay, set()).update(rows)
            self._note(taker, reads=rows)

    def _statement(self, text: str) -> None:
        """A statement of SQL runs: what it reads is known when rows come back, what it writes by what is in it."""
        stack, outer = self._stack, len(self._stack)
        while outer and stack[outer - 1].folder in TOOLS and not stack[outer - 1].wraps:
            outer -= 1
        store = [frame for frame in stack[outer:] if frame.folder == "store"]
        if not self._watching or not store:
            return
        for frame in store:
            frame.tables.update(_READ.findall(text))
            self._tables.setdefault(frame.code, set()).update(frame.tables)
        written = set(_WRITTEN.findall(text))
        if written and outer and (store[0].has_value or self._marks.holds(text)):
            self._note(stack[outer - 1], writes=written)

    def _note(self, frame: Frame, *, reads: Collection[str] = (), writes: Collection[str] = ()) -> None:
        """Something that has to do with the value was met in a function."""
        stay, stack = frame.stay, self._stack
        if self._last is not stay:
            self._stays.append(stay)
            self.stops.append(Stop(stay.station, stay.entry, stay.caller, id(stay)))
            self._last = stay
        stop = self.stops[-1]
        stop.reads |= set(reads)
        stop.writes |= set(writes)
        inside = [each.place for each in stack[: stack.index(frame) + 1] if each.stay is stay] if frame in stack else []
        inside = [place for place in inside if place.split("/")[0] == stay.entry.split("/")[0] and "<" not in place]
        stop.functions += [place for place in inside[-1:] if place not in stop.functions]

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._watching and event == "sqlite3.connect/handle":
            self._opened.append(arguments[0])  # it is not whole yet
        if not self._watching or event not in ("open", "os.rename") or not self._stack:
            return
        self._watching = False
        frame = self._stack[-1]
        try:
            path = os.fsdecode(arguments[0]) if isinstance(arguments[0], (str, bytes, os.PathLike)) else ""
            if event == "os.rename":
                target = _beside(arguments[1], arguments[3])
                if self._file_holds(target):
                    self._note(frame, writes={self._short(target)})
                self._written.append((frame, target))
            elif path.startswith(self._world) and ".db" not in path:
                mode, flags = arguments[1], arguments[2] if isinstance(arguments[2], int) else 0
                if (isinstance(mode, str) and set(mode) & set("wax+")) or flags & (os.O_WRONLY | os.O_RDWR):
                    self._written.append((frame, path))
                elif self._file_holds(path):
                    self._note(frame, reads={self._short(path)})
        finally:
            self._watching = True

    def _look_at_files(self, stay: Stay | None) -> None:
        """What a station wrote into files is there when it returns."""
        if not self._written:
            return
        was, self._watching = self._watching, False
        for frame, path in self._written:
            if (stay is None or frame.stay is stay) and self._file_holds(path):
                self._note(frame, writes={self._short(path)})
        self._written = [each for each in self._written if stay is not None and each[0].stay is not stay]
        self._watching = was

    def _short(self, path: str) -> str:
        """The name of a file without what is another one each time."""
        return _NUMBER.sub("*", os.path.relpath(path, self._world))

    def _file_holds(self, path: str) -> bool:
        with contextlib.suppress(OSError):
            if ".db" not in path and Path(path).is_file():
                return self._marks.holds(Path(path).read_text(encoding="utf-8", errors="replace"))
        return False


def _beside(path: str | bytes, folder: int) -> str:
    """A path that may be told from the handle of an open folder."""
    parent = Path.cwd()
    if folder >= 0:
        with contextlib.suppress(OSError):  # only Linux tells it
            parent = Path(f"/proc/self/fd/{folder}").readlink()
    return str(parent / os.fsdecode(path))


def _arguments(frame: FrameType) -> list[object]:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [frame.f_locals.get(name) for name in names]


def _place_of(code: CodeType) -> tuple[str, str] | None:
    """The file of the package that a code is of and the folder that counts, or None."""
    name = code.co_filename
    if not name.startswith(PACKAGE):
        return None
    parts = Path(name).relative_to(PACKAGE).parts
    first = parts[1] if parts[0] == "surfaces" and len(parts) > 2 else parts[0]
    return "/".join(parts), first


def backwards(stops: list[Stop], targets: Collection[str]) -> list[Stop]:
    """The stops that the end goes back to, with what matters of what they read and wrote.

    From the last one: who wrote a target, who wrote what that one had read until then, and so on.
    """
    needed, taken = set(targets), dict[int, Stop]()
    for at in range(len(stops) - 1, -1, -1):
        stop = stops[at]
        is_end = stop.station == "hook" and bool(stop.reads)
        if not is_end and not stop.writes & needed:
            continue
        before = [other for other in range(at + 1) if stops[other].stay == stop.stay and stops[other].reads]
        for other in [*before, at]:
            taken.setdefault(other, replace(stops[other], reads=set(stops[other].reads), writes=set()))
        taken[at].writes |= stop.writes & needed
        needed |= {each for other in before for each in stops[other].reads}
    known = {each for stop in taken.values() for each in stop.writes}
    first = min(taken, default=0)
    for at, stop in taken.items():
        stop.reads &= known if at != first else stop.reads
    return [taken[at] for at in sorted(taken)]
