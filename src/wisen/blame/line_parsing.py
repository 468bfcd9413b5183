"""Parses a line of an instruction file: whether it is an instruction, and which commands and files it names.

It goes by surface markers (code spans, bullets, imperatives), never by meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.text.command_lines import parse_command

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+)\Z")
_LEAD = re.compile(r"[\s>*_#\-+\d.)\[\]x⚠️✅❌:]*")
_IMPERATIVE = re.compile(
    r"(?:always|never|do not|don't|use|run|prefer|avoid|ensure|make sure|keep|add|write|read|check|follow|must|should"
    r"|only|put|create|update|test|commit|remember|stop|start|call|ask|include|exclude|set|place|name|verify|treat"
    r"|return|handle|import|format|document|fix|respect|be|give|tell|show|look|consult|apply|invoke|if|before|after"
    r"|when|prefix)\b",
    re.IGNORECASE,
)
_DEMANDS = re.compile(r"\b(?:must|always|never|mandatory|required|do not|don't|important|should)\b", re.IGNORECASE)
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_FENCED = re.compile(r"\s*(?:\$ )?(?P<command>[a-z][\w.-]*(?: [^`#]*)?)(?:#.*)?\Z")
_FORBIDS = re.compile(
    r"(?:\bnever\b|\bdon't\b|\bdo not\b|\bavoid\b|\binstead of\b|\bnot\b|\bno longer\b|\bwithout\b|❌)"
    r"(?:\W+\w+){0,4}?\W*\Z",
    re.IGNORECASE,
)
_PATH = re.compile(r"[\w.@~/-]+")
_FILE_ENDING = re.compile(r"(?<=\w)\.(?:md|[cm]?[jt]sx?|py|go|rs|json|ya?ml|toml|sh|sql|css|html?|lock|env)\b")
_CHARACTERS_PER_TOKEN = 4


def heading_of(text: str) -> str:
    """Return the text of a heading line; empty when the line is not a heading."""
    match = _HEADING.match(text)
    if match is None:
        return ""
    text = match["text"].rstrip().rstrip("#").rstrip()
    return text or match["text"][0]


def tokens_of(text: str) -> int:
    """Estimate the tokens of a line, including its line break."""
    return (len(text) + _CHARACTERS_PER_TOKEN) // _CHARACTERS_PER_TOKEN if text.strip() else 0


def is_instruction(text: str) -> bool:
    """Whether a line tells the agent to do something."""
    bare = text[_LEAD.match(text).end() :] if _LEAD.match(text) else text  # type: ignore[union-attr]
    if not bare or heading_of(text) or text.lstrip().startswith(("```", "|", "<!--")):
        return False
    return bool(_IMPERATIVE.match(bare) or _DEMANDS.search(bare))


def named_words(text: str) -> tuple[str, ...]:
    """Return the commands, options and files that a line names, each as the words that a call would have."""
    names = [" ".join(_words(span[1])) for span in _SPAN.finditer(text)]
    if "`" not in text and (fenced := _FENCED.match(text)) and " " in fenced["command"] and not is_instruction(text):
        names.append(" ".join(_words(fenced["command"])))
    names += _file_names(_SPAN.sub(" ", text))
    return tuple(dict.fromkeys(_normalize_path(each) for each in names if _normalize_path(each)))


def _file_names(text: str) -> Iterator[str]:
    """Yield the names of files: two searches, because one for both takes time with the square of a name's length."""
    for path in _PATH.finditer(text):
        ends = [ending.end() for ending in _FILE_ENDING.finditer(path[0])]
        if ends:
            yield path[0][: ends[-1]]


def forbidden_words(text: str) -> tuple[str, ...]:
    """Return those of the named words that the line forbids."""
    names = []
    for span in _SPAN.finditer(text):
        before = text[: span.start()].rpartition("`")[2]
        if _FORBIDS.search(before):
            names.append(_normalize_path(" ".join(_words(span[1]))))
    return tuple(dict.fromkeys(each for each in names if each))


def _normalize_path(name: str) -> str:
    """Return a file or folder as calls would name it: `./src/` and `src` are the same."""
    return name if " " in name else name.removeprefix("./").rstrip("/*")


def _words(code: str) -> list[str]:
    """Return the words of a code span that a call would have too."""
    words = [
        word
        for word in parse_command(code).tokens
        if word not in ("|", "...", "…") and not word.startswith(("<", "[", "{"))
    ]
    return words[:6]
