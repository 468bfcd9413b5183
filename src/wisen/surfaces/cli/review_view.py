"""`wisen proposals` and `wisen review`: lists proposals, and asks about each, in the manner of `git add -p`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import PlaceNeeded, WisenError
from wisen.model.entry import Answer, ProposalType
from wisen.model.guard_text import describe_proposal
from wisen.surfaces.cli.finding_view import show_findings
from wisen.surfaces.cli.pending_requests import execute_request
from wisen.surfaces.cli.place_view import (
    NO_FILE,
    answer_asking_place,
    describe_place,
    report_place,
    show_place_diffs,
)
from wisen.surfaces.cli.render import clip, console, format_path, link_target, plural, print_json, say
from wisen.surfaces.cli.review_conversation import (
    ask_rule_wording,
    ask_wording,
    confirm_meaning,
    show_conversation,
    warn_of_changed_meaning,
)
from wisen.surfaces.cli.rule_editing import editor_command
from wisen.surfaces.cli.rule_view import print_former_rules

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.learner import Learner
    from wisen.model.change import Change
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import ProposalState

_KEYS = "y yes, n no (it does not come back), e edit, s skip (until it comes up again), l later, w why, q quit"
_TRY = "t try it (put it on trial first)"
_NO_LONGER = 3
"""How many of the rules that no longer apply are shown before the questions."""
_ANSWERS = {"y": Answer.APPROVED, "n": Answer.REJECTED, "s": Answer.SKIPPED, "l": Answer.LATER}


def list_proposals(*, every: bool, as_json: bool) -> int:
    """List the proposals."""
    with app.wire().open_for_queries() as learner:
        found = [each for each in learner.proposals.all() if every or each.is_waiting]
        if as_json:
            # Computing what rules withhold reads all fixes: a plain listing does not wait for that.
            held_back = {"held_back": [each._asdict() for each in learner.fixes.withheld()]} if every else {}
            print_json({"proposals": [_proposal_fields(learner, each) for each in found], **held_back})
            return 0
        short = learner.proposals.short_ids()
        numbers = {
            each.proposal.id: number for number, each in enumerate((each for each in found if each.is_waiting), 1)
        }
        learner.proposals.remember_shown([*numbers])
        goes = {each.proposal.id: _describe_destination(each.proposal, learner) for each in found}
        held = withheld_fix_lines(learner) if every else []
    if not found:
        say("There are no proposals now. wisen learn reads new sessions.")
    for each in found:
        id_ = each.proposal.id
        say(f"{numbers.get(id_, '-'):>3}  {clip(describe_proposal(each.proposal), 100)}  ({short[id_]})")
        state = (", needs your wording" if each.proposal.unworded else "") if each.is_waiting else f", {each.answer}"
        say(f"     {goes[each.proposal.id]}, {plural(each.proposal.sessions, 'session')}{state}", dim=True)
    for line in held:
        say(line, dim=True)
    if numbers:
        say(
            f"One by one: wisen review. By number or id: wisen proposals approve {short[next(iter(numbers))]}", dim=True
        )
    return 0


def answer_proposal(
    proposal: str, given: Answer, *, text: str | None, to: str | None, dry_run: bool, as_json: bool
) -> int:
    """Answer one proposal."""
    with app.wire().learner(reads=False) as learner:
        request = learner.proposals.get(proposal).proposal
        if text is not None and not as_json and not request.words:
            warn_of_changed_meaning(request.text, text)
        if request.words and given is Answer.APPROVED and not dry_run:
            return execute_request(learner, request)
        try:
            done = learner.proposals.answer(proposal, given, text=text, to=to, dry_run=dry_run)
        except PlaceNeeded as needed:
            if dry_run and not as_json:
                show_place_diffs(learner, request, needed, text, show_diff)
            raise
        if as_json:
            fields = _proposal_fields(learner, done.asked) | {"answer": given, "dry_run": dry_run}
            fields |= {"to": done.place.word if done.place else None}
            print_json(fields | {"change": done.edit.change.id if done.edit else None})
            return 0
    out = console()
    if done.edit is not None:
        show_diff(out, *done.edit)
    out.print(
        f"{'Would be' if dry_run else 'Is'} {given.value}: {text or describe_proposal(done.asked.proposal)}",
        markup=False,
    )
    if given is Answer.APPROVED and done.place is not None:
        report_place(out, done.place, said=to is not None, dry_run=dry_run)
    return 0


def try_out(proposal: str, *, dry_run: bool, as_json: bool) -> int:
    """Put one proposal on trial."""
    with app.wire().learner(reads=False) as learner:
        each = learner.trials.try_out(proposal, dry_run=dry_run)
        if as_json:
            print_json(_proposal_fields(learner, each) | {"answer": Answer.TRIED, "dry_run": dry_run})
            return 0
    say(f"{'Would be' if dry_run else 'Is'} on trial from the next session on: {describe_proposal(each.proposal)}")
    return 0


def show_proposal(proposal: str, *, as_json: bool) -> int:
    """Show one proposal in detail."""
    with app.wire().learner(reads=False) as learner:
        each = learner.proposals.get(proposal)
        if as_json:
            print_json(_proposal_fields(learner, each))
            return 0
        _print_proposal(console(), learner, each)
    return 0


def review() -> int:
    """Go through the proposals, one by one."""
    out = console()
    with app.wire().learner(reads=False) as learner:
        waiting = [each for each in learner.proposals.all() if each.is_waiting]
        show_findings(learner, out)
        print_former_rules(learner.rules.former_rules(), _NO_LONGER)
        if not waiting:
            _print_withheld_fixes(out, learner)
            out.print("There are no proposals now. wisen learn reads new sessions.")
            return 0
        for agent in learner.install.status():
            for fault in agent.faults:
                text = f"{agent.agent} may not get what you approve: {fault}. wisen install {agent.agent} repairs it."
                out.print(text, markup=False)
        short = learner.proposals.short_ids()
        learner.proposals.remember_shown([each.proposal.id for each in waiting])
        for number, each in enumerate(waiting, 1):
            if not learner.proposals.get(each.proposal.id).is_waiting:
                continue  # an earlier answer has answered this as well
            out.print(f"\n({number}/{len(waiting)}) {short[each.proposal.id]}", style="dim")
            _print_proposal(out, learner, each)
            if not _ask_about(out, learner, each):
                return 0
        _print_withheld_fixes(out, learner)
    return 0


def _print_withheld_fixes(out: Console, learner: Learner) -> None:
    """Show what rules withhold. After the questions: working it out reads all fixes, and nobody should wait for it."""
    for line in withheld_fix_lines(learner):
        out.print(line, markup=False, style="dim")


def _ask_about(out: Console, learner: Learner, each: ProposalState) -> bool:
    """Ask about one proposal until it is answered; False to stop."""
    text: str | None = None
    tries = learner.trials.can_try(each)
    while True:
        try:
            key = out.input(f"[y,n,e,s,l,{'t,' if tries else ''}w,q,?] ", markup=False).strip().lower()[:1]
        except EOFError:
            return False
        if key == "q":
            return False
        if key == "w":
            show_conversation(out, learner, each.proposal)
        elif (key == "e" and not each.proposal.words) or (key == "y" and each.proposal.unworded):
            text = _ask_for_wording(out, each.proposal)
            if text is not None and confirm_meaning(out, each.proposal.text, text):
                _apply_answer(out, learner, each, Answer.APPROVED, text)
                return True
        elif key == "t" and tries:
            learner.trials.try_out(each.proposal.id)
            out.print("On trial from the next session on. Results: wisen trials")
            return True
        elif key in _ANSWERS:
            _apply_answer(out, learner, each, _ANSWERS[key], text)
            return True
        else:
            out.print(f"{_KEYS}, {_TRY}" if tries else _KEYS, style="dim")


def _ask_for_wording(out: Console, proposal: Proposal) -> str | None:
    """Ask for another wording of a proposal, or for the first wording as a rule; None if there is none."""
    if not proposal.unworded:
        return ask_wording(out, proposal.text)
    try:
        return ask_rule_wording(out, proposal, editor_command(app.wire().environment))
    except WisenError as error:
        out.print(str(error), markup=False, style="red")
        return None


def _apply_answer(out: Console, learner: Learner, each: ProposalState, given: Answer, text: str | None) -> None:
    if each.proposal.words and given is Answer.APPROVED:
        try:
            execute_request(learner, each.proposal)
        except WisenError as error:
            out.print(str(error), markup=False)
        return
    try:
        done = answer_asking_place(out, learner, each.proposal, given, text)
    except WisenError as error:
        out.print(f"Not done; it still waits: {error}", markup=False, style="red")
        return
    if done is None:
        out.print("Nothing was done; it still waits.")
        return
    if done.place is not None and given is Answer.APPROVED:
        report_place(out, done.place, said=done.said, dry_run=False)
    if done.change is not None:
        out.print(f"Written to {format_path(done.change.path)}. To revert: wisen undo", markup=False)
    elif given is Answer.APPROVED and each.proposal.type is ProposalType.GUARD:
        out.print(f"Enabled from the next call on. To deny calls: wisen guards enable {each.proposal.entry} --as deny")
    elif each.proposal.type is ProposalType.FIX and given in (Answer.APPROVED, Answer.REJECTED):
        text = "Agents are given it when that fails again" if given is Answer.APPROVED else "Agents are never given it"
        out.print(f"{text}. Where it comes from: {each.proposal.why.rpartition(': ')[2]}", markup=False)
    elif given is Answer.APPROVED and done.place is not None:
        out.print(f"Kept in {format_path(done.place.path)}, which you can edit.", markup=False)


def _print_proposal(out: Console, learner: Learner, each: ProposalState) -> None:
    proposal = each.proposal
    out.print(describe_proposal(proposal), markup=False, style="bold")
    for line in proposal.why.splitlines():
        out.print(f"  {line}", markup=False, style="dim")
    if proposal.words or proposal.type is ProposalType.FIX:
        return
    for line in learner.guards.updated_backtest_lines(proposal):
        out.print(f"  Today: {line}", markup=False)
    reach = "" if proposal.context else ", for all projects"
    cost = "per session"
    if proposal.type in (ProposalType.GUARD, ProposalType.SKILL):
        cost = "when it acts" if proposal.type is ProposalType.GUARD else "when an agent loads it"
    out.print(f"  Risk {proposal.risk}, impact {proposal.impact}, about {plural(proposal.tokens, 'token')} {cost}.")
    destination = _describe_destination(proposal, learner)
    goes = f"It is {NO_FILE}" if destination == NO_FILE else f"It would go to {destination}"
    out.print(f"  {goes}{reach}", markup=False)
    if each.is_waiting and proposal.unworded:
        message = "  It is not a rule yet, and needs your wording: e opens your editor with what you said."
        out.print(message, markup=False, style="yellow")
    elif each.is_waiting:
        try:
            edit = learner.proposals.answer(proposal.id, Answer.APPROVED, dry_run=True).edit
        except PlaceNeeded as needed:
            message = f"  It cannot be written: {needed.why} Approve it, and you are asked where it should go."
            out.print(message, markup=False, style="yellow")
            return
        except WisenError as refused:
            out.print(f"  It cannot be written: {refused}", markup=False, style="red")
            return
        if edit is not None:
            show_diff(out, *edit)


def show_diff(out: Console, change: Change, held: bytes | None, holds: bytes | None) -> None:
    """Show what a change does to its file."""
    import difflib

    before, after = ((each or b"").decode("utf-8", "replace").splitlines() for each in (held, holds))
    for line in difflib.unified_diff(
        before, after, format_path(change.path), format_path(change.path), lineterm="", n=2
    ):
        style = {"+": "green", "-": "red"}.get(line[:1], "dim")
        out.print(line, markup=False, highlight=False, style=style)


def _describe_destination(proposal: Proposal, learner: Learner) -> str:
    if proposal.words and not (proposal.path or proposal.agent):
        return "a question for you to decide"
    if proposal.words:
        return (
            f"{'found in ' + proposal.path if proposal.path else proposal.agent + ' asked for it'}: for you to decide"
        )
    if proposal.type is ProposalType.GUARD:
        return f"a guard before calls ({proposal.entry})"
    if proposal.type is ProposalType.FIX:
        return "given to agents when it fails again"
    if proposal.type is ProposalType.SKILL:
        return format_path(proposal.path)
    place = learner.rules.place_of(proposal)
    return "the lessons, and is not a rule" if place is None else describe_place(place)


def withheld_fix_lines(learner: Learner) -> list[str]:
    """Return the fixes that are withheld because a rule contradicts them, one line each."""
    first = {each.fix: each for each in reversed(learner.fixes.withheld())}
    return [
        f"Withheld: fix {each.fix} contradicts your rule “{clip(each.rule, 70)}” (wisen explain {each.fix})"
        for each in reversed(first.values())
    ]


def _proposal_fields(learner: Learner, each: ProposalState) -> dict[str, object]:
    proposal = each.proposal
    fields: dict[str, object] = {name: getattr(proposal, name) for name in proposal.__struct_fields__}
    place = learner.rules.place_of(proposal)
    goes_to = place.path if place is not None else ""
    if proposal.type is ProposalType.SKILL:
        goes_to = proposal.path
    return fields | {
        "short": learner.proposals.short_ids()[proposal.id],
        "answer": each.answer,
        "waits": each.is_waiting,
        "leave": learner.proposals.permission_for(each),
        "leads_to": link_target(goes_to or proposal.path),
        "goes_to": goes_to,
        "places": {each.word: each.path for each in learner.rules.places(proposal)},
    }
