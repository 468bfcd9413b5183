"""Read this first: one turn of the loop.

    observe   new lines of the agents' logs become events; only what may be kept comes through the door
    retire    what is older or more than the settings allow goes; what was learnt from it stays
    mine      sessions with something new: what failed, what was tried, what helped, what was wanted
    detect    in the same sessions: what the user corrected, praised, asked for; a model may decide what is in doubt
    notice    what people did to what we put into their files
    praise    what was at work when the user praised is strengthened
    record    what the user said and what kept failing becomes entries, one for each lesson; what is ready is proposed
    recollect what was typed, learnt and noted down can be found again
    verify    what the lines of instruction files seem to do, going by the sessions before and after them; and trials
    crystallize  what failed and was fixed, and rules that were told and not kept, become guards, tried on the past
    report    what was found, as one value
    remember  what the sessions came to goes into the diary, the run into the ledger, the ledger into a verified backup

What agents are told is prepared by `telling.py`, in `wisen cycle`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from wisen.domain.contexts import Alias
from wisen.domain.report import Report, Selection
from wisen.domain.runs import Run, run_of
from wisen.domain.signals import signals_by_kind
from wisen.loop.apply.notice import notice
from wisen.loop.detect.listen import listen
from wisen.loop.detect.model import DETECTOR
from wisen.loop.detect.themes import themes
from wisen.loop.mine.sessions import MINER, mine
from wisen.loop.observe import watch
from wisen.loop.observe.gather import Task, collector_paused, gather
from wisen.loop.verify.blame import summary
from wisen.steps import guarding, judgement, praising, recollection, retention, rulebook, trying, wording
from wisen.steps.adjudicating import Adjudicator
from wisen.steps.diary import Diary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.domain.runs import Run
    from wisen.parts import Parts
    from wisen.ports import Stretch

    Progress = Callable[[int, int], None]

AT_ONCE = 32 << 20  # bytes of logs that go into one transaction: enough to be fast, few enough to lose little
MINED_AT_ONCE = 50  # sessions whose findings go into one transaction
UNDERSTANDING = MINER * 1000 + DETECTOR  # what understood a session, beside added languages; another does it again


def turn(parts: Parts, selection: Selection, progress: Progress) -> Report:
    """One turn of the loop over the selected sources."""
    began, clock_began = parts.clock.now(), parts.clock.elapsed()
    found, read_bytes, new_events = observe(parts, selection, progress)
    retired, in_vain = retention.retire(parts)
    new_events -= in_vain
    reading_seconds = parts.clock.elapsed() - clock_began
    diary = dig(parts)
    rulebook.refused(parts, notice(parts.desk))
    fixes = tuple(fix for fix in parts.index.fixes(selection) if fix.is_known)
    praising.strengthen(parts, said := parts.index.signals(selection))
    proposals, states = rulebook.record(parts, said, fixes, new=new_events > 0)
    recollection.recollect(parts, states)
    judged = judgement.judge(parts) if parts.judges_after(new_events) else ()
    proposals += guarding.crystallize(parts, fixes, states, judged) + trying.try_out(parts) if new_events else 0
    report = Report(
        selection=selection,
        found=found,
        looked_in=tuple(str(root) for agent in parts.agents for root in agent.roots()),
        read_bytes=read_bytes,
        new_events=new_events,
        instructions=tuple(map(summary, judged)),
        seconds=parts.clock.elapsed() - clock_began,
        reading_seconds=reading_seconds,
        counts=parts.index.counts(selection),
        failures=parts.index.failures(selection, alive=began - timedelta(days=parts.mine.transient_days)),
        fixes=fixes,
        signals=signals_by_kind(said),
        themes=themes(said),
        proposals=proposals,
        retired=retired,
        troubles=parts.index.troubles(selection),
        warnings=(*parts.warnings, *parts.languages.warnings, *diary.keep()),
    )
    remember(parts, run_of(report, parts.stamp(began)))
    return report


def observe(parts: Parts, selection: Selection, progress: Progress) -> tuple[dict[str, int], int, int]:
    """Read what is new. Returns the sources found by agent, the bytes read and the events that were new."""
    found, tasks = dict[str, int](), list[Task]()
    parts.scope.silence(parts.silence.holds)
    for agent in parts.agents:
        sources, known = list(parts.sources(agent, selection.under)), parts.index.marks(agent.name)
        marks = watch.doubted(known) if parts.recheck else known
        found[agent.name] = len(sources)
        tasks += [Task(agent=agent, source=each, marks=marks) for each in watch.changed(sources, marks, selection)]
    total, read_bytes, new_events, pending_bytes = sum(task.source.size for task in tasks), 0, 0, 0
    pending: list[Stretch] = []
    with collector_paused(), parts.crew(parts.jobs, total) as (executor, jobs):
        for stretch, size in gather(tasks, parts.scope, parts.door, executor, jobs):
            if stretch is not None:
                pending.append(stretch)
                pending_bytes += size
            read_bytes += size
            if pending_bytes >= AT_ONCE:
                new_events += keep(parts, pending)
                pending, pending_bytes = [], 0
                progress(read_bytes, total)
        new_events += keep(parts, pending)
    progress(total, total)
    return found, read_bytes, new_events


def keep(parts: Parts, stretches: Sequence[Stretch]) -> int:
    """Contexts go into the ledger at first sight, before the index holds anything; what was forgotten stays so."""
    for context, path in parts.scope.new_sightings():
        alias = Alias(context=context.key, machine=parts.machine, path=path, since=parts.clock.now())
        parts.ledger.sight(context, alias)
    return parts.index.keep(parts.ward.passed(stretches)) if stretches else 0


def dig(parts: Parts) -> Diary:
    """Mine the sessions that hold something new, and nothing else: it costs as much as there is of that."""
    diary, own = Diary(parts), wording.own(parts)
    judge = Adjudicator(parts, own)
    understanding, folders = parts.languages.understanding(UNDERSTANDING), parts.places_by_context()
    new = parts.index.unmined(understanding)
    with collector_paused():
        while sessions := list(islice(new, MINED_AT_ONCE)):
            found = judge.decided(sessions, [replace(mine(each, folders), said=listen(each, own)) for each in sessions])
            told = [diary.noted(*each) for each in zip(sessions, found, strict=True)]
            recollection.keep_sessions(parts, zip(sessions, found, told, strict=True))
            parts.index.mined(found, understanding)
    diary.troubles += judge.troubles
    return diary


def remember(parts: Parts, run: Run) -> None:
    """What must outlive the logs: the run, and a verified backup of the ledger."""
    parts.ledger.record(run)
    if parts.backups is not None:
        parts.backups.make()
