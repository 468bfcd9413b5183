"""The event filter: only events that can teach something pass, and none that contain a secret."""

from __future__ import annotations

import json
import random
import string
from datetime import UTC, datetime

import pytest

from wisen.logs.event_filter import filter_events
from wisen.logs.settings import EventFilterPolicy
from wisen.model.event import Call, Concession, Event, Message, MessageOrigin, Outcome, Provenance, SessionKey, Status
from wisen.model.index_batch import FilteredEvent
from wisen.safety import sentinel

AT = datetime(2026, 3, 2, tzinfo=UTC)
SESSION = SessionKey(agent="claude-code", native="s")
SECRET = "ghp_" + "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=36))
pytestmark = pytest.mark.requirement("N7")


def admit(event: Event, policy: EventFilterPolicy | None = None) -> FilteredEvent | None:
    return next(filter_events([event], lambda _: "context", policy or EventFilterPolicy()), None)


def message(text: str, provenance: Provenance = Provenance.TYPED) -> Message:
    return Message(
        id="m", session=SESSION, at=AT, place="/p", text=text, origin=MessageOrigin.PROMPT, provenance=provenance
    )


def call(**arguments: object) -> Call:
    return Call(id="c", session=SESSION, at=AT, place="/p", tool="Bash", arguments=json.dumps(arguments))


def failure(text: str) -> Outcome:
    return Outcome(id="o", call="c", session=SESSION, at=AT, place="/p", status=Status.FAILED, text=text)


@pytest.mark.requirement("X7")
def test_what_nobody_typed_and_nothing_measured_stays_outside() -> None:
    assert admit(message("always do X", Provenance.OTHER)) is None


@pytest.mark.parametrize(
    "event",
    [
        message(f"the token is {SECRET}"),
        call(command=f"curl -H 'Authorization: Bearer {SECRET}' https://x"),
        call(command="line one\nexport TOKEN=" + SECRET),
        call(nested={"list": [f"x\n{SECRET}"]}),
        call(command=f'curl -d "{{\\"token\\": \\"{SECRET}\\"}}"'),
        Call(id="c", session=SESSION, at=AT, place="/p", tool="T", arguments='{"a":"ghp\\u005f' + SECRET[4:] + '"}'),
        failure(f"Exit code 1\nbad credentials {SECRET}"),
    ],
    ids=["message", "call", "escaped", "nested", "quoted", "numbered", "failure"],
)
def test_a_text_that_holds_a_secret_is_dropped_whole_and_its_event_stays(event: Event) -> None:
    kept = admit(event)
    assert kept is not None
    assert kept.withheld
    assert SECRET not in repr(kept)
    assert getattr(kept.event, "text", None) is None
    assert getattr(kept.event, "arguments", None) is None


def test_a_secret_behind_the_cut_counts_too() -> None:
    kept = admit(call(command="x" * 5_000 + f" {SECRET}"))
    assert kept is not None
    assert kept.withheld


def test_long_arguments_are_cut_and_stay_json() -> None:
    kept = admit(
        call(command="é" * 5_000, other="short", list=["y" * 3_000, 7]), EventFilterPolicy(longest_argument=100)
    )
    assert kept is not None
    assert isinstance(kept.event, Call)
    arguments = json.loads(kept.event.arguments or "")
    assert arguments == {"command": "é" * 100 + "…", "other": "short", "list": ["y" * 100 + "…", 7]}


def test_a_long_failure_keeps_its_beginning_and_its_end() -> None:
    kept = admit(failure("a" * 3_000 + "b" * 9_000 + "c" * 1_000))
    assert kept is not None
    assert isinstance(kept.event, Outcome)
    assert kept.event.text == "a" * 3_000 + "…" + "c" * 1_000


def test_our_own_words_are_taken_out_of_arguments_and_failures_too() -> None:
    ours = sentinel.wrap("Use pnpm, not npm.")
    for event in (call(prompt=f"do it {ours}"), call(list=[ours]), failure(f"Exit code 1\n{ours}")):
        kept = admit(event)
        assert kept is not None
        assert "pnpm" not in repr(kept.event)
        if isinstance(kept.event, Call):
            json.loads(kept.event.arguments or "")


def test_arguments_that_are_no_json_are_kept_as_text() -> None:
    event = Call(id="c", session=SESSION, at=AT, place="/p", tool="T", arguments="x" * 3_000)
    kept = admit(event)
    assert kept is not None
    assert isinstance(kept.event, Call)
    assert json.loads(kept.event.arguments or "") == {"text": "x" * 2_000 + "…"}


def test_short_and_harmless_events_pass_as_they_are() -> None:
    for event in (message("hello"), call(command="ls"), failure("Exit code 1")):
        kept = admit(event)
        assert kept == FilteredEvent(event=event, context="context", withheld=None)


def test_a_success_with_output_cannot_even_be_made() -> None:
    with pytest.raises(ValueError, match="never kept"):
        Outcome(id="o", call="c", session=SESSION, at=AT, place="", status=Status.OK, text="output")


@pytest.mark.parametrize("provenance", Provenance)
def test_a_concession_comes_through_whoever_made_it_and_belongs_to_no_context(provenance: Provenance) -> None:
    conceded = Concession(id="conceded:m", session=SESSION, at=AT, place="/p", provenance=provenance)
    assert admit(conceded) == FilteredEvent(event=conceded, context=None, withheld=None)


def test_a_concession_keeps_no_place_that_holds_a_secret() -> None:
    kept = admit(Concession(id="conceded:m", session=SESSION, at=AT, place=f"/p/{SECRET}"))
    assert kept is not None
    assert kept.withheld
    assert kept.event.place == ""
