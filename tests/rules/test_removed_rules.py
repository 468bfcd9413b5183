"""User edits to a rule in a tracked file: deleting it rejects the rule, rewording it changes the rule."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.commands import run
from tests.stated_lessons import TeachingUser
from wisen import app
from wisen.model.entry import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Act = Callable[["Shop"], object]

pytestmark = pytest.mark.needs("git")
PNPM = "Always use pnpm, not npm"


class Shop(TeachingUser):
    """A repository with a rule of ours in its CLAUDE.md."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.claude = self.project() / "CLAUDE.md"
        self.claude.write_text("# Shop\n\nMine.\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "begin")
        self.git("branch", "other")
        self.say("no, always use pnpm, not npm", minutes=-60)
        self.say("no, always use pnpm, not npm", minutes=-50)
        self.cycle()
        self.approve("pnpm")
        self.cycle()

    def git(self, *arguments: str, later: float = 0) -> None:
        """Run git in the project, optionally some minutes later than now."""
        when = (datetime.now(UTC) + timedelta(minutes=later)).isoformat()
        who = {
            f"GIT_{role}_{name}": "ada@example.org" for role in ("AUTHOR", "COMMITTER") for name in ("NAME", "EMAIL")
        }
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        subprocess.run(
            ["git", *arguments],
            cwd=self.claude.parent,
            env={**os.environ, **who, **dates},
            check=True,
            capture_output=True,
        )

    def commit(self, message: str) -> None:
        self.git("commit", "-qam", message)

    def drop(self) -> None:
        """Take the line out of the file as a person does."""
        kept = [line for line in self.claude.read_text().splitlines(keepends=True) if "wisen:R-" not in line]
        self.claude.write_text("".join(kept))

    def state(self) -> str:
        """Return the state of the rule, and whether it is delivered or asked about."""
        self.cycle()
        (rule,) = [each for each in self.entries().values() if "pnpm" in each.text]
        asked = [each for each in self.proposals() if each.words[:2] == ("changes", "refuse")]
        is_delivered = any("pnpm" in line for line in self.advice())
        if rule.status is EntryStatus.WONT_FIX:
            assert not is_delivered
            assert not self.proposals()
            return "refused"
        assert is_delivered or "wisen:R-" in self.claude.read_text() or PNPM in self.claude.read_text()
        return "asked" if asked else "holds"


@pytest.fixture
def shop(home: Path) -> Shop:
    return Shop(home)


def committed(shop: Shop) -> None:
    shop.commit("add rule")
    shop.cycle()


def drop_and_commit(shop: Shop) -> None:
    shop.drop()
    shop.commit("drop rule")


@pytest.mark.requirement("S6", "S7")
def test_a_rule_that_was_dropped_in_a_commit_does_not_come_back_before_it_is_said_again(shop: Shop) -> None:
    committed(shop)
    drop_and_commit(shop)
    assert shop.state() == "refused"
    assert "you took it out of" in run("rules", "--all").stdout
    assert PNPM in run("rules", "--all").stdout
    assert "you took it out of" in run("review").stdout
    shop.git("commit", "-q", "--allow-empty", "-m", "more")
    assert shop.state() == "refused"
    shop.say("no, always use pnpm, not npm", minutes=5)
    shop.cycle()
    assert any("pnpm" in line for line in shop.advice()), "the newest word"
    assert [each.text for each in shop.proposals()] == [PNPM]


def test_a_rule_said_again_between_its_removal_and_our_next_look_is_the_newest_word(shop: Shop) -> None:
    committed(shop)
    drop_and_commit(shop)
    shop.say("no, always use pnpm, not npm", minutes=5)
    assert shop.state() == "holds"


def never_committed(shop: Shop) -> None:
    shop.drop()


def in_the_working_tree(shop: Shop) -> None:
    committed(shop)
    shop.drop()


def added_and_dropped_between_two_looks(shop: Shop) -> None:
    shop.commit("add rule")
    drop_and_commit(shop)


def dropped_before_a_commit_of_something_else(shop: Shop) -> None:
    shop.drop()
    shop.git("commit", "-q", "--allow-empty", "-m", "other work")


def merged(shop: Shop) -> None:
    committed(shop)
    shop.git("checkout", "-q", "-b", "cleanup")
    drop_and_commit(shop)
    shop.git("checkout", "-q", "main")
    assert shop.state() == "holds"
    shop.git("merge", "-q", "cleanup")


def on_a_new_branch(shop: Shop) -> None:
    committed(shop)
    shop.git("checkout", "-q", "-b", "cleanup")
    drop_and_commit(shop)


def amended(shop: Shop) -> None:
    committed(shop)
    shop.drop()
    shop.git("commit", "-qa", "--amend", "-m", "no rule")


def the_whole_file(shop: Shop) -> None:
    committed(shop)
    shop.git("rm", "-q", "CLAUDE.md")
    shop.git("commit", "-qm", "no instructions")
    shop.claude.write_text("")


def commented_out(shop: Shop) -> None:
    committed(shop)
    shop.claude.write_text(shop.claude.read_text().replace("- Always", "- ~~Always").replace("npm <", "npm~~ <"))
    shop.commit("strike it out")


@pytest.mark.requirement("S6", "S7")
@pytest.mark.parametrize(
    "act",
    [
        never_committed,
        in_the_working_tree,
        added_and_dropped_between_two_looks,
        dropped_before_a_commit_of_something_else,
        merged,
        on_a_new_branch,
        amended,
        the_whole_file,
        commented_out,
    ],
)
def test_whoever_takes_a_rule_out_refuses_it(shop: Shop, act: Act) -> None:
    act(shop)
    assert shop.state() == "refused"
    assert shop.state() == "refused"


def another_branch(shop: Shop) -> None:
    committed(shop)
    shop.git("checkout", "-q", "other")


def another_commit(shop: Shop) -> None:
    committed(shop)
    shop.git("checkout", "-q", "HEAD~1")


def reset_to_before(shop: Shop) -> None:
    committed(shop)
    shop.git("reset", "-q", "--hard", "HEAD~1")


def reset_of_what_was_not_committed(shop: Shop) -> None:
    shop.git("reset", "-q", "--hard", later=5)


def stashed(shop: Shop) -> None:
    shop.git("stash", "-q", later=5)


@pytest.mark.requirement("S19")
@pytest.mark.parametrize(
    "act", [another_branch, another_commit, reset_to_before, reset_of_what_was_not_committed, stashed]
)
def test_what_git_may_have_done_is_asked_about_once(shop: Shop, act: Act) -> None:
    act(shop)
    assert shop.state() == "asked"
    (question,) = [each for each in shop.proposals() if each.words]
    run("proposals", "reject", question.id)
    assert shop.state() == "holds"


def test_what_is_asked_about_is_over_when_the_line_is_back_and_a_yes_refuses_it(shop: Shop) -> None:
    another_branch(shop)
    assert shop.state() == "asked"
    shop.git("checkout", "-q", "main")
    assert shop.state() == "holds"
    shop.git("checkout", "-q", "other")
    shop.cycle()
    (change,) = app.wire().learner(reads=False).changes.all().changes
    run("changes", "refuse", change.id)
    assert shop.state() == "refused"


def test_a_rebase_is_judged_when_it_is_over(shop: Shop) -> None:
    committed(shop)
    shop.git("checkout", "-q", "other")
    (shop.claude.parent / "a.txt").write_text("theirs")
    shop.git("add", ".")
    shop.git("commit", "-qm", "theirs")
    shop.git("checkout", "-q", "main")
    assert shop.state() == "holds"
    shop.git("rebase", "-q", "other")
    assert "wisen:R-" in shop.claude.read_text()
    assert shop.state() == "holds"
    drop_and_commit(shop)
    assert shop.state() == "refused"


def test_a_revert_of_the_removal_brings_the_rule_back(shop: Shop) -> None:
    committed(shop)
    drop_and_commit(shop)
    assert shop.state() == "refused"
    shop.git("revert", "--no-edit", "HEAD")
    assert shop.state() == "holds"
    assert not run("rules", "--all").stdout.count("No longer")


@pytest.mark.requirement("S7", "N1")
def test_other_words_in_the_file_are_the_words_of_the_rule_everywhere(shop: Shop) -> None:
    committed(shop)
    shop.claude.write_text(shop.claude.read_text().replace("Always use pnpm, not npm", "Always use pnpm 9, not npm."))
    shop.commit("word it better")
    shop.cycle()
    assert [each for each in shop.entries() if "pnpm" in each] == ["Always use pnpm 9, not npm."]
    assert "Always use pnpm 9, not npm." in run("rules", "--all").stdout
    shop.claude.rename(shop.claude.with_name("kept"))
    shop.cycle()
    shop.claude.with_name("kept").rename(shop.claude)


def test_a_line_without_its_mark_and_a_file_that_moved_still_hold(shop: Shop) -> None:
    committed(shop)
    inner = shop.claude.parent / ".claude" / "CLAUDE.md"
    inner.parent.mkdir()
    shop.git("mv", "CLAUDE.md", ".claude/CLAUDE.md")
    shop.commit("tidy")
    shop.cycle()
    assert not shop.entries()[PNPM].is_over
    shop.git("mv", ".claude/CLAUDE.md", "CLAUDE.md")
    shop.claude.write_text(shop.claude.read_text().partition(" <!-- wisen")[0] + "\n")
    shop.commit("no comments please")
    shop.cycle()
    assert not shop.entries()[PNPM].is_over
