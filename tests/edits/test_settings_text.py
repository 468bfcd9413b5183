"""A settings file is changed in one place, and every other byte stays."""

from __future__ import annotations

import itertools
import json
import random
import re
import tomllib
from pathlib import Path as File
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edits.edit_ports import make_edit_ports
from tests.edits.fake_files import MemoryFiles
from tests.sizes import size
from wisen.edits.editor import Editor, ValuePlan
from wisen.edits.settings_text import Format, Json, is_same, parse_settings, with_value, without_value
from wisen.errors import SettingsUnclear, UsageError
from wisen.model.change import content_digest

Path = tuple[str | int, ...]
FORMATS: tuple[Format, ...] = ("json", "json5", "toml")

HOOK = {"matcher": "", "hooks": [{"type": "command", "command": "wisen hook"}]}

CLAUDE = """{
  "model": "opus",
  "permissions": {
    "allow": ["Bash(ls:*)", "Read"],
    "deny": []
  },
  "env": {}
}
"""

OPENCLAW = """// openclaw.json
{
  agents: { defaults: { workspace: '~/w', }, }, // where
  channels: {
    // none yet
  },
  /* skills
     and plugins */
  plugins: [ 'a', 'b' ],
  gateway: {
    "port": 0x4A38 // not the usual one
    // "bind": "lan"
  }
}
"""

CODEX = """# Codex
model = "gpt-5" # which
notify = ["a", "b"]

[mcp_servers.docs]
command = "npx"
args = [
  "-y", # yes
  "pkg"
]
env = { A = "1" }

# who may do what
[projects."/home/me"]
trust_level = "trusted"

[[hooks]]
n = 1

[[hooks]]
n = 2
"""


def replaced(text: str, old: str, new: str) -> str:
    """The text with the one place changed."""
    assert text.count(old) == 1
    return text.replace(old, new)


SET: list[tuple[str, Format, Path, Json, str, str]] = [
    (CLAUDE, "json", ("model",), "sonnet", '"opus"', '"sonnet"'),
    (CLAUDE, "json", ("permissions", "allow", "-"), "Edit", '"Read"]', '"Read", "Edit"]'),
    (CLAUDE, "json", ("permissions", "allow", 0), "Edit", '"Bash(ls:*)"', '"Edit"'),
    (CLAUDE, "json", ("permissions", "deny", "-"), "Edit", '"deny": []', '"deny": [\n      "Edit"\n    ]'),
    (CLAUDE, "json", ("env", "A", "B"), 1, '"env": {}', '"env": {\n    "A": {\n      "B": 1\n    }\n  }'),
    (CLAUDE, "json", ("on",), True, '"env": {}', '"env": {},\n  "on": true'),
    ('{"a":1,"b":2}', "json", ("c",), [1, 2], "2}", '2,"c":[1, 2]}'),
    ('{"a": {}}', "json", ("a", "b"), 1, "{}", '{"b": 1}'),
    ('{\r\n\t"a": 1\r\n}', "json", ("b",), {"c": 1}, "1\r", '1,\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r'),
    ("{}", "json", ("a",), 1, "{}", '{\n  "a": 1\n}'),
    (OPENCLAW, "json5", ("agents", "defaults", "model"), "m", "'~/w', }", "'~/w', model: \"m\", }"),
    (OPENCLAW, "json5", ("channels", "x"), True, "none yet\n", 'none yet\n    "x": true\n'),
    (OPENCLAW, "json5", ("plugins", "-"), "c", "'b' ]", "'b', \"c\" ]"),
    (
        OPENCLAW,
        "json5",
        ("gateway", "on"),
        True,
        "4A38 // not the usual one",
        '4A38, // not the usual one\n    "on": true',
    ),
    (OPENCLAW, "json5", ("gateway", "port"), 1, "0x4A38", "1"),
    ("// mine\n", "json5", ("a",), 1, "mine\n", 'mine\n{\n  "a": 1\n}\n'),
    (CODEX, "toml", ("model",), "o3", '"gpt-5"', '"o3"'),
    (CODEX, "toml", ("approval",), "never", '"b"]', '"b"]\napproval = "never"'),
    (CODEX, "toml", ("projects", "/home/me", "k"), 1, '"trusted"', '"trusted"\nk = 1'),
    (CODEX, "toml", ("tui", "on"), True, "n = 2\n", "n = 2\n\n[tui]\non = true\n"),
    ("# top\n\n# about t\n[t]\n", "toml", ("a",), 1, "# top\n", "a = 1\n# top\n"),
    ("[t] # mine\n# about u\n[u]\n", "toml", ("t", "a"), True, "mine", "mine\na = true"),
]

