"""Judges how the work towards each goal of a session turned out, from what the user and the agent did afterwards.

Evidence against the work is looked at first: it was taken back, stopped, rejected or corrected. Then what speaks for
it: praise, a commit, green checks, a command or a text that was itself the result. Last comes that the user went on
without objecting: an answered question that the user builds on has served its purpose. Work that nothing followed and
nothing checked is unknown, and so is a question whose answer nobody reacted to.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.mining.goal_work import GoalWork, MadeStep, works_of
from wisen.mining.work_traces import (
    EVERYTHING,
    is_edited_back,
    is_only_looking,
    is_taken_back,
    trace_of,
)
from wisen.model.event import MessageOrigin, Status
from wisen.model.failure import Ending
from wisen.model.history import UserAction
from wisen.model.signal import SignalKind
from wisen.model.work_outcome import JudgedOutcome, NextSession, OutcomeReason, WorkOutcome
from wisen.text.lazy_regex import lazy_regex
from wisen.text.sameness import are_same
from wisen.text.terms import LIGHT, term_of, worth_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.failure import Goal
    from wisen.model.history import History, Turn
    from wisen.model.signal import RecordedSignal

_WANTS_COMMIT = lazy_regex(
    r"\W*(?:please |now |ok(?:ay)?,? |great,? |then |and |let'?s )*"
    r"(?:commit|push|merge|提交|ship(?= (?:it|this|that)\b|\W*\Z))(?!\w)",
    re.IGNORECASE,
)
_WORD = lazy_regex(r"\w[\w./-]*\w")
_MAX_READ = 600
"""How much of a message is compared: what it is about stands at its beginning."""
_FEWEST_SHARED = 2
"""That both texts name one same thing is to be expected in one session."""
_FAILED = (Status.FAILED, Status.MASKED)
_STANDING = (OutcomeReason.COMMITTED, OutcomeReason.FINISHED, OutcomeReason.PRAISED)
"""What is not called into question when the same is requested once more."""
_UNDECIDED = (OutcomeReason.NO_EVIDENCE, OutcomeReason.FAILING, OutcomeReason.ACCEPTED)
"""What says little of work that was still under way."""


@dataclass(frozen=True, kw_only=True)
class OutcomePolicy:
    """When evidence counts."""

    correction: float = 0.65
    """The least probability of a correction that counts against the work before it."""
    praise: float = 0.6
    """The least probability of praise that counts for it."""
    repeated: float = 0.5
    """How much of the shorter text a request and its correction must share for the problem to be the same as before."""
    part: float = 0.25
    """Which share of the edits must have been taken back for the work to be partial."""
    reach: int = 10
    """For how many goals afterwards it is looked whether the work was taken back; later it is superseded."""
    next_session_goals: int = 3
    """How many of the last goals the next session may say something about."""
    next_session_within: timedelta = timedelta(days=2)
    """A later session says nothing about the work: what is requested then is another occasion."""
    fewest_words: int = 4
    """A shorter request is routine (`run tests`), and says nothing when it comes again."""


_POLICY = OutcomePolicy()


def judge_outcomes(
    history: History,
    goals: Sequence[Goal],
    signals: Iterable[RecordedSignal],
    later: NextSession | None = None,
    policy: OutcomePolicy = _POLICY,
) -> tuple[JudgedOutcome, ...]:
    """How the work towards each goal of a session turned out; `later` is the next session of the context, if any.

    Work that only looked at something worked if the user went on without objecting, and is unknown if nothing followed.
    """
    works = works_of(history, goals)
    judge = _Judge(works, _Signals(signals, policy), policy)
    found: list[JudgedOutcome] = []
    for number in reversed(range(len(works))):
        judged = judge.outcome(number)
        if judge.goes_on(number, judged):
            judged = found[-1]
        found.append(judged)
    outcomes = tuple(reversed(found))
    return outcomes if later is None else judge_by_next_session(history, goals, outcomes, later, policy)


def judge_by_next_session(
    history: History,
    goals: Sequence[Goal],
    outcomes: Sequence[JudgedOutcome],
    later: NextSession,
    policy: OutcomePolicy = _POLICY,
) -> tuple[JudgedOutcome, ...]:
    """The outcomes of a session when the next one of its context is known: only those of the last goals may change."""
    found, works = list(outcomes), works_of(history, goals)
    recent = [number for number, work in enumerate(works) if work.steps and _follows(work, later, policy)]
    for number in recent[-policy.next_session_goals :]:
        work = works[number]
        found[number] = judge_again(
            work.request, outcomes[number], later.requests, has_edits=bool(work.edits), policy=policy
        )
    return tuple(found)


def judge_again(
    request: str, judged: JudgedOutcome, later: Sequence[str], *, has_edits: bool, policy: OutcomePolicy = _POLICY
) -> JudgedOutcome:
    """The outcome of one of the last goals of a session, after the first requests of the next session are known."""
    if _is_asked_again(request, judged, later, has_edits=has_edits, policy=policy):
        return _because(OutcomeReason.ASKED_AGAIN, WorkOutcome.FAILED)
    if judged.outcome is WorkOutcome.UNKNOWN and _accepts(later, request):
        return _because(OutcomeReason.COMMITTED, WorkOutcome.WORKED)
    return judged


def as_next_session(history: History) -> NextSession | None:
    """What a session says about the one before it; None if nothing was typed."""
    typed = [turn for turn in history.turns if turn.action is UserAction.SAID and turn.text]
    return NextSession(began=typed[0].at, requests=tuple(turn.text or "" for turn in typed)) if typed else None


class _Signals:
    """How probably each message corrects or praises."""

    def __init__(self, signals: Iterable[RecordedSignal], policy: OutcomePolicy) -> None:
        self._policy = policy
        self._probabilities: dict[tuple[str, SignalKind], float] = defaultdict(float)
        for each in signals:
            key = each.message, each.signal.kind
            self._probabilities[key] = max(each.signal.probability, self._probabilities[key])

    def corrects(self, turn: Turn | None) -> bool:
        return self._is(turn, SignalKind.CORRECTION, self._policy.correction)

    def praises(self, turn: Turn | None) -> bool:
        return self._is(turn, SignalKind.PRAISE, self._policy.praise)

    def _is(self, turn: Turn | None, kind: SignalKind, least: float) -> bool:
        return turn is not None and self._probabilities.get((turn.id, kind), 0.0) >= least


class _Judge:
    """Judges the goals of one session."""

    def __init__(self, works: Sequence[GoalWork], said: _Signals, policy: OutcomePolicy) -> None:
        self._works, self._said, self._policy = works, said, policy
        self._edits: dict[str, list[MadeStep]] = defaultdict(list)
        self._takings, self._publishings = list[MadeStep](), list[int]()
        for each in (each for work in works for each in work.made):
            for path in each.trace.edited:
                self._edits[path].append(each)
            if each.trace.taken_back:
                self._takings.append(each)
            if each.trace.publishes:
                self._publishings.append(each.place)

    def outcome(self, number: int) -> JudgedOutcome:
        work = self._works[number]
        if not work.steps:
            return _because(OutcomeReason.NO_EVIDENCE, WorkOutcome.UNKNOWN)
        share = self._share_taken_back(number)
        if share == 1.0:
            return _because(OutcomeReason.REVERTED, WorkOutcome.FAILED)
        stopped = _stopped_by(work)
        if stopped is not None:
            left = bool(work.edits) or work.publishes or self._is_redirected(number)
            return _because(stopped, WorkOutcome.PARTIAL if left else WorkOutcome.FAILED)
        is_corrected = self._is_corrected(number)
        if share >= self._policy.part:
            return _because(OutcomeReason.REVERTED, WorkOutcome.FAILED if is_corrected else WorkOutcome.PARTIAL)
        if is_corrected:
            is_lost = self._is_same_problem(work) or (not work.edits and self._is_corrected_again(number))
            return _because(OutcomeReason.CORRECTED, WorkOutcome.FAILED if is_lost else WorkOutcome.PARTIAL)
        return self._unopposed(work)

    def goes_on(self, number: int, judged: JudgedOutcome) -> bool:
        """Whether the work went on under the next request, so that its end there counts.

        It was typed meanwhile, or after a stop that nothing was said against.
        """
        work, after = self._works[number], self._after(number)
        if not work.steps or after is None or not after.steps:
            return False
        if judged.reason is OutcomeReason.INTERRUPTED:
            return not self._said.corrects(work.following)
        return work.is_cut_short and judged.reason in _UNDECIDED

    def _unopposed(self, work: GoalWork) -> JudgedOutcome:
        """Judge work that nobody objected to, by the first of these that holds."""
        acting = [each.trace for each in work.made if each.trace.acts]
        is_result = bool(acting) and (not acting[-1].edited or acting[-1].is_prose)
        reasons = (
            (OutcomeReason.PRAISED, any(self._said.praises(turn) for turn in (*work.acts, work.following))),
            (OutcomeReason.FAILING, _fails_after_publishing(work)),
            (OutcomeReason.COMMITTED, self._was_published(work)),
            (OutcomeReason.FAILING, _is_failing(work)),
            (OutcomeReason.NO_EVIDENCE, work.steps[-1].status is None),
            (OutcomeReason.CHECKED, work.goal.ending is Ending.CHECKED),
            (OutcomeReason.FINISHED, is_result),
            (OutcomeReason.ACCEPTED, work.following is not None),
        )
        reason = next((reason for reason, holds in reasons if holds), OutcomeReason.NO_EVIDENCE)
        against = {OutcomeReason.FAILING: WorkOutcome.FAILED, OutcomeReason.NO_EVIDENCE: WorkOutcome.UNKNOWN}
        return _because(reason, against.get(reason, WorkOutcome.WORKED))

    def _share_taken_back(self, number: int) -> float:
        """Which share of the edits was taken back by the work for later goals."""
        work = self._works[number]
        if not work.edits:
            return 0.0
        later = [each.made[-1].place for each in self._works[number + 1 : number + 1 + self._policy.reach] if each.made]
        if not later:
            return 0.0
        span = work.made[-1].place, later[-1]
        takings = _within(self._takings, *span)
        return sum(self._is_taken_back(edit, takings, span) for edit in work.edits) / len(work.edits)

    def _is_taken_back(self, edit: MadeStep, takings: Sequence[MadeStep], span: tuple[int, int]) -> bool:
        """Whether an edit was taken back within a span. What is committed survives a reset of the working tree."""
        next_publishing = bisect_right(self._publishings, edit.place)
        committed = self._publishings[next_publishing] if next_publishing < len(self._publishings) else None
        left = set(edit.trace.edited)
        for taking in takings:
            is_safe = committed is not None and committed < taking.place
            words = [word for word in taking.trace.taken_back if not (is_safe and word == EVERYTHING)]
            left -= {path for path in left if is_taken_back(path, words)}
        return not left or any(
            is_edited_back(edit.trace, later.trace)
            for path in edit.trace.edited
            for later in _within(self._edits[path], *span)
        )

    def _is_corrected(self, number: int) -> bool:
        """Whether a correction is about this work: typed during it or next, or next after it was merely committed."""
        work, after = self._works[number], self._after(number)
        if any(self._said.corrects(act) for act in work.acts):
            return True
        if work.is_delivery or after is None or self._is_about_earlier(number, after):
            return False
        if self._said.corrects(work.following):
            return True
        return after.is_delivery and bool(work.edits) and self._said.corrects(after.following)

    def _is_same_problem(self, work: GoalWork) -> bool:
        """Whether the correction speaks of what was requested: it is still not reached."""
        return work.following is not None and _overlap(work.request, work.following.text or "") >= self._policy.repeated

    def _is_redirected(self, number: int) -> bool:
        """Whether the user rejected a call by saying what to do instead, and something was then made."""
        return _is_rejected_with_reason(self._works[number]) and any(
            each.trace.acts for work in self._works[number + 1 :] for each in work.made
        )

    def _is_corrected_again(self, number: int) -> bool:
        after = self._after(number)
        return after is not None and self._said.corrects(after.following)

    def _is_about_earlier(self, number: int, after: GoalWork) -> bool:
        """Whether what followed changed only files of an earlier goal: then it is about that one."""
        work = self._works[number]
        if not work.files or not after.files or work.files & after.files or self._is_same_problem(work):
            return False
        return any(after.files <= each.files for each in self._works[:number])

    def _after(self, number: int) -> GoalWork | None:
        return self._works[number + 1] if number + 1 < len(self._works) else None

    def _was_published(self, work: GoalWork) -> bool:
        """Whether the work was committed or published, by itself or for a later goal."""
        if not work.edits:
            return work.publishes
        return bool(self._publishings) and self._publishings[-1] > work.edits[-1].place


def _within(steps: Sequence[MadeStep], after: int, until: int) -> Sequence[MadeStep]:
    """The steps, in order, behind one place and up to another."""
    return steps[bisect_right(steps, after, key=_place) : bisect_right(steps, until, key=_place)]


def _place(step: MadeStep) -> int:
    return step.place


def _stopped_by(work: GoalWork) -> OutcomeReason | None:
    """What the user ended the work with, if they did."""
    if _is_rejected_with_reason(work):
        return OutcomeReason.REJECTED
    acts = {act.action for act in work.acts} - {UserAction.SAID}
    if work.goal.ending is not Ending.STOPPED or not acts:
        return None
    return OutcomeReason.REJECTED if UserAction.REJECTED in acts else OutcomeReason.INTERRUPTED


def _is_rejected_with_reason(work: GoalWork) -> bool:
    return work.following is not None and work.following.origin == MessageOrigin.REJECTION


def _overlap(one: str, other: str) -> float:
    """Which share of the telling terms of the shorter text is also in the other one."""
    first, second = _terms(one), _terms(other)
    shared = len(first & second)
    return shared / min(len(first), len(second)) if shared >= _FEWEST_SHARED else 0.0


def _terms(text: str) -> frozenset[str]:
    terms = (term for word in _WORD.findall(text[:_MAX_READ].lower()) for term in term_of(word))
    return frozenset(term for term in terms if worth_of(term) > LIGHT)


def _is_failing(work: GoalWork) -> bool:
    """Whether a failure was left behind; a look that found nothing is none."""
    failed = [step for step in work.steps if step.status in _FAILED]
    return work.goal.ending is Ending.FAILING and any(not is_only_looking(step) for step in failed)


def _fails_after_publishing(work: GoalWork) -> bool:
    """Whether the last thing that was tried on published work failed: whoever looks then checks it."""
    published = [number for number, step in enumerate(work.steps) if trace_of(step).publishes]
    after = [step for step in work.steps[published[-1] + 1 :] if step.status is not None] if published else []
    return bool(after) and after[-1].status in _FAILED


def _follows(work: GoalWork, later: NextSession, policy: OutcomePolicy) -> bool:
    return timedelta() <= later.began - work.goal.ended <= policy.next_session_within


def _is_asked_again(
    request: str, judged: JudgedOutcome, later: Sequence[str], *, has_edits: bool, policy: OutcomePolicy
) -> bool:
    """Whether the next session requests the same work; a command that succeeded and is run again is routine."""
    if judged.reason in _STANDING or (judged.reason is OutcomeReason.CHECKED and not has_edits):
        return False
    return len(request.split()) >= policy.fewest_words and any(
        _numbers(request) == _numbers(each) and are_same(request, each) for each in later
    )


def _numbers(request: str) -> list[str]:
    """The words with digits: the next version, or another issue, is other work."""
    return sorted(word for word in _WORD.findall(request) if any(map(str.isdigit, word)))


def _accepts(later: Sequence[str], request: str) -> bool:
    """Whether the next session begins by committing the work, and not by asking once more for a commit."""
    wants = [_WANTS_COMMIT.match(text) is not None for text in (request, *later[:1])]
    return wants == [False, True]


def _because(reason: OutcomeReason, outcome: WorkOutcome) -> JudgedOutcome:
    return JudgedOutcome(outcome=outcome, reason=reason)
