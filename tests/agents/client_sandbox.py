"""A sandbox for real clients in tests: a user's home with wisen installed, and a proxy that refuses the network."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.commands import AS_PERSON, WISEN

COUNT = """import sys
if sys.argv[1:]:
    sys.exit(f"count.py: error: unrecognized arguments: {sys.argv[1]}")
print(7)
"""
"""A program that fails with an option and works without."""


class _Refusing(BaseHTTPRequestHandler):
    """A way out that leads nowhere."""

    def do_CONNECT(self) -> None:
        assert isinstance(self.server, _Proxy)
        self.server.asked.append(self.path)
        self.send_error(403)

    do_GET = do_POST = do_CONNECT  # noqa: N815 - as the base class calls them

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _Proxy(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusing)
        self.asked: list[str] = []


@contextmanager
def block_network() -> Iterator[tuple[dict[str, str], list[str]]]:
    """An environment with a proxy that refuses, and what it was asked for."""
    server = _Proxy()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        proxy = f"http://127.0.0.1:{server.server_address[1]}"
        ways = {"HTTPS_PROXY": proxy, "HTTP_PROXY": proxy, "NO_PROXY": "127.0.0.1,localhost"}
        yield ways | {name.lower(): value for name, value in ways.items()}, server.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Person:
    """Somebody who has wisen, and works in a project."""

    def __init__(self, home: Path, project: Path, environment: dict[str, str]) -> None:
        """`environment`: of the client and of wisen, which is told there where its home is."""
        self.home, self.project, self.environment = home / "wisen", project, environment
        self.home.mkdir(exist_ok=True)
        (self.home / "config.toml").write_text("[agents]\nprogram_prompts = true\n")
        (project / "count.py").write_text(COUNT)
        environment["WISEN_HOME"] = str(self.home)

    def wisen(self, *words: str) -> str:
        """Run a command as the person would."""
        return self._ran([*AS_PERSON, *words])

    def _ran(self, command: list[str]) -> str:
        try:
            return subprocess.run(
                command, cwd=self.project, env=self.environment, check=True, text=True, capture_output=True, timeout=120
            ).stdout
        except subprocess.CalledProcessError as error:
            error.add_note(f"{error.stderr}{error.stdout}")
            raise

    def approve(self, words: str) -> None:
        """Approve the proposal that holds these words."""
        proposals = json.loads(self.wisen("proposals", "--json"))["proposals"]
        (proposal,) = [each for each in proposals if words in each["text"]]
        self.wisen("proposals", "approve", proposal["id"])

    def cycle(self) -> None:
        """Go through the whole loop, behind the one that the end of a session may have started."""
        end = time.monotonic() + 60
        while "nother cycle is running" in self._ran([str(WISEN), "cycle"]):  # as hooks run it, and no person
            assert time.monotonic() < end, "another cycle never ended"
            time.sleep(0.2)


def texts(value: object) -> str:
    """Every text somewhere in a value."""
    if isinstance(value, str):
        return value
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return "\n".join(filter(None, map(texts, inside)))