CUT: list[tuple[str, Format, Path, str, str]] = [
    (CLAUDE, "json", ("model",), '  "model": "opus",\n', ""),
    (CLAUDE, "json", ("env",), ',\n  "env": {}', ""),
    (CLAUDE, "json", ("permissions", "allow", 0), '"Bash(ls:*)", ', ""),
    (CLAUDE, "json", ("permissions", "allow", 1), ', "Read"', ""),
    ('{\n  "a": 1\n}', "json", ("a",), '\n  "a": 1\n', ""),
    (OPENCLAW, "json5", ("agents",), "agents: { defaults: { workspace: '~/w', }, }, ", ""),
    (OPENCLAW, "json5", ("gateway", "port"), '"port": 0x4A38 ', ""),
    (OPENCLAW, "json5", ("agents", "defaults", "workspace"), " workspace: '~/w', ", ""),
    ("{a: 1, // one\n b: 2 }", "json5", ("b",), ", // one\n b: 2", " // one\n "),
    (CODEX, "toml", ("model",), 'model = "gpt-5" ', ""),
    ("[a]\nx = 1\n\n[b] # mine\n", "toml", ("b",), "[b] # mine", "# mine"),
    (CODEX, "toml", ("notify",), 'notify = ["a", "b"]\n', ""),
]


@pytest.mark.parametrize(("text", "format", "path", "value", "old", "new"), SET)
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_value_is_set_where_a_person_would_write_it(
    text: str, format: Format, path: Path, value: Json, old: str, new: str, bom: str
) -> None:
    assert with_value(bom + text, format, path, value) == bom + replaced(text, old, new)


@pytest.mark.parametrize(("text", "format", "path", "old", "new"), CUT)
def test_a_value_is_removed_and_comments_stay(text: str, format: Format, path: Path, old: str, new: str) -> None:
    assert without_value(text, format, path) == replaced(text, old, new)


@pytest.mark.parametrize(("text", "format", "path", "value", "old", "new"), SET)
def test_line_ends_and_a_missing_last_one_stay(
    text: str, format: Format, path: Path, value: Json, old: str, new: str
) -> None:
    text = text.replace("\r\n", "\n")
    windows = with_value(text.replace("\n", "\r\n"), format, path, value)
    assert not re.search(r"(?<!\r)\n", windows if "\n" in text else "")
    bare = with_value(text.rstrip("\n"), format, path, value)
    assert text.strip("\n") == "// mine" or not bare.endswith("\n")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_text_is_an_empty_mapping(format: Format, text: str) -> None:
    assert parse_settings(text, format) == {}
    assert parse_settings(with_value(text, format, ("hooks", "on"), True), format) == {"hooks": {"on": True}}
    if format != "toml":
        assert parse_settings(with_value(text, format, ("hooks", "Stop", "-"), HOOK), format) == {
            "hooks": {"Stop": [HOOK]}
        }
    with pytest.raises(SettingsUnclear):
        without_value(text, format, ("a",))


