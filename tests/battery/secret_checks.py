"""T11: every documented format of a secret, in every carrier, is found."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.secret_carriers import CARRIERS, make_sample
from benchmarks.secret_formats import FORMATS

from tests.battery.check import Check, Tally
from wisen.safety.secrets import find_secret

if TYPE_CHECKING:
    from pathlib import Path


def find_in_carriers(seed: int, folder: Path) -> Tally:
    """One secret of each format in each carrier."""
    del folder
    chance, tally = random.Random(seed), Tally()
    for format_ in FORMATS:
        for carrier in CARRIERS:
            if sample := make_sample(format_, carrier, chance):
                tally.expect(find_secret(sample.text) is not None, f"{format_.name} in {carrier} was not found")
    return tally


CHECKS = (Check("T11", "formats", "a secret of a documented format is kept", find_in_carriers, quick=1, full=8),)
