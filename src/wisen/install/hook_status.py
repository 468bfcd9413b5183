"""Inspects the hooks in agents' settings: which of ours are installed, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.agents.hook_ports import HasShippedFiles
from wisen.edits.edit_history import edit_history
from wisen.errors import FileError, SettingsUnclear
from wisen.install.companions import companions
from wisen.install.hook_settings import installed_hooks, parse_hook_settings
from wisen.model.hook import HookState, HookStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wisen.agents.hook_ports import HookHealthCheck, Hooks
    from wisen.edits.edit_history import EditPorts
    from wisen.install.hook_settings import InstalledHooks
    from wisen.model.hook import Caller, HookSettings
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Files


class HookInspection(Struct, frozen=True, kw_only=True):
    """What the inspection of hooks needs."""

    agents: Sequence[Hooks]
    hook_health_check: HookHealthCheck
    files: Files
    caller: Caller
    project: Path | None
    """Its settings count in addition to the user's."""
    edit_ports: Callable[[Ledger], EditPorts]


def hook_status(hooks: HookInspection, ledger: Ledger | None) -> tuple[HookStatus, ...]:
    """Return the hook status of each agent, from its settings and from what the ledger says was written to them."""
    history = edit_history(hooks.edit_ports(ledger)) if ledger is not None else None
    return tuple(
        _agent_status(hooks, agent, installed_hooks(history, agent) if history else ()) for agent in hooks.agents
    )


def _agent_status(hooks: HookInspection, agent: Hooks, installed: Sequence[InstalledHooks]) -> HookStatus:
    faults: list[str] = []
    read: dict[str, HookSettings] = {}
    untrusted: list[str] = []
    for path in dict.fromkeys((*map(str, agent.files(hooks.project)), *(each.path for each in installed))):
        try:
            settings = parse_hook_settings(hooks.files.read(Path(path)).content, path)
        except (FileError, SettingsUnclear) as error:
            faults += [str(error)] if path in {each.path for each in installed} else []
            continue
        read[path] = agent.parse(settings)
        if any(each.is_ours for each in read[path].callings):
            faults += filter(None, [_describe_rejection(hooks, agent, path)])
        untrusted += agent.untrusted_events(Path(path), settings)
    own_callings = {path: [each for each in settings.callings if each.is_ours] for path, settings in read.items()}
    faults += [
        f"the hooks are gone from {each.path}"
        for each in installed
        if each.path in read and not own_callings[each.path]
    ]
    wanted = {each.event for each in agent.required_hooks(hooks.caller) if not each.where_listed}
    for path, ours in own_callings.items():
        missing = sorted(wanted - {each.event for each in ours})
        faults += [f"some hooks are missing in {path}: {', '.join(missing)}"] if ours and missing else []
    files = dict.fromkeys((*(each.path for each in installed), *(path for path, ours in own_callings.items() if ours)))
    files_with_hooks = [Path(path) for path, ours in own_callings.items() if ours]
    faults += (fault for path in files_with_hooks for fault in _companion_faults(hooks, agent, path))
    callers = dict.fromkeys(each.caller for ours in own_callings.values() for each in ours if each.caller)
    faults += filter(None, map(hooks.hook_health_check.find_fault, callers))
    if files_with_hooks and isinstance(agent, HasShippedFiles):
        faults += _shipped_file_faults(hooks, agent)
    if files:
        faults += [f"{path} disables all hooks" for path, settings in read.items() if settings.switched_off]
    healthy_state = HookState.UNTRUSTED if untrusted else HookState.INSTALLED
    state = HookState.NOT_INSTALLED if not files else HookState.BROKEN if faults else healthy_state
    return HookStatus(
        agent=agent.name,
        state=state,
        files=tuple(files),
        faults=tuple(faults),
        untrusted=tuple(dict.fromkeys(untrusted)),
        trusting=agent.trust_instructions if untrusted else "",
        others=tuple(each for settings in read.values() for each in settings.callings if not each.is_ours),
        since=min((each.since for each in installed), default=None),
        newest_session=max(filter(None, map(agent.newest_session, files_with_hooks)), default=None),
    )


def _describe_rejection(hooks: HookInspection, agent: Hooks, path: str) -> str:
    """Return why an agent does not load settings that contain our hooks; empty if it does."""
    reason = agent.rejection_reason(Path(path), hooks.files.read(Path(path)).content or b"")
    return f"{path}: {reason}" if reason else ""


def _companion_faults(hooks: HookInspection, agent: Hooks, settings: Path) -> Iterator[str]:
    """Yield what is wrong with the files of ours that must be next to the settings."""
    for path, content in companions(agent, settings).items():
        try:
            if hooks.files.read(path).content != content:
                yield f"{path} is missing, or not from this version of wisen"
        except FileError as error:
            yield str(error)


def _shipped_file_faults(hooks: HookInspection, agent: HasShippedFiles) -> list[str]:
    """Return what is wrong with the files that the agent loads from our home."""
    faults = []
    for path, content in agent.shipped_files(hooks.caller).items():
        try:
            current = hooks.files.read(path).content
        except FileError as error:
            faults.append(str(error))
            continue
        if current != content:
            faults.append(f"{path} is gone" if current is None else f"{path} is not from this version of wisen")
    return faults
