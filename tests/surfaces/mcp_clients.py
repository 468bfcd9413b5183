"""MCP clients of the official SDK, connected to our server in-process, over stdio and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from tests.commands import WISEN
from wisen.surfaces.mcp.server import build_server

Made = TypeVar("Made")


@dataclass(frozen=True)
class ToolAnswer:
    """The answer of a tool."""

    failed: bool
    text: str

    @property
    def value(self) -> dict[str, Any]:
        assert not self.failed, self.text
        answer: dict[str, Any] = json.loads(self.text)
        return answer


async def read_answer(client: Client, name: str, arguments: dict[str, Any]) -> ToolAnswer:
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return ToolAnswer(bool(result.is_error), block.text)


def ask_tool(project: Path, name: str, **arguments: Any) -> ToolAnswer:
    """Call one tool, in this process."""

    async def once(client: Client) -> ToolAnswer:
        return await read_answer(client, name, arguments)

    return with_client(Client(build_server(start=project)), once)


def with_client(client: Client, do: Callable[[Client], Awaitable[Made]]) -> Made:
    """Do something with a client that is connected."""

    async def run() -> Made:
        async with client:
            return await do(client)

    return anyio.run(run)


def over_stdio(project: Path) -> Client:
    """A client that starts `wisen mcp` in a project."""
    environment = {name: os.environ[name] for name in ("HOME", "WISEN_HOME")}
    return Client(StdioServerParameters(command=str(WISEN), args=["mcp"], env=environment, cwd=project))


@contextmanager
def serve_project(project: Path, *more: str) -> Iterator[str]:
    """The address of a `wisen serve` that runs in a project until the block ends."""
    command = [str(WISEN), "serve", "--port", "0", "--every", "0", "--json", *more]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield _address(process)
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors, errors


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    output = ""
    for line in process.stdout:
        output += line
        if line.startswith("}") or line.rstrip().endswith("}"):
            return str(json.loads(output)["address"])
    raise AssertionError(f"it ended: {output}")


def over_http(address: str, token: str, do: Callable[[Client], Awaitable[Made]]) -> Made:
    """Do something with a client that shows a token."""

    async def run() -> Made:
        shown = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=shown, timeout=30) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await do(client)

    return anyio.run(run)
