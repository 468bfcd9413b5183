"""The report of `wisen learn` as Markdown and HTML: ordered, escaped, and self-contained."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from tests.cost import cost
from wisen.errors import UsageError
from wisen.model.failure import CallChange, Signature
from wisen.model.fix import Danger, FailureKind, Fix
from wisen.model.instruction import Effect, InstructionLine, InstructionSummary, Rate, Strength, describe_effect
from wisen.model.report import Counts, Report, Selection, ToolUse
from wisen.model.source import ReadProblemCount, ReadProblemKind
from wisen.surfaces.cli.render import describe_open_decision
from wisen.surfaces.pages.html import BLAME_HEADER, check_target, make_visible, save_page
from wisen.surfaces.pages.report_page import HTML_HEADER, MARKDOWN_HEADER, render_html, render_markdown

pytestmark = pytest.mark.requirement("X4")

DAY = datetime(2026, 2, 18, tzinfo=UTC)
LATER = datetime(2026, 3, 2, tzinfo=UTC)
VOID = {"meta", "br", "hr"}
HOSTILE = (
    "<script>alert('1')</script><img src=x onerror=\"a()\"> & &lt; </td></table> --> | a \\| b \\ `code` ``` "
    "**bold** _it_ ~~no~~ [link](http://x.example) ![i](http://x.example/i.png) $x$ <http://x.example>"
    "\n\n# head\n| x |\n\n---\n"
)
ORDER = (
    "Worth deciding now",
    "What keeps failing, and what fixed it",
    "What you keep correcting",
    "Instruction files",
    "What you rejected and interrupted",
    "Tools",
    "What was not read or withheld",
    "All failures: 2 kinds",
    "All tools: 1",
    "All that was not read",
)


class Read(HTMLParser):
    """Parses a page as a browser would: its tags, and the text of each kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
            self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.texts and "style" not in self.open:
            tag, text = self.texts[-1]
            self.texts[-1] = (tag, text + data)

    @property
    def words(self) -> str:
        return one(" ".join(text for _, text in self.texts))

    def of(self, *tags: str) -> list[str]:
        return [one(text) for tag, text in self.texts if tag in tags]


def one(text: str) -> str:
    return " ".join(text.split())


def from_page(report: Report) -> Read:
    return Read(render_html(report))


def from_markdown(report: Report) -> Read:
    """Read as GitHub reads it: with tables and struck words, and with HTML let through."""
    return Read(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(render_markdown(report)))


both = pytest.mark.parametrize("read", [from_page, from_markdown])
Reader = Callable[[Report], Read]


def signature(says: str = "unknown", key: str = "usage.unknown-command") -> Signature:
    return Signature(key=key, who="rtk", says=says, version=1)


def kind(what: Signature, *, sessions: int = 3, masked: int = 0, tool: str = "Bash") -> FailureKind:
    return FailureKind(
        signature=what,
        tool=tool,
        calls=7,
        masked=masked,
        sessions=sessions,
        overcome=2,
        lost_ms=300_000,
        lost_tokens=4_000,
        first=DAY,
        last=LATER,
    )


def fix(what: Signature, added: str = "--all", *, danger: Danger = Danger.NONE) -> Fix:
    return Fix(
        id="abcdef0123",
        signature=what,
        change=CallChange(tool="Bash", added=(added,)),
        before="{}",
        after="{}",
        said="",
        sessions=3,
        calls=5,
        failed_again=0,
        by_chance=0.0,
        danger=danger,
        lost_ms=300_000,
        lost_tokens=4_000,
        first=DAY,
        last=LATER,
        last_worked=True,
    )


def effect(text: str, what: Signature, strength: Strength = Strength.BEGAN, *, number: int = 3) -> Effect:
    line = InstructionLine(
        number=number,
        text=text,
        born=DAY,
        since_known=False,
        gone=None if number else LATER,
        heading="",
        tokens=5,
        rule=True,
        words=("rtk",),
        against=(),
    )
    return Effect(
        line=line,
        strength=strength,
        under=70,
        relevant=45,
        followed=0,
        violated=0,
        signature=what,
        before=Rate(sessions=1, of=27),
        after=Rate(sessions=43, of=70),
        ratio=16.6,
        interval=(3.9, 120.0),
    )


def summary_of(*effects: Effect, path: str = "/shop/CLAUDE.md", unused: int = 4) -> InstructionSummary:
    return InstructionSummary(
        path=path, tokens=3_000, sessions=97, speaking=effects, unused_lines=unused, unused_tokens=250 if unused else 0
    )


