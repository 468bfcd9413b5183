"""The click group of the whole program: shows its commands in panels, and adds the short forms of the command table."""

from __future__ import annotations

from copy import copy
from typing import Any

from typer.core import TyperGroup

from wisen.surfaces.cli.command_table import COMMANDS, OLD_NAME, PANELS, SHORT_FORMS


class ProgramGroup(TyperGroup):
    """The commands of the program, with short forms."""

    def __init__(self, **attributes: Any) -> None:
        """Add each short form as a copy of the command it stands for, so that help and completion know it, too."""
        super().__init__(**attributes)
        for short in SHORT_FORMS.values():
            group, *rest = short.full
            command: Any = self.commands[group]
            for name in rest:
                command = command.commands[name]
            alias = copy(command)
            alias.name, alias.hidden = short.name, short.panel == OLD_NAME
            alias.epilog = f"{'Now called' if alias.hidden else 'Short for'}: wisen {' '.join(short.full)}"
            self.commands[short.name] = alias
            if rest:
                command.short_help = short.sentence
            if rest and not alias.hidden:
                command.epilog = f"Short form: wisen {short.name}"

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # click's, which some versions of typer bring along
        """Write each panel; a command that the table does not name is shown last, so that none is hidden by mistake."""
        width = max(len(each.name) for each in COMMANDS)
        for panel in PANELS:
            with formatter.section(panel):
                formatter.write_dl(
                    [(each.name.ljust(width), each.sentence) for each in COMMANDS if each.panel == panel]
                )
        known = {each.name for each in COMMANDS}
        if others := [name for name in self.list_commands(ctx) if name not in known]:
            with formatter.section("Other commands"):
                formatter.write_dl([(name, self.commands[name].get_short_help_str()) for name in others])
