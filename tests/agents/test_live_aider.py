"""The real aider at a terminal: what its files tell of a chat in which everything happens is what did happen."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import pytest

from tests.agents.abilities import lacks
from tests.agents.client_sandbox import Person, block_network
from tests.agents.clients import AIDER_VERSION, program
from tests.agents.scripted_model import Model, Script, Turn, serving
from tests.ownership import adopt
from wisen.agents.aider import Aider
from wisen.model.event import Call, Concession, Event, Interrupt, Message, Outcome, Provenance, Rejection, Status
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.needs("aider")

FENCE = "`" * 3
GREETING = "print('hello')\n"


def _edit(before: str, after: str) -> str:
    block = f"<<<<<<< SEARCH\n{before}\n=======\n{after}\n>>>>>>> REPLACE"
    return f"greet.py\n{FENCE}python\n{block}\n{FENCE}\n"


def _shell(command: str) -> str:
    return f"\n{FENCE}bash\n{command}\n{FENCE}\n"


CHANGED, MISFIT = _edit("print('hello')", "print('hi')"), _edit("print('nothing like it')", "print('ho')")
SCRIPT: Script = {
    "change the greeting": [
        Turn(f"Sorry, I change it.\n\n#### FOREIGN\n\n#### FOREIGN  \n\n{CHANGED}{_shell('ls pears')}")
    ],
    "edit it badly": [Turn(f"I edit it.\n\n{MISFIT}")],
    "failed to match": [Turn("I give up.")],
    "not that way": [Turn("You're right, my mistake.")],
    "clean up": [Turn(f"I clean up.{_shell('rm -rf build')}")],
    "what is in it": [Turn("A greeting of two letters.")],
    "think long": [Turn("Thought.", after=20)],
    "plan a": [Turn("FOREIGN: rename it all.\n\n- FOREIGN")],
    "rename it all": [Turn("Nothing to rename.")],
}
_DRAWN = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[=>]|\s")
"""What stands between letters on a screen."""
OPTIONS = ("--model", "openai/scripted-1", "--edit-format", "diff", "--no-show-model-warnings", "--map-tokens", "0")


class Terminal:
    """A person at a terminal."""

    def __init__(self, words: list[str], cwd: Path, environment: dict[str, str]) -> None:
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.chdir(cwd)
            os.execve(words[0], words, environment)
        self._screen = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._terminal)

    def sees(self, words: str, seconds: float = 60) -> None:
        """Wait until the screen shows something new."""
        wanted, end = words.replace(" ", "").encode(), time.monotonic() + seconds
        while wanted not in _DRAWN.sub(b"", self._screen):
            assert time.monotonic() < end, f"{words!r} never came:\n{self._screen[-2000:].decode(errors='replace')}"
            self._look(0.1)

    def types(self, text: str) -> None:
        """Type a line, once the screen is quiet."""
        while self._look(0.7):
            pass
        self._screen.clear()
        for piece in (text, "\r"):
            os.write(self._terminal, piece.encode())
            self._look(0.3)

    def stops(self) -> None:
        """Press Control-C."""
        self._screen.clear()
        os.write(self._terminal, b"\x03")

    def _look(self, seconds: float) -> bool:
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        try:
            shown = os.read(self._terminal, 65536)
        except OSError:
            return False
        self._screen += shown
        os.write(self._terminal, b"\x1b[1;1R" * shown.count(b"\x1b[6n"))
        return True


class World(Person):
    """A person's home with aider and wisen in it."""

    def __init__(self, folder: Path, model: Model, ways: dict[str, str]) -> None:
        (folder / "ada" / "shop").mkdir(parents=True)
        environment = {"HOME": str(folder / "ada"), "PATH": os.environ["PATH"], "TERM": "xterm-256color", **ways}
        environment |= {
            "OPENAI_API_BASE": f"{model.address}/v1",
            "OPENAI_API_KEY": "x",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        environment |= {
            f"AIDER_{name}": "false" for name in ("ANALYTICS", "CHECK_UPDATE", "SHOW_RELEASE_NOTES", "GITIGNORE")
        }
        super().__init__(folder / "ada", folder / "ada" / "shop", environment)
        (self.project / "greet.py").write_text(GREETING)
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=ada", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
        ):
            subprocess.run(["git", *words], cwd=self.project, env=environment, check=True)

    @property
    def words(self) -> list[str]:
        return [str(program("aider")), *OPTIONS, "greet.py"]

    def events(self, *, program_prompts: bool = False) -> list[Event]:
        events, problems = read_all(Aider(Path("/nowhere"), {}, program_prompts=program_prompts), self.project)
        assert problems == []
        return events


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    with serving(SCRIPT) as model, block_network() as (ways, _):
        yield World(folder, model, ways)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with (
        a_world(tmp_path_factory.mktemp("live_aider")) as world,
        Terminal(world.words, world.project, world.environment) as ada,
    ):
        ada.sees("greet.py")
        ada.types("change the greeting please")
        ada.sees("Run shell command?")
        ada.types("y")
        ada.sees("Add command output")
        ada.types("n")
        ada.types("edit it badly")
        ada.sees("I give up.")
        ada.types("No, not that way")
        ada.sees("my mistake")
        ada.types("clean up after you")
        ada.sees("Run shell command?")
        ada.types("n")
        ada.types("/ask what is in it")
        ada.sees("two letters")
        ada.types("/architect plan a new name")
        ada.sees("Nothing to rename.")
        ada.types("think long about it")
        time.sleep(1)
        ada.stops()
        ada.sees("again to exit")
        ada.types("/exit")
        time.sleep(1)
        yield world


