"""Decides whether an unreadable call may be what a guard watches for: unread is not harmless.

Plain Python that imports only kernel files, because the hook client loads it inside an agent's turn.
"""

from __future__ import annotations

from .matching import ANY, GAP, VALUE_OPTIONS
from .shell_output import may_be
from .shell_words import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .matching import WatchedCall
    from .shell_runs import CommandRun
    from .shell_words import Word

_PROGRAM_STARTERS = (
    "system",
    "subprocess",
    "spawn",
    "exec",
    "popen",
    "os.",
    "Open3",
    "`",
    "IO.",
    "proc_open",
    "qx",
    "$`",
    "do shell",
)
"""What code in another language contains when it starts other programs."""
_SUBCOMMANDS = frozenset("git npm pnpm yarn bun make docker kubectl cargo go gh uv poetry pip terraform".split())
"""Programs whose first argument says what they do."""
_GLOB = ("*", "?", "[")


def is_doubtful(call: WatchedCall) -> bool:
    """Whether any part of a call cannot be read."""
    reading = call.reading
    return bool(reading.unread) or any(run.code or any(map(_is_hidden, run.views)) for run in reading.runs)


def doubt_of(watch: dict[str, object], call: WatchedCall) -> str:
    """Why a call may be what a guard watches for; empty where it is not, or where its words decide."""
    if not call.line or watch["on"] not in ("shell", "edit"):
        return ""
    if call.reading.unread:
        return call.reading.unread[0]
    words = watch.get("words")
    if watch["on"] != "shell" or not isinstance(words, list):
        return ""
    pattern = [str(each) for each in words]
    for run in call.runs:
        if any(_may_match(pattern, view) for view in run.views):
            return "only the shell knows which program it runs"
        if run.code and _may_start(pattern, run):
            return "it starts other programs from a script in another language"
    return ""


def _is_hidden(view: list[Word]) -> bool:
    if _is_unsure(view[0]):
        return True
    return view[0].text.rsplit("/", 1)[-1] in _SUBCOMMANDS and UNKNOWN in _subcommand_of(view)


def _is_unsure(word: Word) -> bool:
    """Whether only the shell knows which program a word names."""
    name = word.text.rsplit("/", 1)[-1]
    return UNKNOWN in name or (name not in ("[", "[[") and "/" in word.text and any(mark in word.raw for mark in _GLOB))


def _may_match(pattern: list[str], view: list[Word]) -> bool:
    first, rest = view[0], [each for each in pattern[1:] if each not in (ANY, GAP, "…")]
    if _is_unsure(first):
        text = first.text.rsplit("/", 1)[-1]
        for mark in _GLOB:
            text = text.replace(mark, UNKNOWN)
        if "[" in first.text:
            text = text.partition(UNKNOWN)[0] + UNKNOWN
        if not any(ANY in name or may_be(name, text) for name in pattern[0].split("|")):
            return False
        # An unquoted word may expand to many.
        return first.raw[:1] not in ("'", '"') or "@" in first.raw or _holds(rest, view[1:])
    name = first.text.rsplit("/", 1)[-1]
    if name not in pattern[0].split("|") or name not in _SUBCOMMANDS or not rest:
        return False
    subcommand = _subcommand_of(view)
    wanted = next((each for each in rest if each[:1] != "-"), "")
    if not wanted or UNKNOWN not in subcommand or not any(may_be(each, subcommand) for each in wanted.split("|")):
        return False
    return _holds([each for each in rest if each != wanted], [word for word in view[1:] if word.text != UNKNOWN])


def _subcommand_of(view: list[Word]) -> str:
    """The subcommand of a program: the first word that is no option and no option's value."""
    takes = VALUE_OPTIONS.get(view[0].text.rsplit("/", 1)[-1], "").split()
    at = 1
    while at < len(view) and view[at].text[:1] == "-":
        at += 2 if view[at].text in takes else 1
    return view[at].text if at < len(view) else ""


def _holds(pattern: list[str], words: list[Word]) -> bool:
    """Whether each word of a pattern is among the words, or may be."""
    texts = [word.text for word in words]
    return all(
        any(ANY in one or any(may_be(one, text) for text in texts) for one in each.split("|")) for each in pattern
    )


def _may_start(pattern: list[str], run: CommandRun) -> bool:
    """Whether code in another language contains the words of a pattern, and something that starts programs."""
    code = run.code
    if not any(mark in code for mark in _PROGRAM_STARTERS):
        return False
    for mark in "'\"`()[]{},;|&=\n\t":
        code = code.replace(mark, " ")
    tokens = {*code.split(), *(each.rsplit("/", 1)[-1] for each in code.split())}
    return all(
        any(ANY in one or one in tokens for one in each.split("|")) for each in pattern if each not in (ANY, GAP, "…")
    )
