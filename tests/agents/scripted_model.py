"""A model server for real clients in tests: it answers on loopback what a script says, whatever it is asked.

It holds no state between requests: the scenario is the newest user message that contains one of the script's keys, and
the step follows from the number of tool results behind it, so retries and side questions never shift the script.
A wire format is one class in `WIRES`; this file speaks the Responses and the Messages format.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
    after: float = 0
    """Seconds the model thinks before it says anything."""


Script = Mapping[str, Sequence[Turn]]
"""What the model answers, step by step, to a prompt that contains the key."""


@dataclass(frozen=True)
class Asked:
    """A request, as far as the script looks at it: user messages and tool results, oldest first."""

    said: tuple[str | None, ...]
    """The text of each user message; None for a tool result."""
    streamed: bool = True
    tools: bool = True
    """Whether the model may ask for any."""


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

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The same answer in one piece, for a client that does not want a stream."""
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

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The response with its items."""
        return {"id": f"resp_{number:04d}", "object": "response", "output": list(self._items(turn, number))}

    def _items(self, turn: Turn, number: int) -> Iterator[dict[str, object]]:
        if turn.say:
            content = [{"type": "output_text", "text": turn.say, "annotations": []}]
            yield {"type": "message", "id": f"msg_{number:04d}", "role": "assistant", "content": content}
        for index, use in enumerate(turn.uses):
            call: dict[str, object] = {"name": use.tool, "call_id": f"call_{_unique(number, index)}"}
            if use.namespace:
                call["namespace"] = use.namespace
            if isinstance(use.arguments, str):
                yield {"type": "custom_tool_call", "id": f"ctc_{number:04d}_{index}", "input": use.arguments, **call}
            else:
                arguments = json.dumps(use.arguments)
                yield {"type": "function_call", "id": f"fc_{number:04d}_{index}", "arguments": arguments, **call}


class Messages:
    """The Messages format, streamed or whole."""

    path = "/messages"

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """Texts and tool results of the user's messages, in their order."""
        said: list[str | None] = []
        for message in body.get("messages", ()):
            content = message["content"] if message.get("role") == "user" else ()
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if block["type"] == "tool_result":
                    said.append(None)
                elif block["type"] == "text":
                    said.append(block["text"])
        return Asked(tuple(said), streamed=bool(body.get("stream")), tools=bool(body.get("tools")))

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Each block with a beginning, one delta and an end, within a message that has the same."""
        message = dict(self.whole(turn, number))
        end = {"stop_reason": message.pop("stop_reason"), "stop_sequence": None}
        yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
        for index, block in enumerate(self._blocks(turn, number)):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                arguments = json.dumps(block["input"])
                empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": arguments}
            yield "content_block_start", {"index": index, "content_block": empty}
            yield "content_block_delta", {"index": index, "delta": delta}
            yield "content_block_stop", {"index": index}
        yield "message_delta", {"delta": end, "usage": {"output_tokens": 5}}
        yield "message_stop", {}

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The message with its blocks."""
        return {
            "id": f"msg_{_unique(number, 0)}",
            "type": "message",
            "role": "assistant",
            "model": "scripted-1",
            "content": list(self._blocks(turn, number)),
            "stop_reason": "tool_use" if turn.uses else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def _blocks(self, turn: Turn, number: int) -> Iterator[dict[str, object]]:
        if turn.say:
            yield {"type": "text", "text": turn.say}
        for index, use in enumerate(turn.uses):
            yield {
                "type": "tool_use",
                "id": f"toolu_{_unique(number, index)}",
                "name": use.tool,
                "input": use.arguments,
            }


class TokenCount(Messages):
    """The question beside the Messages format how long a request is."""

    path = "/messages/count_tokens"

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """Always the same."""
        return {"input_tokens": 10}


WIRES: tuple[Wire, ...] = (Responses(), Messages(), TokenCount())


def _unique(number: int, index: int) -> str:
    """An id of one call of one answer, as random as a vendor's."""
    return hashlib.blake2b(f"{number}.{index}".encode(), digest_size=12).hexdigest()


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
