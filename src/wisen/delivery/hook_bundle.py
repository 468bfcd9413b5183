"""Builds the bundle: the hook client's modules, patterns and tables, precompiled for one interpreter.

It is two files: the code of `surfaces/hook/bundle_start.py` with the index as a .pyc, and the parts. Whatever does not
fit is not used, and the client then runs from its sources.
"""

from __future__ import annotations

import ast
import builtins
import json
import marshal
import re
import sys
from _imp import source_hash
from array import array
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER, find_spec
from re import _compiler as sre_compiler  # a compiled pattern has no public form
from re import _parser as sre_parser  # type: ignore[attr-defined]  # as above
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from wisen.delivery.chat_requests import shipped_table
from wisen.delivery.hook_snapshot import digest, encode_complaints, encode_requests
from wisen.kernel.request_hints import hints_of
from wisen.mining.error_pattern_export import export_patterns
from wisen.model.hook import BUNDLE, PARTS
from wisen.text import stored_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import CodeType

HASH_KEY = 51902
_FOLDERS = ("surfaces/hook", "kernel")
_TABLES = ("delivery/requests", "mining", "memory", "model", "store", "text")
_START = "bundle_start"
_FORMS = ("checks", "complaints", "tools")
_STAMP = 12
_EXTENSIONS = ("_json", "_blake2", "_datetime", "_sqlite3", "math", "unicodedata")
_NAMING = ("failure_signature", "shell")
"""The modules that name the patterns that they compile."""
_RECALL = (
    *("wisen.memory.ranking", "wisen.memory.replaced_memories", "wisen.memory.search_words"),
    *("wisen.model.memory", "wisen.store.memory_finder"),
)
"""What `surfaces/hook/recall.py` loads; what these load is found out."""
_DATA = "text/slot_words.json"
_ONE_BY_ONE = ("patterns table", "patterns languages")
"""Parts of which few values are needed: the bundle has their places."""

Part = tuple[Any, int, int]
"""A value, and the size and time of the file that it was made of; 0 if it stays right without that file."""


def build_bundle(client: Path) -> dict[str, bytes]:
    """Build the files of the bundle of a client for this interpreter. Raises: OSError, SyntaxError."""
    package = client.parents[2]
    index: dict[str, tuple[int, int, bytes, int, int]] = {}
    contents = list[bytes]()

    def add(content: bytes) -> tuple[int, int, bytes]:
        contents.append(content)
        place = sum(map(len, contents[:-1]))
        return place, len(content), source_hash(HASH_KEY, content)

    for name, (value, size, changed) in _parts(package):
        rows = {key: add(each) for key, each in value.items()} if name in _ONE_BY_ONE else value
        index[name] = *add(marshal.dumps(rows)), size, changed
    start = _compiled(package / _FOLDERS[0] / f"{_START}.py")
    constants: dict[object, object] = {
        "@index@": index,
        "@library@": _extensions(),
        "@client@": str(client),
        "@version@": sys.version,
    }
    start = start.replace(co_consts=tuple(constants.get(each, each) for each in start.co_consts))
    return {PARTS: b"".join(contents), BUNDLE: MAGIC_NUMBER + _stamp(client) + marshal.dumps(start)}


def is_current(home: Path, client: Path) -> bool:
    """Whether a home has the bundle that would be built now."""
    try:
        head = (home / BUNDLE).read_bytes()[: len(MAGIC_NUMBER) + _STAMP]
        return (home / PARTS).is_file() and head == MAGIC_NUMBER + _stamp(client)
    except OSError:
        return False


def _stamp(client: Path) -> bytes:
    """Return a digest of all that a bundle is made of: in a .pyc, the place for the time and size of its source."""
    made_of = [sys.version, str(client)]
    package = client.parents[2]
    for path in sorted(path for folder in (*_FOLDERS, *_TABLES) for path in (package / folder).iterdir()):
        status = path.stat()
        made_of.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return blake2b("\n".join(made_of).encode("utf-8", "surrogateescape"), digest_size=_STAMP).digest()


def _parts(package: Path) -> Iterator[tuple[str, Part]]:
    loader = _Loader(package)
    for folder in _FOLDERS:
        for path in sorted((package / folder).glob("*.py")):
            if path.stem not in ("__init__", "client", _START):
                loader.compile_module(".".join(("wisen", *path.relative_to(package).with_suffix("").parts)))
    found = {each for name in _NAMING for each in loader.load(f"wisen.surfaces.hook.{name}").PATTERNS}
    yield "patterns", (_precompiled(found), 0, 0)
    yield "patterns table", (_precompiled(_table_patterns() - found), 0, 0)
    for name, (code, path) in loader.codes.items():
        yield name, (code, *_state(path))
    with suppress(Exception):  # recalling then imports its modules, which may have come to need more than stand-ins
        yield from [each for each in _recall_parts(package) if each[0] not in loader.codes]
    requests, complaints = encode_requests(shipped_table()), encode_complaints(export_patterns())
    yield f"table {digest(requests)}", (_decoded(requests), 0, 0)
    yield f"table {digest(complaints)}", (pack_messages(_decoded(complaints)), 0, 0)
    yield f"hints {digest(encode_requests(shipped_table()))}", (hints_of(shipped_table()), 0, 0)


