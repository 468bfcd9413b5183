"""The command about the praise of the user: `wisen praise`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import Json  # noqa: TC001 - typer reads the annotations at run time


def praise(
    days: Annotated[
        Optional[float],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--days", help="Only the last N days."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List your praise, and the lessons that it strengthened: those that your agent was given just before."""
    from wisen.surfaces.cli.praise_view import list_praises

    raise typer.Exit(list_praises(days=days, as_json=as_json))
