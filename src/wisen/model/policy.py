"""Declares settings in policies: default, meaning and allowed values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_HUGE = 1e12
"""Larger numbers make no sense: as days or seconds they would be past the end of every calendar."""
_ELLIPSIS = "…"
MAX_DAYS = 36_500
"""A hundred years, the maximum of any number of days."""


@dataclass(frozen=True, kw_only=True)
class SettingRule:
    """What a setting means and allows."""

    description: str
    at_least: float | None = None
    at_most: float | None = None
    one_of: tuple[str, ...] = ()
    """The allowed texts; one that ends in an ellipsis allows every text that begins so."""
    tables: type | None = None
    """The policy of each table below it, if it consists of tables that the user names."""

    @property
    def allowed(self) -> str:
        """Return the allowed values, for a person; empty if any value of the type is allowed."""
        if self.one_of:
            return " or ".join(self.one_of)
        if self.at_least is not None and self.at_most is not None:
            return f"from {self.at_least:g} to {self.at_most:g}"
        return f"{self.at_least:g} or more" if self.at_least is not None else ""

    def allows(self, value: object) -> bool:
        """Return whether a value of the right type is allowed."""
        if isinstance(value, tuple):
            return all(map(self._allows_text, value))
        if isinstance(value, str):
            return self._allows_text(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        # A comparison with NaN is false, so both must be true: NaN is rejected.
        least, most = (-_HUGE if self.at_least is None else self.at_least), self.at_most or _HUGE
        return least <= value <= most

    def _allows_text(self, text: str) -> bool:
        beginnings = tuple(each.removesuffix(_ELLIPSIS) for each in self.one_of if each.endswith(_ELLIPSIS))
        return not self.one_of or text in self.one_of or text.startswith(beginnings)


def setting(
    default: Any,
    description: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    one_of: tuple[str, ...] = (),
    tables: type | None = None,
) -> Any:
    """Return a dataclass field that `config.toml` may set."""
    rule = SettingRule(description=description, at_least=at_least, at_most=at_most, one_of=one_of, tables=tables)
    return field(default=default, metadata={"rule": rule})
