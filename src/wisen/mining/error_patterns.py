"""Error patterns of common tools, as data: which tool reports which error, under which key.

Written from what the tools print, and checked with failures of real sessions. A key is `area.symptom`, with the areas api, auth, build,
config, deps, fs, net, runtime, shell, vcs. Adding a tool needs a line here and no code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class LinePattern:
    """A pattern over lines that is compiled on first use: most commands never look at a failure."""

    __slots__ = ("_compiled", "flags", "text")

    def __init__(self, text: str, flags: int) -> None:
        self.text, self.flags = text, flags
        self._compiled: re.Pattern[str] | None = None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self._pattern().search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches."""
        return self._pattern().finditer(text)

    def _pattern(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.text, re.MULTILINE | self.flags)
        return self._compiled


class CheckStep(NamedTuple):
    """A check that did its job and found something: tests, a compiler, a type checker, a linter."""

    who: str
    key: str
    form: LinePattern
    hints: tuple[str, ...]
    """One of these is in every text that matches: searching for them first is many times faster."""
    unless: LinePattern | None = None
    """What overrides it: code that does not compile was not tested."""


class ErrorPattern(NamedTuple):
    """Any other error that is recognized by its text."""

    key: str
    form: LinePattern
    who: str = ""
    """Empty: the program that was run, or the one that the pattern captures as `who`."""
    says: bool = False
    """Whether the line itself is part of the signature: the key alone would merge different errors."""


def _m(form: str, flags: int = 0) -> LinePattern:
    return LinePattern(form, flags)


_VARIABLE = "config.missing-variable"
_NAME_OF_VARIABLE = r"(?<!ReferenceError:)(?<!NameError: name )(?:^|[\s\"'`:(])(?P<who>[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{4,})[\"'`]?(?: [Ee]nv(?:ironment)?[ -]?[Vv]ar(?:iable)?)?"
TESTS, TYPES, LINT, COMPILE = "build.tests-fail", "build.type-errors", "build.lint-errors", "build.compile-errors"
_GO_BROKEN = _m(
    r"\[(?:build|setup) failed\]|\.go:\d+:\d+: .*(?:\n.*)*?\[build failed\]|import cycle not allowed|^# \S+(?: \[\S+\])?\n\S+\.go:\d+"
)

