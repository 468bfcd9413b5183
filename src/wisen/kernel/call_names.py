"""Extracts the names in calls and prompts, by which a similar call is recognized.

Plain Python that imports only kernel files, because the hook client loads it inside an agent's turn; the backtest uses
the same code.
"""

from __future__ import annotations

from .matching import EDITORS, READERS, WatchedCall
from .shell_words import UNKNOWN
from .unspaced_scripts import letter_pairs_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHELL, FILE = "shell", "file"
"""The kind of a call: a command, or work on a file; any other is identified by the name of its tool."""
SHELL_TOOLS = frozenset(
    "Bash shell shell_command exec_command local_shell container.exec unified_exec terminal exec bash"
    " run_shell_command".split()
)
"""Tools that run a command, by the names that agents give them."""
_FILE_TOOLS = EDITORS | READERS | frozenset("Grep Glob grep glob search_file_content list_directory LS".split())
_BETWEEN = str.maketrans(dict.fromkeys("\"'`,;!?()[]{}<>*=|&\n\t\r~^%\\，。；！？「」（）：、", " "))
_AROUND = ".:-/#@$+"
_MAX_READ = 4_000
"""Characters of a text that are read."""
_MIN_LENGTH = 2


def kind_of(tool: str) -> str:
    """Whether a tool runs commands or works on files; else its own name."""
    if tool in SHELL_TOOLS:
        return SHELL
    return FILE if tool in _FILE_TOOLS else tool.casefold()


def text_names(text: str) -> set[str]:
    """The words of a text as lowercase names: paths also by their ends, dotted names also by their parts."""
    found = set[str]()
    text = text[:_MAX_READ]
    for word in text.casefold().translate(_BETWEEN).split():
        _add_names(word, found)
    found.update(letter_pairs_in(text))
    return found


def call_names(call: WatchedCall) -> list[set[str]]:
    """The names in a call, separately for each command: the program, its words, files, names in a change."""
    if call.line:
        return [_run_names(view) for run in call.runs for view in run.views[-1:]]
    found = {call.tool.casefold()}
    for value in call.fields.values():
        if isinstance(value, str):
            found |= text_names(value)
        elif isinstance(value, list):
            for each in value[:20]:
                for text in each.values() if isinstance(each, dict) else (each,):
                    found |= text_names(text) if isinstance(text, str) else set()
    return [found]


def is_similar_call(kind: str, words: Iterable[str], tool: str, names: Iterable[set[str]]) -> bool:
    """Whether a call matches a trigger: all of its words are in one command or change.

    A trigger from a command matches only commands. One about a file or about names matches any call.
    """
    if kind not in (FILE, "") and kind_of(tool) != kind:
        return False
    wanted = set(words)
    return bool(wanted) and any(wanted <= each for each in names)


def _run_names(view: Iterable[object]) -> set[str]:
    found = set[str]()
    for number, word in enumerate(view):
        text = str(getattr(word, "text", ""))
        if UNKNOWN in text or " " in text or len(text) > 200:
            continue  # computed by the shell, or prose
        if number == 0:
            found.add(text.casefold().rsplit("/", 1)[-1])
        found.add(text.casefold())
        _add_names(text.casefold(), found)
        option, sign, value = text.casefold().partition("=")
        if sign:
            found.add(option)
            _add_names(value, found)
    return found


def _add_names(word: str, found: set[str]) -> None:
    word = word.strip(_AROUND)
    if len(word) < _MIN_LENGTH:
        return
    found.add(word)
    last = word
    if "/" in word:
        parts = [each for each in word.split("/") if each]
        found.add("/".join(parts[-2:]))
        last = parts[-1]
        found.add(last)
    if "." in last:
        found.update(each for each in last.split(".") if len(each) > _MIN_LENGTH)
    if ":" in last:
        found.update(each for each in last.split(":") if len(each) > _MIN_LENGTH)
