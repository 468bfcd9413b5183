"""Handles each hook event: what is delivered to the agent, what is recorded, and when a cycle is started."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found,unused-ignore]  # the part in C: `signal` makes enums first
import posix
import sys

from .hook_output import escape_name, print_answer, set_limits, set_usual_limits, wrap
from .hook_store import DEFAULT_AGENT, GEMINI, HookStore
from .lean_json import loads
from .lean_paths import is_folder
from .off_checks import is_off_by_project, place_is_off, session_is_off

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

Payload = dict[str, object]
Draws = dict[str, list[tuple[str, float]]]
"""As in `trial_draw.py`, which is loaded only if something is on trial."""


Delivery = tuple[str, str, list[str], Draws]
"""The digest of a snapshot, a text, the ids of its lines, and the results of the draws."""
_NOTHING: Delivery = ("", "", [], {})


class TimeUp(Exception):
    """The agent has waited long enough."""


class UnknownArguments(Exception):
    """The program was called with unknown arguments."""


def run(arguments: list[str]) -> None:
    """Answer the event that the arguments name, and record a heartbeat. A failure is reported by its type only."""
    home, agent, event = _options(arguments)
    if not is_folder(home):
        return  # wisen was removed, and must not come back by itself
    store, off = HookStore(home, agent, "none"), session_is_off()
    try:
        payload = _payload()
        session = payload.get("session_id")
        store = HookStore(home, agent, session if isinstance(session, str) and session else "none")
        for each in (_signal.SIGPROF, _signal.SIGALRM):
            _signal.signal(each, _stop)
        set_usual_limits()
        if off:
            store.record_off()
            off = not is_off_by_project(payload)
        off = off or place_is_off(payload, store.snapshots.off_places(), home)
        if off:
            return
        answer_event(event, payload, store)
        store.record_heartbeat(event)
    except Exception as error:  # noqa: BLE001 - the agent's turn continues; the next start reports it
        set_limits(0, 0)
        if not off:
            store.record_failure(event, type(error).__name__)


def answer_event(event: str, payload: Payload, store: HookStore) -> None:
    if event in ("stop", "session-end"):
        from .cycle_start import start_cycle

        start_cycle(store.home, at_once=event == "session-end")
        return
    if event == "before-call":
        from .call_events import before_call

        before_call(payload, store)
        return
    name, texts = EVENTS[event], list[str]()
    if event == "after-call":
        from .call_events import after_call

        texts, failure = after_call(payload, store)
        if failure is None:
            if texts:
                print_answer(name, "\n".join(texts), store)
            return
        event, payload = "failure", failure
    if store.agent == GEMINI:
        from .gemini import is_discarded, with_typed_prompt

        if is_discarded(event, payload):
            store.write_pin({"unsaid": True})
            return
        payload = with_typed_prompt(payload)
    # If nothing can be written, only the first start of a session reports what is wrong.
    problem = store.problems(first=payload.get("source") in (None, "startup")) if event == "session-start" else ""
    texts += [wrap([problem])] if problem else []
    if event in ("session-start", "prompt"):
        from .request_replies import take_replies

        start_directory = str(payload.get("cwd", "")) if event == "session-start" else ""
        replies = take_replies(store, start_directory)
        texts += [wrap(["Tell the user once what came of what they typed to wisen:", *replies])] if replies else []
    pin, delivery = Payload(), _NOTHING
    try:
        # A session that was cleared may continue under its old id: it has received nothing yet.
        pin = {} if payload.get("source") == "clear" else store.read_pin()
        if payload.get("source") == "compact" and (pin.get("moments") or pin.get("spent")):
            from .call_reminders import pin_after_summary

            pin = pin_after_summary(pin)
            store.write_pin(pin)
        delivery = _build_delivery(event, payload, store, pin)
        texts = [delivery[1], *texts] if delivery[1] else texts
    finally:
        if texts:
            print_answer(name, "\n".join(texts), store)
    _remember(event, store, pin, delivery)


def _remember(event: str, store: HookStore, pin: Payload, delivery: Delivery) -> None:
    """Pin and record what a session received."""
    digest, text, ids, draws = delivery
    before = _texts(pin.get("told"))
    if ids or draws or (digest and pin.get("digest") != digest):
        now = store.read_pin() if event == "prompt" else pin  # it already holds what the user overruled
        now.pop("unsaid", None)
        withheld = {"withheld": [id_ for id_, _ in draws["withheld"]]} if draws else {}
        new = [each for each in ids if each not in before]
        spent = {}
        if new and event != "session-start":
            from .token_budget import spent_with

            spent = {"spent": spent_with(now, text)}
        store.write_pin({**now, **withheld, **spent, "digest": digest, "told": [*before, *new]})
    for arm, drawn in draws.items():
        if drawn:
            store.record("coin", ids=[id_ for id_, _ in drawn], arm=arm, chances=[share for _, share in drawn])
    if ids:
        store.record(event, ids=ids, arm="given")


def _build_delivery(event: str, payload: Payload, store: HookStore, pin: Payload) -> Delivery:
    """Return what to deliver: the digest of the snapshot it comes from, the text, and the ids of its lines.

    Also the results of the session's draws, if they are made now.
    """
    cwd = payload.get("cwd")
    digest, snapshot = store.snapshots.snapshot(pin, cwd if isinstance(cwd, str) else "")
    if not snapshot:
        return digest, "", [], {}
    draws: Draws = {}
    if "trials" in snapshot:
        snapshot, draws = _apply_draws(snapshot, store, pin)
    handler = _at_first_prompt if event == "prompt" and pin.get("unsaid") else _HANDLERS[event]
    text, ids = handler(payload, snapshot, store, _texts(pin.get("told")))
    return digest, text, ids, draws


def _apply_draws(snapshot: Payload, store: HookStore, pin: Payload) -> tuple[Payload, Draws]:
    """Return a snapshot without what the session's draws withhold, and the draws, if they are made now."""
    from .trial_draw import draw, remove_withheld

    draws = {} if "withheld" in pin else draw(snapshot, store.salt(), store.session)
    withheld = [id_ for id_, _ in draws["withheld"]] if draws else _texts(pin.get("withheld"))
    if not withheld or not (draws or store.snapshots.allows_trials(str(snapshot["context"]))):
        return snapshot, draws
    remaining, inside = remove_withheld(snapshot, withheld)
    return _with_block(remaining, inside), draws


