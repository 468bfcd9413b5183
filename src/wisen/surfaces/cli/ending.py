"""How the program ends: whatever went wrong is one line for a person, also where nothing can be written any more."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wisen.errors import PersonNeeded, WisenError
from wisen.surfaces.cli.terminal import protect_streams

if TYPE_CHECKING:
    from collections.abc import Callable


PERSON_NEEDED = 5
"""The exit code where only a person decides, and none shows."""


def run_program(program: Callable[[], object], *, failed: int, stopped: int) -> None:
    """Run a program to its end, with the exit codes for one that failed and one that was stopped."""
    protect_streams()
    try:
        try:
            program()
        finally:
            sys.stdout.flush()  # what cannot be written is told below, and not when Python ends
    except PersonNeeded as error:
        _end(str(error), PERSON_NEEDED)
    except WisenError as error:
        _end(str(error), failed)
    except KeyboardInterrupt:
        _end("stopped. What was read so far is kept; run it again to go on.", stopped)
    except BrokenPipeError:
        _drop_output()  # the reader of our output has gone (`| head`): there is nothing more to say
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        _end(f"{error.strerror or error}{place}. Change that, and run it again.", failed)
    except Exception as error:
        if os.environ.get("WISEN_TRACEBACK"):  # noqa: TID251 - for whoever looks for the defect
            raise
        _end(f"a defect of wisen: {type(error).__name__}: {error}. WISEN_TRACEBACK=1 shows where.", failed)


def _end(says: str, code: int) -> None:
    """Say why, where anybody can be told."""
    _drop_output()
    try:
        print(f"wisen: {says}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _replace(2)
    raise SystemExit(code) from None


def _drop_output() -> None:
    """Nobody reads what is left to be written, or it cannot be written."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _replace(1)


def _replace(number: int) -> None:
    """Have what is still to be written to a stream go nowhere, or Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
