"""The scripted model answers by what it is asked, not by how often."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.agents.scripted_model import Asked, Turn, Use, serving, step

pytestmark = pytest.mark.requirement("F1")

SCRIPT = {
    "build": [
        Turn(uses=(Use("sh", {"cmd": "make"}), Use("patch", "*** x"))),
        Turn(uses=(Use("sh", {}),)),
        Turn("built"),
    ],
    "stop": [Turn("stopped")],
}


@pytest.mark.parametrize(
    ("texts", "turn"),
    [
        (("please build",), SCRIPT["build"][0]),
        (("please build", None, None), SCRIPT["build"][1]),
        (("please build", None, None, None), SCRIPT["build"][2]),
        (("please build", None, None, None, "now stop"), SCRIPT["stop"][0]),
        (("build", "what is the title?"), SCRIPT["build"][0]),
    ],
)
def test_the_step_follows_from_the_newest_known_prompt_and_the_results_behind_it(
    texts: tuple[str | None, ...], turn: Turn
) -> None:
    assert step(SCRIPT, Asked(texts)) == turn


def test_it_speaks_the_responses_format() -> None:
    content = [{"type": "input_text", "text": "build"}]
    with serving(SCRIPT) as model:
        first = ask(f"{model.address}/v1/responses", {"input": [{"role": "user", "content": content}]})
        again = ask(f"{model.address}/v1/responses", {"input": [{"role": "user", "content": "stop"}]})
        with pytest.raises(urllib.error.HTTPError):
            ask(f"{model.address}/v1/other", {})
    items = [event["item"] for event in first if event["type"] == "response.output_item.done"]
    assert [(item["type"], item["name"]) for item in items] == [("function_call", "sh"), ("custom_tool_call", "patch")]
    assert [event["type"] for event in again] == [
        "response.created",
        "response.output_item.done",
        "response.completed",
    ]
    assert again[1]["item"]["content"][0]["text"] == "stopped"


def test_it_speaks_the_messages_format() -> None:
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
    messages = [{"role": "user", "content": "build"}, {"role": "system", "content": "stop"}]
    with serving({"build": SCRIPT["build"][1:]}) as model:
        body = {"messages": messages, "stream": True, "tools": [{"name": "sh"}]}
        first = ask(f"{model.address}/v1/messages?beta=true", body)
        last = ask(
            f"{model.address}/v1/messages", {**body, "messages": [*messages, {"role": "user", "content": [result]}]}
        )
    assert [event["type"] for event in first] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert first[1]["content_block"]["name"] == "sh"
    assert first[2]["delta"] == {"type": "input_json_delta", "partial_json": "{}"}
    assert first[4]["delta"]["stop_reason"] == "tool_use"
    assert last[2]["delta"] == {"type": "text_delta", "text": "built"}
    assert last[4]["delta"]["stop_reason"] == "end_turn"


def test_it_speaks_the_chat_format() -> None:
    asked = {"messages": [{"role": "user", "content": "build"}], "tools": [{"type": "function"}]}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    with serving({"build": SCRIPT["build"][1:]}) as model:
        address = f"{model.address}/v1/chat/completions"
        first = ask(address, {**asked, "stream": True})
        last = ask_whole(address, {**asked, "messages": [*asked["messages"], result]})
    choices = [piece["choices"][0] for piece in first if piece["choices"]]
    (call,) = choices[0]["delta"]["tool_calls"]
    assert (call["index"], call["function"]) == (0, {"name": "sh", "arguments": "{}"})
    assert [choice["finish_reason"] for choice in choices] == [None, "tool_calls"]
    assert first[-1]["usage"]["total_tokens"] == 15
    assert last["choices"][0]["message"] == {"role": "assistant", "content": "built"}
    assert last["choices"][0]["finish_reason"] == "stop"


def test_it_speaks_the_format_of_gemini() -> None:
    message = {"role": "user", "parts": [{"text": "build"}]}
    done = {"role": "user", "parts": [{"functionResponse": {"name": "sh", "response": {}}}]}
    tools = [{"functionDeclarations": [{"name": "sh"}]}]
    with serving({"build": SCRIPT["build"][1:]}) as model:
        address = f"{model.address}/v1beta/models/scripted-1"
        (first,) = ask(f"{address}:streamGenerateContent?alt=sse", {"contents": [message], "tools": tools})
        last = ask_whole(f"{address}:generateContent", {"contents": [message, done], "tools": tools})
        count = ask_whole(f"{address}:countTokens", {"contents": [message]})
    (call,) = first["candidates"][0]["content"]["parts"]
    assert (call["functionCall"]["name"], call["functionCall"]["args"]) == ("sh", {})
    assert last["candidates"][0]["content"]["parts"] == [{"text": "built"}]
    assert count == {"totalTokens": 10}


def test_a_question_beside_the_work_is_answered_whole_and_without_calls() -> None:
    question = {"messages": [{"role": "user", "content": [{"type": "text", "text": "a title for: build"}]}]}
    with serving(SCRIPT) as model:
        answer = ask_whole(f"{model.address}/v1/messages", question)
        count = ask_whole(f"{model.address}/v1/messages/count_tokens", question)
    assert (answer["stop_reason"], [block["type"] for block in answer["content"]]) == ("end_turn", ["text"])
    assert count == {"input_tokens": 10}


def ask_whole(address: str, body: object) -> Any:
    """An answer in one piece."""
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


def ask(address: str, body: object) -> list[Any]:
    """The events of a streamed answer."""
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
