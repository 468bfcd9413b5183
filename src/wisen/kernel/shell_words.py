"""Splits a command line into words as a shell does: quotes, escapes and expansions.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_runs import CommandRun

UNKNOWN = "\0"
"""Stands in a word for what cannot be known without running it."""
MAX_DEPTH = 24
"""How many levels of nesting are read; deeper ones are not."""
TOO_LONG = "it is too long to be read"
TOO_DEEP = "it is nested too deeply to be read"
GENERATED_SCRIPT = "it runs a script that other commands generate"
_SPACE = " \t"
ENDS = frozenset(" \t\n;&|()<>")
_DEFAULT_VALUES = {"IFS": " ", "SHELL": "sh", "BASH": "bash"}
"""The values of variables that nobody has set."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}


class Word:
    """A word as the command gets it, and its position in the line; `end` is 0 where it is not in the line as it is."""

    __slots__ = ("end", "raw", "start", "text")

    def __init__(self, text: str, start: int, end: int, raw: str = "") -> None:
        self.text, self.start, self.end, self.raw = text, start, end, raw
        """`raw`: as it was written, with its quotes; empty where nobody wrote it."""

    def __repr__(self) -> str:
        return f"Word({self.text!r}, {self.start}, {self.end})"


class HereDocument:
    """A here-document, whose text begins after the next line break."""

    __slots__ = ("coded", "end", "indented", "is_script", "quoted")

    def __init__(self, end: str, *, quoted: bool, indented: bool) -> None:
        self.end, self.quoted, self.indented, self.is_script = end, quoted, indented, False
        self.coded: CommandRun | None = None
        """The command that runs it as code in another language."""


