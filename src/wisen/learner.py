"""The Learner: one service per feature, wired together. Every surface (CLI, MCP, pages, Python API) calls it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.blame.service import BlameService
from wisen.changes.service import ChangeService
from wisen.contexts.service import ContextService
from wisen.decisions.refresh import Refresh
from wisen.delivery.candidate_sources import CandidateSources
from wisen.delivery.service import DeliveryService
from wisen.errors import StoreDamaged, UsageError, WisenError
from wisen.feedback.pointing_consent import PointingConsent
from wisen.feedback.service import FeedbackService
from wisen.feedback.settlement_handlers import SettlementHandlers
from wisen.fixes.service import FixService
from wisen.forgetting.callbacks import ForgettingCallbacks
from wisen.forgetting.holdings import Holdings
from wisen.forgetting.service import ForgettingService
from wisen.guards.service import GuardService
from wisen.health.service import HealthService
from wisen.install.service import InstallService
from wisen.language_models.service import ModelService
from wisen.lessons.service import LessonService
from wisen.logs.log_reader import LogReader
from wisen.memory.service import MemoryService
from wisen.model.entry import ProposalType
from wisen.model.error_boundaries import ErrorBoundaries
from wisen.model.report import Report, Selection
from wisen.model.run_options import RunOptions, RunProgress, as_run_progress
from wisen.praise.service import PraiseService
from wisen.proposals.service import AnswerHandlers, ProposalService
from wisen.records.service import RecordsService
from wisen.report.service import ReportService
from wisen.rules.service import RuleService
from wisen.skill_wiring import create_skills, praised_names
from wisen.store.known_entries import entry_states
from wisen.store.one_writer import one_writer
from wisen.system.path_arguments import existing_path
from wisen.trials.service import TrialService
from wisen.workflows.service import WorkflowService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from wisen.delivery.hook_snapshot import SnapshotSet
    from wisen.delivery.turn_questions import TurnQuestion
    from wisen.dependencies import Dependencies
    from wisen.memory.summary_writer import SummaryWriter
    from wisen.model.cycle_result import CycleResult
    from wisen.model.entry_state import EntryState
    from wisen.model.history import History
    from wisen.model.state import InstallationState

_SHOWN_RUNS, _ROUNDS = 10, 3


class Learner:
    """Learns from agents' sessions and programs' records. Open one with `wisen.open_learner`, in a `with` block."""

    def __init__(self, deps: Dependencies) -> None:
        self.home = self._home = deps.home
        self.projects, self.decisions = deps.projects, deps.decisions
        self._deps, settings, lasting = deps, deps.settings, self._is_lasting
        self._boundaries = ErrorBoundaries()  # each run starts over with a new one of the same kind
        home, projects, edit_ports, decisions = deps.home, deps.projects, deps.edit_ports, deps.decisions
        rule_files, promotion, mark = deps.rule_files, settings.promote, repr(settings.promote)
        pointing, local = settings.answer_to("feedback.pointing"), settings.deliver.local_words
        refresh = Refresh(context_files=self._write_context_files, snapshots=self._prepare_snapshots)
        self.logs = LogReader(projects, deps.workers.lend, deps.door, FeedbackService.prepare_worker)
        self.models = ModelService(home, settings.models, deps.model)
        self.records = RecordsService(home, projects, deps.door, settings.mine)
        self.contexts = ContextService(home, projects, edit_ports, decisions)
        self.lessons = LessonService(home, projects, edit_ports, decisions, refresh, lasting, settings_mark=mark)
        self.feedback = FeedbackService(
            home,
            projects,
            edit_ports,
            decisions,
            languages_folder=deps.languages_folder,
            model=deps.model,
            model_named=deps.model_named,
            workers=deps.workers,
            adjudicates=settings.models.adjudicate,
            consent=PointingConsent(home, edit_ports, decisions, refresh, answered=pointing, local=local),
            handlers=SettlementHandlers(
                record=self.lessons.record_pointed,
                drop=self.lessons.drop_pointed,
                suggest=lambda name, text, agent, why: (
                    self.proposals.suggest_wording(name, text, agent=agent, why=why).id
                ),
            ),
        )
        self.praise = PraiseService(home, projects, lambda: praised_names(self.workflows, self.skills))
        self.rules = RuleService(
            home,
            projects,
            edit_ports,
            decisions,
            refresh,
            rule_files=rule_files,
            hook_agents={each.name for each in deps.hooks},
            settings=promotion,
        )
        self.blame = BlameService(home, projects, edit_ports, decisions, instructions=deps.instructions)
        self.guards = GuardService(
            home, projects, rule_files, decisions, refresh, settings=settings.guards, promote=promotion
        )
        self.fixes = FixService(
            home, rule_files, decisions, refresh, deliver=settings.deliver, count_praise=self.praise.praise_of_subjects
        )
        self.workflows = WorkflowService(home, decisions, self.fixes.all, count_praise=self.praise.praise_of_subjects)
        self.memory = MemoryService(
            home,
            projects,
            edit_ports,
            notebooks=deps.notebooks,
            detector=self.feedback.session_detector,
            count_praise=self.praise.praise_of_memories,
            find_workflows=self.workflows.hints_for,
        )
        self.skills = create_skills(deps, self.workflows, lambda: self.changes)
        self.install = InstallService(
            home,
            edit_ports,
            decisions,
            hooks=deps.hooks,
            hook_health_check=deps.hook_health_check,
            caller=deps.caller,
            launcher=deps.launcher,
        )
        self.health = HealthService(home, projects, hook_health=deps.hook_health_check, installed=self.install.status)
        self.forgetting = ForgettingService(
            Holdings(
                home=home,
                projects=projects,
                edit_ports=edit_ports,
                rule_files=rule_files,
                snapshot_store=deps.snapshots,
                hooks=deps.hooks,
                languages_folder=deps.languages_folder,
            ),
            decisions,
            refresh,
            callbacks=ForgettingCallbacks(
                mine_sessions=self._detect,
                refresh_memories=self.memory.refresh,
                remove_written=self.memory.remove_written,
                sessions_with_phrases=self.feedback.sessions_with_phrases,
                installed_hooks=self.install.status,
            ),
            archive=settings.archive,
        )
        self.proposals = ProposalService(
            home,
            projects,
            decisions,
            snapshots=deps.snapshots,
            rule_files=rule_files,
            answers=AnswerHandlers(
                rules=self.rules.proposals,
                kinds={ProposalType.GUARD: self.guards, ProposalType.FIX: self.fixes, ProposalType.SKILL: self.skills},
                overrule=self.guards.overrule_from_chat,
                requests=lambda: self.feedback.added_languages.requests,
                forget=self.forgetting.forget_from_chat,
            ),
            settings=promotion,
            viewer=deps.viewer,
        )
        self.trials = TrialService(
            home,
            edit_ports,
            rule_files,
            decisions,
            refresh,
            experiments=settings.answer_to("trials.experiments"),
            holdout=settings.trials.holdout,
            promote=promotion,
            detector=self.feedback.session_detector,
            proposal=self.proposals.get,
        )
        self.changes = ChangeService(
            home, edit_ports, decisions, refresh, is_prepared=lambda: bool(deps.snapshots.digests())
        )
        self.delivery = DeliveryService(
            home,
            projects,
            edit_ports,
            deps.snapshots,
            build_snapshot=self._build_snapshot,
            settings=settings.deliver,
            promotion=promotion,
        )
        self.report = ReportService(home, projects, settings.mine)

    @one_writer("learn")
    def learn(  # noqa: PLR0913 - the options of one run, each by keyword
        self,
        path: Path | None = None,
        *,
        days: float | None = None,
        project: str | None = None,
        recheck: bool = False,
        jobs: int = 0,
        judge: bool | None = None,
        progress: RunProgress | Callable[[int, int], None] | None = None,
    ) -> Report:
        """Read new sessions below `path`, or wherever agents keep them, and report on all of them or on one `project`.

        With `recheck`, file sizes and dates are not trusted: every byte is read and compared with what was read before.
        `jobs` is the number of processes; 0 decides by the amount to read. Instruction files are judged when
        sessions have new events; `judge` forces or skips that. Questions to the user appear in one report only.

        Raises:
            UsageError: `path` does not exist, `project` is unknown, or a number is out of range.
            StoreBusy: another wisen process keeps writing to the same home.
            StoreError: a store cannot be written.
        """
        under = existing_path(path)
        if days is not None and days <= 0:
            raise UsageError(f"--days {days:g} leaves nothing to read. Give a number above 0, or leave it out for all.")
        if jobs < 0:
            raise UsageError(f"--jobs {jobs} is not a number of processes. Give 1 or more, or 0 to let wisen decide.")
        selection = Selection(under=under, since=self.home.clock.now() - timedelta(days=days) if days else None)
        options = RunOptions(selection=selection, recheck=recheck, jobs=jobs, judge=judge, asks_user=True)
        with_progress = replace(options, progress=as_run_progress(progress))
        if project is None:
            return self._run_learn(with_progress)
        first_report: Report | None = None
        places = self.contexts.places_of(project)
        if not places:  # the new sessions may contain it
            first_report = self._run_learn(with_progress)
            places = self.contexts.places_of(project, is_required=True)
        report = self._run_learn(replace(options, selection=replace(selection, places=places)))
        if first_report is None:
            return report
        figures = ("read_bytes", "new_events", "seconds", "reading_seconds", "proposals", "waiting", "warnings")
        return replace(report, **{name: getattr(first_report, name) for name in figures})

    def _run_learn(self, options: RunOptions) -> Report:
        from wisen import cycle

        warnings, boundaries = (*self._deps.warnings, *options.warnings), self._boundaries.for_new_run()
        options = replace(options, warnings=warnings, boundaries=boundaries)
        try:
            self.forgetting.apply_session_switches()
            try:
                return cycle.learn(self, options)
            except StoreDamaged as error:
                warning = self.home.index.rebuild(error)
                if warning is None:
                    raise
                boundaries = options.boundaries.for_new_run()
                return cycle.learn(self, replace(options, warnings=(*warnings, warning), boundaries=boundaries))
        except WisenError as error:
            self._record_failure(error)
            raise

    @one_writer("cycle")
    def cycle(self, *, quick: bool = False, dry_run: bool = False) -> CycleResult:
        """Run the whole cycle: ingest hook records, learn, execute requests, apply what policy allows, deliver.

        A forgetting that an earlier, interrupted run began is finished first.

        With `quick`, instruction files are not judged. With `dry_run`, pending work is only counted.

        Raises:
            StoreError: a store cannot be written. Finished work is kept, and the next cycle continues from there.
        """
        from wisen import cycle
        from wisen.model.cycle_result import CycleResult

        if dry_run:
            applied, problems = self.proposals.apply_by_policy(dry_run=True)
            waiting, retired = self.delivery.count_spooled(), len(self.forgetting.sessions_to_retire())
            snapshots = self.delivery.prepare_snapshots(dry_run=True)
            return CycleResult(None, waiting, (), applied, snapshots, problems, retired)
        total: CycleResult | None = None
        for _ in range(_ROUNDS):
            began = self.home.clock.now()
            options = RunOptions(judge=False if quick else None, boundaries=self._boundaries.for_new_run())
            latest = cycle.cycle(self, options, self._run_learn)
            total = total.combine(latest) if total else latest
            last_wake = self._deps.snapshots.last_wake()
            if last_wake is None or last_wake < began:
                break  # otherwise a hook was told that this cycle picks up its new records
        assert total is not None
        return total

    def status(self, project: Path | None = None) -> InstallationState:
        """Summarize what was learned, the last runs and the hooks; the agent settings of `project` count as well."""
        from wisen.model.report import decisions_about_lines
        from wisen.model.state import InstallationState

        home = self.home
        return InstallationState(
            version=home.version,
            home=str(home.path),
            ledger=self._deps.ledger_name,
            contexts=len(home.ledger.contexts.all()),
            counts=home.index.events.counts(Selection()),
            runs=home.ledger.runs.newest(_SHOWN_RUNS),
            warnings=(*self._deps.warnings, *self.feedback.added_languages.warnings),
            alarms=self.health.find_problems(project),
            archive=self.forgetting.archive_usage(),
            off=self.forgetting.disabled_by(project) if project else "",
            waiting=self.contexts.describe_waiting(once=False),
            models=self.models.state(),
            findings=decisions_about_lines(self.blame.findings()),
            pointing=self.feedback.consent.is_given,
            requests=len(self.decisions.requests()),
            private=self.delivery.count_private_entries(),
            lessons=self.lessons.count(),
            rules=self.rules.count(),
            proposals=sum(each.is_waiting for each in self.proposals.all()),
            hooks=self.install.agents_with_hooks(project),
        )

    def histories(self, path: Path | None = None) -> Iterator[History]:
        """Iterate over the sessions that were read: their calls in order, and the user's turns between them.

        Raises:
            UsageError: `path` does not exist.
        """
        return self.home.index.events.histories(Selection(under=existing_path(path)))

    def close(self) -> None:
        """Close the stores."""
        self.home.index.close()
        self.home.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _detect(self) -> SummaryWriter:
        from wisen.cycle import detect

        return detect(self, self._boundaries, RunProgress())

    def _is_lasting(self, state: EntryState) -> bool:
        from wisen.delivery.user_statements import is_user_statement

        return is_user_statement(state)

    def _write_context_files(self) -> None:
        self.rules.write_context_files(lambda: entry_states(self.home.ledger), self._boundaries)

    def _prepare_snapshots(self) -> None:
        self.delivery.prepare_snapshots(self._boundaries)

    def _build_snapshot(self, boundaries: ErrorBoundaries) -> SnapshotSet:
        """Build everything that hooks may need from what the features contribute."""
        from wisen.delivery.snapshot_builder import SnapshotBuilder

        deps, settings = self._deps, self._deps.settings
        candidates = CandidateSources(
            trial_standings=self.trials.standings,
            questions=self.contexts.questions,
            question_about=self.rules.question_about,
            turn_questions=self._turn_questions,
            requests=lambda: self.feedback.added_languages.requests,
            language_of=self.feedback.added_languages.language_of,
            praise_counts=self.praise.praise_of_subjects,
            workflow_hints=self.workflows.hints,
        )
        telling = SnapshotBuilder(self.home, deps.rule_files, candidates, door=deps.door, deliver=settings.deliver)
        return telling.build(boundaries)

    def _turn_questions(self, context: str) -> list[TurnQuestion]:
        """List what an agent may be asked in a context: turns in doubt, and a lesson that needs better wording."""
        from wisen.delivery.turn_questions import turn_questions

        if not self.feedback.consent.is_given:
            return []
        turns = self.feedback.settlement.open_turns(context)
        lessons = self.proposals.unworded_lessons(context, local=self.delivery.delivers_local_words)
        return turn_questions(turns, lessons, self.home.ledger.exposures.of)

    def _record_failure(self, error: WisenError) -> None:
        """Record a run that failed, so that a failure can be told apart from having nothing to learn."""
        from wisen.model.run import failed_run

        home = self.home
        run = failed_run(home.ids.new(), home.machine, home.clock.now(), home.version, str(error))
        try:
            home.ledger.runs.add(run)
        except WisenError:
            return  # the ledger itself failed; the caller sees the first error