def tool(name: str) -> ToolUse:
    return ToolUse(tool=name, calls=90, ok=70, failed=9, masked=2, cancelled=3, rejected=4, sessions=6)


NO_COUNTS = Counts(
    sources=0,
    sessions=0,
    contexts=0,
    typed_turns=0,
    rejections=0,
    rejections_with_reason=0,
    interrupts=0,
    interrupts_by_rejection=0,
    tools=(),
    withheld={},
    first=None,
    last=None,
)
EMPTY = Report(
    selection=Selection(),
    found={},
    looked_in=("/home/a/.claude",),
    read_bytes=0,
    new_events=0,
    seconds=0.1,
    reading_seconds=0.1,
    counts=NO_COUNTS,
    failures=(),
    fixes=(),
    instructions=(),
    troubles=(),
)
QUIET = replace(EMPTY, counts=replace(NO_COUNTS, sources=2, sessions=2, contexts=1), new_events=5)


def full(text: str = "text") -> Report:
    """A report that holds everything, with the text wherever a text of others can stand."""
    blamed, fixed = signature(f"blamed {text}"), signature(f"fixed {text}")
    counts = replace(
        NO_COUNTS,
        sources=9,
        sessions=97,
        contexts=4,
        typed_turns=1_234,
        rejections=5,
        rejections_with_reason=2,
        interrupts=8,
        interrupts_by_rejection=3,
        tools=(tool(f"tool {text}"),),
        withheld={f"rule {text}": 2},
        first=DAY,
        last=LATER,
    )
    return replace(
        EMPTY,
        counts=counts,
        new_events=5,
        failures=(kind(blamed, tool=f"tool {text}"), kind(fixed, masked=1, tool=f"tool {text}")),
        fixes=(fix(fixed, f"with {text}"),),
        undecided={"abcdef0123": "ERR-20260302-001"},
        instructions=(
            summary_of(
                effect(f"line {text}", blamed),
                effect(f"gone {text}", fixed, Strength.HELPED, number=0),
                path=f"/shop {text}",
            ),
        ),
        troubles=(
            ReadProblemCount(
                path=f"/log {text}", kind=ReadProblemKind.UNKNOWN, detail=f"new {text}", count=3, first_offset=1_200
            ),
        ),
        warnings=(f"{text}z", f"z{text}"),
    )


def test_each_format_begins_with_the_mark_of_ours() -> None:
    for report in (EMPTY, full(HOSTILE)):
        assert render_html(report).startswith(HTML_HEADER)
        assert render_markdown(report).startswith(MARKDOWN_HEADER)
        assert render_markdown(report).splitlines()[0] == "<!-- made by wisen learn -->"


@both
def test_a_report_without_sessions_says_where_it_looked_and_nothing_else(read: Reader) -> None:
    found = read(EMPTY)
    assert "No sessions on this machine yet. Looked in: /home/a/.claude" in found.words
    assert not found.of("h2", "summary", "table")
    assert "No sessions in /logs." in read(replace(EMPTY, selection=Selection(under=Path("/logs")))).words


@both
def test_a_report_in_which_nothing_went_wrong_says_so(read: Reader) -> None:
    words = read(QUIET).words
    assert "2 sessions in 1 project: 0 typed turns, 0 tool calls, 0 failed calls." in words
    assert "No failed calls." in words
    assert "Everything was read, and nothing was withheld." in words
    assert "Worth deciding now" not in words
    assert "Instruction files" not in words


@both
def test_a_report_tells_everything_in_order_after_the_headline(read: Reader) -> None:
    found = read(full())
    assert tuple(found.of("h2", "summary")) == ORDER
    headline = (
        "97 sessions in 4 projects, 2026-02-18 to 2026-03-02: "
        "1,234 typed turns, 90 tool calls, 11 failed calls (12.2%)."
    )
    assert found.words.index("textz") < found.words.index(headline) < found.words.index(ORDER[0])
    assert "You rejected 5 calls (2 with a reason), most often " in found.words
    assert " and interrupted 8 times (3 of them by rejecting)." in found.words
    assert "2 texts not stored because of a secret or private data in it (rule text 2)." in found.words
    assert "Not read, in 1 file: unknown new text 3." in found.words


