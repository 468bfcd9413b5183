"""From the ledger to what agents are told: the matter of each context, its fixes, and the snapshots made of them."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.contexts import owning
from wisen.delivery.block import Matter, Waiting
from wisen.delivery.channels import OTHERS, instructions_in, is_in, others_instructions_in
from wisen.delivery.guard_sheets import sheet_of
from wisen.delivery.holding_back import RulesInForce, guards_in_force, without_held_back
from wisen.delivery.hook_snapshot import Signs, published
from wisen.delivery.remedies import failing_form, is_sure, remedies
from wisen.lessons.supersede import overruled
from wisen.mining.forms import complaints, near
from wisen.model.context import EVERY_PROJECT
from wisen.model.entry import Category, EntryType, Origin, Priority, ProposalType, Status, rule_id
from wisen.model.entry_state import asked, put_on_trial
from wisen.model.fences import FenceKind
from wisen.model.fix import Danger
from wisen.model.guard import GuardSource, Mode, guard_states
from wisen.model.guard_words import describe_proposal
from wisen.model.report import Selection
from wisen.model.signal import About
from wisen.praise.praising import subjects_praised
from wisen.rules.placing import question_about
from wisen.safety.entry_words import agent_text, is_told
from wisen.store.known_entries import Known
from wisen.text.command_lines import command_of, fields_of
from wisen.text.standing_alone import is_of_the_moment, stands_alone
from wisen.trials.lots import Trials, line_of, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wisen.delivery.block import Line
    from wisen.delivery.holding_back import HeldBack
    from wisen.delivery.hook_snapshot import Published
    from wisen.delivery.remedies import Remedy
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import Asked, EntryState
    from wisen.model.fix import Evidence, Fix
    from wisen.parts import Parts

_RANKS = {each: rank for rank, each in enumerate(Priority)}
_TYPED_IS_ENOUGH = (Danger.UNKNOWN, Danger.PROGRAM, Danger.PACKAGE, Danger.OUTSIDE)
"""What may be told unasked where the user typed the whole command; the rest waits for their yes."""
_ASKS = re.compile(
    r"(?:(?:please|just|now|ok|then) )*(?:(?:run|use|try|do|execute|call):? )?(?:\$ |! ?)?", re.IGNORECASE
)
_ASKED_TO_KEEP = 1.0
"""What the user asked to be remembered is told as they said it, also where it is a fact."""
_CLEAR = (About.COMMAND, About.TOOL, About.STYLE)
"""What a correction that was said once must be about: a fact or a file is rarely true elsewhere."""


def told(parts: Parts) -> Published:
    """Everything that hooks may need, made of the ledger and the index as they are."""
    known = Known(parts.ledger)
    as_of = _newest(known.states)
    every = [each for each in known.states if not each.is_over]
    every.sort(key=lambda each: (_RANKS[each.priority], -each.weight(as_of), -each.durable, each.entry.id))
    answers = asked(parts.ledger.proposals(), known.moves)
    trials = Trials(parts, known, answers)
    places = parts.places()
    folders: dict[str, list[Path]] = defaultdict(list)
    for path, context in places:
        folders[context].append(Path(path))
    asks = {
        context: [line for line in lines if not trials.was_told(line)]
        for context, lines in owning.questions(parts).items()
        if context
    }
    matters, *others = (
        _matters(trials, every, answers, folders, _Reads(parts, agent), asks) for agent in ("", *OTHERS)
    )
    cut = (parts.door.failure_head, parts.door.failure_tail, parts.door.longest_argument)
    approved = _approved(known.states)
    fixes = trials.left(fixes_to_tell(parts, known)[0])
    lots = trials.lots([*matters], fixes, {fix for _, fix in approved})
    signs = Signs(complaints(), cut)
    made = published(matters, fixes, signs, places, parts.deliver, lots)
    for agent, its in zip(OTHERS, others, strict=True):
        if its != matters:
            made = made.beside(agent, published(its, fixes, signs, places, parts.deliver, lots))
    return made.guarded(_sheets(parts, [*matters], RulesInForce(parts, known.states))).counted(
        _figures(parts, every, answers, [*matters])
    )


def _figures(
    parts: Parts, every: Sequence[EntryState], proposals: Sequence[Asked], contexts: Iterable[str]
) -> dict[str, dict[str, int]]:
    """How much there is of what in each context, for who asks."""
    memories = parts.index.memories.contexts()
    guards = [
        each for each in guard_states(parts.ledger.guards(), parts.ledger.moves()) if each.mode is not Mode.REMOVED
    ]
    figures = {}
    for context in contexts:
        here = [each for each in every if each.context == context]
        figures[context] = {
            "rules": sum(each.status is Status.PROMOTED for each in here),
            "said": sum(_is_said(each, parts) for each in here),
            "waiting": sum(each.waits and each.proposal.context == context for each in proposals),
            "guards": sum(each.guard.context == context for each in guards),
            "memories": memories.get(context, 0),
        }
    return figures


def _sheets(parts: Parts, contexts: Sequence[str], rules: RulesInForce) -> dict[str, bytes]:
    """The guards of each context; where there are none but those that hold everywhere, those are enough."""
    states = guards_in_force(guard_states(parts.ledger.guards(), parts.ledger.moves()), rules)
    reasons = {each.id: each.signature.phrase for each in parts.index.fixes(Selection())} if states else {}
    everywhere = sheet_of(states, "", reasons)
    own = {state.guard.context for state in states}
    found = {context: sheet_of(states, context, reasons) for context in contexts if context in own}
    return {context: sheet for context, sheet in ({"": everywhere} | found).items() if sheet}


class _Reads:
    """What an agent reads by itself, and so need not be told."""

    def __init__(self, parts: Parts, agent: str) -> None:
        self.parts, self._agent = parts, agent

    def instructions(self, folders: Iterable[Path]) -> str:
        """All of it in the folders of a context."""
        home, files = self.parts.user_home, self.parts.files
        if self._agent in OTHERS:
            return others_instructions_in(files, self._agent, folders, home)
        return instructions_in(files, [*folders, home / ".claude"])

    def places(self, proposal: Proposal) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Why the file of a proposal cannot take it as it is, and where it may go instead."""
        trouble, places = question_about(self.parts, proposal)
        return trouble, tuple((each.word.value, each.says) for each in places)

    def question(self, proposal: Proposal) -> str:
        """What waits for the user, as an agent may read it: a guard of a fix with a danger is only named."""
        if proposal.type is ProposalType.FIX:
            return _question_about_fix(self.parts, proposal)
        if proposal.type is not ProposalType.GUARD:
            return f"Make it a rule: {one_line(proposal.text)}"
        careful = _danger_of_guard(self.parts, proposal.entry)
        if careful:
            return f"Switch guard {proposal.entry} on (careful: {careful})?"
        return f"{one_line(describe_proposal(proposal, with_reason=False))}?"


