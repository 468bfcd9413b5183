"""Limits request time and connections, so that a client with an unfinished request cannot block others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

REQUEST_SECONDS = 10.0
"""The time in which a request must arrive completely, from its first byte on."""
MAX_CONNECTIONS = 128
"""Simultaneous connections; for one more, the connection that has waited longest is closed."""
MAX_HEADER_BYTES = 32 << 10
"""The maximum size of the headers of a request."""


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol with a timeout for requests too; uvicorn itself has one only between requests."""

    request_seconds: ClassVar[float] = REQUEST_SECONDS
    max_connections: ClassVar[int] = MAX_CONNECTIONS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._waiting_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout; with too many connections, close the one that has waited longest."""
        super().connection_made(transport)
        self._start_waiting()
        if len(self.connections) > self.max_connections:
            waiting = [
                each
                for each in self.connections
                if isinstance(each, LimitedProtocol) and each.waiting_since is not None
            ]
            longest = min(waiting, key=lambda each: each.waiting_since or 0.0, default=self)
            longest.abort()

    def data_received(self, data: bytes) -> None:
        """Handle data; the timeout ends when the request is complete."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._start_waiting()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Leave the wait for the next request to uvicorn's own timeout."""
        self._stop_waiting()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def waiting_since(self) -> float | None:
        """When the wait for an unfinished request began; None where there is none."""
        return self._waiting_since

    def abort(self) -> None:
        """Close the connection at once."""
        self._stop_waiting()
        self.transport.abort()

    def _start_waiting(self) -> None:
        if self._timer is None:
            self._waiting_since = self.loop.time()
            self._timer = self.loop.call_later(self.request_seconds, self.abort)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._waiting_since = None
