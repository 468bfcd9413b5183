"""Builds session histories from short text steps, and summarizes them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.feedback.signal_detection import detect_in_session
from wisen.memory.summarize import summarize_history
from wisen.mining.session_mining import mine_session
from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from wisen.model.summary import Summary

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def build_history(*acts: str, context: str = "orchard", native: str = "5e551074-aaaa", start: datetime = AT) -> History:
    """`said TEXT`, `stopped`, `refused`, `ok COMMAND`, `failed COMMAND | WHAT IT SAID`, `edit PATH`, `in CONTEXT`."""
    steps: list[Step] = []
    turns: list[Turn] = []
    for number, each in enumerate(acts):
        what, _, rest = each.partition(" ")
        at = start + timedelta(minutes=number)
        if what == "in":
            context = rest
        elif what in ("ok", "failed", "edit"):
            command, _, output = rest.partition(" | ")
            fields = {"file_path": rest, "old_string": f"{number}"} if what == "edit" else {"command": command}
            steps.append(
                Step(
                    call=f"c{number}",
                    tool="Edit" if what == "edit" else "Bash",
                    arguments=json.dumps(fields),
                    status=Status.OK if what == "edit" else Status(what),
                    text=(output or "no") if what == "failed" else None,
                    at=at,
                    ended=at,
                    context=context,
                )
            )
        else:
            text = rest if what == "said" else None
            origin = "prompt" if text else ""
            call = steps[-1].call if what == "refused" and steps else ""
            turns.append(
                Turn(
                    id=f"m{number}",
                    action=UserAction(what),
                    at=at,
                    text=text,
                    before=len(steps),
                    origin=origin,
                    context=context,
                    call=call,
                )
            )
    return History(session=1, agent="claude-code", native=native, steps=tuple(steps), turns=tuple(turns))


def summarize(history: History) -> tuple[Summary, ...]:
    """Summarize a session with everything that reads it in a cycle."""
    return summarize_history(history, replace(mine_session(history), signals=detect_in_session(history)), stands_alone)
