"""The list of what people install has a licence and the locked hash of every package, or is not written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.supply_chain.lock import PROJECT, Pin, read_pins
from tests.supply_chain.sbom import complete, installed_hashes, runtime_project

HASH = "b" * 64
"""Not a real one."""
PINS: tuple[Pin, ...] = read_pins(f"two-words==1.0 --hash=sha256:{HASH}")
MIT = [{"license": {"id": "MIT"}}]


def listed(**changed: object) -> dict[str, Any]:
    """What the tool lists: one package of ours, and pip."""
    one = {"name": "Two_Words", "version": "1.0", "licenses": MIT, **changed}
    return {"specVersion": "1.6", "components": [one, {"name": "pip", "version": "24"}]}


def test_every_package_has_the_hash_of_the_file_that_was_installed() -> None:
    archive = {"archive_info": {"hashes": {"sha256": HASH}}}
    report = {"install": [{"metadata": {"name": "two.words"}, "download_info": archive}]}
    (component,) = complete(listed(), installed_hashes(report), PINS)["components"]
    assert component["hashes"] == [{"alg": "SHA-256", "content": HASH}]


def test_a_file_that_the_lock_does_not_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="not what the lock names"):
        complete(listed(), {"two-words": "c" * 64}, PINS)
    with pytest.raises(ValueError, match="not what the lock names"):
        complete(listed(version="2.0"), {"two-words": HASH}, PINS)


def test_a_package_that_says_no_licence_is_an_error() -> None:
    with pytest.raises(ValueError, match="no licence"):
        complete(listed(licenses=[]), {"two-words": HASH}, PINS)


def test_what_is_listed_is_the_package_without_extras_at_its_version() -> None:
    text = PROJECT.read_text(encoding="utf-8")
    project = tomllib.loads(runtime_project(text, '__version__ = "3.2.1"  # why\n'))["project"]
    assert project["version"] == "3.2.1"
    assert "optional-dependencies" not in project
    assert project["dependencies"] == tomllib.loads(text)["project"]["dependencies"]
    assert project["scripts"]
