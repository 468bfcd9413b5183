"""The forgetting service: erases words and things for good, retires sessions, and disables wisen in projects.

What came from old logs does not come back. What the user types again is a new event, and may be learned again.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.forgetting.eraser import SAFETY, Eraser, ErasurePlan, event_keys
from wisen.forgetting.project_switch import ProjectSwitch
from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.tombstone import (
    ALL_CONTEXTS,
    DISABLED_SESSION,
    ForgetResult,
    PurgeCount,
    TombstoneKey,
    TombstoneKeyKind,
)
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.delivery.spool import ForgetRequest
    from wisen.edits.editor import Edit
    from wisen.edits.undo import UndoResult
    from wisen.forgetting.callbacks import ForgettingCallbacks
    from wisen.forgetting.holdings import Holdings
    from wisen.forgetting.settings import ArchivePolicy
    from wisen.model.archive import ArchivedSession, ArchiveUsage
    from wisen.model.tombstone import Tombstone

_CHAT_EXAMPLE = "forget …"


class ForgettingService:
    """Erases, retires and disables."""

    def __init__(
        self,
        holdings: Holdings,
        decisions: Decisions,
        refresh: Refresh,
        *,
        callbacks: ForgettingCallbacks,
        archive: ArchivePolicy,
    ) -> None:
        """Create the service with everything that may contain data, and the retention limits."""
        self._holdings, self._home = holdings, holdings.home
        self._decisions, self._policy, self._installed_hooks = decisions, archive, callbacks.installed_hooks
        self._eraser = Eraser(holdings, refresh, callbacks)
        self._switch = ProjectSwitch(holdings.projects, holdings.edit_ports, decisions)

    @one_writer("forget")
    def forget(
        self, wanted: str | Sequence[str], *, scope: str | None = None, dry_run: bool = False
    ) -> tuple[ForgetResult, ...]:
        """Forget words, or things by their ids, wherever they are; many at once cost little more than one.

        `scope` is the key of a context, `""` for what applies everywhere, `"*"` for all. An id has its own context, and
        needs no scope. Returns what was forgotten in each scope, with what could not be removed.

        Raises:
            UsageError: a text has no words, or is not an id and no scope is given.
            StoreBusy: another process reads a store; what is left is finished by the next run.
        """
        from wisen.forgetting.forget_targets import resolve_targets
        from wisen.forgetting.removal import describe_language_files

        if not dry_run:
            self._decisions.require_person(chat=_CHAT_EXAMPLE)  # nothing is recorded: that would store the very words
            self.finish_pending()
        wanted = [wanted] if isinstance(wanted, str) else [*wanted]
        plans = [self._eraser.plan_target(each, dry_run=dry_run) for each in resolve_targets(self._home, wanted, scope)]
        done = self._eraser.apply([each for each in plans if each.matches.things], dry_run=dry_run)
        notes = {line: None for plan in plans for line in describe_language_files(self._holdings, plan.target.needle)}
        if not notes:
            return done
        first, *rest = done or (ForgetResult("", scope or EVERYWHERE, (), ()),)
        return (first._replace(left=(*first.left, *notes)), *rest)

    @one_writer("forget")
    def forget_everything(self, scope: str, *, dry_run: bool = False) -> ForgetResult:
        """Forget everything in a scope: a context, `""` for what applies everywhere, `"*"` for all.

        Raises:
            StoreBusy: another process reads a store; what is left is finished by the next run.
        """
        from wisen.forgetting.erasure_search import ErasureTarget
        from wisen.forgetting.removal import find_in_holdings
        from wisen.safety.forgotten_phrases import AnyText

        if not dry_run:
            self._decisions.require_person(chat=_CHAT_EXAMPLE)
            self.finish_pending()
        target = ErasureTarget(AnyText(), scope, whole=True)
        matches = find_in_holdings(self._holdings, target, ("everything", scope))
        tombstone = self._eraser.build_tombstone(scope, len(matches.things))
        keys = () if scope != EVERYWHERE else event_keys(matches)
        until = TombstoneKey(kind=TombstoneKeyKind.UNTIL, value=scope, size=round(tombstone.at.timestamp() * 1_000_000))
        done = self._eraser.apply([ErasurePlan(tombstone, target, matches, (until, *keys))], dry_run=dry_run)[0]
        return done._replace(left=(*done.left, *self._remaining_hooks())) if scope == ALL_CONTEXTS else done

    def _remaining_hooks(self) -> list[str]:
        """Describe the hooks that stay installed when everything is forgotten, and how to remove them."""
        return [
            f"{each.agent} still calls wisen. To stop that: wisen uninstall {each.agent}"
            for each in self._installed_hooks()
            if each.files
        ]

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Return what was forgotten: when, in which scope and how much, without any of its text; oldest first."""
        return self._home.ledger.tombstones.all()

    @one_writer("forget")
    def unforget(self, tombstone: str, *, dry_run: bool = False) -> Tombstone:
        """Remove a tombstone by its id or the beginning of it: the next `learn` may learn it again from the logs.

        Raises:
            UsageError: no tombstone, or more than one, has such an id.
        """
        ledger = self._home.ledger
        matches = [each for each in ledger.tombstones.all() if tombstone and each.id.startswith(tombstone.upper())]
        if len(matches) != 1:
            problem = f"{len(matches)} tombstones begin with" if matches else "No tombstone has the id"
            raise UsageError(f"{problem} {tombstone!r}. List the ids with: wisen forget --list")
        self._decisions.require_person("forget", "--undo", matches[0].id, dry_run=dry_run)
        if not dry_run:
            keys = ledger.tombstones.all_keys(matches[0].id)
            ledger.tombstones.remove(matches[0].id)
            still_forgotten = {
                (key.agent, key.value) for key in ledger.tombstones.all_keys() if key.kind is TombstoneKeyKind.EVENT
            }
            events = {(key.agent, key.value) for key in keys if key.kind is TombstoneKeyKind.EVENT} - still_forgotten
            kinds = {key.kind for key in keys}
            if events or TombstoneKeyKind.UNTIL in kinds:
                self._home.index.removal.unredact(events)
            if TombstoneKeyKind.SESSION in kinds:
                self._home.index.removal.unredact(())
        return matches[0]

    @one_writer("forget")
    def finish_pending(self) -> int:
        """Finish the erasures of a run that was killed. Returns how many tombstones that were."""
        from wisen.forgetting.removal import find_in_holdings

        waiting = [each for each in self.tombstones() if not each.done and each.machine == self._home.machine]
        plans: list[ErasurePlan] = []
        for tombstone in waiting:
            keys = self._home.ledger.tombstones.all_keys(tombstone.id)
            target = self._eraser.target_of(tombstone, keys)
            matches = find_in_holdings(self._holdings, target)
            matches.events |= {
                (key.agent, key.session, key.value) for key in keys if key.kind is TombstoneKeyKind.EVENT
            }
            plans.append(ErasurePlan(tombstone, target, matches, sessions=self._eraser.sessions_of(keys)))
        self._eraser.apply(plans, dry_run=False)
        return len(plans)

    @one_writer("purge")
    def purge(self, *, dry_run: bool = False) -> tuple[PurgeCount, ...]:
        """Forget everything that today's safety rules forbid: an older version may have stored it.

        Returns how much there was, by rule and place, and none of its text.

        Raises:
            StoreBusy: another process reads a store; what is left is finished by the next run.
        """
        from wisen.forgetting.erasure_search import ErasureTarget
        from wisen.forgetting.purge import UnsafeText, broken_rules
        from wisen.forgetting.removal import find_in_holdings

        target = ErasureTarget(UnsafeText(), ALL_CONTEXTS)
        matches = find_in_holdings(self._holdings, target)
        counts = Counter(broken_rules(matches, self._home.index.removal.indexed_texts()))
        if matches.things and not dry_run:
            keys = TombstoneKey(kind=TombstoneKeyKind.THING, value=SAFETY), *event_keys(matches)
            plan = ErasurePlan(self._eraser.build_tombstone(ALL_CONTEXTS, len(matches.things)), target, matches, keys)
            self._eraser.apply([plan], dry_run=False)
        return tuple(PurgeCount(rule, place, many) for (rule, place), many in sorted(counts.items()))

    def forget_from_chat(self, request: ForgetRequest) -> str:
        """Forget what the user asked for in a chat, in the scope that they typed. Raises: UsageError."""
        from wisen.forgetting.forget_targets import is_known_id
        from wisen.kernel.request_reading import EVERYTHING

        here = request.context or NOWHERE
        scope = {"here": here, "global": EVERYWHERE, "everywhere": ALL_CONTEXTS}[request.scope]
        if request.what == EVERYTHING:
            if scope == NOWHERE:
                raise UsageError("it was typed outside of any project. To forget all: forget everything everywhere")
            done = [self.forget_everything(scope)]
        elif is_known_id(self._home, request.what):
            done = [*self.forget(request.what)]
        else:
            done = [*self.forget(request.what, scope=scope)]
        leftovers = "".join(f" Left: {line}" for each in done for line in each.left)
        things = sum(len(each.things) for each in done)
        done = [each for each in done if each.tombstone]
        if not done:
            raise UsageError(f"nothing here contains that. To search elsewhere: wisen forget{leftovers}")
        return (
            f"forgotten for good: {things} things, tombstone {', '.join(each.tombstone for each in done)}.{leftovers}"
        )

    def apply_session_switches(self) -> int:
        """Store nothing of sessions that hooks recorded as disabled, from now on. Returns how many are new.

        What was read from one before is erased, with what was learned from it.
        """
        home, store = self._home, self._holdings.snapshot_store
        notes = store.disabled_sessions()
        known = (
            {key.value for key in home.ledger.tombstones.all_keys() if key.kind is TombstoneKeyKind.SESSION}
            if notes
            else set()
        )
        new = sorted({name.rpartition("/")[2] for name in notes} - known)
        if new:
            keys = tuple(TombstoneKey(kind=TombstoneKeyKind.SESSION, value=each) for each in new)
            sessions = self._eraser.sessions_of(keys)
            if sessions:
                self._eraser.apply([self._eraser.plan_sessions(sessions, keys)], dry_run=False)
            else:
                tombstone = self._eraser.build_tombstone(DISABLED_SESSION, 0)
                home.ledger.tombstones.add(tombstone, keys)
                home.ledger.tombstones.finish(tombstone.id, home.clock.now())
        store.remove_records(notes)
        return len(new)

    def disabled_by(self, place: Path) -> str:
        """Return what disables wisen in a directory: a marker, or a directory in the settings; empty for nothing."""
        return self._switch.disabled_by(place)

    def disable(self, place: Path, *, dry_run: bool = False) -> Edit:
        """Disable wisen in the project around a directory, by a marker in its top folder.

        Raises:
            UsageError: it is off already, or there is no project.
            FileError: the marker cannot be written.
        """
        return self._switch.disable(place, dry_run=dry_run)

    def enable(self, place: Path, *, dry_run: bool = False) -> UndoResult:
        """Remove the marker that disables wisen in a directory.

        Raises:
            UsageError: it is not off, or not by a marker that wisen wrote.
            FileError: the marker cannot be removed.
        """
        return self._switch.enable(place, dry_run=dry_run)

    def adopt_marker(self, place: Path, *, dry_run: bool = False) -> str:
        """Record a foreign marker in or above a directory as the user's own. Returns its path; empty for none."""
        return self._switch.adopt_marker(place, dry_run=dry_run)

    def retire(self) -> tuple[int, int]:
        """Retire sessions beyond the limits. Returns how many, and how many of their events were only just read."""
        from wisen.forgetting.retire_sessions import retire

        return retire(self._holdings, self._policy)

    def sessions_to_retire(self) -> list[ArchivedSession]:
        """Return the sessions to retire, oldest first."""
        from wisen.forgetting.retire_sessions import sessions_to_retire

        return sessions_to_retire(self._holdings, self._policy)

    def archive_usage(self) -> ArchiveUsage:
        """Return how much is stored, and what the settings allow."""
        from wisen.forgetting.retire_sessions import archive_usage

        return archive_usage(self._home, self._policy)
