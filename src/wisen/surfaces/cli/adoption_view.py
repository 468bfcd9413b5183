"""`wisen adopt`: shows files in projects, and records which of them the user trusts as their own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.surfaces.cli.confirmation import is_confirmed
from wisen.surfaces.cli.render import console, print_json, say

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.ownership import AdoptableFile

_PAGE = 60
"""The most lines that are shown at once; a longer file goes through the pager."""


def list_files(*, as_json: bool) -> int:
    """List the files that wait for a decision, and those that were adopted."""
    with app.wire().learner() as learner:
        waiting = [each for each in learner.contexts.waiting_files() if each.is_adoptable]
        adopted = learner.contexts.adopted_files()
    if as_json:
        rows = [{"path": each.path, "context": each.context, "changed": each.was_adopted} for each in waiting]
        print_json({"waiting": rows, "adopted": [{"path": each.path, "at": each.at} for each in adopted]})
        return 0
    for each in waiting:
        say(f"{each.path}  {'changed since you adopted it' if each.was_adopted else 'waits'}")
    for row in adopted:
        say(f"{row.path}  adopted {row.at:%Y-%m-%d}", dim=True)
    if not waiting:
        say("No file waits for your decision." if adopted else "No file was adopted, and none waits.")
    return 0


def show(path: Path, *, as_json: bool) -> int:
    """Show a file, and whose it seems to be."""
    with app.wire().learner() as learner:
        files = learner.contexts.adoptable_files(path)
    if as_json:
        print_json({"files": [_file_fields(each) for each in files]})
        return 0
    for each in files:
        _show_file(each)
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
                _show_file(each)
            if not is_confirmed(f"Did you write {'this file' if len(files) == 1 else 'both files'} yourself?"):
                say("Not adopted: the file is not read. To stop being asked: --revoke")
                return 0
        rows = [learner.contexts.adopt(each, is_mine=is_mine, dry_run=dry_run) for each in files]
    if as_json:
        print_json({"adopted": [row.path for row in rows], "dry_run": dry_run})
        return 0
    for row in rows:
        say(f"{row.path} {'would be' if dry_run else 'is'} adopted as yours. The next `wisen learn` reads it.")
    return 0


def revoke(path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Revoke an adoption, or decline a file that waits."""
    with app.wire().learner() as learner:
        row = learner.contexts.disown(path, dry_run=dry_run)
    if as_json:
        print_json({"path": row.path, "dry_run": dry_run})
        return 0
    say(f"{row.path} {'would not be' if dry_run else 'is not'} read.")
    say("What was learned from it stays; wisen forget removes it.", dim=True)
    return 0


def _show_file(file: AdoptableFile) -> None:
    text = escape_unprintable(file.content.decode("utf-8", "replace"))
    out, lines = console(), text.splitlines()
    tracked = {None: "git cannot tell whether it is committed", "": "no repository tracks it"}.get(
        file.tracked_by, f"tracked by git in {file.tracked_by}"
    )
    session = "no session of yours is known here"
    if file.first_session is not None:
        session = f"your first session here: {file.first_session:%Y-%m-%d %H:%M} UTC"
    out.print(escape_unprintable(file.path), style="bold", markup=False)
    out.print(f"{tracked}; there since {file.facts.oldest:%Y-%m-%d %H:%M} UTC; {session}", markup=False)
    out.print(f"{len(lines):,} lines, {len(file.content):,} bytes:", markup=False)
    if len(lines) > _PAGE and sys.stdout.isatty():
        with out.pager():
            out.print(text, markup=False, highlight=False)
    else:
        out.print(text, markup=False, highlight=False)


def escape_unprintable(text: str) -> str:
    """Return a text with its control characters escaped."""
    return "".join(
        each if each in "\n\t" or each.isprintable() else f"\\u{{{ord(each):x}}}" for each in text.replace("\r\n", "\n")
    )


def _file_fields(file: AdoptableFile) -> dict[str, object]:
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
