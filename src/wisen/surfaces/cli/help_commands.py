"""`wisen help`: the help of a command, group or short form, or the explanation of a concept."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer


def show_help(
    context: typer.Context,
    topic: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="TOPIC...", help="A command, like `guards add`, or a concept, like `guard`."),
    ] = None,
) -> None:
    """Explain a command or a concept; without a topic, list the topics."""
    words = tuple(topic or ())
    program: Any = context.find_root().command
    if not words:
        print(list_topics())
        return
    concept, command = explain_concept(" ".join(words)), _find_command(program, words)
    if not concept and command is None:
        raise typer.BadParameter(_unknown_topic(program, words), param_hint="TOPIC")
    if concept:
        print(concept, end="\n\n" if command else "\n")
    if command is not None:
        with command.make_context(" ".join(words), [], parent=context.find_root(), resilient_parsing=True) as found:
            print(command.get_help(found))


def list_topics() -> str:
    """Return every topic: the commands by panel, their short forms, and the concepts."""
    from wisen.surfaces.cli.command_table import COMMANDS, PANELS
    from wisen.surfaces.cli.help_topics import CONCEPTS

    parts = ["wisen help TOPIC explains a command, or a concept. The commands:\n"]
    for panel in PANELS:
        names = ", ".join(each.name for each in COMMANDS if each.panel == panel)
        parts.append(_wrap(f"{panel}: {names}", "  "))
    parts.append("\nThe concepts:\n")
    parts.append(_wrap(", ".join(CONCEPTS), ""))
    parts.append("\nA command of a group, too: wisen help guards add")
    return "\n".join(parts)


def explain_concept(name: str) -> str:
    """Return the explanation of a concept, by its name in the singular; empty where there is none."""
    from wisen.surfaces.cli.help_topics import CONCEPTS

    text = " ".join(CONCEPTS.get(name, "").split())
    sentences, _, commands = text.partition(" See: ")
    return f"{_wrap(f'{name}: {sentences}', '')}\n  See: {commands}" if text else ""


def _find_command(program: Any, words: tuple[str, ...]) -> Any | None:
    found = program
    for word in words:
        found = getattr(found, "commands", {}).get(word)
    return found


def _unknown_topic(program: Any, words: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    from wisen.surfaces.cli.help_topics import CONCEPTS

    visible = {name: each for name, each in program.commands.items() if not each.hidden}
    of_groups = (f"{name} {sub}" for name, each in visible.items() for sub in getattr(each, "commands", {}))
    near = get_close_matches(" ".join(words), [*CONCEPTS, *visible, *of_groups], n=3)
    advice = f"Did you mean {', '.join(map(repr, near))}?" if near else "The topics: wisen help"
    return f"there is no topic {' '.join(words)!r}. {advice}"


def _wrap(text: str, hanging: str) -> str:
    import shutil
    import textwrap

    width = min(shutil.get_terminal_size().columns, 80)
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent=f"  {hanging}", break_on_hyphens=False)
