"""`wisen skills`: lists and shows skills, proposes one for a goal, and retires and restores them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.reinforcement import skill_subject
from wisen.surfaces.cli.praise_view import praise_lines
from wisen.surfaces.cli.render import clip, console, format_path, plural, print_json, say
from wisen.surfaces.cli.review_view import show_diff

if TYPE_CHECKING:
    from wisen.skills.service import MadeSkill
    from wisen.skills.skill_states import SkillState

_WIDE = 100


def list_skills(*, every: bool, as_json: bool) -> int:
    """List the skills of this project and of all, or of every project."""
    with app.wire().learner(reads=False) as learner:
        here = learner.contexts.key_of(Path.cwd())
        everything = learner.skills.all(with_uses=True)
        short = learner.proposals.short_ids()
    found = [each for each in everything if every or each.context in ("", here)]
    if as_json:
        print_json({"skills": [each._asdict() for each in found]})
        return 0
    for state in found:
        say(f"{state.name}  ({_describe_status(state, short)})")
        say(f"    {clip(' '.join(state.description.split()), _WIDE)}", dim=True)
    if not found:
        say(
            "There are no skills here. wisen learn proposes them. To ask for one: wisen skills make 'deploy to staging'"
        )
    if len(everything) > len(found):
        say(f"{plural(len(everything) - len(found), 'skill')} of other projects: wisen skills list --all", dim=True)
    return 0


def show_skill(name: str, *, as_json: bool) -> int:
    """Show one skill."""
    with app.wire().learner(reads=False) as learner:
        state = learner.skills.get(name)
        text, short = learner.skills.text(state), learner.proposals.short_ids()
        praises = learner.praise.praises_of(skill_subject(state.name))
        strength = learner.praise.strength(praises)
    if as_json:
        print_json(state._asdict() | {"praises": len(praises), "text": text})
        return 0
    out = console()
    out.print(f"{state.name}  ({_describe_status(state, short)})", markup=False, style="bold")
    out.print(f"  {format_path(state.path)}", markup=False)
    if state.agents:
        out.print(f"  Loaded by: {', '.join(state.agents)}", markup=False, style="dim")
    if state.workflow:
        out.print(f"  Made from: {state.workflow}", markup=False, style="dim")
    for line in praise_lines(praises, strength):
        out.print(f"  {line}", markup=False, style="dim")
    for line in text.splitlines():
        out.print(line, markup=False, highlight=False)
    return 0


def make_skill(goal: str, *, dry_run: bool, as_json: bool) -> int:
    """Propose a skill for a goal, and show it."""
    with app.wire().learner(reads=False) as learner:
        made = learner.skills.make(goal, learner.contexts.key_of(Path.cwd()), dry_run=dry_run)
        short = learner.proposals.short_ids()
    if as_json:
        print_json(_made_fields(made) | {"dry_run": dry_run})
        return 0
    _print_difference(made)
    for each in made.draft.dangers:
        say(f"Careful: {each.command}: {each.why}")
    for reason in made.draft.left_out:
        say(f"Runs were left out: {reason}.", dim=True)
    if made.proposal is None:
        say("The skill says all of it already.")
    elif dry_run:
        say("Would be proposed.")
    else:
        say(f"Proposed. To write it: wisen proposals approve {short.get(made.proposal.id, made.proposal.id)}")
    return 0


def show_differences(name: str | None, *, as_json: bool) -> int:
    """Show what the newest sessions would change in one skill, or in all of this project."""
    with app.wire().learner(reads=False) as learner:
        here = learner.contexts.key_of(Path.cwd())
        found = learner.skills.differences(here) if name is None else (learner.skills.diff(name),)
    if as_json:
        print_json({"skills": [_made_fields(each) for each in found]})
        return 0
    changed = [each for each in found if each.before != each.after]
    for each in changed:
        _print_difference(each)
    if not changed:
        say("The newest sessions change nothing in these skills.")
    return 0


def retire_skill(name: str, *, dry_run: bool, as_json: bool) -> int:
    """Retire a skill."""
    with app.wire().learner(reads=False) as learner:
        state = learner.skills.get(name)
        edit = learner.skills.retire(name, dry_run=dry_run)
    if as_json:
        print_json({"skill": state.name, "path": state.path, "change": edit.change.id, "dry_run": dry_run})
        return 0
    if dry_run:
        show_diff(console(), *edit)
    say(f"{'Would be' if dry_run else 'Is'} retired: {state.name}. To bring it back: wisen skills restore {state.name}")
    return 0


def restore_skill(name: str, *, dry_run: bool, as_json: bool) -> int:
    """Restore a skill."""
    with app.wire().learner(reads=False) as learner:
        state = learner.skills.restore(name, dry_run=dry_run)
    if as_json:
        print_json({"skill": state.name, "path": state.path, "dry_run": dry_run})
        return 0
    say(f"{'Would be' if dry_run else 'Is'} back: {format_path(state.path)}")
    return 0


def _describe_status(state: SkillState, short: dict[str, str]) -> str:
    waits = f", update waits: {short[state.proposal]}" if state.proposal in short else ""
    if waits and state.status.value == "proposed":
        return f"proposed: {short[state.proposal]}"
    used = f", used in {plural(state.uses, 'session')}" if state.uses else ""
    return f"{state.status.value}{used}{waits}"


def _print_difference(made: MadeSkill) -> None:
    import difflib

    path, out = format_path(made.draft.path), console()
    before, after = made.before.splitlines(), made.after.splitlines()
    for line in difflib.unified_diff(before, after, path, path, lineterm="", n=2):
        style = {"+": "green", "-": "red"}.get(line[:1], "dim")
        out.print(line, markup=False, highlight=False, style=style)


def _made_fields(made: MadeSkill) -> dict[str, object]:
    draft = made.draft
    return {
        "skill": Path(draft.path).parent.name,
        "path": draft.path,
        "workflow": draft.workflow.id,
        "proposal": made.proposal.id if made.proposal is not None else "",
        "before": made.before,
        "after": made.after,
        "dangers": [each._asdict() for each in draft.dangers],
        "left_out": list(draft.left_out),
        "replayed": draft.replay(),
    }
