"""A scripted model server on loopback for real clients in tests: it answers from a script, whatever it is asked.

It holds no state between requests: the scenario is the newest user message that contains one of the script's keys, and
the step follows from the number of tool results behind it, so retries and side questions never shift the script.
What it speaks stands in `wire_formats.py`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from tests.agents.wire_formats import WIRES, Asked, Turn, Use, Wire

__all__ = ["Asked", "Model", "Script", "Turn", "Use", "possible", "serving", "step"]

Script = Mapping[str, Sequence[Turn]]
"""What the model answers, step by step, to a prompt that contains the key."""


def step(script: Script, asked: Asked) -> Turn:
    """The turn that the script has for a request."""
    for position in range(len(asked.texts) - 1, -1, -1):
        text = asked.texts[position]
        key = next((key for key in script if text is not None and key in text), None)
        if key is None:
            continue
        results = sum(later is None for later in asked.texts[position:])
        for turn in script[key]:
            if results <= 0:
                return turn
            results -= len(turn.uses)
        return script[key][-1]
    return Turn(say="Nothing is scripted for this.")


def possible(turn: Turn, asked: Asked) -> Turn:
    """A turn without calls where no tools are offered: a question beside the work, for a title or a summary."""
    return turn if asked.tools or not turn.uses else Turn(turn.say or "Nothing is to be done.")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = cast("_Server", self.server)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        wire = next((wire for wire in WIRES if self.path.split("?")[0].endswith(wire.path)), None)
        if wire is None:
            self.send_error(404)
            return
        with server.lock:
            server.requests.append(body)
            number = len(server.requests)
        asked = wire.asked(body)
        turn = possible(step(server.script, asked), asked)
        time.sleep(turn.after)
        with suppress(ConnectionError):  # a client may not want to wait
            self._answer(wire, turn, number, streamed=asked.streamed)

    def _answer(self, wire: Wire, turn: Turn, number: int, *, streamed: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        if not streamed:
            self.wfile.write(json.dumps(wire.whole(turn, number)).encode())
            return
        for name, data in wire.answer(turn, number):
            lines = (
                f"event: {name}\ndata: {json.dumps({'type': name, **data})}" if name else f"data: {json.dumps(data)}"
            )
            self.wfile.write(f"{lines}\n\n".encode())
        self.wfile.write(wire.closing.encode())

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Model:
    """A running server."""

    address: str
    """Where clients reach it, without a path."""
    requests: Sequence[Mapping[str, Any]]
    """The bodies it was asked with, oldest first."""


@contextmanager
def serving(script: Script) -> Iterator[Model]:
    """A server that runs until the block ends."""
    server = _Server(script)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Model(f"http://127.0.0.1:{server.server_address[1]}", server.requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
