"""The layers of ARCHITECTURE.md, held by reading every import in the package."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "wisen"

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "domain": {"errors"},
    "ports": {"domain", "errors"},
    "safety": {"domain", "errors"},
    "formats": {"domain", "errors"},
    "loop": {"ports", "formats", "domain", "safety", "errors"},
    "memory": {"ports", "formats", "domain", "safety", "errors"},
    "parts": {"loop", "ports", "domain"},
    "steps": {"parts", "memory", "loop", "formats", "ports", "domain", "errors"},
    "cycle": {"steps", "parts", "loop", "ports", "domain", "errors"},
    "heartbeat": {"loop", "ports", "domain", "errors"},
    "facade": {"steps", "heartbeat", "parts", "memory", "loop", "formats", "safety", "ports", "domain", "errors"},
    "learner": {"facade", "cycle", "steps", "parts", "loop", "ports", "domain", "errors"},
    "doctor": {"heartbeat", "ports", "domain", "errors"},
    "settings": {"loop", "domain", "errors"},
    "agents": {"ports", "domain", "safety", "errors"},
    "readers": {"agents", "ports"},
    "backends": {"ports", "domain", "safety", "errors"},
    "testing": {"ports", "domain", "safety", "errors"},
    "wiring_stores": {"settings", "backends", "ports"},
    "wiring": {
        *(
            "wiring_stores",
            "settings",
            "learner",
            "doctor",
            "heartbeat",
            "parts",
            "loop",
            "readers",
            "agents",
            "backends",
        ),
        *("ports", "domain", "errors", "__init__"),
    },
    "surfaces": {"wiring", "learner", "doctor", "settings", "domain", "errors", "__init__"},
    "hook": {"backends", "memory", "domain"},
    "mcp": {"wiring", "learner", "domain", "errors", "__init__"},
    "__init__": {"learner", "wiring", "errors"},
}
"""Which room may import which; the table in ARCHITECTURE.md shows the same."""

PROGRAMS = ("hook", "mcp")
"""Surfaces that are rooms of their own."""
HEAVY = {
    "surfaces/mcp": {"mcp", "mcp_types", "anyio", "starlette", "uvicorn"},
    "backends/schedulers": {"apscheduler"},
}
"""Libraries of extras that take long to load: nobody else names them."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """The top-level room a file belongs to."""
    parts = path.relative_to(PACKAGE).parts
    if parts[0] == "surfaces" and parts[1] in PROGRAMS:
        return parts[1]
    return parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module of ours that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name == "wisen" or name.startswith("wisen.")}


def rooms_imported(path: Path) -> set[str]:
    """The rooms behind the imports; the bare package is its `__init__`."""
    own = tuple(f"wisen.surfaces.{name}" for name in PROGRAMS)
    names = {name.split(".")[1] for name in imports(path) if "." in name and not name.startswith(own)}
    return {name if name in ALLOWED else "__init__" for name in names}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_what_lies_below_it(path: Path) -> None:
    own = room(path)
    assert rooms_imported(path) - {own} <= ALLOWED[own]


@pytest.mark.parametrize("folder", HEAVY)
def test_what_is_slow_to_load_is_named_in_one_folder(folder: str) -> None:
    named = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] in HEAVY[folder] for name in names):
                named.add(str(path.parent.relative_to(PACKAGE)))
    assert named == {folder}


def test_stages_do_not_import_each_other() -> None:
    for path in (PACKAGE / "loop").rglob("*.py"):
        parts = path.relative_to(PACKAGE / "loop").parts
        others = {name.split(".")[2] for name in imports(path) if name.startswith("wisen.loop.")}
        assert others <= {parts[0]}, path


def test_agents_do_not_import_each_other() -> None:
    folders = {path.name for path in (PACKAGE / "agents").iterdir() if path.is_dir()}
    for path in (PACKAGE / "agents").rglob("*.py"):
        own = path.relative_to(PACKAGE / "agents").parts[0]
        others = {name.split(".")[2] for name in imports(path) if name.startswith("wisen.agents.")}
        assert (others & folders) <= {own}, path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_each_file_says_its_job_in_its_first_line_and_stays_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    doc = ast.get_docstring(ast.parse(text))
    assert doc, "a file begins with a sentence that says its one job"
    assert doc.splitlines()[0].endswith((".", ":"))
    assert len(text.splitlines()) <= 400


def test_the_cycle_fits_on_a_screen_or_two() -> None:
    assert len((PACKAGE / "cycle.py").read_text(encoding="utf-8").splitlines()) <= 150


def test_no_file_is_named_after_nothing() -> None:
    empty = {"utils", "helpers", "common", "manager", "base", "core", "misc"}
    assert not {path.stem for path in MODULES} & empty


def test_architecture_md_shows_the_same_table() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text, re.MULTILINE))
    shown = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in rows.items()}
    assert shown == ALLOWED
