"""Reads which commands a command line runs, as a shell does: quotes, chains, subshells, wrappers, here-documents.

It runs nothing and never fails: what only the shell can know (a variable, the output of another command) is UNKNOWN
and matches nothing. Not understood, and so not matched: file name patterns, array values, another `IFS`, and what a
variable holds in later rounds of a loop. Unread parts are reported (`LineReading.unread`): unread is not harmless.
Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_inner import InnerScripts
from .shell_output import output_of
from .shell_runs import CommandRun, inline_script, is_assignment, reads_code_from_input
from .shell_variables import Variables
from .shell_words import ENDS, TOO_LONG, UNKNOWN, HereDocument, Word

MAX_LENGTH = 1 << 16
"""Characters that are read; a longer line holds data."""
_OPENERS = frozenset("if then else elif while until do ! { time coproc".split())
"""Keywords that a command follows."""
_CLOSERS = frozenset("fi done esac }".split())
_SEPARATORS = {";": (";;&", ";;", ";&", ";"), "&": ("&&", "&"), "|": ("||", "|&", "|"), "\n": ("\n",)}
"""Separators between commands, by their first character."""


class LineReading:
    """The result of reading a command line."""

    __slots__ = ("runs", "unread")

    def __init__(self, runs: list[CommandRun], unread: list[str]) -> None:
        self.runs, self.unread = runs, unread
        """`unread`: why parts of it could not be read; each may run anything."""


def read_line(line: str) -> LineReading:
    """The simple commands that a command line runs, and what of it was not read."""
    reader = _Reader(line[:MAX_LENGTH], 0, {}, {}, at=0)
    reader.read_script("")
    return LineReading(reader.found, [*([TOO_LONG] if len(line) > MAX_LENGTH else []), *reader.unread])


class _Reader(InnerScripts):
    """A command line, read once from left to right."""

    def __init__(
        self, text: str, depth: int, variables: dict[str, str], aliases: dict[str, str], *, at: int | None
    ) -> None:
        super().__init__(text, variables, depth, at)
        self.aliases, self.shell = aliases, Variables(variables)
        self.last_separator = ""
        """The separator between the last command and the next."""
        self.pending_documents: list[HereDocument] = []
        self.expects_function_body = False
        """Whether the next block is the body of a function."""

    def read_script(self, until: str) -> None:
        """Read commands up to the end, or to a closing mark."""
        while self.position < len(self.text):
            self.skip_blanks()
            if self.position >= len(self.text):
                return
            if until and self.text.startswith(until, self.position):
                self.position += len(until)
                return
            before = self.position
            self.read_command()
            if self.position == before:
                self.position += 1  # a mark that opens nothing here

    def read_command(self) -> None:
        """Read one simple command, with what is nested in it."""
        words: list[Word] = []
        writes: list[str] = []
        given: list[str] = []
        first_document = len(self.pending_documents)
        if self.last_separator not in ("|", "|&"):
            self.upstream = []
        while not self._at_command_end():
            if self.text[self.position] == "#" and not self._inside_word():
                self.skip_line()
            elif self.text[self.position] == "(":
                if not self._parenthesis(words):
                    break
            elif not self._redirection(writes, given):
                self._next_word(words)
        self.shell.keep_certain(self.last_separator, self._separator_here())
        run = self.record_run(words, writes)
        if run is not None and run.views:
            self._given(run, self.pending_documents[first_document:], given)
        self.upstream.append((run, self.pending_documents[first_document:], given))
        self._skip_separator()

    def _given(self, run: CommandRun, documents: list[HereDocument], given: list[str]) -> None:
        """What a command is given to run on its standard input."""
        if inline_script(run.views[-1]) == "" or self.sources_input(run):
            for document in documents:
                document.is_script = True
            for each in given:
                self.read_inner_script(each)
            if not documents and not given:
                self.read_piped_script()
        elif reads_code_from_input(run.views[-1]):
            run.code += "\n".join(given)
            for document in documents:
                document.coded = run

    def _next_word(self, words: list[Word]) -> None:
        """Read a word of a command, unless it is a shell keyword or an assignment."""
        word = self.read_word()
        if words:
            words.append(word)
        elif is_assignment(word.raw):
            self.shell.assign(word.text)
        elif self.shell.pending:
            if any(f"${name}" in word.raw or f"${{{name}" in word.raw for name in self.shell.pending):
                word.text = UNKNOWN  # it was read with the values that only the command gets
            self.shell.restore()
            words.append(word)
        elif not self._keyword(word) and not self._construct(word.raw):
            words.append(word)

    def _at_command_end(self) -> bool:
        """Whether a simple command ends here; skips spaces before that."""
        self.skip_spaces()
        text = self.text
        if self.position >= len(text):
            return True
        char = text[self.position]
        return char in "\n)" or (char in ";&|" and not text.startswith("&>", self.position))

    def _separator_here(self) -> str:
        """The separator at this position."""
        first = self.text[self.position : self.position + 1]
        if first not in _SEPARATORS:
            return ""
        return next(mark for mark in _SEPARATORS[first] if self.text.startswith(mark, self.position))

    def _skip_separator(self) -> None:
        mark = self._separator_here()
        self.position += len(mark)
        if mark and mark != "&&":
            self.shell.end_chain()
        self.last_separator = mark
        if mark == "\n":
            self._read_documents()
        elif mark in (";;&", ";;", ";&"):
            self._read_case_pattern()

    def skip_blanks(self) -> None:
        """Skip everything between commands."""
        text = self.text
        while self.position < len(text):
            if text[self.position] == "\n":
                self.position += 1
                self._read_documents()
            elif text[self.position] in " \t" or self._separator_here() == ";":
                self.position += 1
            elif text.startswith("\\\n", self.position):
                self.position += 2
            elif text[self.position] == "#":
                self.skip_line()
            else:
                return

    def _inside_word(self) -> bool:
        return self.position > 0 and self.text[self.position - 1] not in " \t\n;&|()"

    def _keyword(self, word: Word) -> bool:
        """Handle shell keywords; a command follows them."""
        text = word.raw
        if text == "function":
            self.skip_spaces()
            self.functions.append(self.read_word().text)
            self.expects_function_body = True
        elif text in ("if", "while", "until"):
            self.shell.open_block()
        elif text == "{":
            self.shell.open_block(function=self.expects_function_body, group=not self.expects_function_body)
            self.expects_function_body = False
        elif text in ("else", "elif"):
            self.shell.start_branch()
        elif text in _CLOSERS:
            self.shell.close_block()
        elif text == "time":
            self.skip_spaces()
            self.position += 3 * self.text.startswith(("-p ", "-p\t"), self.position)
        else:
            return text in _OPENERS
        return True

    def _construct(self, word: str) -> bool:
        """Handle the beginning of a loop, a case or a condition, which is no command itself."""
        if word == "[[":
            self._skip_words_to("]]")
        elif word in ("for", "select"):
            self.shell.open_block()
            self.skip_spaces()
            if not (self.text.startswith("((", self.position) and self.skip_arithmetic()):
                self._read_loop_values(self.read_word().text)
        elif word == "case":
            self.shell.open_block()
            self.skip_spaces()
            self.read_word()
            self.skip_blanks()
            if self.read_word().raw == "in":
                self._read_case_pattern()
        else:
            return False
        return True

    def _read_loop_values(self, name: str) -> None:
        """Read the values of a loop variable."""
        words: list[str] = []
        while not self._at_command_end():
            before = self.position
            words.append(self.read_word().text)
            self.position += self.position == before
        self.variables[name] = UNKNOWN
        self.choices[name] = [each for word in words[1:] for each in word.split() or [word]]

    def _read_case_pattern(self) -> None:
        """Read the pattern of a case branch, before its commands."""
        self.skip_blanks()
        if self.text.startswith("esac", self.position) and self.text[self.position + 4 : self.position + 5] in {
            *ENDS,
            "",
        }:
            return
        self.position += self.text.startswith("(", self.position)
        self._skip_words_to(")")
        self.shell.start_branch()

    def _skip_words_to(self, mark: str) -> None:
        """Skip words up to a closing one; they are not run, except for what is nested in them."""
        while self.position < len(self.text):
            if mark == ")" and self.text[self.position] == mark:
                self.position += 1
                return
            if self._skip_one() == mark:
                return

    def _skip_one(self) -> str:
        """Skip one word or mark."""
        before = self.position
        word = self.read_word()
        self.position += self.position == before
        return word.raw

    def _parenthesis(self, words: list[Word]) -> bool:
        """Handle a subshell, arithmetic, or the parentheses after the name of a function or an array."""
        if self._inside_word() and (words or self.shell.pending):
            self.position += 1
            at = self.position
            self.skip_spaces()
            if len(words) == 1 and self.text.startswith(")", self.position):
                return self._function(words)
            self.position = at
            self._skip_words_to(")")
            if words:
                words[-1] = Word(UNKNOWN, 0, 0)
            self.shell.forget(self.shell.pending)
            return True
        if words:
            self.position += 1
            self.skip_spaces()
            return len(words) == 1 and self.text.startswith(")", self.position) and self._function(words)
        if not (self.text.startswith("((", self.position) and self.skip_arithmetic()):
            self.position += 1
            self.expects_function_body = False
            self._read_subshell(")")
        return True

    def _function(self, words: list[Word]) -> bool:
        self.functions.append(words[0].text)
        words.clear()
        self.position += 1
        self.expects_function_body = True
        self.skip_blanks()
        return True

    def _nested(self, text: str, at: int | None) -> _Reader:
        inner = _Reader(text, self.depth + 1, dict(self.variables), dict(self.aliases), at=at)
        inner.inherit(self)
        return inner

    def make_reader(self, script: str, depth: int, variables: dict[str, str], aliases: dict[str, str]) -> _Reader:
        """A reader of a text that is not in the line as it is."""
        return _Reader(script, depth, variables, aliases, at=None)

    def _read_subshell(self, until: str) -> list[CommandRun]:
        """Read commands that run separately, up to their closing mark."""
        inner = self._nested(self.text, self.at)
        inner.position, inner.pending_documents = max(self.position, inner.position), self.pending_documents
        inner.read_script(until)
        self.position = inner.position
        return self.absorb(inner)

    def _redirection(self, writes: list[str], given: list[str]) -> bool:
        text, position = self.text, self.position
        while text[position : position + 1] in {*"0123456789"}:
            position += 1
        if text.startswith(("<(", ">("), position):
            return False  # it is a word that another command fills
        for mark in ("&>>", "&>", "<<<", "<<-", "<<", ">>", ">&", "<&", "<>", ">|", ">", "<"):
            if text.startswith(mark, position):
                break
        else:
            return False
        self.position = position + len(mark)
        self.skip_spaces()
        target = self.read_word()
        if mark in ("<<", "<<-"):
            quoted = any(char in target.raw for char in "'\"\\")
            self.pending_documents.append(HereDocument(target.text, quoted=quoted, indented=mark == "<<-"))
        elif mark == "<<<":
            given.append(target.text)
        elif mark in ("&>>", "&>", ">>", ">", ">|", "<>") and target.text:
            writes.append(target.text)
        return True

    def _read_documents(self) -> None:
        """Read the here-documents that were announced on the line before."""
        waiting = self.pending_documents[:]
        self.pending_documents.clear()
        for document in waiting:
            body = self.read_document(document)
            if not document.quoted and ("$" in body or "`" in body or "\\" in body):
                body = self.read_as_quoted(body)
            if document.is_script:
                self.read_inner_script(body)
            elif document.coded is not None:
                document.coded.code += body

    def read_substitution(self, end: str, pieces: list[str]) -> None:
        """Read a command whose output is part of a word."""
        start = self.position
        if end != "`":
            runs = self._read_subshell(end)
            pieces.append(self._output(runs, self.text[start : self.position]))
            return
        stop = self.position
        inside: list[str] = []
        while stop < len(self.text) and self.text[stop] != "`":
            stop += self.text[stop] == "\\" and self.text[stop + 1 : stop + 2] in {*"`$\\"}
            inside.append(self.text[stop : stop + 1])
            stop += 1
        at = None if self.at is None or len(inside) < stop - self.position else self.at + self.position
        inner = self._nested("".join(inside), at)
        inner.read_script("")
        self.position = min(stop + 1, len(self.text))
        pieces.append(self._output(self.absorb(inner), inner.text))

    def _output(self, runs: list[CommandRun], text: str) -> str:
        """The output that replaces a command; its words must be at the beginning, or it may not run."""
        output = output_of(runs)
        if output is None or not text.lstrip().startswith(runs[0].views[0][0].raw or UNKNOWN):
            return UNKNOWN
        return output.rstrip("\n")

    def read_as_quoted(self, text: str) -> str:
        """Read a text as if it were in double quotes, for the commands in it."""
        inner = self._nested(text, None)
        read = inner.read_quoted(None)
        self.absorb(inner)
        return read
