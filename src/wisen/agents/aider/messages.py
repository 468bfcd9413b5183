"""Classifies aider's own messages in a chat: what it did, asked or ran."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from wisen.text.lazy_regex import lazy_regex


class MessageKind(Enum):
    """The kind of a message."""

    BEGUN = auto()
    """Aider's version; the message before this one is the command line."""
    ANSWERED = auto()
    """The model's answer is complete."""
    EDITED = auto()
    MALFORMED = auto()
    """An edit that cannot be applied; the reason follows."""
    SKIPPED = auto()
    """An edit that was not applied."""
    RAN = auto()
    """A command that is run; its outcome is never recorded."""
    ASKED = auto()
    """A question to the user with the answer."""
    CHECKED = auto()
    """A failed command that checked an edit; its output follows."""
    REMARK = auto()
    """Ends the output of such a command."""
    STOPPED = auto()
    CLEARED = auto()
    """The model's conversation history was cleared."""
    MODEL = auto()
    """The model used from here on."""
    LINK = auto()
    OTHER = auto()


class ClassifiedMessage(NamedTuple):
    """A message with its kind and subject."""

    kind: MessageKind
    about: str = ""
    """The file, the command, the question or the model."""
    answer: str = ""
    """The first letter of the answer."""


SHELL_QUESTION = lazy_regex(r"Run shell commands?\?")
EDIT_QUESTION = lazy_regex(r"Create new file\?|Allow edits to file")
LINT_QUESTION = lazy_regex(r"Fix lint errors in ")
QUESTION = lazy_regex(
    r"(?P<about>.+) \(Y\)es/\(N\)o\S*(?: all)?(?:/\(D\)on't ask again)? \[[^\]]*\]:(?: (?P<answer>\w))?"
)
"""A question as recorded with its answer, including answers that aider gives itself instead of the user."""
_PATTERNS: tuple[tuple[MessageKind, re.Pattern[str]], ...] = (
    (MessageKind.BEGUN, lazy_regex(r"Aider v(?P<about>\S+)\Z")),
    (MessageKind.MODEL, lazy_regex(r"(?:Main model|Model): (?P<about>\S+) with ")),
    (MessageKind.ANSWERED, lazy_regex(r"Tokens: ")),
    (MessageKind.EDITED, lazy_regex(r"Applied edit to (?P<about>.+)\Z")),
    (MessageKind.MALFORMED, lazy_regex(r"The LLM did not conform to the edit format\.")),
    (MessageKind.SKIPPED, lazy_regex(r"Skipping edits to (?P<about>(?:(?! that matches ).)+)\Z")),
    (MessageKind.RAN, lazy_regex(r"Running (?P<about>.+)\Z")),
    (MessageKind.CHECKED, lazy_regex(r"## Running: (?P<about>.+)\Z")),
    (MessageKind.REMARK, lazy_regex(r"##? ")),
    (MessageKind.STOPPED, lazy_regex(r"\^C (?:again to exit|KeyboardInterrupt)\Z")),
    (MessageKind.CLEARED, lazy_regex(r"All (?:files dropped and )?chat history cleared\.\Z")),
    (MessageKind.LINK, lazy_regex(r"https?://\S+\Z")),
)
_NON_INTERACTIVE = lazy_regex(r"\s(?:--message|--msg|-m|--message-file|-f)(?:[\s=]|\Z)")
_FILE = lazy_regex(r" in (\S+)$", re.MULTILINE)
_QUOTED_FILE = lazy_regex(r"^<{5,9} .*?(?:^>{5,9} [^\n]*|\Z)", re.MULTILINE | re.DOTALL)
_REASON_LINES = 5
"""Lines of a reason that are kept."""


def classify_message(text: str) -> ClassifiedMessage:
    """Classify a message."""
    question = QUESTION.fullmatch(text)
    if question:
        return ClassifiedMessage(MessageKind.ASKED, question["about"], (question["answer"] or "").lower())
    for kind, pattern in _PATTERNS:
        if match := pattern.match(text):
            return ClassifiedMessage(kind, match["about"] if "about" in pattern.groupindex else "")
    return ClassifiedMessage(MessageKind.OTHER)


def is_non_interactive(command_line: str) -> bool:
    """Whether aider was started with a prompt on the command line, and exits when it is done."""
    return _NON_INTERACTIVE.search(command_line) is not None


def parse_edit_failure(text: str) -> tuple[str, str]:
    """Return why an edit cannot be applied, without the quoted lines of the file, and the file."""
    lines = [line for line in _QUOTED_FILE.sub("", text).split("\n") if line.strip()]
    heads = [line for line in lines if line.startswith("#")]
    match = _FILE.search("\n".join(heads or lines))
    return "\n".join((heads or lines)[:_REASON_LINES]), match[1] if match else ""
