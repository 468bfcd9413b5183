"""The versions of session analysis, apart from its code: whether a session is to be analyzed is asked in every run."""

from __future__ import annotations

from wisen.mining.miner_version import MINER_VERSION

DETECTOR_VERSION = 11
"""The version of the detector: when it changes, sessions are analyzed again."""
ANALYSIS_VERSION = MINER_VERSION * 1000 + DETECTOR_VERSION
"""The version of the whole analysis, without added languages."""
