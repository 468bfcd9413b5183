"""What a Learner can be asked and told about guards."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.decisions.proposal_kinds import Answered
from wisen.decisions.service import answer_words
from wisen.delivery.service import Deliverer, Granted
from wisen.errors import UsageError
from wisen.install.service import Installer
from wisen.model.context import Alias
from wisen.model.entry import Answer, MoveKind, ProposalType, Who
from wisen.model.fix import Danger
from wisen.model.guard import Guard, GuardSource, GuardState, Mode, form_of, guard_id, guard_states, version_of
from wisen.model.guard_words import describe_watch

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.delivery.spool import Wish
    from wisen.edits.permission import Leave
    from wisen.model.backtest import Backtest
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import Asked
    from wisen.model.exposure import Exposure
    from wisen.model.guard import Fared, Form
    from wisen.model.history import Step
    from wisen.parts import Parts


class Fit(NamedTuple):
    """A guard that a call fits."""

    state: GuardState
    better: str
    """The call with the better words in it, or what is better in general; empty where nothing is."""
    doubt: str = ""
    """Why it cannot be read whether the call fits; empty where its words tell."""


class Decided(NamedTuple):
    """What a guard did, or would have done, and what became of the call."""

    exposure: Exposure
    step: Step | None
    """None where the log does not show the call."""


_WHY = {Who.USER: "you approved it", Who.WISEN: "policy let it pass"}


class Guarder(Deliverer, Installer):
    """What a Learner does with guards."""

    _parts: Parts

    def guards(self) -> tuple[GuardState, ...]:
        """Every guard that was not removed, with its mode, oldest first."""
        return tuple(each for each in self._guards() if each.mode is not Mode.REMOVED)

    def guard(self, name: str) -> GuardState:
        """A guard by its id or how that begins.

        Raises:
            UsageError: no guard, or more than one, has such an id.
        """
        wanted = name.casefold().removeprefix("g-")
        fits = [each for each in self.guards() if wanted and each.guard.id.casefold()[2:].startswith(wanted)]
        if len(fits) != 1:
            found = f"{len(fits)} guards begin with" if fits else "No guard has the id"
            raise UsageError(f"{found} {name!r}. The ids stand beside the guards: wisen guards")
        return fits[0]

    def add_guard(
        self, text: str, project: Path | None = None, *, shadow: bool = False, dry_run: bool = False
    ) -> GuardState:
        """Watch for something from now on, as the user wrote it, in a project or everywhere; in shadow only note it.

        Raises:
            UsageError: the text cannot be read, holds what may not be stored, or there is such a guard already.
            StoreError: what hooks read cannot be written.
        """
        from wisen.safety.withhold import rule_against

        form = form_of(text)
        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text holds what may not be stored ({rule}). Word it without that.")
        context = "" if project is None else self.context_of(project)
        known = {each.guard.id: each for each in self.guards()}
        id_ = guard_id(context, form.watch)
        if id_ in known and known[id_].guard.better == form.better and known[id_].guard.action is form.action:
            raise UsageError(f"{id_} watches for that already. wisen guards show {id_}")
        guard = self._guard_of(form, context, GuardSource.HAND, "")
        mode = Mode.SHADOW if shadow else form.action
        where = "--here" if context else "--everywhere"
        self.require_person("guards", "add", text, where, *(("--shadow",) if shadow else ()), dry_run=dry_run)
        state = GuardState(guard=guard, mode=mode, by=Who.USER, why="you wrote it", since=guard.at)
        if not dry_run:
            parts = self._parts
            for seen, path in parts.scope.new_sightings() if context else ():
                # A project in which nobody worked yet is known from now on, so that hooks find its guards.
                parts.ledger.sight(seen, Alias(context=seen.key, machine=parts.machine, path=path, since=guard.at))
            move = parts.scribe.move(guard.id, MoveKind.GUARD, mode, by=Who.USER, why="you wrote it")
            with self.as_decision("guard", guard.id):
                self._parts.ledger.enter([guard, move])
            self._follow()
        return state

    def set_guard(self, name: str, mode: Mode, *, why: str = "", dry_run: bool = False) -> GuardState:
        """Have a guard warn, deny, ask, only watch, or do nothing; a removed one is gone from every list.

        Raises:
            UsageError: there is no such guard.
            StoreError: what hooks read cannot be written.
        """
        state = self.guard(name)
        verb = {Mode.OFF: ("disable",), Mode.REMOVED: ("remove",)}.get(mode, ("enable",))
        option = () if verb != ("enable",) else ("--as", mode.value)
        self.require_person("guards", *verb, state.guard.id, *option, dry_run=dry_run)
        move = self._parts.scribe.move(state.guard.id, MoveKind.GUARD, mode, by=Who.USER, why=why or "you said so")
        if not dry_run:
            with self.as_decision("guard", state.guard.id):
                self._parts.ledger.enter([move])
            self._follow()
        return GuardState(guard=state.guard, mode=mode, by=move.by, why=move.why, since=move.at)

    def backtest_guard(self, name: str) -> tuple[Guard, Backtest]:
        """How a guard would have fared over everything that was recorded: one that there is, or one in writing.

        Raises:
            UsageError: there is no such guard, and the text is none.
        """
        written = " " in name.strip()
        guard = self._guard_of(form_of(name), "", GuardSource.HAND, "") if written else self.guard(name).guard
        return guard, self.backtest_of(guard)

    def backtest_of(self, guard: Guard) -> Backtest:
        """How a guard would have fared over everything that was recorded where it holds."""
        from wisen.guards.backtest_history import Watched
        from wisen.guards.crystallizing import backtest, signature_of

        return backtest(self._parts, Watched(guard.watch, guard.context, signature_of(self._parts, guard)))

    def backtest_now(self, proposal: Proposal) -> tuple[str, ...]:
        """What the past says of a proposed guard today, where that is more than what it said when it was proposed."""
        if proposal.backtest is None or not any(each.guard.id == proposal.entry for each in self.guards()):
            return ()
        guard, tested = self.backtest_guard(proposal.entry)
        before = proposal.backtest
        same = (tested.calls, tested.good, tested.helped) == (before.calls, before.good, before.helped)
        return () if same else self.backtest_lines(guard, tested)

    def backtest_lines(self, guard: Guard, tested: Backtest) -> tuple[str, ...]:
        """What a backtest came to, in words."""
        from wisen.guards.adopt import told

        return told(tested, guard.source)

    def try_guards(self, command: str, *, tool: str = "Bash", cwd: str = "", context: str = "") -> tuple[Fit, ...]:
        """The guards that a call would fit, whatever their mode, as before a call: `Bash` is given a command line, any
        other tool its file."""
        from wisen.kernel.doubts import doubt_of
        from wisen.kernel.matching import Call, better_line, hits
        from wisen.model.guard import watch_of

        fields: dict[str, object] = {"command": command} if tool == "Bash" else {"file_path": command}
        call = Call(tool, fields, cwd, str(self._parts.user_home))
        found = []
        for state in self.guards():
            watch = watch_of(state.guard.watch)
            if state.guard.context not in ("", context):
                continue
            if hits(watch, call):
                better = better_line(watch, state.guard.better.split(), call).strip()
                found.append(Fit(state, better or state.guard.better))
            elif doubt := doubt_of(watch, call):
                found.append(Fit(state, "", doubt))
        return tuple(found)

    def guard_fared(self, state: GuardState) -> Fared:
        """How a guard has fared live."""
        from wisen.guards.crystallizing import live

        return live(self._parts, state)

    def guard_log(self, state: GuardState) -> tuple[Decided, ...]:
        """What a guard decided, newest first, with what became of each call."""
        from wisen.guards.live import AROUND, calls_in
        from wisen.model.report import Selection

        exposures = self._parts.ledger.exposures(state.guard.id)
        if not exposures:
            return ()
        calls = calls_in(self._parts.index.histories(Selection(since=exposures[0].at - AROUND)))
        return tuple(Decided(each, calls.get((each.agent, each.call or ""))) for each in reversed(exposures))

    def leave_for(self, each: Asked) -> Leave:
        """Whether policy lets a proposal pass, proposes it or asks.

        A guard asks, unless everything may happen by itself, the past speaks for it clearly, and it brings in nothing.
        """
        from wisen.edits.permission import Leave, Profile
        from wisen.guards.adopt import is_clear
        from wisen.model.report import Selection

        if each.proposal.type is not ProposalType.GUARD:
            return super().leave_for(each)
        guard = next(state.guard for state in self._guards() if state.guard.id == each.proposal.entry)
        sure = is_clear(each.proposal.backtest, self._parts.guards)
        takes_away = set(guard.better.split()) <= set(guard.watch.split())
        free = Profile(self._parts.promote.profile) is Profile.AUTONOMOUS and guard.source is GuardSource.FIX
        fixes = self._parts.index.fixes(Selection()) if sure and takes_away and free else ()
        harmless = any(fix.id == guard.of and fix.danger is Danger.NONE for fix in fixes)
        return Leave.AUTO if harmless else Leave.ASK

    def answer(
        self,
        proposal: str,
        given: Answer,
        *,
        text: str | None = None,
        dry_run: bool = False,
        by: Who = Who.USER,
        to: str | None = None,
    ) -> Answered:
        """Carry out what the user, or policy, says to a proposal; an approved guard does what its line says.

        Raises:
            UsageError: there is no such proposal, the text cannot be a rule or a guard, or policy would have a guard do
                more than warn.
            FileError: a file cannot be read or written; then nothing was answered.
        """
        each = self.proposal(proposal)
        if each.proposal.type is not ProposalType.GUARD:
            return super().answer(proposal, given, text=text, dry_run=dry_run, by=by, to=to)
        self.place_of(each.proposal, to)  # a guard goes into no file
        if not each.waits:
            raise self._answered_already(each)
        if by is Who.USER:
            form_of(each.proposal.text if text is None else text)  # what is wrong is told first
            self.require_person(*answer_words(each.proposal.id, given, text), dry_run=dry_run)
        self._answer_guard(each.proposal, given, text, by=by, dry_run=dry_run)
        return Answered(each, None)

    def _grant(self, wish: Wish) -> Granted:
        if wish.kind != "overrule":
            return super()._grant(wish)
        guard = self.guard(wish.id).guard
        with self.as_decision("overruled", guard.id):
            move = self._parts.scribe.move(guard.id, MoveKind.OVERRULE, by=Who.USER, why="in a chat")
            self._parts.ledger.enter([move])
        says = f"overruled: {guard.id}, {describe_watch(guard.watch)}"
        return Granted(says, says="")  # the session knows it since it was typed

    def _answer_guard(self, proposal: Proposal, given: Answer, text: str | None, *, by: Who, dry_run: bool) -> None:
        parts, id_ = self._parts, proposal.entry
        form = form_of(proposal.text if text is None else text)
        if by is not Who.USER and form.action is not Mode.WARN:
            raise UsageError(f"{form.action.value} needs the user's own word: wisen guards enable {id_}")
        move = parts.scribe.move
        moves = [move(proposal.id, MoveKind.ANSWER, given, by=by)]
        guards: list[Guard] = []
        if given is Answer.APPROVED:
            was = next(each.guard for each in self._guards() if each.guard.id == id_)
            guard = self._guard_of(form, was.context, was.source, was.of)
            if (guard.id, guard.version, guard.action) != (was.id, was.version, was.action):
                guards.append(guard)
            if guard.id != was.id:
                moves.append(move(was.id, MoveKind.GUARD, Mode.REMOVED, by=by, why=f"it became {guard.id}"))
            moves.append(move(guard.id, MoveKind.GUARD, form.action, by=by, why=_WHY[by]))
        elif given is Answer.REJECTED:
            moves.append(move(id_, MoveKind.GUARD, Mode.OFF, by=by, why="you rejected it"))
        if not dry_run:
            with self.as_decision(given.value, proposal.id, by=by):
                self._parts.ledger.enter([*guards, *moves])
            self._follow()

    def _guards(self) -> tuple[GuardState, ...]:
        return guard_states(self._parts.ledger.guards(), self._parts.ledger.moves())

    def _guard_of(self, form: Form, context: str, source: GuardSource, of: str) -> Guard:
        return Guard(
            id=guard_id(context, form.watch),
            version=version_of(form.watch, form.better, form.action),
            machine=self._parts.machine,
            at=self._parts.clock.now(),
            context=context,
            watch=form.watch,
            better=form.better,
            reason=form.reason,
            source=source,
            of=of,
            action=form.action,
        )

    def _follow(self) -> None:
        """What was decided holds from the next call on."""
        self.prepare()
