"""Renews the lock of what the tests need, with the hash of every file: `make lock`; and reads it.

It holds for every system and Python at once (markers say what is for which) and names no package index, so it can be
used with any. The tool that resolves it runs in an environment that is gone afterwards.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement

from tests.supply_chain.install import LOCK, ROOT
from tests.supply_chain.tools import run_tool, tool_environment

PROJECT = ROOT / "pyproject.toml"
EDITABLE = "editables~=0.3"
"""What hatchling asks for when it builds a package for editing: it says so only then, so that no file of ours does."""
_HEADER = "# Every version and file that the tests are installed from. Made by `make lock`; not edited by hand.\n"
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, kw_only=True)
class Pin:
    """One package at one version."""

    requirement: Requirement
    hashes: frozenset[str]
    """SHA-256 of each of its files."""

    @property
    def name(self) -> str:
        """The name in the form that is compared."""
        return normal_name(self.requirement.name)

    @property
    def version(self) -> str:
        """The only version that it allows."""
        return str(self.requirement.specifier).removeprefix("==")


def normal_name(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_pins(text: str) -> tuple[Pin, ...]:
    """Read the text of a lock. Raises: ValueError, if a line is no requirement with hashes."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    return tuple(map(_read_pin, lines))


def _read_pin(line: str) -> Pin:
    hashes, rest = frozenset(_HASH.findall(line)), _HASH.sub("", line).strip()
    try:
        requirement = Requirement(rest)
    except InvalidRequirement as error:  # an option
        raise ValueError(f"not a version with its hashes: {rest}") from error
    exact = [each.operator for each in requirement.specifier] == ["=="] and "*" not in str(requirement.specifier)
    if not (exact and hashes) or requirement.url:
        raise ValueError(f"not a version with its hashes: {rest}")
    return Pin(requirement=requirement, hashes=hashes)


def build_requirements() -> list[str]:
    """Return what building the package for editing needs: hashes hold for that too."""
    build: list[str] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["build-system"]["requires"]
    return [*build, EDITABLE]


def lock(text: str) -> str:
    """Return the text of a lock from what the resolver wrote. Raises: ValueError, if it is not fit to be committed."""
    pins = read_pins(text)
    if "://" in text or not pins:
        raise ValueError("the resolver named an address, or nothing")
    return _HEADER + text


def _resolve() -> str:
    oldest = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["requires-python"].removeprefix(">=")
    with tool_environment("uv>=0.8") as folder:
        (folder / "build.in").write_text("\n".join(build_requirements()) + "\n")
        options = ["--universal", "--python-version", oldest, "--generate-hashes", "--no-header", "--no-annotate"]
        inputs = [str(PROJECT), "--extra", "dev", str(folder / "build.in")]
        return run_tool(folder, "uv", "pip", "compile", "--quiet", *options, *inputs).stdout


if __name__ == "__main__":
    LOCK.write_text(lock(_resolve()), encoding="utf-8")
    print(f"{LOCK.name} is renewed: {len(read_pins(LOCK.read_text(encoding='utf-8')))} packages")
