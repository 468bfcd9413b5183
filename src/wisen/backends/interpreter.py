"""The Python that runs us, by one name."""

from __future__ import annotations

import sys
from pathlib import Path


def interpreter() -> str:
    """This interpreter by one name, whichever of its names it was started by: or each start would install anew."""
    started = Path(sys.executable)
    usual = started.with_name("python3")
    return str(usual if usual.exists() and usual.samefile(started) else started)
