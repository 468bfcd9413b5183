"""The click group of the whole program: shows its commands in panels, and adds the short forms of the command table."""

from __future__ import annotations

from copy import copy
from difflib import get_close_matches
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
            if group not in self.commands:  # a narrowed program
                continue
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

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; suggest visible names only, and --path where a path was given as an argument."""
        name, *rest = args
        command = self.get_command(ctx, name)
        if command is None and not name.startswith("-") and not ctx.resilient_parsing:
            visible = [each for each, found in self.commands.items() if not found.hidden]
            suggestions = ", ".join(map(repr, get_close_matches(name, visible)))
            ctx.fail(f"No such command {name!r}.{f' Did you mean {suggestions}?' if suggestions else ''}")
        if command is not None and rest and not rest[0].startswith("-") and _takes_only_a_path_option(command):
            ctx.fail(f"wisen {name} takes no argument. Use: wisen {name} --path {rest[0]}")
        return super().resolve_command(ctx, args)

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


def _takes_only_a_path_option(command: Any) -> bool:
    """Return whether a command takes a path, but as an option, and no arguments."""
    is_group = hasattr(command, "commands")
    has_arguments = any(each.param_type_name == "argument" for each in command.params)
    return not is_group and not has_arguments and any("--path" in each.opts for each in command.params)
