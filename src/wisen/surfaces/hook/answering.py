"""What the client does at each event: what it tells the agent, what it notes down, and when it wakes a cycle."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found,unused-ignore]  # the part in C: `signal` makes enums first
import os
import sys

from .hook_shelf import GEMINI, USUAL, Shelf
from .lean_json import dumps, loads
from .switch import is_off_by_project, place_is_off, session_is_off

LIMIT = 0.08
"""Seconds of work. A good answer takes a tenth of it, and on a busy machine it waits without working."""
PATIENCE = 1.0
"""Seconds after which the agent goes on without us, whatever we wait for."""
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
_MOST_ASKED = 12
"""How many questions about what is to be forgotten a session remembers."""
_DIGITS = "51902"
_NAME = f"wisen{_DIGITS}"

Payload = dict[str, object]
Coins = dict[str, list[tuple[str, float]]]
"""As in `tossing.py`, which is loaded where something is on trial."""


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
        _limit(LIMIT, PATIENCE)
        if off:
            shelf.switch_off()
            off = not is_off_by_project(payload)
        off = off or place_is_off(payload, shelf.snapshots.off_places(), home)
        if off:
            return
        _answer(event, payload, shelf)
        shelf.beat(event)
    except Exception as error:  # noqa: BLE001 - the agent's turn goes on; what it was is told at the next start
        _limit(0, 0)
        if not off:
            shelf.failed(event, type(error).__name__)


def _answer(event: str, payload: Payload, shelf: Shelf) -> None:
    if event in ("stop", "session-end"):
        from .waking import wake

        wake(shelf.home, at_once=event == "session-end")
        return
    if event == "before-call":
        _before_call(payload, shelf)
        return
    name, told = EVENTS[event], list[str]()
    if event == "after-call":
        told, failure = _after_call(payload, shelf)
        if failure is None:
            if told:
                _print(name, told[0], shelf)
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
    told += [_wrapped([trouble])] if trouble else []
    if event in ("session-start", "prompt"):
        from .replying import replies_for

        begins = str(payload.get("cwd", "")) if event == "session-start" else ""
        said = replies_for(shelf, begins)
        told += [_wrapped(["Tell the user once what came of what they typed to wisen:", *said])] if said else []
    pin, digest, ids, coins = Payload(), "", list[str](), Coins()
    try:
        # A session that was cleared may go on under its old name: it was told nothing yet.
        pin = {} if payload.get("source") == "clear" else shelf.pin()
        digest, text, ids, coins = _found(event, payload, shelf, pin)
        told = [text, *told] if text else told
    finally:
        if told:
            _print(name, "\n".join(told), shelf)
    _remember(event, shelf, pin, digest, ids, coins)


def _remember(event: str, shelf: Shelf, pin: Payload, digest: str, ids: list[str], coins: Coins) -> None:
    """Pin and note down what a session was told."""
    before = _texts(pin.get("told"))
    if ids or coins or (digest and pin.get("digest") != digest):
        now = shelf.pin() if event == "prompt" else pin  # what the user lifts stands in it already
        now.pop("unsaid", None)
        tossed = {"withheld": [id_ for id_, _ in coins["withheld"]]} if coins else {}
        new = [each for each in ids if each not in before]
        shelf.write_pin({**now, **tossed, "digest": digest, "told": [*before, *new]})
    for arm, thrown in coins.items():
        if thrown:
            shelf.spool("coin", ids=[id_ for id_, _ in thrown], arm=arm, chances=[share for _, share in thrown])
    if ids:
        shelf.spool(event, ids=ids, arm="given")


def _before_call(payload: Payload, shelf: Shelf) -> None:
    """What guards say to a call; nothing where there are none, or none that fits."""
    from .guarding import ruling

    pin = shelf.pin()
    said = ruling(payload, shelf, pin)
    if said is None:
        return
    warns = said.mode == "warn"
    late = {"late": [*_texts(pin.get("late")), *said.ids]} if warns and shelf.agent == GEMINI else {}
    if not late:
        # What stops a call is read by the user too, and begins with what it says.
        told = _wrapped(said.lines) if warns else _marked_behind(said.lines)
        _print(EVENTS["before-call"], told, shelf, decision="" if warns else said.mode)
    before = _texts(pin.get("told"))
    shelf.write_pin({**pin, **late, "told": [*before, *(each for each in said.ids if each not in before)]})


def _after_call(payload: Payload, shelf: Shelf) -> tuple[list[str], Payload | None]:
    """What could not be told before a call, and the event as one of a failed call, where it failed."""
    if shelf.agent != GEMINI:
        from .hook_outcomes import failure_in

        return [], failure_in(payload)
    from .gemini import failure_in as gemini_failure_in

    told, pin = list[str](), shelf.pin()
    if late := _texts(pin.get("late")):  # it hears what is said before a call only where the call is stopped
        from .guarding import warning

        lines, ids = warning(payload, shelf, late)
        told = [_wrapped(lines)] if ids else []
        shelf.write_pin({**pin, "late": [each for each in late if each not in ids]})
    return told, gemini_failure_in(payload)


def _found(event: str, payload: Payload, shelf: Shelf, pin: Payload) -> tuple[str, str, list[str], Coins]:
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
    return {**snapshot, "block": _wrapped(inside) if _texts(snapshot.get("block_ids")) else ""}


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
        return _wrapped(lines) if lines else block
    inside, _, end = block.rpartition("\n")
    return "\n".join([inside, _without_name(lines), end])


def _at_prompt(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """What the user asked of wisen, and whatever matters to their prompt that the session was not told yet."""
    from .hook_asking import answer, stats, wish_in

    prompt = payload.get("prompt")
    if not isinstance(prompt, str):
        return "", []
    kind, of = wish_in(prompt, snapshot)
    if kind == "stats":
        return _wrapped([stats(*shelf.snapshots.figures(str(payload.get("cwd", ""))))]), []
    if kind in ("forget", "confirm"):
        return _wrapped([_forgetting(kind, of, snapshot, shelf)]), []
    text, id_ = answer(kind, of, snapshot) if kind else ("", "")
    if text:
        if id_:
            shelf.spool("wish", ids=[id_], kind=kind, of=of)
        if id_ and kind == "overrule":
            pin = shelf.pin()
            shelf.write_pin({**pin, "overruled": [*_texts(pin.get("overruled")), id_]})
        if kind == "improve":
            from .waking import wake

            wake(shelf.home, at_once=True, quick=False)
        return _wrapped([text]), []
    found = _relevant(prompt, snapshot, before)
    from .recalling import WORK, recall_lines

    _limit(WORK, PATIENCE)
    found += [each for each in recall_lines(shelf.home, str(snapshot["context"]), prompt) if each[0] not in before]
    ids = [id_ for id_, _ in found]
    return (_wrapped(["From earlier sessions:", *(text for _, text in found)]), ids) if found else ("", [])


def _forgetting(kind: str, of: str, snapshot: Payload, shelf: Shelf) -> str:
    """What to tell about what is to be forgotten; noted are digests, for the agent's log has the words."""
    from .hook_forgetting import answer_forgetting, digest

    pin, salt = shelf.pin(), shelf.salt()
    before = _texts(pin.get("asked"))
    text, is_noted, asked = answer_forgetting(kind, of, snapshot, before, salt)
    if is_noted:
        shelf.spool("wish", ids=["typed"], kind=kind, of=digest(of, salt))
    if asked:
        shelf.write_pin({**pin, "asked": [*before, *asked][-_MOST_ASKED:]})
    return text


