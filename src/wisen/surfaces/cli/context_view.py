"""`wisen contexts`: lists projects, assigns directories to them, joins and separates checkouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.surfaces.cli.render import console, plural, print_json, say

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.learner import Learner


def list_contexts(*, as_json: bool) -> int:
    """List the projects, and the checkouts that wait for an assignment."""
    with app.wire().open_for_queries() as learner:
        found, waiting = learner.contexts.all(), learner.contexts.waiting_places()
    if as_json:
        rows = [{"key": each.key, "name": each.name, "places": places, "entries": many} for each, places, many in found]
        asked = [{"path": each.root, "context": each.context.key, "name": each.context.name} for each in waiting]
        print_json({"contexts": rows, "waiting": asked})
        return 0
    if not found:
        say("No project was seen yet. Start with: wisen learn")
    for each, places, many in sorted(found, key=lambda row: -row[2]):
        say(f"{each.name}  {plural(many, 'lesson')}")
        say(f"    {each.key}", dim=True)
        for place in places:
            if place != each.name:
                say(f"    {place}", dim=True)
    for claim in waiting:
        say(learner.contexts.describe_place(claim))
    return 0


def assign_directory(key: str, path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Assign a directory to a project."""
    with app.wire().learner(reads=False) as learner:
        context = learner.contexts.alias(key, path, dry_run=dry_run)
    if as_json:
        print_json({"context": context.key, "path": str(path), "dry_run": dry_run})
        return 0
    console().print(f"{path} {'would belong' if dry_run else 'belongs'} to {context.name}.", markup=False)
    return 0


def join(path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Join a checkout to the project of its remote."""
    with app.wire().learner(reads=False) as learner:
        claim = learner.contexts.join(path, dry_run=dry_run)
        _prepare_snapshots(learner, dry_run=dry_run)
    if as_json:
        print_json({"path": claim.root, "context": claim.context.key, "dry_run": dry_run})
        return 0
    say(f"{claim.root} {'would belong' if dry_run else 'belongs'} to {claim.context.name}.")
    return 0


def separate(path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Make a checkout a project of its own."""
    with app.wire().learner(reads=False) as learner:
        root, claimed = learner.contexts.separate(path, dry_run=dry_run)
        _prepare_snapshots(learner, dry_run=dry_run)
    if as_json:
        print_json({"path": root, "not": claimed.key, "dry_run": dry_run})
        return 0
    say(f"{root} {'would be' if dry_run else 'is'} a project of its own, separate from {claimed.name}.")
    return 0


def _prepare_snapshots(learner: Learner, *, dry_run: bool) -> None:
    """Rebuild the snapshots, so that hooks know it at once."""
    if not dry_run:
        learner.delivery.prepare_snapshots()
