"""Antonyms, and families of tools of which a project chooses one."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, groupby
from operator import itemgetter

from wisen.text.terms import BOUND, term_of

_OPPOSITE_ACTIONS = (
    "include exclude",
    "add remove",
    "enable disable",
    "allow forbid",
    "allow disallow",
    "allow deny",
    "show hide",
    "start stop",
    "open close",
    "lock unlock",
    "run skip",
    "accept reject",
    "more fewer",
    "more less",
    "above below",
    "keep delete",
    "expand collapse",
)
"""Opposite actions; they mean nothing without an object."""
_CHOICES = (
    "tabs spaces",
    "uppercase lowercase",
    "ascending descending",
    "camelcase snakecase",
    "synchronous asynchronous",
    "public private",
    "rebase merge",
    "single double",
    "singular plural",
    "british american",
    "formal informal",
    "short long",
    "brief detailed",
    "absolute relative",
    "metric imperial",
    "light dark",
)
"""Opposite choices; either can be asked for on its own."""
_LANGUAGES = (
    "english german french spanish italian portuguese dutch polish russian ukrainian chinese japanese korean turkish "
    "arabic hindi swedish vietnamese"
)
FAMILIES = (
    "npm pnpm yarn bun",
    "npx pnpx bunx",
    "pip uv poetry pipenv pdm conda",
    "jest vitest mocha",
    "pytest unittest nose",
    "eslint biome",
    "prettier biome",
    "black ruff yapf",
    "flake8 pylint ruff",
    "maven gradle",
    "cypress playwright",
    "webpack vite",
    "axios fetch",
    "moment dayjs luxon",
    "docker podman",
    "tailwind bootstrap",
    _LANGUAGES,
)
"""One of each row is chosen: asking for one refuses the others."""
RIVALS = frozenset(name for row in FAMILIES for name in row.split())
_OPPOSITE_BINDINGS = {"before": "after", "after": "before"}


def _pairs(rows: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    terms = [tuple(term_of(word)[0] for word in row.split()) for row in rows]
    return frozenset(pair for one, other in terms for pair in ((one, other), (other, one)))


_RIVAL_PAIRS = tuple(f"{one} {other}" for row in FAMILIES for one, other in combinations(row.split(), 2))
_CHOICE_PAIRS = _pairs((*_CHOICES, *_RIVAL_PAIRS))
_ANTONYM_PAIRS = _pairs(_OPPOSITE_ACTIONS) | _CHOICE_PAIRS
_ANTONYMS: dict[str, tuple[str, ...]] = {
    term: tuple(other for _, other in pairs) for term, pairs in groupby(sorted(_ANTONYM_PAIRS), itemgetter(0))
}
RIVAL_TERMS = frozenset(term for name in RIVALS for term in term_of(name))
_CHOICE_TERMS = frozenset(one for one, _ in _CHOICE_PAIRS)


@lru_cache(maxsize=20_000)
def antonyms(term: str) -> tuple[str, ...]:
    """Return the opposites of a term; the opposite of a binding to "before" is one to "after"."""
    binding, separator, rest = term.partition(BOUND)
    if separator:
        return (f"{_OPPOSITE_BINDINGS[binding]}{BOUND}{rest}",) if binding in _OPPOSITE_BINDINGS else ()
    return _ANTONYMS.get(term, ())


def is_choice(term: str) -> bool:
    """Whether a term is a choice that can be asked for on its own."""
    return term in _CHOICE_TERMS
