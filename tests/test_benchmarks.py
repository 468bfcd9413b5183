"""The benchmarks run, print the fields that are agreed on, and say when data is absent."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.requirement("X6")


def run(*arguments: str, expect: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == expect, done.stderr
    return done.stdout


def test_the_list_names_each_benchmark_with_what_it_measures() -> None:
    assert run("--list").startswith("scan ")


def test_scan_measures_itself_beside_its_peers_and_agrees_with_a_plain_count() -> None:
    figures = json.loads(run("scan", "--json", "--megabytes", "3", "--repeat", "1"))
    assert set(figures["mb_per_s"]) >= {"nothing_new", "store_all", "json_loads", "ripgrep", "node"}
    assert figures["rss_mb"] < 200
    assert figures["new_events"]["store_all"] > 0
    assert figures["new_events"]["nothing_new"] == 0
    for name, counts in figures["counts"].items():
        assert counts["wisen"] == counts["independent"], name


def test_absent_data_is_told_with_exit_code_three(tmp_path: Path) -> None:
    assert run("scan", "--data", str(tmp_path), expect=3) == ""
