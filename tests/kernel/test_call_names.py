"""Names of calls and prompts, by which a call similar to an earlier one is recognized."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.kernel.call_names import FILE, SHELL, call_names, is_similar_call, kind_of, text_names
from wisen.kernel.matching import WatchedCall
from wisen.kernel.unspaced_scripts import letter_pairs_in


def names(command: str) -> list[set[str]]:
    return call_names(WatchedCall("Bash", {"command": command}))


@pytest.mark.requirement("N5")
def test_each_command_of_a_line_has_names_of_its_own() -> None:
    found = names("cd orchard && git add -A && git push origin harvest")
    assert is_similar_call(SHELL, ("git", "push"), "Bash", found)
    assert is_similar_call(SHELL, ("git", "push", "harvest"), "exec_command", found)
    assert not is_similar_call(SHELL, ("add", "push"), "Bash", found)
    assert not is_similar_call(SHELL, ("git", "push"), "Edit", found), "words in a file are no command"
    assert not is_similar_call(SHELL, (), "Bash", found)


def test_a_program_is_known_with_and_without_its_folder_and_behind_wrappers() -> None:
    assert is_similar_call(SHELL, ("pearctl", "sync"), "Bash", names("sudo -u me /opt/bin/pearctl sync --all"))
    assert is_similar_call(SHELL, ("rm", "baskets"), "Bash", names("bash -c 'rm -rf store/baskets'"))


@pytest.mark.parametrize("text", ['git commit -m "never push to main again"', 'echo "git push origin main"'])
def test_texts_in_a_command_are_no_names(text: str) -> None:
    assert not is_similar_call(SHELL, ("git", "push"), "Bash", names(text))


def test_a_file_is_known_by_its_end_whoever_names_it() -> None:
    words = ("orchard/harvest.py",)
    for tool, fields in (
        ("Read", {"file_path": "/home/me/orchard/harvest.py"}),
        ("Edit", {"file_path": "/home/me/orchard/harvest.py", "old_string": "a", "new_string": "b"}),
        ("Bash", {"command": "sed -n 1,20p src/orchard/harvest.py"}),
        ("Grep", {"path": "orchard/harvest.py", "pattern": "ripe"}),
    ):
        assert is_similar_call(FILE, words, tool, call_names(WatchedCall(tool, dict(fields)))), tool
    assert not is_similar_call(
        FILE, words, "Read", call_names(WatchedCall("Read", {"file_path": "/cellar/harvest.py"}))
    )


def test_names_in_a_change_are_found() -> None:
    call = WatchedCall("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "basket.weigh_pears(now)"})
    assert is_similar_call(FILE, ("weigh_pears",), "Edit", call_names(call))
    many = WatchedCall("MultiEdit", {"file_path": "a.py", "edits": [{"new_string": "weigh_pears()"}]})
    assert is_similar_call(FILE, ("weigh_pears",), "MultiEdit", call_names(many))


@pytest.mark.requirement("N8")
def test_scripts_without_spaces_are_known_by_pairs_of_letters() -> None:
    assert set(letter_pairs_in("请不要提交 main 分支")) >= {"提交", "分支"}
    assert {"提交", "分支"} <= text_names("提交到分支")
    assert letter_pairs_in("plain words") == []


def test_tools_of_one_kind_are_one_kind_in_every_agent() -> None:
    assert {kind_of(each) for each in ("Bash", "exec_command", "terminal", "run_shell_command")} == {SHELL}
    assert {kind_of(each) for each in ("Edit", "write_file", "Read", "apply_patch")} == {FILE}
    assert kind_of("mcp__pear__create_issue") == "mcp__pear__create_issue"


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    text_names(text)
    call_names(WatchedCall("Bash", {"command": text}))
    call_names(WatchedCall("Edit", {"file_path": text, "edits": [text, {"a": text}, 3]}))
