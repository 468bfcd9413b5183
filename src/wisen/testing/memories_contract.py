"""The contract of every store of memories, as a test suite for any backend.

A backend's test inherits from `MemoriesContract` and provides the fixtures `memories`, a new store, and `again`, which
opens the same one again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from wisen.model.memory import DEFAULT_WEIGHTS, Memory, MemoryFields, MemoryKind, MemoryQuery
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.memories import Memories


def a_memory_with_fields(
    id_: str, text: str, *, origin: str = "session:1", turn: int = 1, **more: Any
) -> tuple[Memory, MemoryFields]:
    """Return a sample memory with its searchable fields."""
    memory = Memory(id=id_, kind=MemoryKind.TURN, text=text, origin=origin, turn=turn)._replace(**more)
    return memory, MemoryFields(text=memory.text, who=memory.who, day="", beside=memory.beside)


def found_ids(memories: Memories, *words: str, **more: Any) -> list[str]:
    """Return the ids of the matches, best first."""
    return [hit.memory.id for hit in memories.find(MemoryQuery(words)._replace(**more), DEFAULT_WEIGHTS)]


class MemoriesContract:
    """The contract of every store of memories."""

    def test_a_new_store_finds_nothing(self, memories: Memories) -> None:
        assert found_ids(memories, "anything") == []
        assert memories.count() == {}
        assert memories.contexts() == {}
        assert memories.origins("") == frozenset()
        assert memories.neighbors("none", 3) == []

    def test_a_memory_comes_back_whole(self, memories: Memories, again: Callable[[], Memories]) -> None:
        one = a_memory_with_fields(
            "m1",
            "We deploy on Tuesdays",
            kind=MemoryKind.NOTE,
            context="shop-1",
            agent="codex",
            session="s1",
            turn=4,
            at=NOON,
            who="Ada",
            uses=3,
            place="notes.md:7",
            local=True,
        )
        assert memories.replace({"session:1": [one]}) == 1
        ((memory, score),) = again().find(MemoryQuery(("tuesdays",)), DEFAULT_WEIGHTS)
        assert memory == one[0]._replace(beside=memory.beside)
        assert again().contexts() == {"shop-1": 1}
        assert score > 0

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_comes_back_as_it_was(self, memories: Memories, text: str) -> None:
        memories.replace(
            {text or "-": [a_memory_with_fields("m", f"needle {text}", origin=text or "-", place=text, session=text)]}
        )
        ((memory, _),) = memories.find(MemoryQuery(("needle",)), DEFAULT_WEIGHTS)
        assert (memory.text, memory.place, memory.session) == (f"needle {text}", text, text)
        found_ids(memories, text, f"{text}*", f'"{text}', f"{text} AND (", f"NOT {text}")

    def test_more_words_are_better_and_rare_ones_too(self, memories: Memories) -> None:
        memories.replace(
            {
                "session:1": [
                    a_memory_with_fields("both", "the deploy script needs pnpm"),
                    a_memory_with_fields("one", "the deploy went well", turn=2),
                    a_memory_with_fields("none", "lunch is at noon", turn=3),
                ]
            }
        )
        assert found_ids(memories, "deploy", "pnpm") == ["both", "one"]

    def test_words_beside_and_names_count_less_than_the_text(self, memories: Memories) -> None:
        filler = [a_memory_with_fields(f"f{n}", "nothing of interest here", turn=9 + n) for n in range(8)]
        memories.replace(
            {
                "session:1": [
                    a_memory_with_fields("beside", "and so it was done", beside="we chose sqlite"),
                    a_memory_with_fields("text", "we chose sqlite", turn=2),
                    *filler,
                ]
            }
        )
        assert found_ids(memories, "sqlite") == ["text", "beside"]

    def test_a_phrase_is_found_as_it_stands(self, memories: Memories) -> None:
        memories.replace(
            {
                "session:1": [
                    a_memory_with_fields("a", "blue green deploy"),
                    a_memory_with_fields("b", "green and blue", turn=2),
                ]
            }
        )
        assert found_ids(memories, "blue green") == ["a"]

    def test_contexts_that_were_not_asked_for_are_not_looked_in(self, memories: Memories) -> None:
        memories.replace(
            {
                "session:1": [a_memory_with_fields("here", "use tabs", context="shop-1")],
                "session:2": [a_memory_with_fields("there", "use tabs", origin="session:2", context="blog-2")],
                "ledger": [a_memory_with_fields("all", "use tabs", origin="ledger")],
            }
        )
        assert set(found_ids(memories, "tabs", contexts=("shop-1", ""))) == {"here", "all"}
        assert found_ids(memories, "tabs", contexts=("blog-2",)) == ["there"]
        assert found_ids(memories, "tabs", contexts=("unknown",)) == []
        assert found_ids(memories, "tabs", contexts=()) == []
        assert set(found_ids(memories, "tabs")) == {"here", "there", "all"}

    def test_since_and_kinds_narrow_what_is_found(self, memories: Memories) -> None:
        memories.replace(
            {
                "session:1": [
                    a_memory_with_fields("old", "use tabs", at=NOON - timedelta(days=9)),
                    a_memory_with_fields("new", "use tabs", at=NOON, turn=2),
                    a_memory_with_fields("rule", "use tabs", at=NOON, kind=MemoryKind.RULE, turn=3),
                    a_memory_with_fields("undated", "use tabs", turn=4),
                ]
            }
        )
        assert set(found_ids(memories, "tabs", since=NOON - timedelta(days=1))) == {"new", "rule"}
        assert found_ids(memories, "tabs", kinds=(MemoryKind.RULE,)) == ["rule"]

    def test_what_was_typed_to_a_local_model_is_left_out_where_that_is_asked_for(self, memories: Memories) -> None:
        memories.replace(
            {"session:1": [a_memory_with_fields("m1", "tabs", local=True), a_memory_with_fields("m2", "tabs", turn=2)]}
        )
        assert sorted(found_ids(memories, "tabs")) == ["m1", "m2"]
        assert found_ids(memories, "tabs", local=False) == ["m2"]
        memories.replace(
            {"session:1": [a_memory_with_fields("m1", "tabs"), a_memory_with_fields("m2", "tabs", turn=2)]}
        )
        assert sorted(found_ids(memories, "tabs", local=False)) == ["m1", "m2"], "it was said elsewhere, too"

    def test_an_origin_holds_what_it_was_last_given(self, memories: Memories) -> None:
        first, second = a_memory_with_fields("a", "old words"), a_memory_with_fields("b", "new words")
        assert memories.replace({"session:1": [first]}) == 1
        assert memories.replace({"session:1": [first]}) == 0
        assert memories.replace({"session:1": [second], "session:2": []}) == 1
        assert found_ids(memories, "old") == []
        assert found_ids(memories, "new", "words") == ["b"]
        assert memories.replace({"session:1": []}) == 1
        assert found_ids(memories, "words") == []
        assert memories.origins("") == frozenset()

    def test_a_memory_that_moves_to_another_context_is_found_there_only(self, memories: Memories) -> None:
        memories.replace({"o": [a_memory_with_fields("a", "use tabs", origin="o", context="one")]})
        memories.replace({"o": [a_memory_with_fields("a", "use tabs", origin="o", context="two")]})
        assert found_ids(memories, "tabs", contexts=("one",)) == []
        assert found_ids(memories, "tabs", contexts=("two",)) == ["a"]

    def test_origins_are_known_by_how_they_begin(self, memories: Memories) -> None:
        names = ["session:1", "session:2", "sessionless", "entry:1"]
        memories.replace({name: [a_memory_with_fields(name, "text", origin=name)] for name in names})
        assert memories.origins("session:") == {"session:1", "session:2"}

    def test_what_stands_around_a_memory(self, memories: Memories) -> None:
        memories.replace({"session:1": [a_memory_with_fields(f"t{n}", f"turn {n}", turn=n) for n in range(1, 8)]})
        assert [memory.id for memory in memories.neighbors("t4", 2)] == ["t2", "t3", "t4", "t5", "t6"]
        assert [memory.id for memory in memories.neighbors("t1", 1)] == ["t1", "t2"]

    def test_no_more_than_the_design_asks_for(self, memories: Memories) -> None:
        memories.replace({"session:1": [a_memory_with_fields(f"t{n}", "same words", turn=n) for n in range(30)]})
        assert len(memories.find(MemoryQuery(("same",)), DEFAULT_WEIGHTS._replace(depth=7))) == 7

    def test_a_frequent_word_does_not_hide_a_rare_one(self, memories: Memories) -> None:
        usual = [a_memory_with_fields(f"t{n}", f"common word number{n}", turn=n) for n in range(60)]
        memories.replace({"session:1": [*usual, a_memory_with_fields("rare", "a common walrus", turn=99)]})
        few = DEFAULT_WEIGHTS._replace(rows=20)
        best = memories.find(MemoryQuery(("common", "walrus")), few)
        assert best[0].memory.id == "rare"
        assert memories.find(MemoryQuery(("common",)), few)
        assert memories.find(MemoryQuery(("common", "word")), few)
