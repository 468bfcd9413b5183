"""Decides whether an error message names what the difference between a failed call and a later one changes.

Two calls that end differently differ in more than their words: files, servers, time and people change in between. An
error that names the culprit ("unknown option --stat", "No rule to make target 'lint'") is evidence by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety.harmless_table import DISPLAY_OPTIONS
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex
from wisen.text.shell_settings import file_read_for_settings, variables_set_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.failure import CallChange, Signature

MISSING_VARIABLE = "config.missing-variable"
MISSING_SCRIPT = "config.missing-script"
_OPTION, _SUBCOMMAND, _COMMAND = "shell.unknown-option", "shell.unknown-subcommand", "shell.command-not-found"
_PLACES_KEYS = frozenset(
    "fs.no-such-file fs.is-a-directory shell.no-matches vcs.ignored-path vcs.unknown-revision vcs.fatal-error"
    " vcs.not-a-repository deps.module-not-found".split()
)
"""Errors about something that is not where it was looked for."""
_ELSEWHERE_KEYS = frozenset([*_PLACES_KEYS, MISSING_SCRIPT, "runtime.error", "shell.nonzero-exit", "config.no-rule"])
"""Errors that changing the folder may fix."""
_NOT_FOUND_WORDS = lazy_regex(
    r"not found|no such|could not find|cannot find|does not exist|did not match|No targets", re.I
)
_PLACE_FIELDS = ("file_path", "path", "notebook_path", "filePath", "dir_path")
_EDITING = {
    "fs.not-read-yet": ("the same file",),
    "fs.changed-since-read": ("the same file",),
    "fs.text-not-found": ("the same file", "only the white space"),
    "fs.text-not-unique": ("more lines", "replace_all=true"),
}
"""What an editing tool may be asked to do differently, by its error."""
_ERROR_WORDS = lazy_regex(
    r"\b(?:error|fatal|failed|not found|no such|no rule|denied|unrecognized|unknown|invalid|cannot|can't|could not"
    r"|unable|missing|illegal|not allowed|unexpected|ignored|not set|required?s?|undefined|unbound|did not|does not"
    r"|unsupported|expected|no matches|no module|is a directory|already exists|available)\b",
    re.IGNORECASE,
)
_SUGGESTION_WORDS = lazy_regex(
    r"\b(?:use|try|run|running|did you mean|instead|available|please|perhaps|hint|first|prefer|expected|to update)\b",
    re.IGNORECASE,
)
_ECHO = lazy_regex(r"\s*(?:\[[\w:.-]+\] )?[$>] ")
_MAX_LINES = 60
_MAX_LINE_LENGTH = 600
_SHORT_OPTION = lazy_regex(r"-[A-Za-z0-9]+\Z")
_SHOWN_ONLY = lazy_regex(
    r"(?:V|VERBOSE|DEBUG|CI|FORCE_COLOR|NO_COLOR)=\S*\Z|-v{2,}\Z|--(?:tb|durations|log-level|loglevel|maxfail|max-lines)"
    r"(?:=.*)?\Z|-[nC]?\d+\Z|--\Z|#.*",
    re.DOTALL,
)
"""Words that change how much is shown, in addition to the options that every program has for it."""
_PYTHON_SHOWS = frozenset("-B -u -I".split())
_SIZES = frozenset("limit offset head_limit".split())
_TOO_LARGE = "fs.too-large"
_SAME_KIND = (
    "lint check checks vet style validate verify analyze analyse ruff eslint biome clippy",
    "test tests unit unittest spec specs check",
    "types type typecheck tsc mypy check",
    "format fmt prettier fix",
    "build compile dist bundle",
    "dev start serve run",
)
"""Names that projects give to scripts of one kind."""
_KINDS = tuple(frozenset(each.split()) for each in _SAME_KIND)


class CallDifference(NamedTuple):
    """The words in which two calls differ, as written."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    changes_folder: bool = False
    """Whether the new call changes to another folder first."""


