"""How many examples a test runs: enough in `make test`, and far more in `make test-long`."""

from __future__ import annotations

import os

IS_LONG = bool(os.environ.get("WISEN_TEST_LONG"))
"""Whether the tests marked `sized` run in their full size: `make test-long`."""


def size(quick: int, full: int) -> int:
    """How many examples, users or steps a test takes; mark it with `pytest.mark.sized`."""
    return full if IS_LONG else quick