def _question_about_fix(parts: Parts, proposal: Proposal) -> str:
    """A question about a fix as an agent may read it: what failed and what is in doubt, never what helped."""
    (entry,) = parts.ledger.entries([proposal.entry])
    fix = next((each for each in parts.index.fixes(Selection()) if each.id in entry.tags), None)
    if fix is None:
        return "May agents be told what helped against a failure?"
    seen = "1 session" if fix.sessions == 1 else f"{fix.sessions} sessions"
    return (
        f"May agents be told what helped in {seen} against “{fix.signature.phrase}” ({fix.danger.value}; "
        f"`wisen explain {fix.id}` shows it)?"
    )


def _danger_of_guard(parts: Parts, id_: str) -> str:
    """What is dangerous about the fix that a guard was made of; empty where nothing is."""
    of = next((each.of for each in parts.ledger.guards() if each.id == id_ and each.source is GuardSource.FIX), None)
    fix = next((each for each in parts.index.fixes(Selection()) if each.id == of), None) if of else None
    return "" if fix is None or fix.danger is Danger.NONE else fix.danger.value


def _matters(
    trials: Trials,
    every: Sequence[EntryState],
    answers: Sequence[Asked],
    folders: Mapping[str, Sequence[Path]],
    reads: _Reads,
    asks: Mapping[str, Sequence[Line]],
) -> dict[str, Matter]:
    """What there is to tell an agent by context; empty for what holds everywhere."""
    found = {}
    for context in ("", *sorted(folders)):
        here = [each for each in every if each.context in ("", context)]
        with reads.parts.fences.around(FenceKind.PROJECT, context or EVERY_PROJECT):
            matter = trials.apart(_matter(reads, here, answers, context, folders.get(context, ())), here, context)
            found[context] = matter._replace(news=[*matter.news, *asks.get(context, ())])
    return found


