"""`wisen feedback`: whether the user's agent may help to classify messages, and the results."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.pointing import PointingOutcome
from wisen.surfaces.cli.render import clip, plural, print_json, say
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from wisen.feedback.batch_settlement import BatchSettlement
    from wisen.model.pointing import OpenTurn, SettledTurn

_WIDE = 90
_SHOWN = 10
_ID = 9


def show_feedback(*, as_json: bool) -> int:
    """Show the consent, and the messages that were classified."""
    wires = app.wire()
    settled: tuple[tuple[str, SettledTurn], ...] = ()
    open_: list[OpenTurn] = []
    allowed = wires.settings.feedback.pointing
    if wires.ever_used:
        with wires.learner(reads=False) as learner:
            settled = learner.feedback.settlement.settled_turns()
            open_ = learner.feedback.settlement.open_turns(recent=False)
    if as_json:
        rows = [{"turn": id_, **_turn_fields(each)} for id_, each in settled]
        print_json({"allowed": allowed, "open": len(open_), "settled": rows})
        return 0
    say(
        f"Your agent {'may' if allowed else 'may not'} help to classify your messages "
        f"(wisen feedback {_opposite_switch(allowed)})."
    )
    say(f"{plural(len(open_), 'turn is', 'turns are')} unclear, {len(settled)} classified.")
    for id_, each in settled[-_SHOWN:]:
        what = f"“{clip(each.words, _WIDE)}”" if each.words else "nothing to learn"
        say(f"{id_[:_ID]}  {each.kind.value:<10}  {what}")
        say(f"           quoted by {each.by}, found in the log of {each.agent}", dim=True)
    return 0


def set_consent(*, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Record whether the user's agent may help."""
    with app.wire().learner(reads=False) as learner:
        learner.feedback.consent.record(yes=yes, dry_run=dry_run)
    if as_json:
        print_json({"allowed": yes, "dry_run": dry_run})
        return 0
    would = "would be" if dry_run else "is"
    say(f"Your agent {would} {'asked once a session' if yes else 'asked nothing'}.")
    if yes:
        say("It answers over MCP (docs/mcp.md), in sessions that start after the next cycle.", dim=True)
    return 0


def settle_turns(agent: str, *, limit: int, dry_run: bool, as_json: bool) -> int:
    """Classify old messages in a batch."""
    wires = app.wire()
    if is_off(wires, as_json=as_json):
        return 0
    with wires.learner(reads=False) as learner:
        done = learner.feedback.settlement.settle(
            agent, limit=limit, dry_run=dry_run, progress=_ignore_progress if as_json else _print_progress
        )
    if as_json:
        print_json(_batch_fields(done, dry_run=dry_run))
    else:
        _print_batch(done, dry_run=dry_run)
    return 1 if done.problems else 0


def _print_batch(done: BatchSettlement, *, dry_run: bool) -> None:
    if not done.turns:
        say("No message is unclear. Nothing is asked.")
        return
    if dry_run:
        say(f"{plural(len(done.turns), 'message')} would be asked about, in {plural(len(done.sent), 'question')}:")
        for sent in done.sent:
            say(sent)
        say(f"That is about {done.tokens:,} tokens, plus what {done.agent} adds itself. Nothing was sent.")
        return
    for each in done.results:
        what = ", ".join(each.entries) if each.entries else each.why or each.outcome.value
        say(f"{each.turn[:_ID]}  {each.outcome.value:<8}  {what}")
    learnt, nothing, refused = (
        sum(each.outcome is kind for each in done.results)
        for kind in (PointingOutcome.LEARNT, PointingOutcome.NOTHING, PointingOutcome.REFUSED)
    )
    spent = f"{done.tokens_in + done.tokens_out:,} tokens"
    say(f"{learnt} learnt, {nothing} with nothing to learn, {refused} rejected; {spent}.")
    for problem in done.problems:
        say(problem)


def _batch_fields(done: BatchSettlement, *, dry_run: bool) -> dict[str, object]:
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


def _turn_fields(each: SettledTurn) -> dict[str, object]:
    return {name: getattr(each, name) for name in each.__struct_fields__}


def _opposite_switch(allowed: bool) -> str:
    return "off" if allowed else "on"


def _print_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"{done} of {total} messages", file=sys.stderr)


def _ignore_progress(done: int, total: int) -> None:
    """Show no progress."""
