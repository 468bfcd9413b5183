"""Regular expressions without importing all of `re`: its compiler alone takes a third of the load time.

If this Python's compiler has another layout, the module itself is used.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

IGNORECASE, MULTILINE, DOTALL = 2, 8, 16
_made: dict[tuple[str, int], re.Pattern[str]] = {}
_compilers: list[Callable[[str, int], re.Pattern[str]]] = []
"""The compiler in use, once it was found."""


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled pattern, cached on first use."""
    key = text, flags
    if key not in _made:
        _made[key] = _compile(text, flags)
    return _made[key]


def _compile(text: str, flags: int) -> re.Pattern[str]:
    if not _compilers:
        _compilers.append(_compiler())
    return _compilers[0](text, flags)


def _compiler() -> Callable[[str, int], re.Pattern[str]]:
    if "re" not in sys.modules:
        package = type(sys)("re")
        package.__path__ = [os.path.join(os.path.dirname(os.__file__), "re")]
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
