"""`wisen forget`: shows what will be deleted, deletes it, and reports what stays and why."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen import app
from wisen.errors import UsageError
from wisen.model.context import EVERYWHERE
from wisen.model.tombstone import ALL_CONTEXTS, describe_scope
from wisen.surfaces.cli.confirmation import is_confirmed, read_answer
from wisen.surfaces.cli.render import clip, console, plural, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.tombstone import ForgetResult, ForgottenItem

SCOPES = ("context", "global", "all")
_SHOWN = 20
_NOT_COVERED = (
    "The logs of your agents, the history of your repositories and your exports do not belong to wisen, and may still "
    "contain it."
)


class ForgetOptions(NamedTuple):
    """The arguments of the command."""

    what: tuple[str, ...] = ()
    scope: str | None = None
    everything: bool = False
    export: Path | None = None
    shown: bool = False
    undo: str | None = None


def run_forget(wanted: ForgetOptions, *, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Forget something, list tombstones, or remove one."""
    if wanted.scope is not None and wanted.scope not in SCOPES:
        raise UsageError(
            f"--scope {wanted.scope!r} is not one of {', '.join(SCOPES)}. Give one of them, or leave it out."
        )
    if sum((bool(wanted.what), wanted.everything, wanted.shown, wanted.undo is not None)) != 1:
        raise UsageError("Give a text or an id, or one of --everything, --list and --undo ID.")
    if wanted.export is not None and wanted.export.exists():
        raise UsageError(f"{wanted.export} exists already. Name a new file.")
    removes = bool(wanted.what) or wanted.everything
    if removes and as_json and not (yes or dry_run):
        raise UsageError(
            "With --json there is no question. Add --yes to forget it, or --dry-run to see what would be deleted."
        )
    wires = app.wire()
    with wires.lock().hold("forget"), wires.learner(reads=False) as learner:
        if wanted.shown:
            return _list_tombstones(learner, as_json=as_json)
        if wanted.undo is not None:
            return _remove_tombstone(learner, wanted.undo, dry_run=dry_run, as_json=as_json)
        asks = not yes and not dry_run
        return _Dialogue(learner, wanted, asks=asks, dry_run=dry_run, as_json=as_json).run()


