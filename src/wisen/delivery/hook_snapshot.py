"""Encodes snapshots: all that a hook may need in one context, in bytes that depend on the ledger's content only."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.block import build_block
from wisen.delivery.reminders import budget_of
from wisen.delivery.turn_questions import HEAD, select_questions
from wisen.model.place import PLACE_ALIASES
from wisen.model.short_ids import short_id
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.delivery.block import Block, BlockContent, DeliveredLine, PendingQuestion
    from wisen.delivery.remedies import Remedy
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.turn_questions import TurnQuestion

VERSION = 1
_WORD = lazy_regex(r"[\w-]{3,}")
_COMMON = frozenset(
    "about after again all also always and any are before both but can did does doesn don done each every for from get "
    "had has have her here his how instead into its just let like make more most must need never new not now off one "
    "only other our out over please rather run same see set should some such than that the their them then there these "
    "they this those too two under use used user uses using very want was way what when where which while who why will "
    "with without would yes yet you your".split()
)


class ClientTables(NamedTuple):
    """Tables by which the hook client recognizes failures, and requests in the chat."""

    complaints: Mapping[str, object]
    cut: Sequence[int]
    """How much of failed calls' output and arguments is kept: the hook compares texts of the same length as learned."""
    requests: Mapping[str, object]
    """The phrases by which the user makes requests to wisen in the chat."""


class TrialAssignments(NamedTuple):
    """What is on trial, and where."""

    contexts: frozenset[str]
    """The contexts in which the user agreed to experiments."""
    chances: Mapping[str, float]
    """The probability with which a session gets each thing on trial, by its id and version."""
    holdout: float = 0.0
    """The share of sessions that get nothing on trial."""
    reminders: Mapping[str, Sequence[str]] = {}
    """By context, the ids of reminders that are on trial."""


