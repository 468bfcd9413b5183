"""Places in which a secret reaches a transcript beside those of the benchmark: files, shells, logs, code."""

from __future__ import annotations

import csv
import html
import io
import json
import textwrap
from base64 import b64encode
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

Put: TypeAlias = "Callable[[str, str, random.Random], str]"
"""Puts a value with a name into a text."""


def _parts(value: str, chance: random.Random, many: int) -> list[str]:
    """Split a value in as many parts of at least four letters."""
    places = sorted(chance.sample(range(4, len(value) - 3, 4), many - 1))
    return [value[start:end] for start, end in zip([0, *places], [*places, len(value)], strict=True)]


def _joined(value: str, chance: random.Random, before: str, between: str, after: str) -> str:
    return before + between.join(_parts(value, chance, 2 + chance.randrange(2))) + after


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(map(str.capitalize, rest))


def _row(*cells: str) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


NAMED: dict[str, Put] = {
    "powershell": lambda n, v, _: f'PS C:\\app> $env:{n} = "{v}"; .\\deploy.ps1',
    "cmd": lambda n, v, _: f"C:\\app>set {n}={v}\r\nC:\\app>deploy.bat",
    "fish": lambda n, v, _: f"set -gx {n} {v}; and deploy",
    "docker run": lambda n, v, _: f"docker run --rm -e {n}={v} -p 80:80 app:latest",
    "dockerfile": lambda n, v, _: f"FROM python:3.12\nENV {n}={v}\nRUN make",
    "compose": lambda n, v, _: f"services:\n  app:\n    environment:\n      - {n}={v}\n      - PORT=80",
    "kubernetes": lambda n, v, _: f"kind: Secret\nstringData:\n  {n}: {v}\n",
    "pod": lambda n, v, _: f"env:\n  - name: {n}\n    value: {v}\n",
    "terraform": lambda n, v, _: f'resource "app" "a" {{\n  {n.lower()} = "{v}"\n}}',
    "properties": lambda n, v, _: f"# local\n{n.lower().replace('_', '.')}={v}\nport=80",
    "toml": lambda n, v, _: f'[service]\n{n.lower()} = "{v}"\nretries = 3',
    "ini": lambda n, v, _: f"[default]\n{n.lower()} = {v}\nregion = eu",
    "xml": lambda n, v, _: f'<add key="{n}" value="{html.escape(v)}" />',
    "xml element": lambda n, v, _: f"<settings><{n.lower()}>{html.escape(v)}</{n.lower()}></settings>",
    "sql": lambda n, v, _: f"INSERT INTO settings (name, value) VALUES ('{n}', '{v}');",
    "csv": lambda n, v, _: "name,value\n" + _row(n, v),
    "json in json": lambda n, v, _: json.dumps({"body": json.dumps({"settings": json.dumps({n: v})})}),
    "json in shell": lambda n, v, _: f"curl -d '{json.dumps({n.lower(): v})}' https://api.internal/login",
    "python": lambda n, v, _: f"os.environ[{n!r}] = {v!r}",
    "call": lambda n, v, _: f"client = Client(region='eu', {n.lower()}={v!r})",
    "repr": lambda n, v, _: f"Settings(port=80, {n.lower()}={v!r}, debug=True)",
    "bytes": lambda n, v, _: f"assert settings[{n!r}] == {v.encode()!r}",
    "go": lambda n, v, _: f'os.Setenv("{n}", "{v}")',
    "java": lambda n, v, _: f'private static final String {n} = "{v}";',
    "rust": lambda n, v, _: f'const {n}: &str = "{v}";',
    "typescript": lambda n, v, _: f"export const {_camel(n)}: string = `{v}`;",
    "set -x": lambda n, v, _: f"+ export {n}={v}\n+ {n}={v}\n+ make deploy",
    "log": lambda n, v, _: f'2026-03-01T08:00:00.123Z INFO start {n.lower()}="{v}" port=80',
    "json log": lambda n, v, _: json.dumps({"level": "info", "msg": f"using {n.lower()}={v}", "ts": 1}),
    "colours": lambda n, v, _: f"\x1b[32m{n}\x1b[0m=\x1b[33m{v}\x1b[0m",
    "word diff": lambda n, v, _: f"{n}=[-CHANGE_ME-]{{+{v}+}}",
    "assertion": lambda n, v, _: f"E       AssertionError: assert None == '{v}'\nE        +  where {n.lower()} = '{v}'",
    "escaped": lambda n, v, _: f'"output": "{n}={v}\\r\\nPORT=80\\r\\n"',
    "github action": lambda n, v, _: f"      env:\n        {n}: '{v}'\n      run: make deploy",
    "option": lambda n, v, _: f"deploy --{n.lower().replace('_', '-')} {v} --now",
    "header": lambda n, v, _: f"> Authorization: Bearer {v}\n> Accept: */*\n< HTTP/2 401",
}
"""Texts that name the secret."""

BARE: dict[str, Put] = {
    "alone": lambda _n, v, _: v,
    "quoted": lambda _n, v, _: f"echo '{v}' > /tmp/t",
    "pasted": lambda _n, v, _: f"> {v}\n\nthat one?",
    "list": lambda _n, v, _: f"1. {v}\n2. and the other one",
    "colours bare": lambda _n, v, _: f"done \x1b[1m{v}\x1b[0m",
    "joined in python": lambda _n, v, c: _joined(v, c, 't = (\n    "', '"\n    "', '"\n)'),
    "joined in javascript": lambda _n, v, c: _joined(v, c, "const t = '", "' + '", "';"),
    "joined in java": lambda _n, v, c: _joined(v, c, 'String t = "', '"\n        + "', '";'),
    "joined in php": lambda _n, v, c: _joined(v, c, "$t = '", "' . '", "';"),
    "joined in lua": lambda _n, v, c: _joined(v, c, 't = "', '" .. "', '"'),
    "joined in a list": lambda _n, v, c: _joined(v, c, 't = "".join(["', '", "', '"])'),
    "joined in a call": lambda _n, v, c: _joined(v, c, "t = ['", "', '", "'].join('')"),
    "joined in shell": lambda _n, v, c: _joined(v, c, 'T="', '""', '"'),
    "added in shell": lambda _n, v, c: "T='{}'\nT+='{}'".format(*_parts(v, c, 2)),
    "wrapped": lambda _n, v, _: "here:\n" + textwrap.fill(v, 24, break_on_hyphens=False) + "\nthanks",
    "wrapped in a quote": lambda _n, v, _: textwrap.indent(textwrap.fill(v, 24, break_on_hyphens=False), "> "),
    "wrapped in a comment": lambda _n, v, _: textwrap.indent(textwrap.fill(v, 24, break_on_hyphens=False), "# "),
    "quoted-printable": lambda _n, v, _: "=\n".join(textwrap.wrap(v, 30, break_on_hyphens=False)),
    "base64 in lines": lambda _n, v, _: (
        "base64 -d <<EOF\n"
        + "\n".join(textwrap.wrap(b64encode(f"# settings\nX={v}\n".encode()).decode(), 76))
        + "\nEOF"
    ),
}
"""Texts that show a secret which says by itself what it is."""
