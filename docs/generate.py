"""Writes docs/cli.md and docs/settings.md from the program itself; a test checks that they are current."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parent


def cli() -> str:
    """The reference of every command, from its own help."""
    from typer.testing import CliRunner

    from wisen.surfaces import cli as surface

    parts = ["# Commands\n\nMade by docs/generate.py from the program's own help.\n", f"{surface.__doc__}\n"]
    for name in sorted(command.callback.__name__ for command in surface.app.registered_commands if command.callback):
        shown = CliRunner(env={"COLUMNS": "100"}).invoke(surface.app, [name, "--help"], prog_name="wisen").output
        parts.append(f"## wisen {name}\n\n```\n{shown.strip()}\n```\n")
    return "\n".join(parts)


def settings() -> str:
    """The table of every setting."""
    from wisen.settings import Settings, describe

    rows = [
        "# Settings",
        "",
        "Made by docs/generate.py. Set them in `config.toml` in wisen's home (see `wisen config`) or by variable.",
        "",
        "| key | default | meaning | variable |",
        "|---|---|---|---|",
    ]
    for each in describe(Settings(home=Path("home"))):
        default = ", ".join(each.default) if isinstance(each.default, tuple) else each.default
        allowed = f" Allowed: {each.allowed}." if each.allowed else ""
        says = each.says.replace("|", "\\|")  # it would end the cell
        rows.append(
            f"| `{each.key}` | `{default}` | {says}{allowed} | {f'`{each.variable}`' if each.variable else ''} |"
        )
    return "\n".join(rows) + "\n"


PAGES = {"cli.md": cli, "settings.md": settings}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (DOCS / page).write_text(make(), encoding="utf-8")