class SnapshotSet(NamedTuple):
    """What hooks read: snapshots by digest, and the page that says which one applies where."""

    files: dict[str, bytes]
    places: list[tuple[str, str]]
    contexts: dict[str, str]
    everywhere: str
    sheets: dict[str, str]
    """The guard sheet of each context that has guards of its own; "" for the global guards."""
    counts: Mapping[str, Mapping[str, int]]
    """How many rules, guards etc. there are, by context; "" for the global ones."""
    blocks: dict[str, str]
    """What a file tells every session of a context: nothing on trial, and nothing that is delivered or asked once."""
    trial_contexts: tuple[str, ...] = ()
    """The contexts in which the user agreed to experiments; "" for places outside any context."""
    reminders: Mapping[str, str] = {}
    """The reminder sheet of each context; "" for places outside any context."""
    by_agent: Mapping[str, Mapping[str, str]] = {}
    """By agent, the snapshots of contexts in which it reads other files than the rest, and so needs other lines."""
    questions: Mapping[str, Sequence[tuple[str, str]]] = {}
    """By context, what the user's agent is asked to classify: ids and lines. Not pinned: a no ends it at once."""
    local: bool = False
    """Whether the user allows delivering what was typed to models on their own machine."""
    workflows: Mapping[str, str] = {}
    """The sheet of workflow hints of each context that has some."""

    def with_agent(self, agent: str, other: SnapshotSet) -> SnapshotSet:
        """Return a copy with the snapshots of an agent, where they differ."""
        usual, theirs = ({**each.contexts, "": each.everywhere} for each in (self, other))
        different = {context: digest_ for context, digest_ in theirs.items() if usual.get(context) != digest_}
        return self._replace(files=self.files | other.files, by_agent={**self.by_agent, agent: different})

    def with_guards(self, sheets: Mapping[str, bytes]) -> SnapshotSet:
        """Return a copy with guard sheets, by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, sheets={context: digest(sheets[context]) for context in sorted(sheets)})

    def with_questions(self, questions: Mapping[str, Sequence[TurnQuestion]]) -> SnapshotSet:
        """Return a copy with what agents are asked to classify, by context, as far as it fits the budget."""
        chosen = {
            context: select_questions(each, in_block=bool(self.block(context))) for context, each in questions.items()
        }
        return self._replace(questions={context: lines for context, lines in chosen.items() if lines})

    def with_reminders(self, sheets: Mapping[str, bytes]) -> SnapshotSet:
        """Return a copy with reminder sheets, by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, reminders={context: digest(sheets[context]) for context in sorted(sheets)})

    def with_workflow_hints(self, sheets: Mapping[str, bytes]) -> SnapshotSet:
        """Return a copy with sheets of workflow hints, by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, workflows={context: digest(sheets[context]) for context in sorted(sheets)})

    def with_counts(self, counts: Mapping[str, Mapping[str, int]]) -> SnapshotSet:
        """Return a copy with counts, by context."""
        return self._replace(counts=counts)

    def block(self, context: str) -> str:
        """Return what a session of a context starts with; empty if there is nothing to deliver."""
        return self.blocks.get(context, self.blocks[""])

    def encode_current(self, made_at: datetime, alarms: Sequence[str] = (), off: Sequence[str] = ()) -> bytes:
        """Encode the page that says which snapshot applies where, what is wrong with us, and where we are `off`."""
        turns = {key: [list(each) for each in lines] for key, lines in self.questions.items()}
        optional: dict[str, object] = {
            "trials": list(self.trial_contexts),
            "moments": dict(self.reminders),
            "turns": turns,
            "turns_head": HEAD if turns else "",
            "local": self.local,
            "workflows": dict(self.workflows),
        }
        return _encode(
            {
                "version": VERSION,
                "made": made_at.isoformat(),
                "places": [list(each) for each in self.places],
                "contexts": self.contexts,
                "global": self.everywhere,
                "guards": self.sheets,
                "figures": {context: dict(each) for context, each in self.counts.items()},
                "alarms": list(alarms),
                "off": list(off),
                "agents": {agent: dict(each) for agent, each in self.by_agent.items()},
                **{name: value for name, value in optional.items() if value},
            }
        )


def build_snapshots(
    contents: Mapping[str, BlockContent],
    fixes: Mapping[str, Sequence[Remedy]],
    tables: ClientTables,
    places: Iterable[tuple[str, str]],
    policy: DeliverPolicy,
    assignments: TrialAssignments | None = None,
) -> SnapshotSet:
    """Build the snapshots of all contexts that have something to deliver; `contents` and `fixes` are by context.

    The snapshot of the empty context applies wherever no other does. `assignments` says what is on trial.
    """
    assignments = assignments or TrialAssignments(frozenset(), {})
    complaints = encode_complaints(tables.complaints)
    requests = encode_requests(tables.requests)
    files = {digest(complaints): complaints, digest(requests): requests}
    contexts: dict[str, str] = {}
    blocks: dict[str, str] = {}
    fallback = contents[""]
    for context in sorted({*contents, *fixes, ""}):
        content = contents.get(context, fallback)
        known = fixes.get(context, fixes.get("", ()))
        block = build_block(content, policy)
        names = {"complaints": digest(complaints), "requests": digest(requests), "cut": list(tables.cut)}
        whole = _snapshot(context, content, known, block) | names
        whole["budget"] = budget_of(policy)
        reminder_ids = assignments.reminders.get(context, ())
        encoded = _encode(
            whole | (_trial_keys(block, known, assignments, reminder_ids) if context in assignments.contexts else {})
        )
        # Every session reads the file, so it contains nothing that is on trial, or delivered or asked once.
        blocks[context] = build_block(content._replace(on_trial=(), waiting=(), news=()), policy).text
        contexts[context] = digest(encoded)
        files[digest(encoded)] = encoded
    everywhere = contexts.pop("")
    known_places = sorted({path: context for path, context in places if context in contexts}.items())
    return SnapshotSet(files, known_places, contexts, everywhere, {}, {}, blocks, tuple(sorted(assignments.contexts)))


def _trial_keys(
    block: Block, fixes: Sequence[Remedy], assignments: TrialAssignments, reminders: Sequence[str]
) -> dict[str, object]:
    """Return the snapshot keys for what is randomized in a context; empty if nothing is on trial."""
    ids = [id_ for id_, _ in block.on_trial] + [id_ for each in fixes for id_ in each.ids] + [*reminders]
    trials = {id_: assignments.chances[id_] for id_ in ids if id_ in assignments.chances}
    if not trials:
        return {}
    tried = [list(each) for each in block.on_trial]
    return {"trials": trials, "tried": tried, "title": block.title, "holdout": assignments.holdout}


def digest(content: bytes) -> str:
    """Return the name under which content is stored."""
    return blake2b(content, digest_size=16).hexdigest()


def encode_requests(table: Mapping[str, object]) -> bytes:
    """Encode the request table for the client: not escaped to ASCII, because most letters are not ASCII."""
    return json.dumps(table, sort_keys=False, separators=(",", ":"), ensure_ascii=False).encode()


def encode_complaints(table: Mapping[str, object]) -> bytes:
    """Encode the known error messages for the client."""
    return _encode(dict(table))


def words_of(text: str) -> list[str]:
    """Return the words by which a rule is matched to a prompt."""
    return sorted(set(_WORD.findall(text.casefold())) - _COMMON)


def _snapshot(context: str, content: BlockContent, fixes: Sequence[Remedy], block: Block) -> dict[str, object]:
    return {
        "version": VERSION,
        "context": context,
        "block": block.text,
        "block_ids": list(block.ids),
        "once": [list(each) for each in block.once],
        "fixes": [each._asdict() for each in fixes],
        "rules": [_encode_line(each) for each in content.rules],
        "filed": [_encode_line(each) for each in content.filed],
        "said": [_encode_line(each) for each in content.stated],
        "waiting": [_encode_question(each) for each in content.waiting],
        "places": PLACE_ALIASES,
    }


def _encode_line(line: DeliveredLine) -> dict[str, object]:
    return {"id": line.exposure_id, "text": line.line, "source": line.source, "words": words_of(line.text)}


@lru_cache(maxsize=4096)  # many are asked in every context
def _encode_question(question: PendingQuestion) -> dict[str, object]:
    fields: dict[str, object] = question._asdict()
    fields["trouble"] = fields.pop("problem")  # the name that the hook client reads
    fields["short"] = short_id(question.id)
    return fields


def _encode(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
