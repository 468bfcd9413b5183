"""Describes the JSON that read commands print, by running each on the sample sessions; docs/generate.py writes it.

What a command prints is a value of a known type, or an object that holds such values. A type is described once, by its
schema; of the objects around them, the keys and types that the sample shows.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import is_dataclass
from datetime import date, datetime
from enum import Enum
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "src" / "wisen" / "sample"
READ_AND_WRITE = ("blame", "learn")
"""They have --dry-run, and only read unless an option tells them to change something."""
ARGUMENTS = {
    "blame": ("CLAUDE.md",),
    "explain": ("{fix}",),
    "fixes show": ("{fix}",),
    "lessons show": ("{lesson}",),
    "proposals show": ("{proposal}",),
    "guards show": ("{guard}",),
    "guards test": ("npm test",),
    "guards backtest": ("warn npm test -> pnpm test",),
    "skills show": ("pick",),
    "workflows show": ("{workflow}",),
    "workflows suggest": ("deploy 1.9 to staging",),
    "trials show": ("{trial}",),
    "changes show": ("{change}",),
    "memory recall": ("pnpm",),
    "memory brief": ("run the tests with npm",),
    "feedback detect": ("No, always use pnpm instead of npm.",),
}
"""Arguments of the commands that need some; a name in braces is an id of the sample home."""
ROW_TYPES = {
    "changes": ("change.Change",),
    "lessons": ("entry_state.EntryState", "entry.Entry"),
    "proposals": ("entry.Proposal",),
    "rules": ("entry_state.EntryState", "entry.Entry"),
}
"""The types in `wisen.model` of which a group's commands print fields: used where the sample has null or no element."""
STEPS = (
    ("learn",),
    ("cycle",),
    ("remember", "Write dates as 2026-03-02."),
    ("note", "The cart is done.", "--mark", "success"),
    ("guards", "add", "warn npm test -> pnpm test"),
    ("trials", "on"),
    ("cycle",),
    ("proposals",),
    ("proposals", "approve", "1"),
)
"""What is done in the sample home before the commands read it."""


def json_page() -> str:
    """The page: a part for each command that reads, then the types that they print."""
    types: dict[str, type] = {}
    parts = [
        "# JSON output",
        "",
        "Made by docs/generate.py. Every command that reads prints one JSON object with `--json`. `a.b` is a field of",
        "the object `a`; `a[].b` is a field of each element of the list `a`; `a.*` is any other key of `a`.",
        "A name with a link is a [type](#types), whose fields are listed below the commands.",
    ]
    values = printed_values()
    _load_type_imports()
    known: dict[str, str] = {}
    for name, value in values.items():
        rows = "\n".join(f"| `{field}` | {kind} |" for field, kind in _fields(name, value, types))
        same = known.setdefault(rows, name)
        parts += ["", f"## wisen {name}", ""]
        parts.append(f"The same as `wisen {same}`." if same != name else f"| field | type |\n|---|---|\n{rows}")
    return "\n".join([*parts, "", "## Types", *_describe_types(types)]) + "\n"


def read_commands() -> list[str]:
    """The commands that only read: they have --json and no --dry-run. Short forms are left out."""
    from typer.main import get_command

    from wisen.surfaces.cli import app
    from wisen.surfaces.cli.command_table import SHORT_FORMS

    found = []

    def walk(command: Any, words: tuple[str, ...]) -> None:
        options = {option for each in command.params for option in each.opts}
        if words and "--json" in options and ("--dry-run" not in options or words[0] in READ_AND_WRITE):
            found.append(" ".join(words))
        for name, each in getattr(command, "commands", {}).items():
            if words or name not in SHORT_FORMS:
                walk(each, (*words, name))

    walk(get_command(app), ())
    return sorted(found)


def printed_values() -> dict[str, Any]:
    """What each command that reads prints in a home that has learned from the sample sessions, before it is encoded."""
    sys.path.insert(0, str(ROOT))
    from tests.as_person import be_person

    from wisen.surfaces.cli import render

    before, folder = dict(os.environ), Path.cwd()
    printed: list[Any] = []
    encode, render.print_json = render.print_json, printed.append  # before the modules load that import it by name
    be_person()
    try:
        with tempfile.TemporaryDirectory(prefix="wisen-json-") as home:
            _write_home(Path(home))
            for words in STEPS:
                _run(*words)
            _call_hook(Path(home))
            names = _ids(printed)
            values = {}
            for name in read_commands():
                printed.clear()
                _run(*name.split(), *(word.format(**names) for word in ARGUMENTS.get(name, ())), "--json")
                (values[name],) = printed
            os.chdir(folder)
    finally:
        render.print_json = encode
        os.environ.clear()
        os.environ.update(before)
    return values


