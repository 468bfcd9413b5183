"""The panels of `wisen --help`: every command once, each with one whole sentence that fits into 80 columns.

The longer help of a command is its docstring; this table is what a person sees first.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

PANELS: dict[str, dict[str, str]] = {
    "Every day": {
        "learn": "Read your agents' sessions and report what went wrong.",
        "review": "Approve or reject proposals, one at a time.",
        "status": "Show on one screen what was learnt, and whether wisen runs.",
        "recall": "Search everything that you said and did before.",
        "undo": "Undo the last decision, or an earlier one.",
    },
    "What was learnt": {
        "entries": "List every lesson, with its quotes and sessions.",
        "rules": "List and edit the rules in force.",
        "fixes": "Show what made failing calls work.",
        "blame": "Show what each line of an instruction file costs and does.",
        "explain": "Show where a lesson, rule or fix comes from.",
    },
    "Agents": {
        "install": "Let an agent call wisen while it works.",
        "uninstall": "Remove wisen from an agent's settings.",
        "agents": "List the agents whose sessions were found.",
        "guards": "Manage the checks that stop known mistakes before a call.",
        "trials": "Manage the trials that measure whether hints help.",
        "effect": "Show failures per session with and without hints.",
        "feedback": "Choose whether your agent may help to classify your messages.",
        "off": "Switch wisen off in this project.",
        "on": "Switch wisen on again in this project.",
        "mcp": "Serve an agent over MCP on standard input and output.",
        "serve": "Serve agents over MCP on this machine, and run on a schedule.",
    },
    "Under the hood": {
        "cycle": "Run the whole loop once: learn, propose, apply, prepare.",
        "proposals": "List all proposals, and answer them by number.",
        "changes": "List the changes in your files, and revert them.",
        "learned": "Show the newest lessons of this project.",
        "stats": "Count the lessons by status, kind and project.",
        "contexts": "List the projects, and which folders belong together.",
        "adopt": "Trust a project file as your own, so that wisen learns from it.",
        "brief": "Show what an agent should know before a task.",
        "note": "Add a line to today's notes of this project.",
        "memory": "Show the days of this project and its session summaries.",
        "praise": "Show your praise, and which lessons it strengthened.",
        "forget": "Forget something for good, everywhere.",
        "detect": "Show what wisen would learn from a message, and why.",
        "phrases": "Manage your own wording of feedback.",
        "languages": "List the languages that are understood, and add more.",
        "models": "Show the language models that are configured, if any.",
        "config": "Show every setting, its value and its meaning.",
        "doctor": "Check everything, and repair what is damaged.",
    },
}


class PanelGroup(TyperGroup):
    """The commands of the program, shown in panels."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # click's, which some versions of typer bring along
        """Write each panel; a command that is in none is shown last, so that none is ever hidden by mistake."""
        shown = {name for panel in PANELS.values() for name in panel}
        width = max(map(len, shown))
        others = [name for name in self.list_commands(ctx) if name not in shown]
        for title, commands in PANELS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), says) for name, says in commands.items()])
        if others:
            with formatter.section("Other commands"):
                formatter.write_dl([(name, self.commands[name].get_short_help_str()) for name in others])
