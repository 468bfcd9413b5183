"""Findings about instruction files that wait for a decision, as `wisen review` shows them before what is proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.report import decisions_about_lines
from wisen.surfaces.cli.layout import CommandLine
from wisen.surfaces.cli.render import blame_command, decision_words

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.learner import Learner


def show_findings(learner: Learner, out: Console) -> None:
    """Lines that failures began with: why, and the commands that decide."""
    for each in decisions_about_lines(learner.blame.findings()):
        words = decision_words(each)
        out.print(words.what, style="bold")
        out.print(f"  {words.why}", style="dim")
        out.print(CommandLine(words.command, indent=2))
        if each.line is not None and each.file is not None:
            stays = f"{blame_command(each.file.path)} --line {each.line.line.number} --keep"
            out.print("  If it stays:", style="dim")
            out.print(CommandLine(stays, indent=2))
