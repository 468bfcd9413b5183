"""What the client does at each event: what it tells the agent, what it notes down, and when it wakes a cycle."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found,unused-ignore]  # the part in C: `signal` makes enums first
import os
import sys

from .hook_output import PATIENCE, print_answer, set_limits, set_usual_limits, without_name, wrapped
from .hook_shelf import GEMINI, USUAL, Shelf
from .lean_json import loads
from .switch import is_off_by_project, place_is_off, session_is_off

EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "failure": "PostToolUseFailure",
    "before-call": "PreToolUse",
    "after-call": "PostToolUse",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
"""Our names of the events, and the agents'."""
_RELEVANT = 2
"""How many words a rule and a prompt must share, where it has so many."""
_MOST = 3
"""How many lines a prompt is told at most that the user did not ask for."""
_RANKS = ((1, "rules"), (3, "said"))
"""As in `arbitrating.py`, which is loaded where there is something to choose."""
_MOST_ASKED = 12
"""How many questions about what is to be forgotten a session remembers."""

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest
if TYPE_CHECKING:
    from .hook_asking import ChatRequest

Payload = dict[str, object]
Coins = dict[str, list[tuple[str, float]]]
"""As in `tossing.py`, which is loaded where something is on trial."""


Found = tuple[str, str, list[str], Coins]
"""The digest of a snapshot, a text, the ids of what it holds, and what coins said."""
_NOTHING: Found = ("", "", [], {})


class TimeUp(Exception):
    """The agent has waited long enough."""


class Misused(Exception):
    """The program was called in a way that it does not know."""


def run(arguments: list[str]) -> None:
    """Answer the event that the arguments name, and leave a sign of life. What fails is told by its kind alone."""
    home, agent, event = _options(arguments)
    if not os.path.isdir(home):
        return  # it was taken away: nothing of ours comes back by itself
    shelf, off = Shelf(home, agent, "none"), session_is_off()
    try:
        payload = _payload()
        session = payload.get("session_id")
        shelf = Shelf(home, agent, session if isinstance(session, str) and session else "none")
        for each in (_signal.SIGPROF, _signal.SIGALRM):
            _signal.signal(each, _stop)
        set_usual_limits()
        if off:
            shelf.switch_off()
            off = not is_off_by_project(payload)
        off = off or place_is_off(payload, shelf.snapshots.off_places(), home)
        if off:
            return
        answer(event, payload, shelf)
        shelf.beat(event)
    except Exception as error:  # noqa: BLE001 - the agent's turn goes on; what it was is told at the next start
        set_limits(0, 0)
        if not off:
            shelf.failed(event, type(error).__name__)


def answer(event: str, payload: Payload, shelf: Shelf) -> None:
    if event in ("stop", "session-end"):
        from .waking import wake

        wake(shelf.home, at_once=event == "session-end")
        return
    if event == "before-call":
        from .beside_calls import before_call

        before_call(payload, shelf)
        return
    name, told = EVENTS[event], list[str]()
    if event == "after-call":
        from .beside_calls import after_call

        told, failure = after_call(payload, shelf)
        if failure is None:
            if told:
                print_answer(name, "\n".join(told), shelf)
            return
        event, payload = "failure", failure
    if shelf.agent == GEMINI:
        from .gemini import is_unheard, typed

        if is_unheard(event, payload):
            shelf.write_pin({"unsaid": True})
            return
        payload = typed(payload)
    # Where nothing can be remembered, only the first start of a session tells what is wrong.
    trouble = shelf.trouble(first=payload.get("source") in (None, "startup")) if event == "session-start" else ""
    told += [wrapped([trouble])] if trouble else []
    if event in ("session-start", "prompt"):
        from .replying import replies_for

        begins = str(payload.get("cwd", "")) if event == "session-start" else ""
        said = replies_for(shelf, begins)
        told += [wrapped(["Tell the user once what came of what they typed to wisen:", *said])] if said else []
    pin, found = Payload(), _NOTHING
    try:
        # A session that was cleared may go on under its old name: it was told nothing yet.
        pin = {} if payload.get("source") == "clear" else shelf.pin()
        if payload.get("source") == "compact" and (pin.get("moments") or pin.get("spent")):
            from .reminding import pin_after_summary

            pin = pin_after_summary(pin)
            shelf.write_pin(pin)
        found = _found(event, payload, shelf, pin)
        told = [found[1], *told] if found[1] else told
    finally:
        if told:
            print_answer(name, "\n".join(told), shelf)
    _remember(event, shelf, pin, found)


