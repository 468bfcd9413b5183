"""`wisen feedback`: whether the user's agent may help to sort what they said, and what came of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.pointing import PointingOutcome
from wisen.surfaces.cli.render import clipped, plural, print_json, say
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from wisen.feedback.batch_settlement import BatchSettlement
    from wisen.model.pointing import OpenTurn, SettledTurn

_WIDE = 90
_SHOWN = 10
_ID = 9


def show(*, as_json: bool) -> int:
    """Tell how it stands."""
    wires = app.wire()
    settled: tuple[tuple[str, SettledTurn], ...] = ()
    open_: list[OpenTurn] = []
    allowed = wires.settings.feedback.pointing
    if wires.ever_used:
        with wires.learner(reads=False) as learner:
            settled = learner.feedback.settlement.settled_turns()
            open_ = learner.feedback.settlement.open_turns(recent=False)
    if as_json:
        told = [{"turn": id_, **_fields(each)} for id_, each in settled]
        print_json({"allowed": allowed, "open": len(open_), "settled": told})
        return 0
    say(f"Your agent {'may' if allowed else 'may not'} help to sort what you said (wisen feedback {_other(allowed)}).")
    say(f"{plural(len(open_), 'turn is', 'turns are')} in doubt, {len(settled)} settled.")
    for id_, each in settled[-_SHOWN:]:
        what = f"“{clipped(each.words, _WIDE)}”" if each.words else "nothing to learn"
        say(f"{id_[:_ID]}  {each.kind.value:<10}  {what}")
        say(f"           pointed at by {each.by}, your words proven by the log of {each.agent}", dim=True)
    return 0


def switch(*, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Take the user's word whether their agent may help."""
    with app.wire().learner(reads=False) as learner:
        learner.feedback.consent.record(yes=yes, dry_run=dry_run)
    if as_json:
        print_json({"allowed": yes, "dry_run": dry_run})
        return 0
    would = "would be" if dry_run else "is"
    say(f"Your agent {would} {'asked once a session' if yes else 'asked nothing'}.")
    if yes:
        say("It answers over MCP (docs/mcp.md); sessions that begin after the next cycle are asked.", dim=True)
    return 0


def settle(agent: str, *, limit: int, dry_run: bool, as_json: bool) -> int:
    """Settle old turns in a batch."""
    wires = app.wire()
    if is_off(wires, as_json=as_json):
        return 0
    with wires.learner(reads=False) as learner:
        done = learner.feedback.settlement.settle(
            agent, limit=limit, dry_run=dry_run, progress=_quiet if as_json else _progress
        )
    if as_json:
        print_json(_told(done, dry_run=dry_run))
    else:
        _say_batch(done, dry_run=dry_run)
    return 1 if done.problems else 0


def _say_batch(done: BatchSettlement, *, dry_run: bool) -> None:
    if not done.turns:
        say("No turn is in doubt. Nothing is asked.")
        return
    if dry_run:
        say(f"{plural(len(done.turns), 'turn')} would be asked about, in {plural(len(done.sent), 'question')}:")
        for sent in done.sent:
            say(sent)
        say(f"That is about {done.tokens:,} tokens, beside what {done.agent} adds itself. Nothing was sent.")
        return
    for each in done.results:
        what = ", ".join(each.entries) if each.entries else each.why or each.outcome.value
        say(f"{each.turn[:_ID]}  {each.outcome.value:<8}  {what}")
    learnt, nothing, refused = (
        sum(each.outcome is kind for each in done.results)
        for kind in (PointingOutcome.LEARNT, PointingOutcome.NOTHING, PointingOutcome.REFUSED)
    )
    spent = f"{done.tokens_in + done.tokens_out:,} tokens"
    say(f"{learnt} learnt, {nothing} with nothing to learn, {refused} refused; {spent}.")
    for trouble in done.problems:
        say(trouble)


def _told(done: BatchSettlement, *, dry_run: bool) -> dict[str, object]:
    return {
        "agent": done.agent,
        "turns": done.turns,
        "sent": done.sent,
        "tokens": done.tokens,
        "results": done.results,
        "troubles": done.problems,
        "tokens_in": done.tokens_in,
        "tokens_out": done.tokens_out,
        "dry_run": dry_run,
    }


def _fields(each: SettledTurn) -> dict[str, object]:
    return {name: getattr(each, name) for name in each.__struct_fields__}


def _other(allowed: bool) -> str:
    return "off" if allowed else "on"


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"{done} of {total} turns", file=sys.stderr)


def _quiet(done: int, total: int) -> None:
    """No progress is shown."""
