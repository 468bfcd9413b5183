"""Every backend of instruction files passes the contract: a plain disk, a repository, and the fake."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from tests.blame.fake_instructions import MemoryInstructions
from tests.blame.instructions_contract import InstructionsContract, Write
from wisen.blame.instruction_files import InstructionFiles, Instructions
from wisen.model.instruction import InstructionFile, Version
from wisen.testing.log_writer import NOON

pytestmark = pytest.mark.requirement("X4")


class TestMemoryInstructions(InstructionsContract):
    @pytest.fixture
    def instructions(self) -> MemoryInstructions:
        return MemoryInstructions()

    @pytest.fixture
    def project(self) -> Path:
        return Path("/src/project")

    @pytest.fixture
    def write(self, instructions: MemoryInstructions) -> Write:
        known: dict[Path, InstructionFile] = {}

        def put(path: Path, text: str) -> None:
            file = known.get(path, InstructionFile(path=str(path), root=str(path.parent), versions=()))
            if not file.versions or file.versions[-1].text != text:
                version = Version(at=NOON + timedelta(minutes=len(file.versions)), text=text, origin="file")
                file = structs.replace(file, versions=(*file.versions, version))
            known[path] = file
            instructions.put(file)

        return put

    def test_files_of_the_user_speak_to_every_project(self, instructions: MemoryInstructions) -> None:
        version = Version(at=NOON, text="Use tabs.", origin="file")
        everywhere = InstructionFile(path="/home/me/.claude/CLAUDE.md", root="", versions=(version,))
        instructions.put(everywhere)
        assert instructions.files([]) == instructions.files(["/src"]) == (everywhere,)


class TestInstructionFilesOnDisk(InstructionsContract):
    @pytest.fixture
    def instructions(self, home: Path) -> Instructions:
        return InstructionFiles(home, os.environ)

    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        folder = tmp_path / "project"
        folder.mkdir()
        return folder

    @pytest.fixture
    def write(self) -> Write:
        def put(path: Path, text: str) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

        return put


@pytest.mark.needs("git")
class TestInstructionFilesInARepository(TestInstructionFilesOnDisk):
    @pytest.fixture
    def write(self, project: Path) -> Write:
        def git(*arguments: str) -> None:
            command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
            subprocess.run(command, cwd=project, check=True, capture_output=True)

        git("init", "-q")

        def put(path: Path, text: str) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            git("add", "-A")
            git("commit", "-q", "--allow-empty", "-m", "rules")

        return put
