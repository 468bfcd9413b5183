"""Contract tests for every snapshot store: snapshots are complete, and notes stay until they are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.snapshot_store import ChatReply

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.delivery.snapshot_store import SnapshotStore


class SnapshotStoreContract:
    """Fixtures: `shelf`, and `leave`, which leaves notes in the spool as a hook does: a name and the notes."""

    def test_what_is_published_is_there_and_nothing_else(self, store: SnapshotStore) -> None:
        assert store.digests() == frozenset()
        assert store.publish({"a": b"{}", "b": b"[]"}, b'{"version":1}', days=1) == 2
        assert store.digests() == {"a", "b"}
        assert store.publish({"b": b"[]", "c": b"1"}, b'{"version":1}', days=1) == 1
        assert store.digests() == {"b", "c"}

    def test_notes_stay_until_they_are_dropped(self, store: SnapshotStore, leave: Callable[..., None]) -> None:
        assert store.read_spool() == ()
        leave("one.jsonl", {"event": "prompt", "ids": ["R-1"]})
        leave("two.jsonl", {"event": "wish"}, {"event": "stop"})
        assert [each.name for each in store.read_spool()] == ["one.jsonl", "two.jsonl"]
        assert store.read_spool()[0].records == ({"event": "prompt", "ids": ["R-1"]},)
        assert len(store.read_spool()[1].records) == 2
        store.remove_records(["one.jsonl", "never.jsonl"])
        assert [each.name for each in store.read_spool()] == ["two.jsonl"]

    def test_what_holds_something_is_removed_and_told_by_name(
        self, store: SnapshotStore, leave: Callable[..., None]
    ) -> None:
        store.publish({"a": b'{"told": "apple"}', "b": b'{"told": "pear"}'}, b'{"version":1}', days=1)
        leave("one.jsonl", {"of": "apple"})
        leave("two.jsonl", {"of": "pear"})
        assert len(store.forget(lambda text: "apple" in text, dry_run=True)) == 2
        assert len(store.read_spool()) == 2
        gone = store.forget(lambda text: "apple" in text)
        assert [name.removesuffix(".json") for name in gone] == ["a", "one.jsonl"]
        assert store.digests() == {"b"}
        assert [each.name for each in store.read_spool()] == ["two.jsonl"]

    def test_notes_of_sessions_that_are_off_are_distinguished(
        self, store: SnapshotStore, leave: Callable[..., None]
    ) -> None:
        assert store.disabled_sessions() == ()
        leave("off/b")
        leave("off/a")
        leave("one.jsonl", {"event": "prompt"})
        assert store.disabled_sessions() == ("off/a", "off/b")
        assert [each.name for each in store.read_spool()] == ["one.jsonl"]
        store.remove_records(["off/a", "off/never"])
        assert store.disabled_sessions() == ("off/b",)

    def test_what_is_to_be_delivered_waits_until_it_is_delivered_or_forgotten(self, store: SnapshotStore) -> None:
        assert store.pending_replies() == ()
        first, second = ChatReply("claude-code", "s", "shop-1", "an apple"), ChatReply("codex", "t", "", "a pear: “ü”")
        store.add_reply(first)
        store.add_reply(second)
        assert store.pending_replies() == (first, second)
        store.forget(lambda text: "apple" in text)
        assert store.pending_replies() == (second,)

    def test_where_no_hook_ever_fired_nobody_asked_for_a_cycle(self, store: SnapshotStore) -> None:
        assert store.last_wake() is None
