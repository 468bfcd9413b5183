"""Many watches compared with a call at once: the result is that of comparing each alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from wisen.guards.watch_matcher import WatchMatcher, required_words
from wisen.kernel.matching import WatchedCall, find_hits
from wisen.model.guard import parse_watch
from wisen.store.recorded_calls import CallWords
from wisen.text.command_lines import fields_of

WATCHES = (
    "shell: npm",
    "shell: npm run --force",
    "shell: npm run -f",
    "shell: git push --force|-f",
    "shell: git ... main",
    "shell: redis-cli flush-all",
    "shell: ./bin/go x",
    "shell: rm -rf",
    "shell: n* run",
    "shell: npm über",
    "edit: db/migrations/**",
    "edit: ~/.ssh",
    "edit: a/../b",
    "read: *.pem",
    "WebFetch: url=*example.org*",
    "Bash: command=*npm*",
)
PIECES = st.sampled_from(
    (
        "npm", "'n'pm", '"npm"', "n\\pm", "run", "--force", "--for$X", "--force=1", "-f", "-rf", "git", "push", "main",
        "redis-cli", "flush-all", "flush-$Y", "/usr/bin/npm", "./bin/go", "x", "rm", "über", "X=ce;", "Y=all", "&&",
        "\n", "\\\n", "|", ";", ">", "db/migrations/1.sql", "{npm,run}", "bash -c 'npm run'", "cd db;", "migrations/x",
        "echo", "$(npm run)", "`npm run`", "printf '--%s' force | sh", "~/.ssh", "b", "xargs", "eval",
        "<<E\nnpm run\nE\n", "é",
    )
)  # fmt: skip
LINES = st.lists(st.tuples(PIECES, st.sampled_from((" ", "", "\n"))), max_size=7).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)
CALLS = st.one_of(
    LINES.map(lambda line: ("Bash", {"command": line})),
    LINES.map(lambda line: ("shell", {"command": ["bash", "-lc", line]})),
    LINES.map(lambda line: ("shell", {"command": line.split()})),
    st.sampled_from(("/x/db/migrations/1.sql", "db/migrations", "/~/.ssh/id", "b/c", "k.pem")).flatmap(
        lambda path: st.sampled_from(("Edit", "Read", "Write")).map(lambda tool: (tool, {"file_path": path}))
    ),
    LINES.map(lambda line: ("apply_patch", {"input": f"*** Update File: db/migrations/{line}"})),
    st.just(("WebFetch", {"url": "https://example.org/a"})),
)


@pytest.mark.sized
@settings(max_examples=size(300, 3000), deadline=None)
@given(st.lists(CALLS, max_size=6), st.sets(st.sampled_from(WATCHES)), st.booleans())
def test_a_call_matches_the_watches_that_it_matches_alone(
    calls: list[tuple[str, dict[str, object]]], discarded: set[str], ascii_only: bool
) -> None:
    matcher = WatchMatcher(WATCHES)
    for each in discarded:
        matcher.discard(each)
    for tool, fields in calls:
        arguments = json.dumps(fields, ensure_ascii=ascii_only)
        plain = arguments.translate(str.maketrans("", "", "'\"\\"))
        call = WatchedCall(tool, fields_of(arguments))
        alone = {
            watch
            for watch in WATCHES
            if watch not in discarded
            and find_hits(parse_watch(watch), call)
            # A word that a shell puts together from several parts is not searched for.
            and all(word in plain for word in required_words(watch).always)
        }
        found = matcher.match(tool, arguments)
        assert len(found) == len(set(found))
        assert set(found) == alone


def test_a_call_without_arguments_matches_where_no_word_is_asked_for() -> None:
    matcher = WatchMatcher(["WebFetch: url=*", "shell: npm", "edit: a"])
    assert matcher.match("WebFetch", None) == ["WebFetch: url=*"]
    assert matcher.match("Bash", None) == []


@pytest.mark.parametrize(
    ("watch", "words"),
    [
        ("shell: npm run --force -f", CallWords(("npm", "run"), ("--force",))),
        ("shell: redis-cli ... x|y é *", CallWords((), ("redis-cli",))),
        ("edit: db/*/x/**", CallWords((), ("db", "x"))),
        ("edit: a/../b", CallWords(())),
        ("WebFetch: url=*example.org*", CallWords(())),
    ],
)
def test_words_that_every_matching_call_contains(watch: str, words: CallWords) -> None:
    assert required_words(watch) == words
