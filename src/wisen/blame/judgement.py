"""The steps of a turn that judge the lines of instruction files by the sessions before and after them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.blame.instruction_snapshots import snapshots_of, with_snapshots
from wisen.blame.judge import blames, summary
from wisen.blame.kept_judgements import keep_judgements, kept_judgements, open_judgements
from wisen.mining.sessions import mine
from wisen.model.fences import FenceKind
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.model.instruction import Blame, InstructionFile, Judged
    from wisen.parts import Parts

JUDGED_DAYS = 400
"""How far back the sessions lie by which lines are judged."""


def judge(parts: Parts) -> tuple[Blame, ...]:
    """Look at the instruction files of every project that sessions worked in; what no repository keeps is kept here."""
    files = parts.instructions.files(sorted({alias.path for alias in parts.aliases()}))
    known = []
    for file in files:
        with parts.fences.around(FenceKind.PROJECT, file.path):
            known.append(remembered(parts, file))
    return tuple(blamed(parts, known))


def judge_or_recall(
    parts: Parts, new_events: int, places: Sequence[str] = ()
) -> tuple[tuple[Blame, ...], tuple[Judged, ...]]:
    """Judge where something is new, in sessions or files; else what was found then. Without what is decided.

    With `places` only what was found in files of these directories is told.
    """
    judged, found = _judge_or_recall(parts, new_events)
    there = [each for each in found if not places or any(Path(each.path).is_relative_to(one) for one in places)]
    return judged, tuple(there)


def _judge_or_recall(parts: Parts, new_events: int) -> tuple[tuple[Blame, ...], tuple[Judged, ...]]:
    kept = None if parts.judges_after(new_events) else kept_judgements(parts)
    if kept is None and parts.judges is not False:
        judged = judge(parts)
        found = tuple(map(summary, judged))
        keep_judgements(parts, found)
        return judged, open_judgements(parts, found)
    return (), open_judgements(parts, kept)


def remembered(parts: Parts, file: InstructionFile) -> InstructionFile:
    """A file with the history that we keep of it, where nobody else does."""
    known = parts.ledger.snapshots(file.path, machine=parts.machine)
    new = snapshots_of([file], known, machine=parts.machine, now=parts.clock.now())
    ward = parts.ward
    for snapshot in new:
        if not ward.holds(snapshot.text) and not parts.scope.is_off(snapshot.path):
            parts.ledger.snap(snapshot)
    return with_snapshots(file, parts.ledger.snapshots(file.path, machine=parts.machine))


def blamed(parts: Parts, files: Sequence[InstructionFile]) -> Iterator[Blame]:
    """What the sessions tell about the lines of files."""
    since = (parts.index.counts(Selection()).last or parts.clock.now()) - timedelta(days=JUDGED_DAYS)
    return blames(files, parts.index, since, lambda history: mine(history).failures)
