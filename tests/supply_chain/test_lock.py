"""The lock covers what pyproject.toml asks for, on every Python and system, and names hashes but no place."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

from tests.supply_chain.install import LOCK
from tests.supply_chain.lock import PROJECT, build_requirements, lock, normal_name, read_pins

PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = (("linux", "Linux", "x86_64"), ("linux", "Linux", "aarch64"), ("darwin", "Darwin", "arm64"))
HASH = "a" * 64
"""Not a real one."""


def asked_for() -> Iterator[Requirement]:
    """Everything that pyproject.toml asks for, with the dev extra, the extras that it includes, and the build."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    waiting = [*project["dependencies"], *extras["dev"], *build_requirements()]
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name == project["name"]:
            waiting += itertools.chain.from_iterable(extras[each] for each in requirement.extras)
        else:
            yield requirement


def environments() -> Iterator[dict[str, str]]:
    """The Pythons and systems that the package is for."""
    here = {key: str(value) for key, value in default_environment().items()}
    for python, (platform, system, machine) in itertools.product(PYTHONS, SYSTEMS):
        version = {"python_version": python, "python_full_version": f"{python}.4"}
        place = {"sys_platform": platform, "platform_system": system, "platform_machine": machine, "os_name": "posix"}
        yield {**here, **version, **place}


def test_the_lock_has_one_allowed_version_of_everything_that_the_tests_need_on_every_system() -> None:
    pins = read_pins(LOCK.read_text(encoding="utf-8"))
    asked = list(asked_for())
    assert {"typer", "psycopg", "pydantic-ai-slim", "mcp", "uvicorn", "pytest", "hatchling"} <= {a.name for a in asked}
    for environment, requirement in itertools.product(environments(), asked):
        if requirement.marker and not requirement.marker.evaluate(environment):
            continue
        found = [
            pin.version
            for pin in pins
            if pin.name == normal_name(requirement.name)
            and (pin.requirement.marker is None or pin.requirement.marker.evaluate(environment))
        ]
        assert len(found) == 1, f"{requirement} in {environment['python_version']}: {found}. Try: make lock"
        assert requirement.specifier.contains(found[0]), f"{requirement}: {found[0]} is locked. Try: make lock"


def test_the_lock_says_each_package_with_its_hashes_and_names_no_address() -> None:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    assert len(read_pins("\n".join(lines))) > 90
    assert not [line for line in lines if "://" in line or "@" in line or line.lstrip().startswith("-i")]
    assert not [line for line in lines if "--" in line and not line.startswith("    --hash=sha256:")]


def test_a_fit_lock_is_written_as_the_resolver_gave_it() -> None:
    resolved = f"one==1.0 ; python_version < '4' \\\n    --hash=sha256:{HASH}\n"
    (pin,) = read_pins(lock(resolved))
    assert (pin.name, pin.version, pin.hashes) == ("one", "1.0", frozenset({HASH}))
    assert lock(resolved).endswith(resolved)


@pytest.mark.parametrize(
    "line",
    [
        "one==1.0",
        f"one>=1.0 --hash=sha256:{HASH}",
        f"one==1.* --hash=sha256:{HASH}",
        f"one --hash=sha256:{HASH}",
        f"one @ https://index.example/one.whl --hash=sha256:{HASH}",
        "--index-url https://index.example/simple",
        f"one==1.0 --hash=md5:{HASH[:32]}",
        "",
    ],
)
def test_a_lock_without_a_hash_or_with_an_address_is_never_written(line: str) -> None:
    with pytest.raises(ValueError, match=r"not a version with its hashes|named an address, or nothing"):
        lock(line)