def _recall_parts(package: Path) -> Iterator[tuple[str, Part]]:
    """Yield what recalling needs: modules, their patterns, and a table."""
    loader, data = _Loader(package), package / _DATA
    for name in _RECALL:
        loader.load(name)
    yield "patterns recall", (_precompiled(loader.patterns), 0, 0)
    loader.patterns.clear()
    table = json.loads(data.read_text(encoding="utf-8"))
    for language in table:
        loader.load("wisen.text.glossary")._language(language)  # noqa: SLF001 - it compiles their patterns
    yield "patterns languages", (_precompiled(loader.patterns), 0, 0)
    yield f"wisen/{_DATA}", (table, *_state(data))
    for name, (code, path) in loader.codes.items():
        yield name, (code, *_state(path))


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _table_patterns() -> set[tuple[str, int]]:
    known: Any = export_patterns()
    forms = [each[name] for kind in _FORMS for each in known[kind] for name in ("form", "unless") if each.get(name)]
    return {(text, int(re.MULTILINE | (re.IGNORECASE if ignores else 0))) for text, ignores, _ in forms}


class _Loader:
    """Executes modules apart from those that this program imported, to learn what they need and which patterns."""

    def __init__(self, package: Path) -> None:
        self.codes: dict[str, tuple[CodeType, Path]] = {}
        """The code of each module, and its file."""
        self.patterns: set[tuple[str, int]] = set()
        """What was compiled outside of the client's own modules."""
        self._package, self._loaded = package, dict[str, ModuleType]()
        self._names = {**vars(builtins), "__import__": self._import_name}

    def compile_module(self, name: str) -> CodeType:
        if name not in self.codes:
            path = self._package.joinpath(*name.split(".")[1:]).with_suffix(".py")
            self.codes[name] = _compiled(path), path
        return self.codes[name][0]

    def load(self, name: str) -> Any:
        if name not in self._loaded:
            module = self._loaded[name] = ModuleType(name)
            module.__dict__.update(__package__=name.rpartition(".")[0], __builtins__=self._names)
            exec(self.compile_module(name), module.__dict__)  # noqa: S102 - our own modules
        return self._loaded[name]

    def _import_name(self, name: str, values: Any = None, inner: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if level:
            return self.load(f"{values['__package__']}.{name}")
        if name == "wisen.store.sqlite":
            return SimpleNamespace(as_float=None)  # the client has one of its own
        if name == "re":
            return SimpleNamespace(**{**vars(re), "compile": self._compile_pattern})
        if name == "wisen.text.lazy_regex":
            self.load(name)
            return SimpleNamespace(lazy_regex=self._compile_pattern)
        if name == "wisen.text.stored_tables":
            return stored_tables  # the client has the tables in the bundle
        return self.load(name) if name.startswith("wisen.") else builtins.__import__(name, values, inner, wanted, level)

    def _compile_pattern(self, text: str, flags: int = 0) -> re.Pattern[str]:
        self.patterns.add((text, int(flags)))
        return re.compile(text, flags)


def _decoded(content: bytes) -> object:
    """Return a table as the client reads it, each text once."""
    texts: dict[str, str] = {}

    def once(value: object) -> object:
        if isinstance(value, dict):
            return {once(name): once(each) for name, each in value.items()}
        if isinstance(value, list):
            return [once(each) for each in value]
        return texts.setdefault(value, value) if isinstance(value, str) else value

    return once(json.loads(content))


def pack_messages(table: Any) -> dict[str, object]:
    """Return the known error messages each packed behind the words that it needs: few of them occur in one text."""
    return {**table, **{kind: [_packed_message(each) for each in table[kind]] for kind in _FORMS}}


def _packed_message(message: dict[str, Any]) -> object:
    _, ignores, sets = message["form"] if "hints" not in message else ("", 0, [[hint] for hint in message["hints"]])
    if any(mark in word for each in sets for word in each for mark in "\0\1"):
        return message
    return "\1".join("\0".join(each) for each in sets), ignores, marshal.dumps(message)


def _compiled(path: Path) -> CodeType:
    """Compile a module without its docstrings and the types of its functions, which only take time to load."""
    tree = ast.parse(path.read_bytes(), str(path))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _precompiled(patterns: set[tuple[str, int]]) -> dict[bytes, object]:
    """Return what `_sre.compile` needs for patterns, as `re` computes it, by their keys as in `lean_re.py`."""
    found: dict[bytes, object] = {}
    for text, flags in sorted(patterns):
        parsed = sre_parser.parse(text, flags)
        state, order = parsed.state, [None] * parsed.state.groups
        for name, number in state.groupdict.items():
            order[number] = name
        code = array("I", sre_compiler._code(parsed, flags)).tobytes()  # noqa: SLF001 - as above
        values = int(flags | state.flags), code, state.groups - 1, dict(state.groupdict), tuple(order)
        found[source_hash(flags, text.encode("utf-8", "surrogatepass"))] = marshal.dumps((text, flags, *values))
    return found


def _extensions() -> dict[str, str]:
    """Return the paths of the modules in C that the client loads; those that are built in need none."""
    found = ((name, find_spec(name)) for name in _EXTENSIONS)
    return {name: spec.origin for name, spec in found if spec is not None and spec.has_location and spec.origin}
