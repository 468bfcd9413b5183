"""The words of a command line as a shell makes them: quotes, escapes and what stands in for them.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

UNKNOWN = "\0"
"""Stands in a word for what cannot be known without running it."""
_SPACE = " \t"
_ENDS = frozenset(" \t\n;&|()<>")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}


class Word:
    """A word as the command gets it, and where it stands in the line; `end` is 0 where it stands nowhere as it is."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end

    def __repr__(self) -> str:
        return f"Word({self.text!r}, {self.start}, {self.end})"


class Lexer:
    """A command line, read once from left to right."""

    def __init__(self, text: str, variables: dict[str, str], at: int | None) -> None:
        self.text, self.variables, self.at = text, variables, at
        """`at`: where in the whole line the text begins; None where it stands nowhere as it is."""
        self.position = 0

    def substituted(self, end: str, pieces: list[str]) -> None:
        """Read a command whose output stands in a word, up to its closing mark."""
        raise NotImplementedError

    def nested(self, text: str) -> None:
        """Read a text as if it stood in double quotes, for the commands in it."""
        raise NotImplementedError

    def blank_in_line(self) -> None:
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

    def skip_to(self, mark: str) -> None:
        end = self.text.find(mark, self.position)
        self.position = len(self.text) if end < 0 else end + len(mark)

    def word(self) -> Word:
        """The next word, with its quotes taken away; commands nested in it are found as well."""
        text, start = self.text, self.position
        pieces: list[str] = []
        while self.position < len(text):
            char = text[self.position]
            if char in _ENDS:
                if char in "<>" and text.startswith("(", self.position + 1):
                    self.position += 2
                    self.substituted(")", pieces)
                    continue
                break
            if char == "\\":
                if not text.startswith("\\\n", self.position):
                    pieces.append(text[self.position + 1 : self.position + 2])
                self.position += 2
            elif char == "'":
                end = text.find("'", self.position + 1)
                end = len(text) if end < 0 else end
                pieces.append(text[self.position + 1 : end])
                self.position = end + 1
            elif char == '"':
                self.position += 1
                pieces.append(self.quoted('"'))
            elif char == "`":
                self.position += 1
                self.substituted("`", pieces)
            elif char == "$":
                self._dollar(pieces)
            else:
                stop = self.position + 1
                while stop < len(text) and text[stop] not in " \t\n;&|()<>\\'\"`$":
                    stop += 1
                pieces.append(text[self.position : stop])
                self.position = stop
        self.position = min(self.position, len(text))
        if self.at is None:
            return Word("".join(pieces), 0, 0)
        return Word("".join(pieces), self.at + start, self.at + self.position)

    def quoted(self, end: str | None) -> str:
        """What stands up to a double quote; commands nested in it are found."""
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
                self.substituted("`", pieces)
            elif char == "$":
                self._dollar(pieces, inside=True)
            else:
                stop = self.position + 1
                while stop < len(text) and text[stop] not in '\\"`$':
                    stop += 1
                pieces.append(text[self.position : stop])
                self.position = stop
        return "".join(pieces)

    def _dollar(self, pieces: list[str], *, inside: bool = False) -> None:
        text = self.text
        self.position += 1
        following = text[self.position : self.position + 1]
        if following == "'" and not inside:
            self.position += 1
            pieces.append(self._escaped())
        elif following == '"' and not inside:
            self.position += 1
            pieces.append(self.quoted('"'))
        elif text.startswith("((", self.position):
            self.skip_to("))")
            pieces.append(UNKNOWN)
        elif following == "(":
            self.position += 1
            self.substituted(")", pieces)
        elif following == "{":
            end = text.find("}", self.position)
            end = len(text) if end < 0 else end
            pieces.append(self.variables.get(text[self.position + 1 : end], UNKNOWN))
            if "$(" in text[self.position : end]:
                self.nested(text[self.position + 1 : end])
            self.position = end + 1
        else:
            stop = self.position
            while stop < len(text) and (text[stop].isalnum() or text[stop] == "_"):
                stop += 1
            name = text[self.position : stop]
            if name:
                pieces.append(self.variables.get(name, UNKNOWN))
                self.position = stop
            elif following and following in "?$!@*#-":
                pieces.append(UNKNOWN)
                self.position += 1
            else:
                pieces.append("$")

    def _escaped(self) -> str:
        """What stands in `$'…'`."""
        text, pieces = self.text, list[str]()
        while self.position < len(text) and text[self.position] != "'":
            char = text[self.position]
            self.position += 1
            if char != "\\":
                pieces.append(char)
                continue
            kind = text[self.position : self.position + 1]
            self.position += 1
            if kind in ("x", "u", "U"):
                pieces.append(self._number(16, {"x": 2, "u": 4, "U": 8}[kind]))
            elif kind and kind in "01234567":
                self.position -= 1
                pieces.append(self._number(8, 3))
            else:
                pieces.append(_ESCAPES.get(kind, kind if kind in "\\'\"?" else f"\\{kind}"))
        self.position += 1
        return "".join(pieces)

    def _number(self, base: int, most: int) -> str:
        digits = "0123456789abcdef"[:base]
        stop = self.position
        while stop < self.position + most and self.text[stop : stop + 1].lower() in digits and stop < len(self.text):
            stop += 1
        value, self.position = self.text[self.position : stop], stop
        try:
            return chr(int(value, base)) if value else ""
        except (ValueError, OverflowError):
            return UNKNOWN