class _Dialogue:
    """Forgets in one scope after another, as long as the user agrees."""

    def __init__(self, learner: Learner, wanted: ForgetOptions, *, asks: bool, dry_run: bool, as_json: bool) -> None:
        self._learner, self._options = learner, wanted
        self._asks, self._dry_run, self._as_json = asks, dry_run, as_json
        self._context = learner.contexts.key_of(Path.cwd())
        self._out = console()
        self._exported: list[dict[str, str]] = []

    def run(self) -> int:
        """Go through the scopes, and return the exit code."""
        done: list[ForgetResult] = []
        refused = False
        for number, scope in enumerate(self._scopes()):
            plan = self._plan(scope)
            things = [thing for each in plan for thing in each.things]
            if not self._as_json and (things or not number):
                _print_plan(self._out, plan)
            if not things:
                done += [each for each in plan if each.left]
            if not things:
                continue
            if self._asks and not self._confirm(things, scope):
                refused = True
                break  # a user who keeps it here keeps it elsewhere too
            if self._dry_run:
                done += plan
                continue
            self._export(things)
            done += self._forget(scope)
        if self._as_json:
            print_json({"dry_run": self._dry_run, "forgotten": [_result_fields(each) for each in done]})
        else:
            self._report(done)
        if refused and not any(each.tombstone for each in done):
            self._out.print("Nothing was forgotten.")
            return 1
        return 0

    def _scopes(self) -> list[str | None]:
        """Return the keys of the scopes to go through; None if it follows from the ids."""
        keys: dict[str, str | None] = {"context": self._context or None, "global": EVERYWHERE, "all": ALL_CONTEXTS}
        if self._options.everything:
            return [self._scope_for_everything(keys)]
        if self._options.scope is None:
            return [keys["context"], EVERYWHERE, ALL_CONTEXTS] if self._asks and self._context else [keys["context"]]
        if self._options.scope == "context" and not self._context:
            raise UsageError("This directory belongs to no project. Go to a project's folder, or add --scope global.")
        return [keys[self._options.scope]]

    def _scope_for_everything(self, keys: dict[str, str | None]) -> str:
        scope = self._options.scope
        if scope is None and self._asks:
            offered = [name for name in SCOPES if keys[name] is not None]
            scope = read_answer(f"Everything in which scope ({', '.join(offered)})? ")
        if not scope:
            raise UsageError("Nothing was forgotten: --everything needs --scope context, global or all.")
        key = keys.get(scope)
        if key is None:
            raise UsageError(
                f"{scope!r} is not a scope here. Give one of {', '.join(SCOPES)}; context needs a project."
            )
        return key

    def _plan(self, scope: str | None) -> tuple[ForgetResult, ...]:
        if self._options.everything:
            return (self._learner.forgetting.forget_everything(scope or EVERYWHERE, dry_run=True),)
        return self._learner.forgetting.forget(self._options.what, scope=scope, dry_run=True)

    def _forget(self, scope: str | None) -> tuple[ForgetResult, ...]:
        if self._options.everything:
            return (self._learner.forgetting.forget_everything(scope or EVERYWHERE),)
        return self._learner.forgetting.forget(self._options.what, scope=scope)

    def _confirm(self, things: Sequence[ForgottenItem], scope: str | None) -> bool:
        where = "" if scope is None else f" ({describe_scope(scope)})"
        return is_confirmed(f"Forget {plural(len(things), 'thing')}{where} for good?")

    def _export(self, things: Sequence[ForgottenItem]) -> None:
        if self._options.export is None:
            return
        import msgspec

        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if self._exported else os.O_EXCL)
        self._exported += [each._asdict() for each in things]
        try:
            with os.fdopen(os.open(self._options.export, flags, 0o600), "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode({"forgotten": self._exported})) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UsageError(
                f"{self._options.export} cannot be written: {error.strerror}. Nothing was forgotten; name another file."
            ) from error

    def _report(self, done: Sequence[ForgetResult]) -> None:
        for each in done:
            if each.tombstone:
                many = plural(len(each.things), "thing")
                self._out.print(f"Forgotten: {many} in {describe_scope(each.scope)}. Tombstone {each.tombstone}.")
            for line in each.left:
                self._out.print(f"not deleted: {line}", markup=False, style="yellow")
        if any(each.tombstone for each in done):
            self._out.print(_NOT_COVERED, style="dim")


def _print_plan(out: Console, plan: Sequence[ForgetResult]) -> None:
    things = [thing for each in plan for thing in each.things]
    if not things:
        out.print("Nothing that is stored here contains that.")
        return
    for thing in things[:_SHOWN]:
        out.print(f"{thing.kind} {thing.id}  {thing.where}", markup=False)
        if thing.text:
            out.print(f"    {clip(' '.join(thing.text.split()), 100)}", markup=False, style="dim")
    if len(things) > _SHOWN:
        rest = Counter(thing.kind for thing in things[_SHOWN:])
        more = ", ".join(f"{many:,} {kind}" for kind, many in sorted(rest.items()))
        out.print(f"and {more}: wisen forget … --dry-run --json shows all", style="dim")


def _result_fields(each: ForgetResult) -> dict[str, object]:
    return {
        "tombstone": each.tombstone,
        "scope": describe_scope(each.scope),
        "things": [thing._asdict() for thing in each.things],
        "left": each.left,
    }


def _list_tombstones(learner: Learner, *, as_json: bool) -> int:
    found = learner.forgetting.tombstones()
    if as_json:
        print_json({"tombstones": found})
        return 0
    out = console()
    if not found:
        out.print("Nothing was forgotten.")
    for each in reversed(found):
        state = "" if each.done else "  not finished: the next forget or cycle continues"
        many = plural(each.many, "thing")
        out.print(f"{each.id}  {each.at:%Y-%m-%d %H:%M}  {describe_scope(each.scope)}  {many}{state}", markup=False)
    return 0


def _remove_tombstone(learner: Learner, tombstone: str, *, dry_run: bool, as_json: bool) -> int:
    lifted = learner.forgetting.unforget(tombstone, dry_run=dry_run)
    if as_json:
        print_json({"lifted": lifted, "dry_run": dry_run})
    else:
        would = "would be " if dry_run else ""
        console().print(f"{lifted.id} {would}removed. What is still in the logs can be learned again: wisen learn")
    return 0
