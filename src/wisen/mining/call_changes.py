"""Compares two calls of one tool: whether they have the same goal, and what is different between them.

The difference consists of words for a shell command and of fields for any other tool. Texts that an edit replaces are
no lesson in themselves; how one differs from the other (whitespace, fewer lines) is.
"""

from __future__ import annotations

import difflib
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from wisen.model.failure import CallChange
from wisen.model.history import EDITS
from wisen.safety.fix_causes import are_similar_scripts, is_in_error
from wisen.safety.harmless_table import DISPENSABLE_PROGRAMS
from wisen.text.command_lines import Part, command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex
from wisen.text.shell_settings import VALUE_PLACEHOLDER, file_read_for_settings, variables_set_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.history import Step

MIN_SIMILARITY = 0.5
"""How similar two calls must be to have the same goal."""
MAX_FIELDS = 3
"""The same for fields of a call."""
MIN_NAME_SIMILARITY = 0.7
"""How similar two file names must be for one to have been meant by the other."""
MAX_WORDS = 8
"""A difference of more words is another command, not a fix."""
PLACES = ("file_path", "path", "notebook_path", "url")
_TEXTS = ("old_string", "new_string", "content", "new_source", "edits", "patch", "input")
_SEARCH_FIELDS = ("pattern", "query", "questions", "url")
"""Calls that search for the same thing have the same goal, wherever they search."""
_IGNORED_FIELDS = frozenset("description timeout run_in_background yield_time_ms max_output_tokens".split())
_LONG = 200
_VALUES = lazy_regex(r"(?:[\w.@~+-]*/)+[\w.@~*+-]*|\b[0-9a-f]{7,40}\b|\d+")
_PROSE = lazy_regex(r"\s")


def has_same_goal(tool: str, before: str | None, after: str | None) -> bool:
    """Whether two calls of a tool want the same thing. The arguments are JSON objects."""
    if before == after:
        return True
    one, two = fields_of(before), fields_of(after)
    first, second = command_of(one), command_of(two)
    if first is not None or second is not None:
        return first is not None and second is not None and _same_command_goal(first, second)
    place = next((name for name in PLACES if name in one or name in two), None)
    if tool in EDITS:
        return one.get(place or "") == two.get(place or "") and _same_text_goal(one, two)
    if any(name in one and one[name] == two.get(name) for name in _SEARCH_FIELDS):
        return True
    if place is not None and place in one and place in two:
        return _same_place_goal(one, two, place)
    shared = [name for name in one if one[name] == two.get(name)]
    return bool(one) and (len(shared) >= len(one) / 2 or _are_texts_similar(one, two))


def replaces_script(before: str, after: str, error: str) -> bool:
    """Whether a missing script was replaced by a similar one: `make lint`, `make check`; `npm run lint`."""
    one, two = parse_command(before).main_part.words, parse_command(after).main_part.words
    a, b = Counter(one), Counter(two)
    removed, new = [word for word in one if a[word] > b[word]], [word for word in two if b[word] > a[word]]
    missing = [word for word in one[1:] if not word.startswith("-") and is_in_error(word, error)]
    if not missing:
        return False
    if removed == missing[:1] and len(new) == 1 and one[:1] == two[:1]:
        return are_similar_scripts(removed[0], new[0])
    is_kept = missing[0] in two and one[0] != two[0]  # another program has a script of that name
    return is_kept and len(two) <= len(one) + 1 and two[-1] == one[-1]


def is_wrapped_whole(before: str, after: str, program: str) -> bool:
    """Whether a program that was not found is run unchanged by another one: `uv run --group dev pytest -q`."""
    one, two = parse_command(before).main_part.words, parse_command(after).main_part.words
    return one[:1] == (program,) and len(two) > len(one) and two[-len(one) :] == one


def are_of_one_program(failed: Step, step: Step) -> bool:
    """Whether two calls run the same program, a wrapper of it, or one with nearly the same name."""
    one, two = (parse_command(command_of(fields_of(each.arguments)) or "") for each in (failed, step))
    if not one.main_part.words or not two.main_part.words:
        return True  # neither runs a command
    programs = {part.program for part in one.parts}
    name, other = one.main_part.program, two.main_part.program
    if other in programs or name in {part.program for part in two.parts} or _similarity(name, other) >= MIN_SIMILARITY:
        return True
    wraps = (
        name in _last_names(two.main_part.words[1:]) and other not in DISPENSABLE_PROGRAMS
    ) or other in _last_names(one.main_part.words[1:])
    return wraps or {one.main_part.words[-1]} == {two.main_part.words[-1]}  # another runner of the same script


