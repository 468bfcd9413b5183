"""Only a short list of modules may start programs, each with its reason; any other is found in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import wisen

SOURCE = Path(wisen.__file__).parent
STARTS = {
    "system/git.py": "the one place that starts git, in a view of the repository, by a path that find_program gave",
    "language_models/command_model.py": "an agent's program that the user chose as a model; path by find_program",
    "system/periodic_runs.py": "our own interpreter, with -P, in /",
    "logs/worker_pool.py": "our own interpreter reads logs, with no folder of anybody in its path",
    "system/parent_processes.py": "/bin/ps, where there is no /proc",
    "surfaces/cli/rule_editing.py": "the editor that the person chose, at their own terminal",
    "delivery/launcher.py": "the launcher itself, by /bin/sh, to measure what it costs",
    "surfaces/hook/cycle_start.py": "our own interpreter, with -P, in wisen's home",
    "surfaces/hook/bundle_start.py": "executes no program, but the client's own modules, from wisen's home",
    "delivery/hook_bundle.py": "executes no program, but the client's own modules, to find what they need",
    "agents/hermes/plugin.py": "runs inside Hermes: the hook client that plugin.yaml names, by its absolute path",
}
MODULES = {"subprocess", "multiprocessing", "pty", "webbrowser", "ctypes", "_posixsubprocess"}
OS = ("os", "posix")
OF_OS = ("exec", "spawn", "posix_spawn", "fork", "popen", "system", "startfile")
ELSEWHERE = {"which", "ProcessPoolExecutor", "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec"}


def starts(tree: ast.AST) -> Iterator[str]:
    """Return the calls in a module that could start a program."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.partition(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {each.name for each in node.names}
            if node.module.partition(".")[0] in MODULES or names & ELSEWHERE:
                yield node.module
            if node.module in OS:
                yield from (name for name in names if name.lstrip("_").startswith(OF_OS))
        elif isinstance(node, ast.Attribute):
            of_os = isinstance(node.value, ast.Name) and node.value.id in OS and node.attr.startswith(OF_OS)
            if of_os or node.attr in ELSEWHERE:
                yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"__import__", "exec"}:
            yield node.func.id


@pytest.mark.requirement("X7")
def test_programs_are_started_only_where_the_list_says_so_and_the_list_is_true() -> None:
    found = {
        str(path.relative_to(SOURCE)): sorted(set(starts(ast.parse(path.read_text(encoding="utf-8")))))
        for path in SOURCE.rglob("*.py")
        if "testing" not in path.relative_to(SOURCE).parts
    }
    assert {path for path, names in found.items() if names} == set(STARTS)


def test_what_starts_a_program_is_recognized() -> None:
    for text in (
        "import subprocess",
        "from subprocess import run",
        "import os\nos.system('x')",
        "import os\nos.execve('x', [], {})",
        "from os import posix_spawn",
        "import shutil\nshutil.which('git')",
        "from shutil import which",
        "import asyncio\nasyncio.create_subprocess_exec('git')",
        "from concurrent.futures import ProcessPoolExecutor",
        "__import__('subprocess')",
    ):
        assert list(starts(ast.parse(text))), text
