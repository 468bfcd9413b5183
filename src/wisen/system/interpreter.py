"""The path of the Python interpreter that runs us, under one stable name."""

from __future__ import annotations

import sys
from pathlib import Path


def interpreter_path() -> str:
    """Return one name for this interpreter, however it was started: otherwise each start would reinstall."""
    if not sys.executable:
        return ""  # embedded in another program there is none
    started = Path(sys.executable)
    usual = started.with_name("python3")
    try:
        return str(usual if usual.samefile(started) else started)
    except OSError:
        return str(started)  # one of them does not exist, or no longer
