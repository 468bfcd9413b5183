"""The MCP server on the official SDK: threads answer the tool calls, and a failing call never stops the server."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
import msgspec
from anyio import CapacityLimiter, to_thread
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from wisen import __version__
from wisen.errors import WisenError
from wisen.surfaces.mcp.tool_answers import ToolAnswers
from wisen.surfaces.mcp.tool_arguments import SUGGEST, TOOLS, schema_of

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions

MAX_CONCURRENT = 4
"""How many calls are answered concurrently; the others wait."""
_INSTRUCTIONS = (
    "What was learned from this user's earlier sessions. Ask `context` before larger work, `fixes` when a call failed, "
    "`recall` when the user refers to something from before. What you suggest with `remember` or `log` waits for the "
    "user: only their own words make a rule, answer a proposal or delete anything. Name the source of what you use."
)
_log = logging.getLogger(__name__)


class _Server(Server[Any]):
    """A server that announces to its clients that the list of tools may change."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *others: Any, **named: Any
    ) -> InitializationOptions:
        """Return the options of the first message to a client."""
        changes = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(changes, *others, **named)


def build_server(home: Path | None = None, start: Path | None = None, *, one_client: bool = True) -> Server[Any]:
    """Build a server with all tools, on the stores of a home, for the project of the directory it was started in."""
    answers, limiter = ToolAnswers(home, start, one_client=one_client), CapacityLimiter(MAX_CONCURRENT)

    async def list_tools(
        context: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        offered = await to_thread.run_sync(answers.offered_tools, _client_name(context), limiter=limiter)
        return types.ListToolsResult(tools=[_build_tool(name) for name in offered])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in TOOLS:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r}. Tools: {', '.join(TOOLS)}.")
        agent = _client_name(context)
        return await to_thread.run_sync(
            _answer_call, answers, params.name, params.arguments or {}, agent, limiter=limiter
        )

    return _Server(
        "wisen",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _client_name(context: ServerRequestContext[Any]) -> str:
    """Return the client's name for itself."""
    client = context.session.client_params
    return client.client_info.name if client is not None else ""


def run_stdio(home: Path | None = None) -> None:
    """Serve the client that started this process, until its input ends."""

    async def serve() -> None:
        server = build_server(home)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def _build_tool(name: str) -> types.Tool:
    call = TOOLS[name]
    suggests = name in SUGGEST
    hints = types.ToolAnnotations(
        read_only_hint=not suggests, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    description = " ".join((call.__doc__ or "").split())
    return types.Tool(name=name, description=description, input_schema=schema_of(call), annotations=hints)


def _answer_call(answers: ToolAnswers, name: str, arguments: dict[str, Any], agent: str) -> types.CallToolResult:
    """Answer a tool call; on an error explain why, so that the agent can do better."""
    try:
        call = msgspec.convert(arguments, TOOLS[name])
        return _result(msgspec.json.encode(answers.answer(name, call, agent)).decode())
    except msgspec.ValidationError as error:
        return _result(f"The arguments do not fit: {error}", failed=True)
    except WisenError as error:
        return _result(str(error), failed=True)
    except Exception as error:  # noqa: BLE001 - top level: a bug in wisen must not stop the agent's server
        _log.error("%s failed: %s", name, type(error).__name__, exc_info=error)
        return _result(
            f"{name} failed because of a bug in wisen ({type(error).__name__}). Continue without it.", failed=True
        )


def _result(text: str, *, failed: bool = False) -> types.CallToolResult:
    # Logs may contain unpaired surrogates, which cannot be sent.
    sent = text.encode("utf-8", "replace").decode()
    return types.CallToolResult(content=[types.TextContent(text=sent)], is_error=failed)
