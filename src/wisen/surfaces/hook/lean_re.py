"""Regular expressions without importing all of `re`: its compiler alone takes a third of the load time.

If this Python's compiler has another layout, the module itself is used.
"""

from __future__ import annotations

import sys
from _imp import source_hash  # type: ignore[import-not-found,unused-ignore]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

IGNORECASE, MULTILINE, DOTALL = 2, 8, 16
bundled = globals().get("__bundled__")
"""Returns a part of the bundle, if the client runs from one."""
_parts: dict[str, dict[bytes, bytes | tuple[int, int, bytes]]] = {}
"""The patterns in parts of the bundle, by their keys: what `_sre` needs to build them."""
_made: dict[tuple[str, int], re.Pattern[str]] = {}
_compilers: list[Callable[[str, int], re.Pattern[str]]] = []
"""The compiler in use, once it was found."""


def pattern(text: str, flags: int = 0, parts: tuple[str, ...] = ("patterns", "patterns table")) -> re.Pattern[str]:
    """Return a compiled pattern, cached on first use. `parts`: where in the bundle it may be precompiled."""
    key = text, flags
    if key not in _made:
        _made[key] = _precompiled(text, flags, parts) or _compile(text, flags)
    return _made[key]


def key_of(text: str, flags: int) -> bytes:
    """Return the key of a pattern in the bundle: all texts would take longer to load."""
    return source_hash(flags, text.encode("utf-8", "surrogatepass"))


def _precompiled(text: str, flags: int, parts: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern from the bundle; None if it is not there."""
    if bundled is None:
        return None
    key = key_of(text, flags)
    for part in parts:
        if part not in _parts:
            _parts[part] = bundled(part) or {}
        if key in _parts[part]:
            from _sre import compile as build  # type: ignore[import-not-found,unused-ignore]
            from marshal import loads

            found = _parts[part][key]
            values: Any = bundled(part, found) if isinstance(found, tuple) else loads(found)  # noqa: S302 - our own file
            if values is None or values[:2] != (text, flags):
                return None
            _, _, all_flags, code, groups, names, order = values
            made: re.Pattern[str] = build(text, all_flags, memoryview(code).cast("I").tolist(), groups, names, order)
            return made
    return None


def _compile(text: str, flags: int) -> re.Pattern[str]:
    if not _compilers:
        _compilers.append(_compiler())
    return _compilers[0](text, flags)


def _compiler() -> Callable[[str, int], re.Pattern[str]]:
    if "re" not in sys.modules:
        package = type(sys)("re")
        package.__path__ = [f"{getattr(sys, '_stdlib_dir', '')}/re"]
        sys.modules["re"] = package
        try:
            from re._compiler import compile as found  # type: ignore[import-not-found,unused-ignore]

            lean: Callable[[str, int], re.Pattern[str]] = found
            if lean("a(b)?", 0).match("ab"):
                return lean
        except Exception:  # noqa: BLE001 - whatever it is, the module itself does without us
            for name in [name for name in sys.modules if name.startswith("re.")]:
                del sys.modules[name]
        finally:
            del sys.modules["re"]
    import re

    return re.compile
