"""Shell commands are parsed as far as mining needs, and no input raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.text.command_lines import command_of, fields_of, parse_command

pytestmark = pytest.mark.requirement("F3")


@pytest.mark.parametrize(
    ("line", "head", "tokens"),
    [
        ("cd /a && FOO=1 timeout 5 rtk bun run test 2>&1 | tail -5", "rtk bun", "rtk bun run test"),
        ("mise run test && mise run lint 2>&1", "mise run lint", "mise run test mise run lint"),
        ("bash -lc 'ls -la | grep x'", "ls", "ls -la"),
        ("git -C /x status", "git status", "git -C /x status"),
        ("for i in 1 2; do bun test; done", "bun test", "bun test"),
        ("python -m pytest -q x", "python -m pytest", "python -m pytest -q x"),
        ("A=$(go env X) && grep -B5 y", "grep", "grep -B5 y"),
        ("go test ./... > out.txt 2>&1; echo done", "go test", "go test ./..."),
        ("sudo -E make all", "make all", "sudo make all"),
        ("cat a | python3 x.py", "python3 x.py", "cat a | python3 x.py"),
        ("echo hello", "echo hello", "echo hello"),
        ("a \\\n  b", "a b", "a b"),
        ("x \"a b\" 'c | d'", "x", "x a b c | d"),
        ("", "", ""),
    ],
)
def test_what_a_command_is_about(line: str, head: str, tokens: str) -> None:
    assert parse_command(line).main_part.head == head
    assert " ".join(parse_command(line).tokens) == tokens


def test_a_here_document_is_data_and_no_command() -> None:
    line = "git commit -m \"$(cat <<'EOF'\nfix && rm -rf /\nEOF\n)\" && git push"
    assert [part.program for part in parse_command(line).parts] == ["git", "git"]
    assert "rm" not in parse_command(line).tokens


def test_changes_of_directory_are_kept_apart() -> None:
    assert parse_command("cd a && cd b && make").moves == ("cd", "a", "cd", "b")


def test_arguments_that_run_nothing_have_no_command() -> None:
    assert command_of(fields_of('{"file_path": "a"}')) is None
    assert command_of(fields_of('{"command": {"no": 1}}')) is None
    assert fields_of("[1]") == fields_of("nonsense") == fields_of(None) == {}


@given(st.text(alphabet=st.sampled_from("ab \"'\\|&;<>$(){}\n-=")) | st.text())
def test_any_text_can_be_parsed(line: str) -> None:
    command = parse_command(line)
    assert command.main_part.head is not None
    assert set(command.working) <= set(command.parts)