def _remember(event: str, shelf: Shelf, pin: Payload, found: Found) -> None:
    """Pin and note down what a session was told."""
    digest, text, ids, coins = found
    before = _texts(pin.get("told"))
    if ids or coins or (digest and pin.get("digest") != digest):
        now = shelf.pin() if event == "prompt" else pin  # what the user lifts stands in it already
        now.pop("unsaid", None)
        tossed = {"withheld": [id_ for id_, _ in coins["withheld"]]} if coins else {}
        new = [each for each in ids if each not in before]
        spent = {}
        if new and event != "session-start":
            from .arbitrating import spent_with

            spent = {"spent": spent_with(now, text)}
        shelf.write_pin({**now, **tossed, **spent, "digest": digest, "told": [*before, *new]})
    for arm, thrown in coins.items():
        if thrown:
            shelf.spool("coin", ids=[id_ for id_, _ in thrown], arm=arm, chances=[share for _, share in thrown])
    if ids:
        shelf.spool(event, ids=ids, arm="given")


def _found(event: str, payload: Payload, shelf: Shelf, pin: Payload) -> Found:
    """What there is to tell: the digest of the snapshot it comes from, the text, and the ids of what it holds.

    With what the coins of the session say, where they are thrown now.
    """
    cwd = payload.get("cwd")
    digest, snapshot = shelf.snapshots.snapshot(pin, cwd if isinstance(cwd, str) else "")
    if not snapshot:
        return digest, "", [], {}
    thrown: Coins = {}
    if "trials" in snapshot:
        snapshot, thrown = _on_trial(snapshot, shelf, pin)
    tells = _at_first_prompt if event == "prompt" and pin.get("unsaid") else _TELLS[event]
    text, ids = tells(payload, snapshot, shelf, _texts(pin.get("told")))
    return digest, text, ids, thrown


def _on_trial(snapshot: Payload, shelf: Shelf, pin: Payload) -> tuple[Payload, Coins]:
    """A snapshot without what the coins of the session withhold, and the coins, where they are thrown now."""
    from .tossing import coins, without

    thrown = {} if "withheld" in pin else coins(snapshot, shelf.salt(), shelf.session)
    withheld = [id_ for id_, _ in thrown["withheld"]] if thrown else _texts(pin.get("withheld"))
    if not withheld or not (thrown or shelf.snapshots.welcomes(str(snapshot["context"]))):
        return snapshot, thrown
    left, inside = without(snapshot, withheld)
    return _with_block(left, inside), thrown


def _with_block(snapshot: Payload, inside: list[str] | None) -> Payload:
    """A snapshot with what is left of its block, where lines were taken out."""
    if inside is None:
        return snapshot
    return {**snapshot, "block": wrapped(inside) if _texts(snapshot.get("block_ids")) else ""}


