"""Lists the places an approved rule may go if its own file is too long or not writable: places the agent reads.

Claude Code reads CLAUDE.md whole, however long it is, and also CLAUDE.local.md and every file in `.claude/rules`; Codex
reads the first 32 KiB of AGENTS.md; OpenClaw truncates each file of its workspace. Delivered by hook, it needs no file.
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
"""Instead of a place: ask the user again."""
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


class PlaceCandidates(NamedTuple):
    """What is known about where a proposal would go."""

    agent: str
    user_file: Target | None
    """The user's file that the agent reads in every project; None if there is none, or it is the rule's own file."""
    context_file: Target
    """The context file in which wisen keeps the rule, and from which hooks deliver it."""
    has_hooks: bool
    """Whether the agent has hooks."""


def list_places(proposal: Proposal, candidates: PlaceCandidates) -> tuple[RulePlace, ...]:
    """Return every place where the rule of a proposal may go, its own file first."""
    own = Target(proposal.path, proposal.heading)
    path = Path(own.path)
    if own.path == candidates.context_file.path:
        return (RulePlace(PlaceName.HOOK, *own, "delivered by hook only, no file of yours is changed"),)
    cut = f" ({_CUTS[candidates.agent]})" if candidates.agent in _CUTS else ""
    places = [RulePlace(PlaceName.FILE, *own, f"{path.name} all the same{cut}")]
    if candidates.agent == "claude-code" and path.suffix == ".md":
        user_folder = path.parent.name == ".claude"
        if not user_folder:
            local = Target(str(path.with_name(LOCAL_FILE)), own.heading)
            places.append(RulePlace(PlaceName.LOCAL, *local, f"{LOCAL_FILE}, for you alone: keep it out of git"))
        rules = path.parent / (RULES_FILE.removeprefix(".claude/") if user_folder else RULES_FILE)
        places.append(RulePlace(PlaceName.RULES, str(rules), own.heading, f"{RULES_FILE}, which is read as well"))
    if candidates.agent == "openclaw":
        root = path.parent.parent if path.suffix == ".json" else path.parent
        places += [
            RulePlace(word, str(root / name), heading, f"{name} of the same workspace{cut}")
            for word, (name, heading) in _WORKSPACE.items()
            if name != path.name
        ]
    if candidates.user_file is not None and candidates.user_file.path != own.path:
        places.append(
            RulePlace(
                PlaceName.OWN,
                *candidates.user_file,
                f"{candidates.user_file.path}, where it holds in all your projects",
            )
        )
    if candidates.has_hooks:
        places.append(
            RulePlace(PlaceName.HOOK, *candidates.context_file, "delivered by hook only, no file of yours is changed")
        )
    return tuple(places)


def choice_value(path: str, word: PlaceName | str) -> str:
    """Encode the choice of a place for a file."""
    return f"{Path(path).name} {word}"


def choice_subject(context: str) -> str:
    """Return the ledger subject of a choice: a context, or all of them."""
    return context or _EVERYWHERE


def chosen_places(moves: Iterable[Move], context: str) -> dict[str, str]:
    """Return the places that the user chose for the files of a context, by file name. The newest choice wins."""
    found: dict[str, str] = {}
    for move in moves:
        if move.kind is MoveKind.PLACE and move.subject == choice_subject(context):
            name, _, word = move.value.rpartition(" ")
            found[name] = word
    return {name: word for name, word in found.items() if word != ASK}
