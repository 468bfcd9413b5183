"""What the cycle asks of delivery: to take in what hooks noted, and to prepare the snapshots that they answer from."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import FileError
from wisen.model.fences import Fences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.delivery.hook_snapshot import Published
    from wisen.delivery.private_words import PrivateWords
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.shelf import Shelf
    from wisen.edits.past import Desk
    from wisen.edits.permission import PromotePolicy
    from wisen.logs.projects import Projects
    from wisen.model.entry_state import EntryState
    from wisen.model.state import Finding
    from wisen.store.home import Home

LEFT = ".hook-context.txt"
"""The file in the memory of a workspace in which its agent looks for what is due."""


class DeliveryService:
    """What hooks read, and what they leave behind."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        desk: Desk,
        shelf: Shelf,
        *,
        tell: Callable[[Fences], Published],
        settings: DeliverPolicy,
        promotion: PromotePolicy,
    ) -> None:
        """Begin; `tell` makes everything that hooks may need of what the features hand in."""
        self._home, self._projects, self._desk, self._shelf = home, projects, desk, shelf
        self._tell, self._settings, self._promotion = tell, settings, promotion

    def take_in(self) -> int:
        """Take what hooks delivered into the ledger; wishes stay until they were carried out. Returns how many."""
        from wisen.delivery.spool import exposures, wishes

        spooled = self._shelf.spooled()
        rows = exposures(spooled, self._home.machine)
        if rows:
            self._home.ledger.exposures.add(rows)
        wished = {each.name for each in wishes(spooled)}
        self._shelf.drop([each.name for each in spooled if each.name not in wished])
        return len(rows)

    @property
    def tells_local(self) -> bool:
        """Whether agents may be told what was typed to models on the user's own machine."""
        return self._settings.local_words

    def private(self, states: Iterable[EntryState]) -> PrivateWords:
        """What of these agents are not told."""
        from wisen.delivery.private_words import PrivateWords

        return PrivateWords(self._settings, states, self._home.ledger.guards.all())

    def private_entries(self) -> int:
        """How many entries that hold agents are not told."""
        from wisen.store.known_entries import entry_states

        states = [each for each in entry_states(self._home.ledger) if not each.is_over]
        return len(states) - len(self.private(states).told(states))

    def waiting(self) -> int:
        """How many notes of hooks wait to be taken in."""
        return len(self._shelf.spooled())

    def prepare(
        self,
        fences: Fences | None = None,
        *,
        dry_run: bool = False,
        wrong: Callable[[], Iterable[Finding]] = tuple,
    ) -> int:
        """Make the snapshots that hooks answer from. Returns how many are new. Raises: StoreError.

        `wrong` tells, once they are there, what the user must know at the next start of a session. A project that
        cannot be prepared is noted in `fences`, and the others are prepared all the same.
        """
        from wisen.logs.off_markers import write_off_places

        home, scope = self._home, self._projects.scope
        scope.apply_decisions(home.ledger.ownerships.of(home.machine))  # the user may have answered since
        made = self._tell(Fences() if fences is None else fences)
        if dry_run:
            return len(made.files.keys() - self._shelf.holds())
        home.salt()  # hooks only read it, and seal their marks with it
        self._leave(made)
        write_off_places(self._projects, self._desk)
        now, days, off = home.clock.now(), self._settings.pinned_days, scope.switches.places
        new = self._shelf.publish(made.files, made.current(now, off=off), days=days)
        alarms = [f"{each.about}: {each.says}. {each.next_step}".rstrip() for each in wrong()]
        if alarms:
            self._shelf.publish(made.files, made.current(now, alarms, off), days=days)
        return new

    def _leave(self, made: Published) -> None:
        """Leave what a session begins with in workspaces whose agent looks for it in a file; others' files stay.

        That is a file of the user's folders, so it needs a profile that may write unasked. In another one what such a
        profile left there is taken away: nobody would keep it up to date.
        """
        from wisen.edits.permission import may_write_unasked
        from wisen.logs.off_markers import is_delivery_off
        from wisen.logs.workspace_memory import find_memory_folder
        from wisen.safety import sentinel

        salt, files = self._home.salt, self._desk.files
        for place, context in made.places:
            memory = find_memory_folder(Path(place), lambda _: False)
            seal = sentinel.seal_of(salt(), LEFT, context)
            told = may_write_unasked(self._promotion.profile) and not is_delivery_off(self._projects, self._desk, place)
            block = sentinel.sealed(made.block(context), seal) if told else ""
            if memory is None:
                continue
            with suppress(FileError):
                seen = files.read(memory / LEFT)
                now = (seen.content or b"").decode("utf-8", "replace")
                is_ours = not sentinel.strip(now).strip()
                if is_ours and now != block and (block or now):
                    files.write(seen, block.encode() or None)