@both
def test_decisions_and_lines_are_shown_in_the_words_of_the_terminal(read: Reader) -> None:
    report = full()
    words = read(report).words
    assert len(report.decisions) == 3
    for decision in report.decisions:
        for sentence in describe_open_decision(decision):
            assert sentence in words
    for each in report.instructions[0].speaking:
        assert describe_effect(each) in words
    assert "None of this is proof" in words
    assert "wisen blame '/shop text'" in words


@both
def test_a_failure_stands_with_its_figures_and_what_fixed_it(read: Reader) -> None:
    built, fixed, risky = signature("no", "build.failed"), signature("a"), signature("b")
    open_ended = signature("c")
    report = replace(
        QUIET,
        failures=(kind(built), kind(fixed, masked=2), kind(risky), kind(open_ended)),
        fixes=(fix(fixed, "--first"), fix(fixed, "--second"), fix(risky, "--host", danger=Danger.HOST)),
    )
    cells = read(report).of("td")
    assert cells[:5] == ["3", "7", "rtk: no", "5 min", "work on the code"]
    assert cells[5:10] == ["3", "7", "rtk: a (2 hidden by a pipe)", "5 min", "with --first"]
    assert cells[10:15] == ["3", "7", "rtk: b", "5 min", "with --host (caution: another host)"]
    assert cells[15:20] == ["3", "7", "rtk: c", "5 min", ""]


@both
def test_failures_of_one_session_stand_in_the_details_alone(read: Reader) -> None:
    again, once = signature("again"), signature("once")
    found = read(replace(QUIET, failures=(kind(again), kind(once, sessions=1))))
    assert found.of("td").count("rtk: again") == 2
    assert found.of("td").count("rtk: once") == 1
    assert "1 more kind below." in found.words


@both
def test_rules_that_were_never_relevant_stand_with_their_price(read: Reader) -> None:
    found = read(replace(QUIET, instructions=(summary_of(unused=1), summary_of(path="/other", unused=0))))
    assert found.of("td") == ["/shop/CLAUDE.md", "1", "250", "3 thousand", "97"]


@both
def test_a_narrowed_report_says_what_it_is_about(read: Reader) -> None:
    chosen = Selection(under=Path("/logs"), since=DAY, agent="codex", places=("/a", "/b"))
    told_so = "Only sessions in /logs, since 2026-02-18, of codex, that worked in /a or /b."
    assert told_so in read(replace(QUIET, selection=chosen)).words
    assert "Only sessions" not in read(QUIET).words


def test_details_are_folded_in_a_page_and_below_a_rule_in_markdown() -> None:
    front, *details = render_html(full()).split("<details>")
    assert len(details) == 3
    assert "All failures" not in front
    above, below = render_markdown(full()).split("\n---\n")
    assert [line[3:] for line in above.splitlines() if line.startswith("## ")] == list(ORDER[:7])
    assert [line[3:] for line in below.splitlines() if line.startswith("## ")] == list(ORDER[7:])


@both
def test_hostile_texts_are_shown_and_do_nothing(read: Reader) -> None:
    plain, found = read(full()), read(full(HOSTILE))
    assert found.tags == plain.tags
    assert found.attributes == plain.attributes
    assert len(found.of("td")) == len(plain.of("td"))
    shown = one(HOSTILE)
    assert f"tool {shown}" in found.of("td")
    assert f"/log {shown}" in found.of("td")
    assert found.of("p")[0] == f"{shown} z"


@both
@pytest.mark.parametrize(
    "start",
    [
        "# ",
        "#",
        "- ",
        "+ ",
        "* ",
        "1. ",
        "12) ",
        "> ",
        "    ",
        "\t",
        "===",
        "---",
        "- - -",
        "***",
        "```",
        "~~~",
        "[a]: b",
        ": ",
    ],
)
def test_no_beginning_makes_a_heading_a_list_or_code_of_a_line(read: Reader, start: str) -> None:
    plain, found = read(full()), read(full(start))
    assert found.tags == plain.tags
    assert found.of("p")[:2] == [one(f"{start}z"), one(f"z{start}")]


def test_figures_and_dates_are_written_as_they_are() -> None:
    assert "| 2026-02-18 | 2026-03-02 |" in render_markdown(full())


@both
@given(text=st.text(alphabet=st.one_of(st.sampled_from("\\`|<>*_-#+=~[]()!&;:.1 \n\t\r\x00"), st.characters())))
def test_any_text_is_shown_and_none_marks_anything_up(read: Reader, text: str) -> None:
    plain, found = read(full()), read(full(text))
    assert found.tags == plain.tags
    assert found.attributes == plain.attributes
    assert one(make_visible(f"tool {text}")) in found.of("td")
    assert one(make_visible(f"/log {text}")) in found.of("td")
    assert found.of("p")[:2] == [one(make_visible(f"{text}z")), one(make_visible(f"z{text}"))]


