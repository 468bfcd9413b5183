"""Judges whether a fix is dangerous: the whole resulting call, and what was left out of the failed one.

A hostile text can dictate the call that follows a failure, so nothing is harmless because it was seen before. What is
not on the allowlist (`harmless_table.py`), cannot be parsed, or lacks a safety that the failed call had, is a danger:
it is not delivered to agents before the user approves it.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from typing import TYPE_CHECKING

from wisen.model.fix import Danger
from wisen.safety.harmless import JudgedCommand, judge_command, script_in
from wisen.safety.harmless_table import (
    DISPENSABLE_PROGRAMS,
    DISPLAY_OPTIONS,
    KNOWN_OPTIONS,
    LIMITING_WRAPPERS,
    POWERFUL_PROGRAMS,
    PROGRAMS,
    RUNNERS,
    SAFETY_OPTIONS,
    SAFETY_WORDS,
    SETTINGS,
    CommandEffect,
)
from wisen.safety.harmless_values import CommandContext, is_harmless_pattern, is_inside_project
from wisen.text.command_lines import command_of, fields_of
from wisen.text.lazy_regex import lazy_regex
from wisen.text.plain_shell import read_plain_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.text.plain_shell import PlainCommand

_NUMBER = lazy_regex(r"(?:(?<=-[A-Za-z])|(?<=\A-))\d+\Z")
_OWN_TOOL = lazy_regex(r"[a-z][a-z0-9_-]{1,30}\Z")
UNKNOWN_OPTION = "shell.unknown-option"
_TYPO_RATIO = 0.6
"""How similar the names of two programs must be for one to be a typo of the other."""
_FILE_TOOLS = frozenset(
    "Read Edit MultiEdit Write NotebookEdit Grep Glob LS read edit multiedit write grep glob list ls read_file"
    " write_file replace search_file_content list_directory view str_replace apply_patch".split()
)
"""Agents' own tools that read and write files of the project."""
_SKILL_TOOLS = frozenset({"Skill", "skill"})
"""Agents' own tools that only give instructions to the agent."""
_CHECK_WORDS = tuple(
    "test check lint verif valid review audit scan secur sandbox guard approv permi polic safe protect sign backup"
    " format hook".split()
)
"""Substrings of a step that may be a check, or a limit."""
_PATH_FIELDS = frozenset("file_path path notebook_path filePath dir_path".split())
_PATTERN_FIELDS = frozenset("pattern query glob include type output_mode".split())
_COUNT_FIELDS = frozenset(
    "offset limit head_limit replace_all multiline timeout description -n -i -A -B -C case_sensitive".split()
)
_CONTENT_FIELDS = frozenset(
    "old_string new_string content new_source edits patch input oldString newString cell_id edit_mode".split()
)
"""Of these only the difference is described, never the content."""
_SHELL_FIELDS = frozenset(
    "command cmd script description justification timeout timeout_ms run_in_background yield_time_ms max_output_tokens"
    " login shell tty".split()
)
_FOLDER_FIELDS = frozenset("workdir cwd directory dir_path".split())
_DANGER_PATTERNS = (
    (
        Danger.DELETES,
        lazy_regex(
            r"\b(?:rm|rmdir|unlink|shred|truncate|dd|mkfs\S*)\b|\s-delete\b"
            r"|\bgit\s+(?:rm|clean|restore|reset\s.*--hard|checkout\s+(?:--|\.)|stash\s+(?:drop|clear)|branch\s+-D)"
        ),
    ),
    (
        Danger.SHELL,
        lazy_regex(
            r"\|\s*(?:sudo\s+)?\S*\b(?:ba|z|da|k|fi)?sh\b|\b(?:curl|wget)\b.*\b(?:ba|z)?sh\b|\beval\b", re.DOTALL
        ),
    ),
    (Danger.ROOT, lazy_regex(r"\b(?:sudo|doas|su|pkexec|runuser|setcap)\b|--privileged|\bchmod\s+\S*[sS7]")),
    (
        Danger.HOST,
        lazy_regex(
            r"\w://|(?<![./])\b(?:ssh|scp|sftp|rsync|curl|wget|nc|ncat|telnet|ftp|socat)\b|\S+@[\w.-]+[:\s]|--registry"
            r"|--index-url|--hostname|\bgo\s+(?:run|get)\s+\w+\.\w+/|\bnpm_config_registry\b|\bGOPROXY\b|\w_proxy="
            r"|\bgit\s+(?:push|pull|fetch|clone|remote|submodule)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Danger.PACKAGE,
        lazy_regex(
            r"\b(?:npm|pnpm|yarn|bun|pip3?|uv|brew|apt|apt-get|gem|cargo|go|poetry|conda|dnf|yum|apk|pipx|corepack)\b"
            r"[^|;&\n]*\s(?:install|add|get|i|ci|sync|require|dlx|update|upgrade|tidy|--with)\b|\bnpx\b|\bbunx\b"
            r"|\bdocker\s+(?:run|pull|build|compose\s+(?:up|pull|run|build))\b"
        ),
    ),
    (Danger.UNSAFE, lazy_regex(r"--no-verify|--force\b|\bgit\b.*\s-\w*f\b|--no-gpg-sign|--insecure|--no-check")),
    (Danger.PROGRAM, lazy_regex(r"\s-c\s+\w+\.\w+=|--exec-path|\b[A-Z_]*(?:SHELL|PATH|COMMAND|PAGER|EDITOR|PRELOAD)=")),
    (Danger.OUTSIDE, lazy_regex(r"(?:^|[\s=\"'])(?:~|/|\.\./)")),
)
"""How a danger is named to the user, worst first. Whether there is one is decided by the allowlist alone."""


def judge_calls(
    tool: str, before: str | None, after: str | None, roots: Sequence[str] = (), *, complaint: str = ""
) -> Danger:
    """Judge a call that follows a failed one. The arguments are JSON objects.

    `complaint` is the key of what the failed call complained about.
    """
    one, two = fields_of(before), fields_of(after)
    line = command_of(two)
    if line is not None:
        danger = judge_lines(command_of(one), line, roots)
        if complaint == UNKNOWN_OPTION and _leaves_unknown_option_out(command_of(one) or "", line, roots):
            danger = Danger.NONE
        return danger if danger is not Danger.NONE else _judge_shell_fields(one, two, roots)
    return _judge_fields(tool, one, two, roots)


def judge_preceding_call(tool: str, arguments: str | None, roots: Sequence[str] = ()) -> Danger:
    """Judge a call that was made before a failed one was repeated."""
    fields = fields_of(arguments)
    line = command_of(fields)
    if line is not None:
        return judge_lines(None, line, roots, is_first=True)
    return _judge_fields(tool, fields, fields, roots)


def judge_line(line: str, roots: Sequence[str] = ()) -> Danger:
    """Judge a command line by itself."""
    return judge_lines(None, line, roots, is_first=True)


def can_leave_out(step: str) -> bool:
    """Whether leaving a step out removes no check and no limit: it only reads, or does something by itself."""
    words = step.split()
    commands = read_plain_line(step)
    if not words or commands is None or len(commands) != 1:
        return False
    if words[0] in _FILE_TOOLS:
        return True
    if any(check in step.casefold() for check in _CHECK_WORDS):
        return False
    if words[0] in DISPENSABLE_PROGRAMS or words[0] in _SKILL_TOOLS:
        return True
    return judge_command(commands[0], CommandContext()).effect is CommandEffect.READS


def judge_lines(before: str | None, after: str, roots: Sequence[str] = (), *, is_first: bool = False) -> Danger:
    """Judge a command line that follows a failed one, or comes first if none failed."""
    commands, failed = read_plain_line(after), read_plain_line(before or "")
    if commands is None:
        return _name_danger(after)
    failed_words = [word for each in failed or () for word in (*each.words, *each.settings)]
    failed_scripts = frozenset(script for each in failed or () if (script := script_in(each.words)))
    scene = CommandContext(roots, frozenset(failed_words), failed_scripts)
    judged = [judge_command(each, scene) for each in commands]
    effects = [each.effect for each in judged if each.effect is not None]
    if len(effects) < len(judged):
        return _name_danger(after)
    if is_first or (failed is None and max(effects) is CommandEffect.READS):
        return Danger.NONE
    if failed is None:
        return Danger.UNKNOWN  # it is unclear what was left out of it
    judged_failed = [judge_command(each, scene) for each in failed]
    return Danger.UNSAFE if _loses_safety(failed, judged_failed, commands, judged) else Danger.NONE


def _leaves_unknown_option_out(before: str, after: str, roots: Sequence[str]) -> bool:
    """Whether an unknown program is called as before, without a long option that it said it does not have.

    A program that is run either way gains nothing by complaining about an option; options whose names may stand for a
    safety stay in doubt, and so does every program that is known to be powerful.
    """
    failed, commands = read_plain_line(before), read_plain_line(after)
    if failed is None or commands is None or len(failed) != 1 or len(commands) != 1:
        return False
    (old,), (new,) = failed, commands
    program = new.words[0]
    removed = [word for word in old.words if word not in new.words]
    known = program in PROGRAMS or program in POWERFUL_PROGRAMS or not _OWN_TOOL.match(program)
    if old.settings or new.settings or (known and not _runs_same_script(old, new, removed)):
        return False
    plain = all(is_inside_project(word.lstrip("-").partition("=")[2] or word, roots) for word in new.words[1:])
    rest = tuple(word for word in old.words if word not in removed)
    options = all(word.startswith("--") and not SAFETY_WORDS.search(word.partition("=")[0]) for word in removed)
    return plain and bool(removed) and options and rest == new.words


def _runs_same_script(old: PlainCommand, new: PlainCommand, removed: Sequence[str]) -> bool:
    """Whether an interpreter runs the same file as before, and what was removed was for that file."""
    before, after = script_in(old.words), script_in(new.words)
    if "/" in new.words[0] or old.words[0] != new.words[0]:
        return False
    return bool(after) and before[:1] == after[:1] and all(word in before[1:] for word in removed)


def _loses_safety(
    failed: Sequence[PlainCommand],
    judged_failed: Sequence[JudgedCommand],
    commands: Sequence[PlainCommand],
    judged: Sequence[JudgedCommand],
) -> bool:
    """Whether something that checked or limited the failed command is missing from the new one."""
    names = {each.name for each in judged}
    set_now = {setting.partition("=")[0] for each in commands for setting in each.settings}
    set_before = {setting.partition("=")[0] for each in failed for setting in each.settings}
    if set_before - set_now - SETTINGS.keys():
        return True
    old_wrappers, new_wrappers = (
        Counter(name for each in some for name in each.wrappers) for some in (judged_failed, judged)
    )
    if LIMITING_WRAPPERS & (old_wrappers - new_wrappers).keys():
        return True
    worst = max(each.effect for each in judged if each.effect is not None)
    compared: list[JudgedCommand] = []
    for each in judged_failed:
        if each.name in names:
            compared.append(each)
        elif each.effect is not CommandEffect.READS and each.words[0] not in DISPENSABLE_PROGRAMS:
            if each.effect is None and not _can_be_dropped(each, judged_failed, judged, worst):
                return True
            compared.append(each)
    for name in names:
        same_program = [each for each in judged if each.name == name]
        missing = _options(each for each in compared if each.name == name) - _options(same_program)
        if not all(
            _is_dispensable(option, max(each.effect or CommandEffect.READS for each in same_program))
            for option in missing
        ):
            return True
    old = {each.name for each in compared}
    replaced = _options(each for each in compared if each.name not in names)
    missing = replaced - _options(each for each in judged if each.name not in old)
    return not all(_is_dispensable(option, worst) for option in missing) or _count_gates(
        failed, judged_failed
    ) > _count_gates(commands, judged)


def _options(commands: Iterable[JudgedCommand]) -> Counter[str]:
    return Counter(_NUMBER.sub("", name) for each in commands for name in each.options)


def _can_be_dropped(
    each: JudgedCommand, judged_failed: Sequence[JudgedCommand], judged: Sequence[JudgedCommand], worst: CommandEffect
) -> bool:
    """Whether a command that is not on the allowlist may be left out, or be replaced by another one."""
    words = each.words
    program = words[0].rsplit("/", 1)[-1]
    inside = {piece for word in words[1:] for piece in word.split()}
    if program in ("sudo", "doas") and words[1:] and not words[1].startswith("-"):
        return words[1] in {other.words[0] for other in judged}
    if program not in RUNNERS and ({other.words[0] for other in judged} - {program}) & inside:
        return False  # it wraps what is now run without it
    if program in PROGRAMS:
        return worst is not CommandEffect.WRITES or words[0] in {other.words[0] for other in judged}
    before = {other.words[0] for other in judged_failed}
    new = [other.words[0].rsplit("/", 1)[-1] for other in judged if other.words[0] not in before]
    return any(difflib.SequenceMatcher(a=program, b=name, autojunk=False).ratio() >= _TYPO_RATIO for name in new)


def _is_dispensable(option: str, worst: CommandEffect) -> bool:
    if DISPLAY_OPTIONS.match(option):
        return True
    if worst is CommandEffect.READS:
        return not option.startswith("--no-")
    if option in KNOWN_OPTIONS:
        return option not in SAFETY_OPTIONS
    return worst is CommandEffect.CHECKS and option.startswith("--") and SAFETY_WORDS.search(option) is None


def _count_gates(commands: Sequence[PlainCommand], judged: Sequence[JudgedCommand]) -> int:
    """Return how many commands must have succeeded before something is written."""
    open_, most = 0, 0
    for command, each in zip(commands, judged, strict=True):
        if command.mark not in ("", "&&"):
            open_ = 0
        if each.effect is CommandEffect.WRITES:
            most = max(most, open_)
        elif each.effect is not CommandEffect.READS:
            open_ += 1
    return most


def _judge_shell_fields(one: dict[str, object], two: dict[str, object], roots: Sequence[str]) -> Danger:
    """Judge the fields of a shell tool other than the command: another folder, more rights."""
    for name in {*one, *two} - _SHELL_FIELDS:
        value = two.get(name)
        if value == one.get(name):
            continue
        if name not in _FOLDER_FIELDS:
            return Danger.UNSAFE
        if value is not None and not is_inside_project(str(value), roots):
            return Danger.OUTSIDE
    return Danger.NONE


def _judge_fields(tool: str, one: dict[str, object], two: dict[str, object], roots: Sequence[str]) -> Danger:
    """Judge a call that runs no command."""
    scene = CommandContext(roots, frozenset(str(value) for value in one.values()))
    if tool not in _FILE_TOOLS:
        return Danger.HOST if any("://" in str(value) for value in two.values()) else Danger.UNKNOWN
    for name in {*one, *two}:
        value = two.get(name)
        if name in _PATH_FIELDS:
            if isinstance(value, str) and not is_inside_project(value, roots) and value != one.get(name):
                return Danger.OUTSIDE
        elif name in _PATTERN_FIELDS:
            if value is not None and value != one.get(name) and not is_harmless_pattern(str(value), scene):
                return Danger.UNKNOWN
        elif name not in _COUNT_FIELDS and name not in _CONTENT_FIELDS and value != one.get(name):
            return Danger.UNKNOWN
    return Danger.NONE


def _name_danger(line: str) -> Danger:
    """Return the name of the danger that the user sees, for a line that is not known to be harmless."""
    match = next((danger for danger, sign in _DANGER_PATTERNS if sign.search(line)), None)
    if match is not None:
        return match
    commands = read_plain_line(line)
    strange = commands is not None and any(each.words[0] not in PROGRAMS for each in commands)
    return Danger.PROGRAM if strange else Danger.UNKNOWN
