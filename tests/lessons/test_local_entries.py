"""An entry records whether it was typed only to models on the user's own machine."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.lessons.test_entries import row_factory, run, sighting
from wisen.lessons.split import split
from wisen.memory.build_memories import memories_of_entries
from wisen.model.directive import Trigger, TriggerCause
from wisen.model.entry import ONLY_LOCAL, Actor, EntryStatus, Move, MoveKind
from wisen.model.entry_state import EntryState, fold_entry_states
from wisen.model.signal import SourcedSignal
from wisen.testing.entries_contract import a_move, an_entry
from wisen.testing.fake_ledger import MemoryLedger

FIRST, REWORDED = "Use the Quince ledger, not the old one.", "Please use the Quince ledger here, not the old one."


def local(session: int, text: str, marker: str = "") -> SourcedSignal:
    return structs.replace(sighting(session, text, marker=marker), local=True)


def entry_states(ledger: MemoryLedger) -> list[EntryState]:
    return [*fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())]


@pytest.mark.requirement("X7")
def test_what_is_typed_to_local_models_again_and_again_stays_private() -> None:
    ledger = run(MemoryLedger(), local(1, FIRST), local(2, REWORDED))
    (state,) = entry_states(ledger)
    assert (state.text, state.sessions, state.local, state.is_private) == (FIRST, 2, True, True)
    assert [(each.kind, each.value, each.by) for each in ledger.moves.all()] == [
        (MoveKind.LOCAL, ONLY_LOCAL, Actor.WISEN)
    ]


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
@pytest.mark.requirement("X7")
def test_what_is_typed_to_a_hosted_model_as_well_is_delivered_in_the_words_typed_there(order: tuple[int, int]) -> None:
    """Whichever comes first, also in two runs."""
    to_local, to_hosted = local(order[0], FIRST), sighting(order[1], REWORDED)
    together = run(MemoryLedger(), to_local, to_hosted)
    apart, by = MemoryLedger(), row_factory()
    for each in sorted((to_local, to_hosted), key=lambda one: one.session):
        run(apart, each, by=by)
    for ledger in (together, apart):
        (state,) = entry_states(ledger)
        assert (state.text, state.local, state.is_private) == (REWORDED, False, False)


def test_what_a_local_session_was_about_is_not_delivered_with_words_typed_to_a_hosted_model() -> None:
    trigger = Trigger(tool="Bash", words=("quince",), did="ran quince", cause=TriggerCause.NAMED)
    seen = local(2, FIRST)
    lesson = seen.said.signal.lesson
    assert lesson is not None
    signal = structs.replace(seen.said.signal, lesson=structs.replace(lesson, trigger=trigger))
    seen = structs.replace(seen, said=structs.replace(seen.said, signal=signal))
    (state,) = entry_states(run(MemoryLedger(), sighting(1, FIRST), seen))
    assert (state.sessions, state.trigger) == (2, None)
    (alone,) = entry_states(run(MemoryLedger(), seen))
    assert alone.trigger == trigger
    (state,) = entry_states(run(MemoryLedger(), seen, sighting(3, FIRST)))
    assert (state.sessions, state.trigger) == (2, None)


def test_only_a_rule_that_a_person_approved_is_delivered_in_spite_of_that() -> None:
    entry = an_entry()

    def is_private(*moves: Move) -> bool:
        (state,) = fold_entry_states([entry], (), [a_move("1", kind=MoveKind.LOCAL, value=ONLY_LOCAL), *moves])
        return state.is_private

    promoted = a_move("2", kind=MoveKind.STATUS, value=EntryStatus.PROMOTED)
    confirmed = a_move("3", kind=MoveKind.CONFIRM)
    assert is_private()
    assert is_private(confirmed), "that it is right does not say who may know it"
    assert is_private(promoted), "policy made it a rule, and nobody was asked"
    assert not is_private(confirmed, promoted)


def test_an_entry_that_is_joined_with_one_for_hosted_models_is_delivered() -> None:
    one, other = an_entry(), structs.replace(an_entry(), id="other", name="LRN-20260301-OTH")
    moves = [
        a_move("1", kind=MoveKind.LOCAL, value=ONLY_LOCAL),
        structs.replace(a_move("2", kind=MoveKind.MERGE, value=one.id), subject="other"),
    ]
    moves[0] = structs.replace(moves[0], subject=one.id)
    assert not fold_entry_states([one, other], (), moves)[0].local
    both = [*moves, structs.replace(moves[0], id="3", subject="other")]
    assert fold_entry_states([one, other], (), both)[0].local


def test_what_is_taken_out_of_a_private_entry_is_private() -> None:
    ledger = run(MemoryLedger(), local(1, FIRST), local(2, REWORDED))
    (state,) = entry_states(ledger)
    entry, moves = split(state, ledger.occurrences.all(), ["n2"], "", {state.entry.name}, row_factory())
    (taken,) = fold_entry_states([entry], (), moves)
    assert (taken.text, taken.is_private) == (REWORDED, True)
    hosted = run(MemoryLedger(), sighting(1, FIRST), sighting(2, REWORDED))
    entry, moves = split(
        entry_states(hosted)[0], hosted.occurrences.all(), ["n2"], "", {state.entry.name}, row_factory()
    )
    assert not fold_entry_states([entry], (), moves)[0].local


@pytest.mark.requirement("X7")
def test_the_memory_of_a_private_entry_is_marked() -> None:
    (state,) = entry_states(run(MemoryLedger(), local(1, FIRST, marker="always")))
    ((memory, _),) = memories_of_entries([state])[f"entry:{state.entry.id}"]
    assert memory.local
