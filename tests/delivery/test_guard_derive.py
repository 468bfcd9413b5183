"""Watch patterns are derived from fixes and rules, and nothing is read into them."""

from __future__ import annotations

import json

import pytest

from wisen.delivery.guards_from_fixes import patterns_of_fix
from wisen.delivery.guards_from_rules import pattern_of_rule, plain_wording
from wisen.mining.call_changes import call_difference
from wisen.model.failure import CallChange, Signature
from wisen.model.fix import Danger, Evidence, Fix, fix_id
from wisen.model.guard import parse_guard
from wisen.testing.log_writer import NOON

SIGNATURE = Signature(key="shell.unknown-command", who="rtk", version=1)


def seen(before: str, after: str, *, worked: bool = True) -> Evidence:
    one, two = (json.dumps({"command": each}) for each in (before, after))
    return Evidence(
        agent="claude-code", session="s1", at=NOON, before=one, after=two, said="", trajectory="01", worked=worked
    )


def fix_of(change: CallChange) -> Fix:
    return Fix(
        id=fix_id(SIGNATURE, change), signature=SIGNATURE, change=change, before="", after="", said="", sessions=3,
        calls=3, failed_again=0, by_chance=0.0, danger=Danger.NONE, lost_ms=0, lost_tokens=0, first=NOON, last=NOON,
        last_worked=True,
    )  # fmt: skip


def found(*pairs: tuple[str, str]) -> list[tuple[str, str]]:
    """What is derived where commands failed and then worked, the first pair telling the change."""
    evidence = [seen(*each) for each in pairs]
    change = call_difference("Bash", evidence[0].before, evidence[0].after)
    assert change is not None
    return [(each.watch, each.better) for each in patterns_of_fix(fix_of(change), evidence)]


@pytest.mark.requirement("F6")
@pytest.mark.parametrize(
    ("pairs", "watches"),
    [
        ([("rtk bun test", "bun test")], [("shell: rtk bun", "bun")]),
        ([("cd app && rtk bun test | tail", "cd app && bun test | tail")], [("shell: rtk bun", "bun")]),
        (
            [("rtk bun test", "bun test"), ("rtk tsc --noEmit", "tsc --noEmit")],
            [("shell: rtk bun", "bun"), ("shell: rtk tsc", "tsc")],
        ),
        ([("shopctl deploy --wait", "shopctl deploy")], [("shell: shopctl deploy --wait", "shopctl deploy")]),
        (
            [("gh pr diff 7 --stat", "gh pr diff 7"), ("gh pr view 9 --stat", "gh pr view 9")],
            [("shell: gh pr --stat", "gh pr")],
        ),
        ([("npm run test", "pnpm run test")], [("shell: npm", "pnpm"), ("shell: npm run", "pnpm run")]),
        ([("go test --fast ./x", "go test --short ./x")], [("shell: go test --fast", "go test --short")]),
        ([("FOO=1 sudo -n rtk bun test", "FOO=1 sudo -n bun test")], [("shell: rtk bun", "bun")]),
    ],
)
def test_words_that_were_taken_away_or_replaced_are_watched_for(
    pairs: list[tuple[str, str]], watches: list[tuple[str, str]]
) -> None:
    assert found(*pairs) == watches


@pytest.mark.parametrize(
    "pairs",
    [
        [("shopctl deploy", "shopctl deploy --yes")],
        [("cp a b", "cp b a")],
        [("rtk", "rtk help")],
        [("make app", "npm install zorvek && make build")],
        [("rtk --version", "bun --version; rtk --version")],
        [("cat $FILE", "cat notes")],
        [("grep 'a b' notes", "grep notes")],
        [("ls *.py", "ls")],
    ],
)
def test_what_only_adds_reorders_or_holds_values_is_not(pairs: list[tuple[str, str]]) -> None:
    assert found(*pairs) == []


def test_a_wrapper_with_nothing_behind_it_that_says_what_for_is_not_watched_for_alone() -> None:
    assert found(("rtk ./run", "./run")) == [], "`rtk` itself is fine with other programs"
    assert found(("rtk bun test", "bun test"), ("rtk ./run", "./run")) == [("shell: rtk bun", "bun")]


@pytest.mark.parametrize(
    "change",
    [
        CallChange(tool="Bash", first=("bun install",)),
        CallChange(tool="Bash", removed=("…",)),
        CallChange(tool="Bash", removed=("--to=…",), added=("--to",)),
        CallChange(tool="Bash", removed=("bun rtk",), added=("rtk bun",)),
        CallChange(tool="Edit", removed=("file_path=/srv/a",), added=("file_path=/srv/b",)),
        CallChange(tool="Edit", added=("old_string: other words",)),
        CallChange(tool="Bash", removed=("x" * 41,)),
    ],
)
def test_a_change_that_is_no_plain_words_of_a_command_makes_no_watch(change: CallChange) -> None:
    before = " ".join(("rtk", *change.removed, "bun"))
    assert patterns_of_fix(fix_of(change), [seen(before, "bun")]) == []


