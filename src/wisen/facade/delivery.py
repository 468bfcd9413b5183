"""What a Learner does for hooks: takes in what they noted, does what was typed to them, and prepares snapshots."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.domain.changes import Line
from wisen.domain.entries import Answer, Who, rule_id
from wisen.domain.report import Selection
from wisen.errors import FileError, UsageError, WisenError
from wisen.facade.review import Reviewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.domain.state import Finding
    from wisen.loop.deliver.snapshot import Published
    from wisen.loop.deliver.spool import Wish

LEFT = ".hook-context.txt"
"""The file in the memory of a workspace in which its agent looks for what is due."""
_PATIENCE = timedelta(days=1)
"""How long a wish waits for the log to show it."""
_ANSWERS = {"approve": Answer.APPROVED, "skip": Answer.SKIPPED}


class Deliverer(Reviewer):
    """What a Learner does for hooks."""

    def take_in(self) -> int:
        """Take what hooks delivered into the ledger; wishes stay until they were carried out. Returns how many."""
        from wisen.loop.deliver.spool import exposures, wishes

        parts = self._parts
        spooled = parts.shelf.spooled()
        rows = exposures(spooled, parts.machine)
        if rows:
            parts.ledger.expose(rows)
        wished = {each.name for each in wishes(spooled)}
        parts.shelf.drop([each.name for each in spooled if each.name not in wished])
        return len(rows)

    def carry_out(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Do what the user typed to his agent, where the agent's own log shows it. Returns what was done and what not.

        What the log does not show yet waits for a day.
        """
        from wisen.loop.deliver.spool import is_borne_out, wishes

        done, troubles = list[str](), list[str]()
        parts = self._parts
        for wish in wishes(parts.shelf.spooled()):
            selection = Selection(agent=wish.agent, since=wish.around)
            if is_borne_out(wish, parts.index.histories(selection)):
                try:
                    done.append(self._grant(wish))
                except WisenError as error:
                    troubles.append(f"“{wish.kind} {wish.of}”: {error}")
            elif parts.clock.now() - wish.at < _PATIENCE:
                continue
            else:
                troubles.append(
                    f"“{wish.kind} {wish.of}” is not in the log of session {wish.session}, and was not done."
                )
            parts.shelf.drop([wish.name])
        return tuple(done), tuple(troubles)

    def apply_by_policy(self, *, dry_run: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Make the changes that policy lets pass, by the one door. Returns what was done and what could not be."""
        from wisen.loop.promote.policy import Leave

        done, troubles = list[str](), list[str]()
        for each in self.proposals():
            if each.waits and self.leave_for(each) is Leave.AUTO:
                proposal = each.proposal
                try:
                    self.answer(proposal.id, Answer.APPROVED, dry_run=dry_run, by=Who.WISEN)
                    done.append(f"{proposal.text} → {proposal.path or proposal.entry}")
                except WisenError as error:
                    troubles.append(str(error))
        return tuple(done), tuple(troubles)

    def prepare(self, *, dry_run: bool = False, wrong: Callable[[], Iterable[Finding]] = tuple) -> int:
        """Make the snapshots that hooks answer from. Returns how many are new. Raises: StoreError.

        `wrong` tells, once they are there, what the user must know at the next start of a session.
        """
        from wisen.steps.telling import told

        parts = self._parts
        made = told(parts)
        if dry_run:
            return len(made.files.keys() - parts.shelf.holds())
        self._leave(made)
        now, days = parts.clock.now(), parts.deliver.pinned_days
        new = parts.shelf.publish(made.files, made.current(now), days=days)
        alarms = [f"{each.about}: {each.says}. {each.next_step}".rstrip() for each in wrong()]
        if alarms:
            parts.shelf.publish(made.files, made.current(now, alarms), days=days)
        return new

    def _leave(self, made: Published) -> None:
        """Leave what a session begins with in workspaces whose agent looks for it in a file; others' files stay."""
        from wisen.facade.workspace import memory_of
        from wisen.safety import sentinel

        parts = self._parts
        for place, context in made.places:
            memory, block = memory_of(Path(place), lambda _: False), made.block(context)
            if memory is None:
                continue
            with suppress(FileError):
                seen = parts.files.read(memory / LEFT)
                now = (seen.content or b"").decode("utf-8", "replace")
                is_ours = not sentinel.strip(now).strip()
                if is_ours and now != block and (block or now):
                    parts.files.write(seen, block.encode() or None)

    def _grant(self, wish: Wish) -> str:
        from wisen.loop.apply.edit import Editor
        from wisen.loop.apply.past import past
        from wisen.steps.rulebook import reject

        if wish.kind in _ANSWERS:
            given = _ANSWERS[wish.kind]
            answered = self.answer(wish.id, given)
            return f"{given.value}: {answered.asked.proposal.text}"
        entry = next((each for each in self._parts.ledger.entries() if rule_id(each.id) == wish.id), None)
        if entry is None:
            raise UsageError(f"No rule has the id {wish.id}. The rules: wisen rules --all")
        known = past(self._parts.desk)
        lines = [each.id for each in known.open() if isinstance(each.deed, Line) and each.deed.id == wish.id]
        for change in reversed(lines):
            Editor(self._parts.desk).undo(change)
        reject(self._parts, entry.id, "you asked to forget it")
        return f"forgotten: {entry.summary}"
