"""`wisen help TOPIC` explains commands, groups, short forms and concepts, and `wisen completion` works in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import WISEN, run
from wisen.surfaces.cli.command_table import COMMANDS, OLD_NAME, SHORT_FORMS
from wisen.surfaces.cli.help_commands import explain_concept
from wisen.surfaces.cli.help_topics import CONCEPTS


def test_without_a_topic_it_lists_every_command_and_concept() -> None:
    words = run("help").stdout.replace(",", " ").split()
    assert {each.name for each in COMMANDS if each.panel != OLD_NAME} <= set(words)
    assert set(CONCEPTS) <= set(words)


@pytest.mark.parametrize("topic", ["learn", "guards", "guards add", "recall", "memory recall", "entries"])
def test_a_command_group_or_short_form_shows_its_help(topic: str) -> None:
    assert run("help", *topic.split()).stdout == run(*topic.split(), "--help").stdout


@pytest.mark.parametrize("name", CONCEPTS)
def test_a_concept_is_two_to_five_lines_and_names_commands_that_exist(name: str) -> None:
    lines = explain_concept(name).splitlines()
    assert 2 <= len(lines) <= 5
    assert all(len(line) <= 80 for line in lines)
    known = {each.name for each in COMMANDS if each.panel != OLD_NAME}
    for command in lines[-1].removeprefix("  See: ").split(", "):
        assert command.startswith("wisen ")
        assert command.split()[1] in known


def test_a_word_that_is_a_concept_and_a_command_shows_both() -> None:
    text = run("help", "cycle").stdout
    assert "The cycle is everything" in text
    assert " cycle [OPTIONS]" in text


def test_an_unknown_topic_names_the_nearest_ones_and_is_a_usage_error() -> None:
    assert "'guard', 'guards'" in run("help", "gaurd", expect=2).stderr
    assert "'lessons show'" in run("help", "lessons", "shw", expect=2).stderr
    assert "wisen help" in run("help", "xyzzy", expect=2).stderr


def complete(*words: str) -> list[str]:
    """Return bash's completions of the last word, using the script that the program prints."""
    typed = " ".join(f"'{word}'" for word in words)
    program = f"""
        eval "$(wisen completion bash)"
        COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}
        _wisen_completion wisen
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = {**os.environ, "PATH": f"{WISEN.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.needs("bash")
def test_bash_completes_commands_short_forms_and_options(home: Path) -> None:
    assert complete("wisen", "gu") == ["guards"]
    assert complete("wisen", "re") == ["review", "recall", "remember"]
    assert complete("wisen", "guards", "ba") == ["backtest"]
    assert complete("wisen", "recall", "--li") == ["--limit"]
    assert "entries" not in complete("wisen", "")
    assert {each.name for each in SHORT_FORMS.values() if each.panel != OLD_NAME} <= set(complete("wisen", ""))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_asks_the_program(shell: str) -> None:
    assert f"_WISEN_COMPLETE=complete_{shell}" in run("completion", shell).stdout
    assert "'bash', 'zsh', 'fish'" in run("completion", "sh", expect=2).stderr


@pytest.mark.requirement("X6")
def test_the_topics_are_loaded_by_no_other_command() -> None:
    program = (
        "import sys\nfrom wisen.surfaces.cli import app\n"
        "try: app(['--version'])\nexcept SystemExit: pass\n"
        "print('wisen.surfaces.cli.help_topics' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
