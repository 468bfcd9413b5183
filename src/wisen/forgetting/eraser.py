"""Plans and applies erasures: first the tombstone, then the removal, so that a killed run can be finished later."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.context import EVERYWHERE
from wisen.model.phrase import UserPhrase
from wisen.model.tombstone import (
    DISABLED_SESSION,
    ForgetResult,
    TextSearch,
    Tombstone,
    TombstoneKey,
    TombstoneKeyKind,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.decisions.refresh import Refresh
    from wisen.forgetting.callbacks import ForgettingCallbacks
    from wisen.forgetting.erasure_search import ErasureMatches, ErasureTarget
    from wisen.forgetting.forget_targets import NamedTarget
    from wisen.forgetting.holdings import Holdings

SAFETY = "safety"
"""The thing that a tombstone names where safety rules decided what was removed."""


class ErasurePlan(NamedTuple):
    """An erasure to apply: the tombstone, the target and what matched it."""

    tombstone: Tombstone
    target: ErasureTarget
    matches: ErasureMatches
    keys: tuple[TombstoneKey, ...] = ()
    sessions: frozenset[tuple[str, str]] = frozenset()
    """Agent and id of the sessions that are removed completely."""

    @property
    def events(self) -> frozenset[tuple[str, str]]:
        """Agent and id of every event to remove."""
        return self.target.events | {(agent, id_) for agent, _, id_ in self.matches.events}


class Eraser:
    """Builds erasure plans and applies them."""

    def __init__(self, holdings: Holdings, refresh: Refresh, callbacks: ForgettingCallbacks) -> None:
        self._holdings, self._home = holdings, holdings.home
        self._refresh, self._callbacks = refresh, callbacks

    def apply(self, plans: Sequence[ErasurePlan], *, dry_run: bool) -> tuple[ForgetResult, ...]:
        """Apply the plans. Tombstones come first: then nothing comes back, and the next run can finish this one."""
        from wisen.forgetting import removal

        home = self._home
        results = [ForgetResult("", each.target.scope, tuple(each.matches.things), ()) for each in plans]
        if dry_run or not plans:
            return tuple(results)
        for plan in plans:
            home.ledger.tombstones.add(plan.tombstone, plan.keys)
        before = home.ledger.removal.seals()
        leftovers = [self._remove(plan) for plan in plans]
        events = {event for plan in plans for event in plan.matches.events}
        summaries = removal.clear_written(home, events, self._callbacks.remove_written)
        disabled = {session for plan in plans for session in plan.sessions}
        if disabled:
            home.index.removal.remove_sessions(
                {each.key for each in home.index.removal.archived_sessions() if (each.agent, each.native) in disabled}
            )
        cleared = [removal.clear_pages(self._holdings, plan.target) for plan in plans]
        home.index.model_answers.forget()  # the prompts are not stored, so it is unknown which answers are affected
        learned = any(cleared) or any(plan.matches.rows for plan in plans) or before != home.ledger.removal.seals()
        self._rebuild_derived(plans, summaries, learned=learned)
        home.index.removal.scrub()
        home.ledger.removal.scrub()
        if home.backups is not None:
            targets = [plan.target._replace(events=plan.events) for plan in plans]
            home.backups.renew(removal.BackupCheck(self._holdings, targets, before).holds_forgotten)
        for plan, (_, stays) in zip(plans, leftovers, strict=True):
            if not stays:
                home.ledger.tombstones.finish(plan.tombstone.id, home.clock.now())
        return tuple(
            each._replace(tombstone=plan.tombstone.id, left=tuple(why))
            for each, plan, (why, _) in zip(results, plans, leftovers, strict=True)
        )

    def _remove(self, plan: ErasurePlan) -> tuple[list[str], set[str]]:
        """Remove it from the user's files, the index and the ledger, in this order: each feeds the next."""
        from wisen.forgetting.removal import find_rows, revert_edits

        home, target, matches = self._home, plan.target, plan.matches
        leftovers, stays = revert_edits(self._holdings, matches, target)
        events = plan.events
        if target.whole and target.scope != EVERYWHERE:
            home.index.removal.remove_scope(target.scope, plan.tombstone.at)
        else:
            home.index.removal.redact(events)
        home.index.memories.replace({origin: [] for origin in matches.origins})
        # The changes that reverted our lines are also ours, and contain the same words.
        rows = matches.rows | find_rows(
            self._holdings.ledger_rows.all(), self._holdings, target._replace(events=events)
        )
        home.ledger.removal.remove(row for key, row in rows.items() if key not in stays)
        # Mine sessions with removed phrases again: what only such a phrase detected must go.
        home.index.findings.mine_again(
            self._callbacks.sessions_with_phrases({row.text for row in rows.values() if isinstance(row, UserPhrase)})
        )
        return leftovers, stays

    def _rebuild_derived(self, plans: Sequence[ErasurePlan], summaries: Sequence[str], *, learned: bool) -> None:
        """Rebuild summaries, memories and snapshots from what is left; and context files if `learned` rows went."""
        from wisen.store.known_entries import KnownEntries

        store = self._holdings.snapshot_store
        self._callbacks.mine_sessions().write(only=summaries)
        self._callbacks.refresh_memories(KnownEntries(self._home.ledger).states)
        if learned:
            self._refresh.context_files()
        prepared = bool(store.digests())
        for plan in plans:
            store.forget(plan.target.needle.holds)
        if prepared:
            self._refresh.snapshots()

    def plan_target(self, named_target: NamedTarget, *, dry_run: bool) -> ErasurePlan:
        """Plan the erasure of a target, with everything that contains it; a dry run derives no keys from phrases."""
        from wisen.forgetting.erasure_search import ErasureTarget
        from wisen.forgetting.removal import find_in_holdings
        from wisen.safety.forgotten_phrases import ForgottenPhrases

        events = frozenset((agent, id_) for agent, _, id_ in named_target.events)
        target = ErasureTarget(ForgottenPhrases(named_target.phrases), named_target.scope, events, named_target.things)
        matches = find_in_holdings(self._holdings, target, named_target)
        matches.events |= named_target.events
        keys = [TombstoneKey(kind=TombstoneKeyKind.THING, value=thing) for thing in sorted(named_target.things)]
        if named_target.phrases and not dry_run:
            salt = self._home.salt()
            keys += [phrase.key(salt) for phrase in named_target.phrases]
        return ErasurePlan(
            self.build_tombstone(named_target.scope, len(matches.things)),
            target,
            matches,
            (*keys, *event_keys(matches)),
        )

    def plan_sessions(self, sessions: frozenset[tuple[str, str]], keys: tuple[TombstoneKey, ...]) -> ErasurePlan:
        """Plan the erasure of sessions read before they were known to be disabled, and what was first learned there."""
        from wisen.forgetting.erasure_search import ErasureTarget
        from wisen.forgetting.removal import find_in_holdings
        from wisen.safety.forgotten_phrases import ForgottenPhrases

        home = self._home
        found = home.index.removal.indexed_texts(TextSearch(words=(), sessions=sessions))
        events_seen = {each[:3] for each in found if each[:2] in sessions}
        first: dict[str, tuple[str, str]] = {}
        for each in home.ledger.occurrences.all():
            first.setdefault(each.entry, (each.agent, each.session))
        entries_learnt = frozenset(f"entry:{entry}" for entry, session in first.items() if session in sessions)
        target = ErasureTarget(
            ForgottenPhrases(()),
            DISABLED_SESSION,
            frozenset((agent, id_) for agent, _, id_ in events_seen),
            detached=entries_learnt,
        )
        matches = find_in_holdings(self._holdings, target)
        matches.events |= events_seen
        rows = tuple(TombstoneKey(kind=TombstoneKeyKind.THING, value=each) for each in sorted(entries_learnt))
        events = tuple(
            TombstoneKey(kind=TombstoneKeyKind.EVENT, agent=a, session=s, value=id_)
            for a, s, id_ in sorted(events_seen)
        )
        return ErasurePlan(
            self.build_tombstone(DISABLED_SESSION, len(matches.things)),
            target,
            matches,
            (*keys, *rows, *events),
            sessions,
        )

    def sessions_of(self, keys: Sequence[TombstoneKey]) -> frozenset[tuple[str, str]]:
        """Return the sessions in the index that keys mark as disabled."""
        from wisen.safety.forgotten_filter import DisabledSessions

        if not any(key.kind is TombstoneKeyKind.SESSION for key in keys):
            return frozenset()
        disabled = DisabledSessions(keys, self._home.salt())
        stored = {(each.agent, each.native) for each in self._home.index.removal.archived_sessions()}
        return frozenset(each for each in stored if disabled.is_disabled(*each))

    def target_of(self, tombstone: Tombstone, keys: Sequence[TombstoneKey]) -> ErasureTarget:
        """Rebuild the target of a tombstone from its keys."""
        from wisen.forgetting.erasure_search import ErasureTarget
        from wisen.forgetting.purge import UnsafeText
        from wisen.safety.forgotten_phrases import AnyText, PhraseDigests

        events = frozenset((key.agent, key.value) for key in keys if key.kind is TombstoneKeyKind.EVENT)
        things = frozenset(key.value for key in keys if key.kind is TombstoneKeyKind.THING)
        if any(key.kind is TombstoneKeyKind.UNTIL for key in keys):
            return ErasureTarget(AnyText(), tombstone.scope, events, whole=True)
        if tombstone.scope == DISABLED_SESSION:
            return ErasureTarget(PhraseDigests((), b""), DISABLED_SESSION, events, detached=things)
        needle = UnsafeText() if SAFETY in things else PhraseDigests(keys, self._home.salt())
        return ErasureTarget(needle, tombstone.scope, events, things)

    def build_tombstone(self, scope: str, count: int) -> Tombstone:
        """Build the tombstone of things that are forgotten now."""
        home = self._home
        return Tombstone(id=home.ids.new(), machine=home.machine, at=home.clock.now(), scope=scope, many=count)


def event_keys(matches: ErasureMatches) -> tuple[TombstoneKey, ...]:
    """Return the tombstone keys that keep events from coming back."""
    return tuple(
        TombstoneKey(kind=TombstoneKeyKind.EVENT, agent=agent, session=session, value=id_)
        for agent, session, id_ in sorted(matches.events)
    )
