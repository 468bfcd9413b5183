"""What is known about each skill: whether it is in use, edited, proposed, retired or removed, and whose it is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import UsageError
from wisen.model.change import ChangeFate, FileEdit
from wisen.model.entry import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.edits.edit_history import EditHistory
    from wisen.model.change import Change
    from wisen.model.entry_state import ProposalState
    from wisen.skills.found_skills import FoundSkill


class SkillStatus(StrEnum):
    """What became of a skill."""

    IN_USE = "in use"
    EDITED = "edited"
    """You edited what we wrote; your edits stay."""
    OTHER = "not ours"
    """Somebody else wrote it; agents load it all the same."""
    PROPOSED = "proposed"
    RETIRED = "retired"
    REMOVED = "removed"
    """You removed it."""


class SkillState(NamedTuple):
    """A skill, on disk or not."""

    name: str
    status: SkillStatus
    path: str
    context: str
    description: str
    workflow: str
    """The id of the workflow that it was made from; empty if somebody else made it."""
    agents: tuple[str, ...] = ()
    proposal: str = ""
    """The id of the proposal that waits about it."""
    uses: int = 0
    """In how many sessions an agent loaded it, as far as logs show that."""


def skill_states(
    found: Iterable[FoundSkill], proposals: Sequence[ProposalState], history: EditHistory
) -> tuple[SkillState, ...]:
    """Return every skill: those on disk, and those that are proposed, retired or removed; sorted by name."""
    waiting = {each.proposal.entry: each.proposal for each in proposals if each.is_waiting}
    edits = _file_edits(history)
    states: dict[str, SkillState] = {}
    for each in found:
        asked = waiting.get(each.workflow) or next((one for one in waiting.values() if one.path == each.path), None)
        states[each.path] = SkillState(
            Path(each.path).parent.name,
            _status_on_disk(each, edits.get(each.path), history),
            each.path,
            each.context,
            each.skill.description,
            each.workflow,
            each.agents,
            asked.id if asked is not None else "",
        )
    for state in proposals:
        asked = state.proposal
        status = _status_without_file(state, edits.get(asked.path))
        if asked.path not in states and status is not None:
            name = Path(asked.path).parent.name
            waits = asked.id if state.is_waiting else ""
            states[asked.path] = SkillState(
                name, status, asked.path, asked.context, asked.text, asked.entry, proposal=waits
            )
    return tuple(sorted(states.values(), key=lambda each: (each.name, each.path)))


def find_state(name: str, states: Iterable[SkillState]) -> SkillState:
    """Return a skill by its name, the beginning of its name, or its path. Raises: UsageError."""
    every = tuple(states)
    matches = [each for each in every if name in (each.name, each.path)]
    matches = matches or [each for each in every if name and each.name.startswith(name)]
    if len(matches) != 1:
        places = f": {', '.join(each.path for each in matches)}" if matches else ""
        problem = f"{len(matches)} skills are called" if matches else "No skill is called"
        raise UsageError(f"{problem} {name!r}{places}. List them with: wisen skills")
    return matches[0]


def retiring_change(path: str, history: EditHistory) -> Change | None:
    """Return the change that deleted a skill, if it is still deleted by it."""
    last = _file_edits(history).get(path)
    return last if last is not None and _deletes(last) else None


def _file_edits(history: EditHistory) -> dict[str, Change]:
    """Return the last open change of each whole file, by path."""
    return {each.path: each for each in history.open_changes() if isinstance(each.operation, FileEdit)}


def _deletes(change: Change) -> bool:
    return isinstance(change.operation, FileEdit) and change.operation.new is None


def _status_on_disk(found: FoundSkill, last: Change | None, history: EditHistory) -> SkillStatus:
    if last is None or _deletes(last):
        return SkillStatus.OTHER
    is_edited = found.content_digest != last.after or history.fates[last.id] is ChangeFate.REWORDED
    return SkillStatus.EDITED if is_edited else SkillStatus.IN_USE


def _status_without_file(state: ProposalState, last: Change | None) -> SkillStatus | None:
    """Return the status of a skill that is not on disk; None if it never was and nobody is asked about it."""
    if state.is_waiting:
        return SkillStatus.PROPOSED
    if state.answer is not Answer.APPROVED or last is None:
        return None
    return SkillStatus.RETIRED if _deletes(last) else SkillStatus.REMOVED
