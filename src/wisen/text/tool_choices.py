"""Words of which one stands in the place of another: antonyms, and families of tools of which one is chosen."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from wisen.text.terms import BOUND, term_of

_ACTS = (
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
"""They say nothing without what they are about."""
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
"""Either can be asked for alone."""
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
"""Of each row one is chosen: to ask for one is to refuse the others."""
RIVALS = frozenset(name for row in FAMILIES for name in row.split())
_BINDS = {"before": "after", "after": "before"}


def _pairs(rows: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    terms = [tuple(term_of(word)[0] for word in row.split()) for row in rows]
    return frozenset(pair for one, other in terms for pair in ((one, other), (other, one)))


_EITHER = tuple(f"{one} {other}" for row in FAMILIES for one, other in combinations(row.split(), 2))
_CHOOSES = _pairs((*_CHOICES, *_EITHER))
_ALL = _pairs(_ACTS) | _CHOOSES
_OF: dict[str, tuple[str, ...]] = {term: tuple(sorted(other for one, other in _ALL if one == term)) for term, _ in _ALL}
RIVAL_TERMS = frozenset(term for name in RIVALS for term in term_of(name))
_CHOOSING = frozenset(one for one, _ in _CHOOSES)


@lru_cache(maxsize=20_000)
def antonyms(term: str) -> tuple[str, ...]:
    """The terms that say the opposite of this one; what is bound to "before" is so to "after"."""
    bind, bound, what = term.partition(BOUND)
    if bound:
        return (f"{_BINDS[bind]}{BOUND}{what}",) if bind in _BINDS else ()
    return _OF.get(term, ())


def is_choice(term: str) -> bool:
    """Whether it is a choice that can be asked for alone."""
    return term in _CHOOSING