def _matter(
    reads: _Reads, states: Sequence[EntryState], answers: Sequence[Asked], context: str, folders: Iterable[Path]
) -> Matter:
    """What there is to tell in one context, of states with the most important first."""
    instructions = reads.instructions(folders)
    open_ = [each for each in states if not is_in(rule_id(each.entry.id), each.text, instructions)]
    rules = [each for each in open_ if each.status is Status.PROMOTED]
    filed = [each for each in states if each.status is Status.PROMOTED and each not in rules]
    said = [each for each in open_ if _is_said(each, reads.parts)]
    own = [each for each in (*rules, *filed, *said) if context and each.context == context]
    hidden = overruled([each for each in (*rules, *filed, *said) if not each.context], own) if own else set[str]()
    rules, filed, said = ([each for each in some if each.entry.id not in hidden] for some in (rules, filed, said))
    pending, wanted = [each for each in open_ if each.status is Status.PENDING], put_on_trial(answers)
    hints = [
        each
        for each in pending
        if each.entry.id in wanted or (each.entry.origin is Origin.MEASURED and is_told(each) and agent_text(each, {}))
    ]
    due = [
        each
        for each in pending
        if each.priority in (Priority.CRITICAL, Priority.HIGH)
        and each.entry.origin is not Origin.MEASURED
        and each.entry.id not in wanted
        and each not in said
        and is_told(each)
        and _is_no_remark(each, reads.parts)
    ]
    waiting = [
        Waiting(
            number,
            each.proposal.id,
            rule_id(each.proposal.entry),
            reads.question(each.proposal),
            *reads.places(each.proposal),
            is_new=not reads.parts.ledger.exposures(each.proposal.id),
        )
        for number, each in enumerate((each for each in answers if each.waits), 1)
        if each.proposal.context in ("", context) and each.proposal.type is not ProposalType.SUGGESTION
    ]
    return Matter(
        rules=list(map(line_of, rules)),
        said=list(map(line_of, said)),
        hints=list(map(line_of, hints)),
        waiting=waiting,
        due=list(map(line_of, due)),
        filed=list(map(line_of, filed)),
    )


def _is_said(state: EntryState, parts: Parts) -> bool:
    """Whether the user gave it as an order that holds beyond the moment; what others recorded is not their word."""
    entry = state.entry
    if entry.origin is not Origin.STATED or state.status is not Status.PENDING:
        return False
    if entry.type is not EntryType.LEARNING or not stands_alone(state.text):
        return False
    if state.confirmed:
        return True
    if state.durable < parts.promote.stated or (is_of_the_moment(entry.details) and not state.lasting):
        return False
    if entry.category is Category.PREFERENCE:
        return entry.durable >= _ASKED_TO_KEEP or parts.languages.model.is_order(state.text)
    again = state.sessions > 1 or entry.about in _CLEAR or state.durable >= parts.promote.durable
    return entry.category is Category.CORRECTION and again and parts.languages.model.is_order(state.text)


def _is_no_remark(state: EntryState, parts: Parts) -> bool:
    """Whether it may stand among what is important: what the user only remarked may not, unless a person raised it."""
    raised = state.confirmed or state.priority is not state.entry.priority
    return raised or state.entry.origin is not Origin.STATED or parts.languages.model.is_order(state.text)


