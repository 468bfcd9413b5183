"""Answers MCP tool calls: each call opens the stores, asks the Learner for one project, and closes them again.

Nothing about another project is disclosed, not even that it exists.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from wisen import app
from wisen.errors import UsageError
from wisen.feedback.settlement import NOT_ALLOWED
from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry import EntryOrigin, MoveKind, ProposalType, rule_id
from wisen.model.fix import Danger
from wisen.model.guard import GuardSource
from wisen.model.guard_text import describe_guard, describe_proposal
from wisen.model.learning import LearningKind
from wisen.model.pointing import TurnClaim
from wisen.proposals.suggestion_inbox import agent_name
from wisen.safety.entry_texts import agent_text, describe_author
from wisen.safety.fix_texts import describe_fix, quote_change, quote_line
from wisen.surfaces.mcp import tool_arguments as tools
from wisen.surfaces.mcp.private_items import visible_items
from wisen.text.command_lines import command_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.learner import Learner
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import EntryState
    from wisen.model.learning import Learning
    from wisen.model.memory import Memory, RecallResult
    from wisen.model.score import Score

ToolResult = dict[str, Any]

_MAX_TEXT = 1200
"""How much is shown of one text; a cut is marked."""
_MAX_SHOWN = 5
_MAX_ITEMS = 50
_WAITING_NOTE = "It waits for the user, who answers in `wisen review`. It is not a rule, and you cannot approve it."


class ToolAnswers:
    """Answers calls of agents that work in one project: that of the directory the server was started in.

    If that is not a project, a client that has the server for itself is bound to the first project it names.
    """

    def __init__(self, home: Path | None = None, start: Path | None = None, *, one_client: bool = True) -> None:
        self._home = home
        self._start = start or Path.cwd()
        self._one_client = one_client
        self._bound_context = ""
        """The context that a client is bound to if the server was started outside of any."""
        self._write_lock = Lock()

    def offered_tools(self, agent: str) -> tuple[str, ...]:
        """Return the tools that an agent is offered; `point` only where the user allowed it."""
        wires = app.wire(self._home)
        if not wires.settings.feedback.pointing:
            return tuple(name for name in tools.TOOLS if name != tools.POINT)
        if not wires.is_off and wires.ever_used:
            wires.record_pointer(agent_name(agent))
        return tuple(tools.TOOLS)

    def answer(self, name: str, call: Struct, agent: str) -> ToolResult:
        """Return the answer of a tool.

        Raises:
            WisenError: there is no answer, and the message says why.
        """
        directory = call.directory if isinstance(call, tools.Call) else ""
        place = self._place(directory)
        wires = app.wire(self._home)
        writes = name in tools.SUGGEST
        if wires.is_off:
            return {"off": "WISEN_OFF", "says": "wisen is off: nothing is shown or stored."}
        if not writes and not wires.ever_used:
            return {"says": "Nothing was learned yet. The user starts with: wisen learn"}
        # One writer at a time, so that concurrent duplicates of a suggestion become one.
        turn = self._write_lock if writes else nullcontext()
        with turn, wires.learner(reads=False) if writes else wires.open_for_queries() as learner:
            if directory:
                self._check_project(learner, place, directory)
            if off := learner.forgetting.disabled_by(place):
                return {"off": off, "says": "wisen is off here: nothing is shown or stored."}
            return _ANSWERS[name](learner, call, place, agent)

    def _check_project(self, learner: Learner, place: Path, directory: str) -> None:
        """Reject access to other projects. Raises: UsageError."""
        project, requested = learner.contexts.key_of(self._start) or self._bound_context, learner.contexts.key_of(place)
        if not project and requested and self._one_client:
            self._bound_context = project = requested
        if project and requested != project:
            raise UsageError(
                f"{directory!r} is not a part of the project that this server was started for, and of others nothing is"
                " shown. Omit `directory`."
            )

    def _place(self, directory: str) -> Path:
        place = Path(directory).expanduser() if directory else self._start
        if not place.is_absolute() or "\0" in directory or not place.is_dir():
            raise UsageError(f"{directory!r} is not a directory on this machine. Give an absolute path, or omit it.")
        return place


def _recall(learner: Learner, call: tools.Recall, place: Path, _: str) -> ToolResult:
    local = learner.delivery.delivers_local_words
    found = learner.memory.recall(
        call.question, place, everywhere=call.scope == "all", days=call.days, limit=call.limit, local=local
    )
    return {
        "found": [
            _group_fields(found, [each.memory for each in group.memories], replaced=bool(group.replaced_by))
            for group in found.groups
        ],
        "more": found.more,
    }


def _group_fields(found: RecallResult, memories: list[Memory], *, replaced: bool) -> ToolResult:
    best = memories[0]
    foreign = best.context not in (EVERYWHERE, found.here)
    if foreign:
        # Neither its text nor its name or location: an agent that wants them has to ask the user.
        result = {name: value for name, value in _source_fields(best).items() if name not in ("id", "source")}
        says = "It belongs to another project, which is not named. The user finds it with `wisen recall --scope all`."
        return result | {"says": says}
    result = _source_fields(best)
    if replaced:
        result["replaced"] = "A newer decision about the same was found."
    also = [_source_fields(each) | _clip(each.text) for each in memories[1:3] if each.text != best.text]
    return result | _clip(best.text) | ({"also": also} if also else {})


def _source_fields(memory: Memory) -> ToolResult:
    result: ToolResult = {"id": memory.id, "kind": memory.kind.value, "source": memory.citation}
    if memory.session:
        result |= {"agent": memory.agent, "session": memory.session, "turn": memory.turn}
    if memory.at is not None:
        result["date"] = f"{memory.at:%Y-%m-%d}"
    return result


def _context(learner: Learner, call: tools.Context, place: Path, _: str) -> ToolResult:
    briefing = learner.memory.brief(call.task, place, budget=call.budget, local=learner.delivery.delivers_local_words)
    return {
        "text": briefing.text,
        "tokens": briefing.tokens,
        "left_out": briefing.left_out,
        "sources": [_source_fields(each) for each in briefing.memories],
    }


def _rules(learner: Learner, _: tools.Rules, place: Path, __: str) -> ToolResult:
    here = learner.contexts.key_of(place)
    found = learner.rules.in_context(here)
    rules = learner.delivery.private_words(found).deliverable(found)
    return {"rules": [_entry_fields(each) for each in rules[:_MAX_ITEMS]], "more": max(0, len(rules) - _MAX_ITEMS)}


def _entry_fields(state: EntryState) -> ToolResult:
    return {
        "id": rule_id(state.entry.id),
        "entry": state.entry.name,
        "text": state.text,
        "everywhere": not state.context,
        "status": state.status.value,
        "word_of": state.entry.origin.value,
        "author": describe_author(state.entry).replace("you", "the user"),
        "approved_by_user": state.confirmed,
        "sessions": state.sessions,
        "first": f"{state.first:%Y-%m-%d}",
        "last": f"{state.last:%Y-%m-%d}",
    }


def _fixes(learner: Learner, call: tools.Fixes, place: Path, _: str) -> ToolResult:
    found = learner.records.find_learnings(tool=call.tool, error=call.error, arguments=call.arguments, place=place)
    return {"fixes": [_fix_fields(each) for each in found[:_MAX_SHOWN]], "more": max(0, len(found) - _MAX_SHOWN)}


def _fix_fields(each: Learning) -> ToolResult:
    result: ToolResult = {
        "id": each.id,
        "kind": each.kind.value,
        "match": each.match.value if each.match else None,
        "helped_in_sessions": each.sessions,
        "did_not_help_in": each.failed,
        "last": f"{each.last:%Y-%m-%d}",
        "source": each.origin,
    }
    if each.danger not in (None, Danger.NONE):
        # A foreign error text could have dictated it.
        says = f"It is not known to be harmless ({each.danger.value}): have the user look at it first"
        return result | {"withheld": f"{says}, with `wisen explain {each.id}`."}
    if each.kind is not LearningKind.FIX or each.change is None:
        return result | {"do": each.description, "before": each.before, "after": each.after}
    return result | {
        "do": quote_change(each.change),
        "before": _quote_call(each.before),
        "after": _quote_call(each.after),
    }


def _quote_call(arguments: str | None) -> str | None:
    """Return the command of a call as it may be quoted; None where it runs none, or cannot be parsed."""
    line = command_of(fields_of(arguments))
    return quote_line(line) if line is not None else None


def _explain(learner: Learner, call: tools.Explain, place: Path, _: str) -> ToolResult:
    here, name = learner.contexts.key_of(place), call.id.strip()
    result: ToolResult | None = None
    try:
        if name.upper().startswith(("LRN-", "ERR-", "FEAT-", "R-")):
            result = _explain_entry(learner, name, here)
        elif name.upper().startswith("G-"):
            result = _explain_guard(learner, name, here)
        else:
            result = _explain_fix(learner, name, here)
    except UsageError:
        result = None  # its message may count things of other projects
    if result is None:
        raise UsageError(f"Nothing here has the id {name!r}. The answers of recall, rules and fixes contain the ids.")
    return result


def _explain_entry(learner: Learner, name: str, here: str) -> ToolResult | None:
    state, seen = learner.lessons.get(name)
    if state.context not in (EVERYWHERE, here) or not learner.delivery.private_words([state]).deliverable([state]):
        return None
    moves = learner.lessons.decisions(state)
    decided = [
        {"date": f"{each.at:%Y-%m-%d}", "by": each.by.value, "what": f"{each.kind.value} {each.value}".strip()}
        for each in moves
    ]
    in_project = [each for each in seen if each.context in (EVERYWHERE, NOWHERE, here)]
    measured = state.entry.origin is EntryOrigin.MEASURED
    # If it was typed to a local model as well, other quotes may come from there.
    mixed = not learner.delivery.delivers_local_words and any(each.kind is MoveKind.LOCAL for each in moves)
    occurrences = [
        {
            "quote": "" if measured or (mixed and each.quote != state.text) else each.quote,
            "date": f"{each.at:%Y-%m-%d}",
            "agent": each.agent,
            "session": each.session,
        }
        for each in in_project[-_MAX_SHOWN:]
    ]
    known = {fix.id: describe_fix(fix) for fix in learner.fixes.all()} if measured else {}
    text = {"text": agent_text(state, known) or "It waits for the user."}
    return _entry_fields(state) | text | {"seen": occurrences, "decisions": decided[-_MAX_SHOWN:]}


def _explain_guard(learner: Learner, name: str, here: str) -> ToolResult | None:
    state = learner.guards.get(name)
    if state.guard.context not in (EVERYWHERE, here):
        return None
    return {
        "id": state.guard.id,
        "guard": describe_guard(state.guard, with_reason=state.guard.source is not GuardSource.FIX),
        "reason": "" if state.guard.source is GuardSource.FIX else state.guard.reason,
        "mode": state.mode.value,
        "by": state.by.value,
        "since": f"{state.since:%Y-%m-%d}",
        "source": state.guard.source.value,
    }


def _explain_fix(learner: Learner, name: str, here: str) -> ToolResult | None:
    fix, evidence = learner.fixes.explain(name)
    in_project = [each for each in evidence if each.context == here]
    if not here or not in_project:
        return None
    seen = [
        {"date": f"{each.at:%Y-%m-%d}", "agent": each.agent, "session": each.session, "helped": each.worked}
        for each in in_project[:_MAX_SHOWN]
    ]
    result: ToolResult = {
        "id": fix.id,
        "failure": fix.signature.safe_description,
        "confidence": round(fix.confidence, 2),
        "seen": seen,
    }
    if fix.danger is not Danger.NONE:
        return result | {"withheld": f"It is not known to be harmless: {fix.danger.value}."}
    before, after = _quote_call(in_project[0].before), _quote_call(in_project[0].after)
    return result | {"change": quote_change(fix.change), "before": before, "after": after}


def _proposals(learner: Learner, _: tools.Proposals, place: Path, __: str) -> ToolResult:
    here = learner.contexts.key_of(place)
    private = learner.delivery.private_words(learner.lessons.all())
    waiting = [each.proposal for each in learner.proposals.all() if each.is_waiting and private.may_show(each.proposal)]
    # A proposal for everywhere was stated in other projects, and the user has not approved it for this one yet.
    in_project, short = [each for each in waiting if each.context == (here or NOWHERE)], learner.proposals.short_ids()
    return {
        "proposals": [_proposal_fields(each) | {"short": short[each.id]} for each in in_project[:_MAX_ITEMS]],
        "more": max(0, len(in_project) - _MAX_ITEMS),
        "says": "Only the user answers: `wisen review`, or `approve SHORT` typed by the user, with its short id.",
    }


def _proposal_fields(each: Proposal) -> ToolResult:
    result: ToolResult = {
        "id": each.id,
        "type": each.type.value,
        "text": describe_proposal(each, with_reason=False),
        "why": "" if each.type is ProposalType.GUARD else each.why,
        "goes_to": each.path,
        "date": f"{each.at:%Y-%m-%d}",
        "sessions": each.sessions,
    }
    return result | ({"suggested_by": each.agent} if each.agent else {})


def _score(learner: Learner, call: tools.Score, place: Path, _: str) -> ToolResult:
    late, early = learner.praise.scores(place, days=call.days)
    return {"last": _score_fields(late), "before": _score_fields(early), "says": "Counted in the agents' own logs."}


def _score_fields(score: Score) -> ToolResult:
    result: ToolResult = {"since": f"{score.since:%Y-%m-%d}", "until": f"{score.until:%Y-%m-%d}"}
    result |= {name: value for name, value in structs.asdict(score).items() if name not in result}
    shares = {"corrections_per_turn": score.correction_rate, "failures_per_call": score.failure_rate}
    return result | {name: round(share, 3) for name, share in shares.items() if share is not None}


def _remember(learner: Learner, call: tools.Remember, place: Path, agent: str) -> ToolResult:
    proposal = learner.proposals.suggest(call.text, place, agent=agent, note=call.reason)
    return _proposal_fields(proposal) | {"says": _WAITING_NOTE}


def _log(learner: Learner, call: tools.Log, place: Path, agent: str) -> ToolResult:
    proposal = learner.proposals.suggest(call.text, place, kind=call.kind, agent=agent, note=call.reason)
    return _proposal_fields(proposal) | {"kind": call.kind, "says": _WAITING_NOTE}


def _point(learner: Learner, call: tools.Point, place: Path, agent: str) -> ToolResult:
    here = learner.contexts.key_of(place)
    if not learner.feedback.consent.is_given:
        raise UsageError(NOT_ALLOWED)
    if not here:
        raise UsageError("This is not a project, so no turn is open here.")
    if call.turn.upper().startswith(("LRN-", "FEAT-")):
        proposal = learner.proposals.suggest_wording(call.turn, call.wording, agent=agent, context=here)
        return _proposal_fields(proposal) | {"says": _WAITING_NOTE}
    claim = msgspec.convert(structs.asdict(call), TurnClaim)
    outcome = learner.feedback.settlement.accept_answer(claim, here, agent=agent_name(agent))
    return {"outcome": outcome.outcome.value, "entries": outcome.entries, "waits": bool(outcome.proposal)}


def _forget(learner: Learner, call: tools.Forget, place: Path, _: str) -> ToolResult:
    here = learner.contexts.key_of(place) or NOWHERE
    found = [
        each for scope in (here, EVERYWHERE) for each in learner.forgetting.forget(call.what, scope=scope, dry_run=True)
    ]
    things = {
        (thing.kind, thing.id): {"kind": thing.kind, "id": thing.id, "where": thing.where} | _clip(thing.text)
        for each in found
        if each.scope in (here, EVERYWHERE)
        for thing in visible_items(learner, each.things)
    }
    return {
        "would_be_forgotten": [*things.values()][:_MAX_ITEMS],
        "more": max(0, len(things) - _MAX_ITEMS),
        "says": "Nothing was deleted, and you cannot delete anything. To delete it in this project, the user must type "
        f"exactly: forget {call.what} (and if asked to confirm: yes forget {call.what}), or run `wisen forget`.",
    }


def _clip(text: str) -> ToolResult:
    return {"text": text} if len(text) <= _MAX_TEXT else {"text": text[:_MAX_TEXT], "cut": len(text) - _MAX_TEXT}


_ANSWERS: dict[str, Callable[[Learner, Any, Path, str], ToolResult]] = {
    "recall": _recall,
    "context": _context,
    "rules": _rules,
    "fixes": _fixes,
    "explain": _explain,
    "proposals": _proposals,
    "score": _score,
    "remember": _remember,
    "log": _log,
    "forget": _forget,
    "point": _point,
}
