"""Enforces ARCHITECTURE.md by reading every import, class and file name in the package."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "wisen"

MECHANISMS = (
    ("errors",),
    ("kernel",),
    ("model",),
    ("text",),
    ("safety",),
    ("system",),
    ("store", "logs", "agents", "edits", "language_models", "mining"),
    ("decisions",),
    ("delivery",),
)
"""From the lowest to the highest; those that stand together may import each other, as long as there is no cycle."""
FEATURES = (
    *(
        "contexts",
        "feedback",
        "lessons",
        "proposals",
        "rules",
        "fixes",
        "guards",
        "trials",
        "blame",
        "memory",
        "praise",
        "changes",
    ),
    *("forgetting", "report", "install", "health", "records", "workflows", "skills"),
)
"""One noun each. They do not import each other."""
TOP = (
    ("settings", "dependencies", "cycle", "learner", "skill_wiring"),
    ("app", "app_agents", "app_stores", "__init__"),
    ("surfaces",),
)
"""The layers above the features, from the lowest to the highest."""
LEVELS: dict[str, int] = {room: level for level, rooms in enumerate((*MECHANISMS, FEATURES, *TOP)) for room in rooms}
ROOMS = sorted({*LEVELS, "testing", "hook"})
HOOK = {"kernel", "model", "text", "safety", "system", "store", "memory", "errors"}
"""The modules that the hook client may load; see `surfaces/hook/recall.py`."""
TESTING = {room for room in LEVELS if LEVELS[room] <= LEVELS["delivery"]}
"""The modules that fakes and contract suites may load."""
ROLES = {"service", "read", "install", "records", "settings", "__init__"}
"""File names that may occur in many folders."""
HEAVY = {
    "surfaces/mcp": {"mcp", "mcp_types", "anyio", "starlette", "uvicorn"},
    "system": {"apscheduler"},
}
"""Libraries of extras that are slow to load: no other module imports them."""
LONGEST = 150
"""Lines of ARCHITECTURE.md."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


NAMES = {name_of(path): path for path in MODULES}


@cache
def tree_of(path: Path) -> ast.Module:
    """A file as a syntax tree, parsed once."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file."""
    return tuple(ast.walk(tree_of(path)))


