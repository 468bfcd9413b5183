"""What the client reads and leaves below the home: snapshots, pins, the spool and signs of life. Nothing of wisen else.

Files are written whole and then put in their place, so that a kill or a full disk leaves no part.
"""

from __future__ import annotations

import os
from time import time

from .lean_json import dumps, loads

VERSION = 1
USUAL = "claude-code"
"""The agent that calls us without naming itself."""
GEMINI = "gemini-cli"
"""The agent that speaks otherwise: see `gemini.py`, which is loaded for it alone."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_LONGEST = 80


class SnapshotBroken(Exception):
    """A snapshot is not what was written."""


LATE, AGAIN = 3600.0, 86_400.0
"""Seconds after which a cycle that was started should have ended, and after which what stays wrong is told again."""


class Snapshots:
    """What the last cycle prepared, for one agent."""

    def __init__(self, home: str, agent: str) -> None:
        self.home, self.agent = home, agent

    def snapshot(self, pin: dict[str, object], cwd: str) -> tuple[str, dict[str, object]]:
        """The snapshot of a session and its digest: the one it began with, else the one that holds in `cwd` now.

        Raises: SnapshotBroken, OSError, ValueError.
        """
        digest = pin.get("digest")
        if isinstance(digest, str):
            content = self.content(digest)
            if content is not None:
                return digest, content
        for _ in range(2):  # a cycle may put another one in its place between two looks
            current = _read(f"{self.home}/snapshots/current.json")
            if not current or current.get("version") != VERSION:
                return "", {}
            digest = _holds_in(cwd, current, self.agent)
            content = self.content(digest)
            if content is not None:
                return digest, content
        raise SnapshotBroken(digest)

    def content(self, digest: str) -> dict[str, object] | None:
        """The object that a digest names; None where it is gone. Raises: SnapshotBroken."""
        raw = self.raw(digest)
        value = None if raw is None else loads(raw.decode("ascii"))
        return value if isinstance(value, dict) else None

    def raw(self, digest: str) -> bytes | None:
        """What a digest names; None where it is gone. Raises: SnapshotBroken."""
        try:
            raw = _bytes(f"{self.home}/snapshots/{_plain(digest)}.json")
        except FileNotFoundError:
            return None
        if _digest(raw) != digest:
            raise SnapshotBroken(digest)
        return raw

    def context(self, cwd: str) -> str:
        """The key of the context that a directory belongs to; empty where there is none, or that cannot be read."""
        try:
            return _context_of(cwd, _read(f"{self.home}/snapshots/current.json"))
        except (OSError, ValueError):
            return ""

    def sheet(self, cwd: str) -> str:
        """The digest of the guards that hold in a directory now; empty where there are none.

        They are not pinned: what the user switches off is off at once.
        """
        current = _read(f"{self.home}/snapshots/current.json")
        sheets = current.get("guards")
        if current.get("version") != VERSION or not isinstance(sheets, dict):
            return ""
        return str(sheets.get(_context_of(cwd, current)) or sheets.get("") or "")

    def has_moments(self) -> bool:
        """Whether anything is told anywhere when its moment comes."""
        return bool(_read(f"{self.home}/snapshots/current.json").get("moments"))

    def moments(self, cwd: str) -> str:
        """The digest of what is told in a directory when its moment comes; empty where there is nothing.

        It is not pinned: what the user forgets, closes or says otherwise is told no more at once.
        """
        current = _read(f"{self.home}/snapshots/current.json")
        sheets = current.get("moments")
        if current.get("version") != VERSION or not isinstance(sheets, dict):
            return ""
        return str(sheets.get(_context_of(cwd, current)) or sheets.get("") or "")

    def figures(self, cwd: str) -> tuple[dict[str, dict[str, object]], str]:
        """How much there is of what in a directory and everywhere, and when that was counted."""
        current = _read(f"{self.home}/snapshots/current.json")
        known, context = current.get("figures"), _context_of(cwd, current)
        scopes = {f"this project ({context})": context} if context else {}
        found: dict[str, dict[str, object]] = {}
        for name, key in {**scopes, "what holds everywhere": ""}.items():
            each = known.get(key) if isinstance(known, dict) else None
            if isinstance(each, dict):
                found[name] = each
        return found, str(current.get("made", ""))

    def welcomes(self, context: str) -> bool:
        """Whether experiments are welcome in a context now: what the user takes back ends at once."""
        welcome = _read(f"{self.home}/snapshots/current.json").get("trials")
        return isinstance(welcome, list) and context in welcome

    def turns(self, cwd: str) -> tuple[str, list[tuple[str, str]]]:
        """What an agent is asked to sort in a directory: the head, and lines with their ids; as it is known now."""
        current = _read(f"{self.home}/snapshots/current.json")
        asked = current.get("turns")
        found = asked.get(_context_of(cwd, current)) if isinstance(asked, dict) else None
        lines = [(str(id_), str(line)) for id_, line in found] if isinstance(found, list) else []
        return str(current.get("turns_head", "")), lines

    def tells_local(self) -> bool:
        """Whether the user allows now that agents are told what was typed to models on their own machine."""
        return _read(f"{self.home}/snapshots/current.json").get("local") is True

    def off_places(self) -> list[str]:
        """The directories in which the settings switch wisen off, as the last cycle knew them."""
        try:
            found = _read(f"{self.home}/snapshots/current.json").get("off")
        except (OSError, ValueError):
            return []  # whoever needs that page tells that it is broken
        return [str(each) for each in found] if isinstance(found, list) else []


class Shelf:
    """The home, for one event of one session."""

    def __init__(self, home: str, agent: str, session: str) -> None:
        self.home, self.agent, self.session = home, agent, session
        self.snapshots = Snapshots(home, agent)
        self._name = f"{_plain(agent)}-{_plain(session)}"
        self._pin = f"{home}/snapshots/pins/{self._name}.json"
        self._written = 0

    def pin(self) -> dict[str, object]:
        """What this session began with and was told; empty for a session that is not known."""
        try:
            found = _read(self._pin)
        except ValueError:
            return {}  # a session that cannot be remembered begins anew
        return found if found.get("version") == VERSION else {}

    def write_pin(self, pin: dict[str, object]) -> None:
        """Remember what this session began with and was told."""
        _write(self._pin, dumps({**pin, "version": VERSION}))

    def salt(self) -> bytes:
        """What coins are keyed with; empty where there is none, and then none is thrown."""
        try:
            return bytes.fromhex(_bytes(f"{self.home}/salt").decode("ascii").strip())
        except (OSError, ValueError):
            return b""

    def spool(self, event: str, **fields: object) -> None:
        """Note something down for the next cycle: ids, never text."""
        self._written += 1
        line = {"agent": self.agent, "session": self.session, "at": time(), "event": event, **fields}
        _write(f"{self.home}/spool/{self._name}-{os.getpid()}-{time():.6f}-{self._written}.jsonl", dumps(line) + "\n")

    def switch_off(self) -> None:
        """Note that nothing of this session may be kept: by a keyed digest, and nothing else."""
        if self.session == "none":
            return
        folder = f"{self.home}/spool/off"
        _make_folder(folder)
        name = _digest(f"{self.agent}\0{self.session}".encode("utf-8", "surrogatepass"), self._salt())
        os.close(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))

    def _salt(self) -> bytes:
        """The key of the home, which is made at the first question; who comes second takes that of the first."""
        path = f"{self.home}/salt"
        if not os.path.exists(path):
            part = f"{path}.{os.getpid()}.part"
            _write(part, os.urandom(32).hex() + "\n")
            try:
                os.link(part, path)
            except FileExistsError:
                pass
            finally:
                os.unlink(part)
        return bytes.fromhex(_bytes(path).decode("ascii").strip())

    def beat(self, event: str) -> None:
        """Leave a sign of life."""
        folder = f"{self.home}/spool/beats"
        path = f"{folder}/{_plain(event)}" + ("" if self.agent == USUAL else f"@{_plain(self.agent)}")
        try:
            os.utime(path)
        except FileNotFoundError:
            _make_folder(folder)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))

    def trouble(self, *, first: bool = True) -> str:
        """What is wrong, in words for the user: a failure of ours once, what stays wrong once a day.

        Where that cannot be noted, because nothing can be written, it is told at the `first` start of each session.
        """
        try:
            failure = self._failure()
        except OSError:
            failure = ""  # it cannot be marked as told, and what keeps it from that is told
        return "\n".join(filter(None, (failure, self._alarm(first=first))))

    def _alarm(self, *, first: bool) -> str:
        """What the last cycle found wrong, what stops learning, and that no cycle ends any more."""
        from .stopping import stopped

        stops, alarms, late = stopped(self.home), list[str](), 0.0
        try:
            current = f"{self.home}/snapshots/current.json"
            found = _read(current).get("alarms")
            alarms = [str(each) for each in found] if isinstance(found, list) else []
            late = os.stat(f"{self.home}/spool/wake").st_mtime - os.stat(current).st_mtime
        except (OSError, ValueError):
            pass  # what is broken there is told by whoever needs it
        if stops:
            alarms.insert(0, stops)
        elif late > LATE:
            alarms.append("wisen's cycle is started and does not end any more, so nothing new is learnt: wisen cycle")
        told, text = f"{self.home}/spool/alarmed", "\n".join(alarms)
        try:
            before = _read(told)
        except (OSError, ValueError):
            before = {}
        at = before.get("at")
        if not text or (before.get("text") == text and isinstance(at, float) and time() - at < AGAIN):
            return ""
        try:
            _write(told, dumps({"text": text, "at": time()}))
        except OSError:
            if not first:
                return ""
        return f"Tell the user once what is wrong with wisen:\n{text}"

    def _failure(self) -> str:
        path = f"{self.home}/spool/beats/failed"
        try:
            found = _read(path)
        except ValueError:
            found = {"kind": "what it was is lost", "event": "some event"}
        if not found:
            return ""
        os.replace(path, f"{path}-told")
        what = f"{found.get('kind')} at {found.get('event')}"
        return f"wisen's hook could not do its work lately ({what}). Tell the user once; `wisen doctor` looks into it."

    def failed(self, event: str, kind: str) -> None:
        """Tell the next start what went wrong: the kind of error, and never its text."""
        _write(f"{self.home}/spool/beats/failed", dumps({"event": event, "kind": kind, "at": time()}))


def _holds_in(cwd: str, current: dict[str, object], agent: str) -> str:
    """The digest of the snapshot that holds in a directory: of the longest place around it, else the global one.

    An agent that reads other files than the rest may have one of its own.
    """
    context, contexts, agents = _context_of(cwd, current), current.get("contexts"), current.get("agents")
    own = agents.get(agent) if isinstance(agents, dict) else None
    if isinstance(own, dict) and context in own:
        return str(own[context])
    return str(contexts[context] if context and isinstance(contexts, dict) else current.get("global", ""))


def _context_of(cwd: str, current: dict[str, object]) -> str:
    """The key of the context that a directory belongs to; empty where there is none that anything is known of."""
    best, context = "", ""
    places, contexts = current.get("places"), current.get("contexts")
    for place in places if isinstance(places, list) else ():
        path = str(place[0])
        if len(path) > len(best) and (cwd == path or cwd.startswith(path.rstrip("/") + "/")):
            best, context = path, str(place[1])
    known = best and isinstance(contexts, dict) and context in contexts and not _leaves(cwd, best)
    return context if known else ""


def _leaves(cwd: str, place: str) -> bool:
    """Whether a directory below a place lies in a repository of its own there: that is another project."""
    while len(cwd) > len(place):
        if os.path.exists(f"{cwd}/.git"):
            return True
        cwd = os.path.dirname(cwd)
    return False


def _read(path: str) -> dict[str, object]:
    try:
        value = loads(_bytes(path).decode("utf-8"))
    except FileNotFoundError:
        return {}
    return value if isinstance(value, dict) else {}


def _bytes(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(handle, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(handle)


def _make_folder(folder: str) -> None:
    """A folder and the one above it, for the user alone: the mode that is given counts for the last one only."""
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def _write(path: str, text: str) -> None:
    part = f"{path}.{os.getpid()}.part"
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    try:
        handle = os.open(part, flags, 0o600)
    except FileNotFoundError:
        _make_folder(os.path.dirname(path))
        handle = os.open(part, flags, 0o600)
    try:
        try:
            rest = text.encode("utf-8")
            while rest:
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _digest(content: bytes, key: bytes = b"") -> str:
    try:
        from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import blake2b
    return str(blake2b(content, digest_size=16, key=key).hexdigest())


def _plain(name: str) -> str:
    """A name that is safe in a path; different ones stay different."""
    if name and len(name) <= _LONGEST and _PLAIN.issuperset(name):
        return name
    return "x" + name.encode("utf-8", "surrogatepass").hex()[:160]
