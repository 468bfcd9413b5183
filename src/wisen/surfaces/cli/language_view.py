"""`wisen languages`: which ones are known and spoken, and making files for more."""

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

_DOCS = "docs/languages.md tells how to write one."
_NEXT = "Your sessions are understood anew by the next `wisen learn`."


def show(write: Path | None, *, dry_run: bool, as_json: bool) -> int:
    """List the languages, and put those of the user into a file if one is named."""
    if dry_run and write is None:
        raise UsageError("--dry-run goes with --write: listing changes nothing anyway.")
    edits = 0
    with _asked(trace=write is not None and not dry_run) as learner:
        found = learner.feedback.survey_languages()
        if write is not None:
            edits = len(learner.feedback.export_languages(write, found, dry_run=dry_run))
    if as_json:
        written = {} if write is None else {"file": str(write), "fields_written": edits, "dry_run": dry_run}
        print_json({"languages": found, **written})
        return 0
    _say(found)
    if write is not None:
        say(f"{write} {'would be' if dry_run else 'was'} written." if edits else f"{write} holds them already.")
    return 0


def build(codes: Sequence[str], *, model: bool, again: bool, dry_run: bool, as_json: bool) -> int:
    """Have files written for languages that lack one, or tell which do."""
    wires = app.wire()
    if is_off(wires, as_json=as_json):
        return 0
    asks = model and not dry_run
    with _asked(trace=asks) as learner:
        made = learner.feedback.build_languages(
            codes, model=model, again=again, dry_run=dry_run, progress=None if as_json else _progress
        )
        hearing = learner.feedback.evaluate_languages(codes)
    if as_json:
        print_json({"languages": made, "asked": asks, "dry_run": dry_run, "hearing": hearing})
        return FAILED if any(each.trouble for each in made) else 0
    if not made:
        say("Every language that you write in has a file, as far as your turns tell: wisen languages list")
    for each in made:
        if asks:
            _say_built(each)
        else:
            questions = f"; {plural(each.questions, 'question')} to the heavy model" if model else ""
            say(f"{each.name} ({each.code}) has no file of yours: it would be {each.file}{questions}")
    if made and not model:
        say(f"To have it written by a model: wisen languages build --model. By hand: {_DOCS}")
    if any(each.written for each in made):
        say(_NEXT)
    for heard in hearing:
        _say_hearing(heard)
    return FAILED if any(each.trouble for each in made) else 0


def take_in(path: Path, codes: Sequence[str], *, model: bool, again: bool, dry_run: bool, as_json: bool) -> int:
    """Take in a file of keywords by language."""
    if codes or model:
        raise UsageError("--from takes a file in as it is: leave --language and --model out.")
    if is_off(app.wire(), as_json=as_json):
        return 0
    with _asked(trace=not dry_run) as learner:
        made = learner.feedback.import_languages(path, again=again, dry_run=dry_run)
        written = [each.code for each in made if each.written]
        hearing = learner.feedback.evaluate_languages(written) if written else ()
    if as_json:
        print_json({"languages": made, "dry_run": dry_run, "hearing": hearing})
        return 0
    for each in made:
        done = "taken in" if each.written else "could be used, so nothing was written"
        done = "would be taken in" if dry_run else done
        say(f"{each.name} ({each.code}): {plural(each.phrases, 'phrase')} {done}, {each.file}")
        _say_rest(each)
    if not made:
        say(f"{path} holds nothing that could be taken in.")
    if any(each.written for each in made):
        say(_NEXT)
    for heard in hearing:
        _say_hearing(heard)
    return 0


@contextmanager
def _asked(*, trace: bool) -> Iterator[Learner]:
    """A learner; where nothing was ever learnt and nothing is to be written, looking makes no files."""
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


def _say(found: LanguageSurvey) -> None:
    rows = table("code", "language", "from", "phrases", "turns", "newest", right=("phrases", "turns"))
    for each in found.known:
        newest = f"{each.newest:%Y-%m-%d}" if each.newest else ""
        rows.add_row(each.code, each.name, each.origin.value, f"{each.phrases:,}", f"{each.turns:,}", newest)
    console().print(rows)
    say(f"Counted in {plural(found.turns, 'turn')} that you typed, by the phrases of each language.", dim=True)
    for none in found.unknown:
        words = ", ".join(none.words)
        say(
            f"{none.name} ({none.code}) has no file: {plural(none.turns, 'turn')} until {none.newest:%Y-%m-%d}, {words}"
        )
    if found.unknown:
        say(f"To have files written: wisen languages build --model. By hand: {_DOCS}")
    for warning in found.warnings:
        say(f"Careful: {warning}")


def _say_built(each: LanguageBuild) -> None:
    if each.written:
        say(f"{each.name} ({each.code}): {plural(each.phrases, 'phrase')}, {each.file}")
    else:
        say(f"{each.name} ({each.code}): {each.trouble}")
        answered = f"{each.answered} of {plural(each.questions, 'question')} were answered"
        say(f"{answered}. Nothing was written; the answers are kept, and the next run asks only for the rest.")
    _say_rest(each)


def _say_hearing(each: LanguageAccuracy) -> None:
    """How well a language is heard, on sentences that were held back."""
    named = f"{each.name} ({each.code})"
    if each.trouble:
        say(f"{named} could not be judged: {each.trouble}")
        return
    counts = (
        f"{each.heard} of {plural(each.directives, 'directive')} heard, "
        f"{each.negations_kept} of {plural(each.prohibitions_heard, 'prohibition')} heard with the negation kept, "
        f"{each.taken} of {plural(each.harmless, 'harmless one')} taken for a directive"
    )
    if each.needed:
        more = ", ".join(f"{many} {kind}" for kind, many in each.needed.items())
        say(f"{named}: too few sentences to tell how well it is heard ({counts}).")
        say(
            f"  About so many more are needed, half of which are held back: {more}. Put them into {each.file}", dim=True
        )
    else:
        say(f"{named}, on sentences that were held back: {counts}.")
    for label, some in (("not heard", each.missed), ("taken for a directive", each.wrongly_taken)):
        for sentence in some:
            say(f"  {label}, not held back: {sentence}", dim=True)


def _say_rest(each: LanguageBuild) -> None:
    for why, many in sorted(each.dropped.items()):
        say(f"  {plural(many, 'phrase')} left out: {why}", dim=True)
    if each.kept:
        say(f"  the old file is now {each.kept}", dim=True)


def _progress(name: str, done: int, total: int) -> None:
    if done < total:
        print(f"{name}: question {done + 1} of {total}", file=sys.stderr, flush=True)
