"""The facade that every surface calls: one method a wish. What only some wishes need is imported by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wisen.contexts.service import Adopter
from wisen.errors import StoreDamaged, UsageError, WisenError
from wisen.feedback.languages_service import Linguist
from wisen.feedback.phrases_service import Phraser
from wisen.fixes.service import FixReviewer
from wisen.forgetting.switching import Switcher
from wisen.memory.diary_service import Rememberer
from wisen.memory.recall_service import Recaller
from wisen.model.report import Selection
from wisen.model.signal import Before, Heard
from wisen.models.service import Asker
from wisen.praise.scoring import Scorer
from wisen.praise.service import Praiser
from wisen.proposals.changing import Changer
from wisen.proposals.suggesting import Suggester
from wisen.records.service import Recorder
from wisen.rules.service import Ruler
from wisen.store.one_writer import one_writer
from wisen.trials.service import Trier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self, TypeAlias

    from wisen.agents.ports import Agent
    from wisen.feedback.own_phrases import Own
    from wisen.memory.diary import Diary
    from wisen.model.cycled import Cycled
    from wisen.model.fix import Evidence, Fix
    from wisen.model.history import History
    from wisen.model.hook import Installed
    from wisen.model.instruction import Blame, Effect
    from wisen.model.phrase import OwnPhrase
    from wisen.model.report import Report
    from wisen.model.signal import Signal
    from wisen.model.state import AgentState, Finding, State
    from wisen.parts import Parts

    Speech: TypeAlias = Own
    """How a user speaks: his own phrases, and the languages he added."""

_SHOWN_RUNS = 10
_ROUNDS = 3


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an installation lives, in words for a person."""

    home: str
    ledger: str


