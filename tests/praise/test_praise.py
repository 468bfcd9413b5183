"""Praise end to end: what was delivered just before is reinforced, and nothing else."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.commands import run
from tests.trials.simulated_users import ERROR, World
from wisen.errors import UsageError
from wisen.model.entry import EntryStatus, EntryType, ManualEntry, MoveKind, Priority, rule_id
from wisen.model.memory import MemoryKind
from wisen.model.reinforcement import MAX_STRENGTH, PraiseMoment, skill_subject
from wisen.testing.exposures_contract import a_reinforcement, an_exposure

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.entry_state import EntryState
    from wisen.model.reinforcement import Reinforcement
    from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("C3")

PRAISE = "perfect, thanks, that works great!"


@pytest.fixture
def world(home: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A user whose sessions taught a fix, a best practice and a preference."""
    made = World(home, monkeypatch)
    log = made.log()
    log.prompt("no, from now on always use pnpm instead of npm")
    log.bash("pnpm test")
    log.write(made.logs)
    made.teach()
    return made


def deploys(world: World, *, praise: str = PRAISE, then: str = "") -> ClaudeTranscript:
    """A session whose deployment fails, gets the fix delivered, and is praised; `then` is run afterwards."""
    log = world.log()
    world.fire("session-start", log, source="startup")
    log.prompt("deploy the shop")
    log.bash("shopctl deploy --wait", ERROR, exit_code=2)
    world.days.time = log.at
    failed = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}}
    world.fire("failure", log, error=f"Exit code 2\n{ERROR}", **failed)
    log.bash("shopctl deploy", "deployed")
    if praise:
        log.prompt(praise)
    if then:
        log.prompt("hm, wait")
        log.bash(then)
    log.write(world.logs)
    world.days.time = log.at
    return log


def rows(world: World) -> tuple[Reinforcement, ...]:
    with world.learner() as learner:
        return learner.home.ledger.reinforcements.all()


def entry(world: World, of: EntryType = EntryType.ERROR) -> EntryState:
    with world.learner() as learner:
        (found,) = [each for each in learner.lessons.all() if each.entry.type is of and "pnpm" not in each.text]
    return found


def test_what_was_delivered_before_a_praise_is_strengthened_when_the_session_is_over(world: World) -> None:
    world.cycle()
    before = entry(world)
    log = deploys(world)
    world.cycle()
    assert rows(world) == (), "whether the work stays is not known yet"
    (open_,) = json.loads(run("praise", "--json").stdout)["praises"]
    assert (open_["strengthened"], open_["why"]) == ([], "it is not known yet whether the work stays")
    world.advance(hours=12)
    world.cycle()
    found = rows(world)
    assert {row.how: row.weight for row in found} == {PraiseMoment.FAILURE: 1.0, PraiseMoment.START: 0.25}
    assert {(row.session, row.agent) for row in found} == {(log.session, "claude-code")}
    state = entry(world)
    assert [row.how for row in state.praises] == [PraiseMoment.FAILURE]
    assert state.used == state.praises[0].at > before.last
    assert (state.status, state.confirmed, state.sessions) == (before.status, before.confirmed, before.sessions + 1)

    output = run("praise").stdout
    assert f"“{PRAISE}”" in output
    assert f"+1  {state.entry.tags[0]}" in output
    assert "+0.25  LRN-" in output
    assert "1 praise found, 1 of them strengthened what was in use." in output
    for name in (state.entry.name, state.entry.tags[0]):
        assert "Praised in 1 session; strength 1.00 of 3 now:" in run("explain", name).stdout
        explained = json.loads(run("explain", name, "--json").stdout)
        assert [each["how"] for each in explained["praises"]] == ["failure"]
    (praise,) = json.loads(run("praise", "--days", "9", "--json").stdout)["praises"]
    assert (praise["quote"], praise["before"], praise["session"]) == (PRAISE, "deploy the shop", log.session)
    assert praise["calls"] == ["shopctl deploy --wait", "shopctl deploy"]
    assert 0.5 < praise["probability"] <= 1
    assert {each["id"] for each in praise["strengthened"]} == {row.subject for row in found}
    with world.learner() as learner:
        assert len(learner.praise.list_praises(days=1)) == 1
        assert learner.praise.list_praises(days=0.1) == ()
        assert 0.9 < learner.praise.strength(state.praises) < 1
        with pytest.raises(UsageError, match="--days 0 leaves nothing"):
            learner.praise.list_praises(days=0)


