"""Snapshots: everything that a hook may need in one context, as bytes that are the same whenever the ledger is."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.block import block_of
from wisen.delivery.told_moments import budget_of
from wisen.delivery.turn_questions import HEAD, choose_questions
from wisen.model.place import SPOKEN
from wisen.model.short_ids import short_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.delivery.block import Block, Matter, TellLine
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


class Signs(NamedTuple):
    """By what failures are told apart, and requests in the chat."""

    complaints: Mapping[str, object]
    cut: Sequence[int]
    """How much is kept of what failed calls say and of their arguments: what a hook sees is as long as what taught."""
    requests: Mapping[str, object]
    """By which forms the user asks something of wisen in the chat."""


class Lots(NamedTuple):
    """What is on trial, and where."""

    welcome: frozenset[str]
    """The contexts in which experiments are welcome."""
    chances: Mapping[str, float]
    """With which probability a session gets each thing on trial, by its id and version."""
    holdout: float = 0.0
    """The share of sessions that get nothing of it."""
    moments: Mapping[str, Sequence[str]] = {}
    """By context, what is told when its moment comes and is on trial."""


class Published(NamedTuple):
    """What hooks read: snapshots by digest, and the page that says which holds where."""

    files: dict[str, bytes]
    places: list[tuple[str, str]]
    contexts: dict[str, str]
    everywhere: str
    sheets: dict[str, str]
    """The guards of each context that has any of its own; empty for those that hold everywhere."""
    figures: Mapping[str, Mapping[str, int]]
    """How much there is of what, by context; empty for what holds everywhere."""
    blocks: dict[str, str]
    """What a file tells every session of a context: without what is on trial, and what is told or asked once."""
    welcome: tuple[str, ...] = ()
    """The contexts in which experiments are welcome; empty for places of no context."""
    moments: Mapping[str, str] = {}
    """What is told when its moment comes, by context; empty for places of no context."""
    own: Mapping[str, Mapping[str, str]] = {}
    """By agent, the snapshots of contexts in which it reads other files than the rest, and so is told otherwise."""
    turns: Mapping[str, Sequence[tuple[str, str]]] = {}
    """By context, what the user's agent is asked to sort: ids and lines. It is not pinned: a no ends it at once."""
    local: bool = False
    """Whether the user allows that agents are told what was typed to models on their own machine."""

    def beside(self, agent: str, other: Published) -> Published:
        """The same with what one agent is told otherwise."""
        usual, its = ({**each.contexts, "": each.everywhere} for each in (self, other))
        differ = {context: digest_ for context, digest_ in its.items() if usual.get(context) != digest_}
        return self._replace(files=self.files | other.files, own={**self.own, agent: differ})

    def guarded(self, sheets: Mapping[str, bytes]) -> Published:
        """The same with sheets of guards by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, sheets={context: digest(sheets[context]) for context in sorted(sheets)})

    def asking(self, questions: Mapping[str, Sequence[TurnQuestion]]) -> Published:
        """The same with what agents are asked to sort, by context, as far as it fits."""
        chosen = {
            context: choose_questions(each, in_block=bool(self.block(context))) for context, each in questions.items()
        }
        return self._replace(turns={context: lines for context, lines in chosen.items() if lines})

    def reminding(self, sheets: Mapping[str, bytes]) -> Published:
        """The same with what is told when its moment comes, by context."""
        files = self.files | {digest(sheet): sheet for sheet in sheets.values()}
        return self._replace(files=files, moments={context: digest(sheets[context]) for context in sorted(sheets)})

    def counted(self, figures: Mapping[str, Mapping[str, int]]) -> Published:
        """The same with how much there is, by context."""
        return self._replace(figures=figures)

    def block(self, context: str) -> str:
        """What a session of a context begins with; empty where there is nothing to tell."""
        return self.blocks.get(context, self.blocks[""])

    def current(self, made: datetime, alarms: Sequence[str] = (), off: Sequence[str] = ()) -> bytes:
        """The page that says which snapshot holds where, what is wrong with us, and where we are switched `off`."""
        turns = {key: [list(each) for each in lines] for key, lines in self.turns.items()}
        some: dict[str, object] = {
            "trials": list(self.welcome),
            "moments": dict(self.moments),
            "turns": turns,
            "turns_head": HEAD if turns else "",
            "local": self.local,
        }
        return _bytes(
            {
                "version": VERSION,
                "made": made.isoformat(),
                "places": [list(each) for each in self.places],
                "contexts": self.contexts,
                "global": self.everywhere,
                "guards": self.sheets,
                "figures": {context: dict(each) for context, each in self.figures.items()},
                "alarms": list(alarms),
                "off": list(off),
                "agents": {agent: dict(each) for agent, each in self.own.items()},
                **{name: value for name, value in some.items() if value},
            }
        )


def published(
    matters: Mapping[str, Matter],
    fixes: Mapping[str, Sequence[Remedy]],
    signs: Signs,
    places: Iterable[tuple[str, str]],
    policy: DeliverPolicy,
    lots: Lots | None = None,
) -> Published:
    """The snapshots of every context that there is something to tell in; `matters` and `fixes` by context.

    The one of the empty context holds wherever no other does. `lots` tells what is on trial.
    """
    lots = lots or Lots(frozenset(), {})
    told = _bytes(dict(signs.complaints))
    asked = request_bytes(signs.requests)
    files = {digest(told): told, digest(asked): asked}
    contexts: dict[str, str] = {}
    blocks: dict[str, str] = {}
    nothing = matters[""]
    for context in sorted({*matters, *fixes, ""}):
        matter = matters.get(context, nothing)
        known = fixes.get(context, fixes.get("", ()))
        block = block_of(matter, policy)
        names = {"complaints": digest(told), "requests": digest(asked), "cut": list(signs.cut)}
        whole = _snapshot(context, matter, known, block) | names
        whole["budget"] = budget_of(policy)
        tried = lots.moments.get(context, ())
        content = _bytes(whole | (_on_trial(block, known, lots, tried) if context in lots.welcome else {}))
        # A file is read by every session, so it has nothing that is tried, told or asked once.
        blocks[context] = block_of(matter._replace(tried=(), waiting=(), news=()), policy).text
        contexts[context] = digest(content)
        files[digest(content)] = content
    everywhere = contexts.pop("")
    known_places = sorted({path: context for path, context in places if context in contexts}.items())
    return Published(files, known_places, contexts, everywhere, {}, {}, blocks, tuple(sorted(lots.welcome)))


def _on_trial(block: Block, fixes: Sequence[Remedy], lots: Lots, moments: Sequence[str]) -> dict[str, object]:
    """What the coin is thrown for in a context; nothing where nothing is on trial."""
    ids = [id_ for id_, _ in block.tried] + [id_ for each in fixes for id_ in each.ids] + [*moments]
    trials = {id_: lots.chances[id_] for id_ in ids if id_ in lots.chances}
    if not trials:
        return {}
    tried = [list(each) for each in block.tried]
    return {"trials": trials, "tried": tried, "title": block.title, "holdout": lots.holdout}


def digest(content: bytes) -> str:
    """The name of a content."""
    return blake2b(content, digest_size=16).hexdigest()


def request_bytes(table: Mapping[str, object]) -> bytes:
    """The table of what users can type, as the client reads it: in letters as they are, for most are not ASCII."""
    return json.dumps(table, sort_keys=False, separators=(",", ":"), ensure_ascii=False).encode()


def words_of(text: str) -> list[str]:
    """The words by which a rule is found to matter to a prompt."""
    return sorted(set(_WORD.findall(text.casefold())) - _COMMON)


def _snapshot(context: str, matter: Matter, fixes: Sequence[Remedy], block: Block) -> dict[str, object]:
    return {
        "version": VERSION,
        "context": context,
        "block": block.text,
        "block_ids": list(block.ids),
        "once": [list(each) for each in block.once],
        "fixes": [each._asdict() for each in fixes],
        "rules": [_told(each) for each in matter.rules],
        "filed": [_told(each) for each in matter.filed],
        "said": [_told(each) for each in matter.said],
        "waiting": [each._asdict() | {"short": short_id(each.id)} for each in matter.waiting],
        "places": SPOKEN,
    }


def _told(line: TellLine) -> dict[str, object]:
    return {"id": line.exposed, "text": line.told, "source": line.source, "words": words_of(line.text)}


def _bytes(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
