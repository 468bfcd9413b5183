"""How long the server waits for a request, and for how many at once: who sends half of one keeps nobody else out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

REQUEST_SECONDS = 10.0
"""In which a request has to be here whole, from its first byte on, however slowly it comes."""
MAX_CONNECTIONS = 128
"""Connections at once; for one more the one is closed that has kept us waiting longest."""
MAX_HEADER_BYTES = 32 << 10
"""Bytes that the head of a request may have."""


class LimitedProtocol(H11Protocol):
    """uvicorn's own protocol with a limit to its patience, which it has only between requests."""

    request_seconds: ClassVar[float] = REQUEST_SECONDS
    max_connections: ClassVar[int] = MAX_CONNECTIONS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._waiting_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait; where too many do, let the longest one go."""
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
        """Take what came; the wait ends when the request is whole."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._start_waiting()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request as long as uvicorn does between two."""
        self._stop_waiting()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def waiting_since(self) -> float | None:
        """Since when a request is waited for that has begun; None where none is."""
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
