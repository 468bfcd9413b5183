"""Trials end to end: the coin decides who gets a hint, and the outcomes decide the verdict."""

from __future__ import annotations

import json
import random
import re
from datetime import timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import run
from tests.trials.simulated_users import ERROR, World
from wisen.errors import UsageError
from wisen.model.entry import Answer, EntryStatus, ManualEntry, MoveKind, ProposalType
from wisen.model.exposure import Arm
from wisen.surfaces.hook.trial_draw import is_given
from wisen.trials.coin import toss

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.trial import Trial

pytestmark = pytest.mark.requirement("X1")


@pytest.fixture
def world(home: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A user whose sessions taught a fix and a best practice."""
    made = World(home, monkeypatch)
    made.teach()
    return made


@given(st.text(st.characters(exclude_characters=":")), st.text(), st.text(), st.binary(min_size=1), st.floats(0, 1))
def test_the_coin_of_the_hook_is_the_coin_of_the_program(
    rule: str, version: str, session: str, salt: bytes, share: float
) -> None:
    arm = toss(salt, rule=rule, version=version, session=session, chance=share)
    assert is_given(salt, f"{rule}:{version}", session, share) is (arm is Arm.GIVEN)


def test_without_consent_nothing_is_ever_withheld(world: World) -> None:
    world.cycle()
    luck = random.Random(7)
    for _ in range(1_000):
        log = world.log()
        for event in luck.sample(["session-start", "failure", "prompt"], luck.randint(1, 3)):
            failed = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}}
            error = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
            delivered = world.fire(event, log, source="startup", prompt="deploy the shop", error=error, **failed)
            assert event != "failure" or "without --wait" in delivered
        assert not world.withheld_ids(log)
    world.cycle()
    with world.learner() as learner:
        rows = learner.home.ledger.exposures.all()
    assert len({each.session for each in rows}) > 500
    assert {(each.arm, each.chance) for each in rows} == {(Arm.GIVEN, None)}


def test_what_a_session_gets_is_the_coins_choice_and_stays_so(world: World) -> None:
    world.consent()
    world.cycle()
    counts: dict[bool, int] = {True: 0, False: 0}
    for _ in range(60):
        log = world.log()
        block = world.fire("session-start", log, source="startup")
        held = world.withheld_ids(log)
        assert ("leave out Skill commit" in block) is not any(each.startswith("R-") for each in held)
        assert "Hints" in block or "- Asked to" not in block
        assert not (held and block.count("R-") and any(each in block for each in held))
        counts["leave out Skill commit" in block] += 1
        again = world.fire("session-start", log, source="compact")
        lines = [[line for line in each.split("\n") if line.startswith("- ")] for each in (again, block)]
        assert lines[0] == [line for line in lines[1] if '" or "skip ' not in line], "the arm does not change"
    assert min(counts.values()) > 15
    world.cycle()
    with world.learner() as learner:
        coins = learner.home.ledger.exposures.all(coin_only=True)
    assert len(coins) == 2 * 60, "once for each session and each thing on trial"
    assert {each.chance for each in coins} == {0.5}
    assert {each.event for each in coins} == {"coin"}


def run_until_verdict(world: World, begin: str, hit: object, verdict: str, most: int = 120) -> list[str]:
    """Sessions with a cycle after every fourth until a verdict is there; returns which of them went without."""
    without = []
    for number in range(most):
        log = getattr(world, begin)(hit)
        if world.withheld_ids(log):
            without.append(log.session)
        if number % 4 == 3:
            world.cycle()
            with world.learner() as learner:
                if any(each.judged.verdict == verdict for each in learner.trials.all()):
                    return without
    raise AssertionError(f"not {verdict} after {most} sessions")


def hint_of(world: World) -> Trial:
    """The trial of the best practice."""
    with world.learner() as learner:
        (hint,) = [each for each in learner.trials.all() if each.subject.startswith("R-")]
    return hint


@pytest.mark.requirement("S7")
def test_a_hint_after_which_the_failure_falls_is_confirmed_and_proposed(world: World) -> None:
    world.consent()
    world.cycle()
    run_until_verdict(world, "commits", lambda has_hint: not has_hint, "confirmed")
    assert hint_of(world).chance == 0.95
    with world.learner() as learner:
        (proposal,) = [each for each in learner.proposals.all() if each.proposal.type is ProposalType.VERIFICATION]
        assert proposal.is_waiting
        assert "sessions without it" in proposal.proposal.why
        assert proposal.proposal.path == str(world.project / "CLAUDE.md")
        learner.proposals.answer(proposal.proposal.id, Answer.APPROVED)
        learner.cycle(quick=True)
    assert "leave out Skill commit" in (world.project / "CLAUDE.md").read_text()
    for _ in range(20):
        log = world.log()
        assert "leave out Skill commit" not in world.fire("session-start", log, source="startup"), "the file tells it"
        assert not any(each.startswith("R-") for each in world.withheld_ids(log)), "an approved rule is never withheld"


def test_guards_in_shadow_are_listed_with_what_became_of_the_calls(world: World) -> None:
    with world.learner() as learner:
        learner.guards.add("deny shopctl deploy --wait -> shopctl deploy", world.project, shadow=True)
    log = world.log()
    log.prompt("deploy the shop")
    call = log.call("Bash", command="shopctl deploy --wait")
    log.fail(call, f"Exit code 2\n{ERROR}")
    log.write(world.logs)
    payload = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}, "tool_use_id": call}
    assert world.fire("before-call", log, **payload) == ""
    world.cycle()
    (shadow,) = json.loads(run("trials", "--json").stdout)["shadows"]
    assert (shadow["fared"]["decisions"], shadow["fared"]["failed"]) == (1, 1)
    assert "would have acted 1 time in 1 session; 1 of these calls failed" in run("trials").stdout


def test_a_hint_that_changes_nothing_is_dropped_with_its_numbers(world: World) -> None:
    world.consent()
    world.cycle()
    world.commits(lambda _: True)
    world.cycle()
    hint = hint_of(world)
    world.record_outcomes(hint.subject, hint.version, "GWGWG" * 20)
    world.commits(lambda _: True)
    world.cycle()
    hint = hint_of(world)
    with world.learner() as learner:
        assert hint.judged.verdict == "ineffective"
        (entry,) = [each for each in learner.lessons.all() if each.entry.category == "best_practice"]
        assert entry.status is EntryStatus.WONT_FIX
        (why,) = [move.why for move in learner.lessons.decisions(entry) if move.value == EntryStatus.WONT_FIX]
        assert hint.judged.description in why
    world.commits(lambda _: True)
    world.cycle()
    with world.learner() as learner:
        (entry,) = [each for each in learner.lessons.all() if each.entry.category == "best_practice"]
    assert entry.status is EntryStatus.WONT_FIX, "that it comes up again does not bring it back"
    assert "leave out Skill commit" not in world.fire("session-start", world.log(), source="startup")


def test_a_hint_that_makes_it_worse_goes_at_once_and_the_user_is_told_once(world: World) -> None:
    world.consent()
    world.cycle()
    run_until_verdict(world, "commits", lambda has_hint: has_hint, "made worse")
    delivered = world.fire("session-start", world.log(), source="startup")
    news = "Tell the user once:\n- wisen no longer delivers the hint “Asked to “commit”, leave out Skill commit"
    assert news in delivered
    assert "made worse" in delivered
    world.cycle()
    assert "made worse" not in world.fire("session-start", world.log(), source="startup")


def test_a_fix_is_judged_by_what_follows_the_failure_it_is_delivered_after(world: World) -> None:
    world.consent()
    world.cycle()
    without = run_until_verdict(world, "deploys", lambda has_hint: not has_hint, "confirmed")
    with world.learner() as learner:
        (fix,) = [each for each in learner.trials.all() if not each.subject.startswith("R-")]
        assert fix.judged.given.sessions == 0
        assert fix.judged.withheld.sessions == fix.judged.withheld.of > 0
        assert {row.session for row in fix.rows if row.arm is Arm.WITHHELD} <= set(without)
        (proposal,) = [each for each in learner.proposals.all() if each.proposal.type is ProposalType.VERIFICATION]
        assert "without --wait" in proposal.proposal.text


def test_the_verdict_is_the_same_when_the_index_is_gone(world: World) -> None:
    world.consent()
    world.cycle()
    run_until_verdict(world, "commits", lambda has_hint: not has_hint, "confirmed")
    before = hint_of(world)
    for path in world.wisen.glob("index.db*"):
        path.unlink()
    for path in world.logs.iterdir():
        path.unlink()
    assert hint_of(world) == before


def test_a_session_counts_for_what_its_coin_said_whatever_was_then_done(world: World) -> None:
    world.consent()
    world.cycle()
    pairs = []
    for _ in range(12):
        log = world.log()
        world.fire("session-start", log, source="startup")
        held = any(each.startswith("R-") for each in world.withheld_ids(log))
        world.fire("prompt", log, prompt="what did you learn")  # it may hear of it all the same
        log.prompt("commit")
        log.bash("git commit -m x", "[main 1234567] x")
        log.write(world.logs)
        pairs.append((log.session, Arm.WITHHELD if held else Arm.GIVEN))
        world.advance(hours=12)
    world.cycle()
    rows = hint_of(world).rows
    assert [(row.session, row.arm) for row in rows] == pairs
    assert all(row.relevant and not row.hit for row in rows)
    assert {*rows[0].guardrails} == {"corrections", "failures", "interrupts"}


def test_a_session_that_goes_on_has_no_outcome_yet(world: World) -> None:
    world.consent()
    world.cycle()
    world.commits(lambda _: False)
    world.days.time -= timedelta(hours=11)
    world.cycle()
    assert hint_of(world).rows == ()
    world.advance(hours=11)
    world.commits(lambda _: False)
    world.cycle()
    assert len(hint_of(world).rows) == 2


def test_what_the_user_takes_back_is_withheld_no_longer_in_the_same_session(world: World) -> None:
    world.consent()
    world.cycle()
    failed = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}}
    error = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
    log = world.log()
    world.fire("session-start", log, source="startup")
    while not any(not each.startswith("R-") for each in world.withheld_ids(log)):
        log = world.log()
        world.fire("session-start", log, source="startup")
    assert world.fire("failure", log, error=error, **failed) == ""
    with world.learner() as learner:
        learner.trials.allow_experiments(allowed=False)
    assert "without --wait" in world.fire("failure", log, error=error, **failed)
    later = world.log()
    assert "leave out Skill" not in world.fire("session-start", later, source="startup"), (
        "a hint is delivered as before"
    )
    assert not world.withheld_ids(later)


def test_experiments_can_be_welcome_in_one_project_and_off_in_another(world: World) -> None:
    world.cycle()
    with world.learner() as learner:
        here = learner.contexts.key_of(world.project)
        learner.trials.allow_experiments(here, allowed=True)
        assert learner.trials.allows_experiments(here)
        assert not learner.trials.allows_experiments("elsewhere")
    logs = [world.log() for _ in range(20)]
    for log in logs:
        world.fire("session-start", log, source="startup")
    assert any(map(world.withheld_ids, logs))
    world.advance(minutes=1)
    with world.learner() as learner:
        learner.trials.allow_experiments(allowed=True)
        learner.trials.allow_experiments(here, allowed=False)
        assert not learner.trials.allows_experiments(here)
        assert learner.trials.allows_experiments("elsewhere")
    for _ in range(20):
        log = world.log()
        world.fire("session-start", log, source="startup")
        assert not world.withheld_ids(log)


def test_what_the_user_confirmed_or_said_is_never_withheld(world: World) -> None:
    log = world.log()
    log.prompt("no, from now on always use pnpm instead of npm")
    log.bash("pnpm test")
    log.write(world.logs)
    world.consent()
    world.cycle()
    with world.learner() as learner:
        (error,) = [each for each in learner.lessons.all() if each.entry.type == "error"]
        learner.lessons.decide(error.entry.name, MoveKind.CONFIRM)
        learner.cycle(quick=True)
    for _ in range(40):
        log = world.log()
        delivered = world.fire("session-start", log, source="startup")
        assert "pnpm instead of npm" in delivered
        assert all(each.startswith("R-") for each in world.withheld_ids(log)), "the fix was approved by the user"
        failed = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}}
        error_text = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
        assert "without --wait" in world.fire("failure", log, error=error_text, **failed)


def test_other_words_are_another_trial(world: World) -> None:
    world.consent()
    world.cycle()
    world.commits(lambda _: True)
    world.cycle()
    first = hint_of(world)
    world.record_outcomes(first.subject, first.version, "GWGWG" * 20)
    with world.learner() as learner:
        (entry,) = [each for each in learner.lessons.all() if each.entry.category == "best_practice"]
        learner.lessons.decide(entry.entry.name, MoveKind.TEXT, "Asked to commit, do not call the skill commit.")
        learner.delivery.prepare_snapshots()
    delivered = [world.fire("session-start", world.log(), source="startup") for _ in range(20)]
    assert 0 < sum("do not call the skill" in each for each in delivered) < 20
    world.cycle()
    with world.learner() as learner:
        versions = {each.version for each in learner.trials.all() if each.subject == first.subject}
    assert len(versions) == 2


def test_a_proposal_of_an_inferred_rule_can_be_tried_first(world: World) -> None:
    world.consent()
    world.cycle()
    with world.learner() as learner:
        here = learner.contexts.key_of(world.project)
        entry = learner.lessons.log(ManualEntry("learning", "Build the docs before the tests.", here))
        learner.lessons.decide(entry.name, MoveKind.CONFIRM)
        learner.learn()
        (each,) = [each for each in learner.proposals.all() if each.proposal.entry == entry.id]
        assert learner.trials.can_try(each)
        learner.trials.try_out(each.proposal.id)
        learner.cycle(quick=True)
        assert not any(each.proposal.entry == entry.id and each.is_waiting for each in learner.proposals.all())
    delivered = [world.fire("session-start", world.log(), source="startup") for _ in range(20)]
    assert 0 < sum("Build the docs" in each for each in delivered) < 20
    with world.learner() as learner:
        learner.trials.allow_experiments(allowed=False)
        (waiting,) = [each for each in learner.proposals.all() if each.is_waiting][:1]
        with pytest.raises(UsageError, match="wisen trials on"):
            learner.trials.try_out(waiting.proposal.id)


def test_a_share_of_sessions_goes_without_any_hint_and_tells_what_all_of_them_do(world: World) -> None:
    world.consent(holdout=0.5)
    world.cycle()
    for _ in range(24):
        world.deploys(lambda has_hint: not has_hint)
    world.cycle()
    with world.learner() as learner:
        portfolio, rows = learner.trials.combined_effect()
        trials = learner.trials.all()
    assert portfolio.sessions_with + portfolio.sessions_without == 24
    assert portfolio.sessions_without >= 4
    assert portfolio.without > portfolio.with_hints
    assert {row.chance for row in rows} == {0.5}
    off = {row.session for row in rows if row.arm is Arm.WITHHELD}
    for trial in trials:
        assert {row.chance for row in trial.rows} == {0.25}
        assert off <= {row.session for row in trial.rows if row.arm is Arm.WITHHELD}


def test_people_see_what_is_on_trial_and_which_sessions_went_without(world: World, tmp_path: Path) -> None:
    world.cycle()
    assert "Nothing is withheld. To allow experiments: wisen trials on" in run("trials").stdout
    run("trials", "on")
    assert "experiments = true" in (world.wisen / "config.toml").read_text()
    run_until_verdict(world, "commits", lambda has_hint: not has_hint, "confirmed")
    listed = run("trials").stdout
    assert re.search(r"seen in \d+ of \d+ sessions without it, 0 of \d+ with it; confirmed", listed)
    (trial,) = [each for each in json.loads(run("trials", "list", "--json").stdout)["trials"] if each["id"][:2] == "R-"]
    assert trial["judged"]["verdict"] == "confirmed"
    shown = run("trials", "show", trial["id"]).stdout
    rows = hint_of(world).rows
    assert all(f"{row.session}  withheld" in shown for row in rows if row.arm is Arm.WITHHELD)
    effect = run("effect", "--svg", tmp_path / "effect.svg").stdout
    assert "holdout = 0.1" in effect
    assert "without ████" in effect
    assert ElementTree.parse(tmp_path / "effect.svg").getroot().tag.endswith("svg")
    assert "off" in run("trials", "off", "--dry-run").stdout
    assert "experiments = true" in (world.wisen / "config.toml").read_text()
    run("trials", "off")
    assert "experiments = false" in (world.wisen / "config.toml").read_text()
    assert "No trial has the id 'R-none'" in run("trials", "show", "R-none", expect=1).stderr
