"""What `wisen review` shows and asks about one proposal: the conversation it comes from, and other words for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen.surfaces.cli.render import clipped, say
from wisen.surfaces.cli.rule_editing import edited_text

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.entry import Proposal

_WIDTH = 80
_ASKED = """\
# Word what you said as one rule that says something to somebody who was not there.
# Lines that begin with # are left out. Nothing is done where no line is left.
#
"""
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


def worded_line(out: Console, proposal: Proposal, editor: str) -> str | None:
    """A rule in a person's words for what they said, which stands in their editor as a comment; None for none.

    Raises:
        UsageError: the editor cannot be run.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return edited_line(out, proposal.text)
    said = "".join(f"# {line}\n" for line in (f"“{proposal.text}”", *proposal.why.splitlines()))
    left = edited_text(f"\n{_ASKED}{said}", editor)
    worded = " ".join(" ".join(line for line in left.splitlines() if not line.startswith("#")).split())
    if not worded:
        out.print("Nothing was changed.")
    return worded or None


def warn_of_other_meaning(quote: str, wording: str) -> None:
    """Tell a person where words of theirs say something else than what was said."""
    from wisen.text.wording_check import find_mismatch

    if wrong := find_mismatch(quote, wording):
        say(f"Mind that this is not what was said: {wrong}.")


def keeps_meaning(out: Console, quote: str, wording: str) -> bool:
    """Whether words say what was said, or the person wants them all the same."""
    from wisen.text.wording_check import find_mismatch

    wrong = find_mismatch(quote, wording)
    if not wrong:
        return True
    out.print(f"That is not what you said: {wrong}.", markup=False, style="yellow")
    try:
        return out.input("Take it all the same? [y,N] ", markup=False).strip().lower()[:1] == "y"
    except EOFError:
        return False


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
