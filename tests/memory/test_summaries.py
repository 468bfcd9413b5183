"""Session summaries contain only what was typed and measured, each item with its turn, each context separate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.history_builder import AT, build_history, summarize
from wisen.memory.summary_text import (
    HEADINGS,
    SummaryStyle,
    describe_session,
    parse_session,
    summary_file_name,
    write_summary,
)
from wisen.model.summary import DayMark, Summary, SummaryItem

pytestmark = pytest.mark.requirement("S11")

HERE = SummaryStyle("Orchard", lambda moment: moment)


def item_fields(items: tuple[SummaryItem, ...]) -> list[tuple[str, str, int]]:
    return [(item.text, item.measured, item.turn) for item in items]


def test_a_task_is_completed_when_its_calls_ended_well_and_nobody_corrected_it() -> None:
    (summary,) = summarize(
        build_history(
            "said add a ladder to the shed",
            "edit /shed.py",
            "ok pytest -q",
            "ok git commit -m 'Add a ladder'",
            "said why is the roof green?",
            "ok cat /roof.py",
            "said can you also paint the roof of the shed?",
            "edit /roof.py",
            "failed pytest -q | 1 failed",
        )
    )
    assert item_fields(summary.tasks) == [("add a ladder to the shed", "committed “Add a ladder”, checks passed", 1)]
    assert [(item.text, item.measured) for item in summary.open] == [
        ("can you also paint the roof of the shed?", "left with a failure")
    ]
    assert (summary.turns, summary.calls, summary.failed) == (3, 6, 1)


def test_a_correction_belongs_to_the_task_it_corrects() -> None:
    (summary,) = summarize(
        build_history(
            "said add a ladder to the shed",
            "edit /shed.py",
            "ok pytest -q",
            "said no, that's wrong, use the oak ladder, not the pine one",
            "edit /shed.py",
            "ok pytest -q",
        )
    )
    assert item_fields(summary.tasks) == [("add a ladder to the shed", "checks passed, corrected once", 1)]
    assert [item.turn for item in summary.feedback] == [2]
    assert "use the oak ladder, not the pine one" in summary.feedback[0].text


def test_a_request_without_words_of_its_own_is_described_by_what_was_committed() -> None:
    (summary,) = summarize(build_history("said commit", "ok git commit -m 'Prune the apple trees'"))
    assert item_fields(summary.tasks) == [("committed “Prune the apple trees”", "", 1)]
    (summary,) = summarize(
        build_history("said is the gate still open?", "edit /g", "ok git commit -m 'Close the old gate'")
    )
    assert item_fields(summary.tasks) == [("committed “Close the old gate”", "", 1)]


def test_a_long_finding_is_a_task_of_its_own_and_no_feedback() -> None:
    finding = "That is wrong: the shed door opens to the inside, so nobody can carry a ladder through it. " * 3
    (summary,) = summarize(
        build_history(
            "said add a ladder to the shed", "edit /shed.py", "ok pytest -q", f"said {finding}", "edit /door.py"
        )
    )
    assert [item.turn for item in summary.tasks] == [1, 2]
    assert summary.feedback == ()


def test_what_was_stopped_is_open() -> None:
    (summary,) = summarize(build_history("said prune the old apple trees", "ok ls", "stopped"))
    assert summary.tasks == ()
    assert item_fields(summary.open) == [("prune the old apple trees", "stopped", 1)]


def test_what_the_user_wants_to_last_is_learnt_and_marked() -> None:
    (summary,) = summarize(
        build_history(
            "said write the orchard report",
            "ok ls",
            "said from now on always use metric units in reports",
            "ok ls",
        )
    )
    assert [(item.text, item.turn, item.mark) for item in summary.learnings] == [
        ("from now on always use metric units in reports", 2, DayMark.INSIGHT)
    ]


def test_failures_are_reported_with_what_helped_and_what_never_worked_is_open() -> None:
    (summary,) = summarize(
        build_history(
            "said install the pump driver",
            "failed pump instal driver | error: unknown option --fast",
            "failed pump instal driver | error: unknown option --fast",
            "failed pump instal driver | error: unknown option --fast",
            "ok pump instal driver --slow",
            "failed water check gate | error: no such gate",
            "failed water check gate | error: no such gate",
            "failed water check gate | error: no such gate",
        )
    )
    (fixed,), (standing,) = summary.learnings, [item for item in summary.open if "never worked" in item.measured]
    assert fixed.measured == "3 tries, helped: with --slow"
    assert fixed.mark is standing.mark is DayMark.FAILURE
    assert standing.measured == "3 tries, never worked"


def test_what_is_put_off_is_open() -> None:
    (summary,) = summarize(build_history("said Paint the gate. We fix that later in a separate PR.", "edit /gate.py"))
    assert item_fields(summary.open) == [("“We fix that later in a separate PR.”", "", 1)]


def test_skills_are_recognized_by_the_files_that_were_written() -> None:
    (summary,) = summarize(
        build_history("said make a skill for pruning trees", "edit /s/prune/SKILL.md", "edit /s/x.md")
    )
    assert [item.text for item in summary.skills] == ["/s/prune/SKILL.md"]


def test_contexts_stay_apart() -> None:
    acts = ("said add a ladder to the shed", "edit /shed.py", "ok pytest -q", "in cellar", "said stack the oak barrels")
    one, other = summarize(build_history(*acts, "edit /barrels.py", "ok pytest -q"))
    assert (one.context, [item.text for item in one.items]) == ("orchard", ["add a ladder to the shed"])
    assert (other.context, [item.text for item in other.items]) == ("cellar", ["stack the oak barrels"])
    assert (one.turns, one.calls, other.turns, other.calls) == (1, 2, 1, 2)
    assert other.tasks[0].turn == 2


def test_what_was_done_elsewhere_for_a_request_is_not_reported_here() -> None:
    (summary,) = summarize(
        build_history(
            "said stack the barrels like the ladders", "edit /a.py", "in cellar", "ok git commit -m 'Stack the wine'"
        )
    )
    assert (summary.context, item_fields(summary.tasks)) == ("orchard", [("stack the barrels like the ladders", "", 1)])


def test_a_session_that_came_to_nothing_has_no_summary() -> None:
    assert summarize(build_history("said what is the time?", "ok date")) == ()
    assert summarize(build_history("ok date")) == ()


def test_what_contains_a_secret_is_never_reported() -> None:
    key = "ghp_" + "k3Vq8ZtR1mXw7LpB5nYc2HsD9fGj4TaE6uQo"
    secret = (f"said write {key} into the shed file", "edit /a.py", "ok pytest")
    (summary,) = summarize(build_history(*secret, "said add a ladder up", "edit /b.py", "ok pytest"))
    assert [item.text for item in summary.tasks] == ["add a ladder up"]


def test_the_file_has_every_heading_and_says_none_where_there_is_nothing() -> None:
    (summary,) = summarize(build_history("said add a ladder to the shed", "edit /shed.py", "ok pytest -q"))
    assert write_summary(summary, "2026-03-02-001.md", HERE) == (
        "# Session 2026-03-02-001\n\n"
        "- Session: claude-code 5e551074-aaaa, began 2026-03-02T09:00:00Z\n"
        "- Project: Orchard\n"
        "- Time: 2026-03-02 09:00 to 09:02\n"
        "- Counts: 1 typed turns, 2 calls, 0 of them failed\n\n"
        "## Tasks Completed\n\n- add a ladder to the shed; checks passed (turn 1, 09:00)\n\n"
        "## Learnings\n\nnone\n\n## Skills Generated\n\nnone\n\n## User Feedback\n\nnone\n\n## Open Items\n\nnone\n"
    )
    assert summary_file_name(summary, 7, HERE) == "2026-03-02-007.md"


ITEMS = st.lists(
    st.builds(SummaryItem, text=st.text(), turn=st.integers(0, 9), at=st.just(AT), measured=st.text()), max_size=3
)


@given(st.lists(ITEMS, min_size=5, max_size=5), st.text(min_size=1))
def test_whatever_was_typed_stays_one_item_and_the_session_is_found_again(
    parts: list[list[SummaryItem]], native: str
) -> None:
    by_name = dict(zip(HEADINGS, map(tuple, parts), strict=True))
    summary = Summary(
        agent="codex", session=f"s{native}", context="c", first=AT, last=AT, turns=1, calls=0, failed=0, **by_name
    )
    text = write_summary(summary, "2026-03-02-001.md", HERE)
    assert text == write_summary(summary, "2026-03-02-001.md", HERE)
    text.encode()
    assert parse_session(text) == describe_session(summary)
    lines = text.split("\n")
    assert [line[3:] for line in lines if line.startswith("## ")] == list(HEADINGS.values())
    assert sum(line.startswith("- ") for line in lines) == 4 + sum(map(len, parts))
