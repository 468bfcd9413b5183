"""A simple command that a shell would run: without its wrappers, and with the files it would write.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_words import UNKNOWN, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = frozenset("bash sh zsh dash ksh fish ash mksh rbash".split())
SOURCES = ("source", ".")
"""Commands that run a file in this shell."""
_WRAPPER_OPTIONS = {
    "sudo": "-u -g -h -p -C -r -t -U -D -T -R --user --group --host --prompt --chdir",
    "doas": "-u -C",
    "env": "-u -C --unset --chdir",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p",
    "timeout": "-s -k --signal --kill-after",
    "gtimeout": "-s -k --signal --kill-after",
    "xargs": "-I -n -P -L -d -a -E -s --max-args --max-procs --replace",
    "stdbuf": "-i -o -e",
    "exec": "-a",
    "time": "-f -o",
    "watch": "-n --interval",
    "command": "",
    "builtin": "",
    "nohup": "",
    "setsid": "",
    "busybox": "",
    "toybox": "",
    "parallel": "-j --jobs -a --colsep -I -N -n",
    "flock": "-w -E --timeout",
    "strace": "-e -o -p -s",
    "ltrace": "-e -o -p -s",
    "unbuffer": "",
    "taskset": "-p",
    "chrt": "",
    "caffeinate": "-t -w",
    "runuser": "-u -g",
    "systemd-run": "-p -u --unit --property",
}
"""Programs that run what follows their own options, and which of these take a value."""
_WRAPPERS = {name: frozenset(options.split()) for name, options in _WRAPPER_OPTIONS.items()}
_SHELL_VALUE_OPTIONS = frozenset("--rcfile --init-file".split())
MAX_WRAPPERS = 10
"""How many nested wrappers are unwrapped."""
_OPERANDS = {"timeout": 1, "gtimeout": 1, "flock": 1, "taskset": 1, "chrt": 1}
_CODE = {
    "python": "-c",
    "python3": "-c",
    "python2": "-c",
    "perl": "-e -E",
    "ruby": "-e",
    "node": "-e --eval -p",
    "deno": "eval",
    "bun": "-e",
    "php": "-r",
    "awk": "",
    "gawk": "",
    "mawk": "",
    "osascript": "-e",
    "lua": "-e",
}
"""Interpreters that run code from an argument, and the option before it; empty where it is the first argument."""
_WRITERS = frozenset("rm rmdir unlink mv cp tee touch truncate install ln shred".split())
_IN_PLACE = frozenset("sed gsed perl ruby".split())


class CommandRun:
    """A simple command that would be run."""

    __slots__ = ("code", "folder", "views", "writes")

    def __init__(self, views: list[list[Word]], writes: list[str], folder: str) -> None:
        self.code = inline_code(views[-1]) if views else ""
        """Code in another language in its arguments, or given to it in the line."""
        self.views = views
        """Its words; and again without each wrapper before it: `sudo rm x`, then `rm x`."""
        self.writes = writes
        """The files that it would write or remove, as far as its words show."""
        self.folder = folder
        """Where it is run, as far as earlier changes of directory show; empty for the folder of the line."""


def is_assignment(word: str) -> bool:
    """Whether a word assigns a variable."""
    name, sign, _ = word.partition("=")
    name = name.rstrip("+")
    return bool(sign) and name.isidentifier() and name.isascii()


def views_of(words: list[Word]) -> Iterator[list[Word]]:
    """The words of a command, and again without each wrapper before them."""
    for _ in range(MAX_WRAPPERS):
        if not words:
            return
        yield words
        program = words[0].text.rsplit("/", 1)[-1]
        takes = _WRAPPERS.get(program)
        if takes is None:
            return
        at = 1
        while at < len(words):
            text = words[at].text
            if text == "--":
                at += 1
                break
            if (program == "env" and text.startswith(("-S", "--split-string"))) or (
                program == "command" and text in ("-v", "-V")
            ):
                return
            if text[:1] == "-" and len(text) > 1:
                at += 2 if text in takes else 1
            elif program in ("env", "sudo", "doas") and is_assignment(text):
                at += 1
            else:
                break
        words = words[at + _OPERANDS.get(program, 0) :]


def is_wrapper(word: str) -> bool:
    """Whether a program runs what follows it."""
    return word.rsplit("/", 1)[-1] in _WRAPPERS


def xargs_placeholder(words: list[Word]) -> str:
    """The placeholder that `xargs` replaces by its input; empty where it appends it."""
    for at, word in enumerate(words):
        if word.text.rsplit("/", 1)[-1] in ("xargs", "parallel"):
            for number, each in enumerate(words[at + 1 :], at + 1):
                if each.text == "-I" and number + 1 < len(words):
                    return words[number + 1].text
                if each.text.startswith("-I") or each.text in ("-i", "--replace"):
                    return each.text[2:] if each.text.startswith("-I") else "{}"
            return "{}" if word.text.endswith("parallel") else ""
    return ""


def inline_code(words: list[Word]) -> str:
    """The code in another language in the words of a command."""
    options = _CODE.get(words[0].text.rsplit("/", 1)[-1])
    if options is None:
        return ""
    if not options:
        return next((word.text for word in words[1:] if word.text[:1] != "-"), "")
    for at, word in enumerate(words[1:-1], 1):
        if word.text in options.split():
            return words[at + 1].text
    return ""


def reads_code_from_input(words: list[Word]) -> bool:
    """Whether a command runs code in another language from a here-document."""
    return words[0].text.rsplit("/", 1)[-1] in _CODE and all(word.text[:1] == "-" for word in words[1:])


def inline_script(words: list[Word]) -> str | None:
    """The script in the words of a shell; empty where it reads one, None where it runs a file or is no shell."""
    if not words or words[0].text.rsplit("/", 1)[-1] not in SHELLS:
        return None
    at = 1
    while at < len(words):
        text = words[at].text
        if text[:1] not in ("-", "+") or len(text) < 2:
            return None
        if text[1:2] != "-" and "c" in text:
            return words[at + 1].text if at + 1 < len(words) else None
        if text == "-s":
            return ""
        at += 2 if text in _SHELL_VALUE_OPTIONS or (text[1:2] != "-" and text[-1:] in "oO") else 1
    return ""


def commands_of_find(words: list[str]) -> Iterator[list[str]]:
    """The commands that `find` runs for each file."""
    called: list[str] | None = None
    for each in words:
        if called is None:
            called = [] if each in ("-exec", "-execdir", "-ok", "-okdir") else None
        elif each in (";", "+"):
            yield called
            called = None
        else:
            called.append(each)
    if called:
        yield called


def folder_after(folder: str, words: list[str]) -> str:
    """Where commands run after a change of directory."""
    where = next((word for word in words[1:] if word[:1] != "-" or word == "-"), "~")
    if UNKNOWN in where or where == "-":
        return UNKNOWN
    if where.startswith(("/", "~")) or not folder:
        return where
    return folder if folder == UNKNOWN else f"{folder}/{where}"


def written_files(program: str, words: list[Word]) -> list[str]:
    """The files that a known program writes or removes."""
    places = [word.text for word in words[1:] if word.text[:1] != "-" and UNKNOWN not in word.text]
    if program in ("cp", "install", "ln"):
        return places[-1:]
    if program in _WRITERS:
        return places
    if program in _IN_PLACE and any(word.text.startswith(("-i", "--in-place", "-pi")) for word in words[1:]):
        return places[1:] or places
    return []