def test_nothing_is_duplicated_when_cycles_run_again_or_the_index_is_rebuilt(world: World) -> None:
    world.cycle()
    deploys(world)
    world.advance(hours=12)
    world.cycle()
    found = rows(world)
    assert found
    world.cycle()
    assert rows(world) == found
    for path in world.wisen.glob("index.db*"):
        path.unlink()
    world.cycle()
    assert rows(world) == found
    for path in world.logs.glob("*.jsonl"):
        path.unlink()
    for path in world.wisen.glob("index.db*"):
        path.unlink()
    world.cycle()
    assert rows(world) == found, "what is known of it outlives the logs"
    assert "(the message is no longer kept)" in run("praise").stdout


@pytest.mark.parametrize("then", ["git checkout -- src", "git reset --hard"])
def test_praise_after_which_the_work_was_taken_back_does_not_count(world: World, then: str) -> None:
    world.cycle()
    deploys(world, then=then)
    world.advance(hours=12)
    world.cycle()
    assert rows(world) == ()
    assert "strengthened nothing: the work was undone after it" in run("praise").stdout


def test_praise_in_a_session_without_deliveries_strengthens_nothing(world: World) -> None:
    world.cycle()
    deploys(world, praise="")
    log = world.log()
    log.prompt("deploy the shop")
    log.bash("shopctl deploy", "deployed")
    log.prompt(PRAISE)
    log.write(world.logs)
    world.advance(hours=12)
    world.cycle()
    assert rows(world) == (), "deliveries to another session do not count here"
    assert "strengthened nothing: nothing that was learned was delivered before it" in run("praise").stdout


def test_what_the_user_names_is_strengthened_although_no_hook_delivered_it(world: World) -> None:
    world.cycle()
    name = entry(world).entry.name
    log = world.log()
    log.prompt("deploy the shop")
    log.bash("shopctl deploy", "deployed")
    log.prompt(f"{PRAISE} {name} helped")
    log.write(world.logs)
    world.advance(hours=12)
    world.cycle()
    (row,) = rows(world)
    assert (row.how, row.weight, row.subject) == (PraiseMoment.NAMED, 1.0, entry(world).entry.id)


@pytest.mark.parametrize("prompt", ["install it with npm or pnpm, always", "what did we say about npm and pnpm?"])
def test_what_a_prompt_brought_or_recalled_is_strengthened_as_used_just_before(world: World, prompt: str) -> None:
    world.wisen.mkdir(exist_ok=True)
    (world.wisen / "config.toml").write_text("[deliver]\ntokens = 0\n")
    world.cycle()
    log = world.log()
    log.prompt(prompt)
    world.days.time = log.at
    delivered = world.fire("prompt", log, prompt=prompt)
    assert "pnpm instead of npm" in delivered
    log.bash("pnpm install")
    log.prompt(PRAISE)
    world.days.time = log.at
    assert world.fire("prompt", log, prompt="what did we say about shopctl deploy?")
    log.write(world.logs)
    world.advance(hours=12)
    world.cycle()
    (row,) = rows(world)
    assert (row.how, row.weight) == (PraiseMoment.PROMPT, 1.0), "and what came with the praise does not count"
    with world.learner() as learner:
        (praised,) = [each for each in learner.lessons.all() if each.praises]
    assert "pnpm" in praised.text


