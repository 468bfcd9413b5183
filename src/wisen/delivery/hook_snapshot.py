"""Snapshots: everything that a hook may need in one context, as bytes that are the same whenever the ledger is."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.block import build_block
from wisen.delivery.reminders import budget_of
from wisen.delivery.turn_questions import HEAD, select_questions
from wisen.model.place import SPOKEN
from wisen.model.short_ids import short_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.delivery.block import Block, BlockContent, DeliveredLine
    from wisen.delivery.remedies import Remedy
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.turn_questions import TurnQuestion

VERSION = 1
_WORD = re.compile(r"[\w-]{3,}")
_COMMON = frozenset(
    "about after again all also always and any are before both but can did does doesn don done each every for from get "
    "had has have her here his how instead into its just let like make more most must need never new not now off one "
    "only other our out over please rather run same see set should some such than that the their them then there these "
    "they this those too two under use used user uses using very want was way what when where which while who why will "
    "with without would yes yet you your".split()
)


class ClientTables(NamedTuple):
    """By what failures are told apart, and requests in the chat."""

    complaints: Mapping[str, object]
    cut: Sequence[int]
    """How much is kept of what failed calls say and of their arguments: what a hook sees is as long as what taught."""
    requests: Mapping[str, object]
    """By which forms the user asks something of wisen in the chat."""


class TrialAssignments(NamedTuple):
    """What is on trial, and where."""

    contexts: frozenset[str]
    """The contexts in which experiments are welcome."""
    chances: Mapping[str, float]
    """With which probability a session gets each thing on trial, by its id and version."""
    holdout: float = 0.0
    """The share of sessions that get nothing of it."""
    reminders: Mapping[str, Sequence[str]] = {}
    """By context, what is told when its moment comes and is on trial."""


class SnapshotSet(NamedTuple):
    """What hooks read: snapshots by digest, and the page that says which holds where."""

    files: dict[str, bytes]
    places: list[tuple[str, str]]
    contexts: dict[str, str]
    everywhere: str
    sheets: dict[str, str]
    """The guards of each context that has any of its own; empty for those that hold everywhere."""
    counts: Mapping[str, Mapping[str, int]]
    """How much there is of what, by context; empty for what holds everywhere."""
    blocks: dict[str, str]
    """What a file tells every session of a context: without what is on trial, and what is told or asked once."""
    trial_contexts: tuple[str, ...] = ()
    """The contexts in which experiments are welcome; empty for places of no context."""
    reminders: Mapping[str, str] = {}
    """What is told when its moment comes, by context; empty for places of no context."""
    by_agent: Mapping[str, Mapping[str, str]] = {}
    """By agent, the snapshots of contexts in which it reads other files than the rest, and so is told otherwise."""
    questions: Mapping[str, Sequence[tuple[str, str]]] = {}
    """By context, what the user's agent is asked to sort: ids and lines. It is not pinned: a no ends it at once."""
    local: bool = False
    """Whether the user allows that agents are told what was typed to models on their own machine."""

    def with_agent(self, agent: str, other: SnapshotSet) -> SnapshotSet:
        """The same with what one agent is told otherwise."""
        usual, its = ({**each.contexts, "": each.everywhere} for each in (self, other))
        differ = {context: digest_ for context, digest_ in its.items() if usual.get(context) != digest_}
        return self._replace(files=self.files | other.files, by_agent={**self.by_agent, agent: differ})

    def with_guards(self, sheets: Mapping[str, bytes]) -> SnapshotSet:
        """The same with sheets of guards by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, sheets={context: digest(sheets[context]) for context in sorted(sheets)})

    def with_questions(self, questions: Mapping[str, Sequence[TurnQuestion]]) -> SnapshotSet:
        """The same with what agents are asked to sort, by context, as far as it fits."""
        chosen = {
            context: select_questions(each, in_block=bool(self.block(context))) for context, each in questions.items()
        }
        return self._replace(questions={context: lines for context, lines in chosen.items() if lines})

    def with_reminders(self, sheets: Mapping[str, bytes]) -> SnapshotSet:
        """The same with what is told when its moment comes, by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, reminders={context: digest(sheets[context]) for context in sorted(sheets)})

    def with_counts(self, counts: Mapping[str, Mapping[str, int]]) -> SnapshotSet:
        """The same with how much there is, by context."""
        return self._replace(counts=counts)

    def block(self, context: str) -> str:
        """What a session of a context begins with; empty where there is nothing to tell."""
        return self.blocks.get(context, self.blocks[""])

    def encode_current(self, made: datetime, alarms: Sequence[str] = (), off: Sequence[str] = ()) -> bytes:
        """The page that says which snapshot holds where, what is wrong with us, and where we are switched `off`."""
        turns = {key: [list(each) for each in lines] for key, lines in self.questions.items()}
        some: dict[str, object] = {
            "trials": list(self.trial_contexts),
            "moments": dict(self.reminders),
            "turns": turns,
            "turns_head": HEAD if turns else "",
            "local": self.local,
        }
        return _encode(
            {
                "version": VERSION,
                "made": made.isoformat(),
                "places": [list(each) for each in self.places],
                "contexts": self.contexts,
                "global": self.everywhere,
                "guards": self.sheets,
                "figures": {context: dict(each) for context, each in self.counts.items()},
                "alarms": list(alarms),
                "off": list(off),
                "agents": {agent: dict(each) for agent, each in self.by_agent.items()},
                **{name: value for name, value in some.items() if value},
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
    """The snapshots of every context that there is something to tell in; `matters` and `fixes` by context.

    The one of the empty context holds wherever no other does. `lots` tells what is on trial.
    """
    assignments = assignments or TrialAssignments(frozenset(), {})
    complaints = _encode(dict(tables.complaints))
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
        # A file is read by every session, so it has nothing that is tried, told or asked once.
        blocks[context] = build_block(content._replace(on_trial=(), waiting=(), news=()), policy).text
        contexts[context] = digest(encoded)
        files[digest(encoded)] = encoded
    everywhere = contexts.pop("")
    known_places = sorted({path: context for path, context in places if context in contexts}.items())
    return SnapshotSet(files, known_places, contexts, everywhere, {}, {}, blocks, tuple(sorted(assignments.contexts)))


def _trial_keys(
    block: Block, fixes: Sequence[Remedy], assignments: TrialAssignments, moments: Sequence[str]
) -> dict[str, object]:
    """What the coin is thrown for in a context; nothing where nothing is on trial."""
    ids = [id_ for id_, _ in block.on_trial] + [id_ for each in fixes for id_ in each.ids] + [*moments]
    trials = {id_: assignments.chances[id_] for id_ in ids if id_ in assignments.chances}
    if not trials:
        return {}
    tried = [list(each) for each in block.on_trial]
    return {"trials": trials, "tried": tried, "title": block.title, "holdout": assignments.holdout}


def digest(content: bytes) -> str:
    """The name of a content."""
    return blake2b(content, digest_size=16).hexdigest()


def encode_requests(table: Mapping[str, object]) -> bytes:
    """The table of what users can type, as the client reads it: in letters as they are, for most are not ASCII."""
    return json.dumps(table, sort_keys=False, separators=(",", ":"), ensure_ascii=False).encode()


def words_of(text: str) -> list[str]:
    """The words by which a rule is found to matter to a prompt."""
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
        "waiting": [each._asdict() | {"short": short_id(each.id)} for each in content.waiting],
        "places": SPOKEN,
    }


def _encode_line(line: DeliveredLine) -> dict[str, object]:
    return {"id": line.exposure_id, "text": line.line, "source": line.source, "words": words_of(line.text)}


def _encode(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
