"""Puts hooks of ours into an agent's settings and takes them out, by the one door; other people's stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wisen.domain.changes import Value, digest
from wisen.domain.hooks import Rewritten
from wisen.errors import FileError, SettingsUnclear
from wisen.loop.apply import values
from wisen.loop.apply.draft import drafted
from wisen.loop.apply.edit import Editor, ValuePlan
from wisen.loop.apply.past import past
from wisen.loop.apply.settings_text import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from wisen.domain.changes import Change
    from wisen.domain.hooks import Hook
    from wisen.loop.apply.past import Desk, Past
    from wisen.ports import Hooks


class Standing(NamedTuple):
    """Hooks that were put into a settings file and not taken out again by us."""

    path: str
    since: datetime


def settings_in(content: bytes | None, path: str) -> Any:
    """What a settings file says. Raises: SettingsUnclear where it cannot be read."""
    try:
        return parsed((content or b"").decode(), values.format_of(Path(path).name, content or b""))
    except UnicodeDecodeError:
        raise SettingsUnclear(f"{path} is not text in UTF-8; please mend it") from None
    except SettingsUnclear as error:
        raise SettingsUnclear(f"{path}: {error}") from error


def put_in(desk: Desk, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> Rewritten:
    """Have exactly these hooks of ours stand in a settings file, or change nothing; where they do, nothing is written.

    Raises:
        SettingsUnclear: the settings cannot be read, or the change cannot be proven right.
        FileError: the file cannot be read or written.
        UsageError: what is left of earlier hooks of ours cannot be told.
    """
    held = desk.files.read(path).content
    there, to_be = _standing(settings_in(held, str(path)), agent), sorted(map(_written, wanted))
    if there == to_be:
        return Rewritten(str(path), held, held)
    for each in (drafted(desk), desk):  # what is refused half-way must be refused before anything was written
        extra = [one for one in there if one not in to_be or there.count(one) > 1]
        if not _take_some(each, path, agent, extra):
            _take(each, path, agent)
        left = _standing(settings_in(each.files.read(path).content, str(path)), agent)
        for hook in wanted:
            if _written(hook) not in left:
                saw = digest(each.files.read(path).content)
                Editor(each).set(ValuePlan(str(path), (*hook.keys, "-"), hook.value, _why(agent), saw))
    return Rewritten(str(path), held, desk.files.read(path).content)


def take_out(desk: Desk, path: Path, agent: Hooks) -> Rewritten:
    """Take our hooks out of a settings file: exactly, where nobody touched it since, else only ours.

    Raises: as `put_in`.
    """
    held = desk.files.read(path).content
    _take(drafted(desk), path, agent)
    _take(desk, path, agent)
    return Rewritten(str(path), held, desk.files.read(path).content)


def renew_in(desk: Desk, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> Rewritten | None:
    """Repair our hooks in a settings file that holds some; where a person took them out, forget them.

    None where the file cannot be read just now.
    """
    try:
        settings = settings_in(desk.files.read(path).content, str(path))
    except (SettingsUnclear, FileError):
        return None
    if any(each.caller is not None for each in agent.read(settings).callings):
        return put_in(desk, path, agent, wanted)
    return take_out(desk, path, agent)


def stands(desk: Desk, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> bool:
    """Whether all these hooks stand in a settings file, and no others of ours for the same events."""
    there = _standing(settings_in(desk.files.read(path).content, str(path)), agent)
    lists = {hook.keys for hook in wanted}
    return sorted(each for each in there if each[0] in lists) == sorted(map(_written, wanted))


def standing(known: Past, agent: Hooks) -> tuple[Standing, ...]:
    """The settings files into which hooks were put, and since when."""
    found: dict[str, Standing] = {}
    for change in _ours(known, agent):
        found.setdefault(change.path, Standing(change.path, change.at))
    return tuple(found.values())


def _ours(known: Past, agent: Hooks, file: str | None = None) -> Iterator[Change]:
    """The open changes that put a hook of ours into a file, oldest first."""
    for change in known.open(file):
        deed = change.deed
        if isinstance(deed, Value) and deed.appended and _is_ours(agent, deed.keys, msgspec.json.decode(deed.new)):
            yield change


def _is_ours(agent: Hooks, keys: Sequence[str | int], group: object) -> bool:
    """Whether what was appended to a list calls us."""
    settings: object = [group]
    for key in reversed(keys[:-1]):
        settings = {key: settings}
    return any(each.caller is not None for each in agent.read(settings).callings)


def _standing(settings: Any, agent: Hooks) -> list[tuple[tuple[str | int, ...], bytes]]:
    """The hooks of ours in settings: the list that each stands in, and what it says."""
    ours = [each.keys for each in agent.read(settings).callings if each.caller is not None]
    return sorted((keys[:-1], msgspec.json.encode(_at(settings, keys))) for keys in ours)


def _written(hook: Hook) -> tuple[tuple[str | int, ...], bytes]:
    return hook.keys, msgspec.json.encode(hook.value)


def _take_some(desk: Desk, path: Path, agent: Hooks, extra: Sequence[tuple[tuple[str | int, ...], bytes]]) -> bool:
    """Take out some of our hooks and leave the others untouched; whether the ledger knows each of them exactly."""
    known = {
        (change.deed.keys[:-1], msgspec.json.encode(msgspec.json.decode(change.deed.new))): change.id
        for change in _ours(past(desk), agent, desk.files.real(path))
        if isinstance(change.deed, Value)
    }
    if not all(one in known for one in extra) or len(set(extra)) < len(extra):
        return False
    for one in extra:
        Editor(desk).undo(known[one])
    return True


def _take(desk: Desk, path: Path, agent: Hooks) -> None:
    for change in reversed(list(_ours(past(desk), agent, desk.files.real(path)))):
        Editor(desk).undo(change.id)
    _take_strays(desk, path, agent)


def _take_strays(desk: Desk, path: Path, agent: Hooks) -> None:
    """Take out hooks of ours that the ledger does not know: of another home, or copied from another machine.

    Raises:
        SettingsUnclear: one of them stands in a group with somebody else's.
    """
    settings = settings_in(desk.files.read(path).content, str(path))
    callings = agent.read(settings).callings
    ours = {each.keys for each in callings if each.caller is not None}
    for each in callings:
        if each.keys in ours and each.caller is None:
            where = ".".join(map(str, each.keys))
            raise SettingsUnclear(f"{path}: {where} calls wisen and others. Take our line out of it, then try again.")
    for list_ in sorted({keys[:-1] for keys in ours}):
        left = [each for at, each in enumerate(_at(settings, list_)) if (*list_, at) not in ours]
        saw = digest(desk.files.read(path).content)
        Editor(desk).set(ValuePlan(str(path), list_, left, _why(agent), saw, removes=not left))


def _at(settings: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        settings = settings[key]
    return settings


def _why(agent: Hooks) -> str:
    return f"hooks of {agent.name}"
