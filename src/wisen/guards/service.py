"""The guard service: lists, adds, backtests, enables and disables guards, and answers proposals of guards."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.decisions.proposal_kinds import Answered, already_answered, refuse_place
from wisen.decisions.service import answer_command
from wisen.errors import UsageError
from wisen.kernel.matching import WatchedCall
from wisen.model.context import Alias
from wisen.model.entry import Actor, Answer, MoveKind
from wisen.model.fix import Danger
from wisen.model.guard import Guard, GuardSource, GuardState, Mode, guard_id, guard_states, guard_version, parse_guard
from wisen.model.guard_text import describe_watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.permission import Permission, PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.projects import Projects
    from wisen.model.backtest import Backtest
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.exposure import Exposure
    from wisen.model.fix import Fix
    from wisen.model.guard import GuardStats, ParsedGuard
    from wisen.model.history import Step
    from wisen.model.instruction import Blame
    from wisen.store.home import Home


class GuardMatch(NamedTuple):
    """A guard that matches a call."""

    state: GuardState
    better: str
    """The corrected call, or the general replacement; empty where there is none."""
    doubt: str = ""
    """Why it is unclear whether the call matches; empty where it is clear."""


class LoggedDecision(NamedTuple):
    """What a guard did, or would have done, and what became of the call."""

    exposure: Exposure
    step: Step | None
    """None where the call is not in the log."""


_APPROVAL_REASONS = {Actor.USER: "you approved it", Actor.WISEN: "policy let it pass"}


class GuardService:
    """Manages guards: which calls are watched for, and what happens then."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        rule_files: RuleFiles,
        decisions: Decisions,
        refresh: Refresh,
        *,
        settings: GuardPolicy,
        promote: PromotePolicy,
    ) -> None:
        """Create the service; `promote` says what may happen without asking."""
        self._home, self._projects, self._rule_files = home, projects, rule_files
        self._decisions, self._refresh = decisions, refresh
        self._settings, self._promote = settings, promote

    def all(self) -> tuple[GuardState, ...]:
        """Return every guard that was not removed, with its mode, oldest first."""
        return tuple(each for each in self._states() if each.mode is not Mode.REMOVED)

    def get(self, name: str) -> GuardState:
        """Return a guard by its id or the beginning of its id.

        Raises:
            UsageError: no guard, or more than one, has such an id.
        """
        wanted = name.casefold().removeprefix("g-")
        matches = [each for each in self.all() if wanted and each.guard.id.casefold()[2:].startswith(wanted)]
        if len(matches) != 1:
            problem = f"{len(matches)} guards begin with" if matches else "No guard has the id"
            raise UsageError(f"{problem} {name!r}. List the ids with: wisen guards")
        return matches[0]

    def add(self, text: str, project: Path | None = None, *, shadow: bool = False, dry_run: bool = False) -> GuardState:
        """Add a guard that the user wrote, for a project or everywhere; in shadow mode it only records matches.

        Raises:
            UsageError: the text cannot be parsed, contains what may not be stored, or such a guard exists already.
            StoreError: the snapshot that hooks read cannot be written.
        """
        from wisen.safety.withhold import rule_against

        form = parse_guard(text)
        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text contains something that may not be stored ({rule}). Remove it and try again.")
        context = "" if project is None else self._projects.context_of(project)
        known = {each.guard.id: each for each in self.all()}
        id_ = guard_id(context, form.watch)
        if id_ in known and known[id_].guard.better == form.better and known[id_].guard.action is form.action:
            raise UsageError(f"{id_} watches for that already. wisen guards show {id_}")
        guard = self._build_guard(form, context, GuardSource.HAND, "")
        mode = Mode.SHADOW if shadow else form.action
        where = "--here" if context else "--everywhere"
        self._decisions.require_person(
            "guards", "add", text, where, *(("--shadow",) if shadow else ()), dry_run=dry_run
        )
        state = GuardState(guard=guard, mode=mode, by=Actor.USER, why="you wrote it", since=guard.at)
        if not dry_run:
            ledger = self._home.ledger
            for seen, path in self._projects.resolver.locations.take_new() if context else ():
                # A project without any session yet becomes known now, so that hooks find its guards.
                ledger.contexts.add(
                    seen, Alias(context=seen.key, machine=self._home.machine, path=path, since=guard.at)
                )
            move = self._home.row_factory.build_move(guard.id, MoveKind.GUARD, mode, by=Actor.USER, why="you wrote it")
            with self._decisions.as_decision("guard", guard.id):
                self._home.ledger.entries.record([guard, move])
            self._refresh.snapshots()
        return state

    def set_mode(self, name: str, mode: Mode, *, why: str = "", dry_run: bool = False) -> GuardState:
        """Have a guard warn, deny, ask, only watch, or do nothing; a removed guard disappears from every list.

        Raises:
            UsageError: there is no such guard.
            StoreError: the snapshot that hooks read cannot be written.
        """
        state = self.get(name)
        verb = {Mode.OFF: ("disable",), Mode.REMOVED: ("remove",)}.get(mode, ("enable",))
        option = () if verb != ("enable",) else ("--as", mode.value)
        self._decisions.require_person("guards", *verb, state.guard.id, *option, dry_run=dry_run)
        move = self._home.row_factory.build_move(
            state.guard.id, MoveKind.GUARD, mode, by=Actor.USER, why=why or "you said so"
        )
        if not dry_run:
            with self._decisions.as_decision("guard", state.guard.id):
                self._home.ledger.entries.record([move])
            self._refresh.snapshots()
        return GuardState(guard=state.guard, mode=mode, by=move.by, why=move.why, since=move.at)

    def backtest(self, name: str) -> tuple[Guard, Backtest]:
        """Backtest a guard on all recorded sessions, given its id or its text.

        Raises:
            UsageError: there is no such guard, and the text is not a guard.
        """
        is_text = " " in name.strip()
        guard = self._build_guard(parse_guard(name), "", GuardSource.HAND, "") if is_text else self.get(name).guard
        return guard, self.backtest_of(guard)

    def backtest_of(self, guard: Guard) -> Backtest:
        """Backtest a guard on all recorded sessions where it applies."""
        from wisen.guards.propose_guards import run_backtest

        return run_backtest(self._home, guard)

    def updated_backtest_lines(self, proposal: Proposal) -> tuple[str, ...]:
        """Describe today's backtest of a proposed guard, if it differs from the one in the proposal."""
        if proposal.backtest is None or not any(each.guard.id == proposal.entry for each in self.all()):
            return ()
        guard, tested = self.backtest(proposal.entry)
        before = proposal.backtest
        same = (tested.calls, tested.good, tested.helped) == (before.calls, before.good, before.helped)
        return () if same else self.backtest_lines(guard, tested)

    def backtest_lines(self, guard: Guard, tested: Backtest) -> tuple[str, ...]:
        """Describe a backtest in sentences."""
        from wisen.guards.guard_proposals import describe_backtest

        return describe_backtest(tested, guard.source)

    def try_command(
        self, command: str, *, tool: str = "Bash", cwd: str = "", context: str = ""
    ) -> tuple[GuardMatch, ...]:
        """Return the guards that match a call, whatever their mode: `Bash` is given a command line, any other tool
        its file."""
        from wisen.kernel.doubts import doubt_of
        from wisen.kernel.matching import corrected_line, find_hits
        from wisen.model.guard import parse_watch

        fields: dict[str, object] = {"command": command} if tool == "Bash" else {"file_path": command}
        call = WatchedCall(tool, fields, cwd, str(self._rule_files.user_home))
        matches = []
        for state in self.all():
            watch = parse_watch(state.guard.watch)
            if state.guard.context not in ("", context):
                continue
            if find_hits(watch, call):
                better = corrected_line(watch, state.guard.better.split(), call).strip()
                matches.append(GuardMatch(state, better or state.guard.better))
            elif doubt := doubt_of(watch, call):
                matches.append(GuardMatch(state, "", doubt))
        return tuple(matches)

    def live_outcomes(self, state: GuardState) -> GuardStats:
        """Return what became of the calls that a guard decided about."""
        from wisen.guards.propose_guards import live_outcomes

        return live_outcomes(self._home, state)

    def log(self, state: GuardState) -> tuple[LoggedDecision, ...]:
        """Return the decisions of a guard, newest first, with what became of each call."""
        from wisen.guards.propose_guards import find_calls

        exposures = self._home.ledger.exposures.of(state.guard.id)
        calls = find_calls(self._home.index, exposures)
        return tuple(LoggedDecision(each, calls.get((each.agent, each.call or ""))) for each in reversed(exposures))

    def permission_for(self, each: ProposalState) -> Permission:
        """Decide whether policy adopts a proposed guard by itself or asks the user.

        It asks, unless the profile is autonomous, the backtest is convincing, and the guard only removes words.
        """
        from wisen.edits.permission import Permission, Profile
        from wisen.guards.guard_proposals import is_convincing
        from wisen.model.report import Selection

        if Profile(self._promote.profile) is not Profile.AUTONOMOUS:
            return Permission.ASK
        guard = next(state.guard for state in self._states() if state.guard.id == each.proposal.entry)
        convincing = is_convincing(each.proposal.backtest, self._settings)
        only_removes = set(guard.better.split()) <= set(guard.watch.split())
        is_of_fix = guard.source is GuardSource.FIX
        fixes = self._home.index.findings.fixes(Selection()) if convincing and only_removes and is_of_fix else ()
        harmless = any(fix.id == guard.of and fix.danger is Danger.NONE for fix in fixes)
        return Permission.AUTO if harmless else Permission.ASK

    def answer(
        self,
        each: ProposalState,
        given: Answer,
        *,
        text: str | None = None,
        to: str | None = None,
        dry_run: bool = False,
        by: Actor = Actor.USER,
    ) -> Answered:
        """Apply the answer of the user, or of policy, to a proposed guard; an approved one does what its line says.

        Raises:
            UsageError: it was answered already, a place is named, the text cannot be a guard, or policy would have a
                guard do more than warn.
            PersonNeeded: the answer is said to be the user's, and nothing shows that a person gives it.
        """
        refuse_place(each.proposal, to)
        if not each.is_waiting:
            raise already_answered(self._home.ledger, each)
        if by is Actor.USER:
            parse_guard(each.proposal.text if text is None else text)  # report an invalid text first
            self._decisions.require_person(*answer_command(each.proposal.id, given, text), dry_run=dry_run)
        self._record_answer(each.proposal, given, text, by=by, dry_run=dry_run)
        return Answered(each, None)

    def overrule_from_chat(self, name: str) -> str:
        """Record that the user said in a chat that a guard was wrong. Returns what was done. Raises: UsageError."""
        guard = self.get(name).guard
        with self._decisions.as_decision("overruled", guard.id):
            move = self._home.row_factory.build_move(guard.id, MoveKind.OVERRULE, by=Actor.USER, why="in a chat")
            self._home.ledger.entries.record([move])
        return f"overruled: {guard.id}, {describe_watch(guard.watch)}"

    def propose(self, fixes: Iterable[Fix], states: Sequence[EntryState], judged: Iterable[Blame]) -> int:
        """Propose guards that their backtest supports, and move those that the user overrules back to shadow.

        `states`: the states of all entries; `judged`: what sessions show about instruction files. Returns by how much
        the number of open proposals grew.
        """
        from wisen.guards.propose_guards import GuardProposer

        proposer = GuardProposer(self._home, self._projects, self._rule_files, self._settings, self._promote)
        return proposer.propose(fixes, states, judged)

    def _record_answer(self, proposal: Proposal, given: Answer, text: str | None, *, by: Actor, dry_run: bool) -> None:
        id_ = proposal.entry
        form = parse_guard(proposal.text if text is None else text)
        if by is not Actor.USER and form.action is not Mode.WARN:
            raise UsageError(f"{form.action.value} needs the user's own decision: wisen guards enable {id_}")
        move = self._home.row_factory.build_move
        moves = [move(proposal.id, MoveKind.ANSWER, given, by=by)]
        guards: list[Guard] = []
        if given is Answer.APPROVED:
            previous = next(each.guard for each in self._states() if each.guard.id == id_)
            guard = self._build_guard(form, previous.context, previous.source, previous.of)
            if (guard.id, guard.version, guard.action) != (previous.id, previous.version, previous.action):
                guards.append(guard)
            if guard.id != previous.id:
                moves.append(move(previous.id, MoveKind.GUARD, Mode.REMOVED, by=by, why=f"it became {guard.id}"))
            moves.append(move(guard.id, MoveKind.GUARD, form.action, by=by, why=_APPROVAL_REASONS[by]))
        elif given is Answer.REJECTED:
            moves.append(move(id_, MoveKind.GUARD, Mode.OFF, by=by, why="you rejected it"))
        if not dry_run:
            with self._decisions.as_decision(given.value, proposal.id, by=by):
                self._home.ledger.entries.record([*guards, *moves])
            self._refresh.snapshots()

    def _states(self) -> tuple[GuardState, ...]:
        return guard_states(self._home.ledger.guards.all(), self._home.ledger.moves.all())

    def _build_guard(self, form: ParsedGuard, context: str, source: GuardSource, source_id: str) -> Guard:
        return Guard(
            id=guard_id(context, form.watch),
            version=guard_version(form.watch, form.better, form.action),
            machine=self._home.machine,
            at=self._home.clock.now(),
            context=context,
            watch=form.watch,
            better=form.better,
            reason=form.reason,
            source=source,
            of=source_id,
            action=form.action,
        )
