"""Contract tests for every backend of instruction files.

A backend's test inherits from `InstructionsContract` and provides three fixtures: `instructions`, `project`, which is
the path of a directory that holds nothing yet, and `write`, which puts a text into a file of it.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pytest

from wisen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.blame.instruction_files import Instructions

Write: TypeAlias = "Callable[[Path, str], None]"

TEXTS = (
    "",
    "Use tabs.\n",
    "no line end",
    "\n\n",
    "日本語 🙂\n",
    "# Rules\n\n- `make test`\n- '; DROP TABLE runs; --\n",
)
"""What people, and not only people, have written into such files."""


class InstructionsContract:
    """What every backend for instruction files promises."""

    def test_where_nothing_is_written_nothing_is_found(self, instructions: Instructions, project: Path) -> None:
        assert instructions.files([]) == instructions.files([str(project)]) == ()
        assert instructions.files([str(project / "no such folder"), "", "relative"]) == ()

    @pytest.mark.parametrize("text", TEXTS)
    def test_a_file_is_found_with_what_it_holds(
        self, instructions: Instructions, project: Path, write: Write, text: str
    ) -> None:
        write(project / "CLAUDE.md", text)
        (file,) = instructions.files([str(project)])
        assert (file.path, file.root) == (str(project / "CLAUDE.md"), str(project))
        assert file.versions[-1].text == text

    def test_versions_come_in_order_of_time_and_each_differs_from_the_one_before(
        self, instructions: Instructions, project: Path, write: Write
    ) -> None:
        for text in ("one", "one", "two", "one"):
            write(project / "CLAUDE.md", text)
        versions = instructions.file(project / "CLAUDE.md").versions
        assert versions[-1].text == "one"
        assert all(version.at.utcoffset() == timedelta(0) and version.origin for version in versions)
        for earlier, later in pairwise(versions):
            assert earlier.at <= later.at
            assert earlier.text != later.text

    def test_files_come_by_path_and_once_however_often_their_project_is_named(
        self, instructions: Instructions, project: Path, write: Write
    ) -> None:
        for name in ("web/CLAUDE.md", "CLAUDE.md", "AGENTS.md", "web/AGENTS.md"):
            write(project / name, f"rules of {name}")
        found = instructions.files([str(project / "web"), str(project), str(project)])
        assert [file.path for file in found] == sorted(
            str(project / name) for name in ("AGENTS.md", "CLAUDE.md", "web/AGENTS.md", "web/CLAUDE.md")
        )
        assert [file.root for file in found] == [str(project)] * 2 + [str(project / "web")] * 2

    def test_a_project_does_not_see_the_files_of_another(
        self, instructions: Instructions, project: Path, write: Write
    ) -> None:
        for name in ("a/CLAUDE.md", "ab/CLAUDE.md", "CLAUDE.md"):
            write(project / name, f"rules of {name}")
        assert [file.path for file in instructions.files([str(project / "a")])] == [str(project / "a/CLAUDE.md")]

    def test_a_file_asked_for_by_path_is_the_one_that_is_found(
        self, instructions: Instructions, project: Path, write: Write
    ) -> None:
        write(project / "web/AGENTS.md", "Use tabs.\n")
        assert instructions.files([str(project)]) == (instructions.file(project / "web/AGENTS.md"),)

    @pytest.mark.parametrize("name", ["CLAUDE.md", "no/such/folder/CLAUDE.md", "."])
    def test_a_file_that_is_not_there_is_reported_with_its_path(
        self, instructions: Instructions, project: Path, name: str
    ) -> None:
        with pytest.raises(UsageError) as caught:
            instructions.file(project / name)
        assert str(project / name) in str(caught.value)
