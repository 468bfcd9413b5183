"""The skill service: proposes skills from workflows, writes approved ones, and lists, retires and restores them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.decisions.proposal_kinds import Answered, already_answered
from wisen.decisions.service import answer_command
from wisen.errors import FileError, UsageError
from wisen.model.entry import Actor, Answer, MoveKind
from wisen.model.entry_state import fold_proposal_states
from wisen.model.reinforcement import last_praises, skill_subject
from wisen.skills.skill_proposals import last_about, skill_proposals, written_content
from wisen.skills.skill_states import SkillStatus, find_state, retiring_change, skill_states
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.agents.agent_ports import Agent
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.edits.permission import Permission
    from wisen.logs.projects import Projects
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import ProposalState
    from wisen.model.workflow import Workflow
    from wisen.skills.found_skills import FoundSkill
    from wisen.skills.settings import SkillsSettings
    from wisen.skills.skill_drafts import SkillDraft, SkillSetting, SkillSources
    from wisen.skills.skill_states import SkillState
    from wisen.store.home import Home


class MadeSkill(NamedTuple):
    """A skill that was drafted, and the proposal that waits about it."""

    draft: SkillDraft
    proposal: Proposal | None
    """None if the skill says all of it already."""
    before: str
    """The file as it is."""
    after: str
    """The file as it would be."""


class SkillService:
    """Skills: folders that agents load by themselves. A person decides about every one of them."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        edit_ports: EditPorts,
        decisions: Decisions,
        *,
        sources: SkillSources,
        agents: Callable[[], Sequence[Agent]],
        undo: Callable[[str, bool], object],
        settings: SkillsSettings,
        user_home: Path,
        expires_days: int,
    ) -> None:
        """Create the service.

        `agents`: the enabled ones. `undo`: undoes the decision with a change, by its id; or only reports, in a dry run.
        `expires_days`: how long a proposal waits for an answer.
        """
        self._home, self._projects, self._edit_ports, self._decisions = home, projects, edit_ports, decisions
        self._sources, self._agents, self._undo, self._settings = sources, agents, undo, settings
        self._user_home, self._expires_days = user_home, expires_days

    def all(self, context: str | None = None, *, with_uses: bool = False) -> tuple[SkillState, ...]:
        """Return every skill, or those of one project and of all: ours, the user's own and other people's."""
        from wisen.edits.edit_history import edit_history
        from wisen.skills.skill_uses import count_uses

        states = skill_states(self.find(context), self._proposals(), edit_history(self._edit_ports))
        shown = [each for each in states if context is None or each.context in ("", context)]
        uses = count_uses(self._home.index.sessions, {each.name for each in shown}) if with_uses else {}
        return tuple(each._replace(uses=uses.get(each.name, 0)) for each in shown)

    def get(self, name: str) -> SkillState:
        """Return a skill by its name or path. Raises: UsageError."""
        return find_state(name, self.all(with_uses=True))

    def text(self, state: SkillState) -> str:
        """Return the text of a skill on disk, or of the one that is proposed. Raises: FileError."""
        content = self._edit_ports.files.read(Path(state.path)).content
        if content is not None:
            return content.decode("utf-8", "replace")
        asked = next((each.proposal for each in reversed(self._proposals()) if each.proposal.path == state.path), None)
        return asked.content if asked is not None else ""

    def find(self, context: str | None = None) -> tuple[FoundSkill, ...]:
        """Return the skills on disk that agents load, in one project or in all, and those that apply everywhere."""
        from wisen.skills.found_skills import find_skills

        places = [each for each in self._places() if context in (None, each[1])]
        return find_skills(self._agents(), places)

    @one_writer("skill")
    def make(self, goal: str, context: str, *, dry_run: bool = False) -> MadeSkill:
        """Draft the skill of a workflow, by its id or goal, and propose it: whatever it is, it waits for a person.

        Raises:
            UsageError: there is no such workflow, or its runs must not teach.
        """
        from wisen.skills.skill_drafts import draft_skill, find_workflow

        workflows = self._sources.workflows(context)
        draft = draft_skill(find_workflow(goal, workflows), self._sources, self._setting(context, workflows))
        before, after = self._merged(draft.path, draft.workflow.id, draft.content)
        proposal = None
        if before != after:
            proposal = self._propose_draft(draft, "you asked for it", is_requested=True, dry_run=dry_run)
        return MadeSkill(draft, proposal, before, after)

    def diff(self, name: str) -> MadeSkill:
        """Return what today's runs would change in a skill of ours. Raises: UsageError."""
        state = self._own(name)
        return self.make(state.workflow, state.context, dry_run=True)

    def differences(self, context: str) -> tuple[MadeSkill, ...]:
        """Return the same for all skills of ours in a project whose workflow is still known."""
        known = {each.id for each in self._sources.workflows(context)}
        on_disk = (SkillStatus.IN_USE, SkillStatus.EDITED)
        return tuple(
            self.make(each.workflow, context, dry_run=True)
            for each in self.all(context)
            if each.status in on_disk and each.workflow in known
        )

    def propose(self) -> int:
        """Propose the skills that are worth it, and the end of unused ones. Return by how many open proposals grew."""
        from wisen.skills.gates import check_gates
        from wisen.skills.skill_drafts import draft_skill

        closed = self._close_expired()
        proposed = 0
        everything = sorted(each.key for each in self._home.ledger.contexts.all())
        changed = self._sources.changed()
        for context in everything if changed is None else changed:
            workflows = self._sources.workflows(context)
            gates = [(each, check_gates(each, self._sources.runs_of(each), self._settings)) for each in workflows]
            ready = [(each, gate) for each, gate in gates if gate.is_open]
            where = self._setting(context, workflows) if ready else None
            for workflow, gate in ready:
                assert where is not None
                try:
                    draft = draft_skill(workflow, self._sources, where)
                except UsageError:
                    continue  # its runs must not teach; whoever asks for it is told why
                is_new = last_about(workflow.id, self._proposals()) is None
                if self._has_room() and self._propose_draft(draft, gate.why) is not None:
                    proposed += is_new or draft.existing is not None
            proposed += self._propose_retiring(workflows)
        return proposed - closed

    def permission_for(self, each: ProposalState) -> Permission:
        """Return ASK: a person decides about every skill, in every profile."""
        from wisen.edits.permission import Permission

        return Permission.ASK

    def answer(
        self,
        each: ProposalState,
        given: Answer,
        *,
        text: str | None = None,
        to: str | None = None,
        dry_run: bool = False,
        by: Actor = Actor.USER,
    ) -> Answered:
        """Apply the user's answer: an approved skill is written, and what they edited in it stays.

        `text`: a description in the user's own words, or a whole SKILL.md. `to`: the agent that is to load it.

        Raises:
            UsageError: it was answered already, or the text or agent is none.
            PersonNeeded: nothing shows that a person gives the answer.
            FileError: the file cannot be read or written; then nothing was answered.
        """
        proposal = each.proposal
        if not each.is_waiting:
            raise already_answered(self._home.ledger, each)
        if by is not Actor.USER:
            raise UsageError(f"{proposal.id} is about a skill, and needs the user's own decision.")
        content = proposal.content if text is None else _reworded(proposal, text)
        path = proposal.path if to is None else str(self._path_for(to, proposal))
        self._decisions.require_person(*answer_command(proposal.id, given, text, to), dry_run=dry_run)
        edit = None
        with self._decisions.as_decision(given.value, proposal.id, dry_run=dry_run, by=by):
            if given is Answer.APPROVED:
                _, after = self._merged(path, proposal.entry, content)
                edit = self._write(path, after, f"skill {Path(path).parent.name}", dry_run=dry_run)
            if not dry_run:
                move = self._home.row_factory.build_move(proposal.id, MoveKind.ANSWER, given, by=by)
                self._home.ledger.entries.record([move])
        return Answered(each, edit)

    def retire(self, name: str, *, dry_run: bool = False) -> Edit:
        """Delete a skill of ours; `restore` brings it back byte for byte, with the user's edits.

        Raises:
            UsageError: there is no such skill on disk, or somebody else wrote it.
            PersonNeeded: nothing shows that a person decided this.
        """
        state = self._own(name)
        if state.status not in (SkillStatus.IN_USE, SkillStatus.EDITED):
            raise UsageError(f"{state.name} is {state.status}, so there is nothing to retire. wisen skills")
        self._decisions.require_person("skills", "retire", state.name, dry_run=dry_run)
        with self._decisions.as_decision("retired", state.workflow, dry_run=dry_run):
            return self._write(state.path, None, f"retired the skill {state.name}", dry_run=dry_run)

    def restore(self, name: str, *, dry_run: bool = False) -> SkillState:
        """Bring back a retired skill as it was.

        Raises:
            UsageError: there is none, or another file is in its place.
            PersonNeeded: nothing shows that a person decided this.
        """
        from wisen.edits.edit_history import edit_history

        state = self.get(name)
        change = retiring_change(state.path, edit_history(self._edit_ports))
        if change is None or state.status is not SkillStatus.RETIRED:
            raise UsageError(f"{state.name} is {state.status}, not retired. List skills with: wisen skills")
        self._undo(change.id, dry_run)
        return state

    def _proposals(self) -> list[ProposalState]:
        ledger = self._home.ledger
        return skill_proposals(fold_proposal_states(ledger.proposals.all(), ledger.moves.all()))

    def _places(self) -> list[tuple[str, str]]:
        """Return the directories of this machine with their contexts, except those in which wisen is disabled."""
        is_off = self._projects.resolver.is_off
        return [each for each in self._projects.places_with_contexts() if not is_off(each[0])]

    def _has_room(self) -> bool:
        return sum(each.is_waiting for each in self._proposals()) < self._settings.most

    def _own(self, name: str) -> SkillState:
        state = self.get(name)
        if not state.workflow or state.status is SkillStatus.OTHER:
            raise UsageError(f"{state.path} was not written by wisen: edit or delete it yourself.")
        return state

    def _setting(self, context: str, workflows: Sequence[Workflow]) -> SkillSetting:
        from wisen.agents.skill_folders import agents_with_skills
        from wisen.skills.clean_runs import ProjectFacts
        from wisen.skills.other_projects import names_of_others
        from wisen.skills.project_text import read_project_text
        from wisen.skills.skill_drafts import SkillSetting

        places = self._places()
        roots = tuple(path for path, key in places if key == context)
        known_text = "\n".join(read_project_text(Path(root)) for root in roots)
        others = names_of_others(self._home.ledger.contexts.all(), places, context)
        return SkillSetting(
            ProjectFacts(roots, str(self._user_home), frozenset(others), known_text),
            agents_with_skills(self._agents()),
            self.find(context),
            frozenset(each.id for each in workflows),
            self._settings.similarity,
            self._home.local(self._home.clock.now()).date(),
        )

    def _propose_draft(
        self, draft: SkillDraft, why: str, *, is_requested: bool = False, dry_run: bool = False
    ) -> Proposal | None:
        """Record the proposal of a draft, in place of one that waits; None if it may not be asked."""
        from wisen.skills.skill_proposals import build_skill_proposal, may_ask

        before = self._proposals()
        last = last_about(draft.workflow.id, before)
        if not may_ask(draft, before, is_requested=is_requested):
            return last.proposal if is_requested and last is not None and last.is_waiting else None
        proposal = build_skill_proposal(draft, why, last, self._home.row_factory)
        if not dry_run:
            replaced = [last.proposal.id] if last is not None and last.is_waiting else []
            moves = [
                self._home.row_factory.build_move(each, MoveKind.ANSWER, Answer.EXPIRED, why="its runs changed")
                for each in replaced
            ]
            self._home.ledger.entries.record([*moves, proposal])
        return proposal

    def _close_expired(self) -> int:
        from wisen.skills.skill_proposals import expired_proposals

        expired = expired_proposals(self._proposals(), self._home.clock.now(), self._expires_days)
        move = self._home.row_factory.build_move
        self._home.ledger.entries.record([move(each.id, MoveKind.ANSWER, Answer.EXPIRED) for each in expired])
        return len(expired)

    def _propose_retiring(self, workflows: Sequence[Workflow]) -> int:
        """Ask about skills of ours whose workflow was not done for long, each once."""
        from wisen.decisions.proposal_rows import command_proposal

        last_use = {each.id: each.last for each in workflows}
        for each in self._proposals():
            if each.answer is Answer.APPROVED and each.proposal.entry in last_use:  # it is new: nobody could use it yet
                last_use[each.proposal.entry] = max(last_use[each.proposal.entry], each.at)
        asked = {each.words for each in self._home.ledger.proposals.all()}
        unused = timedelta(days=self._settings.unused_days)
        rows = []
        praised = last_praises(self._home.ledger.reinforcements.all()) if last_use else {}
        for state in self.all() if last_use else ():
            words = ("skills", "retire", state.name)
            done = last_use.get(state.workflow)
            praises = filter(None, (praised.get(skill_subject(state.name)), praised.get(state.workflow)))
            used = max((done, *praises)) if done is not None else None
            in_use = state.status in (SkillStatus.IN_USE, SkillStatus.EDITED)
            if in_use and used is not None and self._home.clock.now() - used > unused and words not in asked:
                when = f"last done or praised on {used:%Y-%m-%d}"
                why = f"What it describes was {when}. wisen skills restore brings it back."
                rows.append(
                    command_proposal(words, f"Retire the skill {state.name}?", why, self._home.row_factory, risk="low")
                )
        self._home.ledger.entries.record(rows)
        return len(rows)

    def _merged(self, path: str, workflow: str, content: str) -> tuple[str, str]:
        """Return the file as it is, and with our content merged into it. Raises: FileError."""
        from wisen.skills.skill_merge import merge_skill

        held = self._edit_ports.files.read(Path(path)).content
        if held is None:
            return "", content
        try:
            current = held.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(f"{path} is not UTF-8, so it is left alone. Save it as UTF-8 and try again.") from error
        return current, merge_skill(written_content(workflow, self._proposals()), current, content)

    def _write(self, path: str, text: str | None, why: str, *, dry_run: bool) -> Edit:
        from wisen.edits.editor import Editor

        seen = self._edit_ports.files.read(Path(path))
        content = None if text is None else text.encode("utf-8")
        return Editor(self._edit_ports).write_file(path, content, why, seen.digest, dry_run=dry_run)

    def _path_for(self, agent: str, proposal: Proposal) -> Path:
        """Return where another agent would load the skill from. Raises: UsageError."""
        from wisen.agents.skill_file import FILE
        from wisen.agents.skill_folders import agents_with_skills
        from wisen.skills.skill_drafts import skill_folder

        agents = agents_with_skills(self._agents())
        if agent not in agents:
            raise UsageError(f"{agent!r} is no agent that loads skills. Name one of: {', '.join(sorted(agents))}")
        roots = [path for path, key in self._places() if key == proposal.context]
        return skill_folder(agents[agent], roots) / Path(proposal.path).parent.name / FILE


def _reworded(proposal: Proposal, text: str) -> str:
    """Return the content with the user's description, or the user's own SKILL.md. Raises: UsageError."""
    from msgspec import structs

    from wisen.agents.skill_file import parse_skill, write_skill

    skill = parse_skill(text) if text.lstrip().startswith("---") else None
    if skill is not None:
        return text if text.endswith("\n") else f"{text}\n"
    drafted = parse_skill(proposal.content)
    if drafted is None or not text.strip() or text.lstrip().startswith("---"):
        raise UsageError("Give a description in one sentence, or a whole SKILL.md with a name and a description.")
    return write_skill(structs.replace(drafted, description=text))
