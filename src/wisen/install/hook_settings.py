"""Adds our hooks to an agent's settings and removes them; other hooks stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wisen.edits import setting_values
from wisen.edits.dry_run import in_memory_ports
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
    from wisen.edits.edit_history import EditHistory, EditPorts
    from wisen.model.change import Change
    from wisen.model.hook import Hook


class InstalledHooks(NamedTuple):
    """Hooks that we added to a settings file and have not removed."""

    path: str
    since: datetime


def parse_hook_settings(content: bytes | None, path: str) -> Any:
    """Parse a settings file. Raises: SettingsUnclear if it cannot be read."""
    try:
        return parse_settings((content or b"").decode(), setting_values.format_of(Path(path).name, content or b""))
    except UnicodeDecodeError:
        raise SettingsUnclear(f"{path} is not text in UTF-8; please fix it") from None
    except SettingsUnclear as error:
        raise SettingsUnclear(f"{path}: {error}") from error


def install_hooks(edit_ports: EditPorts, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> RewrittenFile:
    """Make exactly these hooks of ours be in a settings file, or change nothing; if they are, nothing is written.

    Raises:
        SettingsUnclear: the settings cannot be parsed, or the change cannot be verified.
        FileError: the file cannot be read or written.
        UsageError: it is unclear what is left of earlier hooks of ours.
    """
    old_content = edit_ports.files.read(path).content
    settings = parse_hook_settings(old_content, str(path))
    wanted = applicable_hooks(wanted, settings)
    current, expected = current_hooks(settings, agent), sorted(map(hook_value, wanted))
    if current == expected:
        return RewrittenFile(str(path), old_content, old_content)
    for each in (in_memory_ports(edit_ports), edit_ports):  # what fails half-way must fail before anything was written
        extra = [one for one in current if one not in expected or current.count(one) > 1]
        if not _remove_some(each, path, agent, extra):
            _remove_all(each, path, agent)
        remaining = current_hooks(parse_hook_settings(each.files.read(path).content, str(path)), agent)
        for hook in wanted:
            if hook_value(hook) not in remaining:
                seen_digest = content_digest(each.files.read(path).content)
                keys = hook.keys if hook.keyed else (*hook.keys, "-")
                Editor(each).set_value(ValuePlan(str(path), keys, hook.value, _reason(agent), seen_digest))
    return RewrittenFile(str(path), old_content, edit_ports.files.read(path).content)


def remove_hooks(edit_ports: EditPorts, path: Path, agent: Hooks) -> RewrittenFile:
    """Remove our hooks from a settings file: byte for byte if nobody touched it since, otherwise only ours.

    Raises: as `install_hooks`.
    """
    old_content = edit_ports.files.read(path).content
    _remove_all(in_memory_ports(edit_ports), path, agent)
    _remove_all(edit_ports, path, agent)
    return RewrittenFile(str(path), old_content, edit_ports.files.read(path).content)


def repair_hooks(edit_ports: EditPorts, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> RewrittenFile | None:
    """Repair our hooks in a settings file that has some; if a person removed them, forget them.

    None if the file cannot be read now.
    """
    try:
        settings = parse_hook_settings(edit_ports.files.read(path).content, str(path))
    except (SettingsUnclear, FileError):
        return None
    if any(each.is_ours for each in agent.parse(settings).callings):
        return install_hooks(edit_ports, path, agent, wanted)
    return remove_hooks(edit_ports, path, agent)


def installed_hooks(history: EditHistory, agent: Hooks) -> tuple[InstalledHooks, ...]:
    """Return the settings files to which hooks were added, and when."""
    hooks: dict[str, InstalledHooks] = {}
    for change in _hook_changes(history, agent):
        hooks.setdefault(change.path, InstalledHooks(change.path, change.at))
    return tuple(hooks.values())


def _hook_changes(history: EditHistory, agent: Hooks, file: str | None = None) -> Iterator[Change]:
    """Yield the open changes that added a hook of ours to a file, oldest first."""
    for change in history.open_changes(file):
        operation = change.operation
        if isinstance(operation, ValueEdit) and operation.new and _is_own_hook(agent, operation):
            yield change


def _is_own_hook(agent: Hooks, operation: ValueEdit) -> bool:
    """Whether the value that was set, or appended to a list, calls us or helps to."""
    settings: object = msgspec.json.decode(operation.new)
    if operation.appended:
        settings = [settings]
    for key in reversed(_container_keys(operation)):
        settings = {key: settings}
    return any(each.is_ours for each in agent.parse(settings).callings)


def _container_keys(operation: ValueEdit) -> tuple[str | int, ...]:
    """Return where a value is; for a list item, where the list is."""
    return operation.keys[:-1] if operation.appended else operation.keys


def applicable_hooks(wanted: Sequence[Hook], settings: Any) -> list[Hook]:
    """Return the hooks that belong in these settings: some only if the user has a list for them."""
    return [each for each in wanted if not each.where_listed or isinstance(_lookup_or_none(settings, each.keys), list)]


def current_hooks(settings: Any, agent: Hooks) -> list[tuple[tuple[str | int, ...], bytes]]:
    """Return our hooks in settings: the list that each is in, or its own key, and its value."""
    ours = [each.keys for each in agent.parse(settings).callings if each.is_ours]
    return sorted((_list_or_key(keys), msgspec.json.encode(_lookup(settings, keys))) for keys in ours)


def _list_or_key(keys: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return keys[:-1] if isinstance(keys[-1], int) else keys


def hook_value(hook: Hook) -> tuple[tuple[str | int, ...], bytes]:
    """Return where a hook belongs in settings, and its value as JSON."""
    return hook.keys, msgspec.json.encode(hook.value)


def _remove_some(
    edit_ports: EditPorts, path: Path, agent: Hooks, extra: Sequence[tuple[tuple[str | int, ...], bytes]]
) -> bool:
    """Remove some of our hooks and leave the others untouched. Returns False if the ledger does not know them all."""
    known = {
        (_container_keys(change.operation), msgspec.json.encode(msgspec.json.decode(change.operation.new))): change.id
        for change in _hook_changes(edit_history(edit_ports), agent, edit_ports.files.real_path(path))
        if isinstance(change.operation, ValueEdit)
    }
    if not all(one in known for one in extra) or len(set(extra)) < len(extra):
        return False
    for one in extra:
        Editor(edit_ports).undo(known[one])
    return True


def _remove_all(edit_ports: EditPorts, path: Path, agent: Hooks) -> None:
    for change in reversed(list(_hook_changes(edit_history(edit_ports), agent, edit_ports.files.real_path(path)))):
        Editor(edit_ports).undo(change.id)
    _remove_strays(edit_ports, path, agent)


def _remove_strays(edit_ports: EditPorts, path: Path, agent: Hooks) -> None:
    """Remove our hooks that the ledger does not know: from another home, or copied from another machine.

    Raises:
        SettingsUnclear: one of them is in a group with somebody else's.
    """
    settings = parse_hook_settings(edit_ports.files.read(path).content, str(path))
    callings = agent.parse(settings).callings
    ours = {each.keys for each in callings if each.is_ours}
    for each in callings:
        if each.keys in ours and not each.is_ours:
            key_path = ".".join(map(str, each.keys))
            raise SettingsUnclear(
                f"{path}: {key_path} calls wisen and others. Remove our line from it, then try again."
            )
    for place in sorted(set(map(_list_or_key, ours))):
        listed = () if place in ours else _lookup(settings, place)
        remaining = [each for at, each in enumerate(listed) if (*place, at) not in ours]
        seen_digest = content_digest(edit_ports.files.read(path).content)
        Editor(edit_ports).set_value(
            ValuePlan(str(path), place, remaining, _reason(agent), seen_digest, removes=not remaining)
        )


def _lookup(settings: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        settings = settings[key]
    return settings


def _lookup_or_none(settings: Any, keys: Sequence[str]) -> Any:
    """Look up a value by its keys; None if there is none."""
    for key in keys:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def _reason(agent: Hooks) -> str:
    return f"hooks of {agent.name}"