def _write_home(home: Path) -> None:
    """Make a home of a user with the sample sessions, one more that holds praise, and a project with CLAUDE.md."""
    from wisen.testing.transcripts import ClaudeTranscript

    for name in [name for name in os.environ if name.startswith(("WISEN_", "CLAUDE", "CODEX", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "WISEN_HOME": str(home / "wisen")}
    logs = home / ".claude" / "projects"
    for file in SAMPLE.rglob("*.jsonl"):
        copy = logs / file.relative_to(SAMPLE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text(encoding="utf-8").replace("/home/ada/", f"{home}/"), encoding="utf-8")
    project = home / "orchard-shop"
    project.mkdir()
    (project / "CLAUDE.md").write_text("# Rules\n\n- Run `npm test` first.\n", encoding="utf-8")
    skill = home / ".claude" / "skills" / "pick" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: pick\ndescription: Pick pears.\n---\n\nPick them by hand.\n", encoding="utf-8")
    for number in range(71, 75):
        deploy = ClaudeTranscript(number, cwd=str(project))
        deploy.prompt(f"deploy 1.{number} to staging")
        for command in ("docker build -t shop:{0} .", "git tag v{0}", "docker push hub/shop:{0}", "kubectl rollout"):
            deploy.bash(command.format(f"1.{number}"), "done")
        deploy.prompt("thanks, that works")
        deploy.write(logs / "-home-ada-orchard-shop")
    session = ClaudeTranscript(70, cwd=str(project))
    session.prompt("run the tests")
    session.bash("pnpm test", "ok")
    session.prompt("perfect, exactly what I wanted, thank you")
    session.write(logs / "-home-ada-orchard-shop")
    os.chdir(project)


def _call_hook(home: Path) -> None:
    """Have an agent fail where a fix is known, so that the fix is on trial."""
    from tests.hooks import failed_call, fire

    error = "/bin/bash: line 1: python: command not found"
    for number in range(4):
        call = failed_call("python -m pytest", error, session=f"trial-{number}", cwd=home / "orchard-shop")
        fire(home / "wisen", "failure", call)
    _run("cycle")


def _run(*words: str) -> None:
    from wisen.surfaces.cli import app

    with redirect_stdout(StringIO()):
        app([*words], standalone_mode=False)


def _ids(printed: list[Any]) -> dict[str, str]:
    def first(command: str, key: str, field: str) -> str:
        printed.clear()
        _run(*command.split(), "--json")
        rows = msgspec.json.decode(msgspec.json.encode(printed[0], enc_hook=str))[key]
        return str(rows[0][field])

    return {
        "fix": first("fixes", "fixes", "id"),
        "lesson": first("lessons", "entries", "name"),
        "proposal": "1",
        "guard": first("guards", "guards", "id"),
        "workflow": first("workflows", "workflows", "id"),
        "trial": first("trials", "trials", "id"),
        "change": first("changes", "changes", "id"),
    }


def _fields(command: str, value: Any, types: dict[str, type]) -> Iterator[tuple[str, str]]:
    """The fields of an object with their types; those of objects inside it too, unless they are of a type."""
    kinds: dict[str, set[str]] = {}
    _collect("", value, kinds, types)
    rows: dict[str, Any] = {}
    for each in ROW_TYPES.get(command.split(maxsplit=1)[0], ()):
        module, _, name = each.partition(".")
        rows |= _type_fields(getattr(importlib.import_module(f"wisen.model.{module}"), name))
    for field, found in kinds.items():
        elements, last = kinds.get(f"{field}[]"), field.rpartition(".")[2]
        if not field or field.endswith("[]"):
            continue
        if last in rows and ("null" in found or (found == {"list"} and not elements)):
            yield field[1:], _name(rows[last], types)
        else:
            yield field[1:], " or ".join(_name_found(each, elements) for each in sorted(found))


def _name_found(kind: str, elements: set[str] | None) -> str:
    """A type that the sample shows, with the types of its elements."""
    if kind == "null":
        return "null in the sample"
    if kind != "list":
        return kind
    return f"list of {' or '.join(sorted(elements))}" if elements else "list, empty in the sample"


def _collect(name: str, value: Any, kinds: dict[str, set[str]], types: dict[str, type]) -> None:
    here = kinds.setdefault(name, set())
    if isinstance(value, Mapping) and (isinstance(value, Counter) or not all(map(_is_key, value))):
        here.add("object")
        for each in value.values():
            _collect(f"{name}.*", each, kinds, types)
    elif isinstance(value, Mapping):
        here.add("object")
        for key, each in value.items():
            _collect(f"{name}.{_text(key)}", each, kinds, types)
    elif _is_typed(value) and not name:
        for field, kind in _type_fields(type(value)):
            kinds[f".{field}"] = {_name(kind, types)}
    elif _is_typed(value):
        here.add(_link(type(value), types))
    elif isinstance(value, (list, tuple, set, frozenset)):
        here.add("list")
        for each in value:
            _collect(f"{name}[]", each, kinds, types)
    else:
        here.add(_scalar(value))


def _load_type_imports() -> None:
    """Import what modules import for type checkers only, without which schemas of their types cannot be made."""
    programs = ("wisen.surfaces.hook", "wisen.kernel")  # their modules have other names inside the hook client
    loaded = [each for name, each in sys.modules.items() if name.startswith("wisen.") and not name.startswith(programs)]
    for module in loaded:
        if not (file := getattr(module, "__file__", None)):
            continue
        for block in ast.parse(Path(file).read_text(encoding="utf-8")).body:
            if not (isinstance(block, ast.If) and isinstance(block.test, ast.Name)):
                continue
            for each in block.body:
                if isinstance(each, ast.ImportFrom) and each.module:
                    imported = importlib.import_module(each.module)
                    for name in each.names:
                        if hasattr(imported, name.name):
                            vars(module).setdefault(name.asname or name.name, getattr(imported, name.name))


def _is_key(key: object) -> bool:
    """Whether a key is a field name; keys that are data, such as paths, are not."""
    return _text(key).isidentifier()


def _text(key: object) -> str:
    return str(key.value if isinstance(key, Enum) else key)


def _is_typed(value: object) -> bool:
    return isinstance(value, msgspec.Struct) or (is_dataclass(value) and not isinstance(value, type))


def _scalar(value: object) -> str:
    if isinstance(value, Enum):
        return _scalar(value.value)
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, datetime):
        return "date-time"
    if isinstance(value, date):
        return "date"
    return {int: "integer", float: "number"}.get(type(value), "string")


def _link(type_: type, types: dict[str, type]) -> str:
    types[type_.__name__] = type_
    return f"[{type_.__name__}](#{type_.__name__.lower()})"


def _type_fields(type_: type) -> list[tuple[str, Any]]:
    """The fields of a type by their encoded names, with what msgspec knows of their types."""
    info = inspect.type_info(type_)
    assert isinstance(info, (inspect.StructType, inspect.DataclassType)), type_
    fields = [(each.encode_name, each.type) for each in info.fields]
    tag = getattr(info, "tag_field", None)
    return [(tag, inspect.LiteralType((info.tag,))), *fields] if tag else fields  # type: ignore[union-attr]


def _describe_types(types: dict[str, type]) -> Iterator[str]:
    """A table for each type that a command prints, and for each type inside those."""
    tables: dict[str, list[str]] = {}
    while missing := [name for name in types if name not in tables]:
        for name in missing:
            tables[name] = [f"| `{field}` | {_name(kind, types)} |" for field, kind in _type_fields(types[name])]
    for name, rows in sorted(tables.items()):
        yield from ("", f"### {name}", "", "| field | type |", "|---|---|", *rows)


def _name(kind: Any, types: dict[str, type]) -> str:
    """A type in words."""
    match kind:
        case inspect.StructType() | inspect.DataclassType():
            return _link(kind.cls, types)
        case inspect.EnumType():
            return " or ".join(f"`{each.value}`" if each.value != "" else "an empty string" for each in kind.cls)
        case inspect.LiteralType():
            return " or ".join(f"`{each}`" for each in kind.values)
        case inspect.UnionType():
            return " or ".join(_name(each, types) for each in kind.types)
        case inspect.ListType() | inspect.SetType() | inspect.FrozenSetType() | inspect.VarTupleType():
            return f"list of {_name(kind.item_type, types)}"
        case inspect.TupleType():
            return f"list of {len(kind.item_types)}: {', '.join(_name(each, types) for each in kind.item_types)}"
        case inspect.NamedTupleType():
            fields = ", ".join(f"{each.name} ({_name(each.type, types)})" for each in kind.fields)
            return f"list of {len(kind.fields)}: {fields}"
        case inspect.DictType():
            return f"object of {_name(kind.value_type, types)}"
        case _:
            return _SIMPLE.get(type(kind), "string")


_SIMPLE: dict[type, str] = {
    inspect.NoneType: "null",
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.DateTimeType: "date-time",
    inspect.DateType: "date",
    inspect.AnyType: "any",
}
"""Everything else is a string, as `print_json` encodes whatever JSON has no type for."""