@pytest.mark.parametrize(
    ("text", "format", "path"),
    [
        ('{"a": 1,}', "json", ("b",)),
        ('{"a": NaN}', "json", ("b",)),
        ('{"a": 1, "a": 2}', "json", ("a",)),
        ('{"a": 1}', "json", ("a", "b")),
        ('{"a": 1}', "json", (0,)),
        ('{"a": [1]}', "json", ("a", 1)),
        ('{"a": [1]}', "json", ("a", -1)),
        ('{"a": [1]}', "json", ("a", "b")),
        ("{}", "json", ("a", 2)),
        ("{}", "json", ("a", "-", "b")),
        ("{}", "json", ()),
        ("7", "json", ("a",)),
        ("[" * 100_000, "json", ("a",)),
        ("[" * 100_000, "json5", ("a",)),
        ("{a: 1 b: 2}", "json5", ("a",)),
        ("{a: 1,, b: 2}", "json5", ("a",)),
        ("{a: '\\1'}", "json5", ("a",)),
        ("{a: 1} x", "json5", ("a",)),
        ("{a: 1", "json5", ("a",)),
        ("a = 1\na = 2\n", "toml", ("a",)),
        ("a = \n", "toml", ("a",)),
        ("[a]\nx = 1\n[b]\n[a.c]\n", "toml", ("a",)),
        ("[a]\nx = 1\n", "toml", ("a",)),
        ("a.b = 1\n", "toml", ("a", "b")),
        ("a = { b = 1 }\n", "toml", ("a", "b")),
        ("a = 1\n", "toml", ("a", 0)),
        ("a: 1\na: 2\n", "yaml", ("a",)),
        ("a: 1\n---\nb: 1\n", "yaml", ("a",)),
        ("a: {b: 1}\n", "yaml", ("a", "b")),
        ("a: [1\n", "yaml", ("a",)),
    ],
)
def test_what_is_unclear_is_refused_with_a_next_step(text: str, format: Format, path: Path) -> None:
    with pytest.raises(SettingsUnclear, match="please"):
        with_value(text, format, path, 5)


@pytest.mark.parametrize(("format", "value"), [("toml", None), ("toml", 2**63), ("json", float("nan"))])
def test_a_value_that_a_format_cannot_say_is_refused(format: Format, value: Json) -> None:
    with pytest.raises(SettingsUnclear):
        with_value("", format, ("a",), value)


def test_a_small_file_cannot_fill_the_memory() -> None:
    rows = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    text = "\n".join(rows) + "\n"
    assert isinstance(parse_settings(text, "yaml"), dict)
    with pytest.raises(SettingsUnclear):
        parse_settings("&a [*a]", "yaml")


def test_yaml_is_edited_where_it_is_written_as_json_and_every_version_of_yaml_reads_the_same() -> None:
    text = with_value("", "yaml", ("hooks", "Stop", "-"), HOOK)
    more = with_value(text, "yaml", ("calls", "on"), "yes")
    assert json.loads(more) == parse_settings(more, "yaml") == {"hooks": {"Stop": [HOOK]}, "calls": {"on": "yes"}}
    assert without_value(more, "yaml", ("calls",)) == text
    with pytest.raises(SettingsUnclear, match="please"):
        with_value("hooks:\n  Stop: []\n", "yaml", ("hooks", "Stop", "-"), HOOK)


def test_dates_come_as_text() -> None:
    assert (
        parse_settings("a = 2020-01-02\n", "toml") == parse_settings("a: 2020-01-02\n", "yaml") == {"a": "2020-01-02"}
    )


def test_one_and_true_are_not_the_same() -> None:
    assert not is_same([1], [True])
    assert not is_same({"a": 1}, {"a": 1.0})
    assert is_same([float("nan")], [float("nan")])


# Random files: data first, then a writer that varies the style as people do.

KEYS = [
    "a",
    "b",
    "c",
    "name",
    "a b",
    "é",
    "on",
    "1",
    "a.b",
    'q"q',
    "x#y",
    "null",
    "'",
    "\\",
    "{",
    "-x",
    "k: v",
    "#",
    "//",
]
TEXTS = [
    *KEYS, "", " ", "\n", "# no", "// no", "/* no */", "a: b", "- x", "[", "}", "😀", '"""', "'''", "\t", "~", "0x1",
    "1e3", "yes", "2020-01-01", "two\nlines\n", "\x7f", "\u2028", "end,", "\\n", "%", "@", "`", "|", ">", "&a", "*a",
    "!t", "a\r\nb",
]  # fmt: skip


