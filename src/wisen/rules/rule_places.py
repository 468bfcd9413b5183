"""Decides which file the rule of a proposal goes to: the user's choice for the project, or the file it names."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.edits.budget import budget_of, describe_size
from wisen.edits.managed_lines import has_merge_conflict
from wisen.edits.targets import Target, global_target
from wisen.errors import FileError, UsageError
from wisen.model.context import EVERYWHERE
from wisen.model.entry import ProposalType
from wisen.model.place import PlaceName, parse_place
from wisen.rules.place_choices import PlaceCandidates, choice_subject, chosen_places, list_places

_BOOK = "rules.md"

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry import Proposal
    from wisen.model.place import RulePlace
    from wisen.store.home import Home


class PlaceProblem(NamedTuple):
    """Why a rule cannot go to a place."""

    text: str
    is_size: bool = False
    """Whether the file is only too long, which a person may accept."""


def has_place(proposal: Proposal) -> bool:
    """Whether a proposal is about a line in a file at all."""
    return bool(proposal.path) and not proposal.words and proposal.type not in (ProposalType.GUARD, ProposalType.SKILL)


class RulePlaces:
    """The places where the rules of proposals may go."""

    def __init__(self, home: Home, rule_files: RuleFiles, hook_agents: Collection[str]) -> None:
        """Create it; `hook_agents` have hooks, so they need no file."""
        self._home, self._rule_files, self._hook_agents = home, rule_files, hook_agents

    def places_for(self, proposal: Proposal) -> tuple[RulePlace, ...]:
        """Return every place where the rule of a proposal may go, its own file first."""
        if not has_place(proposal):
            return ()
        ledger, files = self._home.ledger, self._rule_files
        proposal = self._resolve_file(proposal)
        seen = ledger.occurrences.of(proposal.entry)
        agent = seen[-1].agent if seen else proposal.agent or "claude-code"
        own = None
        folder = files.folders.get(agent)
        if folder is not None and agent != "openclaw" and proposal.context != EVERYWHERE:
            known = ledger.entries.of([proposal.entry])
            try:
                own = global_target(known[0], agent, str(folder), files.files) if known else None
            except FileError:
                own = None  # an unreadable file is not offered
        book = Target(str(files.rules_file(proposal.context)), proposal.heading)
        return list_places(proposal, PlaceCandidates(agent, own, book, agent in self._hook_agents))

    def _resolve_file(self, proposal: Proposal) -> Proposal:
        """Resolve the file of a proposal on this machine: context files are in this home, other paths may not exist."""
        path, ledger = Path(proposal.path), self._home.ledger
        if path.parts[-3:] == ("contexts", proposal.context, _BOOK) or path.parts[-2:] == ("global", _BOOK):
            return structs.replace(proposal, path=str(self._rule_files.rules_file(proposal.context)))
        if proposal.machine == self._home.machine:
            return proposal
        known = ledger.entries.of([proposal.entry])
        target = Target(str(self._rule_files.rules_file(proposal.context)), proposal.heading)
        if known:
            with suppress(FileError):  # if unreadable, the rule is delivered by hook
                target = self._rule_files.target_for(known[0], ledger.occurrences.of(proposal.entry), proposal.context)
        return structs.replace(proposal, path=target.path, heading=target.heading)

    def choice_for(self, proposal: Proposal) -> PlaceName | None:
        """Return the place that the user chose for this file of this project; None if they never did."""
        proposal = self._resolve_file(proposal)
        moves = self._home.ledger.moves.of(choice_subject(proposal.context))
        word = chosen_places(moves, proposal.context).get(Path(proposal.path).name)
        return PlaceName(word) if word in list(PlaceName) else None

    def place_for(self, proposal: Proposal, to: str | None = None) -> RulePlace:
        """Return where the rule of a proposal goes: where the user says, else their earlier choice, else its own file.

        Raises:
            UsageError: there is no such place.
        """
        places = self.places_for(proposal)
        if to is not None:
            word = parse_place(to)
            found = next((each for each in places if each.word == word), None)
            if found is None:
                listed = ", ".join(each.word for each in places)
                raise UsageError(f"{to!r} is not a valid place for this rule. Allowed: {listed}.")
            return found
        chosen = self.choice_for(proposal)
        return next((each for each in places if each.word is chosen), places[0])

    def find_problem(self, place: RulePlace) -> PlaceProblem | None:
        """Return why no rule can go to a place now, as far as known without trying; None if one can."""
        if place.word is PlaceName.HOOK:
            return None
        path, files = Path(place.path), self._rule_files.files
        folder = path.parents[2] if place.word is PlaceName.RULES else path.parent
        if not folder.is_dir():
            return PlaceProblem(f"{folder} is not there any more.")  # a deleted project is not created again
        try:
            content = files.read(path).content or b""
            files.link_target(path)
        except FileError as error:
            return PlaceProblem(str(error))
        if has_merge_conflict(content):
            return PlaceProblem(f"{path} has merge conflicts. Resolve them first.")
        if path.suffix == ".md" and not budget_of(path.name).fits(content):
            return PlaceProblem(describe_size(path, content), is_size=True)
        return None

    def can_be_offered(self, place: RulePlace, tried: RulePlace) -> bool:
        """Whether to offer a place after another one failed; its own file is offered even if it is too long."""
        problem = self.find_problem(place)
        if problem is None:
            return place.word is not tried.word
        return problem.is_size and place.word is PlaceName.FILE

    def question_about(self, proposal: Proposal) -> tuple[str, tuple[RulePlace, ...]]:
        """Return what prevents approving a proposal as it is, and where it may go instead; empty if nothing does."""
        if not has_place(proposal):
            return "", ()
        place = self.place_for(proposal)
        problem = self.find_problem(place)
        if problem is None or (problem.is_size and place.word is PlaceName.FILE is self.choice_for(proposal)):
            return "", ()
        return problem.text, tuple(each for each in self.places_for(proposal) if self.can_be_offered(each, place))
