"""Reads and writes the client's files below the home: snapshots, pins, the spool and heartbeats.

Files are written whole and then renamed into place, so that a kill or a full disk leaves no partial file.
"""

from __future__ import annotations

import posix
from time import time

from .lean_json import dumps, loads
from .lean_paths import exists, make_folders, parent_of

VERSION = 1
DEFAULT_AGENT = "claude-code"
"""The agent that calls us without naming itself."""
GEMINI = "gemini-cli"
"""The agent that differs from the others: see `gemini.py`, which is loaded for it only."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_MAX_NAME_LENGTH = 80
_PIECE = 1 << 16


_bundled = globals().get("__bundled__")
"""Returns a part of the bundle, if the client runs from one."""


class BrokenSnapshot(Exception):
    """A snapshot is not what was written."""


CYCLE_TIMEOUT, REPEAT_AFTER = 3600.0, 86_400.0
"""Seconds after which a started cycle should have ended, and after which a lasting problem is reported again."""


class Snapshots:
    """What the last cycle prepared, for one agent."""

    def __init__(self, home: str, agent: str) -> None:
        self.home, self.agent = home, agent
        self._page: dict[str, object] | None = None

    @property
    def page(self) -> dict[str, object]:
        """Return the page that names the snapshots, as this event first read it. Raises: OSError, ValueError."""
        if self._page is None:
            self._page = _read(f"{self.home}/snapshots/current.json")
        return self._page

    def snapshot(self, pin: dict[str, object], cwd: str) -> tuple[str, dict[str, object]]:
        """Return the snapshot of a session and its digest: the one it started with, else the one for `cwd` now.

        Raises: BrokenSnapshot, OSError, ValueError.
        """
        digest = pin.get("digest")
        if isinstance(digest, str):
            content = self.content(digest)
            if content is not None:
                return digest, content
        for _ in range(2):  # a cycle may replace it between the two reads
            current = self.page
            if not current or current.get("version") != VERSION:
                return "", {}
            digest = _digest_for(cwd, current, self.agent)
            content = self.content(digest)
            if content is not None:
                return digest, content
            self._page = None
        raise BrokenSnapshot(digest)

    def content(self, digest: str) -> dict[str, object] | None:
        """Return the object with a digest; None if it is gone. Raises: BrokenSnapshot."""
        if known := bundled_table("table", digest):
            return known
        raw = self.raw(digest)
        value = None if raw is None else loads(raw.decode("ascii"))
        return value if isinstance(value, dict) else None

    def raw(self, digest: str) -> bytes | None:
        """Return the content with a digest; None if it is gone. Raises: BrokenSnapshot."""
        try:
            raw = _read_bytes(f"{self.home}/snapshots/{_safe_name(digest)}.json")
        except FileNotFoundError:
            return None
        if _digest(raw) != digest:
            raise BrokenSnapshot(digest)
        return raw

    def context(self, cwd: str) -> str:
        """Return the context of a directory; empty if there is none, or the page cannot be read."""
        try:
            return _context_of(cwd, self.page)
        except (OSError, ValueError):
            return ""

    def sheet(self, cwd: str) -> str:
        """Return the digest of the guards of a directory; empty if there are none.

        They are not pinned: a guard that the user disables is off at once.
        """
        current = self.page
        sheets = current.get("guards")
        if current.get("version") != VERSION or not isinstance(sheets, dict):
            return ""
        return str(sheets.get(_context_of(cwd, current)) or sheets.get("") or "")

    def has_sheets(self, name: str) -> bool:
        """Whether there are sheets of a kind anywhere: reminders (`moments`), workflow hints (`workflows`)."""
        return bool(self.page.get(name))

    def sheet_digest(self, name: str, cwd: str) -> str:
        """Return the digest of the sheet of a kind for a directory; empty if there is none.

        They are not pinned: what the user forgets, closes or rewords is no longer delivered at once.
        """
        current = self.page
        sheets = current.get(name)
        if current.get("version") != VERSION or not isinstance(sheets, dict):
            return ""
        return str(sheets.get(_context_of(cwd, current)) or sheets.get("") or "")

    def counts(self, cwd: str) -> tuple[dict[str, dict[str, object]], str]:
        """Return the counts for a directory and the global ones, and when they were made."""
        current = self.page
        known, context = current.get("figures"), _context_of(cwd, current)
        scopes = {f"this project ({context})": context} if context else {}
        found: dict[str, dict[str, object]] = {}
        for name, key in {**scopes, "what holds everywhere": ""}.items():
            each = known.get(key) if isinstance(known, dict) else None
            if isinstance(each, dict):
                found[name] = each
        return found, str(current.get("made", ""))

    def allows_trials(self, context: str) -> bool:
        """Whether the user agrees to experiments in a context now: withdrawing consent takes effect at once."""
        welcome = self.page.get("trials")
        return isinstance(welcome, list) and context in welcome

    def turn_questions(self, cwd: str) -> tuple[str, list[tuple[str, str]]]:
        """Return what an agent is asked to classify in a directory: the head, and lines with their ids; not pinned."""
        current = self.page
        asked = current.get("turns")
        found = asked.get(_context_of(cwd, current)) if isinstance(asked, dict) else None
        lines = [(str(id_), str(line)) for id_, line in found] if isinstance(found, list) else []
        return str(current.get("turns_head", "")), lines

    def delivers_local_words(self) -> bool:
        """Whether the user allows delivering what was typed to models on their own machine."""
        return self.page.get("local") is True

    def off_places(self) -> list[str]:
        """Return the directories in which the settings turn wisen off, as of the last cycle."""
        try:
            found = self.page.get("off")
        except (OSError, ValueError):
            return []  # whoever needs that page reports that it is broken
        return [str(each) for each in found] if isinstance(found, list) else []


class HookStore:
    """The home, for one event of one session."""

    def __init__(self, home: str, agent: str, session: str) -> None:
        self.home, self.agent, self.session = home, agent, session
        self.snapshots = Snapshots(home, agent)
        self._name = f"{_safe_name(agent)}-{_safe_name(session)}"
        self._pin = f"{home}/snapshots/pins/{self._name}.json"
        self._written = 0

    def read_pin(self) -> dict[str, object]:
        """Return what this session started with and received; empty for an unknown session."""
        try:
            found = _read(self._pin)
        except ValueError:
            return {}  # an unreadable pin counts as a new session
        return found if found.get("version") == VERSION else {}

    def write_pin(self, pin: dict[str, object]) -> None:
        """Remember what this session started with and received."""
        _write(self._pin, dumps({**pin, "version": VERSION}))

    def salt(self) -> bytes:
        """Return the key of the trials' draw; empty if there is none, and then there is no draw."""
        try:
            return bytes.fromhex(_read_bytes(f"{self.home}/salt").decode("ascii").strip())
        except (OSError, ValueError):
            return b""

    def record(self, event: str, **fields: object) -> None:
        """Record something for the next cycle: ids, never text."""
        self._written += 1
        line = {"agent": self.agent, "session": self.session, "at": time(), "event": event, **fields}
        name = f"{self._name}-{posix.getpid()}-{time():.6f}-{self._written}"
        _write(f"{self.home}/spool/{name}.jsonl", dumps(line) + "\n")

    def record_off(self) -> None:
        """Record that nothing of this session may be kept: by a keyed digest only."""
        if self.session == "none":
            return
        folder = f"{self.home}/spool/off"
        _make_folder(folder)
        name = _digest(f"{self.agent}\0{self.session}".encode("utf-8", "surrogatepass"), self._salt())
        posix.close(posix.open(f"{folder}/{name}", posix.O_CREAT | posix.O_WRONLY | posix.O_CLOEXEC, 0o600))

    def _salt(self) -> bytes:
        """Return the key of the home, created on first use; if two processes race, the first one wins."""
        path = f"{self.home}/salt"
        if not exists(path):
            part = f"{path}.{posix.getpid()}.part"
            _write(part, posix.urandom(32).hex() + "\n")
            try:
                posix.link(part, path)
            except FileExistsError:
                pass
            finally:
                posix.unlink(part)
        return bytes.fromhex(_read_bytes(path).decode("ascii").strip())

    def record_heartbeat(self, event: str) -> None:
        """Record a heartbeat."""
        folder = f"{self.home}/spool/beats"
        path = f"{folder}/{_safe_name(event)}" + ("" if self.agent == DEFAULT_AGENT else f"@{_safe_name(self.agent)}")
        try:
            posix.utime(path)
        except FileNotFoundError:
            _make_folder(folder)
            posix.close(posix.open(path, posix.O_CREAT | posix.O_WRONLY, 0o600))
        # The launcher marks in these files that an event was begun: it cannot create private ones itself.
        marks = [f"{folder}/.{event}@{_safe_name(self.agent)}.{number}" for number in (1, 2, 3)]
        if not exists(marks[0]):
            for mark in marks:
                posix.close(posix.open(mark, posix.O_CREAT | posix.O_WRONLY | posix.O_CLOEXEC, 0o600))
            posix.utime(path)  # it is newer than they are

    def problems(self, *, first: bool = True) -> str:
        """Return what is wrong, for the user: a failure of ours once, a lasting problem once a day.

        If that cannot be recorded, because nothing can be written, it is reported at the `first` start of each session.
        """
        try:
            failure = self._failure_text()
        except OSError:
            failure = ""  # it cannot be marked as reported; the cause is reported instead
        return "\n".join(filter(None, (failure, self._problem_text(first=first))))

    def _problem_text(self, *, first: bool) -> str:
        """Return what the last cycle found wrong, what stops learning, and whether cycles no longer finish."""
        from .stopped_learning import why_stopped

        stops, alarms, late = why_stopped(self.home), list[str](), 0.0
        try:
            found = self.snapshots.page.get("alarms")
            alarms = [str(each) for each in found] if isinstance(found, list) else []
            published = posix.stat(f"{self.home}/snapshots/current.json").st_mtime
            late = posix.stat(f"{self.home}/spool/wake").st_mtime - published
        except (OSError, ValueError):
            pass  # whoever needs it reports what is broken
        if stops:
            alarms.insert(0, stops)
        elif late > CYCLE_TIMEOUT:
            alarms.append("wisen's cycle is started and does not end any more, so nothing new is learned: wisen cycle")
        path, text = f"{self.home}/spool/alarmed", "\n".join(alarms)
        try:
            before = _read(path)
        except (OSError, ValueError):
            before = {}
        at = before.get("at")
        if not text or (before.get("text") == text and isinstance(at, float) and time() - at < REPEAT_AFTER):
            return ""
        try:
            _write(path, dumps({"text": text, "at": time()}))
        except OSError:
            if not first:
                return ""
        return f"Tell the user once what is wrong with wisen:\n{text}"

    def _failure_text(self) -> str:
        path = f"{self.home}/spool/beats/failed"
        try:
            found = _read(path)
        except ValueError:
            found = {"kind": "what it was is lost", "event": "some event"}
        if not found:
            return ""
        posix.replace(path, f"{path}-told")
        what = f"{found.get('kind')} at {found.get('event')}"
        return f"wisen's hook could not do its work lately ({what}). Tell the user once; `wisen doctor` looks into it."

    def record_failure(self, event: str, kind: str) -> None:
        """Have the next start report what failed: the type of error, never its text."""
        _write(f"{self.home}/spool/beats/failed", dumps({"event": event, "kind": kind, "at": time()}))


