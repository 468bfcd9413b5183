"""What a Learner does for hooks: takes in what they noted, does what was typed to them, and prepares snapshots."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from wisen.delivery.shelf_port import ChatReply
from wisen.errors import FileError, PlaceNeeded, StoreError, UsageError, WisenError
from wisen.model.entry import Answer, MoveKind, Who
from wisen.model.fences import describe_error
from wisen.model.guard_words import describe_proposal
from wisen.model.presence import Person
from wisen.model.report import Selection
from wisen.proposals.service import Reviewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.decisions.proposal_kinds import Answered
    from wisen.delivery.hook_snapshot import Published
    from wisen.delivery.spool import Forgotten, Wish
    from wisen.model.entry import Proposal
    from wisen.model.fences import Fences
    from wisen.model.history import History
    from wisen.model.state import Finding

LEFT = ".hook-context.txt"
"""The file in the memory of a workspace in which its agent looks for what is due."""
_PATIENCE = timedelta(days=1)
"""How long a wish waits for the log to show it."""
_ANSWERS = {"approve": Answer.APPROVED, "skip": Answer.SKIPPED}


class Granted(NamedTuple):
    """What was done of what the user typed."""

    done: str
    says: str
    """The same for the user, where they typed it; empty where they know it."""


def _gone(told: str) -> Granted:
    """That something was forgotten, without a word of it."""
    return Granted(told, told)


def describe_approval(answered: Answered, *, said: bool) -> str:
    """What an approval changed, in a sentence for the user; `said`: they named the place."""
    text, place = answered.asked.proposal.text, answered.place
    if place is None:
        return f"Approved: “{text}”"
    if answered.edit is None:
        told = f"Agents are told from now on: “{text}” No file was changed."
    else:
        told = f"{answered.edit.change.path} now says: “{text}”"
    if said and place.widens:
        return f"{told} It holds in all projects."
    return f"{told} The next rules of this project go there too (wisen proposals place)." if said else told


def describe_error_in_chat(wish: Wish, error: WisenError) -> str:
    """Why something was not done, with what the user can type instead."""
    if not isinstance(error, PlaceNeeded) or not error.places:
        return str(error)
    number = wish.of.partition(" ")[0]
    ways = "; ".join(f"approve {number} to {word} ({says})" for word, says in error.places)
    return f"{error.why} It still waits. Type, alone: {ways}."


class Deliverer(Reviewer):
    """What a Learner does for hooks."""

    def take_in(self) -> int:
        """Take what hooks delivered into the ledger; wishes stay until they were carried out. Returns how many."""
        from wisen.delivery.spool import exposures, wishes

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
        from wisen.delivery.spool import wishes

        done, troubles = list[str](), list[str]()
        parts = self._parts
        # What is forgotten may be what proves the next wish: all are held against the log before one is carried out.
        proven = [(wish, *self._proof(wish)) for wish in wishes(parts.shelf.spooled())]
        for wish, proof, histories in proven:
            if proof is not None:
                person = Person(f"typed in the chat with {wish.agent}, session {wish.session}")
                try:
                    with self.on_word_of(person):
                        granted = self._grant(wish) if proof is True else _gone(self._forgotten(proof))
                    done.append(granted.done)
                    says = granted.says
                except WisenError as error:
                    troubles.append(f"“{wish.words}”: {error}")
                    says = f"Not done, what you typed as “{wish.words}”: {describe_error_in_chat(wish, error)}"
                except Exception as error:  # noqa: BLE001 - a fence: what cannot be done keeps no other wish waiting
                    troubles.append(f"“{wish.words}”: {describe_error(error)}")
                    if parts.clock.now() - wish.at < _PATIENCE:
                        continue  # it was typed, so it is tried again
                    says = f"Not done, what you typed as “{wish.words}”: {describe_error(error)}"
            elif parts.clock.now() - wish.at < _PATIENCE:
                continue
            else:
                says = f"“{wish.words}” is not in the log of session {wish.session}, and was not done."
                troubles.append(says)
            if says:
                self._reply(wish, histories, says)
            parts.shelf.drop([wish.name])
        return tuple(done), tuple(troubles)

    def _proof(self, wish: Wish) -> tuple[Literal[True] | Forgotten | None, tuple[History, ...]]:
        """What the agent's own log shows of a wish: that it was typed, or what is to be forgotten; None for nothing.

        With its session, as far as the log shows it.
        """
        from wisen.delivery.spool import FORGETS, is_borne_out, read_forget_wish

        found = self._parts.index.histories(Selection(agent=wish.agent, since=wish.around))
        histories = tuple(each for each in found if each.native == wish.session)
        if wish.kind in FORGETS:
            return read_forget_wish(wish, histories, self._parts.salt()), histories
        return True if is_borne_out(wish, histories) else None, histories

    def proven_requests(self) -> tuple[tuple[Proposal, Person], ...]:
        """The decisions that wait and that the user took, as the log of their agent shows: they ran the command."""
        from wisen.delivery.spool import typed_command

        parts, found = self._parts, list[tuple["Proposal", Person]]()
        waiting = [each.proposal for each in self.requests() if each.proposal.typed and each.proposal.agent]
        used = " ".join(move.why for move in parts.ledger.moves() if move.by is Who.USER) if waiting else ""
        for request in waiting:
            histories = parts.index.histories(Selection(agent=request.agent, since=request.at - _PATIENCE))
            shown = typed_command(request, histories, used)
            if shown is not None:
                used += f" {shown[1]}"
                line = f"typed in {request.agent}, session {shown[0]}, line {shown[1]}"
                found.append((request, Person(line)))
        return tuple(found)

    def apply_by_policy(self, *, dry_run: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Make the changes that policy lets pass, by the one door. Returns what was done and what could not be."""
        from wisen.edits.permission import Leave

        done, troubles = list[str](), list[str]()
        # What the user undid waits for them: to do it again at once would make undoing it vain.
        undone = {move.subject for move in self._parts.ledger.moves(every=True) if move.kind is MoveKind.UNDO}
        for each in self.proposals():
            if each.waits and each.proposal.id not in undone and self.leave_for(each) is Leave.AUTO:
                proposal = each.proposal
                try:
                    self.answer(proposal.id, Answer.APPROVED, dry_run=dry_run, by=Who.WISEN)
                    done.append(f"{describe_proposal(proposal)} → {proposal.path or proposal.entry}")
                except StoreError:
                    raise
                except Exception as error:  # noqa: BLE001 - a fence: the other proposals are none the worse for it
                    troubles.append(f"“{describe_proposal(proposal)}”: {describe_error(error)}")
        return tuple(done), tuple(troubles)

    def prepare(
        self,
        *,
        dry_run: bool = False,
        wrong: Callable[[], Iterable[Finding]] = tuple,
        fences: Fences | None = None,
    ) -> int:
        """Make the snapshots that hooks answer from. Returns how many are new. Raises: StoreError.

        `wrong` tells, once they are there, what the user must know at the next start of a session. A project that
        cannot be prepared is noted in `fences`, and the others are prepared all the same.
        """
        from wisen.delivery.telling import told
        from wisen.logs.markers import write_off_places

        parts = self._parts
        parts.scope.hear(parts.ledger.ownerships(parts.machine))  # the user may have answered since this turn began
        made = told(parts if fences is None else replace(parts, fences=fences))
        if dry_run:
            return len(made.files.keys() - parts.shelf.holds())
        parts.salt()  # hooks only read it, and seal their marks with it
        self._leave(made)
        write_off_places(parts.projects, parts.desk)
        now, days, off = parts.clock.now(), parts.deliver.pinned_days, parts.scope.switches.places
        new = parts.shelf.publish(made.files, made.current(now, off=off), days=days)
        alarms = [f"{each.about}: {each.says}. {each.next_step}".rstrip() for each in wrong()]
        if alarms:
            parts.shelf.publish(made.files, made.current(now, alarms, off), days=days)
        return new

    def _leave(self, made: Published) -> None:
        """Leave what a session begins with in workspaces whose agent looks for it in a file; others' files stay.

        That is a file of the user's folders, so it needs a profile that may write unasked. In another one what such a
        profile left there is taken away: nobody would keep it up to date.
        """
        from wisen.edits.permission import may_write_unasked
        from wisen.logs.markers import is_silent
        from wisen.memory.workspace_files import memory_of
        from wisen.safety import sentinel

        parts = self._parts
        for place, context in made.places:
            memory = memory_of(Path(place), lambda _: False)
            seal = sentinel.seal_of(parts.salt(), LEFT, context)
            told = may_write_unasked(parts.promote.profile) and not is_silent(parts.projects, parts.desk, place)
            block = sentinel.sealed(made.block(context), seal) if told else ""
            if memory is None:
                continue
            with suppress(FileError):
                seen = parts.files.read(memory / LEFT)
                now = (seen.content or b"").decode("utf-8", "replace")
                is_ours = not sentinel.strip(now).strip()
                if is_ours and now != block and (block or now):
                    parts.files.write(seen, block.encode() or None)

    def _reply(self, wish: Wish, histories: Iterable[History], says: str) -> None:
        """Have the user told what came of what they typed, where they typed it; it is done or not, all the same."""
        of = (each for each in histories if (each.agent, each.native) == (wish.agent, wish.session))
        context = next((turn.context for each in of for turn in reversed(each.turns) if turn.context), "")
        with suppress(StoreError):
            self._parts.shelf.reply(ChatReply(wish.agent, wish.session, context, says))

    def _grant(self, wish: Wish) -> Granted:
        given = _ANSWERS.get(wish.kind)
        if given is None:
            raise UsageError("wisen cannot do that.")
        answered = self.answer(wish.id, given, to=wish.to)
        text = describe_proposal(answered.asked.proposal)
        if given is not Answer.APPROVED:
            return Granted(f"{given.value}: {text}", f"Skipped until it comes up again: “{text}”")
        return Granted(f"{given.value}: {text}", describe_approval(answered, said=wish.to is not None))

    def _forgotten(self, wanted: Forgotten) -> str:
        """Forget what the user typed, for good. Returns how much that was, without a word of it."""
        raise NotImplementedError
