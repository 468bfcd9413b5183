"""How a policy declares a setting: its default, what it means, and which values are allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What a setting means and allows."""

    says: str
    at_least: float | None = None
    one_of: tuple[str, ...] = ()
    tables: type | None = None
    """The policy of each table below it, where it is made of tables with names of the user's."""

    @property
    def allowed(self) -> str:
        """The allowed values, for a person; empty when any value of the type will do."""
        if self.one_of:
            return " or ".join(self.one_of)
        return f"{self.at_least:g} or more" if self.at_least is not None else ""


def setting(
    default: Any,
    says: str,
    *,
    at_least: float | None = None,
    one_of: tuple[str, ...] = (),
    tables: type | None = None,
) -> Any:
    """A dataclass field that `config.toml` may set."""
    return field(default=default, metadata={"rule": Rule(says=says, at_least=at_least, one_of=one_of, tables=tables)})
