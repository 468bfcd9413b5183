"""The commands that switch wisen off and on in a project, and the message of commands that do nothing meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

if TYPE_CHECKING:
    from wisen.app import Wiring


def off(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Switch wisen off in this project, by a file `.wisen-off` in its top folder.

    Nothing is learned from the project, and its agents are given nothing. What was learned before stays: `wisen forget
    --everything --scope context` removes it. To switch off one session only, start it with WISEN_OFF=1.
    """
    _set_enabled(on=False, dry_run=dry_run, as_json=as_json)


def on(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Switch wisen on again in this project."""
    _set_enabled(on=True, dry_run=dry_run, as_json=as_json)


def is_off(wires: Wiring, *, as_json: bool) -> bool:
    """Return whether wisen is switched off by WISEN_OFF, and if so, say it."""
    from wisen.surfaces.cli.render import print_json

    if wires.is_off and as_json:
        print_json({"off": True})
    elif wires.is_off:
        print("wisen is switched off (WISEN_OFF): nothing was learned or changed.")
    return wires.is_off


def _set_enabled(*, on: bool, dry_run: bool, as_json: bool) -> None:
    from wisen import app
    from wisen.surfaces.cli.render import console, print_json

    with app.wire().learner(reads=False) as learner:
        if on:
            path = learner.forgetting.enable(Path.cwd(), dry_run=dry_run).change.path
        elif taken := learner.forgetting.adopt_marker(Path.cwd(), dry_run=dry_run):
            path = taken
        else:
            path = learner.forgetting.disable(Path.cwd(), dry_run=dry_run).change.path
    if as_json:
        print_json({"off": not on, "marker": path, "dry_run": dry_run})
        return
    would = "would be " if dry_run else ""
    done = f"{would}removed" if on else f"{would}written"
    then = "wisen learns here again." if on else "wisen does nothing here now; what was learned before stays."
    console().print(f"{path} {done}. {then}", markup=False)
