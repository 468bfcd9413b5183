"""Chooses the words by which a call is recognized again: neither too common to be useful nor too specific to match."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.kernel.call_names import SHELL, call_names, kind_of
from wisen.kernel.matching import EDITORS
from wisen.kernel.word_stems import EMPTY
from wisen.safety import invisible_characters, sentinel
from wisen.text.command_lines import READERS, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.kernel.matching import WatchedCall
    from wisen.model.directive import Trigger
    from wisen.text.command_lines import Part

MAX_DESCRIPTION = 80
"""Characters of the description of a call."""
_COMMON_WORDS = EMPTY | frozenset(
    "add added adding additional agent all another api app apply approach around ask asked back bad base because"
    " before behavior best better between bit both branch break broken bug build builds call called calls can case"
    " cases change changed changes check checks class clean clear code come command commands comment comments commit"
    " commits common complete config content context continue copy correct could create created current currently data"
    " default delete different directory doc docs does done down each edit else empty end error errors even every"
    " example exist existing expect explain extra fail failed fails failing false feature few field file files final"
    " find fine first fix fixed folder follow following format found from full function functions general generate"
    " give good handle happen have help here how idea implement implementation import include info input inside"
    " install instead issue issues item just keep key kind know last later leave left less level like line lines list"
    " little local log logic logs long look looks lot main many master maybe mean message messages method might minor"
    " missing mode model module more most move much name names need never new next nice node note nothing now number"
    " object off old once only open option options order other output over own package page param part pass path"
    " phase place plan please point possible post pr pre present previous print probably problem process project"
    " prompt proper provide pull push put question read real really reason recent refactor related release remove"
    " repo repository request require required rest result results return review right root rule run running runs same"
    " save say screen script second section see seem seems send server service session sessions set setting settings"
    " setup shell short should show side simple since single skip small some source spec specific start started state"
    " status step still stop string structure style such support sure system take task tasks team tell test tested"
    " testing tests text than thing things think time title todo together tool tools top total true try trying turn"
    " two type types under understand unit until update updated use used user users using valid value values variable"
    " version view wait want warning way well where whether whole why will with without wont word words work working"
    " works worktree write wrong your src lib bin tmp dist com www http https org net github git python npm true"
    " null none bash sh cd yes not and the for you are was".split()
)
"""Words for any kind of work: a call that contains one is not special."""
_EVERYDAY_PROGRAMS = READERS | frozenset(
    "mise make npm pnpm yarn bun npx node python python3 go cargo uv poetry docker".split()
)
"""Programs that are used all day: their name alone is not enough."""
_SCRIPTED = frozenset("python python3 node bash sh zsh ruby perl deno tsx ts-node npx uvx pipx go".split())
_COMMON_FILES = frozenset(
    "index main mod lib types utils util helpers constants config settings readme __init__ setup page layout app test"
    " tests conftest package makefile dockerfile license changelog todo claude agents".split()
)
"""File names that exist in many folders: their folder is needed too."""
_RUNS = ("run", "exec", "x", "dlx", "-m")
_NAME = lazy_regex(r"`([^`\n]{2,80})`|[\w./@:+-]{2,80}", re.UNICODE)
_CAMEL_CASE = lazy_regex(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_MARKED = lazy_regex(r"[_./:-]|\d")
_TRANSIENT = lazy_regex(
    r"^[0-9a-f]{7,}$|^\d[\d.,:%-]*$|^/?(?:private/)?tmp/|^/var/folders/|^[0-9a-f]{8}-[0-9a-f]{4}-|\d{4}-\d\d-\d\d|\d{6,}"
    r"|^[A-Z0-9]{20,}$|:\d+(?::\d+)?$",
    re.IGNORECASE,
)
"""What differs next time: hashes, numbers, times, temporary paths, line numbers."""
_PLAIN = lazy_regex(r"[\w./@:+=,%~-]{1,60}\Z", re.ASCII)
_SUBCOMMAND = lazy_regex(r"[A-Za-z][\w:.@-]{1,30}\Z")
_DISTINCTIVE_OPTION = lazy_regex(r"--[a-z][\w-]{2,30}")
_PATHS = ("file_path", "notebook_path", "path", "filePath")


def names_in(text: str) -> frozenset[str]:
    """The names in what a user typed, in lowercase: of files, of code, and what is marked as code."""
    found = set[str]()
    for match in _NAME.finditer(text[:4_000]):
        word = (match[1] or match[0]).strip(" .,:-/@+")
        if match[1] and " " in word:
            found |= {each.casefold() for each in word.split() if is_distinctive(each.casefold())}
            continue
        inner = word[1:-1] if len(word) > 2 else ""
        if match[1] or _MARKED.search(inner) or _CAMEL_CASE.search(word) or (word.isupper() and len(word) > 3):
            found.add(word.casefold())
            found.add(word.casefold().rsplit("/", 1)[-1])
    return frozenset(filter(is_distinctive, found))


def is_distinctive(word: str) -> bool:
    """Whether a word distinguishes calls: it is neither common nor different every time."""
    return len(word) > 2 and word not in _COMMON_WORDS and not _TRANSIENT.search(word)


def command_words(
    call: WatchedCall, mentioned: set[str], named: frozenset[str], *, must_name: bool
) -> list[tuple[str, ...]]:
    """The words of a command, from few to many: program and subcommand, then what distinguishes it from others."""
    parts = [part for part in parse_command(call.line).working if part.program and _SUBCOMMAND.match(part.program)]
    best = max(parts, key=lambda part: len(_mentioned_words(part, mentioned, named)), default=None)
    if best is None:
        return []
    shared = _mentioned_words(best, mentioned, named)
    if not shared:
        if must_name:
            return []
        best = parts[-1]
    head = best.head.casefold().split()
    if best.program in _SCRIPTED and len(head) == 1:
        head += [word for word in map(_last_segment, best.words[1:]) if is_distinctive(word) and word[:1] != "-"][:1]
    more = [each for each in (*shared, *_distinctive_words(best)) if each not in head]
    more = list(dict.fromkeys(more))
    rows = [(*head, *more[:count]) for count in range(3) if count <= len(more)]
    if must_name:
        rows = [row for row in rows if set(shared) & set(row)]
    return [row for row in rows if not _is_too_broad(row, best)]


def path_words(call: WatchedCall, named: frozenset[str], *, must_name: bool) -> list[tuple[str, ...]]:
    """A file by its name, by its folder too, and by names in its change that the user mentioned."""
    path = path_of(call).casefold()
    parts = [each for each in path.split("/") if each]
    if not parts or _TRANSIENT.search(path.removeprefix("/")):
        return []
    last, ends = parts[-1], "/".join(parts[-2:])
    own_names = {last, last.rsplit(".", 1)[0], ends}
    is_named = bool(own_names & named)
    if must_name and not is_named and call.tool not in EDITORS:
        return []
    names = call_names(call)[0] if named else set[str]()
    inside = sorted((named & names) - own_names - {call.tool.casefold()}, key=lambda each: (-len(each), each))
    if must_name and not is_named:
        return [(each,) for each in inside[:1]]
    rows = [] if last.rsplit(".", 1)[0] in _COMMON_FILES or len(parts) < 2 else [(last,)]
    rows += [(ends,)] if len(parts) > 1 else []
    return [*rows, *((ends, each) for each in inside[:1])]


def path_of(call: WatchedCall) -> str:
    """The file that a call is about; empty where it names none."""
    found = (call.fields.get(name) for name in _PATHS)
    return next((each for each in found if isinstance(each, str) and each), "")


def prompt_words(trigger: Trigger) -> tuple[str, ...]:
    """The words of a prompt that leads to such a call; with the program where the rest are common words."""
    if kind_of(trigger.tool) != SHELL:
        return trigger.words
    rest = tuple(word.strip("-") for word in trigger.words[1:] if word not in _RUNS)
    return rest if any(map(is_distinctive, rest)) else (trigger.words[0], *rest)


def describe_call(call: WatchedCall) -> str:
    """What the agent did, in our words: only plain words of the call are used, none of its texts."""
    if call.line:
        part = parse_command(call.line).main_part
        words = [word if _PLAIN.match(word) else "…" for word in part.words[:8]]
        text = f"ran {' '.join(_without_repeats(words))}"
    elif path := path_of(call):
        parts = [each for each in path.split("/") if each][-3:]
        shown = "/".join(each if _PLAIN.match(each) else "…" for each in parts)
        text = f"{'edited' if call.tool in EDITORS else 'looked at'} {shown}"
    else:
        text = f"used {call.tool if _PLAIN.match(call.tool) else 'a tool'}"
    return _truncate(sentinel.strip(invisible_characters.remove_invisible(text)))


def _without_repeats(words: list[str]) -> Iterator[str]:
    before = ""
    for word in words:
        if word != before or word != "…":
            yield word
        before = word


def _truncate(text: str) -> str:
    text = " ".join(text.split())
    return (
        text
        if len(text) <= MAX_DESCRIPTION
        else f"{text[: MAX_DESCRIPTION - 2].rsplit(' ', 1)[0][: MAX_DESCRIPTION - 2]} …"
    )


def _mentioned_words(part: Part, mentioned: set[str], named: frozenset[str]) -> list[str]:
    """The words of a command that the user mentioned too: its subcommand, and names."""
    head = part.head.casefold().split()
    sub = [word for word in head[1:] if word in mentioned and len(word) > 2 and word not in ("run", "exec")]
    rest = [end for end in map(_last_segment, part.words[1:]) if end in named and end not in head]
    return [*sub, *rest]


def _distinctive_words(part: Part) -> Iterator[str]:
    for word in part.words[1:]:
        if option := _DISTINCTIVE_OPTION.match(word):
            yield option[0].casefold()
        elif (
            word[:1] != "-"
            and _PLAIN.match(word)
            and is_distinctive(_last_segment(word))
            and _MARKED.search(word[1:-1])
        ):
            yield _last_segment(word)


def _last_segment(word: str) -> str:
    return word.casefold().rstrip("/").rsplit("/", 1)[-1]


def _is_too_broad(row: tuple[str, ...], part: Part) -> bool:
    """Whether such calls are made every day."""
    if part.only_reads:
        return len(row) < 3 or not any(is_distinctive(each) for each in row[1:])
    return len(row) < 2 or (row[0] in _EVERYDAY_PROGRAMS and row[1] in _RUNS and len(row) < 3)
