"""Real clients for tests, installed into a cache outside the repository: `python -m tests.agents.clients [NAME ...]`.

They come from the npm registry, with a Node of their own where they ask for a newer one than machines have. The folder
is `WISEN_TEST_CLIENTS`, or `~/.cache/wisen-test`; what is there already is not fetched again. It needs nothing but the
standard library and npm.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("WISEN_TEST_CLIENTS") or Path.home() / ".cache" / "wisen-test")
"""Taken at the start: later each test has a home of its own."""
CLAUDE_CODE_VERSION = "2.1.325"
CODEX_VERSION = "0.166.0"
_PACKAGES = {
    # Claude Code asks for Node 22 or newer; under an older one npm picks an old client without a word.
    "claude-code": ("node@24", f"@anthropic-ai/claude-code@{CLAUDE_CODE_VERSION}"),
    "codex": (f"@openai/codex@{CODEX_VERSION}",),
}
_PATIENCE = 900


def claude_code() -> Path:
    """Where Claude Code is, once it is installed."""
    return CACHE / f"claude-code-{CLAUDE_CODE_VERSION}" / "node_modules" / ".bin" / "claude"


def codex() -> Path:
    """Where Codex is, once it is installed."""
    return CACHE / f"codex-{CODEX_VERSION}" / "node_modules" / ".bin" / "codex"


CLIENTS = {"claude-code": claude_code, "codex": codex}


def is_there(program: Path) -> bool:
    """Whether a client can be started."""
    return os.access(program, os.X_OK)


def install(name: str) -> Path:
    """Have a client in the cache."""
    program = CLIENTS[name]()
    if is_there(program):
        return program
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not here: install your system's npm package, which brings Node with it")
    whole = program.parents[2]
    part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
    try:
        path = f"{part / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
        for package in _PACKAGES[name]:
            part.mkdir(parents=True, exist_ok=True)
            command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(part), package]
            environment = {**os.environ, "PATH": path}
            subprocess.run(command, cwd=part, env=environment, check=True, timeout=_PATIENCE, stdout=sys.stderr)
        if not is_there(program):
            part.rename(whole)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return program


if __name__ == "__main__":
    for name in sys.argv[1:] or CLIENTS:
        print(install(name))