class Learner(
    Recorder,
    Suggester,
    Ruler,
    Switcher,
    Trier,
    FixReviewer,
    Praiser,
    Recaller,
    Rememberer,
    Scorer,
    Asker,
    Phraser,
    Linguist,
    Adopter,
    Changer,
):
    """Learns from agents' sessions and what programs record. Made by `wisen.open_learner`; use it in a `with` block."""

    def __init__(self, parts: Parts, place: Place) -> None:
        self._parts = parts
        self._place = place

    @one_writer("learn")
    def learn(  # noqa: PLR0913 - what can be said about one run, each by its name
        self,
        path: Path | None = None,
        *,
        days: float | None = None,
        project: str | None = None,
        recheck: bool = False,
        jobs: int = 0,
        judge: bool | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Report:
        """Read what is new below `path`, or wherever agents keep sessions, and report on it, or on one `project`.

        With `recheck` sizes and dates of files are not trusted: every byte is read and compared with what was read
        before. `jobs` is how many processes read; 0 decides by how much there is to read. Instruction files are judged
        when sessions held something new; `judge` says always or never. What waits for the user's word is in one report
        and not again.

        Raises:
            UsageError: `path` does not exist, nothing is known of `project`, or a number makes no sense.
            StoreBusy: another wisen writes to the same home and does not end.
            StoreError: a store cannot be written.
        """
        under = _existing(path)
        if days is not None and days <= 0:
            raise UsageError(f"--days {days:g} leaves nothing to read. Give a number above 0, or leave it out for all.")
        if jobs < 0:
            raise UsageError(f"--jobs {jobs} is not a number of processes. Give 1 or more, or 0 to let wisen decide.")
        started = self._parts.clock.now()
        selection = Selection(under=under, since=started - timedelta(days=days) if days else None)
        parts = replace(self._parts, recheck=recheck, jobs=jobs, judges=judge, asks=True)
        if project is None:
            return self._turn(parts, selection, progress or _silently)
        from wisen.contexts.projects import places_of

        read: Report | None = None
        places = places_of(self._parts, project)
        if not places:  # it may be in what is new
            read = self._turn(parts, selection, progress or _silently)
            places = places_of(self._parts, project, must=True)
        report = self._turn(parts, replace(selection, places=places), _silently)
        if read is None:
            return report
        figures = ("read_bytes", "new_events", "seconds", "reading_seconds", "proposals", "waiting", "warnings")
        return replace(report, **{name: getattr(read, name) for name in figures})

    def _turn(self, parts: Parts, selection: Selection, progress: Callable[[int, int], None]) -> Report:
        from wisen import cycle

        try:
            self.heed_switches()
            try:
                return cycle.turn(replace(parts, fences=parts.fences.start_over()), selection, progress)
            except StoreDamaged as error:
                told = parts.index.rebuild(error)
                if told is None:
                    raise
                parts = replace(parts, warnings=(*parts.warnings, told), fences=parts.fences.start_over())
                return cycle.turn(parts, selection, progress)
        except WisenError as error:
            self._remember_failure(error)
            raise

    @one_writer("cycle")
    def cycle(self, *, quick: bool = False, dry_run: bool = False) -> Cycled:
        """The whole loop: take in what hooks noted, learn, do what was typed and what policy lets pass, prepare.

        What a run that died had begun to forget is forgotten first.

        With `quick` instruction files are not judged. With `dry_run` nothing is read or written: what waits is told.

        Raises:
            StoreError: a store cannot be written. What was done so far is kept, and the next cycle goes on.
        """
        from wisen.forgetting.retiring import due
        from wisen.model.cycled import Cycled

        if dry_run:
            applied, troubles = self.apply_by_policy(dry_run=True)
            waiting, retired = len(self._parts.shelf.spooled()), len(due(self._parts))
            return Cycled(None, waiting, (), applied, self.prepare(dry_run=True), troubles, retired)
        done: Cycled | None = None
        for _ in range(_ROUNDS):
            began = self._parts.clock.now()
            once = self._cycle_once(quick=quick)
            done = done.then(once) if done else once
            woken = self._parts.shelf.woken()
            if woken is None or woken < began:
                break  # else somebody was told that this cycle takes up what is new
        assert done is not None
        return done

    def _cycle_once(self, *, quick: bool) -> Cycled:
        """One round; a step that fails is told, and the others are done all the same. Raises: StoreError."""
        from wisen.model.cycled import Cycled

        fences = self._parts.fences.start_over()
        took, prepared = 0, 0
        answered: tuple[str, ...] = ()
        applied: tuple[str, ...] = ()
        checked: tuple[str, ...] = ()
        undone: list[str] = []
        with fences.step("finish forgetting"):
            self.finish_forgetting()
        with fences.step("take in"):
            took = self.take_in()
        report = self._turn(replace(self._parts, judges=False if quick else None), Selection(), _silently)
        with fences.step("carry out"):
            answered, troubles = self.carry_out()
            undone += troubles
        with fences.step("apply"):
            applied, troubles = self.apply_by_policy()
            undone += troubles
        with fences.step("check changes"):
            checked, troubles = self.check_changes()
            undone += troubles
        with fences.step("repair the launcher"):
            undone += self.repair_launcher()
        with fences.step("prepare"):
            prepared = self.prepare(wrong=self._wrong, fences=fences)
        undone += (f"{each} The rest went on." for each in self._parts.breakdowns(fences))
        return Cycled(report, took, answered, applied, prepared, tuple(undone), report.retired, checked)

    def status(self, project: Path | None = None) -> State:
        """What has been learnt from so far, how the last runs went, and what is wrong with hooks.

        The settings of a `project` count beside the user's.
        """
        from wisen.contexts import owning
        from wisen.forgetting.retiring import archive
        from wisen.model.report import decisions_about_lines
        from wisen.model.state import State

        parts = self._parts
        return State(
            version=parts.version,
            home=self._place.home,
            ledger=self._place.ledger,
            contexts=len(parts.ledger.contexts()),
            counts=parts.index.counts(Selection()),
            runs=parts.ledger.runs(_SHOWN_RUNS),
            warnings=(*parts.warnings, *parts.languages.warnings),
            alarms=self.alarms(project),
            archive=archive(parts),
            off=self.off_by(project) if project else "",
            waiting=owning.describe_waiting(parts, once=False),
            models=self.models(),
            findings=decisions_about_lines(self.findings()),
            requests=len(self.requests()),
        )

    def fixes(self, path: Path | None = None) -> tuple[Fix, ...]:
        """What made failing calls work, in what was read so far; with `path` only in the sessions below it.

        Raises:
            UsageError: `path` does not exist.
        """
        return self._parts.index.fixes(Selection(under=_existing(path)))

    def explain(self, fix: str) -> tuple[Fix, tuple[Evidence, ...]]:
        """A fix by its id or the beginning of it, and every time it was tried.

        Raises:
            UsageError: no fix, or more than one, has such an id.
        """
        fits = [each for each in self.fixes() if fix and each.id.startswith(fix)]
        if len(fits) != 1:
            found = f"{len(fits)} fixes begin with" if fits else "No fix has the id"
            raise UsageError(f"{found} {fix!r}. The ids stand beside the fixes: wisen fixes --all")
        return fits[0], self._parts.index.evidence(fits[0].id)

    def blame(self, path: Path) -> Blame:
        """What each line of an instruction file costs, and what the sessions tell about it.

        Raises:
            UsageError: there is no such file.
        """
        from wisen.blame import judgement

        file = judgement.remembered(self._parts, self._parts.instructions.file(path))
        return next(judgement.blamed(self._parts, [file]))

    def evidence_of(self, effect: Effect) -> tuple[Evidence, ...]:
        """The failing calls that stand behind what is said of a line, newest first."""
        from wisen.blame.judge import evidence_of

        return evidence_of(effect.calls, self._parts.index.histories(Selection())) if effect.calls else ()

    def histories(self, path: Path | None = None) -> Iterator[History]:
        """The sessions that were read, one at a time: their calls in order, and what the user did between them.

        Raises:
            UsageError: `path` does not exist.
        """
        return self._parts.index.histories(Selection(under=_existing(path)))

    def agents(self, project: Path | None = None) -> tuple[AgentState, ...]:
        """Each agent whose sessions can be read: what is there, what was read of it, what could not be, and its hooks.

        The settings of a `project` count beside the user's.
        """
        hooks = {each.agent: each for each in self.installed(project)}
        return tuple(self._agent_state(agent, hooks.get(agent.name)) for agent in self._parts.agents)

    def close(self) -> None:
        """Let go of the stores."""
        self._parts.index.close()
        self._parts.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _dig(self) -> Diary:
        from wisen.feedback.understanding import dig

        return dig(self._parts)

    def _wrong(self) -> list[Finding]:
        from wisen.model.state import Health

        return [each for each in self.alarms() if each.health is Health.BAD]

    def _agent_state(self, agent: Agent, hooks: Installed | None) -> AgentState:
        from wisen.agents.ports import Versioned
        from wisen.model.state import AgentState

        sources = list(self._parts.sources(agent))
        newest = max(sources, key=lambda source: source.modified_ns, default=None)
        selection = Selection(agent=agent.name)
        return AgentState(
            name=agent.name,
            roots=tuple(str(root) for root in agent.roots()),
            version=agent.version(newest) if newest and isinstance(agent, Versioned) else None,
            sources=len(sources),
            size=sum(source.size for source in sources),
            newest=datetime.fromtimestamp(newest.modified_ns / 1e9, UTC) if newest else None,
            counts=self._parts.index.counts(selection),
            troubles=self._parts.index.troubles(selection),
            hooks=hooks,
        )

    def _remember_failure(self, error: WisenError) -> None:
        """A run that stopped is remembered as one, so that silence can be told from having nothing to learn."""
        from wisen.model.run import Run

        parts, now = self._parts, self._parts.clock.now()
        run = Run(
            id=parts.ids.new(),
            machine=parts.machine,
            started=now,
            finished=now,
            version=parts.version,
            sources=0,
            read_bytes=0,
            new_events=0,
            withheld=0,
            troubles=0,
            error=str(error),
        )
        try:
            parts.ledger.record(run)
        except WisenError:
            return  # the ledger itself is what failed; the caller sees the first error


def signals_in(
    text: str,
    before: str = Before.OK,
    *,
    reason: bool = False,
    queued: bool = False,
    own: Iterable[OwnPhrase] | Own = (),
) -> tuple[Signal, ...]:
    """What a message that a user typed says about the work, the likeliest first.

    `before` is what happened just before it, `reason` whether it was typed when refusing a call, `queued` whether it
    was typed while the agent worked. What only the user's `own` phrases tell comes last.

    Raises:
        UsageError: `before` names nothing that can happen before a message.
    """
    from wisen.feedback.own_phrases import Own

    if before not in list(Before):
        raise UsageError(f"--before {before!r} is none of {', '.join(Before)}. Give one of them, or leave it out.")
    heard = Heard(text=text, before=Before(before), reason=reason, queued=queued)
    return (own if isinstance(own, Own) else Own(own)).hears(heard)


def _existing(path: Path | None) -> Path | None:
    if path is not None and not path.exists():
        raise UsageError(f"{path} does not exist. Give a transcript or a folder of them, or leave --path out.")
    return path.resolve() if path else None


def _silently(done: int, total: int) -> None:
    """No progress is shown."""