class Lexer:
    """A command line, read once from left to right."""

    def __init__(self, text: str, variables: dict[str, str], depth: int, at: int | None) -> None:
        self.text, self.variables, self.depth, self.at = text, variables, depth, at
        """`at`: where in the whole line the text begins; None where it is not in the line as it is."""
        self.position = 0 if depth <= MAX_DEPTH else len(text)
        self.unread: list[str] = [TOO_DEEP] if text and depth > MAX_DEPTH else []
        """Why parts of it were not read."""

    def read_substitution(self, end: str, pieces: list[str]) -> None:
        """Read a command whose output is part of a word, up to its closing mark."""
        raise NotImplementedError

    def read_as_quoted(self, text: str) -> str:
        """Read a text as if it were in double quotes, and the commands in it."""
        raise NotImplementedError

    def skip_spaces(self) -> None:
        text = self.text
        while self.position < len(text):
            if text[self.position] in _SPACE:
                self.position += 1
            elif text.startswith("\\\n", self.position):
                self.position += 2
            else:
                return

    def skip_line(self) -> None:
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end

    def skip_arithmetic(self) -> bool:
        """Skip `((…))`, except for the commands in it; False where it is two nested parentheses."""
        text, at, open_ = self.text, self.position + 2, 2
        while at < len(text):
            if text[at] in "()":
                open_ += 1 if text[at] == "(" else -1
                if open_ == 1:
                    break
            at += 1
        if at < len(text) and not text.startswith("))", at):
            return False
        inside, self.position = text[self.position + 2 : at], min(at + 2, len(text))
        if "$" in inside or "`" in inside:
            self.read_as_quoted(inside)
        return True

    def read_word(self) -> Word:
        """Read the next word and remove its quotes; commands nested in it are found as well."""
        text, start = self.text, self.position
        pieces: list[str] = []
        while self.position < len(text):
            char = text[self.position]
            if char in ENDS:
                if char in "<>" and text.startswith("(", self.position + 1):
                    self.position += 2
                    self.read_substitution(")", pieces)
                    pieces[-1] = UNKNOWN  # the name of a pipe
                    continue
                break
            if char == "\\":
                if not text.startswith("\\\n", self.position):
                    pieces.append(text[self.position + 1 : self.position + 2] or char)
                self.position += 2
            elif char == "'":
                end = text.find("'", self.position + 1)
                end = len(text) if end < 0 else end
                pieces.append(text[self.position + 1 : end])
                self.position = end + 1
            elif char == '"':
                self.position += 1
                pieces.append(self.read_quoted('"'))
            elif char == "`":
                self.position += 1
                self.read_substitution("`", pieces)
            elif char == "$":
                self._read_dollar(pieces)
            else:
                stop = self.position + 1
                while stop < len(text) and text[stop] not in " \t\n;&|()<>\\'\"`$":
                    stop += 1
                pieces.append(text[self.position : stop])
                self.position = stop
        self.position = min(self.position, len(text))
        raw = text[start : self.position]
        if self.at is None:
            return Word("".join(pieces), 0, 0, raw)
        return Word("".join(pieces), self.at + start, self.at + self.position, raw)

    def read_quoted(self, end: str | None, *, single: bool = False) -> str:
        """Read up to a closing mark, as in double quotes; commands nested in it are found."""
        text, pieces = self.text, list[str]()
        while self.position < len(text):
            char = text[self.position]
            if char == end:
                self.position += 1
                break
            if char == "\\":
                following = text[self.position + 1 : self.position + 2]
                if following != "\n":
                    pieces.append(following if following in '$`"\\' else f"\\{following}")
                self.position += 2
            elif char == "`":
                self.position += 1
                self.read_substitution("`", pieces)
            elif char == "$":
                self._read_dollar(pieces, inside=True)
            elif char == '"' and end == "}":
                self.position += 1
                pieces.append(self.read_quoted('"'))
            elif char == "'" and single:
                stop = text.find("'", self.position + 1)
                self.position = len(text) if stop < 0 else stop + 1
            else:
                stop = self.position + 1
                while stop < len(text) and text[stop] not in "\\\"`$}'":
                    stop += 1
                pieces.append(text[self.position : stop])
                self.position = stop
        return "".join(pieces)

    def read_document(self, it: HereDocument) -> str:
        """Read the text of a here-document, which begins here."""
        lines: list[str] = []
        joined = False
        while self.position < len(self.text):
            stop = self.text.find("\n", self.position)
            stop = len(self.text) if stop < 0 else stop
            line = self.text[self.position : stop]
            self.position = min(stop + 1, len(self.text))
            if not joined and (line.lstrip("\t") if it.indented else line) == it.end:
                break
            joined = not it.quoted and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            lines.append(line)
        return "\n".join(lines)

    def _read_dollar(self, pieces: list[str], *, inside: bool = False) -> None:
        text = self.text
        self.position += 1
        following = text[self.position : self.position + 1]
        if following == "'" and not inside:
            self.position += 1
            pieces.append(self._read_escaped())
        elif following == '"' and not inside:
            self.position += 1
            pieces.append(self.read_quoted('"'))
        elif text.startswith("((", self.position) and self.skip_arithmetic():
            pieces.append(UNKNOWN)
        elif following == "(":
            self.position += 1
            self.read_substitution(")", pieces)
        elif following == "{":
            self._read_braces(pieces, inside=inside)
        else:
            stop = self.position
            while stop < len(text) and text[stop].isascii() and (text[stop].isalnum() or text[stop] == "_"):
                stop += 1
            name = text[self.position : stop]
            if name:
                pieces.append(self.variables[name] if name in self.variables else _DEFAULT_VALUES.get(name, UNKNOWN))
                self.position = stop
            elif following and following in "?$!@*#-":
                pieces.append(UNKNOWN)
                self.position += 1
            else:
                pieces.append("$")

    def _read_braces(self, pieces: list[str], *, inside: bool) -> None:
        """Read what is in `${…}`."""
        start = self.position + 1
        self.position = start if self.depth < MAX_DEPTH else len(self.text)
        self.unread += [] if self.depth < MAX_DEPTH else [TOO_DEEP]
        self.depth += 1
        self.read_quoted("}", single=not inside)
        self.depth -= 1
        name = self.text[start : self.position - 1]
        pieces.append(self.variables[name] if name in self.variables else _DEFAULT_VALUES.get(name, UNKNOWN))

    def _read_escaped(self) -> str:
        """Read what is in `$'…'`."""
        text, pieces = self.text, list[str]()
        while self.position < len(text) and text[self.position] != "'":
            char = text[self.position]
            self.position += 1
            if char != "\\":
                pieces.append(char)
                continue
            kind = text[self.position : self.position + 1]
            self.position += 1
            if kind in ("u", "U"):
                pieces.append(self._read_number(16, {"u": 4, "U": 8}[kind]))
            elif kind == "c":
                pieces.append(UNKNOWN)
                self.position += 1
            elif kind and kind in "x01234567":
                self.position -= kind != "x"
                letter = self._read_number(16, 2) if kind == "x" else self._read_number(8, 3)
                pieces.append(letter if letter.isascii() else UNKNOWN)  # one byte of a multi-byte letter
            else:
                pieces.append(_ESCAPES.get(kind, kind if kind in "\\'\"?" else f"\\{kind}"))
        self.position += 1
        return "".join(pieces)

    def _read_number(self, base: int, most: int) -> str:
        digits = "0123456789abcdef"[:base]
        stop = self.position
        while stop < self.position + most and self.text[stop : stop + 1].lower() in digits and stop < len(self.text):
            stop += 1
        value, self.position = self.text[self.position : stop], stop
        try:
            return chr(int(value, base)) if value else UNKNOWN
        except (ValueError, OverflowError):
            return UNKNOWN
