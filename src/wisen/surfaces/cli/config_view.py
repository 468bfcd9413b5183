"""`wisen config`: every setting, its value and its meaning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen import app, settings
from wisen.surfaces.cli.render import console, print_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.settings import SettingDescription


def run(*, template: bool, as_json: bool) -> int:
    """Show the settings, or a config.toml to start from."""
    current = app.wire().settings
    described = tuple(settings.describe(current))
    if template:
        print(template_of(described))
    elif as_json:
        print_json({"file": current.home / "config.toml", "settings": described})
    else:
        _show(str(current.home / "config.toml"), described)
    return 0


def template_of(described: Sequence[SettingDescription]) -> str:
    """A config.toml in which every key stands with its meaning, commented out at its default."""
    lines: list[str] = []
    section = ""
    for each in described:
        name, _, key = each.key.partition(".")
        if name != section:
            section = name
            lines += ["", f"[{section}]"] if lines else [f"[{section}]"]
        allowed = f" ({each.allowed})" if each.allowed else ""
        default = list(each.default) if isinstance(each.default, tuple) else each.default
        if each.variable:
            lines += [f"# {each.meaning}{allowed} Or: {each.variable}", f"# {key} = {json.dumps(default)}"]
        else:
            lines += [f"# {each.meaning}", f"# {key} = {{}}"]  # tables, with names of the user's
    return "\n".join(lines)


def _show(file: str, described: Sequence[SettingDescription]) -> None:
    out = console()
    out.print(f"Settings in {file} and WISEN_* variables. A file to start from: wisen config --template\n", style="dim")
    rows = table("key", "value", "from", "meaning")
    for each in described:
        value = ", ".join(each.value) if isinstance(each.value, tuple) else str(each.value)
        allowed = f" [{each.allowed}]" if each.allowed else ""
        rows.add_row(each.key, value, each.source, each.meaning + allowed)
    out.print(rows)