def diff_calls(before: str | None, after: str | None) -> CallDifference:
    """Return what differs between two calls. The arguments are JSON objects; fields of other tools are `name=value`."""
    one, two = fields_of(before), fields_of(after)
    first, second = command_of(one), command_of(two)
    if first is None or second is None:
        names = sorted({**one, **two})
        changed = [name for name in names if one.get(name) != two.get(name)]
        old_fields, new_fields = (
            tuple(f"{name}={each[name]}" for name in changed if name in each) for each in (one, two)
        )
        return CallDifference(old_fields, new_fields)
    old, new = parse_command(first), parse_command(second)
    # All parts count here: what only trims an output may be what fails.
    words = [[word for part in each.parts for word in part.words] for each in (old, new)]
    a, b = map(Counter, words)
    removed = tuple(word for word in words[0] if a[word] > b[word])
    added = tuple(word for word in words[1] if b[word] > a[word])
    return CallDifference(removed, added, old.moves != new.moves)


def error_names_change(
    signature: Signature, change: CallChange, output: str, before: str | None, after: str | None
) -> bool:
    """Whether the error of a failed call names what was then changed, or asks for it."""
    key, lines = signature.key, error_lines(output)
    if change.first:
        return _error_asks_for_first(key, lines, change.first)
    if key in _EDITING:
        return any(word.endswith(_EDITING[key]) for word in change.added) or _is_shorter_search(key, before, after)
    if key.startswith("build."):
        return False  # a check that found something complains about the code, not about how it was called
    if command_of(fields_of(after)) is None:
        return _error_names_field(key, lines, before, after)
    return _error_names_words(signature, lines, before, after)


def _error_names_words(signature: Signature, lines: Sequence[str], before: str | None, after: str | None) -> bool:
    """Whether an error names words of a command that were removed or replaced, or asks for those that were added."""
    key, who, difference = signature.key, signature.who, diff_calls(before, after)
    if key == MISSING_VARIABLE:
        return _sets_variable(who, after)
    if (
        difference.changes_folder
        and key in _ELSEWHERE_KEYS
        and (key in _PLACES_KEYS or any(map(_NOT_FOUND_WORDS.search, lines)))
    ):
        return True
    is_in_the_way = key == _SUBCOMMAND and who in difference.removed  # the program behind it knows the word
    is_missing = key == _COMMAND and (
        who in (*difference.removed, *difference.added) or _is_wrapped(who, before, after)
    )
    is_named = any(_is_named(word, lines) for word in difference.removed if _may_be_culprit(key, word))
    return is_in_the_way or is_missing or is_named or _is_suggested(difference, lines)


def is_requested_by_error(output: str, before: str | None, after: str | None) -> bool:
    """Whether a failed command was followed by what it asked for: `npm error use pnpm`."""
    return command_of(fields_of(after)) is not None and _is_suggested(diff_calls(before, after), error_lines(output))