def is_word(state: EntryState, parts: Parts) -> bool:
    """Whether it is the user's word and meant to last: they approved it, or said it in such words."""
    return state.confirmed or state.status in (Status.PROMOTED, Status.WONT_FIX) or _is_said(state, parts)


def _approved(states: Sequence[EntryState]) -> set[tuple[str, str]]:
    """The contexts and ids of fixes that the user confirmed or approved."""
    return {
        (state.context, tag)
        for state in states
        for tag in state.entry.tags
        if state.entry.type is EntryType.ERROR
        and not state.is_over
        and (state.confirmed or state.status is Status.PROMOTED)
    }


def _newest(states: Sequence[EntryState]) -> datetime:
    """When the ledger last learnt something: praise counts as of then, so that the same ledger gives the same bytes."""
    long_ago = datetime.min.replace(tzinfo=UTC)
    return max((at for each in states for at in (each.last, *(row.at for row in each.praises))), default=long_ago)


def fixes_to_tell(parts: Parts, known: Known | None = None) -> tuple[dict[str, list[Remedy]], list[HeldBack]]:
    """By context, what may be told after a failure, and what is held back because a rule in force speaks against it."""
    known = known or Known(parts.ledger)
    approved, praised = _approved(known.states), subjects_praised(parts, _newest(known.states))
    refused = _refused(known.states)
    typed = _Typed(parts)

    def is_allowed(fix: Fix, example: Evidence) -> bool:
        """Whether the user said yes to what is not known to be harmless: they approved it, or typed all of it."""
        if (example.context, fix.id) in approved:
            return True
        line = command_of(fields_of(example.after))
        mild = fix.danger in _TYPED_IS_ENOUGH and not fix.change.first
        return mild and line is not None and " ".join(line.split()) in typed.lines(example)

    fixes = _never_passing(parts, [fix for fix in parts.index.fixes(Selection()) if is_sure(fix, parts.deliver)])
    evidence = {
        fix.id: [one for one in parts.index.evidence(fix.id) if (one.context, fix.id) not in refused] for fix in fixes
    }
    found = remedies(fixes, lambda id_: evidence[id_], is_allowed, near(), parts.deliver, praised)
    by_id, contexts = {fix.id: fix for fix in fixes}, {context for _, context in parts.places()}
    return without_held_back(found, by_id, evidence, RulesInForce(parts, known.states), contexts)


def _refused(states: Sequence[EntryState]) -> set[tuple[str, str]]:
    """The contexts and ids of fixes that the user said no to."""
    return {
        (state.context, tag)
        for state in states
        for tag in state.entry.tags
        if state.entry.type is EntryType.ERROR and state.status is Status.WONT_FIX
    }


def _never_passing(parts: Parts, fixes: Sequence[Fix]) -> list[Fix]:
    """Fixes without those of a call that is also seen to succeed as it was, unless its complaint names the change."""
    doubtful = {fix.id: form for fix in fixes if (form := failing_form(fix)) is not None}
    passing = {
        id_
        for history in (parts.index.histories(Selection()) if doubtful else ())
        for step in history.steps
        for id_, form in doubtful.items()
        if form.passed(step)
    }
    return [fix for fix in fixes if fix.id not in passing]


class _Typed:
    """What users typed, by session; looked up at the first question, for most turns ask none."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lines: dict[tuple[str, str], frozenset[str]] | None = None

    def lines(self, example: Evidence) -> frozenset[str]:
        """What the user typed in the session of an example as a command: a line of its own, and nothing beside it."""
        if self._lines is None:
            self._lines = {}
            for each in self._parts.index.histories(Selection()):
                key = each.agent, each.native
                here = frozenset(typed_commands(turn.text for turn in each.turns if turn.text))
                self._lines[key] = self._lines.get(key, frozenset()) | here
        return self._lines.get((example.agent, example.session), frozenset())


def typed_commands(texts: Iterable[str]) -> Iterator[str]:
    """Lines that are a command and nothing else, whatever asks for it: `run make` is, `never run make` is not."""
    for text in texts:
        for line in text.splitlines():
            yield " ".join(_ASKS.sub("", line.strip()).strip(" `").split())
