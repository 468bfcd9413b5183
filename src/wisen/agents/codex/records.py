"""Types of Codex's rollout records, with the fields that this reader uses.

A line has a type and a payload, which has a type of its own; in rollouts of early 2025 the line is the payload.
Everything is optional, and fields with several shapes stay raw until they are needed: a missing or strange field means
an older or newer version, not an error.
"""

from __future__ import annotations

import msgspec

ABSENT = msgspec.Raw(b"")
_ABSENT = (b"", b"null")


class MessageMetadata(msgspec.Struct):
    """Codex's metadata of a message: where each part of it came from."""

    content_item_kinds: list[str] | None = None


class ResponseItem(msgspec.Struct):
    """Something the model was sent or answered: a message, a call, a call's output."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    content: msgspec.Raw = ABSENT
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    arguments: msgspec.Raw = ABSENT
    input: msgspec.Raw = ABSENT
    action: msgspec.Raw = ABSENT
    output: msgspec.Raw = ABSENT
    internal_chat_message_metadata_passthrough: MessageMetadata | None = None


class Record(ResponseItem):
    """One line of a rollout."""

    timestamp: str | None = None
    payload: msgspec.Raw = ABSENT
    metadata: msgspec.Raw = ABSENT
    record_type: str | None = None


class Meta(msgspec.Struct):
    """What the first line records about the thread."""

    id: str | None = None
    session_id: str | None = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    cwd: str | None = None
    originator: str | None = None
    source: msgspec.Raw = ABSENT
    thread_source: str | None = None
    model_provider: str | None = None


class Context(msgspec.Struct):
    """The directory, the reviewer of calls, and the model of a turn."""

    cwd: str | None = None
    model: str | None = None
    approvals_reviewer: str | None = None


class Attribution(msgspec.Struct):
    """Who began a turn."""

    turn_trigger: str | None = None
    parent_turn_id: str | None = None


class Invocation(msgspec.Struct):
    """The call of an MCP tool."""

    server: str | None = None
    tool: str | None = None
    arguments: msgspec.Raw = ABSENT


class Item(Invocation):
    """A call with its outcome: an `item_completed`, or in older versions a separate event per kind of call."""

    type: str = ""
    id: str | None = None
    call_id: str | None = None
    content: msgspec.Raw = ABSENT
    command: str | list[str] | None = None
    source: str | None = None
    status: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    changes: msgspec.Raw = ABSENT
    success: bool | None = None
    error: msgspec.Raw = ABSENT
    result: msgspec.Raw = ABSENT
    invocation: Invocation | None = None
    content_items: msgspec.Raw = ABSENT


class Event(msgspec.Struct):
    """Something that happened in the client."""

    type: str = ""
    turn_id: str | None = None
    turn_attribution: Attribution | None = None
    reason: str | None = None
    message: msgspec.Raw = ABSENT
    kind: msgspec.Raw = ABSENT
    item: msgspec.Raw = ABSENT


class Part(msgspec.Struct):
    """One part of a content."""

    type: str = ""
    text: str | None = None


class TypeOnly(msgspec.Struct):
    """Only the type."""

    type: str = ""


RELEVANT_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg"})
"""Line types from which something can be learned, or that record directory and author."""
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
UNWRAPPED_TYPES = CALLS | OUTPUTS | {"message", "reasoning"}
"""Payload types that are whole lines in the oldest rollouts."""
IGNORED_TYPES = frozenset(
    "compacted world_state token_usage_record inter_agent_communication inter_agent_communication_metadata"
    " reasoning".split()
)
"""Known line types from which nothing can be learned: summaries, snapshots, bookkeeping."""
IGNORED_ITEMS = frozenset(
    "reasoning agent_message web_search_call image_generation_call compaction compaction_summary context_compaction"
    " compaction_trigger tool_search_call tool_search_output additional_tools ghost_snapshot other".split()
)
"""Response items from which nothing can be learned."""
END_EVENTS = {
    "exec_command_end": "CommandExecution",
    "mcp_tool_call_end": "McpToolCall",
    "patch_apply_end": "FileChange",
    "dynamic_tool_call_response": "DynamicToolCall",
}
"""Events of older versions, and the items that replaced them."""
BEGIN_EVENTS = {
    "exec_command_begin": "CommandExecution",
    "mcp_tool_call_begin": "McpToolCall",
    "patch_apply_begin": "FileChange",
    "dynamic_tool_call_request": "DynamicToolCall",
}
CALL_ITEMS = frozenset(END_EVENTS.values())
TURN_EVENTS = frozenset("task_started turn_started task_complete turn_complete turn_aborted".split())
IGNORED_EVENTS = frozenset(
    "token_count agent_message agent_message_delta agent_message_content_delta agent_reasoning agent_reasoning_delta"
    " agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break context_compacted"
    " entered_review_mode exited_review_mode thread_rolled_back thread_settings_applied thread_goal_updated"
    " thread_name_updated web_search_begin web_search_end image_generation_begin image_generation_end"
    " view_image_tool_call sub_agent_activity collab_agent_spawn_begin collab_agent_spawn_end"
    " collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin collab_waiting_end"
    " collab_close_begin collab_close_end collab_resume_begin collab_resume_end error stream_error warning"
    " guardian_warning guardian_assessment plan_update plan_delta turn_diff background_event undo_started"
    " undo_completed item_started exec_command_output_delta terminal_interaction exec_approval_request"
    " apply_patch_approval_request patch_apply_updated request_user_input request_permissions elicitation_request"
    " hook_started hook_completed model_reroute model_verification mcp_startup_update mcp_startup_complete"
    " session_configured shutdown_complete deprecation_notice raw_response_item reasoning_content_delta"
    " reasoning_raw_content_delta safety_buffering turn_moderation_metadata".split()
)
"""Events from which nothing can be learned."""
IGNORED_TURN_ITEMS = frozenset(
    "AgentMessage HookPrompt Plan Reasoning WebSearch ImageView Sleep ImageGeneration ContextCompaction"
    " CollabAgentToolCall SubAgentActivity".split()
)
"""Completed items from which nothing can be learned."""

record_decoder = msgspec.json.Decoder(Record)
type_of = msgspec.json.Decoder(TypeOnly).decode
decode_response_item = msgspec.json.Decoder(ResponseItem).decode
decode_meta = msgspec.json.Decoder(Meta).decode
decode_context = msgspec.json.Decoder(Context).decode
decode_item = msgspec.json.Decoder(Item).decode
decode_event = msgspec.json.Decoder(Event).decode
_decode_text = msgspec.json.Decoder(str | list[Part] | None).decode


def is_present(raw: msgspec.Raw) -> bool:
    """Whether a field is present and not null."""
    return bytes(raw) not in _ABSENT


def parts_of(raw: msgspec.Raw) -> list[str]:
    """Return the text of each part of a content, which is a string or a list. Raises: msgspec.ValidationError."""
    content = _decode_text(raw) if is_present(raw) else None
    if isinstance(content, str):
        return [content]
    return [part.text or "" for part in content or ()]


def value_of(raw: msgspec.Raw) -> object:
    """Decode a raw field; None if it is absent."""
    return msgspec.json.decode(raw) if is_present(raw) else None
