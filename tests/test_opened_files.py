"""Only one function opens files outside wisen's home; every exception is listed with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import wisen

SOURCE = Path(wisen.__file__).parent
OWN_HOME = "what lies in wisen's own home"
PACKAGE = "what this package ships"
OPENS = {
    "safety/regular_files.py": "the one function",
    "edits/user_files.py": "the one door for edits: without following, waiting, or reading more than it may",
    "system/git_view.py": "writes the view, a temporary folder of ours",
    "system/git.py": "the question, in that folder",
    "agents/sqlite_logs.py": "databases of agents, after refuse_unfit_database",
    "agents/log_detection.py": "a regular file that begins as a database; immutable: nothing beside it is opened",
    "agents/hermes/install.py": PACKAGE,
    "agents/openclaw/install.py": PACKAGE,
    "agents/hermes/plugin.py": "runs inside Hermes, and reads the file beside it",
    "agents/opencode/install.py": PACKAGE,
    "logs/worker_main.py": "its own standard input and output",
    "delivery/hook_bundle.py": f"{PACKAGE}, and {OWN_HOME}",
    "delivery/launcher.py": f"{PACKAGE}, and {OWN_HOME}",
    "delivery/remove_hooks.py": "a script that works without wisen: it looks whether settings are a file itself",
    "system/writer_lock.py": OWN_HOME,
    "system/folder_lock.py": OWN_HOME,
    "health/hook_health.py": f"{OWN_HOME}, and the package that hooks call",
    "system/create_once.py": OWN_HOME,
    "system/durable_folders.py": OWN_HOME,
    "delivery/snapshot_store.py": OWN_HOME,
    "language_models/command_model.py": OWN_HOME,
    "store/backups.py": OWN_HOME,
    "store/damaged_pages.py": OWN_HOME,
    "store/migrate.py": PACKAGE,
    "store/sqlite_files.py": OWN_HOME,
    "feedback/language.py": f"{PACKAGE}, and {OWN_HOME}",
    "feedback/lexicon.py": PACKAGE,
    "feedback/detector.py": PACKAGE,
    "feedback/sentence_generation.py": PACKAGE,
    "feedback/language_detection.py": PACKAGE,
    "feedback/phrase_table.py": PACKAGE,
    "text/pattern_heads.py": PACKAGE,
    "text/directive_weights.py": PACKAGE,
    "text/stored_tables.py": PACKAGE,
    "text/meaning_words.py": PACKAGE,
    "delivery/chat_requests.py": PACKAGE,
    "forgetting/removal.py": OWN_HOME,
    "system/person.py": "the terminal of whoever decides",
    "system/parent_processes.py": "what the kernel tells of our own ancestors, in /proc",
    "health/stop_note.py": OWN_HOME,
    "surfaces/cli/rule_editing.py": "a temporary file of ours, for the person's editor",
    "surfaces/cli/error_reporting.py": "/dev/null",
    "surfaces/cli/terminal.py": "/dev/null",
    "surfaces/hook/block_lines.py": OWN_HOME,
    "surfaces/hook/stopped_learning.py": OWN_HOME,
    "surfaces/cli/forget_view.py": "a new file that the user named: it must not exist",
    "surfaces/cli/trial_view.py": "a file that the user named, to be written",
    "surfaces/pages/html.py": "a file that the user named, if it is a regular one",
    "surfaces/hook/hook_outcomes.py": "the client loads nothing of ours: it looks whether it is a regular file itself",
    "surfaces/hook/lean_sqlite.py": OWN_HOME,
    "surfaces/hook/lean_library.py": PACKAGE,
    "surfaces/hook/bundle_start.py": f"{PACKAGE}, and {OWN_HOME}",
    "surfaces/hook/hook_store.py": OWN_HOME,
    "surfaces/hook/request_replies.py": OWN_HOME,
    "surfaces/hook/off_checks.py": OWN_HOME,
    "surfaces/hook/cycle_start.py": OWN_HOME,
}
METHODS = {"read_bytes", "read_text", "write_bytes", "write_text", "fdopen"}
SEARCHES = {"walk", "fwalk", "rglob"}
SEARCHED = {
    "system/home_access.py": OWN_HOME,
    "delivery/snapshot_store.py": OWN_HOME,
    "forgetting/removal.py": OWN_HOME,
}
"""Modules that walk all folders below one: all others use `folders_below`, which is bounded."""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def opens(tree: ast.AST) -> Iterator[str]:
    """Return the calls in a module that open a file."""
    for call in calls(tree):
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            yield "open"
        elif isinstance(call.func, ast.Attribute):
            name = call.func.attr
            of = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
            if (
                name in METHODS
                or (name == "connect" and of == "sqlite3")
                or (
                    name == "open"
                    and (of in {"os", "posix", "io", "codecs", "gzip", "bz2", "lzma", "zipfile"} or _has_mode(call))
                )
            ):
                yield name


def _has_mode(call: ast.Call) -> bool:
    """Return whether an `open` call opens a file; our own methods of that name take other arguments."""
    first = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
    return (not call.args and not call.keywords) or isinstance(first, str) or any(
        each.arg in {"encoding", "mode", "buffering"} for each in call.keywords
    )  # fmt: skip


def searches(tree: ast.AST) -> Iterator[str]:
    for call in calls(tree):
        if isinstance(call.func, ast.Attribute) and call.func.attr in SEARCHES:
            of = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
            if call.func.attr == "rglob" or of == "os":
                yield call.func.attr


def modules() -> Iterator[tuple[str, ast.AST]]:
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("testing/"):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


OURS = {"edits/edit_history.py", "kernel/shell_variables.py", "kernel/scripts.py", "model/report.py"}
"""Modules in which `open` means something else: an open change, a block of a script."""


@pytest.mark.requirement("X7")
def test_files_are_opened_only_where_the_list_says_so_and_the_list_is_true() -> None:
    found = {name for name, tree in modules() if any(opens(tree))}
    assert found - OURS == set(OPENS)


@pytest.mark.requirement("X7")
def test_whole_trees_are_looked_through_only_within_bounds() -> None:
    assert {name for name, tree in modules() if any(searches(tree))} == set(SEARCHED)


@pytest.mark.parametrize(
    "text",
    ["open('x')", "path.open('rb')", "path.open()", "path.open(encoding='utf-8')", "path.read_text()", "p.read_bytes()",
     "os.open(p, 0)", "io.open(p)", "sqlite3.connect(p)", "gzip.open(p)", "os.fdopen(1)", "p.write_text('x')"],
)  # fmt: skip
def test_what_opens_a_file_is_recognized(text: str) -> None:
    assert list(opens(ast.parse(text)))
