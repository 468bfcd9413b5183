"""`wisen languages`: lists known and used languages, and adds files for more."""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.surfaces.cli.program import FAILED
from wisen.surfaces.cli.render import console, plural, print_json, say, table
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.learner import Learner
    from wisen.model.user_language import LanguageAccuracy, LanguageBuild, LanguageSurvey

_DOCS = "docs/languages.md explains how to write one."
_NEXT = "The next `wisen learn` classifies your messages again."


def list_languages(write: Path | None, *, dry_run: bool, as_json: bool) -> int:
    """List the languages, and export those of the user to a file if one is named."""
    if dry_run and write is None:
        raise UsageError("--dry-run needs --write: listing changes nothing.")
    edits = 0
    with _open_learner(trace=write is not None and not dry_run) as learner:
        found = learner.feedback.survey_languages()
        if write is not None:
            edits = len(learner.feedback.export_languages(write, found, dry_run=dry_run))
    if as_json:
        written = {} if write is None else {"file": str(write), "fields_written": edits, "dry_run": dry_run}
        print_json({"languages": found, **written})
        return 0
    _print_survey(found)
    if write is not None:
        say(f"{write} {'would be' if dry_run else 'was'} written." if edits else f"{write} has them already.")
    return 0


def build_languages(codes: Sequence[str], *, model: bool, again: bool, dry_run: bool, as_json: bool) -> int:
    """Write files for languages that lack one, or list these languages."""
    wires = app.wire()
    if is_off(wires, as_json=as_json):
        return 0
    asks = model and not dry_run
    with _open_learner(trace=asks) as learner:
        made = learner.feedback.build_languages(
            codes, model=model, again=again, dry_run=dry_run, progress=None if as_json else _print_progress
        )
        hearing = learner.feedback.evaluate_languages(codes)
    if as_json:
        print_json({"languages": made, "asked": asks, "dry_run": dry_run, "hearing": hearing})
        return FAILED if any(each.problem for each in made) else 0
    if not made:
        say("Every language that you write in has a file, judging by your messages: wisen languages")
    for each in made:
        if asks:
            _print_build(each)
        else:
            questions = f"; {plural(each.questions, 'question')} to the heavy model" if model else ""
            say(f"{each.name} ({each.code}) has no file yet: it would be {each.file}{questions}")
    if made and not model:
        say(f"To let a model write it: wisen languages build --model. By hand: {_DOCS}")
    if any(each.written for each in made):
        say(_NEXT)
    for heard in hearing:
        _print_accuracy(heard)
    return FAILED if any(each.problem for each in made) else 0


def import_languages(
    path: Path, codes: Sequence[str], *, model: bool, again: bool, dry_run: bool, as_json: bool
) -> int:
    """Import a file of keywords by language."""
    if codes or model:
        raise UsageError("--from imports a file as it is: leave out --language and --model.")
    if is_off(app.wire(), as_json=as_json):
        return 0
    with _open_learner(trace=not dry_run) as learner:
        made = learner.feedback.import_languages(path, again=again, dry_run=dry_run)
        written = [each.code for each in made if each.written]
        hearing = learner.feedback.evaluate_languages(written) if written else ()
    if as_json:
        print_json({"languages": made, "dry_run": dry_run, "hearing": hearing})
        return 0
    for each in made:
        done = "imported" if each.written else "could be used, so nothing was written"
        done = "would be imported" if dry_run else done
        say(f"{each.name} ({each.code}): {plural(each.phrases, 'phrase')} {done}, {each.file}")
        _print_left_out(each)
    if not made:
        say(f"{path} contains nothing that can be imported.")
    if any(each.written for each in made):
        say(_NEXT)
    for heard in hearing:
        _print_accuracy(heard)
    return 0


@contextmanager
def _open_learner(*, trace: bool) -> Iterator[Learner]:
    """Open a learner; if nothing was ever learned and nothing is written, it creates no files."""
    wires = app.wire()
    if wires.ever_used or trace:
        with wires.learner(reads=False) if trace else wires.open_for_queries() as learner:
            yield learner
        return
    with (
        tempfile.TemporaryDirectory(prefix="wisen-") as folder,
        wires.with_home(Path(folder)).open_for_queries() as learner,
    ):
        yield learner


def _print_survey(found: LanguageSurvey) -> None:
    rows = table("code", "language", "from", "phrases", "turns", "newest", right=("phrases", "turns"))
    for each in found.known:
        newest = f"{each.newest:%Y-%m-%d}" if each.newest else ""
        rows.add_row(each.code, each.name, each.origin.value, f"{each.phrases:,}", f"{each.turns:,}", newest)
    console().print(rows)
    say(f"Counted in {plural(found.turns, 'message')} that you typed, by the phrases of each language.", dim=True)
    for none in found.unknown:
        words = ", ".join(none.words)
        say(
            f"{none.name} ({none.code}) has no file: {plural(none.turns, 'turn')} until {none.newest:%Y-%m-%d}, {words}"
        )
    if found.unknown:
        say(f"To let a model write files: wisen languages build --model. By hand: {_DOCS}")
    for warning in found.warnings:
        say(f"Warning: {warning}")


def _print_build(each: LanguageBuild) -> None:
    if each.written:
        say(f"{each.name} ({each.code}): {plural(each.phrases, 'phrase')}, {each.file}")
    else:
        say(f"{each.name} ({each.code}): {each.problem}")
        answered = f"{each.answered} of {plural(each.questions, 'question')} were answered"
        say(f"{answered}. Nothing was written; the answers are kept, and the next run asks only for the rest.")
    _print_left_out(each)


def _print_accuracy(each: LanguageAccuracy) -> None:
    """Print how well a language is understood, on its test sentences."""
    named = f"{each.name} ({each.code})"
    if each.problem:
        say(f"{named} could not be judged: {each.problem}")
        return
    counts = (
        f"{each.heard} of {plural(each.directives, 'directive')} detected, "
        f"{each.negations_kept} of {plural(each.prohibitions_heard, 'prohibition')} detected with the negation kept, "
        f"{each.taken} of {plural(each.harmless, 'harmless one')} mistaken for a directive"
    )
    if each.needed:
        more = ", ".join(f"{many} {kind}" for kind, many in each.needed.items())
        say(f"{named}: too few sentences to measure how well it is understood ({counts}).")
        say(
            f"  About this many more are needed, half of them as test sentences: {more}. Add them to {each.file}",
            dim=True,
        )
    else:
        say(f"{named}, on test sentences: {counts}.")
    for label, some in (("not detected", each.missed), ("mistaken for a directive", each.wrongly_taken)):
        for sentence in some:
            say(f"  {label}, not a test sentence: {sentence}", dim=True)


def _print_left_out(each: LanguageBuild) -> None:
    for why, many in sorted(each.dropped.items()):
        say(f"  {plural(many, 'phrase')} left out: {why}", dim=True)
    if each.kept:
        say(f"  the old file is now {each.kept}", dim=True)


def _print_progress(name: str, done: int, total: int) -> None:
    if done < total:
        print(f"{name}: question {done + 1} of {total}", file=sys.stderr, flush=True)
