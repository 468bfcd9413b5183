"""Reads from a step what later steps may show of it: which files it changed, what it committed, what it took back.

Only calls that succeeded count. A whole tree that is put aside (`git stash`) is not taken back until it is dropped.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.call_changes import PLACES
from wisen.model.event import Status
from wisen.model.history import EDITS
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.model.history import Step
    from wisen.text.command_lines import Part

EVERYTHING = "*"
"""Stands for all files among those that were taken back."""
_PUBLISHING = frozenset("commit push merge cherry-pick tag".split())
_PUBLISHING_PULLS = frozenset("create merge ready review comment edit".split())
_PROSE = frozenset(["", ".md", ".mdx", ".txt", ".rst", ".adoc"])
_NOTES = lazy_regex(r"/\.(?:claude|codex|cursor|gemini|opencode)/(?:plans|todos)/")
"""Files that agents keep for themselves."""
_SCRIPTED = lazy_regex(r'exec_command\(\{\s*"?cmd"?:\s*"((?:\\.|[^"\\])*)"')
_LOOKING_TOOLS = frozenset(
    "Read read read_file view_file Grep Glob grep glob find ls LS list_directory search WebFetch WebSearch web_fetch"
    " web_search LSP ToolSearch Skill Task Agent TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput"
    " AskUserQuestion EnterPlanMode ExitPlanMode update_plan spawn_agent wait_agent wait view_image request_user_input"
    " write_stdin".split()
)
"""Tools that look at something, plan or ask: they leave nothing behind."""


class Trace(NamedTuple):
    """What a successful step did to the work."""

    edited: tuple[str, ...] = ()
    """The files that it changed."""
    before: str = ""
    """The text that an edit replaced; empty if it was not kept."""
    after: str = ""
    """The text that an edit put in its place."""
    taken_back: tuple[str, ...] = ()
    """The files whose changes it threw away, as written; `*` for all."""
    publishes: bool = False
    """Whether it committed, pushed or merged, or opened a pull request."""
    delivers: bool = False
    """Whether git and pull requests are all that it was about: what it delivers was made before."""
    acts: bool = False
    """Whether it changed something, of whatever kind: its success is a result by itself."""

    @property
    def is_something(self) -> bool:
        """Return whether it did anything at all."""
        return self != _NOTHING

    @property
    def is_prose(self) -> bool:
        """Return whether all that it changed are texts for people, which no check runs."""
        return bool(self.edited) and all(PurePosixPath(path).suffix.lower() in _PROSE for path in self.edited)


_NOTHING = Trace()


def trace_of(step: Step) -> Trace:
    """What a step did to the work; nothing if it failed, or if its outcome is unknown."""
    if step.status is not Status.OK:
        return _NOTHING
    fields = fields_of(step.arguments)
    if step.tool in EDITS:
        files = tuple(path for path in _files(fields) if not _NOTES.search(path))
        return Trace(
            edited=files,
            before=_text(fields, "old_string"),
            after=_text(fields, "new_string"),
            acts=bool(files),
        )
    line = _line(fields)
    if line is None:
        return _NOTHING if step.tool in _LOOKING_TOOLS else Trace(acts=True)
    parts = parse_command(line).working
    return Trace(
        taken_back=tuple(path for part in parts for path in _taken_back(part)),
        publishes=any(_publishes(part) for part in parts),
        delivers=all(part.only_reads or part.program == "git" or _is_pull_request(part) for part in parts),
        acts=any(not part.only_reads for part in parts),
    )


def is_only_looking(step: Step) -> bool:
    """Whether a call, however it ended, could only look at something."""
    line = _line(fields_of(step.arguments))
    if line is None:
        return step.tool in _LOOKING_TOOLS
    return all(part.only_reads for part in parse_command(line).working)


def is_taken_back(path: str, taken_back: Sequence[str]) -> bool:
    """Whether the changes of a file are among those that were thrown away."""
    return any(each == EVERYTHING or _names(each, path) for each in taken_back)


def is_edited_back(earlier: Trace, later: Trace) -> bool:
    """Whether an edit puts back what an earlier one replaced."""
    if not earlier.after.strip() or not set(earlier.edited) & set(later.edited):
        return False
    return earlier.after in later.before and earlier.before in later.after and earlier.after not in later.after


def _line(fields: dict[str, object]) -> str | None:
    """The command line of a call, or the commands that a script of Codex's `exec` tool runs."""
    found = command_of(fields)
    if found is not None:
        return found
    commands = _SCRIPTED.findall(_text(fields, "input"))
    return " ; ".join(command.replace('\\"', '"') for command in commands) or None


def _files(fields: dict[str, object]) -> Iterator[str]:
    for name in PLACES:
        value = fields.get(name)
        if isinstance(value, str) and value:
            yield value
    several = fields.get("files")
    if isinstance(several, list):
        yield from (each for each in several if isinstance(each, str) and each)


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _names(word: str, path: str) -> bool:
    """Whether a word of a command names a file or a folder that holds it."""
    word, path = word.removeprefix("./").rstrip("/"), path.rstrip("/")
    return bool(word) and (f"/{path}".endswith(f"/{word}") or f"/{word}/" in f"/{path}")


def _git(part: Part) -> tuple[str, tuple[str, ...]]:
    """The subcommand of git and its words."""
    words = part.words[3:] if part.words[1:2] == ("-C",) else part.words[1:]
    return (words[0], words[1:]) if part.program == "git" and words else ("", ())


def _publishes(part: Part) -> bool:
    if _is_pull_request(part):
        return part.words[2:3] != () and part.words[2] in _PUBLISHING_PULLS
    return _git(part)[0] in _PUBLISHING and "--abort" not in part.words


def _is_pull_request(part: Part) -> bool:
    return part.program == "gh" and part.words[1:2] == ("pr",)


def _taken_back(part: Part) -> Iterator[str]:
    name, words = _git(part)
    if (
        (name == "reset" and "--hard" in words)
        or name == "revert"
        or (name == "stash" and words[:1] in (("drop",), ("clear",)))
    ):
        yield EVERYTHING
    elif name == "checkout" and "--" in words:
        yield from map(_pathspec, words[words.index("--") + 1 :])
    elif name == "restore" and not ("--staged" in words and "--worktree" not in words):
        yield from (_pathspec(word) for word in words if not word.startswith("-"))
    elif name == "checkout" and words[:1] == (".",):
        yield EVERYTHING


def _pathspec(word: str) -> str:
    return EVERYTHING if word in (".", ":/", "*") else word
