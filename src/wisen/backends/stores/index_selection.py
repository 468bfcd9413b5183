"""What all questions to the index share: a selection as conditions of SQL, and how a garbled value is told."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisen.backends.stores.escapes import milliseconds, pack
from wisen.backends.stores.sqlite import damaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.backends.stores.dialect import Value
    from wisen.backends.stores.sqlite import SqliteDatabase
    from wisen.domain.report import Selection

# Every name that stands inside these statements is ours; what people wrote comes in as a value.
_HELD = "SELECT holdings.session FROM sources JOIN holdings ON source = sources.number WHERE {sources}"
_HELD_SCENES = "SELECT scenes.number FROM scenes WHERE session IN ({held})"
_SINCE = "SELECT session FROM events JOIN scenes ON scenes.number = scene WHERE at >= :since"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection as conditions of SQL, with the values they name."""

    sources: str
    """The condition on a row of `sources`."""
    values: Mapping[str, Value]
    narrow: bool
    """Whether sources were chosen at all."""
    since: bool

    def events(self, alias: str) -> str:
        """The condition on one event."""
        conditions = [f"{alias}.at >= :since"] if self.since else []
        if self.narrow:
            conditions.append(f"{alias}.scene IN ({_HELD_SCENES.format(held=self._held())})")
        return " AND ".join(conditions) or "1"

    def sessions(self, column: str) -> str:
        """The condition on the number of a session, whenever its events happened."""
        return f"{column} IN ({self._held()})" if self.narrow else "1"

    def found(self, alias: str) -> str:
        """The condition on something that mining found at a moment of a session."""
        since = f" AND {alias}.at >= :since" if self.since else ""
        return self.sessions(f"{alias}.session") + since

    def lively(self, column: str) -> str:
        """The condition on the number of a session that holds a chosen event."""
        return self.sessions(column) + (f" AND {column} IN ({_SINCE})" if self.since else "")

    def _held(self) -> str:
        return _HELD.format(sources=self.sources)


def chosen_by(selection: Selection) -> Chosen:
    """The conditions of a selection."""
    values: dict[str, Value] = {}
    if selection.since is not None:
        values["since"] = milliseconds(selection.since)
    sources = "1"
    if selection.under is not None:
        under = pack(str(selection.under))
        folder = under if under.endswith("/") else f"{under}/"
        # "0" follows "/" in the alphabet: everything below the folder lies between, and nothing else does.
        values |= {"under": under, "first": folder, "beyond": f"{folder[:-1]}0"}
        sources = "(path = :under OR (path >= :first AND path < :beyond))"
    if selection.agent is not None:
        values["agent"] = pack(selection.agent)
        sources += " AND sources.agent = (SELECT number FROM agents WHERE name = :agent)"
    return Chosen(sources, values, sources != "1", selection.since is not None)


@contextmanager
def understood(db: SqliteDatabase) -> Iterator[None]:
    """Rows of the index bear no seal: where a value was garbled, it shows when it is put to use."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        raise damaged(db.path, "it holds a value that was never written") from error
