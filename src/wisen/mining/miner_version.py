"""The versions of mining, apart from its code: whether a session is to be mined again is asked in every run."""

from __future__ import annotations

SIGNATURE_VERSION = 2
"""Increases with every change that may give a failure another signature."""
MINER_VERSION = SIGNATURE_VERSION * 1000 + 4
"""The version of all mining: sessions that another version mined are mined again."""
