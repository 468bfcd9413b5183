"""Determines who wrote the user messages of a Codex rollout, by its structure, and extracts what was typed.

Codex records sub-agents' prompts, instructions, environments, hook context and summaries as user messages, and in a
sub-agent's file even with the marks of a user. The thread's source, the turn's trigger and the kinds of a message's
parts distinguish them; wording plays no role here, except for the frames of old rollouts without such marks.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from wisen.agents.codex.records import parts_of, value_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.agents.codex.records import Attribution, Event, Item, Meta, ResponseItem


class CodexSpeaker(StrEnum):
    """Who wrote the user messages."""

    USER = "user"
    PROGRAM = "program"
    NOBODY = "nobody"
    """A sub-agent's thread, or one whose origin is not recorded."""


_INTERACTIVE = ("cli", "vscode", "atlas", "chatgpt")
"""The sources that Codex itself counts as interactive; its terminal writes `vscode`, too."""
_TYPED = "user.text"
_MACHINE_FRAME = lazy_regex(
    r"\s*(?:<(?:user_instructions|environment_context|turn_aborted|user_shell_command|user_action|skill|INSTRUCTIONS"
    r"|permissions instructions|model_switch|subagent_notification|hook_prompt|collaboration_mode)\b"
    r"|# AGENTS\.md instructions\b)"
)
_APP_CONTEXT = lazy_regex(
    r"\s*(?:# (?:Context from my IDE setup|Files mentioned by the user|Applications mentioned by the user):"
    r"|<in-app-browser-context\b)"
)
"""How a message begins before which an editor or the app wrote what is open, selected or attached."""
_REQUEST = lazy_regex(r"^## My request(?: for Codex)?:", re.MULTILINE)


def speaker_of_thread(meta: Meta) -> CodexSpeaker:
    """Return who writes in a thread, unless a turn says otherwise."""
    source = value_of(meta.source)
    if isinstance(source, dict):
        source = source.get("custom", CodexSpeaker.NOBODY)
    if source == CodexSpeaker.NOBODY or (meta.thread_source or "user") != "user" or meta.parent_thread_id:
        return CodexSpeaker.NOBODY
    if source is None:
        source = "exec" if "exec" in (meta.originator or "") else "cli"
    return CodexSpeaker.USER if source in _INTERACTIVE else CodexSpeaker.PROGRAM


def speaker_of_turn(thread: CodexSpeaker, turn: Attribution | None) -> CodexSpeaker:
    """Return who began a turn: a person can resume a thread that a program began, and vice versa."""
    if thread is CodexSpeaker.NOBODY or turn is None:
        return thread
    if turn.parent_turn_id:
        return CodexSpeaker.NOBODY
    if turn.turn_trigger is None:
        return thread
    return CodexSpeaker.USER if turn.turn_trigger == "user" else CodexSpeaker.PROGRAM


def session_id_of(meta: Meta, speaker: CodexSpeaker) -> str:
    """Return the session id; a sub-agent's is prefixed with its parent's."""
    thread_id = meta.id or meta.session_id or ""
    parent = meta.session_id if meta.session_id != thread_id else None
    parent = parent or meta.parent_thread_id or _parent_in_source(value_of(meta.source))
    return f"{parent}/{thread_id}" if speaker is CodexSpeaker.NOBODY and parent and thread_id else thread_id


def text_of_item(item: ResponseItem) -> str | None:
    """Return what the user typed in a message to the model, by the kinds of its parts; None without kinds."""
    marks = item.internal_chat_message_metadata_passthrough
    kinds = marks.content_item_kinds if marks else None
    if item.role != "user" or not kinds:
        return None
    parts = parts_of(item.content)
    if len(parts) != len(kinds):
        return None
    return strip_frames("".join(text for text, kind in zip(parts, kinds, strict=True) if kind == _TYPED))


def text_of_unwrapped(item: ResponseItem) -> str | None:
    """Return what the user typed in a message of the oldest rollouts, which have no kinds, only frames."""
    return strip_frames("\n".join(parts_of(item.content))) if item.role == "user" else None


def text_of_event(event: Event) -> str | None:
    """Return what the user typed, from the separate event of older versions."""
    message = value_of(event.message)
    if not isinstance(message, str) or value_of(event.kind) not in (None, "plain"):
        return None
    return strip_frames(message)


def text_of_turn_item(item: Item) -> str | None:
    """Return what the user typed, from the item of newer versions."""
    return strip_frames("".join(parts_of(item.content)))


def strip_frames(text: str) -> str | None:
    """Return the typed part of a text; None if a frame shows that the user did not type it."""
    if _MACHINE_FRAME.match(text):
        return None
    if _APP_CONTEXT.match(text):
        # After the last such heading: what is selected or open in the editor may contain one of its own.
        text = _REQUEST.split(text)[-1] if _REQUEST.search(text) else ""
    return text.strip() or None


def _parent_in_source(source: object) -> str | None:
    while isinstance(source, dict):
        parent = source.get("parent_thread_id")
        if isinstance(parent, str):
            return parent
        source = next((value for value in source.values() if isinstance(value, dict)), None)
    return None
