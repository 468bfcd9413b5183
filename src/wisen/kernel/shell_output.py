"""Predicts what a command prints where its words alone decide, and what an unknown text may turn out to be.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_words import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_runs import CommandRun
    from .shell_words import Word

_TEXT_MAKERS = frozenset(
    "echo printf cat tee base64 base32 basenc xxd od hexdump rev tr sed awk gawk mawk perl python python2 python3 ruby "
    "node php cut head tail paste fold tac sort gunzip zcat gzip xz xzcat bzip2 bzcat openssl jq dd uudecode "
    "eval".split()
)
"""Programs that pass on or change a given text; what other programs print is their own."""
_MAX_EXPANDED_WORDS = 64
"""The maximum number of words from one brace expansion."""


def printed_by(words: list[str]) -> str | None:
    """What `echo`, `printf` and the programs that locate others print; None where that is unknown."""
    program = words[0].rsplit("/", 1)[-1]
    if program == "echo":
        at = 1
        while at < len(words) and words[at][:1] == "-" and words[at][1:] and not words[at].strip("-neE"):
            at += 1
        text = " ".join(words[at:])
        return None if "\\" in text else text
    if program == "printf" and len(words) > 1:
        form, rest = words[1].replace("\\n", "\n"), words[2:]
        if "\\" in form or form.count("%") != form.count("%s") or form.count("%") > 1:
            return None
        return "".join(form.replace("%s", each) for each in rest) if rest else form.replace("%s", "")
    finds = program == "which" or (program in ("command", "type") and words[1:2] in (["-v"], ["-P"], ["-p"]))
    names = [each for each in words[1:] if each[:1] != "-"]
    return names[0] if finds and len(names) == 1 else None


def output_of(runs: list[CommandRun]) -> str | None:
    """What commands print together; None where that is unknown."""
    if len(runs) != 1 or not runs[0].views or any(each != "/dev/null" for each in runs[0].writes):
        return None
    # The first view: `command -v x` prints itself, not what it would run.
    return printed_by([word.text for word in runs[0].views[0]])


def is_output_of_program(word: Word) -> bool:
    """Whether a whole word is the output of a program (`$(ssh-agent)`), without text of the line itself."""
    raw = word.raw.strip("\"' ")
    inside = (
        raw[2:-1] if raw.startswith("$(") and raw.endswith(")") else raw[1:-1] if raw[:1] == raw[-1:] == "`" else ""
    )
    first = inside.split()[:1]
    if not first or any(char in inside for char in "|;&<\n"):
        return False
    name = first[0].rsplit("/", 1)[-1]
    return name not in _TEXT_MAKERS and name.replace("-", "").replace("_", "").replace(".", "").isalnum()


def is_text_maker(run: CommandRun) -> bool:
    """Whether a command passes on or changes a text."""
    return bool(run.views) and run.views[-1][0].text.rsplit("/", 1)[-1] in _TEXT_MAKERS


def expand_braces(text: str) -> list[str]:
    """The words that `{a,b}` makes of an unquoted word; the word itself where it makes none."""
    done, waiting = list[str](), [text]
    while waiting and len(done) + len(waiting) <= _MAX_EXPANDED_WORDS:
        word = waiting.pop(0)
        found = _first_braces(word)
        if found is None:
            done.append(word)
        else:
            start, end, parts = found
            waiting[:0] = [word[:start] + part + word[end:] for part in parts]
    return [*done, *waiting]


def _first_braces(word: str) -> tuple[int, int, list[str]] | None:
    """The position of the first braces that make several words, and the parts between their commas."""
    first: tuple[int, int, list[str]] | None = None
    opened: list[tuple[int, list[str]]] = []
    last: list[int] = []
    for at, char in enumerate(word):
        if char == "{":
            opened.append((at, []))
            last.append(at + 1)
        elif opened and char in ",}":
            start, parts = opened[-1]
            parts.append(word[last[-1] : at])
            last[-1] = at + 1
            if char == "}":
                opened.pop()
                last.pop()
                if len(parts) > 1 and (first is None or start < first[0]):
                    first = start, at + 1, parts
    return first


def may_be(name: str, text: str) -> bool:
    """Whether a partly unknown word may turn out to be this name."""
    pieces = text.split(UNKNOWN)
    if len(pieces) == 1:
        return name == text
    if not name.startswith(pieces[0]) or len(name) < sum(map(len, pieces)):
        return False
    at = len(pieces[0])
    for piece in pieces[1:-1]:
        at = name.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return name[at:].endswith(pieces[-1])
