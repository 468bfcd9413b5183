"""Where an approved rule may go when its own file is too long or cannot be written: the places an agent reads.

Claude Code reads CLAUDE.md whole, however long it is, and beside it CLAUDE.local.md and every file in `.claude/rules`;
Codex reads the first 32 KiB of AGENTS.md; OpenClaw cuts each file of its workspace. Told by hook a rule needs no file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.targets import Target
from wisen.model.entry import MoveKind
from wisen.model.place import PlaceName, RulePlace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.entry import Move, Proposal

RULES_FILE = ".claude/rules/wisen.md"
LOCAL_FILE = "CLAUDE.local.md"


ASK = "ask"
"""Instead of a place: the user is asked again."""
_WORKSPACE = {
    PlaceName.AGENTS: Target("AGENTS.md", "Red Lines"),
    PlaceName.SOUL: Target("SOUL.md", "Boundaries"),
    PlaceName.TOOLS: Target("TOOLS.md", "Known Gotchas"),
    PlaceName.USER: Target("USER.md", "Preferences"),
    PlaceName.MEMORY: Target("MEMORY.md", "Self-Improvement Principles"),
}
_CUTS = {
    "codex": "Codex reads the first 32 KiB of it",
    "openclaw": "OpenClaw cuts what is longer than 12,000 to 20,000 characters",
}
_EVERYWHERE = "everywhere"


class Surroundings(NamedTuple):
    """What is known of where a proposal would go."""

    agent: str
    own: Target | None
    """The user's own file that the agent reads in every project; None where there is none, or it is that one."""
    book: Target
    """Where wisen itself keeps the rule, and tells it by hook from there."""
    hooks: bool
    """Whether the agent can be told by hook."""


def places_of(proposal: Proposal, around: Surroundings) -> tuple[RulePlace, ...]:
    """Every place where the rule of a proposal may go, its own file first."""
    own = Target(proposal.path, proposal.heading)
    path = Path(own.path)
    if own.path == around.book.path:
        return (RulePlace(PlaceName.HOOK, *own, "told by hook only, no file of yours is changed"),)
    cut = f" ({_CUTS[around.agent]})" if around.agent in _CUTS else ""
    found = [RulePlace(PlaceName.FILE, *own, f"{path.name} all the same{cut}")]
    if around.agent == "claude-code" and path.suffix == ".md":
        user_folder = path.parent.name == ".claude"
        if not user_folder:
            local = Target(str(path.with_name(LOCAL_FILE)), own.heading)
            found.append(RulePlace(PlaceName.LOCAL, *local, f"{LOCAL_FILE}, for you alone: keep it out of git"))
        rules = path.parent / (RULES_FILE.removeprefix(".claude/") if user_folder else RULES_FILE)
        found.append(RulePlace(PlaceName.RULES, str(rules), own.heading, f"{RULES_FILE}, which is read as well"))
    if around.agent == "openclaw":
        root = path.parent.parent if path.suffix == ".json" else path.parent
        found += [
            RulePlace(word, str(root / name), heading, f"{name} of the same workspace{cut}")
            for word, (name, heading) in _WORKSPACE.items()
            if name != path.name
        ]
    if around.own is not None and around.own.path != own.path:
        found.append(RulePlace(PlaceName.OWN, *around.own, f"{around.own.path}, where it holds in all your projects"))
    if around.hooks:
        found.append(RulePlace(PlaceName.HOOK, *around.book, "told by hook only, no file of yours is changed"))
    return tuple(found)


def choice_value(path: str, word: PlaceName | str) -> str:
    """How the choice of a place for a file is kept."""
    return f"{Path(path).name} {word}"


def choice_subject(context: str) -> str:
    """What the choice of a place is about, in the ledger: a context, or what holds in all of them."""
    return context or _EVERYWHERE


def chosen_places(moves: Iterable[Move], context: str) -> dict[str, str]:
    """What the user chose for the files of a context: a place by the name of the file. The newest word holds."""
    found: dict[str, str] = {}
    for move in moves:
        if move.kind is MoveKind.PLACE and move.subject == choice_subject(context):
            name, _, word = move.value.rpartition(" ")
            found[name] = word
    return {name: word for name, word in found.items() if word != ASK}
