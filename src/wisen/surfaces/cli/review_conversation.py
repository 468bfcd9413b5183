"""What `wisen review` shows and asks about one proposal: the conversation it comes from, and other words for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen.surfaces.cli.render import clipped

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.entry import Proposal

_WIDTH = 80
_LONGEST = 400
"""How much of one turn or call is shown."""


def show_conversation(out: Console, learner: Learner, proposal: Proposal) -> None:
    """Show why something is proposed, and what was said and done before and after it was said."""
    width = min(out.width, _WIDTH)
    out.print(proposal.why, markup=False, width=width)
    for each in learner.proposals.conversations(proposal):
        out.print(
            f"\n{each.agent} {each.session[:8]}, {each.at:%Y-%m-%d %H:%M}:", markup=False, style="dim", width=width
        )
        if not each.lines:
            out.print(
                "  This session is no longer kept: its log is gone, or it was forgotten.", markup=False, width=width
            )
        for line in each.lines:
            mark = ">" if line.is_quote else " "
            told = clipped(" ".join(line.text.split()), _LONGEST)
            style = "bold" if line.is_quote else None
            out.print(f"{mark} {line.who}: {told}", markup=False, style=style, width=width)


def edited_line(out: Console, text: str) -> str | None:
    """Other words for a text, which stands there to be edited; None where they are the same, or none were given."""
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            edited = _prefilled(text)
        else:
            edited = out.input("In your words: ", markup=False)
    except EOFError:
        edited = ""
    edited = " ".join(edited.split())
    if not edited or edited == text:
        out.print("Nothing was changed.")
        return None
    return edited


def _prefilled(text: str) -> str:
    """What is left of a text that a person edits in the terminal."""
    try:
        import readline
    except ImportError:  # a Python without it
        print(text)
        return input("In your words: ")
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        return input("In your words: ")
    finally:
        readline.set_startup_hook(None)