def runs_fewer_commands(failed: Step, step: Step) -> bool:
    """Whether a later line lacks whole commands of a failed one: then the problem may only have been avoided."""
    one, two = (parse_command(command_of(fields_of(each.arguments)) or "") for each in (failed, step))
    return len(two.working) < len(one.working)


def _last_names(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_last_segment, words))


def option_change(change: CallChange, error: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What replaced an unknown option; other changes made at the same time have nothing to do with it."""
    named = tuple(word for word in change.removed if word.startswith("-") and is_in_error(word, error))
    if not named or not change.added:
        return change.removed, change.added
    replaced = len(change.added) == 1 and change.added[0].startswith("-")
    return (named if not replaced else change.removed), (change.added if replaced else ())


def variable_change(failed: Step, line: str, name: str) -> CallChange | None:
    """That a missing variable was set, by its name alone, or the file that was sourced for it."""
    before = command_of(fields_of(failed.arguments)) or ""
    if name in variables_set_in(line) - variables_set_in(before):
        return CallChange(tool=failed.tool, added=(f"{name}={VALUE_PLACEHOLDER}",))
    file = file_read_for_settings(line)
    return CallChange(tool=failed.tool, added=("source", file)) if file and file not in before else None


@lru_cache(maxsize=4096)
def _same_command_goal(first: str, second: str) -> bool:
    one, two = parse_command(first), parse_command(second)
    return any(_same_part(one.main_part, part) for part in two.working[-3:])


def _same_part(one: Part, two: Part) -> bool:
    a, b = _unprefixed(one.words, two.words), _unprefixed(two.words, one.words)
    if a == b:
        return True
    common = set(b)
    if 2 * sum(word in common for word in a) < MIN_SIMILARITY * (len(a) + len(b)):
        return False  # no order of the words can make them similar enough
    if difflib.SequenceMatcher(a=a, b=b, autojunk=False).ratio() < MIN_SIMILARITY:
        return False
    return _same_words(a, b)


def _unprefixed(words: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Words without a first one that only wraps the program which the other command runs directly."""
    return words[1:] if len(words) > 1 and other and words[1] == other[0] and words[0] != other[0] else words


def _same_words(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Whether words that replaced each other are variants: another script is another goal."""
    for operation, a, b, c, d in difflib.SequenceMatcher(a=one, b=two, autojunk=False).get_opcodes():
        if operation != "replace" or b - a != d - c:
            continue
        for old, new in zip(one[a:b], two[c:d], strict=True):
            plain = not any(each[:1] == "-" and each != "-" for each in (old, new)) and not _PROSE.search(old + new)
            if plain and old not in new and new not in old and _similarity(old, new) < MIN_SIMILARITY:
                return False
    return True


def _same_place_goal(one: dict[str, object], two: dict[str, object], place: str) -> bool:
    before, after = str(one[place]), str(two[place])
    rest = [{name: value for name, value in each.items() if name != place} for each in (one, two)]
    if before == after:
        return True
    # In the right folder the name may have been further off.
    enough = MIN_SIMILARITY if _folder(before) == _folder(after) else MIN_NAME_SIMILARITY
    is_near = _last_segment(before) == _last_segment(after) or _similarity(_stem(before), _stem(after)) >= enough
    wanted = {name for name in rest[0] if name not in ("offset", "limit")}
    return (is_near or before.startswith(after) or after.startswith(before)) and all(
        rest[0][name] == rest[1].get(name) for name in wanted
    )


def _same_text_goal(one: dict[str, object], two: dict[str, object]) -> bool:
    """Whether two edits of a file are about the same part of it."""
    texts = [
        (one[name], two[name])
        for name in ("old_string", "new_string", "content", "new_source")
        if isinstance(one.get(name), str) and isinstance(two.get(name), str)
    ]
    return not texts or any(_overlap(str(a), str(b)) >= MIN_SIMILARITY for a, b in texts)


def _are_texts_similar(one: dict[str, object], two: dict[str, object]) -> bool:
    pairs = [(str(one[name]), str(two[name])) for name in one if name in two]
    return any(
        (len(a) > 8 and _overlap(a, b) >= MIN_SIMILARITY) or (len(a + b) < 80 and _similarity(a, b) >= MIN_SIMILARITY)
        for a, b in pairs
    )


def _overlap(one: str, two: str) -> float:
    """The share of the shorter text's words that the other has too."""
    a, b = Counter(one.split()), Counter(two.split())
    shorter = min(sum(a.values()), sum(b.values()))
    return sum((a & b).values()) / shorter if shorter else float(one.strip() == two.strip())


def _similarity(one: str, two: str) -> float:
    return difflib.SequenceMatcher(a=one, b=two, autojunk=False).ratio()


def _keeps_all(_: str) -> bool:
    return True


def call_difference(
    tool: str, before: str | None, after: str | None, keeps: Callable[[str], bool] = _keeps_all
) -> CallChange | None:
    """What was changed from one call to the other; None when nothing was, or too much to be one change.

    Words for which `keeps` returns False are ignored, as if they had stayed the same.
    """
    one, two = fields_of(before), fields_of(after)
    first, second = command_of(one), command_of(two)
    if first is not None and second is not None:
        return _command_difference(tool, first, second, keeps)
    removed: list[str] = []
    added: list[str] = []
    changed = 0
    for name in sorted({**one, **two}):
        if one.get(name) == two.get(name) or name in _IGNORED_FIELDS:
            continue
        if name in _TEXTS:
            if name != "new_string" and isinstance(one.get(name), str) and isinstance(two.get(name), str):
                added.append(f"{name}: {_how_texts_differ(str(one[name]), str(two[name]))}")
            continue
        was, now = list(filter(keeps, _describe_field(name, one))), list(filter(keeps, _describe_field(name, two)))
        changed += bool(was or now)
        removed += was
        added += now
    return _change(tool, removed, added) if changed <= MAX_FIELDS else None


def _command_difference(tool: str, first: str, second: str, keeps: Callable[[str], bool]) -> CallChange | None:
    one, two = (_without_comment(parse_command(line).tokens) for line in (first, second))
    if one == two:
        one, two = parse_command(first).moves, parse_command(second).moves
    removed, added = _word_difference(one, two)
    removed, added = [*filter(keeps, removed)], [*filter(keeps, added)]
    if sorted(one) == sorted(two) and one != two:
        return CallChange(tool=tool, removed=(" ".join(one[:MAX_WORDS]),), added=(" ".join(two[:MAX_WORDS]),))
    return _change(tool, removed, added) if len(removed) + len(added) <= MAX_WORDS else None


@lru_cache(maxsize=4096)
def _word_difference(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[list[str], list[str]]:
    a, b = Counter(one), Counter(two)
    return [word for word in one if a[word] > b[word]], [word for word in two if b[word] > a[word]]


def _without_comment(words: tuple[str, ...]) -> tuple[str, ...]:
    at = next((index for index, word in enumerate(words) if word == "#"), len(words))
    return words[:at]


def _change(tool: str, removed: Iterable[str], added: Iterable[str]) -> CallChange | None:
    old, new = tuple(removed), tuple(added)
    general = tuple(map(generalize, old)), tuple(map(generalize, new))
    # Where only paths or numbers differ, they are the lesson; elsewhere they differ every time.
    old, new = (old, new) if general[0] == general[1] else general
    return CallChange(tool=tool, removed=old, added=new) if old != new else None


def _describe_field(name: str, fields: dict[str, object]) -> list[str]:
    value = fields.get(name)
    if value is None:
        return []
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, list):
        return [f"{name}: {len(value)} of them"]
    return [f"{name}={text}" if len(text) <= _LONG else f"{name}: {len(text) // _LONG * _LONG} characters"]


def _how_texts_differ(one: str, two: str) -> str:
    if one.split() == two.split():
        return "only the white space"
    lines = len(two.splitlines()) - len(one.splitlines())
    if two.strip() in one or (lines < 0 and _overlap(one, two) >= MIN_SIMILARITY):
        return "fewer lines"
    if one.strip() in two or (lines > 0 and _overlap(one, two) >= MIN_SIMILARITY):
        return "more lines"
    return "other words"


def generalize(text: str) -> str:
    """A word without paths and numbers, which differ every time."""
    return _VALUES.sub("…", text) if len(text) > 40 or "/" in text else text


def _stem(path: str) -> str:
    return _last_segment(path).rpartition(".")[0] or _last_segment(path)


def _folder(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


def _last_segment(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]
