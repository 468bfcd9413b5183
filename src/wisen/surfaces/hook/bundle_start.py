"""Runs the client's modules from the bundle: precompiled, no path is searched and nothing unneeded is read.

`delivery/hook_bundle.py` writes the bundle: this code as a .pyc file, which an interpreter of another version rejects,
and the parts beside it. A module whose source changed since is compiled from its source, and if the first one did, the
client runs as usual: what is answered is always what the sources say.
"""

import _signal  # type: ignore[import-not-found,unused-ignore]  # the part in C: `signal` makes enums first
import builtins
import posix
import sys
from _imp import create_builtin, create_dynamic, exec_builtin, exec_dynamic, source_hash  # type: ignore[import-not-found,unused-ignore]
from marshal import loads
from posix import _exit  # type: ignore[attr-defined,unused-ignore]

HASH_KEY = 51902
"""As in `delivery/hook_bundle.py`."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

# The builder replaces these constants.
VERSION = "@version@"
"""The interpreter that it was built for."""
INDEX: dict[str, tuple[int, int, bytes, int, int]] = "@index@"  # type: ignore[assignment]
"""By name of a part: where it is in the bundle, its length and hash, and the size and time of its source, 0 if none."""
LIBRARY: dict[str, str] = "@library@"  # type: ignore[assignment]
"""The paths of modules of the standard library that are written in C."""
_client = "@client@"
_FIRST = "wisen.surfaces.hook.event_answers"
_SECONDS = 2.0
"""After these the system ends a client that hangs, wherever it is; its own limits are in `hook_output.py`."""
_package = _client.rsplit("/", 3)[0]
_builtins = dict(vars(builtins))
_import = _builtins["__import__"]
_QUICK = ("wisen.surfaces.hook", "wisen.kernel")
"""Other packages are loaded to recall only, with `lean_library.py` in place of parts of the standard library."""
_modules: dict[str, "ModuleType"] = {}
_handles: list[int] = []
_Module = type(sys)
_BUILT_IN = sys.builtin_module_names


def bundled(name: str, place: tuple[int, int, bytes] | None = None) -> object:
    """Return the value of a part of the bundle; None if there is none, it is damaged, or its source changed.

    `place`: where it is, if it is not in the index.
    """
    if place is None and name not in INDEX:
        return None
    start, length, digest, size, changed = (*place, 0, 0) if place else INDEX[name]
    if size:
        status = posix.stat(_path(name))
        if status.st_size != size or status.st_mtime_ns != changed:
            return None
    try:
        if not _handles:
            _handles.append(posix.open(f"{sys.argv[0][:-3]}parts", posix.O_RDONLY | posix.O_CLOEXEC))
        found = posix.pread(_handles[0], length, start)
    except OSError:
        return None
    return loads(found) if source_hash(HASH_KEY, found) == digest else None  # noqa: S302 - our own file


def _path(name: str) -> str:
    return f"{_package}{name[5:]}" if "/" in name else f"{_package}{name[5:].replace('.', '/')}.py"


def _compiled(name: str) -> "CodeType":
    with open(_path(name), "rb") as file:
        return compile(file.read(), file.name, "exec", dont_inherit=True)


def _load(name: str, code: object = None) -> "ModuleType":
    module = _modules.get(name)
    if module is None:
        module = _Module(name)
        values = module.__dict__
        values["__package__"], values["__file__"] = name.rpartition(".")[0], _path(name)
        values["__builtins__"], values["__bundled__"] = _builtins, bundled
        exec(code or bundled(name) or _compiled(name), values)  # type: ignore[arg-type]  # noqa: S102 - our own modules
        _modules[name] = module
    return module


def _import_name(name, values=None, inner=None, names=(), level=0):  # type: ignore[no-untyped-def]
    """Import like `__import__`, our own modules from the bundle."""
    if level:
        return _load(f"{values['__package__']}.{name}")
    if name == "__future__":
        return _Future
    if name in LIBRARY or (name in _BUILT_IN and name not in sys.modules):
        return _library(name)
    if values is not None and values.get("__package__") not in _QUICK:
        if name == "wisen.store.sqlite":
            return _load("wisen.surfaces.hook.lean_sqlite")
        found = _load("wisen.surfaces.hook.lean_library").NAMES.get(name)
        if found is not None:
            return found
    return _load(name) if names and name in INDEX else _import(name, values, inner, names, level)


def _library(name: str) -> "ModuleType":
    """Load a module of the standard library that is written in C: where it is is known."""
    if name in sys.modules:
        return sys.modules[name]
    try:
        _Spec.name, _Spec.origin = name, LIBRARY.get(name, "built-in")
        module: ModuleType = create_dynamic(_Spec) if name in LIBRARY else create_builtin(_Spec)  # type: ignore[arg-type,unused-ignore]  # it has the names that are read
        exec_dynamic(module) if name in LIBRARY else exec_builtin(module)
    except (ImportError, OSError):
        return _import(name)  # type: ignore[no-any-return]
    sys.modules[name] = module
    return module


class _Spec:
    name = origin = ""


class _Future:
    annotations = None


_builtins["__import__"] = _import_name


def _run() -> None:
    try:
        for each in (_signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL):
            _signal.setitimer(each, _SECONDS)
        _library("gc").disable()  # it would only look through what is needed until the end
        first = bundled(_FIRST) if sys.version == VERSION else None
        if first is None:
            sys.path.append(_client.rsplit("/", 2)[0])
            from hook.event_answers import run  # type: ignore[import-not-found,unused-ignore]
        else:
            run = _load(_FIRST, first).run
        run(sys.argv[1:])
    except BaseException:  # noqa: BLE001 - the agent's turn comes first
        _exit(0)
    _exit(0)


if __name__ == "__main__":
    _run()