def test_a_hint_that_the_coin_withheld_is_not_strengthened_and_no_praise_makes_one_a_rule(world: World) -> None:
    world.consent()
    world.cycle()
    given, withheld = set[str](), set[str]()
    while not (given and withheld) or len(given | withheld) < 8:
        log = world.log()
        delivered = world.fire("session-start", log, source="startup")
        log.prompt("what is in the shop?")
        log.prompt(PRAISE)
        log.write(world.logs)
        (given if "leave out Skill commit" in delivered else withheld).add(log.session)
        world.advance(hours=12)
    world.cycle()
    hint = entry(world, EntryType.LEARNING)
    assert hint.entry.category == "best_practice"
    assert {row.session for row in hint.praises} == given
    with world.learner() as learner:
        assert (hint.status, hint.confirmed, hint.sessions) == (EntryStatus.PENDING, False, 2)
        assert hint.entry.id not in {each.proposal.entry for each in learner.proposals.all()}
        assert {each.judged.verdict for each in learner.trials.all()} == {"running"}
        assert not [move for move in learner.lessons.decisions(hint) if move.kind is not MoveKind.PRIORITY]
        assert 0 <= hint.weight(world.days.time) - hint.sessions <= MAX_STRENGTH


@pytest.mark.requirement("S10")
def test_praise_sets_the_clock_of_fading_back(world: World) -> None:
    world.consent()
    world.cycle()
    hint = entry(world, EntryType.LEARNING)
    for days in (25, 25):
        world.advance(days=days)
        delivered = ""
        while "leave out Skill commit" not in delivered:
            log = world.log()
            delivered = world.fire("session-start", log, source="startup")
        log.prompt("what is in the shop?")
        log.prompt(PRAISE)
        log.write(world.logs)
        world.advance(hours=12)
        world.cycle()
    assert world.days.time - hint.last > timedelta(days=50)
    assert entry(world, EntryType.LEARNING).priority is hint.priority is not Priority.LOW
    world.advance(days=32)
    world.cycle()
    assert entry(world, EntryType.LEARNING).priority is not hint.priority, "from there on it fades"


def test_what_is_praised_comes_first_where_things_compete(world: World) -> None:
    log = world.log()
    log.prompt("no, from now on always write tests with pytest, never with unittest")
    log.bash("pytest")
    log.write(world.logs)
    world.advance(hours=12)
    world.cycle()
    with world.learner() as learner:
        stated = [each for each in learner.lessons.all() if each.entry.origin == "stated"]
    delivered = world.fire("session-start", world.log(), source="startup")
    first, last = sorted(stated, key=lambda each: delivered.index(each.text))
    for _ in range(2):
        log = world.log()
        log.prompt("go on")
        log.prompt(f"{PRAISE} {last.entry.name}")
        log.write(world.logs)
        world.advance(hours=12)
    world.cycle()
    delivered = world.fire("session-start", world.log(), source="startup")
    assert delivered.index(last.text) < delivered.index(first.text)
    with world.learner() as learner:
        worth = learner.rules._writer._usefulness()
    assert worth[rule_id(last.entry.id)] > worth[rule_id(first.entry.id)], "nor does it make room first in a file"


def test_praise_decides_what_is_found_first_among_what_matches_as_well(world: World) -> None:
    with world.learner() as learner:
        one, two = (
            learner.lessons.log(ManualEntry("learning", f"The {name} mirror needs a token."))
            for name in ("north", "south")
        )

        def found() -> list[str]:
            groups = learner.memory.recall("mirror token", world.project).groups
            return [each.best.id.removeprefix("entry:") for each in groups if each.best.kind is MemoryKind.ENTRY]

        learner.cycle(quick=True)
        first, last = found()
        assert {first, last} == {one.id, two.id}
        praise = a_reinforcement(subject=last, session="s")
        learner.home.ledger.reinforcements.add([structs.replace(praise, weight=1.0, at=world.days.time)])
        assert found() == [last, first]
        same = learner.lessons.log(ManualEntry("learning", "Log in before you fetch from that server."))
        learner.lessons.decide(same.name, MoveKind.MERGE, first)
        for at in (world.days.time, world.days.time - timedelta(days=2)):
            more = a_reinforcement(f"{at}", subject=same.id, session=f"{at}")
            learner.home.ledger.reinforcements.add([structs.replace(more, weight=1.0, at=at)])
        assert found() == [first, last], "what was merged into it is praised with it"
        briefed = learner.memory.brief("mirror token", world.project).memories
        assert briefed[0].id == f"entry:{first}"


