"""Generates shell command lines with Hypothesis, and runs the real bash to see what they execute.

Only stubs can be reached: PATH is one folder with programs that note their words down and do nothing.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

PROGRAMS = ("alpha", "beta", "gamma")
"""They succeed."""
FAILS = "nope"
"""It does not."""
STUBS = (*PROGRAMS, FAILS)
_NAME = re.compile(r"@@")
_STUB = """#!/bin/sh
printf '%s\\0' "$#" "${{0##*/}}" "$@" >> '{log}'
exit {status}
"""
_DRIVER = """while IFS= read -r -d '' line; do
  printf '%s\\0' - >> "$LOG"
  ( eval "$line"; wait ) < /dev/null > /dev/null 2>&1
done
"""


class Bash:
    """The real shell, in a folder of its own with nothing but stubs to run."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("bash")
        assert found is not None
        self.bash, self.log, self.cwd, self.path = found, folder / "log", folder / "work", folder / "stubs"
        self.cwd.mkdir()
        self.path.mkdir()
        for name in STUBS:
            stub = self.path / name
            stub.write_text(_STUB.format(log=self.log, status=int(name == FAILS)))
            stub.chmod(0o755)
        (self.path / "bash").symlink_to(found)
        (self.path / "env").symlink_to(shutil.which("env") or "/usr/bin/env")

    def ran(self, lines: list[str]) -> list[list[tuple[str, ...]]]:
        """The words of each stub that each line ran."""
        self.log.write_bytes(b"")
        subprocess.run(
            [self.bash, "--noprofile", "--norc", "-c", _DRIVER],
            input="".join(f"{line}\0" for line in lines).encode(),
            cwd=self.cwd,
            env={"PATH": str(self.path), "LC_ALL": "C.UTF-8", "LOG": str(self.log)},
            timeout=60,
            check=True,
        )
        found: list[list[tuple[str, ...]]] = []
        fields = iter(self.log.read_bytes().decode().split("\0")[:-1])
        for field in fields:
            if field == "-":
                found.append([])
            else:
                found[-1].append(tuple(next(fields) for _ in range(int(field) + 1)))
        assert len(found) == len(lines)
        return found


class Piece(NamedTuple):
    """A part of a command line, and the here-documents that come behind its next line break."""

    text: str
    documents: str = ""

    @property
    def whole(self) -> str:
        """The part with all that belongs to it."""
        return f"{self.text}\n{self.documents}" if self.documents else self.text


def single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    return '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"'


def escaped(text: str) -> str:
    return re.sub(r"([^\w\n])", r"\\\1", text).replace("\n", "'\n'") or "''"


def dollar(text: str) -> str:
    made = []
    for char in text:
        if char in "\\'":
            made.append("\\" + char)
        elif char == "\n":
            made.append("\\n")
        elif char.isalpha() and char.isascii():
            made.append(f"\\x{ord(char):02x}")
        elif not char.isascii():
            made.append(f"\\u{ord(char):04x}")
        else:
            made.append(char)
    return "$'" + "".join(made) + "'"


QUOTES = (single, double, escaped, dollar)
_texts = st.sampled_from(
    (
        "~x~-f~--all~a b~it's~\"~$HOME~`beta`~$(beta)~; beta x~&& gamma~| beta~#~\\~a\nbeta y~ünï~日本~a\u00a0b~\u00a0~"
        "\u2028~(beta)~<<E~> f~A=b~{ beta; }~}~fi~x=~é'é"
    ).split("~")
) | st.text("ab '\"\\$`;&|()<>#\n\té\u00a0=", max_size=6)
_plain = st.sampled_from("x -f --all a-b a/b x=1 b,c ünï 日本 a\u00a0b a#b ]] in done }".split(" "))


@st.composite
def words(draw: st.DrawFn) -> str:
    """A word that the shell makes the same of however it is quoted."""
    if draw(st.booleans()):
        return draw(_plain)
    made = "".join(draw(st.sampled_from(QUOTES))(draw(_texts)) for _ in range(draw(st.integers(1, 2))))
    return made if made else "''"


