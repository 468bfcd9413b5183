"""Re-records the opencode fixture from a real client with a scripted model.

    python -m tests.agents.record_opencode path/to/opencode

It works in a home of its own below a temporary folder. What is kept are the three tables that the reader looks at, as
SQL, and they name no place of the machine it ran on.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.agents.client_sandbox import block_network
from tests.agents.opencode_client import Client
from tests.agents.scripted_model import Script, Turn, Use, serving

FIXTURE = Path(__file__).parent / "fixtures" / "opencode" / "sessions.sql"
TABLES = ("session", "message", "part")
_SECONDS = 60


def _run(command: str) -> Use:
    return Use("bash", {"command": command, "description": "Run it"})


SCRIPT: Script = {
    "install the package": [
        Turn("I will look first.", (_run("cat requirements.txt"),)),
        Turn("", (_run("ls"), Use("read", {"filePath": "missing.txt"}))),
        Turn("", (_run("rm requirements.txt"),)),
        Turn("Done with pip."),
    ],
    "use uv": [Turn("You're right, I should have used uv.")],
    "remove the card": [Turn("", (_run("rm card.txt"),)), Turn("I leave it.")],
    "ask a helper": [
        Turn("", (Use("task", {"description": "look", "prompt": "look everywhere", "subagent_type": "general"}),)),
        Turn("It looked."),
    ],
    "look everywhere": [Turn("", (_run("ls nowhere"),)), Turn("Nothing there.")],
    "wait for me": [Turn("I wait.", (_run("sleep 60"),)), Turn("Waited.")],
    "never mind": [Turn("I will not wait.")],
}


class Server:
    """An opencode that is spoken to as its terminal speaks to it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.session = str(self.ask("POST", "/session", {})["id"])

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Its answer."""
        sent = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(
            self.address + path, data=sent, method=method, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:
            return json.loads(answer.read() or b"null")

    def say(self, text: str) -> None:
        """Type a prompt, and wait for nothing."""
        self.ask("POST", f"/session/{self.session}/prompt_async", {"parts": [{"type": "text", "text": text}]})

    def rest(self) -> None:
        """Wait until nothing is at work."""
        self.until(lambda: not any(each["type"] != "idle" for each in self.ask("GET", "/session/status").values()))

    def until(self, done: Callable[[], object]) -> Any:
        """Wait until something is there."""
        end = time.monotonic() + _SECONDS
        while not (found := done()):
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.2)
        return found

    def runs(self, command: str) -> bool:
        """Whether a command is at work."""
        messages = self.ask("GET", f"/session/{self.session}/message")
        states = [part.get("state", {}) for message in messages for part in message["parts"]]
        return any(each.get("status") == "running" and command in json.dumps(each) for each in states)


@contextmanager
def served(client: Client) -> Iterator[Server]:
    """The client as a server, until the block ends."""
    command = [client.program, "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=client.project, env=client.environment, stdout=subprocess.PIPE, text=True) as it:
        try:
            assert it.stdout is not None
            line = next(line for line in it.stdout if "http://" in line)
            yield Server(line.split()[-1])
        finally:
            it.terminate()
            it.wait(_SECONDS)


def dumped(client: Client) -> str:
    """The tables as SQL, with the home of somebody else."""
    with closing(sqlite3.connect(client.database)) as database, closing(sqlite3.connect(":memory:")) as kept:
        for table in TABLES:
            (made,) = database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            kept.execute(made)
            for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid"):
                kept.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        text = "\n".join(kept.iterdump()) + "\n"
    home = str(client.home)
    return text.replace(home, "/home/ada").replace(home.removeprefix("/"), "home/ada")


def record(program: Path) -> None:
    """Run every scenario and write the fixture."""
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as world, serving(SCRIPT) as model, block_network() as (ways, _):
        client = Client(program, Path(world), model.address)
        client.environment.update(ways)
        settings = json.loads(client.settings.read_text())
        settings["permission"] = {"bash": {"*": "allow", "rm *": "ask"}}
        client.settings.write_text(json.dumps(settings))
        client.run("install the package")
        client.run("--continue", 'no, use uv, not "pip"')
        with served(client) as server:
            server.say("remove the card")
            (asked,) = server.until(lambda: server.ask("GET", "/permission"))
            refusal = {"reply": "reject", "message": "use the trash instead"}
            server.ask("POST", f"/permission/{asked['id']}/reply", refusal)
            server.rest()
            server.say("ask a helper")
            server.rest()
            server.say("wait for me")
            server.until(lambda: server.runs("sleep 60"))
            server.ask("POST", f"/session/{server.session}/abort")
            server.rest()
            server.session = str(server.ask("POST", f"/session/{server.session}/fork", {})["id"])
            server.say("never mind")
            server.rest()
        FIXTURE.write_text(dumped(client))


if __name__ == "__main__":
    record(Path(sys.argv[1]).resolve())
