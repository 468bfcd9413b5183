"""Matches calls against the patterns that guards watch for, and builds the corrected call.

Plain Python that imports only kernel files, because the hook client loads it inside an agent's turn; the backtest uses
the same code.
"""

from __future__ import annotations

from .scripts import LineReading, read_line
from .shell_words import UNKNOWN, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .shell_runs import CommandRun

EDITORS = frozenset(
    "Edit Write MultiEdit NotebookEdit edit write write_file replace patch apply_patch str_replace_editor".split()
)
"""The tools that change files, by the names that agents give them."""
READERS = frozenset("Read read read_file view_file".split())
ANY = "*"
GAP = "..."
"""Stands in a pattern for any words."""
_PATH_FIELDS = ("file_path", "notebook_path", "path", "filePath")
_PATCHERS = ("apply_patch", "patch")
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_CLUSTERS = frozenset("rm cp mv ls ln git grep chmod chown mkdir kill tar docker du sort".split())
"""Programs whose single-letter options may be combined."""
VALUE_OPTIONS = {
    "git": "-C -c --git-dir --work-tree --namespace",
    "npm": "--prefix -C -w --workspace",
    "pnpm": "-C --dir --filter -F",
    "yarn": "--cwd",
    "bun": "--cwd --filter",
    "make": "-C -f --directory --file",
    "docker": "-H --context --config",
    "kubectl": "-n --namespace --context --kubeconfig",
    "cargo": "--manifest-path -Z --config",
    "go": "-C",
    "gh": "-R --repo",
    "uv": "--project --directory",
    "poetry": "-C --directory -P --project",
}
"""Options that take a value and may come before a subcommand."""
_MAX_LINE = 400


class WatchedCall:
    """A call that is about to be made, or was."""

    __slots__ = ("_reading", "cwd", "fields", "home", "line", "tool")

    def __init__(self, tool: str, fields: dict[str, object], cwd: str = "", home: str = "") -> None:
        self.tool, self.fields, self.cwd, self.home = tool, fields, cwd, home
        self.line = _line(fields)
        self._reading: LineReading | None = None

    @property
    def reading(self) -> LineReading:
        """What its command line says, and whether all of it could be read."""
        if self._reading is None:
            self._reading = read_line(self.line) if self.line else LineReading([], [])
        return self._reading

    @property
    def runs(self) -> list[CommandRun]:
        """The simple commands that it runs; none where it runs no command."""
        return self.reading.runs

    @property
    def guard_keys(self) -> set[str]:
        """The keys of the guards that may watch for it."""
        found = {f"tool:{self.tool}"}
        if self.line:
            found.add("shell:*")
            found.update(
                f"shell:{name}" for run in self.runs for view in run.views for name in _program_names(view[0].text)
            )
        if self.tool in EDITORS or any(run.writes for run in self.runs):
            found.add("edit:")
        if self.tool in READERS:
            found.add("read:")
        return found


class PatternHit:
    """A match of a pattern: the words of the command that the pattern's words stand for, in their order."""

    __slots__ = ("words",)

    def __init__(self, words: list[Word]) -> None:
        self.words = words


def watch_keys(watch: dict[str, object]) -> list[str]:
    """The keys under which a watch is stored."""
    on = str(watch["on"])
    if on == "shell":
        first = _texts(watch["words"])[0]
        return sorted({f"shell:{ANY if _is_glob(each) else each}" for each in first.split("|")})
    return [f"{on}:"] if on in ("edit", "read") else [f"tool:{on}"]


def find_hits(watch: dict[str, object], call: WatchedCall) -> list[PatternHit]:
    """Where a call matches a watch; empty where it does not."""
    on = str(watch["on"])
    if on == "shell":
        words = _texts(watch["words"])
        return [hit for run in call.runs if (hit := _find_hit(words, run)) is not None]
    if on in ("edit", "read"):
        glob = str(watch["glob"])
        return (
            [PatternHit([])] if any(path_matches(glob, path, call.cwd, call.home) for path in _paths(on, call)) else []
        )
    wanted = watch["fields"]
    if call.tool != on or not isinstance(wanted, dict):
        return []
    return (
        [PatternHit([])]
        if all(_field_matches(call.fields.get(name), str(glob)) for name, glob in wanted.items())
        else []
    )