@st.composite
def simple(draw: st.DrawFn) -> Piece:
    """A stub with words, and a number by which it is told from the others."""
    name = draw(st.sampled_from(PROGRAMS))
    cut = draw(st.integers(0, len(name)))
    name = draw(
        st.sampled_from(
            [name, name, f"\\{name}", f"{name[:cut]}'{name[cut:]}'", f'"{name}"', f"{name[:2]}\\\n{name[2:]}"]
        )
    )
    given = draw(st.sampled_from(["", "", "V=1 ", "V='a b' W= ", "V=$(:) ", "V+=x "]))
    before = draw(st.sampled_from(["", "", "", "env ", "env Q=1 ", "command ", "command -- ", "> out ", "env -u Q "]))
    gap = draw(st.sampled_from([" ", "  ", "\t", " \\\n "]))
    rest = "".join(gap + each for each in draw(st.lists(words(), max_size=3)))
    behind = draw(
        st.sampled_from(
            ["", "", "", " > out", " 2>&1", " >> out 2> err", " &> out", " < /dev/null", " <<< 'beta x'", " >out"]
        )
    )
    return Piece(f"{given}{before}{name} @@{rest}{behind}")


def _quoted_scripts(piece: Piece) -> st.SearchStrategy[str]:
    return st.sampled_from([single(piece.whole), double(piece.whole), shlex.quote(piece.whole)])


@st.composite
def scripts(draw: st.DrawFn, depth: int = 2, *, certain: bool) -> Piece:
    """Commands; with `certain` all of them are run."""
    if depth == 0:
        return draw(simple())
    inner = scripts(depth - 1, certain=certain)
    kinds = [_chain, _chain, _wrapped, _inside_words, _document, _control, _variables]
    if not certain:
        kinds.append(_uncertain)
    return draw(draw(st.sampled_from(kinds))(inner))


