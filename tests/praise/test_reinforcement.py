"""What praise reinforces and how it adds up, regardless of row order and repetition."""

from __future__ import annotations

import json
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from wisen.lessons import fading
from wisen.lessons.fading import fade_entries
from wisen.memory.ranking import group, lift_praised, lift_praised_groups, rank
from wisen.model.entry import EntryOrigin, EntryStatus, EntryType, MoveKind, Priority, rule_id
from wisen.model.entry_state import fold_entry_states
from wisen.model.event import Status as Ended
from wisen.model.exposure import Arm, Exposure
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.memory import DEFAULT_WEIGHTS, Memory, MemoryHit, MemoryKind
from wisen.model.reinforcement import (
    HALF_LIFE,
    MAX_PER_DAY,
    MAX_STRENGTH,
    PraiseMoment,
    Reinforcement,
    counted_praises,
    praise_level,
    praise_strength,
)
from wisen.model.signal import Polarity, RecordedSignal, Signal, SignalKind, SourcedSignal
from wisen.praise.attribution import (
    EARLIER_WEIGHT,
    GONE,
    NOTHING,
    OPEN,
    RECENT_TURNS,
    RECENT_WEIGHT,
    UNDONE,
    PraiseEffect,
    PraiseEvidence,
    attribute_praise,
    is_revert,
    was_undone,
)
from wisen.praise.reinforcing import PraiseTargets
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import a_move, an_entry
from wisen.testing.exposures_contract import a_reinforcement, an_exposure
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON
from wisen.text.command_lines import parse_command

if TYPE_CHECKING:
    from wisen.store.home import Home

pytestmark = pytest.mark.requirement("C3")

DAY = timedelta(days=1)

ROWS = st.lists(
    st.builds(
        Reinforcement,
        id=st.text("abcdef", min_size=1, max_size=3),
        machine=st.just("desk"),
        agent=st.just("claude-code"),
        session=st.sampled_from(["s1", "s2", "s3", "s4"]),
        message=st.text("xyz", max_size=2),
        subject=st.just("01A"),
        how=st.sampled_from(PraiseMoment),
        weight=st.sampled_from([EARLIER_WEIGHT, RECENT_WEIGHT]),
        at=st.integers(-9_000_000, 9_000_000).map(lambda seconds: NOON + timedelta(seconds=seconds)),
    ),
    max_size=12,
    unique_by=lambda row: row.id,
)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter_and_twice_changes_nothing(rows: list[Reinforcement], luck: object) -> None:
    mixed = [*rows, *rows]
    luck.shuffle(mixed)  # type: ignore[attr-defined]
    assert counted_praises(mixed) == counted_praises(rows) == counted_praises(counted_praises(rows))
    assert praise_strength(mixed, NOON) == praise_strength(rows, NOON)


@given(ROWS, st.integers(0, 1_000))
def test_what_praise_comes_to_is_bounded_and_only_falls_by_itself(rows: list[Reinforcement], days: int) -> None:
    last = max((row.at for row in rows), default=NOON)
    now, then = praise_strength(rows, last), praise_strength(rows, last + days * DAY)
    assert 0 <= then <= now <= MAX_STRENGTH
    assert len(counted_praises(rows)) == len({row.session for row in rows})
    assert 0 <= praise_level(rows, last) <= MAX_STRENGTH


@given(ROWS, ROWS)
def test_more_praise_in_other_sessions_never_weakens(rows: list[Reinforcement], more: list[Reinforcement]) -> None:
    others = [structs.replace(row, id=f"+{row.id}", session=f"other {row.session}", at=NOON - DAY) for row in more]
    kept = [structs.replace(row, at=NOON - 2 * DAY) for row in rows]
    assert praise_strength([*kept, *others], NOON) >= praise_strength(kept, NOON)


def test_ten_praises_a_day_count_as_one_and_time_takes_half() -> None:
    full = [structs.replace(a_reinforcement(str(n), session=f"s{n}"), weight=1.0) for n in range(10)]
    assert praise_strength(full, NOON) == MAX_PER_DAY
    assert praise_strength(full, NOON + HALF_LIFE) == MAX_PER_DAY / 2
    daily = [structs.replace(row, at=NOON - number * DAY) for number, row in enumerate(full)]
    assert praise_strength(daily, NOON) == MAX_STRENGTH
    assert (
        praise_level(full, NOON),
        praise_level(full, NOON + HALF_LIFE),
        praise_level(full, NOON + HALF_LIFE + DAY),
    ) == (1, 1, 0)


# What is folded into entries


def reinforcement(days: float = 0, subject: str = "01A", weight: float = 1.0, session: str = "s1") -> Reinforcement:
    row = a_reinforcement(f"{subject} {days} {session}", subject, session=session)
    return structs.replace(row, at=NOON + days * DAY, weight=weight)