def corrected_line(watch: dict[str, object], better: Sequence[str], call: WatchedCall) -> str:
    """The command line with the better words in place of the others; empty where that is not certain."""
    if watch["on"] != "shell" or not better or not call.line or any(map(_is_pattern, better)):
        return ""
    words = _texts(watch["words"])
    same = _common_prefix(words, better)
    back = min(_common_prefix(words[same:][::-1], better[same:][::-1]), len(words) - same, len(better) - same)
    removed, new = range(same, len(words) - back), better[same : len(better) - back]
    if GAP in words or "…" in words or len(call.line) > _MAX_LINE or any(_is_glob(words[each]) for each in removed):
        return ""  # the matched words would be lost
    edits: list[tuple[int, int, str]] = []
    for hit in find_hits(watch, call):
        if any(word.end == 0 for word in hit.words):
            return ""  # it is in a script that another command runs
        if any(_is_option(words[each]) and hit.words[each].text not in words[each].split("|") for each in removed):
            return ""  # it has a value, or is combined with others
        spans = [(hit.words[each].start, hit.words[each].end) for each in removed]
        if not spans:
            at = hit.words[same - 1].end if same else hit.words[0].start
            edits.append((at, at, " ".join(["", *new] if same else [*new, ""])))
        edits += [(start, end, " ".join(new) if number == 0 else "") for number, (start, end) in enumerate(spans)]
    line, last = call.line, len(call.line)
    for start, end, put in sorted(edits, reverse=True):
        if end > last:
            return ""
        line, last = _replace_span(line, start, end, put), start
    corrected = WatchedCall(call.tool, {**call.fields, "command": line}, call.cwd, call.home)
    return "" if line == call.line or find_hits(watch, corrected) else line


def path_matches(glob: str, path: str, cwd: str, home: str = "") -> bool:
    """Whether a path matches a glob: `/` and `~` begin at the root and at home, `./` in the working directory.

    Any other glob matches at any depth; one that matches a folder matches everything below it.
    """
    whole = _absolute(path, cwd, home)
    if glob.startswith(("/", "~", "./")):
        return _path_starts_with(_segments(_absolute(glob, cwd, home)), _segments(whole))
    here = _segments(whole)
    inside = _segments(cwd) if cwd and whole.startswith(cwd.rstrip("/") + "/") else []
    wanted = _segments(glob)
    return any(_path_starts_with(wanted, here[at:]) for at in range(len(inside), len(here)))


def _find_hit(words: list[str], run: CommandRun) -> PatternHit | None:
    for view in run.views:
        found = _match_words(words, view)
        if found is not None:
            return PatternHit(found)
    return None


def _match_words(pattern: list[str], view: list[Word]) -> list[Word] | None:
    """The words that a pattern's words stand for; None where it does not match.

    Options may be anywhere after the program; everything else is in order, with only options in between.
    """
    if not any(_word_matches(pattern[0], name) for name in _program_names(view[0].text)):
        return None
    found: dict[int, Word] = {0: view[0]}
    program = view[0].text.rsplit("/", 1)[-1]
    plain = [at for at, word in enumerate(pattern) if at and not _is_option(word)]
    if not _match_in_order([pattern[at] for at in plain], plain, view, found, program):
        return None
    for at, word in enumerate(pattern):
        if at and _is_option(word):
            option = _find_option(word, view, program)
            if option is None:
                return None
            found[at] = option
    return [found.get(at, view[0]) for at in range(len(pattern))]


def _match_in_order(plain: list[str], at: list[int], view: list[Word], found: dict[int, Word], program: str) -> bool:
    takes = VALUE_OPTIONS.get(program, "").split()
    position, free = 1, False
    for number, wanted in enumerate(plain):
        if wanted in (GAP, "…"):
            free = True
            continue
        while position < len(view):
            text = view[position].text
            if _word_matches(wanted, text):
                break
            if text[:1] == "-" and len(text) > 1:
                position += 2 if text in takes else 1
            elif free:
                position += 1
            else:
                return False
        if position >= len(view):
            return False
        found[at[number]] = view[position]
        position, free = position + 1, False
    return True


def _find_option(wanted: str, view: list[Word], program: str) -> Word | None:
    """Where an option is: as it is, with its value after `=`, or among combined letters."""
    for word in view[1:]:
        if word.text == "--":
            return None
        for each in wanted.split("|"):
            if (
                word.text == each
                or word.text.startswith(f"{each}=")
                or (_is_glob(each) and _glob_matches(each, word.text))
            ):
                return word
            if (
                program in _CLUSTERS
                and word.text[:1] == "-" != word.text[1:2]
                and each[1:2] != "-"
                and word.text[1:].isalpha()
                and set(each[1:]) <= set(word.text[1:])
            ):
                return word
    return None