def data_of(rnd: random.Random, depth: int, *, nulls: bool) -> Any:
    kind = rnd.randrange(9 if depth else 6)
    if kind < 2:
        return rnd.choice(TEXTS)
    if kind == 2:
        return rnd.choice([0, 1, -7, 10**12])
    if kind == 3:
        return rnd.choice([0.5, -1.25, 1e300, 1e-7])
    if kind < 6:
        return rnd.choice([True, False, None if nulls else True])
    if kind == 6:
        return [data_of(rnd, depth - 1, nulls=nulls) for _ in range(rnd.randrange(4))]
    return mapping_of(rnd, depth - 1, nulls=nulls)


def mapping_of(rnd: random.Random, depth: int, *, nulls: bool) -> dict[str, Any]:
    return {rnd.choice(KEYS): data_of(rnd, depth, nulls=nulls) for _ in range(rnd.randrange(5))}


def is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


class Writer:
    """Writes data in a style that varies; comments are numbered."""

    def __init__(self, rnd: random.Random) -> None:
        self.rnd = rnd
        self.comments = 0

    def chance(self, share: float = 0.3) -> bool:
        return self.rnd.random() < share

    def mark(self) -> str:
        self.comments += 1
        return f"<c{self.comments}>"


class JsonWriter(Writer):
    def __init__(self, rnd: random.Random, *, loose: bool) -> None:
        super().__init__(rnd)
        self.loose = loose
        self.step = rnd.choice(["  ", "    ", "\t", ""])

    def text(self, data: Any) -> str:
        head = f"// {self.mark()}\n" if self.loose and self.chance() else ""
        return head + self.value(data, "") + self.rnd.choice(["", "\n", "\n\n"])

    def value(self, data: Any, margin: str) -> str:
        if is_scalar(data):
            return self.scalar(data)
        brackets = "{}" if isinstance(data, dict) else "[]"
        inner = margin + self.step
        broken = self.chance(0.6)
        members = (
            [
                f"{self.key(key)}{self.rnd.choice([': ', ':', ' : '])}{self.value(value, inner)}"
                for key, value in data.items()
            ]
            if isinstance(data, dict)
            else [self.value(value, inner) for value in data]
        )
        lead = "\n" + inner if broken else self.rnd.choice(["", " "])
        body = ""
        for at, member in enumerate(members):
            before = self.note() if self.chance(0.2) else ""
            comma = "," if at + 1 < len(members) or (self.loose and self.chance()) else ""
            after = self.note(line=broken) if self.chance(0.2) else ""
            between = self.note() if comma and self.chance(0.1) else ""
            last = at + 1 == len(members)
            gap = "" if last else "\n" + inner if broken else self.rnd.choice([" ", ""])
            body += f"{before}{member}{between}{comma}{after}{gap}"
        if not members and self.chance():
            body = self.note(line=broken)
        tail = "\n" + margin if broken else lead
        return brackets[0] + lead + body + tail + brackets[1] if body or self.chance() else brackets

    def note(self, *, line: bool = False) -> str:
        if not self.loose:
            return ""
        return f" // {self.mark()}" if line and self.chance(0.6) else f" /* {self.mark()} */ "

    def key(self, key: str) -> str:
        if self.loose and re.fullmatch(r"[a-zA-Zé]\w*", key) and self.chance(0.6):
            return key
        return self.scalar(key)

    def scalar(self, data: Any) -> str:
        if self.loose and isinstance(data, str) and self.chance():
            return "'" + json.dumps(data)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
        if self.loose and type(data) is int and data >= 0 and self.chance():
            return self.rnd.choice([hex(data), f"+{data}"])
        return json.dumps(data, ensure_ascii=self.chance())


