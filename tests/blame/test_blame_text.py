"""The blame report of an instruction file, on a terminal and as sentences."""

from __future__ import annotations

import io
import json
import math
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.cost import cost
from wisen.errors import UsageError
from wisen.model.failure import Signature
from wisen.model.fix import Evidence
from wisen.model.instruction import (
    Blame,
    Effect,
    InstructionFile,
    InstructionLine,
    Rate,
    Strength,
    Version,
    describe_effect,
)
from wisen.surfaces.cli.blame_view import find_effect, show_blame, show_file, show_line, write_page
from wisen.surfaces.cli.render import print_json
from wisen.surfaces.pages.html import BLAME_HEADER, make_visible

pytestmark = pytest.mark.requirement("X4")

BORN = datetime(2026, 2, 18, tzinfo=UTC)
UNKNOWN = Signature(key="usage.unknown-command", who="rtk", says="unknown subcommand", version=1)


def line(
    number: int, text: str, *, seen: bool = True, gone: datetime | None = None, tokens: int = 5
) -> InstructionLine:
    return InstructionLine(
        number=number,
        text=text,
        born=BORN,
        since_known=not seen,
        gone=gone,
        heading="Tools",
        tokens=tokens if text else 0,
        rule=True,
        words=("rtk",) if "rtk" in text else (),
        against=("npm",) if "npm" in text else (),
    )


def quiet(
    stands: InstructionLine, strength: Strength = Strength.NO_TRACE, *, followed: int = 0, violated: int = 0
) -> Effect:
    return Effect(line=stands, strength=strength, under=70, relevant=45, followed=followed, violated=violated)


def trace(stands: InstructionLine, strength: Strength = Strength.BEGAN) -> Effect:
    began = strength is Strength.BEGAN
    return Effect(
        line=stands,
        strength=strength,
        under=70,
        relevant=45,
        followed=0,
        violated=43,
        signature=UNKNOWN,
        before=Rate(sessions=1 if began else 20, of=27),
        after=Rate(sessions=43 if began else 2, of=70),
        ratio=16.6 if began else 0.0386,
        interval=(3.9, 120.4) if began else (0.004, 0.16),
        chance=0.004,
        calls=("c1",),
    )


def blame(*effects: Effect, gone: tuple[Effect, ...] = ()) -> Blame:
    text = "\n".join(effect.line.text for effect in effects)
    file = InstructionFile(path="/shop/CLAUDE.md", root="/shop", versions=(Version(at=BORN, text=text, origin="file"),))
    return Blame(file=file, effects=effects, gone=gone, sessions=97)


def of_texts(*texts: str) -> Blame:
    return blame(*(quiet(line(number, text)) for number, text in enumerate(texts, start=1)))


def shown(what: Blame, width: int = 140) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False)
    show_file(what, out)
    return out.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def row(text: str, number: int) -> str:
    return next(each for each in text.splitlines() if f"{each.strip()} ".startswith(f"{number} "))


MIXED = blame(
    quiet(line(1, "# Shop")),
    quiet(line(2, "")),
    trace(line(3, "- Always prefix with `rtk`")),
    trace(line(4, "- Never use `npm`", seen=False), Strength.HELPED),
    quiet(line(5, "```bash")),
    quiet(line(6, "# rtk is a comment here", tokens=7), Strength.NEVER, followed=3),
    quiet(line(7, "```")),
    quiet(line(8, "Be kind."), Strength.TOO_EARLY),
)


def test_the_headline_tells_cost_reach_and_what_was_never_relevant() -> None:
    name, _, headline = shown(MIXED).splitlines()[0].partition(": ")
    assert name == "/shop/CLAUDE.md"
    assert headline == (
        "about 37 tokens in every session; present in 97 sessions; never relevant: 1 of 4 lines, 7 tokens"
    )


def test_a_row_holds_the_figures_of_its_line() -> None:
    text = shown(MIXED)
    assert row(text, 3).split() == ("3 5 2026-02-18 45/70 ✗43 began with it - Always prefix with `rtk`".split())
    assert row(text, 4).split()[2:5] == ["≤", "2026-02-18", "·/70"]
    assert "✓3" in row(text, 6)
    assert "never relevant" in row(text, 6)
    assert "too early" in row(text, 8)


def test_lines_that_say_nothing_are_shown_without_figures() -> None:
    text = shown(MIXED)
    assert [row(text, number).split() for number in (1, 5, 7)] == [["1", "#", "Shop"], ["5", "```bash"], ["7", "```"]]
    assert row(text, 2).strip() == "2"


