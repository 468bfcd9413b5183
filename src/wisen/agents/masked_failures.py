"""Detects masked failures: shell commands that look successful because a pipe or `|| true` hid the exit code.

Only a command counts whose exit code is hidden, whose first program does not merely print other text (grep, cat, a
log), and whose output contains a line that no successful program prints. When in doubt, it is a success.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_PIPE = lazy_regex(r"(?<!\|)\|(?!\|)")
_ALWAYS_SUCCEEDS = lazy_regex(r"(?:;|\|\|)\s*(?:true|:|echo\b[^;|&\n]*)\s*\Z")
_READERS = frozenset(
    "ack ag awk aws bat cat column comm curl cut diff dmesg docker echo egrep env fd fgrep find gh glab grep head"
    " hexdump history journalctl jq kubectl less ls man more nl od printf ps psql rg sed sort sqlite3 strings tac tail"
    " test tree type uniq wc wget which xxd yq".split()
)
_GIT_READERS = frozenset("log diff show blame grep status branch ls-files cat-file rev-parse reflog stash".split())
_ASSIGNMENT = lazy_regex(r"\w+=\S*\Z")
_WRAPPERS = frozenset("sudo time env nice nohup command exec timeout rtk".split())
_SPLIT = lazy_regex(r"&&|\|\||;|\n")

_SIGNATURE = lazy_regex(
    r"""^(?:
      \S*(?:bash|sh|zsh):\s.*(?:command\snot\sfound|No\ssuch\sfile\sor\sdirectory|Permission\sdenied)
    | (?:zsh:\s)?command\snot\sfound:\s\S
    | (?:\S+:\s)?command\snot\sfound\s*$
    | Traceback\s\(most\srecent\scall\slast\):
    | fatal:\s\S
    | error\[E\d+\]:\s\S
    | error:\s(?:script|unrecognized|unknown|unexpected|could\snot|cannot|failed)\b
    | (?:npm|pnpm|yarn)\s(?:ERR!|error)\s
    | ERR_PNPM_\w+
    | error\sCommand\sfailed\swith\sexit\scode
    | \S+\(\d+,\d+\):\serror\sTS\d+:
    | \S+:\d+(?::\d+)?:\s(?:fatal\s)?error:\s
    | panic:\s
    | FAIL\t\S+
    | ---\sFAIL:\s
    | make(?:\[\d+\])?:\s\*\*\*\s
    | ModuleNotFoundError:\s | ImportError:\s | SyntaxError:\s
    | E\s{3}\s*(?:\w+Error|assert)\b
    | =+\s.*\b\d+\sfailed\b
    | \(eval\):\d+:\s
    )""",
    re.VERBOSE | re.MULTILINE,
)
_HINTS = (
    *("rror", "FAIL", "fail", "fatal", "panic", "Traceback", "not found", "No such file", "Permission denied", "ERR"),
    *("***", "(eval)", "assert"),
)
"""Every such line contains one of these; searching for them first is many times faster."""
_LOGGED_ERROR = lazy_regex(r"^error:\s\S", re.MULTILINE)
_ALL_PASSED = lazy_regex(r"^\s*0 fail(?:ed|ures?)?\b", re.MULTILINE)
"""A test runner's own count takes precedence over an error that a test printed on purpose."""


def can_hide_exit_code(command: str) -> bool:
    """Whether a shell command can fail without a failing exit code, and prints its own output."""
    if "|" not in command and ";" not in command:
        return False
    always_succeeds = _ALWAYS_SUCCEEDS.search(command) is not None
    return any(_prints_own_output(part) for part in _SPLIT.split(command) if always_succeeds or _PIPE.search(part))


def has_error_line(output: str) -> bool:
    """Whether output contains a line that only a failure prints."""
    if not any(hint in output for hint in _HINTS):
        return False
    if _SIGNATURE.search(output):
        return True
    return _LOGGED_ERROR.search(output) is not None and _ALL_PASSED.search(output) is None


def _prints_own_output(part: str) -> bool:
    words = part.split("|", 1)[0].split()
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS or words[0].startswith("-")):
        words = words[1:]
    if not words:
        return False
    program = words[0].rsplit("/", 1)[-1]
    if program == "git":
        return not any(word in _GIT_READERS for word in words[1:4])
    return program not in _READERS and program != "cd"
