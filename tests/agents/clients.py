"""Real clients for tests, installed into a cache outside the repository: `python -m tests.agents.clients [NAME ...]`.

They come from the npm registry, with a Node of their own where they ask for a newer one than machines have, or from the
Python one, in an environment of their own. The folder is `WISEN_TEST_CLIENTS`, or `~/.cache/wisen-test`; what is there
already is not fetched again. It needs nothing but the standard library and npm.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("WISEN_TEST_CLIENTS") or Path.home() / ".cache" / "wisen-test")
"""Taken at the start: later each test has a home of its own."""
CLAUDE_CODE_VERSION = "2.1.325"
CODEX_VERSION = "0.166.0"
OPENCLAW_VERSION, OPENCLAW_OLD_VERSION = "2026.9.6", "2026.5.22"
HERMES_VERSION = "0.19.0"
GEMINI_CLI_VERSION = "0.61.0"
OPENCODE_VERSION = "1.18.33"
AIDER_VERSION = "0.86.2"
OPENHANDS_VERSION = "1.58.0"
_PATIENCE = 900


@dataclass(frozen=True)
class Source:
    """Where a client comes from."""

    version: str
    program: str
    packages: tuple[str, ...]
    """In the order they are installed in; the last is the client."""
    is_python: bool = False
    least: tuple[int, int] = (3, 11)
    """The oldest Python that it runs on."""

    def installed(self, name: str) -> Path:
        """Where the client is, once it is installed."""
        folder = ("venv", "bin") if self.is_python else ("node_modules", ".bin")
        return CACHE.joinpath(f"{name}-{self.version}", *folder, self.program)


_NODE = "node@24"
"""Claude Code asks for Node 22 or newer, OpenClaw for 24; under an older one npm picks an old client without a word."""
SOURCES = {
    "claude-code": Source(CLAUDE_CODE_VERSION, "claude", (_NODE, f"@anthropic-ai/claude-code@{CLAUDE_CODE_VERSION}")),
    "codex": Source(CODEX_VERSION, "codex", (f"@openai/codex@{CODEX_VERSION}",)),
    "openclaw": Source(OPENCLAW_VERSION, "openclaw", (_NODE, f"openclaw@{OPENCLAW_VERSION}")),
    "openclaw-old": Source(OPENCLAW_OLD_VERSION, "openclaw", (_NODE, f"openclaw@{OPENCLAW_OLD_VERSION}")),
    "hermes": Source(HERMES_VERSION, "hermes", (f"hermes-agent[mcp]=={HERMES_VERSION}",), is_python=True),
    "gemini-cli": Source(GEMINI_CLI_VERSION, "gemini", (_NODE, f"@google/gemini-cli@{GEMINI_CLI_VERSION}")),
    "opencode": Source(OPENCODE_VERSION, "opencode", (f"opencode-ai@{OPENCODE_VERSION}",)),
    "aider": Source(AIDER_VERSION, "aider", (f"aider-chat=={AIDER_VERSION}",), is_python=True),
    "openhands": Source(
        OPENHANDS_VERSION,
        "python",  # a library: tests write the program
        (f"openhands-tools=={OPENHANDS_VERSION}", f"openhands-sdk=={OPENHANDS_VERSION}"),
        is_python=True,
        least=(3, 12),
    ),
}


def claude_code() -> Path:
    """Where Claude Code is, once it is installed."""
    return program("claude-code")


def codex() -> Path:
    """Where Codex is, once it is installed."""
    return program("codex")


def program(name: str) -> Path:
    """Where a client is, once it is installed."""
    return SOURCES[name].installed(name)


def is_there(program: Path) -> bool:
    """Whether a client can be started."""
    return os.access(program, os.X_OK)


def install(name: str) -> Path:
    """Have a client in the cache."""
    wanted = program(name)
    if is_there(wanted):
        return wanted
    whole = wanted.parents[2]
    if SOURCES[name].is_python:  # its programs name the folder that they were installed into: no moving afterwards
        shutil.rmtree(whole, ignore_errors=True)
        try:
            _from_python(name, whole)
        except BaseException:
            shutil.rmtree(whole, ignore_errors=True)
            raise
        return wanted
    part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
    try:
        _from_npm(name, part)
        if not is_there(wanted):
            part.rename(whole)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return wanted


def _from_npm(name: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not here: install your system's npm package, which brings Node with it")
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PATH": f"{folder / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    for package in SOURCES[name].packages:
        command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder), package]
        subprocess.run(command, cwd=folder, env=environment, check=True, timeout=_PATIENCE, stdout=sys.stderr)


def _from_python(name: str, folder: Path) -> None:
    venv = folder / "venv"
    for command in (
        [_python(SOURCES[name].least), "-m", "venv", str(venv)],
        [str(venv / "bin" / "pip"), "install", "-qq", "--disable-pip-version-check", *SOURCES[name].packages],
    ):
        subprocess.run(command, check=True, timeout=_PATIENCE, stdout=sys.stderr)


def _python(least: tuple[int, int]) -> str:
    """An interpreter that is new enough: this one, or another that is here."""
    if sys.version_info[:2] >= least:
        return sys.executable
    major, minor = least
    for each in range(minor, minor + 3):
        kept = sorted(Path.home().glob(f".pyenv/versions/{major}.{each}.*/bin/python"))
        for found in filter(None, (shutil.which(f"python{major}.{each}"), *map(str, kept))):
            # pyenv has a program for every version that it knows, also where it would not start it.
            if subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode == 0:
                return found
    raise OSError(f"it needs Python {major}.{minor} or newer")


if __name__ == "__main__":
    failed = []
    for each in sys.argv[1:] or SOURCES:
        try:
            print(install(each))
        except (subprocess.SubprocessError, OSError) as error:
            failed.append(f"{each} cannot be installed: {error}")
    if failed:
        raise SystemExit("\n".join(failed))
