"""Who speaks in a rollout, told by its structure: the user, a program, or nobody.

Codex writes sub-agents' prompts, instructions, environments, hooks' context and summaries in the user's place, and in
a sub-agent's file even with the marks of a user. The thread's source, the turn's trigger and the kinds of a message's
parts tell them apart; nothing here looks at what a text says, except for the frames of rollouts that had no marks.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from wisen.agents.codex.records import parts_of, value_of

if TYPE_CHECKING:
    from wisen.agents.codex.records import Attribution, Event, Item, Meta, ResponseItem


class Speaker(StrEnum):
    """Whose words stand in the user's place."""

    USER = "user"
    PROGRAM = "program"
    NOBODY = "nobody"
    """A sub-agent's thread, or one of which the log does not tell."""


_INTERACTIVE = ("cli", "vscode", "atlas", "chatgpt")
"""The sources that Codex itself counts as a person at work; its terminal, too, writes `vscode`."""
_TYPED = "user.text"
_MACHINE = re.compile(
    r"\s*(?:<(?:user_instructions|environment_context|turn_aborted|user_shell_command|user_action|skill|INSTRUCTIONS"
    r"|permissions instructions|model_switch|subagent_notification|hook_prompt|collaboration_mode)\b"
    r"|# AGENTS\.md instructions\b)"
)
_IDE_CONTEXT = re.compile(r"\s*# Context from my IDE setup:")
_REQUEST = "## My request for Codex:"


def speaker_of_thread(meta: Meta) -> Speaker:
    """Who speaks in a thread, unless a turn says otherwise."""
    source = value_of(meta.source)
    if isinstance(source, dict):
        source = source.get("custom", Speaker.NOBODY)
    if source == Speaker.NOBODY or (meta.thread_source or "user") != "user" or meta.parent_thread_id:
        return Speaker.NOBODY
    if source is None:
        source = "exec" if "exec" in (meta.originator or "") else "cli"
    return Speaker.USER if source in _INTERACTIVE else Speaker.PROGRAM


def speaker_of_turn(thread: Speaker, turn: Attribution | None) -> Speaker:
    """Who began a turn: a thread begun by a program can be taken up by a person, and the other way round."""
    if thread is Speaker.NOBODY or turn is None:
        return thread
    if turn.parent_turn_id:
        return Speaker.NOBODY
    if turn.turn_trigger is None:
        return thread
    return Speaker.USER if turn.turn_trigger == "user" else Speaker.PROGRAM


def session_id_of(meta: Meta, speaker: Speaker) -> str:
    """The session's id; a sub-agent's stands behind its parent's."""
    own = meta.id or meta.session_id or ""
    parent = meta.session_id if meta.session_id != own else None
    parent = parent or meta.parent_thread_id or _spawned_by(value_of(meta.source))
    return f"{parent}/{own}" if speaker is Speaker.NOBODY and parent and own else own


def text_of_item(item: ResponseItem) -> str | None:
    """What the user typed in a message to the model, by the kinds of its parts; None without such kinds."""
    marks = item.internal_chat_message_metadata_passthrough
    kinds = marks.content_item_kinds if marks else None
    if item.role != "user" or not kinds:
        return None
    parts = parts_of(item.content)
    if len(parts) != len(kinds):
        return None
    return strip_frames("".join(text for text, kind in zip(parts, kinds, strict=True) if kind == _TYPED))


def text_of_unwrapped(item: ResponseItem) -> str | None:
    """What the user typed in a message of the oldest rollouts, which had no marks, only frames."""
    return strip_frames("\n".join(parts_of(item.content))) if item.role == "user" else None


def text_of_event(event: Event) -> str | None:
    """What the user typed, as the older versions tell it in an event of its own."""
    message = value_of(event.message)
    if not isinstance(message, str) or value_of(event.kind) not in (None, "plain"):
        return None
    return strip_frames(message)


def text_of_turn_item(item: Item) -> str | None:
    """What the user typed, as the newer versions tell it."""
    return strip_frames("".join(parts_of(item.content)))


def strip_frames(text: str) -> str | None:
    """The typed part of a text; None when it is framed as somebody else's."""
    if _MACHINE.match(text):
        return None
    if _IDE_CONTEXT.match(text):
        text = text.partition(_REQUEST)[2]
    return text.strip() or None


def _spawned_by(source: object) -> str | None:
    while isinstance(source, dict):
        parent = source.get("parent_thread_id")
        if isinstance(parent, str):
            return parent
        source = next((value for value in source.values() if isinstance(value, dict)), None)
    return None
