"""The hook client computes the same failure signatures as mining, so that fixes match the right failure."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.delivery.hook_bundle import pack_messages
from wisen.mining.error_pattern_export import export_patterns, required_words, words_by_key
from wisen.mining.error_patterns import CHECKS, ERROR_PATTERNS, TOOL_ERROR_PATTERNS
from wisen.mining.miner_version import SIGNATURE_VERSION
from wisen.mining.signatures import signature_of
from wisen.surfaces.hook import failure_signature
from wisen.surfaces.hook.failure_signature import Complaints, compute_signature, plain
from wisen.surfaces.hook.lean_json import dumps, loads
from wisen.surfaces.hook.shell import command_in, main_program, parts_of
from wisen.text.command_lines import command_of, parse_command

pytestmark = pytest.mark.requirement("F4")

KNOWN = Complaints(json.loads(json.dumps(export_patterns())))
PACKED = Complaints(pack_messages(json.loads(json.dumps(export_patterns()))))
"""As the bundle has them."""
WORDS = [
    "git", "npm", "run", "test", "cd", "/x/y", "&&", "||", "|", ";", "\n", "sudo", "timeout", "5", "bash", "-c",
    "'a b'", '"c d"', "FOO=1", "2>&1", ">", "out.txt", "head", "-n", "grep", "<<EOF\nx\nEOF\n", "$(ls)", "echo", "'",
    '"', "\\\n", "env", "for", "do", "python", "-m", "pytest", "&", "/usr/bin/cat",
]  # fmt: skip
SAYINGS = [
    "Exit code 1\n", "Exit code 127\n", "cat: a.txt: No such file or directory", "bash: line 1: foo: command not found",
    "error: unrecognized option '--x'", "fatal: not a git repository", "usage: git [-v]", "Usage: rtk <x>", "FAIL",
    "--- FAIL: TestA", "1 failed, 2 passed in 0.1s", "Traceback (most recent call last):", '  File "a.py", line 3',
    "ValueError: bad 7", "ModuleNotFoundError: No module named 'x'", "npm error code E404", "ECONNREFUSED 127.0.0.1:80",
    "HTTP 500", "Permission denied", "<tool_use_error>", "</tool_use_error>", "String to replace not found in file.",
    "Found 3 matches of the string", "File has not been read yet", "$ go test", "[lint] $ x", "\x1b[31mred\x1b[0m",
    "error TS2339: no", "Found 1 error.", "biome", "━━━━━━━━━", "panic: x", "4 issues:", "TIMED OUT", "Timed Out",
    "İs a dırectory", "unKnown command", "a1b2c3d4e5f6", "2026-01-02", "12 ms", "https://x.org/y", "“so”",
    "(eval):cd:1: no such file", "429",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.booleans())
def test_commands_are_read_alike(words: list[str], joined: bool) -> None:
    line = ("" if joined else " ").join(words)
    theirs, ours = parse_command(line), parts_of(line)
    assert [(part.program, list(part.words), part.piped) for part in theirs.parts] == [
        (part.program, part.words, part.piped) for part in ours
    ]
    assert main_program(ours) == theirs.main_part.program


@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.one_of(
                st.text(max_size=9), st.lists(st.sampled_from(["bash", "-c", "-lc", "a b", "x"]), max_size=4)
            )
            for name in ("command", "cmd", "script", "path")
        },
    )
)
def test_the_command_is_found_alike_among_arguments(fields: dict[str, object]) -> None:
    assert command_in(fields) == command_of(fields)


@given(
    st.sampled_from(["Bash", "Edit", "mcp__x__y", "Read"]),
    st.lists(st.sampled_from(WORDS), max_size=8),
    st.lists(st.one_of(st.sampled_from(SAYINGS), st.text(max_size=12)), max_size=6),
    st.sampled_from(["\n", " ", ": "]),
)
def test_failures_get_the_same_signature(tool: str, words: list[str], lines: list[str], between: str) -> None:
    text = between.join(lines)
    fields: dict[str, object] = {"command": " ".join(words)} if tool == "Bash" else {"file_path": "a.py"}
    real = signature_of(tool=tool, arguments=json.dumps(fields), text=text)
    assert compute_signature(tool, fields, text, KNOWN) == (real.key, real.who, real.says)
    assert compute_signature(tool, fields, text, PACKED) == (real.key, real.who, real.says)
    if real.key in words_by_key():
        assert any(word in text.casefold() for word in words_by_key()[real.key]) or "İ" in text or "ı" in text


def test_long_texts_get_the_same_signature() -> None:
    for middle in (7_000, 8_001, 20_000):
        text = "Exit code 1\nbuilding\n" + "x" * middle + "\nfatal: not a git repository"
        real = signature_of(tool="Bash", arguments='{"command": "git log"}', text=text)
        for known in (KNOWN, PACKED):
            assert compute_signature("Bash", {"command": "git log"}, text, known) == (real.key, real.who, real.says)


def test_patterns_are_made_without_the_whole_module_and_fit_alike() -> None:
    program = """if True:
        import sys
        sys.path.append(sys.argv[1])
        from hook.lean_re import pattern, IGNORECASE, MULTILINE, DOTALL
        assert pattern("^A(?P<x>.)$", IGNORECASE | MULTILINE).search("b\\nac").groupdict() == {"x": "c"}
        assert pattern("a.b", DOTALL).sub("…", "a\\nb") == "…"
        assert "enum" not in sys.modules and "re" not in sys.modules
        import re
        assert re.sub("(a)", r"<\\1>", "a") == "<a>"
    """
    folder = Path(failure_signature.__file__).parent.parent
    subprocess.run([sys.executable, "-I", "-S", "-c", program, folder], check=True)


def test_the_versions_are_the_same() -> None:
    assert failure_signature.VERSION == SIGNATURE_VERSION == export_patterns()["version"]


@given(st.data())
def test_a_form_never_fits_where_none_of_its_words_is(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from([each.form for each in (*CHECKS, *ERROR_PATTERNS, *TOOL_ERROR_PATTERNS)]))
    flags = re.MULTILINE | form.flags
    text = data.draw(st.from_regex(re.compile(form.text, flags)))
    ignores = bool(form.flags & re.IGNORECASE)
    needed = required_words(form.text)
    where = plain(text) if ignores else text
    assert any(all((word.casefold() if ignores else word) in where for word in each) for each in needed) or not needed


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda of: st.lists(of) | st.dictionaries(st.text(), of)
    )
)
def test_lean_json_reads_and_writes_what_the_whole_one_does(value: object) -> None:
    assert json.loads(dumps(value)) == value
    assert loads(json.dumps(value)) == value


@given(st.text(max_size=20))
def test_lean_json_refuses_what_the_whole_one_refuses(text: str) -> None:
    try:
        expected = json.loads(text, strict=False)
    except ValueError:
        with pytest.raises(ValueError, match=r"JSON|Expecting|Invalid|Extra|delimiter|escape|control|Unterminated"):
            loads(text)
    else:
        assert repr(loads(text)) == repr(expected)
