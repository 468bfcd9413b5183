"""Runs other secret scanners on the same texts, each the way it is meant to be run: over files."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_MOST_BYTES = 2_000_000
"""Of the real lines, for peers that take minutes over more."""


def peers(samples: Sequence[str], lines: Sequence[str], work: Path) -> tuple[dict[str, object], dict[str, str]]:
    """Figures by peer, None for one that is not here; and how each of those can be had."""
    figures: dict[str, object] = {}
    absent: dict[str, str] = {}
    for name, (look, how) in _PEERS.items():
        scan = look()
        figures[name] = _figures(scan, samples, lines, work / name) if scan else None
        if scan is None:
            absent[name] = how
    return figures, absent


def _figures(
    scan: Callable[[Path], list[tuple[str, int]]], samples: Sequence[str], lines: Sequence[str], work: Path
) -> dict[str, float]:
    laid, real = work / "laid", work / "real"
    for folder in (laid, real):
        folder.mkdir(parents=True)
    for number, text in enumerate(samples):
        (laid / f"{number}.txt").write_text(text, encoding="utf-8", errors="replace")
    some = _first(lines)
    (real / "lines.txt").write_text("\n".join(some), encoding="utf-8", errors="replace")
    recall = len({name for name, _ in scan(laid)}) / max(1, len(samples))
    began = time.perf_counter()
    flagged = {line for _, line in scan(real)}
    seconds = time.perf_counter() - began
    megabytes = (real / "lines.txt").stat().st_size / 1e6
    return {
        "recall": recall,
        "false_line_rate": len(flagged) / max(1, len(some)),
        "mb_per_s": megabytes / seconds,
        "lines": len(some),
    }


def _first(lines: Sequence[str]) -> list[str]:
    some, size = [], 0
    for line in lines:
        size += len(line)
        if size > _MOST_BYTES:
            break
        some.append(line)
    return some


def _detect_secrets() -> Callable[[Path], list[tuple[str, int]]] | None:
    try:
        collection: Any = importlib.import_module("detect_secrets").SecretsCollection
        settings: Any = importlib.import_module("detect_secrets.settings").default_settings
    except ImportError:
        return None

    def scan(folder: Path) -> list[tuple[str, int]]:
        found = collection()
        with settings():
            for file in sorted(folder.iterdir()):
                found.scan_file(str(file))
        return [(name, secret.line_number) for name, secret in found]

    return scan


def _gitleaks() -> Callable[[Path], list[tuple[str, int]]] | None:
    command = shutil.which("gitleaks")
    if command is None:
        return None

    def scan(folder: Path) -> list[tuple[str, int]]:
        report = folder.parent / "report.json"
        options = ["--report-format", "json", "--report-path", str(report), "--exit-code", "0", "--no-banner"]
        subprocess.run([command, "dir", str(folder), *options], check=True, capture_output=True)
        return [(finding["File"], finding["StartLine"]) for finding in json.loads(report.read_text()) or []]

    return scan


_PEERS: dict[str, tuple[Callable[[], Callable[[Path], list[tuple[str, int]]] | None], str]] = {
    "detect-secrets": (_detect_secrets, "pip install 'wisen[bench]'"),
    "gitleaks": (_gitleaks, "gitleaks 8.19 or newer on PATH"),
}
