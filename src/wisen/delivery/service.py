"""The delivery service: ingests what hooks recorded and prepares the snapshots from which they answer."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import FileError
from wisen.model.error_boundaries import ErrorBoundaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.delivery.hook_snapshot import SnapshotSet
    from wisen.delivery.private_words import PrivateWords
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.snapshot_store import SnapshotStore
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.permission import PromotePolicy
    from wisen.logs.projects import Projects
    from wisen.model.entry_state import EntryState
    from wisen.model.state import HealthFinding
    from wisen.store.home import Home

WORKSPACE_FILE = ".hook-context.txt"
"""The file in a workspace's memory folder where its agent looks for what is due."""


class DeliveryService:
    """Prepares what hooks read, and ingests what they recorded."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        edit_ports: EditPorts,
        store: SnapshotStore,
        *,
        build_snapshot: Callable[[ErrorBoundaries], SnapshotSet],
        settings: DeliverPolicy,
        promotion: PromotePolicy,
    ) -> None:
        """Create the service; `build_snapshot` builds all that hooks need from what the features contribute."""
        self._home, self._projects, self._edit_ports, self._store = home, projects, edit_ports, store
        self._build_snapshot, self._settings, self._promotion = build_snapshot, settings, promotion

    def ingest_spool(self) -> int:
        """Record deliveries in the ledger; requests stay in the spool until they are executed. Return how many."""
        from wisen.delivery.spool import read_exposures, read_requests

        files = self._store.read_spool()
        rows = read_exposures(files, self._home.machine)
        if rows:
            self._home.ledger.exposures.add(rows)
        request_names = {each.name for each in read_requests(files)}
        self._store.remove_records([each.name for each in files if each.name not in request_names])
        return len(rows)

    @property
    def delivers_local_words(self) -> bool:
        """Whether agents may receive what was typed to models on the user's own machine."""
        return self._settings.local_words

    def private_words(self, states: Iterable[EntryState]) -> PrivateWords:
        """Return which of these entries agents do not receive."""
        from wisen.delivery.private_words import PrivateWords

        return PrivateWords(self._settings, states, self._home.ledger.guards.all())

    def count_private_entries(self) -> int:
        """Count the entries in force that agents do not receive."""
        from wisen.model.entry import MoveKind
        from wisen.store.known_entries import entry_states

        if all(move.kind is not MoveKind.LOCAL for move in self._home.ledger.moves.all()):
            return 0  # nothing was ever typed to a local model
        states = [each for each in entry_states(self._home.ledger) if not each.is_over]
        return len(states) - len(self.private_words(states).deliverable(states))

    def count_spooled(self) -> int:
        """Count the hook records that wait to be ingested."""
        return len(self._store.read_spool())

    def prepare_snapshots(
        self,
        boundaries: ErrorBoundaries | None = None,
        *,
        dry_run: bool = False,
        wrong: Callable[[], Iterable[HealthFinding]] = tuple,
    ) -> int:
        """Write the snapshots that hooks answer from. Return how many are new. Raises: StoreError.

        Called after they are written, `wrong` lists what the next session must report to the user. A project that
        cannot be prepared is recorded in `boundaries`, and the others are prepared nevertheless.
        """
        boundaries = ErrorBoundaries() if boundaries is None else boundaries
        if dry_run:
            return len(self._built_snapshots(boundaries).files.keys() - self._store.digests())
        with self._home.one_publisher():
            return self._publish(self._built_snapshots(boundaries), wrong)

    def _built_snapshots(self, boundaries: ErrorBoundaries) -> SnapshotSet:
        ownerships = self._home.ledger.ownerships.of(self._home.machine)
        self._projects.resolver.apply_decisions(ownerships)  # the user may have answered since it began
        return self._build_snapshot(boundaries)

    def _publish(self, snapshots: SnapshotSet, wrong: Callable[[], Iterable[HealthFinding]]) -> int:
        from wisen.logs.off_markers import write_off_places

        home, scope = self._home, self._projects.resolver
        home.salt()  # hooks only read it, and seal their marks with it
        self._write_workspace_files(snapshots)
        write_off_places(self._projects, self._edit_ports)
        now, days, off = home.clock.now(), self._settings.pinned_days, scope.switches.places
        new = self._store.publish(snapshots.files, snapshots.encode_current(now, off=off), days=days)
        alarms = [f"{each.about}: {each.says}. {each.next_step}".rstrip() for each in wrong()]
        if alarms:
            self._store.publish(snapshots.files, snapshots.encode_current(now, alarms, off), days=days)
        return new

    def _write_workspace_files(self, snapshots: SnapshotSet) -> None:
        """Write what a session starts with into workspaces whose agent reads it from a file; other people's files stay.

        The file is in the user's folders, so this needs a profile that may write without asking. Under another profile
        an earlier file of ours is removed: nobody would keep it up to date.
        """
        from wisen.edits.permission import can_write_unasked
        from wisen.logs.off_markers import is_delivery_off
        from wisen.logs.workspace_memory import find_memory_folder
        from wisen.safety import sentinel

        salt, files = self._home.salt, self._edit_ports.files
        for place, context in snapshots.places:
            memory = find_memory_folder(Path(place), lambda _: False)
            seal = sentinel.session_seal(salt(), WORKSPACE_FILE, context)
            may_write = can_write_unasked(self._promotion.profile) and not is_delivery_off(
                self._projects, self._edit_ports, place
            )
            block = sentinel.add_seal(snapshots.block(context), seal) if may_write else ""
            if memory is None:
                continue
            with suppress(FileError):
                file = files.read(memory / WORKSPACE_FILE)
                content = (file.content or b"").decode("utf-8", "replace")
                is_ours = not sentinel.strip(content).strip()
                if is_ours and content != block and (block or content):
                    files.write(file, block.encode() or None)
