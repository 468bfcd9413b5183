"""Ranks the learnings that are relevant to a failure that has just happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.model.learning import LearningKind, Match
from wisen.records.accounts import count_sessions
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.failure import Signature
    from wisen.model.learning import Learning
    from wisen.records.accounts import Account

_ORDER = tuple(Match)
_WORD = lazy_regex(r"[^\W\d_]{3,}")
_PLACEHOLDERS = frozenset({"path", "url", "time"})
"""Placeholders for removed values in a signature."""


@dataclass(frozen=True, kw_only=True)
class SimilarityPolicy:
    """How much two texts must share to be about the same thing."""

    words: int = 3
    """The minimum number of shared words."""
    failures: float = 0.6
    """The share of all their words that two failures have in common."""
    insight: float = 0.6
    """The share of a failure's words that an insight has."""


def rank_learnings(
    accounts: Iterable[Account], failure: Signature, tool: str, *, has_text: bool, policy: SimilarityPolicy
) -> tuple[Learning, ...]:
    """The learnings relevant to a failure of a tool, the best first. `has_text`: whether its text may be used."""
    found = []
    for account in accounts:
        match = _match(account.learning, failure, tool, has_text=has_text, policy=policy)
        if match is not None and not has_failed(account, failure):
            found.append(replace(account.learning, match=match))
    return tuple(sorted(found, key=_rank))


def has_failed(account: Account, failure: Signature) -> bool:
    """Whether it was tried against this failure without success, and has not helped more often since."""
    failed_uses = [use for use in account.failed if use.signature == failure]
    if not failed_uses:
        return False
    first = min(use.at for use in failed_uses)
    return count_sessions(use for use in account.helped if use.at > first) <= count_sessions(failed_uses)


def _match(
    learning: Learning, failure: Signature, tool: str, *, has_text: bool, policy: SimilarityPolicy
) -> Match | None:
    known, same_tool = learning.signature, learning.tool == tool
    if known is None:
        wanted = _words(failure.description)
        alike = _share_enough(wanted & _words(learning.text), len(wanted) * policy.insight, policy)
        return Match.TOOL if same_tool else Match.WORDS if alike else None
    if known == failure and has_text:
        return Match.SIGNATURE
    # A signature says something where the key alone would put different things together. Those of texts that were
    # withheld are the same and say nothing: they match no better than this.
    if same_tool and known.key == failure.key and not (known.says and failure.says):
        return Match.KEY
    if same_tool or known.key == failure.key:
        one, two = _words(known.says), _words(failure.says)
        return Match.WORDS if _share_enough(one & two, len(one | two) * policy.failures, policy) else None
    return None


def _share_enough(shared: set[str], wanted: float, policy: SimilarityPolicy) -> bool:
    return len(shared) >= max(wanted, policy.words)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _PLACEHOLDERS


def _rank(learning: Learning) -> tuple[object, ...]:
    match = _ORDER.index(learning.match) if learning.match else len(_ORDER)
    insight = learning.kind is LearningKind.INSIGHT
    return match, insight, -learning.confidence, -learning.sessions, -learning.last.timestamp(), learning.id
