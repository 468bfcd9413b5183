"""The program of a worker process: reads pickled calls from standard input and writes their results to standard output.

It is a separate program rather than a `multiprocessing` child: that would import the caller's main script again, which
reruns everything in a script without a main guard, and fails where there is none (a notebook, a script on stdin).
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

LENGTH = struct.Struct("<Q")
READY = b"ready"
DONE, FAILED, NOT_READABLE = 0, 1, 2
"""Status of a call: its result, the exception it raised, or nothing because it cannot be unpickled or pickled here."""


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Send one message."""
    stream.write(LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next message; None if the other side closed the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    length: int = LENGTH.unpack(head)[0]
    content = stream.read(length)
    return content if len(content) == length else None


def main() -> None:
    """Answer calls until the other side closes the stream."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller is interrupted too, and closes our standard input
    calls = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a call prints must not end up among the answers
    setup = read_frame(calls)
    if setup is None:
        return
    sys.path[:] = pickle.loads(setup)  # noqa: S301 - from the process that started this one
    gc.disable()  # events hold no cycles
    write_frame(answers, READY)
    while (call := read_frame(calls)) is not None:
        write_frame(answers, _run_call(call))


def _run_call(call: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(call)  # noqa: S301 - from the process that started this one
    except Exception as error:  # noqa: BLE001 - a class that only the caller knows: the caller runs the call itself
        return pickle.dumps((NOT_READABLE, repr(error)))
    try:
        answer = (DONE, function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - raised again where the result is requested
        answer = (FAILED, error)
    try:
        return pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - the answer cannot be pickled
        return pickle.dumps((NOT_READABLE, repr(error)))


if __name__ == "__main__":
    try:
        main()
        os._exit(0)  # the caller waits for the end, and freeing all objects one by one takes a tenth of a second
    except BrokenPipeError:
        os._exit(1)  # the caller is gone, and nobody is left to report to