def test_forgetting_the_praise_or_what_it_strengthened_reaches_the_rows(world: World) -> None:
    world.cycle()
    log = deploys(world)
    world.advance(hours=12)
    world.cycle()
    started = [row for row in rows(world) if row.how is PraiseMoment.START]
    assert len(rows(world)) == len(started) + 1
    run("forget", entry(world).entry.tags[0], "--yes")
    assert rows(world) == tuple(started)
    (praise,) = json.loads(run("praise", "--json").stdout)["praises"]
    run("forget", f"turn:claude-code:{praise['message']}", "--yes")
    assert rows(world) == ()
    world.advance(hours=1)
    log.bash("ls")
    log.write(world.logs)
    world.cycle()
    assert rows(world) == (), "it does not come back"


def publishes(world: World, *, fails: bool = False, turns: int = 0, praise: str = PRAISE) -> ClaudeTranscript:
    """A session in which the agent loads a skill, and that is praised after some more turns."""
    log = world.log()
    log.prompt("publish the shop")
    call = log.call("Skill", skill="publish-shop")
    if fails:
        log.fail(call, "Unknown skill: publish-shop")
    else:
        log.ok(call, "Launching skill: publish-shop")
    log.bash("make publish", "published")
    for number in range(turns):
        log.prompt(f"and now page {number}")
        log.bash(f"make page-{number}", "done")
    log.prompt(praise)
    log.write(world.logs)
    world.days.time = log.at
    world.advance(hours=12)
    world.cycle()
    return log


@pytest.mark.parametrize(("turns", "weight"), [(0, 1.0), (4, 0.25)])
def test_praise_strengthens_the_skill_that_the_agent_had_loaded(world: World, turns: int, weight: float) -> None:
    publishes(world, turns=turns)
    (row,) = rows(world)
    assert (row.subject, row.how, row.weight) == (skill_subject("publish-shop"), PraiseMoment.LOADED, weight)
    assert "publish" not in row.subject, "a name may be made of the user's words"
    assert f"+{weight:g}  {row.subject}  a skill (loaded by the agent)" in run("praise").stdout
    folder = world.project / ".claude/skills/publish-shop"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: publish-shop\ndescription: Publish the shop.\n---\nmake publish\n")
    assert f"+{weight:g}  {row.subject}  the skill publish-shop (loaded by the agent)" in run("praise").stdout
    assert "Praised in 1 session" in run("skills", "show", "publish-shop").stdout
    assert json.loads(run("skills", "show", "publish-shop", "--json").stdout)["praises"] == 1


def test_a_skill_that_could_not_be_loaded_or_that_nobody_praised_is_not_strengthened(world: World) -> None:
    publishes(world, fails=True)
    publishes(world, praise="and what about the prices?")
    assert rows(world) == ()


def test_praise_strengthens_the_workflow_that_the_prompt_was_told_of(world: World) -> None:
    log = world.log()
    log.prompt("publish the shop")
    told = log.at
    log.bash("make publish", "published")
    log.prompt(PRAISE)
    log.write(world.logs)
    world.days.time = log.at
    with world.learner() as learner:
        for number, subject in enumerate(("W-1a2b3c4d", "W-not-one")):
            given = structs.replace(
                an_exposure(f"e{number}", subject), session=log.session, event="prompt", version="", at=told
            )
            learner.home.ledger.exposures.add([given])
    world.advance(hours=12)
    world.cycle()
    (row,) = rows(world)
    assert (row.subject, row.how, row.weight) == ("W-1a2b3c4d", PraiseMoment.PROMPT, 1.0)
    assert "+1  W-1a2b3c4d  a workflow (given at a prompt)" in run("praise").stdout


def test_a_workflow_that_nobody_knows_is_not_strengthened_by_its_name(world: World) -> None:
    publishes(world, fails=True, praise=f"{PRAISE} W-1a2b3c4d was it")
    assert rows(world) == ()