def _at_start(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """The block; not again where the session goes on with what it was told, and always after that was summed up.

    An agent that makes its prompt anew for each turn asks for it again, and is told nothing new by it.
    """
    source, ids = payload.get("source"), _texts(snapshot.get("block_ids"))
    if source == "resume" and set(ids) <= set(before):
        return "", []
    if snapshot.get("once"):
        from .block_lines import without_repeated

        snapshot = _with_block(*without_repeated(snapshot, shelf.home, shelf.session, source))
        ids = _texts(snapshot.get("block_ids"))
    block = str(snapshot.get("block") or "")
    told = [each for each in ids if source != "again" or each not in before]
    head, asked = shelf.snapshots.turns(str(payload.get("cwd", "")))
    if asked:
        from .asked_turns import questions_for

        new = questions_for(shelf.home, shelf.agent, shelf.session, asked, source)
        told += [each for each in new if each not in before]
        lines = [head, *(line for id_, line in asked if id_ in new)] if new else []
        block = _with_lines(block, lines)
    return block, told


def _with_lines(block: str, lines: list[str]) -> str:
    """A block with more lines at its end, inside its marks."""
    if not lines or not block:
        return wrapped(lines) if lines else block
    inside, _, end = block.rpartition("\n")
    return "\n".join([inside, without_name(lines), end])


def _at_prompt(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """What the user asked of wisen, and whatever matters to their prompt that the session was not told yet."""
    from .hook_asking import answer, read_request, recall_query, request_table, stats

    prompt = payload.get("prompt")
    if not isinstance(prompt, str):
        return "", []
    table = request_table(snapshot, shelf)
    asked = read_request(prompt, table)
    kind, of = asked.kind, asked.target
    if kind == "stats":
        return wrapped([stats(*shelf.snapshots.figures(str(payload.get("cwd", ""))))]), []
    if kind in ("forget", "confirm"):
        text, id_ = _forgetting(asked, snapshot, table, shelf), ""
    else:
        text, id_ = answer(asked, snapshot, table) if kind else ("", "")
    if text:
        if id_:
            shelf.spool("wish", ids=[id_], kind=kind, of=of)
        if id_ and kind == "overrule":
            pin = shelf.pin()
            shelf.write_pin({**pin, "overruled": [*_texts(pin.get("overruled")), id_]})
        if kind == "improve":
            from .waking import wake

            wake(shelf.home, at_once=True, quick=False)
        return wrapped([text]), []
    found = _called_up(prompt, payload, snapshot, shelf, before)
    question = recall_query(prompt, table)
    if question is not None:
        from .recalling import WORK, recall_lines

        set_limits(WORK, PATIENCE)
        lines = recall_lines(shelf.home, str(snapshot["context"]), question, local=shelf.snapshots.tells_local())
        found += [each for each in lines if each[0] not in before]
    ids = [id_ for id_, _ in found]
    return (wrapped(["From earlier sessions:", *(text for _, text in found)]), ids) if found else ("", [])


def _forgetting(asked: ChatRequest, snapshot: Payload, table: Payload, shelf: Shelf) -> str:
    """What to tell about what is to be forgotten; noted are digests, for the agent's log has the words."""
    from .hook_forgetting import answer_forgetting, digest

    pin, salt = shelf.pin(), shelf.salt()
    before = _texts(pin.get("asked"))
    text, is_noted, questions = answer_forgetting(asked, snapshot, table, before, salt)
    if is_noted:
        shelf.spool("wish", ids=["typed"], kind=asked.kind, of=digest(asked.target, salt))
    if questions:
        shelf.write_pin({**pin, "asked": [*before, *questions][-_MOST_ASKED:]})
    return text


def _at_first_prompt(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """The block that could not be told at the start, and what matters to the prompt."""
    block, ids = _at_start({"cwd": payload.get("cwd", "")}, snapshot, shelf, before)
    text, more = _at_prompt(payload, snapshot, shelf, [*before, *ids])
    return "\n".join(filter(None, (block, text))), [*ids, *more]


def _at_failure(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """The known fixes of a failure, each once in a session."""
    from .fixing import fixes_for

    known = [each for each in fixes_for(payload, snapshot, shelf) if not set(_texts(each["ids"])) & set(before)]
    if not known:
        return "", []
    from .arbitrating import FIX, chosen

    candidates = [(FIX, str(number), str(each["text"])) for number, each in enumerate(known)]
    found = chosen(candidates, snapshot.get("budget"), shelf.pin().get("spent"), len(known))
    ids = [id_ for number, _ in found for id_ in _texts(known[int(number)]["ids"])]
    return (wrapped([text for _, text in found]), ids) if found else ("", [])


_TELLS = {"session-start": _at_start, "prompt": _at_prompt, "failure": _at_failure}


def _called_up(
    prompt: str, payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]
) -> list[tuple[str, str]]:
    """Rules that share words with a prompt and lessons whose moment it is, as far as the arbiter lets them."""
    candidates, pin = _relevant(prompt, snapshot, before), shelf.pin()
    moments: list[tuple[int, str, str]] = []
    if shelf.snapshots.has_moments():
        from .reminding import moments_at_prompt

        moments = moments_at_prompt(prompt, payload, shelf, pin)
    if not candidates and not moments:
        return []
    from .arbitrating import chosen

    found = chosen([*candidates, *moments], snapshot.get("budget"), pin.get("spent"), _MOST)
    told = {id_ for id_, _ in found}.intersection(id_ for _, id_, _ in moments)
    if told:
        shelf.write_pin({**pin, "moments": [*_texts(pin.get("moments")), *sorted(told)]})
    return found


def _relevant(prompt: str, snapshot: Payload, before: list[str]) -> list[tuple[int, str, str]]:
    """Rules that the block had no room for and that share words with a prompt, as candidates for the arbiter."""
    words = {word.strip("\"'`.,;:!?()[]{}<>*") for word in prompt.casefold().split()}
    found: list[tuple[int, int, str, str]] = []
    for rank, name in _RANKS:
        members = snapshot.get(name)
        for each in members if isinstance(members, list) else ():
            own = _texts(each["words"])
            shared = len(words.intersection(own))
            if shared >= min(_RELEVANT, len(own)) > 0 and each["id"] not in before:
                found.append((-shared, rank, str(each["id"]), str(each["text"])))
    return [(rank, id_, text) for _, rank, id_, text in sorted(found)[:_MOST]]


def _options(arguments: list[str]) -> tuple[str, str, str]:
    home, agent, event = "", USUAL, ""
    rest = iter(arguments)
    for each in rest:
        if each == "--home":
            home = next(rest, "")
        elif each == "--agent":
            agent = next(rest, agent)
        else:
            event = each
    if event not in EVENTS or not home:
        sys.stderr.write(f"usage: wisen-hook --home HOME [--agent NAME] {'|'.join(EVENTS)} <event.json\n")
        raise Misused
    return home, agent, event


def _payload() -> Payload:
    pieces = []
    while piece := os.read(0, 1 << 16):
        pieces.append(piece)
    value = loads(b"".join(pieces).decode("utf-8", "replace"))
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _stop(number: int, frame: object) -> None:
    raise TimeUp