def room(name: str) -> str:
    """The folder below the package that a module belongs to, or the module itself where it lies at the top."""
    parts = name.split(".")
    if parts[1:3] == ["surfaces", "hook"]:
        return "hook"
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path) -> set[str]:
    """Every module of ours that a file imports, wherever in it, also for types alone."""
    found: set[str] = set()
    own = name_of(path).split(".") if path.name == "__init__.py" else name_of(path).split(".")[:-1]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = own[: len(own) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {full if (full := f"{module}.{alias.name}") in NAMES else module for alias in node.names}
    return {"wisen.__init__" if name == "wisen" else name for name in found if name.split(".")[0] == "wisen"}


def wrong_imports() -> set[tuple[str, str]]:
    """Return the imports of a higher layer or of another feature."""
    found = set()
    for name, path in NAMES.items():
        own = room(name)
        for other in imports(path) - {name}:
            theirs = room(other)
            if theirs == own or (own == "hook" and theirs in HOOK) or (own == "testing" and theirs in TESTING):
                continue
            is_program = own in ("hook", "testing") or theirs in ("hook", "testing")
            if is_program or LEVELS[theirs] > LEVELS[own] or (own in FEATURES and theirs in FEATURES):
                found.add((name, other))
    return {(name.removeprefix("wisen."), other.removeprefix("wisen.")) for name, other in found}


def test_nobody_imports_what_stands_above_and_no_feature_another() -> None:
    assert wrong_imports() == set()


def test_every_folder_is_known() -> None:
    assert {room(name) for name in NAMES} <= set(ROOMS)


def test_the_document_shows_every_folder_and_stays_short() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.split("```")[1].removeprefix("\nsrc/wisen/\n")
    shown = {word.removesuffix("/") for word in re.findall(r"(?<!\S)[\w/]+/(?!\S)", tree)}
    surfaces = {path.name for path in (PACKAGE / "surfaces").iterdir() if (path / "__init__.py").exists()}
    assert shown == surfaces | {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert len(text.splitlines()) <= LONGEST


def cycles() -> list[list[str]]:
    """Modules that import each other in a ring, at load time or later; what is imported for types alone is no ring."""
    graph = {name: _run_imports(path) - {name} for name, path in NAMES.items()}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    rings: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            ring = []
            while True:
                ring.append(stack.pop())
                if ring[-1] == name:
                    break
            if len(ring) > 1:
                rings.append(sorted(ring))

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return rings


def _run_imports(path: Path) -> set[str]:
    typing = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in nodes_of(path):
        if id(node) in typing or not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            continue
        found |= {full if (full := f"{node.module}.{alias.name}") in NAMES else node.module for alias in node.names}
    return {name for name in found if name in NAMES}


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert cycles() == []


@pytest.mark.parametrize("folder", HEAVY)
def test_what_is_slow_to_load_is_named_in_one_folder(folder: str) -> None:
    named = set()
    for path in MODULES:
        for node in nodes_of(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] in HEAVY[folder] for name in names):
                named.add(str(path.parent.relative_to(PACKAGE)))
    assert named == {folder}


def test_agents_do_not_import_each_other() -> None:
    folders = {path.name for path in (PACKAGE / "agents").iterdir() if path.is_dir()}
    for path in (PACKAGE / "agents").rglob("*.py"):
        own = path.relative_to(PACKAGE / "agents").parts[0]
        others = {name.split(".")[2] for name in imports(path) if name.startswith("wisen.agents.")}
        assert path.name == "agent_registry.py" or (others & folders) <= {own}, path


def test_each_file_says_its_job_in_its_first_line_and_stays_small() -> None:
    wrong = []
    for path in MODULES:
        doc, lines = ast.get_docstring(tree_of(path)) or "", len(path.read_text(encoding="utf-8").splitlines())
        if not doc.partition("\n")[0].endswith((".", ":")):
            wrong.append(
                f"{path.relative_to(PACKAGE)} does not begin with a sentence that says its one job: {doc[:80]!r}"
            )
        if lines > 400:
            wrong.append(f"{path.relative_to(PACKAGE)} has {lines} lines")
    assert wrong == []


def test_the_cycle_fits_on_a_screen_or_two() -> None:
    assert len((PACKAGE / "cycle.py").read_text(encoding="utf-8").splitlines()) <= 150


def test_no_file_is_named_after_nothing() -> None:
    empty = {"utils", "helpers", "common", "manager", "base", "core", "misc"}
    assert not {path.stem for path in MODULES} & empty


def test_file_names_are_unique_but_for_roles() -> None:
    seen = Counter(path.stem for path in MODULES)
    assert {stem for stem, times in seen.items() if times > 1} - ROLES == set()


WIRE = ("agents/",)
"""Folders whose classes are named after agents' own formats."""
TWINS = ("testing/", "surfaces/hook/", "surfaces/mcp/tool_arguments.py")
"""Fakes and suites, copies that the hook client loads by itself, and arguments that have the names of their tools."""


def classes() -> list[tuple[str, ast.ClassDef]]:
    """Return every class of the package with its file."""
    return [
        (str(path.relative_to(PACKAGE)), node)
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
    ]


def public_methods(node: ast.ClassDef) -> list[str]:
    """Return the public methods of a class; properties are values."""
    return [
        each.name
        for each in node.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not each.name.startswith("_")
        and not any("property" in ast.unparse(one) for one in each.decorator_list)
    ]


def test_public_class_names_are_unique_but_for_wire_shapes_fakes_arguments_and_twins() -> None:
    seen: dict[str, set[str]] = {}
    for file, node in classes():
        is_wire = file.startswith(WIRE) and file.endswith("records.py")
        if not node.name.startswith("_") and not is_wire and not file.startswith(TWINS):
            seen.setdefault(node.name, set()).add(file)
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}


def test_classes_are_small() -> None:
    found = {}
    for file, node in classes():
        bases = [ast.unparse(base) for base in node.bases]
        most = 9 if "Protocol" in bases else 20 if node.name.endswith("Service") else 12
        if node.name == "Learner":
            most = 8
        methods = public_methods(node)
        if not file.startswith("testing/") and len(methods) > most:
            found[f"{file}: {node.name}"] = methods
    assert found == {}


def test_a_service_inherits_from_nobody_and_each_feature_but_workflows_has_one() -> None:
    services = {file: node for file, node in classes() if node.name.endswith("Service")}
    assert all(not node.bases for node in services.values())
    assert {file.split("/")[0] for file in services} >= set(FEATURES) - {"workflows"}


@pytest.mark.parametrize("path", sorted((PACKAGE / "kernel").glob("*.py")), ids=lambda path: path.stem)
def test_the_kernel_loads_nothing_but_itself(path: Path) -> None:
    for_types = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    loaded = [
        ast.unparse(node)
        for node in nodes_of(path)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in for_types
    ]
    assert [each for each in loaded if not each.startswith(("from .", "from __future__"))] == []