def test_an_entry_has_its_own_praises_those_of_its_fix_and_of_what_was_merged_into_it() -> None:
    error = an_entry("01E", type=EntryType.ERROR, category=None, tags=("8e2f44aa00",))
    merged = a_move("m", "01B", MoveKind.MERGE, "01A")
    rows = [
        reinforcement(1, "01B"),
        reinforcement(2, "8e2f44aa00"),
        reinforcement(0, "01A", 0.25),
        reinforcement(3, "gone"),
    ]
    found = fold_entry_states([an_entry("01A"), an_entry("01B"), error], (), [merged], rows)
    by = {each.entry.id: each for each in found}
    assert [(row.subject, row.weight) for row in by["01A"].praises] == [("01A", 1.0)], "one session counts once"
    assert by["01A"].used == NOON + DAY
    assert by["01E"].used == NOON + 2 * DAY
    assert fold_entry_states([an_entry("01A")], (), (), [reinforcement()])[0].used == NOON
    learning = an_entry("01L", tags=("8e2f44aa00",))
    assert not fold_entry_states([learning], (), (), rows)[0].praises, (
        "a lesson that only mentions a fix is not the fix"
    )


def fade(rows: list[Reinforcement], days: int) -> list[str]:
    measured = an_entry(origin=EntryOrigin.MEASURED, priority=Priority.HIGH)
    factory = RowFactory(FixedClock(NOON + days * DAY), CountingIds(), "desk")
    found = fold_entry_states([measured], (), (), rows)
    return [move.value for move in fade_entries(found, (), NOON + days * DAY, factory)]


@pytest.mark.requirement("S10")
def test_praise_sets_the_clock_of_fading_back() -> None:
    assert fade([], 31) == [Priority.MEDIUM]
    assert fade([], 91) == [EntryStatus.WONT_FIX]
    assert fade([reinforcement(30)], 31) == fade([reinforcement(60)], 89) == []
    assert fade([reinforcement(1)], 92) == [EntryStatus.WONT_FIX], "and only back to itself"


def test_where_a_context_holds_too_many_the_praised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fading, "MAX_OPEN_ENTRIES", 1)
    entries = [an_entry("01A", origin=EntryOrigin.MEASURED), an_entry("01B", origin=EntryOrigin.MEASURED)]
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    for subject, goes in (("01A", "01B"), ("01B", "01A")):
        found = fold_entry_states(entries, (), (), [reinforcement(0, subject)])
        assert [move.subject for move in fade_entries(found, (), NOON, factory)] == [goes]


@given(ROWS)
def test_praise_decides_nothing_about_an_entry(rows: list[Reinforcement]) -> None:
    hint = an_entry(origin=EntryOrigin.MEASURED)
    (plain,), (state,) = fold_entry_states([hint], (), ()), fold_entry_states([hint], (), (), rows)
    assert structs.replace(state, praises=(), used=None) == plain
    assert 0 <= state.weight(NOON) - state.sessions <= MAX_STRENGTH


# What a praise strengthens


def turn(number: int, text: str = "go on", before: int = 0) -> Turn:
    return Turn(
        id=f"m{number}", action=UserAction.SAID, at=NOON + number * timedelta(minutes=1), text=text, before=before
    )


def session(*turns: Turn, steps: tuple[Step, ...] = ()) -> History:
    return History(session=1, agent="claude-code", native="s1", steps=steps, turns=turns)


def a_praise(number: int, text: str = "great, thanks") -> SourcedSignal:
    signal = Signal(kind=SignalKind.PRAISE, probability=0.9, start=0, end=5, polarity=Polarity.FOR)
    recorded = RecordedSignal(message=f"m{number}", at=NOON + number * timedelta(minutes=1), signal=signal)
    return SourcedSignal(agent="claude-code", native="s1", session=1, said=recorded, text=text, context="shop")


def delivered_exposure(event: str, minutes: float, subject: str = "01A", arm: Arm = Arm.GIVEN) -> Exposure:
    row = an_exposure(f"{event} {minutes} {subject}", subject)
    return structs.replace(row, event=event, at=NOON + minutes * timedelta(minutes=1), arm=arm)


def named(name: str, context: str) -> str:
    return {"r-1a2b3c4d": "01N"}.get(name.casefold(), "") if context == "shop" else ""


def weigh(*exposures: Exposure, praise: SourcedSignal, history: History, over: bool = True) -> PraiseEffect:
    evidence = PraiseEvidence(exposures, lambda each: "" if each.subject == "?" else each.subject, named, "desk")
    return attribute_praise(praise, history, evidence, over=over)


