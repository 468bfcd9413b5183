"""Refuses and records whatever a Python process tries with the network.

`python network_watch.py RECORD PROGRAM [WORD ...]` runs a program so. It needs nothing but the standard library, and
works in an isolated interpreter, in which the hook client runs. Sockets between processes of one machine (AF_UNIX) are
no network. What an extension in C opens by itself is not seen.
"""

from __future__ import annotations

import os
import runpy
import socket
import sys
from collections.abc import Callable
from pathlib import Path

LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
FAMILIES: dict[str, Callable[..., int]] = {
    "socket.__new__": lambda _, family: family,  # before it is used: none means that nothing is sent or listens
    **dict.fromkeys(("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"), lambda made, _: made.family),
}
"""What happens to one socket, and how its family is seen."""
_NO_NETWORK = (socket.AF_UNIX, -1)
"""The second is seen where no family is given: then its use tells."""
STARTED = "started"
"""The line of a process that is watched, before anything that it tries."""


def watch(record: str) -> None:
    """From now on write to a file what this process tries with the network, and refuse it."""

    def note(line: str) -> None:
        file = os.open(record, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, f"{line}\n".encode())
        os.close(file)

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in LOOKUPS or (event in FAMILIES and FAMILIES[event](*arguments[:2]) not in _NO_NETWORK):
            note(f"{event} {arguments[1:]}")
            raise PermissionError("the network is not used here")

    note(STARTED)
    sys.addaudithook(refuse)


def site_module(record: Path) -> str:
    """Return the text of a `sitecustomize.py` that watches every interpreter that loads it."""
    here = str(Path(__file__).parent)
    return (
        f"import sys\nsys.path.insert(0, {here!r})\nfrom network_watch import watch\n"
        f"sys.path.remove({here!r})\nwatch({str(record)!r})\n"
    )


if __name__ == "__main__":
    watch(sys.argv[1])
    del sys.argv[:2]
    runpy.run_path(sys.argv[0], run_name="__main__")