def error_lines(output: str) -> tuple[str, ...]:
    """Return the lines that say what was wrong, or what to do; not those that echo the command."""
    lines = [line[:_MAX_LINE_LENGTH] for line in output.splitlines() if line.strip() and not _ECHO.match(line)]
    lines = lines if len(lines) <= _MAX_LINES else [*lines[: _MAX_LINES // 2], *lines[-_MAX_LINES // 2 :]]
    at = {index for index, line in enumerate(lines) if _ERROR_WORDS.search(line) or _SUGGESTION_WORDS.search(line)}
    following = {index + 1 for index in at if lines[index].rstrip().endswith((":", ";"))}
    return tuple(line for index, line in enumerate(lines) if index in at | following)


def is_display_only(word: str, program: str, key: str) -> bool:
    """Whether a word of a call changes at most how much is shown: that fixes no error."""
    name, is_field, _ = word.partition("=")
    if is_field and name in _SIZES:
        return key != _TOO_LARGE
    if program.startswith("python") and word in _PYTHON_SHOWS:
        return True
    return DISPLAY_OPTIONS.match(name) is not None or _SHOWN_ONLY.match(word) is not None


def are_similar_scripts(one: str, two: str) -> bool:
    """Whether two script names may mean the same work in two projects: lint and check, fmt and format."""
    first, second = (frozenset(re.split(r"[:._-]", name.casefold())) for name in (one, two))
    return bool(first & second) or any(kind & first and kind & second for kind in _KINDS)


def is_in_error(word: str, output: str) -> bool:
    """Whether the error lines contain a word."""
    return _is_named(word, error_lines(output))


def _may_be_culprit(key: str, word: str) -> bool:
    if key == _OPTION:
        return word.startswith("-")
    if key in (_SUBCOMMAND, MISSING_SCRIPT):
        return not word.startswith("-")
    if key in _PLACES_KEYS:
        return True
    # For an unknown error: a plain word may occur in any sentence.
    return len(word) > 3 and bool(re.search(r"[^A-Za-z]", word)) and " " not in word


def _is_named(word: str, lines: Iterable[str]) -> bool:
    lines = tuple(lines)
    name = word.partition("=")[0] if word.startswith("-") else word
    if not name.strip("-./") or len(name) > _MAX_LINE_LENGTH:
        return False
    whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    if any(whole.search(line) for line in lines):
        return len(name) > 1
    if _SHORT_OPTION.match(name):
        letters = re.compile(rf"(?:option|flag|argument|switch)s?:? (?:-- |-|['`\"‘])?[{re.escape(name[1:])}]\b", re.I)
        return any(letters.search(line) for line in lines)
    if "/" in name:
        tokens = (token for line in lines for token in re.split(r"[\s'\"`:,]+", line))
        return any(_is_above(token, name) for token in tokens) or any(name.startswith(f"{each}/") for each in lines)
    return False


def _is_above(folder: str, path: str) -> bool:
    folder = folder.rstrip("/")
    return len(folder) > 2 and "/" in folder and path.startswith(f"{folder}/")


def _is_shorter_search(key: str, before: str | None, after: str | None) -> bool:
    """Whether a part of the same text was searched for, where the whole was not found."""
    one, two = (fields_of(each).get("old_string") for each in (before, after))
    is_shorter = isinstance(one, str) and isinstance(two, str) and one.strip() != two.strip() and two.strip() in one
    return is_shorter and key == "fs.text-not-found"


def _is_wrapped(program: str, before: str | None, after: str | None) -> bool:
    """Whether a missing program is now run by another: `uv run pytest`."""
    one, two = (parse_command(command_of(fields_of(each)) or "").main_part.words for each in (before, after))
    return program in one[:1] and program in two[1:] and program not in two[:1]


def _is_suggested(difference: CallDifference, lines: Sequence[str]) -> bool:
    """Whether a line asks for what was added."""
    wanted = [word for word in difference.added if len(word) > 2 and word not in ("run", "test", "the", "and", "for")]
    return any(_SUGGESTION_WORDS.search(line) and any(_is_named(word, (line,)) for word in wanted) for line in lines)


def _error_names_field(key: str, lines: Sequence[str], before: str | None, after: str | None) -> bool:
    """Whether the error of a tool that runs no command is about a field that was changed."""
    one, two = fields_of(before), fields_of(after)
    changed = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    if key == _TOO_LARGE:
        return any(name in _SIZES for name in changed)
    if key in _PLACES_KEYS:
        return any(name in _PLACE_FIELDS and name in one for name in changed)
    if key in ("api.bad-arguments", "api.error"):
        return any(_is_named(name, lines) for name in changed)
    values = [str(each[name]) for name in changed for each in (one, two) if name in each]
    return any(len(value) > 3 and _is_named(value, lines) for value in values)


def _error_asks_for_first(key: str, lines: Sequence[str], first: Sequence[str]) -> bool:
    """Whether an error asks for the call that came first, or for what it created."""
    tool, _, line = first[0].partition(": ")
    if not line:
        return tool.endswith(_EDITING.get(key, ())) if key in _EDITING else False
    words = line.split()
    if key == "vcs.nothing-to-commit":
        return words[:2] == ["git", "add"]
    word_pairs = [" ".join(words[at : at + 2]) for at in range(len(words) - 1)]
    asks = any(_SUGGESTION_WORDS.search(each) and any(two in each for two in word_pairs) for each in lines)
    makes = words[:1] == ["mkdir"] or words[:2] == ["git", "fetch"]
    installs = key.startswith("deps.") and len(words) > 2
    brings = (makes and key in _PLACES_KEYS) or installs
    return asks or (brings and any(_is_named(word, lines) for word in words[1:]))


def _sets_variable(name: str, after: str | None) -> bool:
    line = command_of(fields_of(after)) or ""
    return name in variables_set_in(line) or bool(file_read_for_settings(line))


def changed_fields(before: Mapping[str, object], after: Mapping[str, object], apart_from: Iterable[str]) -> set[str]:
    """Return the names of the fields in which two calls differ."""
    left_out = frozenset(apart_from)
    return {name for name in {**before, **after} if name not in left_out and before.get(name) != after.get(name)}