def bundled_table(kind: str, digest: str) -> dict[str, object] | None:
    """Return a table that the bundle contains, by the digest of its content; None if there is none."""
    value = None if _bundled is None else _bundled(f"{kind} {digest}")
    return value if isinstance(value, dict) else None


def _digest_for(cwd: str, current: dict[str, object], agent: str) -> str:
    """Return the digest of the snapshot for a directory: of the longest known place above it, else the global one.

    An agent that reads other files than the rest may have one of its own.
    """
    context, contexts, agents = _context_of(cwd, current), current.get("contexts"), current.get("agents")
    own = agents.get(agent) if isinstance(agents, dict) else None
    if isinstance(own, dict) and context in own:
        return str(own[context])
    return str(contexts[context] if context and isinstance(contexts, dict) else current.get("global", ""))


def _context_of(cwd: str, current: dict[str, object]) -> str:
    """Return the context of a directory; empty if it belongs to none that is known."""
    best, context = "", ""
    places, contexts = current.get("places"), current.get("contexts")
    for place in places if isinstance(places, list) else ():
        path = str(place[0])
        if len(path) > len(best) and (cwd == path or cwd.startswith(path.rstrip("/") + "/")):
            best, context = path, str(place[1])
    known = best and isinstance(contexts, dict) and context in contexts and not _is_nested_repository(cwd, best)
    return context if known else ""


