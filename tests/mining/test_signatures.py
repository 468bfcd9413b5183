"""Similar failures share one signature, whatever file, number or name they mention; different ones do not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.mining.miner_version import SIGNATURE_VERSION
from wisen.mining.signatures import describe_failure, normalize_line, signature_of

pytestmark = pytest.mark.requirement("F3")


def shell(command: str, text: str | None) -> tuple[str, str, str]:
    found = signature_of(tool="Bash", arguments=json.dumps({"command": command}), text=text)
    return found.key, found.who, found.says


def tool(name: str, text: str, **arguments: object) -> tuple[str, str, str]:
    found = signature_of(tool=name, arguments=json.dumps(arguments), text=text)
    return found.key, found.who, found.says


@pytest.mark.parametrize(
    ("command", "text", "key", "who"),
    [
        ("rtk bun run test", "Exit code 2\nerror: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>", "shell.unknown-subcommand", "rtk"),
        ("git -C /x status", "error: unexpected argument '-C' found\n\nUsage: rtk git [OPTIONS]", "shell.unknown-option", "rtk"),
        ("foo --bar", "Exit code 127\n/bin/bash: line 1: foo: command not found", "shell.command-not-found", "foo"),
        ("foo", "zsh: command not found: foo", "shell.command-not-found", "foo"),
        ("cat -A x | head", "cat: illegal option -- A\nusage: cat [-b]", "shell.unknown-option", "cat"),
        ("grep x a/b.c", "Exit code 2\ngrep: a/b.c: No such file or directory", "fs.no-such-file", "grep"),
        ("cd nowhere && go test", "(eval):cd:1: no such file or directory: nowhere", "fs.no-such-file", "cd"),
        ("(echo a", "(eval):1: parse error near `('", "shell.syntax-error", "shell"),
        ("go test ./...", "Exit code 1\n--- FAIL: TestA (0.01s)\n    a_test.go:3: no\nFAIL\nFAIL\tx/y\t0.3s\nFAIL", "build.tests-fail", "go test"),
        ("go test ./...", "# x/y [x/y.test]\n./a_test.go:5:2: \"os\" imported and not used\nFAIL\tx/y [build failed]\nFAIL", "build.compile-errors", "go"),
        ("make all", "# x/y\ncmd/a.go:3:4: undefined: b\nmake: *** [all] Error 1", "build.compile-errors", "go"),
        ("mise run test && mise run lint", "[test] $ go test ./...\nok x 0.1s\n[lint] $ golangci-lint run\na.go:1:2: Error return value is not checked (errcheck)\n1 issues:\n* errcheck: 1", "build.lint-errors", "golangci-lint"),
        ("bun run test", "$ bun test\nbun test v1.3.5\n\n 3 pass\n 1 fail\n", "build.tests-fail", "bun test"),
        ("git commit -m x", "$ bun test\n 9 pass\n 0 fail\n$ tsc --noEmit\na.ts(1,2): error TS2339: no\nhusky - pre-commit script failed", "build.type-errors", "tsc"),
        ("npm test", "Tests:       1 failed, 2 passed, 3 total", "build.tests-fail", "jest"),
        ("pytest", "FAILED tests/test_a.py::test_b - assert 1 == 2\n=== 1 failed, 3 passed in 0.1s ===", "build.tests-fail", "pytest"),
        ("mypy src", "a.py:1: error: no\nFound 1 error in 1 file (checked 3 source files)", "build.type-errors", "mypy"),
        ("ruff check", "E501 Line too long\nFound 1 error.", "build.lint-errors", "ruff"),
        ("npx biome check", "a.ts format ━━━━━━━━━━━━━\nFound 1 error.", "build.lint-errors", "biome"),
        ("npx eslint .", "  1:2  error  no\n✖ 1 problem (1 error, 0 warnings)", "build.lint-errors", "eslint"),
        ("cargo build", "error[E0382]: use of moved value\n --> src/a.rs:3:4", "build.compile-errors", "rustc"),
        ("cargo test", "test result: FAILED. 1 passed; 1 failed", "build.tests-fail", "cargo test"),
        ("gcc a.c", "a.c:3:4: error: expected ';'", "build.compile-errors", "cc"),
        ("git push", "To x\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs", "vcs.push-rejected", "git"),
        ("git status", "fatal: not a git repository (or any of the parent directories): .git", "vcs.not-a-repository", "git"),
        ("git commit -m x", "On branch main\nnothing to commit, working tree clean", "vcs.nothing-to-commit", "git"),
        ("git rebase main", "CONFLICT (content): Merge conflict in a.go\nerror: could not apply 3f2a9bc", "vcs.conflict", "git"),
        ("python3 a.py", "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nModuleNotFoundError: No module named 'x'", "deps.module-not-found", "python3"),
        ("pip install x", "ERROR: No matching distribution found for x", "deps.missing-install", "pip"),
        ("npm run nope", "npm error Missing script: \"nope\"", "config.missing-script", "npm"),
        ("bun run nope", "error: Script not found \"nope\"", "config.missing-script", "bun"),
        ("curl https://x", "curl: (6) Could not resolve host: x", "net.unreachable", "curl"),
        ("gh api x", "gh: Bad credentials (HTTP 401)", "auth.refused", "gh"),
        ("node a.js", "Error: listen EADDRINUSE: address already in use :::3000", "net.address-in-use", "node"),
        ("cd /x && git log | grep y", "Exit code 1", "shell.said-nothing", "grep"),
    ],
)  # fmt: skip
def test_common_tools_are_recognized_by_what_they_print(command: str, text: str, key: str, who: str) -> None:
    assert shell(command, text)[:2] == (key, who)


@pytest.mark.parametrize(
    ("name", "text", "key", "who"),
    [
        ("Edit", "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>", "fs.text-not-found", "Edit"),
        ("Edit", "<tool_use_error>Found 2 matches of the string to replace, but replace_all is false.</tool_use_error>", "fs.text-not-unique", "Edit"),
        ("Write", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", "fs.not-read-yet", "Edit"),
        ("Edit", "File has been unexpectedly modified. Read it again before attempting to write it.", "fs.changed-since-read", "Edit"),
        ("Read", "<tool_use_error>File does not exist.</tool_use_error>", "fs.no-such-file", "Read"),
        ("Grep", "<tool_use_error>Path does not exist: /a/b</tool_use_error>", "fs.no-such-file", "Grep"),
        ("Read", "EISDIR: illegal operation on a directory, read '/a'", "fs.is-a-directory", "Read"),
        ("Read", "File content (3.1MB) exceeds maximum allowed size (256KB).", "fs.too-large", "Read"),
        ("Skill", "<tool_use_error>Unknown skill: commit</tool_use_error>", "config.unknown-name", "Skill"),
        ("mcp__x__y", "Argument Validation Error", "api.bad-arguments", "mcp__x__y"),
        ("Task", "InputValidationError: Task failed due to the following issue", "api.bad-arguments", "Task"),
        ("WebFetch", "Request failed with status code 404", "net.http-error", "WebFetch"),
    ],
)  # fmt: skip
def test_agents_own_tools_are_recognized_by_their_words(name: str, text: str, key: str, who: str) -> None:
    assert tool(name, text, file_path="/a/b")[:2] == (key, who)


def test_values_do_not_make_a_new_signature() -> None:
    one = shell("./deploy a", "Exit code 1\n/a/b.py:12: error: bad id 3f2a9bc1 in 'x' after 3.2s")
    two = shell("./deploy b", "Exit code 1\n/c/d/e.py:7: error: bad id 99999990aa in 'some other' after 18s")
    assert one == two
    assert one != shell("./deploy a", "Exit code 1\n/a/b.py:12: error: no id")
    assert one != shell("./destroy a", "Exit code 1\n/a/b.py:12: error: bad id 3f2a9bc1 in 'x' after 3.2s")


def test_two_exceptions_of_one_program_differ_by_their_kind() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n'
    assert shell("python a.py", trace + "ValueError: bad 3") == shell("python a.py", trace + "ValueError: bad 4")
    assert shell("python a.py", trace + "ValueError: bad 3") != shell("python a.py", trace + "KeyError: 'x'")


def test_a_failure_keeps_the_command_and_the_place_it_is_about() -> None:
    found = describe_failure(
        tool="Bash",
        arguments=json.dumps({"command": "cd /w && FOO=1 timeout 9 bun run lint 2>&1 | tail -5"}),
        text="$ biome check\nsrc/a/b.ts:60:2 lint/x ━━━━━━━━━━\nFound 1 error.",
    )
    assert (found.command, found.place, found.signature.who) == ("bun run lint", "src/a/b.ts", "biome")
    edit = describe_failure(
        tool="Edit", arguments=json.dumps({"file_path": "/a/b.ts"}), text="String to replace not found"
    )
    assert (edit.command, edit.place) == ("", "/a/b.ts")


def test_codex_commands_are_read_too() -> None:
    listed = {"command": ["bash", "-lc", "rtk bun test"]}
    found = signature_of(tool="shell", arguments=json.dumps(listed), text="unrecognized subcommand 'bun'")
    assert (found.key, found.who, found.version) == ("shell.unknown-subcommand", "rtk", SIGNATURE_VERSION)
    signature = signature_of(tool="exec_command", arguments='{"cmd": "foo"}', text="bash: foo: command not found")
    assert signature.description == "foo: command not found"


def test_what_was_not_kept_is_said_to_be_so() -> None:
    assert shell("curl x", None) == ("runtime.not-kept", "curl", "")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("error: cannot open '/a/b' at 0x3f2a", "error: cannot open … at <id>"),
        ("failed after 3.2s (12 of 30)", "failed after <time> (N of N)"),
        ("GET https://x.example/y?z=1 failed", "GET <url> failed"),
        ("a1b2c3d4-0000-1111-2222-333344445555 not found", "<id> not found"),
        ("/bin/sh: line 3: x: not ok", "x: not ok"),
    ],
)
def test_a_line_loses_its_values(line: str, shown: str) -> None:
    assert normalize_line(line) == shown


@given(st.text(), st.text(), st.text())
def test_any_text_has_a_signature(command: str, text: str, name: str) -> None:
    for arguments in (json.dumps({"command": command}), json.dumps({"file_path": command}), text, None):
        found = signature_of(tool=name or "x", arguments=arguments, text=text)
        assert "." in found.key
        assert len(found.says) <= 100
