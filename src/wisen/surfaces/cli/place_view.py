"""Where approved rules go, at the terminal: a menu in `wisen review`, the diff of each place, `proposals place`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen import app
from wisen.errors import PlaceNeeded, UsageError, WisenError
from wisen.model.entry import Answer
from wisen.surfaces.cli.render import console, print_json, say, shown_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.change import Change
    from wisen.model.entry import Proposal
    from wisen.model.place import RulePlace


class Done(NamedTuple):
    """What an answer did."""

    change: Change | None
    place: RulePlace | None
    said: bool
    """Whether the user named the place."""


def answer_or_ask(out: Console, learner: Learner, proposal: Proposal, given: Answer, text: str | None) -> Done | None:
    """Answer a proposal; where its file cannot take the rule, ask where it may go, until it goes or the user leaves it.

    None where nothing was done.

    Raises:
        WisenError: it cannot be done, and not because of the place.
    """
    to: str | None = None
    while True:
        try:
            done = learner.proposals.answer(proposal.id, given, text=text, to=to)
            return Done(done.edit.change if done.edit else None, done.place, to is not None)
        except PlaceNeeded as needed:
            out.print(needed.why, markup=False, style="yellow")
            to = _asked_place(out, needed.places)
            if to is None:
                return None


def _asked_place(out: Console, places: tuple[tuple[str, str], ...]) -> str | None:
    """The place that the user picks by its number or its word; None where they pick none."""
    if not places:
        return None
    out.print("Where may it go?")
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
        out.print(f"{said!r} is none of them.", markup=False, style="dim")


def show_places(
    learner: Learner,
    proposal: Proposal,
    needed: PlaceNeeded,
    text: str | None,
    show_diff: Callable[..., None],
) -> None:
    """Show what each place would look like, where a rule cannot go into its own file."""
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


def where_it_goes(place: RulePlace) -> str:
    """A place in a few words."""
    return "no file: told by hook" if place.is_hook else shown_path(place.path)


def tell_place(out: Console, place: RulePlace, *, said: bool, dry_run: bool) -> None:
    """Tell where a rule goes from now on, and how that is changed."""
    if place.is_hook:
        out.print(f"Agents {'would be' if dry_run else 'are'} told by hook; no file of yours is changed.")
    if said and place.applies_everywhere:
        out.print(f"It {'would hold' if dry_run else 'holds'} in all your projects.")
    elif said and not dry_run:
        again = "wisen proposals place shows and changes that"
        out.print(f"The next rules of this project go there too: {again}.", style="dim")


def show(*, as_json: bool) -> int:
    """Show the places that the user chose."""
    with app.wire().open_for_queries() as learner:
        found = learner.rules.chosen_places()
    if as_json:
        print_json({"places": [each._asdict() for each in found]})
        return 0
    for each in found:
        say(f"{each.context or 'all projects'}: instead of {each.file} → {each.to}")
    if not found:
        say("No place was chosen: rules go into their file, and you are asked where it is too long.")
    say("Change it, in the project's folder: wisen proposals place rules (or file, local, hook, ask)", dim=True)
    return 0


def choose(place: str, file: str, *, context: str | None, dry_run: bool, as_json: bool) -> int:
    """Choose where the rules of a project go that would go into a file."""
    with app.wire().learner(reads=False) as learner:
        key = learner.contexts.key_of(Path.cwd()) if context is None else context
        if not key and context is None:
            raise UsageError("This directory belongs to no project. Go to a project's folder, or say --global.")
        chosen = learner.rules.choose_place(key, file, place, dry_run=dry_run)
    if as_json:
        print_json(chosen._asdict() | {"dry_run": dry_run})
        return 0
    where = chosen.context or "all projects"
    say(f"{'Would be' if dry_run else 'Is'} chosen for {where}: instead of {chosen.file} → {chosen.to}")
    return 0
