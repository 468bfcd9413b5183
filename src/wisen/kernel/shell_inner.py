"""Reads the scripts inside a command line: what shells, `eval`, `find`, pipes and functions run.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_output import expand_braces, is_output_of_program, is_text_maker, output_of
from .shell_runs import (
    MAX_WRAPPERS,
    SHELLS,
    SOURCES,
    CommandRun,
    commands_of_find,
    folder_after,
    inline_script,
    is_wrapper,
    views_of,
    written_files,
    xargs_placeholder,
)
from .shell_words import GENERATED_SCRIPT, MAX_DEPTH, TOO_DEEP, UNKNOWN, HereDocument, Lexer, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPT_DEPTH = 7
"""How many levels a nested script counts: each is read again, and few levels suffice."""
_ASSIGNING_COMMANDS = frozenset(
    "export declare typeset local readonly read mapfile readarray unset getopts let printf".split()
)
"""Commands that assign variables."""
_ARGUMENTS = ('"$@"', "$@", "$*", '"$*"', '"$1"', "$1", '"${@}"', "${@}")
"""How a function runs the command that it is given."""
_MAX_LOOP_VALUES = 16
"""The maximum number of values of a loop variable that are considered."""


class InnerScripts(Lexer):
    """What a reader of command lines knows about the commands that it found."""

    def __init__(self, text: str, variables: dict[str, str], depth: int, at: int | None) -> None:
        super().__init__(text, variables, depth, at)
        self.found: list[CommandRun] = []
        self.aliases: dict[str, str] = {}
        self.folder = ""
        self.choices: dict[str, list[str]] = {}
        """The values of loop variables."""
        self.functions: list[str] = []
        self.upstream: list[tuple[CommandRun | None, list[HereDocument], list[str]]] = []
        """The earlier commands of the same pipe, with the texts that they are given."""

    def read_script(self, until: str) -> None:
        """Read commands up to the end, or to a closing mark."""
        raise NotImplementedError

    def make_reader(self, script: str, depth: int, variables: dict[str, str], aliases: dict[str, str]) -> InnerScripts:
        """A reader of a text that is not in the line as it is."""
        raise NotImplementedError

    def inherit(self, outer: InnerScripts) -> None:
        """Copy what the outer reader knows."""
        self.folder, self.choices, self.functions = outer.folder, dict(outer.choices), list(outer.functions)

    def absorb(self, inner: InnerScripts) -> list[CommandRun]:
        """Add what an inner reader has found."""
        self.found += inner.found
        self.unread += inner.unread
        return inner.found

    def read_inner_script(self, script: str, *, here: bool = False) -> None:
        """Read a script made of a word, which is not in the line as it is. Another shell has its own variables."""
        known, aliases = (self.variables, self.aliases) if here else ({}, {})
        inner = self.make_reader(script, self.depth + _SCRIPT_DEPTH, known, aliases)
        inner.folder = self.folder
        if here:
            inner.inherit(self)
        inner.read_script("")
        self.absorb(inner)

    def read_piped_script(self) -> None:
        """Read what is piped into a shell, as far as it is in the line."""
        if not self.upstream:
            return
        run, documents, given = self.upstream[0]
        printed = output_of([run]) if run else None
        straight = all(each and is_plain_copy(each) for each, _, _ in self.upstream[1:])
        if straight and run and (printed is not None or ((documents or given) and is_plain_copy(run))):
            for document in documents:
                document.is_script = True
            for each in given if printed is None else [printed]:
                self.read_inner_script(each)
        elif run is None or documents or given or printed is not None or _makes_text(run):
            self.unread.append(GENERATED_SCRIPT)

    def sources_input(self, run: CommandRun) -> bool:
        """Whether a command reads its script from standard input as if it were a file."""
        texts = [word.text for word in run.views[-1]]
        return texts[0] in (*SOURCES, *SHELLS) and texts[1:2] in (["/dev/stdin"], ["-"], ["/dev/fd/0"])

    def record_run(self, words: list[Word], writes: list[str]) -> CommandRun | None:
        """Record a simple command, and what it runs itself."""
        words = [each for word in words for each in self._split(word)]
        if words and words[0].raw in self.aliases and words[0].raw:
            reader = self.make_reader(self.aliases[words[0].raw], self.depth + 1, self.variables, {})
            words = [*reader.read_words(), *words[1:]]
        if not words and not writes:
            return None
        for each in self._loop_programs(words):
            run = self._record([Word(each, 0, 0), *words[1:]], [])
        if len(words) == 1 and words[0].raw in _ARGUMENTS and self.functions:
            return None  # it is run with the arguments of the function's caller
        run = self._record(words, writes)
        if words and words[0].text in self.functions and len(words) > 1:
            self._record(words[1:], [])
        return run

    def _record(self, words: list[Word], writes: list[str]) -> CommandRun:
        replaced = xargs_placeholder(words)
        if replaced:
            words = [_fill_placeholder(word, replaced) for word in words]
        views = list(views_of(words))
        last = views[-1] if views else words
        program = last[0].text.rsplit("/", 1)[-1] if last else ""
        if len(views) == MAX_WRAPPERS and is_wrapper(program):
            self.unread.append(TOO_DEEP)
        run = CommandRun(views, [*writes, *written_files(program, last)], self.folder)
        self.found.append(run)
        if last:
            self._read_inner(program, last)
        return run

    def _loop_programs(self, words: list[Word]) -> list[str]:
        """The programs that a loop variable stands for, where it is the command."""
        if not words or UNKNOWN not in words[0].text:
            return []
        name = words[0].raw.strip('"').removeprefix("$").strip("{}")
        chosen = self.choices.get(name, [])
        if (
            not chosen
            or len(chosen) > _MAX_LOOP_VALUES
            or self.variables.get(name) != UNKNOWN
            or UNKNOWN in "".join(chosen)
        ):
            return []
        words[0] = Word(chosen[-1], 0, 0)
        return chosen[:-1]

    def _split(self, word: Word) -> Iterator[Word]:
        """Split an unquoted word by its variables and braces; it may become several words, or none."""
        raw = word.raw
        quoted = any(char in raw for char in "'\"\\")
        whole = (raw.startswith("$(") and raw.endswith(")")) or (raw[:1] == raw[-1:] == "`" and len(raw) > 1)
        if "{" in raw and "," in raw and not quoted and "$" not in raw and "`" not in raw:
            words = expand_braces(word.text)
            yield from [word] if len(words) == 1 else [Word(each, 0, 0) for each in words if each]
            return
        if ("$" not in raw and "`" not in raw) or (quoted and not whole) or len(word.text.split()) == 1:
            yield word
            return
        for piece in word.text.split():
            yield Word(piece, 0, 0)

    def read_words(self) -> Iterator[Word]:
        """Read all remaining words."""
        while self.position < len(self.text):
            self.skip_spaces()
            before = self.position
            if before < len(self.text):
                yield self.read_word()
            self.position += self.position == before

    def _read_inner(self, program: str, last: list[Word]) -> None:
        """Read what a command runs itself: another shell, evaluated words, and what `find` runs."""
        words = [word.text for word in last]
        if program in SHELLS or program in SOURCES:
            self._read_shell(last)
        elif program == "eval":
            if not any(map(is_output_of_program, last[1:])):
                self.read_inner_script(" ".join(words[1:]), here=True)
        elif program == "trap" and len(words) > 2:
            self.read_inner_script(next((each for each in words[1:] if each[:1] != "-"), ""), here=True)
        elif program in ("su", "script", "runuser") and "-c" in words[:-1]:
            self.read_inner_script(words[words.index("-c") + 1])
        elif program == "env":
            self._split_string(words)
        elif program == "find":
            self._read_find(words)
        else:
            self._apply_builtin(program, words)

    def _apply_builtin(self, program: str, words: list[str]) -> None:
        """Apply what a command changes in the shell that runs it."""
        if program == "cd":
            self.folder = folder_after(self.folder, words)
        elif program == "alias":
            for each in words[1:]:
                name, sign, value = each.partition("=")
                if sign:
                    self.aliases[name] = value
        elif program in _ASSIGNING_COMMANDS:
            for each in words[1:]:
                name, sign, value = each.partition("=")
                self.variables[name] = value if sign and program == "export" else UNKNOWN

    def _split_string(self, words: list[str]) -> None:
        for at, each in enumerate(words):
            mark = next((mark for mark in ("--split-string=", "--split-string", "-S") if each.startswith(mark)), None)
            if at and mark:
                self.read_inner_script(" ".join([each[len(mark) :], *words[at + 1 :]]))
                return

    def _read_shell(self, words: list[Word]) -> None:
        script = inline_script([Word(each.text, 0, 0) for each in words])
        if script and not any(is_output_of_program(each) for each in words if each.text == script):
            self.read_inner_script(script)
        for each in words[1:]:
            if each.raw.startswith("<("):
                inner = self.make_reader(each.raw[2:-1], self.depth + _SCRIPT_DEPTH, dict(self.variables), {})
                inner.read_script("")
                printed = output_of(inner.found)
                if printed is not None:
                    self.read_inner_script(printed)
                elif any(map(_makes_text, inner.found)) or any(texts or given for _, texts, given in inner.upstream):
                    self.unread.append(GENERATED_SCRIPT)

    def _read_find(self, words: list[str]) -> None:
        self.depth += _SCRIPT_DEPTH
        if self.depth > MAX_DEPTH:
            self.unread.append(TOO_DEEP)
        for called in commands_of_find(words) if self.depth <= MAX_DEPTH else ():
            self.record_run([Word(each, 0, 0) for each in called], [])
        self.depth -= _SCRIPT_DEPTH


def is_plain_copy(run: CommandRun) -> bool:
    """Whether a command passes on its input unchanged."""
    words = [word.text for word in run.views[-1]] if run.views else [""]
    return words[0].rsplit("/", 1)[-1] in ("cat", "tee") and all(each == "-" or each[:1] == "-" for each in words[1:])


def _makes_text(run: CommandRun) -> bool:
    """Whether a command makes a text from its own words: a program's code, or what it prints."""
    words = [word.text for word in run.views[-1]] if run.views else []
    return bool(words) and is_text_maker(run) and (bool(run.code) or words[0].rsplit("/", 1)[-1] in ("echo", "printf"))


def _fill_placeholder(word: Word, replaced: str) -> Word:
    """A word with the unknown in place of the `xargs` placeholder; the option that names it stays."""
    if word.text in (replaced, f"-I{replaced}") and word.text != replaced:
        return word
    return Word(word.text.replace(replaced, UNKNOWN), 0, 0, word.raw) if replaced in word.text else word
