"""A model server for real clients in tests: it answers on loopback what a script says, whatever it is asked.

It holds no state between requests: the scenario is the newest user message that contains one of the script's keys, and
the step follows from the number of tool results behind it, so retries and side questions never shift the script.
A wire format is one class in `WIRES`; this file speaks the Responses format.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, cast


@dataclass(frozen=True)
class Use:
    """A tool the model asks for."""

    tool: str
    arguments: Mapping[str, object] | str
    """A mapping is a function's arguments; a string is the input of a free-form tool."""
    namespace: str = ""


@dataclass(frozen=True)
class Turn:
    """One answer of the model: words, tool calls, or both. An answer without calls ends the agent's turn."""

    say: str = ""
    uses: tuple[Use, ...] = ()


Script = Mapping[str, Sequence[Turn]]
"""What the model answers, step by step, to a prompt that contains the key."""


@dataclass(frozen=True)
class Asked:
    """A request, as far as the script looks at it: user messages and tool results, oldest first."""

    said: tuple[str | None, ...]
    """The text of each user message; None for a tool result."""


class Wire(Protocol):
    """One wire format."""

    path: str
    """The end of the address it is asked at."""

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """What a request says."""
        ...

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """The events of a streamed answer: name and data."""
        ...


class Responses:
    """The Responses format, streamed."""

    path = "/responses"

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """User messages and outputs in `input`."""
        said: list[str | None] = []
        for item in body.get("input", ()):
            if str(item.get("type", "message")).endswith("_output"):
                said.append(None)
            elif item.get("role") == "user":
                content = item.get("content", "")
                parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
                said.append("\n".join(parts))
        return Asked(tuple(said))

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """One done event an item, between a beginning and an end."""
        response: dict[str, object] = {"id": f"resp_{number:04d}"}
        yield "response.created", {"response": response}
        for index, item in enumerate(self._items(turn, number)):
            yield "response.output_item.done", {"output_index": index, "item": item}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        yield "response.completed", {"response": {**response, "usage": usage, "output": []}}

    def _items(self, turn: Turn, number: int) -> Iterator[dict[str, object]]:
        if turn.say:
            content = [{"type": "output_text", "text": turn.say, "annotations": []}]
            yield {"type": "message", "id": f"msg_{number:04d}", "role": "assistant", "content": content}
        for index, use in enumerate(turn.uses):
            unique = hashlib.blake2b(f"{number}.{index}".encode(), digest_size=12).hexdigest()
            call: dict[str, object] = {"name": use.tool, "call_id": f"call_{unique}"}
            if use.namespace:
                call["namespace"] = use.namespace
            if isinstance(use.arguments, str):
                yield {"type": "custom_tool_call", "id": f"ctc_{number:04d}_{index}", "input": use.arguments, **call}
            else:
                arguments = json.dumps(use.arguments)
                yield {"type": "function_call", "id": f"fc_{number:04d}_{index}", "arguments": arguments, **call}


WIRES: tuple[Wire, ...] = (Responses(),)


def step(script: Script, asked: Asked) -> Turn:
    """The turn that the script has for a request."""
    for position in range(len(asked.said) - 1, -1, -1):
        said = asked.said[position]
        key = next((key for key in script if said is not None and key in said), None)
        if key is None:
            continue
        results = sum(later is None for later in asked.said[position:])
        for turn in script[key]:
            if results <= 0:
                return turn
            results -= len(turn.uses)
        return script[key][-1]
    return Turn(say="Nothing is scripted for this.")


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
        turn = step(server.script, wire.asked(body))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for name, data in wire.answer(turn, number):
            self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())

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
