"""Stands in for parts of the standard library in the modules that recalling loads from the bundle.

Each does what these modules need of its namesake, and loads in a tenth of the time; what is not here is taken from the
real module. A test compares what is recalled with and without them.
"""

from __future__ import annotations

import sys
from _collections import _tuplegetter  # type: ignore[import-not-found,unused-ignore]
from _functools import _lru_cache_wrapper  # type: ignore[import-not-found,unused-ignore]

from .lean_json import loads
from .lean_re import DOTALL, IGNORECASE, MULTILINE, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

_bundled = globals().get("__bundled__")
_PATTERNS = ("patterns recall", "patterns languages")


class _StandIn:
    """Some names of a module; the others are those of the real one."""

    def __init__(self, module: str, **names: object) -> None:
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        return getattr(import_module(self._module), name)


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:  # noqa: FBT001, FBT002 - as in functools
    """Remember the results of a function."""
    if callable(maxsize):
        return _lru_cache_wrapper(maxsize, 128, typed, tuple)
    return lambda function: _lru_cache_wrapper(function, maxsize, typed, tuple)


def _cache(function: Any) -> Any:
    return _lru_cache_wrapper(function, None, False, tuple)


class _CachedProperty:
    """A property that is computed once."""

    def __init__(self, compute: Callable[[Any], object]) -> None:
        self._compute, self._name = compute, compute.__name__

    def __get__(self, owner: Any, kind: object = None) -> object:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._compute(owner)
        return value


class _NamedTuple(tuple):  # type: ignore[type-arg]
    __slots__ = ()
    _fields: tuple[str, ...] = ()
    _field_defaults: dict[str, object] = {}  # noqa: RUF012 - each class has its own

    def __init_subclass__(cls) -> None:
        names = tuple(cls.__dict__.get("__annotations__", ()))  # noqa: RUF063 - `inspect` takes longer than all of this
        cls._field_defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        cls._fields = names
        for place, name in enumerate(names):
            setattr(cls, name, _tuplegetter(place, None))

    def __new__(cls, *values: object, **named: object) -> Any:
        missing = cls._fields[len(values) :]
        if missing:
            defaults = cls._field_defaults
            values += tuple(named.pop(name) if name in named else defaults[name] for name in missing)
        if named or len(values) != len(cls._fields):
            raise TypeError(f"{cls.__name__} got other fields: {[*named]}")
        return tuple.__new__(cls, values)

    def _replace(self, **named: object) -> Any:
        return tuple.__new__(type(self), [named.get(name, self[at]) for at, name in enumerate(self._fields)])

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))


class _Members(type):
    """The type of enumerations of texts."""

    def __new__(cls, name: str, bases: tuple[type, ...], values: dict[str, Any]) -> Any:
        made: Any = type.__new__(cls, name, bases, values)
        made.by_value = {}
        for each, value in values.items():
            if isinstance(value, str) and not each.startswith("_"):
                member = str.__new__(made, value)
                member.name, member.value = each, value
                made.by_value[value] = member
                type.__setattr__(made, each, member)
        return made

    def __iter__(cls) -> Iterator[object]:
        return iter(cls.by_value.values())  # type: ignore[attr-defined]

    def __call__(cls, value: str) -> object:
        try:
            return cls.by_value[value]  # type: ignore[attr-defined]
        except KeyError:
            raise ValueError(f"{value!r} is not a {cls.__name__}") from None


class _StrEnum(str, metaclass=_Members):
    name: str
    value: str


class _Counter(dict):  # type: ignore[type-arg]
    """How often each value occurs."""

    def __init__(self, values: Iterable[object] = ()) -> None:
        for each in values:
            self[each] = self.get(each, 0) + 1


def _stored_table(package: str, name: str) -> object:
    """Return a table of the package, which is in the bundle as a value."""
    found = None if _bundled is None else _bundled(f"{package.replace('.', '/')}/{name}.json")
    if found is not None:
        return found
    from importlib import resources

    return loads(resources.files(package).joinpath(f"{name}.json").read_text(encoding="utf-8"))


def _compile(text: str, flags: int = 0) -> object:
    return pattern(text, flags, _PATTERNS)


def _real_re(name: str) -> object:
    """Return what the real module has by a name, which then takes the place of the stand-in."""
    if sys.modules.get("re") is _re:
        del sys.modules["re"]
        for each in [each for each in sys.modules if each.startswith("re.")]:
            del sys.modules[each]
    import re

    return getattr(re, name)


def _replacement(found: Any, template: str) -> Any:
    """Return what replaces matches, for `Pattern.sub`: plain text and single digits here, all else as `re` does it."""
    first, *rest = template.split("\\")
    if not all(each[:1].isdecimal() and each[:1].isascii() and not each[1:2].isdecimal() for each in rest):
        return _real_re("_subx")(found, template)  # type: ignore[operator]
    pieces = [(int(each[0]), each[1:]) for each in rest]
    if any(not 0 < number <= found.groups for number, _ in pieces):
        return _real_re("_subx")(found, template)  # type: ignore[operator]
    return lambda match: first + "".join(f"{match[number] or ''}{text}" for number, text in pieces)


_re: Any = type(sys)("re")
_re._subx, _re.__getattr__ = _replacement, _real_re  # noqa: SLF001 - `Pattern.sub` asks for it
if _bundled is not None:
    sys.modules.setdefault("re", _re)


def _datetime_names() -> dict[str, object]:
    from _datetime import datetime, timedelta, timezone  # type: ignore[import-not-found,unused-ignore]

    return {"datetime": datetime, "timedelta": timedelta, "timezone": timezone, "UTC": timezone.utc}


def _blake2b(*values: Any, **named: Any) -> object:
    from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]

    return blake2b(*values, **named)


NAMES: dict[str, object] = {
    "collections": _StandIn("collections", Counter=_Counter),
    "datetime": _StandIn("datetime", **_datetime_names()),
    "enum": _StandIn("enum", StrEnum=_StrEnum),
    "functools": _StandIn("functools", lru_cache=lru_cache, cache=_cache, cached_property=_CachedProperty),
    "hashlib": _StandIn("hashlib", blake2b=_blake2b),
    "re": _StandIn("re", compile=_compile, DOTALL=DOTALL, IGNORECASE=IGNORECASE, MULTILINE=MULTILINE),
    "typing": _StandIn(
        "typing",
        TYPE_CHECKING=False,
        Any=object,
        NamedTuple=_NamedTuple,
        Protocol=object,
        TypeAlias=object,
        cast=lambda _, value: value,
    ),
    "wisen.text.stored_tables": _StandIn("wisen.text.stored_tables", stored_table=_stored_table),
}
"""By name of the module that it stands in for."""


def open_sqlite() -> Any:
    """Load SQLite's module in C, which needs nothing of `functools` but this."""
    known = sys.modules.get("functools")
    if known is None:
        module = sys.modules["functools"] = type(sys)("functools")
        module.lru_cache = lru_cache  # type: ignore[attr-defined]
    try:
        import _sqlite3  # type: ignore[import-not-found,unused-ignore]
    finally:
        if known is None:
            del sys.modules["functools"]
    return _sqlite3
