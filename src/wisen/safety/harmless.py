"""Judges one command by the allowlist of harmless commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety.harmless_table import (
    COMMANDS,
    DEFAULT_TARGET_PROGRAMS,
    FETCHABLE,
    FETCHERS,
    INTERPRETERS,
    REMOTES,
    RUNNERS,
    SEPARATING_WRAPPERS,
    SETTINGS,
    TEST_RUNNER,
    TRUNK_BRANCHES,
    VERSION_ONLY,
    WRAPPERS,
    CommandEffect,
    KnownProgram,
)
from wisen.safety.harmless_values import (
    ValueKind,
    is_check_script,
    is_harmless_pattern,
    is_harmless_value,
    is_inside_project,
)
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.safety.harmless_values import CommandContext
    from wisen.text.plain_shell import PlainCommand

_MAX_WORDS, _MAX_WRAPPERS = 3, 4
_MAX_SLEEP_DIGITS = 3
_OPTION = lazy_regex(r"--?[A-Za-z0-9][A-Za-z0-9-]*\Z")
_SHORT = lazy_regex(r"-[A-Za-z]{2,8}\Z")
_ENVIRONMENT = lazy_regex(r"\benv\b|\$ENV|\b(?:import|include)\b", re.IGNORECASE)
_FILE = lazy_regex(r"/|\.\w{1,4}\Z")
_NUMBERED = lazy_regex(r"-[A-Za-z]?\d+\Z")
_LINES = lazy_regex(r"\d{1,6}(?:,\d{1,6})?p\Z")
_PLAIN_VALUE = lazy_regex(r"[A-Za-z0-9_.,-]{1,40}\Z")
_RUNNER_FLAGS = frozenset("-s --silent -r --recursive --if-present --workspaces".split())
_RUNNER_VALUES = {
    **dict.fromkeys("--prefix -C --dir --cwd".split(), ValueKind.PATH),
    **dict.fromkeys("--filter -F -w --workspace".split(), ValueKind.WORD),
}
_SHORT_FORMS = {"npm": frozenset(["test", "t"])}
"""Scripts that a runner runs without `run`; the others do so with everything but their own subcommands."""
_NOT_SCRIPTS = frozenset(["ci"])


class JudgedCommand(NamedTuple):
    """What a command does, as far as it is known."""

    effect: CommandEffect | None
    """None if it is not known to be harmless."""
    name: str
    """The words it is known by; the program if it is unknown."""
    wrappers: tuple[str, ...]
    options: tuple[str, ...]
    words: tuple[str, ...]
    """Without its wrappers."""


def judge_command(command: PlainCommand, scene: CommandContext) -> JudgedCommand:
    """Judge a command by the allowlist."""
    wrappers, words = unwrap_command(command.words)
    options = tuple(word.partition("=")[0] for word in words[1:] if word.startswith("-") and word.strip("-"))
    effect, name = _effect_of(words, scene)
    is_unknown = not all(map(is_known_setting, command.settings)) or (
        "rtk" in command.words[:1] and "rtk" not in scene.failed_words
    )
    fetches = FETCHERS.intersection(wrappers) and words[0] not in FETCHABLE
    return JudgedCommand(None if is_unknown or fetches else effect, name, wrappers, options, words)


def is_known_setting(setting: str) -> bool:
    """Whether a variable that is set for a command is on the allowlist, with its value."""
    name, _, value = setting.partition("=")
    return name in SETTINGS and SETTINGS[name].match(value) is not None


def unwrap_command(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a command into its known wrappers and the command itself."""
    wrappers: list[str] = []
    rest = tuple(words)
    for _ in range(_MAX_WRAPPERS):
        two = " ".join(rest[:2])
        name = two if two in WRAPPERS else rest[0] if rest and rest[0] in WRAPPERS else ""
        remainder = rest[len(name.split()) :]
        remainder = remainder[1:] if name in SEPARATING_WRAPPERS and remainder[:1] == ("--",) else remainder
        argument_count = WRAPPERS.get(name, 0)
        if (
            not name
            or len(remainder) <= argument_count
            or not all(each.replace(".", "").isalnum() for each in remainder[:argument_count])
        ):
            break
        wrappers.append(name)
        rest = remainder[argument_count:]
    return tuple(wrappers), rest


