"""Calls the MCP server as agents do: lists the tools, then calls each one."""

from __future__ import annotations

import json
from typing import Any

from tests.behaviour.recording import Recording
from tests.behaviour.world import World

_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recall", {"question": "tests"}),
    ("recall", {"question": "lint errors", "scope": "all"}),
    ("context", {"task": "mend the tests"}),
    ("rules", {}),
    ("fixes", {"tool": "Bash", "error": "error: unrecognized subcommand 'bun'"}),
    ("proposals", {}),
    ("score", {}),
    ("explain", {"id": "nothing"}),
    ("remember", {"text": "Start the server with the flag --quiet."}),
    ("log", {"kind": "learning", "text": "The build needs two passes."}),
    ("point", {"turn": "T000000", "kind": "none"}),
    ("forget", {"what": "rtk"}),
    ("unknown", {}),
)


def save_mcp(world: World, recording: Recording, group: str) -> None:
    """Keep every answer of the server."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "recorder", "version": "1"}}
    orders: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    for number, (name, arguments) in enumerate(_CALLS, 3):
        orders.append({"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
    lines = [json.dumps({"jsonrpc": "2.0", **each}) for each in orders]
    done = world.converse("source", ("mcp",), lines)
    answers = [json.dumps(json.loads(line), indent=1, ensure_ascii=False) for line in done.stdout.splitlines()]
    asked = "\n".join(lines)
    recording.save(group, "mcp", f"{asked}\nexit {done.code}\n{chr(10).join(answers)}\n--- stderr\n{done.stderr}")
