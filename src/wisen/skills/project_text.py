"""Reads what the files at the top of a project say: what they name was not brought in by an agent."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from wisen.safety.regular_files import is_regular_file, read_regular_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDERS = (".", ".github/workflows", "scripts", "script", "bin", "deploy", "ci", ".circleci", "docker", "k8s", "docs")
_MAX_FILES, _MAX_BYTES = 200, 1 << 17
_SUFFIXES = frozenset(
    "json toml yaml yml txt md cfg ini lock mk sh mod gradle xml rb py js ts env example tf dockerfile".split()
)
_NAMES = frozenset({"Dockerfile", "Makefile", "Justfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", "Brewfile"})


def read_project_text(root: Path) -> str:
    """Return the text of the small files where projects say what they are made of, in lower case."""
    return "\n".join(_texts(root)).casefold()


def _texts(root: Path) -> Iterator[str]:
    for path in islice(_files(root), _MAX_FILES):
        try:
            yield read_regular_text(path, _MAX_BYTES)
        except (OSError, UnicodeError, ValueError):
            continue


def _files(root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        try:
            entries = sorted((root / folder).iterdir())
        except OSError:
            continue
        for path in entries:
            if (path.name in _NAMES or path.suffix.lstrip(".").lower() in _SUFFIXES) and is_regular_file(path):
                yield path