@pytest.mark.parametrize(
    ("texts", "speaking"),
    [
        (("```", "# no heading", "~~~", "a", "```", "b"), [2, 4, 6]),
        (("````md", "```", "x", "````", "# h"), [3]),
        (("~~~", "``` x", "~~~", "y"), [2, 4]),
        (("```npm test``` first", "#tag", "## H", "#", "---", "|--|--|", "  "), [1, 2]),
        (("- list", "  ```sh", "  make", "  ```", "日本語"), [1, 3, 5]),
        ((), []),
    ],
)
def test_headings_and_fences_are_distinguished_from_code(texts: tuple[str, ...], speaking: list[int]) -> None:
    assert [effect.line.number for effect in of_texts(*texts).content_effects] == speaking


def test_each_effect_has_its_colour() -> None:
    out = Console(file=io.StringIO(), width=140, force_terminal=True, color_system="standard")
    show_file(MIXED, out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[1;31mbegan with it" in text
    assert "\x1b[32mlikely helped" in text
    assert "\x1b[33mnever relevant" in text
    assert "\x1b[2mtoo early" in text
    assert "\x1b[2m   1" in text


def test_what_left_a_trace_is_reported_in_sentences() -> None:
    text = " ".join(shown(MIXED, 80).split())
    assert (
        "Line 3 (since 2026-02-18): `rtk: unknown subcommand` came in 1 of 27 sessions before and 43 of 70 after "
        "(16.6 times as often, 95% 3.9–120)."
    ) in text
    assert (
        "Line 4 (since 2026-02-18 or before): `rtk: unknown subcommand` came in 20 of 27 sessions before and 2 of 70 "
        "after (0.04 times as often, 95% under 0.01–0.16)."
    ) in text
    assert "wisen blame /shop/CLAUDE.md --line 3" in text
    assert "None of this is proof" in text
    assert "corrected for the trend of all other failures" in text


def test_a_line_that_is_gone_is_reported_with_its_life_and_text() -> None:
    left = trace(line(0, "Use   rtk" + " very" * 40, gone=BORN + timedelta(days=9)))
    text = " ".join(shown(blame(quiet(line(1, "a")), gone=(left,))).split())
    assert "A line that is gone (from 2026-02-18 to 2026-02-27, `Use rtk very" in text
    assert "43 of 70 while it stood" in text
    assert "…`):" in text
    assert "--line" not in text


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((2.5, math.inf), "95% 2.5 or more)"),
        ((0.0, 1500.0), "95% 0–1,500)"),
        ((10.0, 99.96), "95% 10–100)"),
        (None, "often)"),
    ],
)
def test_figures_have_no_more_digits_than_they_deserve(interval: tuple[float, float] | None, words: str) -> None:
    import msgspec

    assert words in describe_effect(msgspec.structs.replace(trace(line(1, "a")), interval=interval))


def test_a_sentence_without_figures_claims_none() -> None:
    assert describe_effect(quiet(line(1, "a"), Strength.HELPED)) == "Line 1 (since 2026-02-18): likely helped."


