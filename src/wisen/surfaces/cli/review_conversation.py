"""`wisen review`: shows the conversation that a proposal comes from, and asks for another wording."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen.surfaces.cli.render import clip, say
from wisen.surfaces.cli.rule_editing import edit_text

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.entry import Proposal

_WIDTH = 80
_INSTRUCTIONS = """\
# Write what you said as one rule that makes sense to somebody who was not there.
# Lines that start with # are ignored. If no other line is left, nothing is done.
#
"""
_MAX_LENGTH = 400
"""The most characters that are shown of one message or call."""


def show_conversation(out: Console, learner: Learner, proposal: Proposal) -> None:
    """Show the reason for a proposal, and the messages and calls around each quote."""
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
            text = clip(" ".join(line.text.split()), _MAX_LENGTH)
            style = "bold" if line.is_quote else None
            out.print(f"{mark} {line.who}: {text}", markup=False, style=style, width=width)


def ask_wording(out: Console, text: str) -> str | None:
    """Ask for another wording of a text, prefilled with it; None if it is unchanged or empty."""
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            edited = _read_prefilled(text)
        else:
            edited = out.input("New wording: ", markup=False)
    except EOFError:
        edited = ""
    edited = " ".join(edited.split())
    if not edited or edited == text:
        out.print("Nothing was changed.")
        return None
    return edited


def ask_rule_wording(out: Console, proposal: Proposal, editor: str) -> str | None:
    """Ask in an editor for a rule, with what the user said as a comment; None if nothing was written.

    Raises:
        UsageError: the editor cannot be run.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return ask_wording(out, proposal.text)
    said = "".join(f"# {line}\n" for line in (f"“{proposal.text}”", *proposal.why.splitlines()))
    left = edit_text(f"\n{_INSTRUCTIONS}{said}", editor)
    worded = " ".join(" ".join(line for line in left.splitlines() if not line.startswith("#")).split())
    if not worded:
        out.print("Nothing was changed.")
    return worded or None


def warn_of_changed_meaning(quote: str, wording: str) -> None:
    """Warn the user if a new wording differs in meaning from what was said."""
    from wisen.text.wording_check import find_mismatch

    if wrong := find_mismatch(quote, wording):
        say(f"Note that this differs from what was said: {wrong}.")


def confirm_meaning(out: Console, quote: str, wording: str) -> bool:
    """Return whether a wording keeps the meaning, or the user wants it anyway."""
    from wisen.text.wording_check import find_mismatch

    wrong = find_mismatch(quote, wording)
    if not wrong:
        return True
    out.print(f"This is not what you said: {wrong}.", markup=False, style="yellow")
    try:
        return out.input("Use it anyway? [y,N] ", markup=False).strip().lower()[:1] == "y"
    except EOFError:
        return False


def _read_prefilled(text: str) -> str:
    """Read a line from the terminal that is prefilled with a text."""
    try:
        import readline
    except ImportError:  # a Python without it
        print(text)
        return input("New wording: ")
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        return input("New wording: ")
    finally:
        readline.set_startup_hook(None)
