"""Writes the pages that are made from the program and its tests (PAGES); a test checks that they are current."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent


def cli() -> str:
    """The reference of every command, those of groups too, from its own help at 80 columns."""
    from typer.testing import CliRunner

    from wisen.surfaces import cli as surface

    runner = CliRunner(env={"COLUMNS": "80"})
    made = "Made by docs/generate.py from the program's own help. What `--json` prints: [json.md](json.md)."
    parts = [f"# Commands\n\n{made}\n", f"{surface.__doc__}\n"]
    parts.append(_short_forms())
    for path in [(), *command_paths()]:
        shown = runner.invoke(surface.app, [*path, "--help"], prog_name="wisen").output
        level = "###" if len(path) > 1 else "##"
        parts.append(f"{level} {' '.join(('wisen', *path))}\n\n```\n{shown.strip()}\n```\n")
    return "\n".join(parts)


def _short_forms() -> str:
    """The table of short forms and old names."""
    from wisen.surfaces.cli.command_table import OLD_NAME, SHORT_FORMS

    rows = ["## Short forms", "", "| you type | it runs | |", "|---|---|---|"]
    for each in SHORT_FORMS.values():
        kind = "old name" if each.panel == OLD_NAME else "short form"
        rows.append(f"| `wisen {each.name}` | `wisen {' '.join(each.full)}` | {kind} |")
    return "\n".join(rows) + "\n"


def command_paths() -> list[tuple[str, ...]]:
    """Every command by the words that call it, those of a group after the group itself; without short forms."""
    from typer.main import get_command

    from wisen.surfaces import cli as surface
    from wisen.surfaces.cli.command_table import SHORT_FORMS

    found: list[tuple[str, ...]] = []
    waiting: list[tuple[tuple[str, ...], object]] = [((), get_command(surface.app))]
    while waiting:
        path, command = waiting.pop()
        if path:
            found.append(path)
        waiting += [((*path, name), each) for name, each in getattr(command, "commands", {}).items() if not each.hidden]
    return sorted(path for path in found if path[0] not in SHORT_FORMS)


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
        says = each.meaning.replace("|", "\\|")  # it would end the cell
        rows.append(
            f"| `{each.key}` | `{default}` | {says}{allowed} | {f'`{each.variable}`' if each.variable else ''} |"
        )
    return "\n".join(rows) + "\n"


def agents() -> str:
    """What wisen can do in which agent, from the marks of the tests that drive the real ones."""
    sys.path.insert(0, str(DOCS.parent))
    from tests.agents.abilities import ABILITIES, seen
    from tests.agents.clients import SOURCES

    found = seen()
    named = [name for name in SOURCES if any(agent == name for agent, _ in found)]
    versions = {
        name: ", ".join(each.version for of, each in SOURCES.items() if of in (name, f"{name}-old")) for name in named
    }
    reasons: list[str] = []
    rows = [
        "# What wisen does in each agent",
        "",
        "Made by docs/generate.py from the marks of tests that drive the real clients with a scripted model:",
        "`make test-agents-all`.",
        "*yes*: a test saw it. *no*: a test saw that the client does not allow it. Empty: not tried.",
        "",
        f"| | {' | '.join(named)} |",
        f"|---|{'---|' * len(named)}",
        f"| version | {' | '.join(versions[name] for name in named)} |",
    ]
    for ability, says in ABILITIES.items():
        cells = []
        for name in named:
            one = found.get((name, ability))
            if one is not None and not one.holds:
                reasons.append(f"{name}, {ability}: {one.why}")
            cells.append("" if one is None else "yes" if one.holds else f"no ({len(reasons)})")
        rows.append(f"| {says} | {' | '.join(cells)} |")
    rows += ["", *(f"{number}. {reason}" for number, reason in enumerate(reasons, 1))] if reasons else []
    pages = [page for page in sorted((DOCS / "agents").glob("*.md")) if page.name != "README.md"]
    rows += ["", "Pages: " + ", ".join(f"[{page.stem}]({page.name})" for page in pages) + "."]
    return "\n".join(rows) + "\n"


def json_output() -> str:
    """The fields of what every command prints with --json."""
    sys.path.insert(0, str(DOCS))
    from json_page import json_page

    return json_page()


PAGES = {"cli.md": cli, "json.md": json_output, "settings.md": settings, "agents/README.md": agents}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (DOCS / page).write_text(make(), encoding="utf-8")
