"""The wire formats of the scripted model: parses each vendor's requests and writes its responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Use:
    """A tool the model asks for."""

    tool: str
    arguments: Mapping[str, object] | str
    """A mapping is a function's arguments; a string is the input of a free-form tool."""
    namespace: str = ""


@dataclass(frozen=True)
class Turn:
    """One answer of the model: words, tool calls, or both. An answer without calls ends the agent's turn."""

    say: str = ""
    uses: tuple[Use, ...] = ()
    after: float = 0
    """Seconds the model thinks before it says anything."""


@dataclass(frozen=True)
class Asked:
    """A request, as far as the script looks at it: user messages and tool results, oldest first."""

    texts: tuple[str | None, ...]
    """The text of each user message; None for a tool result."""
    streamed: bool = True
    tools: bool = True
    """Whether the model may ask for any."""


class Wire(Protocol):
    """One wire format."""

    path: str
    """The end of the address it is asked at."""
    closing: str
    """What stands behind the last event of a stream."""

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """What a request says."""
        ...

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """The events of a streamed answer: name and data; a format without names has empty ones."""
        ...

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The same answer in one piece, for a client that does not want a stream."""
        ...


class Responses:
    """The Responses format, streamed."""

    path = "/responses"
    closing = ""

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """User messages and outputs in `input`."""
        texts: list[str | None] = []
        for item in body.get("input", ()):
            if str(item.get("type", "message")).endswith("_output"):
                texts.append(None)
            elif item.get("role") == "user":
                content = item.get("content", "")
                parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
                texts.append("\n".join(parts))
        return Asked(tuple(texts))

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """One done event an item, between a beginning and an end."""
        response: dict[str, object] = {"id": f"resp_{number:04d}"}
        yield "response.created", {"response": response}
        for index, item in enumerate(self._items(turn, number)):
            yield "response.output_item.done", {"output_index": index, "item": item}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        yield "response.completed", {"response": {**response, "usage": usage, "output": []}}

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The response with its items."""
        return {"id": f"resp_{number:04d}", "object": "response", "output": list(self._items(turn, number))}

    def _items(self, turn: Turn, number: int) -> Iterator[dict[str, object]]:
        if turn.say:
            content = [{"type": "output_text", "text": turn.say, "annotations": []}]
            yield {"type": "message", "id": f"msg_{number:04d}", "role": "assistant", "content": content}
        for index, use in enumerate(turn.uses):
            call: dict[str, object] = {"name": use.tool, "call_id": f"call_{_unique(number, index)}"}
            if use.namespace:
                call["namespace"] = use.namespace
            if isinstance(use.arguments, str):
                yield {"type": "custom_tool_call", "id": f"ctc_{number:04d}_{index}", "input": use.arguments, **call}
            else:
                arguments = json.dumps(use.arguments)
                yield {"type": "function_call", "id": f"fc_{number:04d}_{index}", "arguments": arguments, **call}


