"""The one table of top-level commands: their panel in `wisen --help`, their sentence, and what short forms stand for.

Code, `wisen --help`, `wisen help` and docs/cli.md all read this table. The longer help of a command is its docstring.
"""

from __future__ import annotations

from typing import NamedTuple

EVERY_DAY = "Every day"
LEARNT = "What was learned"
AGENTS = "Agents"
HOOD = "Under the hood"
PANELS = (EVERY_DAY, LEARNT, AGENTS, HOOD)
OLD_NAME = ""
"""No panel: a former name that still works. People type it, and stored proposals hold it as the command to run."""


class TopCommand(NamedTuple):
    """A word that may follow `wisen`."""

    name: str
    panel: str
    sentence: str
    """One whole sentence that fits into 80 columns."""
    full: tuple[str, ...] = ()
    """The command of a group that this name is short for; empty where the name is a command or group itself."""


COMMANDS = (
    TopCommand("learn", EVERY_DAY, "Read your agents' sessions and report what went wrong."),
    TopCommand("status", EVERY_DAY, "Show on one screen what was learned, and whether wisen runs."),
    TopCommand("review", EVERY_DAY, "Approve or reject proposals, one at a time.", ("proposals", "review")),
    TopCommand("recall", EVERY_DAY, "Search everything that you said and did before.", ("memory", "recall")),
    TopCommand("remember", EVERY_DAY, "Add a rule in your own words.", ("rules", "add")),
    TopCommand("undo", EVERY_DAY, "Undo the last decision, or an earlier one.", ("changes", "undo")),
    TopCommand("lessons", LEARNT, "List every lesson, with its quotes and sessions."),
    TopCommand("rules", LEARNT, "List and edit the rules in force."),
    TopCommand("fixes", LEARNT, "Show what made failing calls work."),
    TopCommand("blame", LEARNT, "Show what each line of an instruction file costs and does."),
    TopCommand("install", AGENTS, "Let an agent call wisen while it works."),
    TopCommand("uninstall", AGENTS, "Remove wisen from an agent's settings."),
    TopCommand("agents", AGENTS, "List the agents whose sessions were found."),
    TopCommand("guards", AGENTS, "Manage the checks that stop known mistakes before a call."),
    TopCommand("workflows", AGENTS, "Show what your sessions repeat, and how often it worked."),
    TopCommand("skills", AGENTS, "Manage the procedures that agents load by themselves."),
    TopCommand("trials", AGENTS, "Manage the trials that measure whether hints help."),
    TopCommand("effect", AGENTS, "Show failures per session with and without hints.", ("trials", "effect")),
    TopCommand("feedback", AGENTS, "Choose whether your agent may help to classify your messages."),
    TopCommand("off", AGENTS, "Switch wisen off in this project."),
    TopCommand("on", AGENTS, "Switch wisen on again in this project."),
    TopCommand("mcp", AGENTS, "Serve an agent over MCP on standard input and output."),
    TopCommand("serve", AGENTS, "Serve agents over MCP on this machine, and run on a schedule."),
    TopCommand("explain", HOOD, "Show where a lesson, rule, fix or guard comes from."),
    TopCommand("cycle", HOOD, "Run the whole loop once: learn, propose, apply, prepare."),
    TopCommand("proposals", HOOD, "List all proposals, and answer them by number."),
    TopCommand("changes", HOOD, "List the changes in your files, and revert them."),
    TopCommand("contexts", HOOD, "List the projects, and which folders belong together."),
    TopCommand("adopt", HOOD, "Trust a project file as your own, so that wisen learns from it.", ("contexts", "adopt")),
    TopCommand("memory", HOOD, "Show the days of this project and its session summaries."),
    TopCommand("brief", HOOD, "Show what an agent should know before a task.", ("memory", "brief")),
    TopCommand("note", HOOD, "Add a line to today's notes of this project.", ("memory", "note")),
    TopCommand("praise", HOOD, "Show your praise, and which lessons it strengthened."),
    TopCommand("forget", HOOD, "Forget something for good, everywhere."),
    TopCommand("detect", HOOD, "Show what wisen would learn from a message, and why.", ("feedback", "detect")),
    TopCommand("phrases", HOOD, "Manage your own wording of feedback."),
    TopCommand("languages", HOOD, "List the languages that are understood, and add more."),
    TopCommand("models", HOOD, "Show the language models that are configured, if any."),
    TopCommand("config", HOOD, "Show every setting, its value and its meaning."),
    TopCommand("doctor", HOOD, "Check everything, and repair what is damaged."),
    TopCommand("completion", HOOD, "Print a script that completes commands in your shell."),
    TopCommand("help", HOOD, "Explain a command or a concept, like `wisen help guard`."),
    TopCommand("entries", OLD_NAME, "List every lesson.", ("lessons",)),
    TopCommand("learned", OLD_NAME, "List the newest lessons of this project.", ("lessons", "recent")),
    TopCommand("stats", OLD_NAME, "Count the lessons by status, kind and project.", ("lessons", "stats")),
)

SHORT_FORMS = {each.name: each for each in COMMANDS if each.full}
"""The names that stand for a command of a group."""
