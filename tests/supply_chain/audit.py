"""Looks for known vulnerabilities in the versions that the lock names: `make audit`.

Three ends: something is known (exit code 1), nothing is known (0), or not audited, said plainly (0): a machine that
cannot reach the databases is no failure, but "nothing found" must not be what it says.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.supply_chain.install import LOCK
from tests.supply_chain.tools import ToolFailed, run_tool, tool_environment

_DATABASES = ("pypi", "osv")
"""In the order they are asked in, the second only if the first knows none of the packages."""


def verdict(packages: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return the exit code and the lines for what pip-audit found."""
    known = [
        f"{each['name']} {each['version']}: {found['id']} (fixed in {', '.join(found['fix_versions']) or 'no version'})"
        for each in packages
        for found in each.get("vulns", ())
    ]
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    looked_at = len(packages) - len(skipped)
    if not looked_at:
        return 0, ["not audited: no vulnerability database could be asked about these packages"]
    lines = [*known, f"{looked_at} packages audited, {len(known)} known vulnerabilities"]
    if skipped:
        lines.append(f"not audited: {', '.join(skipped)}")
    return int(bool(known)), lines


def _ask() -> tuple[int, list[str]]:
    """Have pip-audit look, without installing anything of what it looks at. Raises: ToolFailed."""
    answer = verdict([])
    with tool_environment("pip-audit>=2.9") as folder:
        for database in _DATABASES:
            shown = ("--format", "json", "--progress-spinner", "off", "--cache-dir", str(folder / "cache"))
            source = ("--require-hashes", "--disable-pip", "--requirement", str(LOCK))
            done = run_tool(folder, "pip-audit", "--vulnerability-service", database, *shown, *source, allowed=(0, 1))
            if not done.stdout.strip():  # it ends with 1 for what it found, and for what it could not ask
                continue
            answer = verdict(json.loads(done.stdout)["dependencies"])
            if not answer[1][0].startswith("not audited"):
                break
    return answer


def main() -> int:
    """Look and report; the exit code."""
    try:
        code, lines = _ask()
    except ToolFailed as error:
        code, lines = 0, [f"not audited: {error}"]
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