def reinforced_subjects(
    *exposures: Exposure, at: int = 5, text: str = "great, thanks"
) -> dict[str, tuple[PraiseMoment, float]]:
    history = session(*(turn(number) for number in range(at)), turn(at, text))
    found = weigh(*exposures, praise=a_praise(at, text), history=history)
    assert bool(found.rows) is not bool(found.why)
    return {row.subject: (row.how, row.weight) for row in found.rows}


def test_what_came_just_before_counts_more_than_what_the_session_began_with() -> None:
    found = reinforced_subjects(
        delivered_exposure("session-start", -1, "begun"),
        delivered_exposure("prompt", 0, "early"),
        delivered_exposure("prompt", 5 - RECENT_TURNS, "late"),
        delivered_exposure("failure", 4.5, "fix"),
        delivered_exposure("session-start", 4.9, "after summing up"),
    )
    assert found == {
        "begun": (PraiseMoment.START, EARLIER_WEIGHT),
        "early": (PraiseMoment.PROMPT, EARLIER_WEIGHT),
        "late": (PraiseMoment.PROMPT, RECENT_WEIGHT),
        "fix": (PraiseMoment.FAILURE, RECENT_WEIGHT),
        "after summing up": (PraiseMoment.START, EARLIER_WEIGHT),
    }


def test_what_was_delivered_twice_counts_once_by_the_better_moment() -> None:
    assert reinforced_subjects(delivered_exposure("session-start", 0), delivered_exposure("prompt", 4)) == {
        "01A": (PraiseMoment.PROMPT, RECENT_WEIGHT)
    }


@pytest.mark.parametrize(
    "exposure",
    [
        delivered_exposure("prompt", 6),
        delivered_exposure("prompt", 4.99),
        delivered_exposure("session-start", -25 * 60),
        delivered_exposure("coin", 1),
        delivered_exposure("before-call", 4),
        delivered_exposure("prompt", 4, "?"),
        delivered_exposure("prompt", 4, arm=Arm.WITHHELD),
    ],
    ids=["after it", "with it", "long ago", "a coin", "a guard", "nothing that was learned", "withheld"],
)
def test_what_was_not_at_work_is_not_strengthened(exposure: Exposure) -> None:
    assert reinforced_subjects(exposure) == {}


def test_what_a_coin_withheld_is_never_strengthened_not_even_when_it_is_named() -> None:
    held = delivered_exposure("coin", 0, "01N", Arm.WITHHELD)
    assert reinforced_subjects(delivered_exposure("prompt", 4, "01N"), held, text="great, R-1a2b3c4d did it") == {}
    assert reinforced_subjects(text="great, R-1a2b3c4d did it") == {"01N": (PraiseMoment.NAMED, RECENT_WEIGHT)}
    assert reinforced_subjects(text="great, R-00000000 did it") == {}


def test_what_was_typed_and_done_before_a_praise_is_reported() -> None:
    steps = (step("git status"), step("make test"), edit("a", "b"))
    history = session(turn(0), turn(1, "test it", before=1), turn(2, "great", before=3), steps=steps)
    found = weigh(praise=a_praise(2), history=history)
    assert (found.before, found.calls, found.why) == ("test it", ("make test", "Edit /a.py"), NOTHING)
    assert weigh(praise=a_praise(9), history=history).why == GONE


def test_a_praise_waits_until_it_is_known_whether_the_work_stays() -> None:
    exposure = delivered_exposure("prompt", 0)
    early = session(turn(0), turn(1), turn(2))
    assert weigh(exposure, praise=a_praise(1), history=early, over=False).why == OPEN
    assert weigh(exposure, praise=a_praise(1), history=early, over=True).rows
    later = session(*map(turn, range(5)))
    assert weigh(exposure, praise=a_praise(1), history=later, over=False).rows


def step(command: str, status: Ended = Ended.OK) -> Step:
    arguments = json.dumps({"command": command})
    return Step(call=command, tool="Bash", arguments=arguments, status=status, text=None, at=NOON)


def edit(old: str, new: str, path: str = "/a.py") -> Step:
    arguments = json.dumps({"file_path": path, "old_string": old, "new_string": new})
    return Step(call=f"{old}{new}", tool="Edit", arguments=arguments, status=Ended.OK, text=None, at=NOON)


def test_praise_after_which_the_work_was_taken_back_does_not_count() -> None:
    exposure, steps = delivered_exposure("prompt", 0), (edit("a", "b"), step("ls"), step("git checkout -- a.py"))
    undone = session(turn(0), turn(1, before=1), turn(2, "hm, no", before=2), steps=steps)
    assert weigh(exposure, praise=a_praise(1), history=undone).why == UNDONE
    long = session(turn(0), *(turn(n, before=1) for n in range(1, 5)), turn(5, before=2), steps=steps)
    assert weigh(exposure, praise=a_praise(1), history=long).rows, "much later it is about other work"
    corrected = session(turn(0), turn(1, before=1), turn(2, "no, use pnpm", before=2), steps=steps[:2])
    assert weigh(exposure, praise=a_praise(1), history=corrected).rows, "a correction is weighed elsewhere"


