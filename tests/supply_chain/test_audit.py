"""What `make audit` says of what it found, and that "nothing found" needs somebody who looked."""

from __future__ import annotations

from typing import Any

from tests.supply_chain.audit import verdict

CLEAN: dict[str, Any] = {"name": "one", "version": "1.0", "vulns": []}
BAD: dict[str, Any] = {"name": "two", "version": "2.0", "vulns": [{"id": "V-1", "fix_versions": ["2.1"]}]}
UNKNOWN: dict[str, Any] = {"name": "three", "skip_reason": "not found"}


def test_a_known_vulnerability_is_named_with_its_fix_and_is_a_failure() -> None:
    code, lines = verdict([CLEAN, BAD, UNKNOWN])
    assert (code, lines[0]) == (1, "two 2.0: V-1 (fixed in 2.1)")
    assert lines[-1] == "not audited: three"


def test_nothing_found_by_a_database_that_knows_the_packages_is_said_with_their_number() -> None:
    assert verdict([CLEAN]) == (0, ["1 packages audited, 0 known vulnerabilities"])


def test_packages_that_no_database_knows_are_not_audited() -> None:
    for packages in ([], [UNKNOWN]):
        code, (line,) = verdict(packages)
        assert code == 0
        assert line.startswith("not audited")
