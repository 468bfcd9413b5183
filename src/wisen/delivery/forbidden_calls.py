"""Finds which calls rules forbid: a fix or guard that suggests such a call would contradict the user."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.guards_from_rules import pattern_of_rule, plain_wording
from wisen.errors import UsageError
from wisen.kernel.matching import WatchedCall, find_hits
from wisen.model.guard import parse_watch
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

_FAMILIES = (
    "npm pnpm yarn bun",
    "npx pnpx bunx",
    "pip uv poetry pdm pipenv conda",
    "make just task mise",
    "jest vitest mocha",
    "eslint biome",
    "black ruff",
)
"""Programs of which a project uses one: a rule to use one of them excludes the others."""
_PEERS = {name: frozenset(each.split()) - {name} for each in _FAMILIES for name in each.split()}
_ONE = lazy_regex(
    rf"(?:^|[.;:!,] ?|\b(?:please|always|only|must|we|should|now on,?) )(?:use|run|prefer) (?:only )?`?"
    rf"(?P<name>{'|'.join(sorted(_PEERS, key=len, reverse=True))})`?(?= ?(?:[.,;!)]|$|here|everywhere|for (?:every|all)"
    r"|in (?:this|the|all)|as (?:the |our )?package))",
    re.IGNORECASE,
)


class Prohibition(NamedTuple):
    """What a rule prohibits, in a form that calls are matched against."""

    rule: str
    """The rule in the user's words."""
    watch: dict[str, object]


def find_prohibitions(rules: Iterable[str]) -> list[Prohibition]:
    """Return what rules clearly prohibit."""
    found: list[Prohibition] = []
    for rule in rules:
        pattern = pattern_of_rule(rule)
        watches = [pattern.watch] if pattern is not None else [f"shell: {name}" for name in _rival_programs(rule)]
        found += [each for watch in watches if (each := make_prohibition(rule, watch)) is not None]
    return found


def make_prohibition(rule: str, watch: str) -> Prohibition | None:
    """Return the prohibition that a guard expresses; None if its pattern cannot be parsed."""
    try:
        return Prohibition(plain_wording(rule), parse_watch(watch))
    except UsageError:
        return None


def rule_broken_by_call(every: Iterable[Prohibition], tool: str, fields: dict[str, object]) -> str:
    """Return the rule that a call would break; empty if it breaks none."""
    call = WatchedCall(tool, fields)
    return next((each.rule for each in every if find_hits(each.watch, call)), "")


def _rival_programs(rule: str) -> list[str]:
    found = _ONE.search(plain_wording(rule))
    return sorted(_PEERS[found["name"].lower()]) if found and not rule.rstrip().endswith("?") else []
