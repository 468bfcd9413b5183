"""A loopback server for OpenAI's chat completions: answers from a script, and records requests."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


@dataclass(frozen=True)
class ChatAnswer:
    """One answer of the server."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0
    """Seconds it takes."""
    refusal: str | None = None
    raw: str | None = None
    """The whole body, where it is not to be an answer."""
    tokens: tuple[int, int] = (1000, 100)


Script = Sequence[ChatAnswer] | Callable[[Mapping[str, Any]], ChatAnswer]
"""Answers in order, the last one again and again; or what makes one of a request."""


@dataclass
class Server:
    """A running server."""

    address: str
    """With the path that clients expect."""
    requests: list[dict[str, Any]]
    """The bodies it was asked with, oldest first."""
    headers: list[dict[str, str]]

    @property
    def name(self) -> str:
        """A model of it, as the settings name it."""
        return f"{self.address}|small"

    @property
    def log(self) -> str:
        """Everything that ever reached it, decoded."""
        return json.dumps([self.requests, self.headers], ensure_ascii=False)

    def material(self, number: int = -1) -> list[dict[str, str]]:
        """The items of a request."""
        text = self.requests[number]["messages"][-1]["content"]
        found: list[dict[str, str]] = json.JSONDecoder().raw_decode(text)[0]
        return found


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.lock = script, threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = cast("_Http", self.server)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        with server.lock:
            server.requests.append(body)
            server.heads.append(dict(self.headers.items()))
            number = len(server.requests)
        script = server.script
        says = script(body) if callable(script) else script[min(number, len(script)) - 1]
        time.sleep(says.after)
        with suppress(ConnectionError):
            self._answer(says, str(body.get("model", "")), number)

    def _answer(self, says: ChatAnswer, model: str, number: int) -> None:
        self.send_response(says.status)
        for name, value in {"Content-Type": "application/json", "Connection": "close", **says.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if says.raw is not None:
            self.wfile.write(says.raw.encode())
            return
        if says.status != 200:
            self.wfile.write(json.dumps({"error": {"message": says.text, "type": "scripted"}}).encode())
            return
        message = {"role": "assistant", "content": says.text, "refusal": says.refusal}
        response = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {
                "prompt_tokens": says.tokens[0],
                "completion_tokens": says.tokens[1],
                "total_tokens": sum(says.tokens),
            },
        }
        self.wfile.write(json.dumps(response).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serve_chat(script: Script) -> Iterator[Server]:
    """A server that runs until the block ends."""
    server = _Http(script)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_address[1]}/v1", server.requests, server.heads)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