@pytest.mark.parametrize("width", [20, 40, 80, 140])
def test_every_row_fits_the_terminal(width: int) -> None:
    long = of_texts("word " * 20_000, "\t漢字" * 200, "a [red]b[/red] " * 50, "end")
    rows = shown(long, width).split("None of this")[0].splitlines()
    rows = rows[next(place for place, each in enumerate(rows) if each.startswith("line cost")) :]
    assert max(map(cell_len, rows)) <= max(width, len("line cost since      relevant effect  "))
    assert [sum(each.lstrip().startswith(f"{number} ") for each in rows) for number in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_a_long_word_is_shown_by_its_ends_and_a_long_line_by_its_beginning() -> None:
    text = shown(of_texts("x" * 100_000, "word " * 20_000), 140)
    assert "xxx…xxx" in text
    assert text.count("word") == 400 // len("word ") - 1
    assert "word …" in text


def test_a_narrow_terminal_leaves_room_for_the_text() -> None:
    narrow = row(shown(MIXED, 80), 3)
    assert "began with it" in narrow
    assert "- Always prefix with `rtk`" in narrow


def test_markup_and_emoji_codes_are_shown_as_they_stand() -> None:
    texts = ("[red]Use `rtk`[/red] :smile: [/]", "[link=x]y")
    for width in (80, 140):
        text = shown(of_texts(*texts), width)
        assert "[red]Use `rtk`[/red]" in text
        assert "[link=x]y" in text
    assert ":smile: [/]" in shown(of_texts(*texts))
    out = Console(file=io.StringIO(), width=80)
    show_line(trace(line(1, texts[0])), [call(1, "echo [bold]", "[red]no such[/red] :smile:")], out)
    told_so = out.file.getvalue()  # type: ignore[attr-defined]
    assert texts[0] in told_so
    assert "- echo [bold]" in told_so
    assert "[red]no such[/red] :smile:" in told_so


def test_nothing_in_a_file_acts_on_the_terminal() -> None:
    text = shown(of_texts("a\x1b[2Jb\u202ec\x07\x9bd\udc80"))
    assert "a�[2Jb�c��d�" in text
    assert make_visible("tab\there\u00a0 é") == "tab here  é"


def test_a_file_of_900_lines_is_shown_fast() -> None:
    many = blame(*(quiet(line(number, f"- Use rtk {number} " + "word " * 30)) for number in range(1, 901)))
    assert cost(lambda: shown(many, 80)) < 2000
    assert "- Use rtk 900" in row(shown(many, 80), 900)


def test_an_empty_file_is_shown_too() -> None:
    assert "0 of 0 lines" in shown(blame())


def call(minute: int, command: str, text: str) -> Evidence:
    return Evidence(
        agent="claude-code",
        session="s1",
        at=BORN + timedelta(minutes=minute),
        before=json.dumps({"command": command}),
        after="",
        said=text,
        trajectory="0",
        worked=False,
    )


def test_one_line_is_shown_with_its_life_its_figures_and_its_newest_calls() -> None:
    out = Console(file=io.StringIO(), width=100, highlight=False)
    calls = [call(minute, f"rtk try{minute}", f"Exit code 2\nunknown subcommand {minute}") for minute in range(12)]
    show_line(trace(line(3, "- Never `npm`, use `rtk`")), calls, out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert text.startswith("Line 3: - Never `npm`, use `rtk`\n  there since 2026-02-18, under the heading Tools\n")
    assert "names rtk" in text
    assert "forbids npm" in text
    assert "70 sessions with the line, 45 did something it is about; 43 violated it" in text
    assert "43 of 70 after" in " ".join(text.split())
    assert "By chance alone this would happen in 0.4% of cases" in text
    assert "12 failing calls, newest first" in text
    assert text.index("- rtk try11") < text.index("unknown subcommand 11") < text.index("- rtk try2\n")
    assert "- rtk try1\n" not in text
    assert "2 more calls: add --json" in text
    assert "2026-02-18 00:11  claude-code session s1" in text


def test_a_line_without_calls_is_shown_without_them() -> None:
    out = Console(file=io.StringIO(), width=100)
    show_line(quiet(line(1, "Be kind.")), (), out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert "names nothing that a call could match" in text
    assert "failing call" not in text


def test_a_line_that_is_not_there_is_an_error_with_the_next_step() -> None:
    assert find_effect(MIXED, 3).line.number == 3
    for number in (0, -1, 9):
        with pytest.raises(UsageError, match=f"has no line {number}: its lines go from 1 to 8.*wisen blame"):
            find_effect(MIXED, number)
    with pytest.raises(UsageError, match="it is empty"):
        find_effect(blame(), 1)


def test_no_output_claims_more_than_the_sessions_tell() -> None:
    out = Console(file=io.StringIO(), width=100)
    show_line(trace(line(1, "a")), [call(1, "rtk", "no")], out)
    everything = (shown(MIXED) + out.file.getvalue()).lower()  # type: ignore[attr-defined]
    assert "confirmed" not in everything
    assert "proved" not in everything


def test_json_holds_the_whole_value(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(MIXED)
    value = json.loads(capsys.readouterr().out)
    assert (value["sessions"], value["effects"][2]["strength"]) == (97, "began with this line")
    assert value["effects"][2]["line"]["born"] == "2026-02-18T00:00:00Z"


def test_the_page_is_written_for_the_user_alone_and_again_over_itself(tmp_path: Path) -> None:
    target = tmp_path / "blame.html"
    write_page(MIXED, target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.chmod(0o644)
    write_page(of_texts("another"), target)
    assert "another" in target.read_text(encoding="utf-8")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("content", ["", "# CLAUDE.md\n", "<!doctype html>\n<p>mine", f"x{BLAME_HEADER}"])
def test_a_file_that_is_not_a_page_of_ours_stays_as_it_is(tmp_path: Path, content: str) -> None:
    target = tmp_path / "CLAUDE.md"
    target.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="stays as it is"):
        write_page(MIXED, target)
    assert target.read_text(encoding="utf-8") == content
    assert list(tmp_path.iterdir()) == [target]


def test_a_page_that_cannot_be_written_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write_page(MIXED, tmp_path / "nowhere" / "blame.html")
    with pytest.raises(UsageError, match="not a page"):
        write_page(MIXED, tmp_path)


def test_a_page_is_not_mixed_with_other_output_and_looking_makes_no_files(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = home / "page.html"
    with pytest.raises(UsageError, match="without --line and --json"):
        show_blame(home / "CLAUDE.md", lines=[3], as_json=False, html=page)
    with pytest.raises(UsageError, match="without --line and --json"):
        show_blame(home / "CLAUDE.md", lines=(), as_json=True, html=page)
    assert show_blame(home / "CLAUDE.md", lines=(), as_json=False, html=page) == 3
    assert "wisen learn" in capsys.readouterr().out
    assert list(home.iterdir()) == []
