"""`wisen completion`: prints the shell completion script of typer, which asks `wisen` itself for completions."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

_VARIABLE = "_WISEN_COMPLETE"
"""Set by the script when the shell asks for completions; typer derives the name from the program's."""


class CompletionShell(StrEnum):
    """A shell that there is a completion script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[CompletionShell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print a script that completes wisen's commands and options in your shell.

    \b
    bash, a line in ~/.bashrc:           eval "$(wisen completion bash)"
    zsh, in ~/.zshrc after compinit:     eval "$(wisen completion zsh)"
    fish, once:  wisen completion fish > ~/.config/fish/completions/wisen.fish
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    print(get_completion_script(prog_name="wisen", complete_var=_VARIABLE, shell=shell.value))


def prepare_completion() -> bool:
    """If a shell asks for completions, make typer answer in the format of its own scripts; return whether one does."""
    if not os.environ.get(_VARIABLE):  # noqa: TID251 - typer reads the same variable
        return False
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
    return True
