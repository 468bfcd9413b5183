"""From a mistake made three times to a guard that the user approves or rejects, end to end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.guard_scenarios import RIGHT, WATCH, WRONG, open_learner, record_fixed_failures
from wisen.errors import UsageError
from wisen.model.entry import Actor, Answer
from wisen.model.guard import Mode, guard_id
from wisen.testing.transcripts import ClaudeTranscript

TEXT = f"warn {WATCH} -> {RIGHT} # shopctl: unknown option"
SHOWN = f"Warn before `{WRONG}`; `{RIGHT}` instead (shopctl: unknown option)"


@pytest.fixture(autouse=True)
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def proposed(home: Path, project: Path) -> Path:
    """A home in which the guard is proposed."""
    record_fixed_failures(home, project, (1, 2, 3))
    with open_learner(home) as learner:
        learner.cycle(quick=True)
    return home


def run_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def guards() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run_json("guards", "list", "--all")["guards"]
    return found


def test_what_was_refused_in_one_project_is_not_asked_about_again_for_all(proposed: Path) -> None:
    (proposal,) = run_json("proposals")["proposals"]
    run("proposals", "reject", proposal["id"])
    record_fixed_failures(proposed, proposed / "garden", (4, 5, 6))
    run("cycle", "--quick")
    assert run_json("proposals")["proposals"] == []
    assert [each["mode"] for each in guards()] == ["off"]


@pytest.mark.requirement("F6")
@pytest.mark.requirement("X2")
def test_a_mistake_of_three_sessions_is_proposed_as_a_guard_with_its_backtest(home: Path, project: Path) -> None:
    record_fixed_failures(home, project, (1, 2))
    run("cycle", "--quick")
    assert run_json("proposals")["proposals"] == [], "two sessions are not enough"
    assert guards() == []
    record_fixed_failures(home, project, (3,))
    run("cycle", "--quick")
    (proposal,) = run_json("proposals")["proposals"]
    assert (proposal["type"], proposal["text"], proposal["sessions"]) == ("guard", TEXT, 3)
    past = proposal["backtest"]
    assert (past["met"], past["good"], past["helped"], past["sessions"]) == (3, 0, 3, 3)
    assert past["low"] == pytest.approx(0.3684, abs=1e-4)
    assert SHOWN in run("proposals").stdout
    shown = run("proposals", "show", "1").stdout
    assert "it would have matched 3 calls that failed in this way, in 3 sessions, and no good calls." in shown
    assert f"It would have matched: {WRONG}" in shown
    (guard,) = guards()
    assert (guard["mode"], guard["id"]) == ("shadow", proposal["entry"])


@pytest.mark.requirement("X2")
def test_a_call_that_went_well_once_is_never_proposed_to_be_stopped(home: Path, project: Path) -> None:
    record_fixed_failures(home, project, (1, 2, 3, 4))
    log = ClaudeTranscript(9, cwd=str(project))
    log.prompt("count")
    log.bash(WRONG, "7")
    log.write(home / ".claude" / "projects" / "shop")
    with open_learner(home) as learner:
        learner.cycle(quick=True)
        assert learner.guards.all() == ()
        past = learner.guards.backtest(f"warn {WATCH}")[1]
    assert (past.met, past.good, past.hit) == (4, 1, (WRONG,))


def write_replaced_programs(home: Path, project: Path, numbers: Iterable[int]) -> None:
    """Sessions in which a program failed and another one did its work."""
    for number in numbers:
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("build it")
        log.bash("npx build --fast", "npx: error: unrecognized option '--fast'", exit_code=2)
        log.bash("bunx build --fast", "built")
        log.write(home / ".claude" / "projects" / "shop")


@pytest.mark.parametrize("answer", [None, Answer.APPROVED, Answer.REJECTED, Answer.SKIPPED])
def test_of_a_replaced_program_one_guard_is_proposed_and_no_narrower_one_after_it(
    home: Path, project: Path, answer: Answer | None
) -> None:
    with open_learner(home) as learner:
        write_replaced_programs(home, project, (1, 2, 3))
        learner.cycle(quick=True)
        assert [each.guard.watch for each in learner.guards.all()] == ["shell: npx"]
        (waiting,) = learner.proposals.all()
        if answer is not None:
            learner.proposals.answer(waiting.proposal.id, answer)
        write_replaced_programs(home, project, (4, 5))
        learner.cycle(quick=True)
        assert [each.guard.watch for each in learner.guards.all()] == ["shell: npx"]


@pytest.mark.requirement("F6")
def test_approved_it_warns_and_a_dry_run_leaves_it_in_shadow(proposed: Path) -> None:
    shown = run("proposals", "approve", "1", "--dry-run").stdout
    assert f"Would be approved: {SHOWN}" in shown
    assert [each["mode"] for each in guards()] == ["shadow"]
    with open_learner(proposed) as learner:
        (waiting,) = learner.proposals.all()
        learner.proposals.answer(waiting.proposal.id, Answer.APPROVED)
        assert [(each.mode, each.by) for each in learner.guards.all()] == [(Mode.WARN, Actor.USER)]
        with pytest.raises(UsageError, match="was already approved"):
            learner.proposals.answer(waiting.proposal.id, Answer.REJECTED)


@pytest.mark.requirement("F6")
@pytest.mark.usefixtures("proposed")
def test_an_approval_in_other_words_has_those_words_applied() -> None:
    edited = TEXT.replace("warn", "deny").replace("shopctl: unknown option", "there is none")
    assert f"Is approved: {edited}" in run("proposals", "approve", "1", "--text", edited).stdout
    (guard,) = guards()
    assert (guard["mode"], guard["action"], guard["reason"], guard["source"]) == (
        "deny",
        "deny",
        "there is none",
        "fix",
    )


def test_words_that_watch_for_something_else_make_another_guard_of_it(proposed: Path) -> None:
    run("proposals", "approve", "1", "--text", "ask shopctl count")
    (guard,) = guards()
    assert (guard["mode"], guard["watch"], guard["source"]) == ("ask", "shell: shopctl count", "fix")
    record_fixed_failures(proposed, Path.cwd(), (4, 5))
    run("cycle", "--quick")
    assert run_json("proposals")["proposals"] == [], "the one that it was does not come back"


@pytest.mark.usefixtures("proposed")
def test_what_cannot_be_a_guard_is_refused_and_the_proposal_waits() -> None:
    assert "'allow npm'" in run("proposals", "approve", "1", "--text", "allow npm", expect=1).stderr
    assert len(run_json("proposals")["proposals"]) == 1


@pytest.mark.parametrize(("answer", "mode"), [("reject", "off"), ("skip", "shadow")])
def test_refused_it_stays_off_and_skipped_it_comes_back_with_new_evidence(
    proposed: Path, answer: str, mode: str
) -> None:
    run("proposals", answer, "1")
    assert [each["mode"] for each in guards()] == [mode]
    log = ClaudeTranscript(7, cwd=str(Path.cwd()))
    log.prompt("what else?")
    log.bash("ls")
    log.write(proposed / ".claude" / "projects" / "shop")
    with open_learner(proposed) as learner:
        learner.cycle(quick=True)
        assert not [each for each in learner.proposals.all() if each.is_waiting], "nothing new speaks for it"
        record_fixed_failures(proposed, Path.cwd(), (4,))
        learner.cycle(quick=True)
        assert [each.proposal.sessions for each in learner.proposals.all() if each.is_waiting] == (
            [4] if mode == "shadow" else []
        )


def set_profile(home: Path, profile: str) -> None:
    (home / "wisen").mkdir()
    (home / "wisen" / "config.toml").write_text(f'[promote]\nprofile = "{profile}"\n')


@pytest.mark.requirement("X2")
def test_where_everything_may_happen_a_guard_warns_unasked_once_the_past_is_clear(home: Path, project: Path) -> None:
    set_profile(home, "autonomous")
    with open_learner(home) as learner:
        for numbers, mode in ((range(1, 4), Mode.SHADOW), (range(4, 59), Mode.SHADOW), (range(59, 60), Mode.WARN)):
            record_fixed_failures(home, project, numbers)
            done = learner.cycle(quick=True)
            (guard,) = learner.guards.all()
            assert guard.mode is mode, f"{numbers}"
            assert done.applied == ((f"{SHOWN} → {guard.guard.id}",) if mode is Mode.WARN else ())
        assert (guard.by, guard.why) == (Actor.WISEN, "policy let it pass")
        assert [each.answer for each in learner.proposals.all()] == [Answer.EXPIRED, Answer.APPROVED]


@pytest.mark.requirement("X2")
@pytest.mark.parametrize("profile", ["cautious", "standard"])
def test_elsewhere_a_guard_asks_however_clear_the_past_is(home: Path, project: Path, profile: str) -> None:
    set_profile(home, profile)
    record_fixed_failures(home, project, range(1, 61))
    with open_learner(home) as learner:
        assert learner.cycle(quick=True).applied == ()
        (waiting,) = learner.proposals.all()
        assert waiting.is_waiting
        assert waiting.proposal.backtest is not None
        assert waiting.proposal.backtest.low > 0.95
        assert [each.mode for each in learner.guards.all()] == [Mode.SHADOW]


@pytest.mark.requirement("X2")
def test_what_would_bring_in_another_program_asks_even_where_everything_may_happen(home: Path, project: Path) -> None:
    set_profile(home, "autonomous")
    write_replaced_programs(home, project, range(1, 61))
    with open_learner(home) as learner:
        learner.cycle(quick=True)
        assert [(each.guard.better, each.mode) for each in learner.guards.all()] == [("bunx", Mode.SHADOW)]


@pytest.mark.requirement("X2")
def test_policy_never_has_a_guard_do_more_than_warn(proposed: Path) -> None:
    with open_learner(proposed) as learner:
        (waiting,) = learner.proposals.all()
        for action in ("deny", "ask"):
            with pytest.raises(UsageError, match="needs the user's own decision"):
                learner.proposals.answer(
                    waiting.proposal.id, Answer.APPROVED, text=TEXT.replace("warn", action), by=Actor.WISEN
                )
        assert [each.mode for each in learner.guards.all()] == [Mode.SHADOW]


def test_a_guard_is_written_tried_switched_and_removed_by_hand(home: Path, project: Path) -> None:
    record_fixed_failures(home, project, (1,))
    run("learn")
    added = run("guards", "add", f"deny {WRONG} -> {RIGHT} # there is no such option").stdout
    (guard,) = guards()
    id_ = guard["id"]
    words = f"Stop `{WRONG}`; `{RIGHT}` instead (there is no such option)"
    assert f"Is added, in this project: {id_}  deny  {words}" in added
    assert "Over 1 recorded sessions it would have matched 1 call: 0 that went well, 1 that did not." in added
    assert "No agent calls wisen yet: wisen install claude-code" in added
    assert id_ in run("guards").stdout
    shown = run("guards", "show", id_[:5]).stdout
    assert "written by you" in shown
    assert "has matched nothing yet" in shown
    tried = run("guards", "test", f"cd x && {WRONG} | tail").stdout
    assert f"instead: cd x && {RIGHT}" in tried
    assert "No guard matches this call." in run("guards", "test", f"echo '{WRONG}'").stdout
    assert [each["id"] for each in run_json("guards", "test", WRONG)["met"]] == [id_]
    for verb, arguments, mode in (
        ("disable", (), "off"),
        ("enable", (), "deny"),
        ("enable", ("--as", "ask"), "ask"),
        ("enable", ("--as", "shadow"), "shadow"),
    ):
        assert f"Would be {mode} from now on" in run("guards", verb, id_, *arguments, "--dry-run").stdout
        assert run_json("guards", verb, id_, *arguments)["mode"] == mode
    past = run_json("guards", "backtest", id_)
    assert (past["watch"], past["backtest"]["met"]) == (WATCH, 1)
    run("guards", "remove", id_)
    assert guards() == []
    assert "There are no guards here." in run("guards").stdout
    assert id_ in run("guards", "add", f"warn {WRONG}").stdout, "what was removed can be written again"


@pytest.mark.parametrize(
    "arguments",
    [
        ("guards", "add", "deny npm -> pnpm"),
        ("guards", "add", "npm"),
        ("guards", "enable", "G-", "--as", "deny"),
        ("guards", "disable", "G-"),
        ("guards", "remove", "G-"),
        ("proposals", "approve", "1"),
        ("cycle",),
    ],
)
def test_a_dry_run_changes_nothing(proposed: Path, arguments: tuple[str, ...]) -> None:
    (guard,) = guards()
    current = (proposed / "wisen" / "snapshots" / "current.json").read_bytes()
    run(*(guard["id"] if each == "G-" else each for each in arguments), "--dry-run")
    assert guards() == [guard]
    assert (proposed / "wisen" / "snapshots" / "current.json").read_bytes() == current


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "allow npm"), ("'allow npm'", "never allows", "warn|deny|ask")),
        (("add", "deny"), ("'deny'", "[-> BETTER]")),
        (("add", "deny edit: a b"), ("'edit: a b'", "as in `edit: migrations/**`")),
        (("add", "deny --force"), ("--force", "Begin with one")),
        (("add", "WebFetch: example.org"), ("'WebFetch: example.org'", "url=*example.org*")),
        (("show", "G-00000000"), ("'G-00000000'", "wisen guards")),
        (("show", ""), ("''", "wisen guards")),
        (("enable", "G-00000000"), ("'G-00000000'", "wisen guards")),
        (("enable", "G-00000000", "--as", "allow"), ("'allow'", "warn, deny, ask, shadow")),
        (("disable", "G-00000000"), ("'G-00000000'", "wisen guards")),
        (("remove", "G-00000000"), ("'G-00000000'", "wisen guards")),
        (("backtest", "G-00000000"), ("'G-00000000'", "wisen guards")),
        (("backtest", "allow npm x"), ("'allow npm x'", "never allows")),
    ],
)
def test_what_cannot_be_done_is_reported_with_the_value_and_the_next_step(
    arguments: tuple[str, ...], says: tuple[str, ...]
) -> None:
    told_ = run("guards", *arguments, expect=1)
    assert [each for each in says if each not in told_.stderr] == []
    assert told_.stdout == ""
    assert guards() == []


def test_the_same_guard_is_not_added_twice_and_a_short_id_must_fit_one(home: Path) -> None:
    with open_learner(home) as learner:
        first = learner.guards.add("warn npm")
        learner.guards.add("deny npm")
        assert [(each.guard.id, each.mode) for each in learner.guards.all()] == [(first.guard.id, Mode.DENY)]
        with pytest.raises(UsageError, match=f"watches for that already. wisen guards show {first.guard.id}"):
            learner.guards.add("deny npm")
        short = first.guard.id[:3]
        name = next(f"npm{number}" for number in count() if guard_id("", f"shell: npm{number}").startswith(short))
        alike = learner.guards.add(name).guard.id
        with pytest.raises(UsageError, match=f"2 guards begin with '{short}'"):
            learner.guards.get(short)
        assert learner.guards.get(alike[2:].upper()).guard.id == alike


def test_a_secret_is_not_kept_in_a_guard() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    refused = run("guards", "add", f"deny curl -> curl --token {secret}", expect=1).stderr
    assert "may not be stored" in refused
    assert secret not in refused
    assert guards() == []


def test_guards_of_other_projects_are_counted_and_shown_when_asked_for(home: Path) -> None:
    run("guards", "add", "npm")
    run("guards", "add", "yarn", "--everywhere")
    other = home / "other"
    other.mkdir()
    os.chdir(other)
    shown = run("guards").stdout
    assert "Warn before `yarn`" in shown
    assert "`npm`" not in shown
    assert "1 guard of other projects: wisen guards list --all" in shown
    assert [each["watch"] for each in run_json("guards")["guards"]] == ["shell: yarn"]
    assert run("guards", "test", "npm ci").stdout == "No guard matches this call.\n"
    assert "`yarn`" in run("guards", "test", "yarn add x").stdout


def test_a_guard_of_a_project_is_tried_on_the_past_of_that_project(home: Path, project: Path) -> None:
    record_fixed_failures(home, home / "cellar", (1, 2))
    record_fixed_failures(home, project, (3,))
    run("learn")
    assert "would have matched 1 call" in run("guards", "add", WRONG, "--dry-run").stdout
    assert "would have matched 3 calls" in run("guards", "add", WRONG, "--everywhere", "--dry-run").stdout
