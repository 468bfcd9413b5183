"""`wisen adopt`, `wisen contexts join` and `separate`: the user says whose files and checkouts are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.surfaces.cli.confirming import is_confirmed
from wisen.surfaces.cli.render import console, print_json, say

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.learner import Learner
    from wisen.model.ownership import AdoptableFile

_PAGE = 60
"""So many lines are shown at once; more go through the pager."""


def list_files(*, as_json: bool) -> int:
    """List what waits and what was adopted."""
    with app.wire().learner() as learner:
        waiting, adopted = learner.contexts.waiting_files(), learner.contexts.adopted_files()
    if as_json:
        told = [{"path": each.path, "context": each.context, "changed": each.was_adopted} for each in waiting]
        print_json({"waiting": told, "adopted": [{"path": each.path, "at": each.at} for each in adopted]})
        return 0
    for each in waiting:
        say(f"{each.path}  {'changed since you adopted it' if each.was_adopted else 'waits'}")
    for row in adopted:
        say(f"{row.path}  adopted {row.at:%Y-%m-%d}", dim=True)
    if not waiting:
        say("No file waits for your word." if adopted else "No file in a project speaks for you, and none waits.")
    return 0


def show(path: Path, *, as_json: bool) -> int:
    """Show a file and whose it seems to be."""
    with app.wire().learner() as learner:
        files = learner.contexts.adoptable_files(path)
    if as_json:
        print_json({"files": [_told(each) for each in files]})
        return 0
    for each in files:
        _show(each)
    return 0


def adopt(path: Path, *, is_mine: bool, dry_run: bool, as_json: bool) -> int:
    """Show a file, ask, and adopt it."""
    with app.wire().learner() as learner:
        files = learner.contexts.adoptable_files(path)
        refusals = [why for each in files if (why := each.refusal_reason(is_mine=is_mine))]
        if refusals:
            raise UsageError(refusals[0])
        if not dry_run:
            if as_json or not sys.stdin.isatty():
                raise UsageError(f"Only a person can adopt {path}, at a terminal, where its content is shown.")
            for each in files:
                _show(each)
            if not is_confirmed(f"Is what stands {'there' if len(files) == 1 else 'in both'} your own word?"):
                say("It is not adopted, and not read. Not to be asked again: --revoke")
                return 0
        rows = [learner.contexts.adopt(each, is_mine=is_mine, dry_run=dry_run) for each in files]
    if as_json:
        print_json({"adopted": [row.path for row in rows], "dry_run": dry_run})
        return 0
    for row in rows:
        say(f"{row.path} {'would be' if dry_run else 'is'} yours. The next `wisen learn` reads it.")
    return 0


def revoke(path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Take an adoption back, or refuse a file that waits."""
    with app.wire().learner() as learner:
        row = learner.contexts.disown(path, dry_run=dry_run)
    if as_json:
        print_json({"path": row.path, "dry_run": dry_run})
        return 0
    say(f"{row.path} {'would not be' if dry_run else 'is not'} read. What was learnt from it stays: wisen forget")
    return 0


def join(path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Join a checkout to the project it says to be."""
    with app.wire().learner(reads=False) as learner:
        claim = learner.contexts.join(path, dry_run=dry_run)
        _prepare(learner, dry_run=dry_run)
    if as_json:
        print_json({"path": claim.root, "context": claim.context.key, "dry_run": dry_run})
        return 0
    say(f"{claim.root} {'would belong' if dry_run else 'belongs'} to {claim.context.name}.")
    return 0


def separate(path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Make a checkout a project of its own."""
    with app.wire().learner(reads=False) as learner:
        root, claimed = learner.contexts.separate(path, dry_run=dry_run)
        _prepare(learner, dry_run=dry_run)
    if as_json:
        print_json({"path": root, "not": claimed.key, "dry_run": dry_run})
        return 0
    say(f"{root} {'would be' if dry_run else 'is'} a project of its own, whatever {claimed.name} learns.")
    return 0


def _prepare(learner: Learner, *, dry_run: bool) -> None:
    """Hooks are to know it at once."""
    if not dry_run:
        learner.delivery.prepare_snapshots()


def _show(file: AdoptableFile) -> None:
    text = visible(file.content.decode("utf-8", "replace"))
    out, lines = console(), text.splitlines()
    tracked = {None: "git cannot tell whether it is committed", "": "no repository tracks it"}.get(
        file.tracked_by, f"tracked by git in {file.tracked_by}"
    )
    session = "no session of yours known here"
    if file.first_session is not None:
        session = f"your first session here: {file.first_session:%Y-%m-%d %H:%M} UTC"
    out.print(visible(file.path), style="bold", markup=False)
    out.print(f"{tracked}; there since {file.facts.oldest:%Y-%m-%d %H:%M} UTC; {session}", markup=False)
    out.print(f"{len(lines):,} lines, {len(file.content):,} bytes:", markup=False)
    if len(lines) > _PAGE and sys.stdout.isatty():
        with out.pager():
            out.print(text, markup=False, highlight=False)
    else:
        out.print(text, markup=False, highlight=False)


def visible(text: str) -> str:
    """A text whose control characters can be seen and do nothing."""
    return "".join(
        each if each in "\n\t" or each.isprintable() else f"\\u{{{ord(each):x}}}" for each in text.replace("\r\n", "\n")
    )


def _told(file: AdoptableFile) -> dict[str, object]:
    return {
        "path": file.path,
        "context": file.context,
        "tracked_by": file.tracked_by,
        "since": file.facts.oldest,
        "first_session": file.first_session,
        "adopted": file.is_adopted,
        "refusal": file.refusal_reason(is_mine=False),
        "content": file.content.decode("utf-8", "replace"),
    }