class TomlWriter(Writer):
    def text(self, data: dict[str, Any]) -> str:
        return "".join(self.table((), data, head=False)) + ("" if self.chance() else "\n")

    def table(self, names: tuple[str, ...], data: dict[str, Any], *, head: bool, double: bool = False) -> list[str]:
        lines: list[str] = []
        later: list[tuple[tuple[str, ...], Any]] = []
        margin = self.rnd.choice(["", "", "  "])
        for key, value in data.items():
            tables = isinstance(value, dict) or (
                isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
            )
            if tables and self.chance(0.6):
                later.append(((*names, key), value))
            elif isinstance(value, dict) and value and self.chance():
                lines += [self.line(margin, f"{self.key(key)}.{self.key(inner)}", value[inner]) for inner in value]
            else:
                lines.append(self.line(margin, self.key(key), value))
        title = ".".join(map(self.key, names))
        if head:
            lines.insert(0, (f"[[{title}]]" if double else f"[{title}]") + self.note() + "\n")
        for path, value in later:
            for one in value if isinstance(value, list) else [value]:
                lines += [self.rnd.choice(["", "\n"]), f"# {self.mark()}\n" if self.chance() else ""]
                lines += self.table(path, one, head=True, double=isinstance(value, list))
        return lines

    def line(self, margin: str, key: str, value: Any) -> str:
        above = f"{margin}# {self.mark()}\n" if self.chance(0.15) else "\n" if self.chance(0.1) else ""
        return f"{above}{margin}{key}{self.rnd.choice([' = ', '='])}{self.value(value)}{self.note()}\n"

    def note(self) -> str:
        return f" # {self.mark()}" if self.chance(0.15) else ""

    def key(self, key: str) -> str:
        return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) and self.chance(0.8) else self.quoted(key)

    def quoted(self, text: str) -> str:
        if self.chance() and not re.search(r"['\x00-\x1f\x7f]", text):
            return f"'{text}'"
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

    def value(self, value: Any) -> str:
        if isinstance(value, dict):
            inside = ", ".join(f"{self.key(key)} = {self.value(inner)}" for key, inner in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        if isinstance(value, list) and value and self.chance():
            lines = [f"\n  {self.value(one)}" for one in value]
            ends = [f",{self.note()}" for _ in value[1:]] + [self.rnd.choice([",", ""]) + self.note()]
            return "[" + "".join(line + end for line, end in zip(lines, ends, strict=True)) + "\n]"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.value, value)) + "]"
        if isinstance(value, str):
            if self.chance(0.2) and not re.search(r"[\"\\\r\x7f]", value):
                return f'"""\n{value}"""'
            return self.quoted(value)
        return json.dumps(value)


def written(rnd: random.Random, format: Format, data: dict[str, Any]) -> str:
    """The data as a file of a format, in some style."""
    text = TomlWriter(rnd).text(data) if format == "toml" else JsonWriter(rnd, loose=format == "json5").text(data)
    if rnd.random() < 0.3:
        text = text.replace("\n", "\r\n")
    return "\ufeff" + text if rnd.random() < 0.2 else text


def path_of(rnd: random.Random, data: Any, *, exists: bool) -> Path:
    """Return a path into the data, or to a place where something can be added."""
    path: list[str | int] = []
    while True:
        places: list[str | int] = list(data if isinstance(data, dict) else range(len(data)))
        if (path and not exists and rnd.random() < 0.4) or not places:
            break
        path.append(rnd.choice(places))
        data = data[path[-1]]
        if is_scalar(data) or rnd.random() < 0.2:
            return tuple(path)
    if exists:
        return tuple(path)
    path.append(rnd.choice(KEYS) if isinstance(data, dict) else "-")
    if isinstance(data, dict) and path[-1] not in data and rnd.random() < 0.3:
        path.append(rnd.choice([*KEYS, "-"]))
    return tuple(path)


def put(data: Any, path: Path, value: Any) -> Any:
    """A simple reference implementation of setting a value."""
    if not path:
        return value
    copy = json.loads(json.dumps(data))
    here = copy
    for part, following in itertools.pairwise(path):
        if isinstance(here, dict) and part not in here:
            here[part] = [] if following == "-" else {}
        here = here[part]
    if isinstance(here, list) and path[-1] == "-":
        here.append(value)
    else:
        here[path[-1]] = value
    return copy


