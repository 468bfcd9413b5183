"""Whether a text begins with a concession, decoded or as the bytes of a line."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wisen.agents.concessions import is_concession, may_concede

pytestmark = pytest.mark.requirement("F1")
CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"


@pytest.mark.parametrize(
    "text",
    [
        "You're right.",
        f"You{CURLY}re right, I'll use uv.",
        "YOU ARE RIGHT",
        "You're absolutely right!",
        "Yes, you are quite right: it is gone.",
        "you're\nright",
        "Good catch!",
        "Great catch, thanks.",
        "nice catch",
        "Good point.",
        "That's a fair point",
        "Great point!",
        "Good call, done.",
        "My mistake.",
        "My bad",
        "Apologies for that.",
        "I apologize.",
        "I apologise.",
        "Sorry about that",
        "I'm sorry, that was the wrong file.",
        "I misunderstood what you wanted.",
        "I misread the file.",
        "I overlooked that.",
        "I missed this one.",
        "I was wrong about that.",
        "I should have asked.",
        "I shouldn't have pushed.",
        f"I shouldn{CURLY}t have pushed.",
        "Got it, uv it is.",
        "Understood.",
        "**Understood**",
        "x" * 134 + " sorry",
    ],
)
def test_a_concession_is_known(text: str) -> None:
    assert is_concession(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Good question.",
        "Good idea!",
        "That makes sense.",
        "I see.",
        "Yes.",
        "Exactly.",
        "I'll do it right now.",
        "You're right-handed.",
        "if you're right-handed, use this",
        "You're rightly worried.",
        "You're very much right",
        "thankyou are right",
        "the right one",
        "A catch: there is none.",
        "Good callers know",
        "I dismissed it",
        "The api missed nothing",
        "It is misunderstood.",
        "I should be done soon.",
        "forgot it",
        "sorrypy is a tool",
        "x" * 135 + " sorry",
        "x" * 127 + " you're right-handed",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_concession(text)


PIECES = [
    "You",
    "you're",
    f"you{CURLY}RE",
    " are",
    " really",
    " right",
    "-",
    "ly",
    "Good",
    " catch",
    "sorry",
    "Got",
    " it",
]
PIECES += [
    *' \n\t\r\f\v\u00a0"\\/.',
    "\u0142",
    "\u6f22",
    "\U0001f600",
    "\x1b",
    "I ",
    "should",
    "n't have",
    "x" * 30,
    "\n" * 60,
]
ALIKE = ["\u017forry", "\u0130 missed", "\u0131 missed", "\u212a"]
"""Letters that are the capital or small form of a plain one."""


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from([*PIECES, *ALIKE]) | st.characters(exclude_categories=["Cs"]), max_size=12).map("".join)
)
@example("\U0001f600" * 130 + "my bad")
@example("\x1b" * 130 + "my bad")
@example('"' * 130 + "my bad")
def test_the_bytes_of_a_line_never_say_no_where_the_text_says_yes(text: str) -> None:
    if not is_concession(text):
        return
    numbered = "".join(f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else letter for letter in text)
    for written in (json.dumps(text), json.dumps(text, ensure_ascii=False), f'"{numbered}"', f'"{numbered.upper()}"'):
        line = bytearray(b'{"text":' + written.replace("\\U", "\\u").encode() + b"}")
        assert json.loads(line)["text"] == text
        begin = len(b'{"text":"')
        assert may_concede(line, begin, line.index(b'"', begin))


def test_most_lines_are_recognized_by_their_bytes() -> None:
    for text in ("Done: all 12 tests pass.", "Let me look at the file first.", "Das ist erledigt \u2013 fertig."):
        line = bytearray(json.dumps(text, ensure_ascii=False).encode())
        assert not may_concede(line, 1, line.index(b'"', 1))
