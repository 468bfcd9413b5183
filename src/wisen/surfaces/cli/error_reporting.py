"""Runs the program, and reports any error as one line with an exit code, even if the output is closed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wisen.errors import PersonNeeded, WisenError
from wisen.surfaces.cli.terminal import protect_streams

if TYPE_CHECKING:
    from collections.abc import Callable


PERSON_NEEDED = 5
"""The exit code if only a person may decide, and none is there."""


def run_program(program: Callable[[], object], *, failed: int, stopped: int) -> None:
    """Run a program; `failed` and `stopped` are the exit codes for an error and for an interrupt."""
    protect_streams()
    try:
        try:
            program()
        finally:
            sys.stdout.flush()  # so that a write error is reported below, and not when Python exits
    except PersonNeeded as error:
        _exit_with(str(error), PERSON_NEEDED)
    except WisenError as error:
        _exit_with(str(error), failed)
    except KeyboardInterrupt:
        _exit_with("stopped. What was read so far is kept; run it again to continue.", stopped)
    except BrokenPipeError:
        _discard_output()  # the reader of our output is gone (`| head`): nothing more to say
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        _exit_with(f"{error.strerror or error}{place}. Fix that, and run it again.", failed)
    except Exception as error:
        if os.environ.get("WISEN_TRACEBACK"):  # noqa: TID251 - for debugging
            raise
        _exit_with(f"a bug in wisen: {type(error).__name__}: {error}. WISEN_TRACEBACK=1 shows where.", failed)


def _exit_with(says: str, code: int) -> None:
    """Print the reason if possible, and exit."""
    _discard_output()
    try:
        print(f"wisen: {says}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _redirect_to_null(2)
    raise SystemExit(code) from None


def _discard_output() -> None:
    """Flush the output, or discard it if nobody reads it."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _redirect_to_null(1)


def _redirect_to_null(number: int) -> None:
    """Redirect a stream to the null device, or Python complains when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
