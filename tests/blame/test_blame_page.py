"""The HTML page about an instruction file: complete, escaped, and without network access."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cost import cost
from wisen.model.failure import Signature
from wisen.model.instruction import Blame, Effect, InstructionFile, InstructionLine, Rate, Strength
from wisen.surfaces.pages.html import BLAME_HEADER, make_visible, render_blame

pytestmark = pytest.mark.requirement("X4")

BORN = datetime(2026, 2, 18, tzinfo=UTC)
HOSTILE = "<script>alert('1')</script><img src=x onerror=\"a()\"> & </td></table> -->"
VOID = {"meta"}


def effect(number: int, text: str, strength: Strength = Strength.NO_TRACE, *, says: str = "unknown") -> Effect:
    return Effect(
        line=InstructionLine(
            number=number,
            text=text,
            born=BORN,
            since_known=strength is Strength.NEVER,
            gone=None if number else BORN,
            heading=HOSTILE,
            tokens=len(text) // 4,
            rule=True,
            words=("rtk",),
            against=(),
        ),
        strength=strength,
        under=70,
        relevant=45,
        followed=2,
        violated=0,
        signature=Signature(key="a.b", who="rtk", says=says, version=1),
        before=Rate(sessions=1, of=27),
        after=Rate(sessions=43, of=70),
        ratio=16.6,
        interval=(3.9, 120.0),
    )


def blame(*effects: Effect, gone: tuple[Effect, ...] = (), path: str = "/shop/CLAUDE.md") -> Blame:
    return Blame(file=InstructionFile(path=path, root="", versions=()), effects=effects, gone=gone, sessions=97)


class Read(HTMLParser):
    """What a browser would make of a page: tags, attributes and the text of each code element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.codes: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "code":
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "code":
            self.codes[-1] += data
        if "style" not in self.open:
            self.words += data


def test_a_page_begins_with_the_mark_of_ours() -> None:
    assert render_blame(blame()).startswith(BLAME_HEADER)


def test_everything_that_comes_from_outside_is_escaped() -> None:
    made = render_blame(
        blame(
            effect(1, HOSTILE, Strength.BEGAN, says=HOSTILE),
            effect(2, f"# {HOSTILE}"),
            gone=(effect(0, HOSTILE, Strength.HELPED, says=HOSTILE),),
            path=HOSTILE,
        )
    )
    read = Read(made)
    assert not {"script", "img"} & set(read.tags)
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert read.codes == [HOSTILE, f"# {HOSTILE}"]
    assert read.words.count(HOSTILE) >= 6


@given(st.text())
def test_any_text_is_shown_and_none_becomes_a_tag(text: str) -> None:
    plain = Read(render_blame(blame(effect(1, "a", Strength.BEGAN, says="b"), path="c")))
    read = Read(render_blame(blame(effect(1, f"a{text}", Strength.BEGAN, says=f"b{text}"), path=f"c{text}")))
    assert [*read.tags] == plain.tags
    assert read.codes == [make_visible(f"a{text}")]


def test_characters_that_cannot_be_written_or_that_act_are_replaced() -> None:
    made = render_blame(blame(effect(1, "a\udc80b\x00c\u202ed\x1b")))
    assert b"a\xef\xbf\xbdb" in made.encode("utf-8")
    assert "a�b�c�d�" in made
    assert "\u202e" not in made


def test_a_page_needs_no_network_and_runs_nothing() -> None:
    made = render_blame(blame(effect(1, "x", Strength.BEGAN)))
    read = Read(made)
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(read.tags)
    assert not re.search(r"url\(|@import|https?://", made)
    assert {value for name, value in read.attributes if name in ("href", "src")} == {"#L1"}
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in read.attributes


def test_a_page_is_readable_in_light_and_dark() -> None:
    made = render_blame(blame())
    assert "color-scheme: light dark" in made
    light, dark = made.split("@media (prefers-color-scheme: dark)")
    named = set(re.findall(r"(--\w+):", light))
    assert named == set(re.findall(r"(--\w+):", dark))
    assert set(re.findall(r"var\((--\w+)\)", made)) <= named


def test_each_line_has_a_bar_in_the_colour_of_its_effect_as_long_as_its_cost() -> None:
    made = render_blame(
        blame(effect(1, "x" * 40, Strength.BEGAN), effect(2, "y" * 20, Strength.NEVER), effect(3, "## no bar"))
    )
    assert '<td class="bar began"><span style="width:100%">' in made
    assert '<td class="bar never"><span style="width:50%">' in made
    assert made.count('<td class="bar') == 2
    assert "<td>≤ 2026-02-18</td>" in made


def test_a_page_tells_the_same_as_the_terminal() -> None:
    words = " ".join(
        Read(render_blame(blame(effect(1, "use rtk", Strength.BEGAN), effect(2, "z", Strength.NEVER)))).words.split()
    )
    assert "About 1 token in every session; present in 97 sessions; never relevant: 1 of 2 lines, 0 tokens." in words
    assert (
        "`rtk: unknown` came in 1 of 27 sessions before and 43 of 70 after (16.6 times as often, 95% 3.9–120)" in words
    )


def test_the_legend_says_how_strong_each_word_is_and_that_none_is_proof() -> None:
    made = render_blame(blame(effect(1, "x", Strength.BEGAN)))
    legend = made.split("How strong the words are")[1]
    for strength in Strength:
        assert re.search(rf"<dt class=\"\w+\">{strength.value}</dt><dd>\w", legend, re.IGNORECASE)
    assert "None of this is proof" in legend
    assert "confirmed" not in made.lower()
    assert "proved" not in made.lower()


def test_a_page_without_traces_says_so() -> None:
    assert "No failure began with a line" in render_blame(blame(effect(1, "x")))


def test_a_file_of_900_lines_becomes_a_page_fast() -> None:
    many = blame(*(effect(number, f"- Use rtk {number} " + "word " * 30) for number in range(1, 901)))
    assert cost(lambda: Read(render_blame(many))) < 2000
    assert len(Read(render_blame(many)).codes) == 900
