"""What sessions showed about what was on trial in them, noted in the ledger when they are over.

What is counted is told by the same code whether a session got a thing or not.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from wisen.mining.goals import goals_of
from wisen.mining.moments import OVER, moments
from wisen.mining.practice_steps import mattered
from wisen.mining.signatures import about
from wisen.model.context import NOWHERE
from wisen.model.entry import Category, EntryOrigin, rule_id
from wisen.model.event import Status
from wisen.model.history import Act
from wisen.model.report import Selection
from wisen.model.signal import SignalKind
from wisen.model.trial import TrialOutcome
from wisen.text.command_lines import command_of, fields_of, parsed
from wisen.trials.rows import ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry import Entry
    from wisen.model.exposure import Exposure
    from wisen.model.fix import Fix
    from wisen.model.history import History, Step
    from wisen.model.signal import Said
    from wisen.store.home import Home

_PATIENCE = timedelta(days=30)
"""So long a session is looked for in the logs."""
_AROUND = timedelta(days=1)
_FAILED = (Status.FAILED, Status.MASKED)
SessionKey = tuple[str, str]
"""An agent and its id of a session."""
Sessions: TypeAlias = "dict[SessionKey, list[History]]"
Listen: TypeAlias = "Callable[[History], Sequence[Said]]"
"""Hears what the user said in a session, in their own words too."""


def conclude(home: Home, listener: Callable[[], Listen]) -> int:
    """Note what the sessions that are over showed about what was on trial in them. Returns how many sessions.

    `listener` gives what hears how this user speaks, as it is known now.
    """
    now = home.clock.now()
    known = {(each.agent, each.session, each.subject, each.version) for each in home.ledger.trial_outcomes.all()}
    waiting: dict[SessionKey, list[Exposure]] = defaultdict(list)
    for coin in home.ledger.exposures.all(tossed=True):
        if (coin.agent, coin.session, coin.subject, coin.version) not in known and now - coin.at < _PATIENCE:
            waiting[coin.agent, coin.session].append(coin)
    if not waiting:
        return 0
    since = min(coin.at for coins in waiting.values() for coin in coins) - _AROUND
    told, listen = Matters(home), listener()
    rows: list[TrialOutcome] = []
    ended = 0
    for key, histories in sessions_of(home.index.events.histories(Selection(since=since)), waiting.keys()).items():
        when = [at for history in histories for at in moments(history)]
        if when and now - max(when) >= OVER:
            ended += 1
            rails = _rails(histories, listen)
            rows += [told.outcome(coin, histories, min(when), rails) for coin in waiting[key]]
    home.ledger.trial_outcomes.add({each.id: each for each in rows}.values())
    return ended


def sessions_of(histories: Iterable[History], wanted: Collection[SessionKey] | None = None) -> Sessions:
    """The courses of sessions, or of some, with those of their sub-agents, which have the coin of their parent."""
    found: Sessions = defaultdict(list)
    for history in histories:
        key = (history.agent, history.native.partition("/")[0])
        if wanted is None or key in wanted:
            found[key].append(history)
    return found


def _rails(histories: Sequence[History], listen: Listen) -> dict[str, int]:
    """What must not get worse in a session. Logs do not tell tokens alike, so they are not among it."""
    said = [each for history in histories for each in listen(history)]
    return {
        "corrections": len({each.message for each in said if each.signal.kind is SignalKind.CORRECTION}),
        "failures": sum(step.status in _FAILED for history in histories for step in history.steps),
        "interrupts": sum(turn.act is not Act.SAID for history in histories for turn in history.turns),
    }


class Matters:
    """Whether what is on trial mattered in a session, and whether what it is against happened."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._entries = {rule_id(each.id): each for each in home.ledger.entries.all()}
        self._fixes = {each.id: each for each in home.index.findings.fixes(Selection())}
        self._seen: dict[str, frozenset[SessionKey]] = {}

    def outcome(
        self, coin: Exposure, histories: Sequence[History], at: datetime, rails: dict[str, int]
    ) -> TrialOutcome:
        """What a session showed about one thing."""
        key = (coin.agent, coin.session)
        relevant, hit = (
            (True, False) if (coin.subject, coin.version) == ALL else self._told(coin.subject, key, histories)
        )
        told = "\0".join((coin.agent, coin.session, coin.subject, coin.version))
        return TrialOutcome(
            id=blake2b(told.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
            machine=self._home.machine,
            agent=coin.agent,
            session=coin.session,
            subject=coin.subject,
            version=coin.version,
            at=at,
            relevant=relevant,
            hit=relevant and hit,
            rails=rails,
        )

    def line(self, entry: Entry, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        """Whether a line that stands in a file could matter in a session, and whether what it is against happened."""
        fix = next((self._fixes[tag] for tag in entry.tags if tag in self._fixes), None)
        if fix is not None:
            return line_mattered(fix, [step for history in histories for step in history.steps])
        return self._hint(entry, key, histories)

    def _told(self, subject: str, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        entry, fix = self._entries.get(subject), self._fixes.get(subject)
        if fix is not None:
            return fix_mattered(fix, [step for history in histories for step in history.steps])
        return (False, False) if entry is None else self._hint(entry, key, histories)

    def _hint(self, entry: Entry, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        if entry.category is Category.BEST_PRACTICE and entry.origin is EntryOrigin.MEASURED:
            found = [mattered(entry, history, goals_of(history)) for history in histories]
            return any(relevant for relevant, _ in found), any(hit for _, hit in found)
        return self._said_again(entry, key, histories)

    def _said_again(self, entry: Entry, key: SessionKey, histories: Sequence[History]) -> tuple[bool, bool]:
        """Any other rule matters wherever it holds and something is done; it is hit where it had to be said again."""
        where = {step.context or NOWHERE for history in histories for step in history.steps}
        worked = entry.context in where or (bool(where) and not entry.context)
        if entry.id not in self._seen:
            seen = self._home.ledger.occurrences.of(entry.id)
            self._seen[entry.id] = frozenset((each.agent, each.session) for each in seen)
        return worked, key in self._seen[entry.id]


def fix_mattered(fix: Fix, steps: Iterable[Step]) -> tuple[bool, bool]:
    """Whether a fix could be told in a session, and whether its failure came back after that.

    It is told after a failure, so that the first one is the same with it and without: only what follows can differ.
    """
    relevant = False
    for step in sorted(steps, key=lambda each: each.at):
        if not _fails_so(fix, step):
            continue
        if relevant:
            return True, True
        relevant = step.status is Status.FAILED and _is_meant(fix, step)
    return relevant, False


def line_mattered(fix: Fix, steps: Iterable[Step]) -> tuple[bool, bool]:
    """Whether a line about a fix could matter in a session, and whether its failure happened.

    It is read before anything is done, so that it matters wherever the program is called whose calls failed.
    """
    calls = [step for step in steps if step.tool == fix.change.tool]
    program = _program(fix.before)
    return any(_program(step.arguments) == program for step in calls), any(_fails_so(fix, step) for step in calls)


def _program(arguments: str | None) -> str:
    command = command_of(fields_of(arguments))
    return parsed(command).main.program if command else ""


def _fails_so(fix: Fix, step: Step) -> bool:
    """Whether a call failed in the way that a fix is for."""
    if step.status not in _FAILED or step.tool != fix.change.tool:
        return False
    made = about(tool=step.tool, arguments=step.arguments, text=step.text).signature
    return (made.key, made.who, made.says) == (fix.signature.key, fix.signature.who, fix.signature.says)


def _is_meant(fix: Fix, step: Step) -> bool:
    """Whether a fix is told for a failed call, as the hook client decides it."""
    before, command = command_of(fields_of(fix.before)), command_of(fields_of(step.arguments))
    if before is None or command is None:
        return True
    if fix.sessions == 1:
        return command.split() == before.split()
    return all(word in command for word in fix.change.removed if "…" not in word)
