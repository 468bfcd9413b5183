"""How large a file that agents read may grow: our least useful lines make room, a person's lines never do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.loop.apply.managed import managed_in, without_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHARACTERS_A_TOKEN = 4
_BUDGETS = {
    "AGENTS.md": (200, 20_000),
    "CLAUDE.md": (200, 25_000),
    "CLAUDE.local.md": (200, 25_000),
    "SOUL.md": (200, 12_000),
    "TOOLS.md": (200, 12_000),
    "USER.md": (200, 12_000),
    "MEMORY.md": (200, 12_000),
}
"""Lines and bytes. OpenClaw cuts a file at 12,000 to 20,000 characters, Claude Code reads 200 lines or 25 KB."""
_USUAL = 300, 25_000


class Budget(NamedTuple):
    """What a file may hold."""

    lines: int
    size: int

    def holds(self, content: bytes) -> bool:
        """Whether a content stays within it."""
        return len(content) <= self.size and content.count(b"\n") + (not content.endswith(b"\n")) <= self.lines


class Trimmed(NamedTuple):
    """A content that was brought within its budget."""

    content: bytes
    archived: tuple[str, ...]
    """The ids of our lines that were taken out, the least useful first."""


def budget_of(name: str) -> Budget:
    """What a file of that name may hold."""
    return Budget(*_BUDGETS.get(name, _USUAL))


def trimmed(
    content: bytes, budget: Budget, ours: Mapping[str, str], worth: Mapping[str, float], *, keep: str
) -> Trimmed | None:
    """The content with as many of our lines taken out as must be, the least useful first; `keep` stays.

    `ours` is what we wrote, by id: a line that says something else is the person's now, and stays. None where that does
    not help: then nothing may be written, and a person has to be asked.
    """
    may_go = [each.id for each in managed_in(content) if each.id != keep and ours.get(each.id) == each.text]
    archived: list[str] = []
    for id_ in sorted(may_go, key=lambda id_: (worth.get(id_, 0.0), id_)):
        if budget.holds(content):
            break
        content = without_line(content, id_)
        archived.append(id_)
    return Trimmed(content, tuple(archived)) if budget.holds(content) else None


def tokens(content: bytes) -> int:
    """About what a file costs in every session that reads it."""
    return -(-len(content.decode("utf-8", "replace")) // _CHARACTERS_A_TOKEN)
