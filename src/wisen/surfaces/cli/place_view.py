"""Asks where an approved rule goes in `wisen review`, shows the diff of each place, and `wisen proposals place`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen import app
from wisen.errors import PlaceNeeded, UsageError, WisenError
from wisen.model.entry import Answer
from wisen.surfaces.cli.render import console, format_path, print_json, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.change import Change
    from wisen.model.entry import Proposal
    from wisen.model.place import RulePlace


class AnswerResult(NamedTuple):
    """The change and place that an answer led to."""

    change: Change | None
    place: RulePlace | None
    said: bool
    """Whether the user named the place."""


def answer_asking_place(
    out: Console, learner: Learner, proposal: Proposal, given: Answer, text: str | None
) -> AnswerResult | None:
    """Answer a proposal; if the rule does not fit into its file, ask for another place until it fits or the user stops.

    Returns None if nothing was done.

    Raises:
        WisenError: it cannot be done, and not because of the place.
    """
    to: str | None = None
    while True:
        try:
            done = learner.proposals.answer(proposal.id, given, text=text, to=to)
            return AnswerResult(done.edit.change if done.edit else None, done.place, to is not None)
        except PlaceNeeded as needed:
            out.print(needed.why, markup=False, style="yellow")
            to = _ask_place(out, needed.places)
            if to is None:
                return None


def _ask_place(out: Console, places: tuple[tuple[str, str], ...]) -> str | None:
    """Return the place that the user picks by number or name; None if they pick none."""
    if not places:
        return None
    out.print("Where should it go?")
    for number, (word, says) in enumerate(places, 1):
        out.print(f"  {number} {word}: {says}", markup=False, highlight=False)
    while True:
        try:
            said = out.input(f"[1-{len(places)}, Enter: nowhere for now] ", markup=False).strip().lower()
        except EOFError:
            return None
        if not said:
            return None
        found = [word for number, (word, _) in enumerate(places, 1) if said in (str(number), word)]
        if found:
            return found[0]
        out.print(f"{said!r} is not one of them.", markup=False, style="dim")


def show_place_diffs(
    learner: Learner,
    proposal: Proposal,
    needed: PlaceNeeded,
    text: str | None,
    show_diff: Callable[..., None],
) -> None:
    """Show the diff of each place, if a rule cannot go into its own file."""
    out = console()
    out.print(needed.why, markup=False)
    for word, says in needed.places:
        out.print(f"\n--to {word}: {says}", markup=False, highlight=False, style="bold")
        try:
            done = learner.proposals.answer(proposal.id, Answer.APPROVED, text=text, to=word, dry_run=True)
        except WisenError as error:
            out.print(str(error), markup=False)
            continue
        if done.edit is not None:
            show_diff(out, *done.edit)


NO_FILE = "not written to a file; given to agents by a hook"


def describe_place(place: RulePlace) -> str:
    """Describe a place in a few words."""
    return NO_FILE if place.is_hook else format_path(place.path)


def report_place(out: Console, place: RulePlace, *, said: bool, dry_run: bool) -> None:
    """Report where a rule goes from now on, and how to change that."""
    if place.is_hook:
        out.print(f"Agents {'would be' if dry_run else 'are'} given it by hook; no file of yours is changed.")
    if said and place.applies_everywhere:
        out.print(f"It {'would apply' if dry_run else 'applies'} in all your projects.")
    elif said and not dry_run:
        again = "wisen proposals place shows and changes this"
        out.print(f"The next rules of this project go there too: {again}.", style="dim")


def list_places(*, as_json: bool) -> int:
    """Show the places that the user chose."""
    with app.wire().open_for_queries() as learner:
        found = learner.rules.chosen_places()
    if as_json:
        print_json({"places": [each._asdict() for each in found]})
        return 0
    for each in found:
        say(f"{each.context or 'all projects'}: instead of {each.file} → {each.to}")
    if not found:
        say("No place was chosen: rules go into their file, and you are asked if it is too long.")
    say("Change it, in the project's folder: wisen proposals place rules (or file, local, hook, ask)", dim=True)
    return 0


def choose_place(place: str, file: str, *, context: str | None, dry_run: bool, as_json: bool) -> int:
    """Choose where rules of a project go instead of a file."""
    with app.wire().learner(reads=False) as learner:
        key = learner.contexts.key_of(Path.cwd()) if context is None else context
        if not key and context is None:
            raise UsageError("This directory belongs to no project. Go to a project's folder, or add --global.")
        chosen = learner.rules.choose_place(key, file, place, dry_run=dry_run)
    if as_json:
        print_json(chosen._asdict() | {"dry_run": dry_run})
        return 0
    where = chosen.context or "all projects"
    say(f"{'Would be' if dry_run else 'Is'} chosen for {where}: instead of {chosen.file} → {chosen.to}")
    return 0
