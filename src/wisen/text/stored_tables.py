"""Reads shipped tables from what was generated of their TOML files: parsing TOML takes thirty times as long.

`python -m benchmarks.stored_tables` generates them. A test fails if they are outdated. Only the standard library is
used, because a hook imports it.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def stored_json(package: str, name: str) -> bytes:
    """Return the content of `name`.toml in the folder of a package, as JSON; `name` may have folders."""
    return resources.files(package).joinpath(*f"{name}.json".split("/")).read_bytes()


def stored_table(package: str, name: str) -> Any:
    """Return the same as a value."""
    return json.loads(stored_json(package, name))
