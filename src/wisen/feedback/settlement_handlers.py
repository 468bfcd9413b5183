"""What other features do with a settled turn: given by the composition, apart from the code that settles turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.model.entry import Entry
    from wisen.model.pointing import SettledTurn
    from wisen.model.signal import SourcedSignal


class SettlementHandlers(Struct, frozen=True, kw_only=True):
    """What other features do with a settled turn."""

    record: Callable[[Sequence[SourcedSignal]], tuple[Entry, ...]]
    """Records entries for what was said. Returns the entries that hold it."""
    drop: Callable[[SettledTurn], None]
    """Closes an entry that is based on this turn alone, because nothing is to be learned from it."""
    suggest: Callable[[str, str, str, str], str]
    """Proposes another wording for an entry to the user: entry id, words, agent, why. Returns the proposal's id."""