def _at_first_prompt(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """The block that could not be told at the start, and what matters to the prompt."""
    block, ids = _at_start({"cwd": payload.get("cwd", "")}, snapshot, shelf, before)
    text, more = _at_prompt(payload, snapshot, shelf, [*before, *ids])
    return "\n".join(filter(None, (block, text))), [*ids, *more]


def _at_failure(payload: Payload, snapshot: Payload, shelf: Shelf, before: list[str]) -> tuple[str, list[str]]:
    """The known fixes of a failure, each once in a session."""
    from .fixing import fixes_for

    found = [each for each in fixes_for(payload, snapshot, shelf) if not set(_texts(each["ids"])) & set(before)]
    ids = [id_ for each in found for id_ in _texts(each["ids"])]
    return (_wrapped([str(each["text"]) for each in found]), ids) if found else ("", [])


_TELLS = {"session-start": _at_start, "prompt": _at_prompt, "failure": _at_failure}


def _relevant(prompt: str, snapshot: Payload, before: list[str]) -> list[tuple[str, str]]:
    """Rules that the block had no room for and that share words with a prompt."""
    words = {word.strip("\"'`.,;:!?()[]{}<>*") for word in prompt.casefold().split()}
    found: list[tuple[int, str, str]] = []
    for name in ("rules", "said"):
        members = snapshot.get(name)
        for each in members if isinstance(members, list) else ():
            own = _texts(each["words"])
            shared = len(words.intersection(own))
            if shared >= min(_RELEVANT, len(own)) > 0 and each["id"] not in before:
                found.append((-shared, str(each["id"]), str(each["text"])))
    return [(id_, text) for _, id_, text in sorted(found)[:_MOST]]


def _print(name: str, text: str, shelf: Shelf, *, decision: str = "") -> None:
    """Answer an event, by the name that the agent has for it."""
    from .sealing import sealed

    text = sealed(text, shelf.salt(), shelf.agent, shelf.session)
    told = (
        {"permissionDecision": decision, "permissionDecisionReason": text} if decision else {"additionalContext": text}
    )
    answer: Payload = {"hookSpecificOutput": {"hookEventName": name, **told}}
    if decision and shelf.agent == GEMINI:
        answer = {"decision": decision, "reason": text}
    rest = dumps(answer).encode("ascii")
    _limit(0, 0)  # half an answer is worse than a late one
    while rest:
        rest = rest[os.write(1, rest) :]
    _limit(LIMIT, PATIENCE)


def _wrapped(lines: list[str]) -> str:
    """Lines between the marks that every reader of ours takes out again; `safety/sentinel.py` knows them."""
    return f"<{_NAME}> {_without_name(lines)}\n</{_NAME}>"


def _marked_behind(lines: list[str]) -> str:
    """Lines with one mark behind them, for what a person reads as well."""
    inside = _without_name(lines)
    many = sum(1 for line in inside.split("\n") if line.strip(" \t\r>"))
    return f"{inside}\n<{_NAME} {min(max(many, 1), 99)}/>"


def _without_name(lines: list[str]) -> str:
    inside = "\n".join(lines)
    position = inside.find(_DIGITS)
    while position >= 0:
        if inside[max(0, position - 5) : position].lower() == "wisen":
            inside = f"{inside[:position]} {inside[position:]}"
        position = inside.find(_DIGITS, position + len(_DIGITS))
    return inside


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


def _limit(work: float, wait: float) -> None:
    _signal.setitimer(_signal.ITIMER_PROF, work)
    _signal.setitimer(_signal.ITIMER_REAL, wait)


def _stop(number: int, frame: object) -> None:
    raise TimeUp