CHECKS = (
    CheckStep("go", COMPILE, _m(r"^# \S+(?: \[\S+\])?\n(?:\S*?:? ?\S+\.go:\d+|package )|\[build failed\]|import cycle not allowed"), ('# ', '[build failed]', 'import cycle')),
    CheckStep("go test", TESTS, _m(r"^\s*--- FAIL: |^FAIL\s+\S+\s+[\d.]+s|^FAIL$|^panic: test timed out"), ("FAIL", "panic: test"), _GO_BROKEN),
    CheckStep("bun test", TESTS, _m(r"^\s*[1-9]\d* fail$|^\(fail\) |^\s*[1-9]\d* errors?$|^error: Cannot find module .*\n.*^bun test v|^# Unhandled error between tests"), (' fail', 'bun test', '(fail)', ' error')),
    CheckStep("jest", TESTS, _m(r"^Tests:\s.*[1-9]\d* failed|^Test Suites:\s.*[1-9]\d* failed"), (' failed',)),
    CheckStep("vitest", TESTS, _m(r"^\s*(?:Test Files|Tests)\s+.*[1-9]\d* failed|Failed (?:Tests|Suites) [1-9]"), ('ailed',)),
    CheckStep("mocha", TESTS, _m(r"^\s+[1-9]\d* failing$"), (' failing',)),
    CheckStep("node --test", TESTS, _m(r"^(?:#|ℹ) fail [1-9]"), (' fail ',)),
    CheckStep("playwright", TESTS, _m(r"^\s+[1-9]\d* failed\n\s+\["), (' failed',)),
    CheckStep("pytest", TESTS, _m(r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.*=+$|^(?:FAILED|ERROR) \S+\.py(?:::| )|^[1-9]\d* failed\b.* in [\d.]+s"), ('failed', 'error', 'FAILED', 'ERROR')),
    CheckStep("unittest", TESTS, _m(r"^FAILED \((?:failures|errors)="), ('FAILED (',)),
    CheckStep("cargo test", TESTS, _m(r"^test result: FAILED"), ('test result: FAILED',)),
    CheckStep("rspec", TESTS, _m(r"^\d+ examples?, [1-9]\d* failures?"), (' failure',)),
    CheckStep("phpunit", TESTS, _m(r"^(?:FAILURES|ERRORS)!$"), ('FAILURES!', 'ERRORS!')),
    CheckStep("maven", TESTS, _m(r"Tests run:.*(?:Failures|Errors): [1-9]|There are test failures"), ('Tests run:', 'test failures')),
    CheckStep("gradle", TESTS, _m(r"There were failing tests"), ('failing tests',)),
    CheckStep("dotnet test", TESTS, _m(r"^Failed!\s+- Failed:\s+[1-9]"), ('Failed!',)),
    CheckStep("ctest", TESTS, _m(r"\d+ tests? failed out of \d+"), ('failed out of',)),
    CheckStep("swift test", TESTS, _m(r"^Test Suite .* failed at |with [1-9]\d* failures?"), ('Test Suite', ' failure')),
    CheckStep("tsc", TYPES, _m(r"error TS\d+:"), ('error TS',)),
    CheckStep("mypy", TYPES, _m(r"^Found [1-9]\d* errors? in \d+ files?"), ('Found ',)),
    CheckStep("pyright", TYPES, _m(r"^[1-9]\d* errors?, \d+ warnings?"), (' error',)),
    CheckStep("golangci-lint", LINT, _m(r"^\d+ issues?:$|^\S+\.go:\d+(?::\d+)?: .* \(\w+\)$|^\S+\.go:1: : # "), ('issue', '.go:')),
    CheckStep("biome", LINT, _m(r"━{8,}|^(?:Found|Checked) .*\b[1-9]\d* (?:errors?|warnings?)\b.*\.$(?s:.*)biome|\bbiome\b(?s:.*)^Found [1-9]\d* (?:errors?|warnings?)"), ('━━━━━━━━', 'biome')),
    CheckStep("eslint", LINT, _m(r"✖ \d+ problems?"), ('✖',)),
    CheckStep("ruff", LINT, _m(r"^Found [1-9]\d* errors?\.?(?: \(| ?$)|^Would reformat: "), ('Found ', 'Would reformat'), _m(r"\bbiome\b|━{8,}")),
    CheckStep("flake8", LINT, _m(r"^\S+\.py:\d+:\d+: [A-Z]\d{3,4} "), ('.py:',)),
    CheckStep("pylint", LINT, _m(r"^\S+\.py:\d+:\d+: [CRWEF]\d{4}: "), ('.py:',)),
    CheckStep("clippy", LINT, _m(r"rust-clippy"), ('rust-clippy',)),
    CheckStep("shellcheck", LINT, _m(r"^In \S+ line \d+:$"), ('In ',)),
    CheckStep("prettier", LINT, _m(r"Code style issues (?:found|fixed)|^\[warn\] .*\bprettier\b", re.IGNORECASE), ('ode style', '[warn]')),
    CheckStep("black", LINT, _m(r"^would reformat |\d+ files? would be reformatted"), ('reformat',)),
    CheckStep("rubocop", LINT, _m(r"^\d+ files? inspected, [1-9]\d* offenses?"), ('offense',)),
    CheckStep("stylelint", LINT, _m(r"stylelint.*\n(?:.*\n)*?.*\d+ problems?"), ('stylelint',)),
    CheckStep("rustc", COMPILE, _m(r"^error(?:\[E\d+\])?: .*\n\s*--> |^error: could not compile "), ('error',)),
    CheckStep("cc", COMPILE, _m(r"^\S+\.(?:c|cc|cpp|cxx|h|hpp|m|mm):\d+:\d+: (?:fatal )?error: "), ('error: ',)),
    CheckStep("javac", COMPILE, _m(r"^\S+\.java:(?:\d+: error:|\[\d+,\d+\])"), ('.java:',)),
    CheckStep("kotlinc", COMPILE, _m(r"^e: \S+\.kts?"), ('e: ',)),
    CheckStep("swiftc", COMPILE, _m(r"^\S+\.swift:\d+:\d+: error: "), ('.swift:',)),
    CheckStep("msbuild", COMPILE, _m(r": error (?:CS|MSB|FS|VB)\d+:"), (': error ',)),
)  # fmt: skip
"""Of several matches, the last one in the output is the step that stopped everything after it."""

ERROR_PATTERNS = (
    ErrorPattern(_VARIABLE, _m(r"(?:[Mm]issing|[Rr]equired?s?|[Uu]ndefined|[Uu]nset|[Ss]et|[Nn]o|[Ff]ind|[Pp]rovide)(?: the)?(?: required| mandatory)? [Ee]nv(?:ironment)?[ -]?[Vv]ar(?:iable)?s?(?: named| called)?:?\s+[\"'`]?(?P<who>[A-Z][A-Z0-9_]{2,})\b")),
    ErrorPattern(_VARIABLE, _m(r"[Vv]ariable [\"'`]?(?P<who>[A-Z][A-Z0-9_]{2,})[\"'`]? (?:is |was |has |must |needs |not |un)")),
    ErrorPattern(_VARIABLE, _m(rf"{_NAME_OF_VARIABLE} (?:(?:is|was|has) )?not (?:been )?(?:set|defined|provided|configured)\b")),
    ErrorPattern(_VARIABLE, _m(rf"{_NAME_OF_VARIABLE} (?:is|was) (?:unset|undefined|missing|required)\b")),
    ErrorPattern(_VARIABLE, _m(rf"{_NAME_OF_VARIABLE} must be (?:set|defined|provided)\b")),
    ErrorPattern(_VARIABLE, _m(r"(?:^|[\s:])(?P<who>[A-Z][A-Z0-9_]{2,}): unbound variable")),
    ErrorPattern(_VARIABLE, _m(r"(?:^|[\s:])(?P<who>[A-Z][A-Z0-9_]{2,}): parameter (?:null or )?not set")),
    ErrorPattern(_VARIABLE, _m(r", in __getitem__\n(?:.*\n){0,3}KeyError: '(?P<who>[A-Z][A-Z0-9_]{2,})'")),
    ErrorPattern("shell.command-not-found", _m(r"(?:^|: )(?P<who>[\w.@/+-]+): (?:command )?not found$|command not found: (?P<who2>\S+)")),
    ErrorPattern("shell.unknown-subcommand", _m(r"unrecognized subcommand|unknown (?:sub)?command\b|is not a (?P<who>git) command|No such command|[Ii]nvalid (?:sub)?command", re.IGNORECASE)),
    ErrorPattern("shell.unknown-option", _m(r"(?:illegal|invalid|unrecognized|unknown|unrecognised) (?:long )?(?:option|flag|argument)|unexpected argument|flag provided but not defined|no such option", re.IGNORECASE)),
    ErrorPattern("shell.syntax-error", _m(r"parse error near|syntax error near|unexpected EOF while looking|unmatched |bad substitution|syntax error: unexpected"), "shell"),
    ErrorPattern("shell.no-matches", _m(r"no matches found: "), "shell"),
    ErrorPattern("shell.too-many-arguments", _m(r"Argument list too long|too many arguments")),
    ErrorPattern("shell.timeout", _m(r"[Cc]ommand timed out|timed out after \d|^Terminated|exceeded the time limit")),
    ErrorPattern("auth.not-allowed", _m(r"Permission to use \w+|requested permissions? to|haven't granted|not (?:in the )?allowed (?:list|tools|by)|was blocked\b|operation not permitted by"), "permissions"),
    ErrorPattern("vcs.conflict", _m(r"^CONFLICT |[Cc]ould not apply |fix conflicts and|needs merge|Merge conflict in"), "git"),
    ErrorPattern("vcs.push-rejected", _m(r"! \[(?:remote )?rejected\]|failed to push some refs"), "git"),
    ErrorPattern("vcs.nothing-to-commit", _m(r"nothing to commit|no changes added to commit|nothing added to commit"), "git"),
    ErrorPattern("vcs.ignored-path", _m(r"paths are ignored by one of your"), "git"),
    ErrorPattern("vcs.local-changes", _m(r"local changes (?:to the following files )?would be overwritten|cannot (?:pull|rebase|switch).*(?:unstaged|uncommitted)|have unstaged changes|contains? uncommitted changes"), "git"),
    ErrorPattern("vcs.locked", _m(r"index\.lock|another git process"), "git"),
    ErrorPattern("vcs.not-a-repository", _m(r"not a git repository"), "git"),
    ErrorPattern("vcs.unknown-revision", _m(r"unknown revision|bad revision|did not match any file\(s\) known|ambiguous argument|Needed a single revision|invalid reference|not a valid object name|couldn't find remote ref|exists on disk, but not in|path .* does not exist in", re.IGNORECASE), "git"),
    ErrorPattern("vcs.already-exists", _m(r"^fatal: .*already (?:exists|checked out|used by worktree)"), "git"),
    ErrorPattern("vcs.no-upstream", _m(r"no upstream branch|no tracking information|has no upstream"), "git"),
    ErrorPattern("auth.vcs", _m(r"Authentication failed for|could not read Username|Permission denied \(publickey|Host key verification failed"), "git"),
    ErrorPattern("vcs.fatal-error", _m(r"^fatal: "), "git", says=True),
    ErrorPattern("deps.module-not-found", _m(r"ModuleNotFoundError|Cannot find (?:module|package)|Module not found|No module named|no required module provides|cannot find package|unresolved import|Could not resolve dependency")),
    ErrorPattern("deps.missing-install", _m(r"node_modules missing|command .* requires .* to be installed|please (?:run|install)|not installed|could not find a version that satisfies|No matching distribution|has no installation candidate|Unable to locate package", re.IGNORECASE)),
    ErrorPattern("deps.conflict", _m(r"ERESOLVE|conflicting (?:peer )?dependenc|ResolutionImpossible|go: updates to go\.mod needed|lockfile (?:is not up to date|had changes)|frozen-lockfile", re.IGNORECASE)),
    ErrorPattern("deps.managed-environment", _m(r"externally-managed-environment"), "pip"),
    ErrorPattern("config.missing-script", _m(r"Missing script|Script not found|script .* not found|no such task|Unknown task|no rule to make target|Command \"\S+\" not found|no task .* found", re.IGNORECASE)),
    ErrorPattern("deps.npm-error", _m(r"^npm (?:ERR!|error) (?:code )?\w+"), "npm", says=True),
    ErrorPattern("net.unreachable", _m(r"Could not resolve host|[Cc]onnection refused|ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ECONNRESET|[Nn]etwork is unreachable|Temporary failure in name resolution|TLS handshake timeout|[Cc]onnection reset|no route to host|dial tcp|socket hang up|fetch failed|Failed to connect to")),
    ErrorPattern("net.timeout", _m(r"(?:[Cc]onnection|[Rr]equest|[Oo]peration|[Rr]ead|i/o) time(?:d )?out|deadline exceeded|Gateway Time-?out")),
    ErrorPattern("net.rate-limited", _m(r"rate.?limit|too many requests|\b429\b", re.IGNORECASE)),
    ErrorPattern("auth.refused", _m(r"\b401\b|\b403\b|[Uu]nauthorized|Forbidden|[Bb]ad credentials|not logged in|[Ii]nvalid (?:API )?(?:key|token|credentials)|authentication required|Resource not accessible")),
    ErrorPattern("net.http-error", _m(r"\(HTTP \d{3}\)|HTTP(?:/[\d.]+)? (?:error )?[45]\d\d|status(?: code)?:? [45]\d\d|\b404 Not Found|error: [45]\d\d\b", re.IGNORECASE), says=True),
    ErrorPattern("net.address-in-use", _m(r"EADDRINUSE|[Aa]ddress already in use|port \d+ is (?:already )?in use")),
    ErrorPattern("fs.is-a-directory", _m(r"EISDIR|[Ii]s a directory")),
    ErrorPattern("fs.permission-denied", _m(r"EACCES|EPERM|[Pp]ermission denied|Operation not permitted|Read-only file system")),
    ErrorPattern("fs.already-exists", _m(r"EEXIST|File exists|already exists")),
    ErrorPattern("fs.no-space", _m(r"ENOSPC|No space left")),
    ErrorPattern("fs.no-such-file", _m(r"ENOENT|[Nn]o such file or directory|(?:[Ff]ile|[Pp]ath|[Dd]irectory) (?:does not exist|not found)|cannot access|directory not found|can't open file|cannot find the (?:file|path)")),
    ErrorPattern("runtime.python-exception", _m(r"^Traceback \(most recent call last\)|^\s*File \"[^\"]+\", line \d+"), says=True),
    ErrorPattern("runtime.panic", _m(r"^panic: |^fatal error: |thread '.*' panicked"), says=True),
    ErrorPattern("runtime.crash", _m(r"[Ss]egmentation fault|core dumped|Aborted|Bus error|signal: killed|[Oo]ut of memory|heap out of memory")),
    ErrorPattern("runtime.javascript-exception", _m(r"^\s*(?:Uncaught )?(?:Type|Reference|Syntax|Range|Eval|URI)Error: "), says=True),
    ErrorPattern("config.no-rule", _m(r"No targets specified and no makefile")),
)  # fmt: skip
"""The first match wins."""

TOOL_ERROR_PATTERNS = (
    ErrorPattern("fs.text-not-found", _m(r"String to replace not found|old_?string.*not found|Could not find (?:the exact|old) text|Failed to find (?:context|expected lines)|not found in file", re.IGNORECASE), "Edit"),
    ErrorPattern("fs.text-not-unique", _m(r"Found \d+ matches of the string|not unique|multiple (?:matches|occurrences)|Found \d+ occurrences", re.IGNORECASE), "Edit"),
    ErrorPattern("fs.nothing-to-change", _m(r"No changes to make|exactly the same|identical to"), "Edit"),
    ErrorPattern("fs.not-read-yet", _m(r"has not been read yet|must (?:first )?read|read (?:it|the file) first", re.IGNORECASE), "Edit"),
    ErrorPattern("fs.changed-since-read", _m(r"modified since|unexpectedly modified|changed (?:on disk )?since", re.IGNORECASE), "Edit"),
    ErrorPattern("fs.too-large", _m(r"exceeds (?:the )?maximum|too large|maximum allowed (?:size|tokens)", re.IGNORECASE)),
    ErrorPattern("fs.is-a-directory", _m(r"EISDIR|is a directory", re.IGNORECASE)),
    ErrorPattern("fs.already-exists", _m(r"already exists", re.IGNORECASE), "Edit"),
    ErrorPattern("auth.not-allowed", _m(r"[Pp]ermission (?:to|for|denied)|denied by|not allowed|haven't granted|was blocked")),
    ErrorPattern("api.bad-arguments", _m(r"InputValidationError|Argument Validation|invalid (?:arguments|input|params)|required parameter|missing required|Invalid type|Expected .*, received|schema validation|Unrecognized key", re.IGNORECASE)),
    ErrorPattern("config.unknown-name", _m(r"Unknown (?:skill|tool|agent|server|command)|No such tool|(?:Agent type|Skill|Tool|Server|Model) .*not found|not found\. Available", re.IGNORECASE)),
    ErrorPattern("runtime.cannot-start", _m(r"posix_spawn|spawn \S+ (?:ENOENT|EACCES)|failed to (?:start|spawn)", re.IGNORECASE)),
    ErrorPattern("fs.no-such-file", _m(r"does not exist|ENOENT|[Nn]o such file|file not found", re.IGNORECASE)),
    ErrorPattern("net.rate-limited", _m(r"rate.?limit|too many requests|\b429\b", re.IGNORECASE)),
    ErrorPattern("net.timeout", _m(r"time(?:d )?-?out", re.IGNORECASE)),
    ErrorPattern("net.unreachable", _m(r"ECONNREFUSED|ENOTFOUND|ECONNRESET|connection (?:refused|closed|reset)|fetch failed|network", re.IGNORECASE)),
    ErrorPattern("auth.refused", _m(r"\b401\b|\b403\b|unauthorized|forbidden|not authenticated|log ?in", re.IGNORECASE)),
    ErrorPattern("net.http-error", _m(r"status(?: code)?:? ?[45]\d\d|HTTP [45]\d\d", re.IGNORECASE), says=True),
)  # fmt: skip
"""Errors of agents' own tools. Editing tools share their texts, and so their name here."""
