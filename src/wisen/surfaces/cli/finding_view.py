"""Findings about instruction files that need a decision; `wisen review` shows them before the proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.report import decisions_about_lines
from wisen.surfaces.cli.layout import CommandLine
from wisen.surfaces.cli.render import blame_command, describe_open_decision

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.learner import Learner


def show_findings(learner: Learner, out: Console) -> None:
    """Print the lines that failures began with, the reason, and the commands that decide."""
    for each in decisions_about_lines(learner.blame.findings()):
        words = describe_open_decision(each)
        out.print(words.what, style="bold")
        out.print(f"  {words.why}", style="dim")
        out.print(CommandLine(words.command, indent=2))
        if each.line is not None and each.file is not None:
            stays = f"{blame_command(each.file.path)} --line {each.line.line.number} --keep"
            out.print("  To keep it:", style="dim")
            out.print(CommandLine(stays, indent=2))
