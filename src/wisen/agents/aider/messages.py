"""What aider's own messages in a chat mean, as far as they tell what it did, asked or ran."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple


class MessageKind(Enum):
    """What a message tells."""

    BEGUN = auto()
    """Which version it is; the message before this one is the command line."""
    ANSWERED = auto()
    """The model's answer is over."""
    EDITED = auto()
    MALFORMED = auto()
    """An edit that cannot be made; the reason follows."""
    SKIPPED = auto()
    """An edit that was not made."""
    RAN = auto()
    """A command is run; how it ends is never told."""
    ASKED = auto()
    """A question to the user, with the answer."""
    CHECKED = auto()
    """A command that checks what was edited, and failed; what it printed follows."""
    REMARK = auto()
    """Ends what such a command printed."""
    STOPPED = auto()
    CLEARED = auto()
    """The model knows nothing any more of what was said."""
    MODEL = auto()
    """Which model is spoken to from here on."""
    LINK = auto()
    OTHER = auto()


class ClassifiedMessage(NamedTuple):
    """A message, understood."""

    kind: MessageKind
    about: str = ""
    """The file, the command, the question or the model."""
    answer: str = ""
    """The first letter of it."""


SHELL_QUESTION = re.compile(r"Run shell commands?\?")
EDIT_QUESTION = re.compile(r"Create new file\?|Allow edits to file")
LINT_QUESTION = re.compile(r"Fix lint errors in ")
QUESTION = re.compile(
    r"(?P<about>.+) \(Y\)es/\(N\)o\S*(?: all)?(?:/\(D\)on't ask again)? \[[^\]]*\]:(?: (?P<answer>\w))?"
)
"""A question as it is written down with its answer, also where aider answers it by itself, in the user's place."""
_PATTERNS: tuple[tuple[MessageKind, re.Pattern[str]], ...] = (
    (MessageKind.BEGUN, re.compile(r"Aider v(?P<about>\S+)\Z")),
    (MessageKind.MODEL, re.compile(r"(?:Main model|Model): (?P<about>\S+) with ")),
    (MessageKind.ANSWERED, re.compile(r"Tokens: ")),
    (MessageKind.EDITED, re.compile(r"Applied edit to (?P<about>.+)\Z")),
    (MessageKind.MALFORMED, re.compile(r"The LLM did not conform to the edit format\.")),
    (MessageKind.SKIPPED, re.compile(r"Skipping edits to (?P<about>(?:(?! that matches ).)+)\Z")),
    (MessageKind.RAN, re.compile(r"Running (?P<about>.+)\Z")),
    (MessageKind.CHECKED, re.compile(r"## Running: (?P<about>.+)\Z")),
    (MessageKind.REMARK, re.compile(r"##? ")),
    (MessageKind.STOPPED, re.compile(r"\^C (?:again to exit|KeyboardInterrupt)\Z")),
    (MessageKind.CLEARED, re.compile(r"All (?:files dropped and )?chat history cleared\.\Z")),
    (MessageKind.LINK, re.compile(r"https?://\S+\Z")),
)
_NON_INTERACTIVE = re.compile(r"\s(?:--message|--msg|-m|--message-file|-f)(?:[\s=]|\Z)")
_FILE = re.compile(r" in (\S+)$", re.MULTILINE)
_QUOTED_FILE = re.compile(r"^<{5,9} .*?(?:^>{5,9} [^\n]*|\Z)", re.MULTILINE | re.DOTALL)
_REASON_LINES = 5
"""Lines of a reason that are kept."""


def classify_message(text: str) -> ClassifiedMessage:
    """What a message means."""
    asked = QUESTION.fullmatch(text)
    if asked:
        return ClassifiedMessage(MessageKind.ASKED, asked["about"], (asked["answer"] or "").lower())
    for kind, pattern in _PATTERNS:
        if found := pattern.match(text):
            return ClassifiedMessage(kind, found["about"] if "about" in pattern.groupindex else "")
    return ClassifiedMessage(MessageKind.OTHER)


def is_non_interactive(command_line: str) -> bool:
    """Whether aider was started with what it was to do, and ends when it is done."""
    return _NON_INTERACTIVE.search(command_line) is not None


def parse_edit_failure(text: str) -> tuple[str, str]:
    """Why an edit cannot be made, without the lines of the file that it quotes, and the file."""
    said = [line for line in _QUOTED_FILE.sub("", text).split("\n") if line.strip()]
    heads = [line for line in said if line.startswith("#")]
    found = _FILE.search("\n".join(heads or said))
    return "\n".join((heads or said)[:_REASON_LINES]), found[1] if found else ""
