"""Read this first: one turn of the loop.

    observe   new lines of the agents' logs become events; only what may be kept comes through the door
    move      what happened in worktrees that are gone counts for the repository that they belonged to
    retire    what is older or more than the settings allow goes; what was learnt from it stays
    mine      sessions with something new: what failed, what was tried, what helped, what was wanted
    detect    in the same sessions: what the user corrected, praised, asked for; a model may decide what is in doubt
    notice    what people did to what we put into their files
    praise    what was at work when the user praised is strengthened
    record    what the user said and what kept failing becomes entries, one for each lesson; what is ready is proposed
              of two opposite lessons the user's newest word stands
    recollect what was typed, learnt and noted down can be found again
    verify    what the lines of instruction files seem to do, going by the sessions before and after them; and trials
    crystallize  what failed and was fixed, and rules that were told and not kept, become guards, tried on the past
    ask       fixes that are not known to be harmless wait for the user's yes, and are asked about once
    report    what was found, as one value
    remember  what the sessions came to goes into the diary, the run into the ledger, the ledger into a verified backup

Each step stands inside a fence (`model/fences.py`): what fails there is told, and the others are done all the same.
What agents are told is prepared by `telling.py`, in `wisen cycle`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.blame import judgement
from wisen.contexts import owning, worktrees
from wisen.edits.notice import notice
from wisen.feedback.understanding import dig
from wisen.fixes import asking
from wisen.forgetting import retiring
from wisen.guards import crystallizing
from wisen.lessons import rulebook, superseding
from wisen.logs.reading import observe
from wisen.memory import recollection
from wisen.model.fix import without_ordinary_work
from wisen.model.report import Report, Selection
from wisen.model.run import Run, run_of
from wisen.model.signal import signals_by_kind
from wisen.praise import praising
from wisen.report.themes import themes
from wisen.rules import noticing
from wisen.trials import trying

if TYPE_CHECKING:
    from wisen.logs.reading import Progress
    from wisen.model.instruction import Blame, Judged
    from wisen.parts import Parts


def turn(parts: Parts, selection: Selection, progress: Progress) -> Report:
    """One turn of the loop over the selected sources."""
    began, clock_began = parts.clock.now(), parts.clock.elapsed()
    found, read_bytes, new_events = observe(parts, selection, progress)
    step, retired = parts.fences.step, 0
    with step("move what gone worktrees taught"):
        worktrees.move_gone_worktrees(parts)
    with step("retire"):
        retired, in_vain = retiring.retire(parts)
        new_events -= in_vain
    reading_seconds = parts.clock.elapsed() - clock_began
    diary = dig(parts)
    with step("notice"):
        noticing.apply_looks(parts, notice(parts.desk))
    fixes = tuple(fix for fix in parts.index.fixes(selection) if fix.is_known)
    said = parts.index.signals(selection)
    with step("praise"):
        praising.strengthen(parts, said)
    proposals, states = rulebook.record(parts, said, fixes, new=new_events > 0, settle=superseding.settle)
    with step("recollect"):
        recollection.recollect(parts, states)
    judged: tuple[Blame, ...] = ()
    found_in_files: tuple[Judged, ...] = ()
    with step("judge"):
        judged, found_in_files = judgement.judge_or_recall(parts, new_events, selection.places)
    with step("guard"):
        proposals += crystallizing.crystallize(parts, fixes, states, judged) if new_events else 0
    with step("ask about fixes"):
        proposals += asking.ask_about_fixes(parts) if new_events else 0
    with step("try out"):
        proposals += trying.try_out(parts) if new_events else 0
    warnings = [*parts.warnings, *parts.languages.warnings]
    waiting: tuple[str, ...] = ()
    with step("remember"):
        warnings += diary.keep()
    with step("ask whose files are"):
        waiting = owning.describe_waiting(parts, selection.under, once=True) if parts.asks else ()
    broken = parts.breakdowns()
    report = Report(
        selection=selection,
        found=found,
        looked_in=tuple(str(root) for agent in parts.agents for root in agent.roots()),
        read_bytes=read_bytes,
        new_events=new_events,
        instructions=found_in_files,
        seconds=parts.clock.elapsed() - clock_began,
        reading_seconds=reading_seconds,
        counts=parts.index.counts(selection),
        failures=without_ordinary_work(
            parts.index.failures(selection, alive=began - timedelta(days=parts.mine.transient_days)), fixes
        ),
        fixes=fixes,
        undecided=rulebook.undecided_fixes(states),
        signals=signals_by_kind(said),
        themes=themes(said),
        proposals=proposals,
        retired=retired,
        troubles=parts.index.troubles(selection),
        warnings=(*warnings, *(f"{each} The rest went on." for each in broken)),
        waiting=waiting,
    )
    remember(parts, run_of(report, parts.stamp(began), broken))
    return report


def remember(parts: Parts, run: Run) -> None:
    """What must outlive the logs: the run, and a verified backup of the ledger."""
    parts.ledger.record(run)
    if parts.backups is not None:
        parts.backups.make()
