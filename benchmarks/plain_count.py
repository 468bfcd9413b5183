"""Counts events of a transcript folder independently: json.loads and a handful of ifs.

It shares nothing with the package's parser, so that the two can be compared.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

REFUSED = "The user doesn't want to proceed with this tool use."
NOT_TYPED = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<task-notification>",
    "[Request interrupted by user",
    "This session is being continued",
    "Caveat: The messages below",
    "Implement the following plan:",
)
FRAMES = ("<ide_opened_file>", "<ide_selection>", "<system-reminder>")


def count(folder: Path) -> dict[str, int]:
    """Tool errors, rejections, interrupts and typed turns in every transcript of a folder; copies count once."""
    totals: Counter[str] = Counter()
    seen: set[str] = set()
    for file in sorted(folder.glob("*.jsonl")):
        _file(list(records(file)), totals, seen)
    return dict(totals)


def records(file: Path) -> list[dict[str, Any]]:
    """Every record of a file, also where several stand on one line."""
    decoder, found = json.JSONDecoder(), []
    for line in file.read_text(encoding="utf-8", errors="replace").split("\n"):
        rest = line.strip()
        while rest:
            record, end = decoder.raw_decode(rest)
            found.append(record)
            rest = rest[end:].strip()
    return found


def _file(found: list[dict[str, Any]], totals: Counter[str], seen: set[str]) -> None:
    tools: dict[str, str] = {}
    prompts: Counter[str] = Counter()
    for record in found:
        identity = record.get("uuid")
        if record.get("type") not in ("user", "assistant") or str(identity) in seen:
            continue
        seen.add(str(identity))
        content = record["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if record["type"] == "assistant":
            tools.update({block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"})
            totals["calls"] += sum(block["type"] == "tool_use" for block in blocks)
            continue
        for block in blocks:
            if block["type"] == "tool_result" and block.get("is_error"):
                _error(block, tools, totals)
        text = _typed(record, blocks, totals)
        if text:
            totals["typed_turns"] += 1
            prompts[text] += 1
    for record in found:
        if record.get("type") == "queue-operation" and record["operation"] == "enqueue":
            text = (record.get("content") or "").strip()
            machine = text.startswith(('{"task_id"', "<")) or (text.startswith("/") and " " not in text)
            if not text or machine:
                continue
            if prompts[text]:
                prompts[text] -= 1
            else:
                totals["typed_turns"] += 1


def _error(block: dict[str, Any], tools: dict[str, str], totals: Counter[str]) -> None:
    content = block["content"]
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    if text.startswith(REFUSED):
        totals["rejections"] += 1
        foreign = tools.get(block["tool_use_id"], "mcp__").startswith("mcp__")
        totals["typed_turns"] += "the user said:\n" in text and not foreign
    elif "Sibling tool call errored" in text[:60]:
        totals["cancelled"] += 1
    elif "[Request interrupted by user" in text[:100]:
        totals["interrupts"] += 1
    else:
        totals["tool_errors"] += 1


def _typed(record: dict[str, Any], blocks: list[dict[str, Any]], totals: Counter[str]) -> str:
    texts = [block["text"].strip() for block in blocks if block["type"] == "text"]
    totals["interrupts"] += any(text.startswith("[Request interrupted by user") for text in texts)
    if any(record.get(flag) for flag in ("isMeta", "isSidechain", "isCompactSummary", "planContent")):
        return ""
    kept = [text for text in texts if not text.startswith(NOT_TYPED)]
    return "\n".join(text for text in kept if not text.startswith(FRAMES) or not text.endswith(">"))