class Messages:
    """The Messages format, streamed or whole."""

    path = "/messages"
    closing = ""

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """Texts and tool results of the user's messages, in their order."""
        texts: list[str | None] = []
        for message in body.get("messages", ()):
            content = message["content"] if message.get("role") == "user" else ()
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if block["type"] == "tool_result":
                    texts.append(None)
                elif block["type"] == "text":
                    texts.append(block["text"])
        return Asked(tuple(texts), streamed=bool(body.get("stream")), tools=bool(body.get("tools")))

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Each block with a beginning, one delta and an end, within a message that has the same."""
        message = dict(self.whole(turn, number))
        end = {"stop_reason": message.pop("stop_reason"), "stop_sequence": None}
        yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
        for index, block in enumerate(self._blocks(turn, number)):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                arguments = json.dumps(block["input"])
                empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": arguments}
            yield "content_block_start", {"index": index, "content_block": empty}
            yield "content_block_delta", {"index": index, "delta": delta}
            yield "content_block_stop", {"index": index}
        yield "message_delta", {"delta": end, "usage": {"output_tokens": 5}}
        yield "message_stop", {}

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The message with its blocks."""
        return {
            "id": f"msg_{_unique(number, 0)}",
            "type": "message",
            "role": "assistant",
            "model": "scripted-1",
            "content": list(self._blocks(turn, number)),
            "stop_reason": "tool_use" if turn.uses else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def _blocks(self, turn: Turn, number: int) -> Iterator[dict[str, object]]:
        if turn.say:
            yield {"type": "text", "text": turn.say}
        for index, use in enumerate(turn.uses):
            yield {
                "type": "tool_use",
                "id": f"toolu_{_unique(number, index)}",
                "name": use.tool,
                "input": use.arguments,
            }


class TokenCount(Messages):
    """The question beside the Messages format how long a request is."""

    path = "/messages/count_tokens"

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """Always the same."""
        return {"input_tokens": 10}


_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class Chat:
    """The chat completions format, streamed or whole."""

    path = "/chat/completions"
    closing = "data: [DONE]\n\n"

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """The user's messages and the tools' results, in their order."""
        texts: list[str | None] = []
        for message in body.get("messages", ()):
            if message.get("role") == "tool":
                texts.append(None)
            elif message.get("role") == "user":
                content = message.get("content") or ""
                parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
                texts.append("\n".join(parts))
        return Asked(tuple(texts), streamed=bool(body.get("stream")), tools=bool(body.get("tools")))

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """One piece with everything, one that says why it ended, one that counts."""
        message, end = self._message(turn, number), "tool_calls" if turn.uses else "stop"
        calls = [{"index": index, **call} for index, call in enumerate(message.pop("tool_calls", ()))]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        for choices in ([{"index": 0, "delta": delta, "finish_reason": None}], self._end(end)):
            yield "", {**self._head(number, "chat.completion.chunk"), "choices": choices}
        yield "", {**self._head(number, "chat.completion.chunk"), "choices": [], "usage": _USAGE}

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The message with its calls."""
        end = "tool_calls" if turn.uses else "stop"
        choice = {"index": 0, "message": self._message(turn, number), "finish_reason": end}
        return {**self._head(number, "chat.completion"), "choices": [choice], "usage": _USAGE}

    def _head(self, number: int, kind: str) -> dict[str, object]:
        return {"id": f"chatcmpl-{number:04d}", "object": kind, "created": 1_750_000_000, "model": "scripted-1"}

    def _end(self, reason: str) -> list[dict[str, object]]:
        return [{"index": 0, "delta": {}, "finish_reason": reason}]

    def _message(self, turn: Turn, number: int) -> dict[str, Any]:
        calls = [
            {
                "id": f"call_{_unique(number, index)}",
                "type": "function",
                "function": {"name": use.tool, "arguments": json.dumps(use.arguments)},
            }
            for index, use in enumerate(turn.uses)
        ]
        return {"role": "assistant", "content": turn.say, **({"tool_calls": calls} if calls else {})}


class Contents:
    """The format of Gemini, streamed."""

    path = ":streamGenerateContent"
    closing = ""
    streamed = True

    def asked(self, body: Mapping[str, Any]) -> Asked:
        """Texts and results in the user's contents, in their order."""
        texts: list[str | None] = []
        for content in body.get("contents", ()):
            if content.get("role") == "user":
                parts = content.get("parts", ())
                texts += [None for part in parts if "functionResponse" in part]
                text = "\n".join(part["text"] for part in parts if part.get("text"))
                texts += [text] if text else []
        return Asked(tuple(texts), streamed=self.streamed, tools=bool(body.get("tools")))

    def answer(self, turn: Turn, number: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        """All of it in one event."""
        yield "", self.whole(turn, number)

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """The one candidate."""
        parts: list[dict[str, object]] = [{"text": turn.say}] if turn.say else []
        for index, use in enumerate(turn.uses):
            call = {"id": f"call_{_unique(number, index)}", "name": use.tool, "args": use.arguments}
            parts.append({"functionCall": call})
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted-1"}


class WholeContents(Contents):
    """The same in one piece."""

    path = ":generateContent"
    streamed = False


class ContentsCount(WholeContents):
    """The question beside it how long a request is."""

    path = ":countTokens"

    def whole(self, turn: Turn, number: int) -> Mapping[str, object]:
        """Always the same."""
        return {"totalTokens": 10}


WIRES: tuple[Wire, ...] = (Responses(), Messages(), TokenCount(), Chat(), Contents(), WholeContents(), ContentsCount())


def _unique(number: int, index: int) -> str:
    """An id of one call of one answer, as random as a vendor's."""
    return hashlib.blake2b(f"{number}.{index}".encode(), digest_size=12).hexdigest()
