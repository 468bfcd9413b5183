"""`wisen review` and `wisen proposals`: what is suggested, one by one, in the manner of `git add -p`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import wiring
from wisen.domain.entries import Answer, ProposalType
from wisen.errors import FileError, WisenError
from wisen.surfaces.cli.findings import show_findings
from wisen.surfaces.cli.render import clipped, console, leads_to, plural, print_json, say, shown_path
from wisen.surfaces.cli.requests import carry_out

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.domain.changes import Change
    from wisen.domain.entries import Proposal
    from wisen.domain.entry_states import Asked
    from wisen.learner import Learner

_KEYS = "y yes, n no (it does not come back), e edit, s skip (until it comes up again), l later, w why, q quit"
_TRY = "t try it (it proves itself in a trial first)"
_ANSWERS = {"y": Answer.APPROVED, "n": Answer.REJECTED, "s": Answer.SKIPPED, "l": Answer.LATER}


def show(*, every: bool, as_json: bool) -> int:
    """List the proposals."""
    with wiring.wire().asked() as learner:
        found = [each for each in learner.proposals() if every or each.waits]
        if as_json:
            print_json({"proposals": [_told(learner, each) for each in found]})
            return 0
    if not found:
        say("Nothing is proposed just now. wisen learn reads what is new.")
    numbers = {each.proposal.id: number for number, each in enumerate((each for each in found if each.waits), 1)}
    for each in found:
        say(f"{numbers.get(each.proposal.id, '-'):>3}  {clipped(each.proposal.text, 100)}")
        state = "" if each.waits else f", {each.answer}"
        say(f"     {_where(each.proposal)}, {plural(each.proposal.sessions, 'session')}{state}", dim=True)
    if numbers:
        say("One by one: wisen review. By number: wisen proposals approve 1", dim=True)
    return 0


def answer(proposal: str, given: Answer, *, text: str | None, dry_run: bool, as_json: bool) -> int:
    """Answer one proposal."""
    with wiring.wire().learner(reads=False) as learner:
        request = learner.proposal(proposal).proposal
        if request.words and given is Answer.APPROVED and not dry_run:
            return carry_out(learner, request)
        done = learner.answer(proposal, given, text=text, dry_run=dry_run)
        if as_json:
            told = _told(learner, done.asked) | {"answer": given, "dry_run": dry_run}
            print_json(told | {"change": done.edit.change.id if done.edit else None})
            return 0
    out = console()
    if done.edit is not None:
        _diff(out, *done.edit)
    out.print(f"{'Would be' if dry_run else 'Is'} {given.value}: {text or done.asked.proposal.text}", markup=False)
    return 0


def try_out(proposal: str, *, dry_run: bool, as_json: bool) -> int:
    """Put one proposal on trial."""
    with wiring.wire().learner(reads=False) as learner:
        each = learner.try_out(proposal, dry_run=dry_run)
        if as_json:
            print_json(_told(learner, each) | {"answer": Answer.TRIED, "dry_run": dry_run})
            return 0
    say(f"{'Would be' if dry_run else 'Is'} on trial from the next session on: {each.proposal.text}")
    return 0


def explain(proposal: str, *, as_json: bool) -> int:
    """Show one proposal whole."""
    with wiring.wire().learner(reads=False) as learner:
        each = learner.proposal(proposal)
        if as_json:
            print_json(_told(learner, each))
            return 0
        _tell(console(), learner, each)
    return 0


def review() -> int:
    """Go through the proposals, one by one."""
    out = console()
    with wiring.wire().learner(reads=False) as learner:
        waiting = [each for each in learner.proposals() if each.waits]
        show_findings(learner, out)
        if not waiting:
            out.print("Nothing is proposed just now. wisen learn reads what is new.")
            return 0
        for agent in learner.installed():
            for fault in agent.faults:
                told = f"{agent.agent} may not hear what you approve: {fault}. wisen install {agent.agent} repairs it."
                out.print(told, markup=False)
        for number, each in enumerate(waiting, 1):
            if not learner.proposal(each.proposal.id).waits:
                continue  # what was answered before has answered this as well
            out.print(f"\n({number}/{len(waiting)})", style="dim")
            _tell(out, learner, each)
            if not _asked(out, learner, each):
                break
    return 0


def _asked(out: Console, learner: Learner, each: Asked) -> bool:
    """Ask about one proposal until it is answered; False to stop."""
    text: str | None = None
    tries = learner.can_try(each)
    while True:
        try:
            key = out.input(f"[y,n,e,s,l,{'t,' if tries else ''}w,q,?] ", markup=False).strip().lower()[:1]
        except EOFError:
            return False
        if key == "q":
            return False
        if key == "w":
            out.print(each.proposal.why, markup=False)
        elif key == "e" and not each.proposal.words:
            text = out.input("In your words: ", markup=False).strip() or None
            if text is not None:
                _answered(out, learner, each, Answer.APPROVED, text)
                return True
        elif key == "t" and tries:
            learner.try_out(each.proposal.id)
            out.print("On trial from the next session on. How it goes: wisen trials")
            return True
        elif key in _ANSWERS:
            _answered(out, learner, each, _ANSWERS[key], text)
            return True
        else:
            out.print(f"{_KEYS}, {_TRY}" if tries else _KEYS, style="dim")


def _answered(out: Console, learner: Learner, each: Asked, given: Answer, text: str | None) -> None:
    if each.proposal.words and given is Answer.APPROVED:
        try:
            carry_out(learner, each.proposal)
        except WisenError as error:
            out.print(str(error), markup=False)
        return
    done = learner.answer(each.proposal.id, given, text=text)
    if done.edit is not None:
        out.print(f"Written to {shown_path(done.edit.change.path)}. Take it back: wisen undo", markup=False)
    elif given is Answer.APPROVED and each.proposal.type is ProposalType.GUARD:
        out.print(f"At work from the next call on. To stop calls: wisen guards enable {each.proposal.entry} --as deny")
    elif given is Answer.APPROVED and each.proposal.path:
        out.print(f"Kept in {shown_path(each.proposal.path)}, which you can edit.", markup=False)


def _tell(out: Console, learner: Learner, each: Asked) -> None:
    proposal = each.proposal
    out.print(proposal.text, markup=False, style="bold")
    for line in proposal.why.splitlines():
        out.print(f"  {line}", markup=False, style="dim")
    if proposal.words:
        return
    for line in learner.backtest_now(proposal):
        out.print(f"  Today: {line}", markup=False)
    reach = "" if proposal.context else ", for all projects"
    cost = "when it speaks" if proposal.type is ProposalType.GUARD else "a session"
    out.print(f"  Risk {proposal.risk}, impact {proposal.impact}, about {plural(proposal.tokens, 'token')} {cost}.")
    out.print(f"  It would go to {_where(proposal)}{reach}", markup=False)
    if each.waits:
        try:
            edit = learner.answer(proposal.id, Answer.APPROVED, dry_run=True).edit
        except FileError as refused:
            out.print(f"  It cannot be written: {refused}", markup=False, style="red")
            return
        if edit is not None:
            _diff(out, *edit)


def _diff(out: Console, change: Change, held: bytes | None, holds: bytes | None) -> None:
    import difflib

    before, after = ((each or b"").decode("utf-8", "replace").splitlines() for each in (held, holds))
    for line in difflib.unified_diff(before, after, shown_path(change.path), shown_path(change.path), lineterm="", n=2):
        style = {"+": "green", "-": "red"}.get(line[:1], "dim")
        out.print(line, markup=False, highlight=False, style=style)


def _where(proposal: Proposal) -> str:
    if proposal.words:
        return f"{'found in ' + proposal.path if proposal.path else proposal.agent + ' asked for it'}: yours to decide"
    if proposal.type is ProposalType.GUARD:
        return f"a guard before calls ({proposal.entry})"
    return shown_path(proposal.path) or "the entries, and is no rule"


def _told(learner: Learner, each: Asked) -> dict[str, object]:
    proposal = each.proposal
    told: dict[str, object] = {name: getattr(proposal, name) for name in proposal.__struct_fields__}
    return told | {
        "answer": each.answer,
        "waits": each.waits,
        "leave": learner.leave_for(each),
        "leads_to": leads_to(proposal.path),
    }
