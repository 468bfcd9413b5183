"""What a command line runs, read as a shell reads it: quotes, chains, subshells, wrappers, here-documents.

It runs nothing and never fails: what only the shell can know (a variable, the output of another command) is UNKNOWN
and fits nothing. Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_runs import SHELLS, Run, assigns, reads_script, views_of, written_by
from .shell_words import UNKNOWN, Lexer, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1 << 16
"""Characters that are looked at; a longer line holds data."""
DEEPEST = 12
_OPENERS = frozenset("if then else elif while until do ! { time coproc".split())
"""A command follows them."""
_CLOSERS = frozenset("fi done esac }".split())


def runs_in(line: str) -> list[Run]:
    """The simple commands that a command line runs, in order."""
    reader = _Reader(line[:LONGEST], 0, {}, {}, at=0)
    reader.script("")
    return reader.found


class _Reader(Lexer):
    """A command line, read once from left to right."""

    def __init__(
        self, text: str, depth: int, variables: dict[str, str], aliases: dict[str, str], *, at: int | None
    ) -> None:
        super().__init__(text, variables, at)
        self.depth, self.aliases = depth, aliases
        self.found: list[Run] = []
        self.folder = ""
        self.waiting: list[tuple[str, bool, bool, int]] = []
        """Here-documents whose text comes behind the next line break: the end, quoted, indented, for which run."""

    def script(self, until: str) -> None:
        """Read commands up to the end, or to a closing mark."""
        while self.position < len(self.text):
            self.blank()
            if self.position >= len(self.text):
                return
            if until and self.text.startswith(until, self.position):
                self.position += len(until)
                return
            before = self.position
            self.command(until)
            if self.position == before:
                self.position += 1  # a mark that opens nothing here
        self._documents()

    def command(self, until: str) -> None:
        """One simple command, with what is nested in it."""
        text = self.text
        words: list[Word] = []
        writes: list[str] = []
        mine = len(self.waiting)
        while not self._ends(until):
            if text[self.position] == "#" and not self._inside_word():
                self.skip_line()
            elif text[self.position] == "(":
                if not self._parenthesis(words):
                    break
            elif not self._redirection(writes, len(self.found)):
                word = self.word()
                if words or not self._keyword(word):
                    words.append(word)
                if len(words) == 1 and word is words[0] and self._construct(word.text):
                    words = []
        self._run(words, writes)
        for number in range(mine, len(self.waiting)):
            end, quoted, indented, _ = self.waiting[number]
            self.waiting[number] = end, quoted, indented, len(self.found) - 1
        if not (until and text.startswith(until, self.position)):
            self._separator()

    def _ends(self, until: str) -> bool:
        """Whether a simple command is over here; skips what is blank before that."""
        self.blank_in_line()
        text = self.text
        if self.position >= len(text) or (until and text.startswith(until, self.position)):
            return True
        char = text[self.position]
        return char in "\n)" or (char in ";&|" and not text.startswith("&>", self.position))

    def _construct(self, word: str) -> bool:
        """The beginning of a loop or a choice, which is no command itself."""
        if word == "[[":
            self.skip_to("]]")
        elif word in ("for", "select"):
            self._skip_header()
            return True
        elif word == "case":
            self._case()
            return True
        return False

    def _separator(self) -> None:
        text = self.text
        if self.position >= len(text):
            return
        if text[self.position] == "\n":
            self.position += 1
            self._documents()
            return
        for mark in (";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|"):
            if text.startswith(mark, self.position):
                self.position += len(mark)
                return

    def blank(self) -> None:
        """Skip whatever stands between commands."""
        text = self.text
        while self.position < len(text):
            if text[self.position] == "\n":
                self.position += 1
                self._documents()
            elif text[self.position] in " \t;":
                self.position += 1
            elif text.startswith("\\\n", self.position):
                self.position += 2
            elif text[self.position] == "#":
                self.skip_line()
            else:
                return

    def _inside_word(self) -> bool:
        return self.position > 0 and self.text[self.position - 1] not in " \t\n;&|()"

    def _skip_header(self) -> None:
        """The names and values of a loop: they are run in no way, but for what is nested in them."""
        while self.position < len(self.text) and self.text[self.position] not in ";\n":
            self.blank_in_line()
            if self.position < len(self.text) and self.text[self.position] not in ";\n":
                before = self.position
                self.word()
                self.position += self.position == before

    def _case(self) -> None:
        """What a choice goes by, and each pattern before its commands."""
        self.skip_to(" in")
        inner = self._nested(self.text, self.at)
        inner.position = self.position
        while inner.position < len(self.text):
            inner.blank()
            if self.text.startswith("esac", inner.position):
                inner.position += 4
                break
            inner.skip_to(")")
            while inner.position < len(self.text):
                inner.blank_in_line()
                rest = self.text[inner.position : inner.position + 4].lstrip("\n")
                if rest.startswith(";;") or self.text.startswith("esac", inner.position):
                    break
                before = inner.position
                inner.command(";;")
                inner.position += inner.position == before
            if self.text.startswith(";;", inner.position):
                inner.position += 2
        self._adopt(inner)
        self.position = inner.position

    def _keyword(self, word: Word) -> bool:
        """Words of the shell's own language; what follows them is a command."""
        whole = self.text[word.start - (self.at or 0) : self.position] if self.at is not None else word.text
        if whole != word.text:
            return False  # it is quoted, so it is no keyword
        if word.text == "function":
            self.blank_in_line()
            self.word()
            return True
        return word.text in _OPENERS or word.text in _CLOSERS

    def _parenthesis(self, words: list[Word]) -> bool:
        """A subshell, arithmetic, or the brackets behind the name of a function."""
        if self.text.startswith("((", self.position) and not words:
            self.skip_to("))")
            return True
        if words:
            if len(words) == 1 and self.text[self.position + 1 :].lstrip(" \t").startswith(")"):
                words.clear()
                self.skip_to(")")
                return True
            return False
        self.position += 1
        inner = self._nested(self.text, self.at)
        inner.position = self.position
        inner.script(")")
        self._adopt(inner)
        self.position = inner.position
        return True

    def _nested(self, text: str, at: int | None) -> _Reader:
        inner = _Reader(text, self.depth + 1, dict(self.variables), dict(self.aliases), at=at)
        inner.folder = self.folder
        if self.depth >= DEEPEST:
            inner.position = len(text)
        return inner

    def _adopt(self, inner: _Reader) -> None:
        self.found += inner.found

    def _redirection(self, writes: list[str], run: int) -> bool:
        text, start = self.text, self.position
        position = start
        while position < len(text) and text[position].isdigit():
            position += 1
        if text.startswith(("<(", ">("), position):
            return False  # it is a word that another command fills
        for mark in ("&>>", "&>", "<<<", "<<-", "<<", ">>", ">&", "<&", "<>", ">|", ">", "<"):
            if text.startswith(mark, position):
                break
        else:
            return False
        self.position = position + len(mark)
        self.blank_in_line()
        begin = self.position
        target = self.word()
        if mark in ("<<", "<<-"):
            quoted = any(char in text[begin : self.position] for char in "'\"\\")
            self.waiting.append((target.text, quoted, mark == "<<-", run))
        elif mark in ("&>>", "&>", ">>", ">", ">|", "<>") and target.text:
            writes.append(target.text)
        return True

    def _documents(self) -> None:
        """Read the here-documents that were announced on the line before."""
        waiting, self.waiting = self.waiting, []
        for end, quoted, indented, run in waiting:
            lines = []
            while self.position < len(self.text):
                stop = self.text.find("\n", self.position)
                stop = len(self.text) if stop < 0 else stop
                line = self.text[self.position : stop]
                self.position = min(stop + 1, len(self.text))
                if (line.lstrip("\t") if indented else line) == end:
                    break
                lines.append(line)
            body = "\n".join(lines)
            owner = self.found[run] if 0 <= run < len(self.found) else None
            if owner is not None and reads_script(owner):
                self._script_of(body)
            elif not quoted and ("$(" in body or "`" in body):
                self.nested(body)

    def substituted(self, end: str, pieces: list[str]) -> None:
        """A command whose output stands in a word."""
        pieces.append(UNKNOWN)
        if end == "`":
            stop = self.position
            while stop < len(self.text) and self.text[stop] != "`":
                stop += 2 if self.text[stop] == "\\" else 1
            inside, self.position = self.text[self.position : stop], min(stop + 1, len(self.text))
            if "\\" in inside:
                self._script_of(inside.replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\"))
                return
            inner = self._nested(inside, None if self.at is None else self.at + stop - len(inside))
            inner.script("")
        else:
            inner = self._nested(self.text, self.at)
            inner.position = self.position
            inner.script(end)
            self.position = inner.position
        self._adopt(inner)

    def nested(self, text: str) -> None:
        """Read a text as if it stood in double quotes, for the commands in it."""
        inner = self._nested(text, None)
        inner.quoted(None)
        self._adopt(inner)

    def _script_of(self, script: str) -> None:
        """A script that was made of a word: it stands nowhere as it is."""
        inner = self._nested(script, None)
        inner.script("")
        self._adopt(inner)

    def _run(self, words: list[Word], writes: list[str]) -> None:
        """Note a simple command down, and what it runs itself."""
        while words and assigns(words[0].text):
            name, _, value = words[0].text.partition("=")
            self.variables[name.rstrip("+")] = value
            words = words[1:]
        words = [each for word in words for each in self._split(word)]
        if words and words[0].text in self.aliases:
            made = _Reader(self.aliases[words[0].text], self.depth + 1, self.variables, {}, at=None)
            expanded = list(made.words())
            words = [*expanded, *words[1:]]
        if not words:
            if writes:
                self.found.append(Run([], writes, self.folder))
            return
        views = list(views_of(words))
        last = views[-1] if views else words
        program = last[0].text.rsplit("/", 1)[-1] if last else ""
        self.found.append(Run(views, [*writes, *written_by(program, last)], self.folder))
        self._inner(program, [word.text for word in last])

    def _split(self, word: Word) -> Iterator[Word]:
        """A word that is nothing but a variable becomes as many as it holds."""
        raw = self.text[word.start - (self.at or 0) : word.end - (self.at or 0)] if word.end else ""
        if not raw.startswith("$") or " " not in word.text or raw.startswith(("$(", "$'", '$"')):
            yield word
            return
        for piece in word.text.split():
            yield Word(piece, 0, 0)

    def words(self) -> Iterator[Word]:
        """All the words that are left."""
        while self.position < len(self.text):
            self.blank_in_line()
            before = self.position
            if before < len(self.text):
                yield self.word()
            self.position += self.position == before

    def _inner(self, program: str, words: list[str]) -> None:
        """What a command runs itself: another shell, words that are evaluated, and what `find` calls."""
        if program == "cd":
            self._go(words)
        elif program == "alias":
            for each in words[1:]:
                name, sign, value = each.partition("=")
                if sign:
                    self.aliases[name] = value
        elif program == "eval":
            self._script_of(" ".join(words[1:]))
        elif program == "env" and "-S" in words:
            self._script_of(" ".join(words[words.index("-S") + 1 :]))
        elif program in SHELLS:
            at = next((n for n, each in enumerate(words) if n and each[:1] == "-" and each.endswith("c")), 0)
            if at and at + 1 < len(words):
                self._script_of(words[at + 1])
        elif program == "find":
            self._found_by(words)

    def _found_by(self, words: list[str]) -> None:
        """What `find` calls for each file."""
        for at, each in enumerate(words):
            if each in ("-exec", "-execdir", "-ok", "-okdir"):
                behind = words[at + 1 :]
                stop = next((n for n, one in enumerate(behind) if one in (";", "+")), len(behind))
                self._run([Word(one, 0, 0) for one in behind[:stop]], [])

    def _go(self, words: list[str]) -> None:
        where = words[1] if len(words) > 1 else "~"
        if UNKNOWN in where or where == "-":
            self.folder = UNKNOWN
        elif where.startswith(("/", "~")):
            self.folder = where
        elif self.folder != UNKNOWN:
            self.folder = f"{self.folder}/{where}" if self.folder else where
