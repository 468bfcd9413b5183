"""How a policy declares a setting: its default, what it means, and which values are allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_HUGE = 1e12
"""No setting means anything beyond: as days or seconds it would be past the end of every calendar."""
MAX_DAYS = 36_500
"""A hundred years, in days: the most that a number of days may be."""


@dataclass(frozen=True, kw_only=True)
class SettingRule:
    """What a setting means and allows."""

    description: str
    at_least: float | None = None
    at_most: float | None = None
    one_of: tuple[str, ...] = ()
    tables: type | None = None
    """The policy of each table below it, where it is made of tables with names of the user's."""

    @property
    def allowed(self) -> str:
        """The allowed values, for a person; empty when any value of the type will do."""
        if self.one_of:
            return " or ".join(self.one_of)
        if self.at_least is not None and self.at_most is not None:
            return f"from {self.at_least:g} to {self.at_most:g}"
        return f"{self.at_least:g} or more" if self.at_least is not None else ""

    def allows(self, value: object) -> bool:
        """Whether a value of the right type is one of those that make sense."""
        if isinstance(value, tuple):
            return not self.one_of or all(each in self.one_of for each in value)
        if isinstance(value, str):
            return not self.one_of or value in self.one_of
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        # A comparison with NaN is false, so that each has to be true: what is no number is not let through.
        least, most = (-_HUGE if self.at_least is None else self.at_least), self.at_most or _HUGE
        return least <= value <= most


def setting(
    default: Any,
    says: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    one_of: tuple[str, ...] = (),
    tables: type | None = None,
) -> Any:
    """A dataclass field that `config.toml` may set."""
    rule = SettingRule(description=says, at_least=at_least, at_most=at_most, one_of=one_of, tables=tables)
    return field(default=default, metadata={"rule": rule})
