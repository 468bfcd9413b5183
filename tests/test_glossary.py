"""docs/glossary.md holds: its modules exist, and no module, class or function is named by a word that it rules out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "wisen"
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def table_rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without its head."""
    section = GLOSSARY.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def banned_words() -> set[str]:
    """Return the words of the column "not in names"."""
    return {word.strip() for row in table_rows("Acts") for word in row[3].split(",")} - {""}


def words_of(name: str) -> list[str]:
    """Split a name at underscores and capitals."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def names_in(path: Path) -> list[str]:
    """Return the names that a module defines, and its own; tests of contract suites are sentences and do not count."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    defined = [node.name for node in nodes if isinstance(node, kinds)]
    return [path.stem, *(name for name in defined if not name.startswith("test_"))]


def test_no_name_has_a_word_that_the_glossary_replaces() -> None:
    banned = banned_words()
    assert len(banned) > 20
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in names_in(path)
        if banned & set(words_of(name))
    ]
    assert not found


def test_every_module_in_the_glossary_exists() -> None:
    rows = table_rows("Things")
    assert len(rows) > 40
    modules = [module for row in rows for module in re.findall(r"`([^`]+)`", row[2])]
    assert all(re.findall(r"`([^`]+)`", row[2]) for row in rows)
    assert not [module for module in modules if not (PACKAGE / module).is_file()]
