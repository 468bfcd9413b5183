"""Options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")]