def test_only_what_worked_tells_and_what_stands_in_no_command_does_not() -> None:
    change = CallChange(tool="Bash", removed=("rtk",))
    assert patterns_of_fix(fix_of(change), [seen("rtk bun", "bun", worked=False)]) == []
    assert patterns_of_fix(fix_of(change), [seen("echo 'rtk bun'", "bun")]) == []
    assert patterns_of_fix(fix_of(change), []) == []
    mixed = [seen("rtk bun", "bun"), seen("mise exec rtk bun", "mise exec bun")]
    assert patterns_of_fix(fix_of(change), mixed) == [], "it is not the same part of a command each time"


def test_whatever_is_derived_can_be_written_by_hand() -> None:
    for watch, better in found(("npm run test", "pnpm run test")):
        form = parse_guard(f"warn {watch} -> {better}")
        assert (form.watch, form.better) == (watch, better)


@pytest.mark.requirement("X3")
@pytest.mark.parametrize(
    ("rule", "watch", "better"),
    [
        ("Use pnpm, not npm.", "shell: npm", "pnpm"),
        ("use pnpm instead of npm", "shell: npm", "pnpm"),
        ("In this repo always use pnpm rather than npm!", "shell: npm", "pnpm"),
        ("Use uv for installing packages, not pip.", "shell: pip", "uv"),
        ("Use `uv pip install` instead of `pip install`.", "shell: pip install", "uv pip install"),
        ("Don't use npm, use pnpm.", "shell: npm", "pnpm"),
        ("Don’t use npm; always use pnpm", "shell: npm", "pnpm"),
        ("prefer rg over grep", "shell: grep", "rg"),
        ("pnpm, not npm", "shell: npm", "pnpm"),
        ("Replace docker-compose with `docker compose`.", "shell: docker-compose", "docker compose"),
        ("Never run `git push --force`.", "shell: git push --force", ""),
        ("Please don't use sudo.", "shell: sudo", ""),
        ("- Never run `make deploy`.", "shell: make deploy", ""),
        ("  2. **NEVER** run `make deploy`!", "shell: make deploy", ""),
        ("* Never use sudo.", "shell: sudo", ""),
        ("- Never edit `db/**/*.sql`.", "edit: db/**/*.sql", ""),
        ("Never edit migrations/", "edit: migrations/", ""),
        ("Do not edit any files in src/generated.", "edit: src/generated", ""),
        ("never touch `*.lock`", "edit: *.lock", ""),
        ("Don't modify package-lock.json by hand.", "edit: package-lock.json", ""),
    ],
)
def test_a_rule_that_says_plainly_what_not_to_do_makes_a_watch(rule: str, watch: str, better: str) -> None:
    made = pattern_of_rule(rule)
    assert made is not None
    assert (made.watch, made.better) == (watch, better)
    assert parse_guard(f"warn {made.watch} -> {made.better}").watch == watch


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "Always run the tests before you commit.",
        "Never commit without running the unit tests.",
        "No, that is wrong. Read the file again.",
        "No, the other button.",
        "That is not what I asked for.",
        "Use four spaces, not tabs.",
        "Use tabs, not spaces.",
        "Use single quotes, not double quotes.",
        "Use async, not sync.",
        "Use yield instead of return.",
        "Use `export default`, not `export`.",
        "Use `const`, not `let`.",
        "Use `import type` instead of `import`.",
        "Use TypeScript, not JavaScript.",
        "Use Python, not Bash.",
        "Answer in Danish, not in English.",
        "Use the new client, not the old one.",
        "Use it, not that.",
        "Write short functions rather than long ones.",
        "Use `is`, not `==`.",
        "Use `a | b` instead of `Union[a, b]`.",
        "Use `$HOME`, not `~`.",
        "Don't use mocks.",
        "Don't use emojis.",
        "Never use any.",
        "Never use npm to publish without asking me.",
        "Never run tests.",
        "Don't run the whole suite.",
        "Don't change the public API.",
        "Don't touch anything else.",
        "Never edit a file that you have not read.",
        "Never change `the way it works`.",
        "Don't delete data.",
        "Never edit /",
        "Never edit ..",
        "I don't use npm any more than you do, so ask first",
        "You should not call me Ishmael twice.",
        "npm is what the others use; we never talk about it.",
        "What did we use instead of npm?",
        "Why did you use npm and not ask?",
        "Use npm, not npm.",
        "The build runs npm, and that is fine.",
    ],
)
def test_a_rule_that_says_something_else_makes_none(rule: str) -> None:
    assert pattern_of_rule(rule) is None


def test_a_line_is_worded_without_the_marks_of_its_list() -> None:
    assert plain_wording("  - **Never** touch `*.lock` or migrations/*") == "Never touch `*.lock` or migrations/*"
    assert plain_wording("3) 2 spaces, no __init__.py") == "2 spaces, no __init__.py"
