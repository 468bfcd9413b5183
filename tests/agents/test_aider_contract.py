"""aider passes the reader contract, with and without an input history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.agents.aider_chats import SHELL, Project
from wisen.agents.agent_ports import Agent
from wisen.agents.aider import Aider
from wisen.model.source import Source
from wisen.testing.agent_contract import AgentContract, SessionWriter

pytestmark = pytest.mark.requirement("F1")


class _Everywhere(Aider):
    """Looks in every project of a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, {})
        self._folder = folder

    def roots(self) -> tuple[Path, ...]:
        return (self._folder,)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        return super().sources(under or self._folder)


class AiderScribe:
    """Tells stories as aider writes them down."""

    def __init__(self, number: int, folder: Path, *, notes: bool) -> None:
        self.agent: Agent = _Everywhere(folder)
        self._chats = Project(folder / f"project-{number}", notes=notes)
        self._chats.start()

    def prompt(self, text: str) -> None:
        self._chats.prompt(text)

    def say(self, text: str) -> None:
        self._chats.reply(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self.answer(self.ask(command), output, exit_code)

    def ask(self, command: str) -> str:
        self._chats.run(command)
        return command

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self._chats.ask("Add command output to the chat? (Y)es/(N)o/(D)on't ask again [Yes]:", "n")

    def interrupt(self) -> None:
        self._chats.tell_lines("\n\n^C again to exit")

    def inject(self, text: str) -> None:
        self._chats.prompt("/lint")
        self._chats.ask("Fix lint errors in a.py? (Y)es/(N)o [Yes]:")
        self._chats.block(f"# Fix any errors below, if possible.\n\n{text}")
        self._chats.reply(f"{text}\n\n#### {text}\n\n#### {text}  \n\n> {text}\n\n#### {text}  \n\n#### {text}  ")
        self._chats.block(text)
        self._chats.tell(f"Commit 12ab34c Change it\n\n#### {text}\n\n#### {text}")
        self._chats.block(f"{SHELL}skip")

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        self._chats.reply(prompt)
        self._chats.block(prompt)
        self._chats.reply("I edit the file.")
        self._chats.tell(f"Running {command}")

    def garbage(self) -> None:
        self._chats.pieces.append("> \udcff\udcfe \n")

    def save(self) -> None:
        self._chats.save()


class TestAider(AgentContract):
    tells_ends = False

    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: AiderScribe(number, tmp_path, notes=True)


class TestAiderWithoutInputHistory(AgentContract):
    tells_ends = False

    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: AiderScribe(number, tmp_path, notes=False)