def _with_block(snapshot: Payload, inside: list[str] | None) -> Payload:
    """Return a snapshot with the rest of its block, if lines were removed."""
    if inside is None:
        return snapshot
    return {**snapshot, "block": wrap(inside) if _texts(snapshot.get("block_ids")) else ""}


def _at_start(payload: Payload, snapshot: Payload, store: HookStore, before: list[str]) -> tuple[str, list[str]]:
    """Return the start block; not again in a resumed session that has it, and always after a summary.

    An agent that builds its prompt again for each turn asks for it again, and receives nothing new.
    """
    source, ids = payload.get("source"), _texts(snapshot.get("block_ids"))
    if source == "resume" and set(ids) <= set(before):
        return "", []
    if snapshot.get("once"):
        from .block_lines import without_repeated

        snapshot = _with_block(*without_repeated(snapshot, store.home, store.session, source))
        ids = _texts(snapshot.get("block_ids"))
    block = str(snapshot.get("block") or "")
    delivered = [each for each in ids if source != "again" or each not in before]
    head, asked = store.snapshots.turn_questions(str(payload.get("cwd", "")))
    if asked:
        from .asked_turns import questions_for

        new = questions_for(store.home, store.agent, store.session, asked, source)
        delivered += [each for each in new if each not in before]
        lines = [head, *(line for id_, line in asked if id_ in new)] if new else []
        block = _with_lines(block, lines)
    return block, delivered


def _with_lines(block: str, lines: list[str]) -> str:
    """Append lines to a block, inside its marks."""
    if not lines or not block:
        return wrap(lines) if lines else block
    inside, _, end = block.rpartition("\n")
    return "\n".join([inside, escape_name(lines), end])


def _at_prompt(payload: Payload, snapshot: Payload, store: HookStore, before: list[str]) -> tuple[str, list[str]]:
    """Answer a request to wisen, or return what is relevant to the prompt and the session has not received yet."""
    from .prompt_answers import answer_prompt  # other events need none of it

    return answer_prompt(payload, snapshot, store, before)


def _at_first_prompt(payload: Payload, snapshot: Payload, store: HookStore, before: list[str]) -> tuple[str, list[str]]:
    """Return the block that could not be delivered at the start, and what is relevant to the prompt."""
    block, ids = _at_start({"cwd": payload.get("cwd", "")}, snapshot, store, before)
    text, more = _at_prompt(payload, snapshot, store, [*before, *ids])
    return "\n".join(filter(None, (block, text))), [*ids, *more]


def _at_failure(payload: Payload, snapshot: Payload, store: HookStore, before: list[str]) -> tuple[str, list[str]]:
    """Return the known fixes of a failure, each once per session."""
    from .matching_fixes import fixes_for

    known = [each for each in fixes_for(payload, snapshot, store) if not set(_texts(each["ids"])) & set(before)]
    if not known:
        return "", []
    from .token_budget import FIX, select

    candidates = [(FIX, str(number), str(each["text"])) for number, each in enumerate(known)]
    found = select(candidates, snapshot.get("budget"), store.read_pin().get("spent"), len(known))
    ids = [id_ for number, _ in found for id_ in _texts(known[int(number)]["ids"])]
    return (wrap([text for _, text in found]), ids) if found else ("", [])


_HANDLERS = {"session-start": _at_start, "prompt": _at_prompt, "failure": _at_failure}


def _options(arguments: list[str]) -> tuple[str, str, str]:
    home, agent, event = "", DEFAULT_AGENT, ""
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
        raise UnknownArguments
    return home, agent, event


def _payload() -> Payload:
    pieces = []
    while piece := posix.read(0, 1 << 16):
        pieces.append(piece)
    value = loads(b"".join(pieces).decode("utf-8", "replace"))
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _stop(number: int, frame: object) -> None:
    raise TimeUp
