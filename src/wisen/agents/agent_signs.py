"""The environment variables and program names by which each known agent is recognized in its child processes.

Only variables count that the agent itself sets for its children: not those that people set to configure it
(CLAUDE_CONFIG_DIR, CODEX_HOME), nor those that an editor sets in a terminal (CURSOR_TRACE_ID, CLAUDE_CODE_SSE_PORT).
"""

from __future__ import annotations

from wisen.model.presence import AgentSigns

AGENT_SIGNS = (
    AgentSigns(
        "claude-code",
        ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"),
        ("claude",),
        ("@anthropic-ai/claude-code", "claude/versions"),
    ),
    AgentSigns(
        "codex",
        ("CODEX_CI", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_SANDBOX"),
        ("codex", "codex-exec", "codex-tui"),
        ("@openai/codex",),
    ),
    AgentSigns("gemini-cli", ("GEMINI_CLI",), ("gemini",), ("@google/gemini-cli",)),
    AgentSigns("opencode", ("OPENCODE", "OPENCODE_PID"), ("opencode",), ("opencode-ai",)),
    AgentSigns(
        "openclaw",
        ("OPENCLAW_SHELL", "OPENCLAW_CLI"),
        ("openclaw", "openclaw-gateway", "openclaw-agent", "clawdbot", "moltbot"),
        ("node_modules/openclaw", "node_modules/clawdbot"),
    ),
    AgentSigns("hermes", ("HERMES_SESSION_ID",), ("hermes", "hermes-agent"), ("hermes_cli", "hermes_agent")),
    AgentSigns("aider", (), ("aider",)),
    AgentSigns("openhands", (), ("openhands", "openhands-cli"), ("openhands/sdk", "openhands/tools", "openhands_cli")),
    AgentSigns("cursor-agent", ("CURSOR_AGENT",), ("cursor-agent",)),
    AgentSigns("goose", ("GOOSE_TERMINAL",), ("goose",)),
    AgentSigns("cline", ("CLINE_ACTIVE",), ("cline",)),
    AgentSigns("copilot", (), ("copilot",), ("@github/copilot",)),
    AgentSigns("qwen-code", ("QWEN_CODE",), ("qwen",), ("@qwen-code/qwen-code",)),
    AgentSigns("augment", ("AUGMENT_AGENT",), ("auggie",)),
    AgentSigns("amp", (), (), ("@sourcegraph/amp",)),
    AgentSigns("an agent", ("AI_AGENT",)),
)
