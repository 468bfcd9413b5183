"""What sessions showed about what was on trial in them, noted in the ledger when they are over.

What is counted is told by the same code whether a session got a thing or not.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.domain.commands import command_of, fields_of
from wisen.domain.entries import Category, Origin, rule_id
from wisen.domain.events import Status
from wisen.domain.histories import Act
from wisen.domain.report import Selection
from wisen.domain.signals import SignalKind
from wisen.domain.trials import Outcome
from wisen.loop.detect.listen import listen
from wisen.loop.mine.goals import goals_of
from wisen.loop.mine.signatures import about
from wisen.loop.record.practices import mattered
from wisen.loop.verify.trials.rows import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from wisen.domain.entries import Entry
    from wisen.domain.exposures import Exposure
    from wisen.domain.fixes import Fix
    from wisen.domain.histories import History, Step
    from wisen.parts import Parts

OVER = timedelta(hours=8)
"""So long nothing happened in a session that is over: what comes then is another one."""
_PATIENCE = timedelta(days=30)
"""So long a session is looked for in the logs."""
_AROUND = timedelta(days=1)
_FAILED = (Status.FAILED, Status.MASKED)
_Key = tuple[str, str]
"""An agent and its id of a session."""


def conclude(parts: Parts) -> int:
    """Note what the sessions that are over showed about what was on trial in them. Returns how many sessions."""
    now = parts.clock.now()
    known = {(each.agent, each.session, each.subject, each.version) for each in parts.ledger.outcomes()}
    waiting: dict[_Key, list[Exposure]] = defaultdict(list)
    for coin in parts.ledger.exposures(tossed=True):
        if (coin.agent, coin.session, coin.subject, coin.version) not in known and now - coin.at < _PATIENCE:
            waiting[coin.agent, coin.session].append(coin)
    if not waiting:
        return 0
    since = min(coin.at for coins in waiting.values() for coin in coins) - _AROUND
    told = _Told(parts)
    rows: list[Outcome] = []
    ended = 0
    for key, histories in _sessions(parts.index.histories(Selection(since=since)), waiting.keys()).items():
        moments = [at for history in histories for at in _moments(history)]
        if moments and now - max(moments) >= OVER:
            ended += 1
            rails = _rails(histories)
            rows += [told.outcome(coin, histories, min(moments), rails) for coin in waiting[key]]
    parts.ledger.conclude({each.id: each for each in rows}.values())
    return ended


def _sessions(histories: Iterable[History], wanted: Iterable[_Key]) -> dict[_Key, list[History]]:
    """The courses of sessions, with those of their sub-agents, which have the coin of their parent."""
    known = set(wanted)
    found: dict[_Key, list[History]] = defaultdict(list)
    for history in histories:
        key = (history.agent, history.native.partition("/")[0])
        if key in known:
            found[key].append(history)
    return found


def _moments(history: History) -> list[datetime]:
    return [*(step.at for step in history.steps), *(turn.at for turn in history.turns)]


def _rails(histories: Sequence[History]) -> dict[str, int]:
    """What must not get worse in a session. Logs do not tell tokens alike, so they are not among it."""
    said = [each for history in histories for each in listen(history)]
    return {
        "corrections": len({each.message for each in said if each.signal.kind is SignalKind.CORRECTION}),
        "failures": sum(step.status in _FAILED for history in histories for step in history.steps),
        "interrupts": sum(turn.act is not Act.SAID for history in histories for turn in history.turns),
    }


class _Told:
    """Whether what is on trial mattered in a session, and whether what it is against happened."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._entries = {rule_id(each.id): each for each in parts.ledger.entries()}
        self._fixes = {each.id: each for each in parts.index.fixes(Selection())}

    def outcome(self, coin: Exposure, histories: Sequence[History], at: datetime, rails: dict[str, int]) -> Outcome:
        """What a session showed about one thing."""
        relevant, hit = self._mattered(coin, histories)
        told = "\0".join((coin.agent, coin.session, coin.subject, coin.version))
        return Outcome(
            id=blake2b(told.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
            machine=self._parts.machine,
            agent=coin.agent,
            session=coin.session,
            subject=coin.subject,
            version=coin.version,
            at=at,
            relevant=relevant,
            hit=relevant and hit,
            rails=rails,
        )

    def _mattered(self, coin: Exposure, histories: Sequence[History]) -> tuple[bool, bool]:
        entry, fix = self._entries.get(coin.subject), self._fixes.get(coin.subject)
        if (coin.subject, coin.version) == ALL:
            return True, False
        if fix is not None:
            return fix_mattered(fix, [step for history in histories for step in history.steps])
        if entry is None:
            return False, False
        if entry.category is Category.BEST_PRACTICE and entry.origin is Origin.MEASURED:
            found = [mattered(entry, history, goals_of(history)) for history in histories]
            return any(relevant for relevant, _ in found), any(hit for _, hit in found)
        return self._said_again(entry, coin, histories)

    def _said_again(self, entry: Entry, coin: Exposure, histories: Sequence[History]) -> tuple[bool, bool]:
        """A rule that the user put on trial matters wherever it holds; it is hit where he had to say it again."""
        worked = any(step.context == entry.context or not entry.context for each in histories for step in each.steps)
        seen = self._parts.ledger.occurrences(entry.id)
        return worked, any((each.agent, each.session) == (coin.agent, coin.session) for each in seen)


def fix_mattered(fix: Fix, steps: Iterable[Step]) -> tuple[bool, bool]:
    """Whether a fix could be told in a session, and whether its failure came back after that.

    It is told after a failure, so that the first one is the same with it and without: only what follows can differ.
    """
    wanted = (fix.signature.key, fix.signature.who, fix.signature.says)
    relevant = False
    for step in sorted(steps, key=lambda each: each.at):
        if step.status not in _FAILED or step.tool != fix.change.tool:
            continue
        made = about(tool=step.tool, arguments=step.arguments, text=step.text).signature
        if (made.key, made.who, made.says) != wanted:
            continue
        if relevant:
            return True, True
        relevant = step.status is Status.FAILED and _is_meant(fix, step)
    return relevant, False


def _is_meant(fix: Fix, step: Step) -> bool:
    """Whether a fix is told for a failed call, as the hook client decides it."""
    before, command = command_of(fields_of(fix.before)), command_of(fields_of(step.arguments))
    if before is None or command is None:
        return True
    if fix.sessions == 1:
        return command.split() == before.split()
    return all(word in command for word in fix.change.removed if "…" not in word)
