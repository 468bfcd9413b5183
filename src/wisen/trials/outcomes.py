"""Records the trial outcomes of finished sessions in the ledger.

The same code counts hits whether or not a session got what was on trial.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from wisen.mining.goals import goals_of
from wisen.mining.practice_steps import check_practice
from wisen.mining.session_times import SESSION_GAP, event_times
from wisen.mining.signatures import describe_failure
from wisen.model.context import NOWHERE
from wisen.model.entry import Category, EntryOrigin, rule_id
from wisen.model.event import Status
from wisen.model.history import UserAction
from wisen.model.report import Selection
from wisen.model.signal import SignalKind
from wisen.model.trial import TrialOutcome
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.trials.trial_rows import ALL_HINTS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry import Entry
    from wisen.model.exposure import Exposure
    from wisen.model.fix import Fix
    from wisen.model.history import History, Step
    from wisen.model.signal import RecordedSignal
    from wisen.store.home import Home
    from wisen.store.index import Index

_MAX_WAIT = timedelta(days=30)
"""How long a session is looked for in the logs."""
_MARGIN = timedelta(days=1)
_FAILED = (Status.FAILED, Status.MASKED)
SessionKey = tuple[str, str]
"""An agent and its id of a session."""
Sessions: TypeAlias = "dict[SessionKey, list[History]]"
DetectSignals: TypeAlias = "Callable[[History], Sequence[RecordedSignal]]"
"""Detects the user's feedback in a session, including phrases learned from this user."""


def record_outcomes(home: Home, detector: Callable[[], DetectSignals]) -> int:
    """Record what finished sessions showed about what was on trial in them. Returns how many sessions.

    `detector` returns the feedback detector with this user's phrases as known now.
    """
    now = home.clock.now()
    known = {(each.agent, each.session, each.subject, each.version) for each in home.ledger.trial_outcomes.all()}
    waiting: dict[SessionKey, list[Exposure]] = defaultdict(list)
    for coin in home.ledger.exposures.all(coin_only=True):
        if (coin.agent, coin.session, coin.subject, coin.version) not in known and now - coin.at < _MAX_WAIT:
            waiting[coin.agent, coin.session].append(coin)
    if not waiting:
        return 0
    since = min(coin.at for coins in waiting.values() for coin in coins) - _MARGIN
    relevance, detect = SessionRelevance(home), detector()
    rows: list[TrialOutcome] = []
    ended = 0
    recent = home.index.events.histories(Selection(since=since, sessions=_numbers_of(home.index, waiting.keys())))
    for key, histories in sessions_of(recent).items():
        times = [at for history in histories for at in event_times(history)]
        if times and now - max(times) >= SESSION_GAP:
            ended += 1
            guardrails = _guardrails(histories, detect)
            rows += [relevance.outcome_of(coin, histories, min(times), guardrails) for coin in waiting[key]]
    home.ledger.trial_outcomes.add({each.id: each for each in rows}.values())
    return ended


def sessions_of(histories: Iterable[History]) -> Sessions:
    """Group histories by session; sub-agents belong to their parent and share its coin."""
    sessions: Sessions = defaultdict(list)
    for history in histories:
        sessions[_parent(history.agent, history.native)].append(history)
    return sessions


def _numbers_of(index: Index, wanted: Collection[SessionKey]) -> frozenset[int]:
    """Return the numbers of sessions in the index, and of their sub-agents."""
    return index.sessions.numbers_of([key for key in index.sessions.keys(Selection()) if _parent(*key) in wanted])


def _parent(agent: str, native: str) -> SessionKey:
    return agent, native.partition("/")[0]


def _guardrails(histories: Sequence[History], detect: DetectSignals) -> dict[str, int]:
    """Count what must not get worse in a session. Agents log tokens differently, so tokens are not included."""
    signals = [each for history in histories for each in detect(history)]
    return {
        "corrections": len({each.message for each in signals if each.signal.kind is SignalKind.CORRECTION}),
        "failures": sum(step.status in _FAILED for history in histories for step in history.steps),
        "interrupts": sum(turn.action is not UserAction.SAID for history in histories for turn in history.turns),
    }


