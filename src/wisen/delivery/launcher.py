"""Writes the launcher: the shell script in the home that agents run, the only file that knows where wisen is installed.

Agents' settings name this script and nothing inside a package. So an interpreter or a package that is missing, moved,
broken or slow ends in silence, and an agent's prompt goes through.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wisen.errors import FileError
from wisen.model.hook import BUNDLE, LAUNCHER, PARTS, Caller, Program

if TYPE_CHECKING:
    from collections.abc import Sequence

REMOVER = "remove-hooks.py"
"""The script next to the launcher that removes wisen from agents without needing wisen."""
UNGUARDED = "snapshots/no-guards"
"""A file in the home that exists while no guard is active: tool calls then start no interpreter."""
_MEASURED = 5
SECONDS = 2
"""After this many seconds an interpreter is killed. The client gives up after one; every agent waits at least three."""

_SCRIPT = r"""#!/bin/sh
# Agents run this to call wisen: /bin/sh HOME/hook AGENT EVENT, with the event on its input. `wisen install` wrote it.
# It prints what wisen answers, whole or not at all, and always ends with 0.
# To take wisen out of your agents without wisen: python3 HOME/remove-hooks.py
{ # a half of such a group is a mistake to the shell, and then nothing of it is run
python=@python@
client=@client@
timeout=@timeout@
exec 2>/dev/null
home=${0%/*}
bundle=$home/@bundle@
beat=$home/spool/beats/$2
[ "$1" = claude-code ] || beat=$beat@$1
quiet=
[ "$2" = before-call ] && [ -e "$home/@unguarded@" ] && quiet=yes
[ -x "$python" ] && [ -f "$client" ] && [ -r "$client" ] || quiet=yes
if [ "$quiet" ]; then
  cat >/dev/null # an agent may take it for an error when nobody reads what it writes
  exit 0
fi
# Once an event was answered, nobody needs to watch over the next ones, unless three were begun since and not answered.
if [ "$beat" -nt "$bundle" ] && [ "$beat" -nt "$python" ] && [ "$beat" -nt "$0" ] && [ -r "$bundle" ]; then
  for number in 1 2 3; do
    begun=$home/spool/beats/.$2@$1.$number
    [ -f "$begun" ] && ! [ "$begun" -nt "$beat" ] && true >"$begun" &&
      exec "$python" -I -S "$bundle" --home "$home" --agent "$1" "$2"
  done
fi
}
{
agent=$1 event=$2
for program in "$bundle" "$client"; do
  [ -r "$program" ] || continue
  set -- "$python" -I -S "$program" --home "$home" --agent "$agent" "$event"
  if [ -x "$timeout" ]; then
    answer=$("$timeout" -s KILL @seconds@ "$@")
  else
    exec 3<&0
    answer=$(
      "$@" <&3 3<&- &
      worker=$!
      { trap 'kill "$sleeper"; exit' TERM; sleep @seconds@ & sleeper=$!; wait "$sleeper"; kill -KILL "$worker"; } \
        </dev/null >/dev/null 3<&- &
      watchdog=$!
      wait "$worker"
      ended=$?
      kill "$watchdog"
      exit "$ended"
    )
  fi
  ended=$?
  [ "$ended" -eq 1 ] || break # an interpreter that rejects the bundle has read nothing yet
done
if [ "$ended" -ne 0 ]; then
  cat >/dev/null
fi
case $answer in
  '{'*'}') [ "$ended" -eq 0 ] && printf '%s\n' "$answer" ;;
esac
exit 0
}
"""


class Launcher(Protocol):
    """The script in the home that agents run: the only file that knows where wisen is installed."""

    def write(self, settings: Sequence[str]) -> None:
        """Write it to start this wisen; `settings`: the files that contain hooks. Raises: FileError."""
        ...

    def remove(self) -> None:
        """Remove it. Raises: FileError."""
        ...

    def is_intact(self) -> bool:
        """Whether it and everything that it starts exist."""
        ...

    def measure(self, event: str, *, guarded: bool) -> float:
        """Measure the milliseconds that an agent waits for it on this machine; `guarded`: while a guard is active."""
        ...


class HomeLauncher:
    """The launcher of one home."""

    def __init__(self, home: Path, program: Program) -> None:
        """`program`: what the launcher starts."""
        self._home, self._program = home, program

    def write(self, settings: Sequence[str]) -> None:
        """Write the launcher for this wisen, and the remover for these settings files. Raises: FileError."""
        remover = Path(__file__).with_name("remove_hooks.py").read_text(encoding="utf-8")
        files = sorted({_below_home(each) for each in settings})
        named = remover.replace("\nFILES: list[str] = []\n", f"\nFILES: list[str] = {files!r}\n")
        try:
            self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
            _put(self._home / LAUNCHER, render_script(self._program, _timeout()).encode("utf-8", "surrogateescape"))
            _put(self._home / REMOVER, named.encode("utf-8", "surrogateescape"))
            self._write_bundle(self._home)
        except OSError as error:
            raise FileError(
                f"{self._home / LAUNCHER} cannot be written: {error.strerror}. Make room there, or set WISEN_HOME."
            ) from error

    def _has_bundle(self) -> bool:
        """Whether the bundle is current, as far as one can be built."""
        try:
            from wisen.delivery.hook_bundle import is_current
        except ImportError:
            return True
        return is_current(self._home, Path(self._program.client))

    def _write_bundle(self, home: Path) -> None:
        """Write the bundle to a home; without one the launcher runs the client from its sources."""
        files: dict[str, bytes] = {}
        with suppress(Exception):  # whatever it is, the client works without
            from wisen.delivery.hook_bundle import build_bundle

            files = build_bundle(Path(self._program.client))
        for name in (PARTS, BUNDLE):
            if name in files:
                _put(home / name, files[name], mode=0o600)
            else:
                (home / name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the launcher, its bundle and the remover: no agent calls us any more. Raises: FileError."""
        for name in (LAUNCHER, BUNDLE, PARTS, REMOVER):
            try:
                (self._home / name).unlink(missing_ok=True)
            except OSError as error:
                raise FileError(f"{self._home / name} cannot be deleted: {error.strerror}. Delete it.") from error

    def measure(self, event: str, *, guarded: bool) -> float:
        """Measure the milliseconds that an agent waits for such a launcher; the median of a few runs."""
        took = []
        with tempfile.TemporaryDirectory(prefix="wisen-measure-") as folder:
            home = Path(folder)
            (home / LAUNCHER).write_text(render_script(self._program, _timeout()), errors="surrogateescape")
            if self._has_bundle() and (self._home / BUNDLE).is_file():
                for name in (PARTS, BUNDLE):
                    _put(home / name, (self._home / name).read_bytes(), mode=0o600)
            else:
                self._write_bundle(home)
            (home / "snapshots").mkdir()
            if not guarded:
                (home / UNGUARDED).touch()
            command = Caller(home=folder).command(event, "claude-code")
            for _ in range(_MEASURED):
                began = time.perf_counter()
                subprocess.run(["/bin/sh", "-c", command], input=b"{}", check=False, capture_output=True)  # noqa: S603 - our own script
                took.append(time.perf_counter() - began)
        return round(sorted(took)[_MEASURED // 2] * 1000, 1)

    def is_intact(self) -> bool:
        """Whether there is a launcher, what it starts exists, this wisen or another, and its bundle is current."""
        program = program_of(self._home)
        if program is None or not os.access(program.python, os.X_OK) or not os.access(program.client, os.R_OK):
            return False
        return program != self._program or self._has_bundle()


def _below_home(path: str) -> str:
    """Shorten a path to `~` where possible: a home that is copied to another user then means that user's files."""
    try:
        return str(Path("~") / Path(path).relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return path


def render_script(program: Program, timeout: str) -> str:
    """Render the launcher script; `timeout`: the tool that stops the program, empty if this machine has none."""
    values = {
        "python": shlex.quote(program.python),
        "client": shlex.quote(program.client),
        "timeout": shlex.quote(timeout),
        "bundle": BUNDLE,
        "unguarded": UNGUARDED,
        "seconds": str(SECONDS),
    }
    text = _SCRIPT
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def program_of(home: Path) -> Program | None:
    """Return what the launcher of a home starts; None if there is none, or it is not ours."""
    try:
        path = home / LAUNCHER
        text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else ""
    except OSError:
        return None
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, is_set, value = line.partition("=")
        if is_set and name in ("python", "client"):
            with suppress(ValueError):
                found[name] = next(iter(shlex.split(value)), "")
    if set(found) != {"python", "client"}:
        return None
    program = Program(python=found["python"], client=found["client"])
    timeout = next((line for line in text.splitlines() if line.startswith("timeout=")), "timeout=")
    return program if text == render_script(program, _unquoted(timeout.partition("=")[2])) else None


def _timeout() -> str:
    """Return the path of the timeout tool; empty if there is none, as on macOS."""
    return next((each for each in ("/usr/bin/timeout", "/bin/timeout") if os.access(each, os.X_OK)), "")


def _unquoted(word: str) -> str:
    try:
        return next(iter(shlex.split(word)), "")
    except ValueError:
        return ""


def _put(path: Path, content: bytes, mode: int = 0o700) -> None:
    """Write a file atomically, for its owner only: an agent may start it at any moment."""
    with suppress(OSError):
        if path.is_file() and path.read_bytes() == content and path.stat().st_mode & 0o777 == mode:
            return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        handle = os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
