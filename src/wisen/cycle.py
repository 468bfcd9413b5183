"""Read this first: the whole cycle, in the order in which it happens. Each line asks one folder for one thing.

    read     what hooks noted, and new lines of the agents' logs: only what may be kept comes through the event filter
    hear     what failed and what helped in the sessions with something new, and what the user said of it
    learn    what was said and what kept failing becomes entries, one for each lesson; the user's newest word stands
    propose  what is ready is offered, with everything by which a person can judge it
    act      what the user typed to their agents and what policy lets pass is done; changes that are due are checked
    tell     snapshots are prepared, from which hooks answer inside the agents' turns

`learn` is the first four of them, `wisen cycle` all six. Each step stands inside a fence (`model/fences.py`): what
fails there is told, and the others are done all the same. Only a store that cannot be used ends a run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wisen.model.cycled import Cycled
from wisen.model.fences import Fences
from wisen.model.report import Selection, TurnFindings

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.learner import Learner
    from wisen.memory.diary import Diary
    from wisen.model.report import Report


@dataclass(frozen=True, kw_only=True)
class TurnOptions:
    """How one turn is to go."""

    selection: Selection = field(default_factory=Selection)
    progress: Callable[[int, int], None] = lambda _done, _total: None
    fences: Fences = field(default_factory=Fences)
    """What keeps a failure at one source, session, project or step from the rest; each turn has new ones."""
    warnings: tuple[str, ...] = ()
    recheck: bool = False
    """Whether every byte is read again and compared, instead of trusting sizes and dates."""
    jobs: int = 0
    """How many processes read; 0: as many as are worth it."""
    judges: bool | None = None
    """Whether instruction files are judged; None: when sessions held something new."""
    asks: bool = False
    """Whether somebody reads the report: what waits for the user's word is told once."""


def learn(wisen: Learner, turn: TurnOptions) -> Report:
    """Read, hear, learn and propose, over the selected sources."""
    fences, step, selection = turn.fences, turn.fences.step, turn.selection
    now = TurnFindings(began=wisen.home.clock.now(), clock_began=wisen.home.clock.elapsed(), selection=selection)
    wisen.feedback.read_languages_anew()
    now.found, now.read_bytes, now.new_events = wisen.logs.read_new(
        selection, turn.progress, fences, jobs=turn.jobs, recheck=turn.recheck
    )
    with step("move what gone worktrees taught"):
        wisen.contexts.move_gone_worktrees()
    with step("retire"):
        now.retired, in_vain = wisen.forgetting.retire()
        now.new_events -= in_vain
    now.reading_seconds = wisen.home.clock.elapsed() - now.clock_began
    diary = hear(wisen, fences)
    with step("notice"):
        wisen.rules.notice()
    now.fixes, now.said = wisen.fixes.known(selection), wisen.home.index.findings.signals(selection)
    with step("praise"):
        wisen.praise.strengthen(now.said)
    known = wisen.lessons.known()
    with step("read books"):
        wisen.rules.take_in(known, fences)
    wisen.lessons.record(known, now.said, now.fixes, fences, new=now.new_events > 0)
    now.proposals = wisen.proposals.propose(
        known, lambda: wisen.rules.outdated(known.states), wisen.rules.replacements, fences
    )
    with step("write books"):
        wisen.rules.write_books(known.states, fences)
    with step("recollect"):
        wisen.memory.recollect(known.states)
    with step("judge"):
        now.judged, now.instructions = wisen.blame.judge_or_recall(
            judges=turn.judges, is_new=now.new_events > 0, fences=fences, places=selection.places
        )
    with step("guard"):
        now.proposals += wisen.guards.propose(now.fixes, known.states, now.judged) if now.new_events else 0
    with step("ask about fixes"):
        now.proposals += wisen.fixes.ask() if now.new_events else 0
    with step("try out"):
        now.proposals += wisen.trials.act_on_verdicts() if now.new_events else 0
    now.warnings = [*turn.warnings, *wisen.feedback.added_languages.warnings]
    with step("remember"):
        now.warnings += diary.keep()
    with step("ask whose files are"):
        now.waiting = wisen.contexts.describe_waiting(selection.under, once=True) if turn.asks else ()
    return wisen.report.make(now, known.states, fences)


def hear(wisen: Learner, fences: Fences) -> Diary:
    """What failed, what helped and what the user said in the sessions that hold something new, and nothing else."""
    diary = wisen.memory.diary()
    understanding = wisen.feedback.understanding(fences)
    for sessions in understanding.batches():
        wisen.memory.keep_sessions(diary, sessions, fences)
    diary.troubles += understanding.troubles
    return diary


def cycle(wisen: Learner, turn: TurnOptions, run: Callable[[TurnOptions], Report]) -> Cycled:
    """All of it, once; `run` learns, and remembers where it was stopped. Raises: StoreError."""
    fences, took, prepared, undone = turn.fences, 0, 0, list[str]()
    answered = applied = checked = tuple[str, ...]()
    with fences.step("finish forgetting"):
        wisen.forgetting.finish()
    with fences.step("take in"):
        took = wisen.delivery.take_in()
    report = run(turn)
    with fences.step("carry out"):
        answered, troubles = wisen.proposals.carry_out()
        undone += troubles
    with fences.step("apply"):
        applied, troubles = wisen.proposals.apply_by_policy()
        undone += troubles
    with fences.step("check changes"):
        checked, troubles = wisen.trials.check_changes()
        undone += troubles
    with fences.step("repair the launcher"):
        undone += wisen.install.repair_launcher()
    with fences.step("prepare"):
        prepared = wisen.delivery.prepare(fences, wrong=wisen.health.wrong)
    undone += (f"{each} The rest went on." for each in wisen.projects.breakdowns(fences))
    return Cycled(report, took, answered, applied, prepared, tuple(undone), report.retired, checked)
