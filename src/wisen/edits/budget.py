"""Size budgets of the files that agents read: our least useful lines make room, a user's lines never do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.managed_lines import managed_lines, remove_line, render_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.change import LineEdit

_BUDGETS = {
    "AGENTS.md": (200, 20_000),
    "CLAUDE.md": (200, 25_000),
    "CLAUDE.local.md": (200, 25_000),
    "SOUL.md": (200, 12_000),
    "TOOLS.md": (200, 12_000),
    "USER.md": (200, 12_000),
    "MEMORY.md": (200, 12_000),
}
"""Lines and bytes. OpenClaw cuts a file at 12,000 to 20,000 characters, Codex at 32 KiB. Claude Code reads CLAUDE.md
completely, and recommends fewer than 200 lines: a longer one is followed less, and the user decides whether it may
grow."""
_DEFAULT = 300, 25_000


class Budget(NamedTuple):
    """The maximum size of a file."""

    lines: int
    size: int

    def fits(self, content: bytes) -> bool:
        """Whether a content is within the budget."""
        return len(content) <= self.size and content.count(b"\n") + (not content.endswith(b"\n")) <= self.lines


SECTION_BUDGET = Budget(60, 6_000)
"""The budget of our lines below one heading; the user's own lines there do not count."""


class TrimmedContent(NamedTuple):
    """A content that was trimmed to its budget."""

    content: bytes
    archived: tuple[str, ...]
    """The ids of our lines that were removed, least useful first."""


def describe_size(path: str | Path, content: bytes) -> str:
    """Describe to the user that a file is longer than its budget."""
    budget, size = budget_of(Path(path).name), len(content)
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    excess = f"{lines} lines" if lines > budget.lines else f"{size / 1000:.0f} kB"
    return (
        f"{path} has {excess}, and what agents read is best kept to {budget.lines} lines "
        f"and {budget.size / 1000:.0f} kB."
    )


def budget_of(name: str) -> Budget:
    """Return the budget of a file by its name."""
    return Budget(*_BUDGETS.get(name, _DEFAULT))


def trim_to_budget(
    content: bytes, budget: Budget, ours: Iterable[LineEdit], worth: Mapping[str, float], *, keep: LineEdit
) -> TrimmedContent | None:
    """Remove as many of our lines as necessary, least useful first; `keep` stays.

    `ours` is what we wrote: a line that says something else is the user's now, and stays. None if that is not enough:
    then nothing may be written, and the user has to be asked.
    """
    by_id = {line.id: line for line in ours} | {keep.id: keep}
    present = [
        by_id[each.id] for each in managed_lines(content) if each.id in by_id and by_id[each.id].text == each.text
    ]
    present.sort(key=lambda line: (worth.get(line.id, 0.0), line.id))
    archived: list[str] = []
    for line in present:
        is_full = not budget.fits(content)
        section = [each for each in present if each.heading == keep.heading and each.id not in archived]
        is_crowded = not SECTION_BUDGET.fits(b"\n".join(render_line(each.text, each.id) for each in section))
        if line is keep or not (is_full or (is_crowded and line in section)):
            continue
        content = remove_line(content, line.id)
        archived.append(line.id)
    return TrimmedContent(content, tuple(archived)) if budget.fits(content) else None
