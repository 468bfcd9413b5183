"""Selects the hints and fixes that hooks randomize per session, and drops those whose trial has ended."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from wisen.delivery.block import DeliveredLine
from wisen.delivery.delivered_lines import one_line
from wisen.delivery.hook_snapshot import TrialAssignments
from wisen.model.entry import EntryOrigin, EntryStatus, EntryType, MoveKind, rule_id
from wisen.model.entry_state import entries_on_trial
from wisen.model.trial import CheckAction, Verdict
from wisen.safety.entry_texts import agent_text, is_worth_showing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.delivery.block import BlockContent
    from wisen.delivery.remedies import Remedy
    from wisen.delivery.reminders import Reminder
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.trial import TrialStandings
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries


class TrialSelection:
    """Which lines are on trial, which trials have ended, and what to report about that."""

    def __init__(
        self, home: Home, known: KnownEntries, answers: Iterable[ProposalState], standings: TrialStandings
    ) -> None:
        """Create it from the state of all trials."""
        self._home, self._known, self._standings = home, known, standings
        self._wanted = entries_on_trial(answers)
        self._chances: dict[str, float] = {}

    def separate_hints(self, content: BlockContent, states: Iterable[EntryState], context: str) -> BlockContent:
        """Separate hints on trial from the others, without those whose trial has ended; add what to deliver once."""
        is_allowed = bool(content.hints) and self._standings.allows_experiments(context)
        candidates = {
            rule_id(each.entry.id) for each in (states if is_allowed else ()) if may_be_tried(each, self._wanted)
        }
        on_trial = [line for line in content.hints if line.id in candidates and self._is_running(line.exposure_id)]
        hints = [line for line in content.hints if line.id not in candidates and not self._has_ended(line.exposure_id)]
        return content._replace(on_trial=on_trial, hints=hints, news=self._news(context))

    def without_ended(self, fixes: Mapping[str, Sequence[Remedy]]) -> dict[str, list[Remedy]]:
        """Return fixes by context, without those whose trial has ended."""
        return {
            context: [each for each in some if not any(map(self._has_ended, each.ids))]
            for context, some in fixes.items()
        }

    def select_reminders(self, reminders: Sequence[Reminder], context: str) -> list[Reminder]:
        """Return reminders without those whose trial has ended; marked as on trial where the user agreed to trials."""
        running = [each for each in reminders if not self._has_ended(each.id)]
        if not self._standings.allows_experiments(context):
            return running
        return [each._replace(tried=self._is_running(each.id)) for each in running]

    def assignments(
        self,
        contexts: Iterable[str],
        fixes: Mapping[str, Sequence[Remedy]],
        approved: set[str],
        reminders: Mapping[str, Sequence[Reminder]],
    ) -> TrialAssignments:
        """Return what is randomized, and where; of fixes, only those that the user approved nowhere."""
        trial_contexts = frozenset(filter(self._standings.allows_experiments, {*contexts, *fixes, ""}))
        if trial_contexts:
            self._home.salt()  # hooks only read it
        for each in (each for some in fixes.values() for each in some if each.id not in approved):
            for id_ in each.ids:
                self._is_running(id_)
        tried = {context: [each.id for each in some if each.tried] for context, some in reminders.items()}
        return TrialAssignments(trial_contexts, self._chances, self._standings.holdout, tried)

    def _is_running(self, id_: str) -> bool:
        """Whether something is on trial; its chance is remembered."""
        share = self._standings.chance_of(id_)
        if share is not None:
            self._chances[id_] = share
        return share is not None

    def _has_ended(self, id_: str) -> bool:
        return self._standings.chance_of(id_) is None

    def _news(self, context: str) -> list[DeliveredLine]:
        """Return what made things worse, until a session reported that it is gone."""
        lines = []
        for move in self._worse:
            subject, here = move.subject, self._text_here(move.subject, context)
            if here is None and subject in self._states_by_rule:
                continue
            what = f"the fix {subject}" if here is None else f"the hint “{here}”"
            lines.append(
                DeliveredLine(
                    subject, f"wisen no longer delivers {what}: {move.why}.", "", f"`wisen trials show {subject}`"
                )
            )
        lines += [
            DeliveredLine(move.subject, one_line(move.why), "", f"`wisen changes show {move.subject}`")
            for move, rule in self._checks
            if self._text_here(rule, context) is not None
        ]
        return [line for line in lines if not self.was_delivered(line)]

    def _text_here(self, rule: str, context: str) -> str | None:
        """Return the text of a rule that applies in a context; None if no such rule does."""
        here = [each for each in self._states_by_rule.get(rule, ()) if each.context in ("", context)]
        return one_line(here[-1].text) if here else None

    @cached_property
    def _worse(self) -> list[Move]:
        """The verdicts that something made things worse."""
        end = f":{Verdict.WORSE.value}"
        return [each for each in self._known.moves if each.kind is MoveKind.VERDICT and each.value.endswith(end)]

    @cached_property
    def _checks(self) -> list[tuple[Move, str]]:
        """The results of change checks that the user should know, each with its rule."""
        moves = [each for each in self._known.moves if each.kind is MoveKind.CHECK and each.value != CheckAction.CHECK]
        if not moves:
            return []
        operations = {each.id: each.operation for each in self._home.ledger.changes.of(machine=self._home.machine)}
        return [(move, getattr(operations.get(move.subject), "id", "")) for move in moves]

    @cached_property
    def _states_by_rule(self) -> dict[str, list[EntryState]]:
        found: dict[str, list[EntryState]] = {}
        for each in self._known.states:
            found.setdefault(rule_id(each.entry.id), []).append(each)
        return found

    def was_delivered(self, line: DeliveredLine) -> bool:
        """Whether a session received a line."""
        return any(
            f"{each.subject}:{each.version}" == line.exposure_id for each in self._home.ledger.exposures.of(line.id)
        )


def may_be_tried(state: EntryState, wanted: frozenset[str]) -> bool:
    """Whether an entry is an unconfirmed hint, or one that the user wants to try; never what they stated."""
    if state.entry.origin is EntryOrigin.STATED or state.status is not EntryStatus.PENDING:
        return False
    if state.entry.id in wanted:
        return True
    inferred = state.entry.origin is EntryOrigin.MEASURED and state.entry.type is EntryType.LEARNING
    return inferred and not state.confirmed and is_worth_showing(state) and bool(agent_text(state, {}))
