"""Answers a prompt: a request to wisen, or rules, reminders, a workflow and memories that are relevant to it."""

from __future__ import annotations

from .hook_output import PATIENCE, set_limits, wrap
from .prompt_hints import hints_without_request, recall_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook_store import HookStore

_RELEVANT = 2
"""How many words a rule and a prompt must share, if the rule has that many."""
_MAX_LINES = 3
"""How many lines a prompt gets at most that the user did not ask for."""
_RANKS = ((1, "rules"), (3, "said"))
"""As in `token_budget.py`, which is loaded only if there is something to choose."""

Payload = dict[str, object]


def answer_prompt(payload: Payload, snapshot: Payload, store: HookStore, before: list[str]) -> tuple[str, list[str]]:
    """Answer a request to wisen, or return what is relevant to the prompt and the session has not received yet."""
    prompt = payload.get("prompt")
    if not isinstance(prompt, str):
        return "", []
    table = hints_without_request(prompt, snapshot)
    if table is None:
        from .typed_requests import answer_typed

        text, table = answer_typed(prompt, payload, snapshot, store)
        if text:
            return wrap([text]), []
    found = _relevant_lines(prompt, payload, snapshot, store, before)
    question = recall_query(prompt, table)
    if question is not None:
        from .recall import WORK, recall_lines

        set_limits(WORK, PATIENCE)
        lines = recall_lines(
            store.home, str(snapshot["context"]), question, local=store.snapshots.delivers_local_words()
        )
        found += [each for each in lines if each[0] not in before]
    ids = [id_ for id_, _ in found]
    return (wrap(["From earlier sessions:", *(text for _, text in found)]), ids) if found else ("", [])


def _relevant_lines(
    prompt: str, payload: Payload, snapshot: Payload, store: HookStore, before: list[str]
) -> list[tuple[str, str]]:
    """Return rules, reminders and a workflow that fit a prompt, as far as the budget allows."""
    candidates, pin = _relevant_rules(prompt, snapshot, before), store.read_pin()
    reminders: list[tuple[int, str, str]] = []
    if store.snapshots.has_sheets("moments"):
        from .call_reminders import reminders_at_prompt

        reminders = reminders_at_prompt(prompt, payload, store, pin)
    if store.snapshots.has_sheets("workflows"):
        from .prompt_workflows import hints_at_prompt

        candidates += hints_at_prompt(prompt, payload.get("cwd"), store, before)
    if not candidates and not reminders:
        return []
    from .token_budget import select

    found = select([*candidates, *reminders], snapshot.get("budget"), pin.get("spent"), _MAX_LINES)
    delivered = {id_ for id_, _ in found}.intersection(id_ for _, id_, _ in reminders)
    if delivered:
        store.write_pin({**pin, "moments": [*_texts(pin.get("moments")), *sorted(delivered)]})
    return found


def _relevant_rules(prompt: str, snapshot: Payload, before: list[str]) -> list[tuple[int, str, str]]:
    """Return rules that did not fit into the block and share words with a prompt, as candidates."""
    words = {word.strip("\"'`.,;:!?()[]{}<>*") for word in prompt.casefold().split()}
    found: list[tuple[int, int, str, str]] = []
    for rank, name in _RANKS:
        members = snapshot.get(name)
        for each in members if isinstance(members, list) else ():
            rule_words = _texts(each["words"])
            shared = len(words.intersection(rule_words))
            if shared >= min(_RELEVANT, len(rule_words)) > 0 and each["id"] not in before:
                found.append((-shared, rank, str(each["id"]), str(each["text"])))
    return [(rank, id_, text) for _, rank, id_, text in sorted(found)[:_MAX_LINES]]


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