def test_characters_that_cannot_be_written_or_that_act_are_replaced() -> None:
    for made in (render_html(full("a\udc80b\x00c\u202ed\x1b")), render_markdown(full("a\udc80b\x00c\u202ed\x1b"))):
        assert "a�b�c�d�" in made
        assert made.encode("utf-8")


def test_a_pipe_is_never_written_as_one_into_a_cell() -> None:
    def pipes(report: Report) -> list[int]:
        return [line.count("|") for line in render_markdown(report).splitlines() if line.startswith("|")]

    assert pipes(full("a|b\\|c`|`d")) == pipes(full())


def test_a_page_needs_no_network_and_runs_nothing() -> None:
    found = from_page(full())
    assert not {"script", "link", "img", "iframe", "object", "form", "a"} & set(found.tags)
    assert not re.search(r"url\(|@import|https?://", render_html(full()))
    assert not [name for name, _ in found.attributes if name in ("href", "src") or name.startswith("on")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in found.attributes
    assert not re.search(r"https?://|!\[", render_markdown(full()))


def test_500_kinds_of_failure_become_a_report_fast_and_all_are_there() -> None:
    kinds = [signature(f"kind {number} {HOSTILE}") for number in range(500)]
    many = replace(
        QUIET,
        counts=replace(QUIET.counts, tools=tuple(tool(f"tool {number}") for number in range(40))),
        failures=tuple(map(kind, kinds)),
        fixes=tuple(map(fix, kinds)),
    )
    for made in (render_html, render_markdown):
        assert cost(lambda made=made: made(many)) < 1000  # type: ignore[misc]
        text = made(many)
        assert all(f"kind {number} " in text for number in range(500))
        assert "488 more kinds below." in text
        assert "28 more tools below." in text
        assert "tool 39" in text


@both
def test_many_instruction_files_stay_short_in_front_and_whole_in_the_details(read: Reader) -> None:
    files = tuple(summary_of(effect("use rtk", signature()), path=f"/shop/{number}/CLAUDE.md") for number in range(20))
    found = read(replace(QUIET, instructions=files))
    assert found.of("h2", "summary")[-2:] == ["All lines that left a trace", "All files with rules never relevant"]
    assert found.of("td").count("/shop/0/CLAUDE.md") == 2
    assert found.of("td").count("/shop/19/CLAUDE.md") == 1
    assert "More of them below." in found.words


@pytest.mark.parametrize(("made", "begins"), [(render_html, HTML_HEADER), (render_markdown, MARKDOWN_HEADER)])
def test_a_report_is_written_for_the_user_alone_and_only_over_one_of_its_kind(
    tmp_path: Path, made: Callable[[Report], str], begins: str
) -> None:
    target = tmp_path / "report"
    save_page(made(EMPTY), target, header=begins, option="--out")
    save_page(made(full(HOSTILE + "\udc80")), target, header=begins, option="--out")
    assert target.read_text(encoding="utf-8") == made(full(HOSTILE + "\udc80"))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    for others in (
        "",
        "# Notes\n",
        BLAME_HEADER,
        f" {begins}",
        HTML_HEADER if begins == MARKDOWN_HEADER else MARKDOWN_HEADER,
    ):
        target.write_text(others, encoding="utf-8")
        with pytest.raises(UsageError, match=r"stays as it is.* --out"):
            save_page(made(EMPTY), target, header=begins, option="--out")
        assert target.read_text(encoding="utf-8") == others
    assert list(tmp_path.iterdir()) == [target]


def test_whether_a_report_may_be_written_can_be_seen_before_the_work(tmp_path: Path) -> None:
    target = tmp_path / "report.md"
    check_target(target, header=MARKDOWN_HEADER, option="--markdown")
    save_page(render_markdown(EMPTY), target, header=MARKDOWN_HEADER, option="--markdown")
    check_target(target, header=MARKDOWN_HEADER, option="--markdown")
    assert target.read_text(encoding="utf-8") == render_markdown(EMPTY)
    for wrong in (tmp_path, tmp_path / "nowhere" / "report.md", target / "report.md"):
        with pytest.raises(UsageError, match="--markdown"):
            check_target(wrong, header=MARKDOWN_HEADER, option="--markdown")
    assert list(tmp_path.iterdir()) == [target]