def _word_matches(wanted: str, text: str) -> bool:
    if wanted == ANY:
        return True
    if UNKNOWN in text:
        return False
    return any(_glob_matches(each, text) if _is_glob(each) else each == text for each in wanted.split("|"))


def _program_names(word: str) -> tuple[str, ...]:
    """The names of a program: as it is written, and without its folder."""
    short = word.rsplit("/", 1)[-1]
    return (word,) if short == word else (word, short)


def _paths(on: str, call: WatchedCall) -> Iterator[str]:
    """The files that a call would change, or read."""
    if call.tool in (EDITORS if on == "edit" else READERS):
        for name in _PATH_FIELDS:
            value = call.fields.get(name)
            if isinstance(value, str):
                yield value
        for value in call.fields.values() if call.tool in _PATCHERS else ():
            for line in value.splitlines() if isinstance(value, str) else ():
                yield from (line[len(mark) :].strip() for mark in _PATCHED if line.startswith(mark))
    if on == "edit":
        for run in call.runs:
            for path in run.writes:
                if run.folder != UNKNOWN and not path.startswith(("/", "~")) and run.folder:
                    yield f"{run.folder}/{path}"
                else:
                    yield path


def _field_matches(value: object, glob: str) -> bool:
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return _glob_matches(glob, text)


def _line(fields: dict[str, object]) -> str:
    """The command line in the arguments of a call, under the names that agents use; empty where it runs nothing."""
    for name in ("command", "cmd", "script"):
        value = fields.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            if len(value) > 2 and value[1] in ("-c", "-lc"):
                return str(value[2])
            return " ".join("'" + each.replace("'", "'\\''") + "'" if _needs_quotes(each) else each for each in value)
    return ""


def _needs_quotes(word: str) -> bool:
    return not word or any(char in " \t\n;&|()<>'\"\\$`#" for char in word)


def _absolute(path: str, cwd: str, home: str) -> str:
    if path.startswith("~/") and home:
        path = f"{home.rstrip('/')}/{path[2:]}"
    elif not path.startswith("/"):
        path = f"{cwd.rstrip('/')}/{path}"
    parts: list[str] = []
    for each in path.split("/"):
        if each == "..":
            del parts[-1:]
        elif each not in ("", "."):
            parts.append(each)
    return "/" + "/".join(parts)


def _segments(path: str) -> list[str]:
    return [each for each in path.split("/") if each not in ("", ".")]


def _path_starts_with(wanted: list[str], path: list[str]) -> bool:
    """Whether a path begins with what a glob asks for."""
    at = here = star = mark = 0
    while at < len(wanted):
        if wanted[at] == "**":
            at += 1
            star, mark = at, here
        elif here < len(path) and _glob_matches(wanted[at], path[here]):
            at, here = at + 1, here + 1
        elif star and mark < len(path):
            mark += 1
            at, here = star, mark
        else:
            return False
    return wanted[-1:] != ["**"] or here < len(path)


def _glob_matches(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern in which `*` stands for anything and `?` for one character."""
    at = star = mark = 0
    starred = False
    for_text = 0
    while for_text < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, mark, starred = at, for_text, True
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", text[for_text]):
            at, for_text = at + 1, for_text + 1
        elif starred:
            mark += 1
            at, for_text = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")


def _is_glob(word: str) -> bool:
    return "*" in word or "?" in word


def _is_pattern(word: str) -> bool:
    return _is_glob(word) or "|" in word or word in (GAP, "…")


def _is_option(word: str) -> bool:
    return word[:1] == "-" and len(word) > 1


def _common_prefix(one: Sequence[str], two: Sequence[str]) -> int:
    """The number of words that two sequences have in common at the beginning."""
    many = 0
    while many < min(len(one), len(two)) and one[many] == two[many]:
        many += 1
    return many


def _replace_span(line: str, start: int, end: int, words: str) -> str:
    """A line with other words in a span; where there are none, the spaces after it are removed too."""
    if not words:
        while end < len(line) and line[end] in " \t":
            end += 1
    return f"{line[:start]}{words}{line[end:]}"


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
