"""The places in which a secret reaches a transcript: twelve carriers, each in a few randomly chosen wordings.

A wording names the secret or shows it bare. A secret whose value alone does not identify it is never shown bare:
nobody could tell it from any other number.
"""

from __future__ import annotations

import json
import textwrap
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from benchmarks.secret_formats import Format

_Wording: TypeAlias = "tuple[bool, Callable[[str, random.Random], str]]"
"""Whether it names the secret, and how it puts it."""
CARRIERS = (
    *("chat", "env", "json", "url", "curl", "heredoc", "base64", "continued", "hidden", "diff", "trace", "screen"),
)
_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One secret in one carrier."""

    format: Format
    carrier: str
    text: str
    named: bool
    """Whether the text says that it is a secret, by a name, a header or a place."""


def make_sample(format_: Format, carrier: str, chance: random.Random) -> Sample | None:
    """A secret of a format in a carrier; None where it cannot be there. Half of them as arguments of a call."""
    wordings = _WORDINGS[carrier](format_)
    if format_.marked is False:
        wordings = [wording for wording in wordings if wording[0]]
    if not wordings:
        return None
    named, write = chance.choice(wordings)
    text = write(format_.make(chance), chance)
    if chance.random() < 0.5:
        text = json.dumps({"command": text, "description": "run it"}, ensure_ascii=False)
    return Sample(format=format_, carrier=carrier, text=text, named=named)


def _one_line(value: str) -> str:
    return value.replace("\n", "\\n")


def _words(format_: Format) -> str:
    return format_.name.lower().replace("_", " ")


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(map(str.capitalize, rest))


def _chat(f: Format) -> list[_Wording]:
    return [
        (True, lambda v, _: f"ok so the {_words(f)} is {v} , can you put it into the deploy settings?"),
        (True, lambda v, _: f"here you go, {f.name}: `{v}` please don't commit it"),
        (False, lambda v, _: f"use {v} for now, I will rotate it later"),
    ]


def _env(f: Format) -> list[_Wording]:
    return [
        (True, lambda v, _: f"LOG_LEVEL=debug\n{f.name}={_one_line(v)}\nPORT=8080"),
        (True, lambda v, _: f'export {f.name}="{_one_line(v)}"' if '"' not in v else f"export {f.name}='{v}'"),
    ]


def _json(f: Format) -> list[_Wording]:
    return [
        (True, lambda v, _: json.dumps({"port": 8080, f.name: v, "debug": True})),
        (True, lambda v, _: json.dumps({"service": {_camel(f.name): v}}, indent=2)),
    ]


def _url(f: Format) -> list[_Wording]:
    if f.address:
        return [
            (False, lambda v, _: f"open {v} and look"),
            (False, lambda v, _: f"https://h.internal/?next={quote(v, safe='')}"),
        ]
    if f.lines:
        return [(True, lambda v, _: f"https://h.internal/import?private_key={quote(v, safe='')}")]
    return [
        (True, lambda v, _: f"GET https://api.internal/v1/items?access_token={quote(v, safe='')}&page=2"),
        (True, lambda v, _: f"git clone https://oauth2:{quote(v, safe='')}@git.internal/team/app.git"),
        (True, lambda v, _: f"https://api.internal/v1?api_key={quote(v, safe='')}"),
    ]


def _curl(f: Format) -> list[_Wording]:
    if f.lines:
        return []
    if f.address:
        return [
            (False, lambda v, _: f"curl -sS '{v}' -o out"),
            (False, lambda v, _: f'curl -X POST -d "dsn={v}" https://h.internal'),
        ]
    return [
        (True, lambda v, _: f"curl -sS -H 'Authorization: Bearer {v}' https://api.internal/v1/me"),
        (True, lambda v, _: f'curl -H "X-Api-Key: {v}" -H "Accept: application/json" https://api.internal'),
        (True, lambda v, _: f"curl -u robot:{v} https://api.internal/v1/me"),
    ]


def _heredoc(f: Format) -> list[_Wording]:
    return [
        (True, lambda v, _: f"cat > settings.py <<'EOF'\nDEBUG = False\n{f.name} = {json.dumps(v)}\nEOF"),
        (
            True,
            lambda v, _: f"cat > conf.yaml <<EOF\nservice:\n  {f.name.lower()}: |\n{textwrap.indent(v, '    ')}\nEOF",
        )
        if f.lines
        else (True, lambda v, _: f"cat > conf.yaml <<EOF\nservice:\n  {f.name.lower()}: {v}\n  retries: 3\nEOF"),
        (False, lambda v, _: f"cat > secret.txt <<'EOF'\n{v}\nEOF\nchmod 600 secret.txt"),
    ]


def _base64(f: Format) -> list[_Wording]:
    def wrap(text: str) -> str:
        return b64encode(text.encode()).decode()

    return [
        (True, lambda v, _: f"apiVersion: v1\nkind: Secret\ndata:\n  {f.name}: {wrap(v)}\n"),
        (False, lambda v, _: f"echo {wrap(v)} | base64 -d > secret.txt"),
        (False, lambda v, _: f"echo {wrap(f'# local{chr(10)}{f.name}={v}{chr(10)}')} | base64 -d > .env"),
    ]


def _continued(f: Format) -> list[_Wording]:
    if f.lines:
        return []

    def split(value: str, chance: random.Random, indent: str = "") -> str:
        at = chance.randrange(len(value) // 4, len(value) * 3 // 4)
        return f"{value[:at]}\\\n{indent}{value[at:]}"

    return [
        (True, lambda v, c: f"export {f.name}={split(v, c)} && ./deploy"),
        (True, lambda v, c: f'{_camel(f.name)}: "{split(v, c, "    ")}"\nretries: 3'),
        (False, lambda v, c: f"./deploy --with {split(v, c)} --now"),
    ]


def _hidden(f: Format) -> list[_Wording]:
    def sprinkle(value: str, chance: random.Random) -> str:
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(1, len(value))
            value = value[:at] + chance.choice(_UNSEEN) + value[at:]
        return value

    return [
        (True, lambda v, c: f"{f.name}={sprinkle(v, c)}"),
        (True, lambda v, c: f"the {_words(f)} is {sprinkle(v, c)}"),
        (False, lambda v, c: f"see {sprinkle(v, c)} there"),
    ]


def _diff(f: Format) -> list[_Wording]:
    field = f.name.lower()
    return [
        (
            True,
            lambda v, _: f"@@ -1,2 +1,2 @@\n port: 8080\n-{field}: CHANGE_ME\n+{field}: {_one_line(v)}\n debug: true",
        ),
        (True, lambda v, _: f"--- a/.env\n+++ b/.env\n@@ -4 +4 @@\n-{f.name}=\n+{f.name}={_one_line(v)}"),
        (True, lambda v, _: f"+const {_camel(f.name)} = '{_one_line(v)}';\n+module.exports = {{ {_camel(f.name)} }};"),
    ]


def _trace(f: Format) -> list[_Wording]:
    frame = 'Traceback (most recent call last):\n  File "/app/main.py", line 12, in <module>\n    connect('
    refused = "openai.AuthenticationError: Error code: 401 - Incorrect API key provided: "
    return [
        (True, lambda v, _: f"{frame}{_camel(f.name)}={_one_line(v)!r})\nConnectionError: refused"),
        (True, lambda v, _: f"{refused}{_one_line(v)}. You can find your key in the settings."),
        (True, lambda v, _: f"KeyError: 'region'\n  config = {{'{f.name}': '{_one_line(v)}', 'timeout': 30}}"),
    ]


def _screen(f: Format) -> list[_Wording]:
    return [
        (True, lambda v, _: f"┌──────┬───────┐\n│ {f.name} │ {_one_line(v)} │\n└──────┴───────┘"),
        (True, lambda v, _: f"| name | value |\n| {f.name} | {_one_line(v)} |"),
        (True, lambda v, _: f"=== orchard Config Vars\n{f.name}:        {_one_line(v)}\nPORT:   8080"),
    ]


_WORDINGS: dict[str, Callable[[Format], list[_Wording]]] = {
    "chat": _chat, "env": _env, "json": _json, "url": _url, "curl": _curl, "heredoc": _heredoc, "base64": _base64,
    "continued": _continued, "hidden": _hidden, "diff": _diff, "trace": _trace, "screen": _screen,
}  # fmt: skip
