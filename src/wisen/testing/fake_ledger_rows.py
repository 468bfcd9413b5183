"""The rows of a ledger in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.model.change import Change, ChangeCheck
    from wisen.model.context import Alias, Context
    from wisen.model.entry import Entry, Move, Occurrence, Proposal
    from wisen.model.exposure import Exposure
    from wisen.model.guard import Guard
    from wisen.model.learning import Record
    from wisen.model.ownership import Ownership
    from wisen.model.phrase import PhraseProof, PhraseSearch, UserPhrase
    from wisen.model.reinforcement import Reinforcement
    from wisen.model.run import Run
    from wisen.model.snapshot import Snapshot
    from wisen.model.tombstone import Tombstone, TombstoneKey
    from wisen.model.trial import TrialOutcome


@dataclass
class LedgerRows:
    """The rows of a ledger in memory."""

    contexts: dict[str, Context] = field(default_factory=dict)
    aliases: dict[tuple[str, str, str], Alias] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    snapshots: set[Snapshot] = field(default_factory=set)
    changes: dict[str, Change] = field(default_factory=dict)
    looks: dict[str, ChangeCheck] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    occurrences: dict[str, Occurrence] = field(default_factory=dict)
    moves: dict[str, Move] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)
    guards: dict[tuple[str, str], Guard] = field(default_factory=dict)
    exposures: dict[str, Exposure] = field(default_factory=dict)
    outcomes: dict[str, TrialOutcome] = field(default_factory=dict)
    reinforcements: dict[str, Reinforcement] = field(default_factory=dict)
    tombstones: dict[str, Tombstone] = field(default_factory=dict)
    keys: dict[str, dict[str, TombstoneKey]] = field(default_factory=dict)
    phrases: dict[str, UserPhrase] = field(default_factory=dict)
    proofs: dict[str, PhraseProof] = field(default_factory=dict)
    searches: dict[str, PhraseSearch] = field(default_factory=dict)
    ownerships: dict[str, Ownership] = field(default_factory=dict)
