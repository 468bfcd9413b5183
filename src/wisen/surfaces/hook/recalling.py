"""What a prompt recalls from the index, read-only. Nothing yet: memories are not kept so far."""

from __future__ import annotations


def recall_lines(home: str, context: str, prompt: str) -> list[tuple[str, str]]:
    """Lines that matter to a prompt, each with its id, the most relevant first."""
    del home, context, prompt
    return []
