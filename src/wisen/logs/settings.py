"""Settings of log reading: how much of a text is kept, and in which directories nothing is."""

from __future__ import annotations

from dataclasses import dataclass, fields

from wisen.model.policy import setting


@dataclass(frozen=True, kw_only=True)
class OffPolicy:
    """Where nothing is kept."""

    directories: tuple[str, ...] = setting(
        (), "Directories in which wisen is disabled, including everything below; `wisen off` does that for one project."
    )


@dataclass(frozen=True, kw_only=True)
class EventFilterPolicy:
    """How much of a text is kept."""

    longest_argument: int = setting(
        2_000, "Characters kept of one argument of a call; the rest is replaced by an ellipsis.", at_least=100
    )
    failure_head: int = setting(3_000, "Characters kept from the beginning of a failed result.", at_least=100)
    failure_tail: int = setting(
        1_000,
        "Characters kept from the end of a failed result, where compilers and test runners print their summary.",
        at_least=0,
    )
    longest_message: int = setting(
        32_000, "Characters kept of one typed message; longer messages are mostly pasted logs.", at_least=1_000
    )

    @property
    def mark_key(self) -> bytes:
        """The key by which our own marks are recognized; empty if it is not available."""
        return b""


@dataclass(frozen=True, kw_only=True)
class KeyedEventFilterPolicy(EventFilterPolicy):
    """A policy that also holds the key of the home."""

    mark_key: bytes = b""


def with_key(policy: EventFilterPolicy, key: bytes) -> KeyedEventFilterPolicy:
    """Return the same policy with the key of the home."""
    return KeyedEventFilterPolicy(**{each.name: getattr(policy, each.name) for each in fields(policy)}, mark_key=key)
