"""The command about what was praised: `wisen praise`."""

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
    """Tell what you praised, and what that strengthened: what your agent had been told just before."""
    from wisen.surfaces.cli.praise_view import run

    raise typer.Exit(run(days=days, as_json=as_json))
