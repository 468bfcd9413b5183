"""`wisen recall` and `wisen brief`: what was found, each with where it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from wisen import app
from wisen.errors import UsageError
from wisen.model.memory import MemoryKind
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import clipped, console, plural, print_json, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.memory import Memory, MemoryGroup, RecallResult

_WIDE = 230
_ALSO = 2
"""How many more memories of a session are shown."""
_WORD = re.compile(r"\w{3,}")


def run(
    question: str, *, scope: str, days: float | None, kinds: Sequence[str], around: int, limit: int, as_json: bool
) -> int:
    """Answer a question."""
    if scope not in ("here", "all"):
        raise UsageError(f"--scope {scope} is not known. Give here or all.")
    if around < 0:
        raise UsageError(f"--around {around} is not a number of turns. Give 0 or more.")
    chosen = tuple(map(_kind, kinds))
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learnt yet. Start with: wisen learn")
        return NOTHING
    with wires.open_for_queries() as learner:
        found = learner.memory.recall(
            question, Path.cwd(), everywhere=scope == "all", days=days, kinds=chosen, limit=limit
        )
        if as_json:
            print_json(_plain(found, learner, around))
        else:
            _show(found, learner, question, console(), around=around, scope=scope)
    return 0


def brief(prompt: str, *, budget: int, as_json: bool) -> int:
    """Show what a task needs to know."""
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learnt yet. Start with: wisen learn")
        return NOTHING
    with wires.open_for_queries() as learner:
        made = learner.memory.brief(prompt, Path.cwd(), budget=budget)
    if as_json:
        print_json(
            {"text": made.text, "tokens": made.tokens, "left_out": made.left_out, "memories": map_all(made.memories)}
        )
        return 0
    say(made.text or "Nothing that was learnt here matters to this task.")
    if made.left_out:
        say(f"({plural(made.left_out, 'more')} would cost more than {budget} tokens; --budget raises it.)")
    return 0


def map_all(memories: Iterable[Memory]) -> list[dict[str, object]]:
    """Memories as they are printed in JSON."""
    return [memory._asdict() for memory in memories]


def _kind(name: str) -> MemoryKind:
    try:
        return MemoryKind(name)
    except ValueError:
        known = ", ".join(kind.value for kind in MemoryKind)
        raise UsageError(f"--kind {name} is not known. Give one of: {known}.") from None


def _plain(found: RecallResult, learner: Learner, around: int) -> dict[str, object]:
    return {
        "here": found.here,
        "more": found.more,
        "memories_in_all": found.total,
        "found": [
            {
                "key": group.key,
                "score": group.score,
                "replaced_by": group.replaced_by or None,
                "context": found.contexts[group.best.context],
                "memories": [each.memory._asdict() | {"score": each.score} for each in group.memories],
                **({"around": map_all(learner.memory.neighbours(group.best, around))} if around else {}),
            }
            for group in found.groups
        ],
    }


def _show(found: RecallResult, learner: Learner, question: str, out: Console, *, around: int, scope: str) -> None:
    if not found.groups:
        looked = (
            "anywhere"
            if scope == "all"
            else "in this project or what holds everywhere. --scope all looks in every project"
        )
        say(f"Nothing found {looked}. {found.total:,} memories are kept.")
        return
    numbers = {group.key: number for number, group in enumerate(found.groups, start=1)}
    for number, group in enumerate(found.groups, start=1):
        best = group.best
        head = Text(f"{number:2}. ", style="bold")
        head.append(_cited(best, found), style="bold")
        if group.replaced_by:
            head.append(f"   replaced by {numbers.get(group.replaced_by, 'a newer one')}", style="yellow")
        out.print(head)
        out.print(_marked(_window(best.text, question), question, indent="    "))
        for also in _also(group, question):
            line = f"      turn {also.turn}: {clipped(_window(also.text, question), 130)}"
            out.print(Text(line, style="dim"))
        if around:
            for each in learner.memory.neighbours(best, around):
                sign = ">" if each.id == best.id else " "
                out.print(Text(f"    {sign} turn {each.turn}: {clipped(each.text, 160)}", style="dim"))
    if found.more:
        out.print(Text(f"… and {found.more} more; --limit shows them.", style="dim"))


def _also(group: MemoryGroup, question: str) -> list[Memory]:
    """What else was found in the session and says something about the question itself, each text once."""
    begins = [word[:5] for word in _WORD.findall(question.casefold())]
    told = {group.best.text: None}
    found = []
    for each in group.memories[1:]:
        text = each.memory.text
        if text not in told and any(begin in text.casefold() for begin in begins):
            told[text] = None
            found.append(each.memory)
    return found[:_ALSO]


def _cited(memory: Memory, found: RecallResult) -> str:
    """Agent, session, turn, date; or the name of what was learnt."""
    day = f"{memory.at:%Y-%m-%d}" if memory.at is not None else ""
    project = found.contexts[memory.context] if memory.context not in ("", found.here) else ""
    if memory.session:
        name = f"{memory.agent} · session {memory.session[:8]} · turn {memory.turn}"
    else:
        name = f"{memory.kind.value} {memory.place}"
        if memory.kind is MemoryKind.IMPORTED:
            name = f"{memory.agent}'s own notes, not checked · {memory.place}"
    uses = plural(memory.uses, "session") if memory.uses > 1 else ""
    done = "what was done · " if memory.kind is MemoryKind.WORKFLOW else ""
    return done + " · ".join(filter(None, (name, day, uses, "everywhere" if not memory.context else project)))


def _window(text: str, question: str) -> str:
    """The part of a text that answers: around the first word of the question."""
    one = " ".join(text.split())
    if len(one) <= _WIDE:
        return one
    places = [at for word in _WORD.findall(question.casefold()) if (at := one.casefold().find(word[:5])) >= 0]
    start = max(0, min(places, default=0) - _WIDE // 4)
    begin = one.find(" ", start) + 1 if start else 0
    return ("… " if begin else "") + clipped(one[begin:], _WIDE)


def _marked(text: str, question: str, *, indent: str) -> Text:
    marked = Text(f"{indent}{text}")
    for word in _WORD.findall(question):
        marked.highlight_regex(rf"(?i)\b{re.escape(word[: max(4, len(word) - 2)])}\w*", "bold cyan")
    return marked
