"""The real clients with hooks of a wisen that is gone or broken: the prompt goes through and the model is asked.

Root may read everything, so that a home which cannot be read is one that is a link to itself; the errors that a shell
sees are the same kind (it cannot open the launcher).
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agents import (
    gemini_client,
    hermes_client,
    openclaw_client,
    opencode_client,
    record_claude_code,
    record_codex,
)
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.clients import program
from tests.agents.scripted_model import Model, Turn, Use, serving
from wisen.delivery.launcher import program_of, render_script
from wisen.model.hook import Program

pytestmark = pytest.mark.requirement("X6", "X10")

TOOLS = {
    "claude-code": Use("Bash", {"command": "ls", "description": "Run it"}),
    "codex": Use("exec_command", {"cmd": "ls"}),
    "gemini-cli": Use("run_shell_command", {"command": "ls"}),
    "opencode": Use("bash", {"command": "ls", "description": "Run it"}),
    "openclaw": Use("exec", {"command": "ls"}),
    "hermes": Use("terminal", {"command": "ls"}),
}
LONG = "pears and figs " * 8000
"""More than a pipe holds: an agent whose hook does not read it must not fail by that."""


class World(Person):
    """A person with one agent, which has wisen's hooks."""

    def __init__(self, agent: str, folder: Path, model: Model, ways: dict[str, str]) -> None:
        self.agent, self.model, self.number = agent, model, 0
        self.client = _client(agent, folder, model.address)
        self.client.environment.update(ways)
        super().__init__(self.client.home, self.client.project, self.client.environment)
        self.wisen("install", agent)
        self.aside, sound = folder / "aside", program_of(self.home)
        assert sound is not None
        self.sound = sound
        if isinstance(self.client, hermes_client.Client):
            self.client.enable()
        if isinstance(self.client, gemini_client.Client):
            self.client.trust(self.client.project)

    def prompt(self) -> float:
        """Send a prompt; it must reach the model, and the call that the model makes must be made. The seconds."""
        before, began = len(self.model.requests), time.monotonic()
        self.number += 1
        words = f"look around, number {self.number}: {LONG}"
        client = self.client
        if isinstance(client, record_codex.Client):
            client.run("--dangerously-bypass-hook-trust", words)
        elif isinstance(client, hermes_client.Client):
            client.ask(words)
        elif isinstance(client, openclaw_client.Client):
            client.run(f"s{self.number}", words)
        else:
            client.run(words)
        asked = [texts(request) for request in self.model.requests[before:]]
        assert any(f"number {self.number}:" in each for each in asked), "the prompt did not reach the model"
        assert any("orchard.txt" in each for each in asked), "the call was not made"
        return time.monotonic() - began

    def launch(self, python: str | None = None, client: str | None = None) -> None:
        """Have the launcher start something else."""
        changed = Program(python=python or self.sound.python, client=client or self.sound.client)
        (self.home / "hook").write_text(render_script(changed, "/usr/bin/timeout"))


def _client(agent: str, folder: Path, address: str):  # type: ignore[no-untyped-def]  # each is of a class of its own
    if agent == "claude-code":
        allowed: dict[str, object] = {"permissions": {"allow": ["Bash(ls:*)"]}}
        made: object = record_claude_code.Client(program(agent), folder, address, settings=allowed)
    elif agent == "codex":
        made = record_codex.Client(program(agent), folder, address, stock=False)
    elif agent == "openclaw":
        made = openclaw_client.Client(agent, folder, address)
    else:
        modules = {"gemini-cli": gemini_client, "opencode": opencode_client, "hermes": hermes_client}
        made = modules[agent].Client(program(agent), folder, address)
    return made


@contextmanager
def a_world(agent: str, folder: Path) -> Iterator[World]:
    turns = {"look around": [Turn("", (TOOLS[agent],)), Turn("Hello.")]}
    with serving(turns) as model, block_network() as (ways, _):
        world = World(agent, folder, model, ways)
        (world.project / "orchard.txt").touch()
        yield world


def interpreter_gone(world: World) -> None:
    world.launch(python="/no/such/python")


def package_gone(world: World) -> None:
    world.launch(client="/no/such/wisen/surfaces/hook/client.py")


def package_half_gone(world: World) -> None:
    alone = world.home / "client.py"
    shutil.copy(world.sound.client, alone)
    world.launch(client=str(alone))


def interpreter_slow(world: World) -> None:
    slow = world.home / "slow"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    world.launch(python=str(slow))


def launcher_broken(world: World) -> None:
    (world.home / "hook").write_text("echo '{\"decision\":'\nexit 2\n")


def launcher_empty(world: World) -> None:
    (world.home / "hook").write_text("")  # nobody reads the event, and it ends well


def home_gone(world: World) -> None:
    world.home.rename(world.aside)


def home_unreadable(world: World) -> None:
    world.home.symlink_to(world.home)


BREAKAGES: dict[str, tuple[Callable[[World], None], ...]] = {
    "claude-code": (interpreter_gone, package_half_gone, interpreter_slow, launcher_broken, launcher_empty),
    "codex": (interpreter_gone, package_half_gone, interpreter_slow, launcher_broken, launcher_empty),
    "gemini-cli": (interpreter_gone, interpreter_slow, launcher_broken, launcher_empty),
    "opencode": (interpreter_gone, interpreter_slow, launcher_broken),
    "hermes": (interpreter_gone, interpreter_slow, launcher_broken),
    "openclaw": (interpreter_slow,),
}


@pytest.mark.parametrize("agent", [pytest.param(each, marks=pytest.mark.needs(each)) for each in BREAKAGES])
def test_whatever_of_wisen_is_gone_broken_or_slow_the_prompt_goes_through(agent: str, tmp_path: Path) -> None:
    with a_world(agent, tmp_path) as world:
        for breakage in (*BREAKAGES[agent], package_gone, home_gone, home_unreadable):
            breakage(world)
            assert world.prompt() < 100, breakage.__name__


@pytest.mark.parametrize("agent", [pytest.param(each, marks=pytest.mark.needs(each)) for each in BREAKAGES])
def test_on_a_disk_that_is_full_the_prompt_goes_through(agent: str, tmp_path: Path) -> None:
    with a_world(agent, tmp_path) as world:
        world.home.rename(world.aside)
        world.home.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", str(world.home)]
        if subprocess.run(mount, check=False, capture_output=True).returncode:
            pytest.skip("a file system of its own, to fill it, takes rights that are not here")
        try:
            for each in ("hook", "plugins"):
                if (world.aside / each).exists():
                    subprocess.run(["cp", "-r", str(world.aside / each), str(world.home / each)], check=True)
            subprocess.run(["dd", "if=/dev/zero", f"of={world.home}/full", "bs=64k"], check=False, capture_output=True)
            assert shutil.disk_usage(world.home).free == 0
            world.prompt()
        finally:
            subprocess.run(["umount", "-l", str(world.home)], check=True)
