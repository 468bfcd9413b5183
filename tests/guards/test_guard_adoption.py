"""When a guard is proposed, proposed again or withdrawn, and how its live outcomes are counted."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from msgspec import structs

from tests.history_builder import AT, build_history
from wisen.delivery.guards_from_fixes import GuardPattern
from wisen.guards.backtest_history import MatchedCall, WatchedGuard, match_calls
from wisen.guards.guard_proposals import (
    GuardCandidate,
    demote_overruled,
    describe_backtest,
    find_closed_proposals,
    first_ready_candidates,
    proposals_to_replace,
    propose_candidates,
)
from wisen.guards.live_outcomes import calls_by_id, count_outcomes
from wisen.guards.rule_violations import DeliveredRule, find_violations
from wisen.guards.settings import GuardPolicy
from wisen.model.backtest import Backtest
from wisen.model.entry import Actor, Answer, Move, MoveKind, Proposal, ProposalType
from wisen.model.entry_state import ProposalState, fold_proposal_states
from wisen.model.event import Status
from wisen.model.exposure import Arm, Channel, Exposure
from wisen.model.guard import Guard, GuardSource, GuardState, GuardStats, Mode, guard_states
from wisen.store.row_factory import RowFactory
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.guards_contract import a_guard

POLICY = GuardPolicy()


@pytest.fixture
def factory() -> RowFactory:
    return RowFactory(FixedClock(AT), CountingIds(), "desk")


def fix(helped: int = 3, good: int = 0, watch: str = "shell: rtk bun", of: str = "f1") -> GuardCandidate:
    past = Backtest(sessions=9, calls=helped + good, met=helped, good=good, helped=helped, examples=("rtk bun test",))
    return GuardCandidate(watch, "bun", "", GuardSource.FIX, of, "rtk: no such command", past)


def rule(violated: int, watch: str = "shell: npm", of: str = "01A") -> GuardCandidate:
    past = Backtest(sessions=9, calls=violated, good=violated, hit=("npm test",))
    return GuardCandidate(
        watch, "pnpm", "", GuardSource.RULE, of, "Use pnpm.", past, violated, ("not kept:", "one", "two")
    )


def ready_candidates(*candidates: GuardCandidate) -> list[GuardCandidate]:
    return first_ready_candidates({"f": candidates}, POLICY)


def state(mode: Mode = Mode.SHADOW, guard: Guard | None = None) -> GuardState:
    return GuardState(guard=guard or a_guard(), mode=mode, since=AT)


def propose(factory: RowFactory, candidate: GuardCandidate | None = None) -> Proposal:
    (_, proposal) = propose_candidates([candidate or fix()], [], [], factory)
    assert isinstance(proposal, Proposal)
    return proposal


@pytest.mark.requirement("F6")
@pytest.mark.parametrize(
    ("helped", "good", "is_ready"), [(3, 0, True), (2, 0, False), (3, 1, False), (99, 1, False), (0, 0, False)]
)
def test_a_fix_is_ready_at_three_sessions_and_no_good_call(helped: int, good: int, is_ready: bool) -> None:
    assert bool(ready_candidates(fix(helped, good))) is is_ready


def test_of_a_fix_the_most_general_watch_that_was_never_in_the_way_is_taken() -> None:
    whole, part = fix(9, 1, watch="shell: rtk"), fix(5, 0, watch="shell: rtk bun")
    assert ready_candidates(whole, part, fix(4, 0, watch="shell: rtk bun test")) == [part]
    assert first_ready_candidates({"a": [whole], "b": [part]}, POLICY) == [part]


@pytest.mark.requirement("F6")
@pytest.mark.requirement("X2")
def test_a_new_guard_is_in_shadow_and_proposed_with_what_it_would_have_done(factory: RowFactory) -> None:
    guard, proposal = propose_candidates([fix()], [], [], factory)
    assert isinstance(guard, Guard)
    assert isinstance(proposal, Proposal)
    assert guard_states([guard], [])[0].mode is Mode.SHADOW
    assert guard.action is Mode.WARN
    assert (proposal.type, proposal.entry, proposal.sessions) == (ProposalType.GUARD, guard.id, 3)
    assert proposal.text == "warn shell: rtk bun -> bun # rtk: no such command"
    assert proposal.backtest == fix().backtest
    assert (
        "Over 9 recorded sessions it would have matched 3 calls that failed in this way, in 3 sessions" in proposal.why
    )
    assert "and no good calls." in proposal.why
    assert "It would have matched: rtk bun test" in proposal.why


def test_what_a_backtest_came_to_is_reported_with_what_was_hidden_and_what_it_would_have_hit() -> None:
    past = Backtest(
        sessions=9, calls=6, met=2, masked=1, helped=1, bad=1, good=1, open=2, low=0.25, hit=("rtk bun -v",)
    )
    lines = describe_backtest(past, GuardSource.FIX)
    assert (
        "2 calls that failed in this way (1 of them hidden from the agent), in 1 session, and 1 good call." in lines[0]
    )
    assert lines[1:] == (
        "Also 1 call that went wrong in other ways, and 2 that never ran.",
        "When it fires, it is right at least 25% of the time (95 % confidence).",
        "It would have been in the way of: rtk bun -v",
    )
    assert describe_backtest(Backtest(sessions=2), GuardSource.HAND) == (
        "Over 2 recorded sessions it would have matched no call.",
    )
    assert describe_backtest(Backtest(sessions=0), GuardSource.FIX) == (
        "There is no recorded session yet to test it on.",
    )


def test_two_lessons_that_come_to_the_same_guard_are_proposed_once(factory: RowFactory) -> None:
    rows = propose_candidates([fix(of="f1"), fix(of="f2"), rule(2, watch="shell: rtk bun")], [], [], factory)
    assert [type(each) for each in rows] == [Guard, Proposal]
    assert isinstance(rows[0], Guard)
    assert rows[0].of == "f1"
    several = propose_candidates([fix(), rule(2), fix(watch="shell: rtk tsc")], [], [], factory)
    assert [each.watch for each in several if isinstance(each, Guard)] == [
        "shell: rtk bun",
        "shell: npm",
        "shell: rtk tsc",
    ]


def test_while_it_waits_or_is_at_work_nothing_more_is_proposed(factory: RowFactory) -> None:
    before = fold_proposal_states([propose(factory)], [])
    for mode in Mode:
        assert propose_candidates([fix(99)], [state(mode)], before, factory) == []
        assert propose_candidates([fix(99)], [state(mode)], [], factory) == [], "the user wrote it by hand"


@pytest.mark.parametrize("answer", [Answer.SKIPPED, Answer.EXPIRED])
def test_one_that_was_skipped_waits_for_new_evidence(factory: RowFactory, answer: Answer) -> None:
    before = [ProposalState(propose(factory), answer, AT)]
    assert propose_candidates([fix(3)], [state()], before, factory) == []
    (again,) = propose_candidates([fix(4)], [state()], before, factory)
    assert isinstance(again, Proposal)
    assert again.sessions == 4
    later = [*before, ProposalState(again, answer, AT)]
    assert propose_candidates([fix(4)], [state()], later, factory) == []
    assert len(propose_candidates([fix(5)], [state()], later, factory)) == 1


def test_a_waiting_proposal_is_replaced_once_the_evidence_is_clear(factory: RowFactory) -> None:
    def sure(low: float, good: int = 0) -> GuardCandidate:
        return fix(99)._replace(backtest=structs.replace(fix(99, good).backtest, low=low))

    waiting = ProposalState(propose(factory), None, AT)
    assert proposals_to_replace([sure(0.95)], [waiting], POLICY) == [waiting.proposal]
    assert proposals_to_replace([sure(0.9499)], [waiting], POLICY) == []
    assert proposals_to_replace([sure(0.99, good=1)], [waiting], POLICY) == []
    assert proposals_to_replace([sure(0.99)], [waiting._replace(answer=Answer.LATER)], POLICY) == [], (
        "the user has seen it"
    )
    assert proposals_to_replace([sure(0.99)], [ProposalState(propose(factory, sure(0.96)), None, AT)], POLICY) == []


def test_one_that_the_user_overruled_and_skipped_is_not_asked_about_again(factory: RowFactory) -> None:
    (_, proposal) = demote_overruled([state(Mode.WARN)], lambda _: GuardStats(overruled=2), POLICY, factory)
    assert isinstance(proposal, Proposal)
    for answer in (None, Answer.SKIPPED, Answer.EXPIRED):
        before = [ProposalState(proposal, answer, AT)]
        assert propose_candidates([fix(99)], [state()], before, factory) == []
        assert proposals_to_replace([fix(99)._replace(backtest=Backtest(sessions=9, low=0.99))], before, POLICY) == []


@pytest.mark.parametrize(
    ("answer", "mode"), [(Answer.REJECTED, Mode.OFF), (Answer.SKIPPED, Mode.OFF), (Answer.SKIPPED, Mode.REMOVED)]
)
def test_one_that_was_refused_switched_off_or_removed_does_not_come_back(
    factory: RowFactory, answer: Answer, mode: Mode
) -> None:
    assert propose_candidates([fix(99)], [state(mode)], [ProposalState(propose(factory), answer, AT)], factory) == []


@pytest.mark.parametrize(
    ("mode", "days", "given"),
    [
        (Mode.SHADOW, 60, None),
        (Mode.SHADOW, 61, Answer.EXPIRED),
        (Mode.WARN, 0, Answer.APPROVED),
        (Mode.DENY, 99, Answer.APPROVED),
        (Mode.ASK, 0, Answer.APPROVED),
        (Mode.OFF, 0, Answer.REJECTED),
        (Mode.REMOVED, 0, Answer.REJECTED),
    ],
)
def test_a_proposal_is_over_when_the_user_decided_elsewhere_or_let_it_lie(
    factory: RowFactory, mode: Mode, days: int, given: Answer | None
) -> None:
    proposal, now = propose(factory), AT + timedelta(days=days)
    found = find_closed_proposals([ProposalState(proposal, None, AT)], [state(mode)], now, 60)
    assert found == ([(proposal, given)] if given else [])
    assert find_closed_proposals([ProposalState(proposal, Answer.SKIPPED, AT)], [state(mode)], now, 60) == []
    other = structs.replace(proposal, type=ProposalType.PROMOTION)
    assert find_closed_proposals([ProposalState(other, None, AT)], [state(mode)], now, 60) == []


def matched_calls(*acts: str, native: str = "s1", start: datetime = AT) -> list[MatchedCall]:
    (found,), _ = match_calls([WatchedGuard("shell: npm")], [build_history(*acts, native=native, start=start)])
    return found


def a_rule(since: datetime | None = None, **sessions: datetime) -> DeliveredRule:
    by_session = {("claude-code", native): moment for native, moment in sessions.items()}
    return DeliveredRule("01A", "Use pnpm, not npm.", "", GuardPattern("shell: npm", "pnpm"), since, by_session)


@pytest.mark.requirement("X3")
def test_a_rule_is_violated_by_what_was_done_after_its_delivery() -> None:
    acts = ("ok npm test", "said go on", "ok npm ci", "ok npm run x", "said and now", "failed npm x | no")
    calls = matched_calls(*acts)
    assert find_violations(a_rule(), calls) == [], "it was delivered to no session"
    assert find_violations(a_rule(AT + timedelta(days=1)), calls) == [], "all of it was done before"
    assert find_violations(a_rule(other=AT - timedelta(days=1)), calls) == [], "it was delivered to another session"
    assert [each.text for each in find_violations(a_rule(AT - timedelta(days=1)), calls)] == [
        "npm test",
        "npm ci",
        "npm x",
    ], "one for each turn"
    assert [each.text for each in find_violations(a_rule(s1=AT + timedelta(minutes=1)), calls)] == ["npm ci", "npm x"]
    both = a_rule(AT + timedelta(minutes=4), s1=AT)
    assert [each.text for each in find_violations(both, calls)] == ["npm ci", "npm x"], "the first delivery counts"


@pytest.mark.requirement("X3")
def test_violations_are_reported_oldest_first_over_sessions() -> None:
    late, early = (
        matched_calls("ok npm a", native="b", start=AT + timedelta(days=1)),
        matched_calls("ok npm b", native="a"),
    )
    found = find_violations(a_rule(AT - timedelta(days=1)), [*late, *early])
    assert [each.native for each in found] == ["a", "b"]


@pytest.mark.requirement("X3")
def test_a_rule_becomes_a_proposal_at_its_second_violation_with_both_as_evidence(factory: RowFactory) -> None:
    assert ready_candidates(rule(0)) == ready_candidates(rule(1)) == []
    (_, proposal) = propose_candidates(ready_candidates(rule(2)), [], [], factory)
    assert isinstance(proposal, Proposal)
    assert proposal.why.splitlines()[:3] == ["not kept:", "one", "two"]
    assert "2 calls: 2 that went well, 0 that did not" in proposal.why, "a rule may speak against what works"
    skipped = [ProposalState(proposal, Answer.SKIPPED, AT)]
    known = [state(guard=a_guard("shell: npm", "pnpm"))]
    assert propose_candidates(ready_candidates(rule(2)), known, skipped, factory) == []
    assert len(propose_candidates(ready_candidates(rule(3)), known, skipped, factory)) == 1


@pytest.mark.requirement("F6")
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_a_guard_that_was_overruled_twice_is_put_back_to_shadow_and_asked_about(
    factory: RowFactory, mode: Mode, times: int
) -> None:
    rows = demote_overruled([state(mode)], lambda _: GuardStats(overruled=times), POLICY, factory)
    if times < 2 or mode not in (Mode.WARN, Mode.DENY, Mode.ASK):
        assert rows == []
        return
    move, proposal = rows
    assert isinstance(move, Move)
    assert isinstance(proposal, Proposal)
    assert (move.subject, move.kind, move.value, move.by) == (a_guard().id, MoveKind.GUARD, Mode.SHADOW, Actor.WISEN)
    assert guard_states([a_guard()], [move])[0].mode is Mode.SHADOW
    assert f"You overruled this guard {times} times" in proposal.why
    assert proposal.entry == a_guard().id
    assert (
        find_closed_proposals([ProposalState(proposal, None, AT)], guard_states([a_guard()], [move]), AT, 60) == []
    ), "it waits"


def test_what_is_asked_about_a_guard_that_denied_says_that_it_would_deny_again(factory: RowFactory) -> None:
    denies = structs.replace(a_guard(), action=Mode.DENY)
    (_, proposal) = demote_overruled([state(Mode.DENY, denies)], lambda _: GuardStats(overruled=2), POLICY, factory)
    assert isinstance(proposal, Proposal)
    assert proposal.text.startswith("deny ")
    assert "have it deny again" in proposal.why


def exposure(call: str, mode: Mode = Mode.WARN, arm: Arm = Arm.GIVEN, session: str = "s1") -> Exposure:
    return Exposure(
        id=f"{call}{mode}{arm}", machine="desk", agent="claude-code", session=session, subject="G-1", version="v",
        channel=Channel.HOOK, event="before-call", arm=arm, at=AT, call=call, mode=mode,
    )  # fmt: skip


def overrule_move(minutes: int = 0, kind: MoveKind = MoveKind.OVERRULE) -> Move:
    at = AT + timedelta(minutes=minutes)
    return Move(id=f"{minutes}{kind}", subject="G-1", machine="desk", at=at, by=Actor.USER, kind=kind, value="warn")


def test_calls_are_counted_by_what_became_of_them() -> None:
    history = build_history("ok rtk bun", "failed rtk bun | no", "ok rtk bun", "ok rtk bun")
    masked = structs.replace(history.steps[2], status=Status.MASKED)
    never = structs.replace(history.steps[3], status=None)
    calls = calls_by_id([structs.replace(history, steps=(*history.steps[:2], masked, never))])
    rows = [
        exposure("c0", arm=Arm.WITHHELD, mode=Mode.DENY),
        exposure("c1"),
        exposure("c2", session="s2"),
        exposure("c3"),
        exposure("c9"),
        exposure("c8", Mode.DENY),
    ]
    assert count_outcomes(rows, calls, [], AT) == GuardStats(
        decisions=6, sessions=2, failed=2, went_well=1, stopped=1, open=2
    )
    assert count_outcomes([], {}, [], AT) == GuardStats()


@pytest.mark.requirement("F6")
def test_the_user_overruled_it_where_he_said_so_or_let_a_call_pass_since_it_was_set() -> None:
    calls = calls_by_id([build_history("ok git push", "failed git push | no")])
    let_pass = [exposure("c0", Mode.ASK), exposure("c1", Mode.ASK)]
    assert count_outcomes(let_pass, calls, [], AT).overruled == 2
    assert count_outcomes(let_pass, {}, [], AT).overruled == 0, "the user said no, or has not answered"
    assert count_outcomes(let_pass, calls, [], AT + timedelta(seconds=1)).overruled == 0, (
        "the guard was set again since"
    )
    shadow = [exposure("c0", Mode.ASK, Arm.WITHHELD)]
    assert count_outcomes(shadow, calls, [], AT).overruled == 0
    assert count_outcomes([exposure("c0")], calls, [], AT).overruled == 0, "a warning lets every call pass"
    moves = [overrule_move(-1), overrule_move(0), overrule_move(5), overrule_move(6, MoveKind.GUARD)]
    assert count_outcomes([], {}, moves, AT).overruled == 2
