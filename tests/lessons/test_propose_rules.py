"""When an entry becomes a rule proposal, what the proposal says, and where the rule would go."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from tests.edits.fake_files import MemoryFiles
from wisen.edits.permission import TABLE, Permission, Profile, PromotePolicy, permission_for
from wisen.edits.targets import Target, project_target, rule_kind
from wisen.lessons.conflicts import OUTVOTED, restore_outvoted, score, settle_conflicts
from wisen.lessons.fading import fade_entries
from wisen.model.entry import (
    Actor,
    Answer,
    Category,
    Entry,
    EntryOrigin,
    EntryType,
    Move,
    MoveKind,
    Occurrence,
    Priority,
    Proposal,
)
from wisen.model.entry_state import ProposalState, fold_entry_states
from wisen.model.signal import LessonTopic
from wisen.proposals.propose import find_expired, make_proposals
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import a_move, a_proposal, an_entry, an_occurrence
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON
from wisen.text.standing_alone import stands_alone

POLICY = PromotePolicy()


def offer(
    ledger: MemoryLedger, before: tuple[ProposalState, ...] = (), policy: PromotePolicy = POLICY
) -> list[Proposal]:
    return make_proposals(
        fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all()),
        ledger.occurrences.of,
        before,
        lambda _, __, ___: Target("/shop/CLAUDE.md", "Rules"),
        policy,
        RowFactory(FixedClock(NOON), CountingIds(), "desk"),
    )


def ledger_of(entry: Entry, *seen: tuple[int, int]) -> MemoryLedger:
    """A ledger with an entry that was seen in sessions, each so many days after the first."""
    ledger = MemoryLedger()
    sights = [
        an_occurrence(f"o{number}", entry.id, session=f"s{session}", minutes=days * 24 * 60)
        for number, (session, days) in enumerate(seen)
    ]
    ledger.entries.record([entry, *sights])
    return ledger


WEAK = an_entry(durable=0.1)
INFERRED = structs.replace(WEAK, origin=EntryOrigin.LOGGED)


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    ("seen", "ready"),
    [
        ([(1, 0), (2, 0), (3, 0)], True),
        ([(1, 0), (1, 0), (2, 0)], True),
        ([(1, 0), (1, 0), (1, 0)], False),
        ([(1, 0), (2, 0)], False),
        ([(1, 0), (2, 1), (3, 40)], False),
        ([(1, 0), (2, 50), (3, 55), (4, 60)], True),
    ],
)
def test_three_times_in_two_sessions_within_thirty_days(seen: list[tuple[int, int]], ready: bool) -> None:
    assert bool(offer(ledger_of(INFERRED, *seen))) is ready


@pytest.mark.requirement("S5", "S6")
@pytest.mark.parametrize(
    ("seen", "ready"),
    [
        ([(1, 0), (2, 0)], True),
        ([(1, 0), (1, 0), (1, 0)], False),
        ([(1, 0), (2, 40)], False),
        ([(1, 0)], False),
    ],
)
def test_what_the_user_corrected_in_two_sessions_is_proposed(seen: list[tuple[int, int]], ready: bool) -> None:
    assert bool(offer(ledger_of(WEAK, *seen))) is ready


@pytest.mark.requirement("S5", "S6")
def test_what_was_said_to_last_is_proposed_at_once_and_how_likely_that_is_decides_nothing() -> None:
    likely = structs.replace(WEAK, durable=0.99, standing=False)
    assert offer(ledger_of(structs.replace(WEAK, standing=True), (1, 0)))
    assert not offer(ledger_of(likely, (1, 0)))
    assert not offer(ledger_of(structs.replace(likely, category=Category.PREFERENCE), (1, 0)))
    assert not offer(ledger_of(structs.replace(WEAK, standing=True, origin=EntryOrigin.LOGGED), (1, 0)))
    assert not offer(ledger_of(structs.replace(WEAK, standing=True, type=EntryType.FEATURE), (1, 0)))


@pytest.mark.requirement("S6")
@pytest.mark.parametrize("text", ["总是用pnpm，不要用npm", "このリポジトリでは必ずpnpmを使ってください"])
def test_words_without_blanks_between_them_are_proposed_as_they_are(text: str) -> None:
    (proposal,) = offer(ledger_of(structs.replace(WEAK, summary=text, standing=True), (1, 0)))
    assert (proposal.text, proposal.unworded) == (text, False)


@pytest.mark.requirement("S6")
def test_what_is_no_rule_as_it_stands_waits_for_words() -> None:
    pointing = structs.replace(WEAK, summary="Do not do it like that again.")
    (proposal,) = offer(ledger_of(pointing, (1, 0), (2, 0)))
    assert (proposal.text, proposal.unworded) == ("Do not do it like that again.", True)
    (proposal,) = offer(ledger_of(WEAK, (1, 0), (2, 0)))
    assert not proposal.unworded


def test_what_was_said_for_now_and_what_tells_nothing_to_do_is_not_proposed_however_often() -> None:
    for text in ("Use npm for now.", "The prompts are described in the docs."):
        assert offer(ledger_of(structs.replace(WEAK, summary=text, standing=None), (1, 0), (2, 0), (3, 0))) == []


def test_a_proposal_says_why_with_quotes_and_what_it_costs() -> None:
    (proposal,) = offer(ledger_of(WEAK, (1, 0), (2, 1), (2, 1)))
    assert proposal.text == "Use pnpm, not npm."
    assert proposal.why.splitlines()[0] == "You said it 3 times in 2 sessions."
    assert "“no, use pnpm” (2026-03-02, claude-code s2)" in proposal.why
    assert (proposal.sessions, proposal.impact, proposal.risk) == (2, "medium", "medium")
    assert 5 < proposal.tokens < 25


def answered(proposal: Proposal, answer: Answer) -> tuple[ProposalState, ...]:
    return (ProposalState(proposal, answer, NOON),)


@pytest.mark.requirement("S6")
def test_what_was_rejected_does_not_come_back_in_other_words() -> None:
    ledger = ledger_of(WEAK, (1, 0), (2, 0), (3, 0))
    (proposal,) = offer(ledger)
    assert offer(ledger, answered(proposal, Answer.REJECTED)) == []
    other = structs.replace(WEAK, id="02B", summary="Please use pnpm and not npm.")
    ledger.entries.record(
        [other, *(structs.replace(each, id=f"x{each.id}", entry="02B") for each in ledger.occurrences.all())]
    )
    assert offer(ledger, answered(proposal, Answer.REJECTED)) == []


def test_what_was_skipped_waits_for_new_evidence() -> None:
    ledger = ledger_of(WEAK, (1, 0), (2, 0), (3, 0))
    (proposal,) = offer(ledger)
    skipped = answered(proposal, Answer.SKIPPED)
    assert offer(ledger, skipped) == []
    ledger.entries.record([an_occurrence("new", WEAK.id, session="s4")])
    assert len(offer(ledger, skipped)) == 1


def test_opposites_that_nobody_stated_are_for_a_person_to_decide() -> None:
    ledger = ledger_of(INFERRED, (1, 0), (2, 0), (3, 0))
    other = structs.replace(INFERRED, id="02B", summary="Use npm, not pnpm.", durable=0.9)
    ledger.entries.record([other, a_move("1", subject="02B", kind=MoveKind.CONFLICT, value=WEAK.id)])
    assert offer(ledger) == []
    ledger.entries.record([a_move("2", subject="02B", value="wont_fix")])
    assert [each.entry for each in offer(ledger)] == [WEAK.id]


def test_only_so_many_wait_at_once_and_those_that_came_up_most_come_first() -> None:
    ledger = MemoryLedger()
    for number, (one, other) in enumerate([("orders", "date"), ("invoices", "name"), ("customers", "town")]):
        entry = an_entry(f"0{number}", summary=f"Sort the {one} by {other}.", standing=True)
        ledger.entries.record(
            [entry, *(an_occurrence(f"{number}-{each}", entry.id, f"s{each}") for each in range(number + 1))]
        )
    assert [each.sessions for each in offer(ledger, policy=PromotePolicy(most=2))] == [3, 2]


def test_a_proposal_is_over_after_a_while() -> None:
    waiting = ProposalState(a_proposal("p"), None, NOON)

    def over(days: int, *moves: Move, asked: ProposalState = waiting) -> list[Answer]:
        known = fold_entry_states([WEAK], [], moves)
        return [answer for _, answer in find_expired([asked], known, NOON + timedelta(days=days), POLICY)]

    assert over(59) == []
    assert over(61) == [Answer.EXPIRED]
    assert over(99, asked=ProposalState(a_proposal("p"), Answer.APPROVED, NOON)) == []
    assert over(1, a_move("1", value="promoted")) == [Answer.APPROVED]
    assert over(1, a_move("1", value="wont_fix")) == [Answer.REJECTED]
    assert over(1, a_move("1", value="resolved")) == [Answer.EXPIRED]


@pytest.mark.requirement("S6")
@pytest.mark.parametrize(
    ("profile", "file", "origin", "tracked", "certain", "leave"),
    [
        (Profile.STANDARD, "TOOLS.md", EntryOrigin.STATED, False, True, Permission.PROPOSE),
        (Profile.AUTONOMOUS, "TOOLS.md", EntryOrigin.STATED, False, True, Permission.AUTO),
        (Profile.AUTONOMOUS, "TOOLS.md", EntryOrigin.STATED, True, True, Permission.PROPOSE),
        (Profile.AUTONOMOUS, "TOOLS.md", EntryOrigin.STATED, False, False, Permission.PROPOSE),
        (Profile.STANDARD, "SOUL.md", EntryOrigin.STATED, False, True, Permission.PROPOSE),
        (Profile.STANDARD, "CLAUDE.md", EntryOrigin.STATED, False, True, Permission.PROPOSE),
        (Profile.STANDARD, "TOOLS.md", EntryOrigin.IMPORTED, False, True, Permission.ASK),
        (Profile.CAUTIOUS, "TOOLS.md", EntryOrigin.STATED, False, True, Permission.ASK),
        (Profile.AUTONOMOUS, "MEMORY.md", EntryOrigin.MEASURED, False, True, Permission.AUTO),
        (Profile.AUTONOMOUS, "AGENTS.md", EntryOrigin.STATED, False, True, Permission.PROPOSE),
    ],
)
def test_the_policy_table(
    profile: Profile, file: str, origin: EntryOrigin, tracked: bool, certain: bool, leave: Permission
) -> None:
    assert permission_for(profile, file, origin, is_tracked=tracked, is_certain=certain) is leave


@pytest.mark.requirement("S6")
def test_the_docs_show_the_policy_table_and_by_default_nothing_is_written_unasked() -> None:
    files = {
        "any": "every file",
        "notes": "TOOLS, MEMORY, USER, preferences.json",
        "rules": "SOUL, AGENTS, CLAUDE and the rest",
    }
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    shown = [line for line in page.partition("## Policy\n")[2].splitlines() if line.startswith("| `")]
    assert shown[: len(TABLE)] == [
        f"| `{profile}` | {files[kind]} | {' | '.join(leaves[origin] for origin in EntryOrigin)} |"
        for (profile, kind), leaves in TABLE.items()
    ]
    usual = Profile(PromotePolicy().profile)
    assert not any(Permission.AUTO in leaves.values() for (profile, _), leaves in TABLE.items() if profile is usual)


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (an_entry(about=LessonTopic.COMMAND), "tool"),
        (an_entry(type=EntryType.ERROR, category=None, about=None), "tool"),
        (an_entry(about=LessonTopic.STYLE), "behaviour"),
        (an_entry(about=LessonTopic.FILE), "workflow"),
        (an_entry(about=LessonTopic.FACT), "principle"),
        (an_entry(about=None, category=Category.PREFERENCE), "preference"),
        (an_entry(about=LessonTopic.STYLE, category=Category.PREFERENCE), "behaviour"),
        (an_entry(about=LessonTopic.FACT, category=Category.PREFERENCE), "preference"),
    ],
)
def test_what_a_rule_is(entry: Entry, kind: str) -> None:
    assert rule_kind(entry) == kind


def test_a_rule_goes_to_the_file_that_the_agent_reads() -> None:
    files, style = MemoryFiles(), an_entry(about=LessonTopic.STYLE)
    assert project_target(style, "claude-code", "/shop", files).path == "/shop/CLAUDE.md"
    assert project_target(style, "codex", "/shop", files).path == "/shop/AGENTS.md"
    assert project_target(style, "openclaw", "/shop", files) == Target("/shop/SOUL.md", "Boundaries")
    assert project_target(an_entry(), "openclaw", "/shop", files) == Target("/shop/TOOLS.md", "Known Gotchas")
    files.put(Path("/shop/CLAUDE.md"), b"@AGENTS.md\n")
    assert project_target(style, "claude-code", "/shop", files).path == "/shop/AGENTS.md"


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm, not npm.",
        "Never edit an old migration, add a new one.",
        "Do not amend commits - it breaks the bisect.",
        "Always review the tests before a commit.",
        "Prefer small modules.",
        "Tests go below tests/unit.",
        "Never merge without a review.",
    ],
)
def test_a_rule_stands_alone(text: str) -> None:
    assert stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Can we use pnpm?",
        "Do it again.",
        "Move this to the other file.",
        "Go with option 2 please.",
        "I think the header is wrong.",
        "Fix the header.",
        "Revert 3f9a2b1c and start over.",
        "Look at https://example.org/shop first.",
        "Too short.",
        "Use the one from before.",
        "There is a bug in the cart.",
        "Do not do the wild thing.",
        "Sort the orders by date I think.",
        "The idea is to sort by date...not sure",
        "Replace OLD_FLAG with the setting in the file.",
        "Drop the star before each name.",
    ],
)
def test_what_only_meant_something_then_is_no_rule(text: str) -> None:
    assert not stands_alone(text)


def test_occurrences_are_read_once_each() -> None:
    ledger = ledger_of(WEAK, (1, 0), (2, 0), (3, 0))
    asked_for: list[str] = []

    def seen(entry: str) -> tuple[Occurrence, ...]:
        asked_for.append(entry)
        return ledger.occurrences.of(entry)

    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    make_proposals(known, seen, (), lambda _, __, ___: Target("/x", "y"), POLICY, factory)
    assert asked_for == [WEAK.id]


def decided_by_time(entry: Entry, days: int, *moves: Move, seen: int = 0) -> list[tuple[MoveKind, str]]:
    ledger = ledger_of(entry, (1, seen))
    ledger.entries.record(moves)
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    return [(move.kind, move.value) for move in fade_entries(known, moves, NOON + timedelta(days=days), factory)]


@pytest.mark.requirement("S10")
@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (29, []),
        (31, [(MoveKind.PRIORITY, "low")]),
        (61, [(MoveKind.PRIORITY, "low")]),
        (91, [(MoveKind.STATUS, "wont_fix")]),
    ],
)
def test_what_is_not_seen_again_fades(days: int, expected: list[tuple[MoveKind, str]]) -> None:
    assert decided_by_time(WEAK, days) == expected


def test_coming_up_again_sets_the_clock_back_and_a_persons_word_too() -> None:
    assert decided_by_time(WEAK, 91, seen=70) == []
    word = structs.replace(a_move("1", kind=MoveKind.TEXT, value="Use pnpm 9."), at=NOON + timedelta(days=70))
    assert decided_by_time(WEAK, 91, word) == []


def test_what_was_stated_as_a_rule_or_confirmed_never_fades() -> None:
    assert decided_by_time(structs.replace(WEAK, standing=True), 900) == []
    assert decided_by_time(structs.replace(WEAK, category=Category.PREFERENCE, durable=0.9), 900) != []
    assert decided_by_time(WEAK, 900, a_move("1", kind=MoveKind.CONFIRM)) == []
    assert decided_by_time(WEAK, 900, a_move("1", value="promoted")) == []


def test_what_time_gave_up_comes_back_when_it_is_seen_again_and_what_he_gave_up_does_not() -> None:
    by_time = structs.replace(a_move("1", value="wont_fix"), by=Actor.WISEN)
    assert decided_by_time(WEAK, 5, by_time, seen=3) == [(MoveKind.STATUS, "pending")]
    assert decided_by_time(WEAK, 5, a_move("1", value="wont_fix"), seen=3) == []


def test_a_context_keeps_only_so_many_at_work() -> None:
    entries = [an_entry(f"{number:05}", summary=f"Lesson {number}.") for number in range(1_003)]
    known = fold_entry_states(entries, [], [])
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    assert [move.subject for move in fade_entries(known, [], NOON, factory)] == ["00000", "00001", "00002"]


@pytest.mark.requirement("S9")
def test_of_two_opposites_that_nobody_stated_the_heavier_stands_and_a_tie_goes_to_the_user() -> None:
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    ledger = ledger_of(INFERRED, (1, 0), (2, 0), (3, 0))
    other = structs.replace(INFERRED, id="02B", name="LRN-B", summary="Use npm, not pnpm.")
    ledger.entries.record(
        [other, an_occurrence("z", "02B"), a_move("1", subject="02B", kind=MoveKind.CONFLICT, value=WEAK.id)]
    )
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    assert [score(state, NOON) for state in known] == [30 + 30 + 30 + 30, 30 + 10 + 30 + 30]
    (move,) = settle_conflicts(known, NOON, factory)
    assert (move.subject, move.value) == ("02B", "wont_fix")
    assert "weighs 120 against 100" in move.why
    ledger.entries.record([an_occurrence(f"z{each}", "02B", session=f"t{each}") for each in range(2)])
    assert (
        settle_conflicts(
            fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all()), NOON, factory
        )
        == []
    )


def test_what_the_user_stated_is_never_decided_by_weight_and_what_was_comes_back() -> None:
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    ledger = ledger_of(WEAK, (1, 0), (2, 0), (3, 0))
    other = structs.replace(WEAK, id="02B", name="LRN-B", summary="Use npm, not pnpm.")
    ledger.entries.record(
        [other, an_occurrence("z", "02B"), a_move("1", subject="02B", kind=MoveKind.CONFLICT, value=WEAK.id)]
    )
    assert (
        settle_conflicts(
            fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all()), NOON, factory
        )
        == []
    )
    weighed = structs.replace(
        a_move("000", subject="02B", value="wont_fix"), by=Actor.WISEN, why=f"LRN-A {OUTVOTED} 120 against 100"
    )
    ledger.entries.record([weighed])
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    (move,) = restore_outvoted(known, ledger.moves.all(), factory)
    assert (move.subject, move.value) == ("02B", "pending")
    ledger.entries.record([move])
    assert (
        restore_outvoted(
            fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all()),
            ledger.moves.all(),
            factory,
        )
        == []
    )


def test_what_a_person_approved_is_never_decided_by_weight() -> None:
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    moves = [a_move("1", subject="02B", kind=MoveKind.CONFLICT, value=WEAK.id), a_move("2", value="promoted")]
    known = fold_entry_states([WEAK, structs.replace(WEAK, id="02B", priority=Priority.CRITICAL)], [], moves)
    assert settle_conflicts(known, NOON, factory) == []


@pytest.mark.requirement("S5")
def test_that_something_was_not_asked_for_forbids_it_only_then() -> None:
    complaint = an_entry(summary="Do not push anything.", details="no, I didn't ask you to push anything", durable=0.9)
    assert offer(ledger_of(complaint, (1, 0))) == []
    assert len(offer(ledger_of(complaint, (1, 0), (2, 0), (3, 0)))) == 1, "said again and again it is a rule"
    lasting = an_entry(
        summary="Never push by yourself.", details="I didn't say push. Never push by yourself.", durable=0.9
    )
    assert len(offer(ledger_of(lasting, (1, 0)))) == 1
