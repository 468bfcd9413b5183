"""`wisen rules add` and `wisen rules edit`: rules in the user's own words, one by one or in their editor."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.context import EVERYWHERE
from wisen.surfaces.cli.render import print_json, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.learner import Learner

_EDITORS = ("VISUAL", "EDITOR")
_DEFAULT = "vi"


def add_rule(text: str, *, context: str | None, everywhere: bool, pending: bool, dry_run: bool, as_json: bool) -> int:
    """Add one rule."""
    with app.wire().learner(reads=False) as learner:
        key = context if context is not None else _context_here(learner, everywhere=everywhere)
        made = learner.rules.add(text, key, pending=pending, dry_run=dry_run)
    if as_json:
        print_json({"entry": made, "dry_run": dry_run})
        return 0
    say(f"{'Would be' if dry_run else 'Is'} a rule {f'in {key}' if key else 'in all projects'}: {made.summary}")
    return 0


def edit_rules(*, everywhere: bool, dry_run: bool, as_json: bool) -> int:
    """Open the rules in the user's editor, and record each edit as their decision."""
    from wisen.surfaces.cli.program import app as commands

    wires = app.wire()
    with wires.learner(reads=False) as learner:
        key = _context_here(learner, everywhere=everywhere)
        learner.decisions.require_person(*("rules", "edit", *(("--global",) if everywhere else ())), dry_run=dry_run)
        before = learner.rules.page(key)
        after = edit_text(before, editor_command(wires.environment))
        found = learner.rules.commands_for_page_edits(before, after, key)
    if as_json:
        print_json({"edits": [each.words for each in found], "dry_run": dry_run})
    for each in found:
        if not as_json:
            say(f"{'would run: ' if dry_run else ''}{shlex.join(('wisen', *each.words))}", dim=True)
        if not dry_run:
            commands([*each.words, *(("--json",) if as_json else ())], standalone_mode=False)
    if not found and not as_json:
        say("Nothing was changed.")
    return 0


def _context_here(learner: Learner, *, everywhere: bool) -> str:
    key = EVERYWHERE if everywhere else learner.contexts.key_of(Path.cwd())
    if not key and not everywhere:
        raise UsageError("This directory belongs to no project. Go to a project's folder, or add --global.")
    return key


def editor_command(environment: Mapping[str, str]) -> str:
    """Return the command of the user's editor."""
    return next((found for name in _EDITORS if (found := environment.get(name))), _DEFAULT)


def edit_text(text: str, command: str) -> str:
    """Let the user edit a copy of a text, so that no other edits are among theirs; return the result."""
    with tempfile.TemporaryDirectory(prefix="wisen-rules-") as folder:
        file = Path(folder) / "rules.md"
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
        try:
            code = subprocess.run([*shlex.split(command), str(file)], check=False).returncode  # noqa: S603 - the person's editor
        except (OSError, ValueError) as error:
            raise UsageError(f"The editor {command!r} cannot be run: {error}. Set EDITOR to one that can.") from error
        if code:
            raise UsageError(f"The editor {command!r} ended with {code}. Nothing was changed.")
        return file.read_text(encoding="utf-8", errors="surrogateescape")