def _is_nested_repository(cwd: str, place: str) -> bool:
    """Whether a directory below a place is in a repository of its own there: that is another project."""
    while len(cwd) > len(place):
        if exists(f"{cwd}/.git"):
            return True
        cwd = parent_of(cwd)
    return False


def _read(path: str) -> dict[str, object]:
    try:
        value = loads(_read_bytes(path).decode("utf-8"))
    except FileNotFoundError:
        return {}
    return value if isinstance(value, dict) else {}


def _read_bytes(path: str) -> bytes:
    handle = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        pieces = [posix.read(handle, _PIECE)]
        while len(pieces[-1]) == _PIECE:  # a file ends with a piece that is shorter
            pieces.append(posix.read(handle, _PIECE))
        return b"".join(pieces)
    finally:
        posix.close(handle)


def _make_folder(folder: str) -> None:
    """A folder and the one above it, for the user alone: the mode that is given counts for the last one only."""
    make_folders(parent_of(folder), 0o700)
    make_folders(folder, 0o700)


def _write(path: str, text: str) -> None:
    part = f"{path}.{posix.getpid()}.part"
    flags = posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_CLOEXEC
    try:
        handle = posix.open(part, flags, 0o600)
    except FileNotFoundError:
        _make_folder(parent_of(path))
        handle = posix.open(part, flags, 0o600)
    try:
        try:
            rest = text.encode("utf-8")
            while rest:
                rest = rest[posix.write(handle, rest) :]
        finally:
            posix.close(handle)
        posix.replace(part, path)
    except BaseException:
        posix.unlink(part)
        raise


def _digest(content: bytes, key: bytes = b"") -> str:
    try:
        from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import blake2b
    return str(blake2b(content, digest_size=16, key=key).hexdigest())


def _safe_name(name: str) -> str:
    """A name that is safe in a path; different ones stay different."""
    if name and len(name) <= _MAX_NAME_LENGTH and _PLAIN.issuperset(name):
        return name
    return "x" + name.encode("utf-8", "surrogatepass").hex()[:160]
