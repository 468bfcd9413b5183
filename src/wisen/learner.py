"""What every surface calls: one attribute a feature, each with its own service. Composition, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.blame.service import BlameService
from wisen.changes.service import ChangeService
from wisen.contexts.service import ContextService
from wisen.decisions.refresh import Refresh
from wisen.delivery.candidate_sources import Candidates
from wisen.delivery.service import DeliveryService
from wisen.errors import StoreDamaged, UsageError, WisenError
from wisen.feedback.consent import PointingConsent
from wisen.feedback.service import FeedbackService
from wisen.feedback.settlement import SettlementHandlers
from wisen.fixes.service import FixService
from wisen.forgetting.holdings import Holdings
from wisen.forgetting.neighbours import ForgettingCallbacks
from wisen.forgetting.service import ForgettingService
from wisen.guards.service import GuardService
from wisen.health.service import HealthService
from wisen.install.service import InstallService
from wisen.lessons.service import LessonService
from wisen.logs.log_reader import LogReader
from wisen.memory.service import MemoryService
from wisen.model.entry import ProposalType
from wisen.model.fences import Fences
from wisen.model.report import Selection
from wisen.models.service import ModelService
from wisen.praise.service import PraiseService
from wisen.proposals.service import AnswerHandlers, ProposalService
from wisen.records.service import RecordsService
from wisen.report.service import ReportService
from wisen.rules.service import RuleService
from wisen.store.known_entries import entry_states
from wisen.store.one_writer import one_writer
from wisen.system.given_paths import existing_path
from wisen.trials.service import TrialService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from wisen.cycle import TurnOptions
    from wisen.delivery.hook_snapshot import Published
    from wisen.delivery.turn_questions import TurnQuestion
    from wisen.dependencies import Dependencies
    from wisen.memory.diary import Diary
    from wisen.model.cycled import Cycled
    from wisen.model.entry_state import EntryState
    from wisen.model.history import History
    from wisen.model.report import Report
    from wisen.model.state import State
    from wisen.store.home import Home

_SHOWN_RUNS = 10
_ROUNDS = 3


class Learner:
    """Learns from agents' sessions and what programs record. Made by `wisen.open_learner`; use it in a `with` block."""

    def __init__(self, opened: Dependencies) -> None:
        self.home, self.projects, self.decisions = opened.home, opened.projects, opened.decisions
        self._opened, settings = opened, opened.settings
        self._fences = Fences()  # each run has new ones of the same kind
        home, projects, desk, decisions = opened.home, opened.projects, opened.desk, opened.decisions
        rule_files, promotion = opened.rule_files, settings.promote
        pointing, local = settings.answered("feedback.pointing"), settings.deliver.local_words
        refresh = Refresh(books=self._write_books, hooks=self._prepare_hooks)
        self.logs = LogReader(projects, workers=opened.workers, filter_policy=opened.door)
        self.models = ModelService(home, settings.models, opened.model)
        self.records = RecordsService(home, projects, opened.door, settings.mine)
        self.contexts = ContextService(home, projects, desk, decisions)
        self.lessons = LessonService(home, projects, desk, decisions, refresh, is_word=self._is_word)
        self.feedback = FeedbackService(
            home,
            projects,
            desk,
            decisions,
            languages_folder=opened.languages_folder,
            model=opened.model,
            model_named=opened.model_named,
            adjudicates=settings.models.adjudicate,
            consent=PointingConsent(home, desk, decisions, refresh, answered=pointing, local=local),
            handlers=SettlementHandlers(
                record=self.lessons.record_pointed,
                drop=self.lessons.drop_pointed,
                suggest=lambda entry, words, agent, why: self.proposals.word(entry, words, agent=agent, why=why).id,
            ),
        )
        self.praise = PraiseService(home, projects)
        self.memory = MemoryService(
            home,
            projects,
            desk,
            notebooks=opened.notebooks,
            listener=self.feedback.listener,
            praised=self.praise.memories_praised,
        )
        self.rules = RuleService(
            home,
            projects,
            desk,
            decisions,
            refresh,
            rule_files=rule_files,
            hook_agents={each.name for each in opened.hooks},
            settings=promotion,
        )
        self.blame = BlameService(home, projects, desk, decisions, instructions=opened.instructions)
        self.guards = GuardService(
            home, projects, rule_files, decisions, refresh, settings=settings.guards, promote=promotion
        )
        self.fixes = FixService(
            home, rule_files, decisions, refresh, deliver=settings.deliver, praised=self.praise.subjects_praised
        )
        self.install = InstallService(
            home,
            desk,
            decisions,
            hooks=opened.hooks,
            gauge=opened.gauge,
            caller=opened.caller,
            launcher=opened.launcher,
        )
        self.health = HealthService(home, projects, gauge=opened.gauge, installed=self.install.installed)
        self.forgetting = ForgettingService(
            Holdings(
                home=home,
                projects=projects,
                desk=desk,
                rule_files=rule_files,
                shelf=opened.shelf,
                hooks=opened.hooks,
                languages_folder=opened.languages_folder,
            ),
            decisions,
            refresh,
            neighbours=ForgettingCallbacks(
                understand=self._hear,
                recollect=self.memory.recollect,
                forget_written=self.memory.forget_written,
                holding_phrases=self.feedback.holding,
                installed=self.install.installed,
            ),
            archive=settings.archive,
        )
        self.proposals = ProposalService(
            home,
            projects,
            decisions,
            shelf=opened.shelf,
            rule_files=rule_files,
            answers=AnswerHandlers(
                rules=self.rules.proposals,
                kinds={ProposalType.GUARD: self.guards, ProposalType.FIX: self.fixes},
                overrule=self.guards.overrule_from_chat,
                requests=lambda: self.feedback.added_languages.requests,
                forget=self.forgetting.forget_from_chat,
            ),
            settings=promotion,
            viewer=opened.viewer,
        )
        self.trials = TrialService(
            home,
            desk,
            rule_files,
            decisions,
            refresh,
            experiments=settings.answered("trials.experiments"),
            holdout=settings.trials.holdout,
            promote=promotion,
            detector=self.feedback.listener,
            proposal=self.proposals.get,
        )
        self.changes = ChangeService(home, desk, decisions, refresh, is_prepared=lambda: bool(opened.shelf.holds()))
        self.delivery = DeliveryService(
            home,
            projects,
            desk,
            opened.shelf,
            tell=self._tell,
            settings=settings.deliver,
            promotion=promotion,
        )
        self.report = ReportService(home, projects, settings.mine)

    @property
    def _home(self) -> Home:
        return self.home

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
        from wisen.cycle import TurnOptions

        under = existing_path(path)
        if days is not None and days <= 0:
            raise UsageError(f"--days {days:g} leaves nothing to read. Give a number above 0, or leave it out for all.")
        if jobs < 0:
            raise UsageError(f"--jobs {jobs} is not a number of processes. Give 1 or more, or 0 to let wisen decide.")
        started = self.home.clock.now()
        selection = Selection(under=under, since=started - timedelta(days=days) if days else None)
        turn = TurnOptions(selection=selection, recheck=recheck, jobs=jobs, judges=judge, asks=True)
        loud = turn if progress is None else replace(turn, progress=progress)
        if project is None:
            return self._turn(loud)
        read: Report | None = None
        places = self.contexts.places_of(project)
        if not places:  # it may be in what is new
            read = self._turn(loud)
            places = self.contexts.places_of(project, must=True)
        report = self._turn(replace(turn, selection=replace(selection, places=places)))
        if read is None:
            return report
        figures = ("read_bytes", "new_events", "seconds", "reading_seconds", "proposals", "waiting", "warnings")
        return replace(report, **{name: getattr(read, name) for name in figures})

    def _turn(self, turn: TurnOptions) -> Report:
        from wisen import cycle

        turn = replace(turn, warnings=(*self._opened.warnings, *turn.warnings), fences=self._fences.start_over())
        try:
            self.forgetting.heed_switches()
            try:
                return cycle.learn(self, turn)
            except StoreDamaged as error:
                told = self.home.index.rebuild(error)
                if told is None:
                    raise
                return cycle.learn(
                    self, replace(turn, warnings=(*turn.warnings, told), fences=turn.fences.start_over())
                )
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
        from wisen import cycle
        from wisen.model.cycled import Cycled

        if dry_run:
            applied, troubles = self.proposals.apply_by_policy(dry_run=True)
            waiting, retired = self.delivery.waiting(), len(self.forgetting.due())
            return Cycled(None, waiting, (), applied, self.delivery.prepare(dry_run=True), troubles, retired)
        done: Cycled | None = None
        for _ in range(_ROUNDS):
            began = self.home.clock.now()
            once = cycle.cycle(
                self, cycle.TurnOptions(judges=False if quick else None, fences=self._fences.start_over()), self._turn
            )
            done = done.then(once) if done else once
            woken = self._opened.shelf.woken()
            if woken is None or woken < began:
                break  # else somebody was told that this cycle takes up what is new
        assert done is not None
        return done

    def status(self, project: Path | None = None) -> State:
        """What has been learnt from so far, how the last runs went, and what is wrong with hooks.

        The settings of a `project` count beside the user's.
        """
        from wisen.model.report import decisions_about_lines
        from wisen.model.state import State

        home = self.home
        return State(
            version=home.version,
            home=str(home.path),
            ledger=self._opened.ledger_name,
            contexts=len(home.ledger.contexts.all()),
            counts=home.index.events.counts(Selection()),
            runs=home.ledger.runs.newest(_SHOWN_RUNS),
            warnings=(*self._opened.warnings, *self.feedback.added_languages.warnings),
            alarms=self.health.alarms(project),
            archive=self.forgetting.archive(),
            off=self.forgetting.off_by(project) if project else "",
            waiting=self.contexts.describe_waiting(once=False),
            models=self.models.state(),
            findings=decisions_about_lines(self.blame.findings()),
            pointing=self.feedback.consent.is_given,
            requests=len(self.decisions.requests()),
            private=self.delivery.private_entries(),
        )

    def histories(self, path: Path | None = None) -> Iterator[History]:
        """The sessions that were read, one at a time: their calls in order, and what the user did between them.

        Raises:
            UsageError: `path` does not exist.
        """
        return self.home.index.events.histories(Selection(under=existing_path(path)))

    def close(self) -> None:
        """Let go of the stores."""
        self.home.index.close()
        self.home.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hear(self) -> Diary:
        from wisen.cycle import hear

        return hear(self, self._fences)

    def _is_word(self, state: EntryState) -> bool:
        from wisen.delivery.user_words import is_word

        return is_word(state)

    def _write_books(self) -> None:
        self.rules.write_books(entry_states(self.home.ledger), self._fences)

    def _prepare_hooks(self) -> None:
        self.delivery.prepare(self._fences)

    def _tell(self, fences: Fences) -> Published:
        """Everything that hooks may need, made of what the features hand in."""
        from wisen.delivery.telling import Telling

        opened, settings = self._opened, self._opened.settings
        candidates = Candidates(
            trials=self.trials.standings,
            questions=self.contexts.questions,
            question_about=self.rules.question_about,
            turns=self._turn_questions,
            requests=lambda: self.feedback.added_languages.requests,
            language_of=self.feedback.added_languages.language_of,
            praised=self.praise.subjects_praised,
        )
        telling = Telling(self.home, opened.rule_files, candidates, door=opened.door, deliver=settings.deliver)
        return telling.published(fences)

    def _turn_questions(self, context: str) -> list[TurnQuestion]:
        """What an agent may be asked in a context: turns in doubt, and a lesson that lacks words."""
        from wisen.delivery.turn_questions import questions_of

        if not self.feedback.consent.is_given:
            return []
        turns = self.feedback.settlement.open_turns(context)
        lessons = self.proposals.unworded(context, local=self.delivery.tells_local)
        return questions_of(turns, lessons, self.home.ledger.exposures.of)

    def _remember_failure(self, error: WisenError) -> None:
        """A run that stopped is remembered as one, so that silence can be told from having nothing to learn."""
        from wisen.model.run import failed_run

        home = self.home
        run = failed_run(home.ids.new(), home.machine, home.clock.now(), home.version, str(error))
        try:
            home.ledger.runs.add(run)
        except WisenError:
            return  # the ledger itself is what failed; the caller sees the first error