class SessionRelevance:
    """Decides whether what is on trial was relevant in a session, and whether what it is against happened."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._entries = {rule_id(each.id): each for each in home.ledger.entries.all()}
        self._fixes = {each.id: each for each in home.index.findings.fixes(Selection())}
        self._sessions_by_entry: dict[str, frozenset[SessionKey]] = {}

    def outcome_of(
        self, coin: Exposure, histories: Sequence[History], at: datetime, guardrails: dict[str, int]
    ) -> TrialOutcome:
        """Build the outcome of one trial in a session."""
        key = (coin.agent, coin.session)
        relevant, hit = (
            (True, False)
            if (coin.subject, coin.version) == ALL_HINTS
            else self._subject_relevance(coin.subject, key, histories)
        )
        identity = "\0".join((coin.agent, coin.session, coin.subject, coin.version))
        return TrialOutcome(
            id=blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
            machine=self._home.machine,
            agent=coin.agent,
            session=coin.session,
            subject=coin.subject,
            version=coin.version,
            at=at,
            relevant=relevant,
            hit=relevant and hit,
            guardrails=guardrails,
        )

    def line_relevance(self, entry: Entry, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        """Return whether a line in a file was relevant in a session, and whether what it is against happened."""
        fix = next((self._fixes[tag] for tag in entry.tags if tag in self._fixes), None)
        if fix is not None:
            return fix_line_relevance(fix, [step for history in histories for step in history.steps])
        return self._hint_relevance(entry, key, histories)

    def _subject_relevance(self, subject: str, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        entry, fix = self._entries.get(subject), self._fixes.get(subject)
        if fix is not None:
            return fix_relevance(fix, [step for history in histories for step in history.steps])
        return (False, False) if entry is None else self._hint_relevance(entry, key, histories)

    def _hint_relevance(self, entry: Entry, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        if entry.category is Category.BEST_PRACTICE and entry.origin is EntryOrigin.MEASURED:
            results = [check_practice(entry, history, goals_of(history)) for history in histories]
            return any(relevant for relevant, _ in results), any(hit for _, hit in results)
        return self._stated_again(entry, key, histories)

    def _stated_again(self, entry: Entry, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        """Treat any other rule as relevant wherever it applies and work was done, and hit where it was stated again."""
        contexts = {step.context or NOWHERE for history in histories for step in history.steps}
        applies = entry.context in contexts or (bool(contexts) and not entry.context)
        if entry.id not in self._sessions_by_entry:
            occurrences = self._home.ledger.occurrences.of(entry.id)
            self._sessions_by_entry[entry.id] = frozenset((each.agent, each.session) for each in occurrences)
        return applies, key in self._sessions_by_entry[entry.id]


def fix_relevance(fix: Fix, steps: Iterable[Step]) -> tuple[bool, bool]:
    """Return whether a fix could be delivered in a session, and whether its failure came back after that.

    It is delivered after a failure, so the first one is the same with and without it: only what follows can differ.
    """
    relevant = False
    for step in sorted(steps, key=lambda each: each.at):
        if not _has_same_failure(fix, step):
            continue
        if relevant:
            return True, True
        relevant = step.status is Status.FAILED and _is_delivered_for(fix, step)
    return relevant, False


def fix_line_relevance(fix: Fix, steps: Iterable[Step]) -> tuple[bool, bool]:
    """Return whether a line about a fix was relevant in a session, and whether its failure happened.

    It is read before anything is done, so it is relevant wherever the program is called whose calls failed.
    """
    calls = [step for step in steps if step.tool == fix.change.tool]
    program = _program(fix.before)
    return any(_program(step.arguments) == program for step in calls), any(
        _has_same_failure(fix, step) for step in calls
    )


def _program(arguments: str | None) -> str:
    command = command_of(fields_of(arguments))
    return parse_command(command).main_part.program if command else ""


def _has_same_failure(fix: Fix, step: Step) -> bool:
    """Whether a call failed in the way that a fix solves."""
    if step.status not in _FAILED or step.tool != fix.change.tool:
        return False
    signature = describe_failure(tool=step.tool, arguments=step.arguments, text=step.text).signature
    return (signature.key, signature.who, signature.says) == (fix.signature.key, fix.signature.who, fix.signature.says)


def _is_delivered_for(fix: Fix, step: Step) -> bool:
    """Whether a fix is delivered for a failed call, as the hook client decides it."""
    before, command = command_of(fields_of(fix.before)), command_of(fields_of(step.arguments))
    if before is None or command is None:
        return True
    if fix.sessions == 1:
        return command.split() == before.split()
    return all(word in command for word in fix.change.removed if "…" not in word)
