"""Checks of rules in files: inferred rules have to prove themselves, and stated ones are asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.commands import run
from tests.trials.simulated_users import ERROR, World
from wisen.model.entry import Actor, Answer, EntryStatus, ProposalType
from wisen.model.instruction import Rate
from wisen.trials.inferred_lines import judge_inferred_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.model.entry_state import EntryState

pytestmark = [pytest.mark.requirement("S8"), pytest.mark.requirement("S7")]
USER_LINES = "# Shop\n\nBe brief.\n"


@pytest.fixture
def world(home: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A project with instructions, and sessions that taught something."""
    made = World(home, monkeypatch)
    (made.project / "CLAUDE.md").write_text(USER_LINES)
    made.teach()
    made.cycle()
    return made


def run_deployments(world: World, sessions: int, fails: Callable[[int], bool]) -> None:
    """So many days with a session that deploys, which fails or does not."""
    for number in range(sessions):
        log = world.log()
        log.prompt("deploy the shop")
        if fails(number):
            log.bash("shopctl deploy --wait", ERROR, exit_code=2)
        log.bash("shopctl deploy", "deployed")
        log.write(world.logs)
        world.advance(hours=16)


def put_in(world: World, by: Actor, profile: str = "autonomous") -> None:
    """Have the fix of deploying stand in the file, approved by the user or only let pass by policy.

    What policy put into a file it takes out again in the profile in which it may write unasked.
    """
    (world.wisen / "config.toml").write_text(f'[promote]\nprofile = "{profile}"\n')
    with world.learner() as learner:
        fix = next(each for each in learner.fixes.all() if "--wait" in each.change.removed)
    log = world.log()
    log.prompt("hello")
    log.write(world.logs)
    world.record_outcomes(fix.id, "v", "W" * 12)
    world.cycle()
    with world.learner() as learner:
        (each,) = [each for each in learner.proposals.all() if each.proposal.type is ProposalType.VERIFICATION]
        learner.proposals.answer(each.proposal.id, Answer.APPROVED, by=by)
    assert "--wait" in file_of(world)


def file_of(world: World) -> str:
    return (world.project / "CLAUDE.md").read_text()


def rule_of(world: World) -> EntryState:
    with world.learner() as learner:
        (rule,) = [each for each in learner.lessons.all() if each.entry.type == "error"]
    return rule


def test_a_failure_that_falls_stays_in_the_file(world: World) -> None:
    run_deployments(world, 30, lambda _: True)
    put_in(world, Actor.WISEN)
    for _ in range(6):
        run_deployments(world, 5, lambda number: number == 0)
        world.cycle()
    assert "--wait" in file_of(world)
    assert rule_of(world).status is EntryStatus.PROMOTED


def test_a_failure_that_stays_as_it_was_has_its_line_taken_out_byte_for_byte(world: World) -> None:
    run_deployments(world, 30, lambda _: True)
    put_in(world, Actor.WISEN)
    for _ in range(10):
        run_deployments(world, 5, lambda _: True)
        world.cycle()
    assert file_of(world) == USER_LINES
    assert rule_of(world).status is EntryStatus.WONT_FIX
    delivered = world.fire("session-start", world.log(), source="startup")
    assert "Tell the user once:" in delivered
    assert "ineffective, so it is removed" in delivered


def test_a_failure_that_rises_has_its_line_taken_out_at_once(world: World) -> None:
    run_deployments(world, 30, lambda number: number % 10 == 0)
    put_in(world, Actor.WISEN)
    began = world.days.time
    while "--wait" in file_of(world):
        run_deployments(world, 1, lambda _: True)
        world.cycle()
        assert (world.days.time - began).days < 14
    assert file_of(world) == USER_LINES
    assert (world.days.time - began).days < 10


def test_in_the_default_profile_a_line_that_does_harm_is_asked_about_once_and_stays(world: World) -> None:
    run_deployments(world, 30, lambda number: number % 10 == 0)
    put_in(world, Actor.WISEN, "standard")
    before, messages = file_of(world), list[str]()
    for _ in range(4):
        run_deployments(world, 5, lambda _: True)
        with world.learner() as learner:
            messages += learner.cycle(quick=True).checked
    assert file_of(world) == before, "nothing is written without a yes"
    (asks,) = messages
    assert "made worse: wisen undo " in asks


def test_what_the_user_wrote_meanwhile_stays(world: World) -> None:
    run_deployments(world, 30, lambda number: number % 10 == 0)
    put_in(world, Actor.WISEN)
    (world.project / "CLAUDE.md").write_text(
        file_of(world).replace("Be brief.", "Be brief, and kind.") + "\nOf mine.\n"
    )
    for _ in range(3):
        run_deployments(world, 5, lambda _: True)
        world.cycle()
    assert "--wait" not in file_of(world)
    assert "Be brief, and kind." in file_of(world)
    assert file_of(world).endswith("\nOf mine.\n")


def test_what_the_user_approved_stays_whatever_the_sessions_say_and_is_asked_about_when_nothing_shows(
    world: World,
) -> None:
    run_deployments(world, 30, lambda number: number % 10 == 0)
    put_in(world, Actor.USER)
    run_deployments(world, 20, lambda _: True)
    world.cycle()
    assert "--wait" in file_of(world)
    messages: list[str] = []
    for _ in range(30):
        world.advance(days=2)
        with world.learner() as learner:
            messages += learner.cycle(quick=True).checked
    assert "--wait" in file_of(world)
    assert [("has shown yet" in each, "another week" in each, "It stays" in each) for each in messages] == [
        (True, False, False),
        (True, True, False),
        (False, False, True),
    ]


def test_what_was_inferred_and_never_mattered_is_reminded_of_extended_and_taken_out(world: World) -> None:
    put_in(world, Actor.WISEN)
    messages = []
    began = world.days.time
    while "--wait" in file_of(world):
        world.advance(days=1)
        with world.learner() as learner:
            messages += [((world.days.time - began).days, each) for each in learner.cycle(quick=True).checked]
        assert len(messages) < 9
    assert [day for day, _ in messages] == [14, 21, 28]
    assert "removed" in messages[-1][1]
    assert file_of(world) == USER_LINES


def test_for_a_rule_that_is_never_withheld_the_sessions_before_and_after_are_reported(world: World) -> None:
    run_deployments(world, 30, lambda _: True)
    put_in(world, Actor.USER)
    run_deployments(world, 24, lambda number: number < 2)
    world.cycle()
    with world.learner() as learner:
        ((rule, effect),) = learner.trials.rule_effects()
    assert "--wait" in rule.text
    assert effect.description == "seen in 34 of 34 sessions before it, 2 of 21 after; inconclusive"
    assert effect.placebos < 100, "there are not enough dates on which nothing happened to say more"
    assert "Rules in force, before and after" in run("effect").stdout


def test_sessions_before_and_after_can_speak_against_a_line_and_never_for_it() -> None:
    verdicts = {
        judge_inferred_line(Rate(sessions=before, of=30), Rate(sessions=after, of=30)).value
        for before in range(31)
        for after in range(31)
    }
    assert verdicts == {"running", "ineffective", "made worse"}
    assert judge_inferred_line(Rate(sessions=30, of=30), Rate(sessions=0, of=30)).value == "running"
    assert judge_inferred_line(Rate(sessions=0, of=0), Rate(sessions=30, of=30)).value == "running"
