"""Measures the CPU time of an action relative to a reference, so that a limit holds on any machine.

A bound in seconds fails where a machine is slow or busy. The reference is measured beside the action, in the same
process and by the same clock, which stands still while others use the processor.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXT = json.dumps([{"key": f"value {number}", "number": number, "nested": [number] * 4} for number in range(2_500)])


def cost(action: Callable[[], object]) -> float:
    """Processor time of an action, in units of about a millisecond."""
    before = unit()
    taken = cpu_of(action)
    return taken / min(before, unit())


def unit() -> float:
    """Seconds of processor time that json.loads takes for a text of 170 kB."""
    return min(cpu_of(lambda: json.loads(_TEXT)) for _ in range(3))


def cpu_of(action: Callable[[], object]) -> float:
    """Seconds of processor time that an action takes in this process."""
    began = time.process_time()
    action()
    return time.process_time() - began
