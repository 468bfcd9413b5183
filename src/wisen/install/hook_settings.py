"""Adds our hooks to an agent's settings and removes them; other hooks stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wisen.edits import setting_values
from wisen.edits.dry_run import in_memory_desk
from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor, ValuePlan
from wisen.edits.settings_text import parse_settings
from wisen.errors import FileError, SettingsUnclear
from wisen.model.change import ValueEdit, content_digest
from wisen.model.hook import RewrittenFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from wisen.agents.hook_ports import Hooks
    from wisen.edits.edit_history import Desk, EditHistory
    from wisen.model.change import Change
    from wisen.model.hook import Hook


class StandingHooks(NamedTuple):
    """Hooks that we added to a settings file and have not removed."""

    path: str
    since: datetime


def settings_in(content: bytes | None, path: str) -> Any:
    """Parse a settings file. Raises: SettingsUnclear if it cannot be read."""
    try:
        return parse_settings((content or b"").decode(), setting_values.format_of(Path(path).name, content or b""))
    except UnicodeDecodeError:
        raise SettingsUnclear(f"{path} is not text in UTF-8; please fix it") from None
    except SettingsUnclear as error:
        raise SettingsUnclear(f"{path}: {error}") from error


def put_in(desk: Desk, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> RewrittenFile:
    """Make exactly these hooks of ours be in a settings file, or change nothing; if they are, nothing is written.

    Raises:
        SettingsUnclear: the settings cannot be parsed, or the change cannot be verified.
        FileError: the file cannot be read or written.
        UsageError: it is unclear what is left of earlier hooks of ours.
    """
    held = desk.files.read(path).content
    settings = settings_in(held, str(path))
    wanted = _belonging(wanted, settings)
    there, to_be = _standing(settings, agent), sorted(map(_written, wanted))
    if there == to_be:
        return RewrittenFile(str(path), held, held)
    for each in (in_memory_desk(desk), desk):  # what fails half-way must fail before anything was written
        extra = [one for one in there if one not in to_be or there.count(one) > 1]
        if not _take_some(each, path, agent, extra):
            _take(each, path, agent)
        left = _standing(settings_in(each.files.read(path).content, str(path)), agent)
        for hook in wanted:
            if _written(hook) not in left:
                saw = content_digest(each.files.read(path).content)
                keys = hook.keys if hook.keyed else (*hook.keys, "-")
                Editor(each).set_value(ValuePlan(str(path), keys, hook.value, _why(agent), saw))
    return RewrittenFile(str(path), held, desk.files.read(path).content)


def take_out(desk: Desk, path: Path, agent: Hooks) -> RewrittenFile:
    """Remove our hooks from a settings file: byte for byte if nobody touched it since, otherwise only ours.

    Raises: as `put_in`.
    """
    held = desk.files.read(path).content
    _take(in_memory_desk(desk), path, agent)
    _take(desk, path, agent)
    return RewrittenFile(str(path), held, desk.files.read(path).content)


def renew_in(desk: Desk, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> RewrittenFile | None:
    """Repair our hooks in a settings file that has some; if a person removed them, forget them.

    None if the file cannot be read now.
    """
    try:
        settings = settings_in(desk.files.read(path).content, str(path))
    except (SettingsUnclear, FileError):
        return None
    if any(each.is_ours for each in agent.parse(settings).callings):
        return put_in(desk, path, agent, wanted)
    return take_out(desk, path, agent)


def standing(known: EditHistory, agent: Hooks) -> tuple[StandingHooks, ...]:
    """Return the settings files to which hooks were added, and when."""
    found: dict[str, StandingHooks] = {}
    for change in _ours(known, agent):
        found.setdefault(change.path, StandingHooks(change.path, change.at))
    return tuple(found.values())


def _ours(known: EditHistory, agent: Hooks, file: str | None = None) -> Iterator[Change]:
    """Yield the open changes that added a hook of ours to a file, oldest first."""
    for change in known.open_changes(file):
        deed = change.deed
        if isinstance(deed, ValueEdit) and deed.new and _is_ours(agent, deed):
            yield change


def _is_ours(agent: Hooks, deed: ValueEdit) -> bool:
    """Whether the value that was set, or appended to a list, calls us or helps to."""
    settings: object = msgspec.json.decode(deed.new)
    if deed.appended:
        settings = [settings]
    for key in reversed(_place(deed)):
        settings = {key: settings}
    return any(each.is_ours for each in agent.parse(settings).callings)


def _place(deed: ValueEdit) -> tuple[str | int, ...]:
    """Return where a value is; for a list item, where the list is."""
    return deed.keys[:-1] if deed.appended else deed.keys


def _belonging(wanted: Sequence[Hook], settings: Any) -> list[Hook]:
    """Return the hooks that belong in these settings: some only if the user has a list for them."""
    return [each for each in wanted if not each.where_listed or isinstance(_found(settings, each.keys), list)]


def _standing(settings: Any, agent: Hooks) -> list[tuple[tuple[str | int, ...], bytes]]:
    """Return our hooks in settings: the list that each is in, or its own key, and its value."""
    ours = [each.keys for each in agent.parse(settings).callings if each.is_ours]
    return sorted((_list_or_key(keys), msgspec.json.encode(_at(settings, keys))) for keys in ours)


def _list_or_key(keys: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return keys[:-1] if isinstance(keys[-1], int) else keys


def _written(hook: Hook) -> tuple[tuple[str | int, ...], bytes]:
    return hook.keys, msgspec.json.encode(hook.value)


def _take_some(desk: Desk, path: Path, agent: Hooks, extra: Sequence[tuple[tuple[str | int, ...], bytes]]) -> bool:
    """Remove some of our hooks and leave the others untouched. Returns False if the ledger does not know them all."""
    known = {
        (_place(change.deed), msgspec.json.encode(msgspec.json.decode(change.deed.new))): change.id
        for change in _ours(edit_history(desk), agent, desk.files.real_path(path))
        if isinstance(change.deed, ValueEdit)
    }
    if not all(one in known for one in extra) or len(set(extra)) < len(extra):
        return False
    for one in extra:
        Editor(desk).undo(known[one])
    return True


def _take(desk: Desk, path: Path, agent: Hooks) -> None:
    for change in reversed(list(_ours(edit_history(desk), agent, desk.files.real_path(path)))):
        Editor(desk).undo(change.id)
    _take_strays(desk, path, agent)


def _take_strays(desk: Desk, path: Path, agent: Hooks) -> None:
    """Remove our hooks that the ledger does not know: from another home, or copied from another machine.

    Raises:
        SettingsUnclear: one of them is in a group with somebody else's.
    """
    settings = settings_in(desk.files.read(path).content, str(path))
    callings = agent.parse(settings).callings
    ours = {each.keys for each in callings if each.is_ours}
    for each in callings:
        if each.keys in ours and not each.is_ours:
            where = ".".join(map(str, each.keys))
            raise SettingsUnclear(f"{path}: {where} calls wisen and others. Remove our line from it, then try again.")
    for place in sorted(set(map(_list_or_key, ours))):
        listed = () if place in ours else _at(settings, place)
        left = [each for at, each in enumerate(listed) if (*place, at) not in ours]
        saw = content_digest(desk.files.read(path).content)
        Editor(desk).set_value(ValuePlan(str(path), place, left, _why(agent), saw, removes=not left))


def _at(settings: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        settings = settings[key]
    return settings


def _found(settings: Any, keys: Sequence[str]) -> Any:
    """Look up a value by its keys; None if there is none."""
    for key in keys:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def _why(agent: Hooks) -> str:
    return f"hooks of {agent.name}"