@st.composite
def _chain(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    made = draw(inner)
    for other in draw(st.lists(inner, min_size=1, max_size=2)):
        mark = draw(
            st.sampled_from(
                ["; ", ";", " | ", "|", " & wait; ", "\n", " # beta x; it's \"\n", "\n\n  ", " |& ", " &&\n"]
            )
        )
        if made.documents and "\n" in other.text:
            mark = "\n"  # the text of the here-document comes before any other line
        if "\n" in mark:
            made = Piece(f"{made.text}{mark}{made.documents}{other.text}", other.documents)
        else:
            made = Piece(f"{made.text}{mark}{other.text}", made.documents + other.documents)
    return made


@st.composite
def _wrapped(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    piece = draw(inner)
    kind = draw(
        st.sampled_from(
            [
                "( {} )",
                "({})",
                "{{ {}; }}",
                "{{ {}\n}}",
                "( {}\n)",
                "{{ ! ! {{ {}; }}; }}",
                "{{ time -p {}; }}",
                "( {} ) > out",
            ]
        )
    )
    if "\n" in kind:
        return Piece(
            kind.replace("\n", "\n" + piece.documents.replace("{", "{{").replace("}", "}}")).format(piece.text)
        )
    if piece.text.startswith("("):
        kind = kind.replace("({", "( {")
    return Piece(kind.format(piece.text), piece.documents)


@st.composite
def _inside_words(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    piece = draw(inner)
    space = " " if piece.text.startswith("(") else ""
    end = "\n" if piece.documents or draw(st.booleans()) else ""
    ticks = piece.whole.replace("\\", "\\\\").replace("`", "\\`")
    as_script = draw(_quoted_scripts(piece))
    kind = draw(st.integers(0, 11))
    if kind == 10 and "<<" in piece.whole:
        kind = 0  # bash itself cannot read a here-document with quotes inside arithmetic
    inside = f"$({space}{piece.whole}{end})"
    return Piece(
        [
            f"alpha @@ {inside} x",
            f'alpha @@ "a {inside} b"',
            f"alpha @@ a{inside}'b'",
            f"V={inside}",
            f"alpha @@ `{ticks}`",
            f"alpha @@ x`{ticks}`",
            f"eval {as_script}",
            f"bash -c {as_script}",
            f"bash --norc -ec {as_script} x y",
            f'alpha @@ "${{V:-{inside}}}"',
            f": $(( (1) {inside} ))",
            f"[[ -n {inside} || a < b ]] ; beta @@",
        ][kind]
    )


@st.composite
def _document(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    piece = draw(inner)
    lines = "".join(f"{line}\n" for line in draw(st.lists(_texts, max_size=3)))
    lines += draw(st.sampled_from(["", "beta x; gamma y\n", "it's\n", '"\n', "E \n", " E\n", "'$(beta)'\n"]))
    safe = re.sub(r"([\\$`])", r"\\\1", lines)
    end = f"END{len(piece.whole)}"  # no other one in it is as long
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return Piece("alpha @@ <<'E'", f"{lines}E\n")
    if kind == 1:
        return Piece("alpha @@ <<E x", f"{safe}E\n")
    if kind == 2:
        return Piece('alpha <<- "E" @@', "".join(f"\t{line}\n" for line in lines.splitlines()) + "\tE\n")
    if kind == 3:
        space = " " if piece.text.startswith("(") else ""
        return Piece(f"<<{end} alpha @@", f"{safe}$({space}{piece.whole}\n)\n{safe}{end}\n")
    if kind == 4:
        return Piece(f"bash <<'{end}'", f"{piece.whole}\n{end}\n")
    return Piece(f"bash -s <<{end}", re.sub(r"([\\$`])", r"\\\1", piece.whole) + f"\n{end}\n")


@st.composite
def _control(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    one, two = draw(inner).whole, draw(inner).whole
    kind = draw(st.integers(0, 9))
    return Piece(
        [
            f"if {one}\n:; then {two}\nfi",
            f"if false; then :; elif\n{one}\ntrue; then\n{two}\nfi",
            f"for v in 1 'beta x' ; do {one}\ndone",
            f"for v in 1 2\ndo\n{one}\nalpha @@ $v\ndone",
            f"for ((i=0; i<2; i++)); do {one}\ndone",
            f"while {one}\ntrue; do {two}\nbreak; done",
            f"until {one}\ntrue; do :; done; {two}",
            f"case a in b|'beta x') :;; (a) {one}\n;; esac; {two}",
            f"{{ f() {{ {one}\n}}; f; }}",
            f"{{ function g {{\n{one}\n}}\ng x\nh () ( {two}\n) ; h; }}",
        ][kind]
    )


@st.composite
def _variables(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    text = draw(st.sampled_from(["x", "a b", "", "beta", " a  b ", "-f", "é"]))
    value = draw(st.sampled_from([single, double]))(text)
    one = draw(inner).whole
    kind = draw(st.integers(0, 8))
    return Piece(
        [
            f"A={value}; alpha @@ $A",
            f'A={value}; alpha @@ "$A" x${{A}}y',
            f"A={value}\n$A alpha @@" if text in ("", "beta", "beta x") else f"A={value}\nalpha @@ ${{A}}",
            f'A=old; A={value} alpha @@ "$A"; beta @@ "$A"',
            f'A={value} B="$A"; alpha @@ "$B"',
            f'A=old; export A={value}; alpha @@ "$A"',
            f"A=old; (A={value}); alpha @@ $A",
            f"A=(beta x {value}); alpha @@ ${{A[0]}}; A={value}; {one}",
            f'A={value} && alpha @@ "$A"; A+=z; alpha @@ "$A"',
        ][kind]
    )


@st.composite
def _uncertain(draw: st.DrawFn, inner: st.SearchStrategy[Piece]) -> Piece:
    one, two = draw(inner).whole, draw(inner).whole
    test = draw(st.sampled_from(["nope @@", "alpha @@", "[[ a == b ]]", "(( 0 ))", "! nope @@"]))
    kind = draw(st.integers(0, 9))
    return Piece(
        [
            f"{test} || {{ {one}\n}}; {two}",
            f"{test} && {{ {one}\n}} || {{ {two}\n}}",
            f"if {test}; then {one}\nelse {two}\nfi",
            f"while {test}; do {one}\nbreak; done; {two}",
            f"f() {{ {one}\n}}; {test} && f; {two}",
            f"case b in a) {one}\n;; b | c ) {two}\n;& d) alpha @@;; *) ;; esac",
            f"A=1; {test} && A=2; alpha @@ $A; {one}",
            f"A=1; if {test}; then A=2; else beta @@ $A; fi; alpha @@ $A; {one}",
            f"A=1; f() {{ alpha @@ $A; A=3; }}; A=2; f; beta @@ $A; {one}",
            "A=1; A=2 | alpha @@ $A; beta @@ $A; for A in 3 4; do gamma @@ $A; done",
        ][kind]
    )


def numbered(piece: Piece) -> str:
    """A whole line, each of its commands with a number of its own."""
    count = iter(range(10_000))
    return _NAME.sub(lambda _: f"n{next(count)}", piece.whole)