def script_in(words: Sequence[str]) -> tuple[str, ...]:
    """Return the file that a command runs as a program, without a leading `./`, and its arguments."""
    _, words = unwrap_command(words)
    if words and INTERPRETERS.match(words[0].rsplit("/", 1)[-1]):
        words = words[1:]
    if not words or words[0].startswith("-") or not _FILE.search(words[0]):
        return ()
    return (words[0].removeprefix("./"), *words[1:])


def _effect_of(words: Sequence[str], scene: CommandContext) -> tuple[CommandEffect | None, str]:
    if not words:
        return None, ""
    words = _normalize(words, scene)
    if words[0] in RUNNERS:
        script = _script_of_runner(words)
        if script:
            at = list(words).index(script)
            args = words[at + 1 :]
            is_allowed = is_check_script(script) and has_known_options(
                TEST_RUNNER, args[1:] if args[:1] == ("--",) else args, scene
            )
            return (CommandEffect.CHECKS if is_allowed else None), f"{words[0]} run {script}"
    for count in range(min(_MAX_WORDS, len(words)), 0, -1):
        name = " ".join(words[:count])
        if name in COMMANDS:
            rest = words[count:]
            is_allowed = has_known_options(COMMANDS[name], rest, scene) and _passes_rules(name, rest, scene)
            return (
                COMMANDS[name].effect
                if is_allowed
                else None
                if not _reruns_script(words, scene)
                else CommandEffect.CHECKS
            ), name
    return (CommandEffect.CHECKS if _reruns_script(words, scene) else None), words[0]


def _normalize(words: Sequence[str], scene: CommandContext) -> tuple[str, ...]:
    """Normalize the words to the form of the allowlist: one name per program, without options that only say where."""
    program, rest = words[0], tuple(words[1:])
    if re.fullmatch(r"(?:\.venv/bin/|venv/bin/)?(?:python|pip)(?:3(?:\.\d+)?)?", program):
        program = re.sub(r"3(?:\.\d+)?\Z", "", program.rsplit("/", 1)[-1])
    elif program.startswith(("node_modules/.bin/", "./node_modules/.bin/", ".venv/bin/", "venv/bin/")):
        program = program.rsplit("/", 1)[-1]
    if program == "git":
        while rest[:1] == ("--no-pager",) or (
            rest[:1] == ("-C",) and rest[1:2] and is_inside_project(rest[1], scene.roots)
        ):
            rest = rest[1:] if rest[0] == "--no-pager" else rest[2:]
    while program in RUNNERS and rest:
        name, sign, value = rest[0].partition("=")
        if rest[0] in _RUNNER_FLAGS:
            rest = rest[1:]
        elif name in _RUNNER_VALUES and (sign or rest[1:]):
            given = value if sign else rest[1]
            if not is_harmless_value(_RUNNER_VALUES[name], given, scene):
                break
            rest = rest[1:] if sign else rest[2:]
        else:
            break
    return program, *rest


def _script_of_runner(words: Sequence[str]) -> str:
    """Return the script that a package manager is to run; empty if it is to do something else."""
    program, first = words[0], words[1] if len(words) > 1 else ""
    if first in ("run", "run-script"):
        scripts = [word for word in words[2:3] if not word.startswith("-")]
        return scripts[0] if scripts else ""
    if program == "bun" and first == "test":
        return ""
    short = _SHORT_FORMS.get(program)
    runs = first in short if short else is_check_script(first) and first not in _NOT_SCRIPTS
    return ("test" if first == "t" else first) if runs and first in words else ""


def _reruns_script(words: Sequence[str], scene: CommandContext) -> bool:
    """Whether it runs a file of the project that the failed command ran too, with the same arguments."""
    script = script_in(words)
    in_path = script[:1] == (words[0],) and "/" not in words[0]
    known = (
        bool(script) and not in_path and script in scene.failed_scripts and is_inside_project(script[0], scene.roots)
    )
    return known and not any("://" in word for word in script)


def has_known_options(known: KnownProgram, words: Sequence[str], scene: CommandContext) -> bool:
    """Whether a command has only known options and operands."""
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            if known.effect is CommandEffect.CHECKS:
                continue  # options of what it runs
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif not _is_known_option(known, word, rest, scene):
            return False
    return len(operands) <= known.max_operands and _are_known_operands(known, operands, scene)


