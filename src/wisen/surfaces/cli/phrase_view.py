"""`wisen phrases`: learns, lists, imports and removes the user's own wording of feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.phrase import KnownPhrase, PhraseSource
from wisen.surfaces.cli.render import clip, plural, print_json, say
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from pathlib import Path

_WIDE = 90
_QUOTES = 3
_NEXT = "classified again by the next `wisen learn`."


def list_phrases(write: Path | None, *, dry_run: bool, as_json: bool) -> int:
    """List the phrases, and export them to a file if one is named."""
    if dry_run and write is None:
        raise UsageError("--dry-run needs --write: listing changes nothing.")
    edits: int | None = None
    with app.wire().open_for_queries() as learner:
        known = learner.feedback.phrases()
        if write is not None:
            edits = len(learner.feedback.export_phrases(write, dry_run=dry_run))
    if as_json:
        written = {} if write is None else {"file": str(write), "fields_written": edits, "dry_run": dry_run}
        print_json({"phrases": [_phrase_fields(each) for each in known], **written})
        return 0
    for each in known:
        _print_phrase(each)
    if not known:
        say("No phrase of yours is known yet. To look for some: wisen phrases learn")
    if write is not None:
        say(f"{write} {'would be' if dry_run else 'was'} written." if edits else f"{write} has them already.")
    return 0


def learn_phrases(*, days: float | None, model: bool, dry_run: bool, as_json: bool) -> int:
    """Look for phrases."""
    wires = app.wire()
    if is_off(wires, as_json=as_json):
        return 0
    with wires.learner(reads=False) as learner:
        found = learner.feedback.learn_phrases(days=days, model=model, dry_run=dry_run)
    if as_json:
        new = [_phrase_fields(KnownPhrase(*each)) for each in found.phrases]
        print_json({"search": found.search, "phrases": new, "notes": found.notes, "dry_run": dry_run})
        return 0
    for each in found.phrases:
        _print_phrase(KnownPhrase(*each))
    looked = f"{plural(found.search.turns, 'turn')} since {found.search.since:%Y-%m-%d}"
    what = plural(len(found.phrases), "new phrase")
    say(f"{what} in {looked}. Sessions that contain one are {_NEXT}" if found.phrases else f"Nothing new in {looked}.")
    for note in found.notes:
        say(note, dim=True)
    if dry_run:
        say("Nothing was stored.", dim=True)
    return 0


def import_phrases(path: Path, *, days: float | None, model: bool, dry_run: bool, as_json: bool) -> int:
    """Import a file of feedback phrases."""
    if days is not None or model:
        raise UsageError("--from imports a file as it is: leave out --days and --model.")
    wires = app.wire()
    if is_off(wires, as_json=as_json):
        return 0
    with wires.learner(reads=False) as learner:
        taken = learner.feedback.import_phrases(path, dry_run=dry_run)
    if as_json:
        print_json({"phrases": taken.phrases, "left": taken.left, "sessions": taken.sessions, "dry_run": dry_run})
        return 0
    for phrase in taken.phrases:
        say(f"{phrase.kind.value:<10}  {phrase.text}")
    for line in taken.left:
        say(f"Left out: {line}", dim=True)
    would = "would be " if dry_run else ""
    say(f"{plural(len(taken.phrases), 'phrase')} {would}imported; {plural(taken.sessions, 'session')} {_NEXT}")
    return 0


def remove_phrase(text: str, *, dry_run: bool, as_json: bool) -> int:
    """Remove a phrase."""
    with app.wire().learner(reads=False) as learner:
        taken = learner.feedback.remove_phrase(text, dry_run=dry_run)
    if as_json:
        print_json({"removed": taken.phrases, "sessions": taken.sessions, "dry_run": dry_run})
        return 0
    would = "would be " if dry_run else ""
    say(f"{taken.phrases[0].text!r} {would}removed; {plural(taken.sessions, 'session')} {_NEXT}")
    return 0


def _print_phrase(known: KnownPhrase) -> None:
    phrase = known.phrase
    say(f"{phrase.kind.value:<10}  {phrase.text}")
    if phrase.way is PhraseSource.FILE:
        say(f"            from a file, {phrase.at:%Y-%m-%d}", dim=True)
        return
    rest = f"; {phrase.signs} of {phrase.others} messages without it do, too" if phrase.others else ""
    means = f"in {plural(phrase.sessions, 'session')}, {phrase.hits} of {plural(phrase.turns, 'message')} show it{rest}"
    say(f"            {means} (at least {phrase.probability:.0%}, {phrase.way.value} {phrase.at:%Y-%m-%d})", dim=True)
    for proof in known.proofs[:_QUOTES]:
        where = f"{proof.agent} {proof.session[:8]}"
        say(f"            {proof.at:%Y-%m-%d}  {where}  “{clip(proof.quote, _WIDE)}”  ({proof.signs})", dim=True)


def _phrase_fields(known: KnownPhrase) -> dict[str, object]:
    phrase = known.phrase
    return {
        "phrase": phrase.text,
        "kind": phrase.kind,
        "way": phrase.way,
        "learnt": phrase.at,
        "probability": phrase.probability,
        "sessions": phrase.sessions,
        "hits": phrase.hits,
        "turns": phrase.turns,
        "background": {"hits": phrase.signs, "turns": phrase.others},
        "evidence": known.proofs,
    }
