"""The HTTP server on loopback: MCP over streamable HTTP behind a token, a health endpoint, and scheduled cycles."""

from __future__ import annotations

import hmac
import socket
from contextlib import closing
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from wisen import __version__
from wisen.errors import UsageError
from wisen.surfaces.mcp.request_limits import MAX_HEADER_BYTES, LimitedProtocol
from wisen.surfaces.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from wisen.app import Wiring

HOST, PATH, HEALTH = "127.0.0.1", "/mcp", "/health"
_MAX_BODY = 1 << 20
"""The maximum size of a request body."""
_MAX_SESSIONS = 64
_IDLE_SECONDS = 600.0
"""After how many seconds without a request a client's session is closed."""
_GRACE_SECONDS = 3


class AccessGate:
    """Admits requests with the loopback host name, without a foreign web origin, and with the token."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, f"Bearer {token}".encode()
        hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
        self._hosts = {host.encode() for host in hosts}
        self._origins = {f"http://{host}".encode() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request that is not allowed; pass on the others."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        refused = self._rejection(scope) if scope["type"] == "http" else PlainTextResponse("Not found", 404)
        if refused is not None:
            return await refused(scope, receive, send)
        body = await _read_body(receive)
        if body is None:
            return None  # the client is gone, and nothing was started for it
        if len(body) > _MAX_BODY:
            return await PlainTextResponse(f"At most {_MAX_BODY} bytes are read.", 413)(scope, receive, send)
        given = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return given.pop() if given else await receive()

        return await self._app(scope, receive_again, send)

    def _rejection(self, scope: Scope) -> PlainTextResponse | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        hosts, origins, tokens = (headers.get(name, []) for name in (b"host", b"origin", b"authorization"))
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return PlainTextResponse("Use the host name 127.0.0.1 or localhost.", 421)
        if any(origin not in self._origins for origin in origins):
            return PlainTextResponse("Requests from web pages are not allowed.", 403)
        if scope["path"] == HEALTH:
            return None
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token):
            says = "Show the token: wisen serve --token prints it."
            return PlainTextResponse(says, 401, {"WWW-Authenticate": "Bearer"})
        return None


async def _read_body(receive: Receive) -> bytes | None:
    """Read the body of a request; None where it ends early. Longer ones are cut."""
    body = b""
    while len(body) <= _MAX_BODY:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body


def serve(wires: Wiring, *, port: int, minutes: float, ready: Callable[[str], None], start: Path) -> None:
    """Serve until stopped. `ready` is called with the address once it is bound; port 0 takes any free port.

    Raises:
        UsageError: the port is not free.
        MissingExtra: a required package is not installed.
        StoreError: the token cannot be stored.
    """
    token, rounds = wires.token(), wires.repeated_cycles(minutes)
    with closing(_listen(port)) as listener:
        actual_port: int = listener.getsockname()[1]

        async def health(_: Request) -> JSONResponse:
            status = rounds.status()
            last = status.last.isoformat(timespec="seconds") if status.last else None
            cycle = {
                "rounds": status.rounds,
                "last": last,
                "went_well": status.went_well,
                "is_running": status.is_running,
            }
            return JSONResponse({"ok": status.went_well is not False, "version": __version__, "cycle": cycle})

        app = build_server(wires.settings.home, start, one_client=False).streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            max_request_body_size=_MAX_BODY,
            session_idle_timeout=_IDLE_SECONDS,
            max_sessions=_MAX_SESSIONS,
            host=HOST,
            custom_starlette_routes=[Route(HEALTH, health, methods=["GET"])],
        )
        options: dict[str, Any] = {
            "log_level": "warning",
            "access_log": False,
            "timeout_graceful_shutdown": _GRACE_SECONDS,
        }
        options |= {"http": LimitedProtocol, "ws": "none", "h11_max_incomplete_event_size": MAX_HEADER_BYTES}
        server = uvicorn.Server(uvicorn.Config(AccessGate(app, token, actual_port), lifespan="on", **options))
        rounds.start()
        try:
            ready(f"http://{HOST}:{actual_port}{PATH}")
            server.run(sockets=[listener])
        finally:
            rounds.stop()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # a client that connects as soon as it knows the address waits, and is not refused
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Port {port} of this machine cannot be bound: {error.strerror}. Another `wisen serve` may be using it; "
            "choose another one with --port."
        ) from error
    return listener