def took(data: Any, path: Path) -> Any:
    """A simple reference implementation of removing a value."""
    copy = json.loads(json.dumps(data))
    here = copy
    for part in path[:-1]:
        here = here[part]
    del here[path[-1]]
    return copy


def at(data: Any, path: Path) -> Any:
    """Return what is at a path; None if nothing is."""
    for part in path:
        if part not in (data if isinstance(data, dict) else range(len(data))):
            return None
        data = data[part]
    return data


def put_back(text: str, format: Format, path: Path, value: Json, *, removes: bool) -> tuple[str, str] | None:
    """Return a file's content after an edit through the editor and after its undo; None if it was rejected."""
    files, edit_ports = MemoryFiles(), make_edit_ports()
    file = File("/home/me") / f"settings.{format}"
    files.put(file, text.encode())
    editor = Editor(edit_ports._replace(files=files))
    try:
        edit = editor.set_value(ValuePlan(str(file), path, value, "a test", content_digest(text.encode()), removes))
    except (SettingsUnclear, UsageError):
        return None
    edited = files.read(file).content
    editor.undo(edit.change.id)
    restored = files.read(file).content
    assert edited is not None
    assert restored is not None
    return edited.decode(), restored.decode()


def comments(text: str) -> list[str]:
    return re.findall(r"<c\d+>", text)


def once(rnd: random.Random, format: Format) -> bool:
    """Make one random edit and check it; returns False if it was rejected."""
    nulls = format != "toml"
    data = mapping_of(rnd, 3, nulls=nulls)
    text = written(rnd, format, data)
    assert is_same(parse_settings(text, format), data), text
    removing = bool(data) and rnd.random() < 0.4
    path = path_of(rnd, data, exists=removing)
    value = data_of(rnd, 2, nulls=nulls)
    try:
        new = without_value(text, format, path) if removing else with_value(text, format, path, value)
    except SettingsUnclear:
        return False
    assert is_same(parse_settings(new, format), took(data, path) if removing else put(data, path, value))
    if format == "json":
        assert is_same(json.loads(new.removeprefix("\ufeff")), parse_settings(new, "json5"))
    if format == "toml":
        assert is_same(tomllib.loads(new.removeprefix("\ufeff")), parse_settings(new, "toml"))
    done = put_back(text, format, path, value, removes=removing)
    assert done in ((new, text), None), (text, path, value)
    if is_scalar(at(data, path)):
        assert comments(new) == comments(text), (text, path, new)
    if "\r\n" in text:
        assert not re.search(r"(?<!\r)\n", new)
    elif "\n" in text:
        assert "\r" not in new
    return True


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.sized
@settings(max_examples=size(60, 150), deadline=None)
@given(rnd=st.randoms(use_true_random=False))
def test_any_edit_of_any_file_is_right_and_can_be_undone_or_is_refused(format: Format, rnd: random.Random) -> None:
    once(rnd, format)


@pytest.mark.parametrize(("format", "most"), [("json", 0), ("json5", 0)])
def test_few_edits_of_a_fixed_corpus_are_refused(format: Format, most: int) -> None:
    refused = [seed for seed in range(400) if not once(random.Random(seed), format)]
    assert len(refused) <= most


@pytest.mark.parametrize("format", FORMATS)
@given(text=st.text(st.sampled_from("{}[],:=\"'#/*-&|>ab1. \n\r\t\\"), max_size=24), key=st.sampled_from("ab1"))
@pytest.mark.sized
@settings(max_examples=size(60, 150), deadline=None)
def test_garbage_is_changed_rightly_or_refused(format: Format, text: str, key: str) -> None:
    try:
        before = parse_settings(text, format)
        new = with_value(text, format, (key,), 5)
    except SettingsUnclear:
        return
    assert isinstance(before, dict)
    assert is_same(parse_settings(new, format), {**before, key: 5})
    assert put_back(text, format, (key,), 5, removes=False) in ((new, text), None)
    if key in before:
        del before[key]
        try:
            less = without_value(text, format, (key,))
        except SettingsUnclear:
            return
        assert is_same(parse_settings(less, format), before)
        assert put_back(text, format, (key,), None, removes=True) in ((less, text), None)
