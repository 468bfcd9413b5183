"""Trials through the whole program: who gets a hint is the coin's choice, and what came of it decides."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trials import World

from wisen.domain.entries import Answer, ProposalType, Status
from wisen.domain.exposures import Arm
from wisen.loop.verify.trials.coin import toss
from wisen.surfaces.hook.tossing import gets

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.steps.trying import Standing

pytestmark = pytest.mark.requirement("X1")


@pytest.fixture
def world(home: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A user whose sessions taught a fix and a best practice."""
    made = World(home, monkeypatch)
    made.taught()
    return made


@given(st.text(st.characters(exclude_characters=":")), st.text(), st.text(), st.binary(min_size=1), st.floats(0, 1))
def test_the_coin_of_the_hook_is_the_coin_of_the_program(
    rule: str, version: str, session: str, salt: bytes, share: float
) -> None:
    arm = toss(salt, rule=rule, version=version, session=session, chance=share)
    assert gets(salt, f"{rule}:{version}", session, share) is (arm is Arm.GIVEN)


def test_without_consent_nothing_is_ever_withheld(world: World) -> None:
    world.cycle()
    luck = random.Random(7)
    for _ in range(1_000):
        log = world.log()
        for event in luck.sample(["session-start", "failure", "prompt"], luck.randint(1, 3)):
            failed = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}}
            error = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
            told = world.fire(event, log, source="startup", prompt="deploy the shop", error=error, **failed)
            assert event != "failure" or "without --wait" in told
        assert not world.withheld(log)
    world.cycle()
    with world.learner() as learner:
        rows = learner._parts.ledger.exposures()  # noqa: SLF001 - what became of every session
    assert len({each.session for each in rows}) > 500
    assert {(each.arm, each.chance) for each in rows} == {(Arm.GIVEN, None)}


def test_what_a_session_gets_is_the_coins_choice_and_stays_so(world: World) -> None:
    world.consent()
    world.cycle()
    told: dict[bool, int] = {True: 0, False: 0}
    for _ in range(60):
        log = world.log()
        block = world.fire("session-start", log, source="startup")
        held = world.withheld(log)
        assert ("leave out Skill commit" in block) is not any(each.startswith("R-") for each in held)
        assert "Hints" in block or "- Asked to" not in block
        assert not (held and block.count("R-") and any(each in block for each in held))
        told["leave out Skill commit" in block] += 1
        again = world.fire("session-start", log, source="compact")
        assert again == block, "the arm of a session does not change"
    assert min(told.values()) > 15
    world.cycle()
    with world.learner() as learner:
        coins = learner._parts.ledger.exposures(tossed=True)  # noqa: SLF001 - what coins said
    assert len(coins) == 2 * 60, "once for each session and each thing on trial"
    assert {each.chance for each in coins} == {0.5}
    assert {each.event for each in coins} == {"coin"}


def go(world: World, begin: str, hit: object, verdict: str, most: int = 120) -> list[str]:
    """Sessions with a cycle after every fourth until a verdict is there; returns which of them went without."""
    without = []
    for number in range(most):
        log = getattr(world, begin)(hit)
        if world.withheld(log):
            without.append(log.session)
        if number % 4 == 3:
            world.cycle()
            with world.learner() as learner:
                if any(each.judged.verdict == verdict for each in learner.trials()):
                    return without
    raise AssertionError(f"not {verdict} after {most} sessions")


def hint_of(world: World) -> Standing:
    """The trial of the best practice."""
    with world.learner() as learner:
        (hint,) = [each for each in learner.trials() if each.subject.startswith("R-")]
    return hint


@pytest.mark.requirement("S7")
def test_a_hint_after_which_the_failure_falls_is_confirmed_and_proposed(world: World) -> None:
    world.consent()
    world.cycle()
    go(world, "commits", lambda told: not told, "confirmed")
    assert hint_of(world).chance == 0.95
    with world.learner() as learner:
        (proposal,) = [each for each in learner.proposals() if each.proposal.type is ProposalType.VERIFICATION]
        assert proposal.waits
        assert "sessions without it" in proposal.proposal.why
        assert proposal.proposal.path == str(world.project / "CLAUDE.md")
        learner.answer(proposal.proposal.id, Answer.APPROVED)
        learner.cycle(quick=True)
    assert "leave out Skill commit" in (world.project / "CLAUDE.md").read_text()
    for _ in range(20):
        log = world.log()
        assert "leave out Skill commit" not in world.fire("session-start", log, source="startup"), "the file tells it"
        assert not any(each.startswith("R-") for each in world.withheld(log)), "what he approved is never withheld"


def test_a_hint_that_changes_nothing_is_dropped_with_its_numbers(world: World) -> None:
    world.consent()
    world.cycle()
    world.commits(lambda _: True)
    world.cycle()
    hint = hint_of(world)
    world.noted(hint.subject, hint.version, "GWGWG" * 20)
    world.commits(lambda _: True)
    world.cycle()
    hint = hint_of(world)
    with world.learner() as learner:
        assert hint.judged.verdict == "ineffective"
        (entry,) = [each for each in learner.entries() if each.entry.category == "best_practice"]
        assert entry.status is Status.WONT_FIX
        (why,) = [move.why for move in learner.decisions(entry) if move.value == Status.WONT_FIX]
        assert hint.judged.words in why
    log = world.log()
    assert "leave out Skill commit" not in world.fire("session-start", log, source="startup")


def test_a_hint_that_makes_it_worse_goes_at_once_and_the_user_is_told_once(world: World) -> None:
    world.consent()
    world.cycle()
    go(world, "commits", lambda told: told, "made worse")
    told = world.fire("session-start", world.log(), source="startup")
    assert "Tell the user once:\n- wisen tells its hint “Asked to “commit”, leave out Skill commit" in told
    assert "made worse" in told
    world.cycle()
    assert "made worse" not in world.fire("session-start", world.log(), source="startup")


def test_a_fix_is_judged_by_what_follows_the_failure_it_is_told_after(world: World) -> None:
    world.consent()
    world.cycle()
    without = go(world, "deploys", lambda told: not told, "confirmed")
    with world.learner() as learner:
        (fix,) = [each for each in learner.trials() if not each.subject.startswith("R-")]
        assert fix.judged.given.sessions == 0
        assert fix.judged.withheld.sessions == fix.judged.withheld.of > 0
        assert {row.session for row in fix.rows if row.arm is Arm.WITHHELD} <= set(without)
        (proposal,) = [each for each in learner.proposals() if each.proposal.type is ProposalType.VERIFICATION]
        assert "without --wait" in proposal.proposal.text
