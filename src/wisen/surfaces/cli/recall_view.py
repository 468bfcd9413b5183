"""`wisen recall` and `wisen brief`: search results with their sources, and briefings for a task."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from wisen import app
from wisen.errors import UsageError
from wisen.model.memory import MemoryKind
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import clip, console, plural, print_json, say
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.memory import Memory, MemoryGroup, RecallResult

_WIDE = 230
_ALSO = 2
"""How many other memories of the same session are shown."""
_LESSON = "lesson"
"""What the command line calls an entry."""
_WORD = lazy_regex(r"\w{3,}")


def show_recall(
    question: str, *, scope: str, days: float | None, kinds: Sequence[str], around: int, limit: int, as_json: bool
) -> int:
    """Search the memories, and print the results."""
    if scope not in ("here", "all"):
        raise UsageError(f"--scope {scope} is unknown. Give here or all.")
    if around < 0:
        raise UsageError(f"--around {around} is negative. Give 0 or more.")
    chosen = tuple(map(_parse_kind, kinds))
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learned yet. Start with: wisen learn")
        return NOTHING
    with wires.open_for_queries() as learner:
        found = learner.memory.recall(
            question, Path.cwd(), everywhere=scope == "all", days=days, kinds=chosen, limit=limit
        )
        if as_json:
            print_json(_result_fields(found, learner, around))
        else:
            _print_result(found, learner, question, console(), around=around, scope=scope)
    return 0


def show_brief(prompt: str, *, budget: int, as_json: bool) -> int:
    """Show what an agent should know before a task."""
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learned yet. Start with: wisen learn")
        return NOTHING
    with wires.open_for_queries() as learner:
        made = learner.memory.brief(prompt, Path.cwd(), budget=budget)
    if as_json:
        print_json(
            {
                "text": made.text,
                "tokens": made.tokens,
                "left_out": made.left_out,
                "memories": memory_fields(made.memories),
            }
        )
        return 0
    say(made.text or "Nothing that was learned here is relevant to this task.")
    if made.left_out:
        say(f"({plural(made.left_out, 'more')} left out to stay within {budget} tokens; --budget raises the limit.)")
    return 0


def memory_fields(memories: Iterable[Memory]) -> list[dict[str, object]]:
    """Return memories as JSON fields."""
    return [memory._asdict() for memory in memories]


def _parse_kind(name: str) -> MemoryKind:
    try:
        return MemoryKind.ENTRY if name == _LESSON else MemoryKind(name)
    except ValueError:
        known = ", ".join(map(_kind_label, MemoryKind))
        raise UsageError(f"--kind {name} is unknown. Give one of: {known}.") from None


def _kind_label(kind: MemoryKind) -> str:
    return _LESSON if kind is MemoryKind.ENTRY else kind.value


def _result_fields(found: RecallResult, learner: Learner, around: int) -> dict[str, object]:
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
                **({"around": memory_fields(learner.memory.neighbors(group.best, around))} if around else {}),
            }
            for group in found.groups
        ],
    }


def _print_result(
    found: RecallResult, learner: Learner, question: str, out: Console, *, around: int, scope: str
) -> None:
    if not found.groups:
        looked = (
            "anywhere"
            if scope == "all"
            else "in this project or in what applies everywhere. --scope all searches every project"
        )
        say(f"Nothing found {looked}. {found.total:,} memories are kept.")
        return
    numbers = {group.key: number for number, group in enumerate(found.groups, start=1)}
    for number, group in enumerate(found.groups, start=1):
        best = group.best
        head = Text(f"{number:2}. ", style="bold")
        head.append(_citation(best, found), style="bold")
        if group.replaced_by:
            head.append(f"   replaced by {numbers.get(group.replaced_by, 'a newer one')}", style="yellow")
        out.print(head)
        out.print(_highlight(_excerpt(best.text, question), question, indent="    "))
        for also in _more_memories(group, question):
            line = f"      turn {also.turn}: {clip(_excerpt(also.text, question), 130)}"
            out.print(Text(line, style="dim"))
        if around:
            for each in learner.memory.neighbors(best, around):
                sign = ">" if each.id == best.id else " "
                out.print(Text(f"    {sign} turn {each.turn}: {clip(each.text, 160)}", style="dim"))
    if found.more:
        out.print(Text(f"… and {found.more} more; --limit shows them.", style="dim"))


def _more_memories(group: MemoryGroup, question: str) -> list[Memory]:
    """Return other memories of the session that match the query itself, each text once."""
    begins = [word[:5] for word in _WORD.findall(question.casefold())]
    seen = {group.best.text: None}
    found = []
    for each in group.memories[1:]:
        text = each.memory.text
        if text not in seen and any(begin in text.casefold() for begin in begins):
            seen[text] = None
            found.append(each.memory)
    return found[:_ALSO]


def _citation(memory: Memory, found: RecallResult) -> str:
    """Return the source of a memory: agent, session, turn and date, or the name of a lesson."""
    day = f"{memory.at:%Y-%m-%d}" if memory.at is not None else ""
    project = found.contexts[memory.context] if memory.context not in ("", found.here) else ""
    if memory.session:
        name = f"{memory.agent} · session {memory.session[:8]} · turn {memory.turn}"
    else:
        name = f"{_kind_label(memory.kind)} {memory.place}"
        if memory.kind is MemoryKind.IMPORTED:
            name = f"{memory.agent}'s own notes, not checked · {memory.place}"
    uses = plural(memory.uses, "session") if memory.uses > 1 else ""
    done = "what was done · " if memory.kind is MemoryKind.WORKFLOW else ""
    return done + " · ".join(filter(None, (name, day, uses, "everywhere" if not memory.context else project)))


def _excerpt(text: str, question: str) -> str:
    """Return the part of a text around the first word of the query."""
    one = " ".join(text.split())
    if len(one) <= _WIDE:
        return one
    places = [at for word in _WORD.findall(question.casefold()) if (at := one.casefold().find(word[:5])) >= 0]
    start = max(0, min(places, default=0) - _WIDE // 4)
    begin = one.find(" ", start) + 1 if start else 0
    return ("… " if begin else "") + clip(one[begin:], _WIDE)


def _highlight(text: str, question: str, *, indent: str) -> Text:
    marked = Text(f"{indent}{text}")
    for word in _WORD.findall(question):
        marked.highlight_regex(rf"(?i)\b{re.escape(word[: max(4, len(word) - 2)])}\w*", "bold cyan")
    return marked
