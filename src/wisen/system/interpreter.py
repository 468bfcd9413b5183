"""The Python that runs us, by one name."""

from __future__ import annotations

import sys
from pathlib import Path


def interpreter() -> str:
    """This interpreter by one name, whichever of its names it was started by: or each start would install anew."""
    if not sys.executable:
        return ""  # inside another program there is none
    started = Path(sys.executable)
    usual = started.with_name("python3")
    try:
        return str(usual if usual.samefile(started) else started)
    except OSError:
        return str(started)  # one of them is not there, or not any more
