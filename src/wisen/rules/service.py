"""What a Learner can be told about rules directly: one in the user's words, or a whole page that they edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.context import EVERYWHERE
from wisen.model.entry import REMOVED, Category, Entry, EntryType, MoveKind, Origin, Source, Status, Who, rule_id
from wisen.proposals.service import Reviewer

if TYPE_CHECKING:
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.rules.books import HandEdit

RULES = "rules.md"


class Ruler(Reviewer):
    """What a Learner can be told about rules directly."""

    def rules_in(self, context: str) -> tuple[EntryState, ...]:
        """The rules that hold in a context: its own, and those that hold everywhere and that it does not contradict."""
        from wisen.lessons.supersede import overruled

        rules = [each for each in self.entries() if each.is_rule and not each.merged_into]
        own = [each for each in rules if context and each.context == context]
        of_all = [each for each in rules if not each.context]
        hidden = overruled(of_all, own) if own else set[str]()
        return tuple(each for each in rules if each.context in ("", context) and each.entry.id not in hidden)

    def rules_no_longer(self, context: str | None = None) -> tuple[tuple[EntryState, str], ...]:
        """What was said or approved and holds no longer, and why, newest first: superseded, or removed by the user."""
        ledger, every = self._parts.ledger, self.entries()
        by_id = {each.entry.id: each for each in every}
        last = {(move.subject, move.kind): move for move in ledger.moves()}
        found = []
        for each in every:
            if each.merged_into or (context is not None and each.context not in ("", context)):
                continue
            over, by = last.get((each.entry.id, MoveKind.SUPERSEDE)), by_id.get(each.superseded_by)
            status = last.get((each.entry.id, MoveKind.STATUS))
            if over is not None and by is not None and not each.is_closed:
                found.append((over.at, each, f"superseded by {by.entry.name}, “{by.text}”"))
            elif status is not None and status.why.startswith(REMOVED) and status.value == Status.WONT_FIX:
                found.append((status.at, each, status.why.partition("; ")[0]))
        found.sort(key=lambda row: (row[0], row[1].entry.id), reverse=True)
        return tuple((each, why) for _, each, why in found)

    def add_rule(self, text: str, context: str = EVERYWHERE, *, pending: bool = False, dry_run: bool = False) -> Entry:
        """Take a rule in the user's own words, for a context or everywhere; what says the same already is that rule.

        With `pending` it is only noted as said. What says the opposite is a conflict, and told as one.

        Raises:
            UsageError: there are no words or no such context, or the text holds what may not be stored.
            PersonNeeded: nothing shows that a person says so.
        """
        from wisen.lessons.rulebook import write_books
        from wisen.model.entry_names import name_of
        from wisen.text.sameness import Lessons

        words, parts = self._worded(text), self._parts
        if context != EVERYWHERE and context not in {each.key for each in parts.ledger.contexts()}:
            raise UsageError(f"No context has the key {context!r}. The keys: wisen contexts")
        where = ("--context", context) if context else ("--global",)
        self.require_person("rules", "add", words, *where, *(("--pending",) if pending else ()), dry_run=dry_run)
        parts, scribe = self._parts, self._parts.scribe
        every = self.entries()
        lessons = Lessons()
        for state in every:
            if state.context == context:
                lessons.add(state.entry.id, state.text)
        known = lessons.find(words)
        id_ = known or parts.ids.new()
        made = next((each.entry for each in every if each.entry.id == known), None) or Entry(
            id=id_,
            name=name_of(EntryType.LEARNING, parts.clock.now(), id_, {each.entry.name for each in every}),
            machine=parts.machine,
            context=context,
            at=parts.clock.now(),
            type=EntryType.LEARNING,
            category=Category.PREFERENCE,
            summary=words,
            source=Source.USER_FEEDBACK,
            origin=Origin.STATED,
            durable=1.0,
        )
        rows: list[Entry | Move] = [] if known else [made]
        if not known:
            rows += [scribe.move(id_, MoveKind.CONFLICT, other) for other in lessons.opposites(words)]
        if not pending:
            rows.append(scribe.move(id_, MoveKind.CONFIRM, by=Who.USER, why="you wrote it"))
            rows.append(scribe.move(id_, MoveKind.STATUS, Status.PROMOTED, by=Who.USER, why="you wrote it"))
        if not dry_run:
            with self.as_decision("rule", made.id):
                self._parts.ledger.enter(rows)
            write_books(parts, self.entries())
        return made

    def rules_page(self, context: str = EVERYWHERE) -> str:
        """The page of the rules of a context, or of everywhere, as people read it. Raises: FileError."""
        from wisen.rules.books import book_of, rules_text

        return rules_text(self._parts.files, book_of(self._parts.home, context, ""))

    def page_edits(self, before: str, after: str, context: str = EVERYWHERE) -> tuple[HandEdit, ...]:
        """What was done to the page of the rules of a context, as the commands by which a person says the same."""
        from wisen.rules.books import book_of, page_edits

        of = {rule_id(each.entry.id): each for each in self.entries() if each.context == context}
        return tuple(page_edits(book_of(self._parts.home, context, ""), {RULES: (before, after)}, of))
