"""Writes dist/sbom.json: what the package needs when it runs, as CycloneDX with licences and hashes: `make sbom`.

It lists the locked versions, as they are installed on this system. The list itself is made by the tool of CycloneDX;
what that tool cannot know is added: the hash of the file that each package came from, and the version of this one.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from typing import Any

from tests.supply_chain.install import LOCK, ROOT
from tests.supply_chain.lock import PROJECT, Pin, normal_name, read_pins
from tests.supply_chain.tools import ToolFailed, make_environment, run_tool, tool_environment

OUT = ROOT / "dist" / "sbom.json"
LICENCES = {"ahocorasick-rs": [{"license": {"id": "Apache-2.0"}}]}
"""Of packages that do not name theirs as CycloneDX does: this one writes "Apache 2.0"."""
_VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)
_EXTRAS = re.compile(r"^\[project\.optional-dependencies\]\n.*?(?=^\[)", re.MULTILINE | re.DOTALL)


def runtime_project(project: str, package: str) -> str:
    """Return the text of pyproject.toml with the version that the package names, and without extras."""
    version = _VERSION.search(package)
    if version is None:
        raise ValueError("the package names no version")
    return _EXTRAS.sub("", project).replace('dynamic = ["version"]', f'version = "{version[1]}"')


def installed_hashes(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of the file of each package, by name, from pip's report of an installation."""
    return {
        normal_name(each["metadata"]["name"]): each["download_info"]["archive_info"]["hashes"]["sha256"]
        for each in report["install"]
    }


def complete(bom: dict[str, Any], hashes: Mapping[str, str], pins: tuple[Pin, ...]) -> dict[str, Any]:
    """Return the list with the licence and the hash of every package.

    Raises: ValueError, if a package was installed from a file that the lock does not name, or has no licence.
    """
    locked = {(pin.name, pin.version): pin.hashes for pin in pins}
    components = []
    for each in bom["components"]:
        name = normal_name(each["name"])
        if name not in hashes:  # pip, which an environment is made with
            continue
        if hashes[name] not in locked.get((name, each["version"]), ()):
            raise ValueError(f"{name} {each['version']} is not what the lock names")
        licences = each.get("licenses") or LICENCES.get(name)
        if not licences:
            raise ValueError(f"{name} says no licence: look it up for LICENCES")
        components.append({**each, "licenses": licences, "hashes": [{"alg": "SHA-256", "content": hashes[name]}]})
    return {**bom, "components": components}


def _make() -> dict[str, Any]:
    """Install what the package needs, of the locked versions, and list it. Raises: ToolFailed, ValueError."""
    pins = read_pins(LOCK.read_text(encoding="utf-8"))
    package = (ROOT / "src" / "wisen" / "__init__.py").read_text(encoding="utf-8")
    project = runtime_project(PROJECT.read_text(encoding="utf-8"), package)
    with tool_environment("cyclonedx-bom>=7") as folder:
        runtime, report, versions = folder / "runtime", folder / "report.json", folder / "versions.txt"
        (folder / "pyproject.toml").write_text(project, encoding="utf-8")
        versions.write_text("".join(f"{pin.requirement}\n" for pin in pins), encoding="utf-8")
        make_environment(runtime / "venv")
        options = ("--quiet", "--only-binary", ":all:", "--constraint", str(versions), "--report", str(report))
        run_tool(
            runtime, "python", "-m", "pip", "install", *options, *tomllib.loads(project)["project"]["dependencies"]
        )
        shown = ("--output-reproducible", "--pyproject", str(folder / "pyproject.toml"), "--output-format", "JSON")
        listed = run_tool(folder, "cyclonedx-py", "environment", *shown, str(runtime / "venv" / "bin" / "python"))
        return complete(json.loads(listed.stdout), installed_hashes(json.loads(report.read_text())), pins)


def main() -> int:
    """Write the list; the exit code."""
    try:
        bom = _make()
    except (ToolFailed, ValueError) as error:
        print(f"no list: {error}", file=sys.stderr)
        return 1
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(bom, indent=2) + "\n", encoding="utf-8")
    print(f"{OUT.relative_to(ROOT)}: {len(bom['components'])} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