def test_only_what_gives_the_old_state_back_is_taking_back() -> None:
    done = [edit("a", "b")]
    assert was_undone(done, [edit("b", "a")])
    assert not was_undone(done, [edit("b", "c")])
    assert not was_undone(done, [edit("b", "a", "/b.py")])
    assert not was_undone(done, [step("git reset --hard", Ended.FAILED)])
    assert not was_undone([edit("a", "a")], [edit("a", "a")])


@pytest.mark.parametrize(
    ("command", "takes"),
    [
        ("git revert HEAD", True),
        ("git revert --abort", False),
        ("git -C shop restore a.py", True),
        ("git restore --staged a.py", False),
        ("git restore -S -W a.py", True),
        ("git checkout -- a.py", True),
        ("git checkout .", True),
        ("git checkout main", False),
        ("git reset --hard HEAD~1", True),
        ("git reset HEAD a.py", False),
        ("git", False),
        ("echo git revert", False),
    ],
)
def test_commands_that_take_back(command: str, takes: bool) -> None:
    assert any(map(is_revert, parse_command(command).parts)) is takes


# Names


def test_what_is_over_elsewhere_or_only_reported_as_gone_is_not_strengthened() -> None:
    ledger = MemoryLedger()
    ledger.entries.record([an_entry("01A", context="shop"), an_entry("01B", context="shop"), a_move("m", "01B")])
    found = SimpleNamespace(fixes=lambda _: [SimpleNamespace(id="8e2f44aa00")])
    index = SimpleNamespace(findings=found)
    names = PraiseTargets(cast("Home", SimpleNamespace(ledger=ledger, index=index)))
    assert names.subject_of(delivered_exposure("session-start", 0, rule_id("01A"))) == "01A"
    assert names.subject_of(structs.replace(delivered_exposure("prompt", 0, "entry"), version="01A")) == "01A"
    assert names.subject_of(structs.replace(delivered_exposure("prompt", 0, "turn"), version="claude-code:01A")) == ""
    assert names.subject_of(delivered_exposure("session-start", 0, rule_id("01B"))) == "", "it is resolved"
    assert names.subject_of(delivered_exposure("failure", 0, "8e2f44aa00")) == "8e2f44aa00"
    assert names.subject_of(delivered_exposure("session-start", 0, "8e2f44aa00")) == ""
    assert names.find_by_name("lrn-20260301-01a", "shop") == names.find_by_name(rule_id("01A").upper(), "shop") == "01A"
    assert names.find_by_name(rule_id("01A"), "mill") == "", "what another project learned is not at work here"
    assert names.find_by_name("8E2F44AA00", "mill") == "8e2f44aa00"


# What competes


def hit(id_: str, score: float) -> MemoryHit:
    return MemoryHit(Memory(id=id_, kind=MemoryKind.ENTRY, text=id_, origin="o"), score)


@given(
    st.lists(st.tuples(st.floats(0.01, 10), st.integers(0, 3)), max_size=12),
    st.booleans(),
)
def test_praise_never_lifts_a_memory_above_a_better_match(drawn: list[tuple[float, int]], grouped: bool) -> None:
    hits = [hit(f"m{number}", score) for number, (score, _) in enumerate(drawn)]
    levels = {f"m{number}": many for number, (_, many) in enumerate(drawn)}
    words = {each.memory.id: each.score for each in hits}
    ranked = rank(hits, now=NOON)
    if grouped:
        before = [each.best.id for each in group(ranked)]
        after = [each.best.id for each in lift_praised_groups(group(ranked), hits, levels)]
    else:
        before, after = (
            [each.memory.id for each in ranked],
            [each.memory.id for each in lift_praised(ranked, hits, levels)],
        )
    assert sorted(before) == sorted(after)
    for place, id_ in enumerate(after):
        passed = {other for other in after[place + 1 :] if before.index(other) < before.index(id_)}
        assert all(words[other] <= words[id_] and levels[other] < levels[id_] for other in passed)


def test_praise_decides_between_memories_that_match_as_well() -> None:
    hits = [hit("a", 1.0), hit("b", 1.0), hit("c", 0.99)]
    ranked = rank(hits, now=NOON)
    assert [each.memory.id for each in lift_praised(ranked, hits, {"b": 1, "c": 3})] == ["b", "a", "c"]
    assert lift_praised(ranked, hits, {}) == ranked
    old = rank([*hits[:1], hits[1]._replace(score=1.0)], now=NOON)
    near = [old[0]._replace(score=old[1].score * (1 + DEFAULT_WEIGHTS.praised) * 1.001), old[1]]
    assert lift_praised(near, hits, {"b": 1}) == near, "praise makes up for little"
