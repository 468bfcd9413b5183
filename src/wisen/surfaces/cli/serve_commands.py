"""The commands that serve agents over MCP: `wisen mcp` on standard input, `wisen serve` over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

if TYPE_CHECKING:
    from wisen.app import Wiring

PORT = 18374
EVERY = 60.0
Home = Annotated[Optional[Path], typer.Option("--home", help="The home of wisen. Default: the usual one.")]  # noqa: UP045 - as above


def mcp(home: Home = None) -> None:
    """Serve an agent over MCP on standard input and output, until the input ends.

    Needs `pip install 'wisen[mcp]'`. Agents can query what was learned and suggest lessons; nothing takes effect before
    you approve it. How to set up an agent: docs/mcp.md
    """
    from wisen import app
    from wisen.errors import MissingExtra

    app.wire(home)  # errors in the settings are reported now, not to an agent later
    try:
        from wisen.surfaces.mcp.server import run_stdio
    except ImportError as missing:
        says = "`wisen mcp` needs the MCP SDK, which is not installed: `pip install 'wisen[mcp]'`."
        raise MissingExtra(says) from missing
    run_stdio(home)


def serve(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port on 127.0.0.1; 0: any free port.")
    ] = PORT,
    every: Annotated[
        float, typer.Option("--every", min=0, help="Run `wisen cycle` every N minutes; 0: never.")
    ] = EVERY,
    home: Home = None,
    token: Annotated[bool, typer.Option("--token", help="Print the token that clients must send, and stop.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Serve agents over MCP and HTTP, on this machine only, and run the cycle on a schedule. This is optional.

    Needs `pip install 'wisen[serve]'`. Clients must send the token, which is created once and kept in wisen's home.
    GET /health reports whether it works.
    """
    from wisen import app

    wires = app.wire(home)
    if token:
        _print_fields({"token": wires.token()}, wires.token(), as_json=as_json)
        return
    address = f"http://127.0.0.1:{port}/mcp"
    if dry_run:
        rounds = f"`wisen cycle` every {every:g} minutes" if every else "no schedule"
        fields = {"address": address, "every_minutes": every, "home": str(wires.settings.home), "dry_run": True}
        _print_fields(fields, f"Would serve {wires.settings.home} on {address}, with {rounds}.", as_json=as_json)
        return
    _serve(wires, port, every, as_json=as_json)


def _serve(wires: Wiring, port: int, every: float, *, as_json: bool) -> None:
    from wisen.errors import MissingExtra

    try:
        from wisen.surfaces.mcp.http_server import serve as run
    except ImportError as missing:
        says = "`wisen serve` needs the MCP SDK and uvicorn, which are not installed: `pip install 'wisen[serve]'`."
        raise MissingExtra(says) from missing

    def ready(address: str) -> None:
        says = (
            f"Serving on {address}. Agents must send the token that `wisen serve --token` prints. Stop it with Ctrl-C."
        )
        _print_fields({"address": address}, says, as_json=as_json)

    run(wires, port=port, minutes=every, ready=ready, start=Path.cwd())


def _print_fields(fields: dict[str, object], says: str, *, as_json: bool) -> None:
    from wisen.surfaces.cli.render import print_json

    if as_json:
        print_json(fields)
    else:
        print(says, flush=True)
