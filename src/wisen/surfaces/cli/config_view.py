"""`wisen config`: every setting, its value and its meaning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen import app, settings
from wisen.surfaces.cli.render import console, print_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.settings import SettingDescription


def show_config(*, template: bool, as_json: bool) -> int:
    """Show the settings, or a config.toml to start from."""
    current = app.wire().settings
    described = tuple(settings.describe(current))
    if template:
        print(make_template(described))
    elif as_json:
        print_json({"file": current.home / "config.toml", "settings": described})
    else:
        _print_settings(str(current.home / "config.toml"), described)
    return 0


def make_template(described: Sequence[SettingDescription]) -> str:
    """Return a config.toml with every key, its meaning, and its default, commented out."""
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
            lines += [f"# {each.meaning}", f"# {key} = {{}}"]  # tables with keys that the user chooses
    return "\n".join(lines)


def _print_settings(file: str, described: Sequence[SettingDescription]) -> None:
    out = console()
    out.print(f"Settings in {file} and WISEN_* variables. A file to start from: wisen config --template\n", style="dim")
    rows = table("key", "value", "from", "meaning")
    for each in described:
        value = ", ".join(each.value) if isinstance(each.value, tuple) else str(each.value)
        allowed = f" [{each.allowed}]" if each.allowed else ""
        rows.add_row(each.key, value, each.source, each.meaning + allowed)
    out.print(rows)
