"""`wisen detect`: what would be kept of a message, when it would be delivered, and why not."""

from __future__ import annotations

import json

import pytest

from tests.commands import run
from wisen.feedback.lesson_explanation import DOUBTFUL, PASSES, PERMITS, add_call_trigger, explain_message
from wisen.feedback.signal_detection import detect_in_message
from wisen.model.directive import TriggerCause
from wisen.model.signal import PrecedingEvent

pytestmark = pytest.mark.requirement("X7")


def kept_of(text: str) -> tuple[bool, bool, str]:
    (only,) = explain_message(text, detect_in_message(text))
    return only.kept, only.standing, only.why


def test_what_says_that_it_lasts_is_standing_and_names_its_marker() -> None:
    text = "From now on always use pnpm instead of npm."
    (kept,) = explain_message(text, detect_in_message(text))
    assert (kept.kept, kept.standing, kept.why) == (True, True, "given to agents at each session start")
    assert "from now on" in kept.marker.casefold()
    assert kept.quote == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("skip the hooks this time", PASSES),
        ("yes, push", PERMITS),
        ("where does the parser live?", "a question"),
        ("Great work!", "praise: it strengthens what was at work, and teaches nothing new"),
        ("the parser lives in the other folder " * 10, "at most 280"),
        ("the parser lives in another folder", DOUBTFUL),
        ("add a second parser", "a task or a remark: it does not say how to work"),
    ],
)
def test_what_is_not_kept_is_reported_with_its_reason(text: str, why: str) -> None:
    kept, standing, delivered = kept_of(text)
    assert (kept, standing) == (False, False)
    assert why in delivered


def test_a_correction_of_a_stopped_call_is_kept_with_its_trigger() -> None:
    text = "no, that's wrong"
    signals = add_call_trigger(
        text, detect_in_message(text, "interrupt"), PrecedingEvent.INTERRUPT, "git push origin main"
    )
    (kept,) = explain_message(text, signals)
    assert kept.trigger is not None
    assert kept.trigger.cause is TriggerCause.INTERRUPTED
    assert kept.why.startswith("given to agents when such a call comes again")
    assert add_call_trigger(text, signals, PrecedingEvent.INTERRUPT, "") == signals


def test_it_is_shown_in_eighty_columns_and_as_json(home: object) -> None:
    text = "from now on always run the formatter before every commit, and name what it changed in the message of it"
    shown = run("detect", text).stdout
    assert "kept: " in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    (answer,) = json.loads(run("detect", text, "--json").stdout)["messages"]
    assert [each["kept"] for each in answer["keeps"]] == [True]
    assert {"quote", "standing", "marker", "trigger", "why"} < answer["keeps"][0].keys()
    assert (
        "trigger: git push"
        in run("detect", "no, that's wrong", "--before", "interrupt", "--call", "git push origin main").stdout
    )
