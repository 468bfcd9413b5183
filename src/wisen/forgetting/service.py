"""What a Learner does to forget: first the tombstone, then the removal, so that a run that died is finished later.

What came out of old logs does not come back. What the user types anew is a new event, and may be learnt again.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import UsageError
from wisen.guards.service import Guarder
from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.phrase import OwnPhrase
from wisen.model.tombstone import ALL, OFF, Forgetting, Key, KeyKind, Purged, Tombstone
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.delivery.spool import Forgotten
    from wisen.forgetting.find import Aim, Found
    from wisen.forgetting.forget_naming import Meant
    from wisen.memory.diary import Diary

_SAFETY = "safety"
"""The thing that a tombstone names where the rules of safety decided what had to go."""


_IN_CHAT = "forget …"


class Grave(NamedTuple):
    """Something that is about to be forgotten."""

    tombstone: Tombstone
    aim: Aim
    found: Found
    keys: tuple[Key, ...] = ()
    sessions: frozenset[tuple[str, str]] = frozenset()
    """By agent and id, those of which nothing is kept at all."""

    @property
    def events(self) -> frozenset[tuple[str, str]]:
        """Every event that goes, by agent and id."""
        return self.aim.events | {(agent, id_) for agent, _, id_ in self.found.events}


class Forgetter(Guarder):
    """What a Learner does to forget."""

    def _dig(self) -> Diary:
        """Mine the sessions that wait for it."""
        raise NotImplementedError

    @one_writer("forget")
    def forget(
        self, what: str | Sequence[str], *, scope: str | None = None, dry_run: bool = False
    ) -> tuple[Forgetting, ...]:
        """Forget words, or things by their ids, wherever they stand; many at once cost little more than one.

        `scope` is the key of a context, `""` for what holds everywhere, `"*"` for all. What has an id is where it is,
        and needs none. Returns what was forgotten in each scope, with what could not be removed.

        Raises:
            UsageError: a text has no words, or is no id and no scope is given.
            StoreBusy: another process reads a store; what is left is finished by the next run.
        """
        from wisen.forgetting.forget_naming import meant
        from wisen.forgetting.removal import languages_holding

        if not dry_run:
            self.require_person(chat=_IN_CHAT)  # nothing is noted: that would keep the very words
            self.finish_forgetting()
        wanted = [what] if isinstance(what, str) else [*what]
        graves = [self._grave(each, dry_run=dry_run) for each in meant(self._parts, wanted, scope)]
        done = self._carried_out([each for each in graves if each.found.things], dry_run=dry_run)
        left = {line: None for grave in graves for line in languages_holding(self._parts, grave.aim.needle)}
        if not left:
            return done
        first, *rest = done or (Forgetting("", scope or EVERYWHERE, (), ()),)
        return (first._replace(left=(*first.left, *left)), *rest)

    @one_writer("forget")
    def forget_everything(self, scope: str, *, dry_run: bool = False) -> Forgetting:
        """Forget whatever is within a scope: a context, `""` for what holds everywhere, `"*"` for all.

        Raises:
            StoreBusy: another process reads a store; what is left is finished by the next run.
        """
        from wisen.forgetting.find import Aim
        from wisen.forgetting.removal import found_in
        from wisen.safety.forgotten_words import Anything

        if not dry_run:
            self.require_person(chat=_IN_CHAT)
            self.finish_forgetting()
        aim = Aim(Anything(), scope, whole=True)
        found = found_in(self._parts, aim)
        tombstone = self._tombstone(scope, len(found.things))
        keys = () if scope != EVERYWHERE else _event_keys(found)
        until = Key(kind=KeyKind.UNTIL, value=scope, size=round(tombstone.at.timestamp() * 1_000_000))
        done = self._carried_out([Grave(tombstone, aim, found, (until, *keys))], dry_run=dry_run)[0]
        return done._replace(left=(*done.left, *self._set_up())) if scope == ALL else done

    def _set_up(self) -> list[str]:
        """How agents stay set up when everything is forgotten, and what changes that."""
        return [
            f"{each.agent} still calls wisen. To end that: wisen uninstall {each.agent}"
            for each in self.installed()
            if each.files
        ]

    def forgotten(self) -> tuple[Tombstone, ...]:
        """What was forgotten: when, in which scope and how much, and no word of it; oldest first."""
        return self._parts.ledger.tombstones()

    @one_writer("forget")
    def unforget(self, tombstone: str, *, dry_run: bool = False) -> Tombstone:
        """Lift a tombstone by its id or the beginning of it: the next `learn` may learn it again from the logs.

        Raises:
            UsageError: no tombstone, or more than one, has such an id.
        """
        ledger = self._parts.ledger
        fits = [each for each in ledger.tombstones() if tombstone and each.id.startswith(tombstone.upper())]
        if len(fits) != 1:
            found = f"{len(fits)} tombstones begin with" if fits else "No tombstone has the id"
            raise UsageError(f"{found} {tombstone!r}. The ids: wisen forget --list")
        self.require_person("forget", "--undo", fits[0].id, dry_run=dry_run)
        if not dry_run:
            keys = ledger.buried(fits[0].id)
            ledger.lift(fits[0].id)
            still = {(key.agent, key.value) for key in ledger.buried() if key.kind is KeyKind.EVENT}
            events = {(key.agent, key.value) for key in keys if key.kind is KeyKind.EVENT} - still
            kinds = {key.kind for key in keys}
            if events or KeyKind.UNTIL in kinds:
                self._parts.index.unveil(events)
            if KeyKind.SESSION in kinds:
                self._parts.index.unveil(())
        return fits[0]

    @one_writer("forget")
    def finish_forgetting(self) -> int:
        """Finish what a run that died had begun to forget. Returns how many tombstones that were."""
        from wisen.forgetting.removal import found_in

        waiting = [each for each in self.forgotten() if not each.done and each.machine == self._parts.machine]
        graves: list[Grave] = []
        for tombstone in waiting:
            keys = self._parts.ledger.buried(tombstone.id)
            aim = self._aim_of(tombstone, keys)
            found = found_in(self._parts, aim)
            found.events |= {(key.agent, key.session, key.value) for key in keys if key.kind is KeyKind.EVENT}
            graves.append(Grave(tombstone, aim, found, sessions=self._sessions_of(keys)))
        self._carried_out(graves, dry_run=False)
        return len(graves)

    @one_writer("purge")
    def purge(self, *, dry_run: bool = False) -> tuple[Purged, ...]:
        """Forget whatever the rules of safety refuse today: an older version may have let it in.

        Returns how much of it there was, by rule and place, and never a word of it.

        Raises:
            StoreBusy: another process reads a store; what is left is finished by the next run.
        """
        from wisen.forgetting.find import Aim
        from wisen.forgetting.purge import Refused, refusals
        from wisen.forgetting.removal import found_in

        aim = Aim(Refused(), ALL)
        found = found_in(self._parts, aim)
        told = Counter(refusals(found, self._parts.index.traces()))
        if found.things and not dry_run:
            keys = Key(kind=KeyKind.THING, value=_SAFETY), *_event_keys(found)
            grave = Grave(self._tombstone(ALL, len(found.things)), aim, found, keys)
            self._carried_out([grave], dry_run=False)
        return tuple(Purged(rule, place, many) for (rule, place), many in sorted(told.items()))

    def _forgotten(self, wanted: Forgotten) -> str:
        """Forget what the user typed to an agent, in the scope that they typed. Raises: UsageError."""
        from wisen.delivery.spool import EVERYTHING
        from wisen.forgetting.forget_naming import is_named

        here = wanted.context or NOWHERE
        scope = {"here": here, "global": EVERYWHERE, "everywhere": ALL}[wanted.scope]
        if wanted.what == EVERYTHING:
            if scope == NOWHERE:
                raise UsageError("it was typed outside of any project. What is meant: forget everything everywhere")
            done = [self.forget_everything(scope)]
        elif is_named(self._parts, wanted.what):
            done = [*self.forget(wanted.what)]
        else:
            done = [*self.forget(wanted.what, scope=scope)]
        left = "".join(f" Left: {line}" for each in done for line in each.left)
        things = sum(len(each.things) for each in done)
        done = [each for each in done if each.tombstone]
        if not done:
            raise UsageError(f"nothing holds that here. Elsewhere: wisen forget{left}")
        return f"forgotten for good: {things} things, tombstone {', '.join(each.tombstone for each in done)}.{left}"

    def _carried_out(self, graves: Sequence[Grave], *, dry_run: bool) -> tuple[Forgetting, ...]:
        """The tombstones come first: from then on nothing of it comes back, and the next run can finish this one."""
        from wisen.forgetting import removal

        parts = self._parts
        told = [Forgetting("", each.aim.scope, tuple(each.found.things), ()) for each in graves]
        if dry_run or not graves:
            return tuple(told)
        for grave in graves:
            parts.ledger.bury(grave.tombstone, grave.keys)
        left = [self._remove(grave) for grave in graves]
        events = {event for grave in graves for event in grave.found.events}
        summaries = removal.clear_written(parts, events)
        off = {session for grave in graves for session in grave.sessions}
        if off:
            parts.index.let_go({each.key for each in parts.index.stored() if (each.agent, each.native) in off})
        for grave in graves:
            removal.clear_pages(parts, grave.aim)
        parts.index.forget_answers()  # what was asked is not kept, so which of them speak of it cannot be told
        self._work_out_anew(graves, summaries)
        parts.index.scrub()
        parts.ledger.scrub()
        if parts.backups is not None:
            aims = [grave.aim._replace(events=grave.events) for grave in graves]
            parts.backups.renew(lambda copy: any(removal.held_by(copy, parts, aim) for aim in aims))
        for grave, (_, stays) in zip(graves, left, strict=True):
            if not stays:
                parts.ledger.finish(grave.tombstone.id, parts.clock.now())
        return tuple(
            each._replace(tombstone=grave.tombstone.id, left=tuple(why))
            for each, grave, (why, _) in zip(told, graves, left, strict=True)
        )

    def _remove(self, grave: Grave) -> tuple[list[str], set[str]]:
        """Out of the user's files, the index and the ledger, in this order: what stands in one teaches the next."""
        from wisen.feedback.phrase_search import holding
        from wisen.forgetting.removal import found_in, take_back

        parts, aim, found = self._parts, grave.aim, grave.found
        left, stays = take_back(parts, found, aim)
        events = grave.events
        if aim.whole and aim.scope != EVERYWHERE:
            parts.index.drop(aim.scope, grave.tombstone.at)
        else:
            parts.index.veil(events)
        parts.index.memories.replace({origin: [] for origin in found.origins})
        # What took our lines back is of ours as well, and holds the same words.
        rows = found.rows | found_in(parts, aim._replace(events=events)).rows
        parts.ledger.remove(row for key, row in rows.items() if key not in stays)
        # What only a phrase told is not heard any more where it still stands.
        parts.index.again(holding(parts, {row.text for row in rows.values() if isinstance(row, OwnPhrase)}))
        return left, stays

    def _work_out_anew(self, graves: Sequence[Grave], summaries: Sequence[str]) -> None:
        """What is left is understood, written down and prepared as if the rest had never been."""
        from wisen.lessons import rulebook
        from wisen.memory import recollection
        from wisen.store.known_entries import Known

        parts = self._parts
        self._dig().keep(only=summaries)
        states = Known(parts.ledger).states
        recollection.recollect(parts, states)
        rulebook.write_books(parts, states)
        prepared = bool(parts.shelf.holds())
        for grave in graves:
            parts.shelf.forget(grave.aim.needle.holds)
        if prepared:
            self.prepare()

    def _grave(self, meant: Meant, *, dry_run: bool) -> Grave:
        from wisen.forgetting.find import Aim
        from wisen.forgetting.removal import found_in
        from wisen.safety.forgotten_words import Phrases

        named = frozenset((agent, id_) for agent, _, id_ in meant.events)
        aim = Aim(Phrases(meant.phrases), meant.scope, named, meant.things)
        found = found_in(self._parts, aim)
        found.events |= meant.events
        keys = [Key(kind=KeyKind.THING, value=thing) for thing in sorted(meant.things)]
        if meant.phrases and not dry_run:
            salt = self._parts.salt()
            keys += [phrase.key(salt) for phrase in meant.phrases]
        return Grave(self._tombstone(meant.scope, len(found.things)), aim, found, (*keys, *_event_keys(found)))

    def _sessions_of(self, keys: Sequence[Key]) -> frozenset[tuple[str, str]]:
        """The sessions that the index holds although keys say that they were switched off."""
        from wisen.safety.ward import Silence

        if not any(key.kind is KeyKind.SESSION for key in keys):
            return frozenset()
        silence = Silence(keys, self._parts.salt())
        held = {(each.agent, each.native) for each in self._parts.index.stored()}
        return frozenset(each for each in held if silence.holds(*each))

    def _aim_of(self, tombstone: Tombstone, keys: Sequence[Key]) -> Aim:
        """What a tombstone is about, as far as it tells."""
        from wisen.forgetting.find import Aim
        from wisen.forgetting.purge import Refused
        from wisen.safety.forgotten_words import Anything, Keys

        events = frozenset((key.agent, key.value) for key in keys if key.kind is KeyKind.EVENT)
        things = frozenset(key.value for key in keys if key.kind is KeyKind.THING)
        if any(key.kind is KeyKind.UNTIL for key in keys):
            return Aim(Anything(), tombstone.scope, events, whole=True)
        if tombstone.scope == OFF:
            return Aim(Keys((), b""), OFF, events, alone=things)
        needle = Refused() if _SAFETY in things else Keys(keys, self._parts.salt())
        return Aim(needle, tombstone.scope, events, things)

    def _tombstone(self, scope: str, many: int) -> Tombstone:
        parts = self._parts
        return Tombstone(id=parts.ids.new(), machine=parts.machine, at=parts.clock.now(), scope=scope, many=many)


def _event_keys(found: Found) -> tuple[Key, ...]:
    return tuple(
        Key(kind=KeyKind.EVENT, agent=agent, session=session, value=id_) for agent, session, id_ in sorted(found.events)
    )
