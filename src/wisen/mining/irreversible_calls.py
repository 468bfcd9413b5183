"""Recognizes commands that cannot be undone: a reminder before such a call comes too late, so a guard is proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.kernel.call_names import SHELL, kind_of

if TYPE_CHECKING:
    from wisen.model.directive import Trigger

_OPTIONS = {
    ("git", "push"): ("--force", "-f", "--force-with-lease", "--delete", "--mirror"),
    ("git", "reset"): ("--hard",),
    ("git", "clean"): ("-f", "-fd", "-fdx", "-xdf", "--force"),
    ("git", "branch"): ("-D",),
    ("git", "stash"): ("drop", "clear"),
}
"""The options that make a command irreversible."""
_REMOVES = ("-r", "-rf", "-fr", "-R", "-Rf", "-f", "--recursive", "--force")
_ENDINGS = frozenset("publish deploy destroy drop dropdb drop-database purge wipe teardown unpublish yank".split())
"""Subcommands with results that other people see at once, or that destroy something."""


def guard_watch(trigger: Trigger) -> str:
    """What a guard would watch for, where the call cannot be undone; empty where it can."""
    words = trigger.did.removeprefix("ran ").split()
    if kind_of(trigger.tool) != SHELL or not trigger.did.startswith("ran ") or not words:
        return ""
    program = words[0].rsplit("/", 1)[-1]
    if program == "rm":
        option = next((word for word in words[1:] if word in _REMOVES), "")
        return f"shell: rm {option}" if option else ""
    for (name, sub), options in _OPTIONS.items():
        if program == name and sub in words[1:3]:
            option = next((word for word in words if word in options), "")
            return f"shell: {name} {sub} {option}" if option else ""
    for at, word in enumerate(words[1:4], 1):
        if word in _ENDINGS and all(each[:1] != "-" and each.isascii() for each in words[:at]):
            return f"shell: {' '.join([program, *words[1 : at + 1]])}"
    return ""