def _is_known_option(known: KnownProgram, word: str, rest: list[str], scene: CommandContext) -> bool:
    """Whether an option is known; if its value is a separate word, take it from the rest."""
    name, sign, value = word.partition("=")
    if known.allows_any_option:
        return _OPTION.match(name) is not None and (not sign or is_inside_project(value, scene.roots))
    if name in known.valued:
        given = value if sign else rest.pop(0) if rest else ""
        return is_harmless_value(known.valued[name], given, scene)
    if _SHORT.match(word) and word not in known.flags and all(f"-{letter}" in known.flags for letter in word[1:-1]):
        last = f"-{word[-1]}"  # the last of several combined short options may have a value
        return last in known.flags or (last in known.valued and _is_known_option(known, last, rest, scene))
    counts = (
        known.effect is CommandEffect.READS if word[1:].isdigit() else known.valued.get(word[:2]) is ValueKind.NUMBER
    )
    numbered = counts and word.lstrip("-")[-1:].isdigit() and _NUMBERED.match(word) is not None
    return numbered or word in known.flags or (name in known.flags and _PLAIN_VALUE.match(value) is not None)


def _are_known_operands(known: KnownProgram, operands: Sequence[str], scene: CommandContext) -> bool:
    if known.operands is ValueKind.TEXT:
        # One of them is the search pattern; the others are places.
        outside = [each for each in operands if not is_inside_project(each, scene.roots)]
        return len(outside) <= max(1, known.max_operands if known.max_operands < 9 else 1) and all(
            is_harmless_pattern(each, scene) for each in outside
        )
    return all(
        is_harmless_value(known.operands, each, scene) or _is_same_trunk(known, each, scene) for each in operands
    )


def _is_same_trunk(known: KnownProgram, value: str, scene: CommandContext) -> bool:
    """Whether a shared branch is used where it was used before."""
    return known.operands is ValueKind.BRANCH and value in scene.failed_words and value in TRUNK_BRANCHES


def _passes_rules(name: str, words: Sequence[str], scene: CommandContext) -> bool:
    """Check rules of single commands beyond their options."""
    operands = [word for word in words if not word.startswith("-")]
    if name in DEFAULT_TARGET_PROGRAMS:
        return any(map(is_check_script, operands)) or (
            name in scene.failed_words and not any(map(is_check_script, scene.failed_words))
        )
    if COMMANDS[name] is TEST_RUNNER:
        return all(map(_looks_like_test, operands))
    if COMMANDS[name] is VERSION_ONLY:
        return bool(words)  # without arguments some of them install, and others wait for input
    if name == "jq" or name.startswith("gh "):
        if any(map(_ENVIRONMENT.search, words)):
            return False
        return name != "gh api" or sum(each.startswith("repos/") for each in operands) == 1
    rule = _RULES.get(name)
    return rule is None or rule(operands, len(operands) == len(words), scene)


def _looks_like_test(path: str) -> bool:
    """Whether a file is a test by its name: a runner runs whatever file it is given."""
    file = path.partition("::")[0].rsplit("/", 1)[-1].casefold()
    return "." not in file.strip(".") or "test" in file or "spec" in file


def _stays_with_remote(operands: list[str], _: bool, __: CommandContext) -> bool:  # noqa: FBT001 - a row of a table
    return not operands or (operands[0] in REMOTES and not any(set(each) & set(":+*") for each in operands))


def _was_pushed(operands: list[str], _: bool, scene: CommandContext) -> bool:  # noqa: FBT001 - as above
    return {"git", "push"} <= scene.failed_words and (not operands or operands[0] in REMOTES)


_RULES: dict[str, Callable[[list[str], bool, CommandContext], bool]] = {
    "git push": _was_pushed,
    "git fetch": _stays_with_remote,
    "git pull": _stays_with_remote,
    "git checkout": lambda operands, bare, _: bare and len(operands) == 1 and operands[0] in TRUNK_BRANCHES,
    "sleep": lambda operands, _, __: len(operands) == 1 and len(operands[0]) <= _MAX_SLEEP_DIGITS,
    "cd": lambda operands, _, __: len(operands) == 1,
    "sed -n": lambda operands, bare, _: bare and bool(operands) and _LINES.match(operands[0]) is not None,
}
"""By command: checks its operands, whether there are only operands, and where it is run."""