@pytest.mark.requirement("F1", "X7")
def test_only_what_the_person_typed_counts_as_typed(world: World) -> None:
    assert "FOREIGN" in (world.project / ".aider.chat.history.md").read_text()
    assert typed_texts(world.events()) == [
        "change the greeting please",
        "edit it badly",
        "No, not that way",
        "clean up after you",
        "what is in it",
        "plan a new name",
        "think long about it",
    ]


@pytest.mark.requirement("F1")
@lacks("aider", "read", "sessions are read, including failed edits; the outcome of a command is not in its files")
def test_edits_have_ends_and_commands_have_none(world: World) -> None:
    events = world.events()
    calls = [(event.tool, json.loads(event.arguments or "")) for event in events if isinstance(event, Call)]
    assert calls == [
        ("edit", {"path": "greet.py"}),
        ("shell", {"command": "ls pears"}),
        ("edit", {"path": "greet.py"}),
        ("shell", {"command": "rm -rf build"}),
    ]
    good, failed = (event for event in events if isinstance(event, Outcome))
    assert (good.status, failed.status) == (Status.OK, Status.FAILED)
    assert "failed to match" in (failed.text or "")
    assert "pears" not in repr([event for event in events if isinstance(event, Outcome)])


@pytest.mark.requirement("F1")
def test_refusals_interrupts_concessions_and_times_are_read(world: World) -> None:
    events = world.events()
    kinds = [type(event) for event in events]
    assert [kinds.count(kind) for kind in (Rejection, Interrupt, Concession)] == [1, 1, 2]
    assert isinstance(events[-1], Interrupt)
    moments = [event.at for event in events]
    assert moments == sorted(moments)
    assert 5 < (moments[-1] - moments[0]).total_seconds() < 300
    assert abs((datetime.now(UTC) - moments[-1]).total_seconds()) < 600


@pytest.mark.requirement("F1")
def test_wisen_learns_from_it_and_knows_the_project_from_then_on(world: World) -> None:
    answer = json.loads(world.wisen("learn", "--path", ".", "--json"))
    assert answer["counts"]["typed_turns"] == 0
    adopt(world.project / ".aider.chat.history.md", environment=world.environment)
    answer = json.loads(world.wisen("learn", "--path", ".", "--json"))
    assert answer["counts"]["typed_turns"] == 7
    (aider,) = [each for each in json.loads(world.wisen("agents", "--json"))["agents"] if each["name"] == "aider"]
    assert (aider["sources"], aider["version"]) == (1, AIDER_VERSION)


@pytest.mark.requirement("F1", "X7")
def test_what_a_program_asked_is_not_the_persons(tmp_path: Path) -> None:
    with a_world(tmp_path) as world:
        words = [*world.words, "--yes-always", "--message", "clean up after you"]
        subprocess.run(
            words, cwd=world.project, env=world.environment, check=True, timeout=120, stdin=subprocess.DEVNULL
        )
        (message,) = [event for event in world.events() if isinstance(event, Message)]
        assert message.provenance is Provenance.OTHER
        assert typed_texts(world.events(program_prompts=True)) == ["clean up after you"]
        # Nobody was asked, so nobody refused.
        assert [event.status for event in world.events() if isinstance(event, Outcome)] == [Status.CANCELLED]
        assert not [event for event in world.events() if isinstance(event, Rejection)]
