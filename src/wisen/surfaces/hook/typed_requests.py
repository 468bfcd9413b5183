"""Answers and records a request to wisen that the user typed as a prompt."""

from __future__ import annotations

from .chat_answers import answer_request, format_stats, read_request, request_table

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest
if TYPE_CHECKING:
    from .chat_answers import ChatRequest
    from .hook_store import HookStore

Payload = dict[str, object]
_MAX_QUESTIONS = 12
"""How many questions about what to forget a session remembers."""


def answer_typed(prompt: str, payload: Payload, snapshot: Payload, store: HookStore) -> tuple[str, Payload]:
    """Return the answer to a prompt, empty if it is no request to wisen; and the table of requests."""
    table = request_table(snapshot, store)
    request = read_request(prompt, table)
    kind, target = request.kind, request.target
    if kind == "stats":
        return format_stats(*store.snapshots.counts(str(payload.get("cwd", "")))), table
    if kind in ("forget", "confirm"):
        text, id_ = _answer_forget(request, snapshot, table, store), ""
    else:
        text, id_ = answer_request(request, snapshot, table) if kind else ("", "")
    if text:
        if id_:
            store.record("wish", ids=[id_], kind=kind, of=target)
        if id_ and kind == "overrule":
            pin = store.read_pin()
            store.write_pin({**pin, "overruled": [*_texts(pin.get("overruled")), id_]})
        if kind == "improve":
            from .cycle_start import start_cycle

            start_cycle(store.home, at_once=True, quick=False)
    return text, table


def _answer_forget(request: ChatRequest, snapshot: Payload, table: Payload, store: HookStore) -> str:
    """Answer a request to forget; only digests are recorded, because the agent's log has the words."""
    from .forget_answers import answer_forgetting, digest

    pin, salt = store.read_pin(), store.salt()
    before = _texts(pin.get("asked"))
    text, is_recorded, questions = answer_forgetting(request, snapshot, table, before, salt)
    if is_recorded:
        store.record("wish", ids=["typed"], kind=request.kind, of=digest(request.target, salt))
    if questions:
        store.write_pin({**pin, "asked": [*before, *questions][-_MAX_QUESTIONS:]})
    return text


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
