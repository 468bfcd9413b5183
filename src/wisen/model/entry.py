"""Rows about entries: an entry is one lesson; also its occurrences, the decisions (moves) about it, and proposals."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - entries are read back from JSON by their types
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from wisen.model.backtest import Backtest  # noqa: TC001 - as above
from wisen.model.directive import Trigger  # noqa: TC001 - as above
from wisen.model.signal import LessonTopic  # noqa: TC001 - as above

if TYPE_CHECKING:
    from collections.abc import Sequence


class EntryType(StrEnum):
    """What kind of thing was learned."""

    LEARNING = "learning"
    ERROR = "error"
    FEATURE = "feature"


PREFIXES = {EntryType.LEARNING: "LRN", EntryType.ERROR: "ERR", EntryType.FEATURE: "FEAT"}
"""The prefixes of entry names."""


class Category(StrEnum):
    """What a learning is."""

    CORRECTION = "correction"
    PREFERENCE = "preference"
    INSIGHT = "insight"
    KNOWLEDGE_GAP = "knowledge_gap"
    BEST_PRACTICE = "best_practice"


class Priority(StrEnum):
    """How much an entry matters."""

    CRITICAL = "critical"
    """Data loss, a security problem, or a blocker."""
    HIGH = "high"
    """It recurs, or concerns something done all the time."""
    MEDIUM = "medium"
    """There is a workaround."""
    LOW = "low"


class EntryStatus(StrEnum):
    """What became of an entry."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    RESOLVED = "resolved"
    WONT_FIX = "wont_fix"
    PROMOTED = "promoted"
    PROMOTED_TO_SKILL = "promoted_to_skill"


class EntrySource(StrEnum):
    """How an entry came about, in the terms of the established file format."""

    CONVERSATION = "conversation"
    ERROR = "error"
    USER_FEEDBACK = "user_feedback"
    SELF_DISCOVERY = "self_discovery"


class EntryOrigin(StrEnum):
    """What an entry is based on."""

    STATED = "stated"
    """The user typed it."""
    MEASURED = "measured"
    """Measured from what tools did."""
    LOGGED = "logged"
    """Somebody recorded it by command; by itself it is no evidence."""
    IMPORTED = "imported"
    """It was imported from a file of another system."""


class Entry(Struct, frozen=True, kw_only=True):
    """One lesson as it was first recorded. Later decisions are in moves."""

    id: str
    name: str
    """The human-readable name: LRN-YYYYMMDD-XXX."""
    machine: str
    context: str
    """The key of the context it belongs to; empty for all."""
    at: datetime
    type: EntryType
    summary: str
    source: EntrySource
    origin: EntryOrigin
    category: Category | None = None
    details: str = ""
    action: str = ""
    """The suggested action."""
    error: str = ""
    setting: str = ""
    """What was being done at that time."""
    priority: Priority = Priority.MEDIUM
    area: str = "tooling"
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    key: str = ""
    """The pattern key, `area.symptom`."""
    about: LessonTopic | None = None
    durable: float = 0.0
    """The probability that it is meant to last beyond the current task."""
    standing: bool | None = None
    """Whether the user said that it lasts; None if a version recorded it that did not detect that."""
    trigger: Trigger | None = None
    """What brings it up again, if known."""


def rule_id(entry: str) -> str:
    """Return the id of an entry's line in files."""
    return f"R-{blake2b(entry.encode(), digest_size=4).hexdigest()}"


def request_id(words: tuple[str, ...]) -> str:
    """Return the id of a decision that waits for a person, derived from the command that makes it."""
    return f"Q{blake2b(chr(0).join(words).encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"


LOGGABLE = {
    "correction": (EntryType.LEARNING, Category.CORRECTION),
    "error": (EntryType.ERROR, None),
    "learning": (EntryType.LEARNING, Category.BEST_PRACTICE),
    "feature": (EntryType.FEATURE, None),
    "insight": (EntryType.LEARNING, Category.INSIGHT),
}
"""What can be logged by hand."""


class ManualEntry(NamedTuple):
    """Something to be recorded by hand."""

    kind: str
    """One of LOGGABLE."""
    text: str
    context: str = ""
    source: str = EntrySource.SELF_DISCOVERY
    priority: str = Priority.MEDIUM
    area: str = "tooling"
    key: str = ""


class Occurrence(Struct, frozen=True, kw_only=True):
    """One sighting of an entry in a session."""

    id: str
    """Derived from where it was seen, so that the same occurrence is recorded once."""
    entry: str
    machine: str
    context: str
    agent: str
    session: str
    """The agent's own id of the session."""
    message: str
    """The id of the message or call."""
    at: datetime
    quote: str = ""
    """The user's words, or the tool's error message."""


class Sighting(NamedTuple):
    """Where an entry was seen, as far as listings need it."""

    entry: str
    agent: str
    session: str
    message: str
    at: datetime
    quote: str


class Tally(Struct, frozen=True, kw_only=True):
    """How often an entry was seen."""

    entry: str
    context: str
    times: int
    sessions: int
    first: datetime
    last: datetime
    """When it was recorded, if it was never seen."""


def recount_tally(tally: Tally, occurrences: Sequence[Occurrence]) -> Tally:
    """Return a tally recounted from these occurrences, oldest first."""
    return structs.replace(
        tally,
        times=len(occurrences),
        sessions=len({(each.agent, each.session) for each in occurrences}),
        first=occurrences[0].at if occurrences else tally.first,
        last=occurrences[-1].at if occurrences else tally.last,
    )


class MoveKind(StrEnum):
    """What a decision row (a move) can change about an entry, a proposal, an occurrence or a guard."""

    STATUS = "status"
    PRIORITY = "priority"
    TEXT = "text"
    """A new wording of its summary."""
    CONFIRM = "confirm"
    MERGE = "merge"
    """It is a duplicate of the entry whose id is the value; an empty value separates it again."""
    SPLIT = "split"
    """The occurrence belongs to the entry whose id is the value."""
    SCOPE = "scope"
    """It applies in the context whose key is the value; everywhere if the value is empty."""
    EVERYWHERE = "everywhere"
    """The user said that it applies in all projects: that is then proposed."""
    LASTING = "lasting"
    """The user said it again, and that it applies from now on."""
    CITE = "cite"
    """It was used."""
    LOCAL = "local"
    """With `ONLY_LOCAL` it was typed to local models only; otherwise to a hosted one as well."""
    TRIGGER = "trigger"
    """What brings it up from now on, as JSON; empty for nothing."""
    CONFLICT = "conflict"
    """It contradicts the entry whose id is the value."""
    SUPERSEDE = "supersede"
    """A newer statement of the user replaced it, the entry whose id is the value; an empty value restores it."""
    ANSWER = "answer"
    """What a person answered to a proposal: one of `Answer`."""
    GUARD = "guard"
    """The mode of a guard from now on."""
    OVERRULE = "overrule"
    """The user overrode a guard."""
    VERDICT = "verdict"
    """The result of a trial of a rule or fix: the version of its wording, and the verdict."""
    CHECK = "check"
    """The result of a check of a file change, and what was done about it."""
    DECISION = "decision"
    """Everything that one decision did: the ids of its moves, its file changes and what it created."""
    UNDO = "undo"
    """Decisions about the same subject that were undone: the ids of their moves."""
    KEEP = "keep"
    """The user keeps a line of an instruction file, or all its lines, whatever the sessions show about them."""
    EXPERIMENTS = "experiments"
    """Whether inferred lessons may be tried in the context that it is about: `on` or `off`."""
    POINT = "point"
    """What a turn is, as an agent read it and the log proved it: subject is the turn's id, value a `SettledTurn`."""
    PLACE = "place"
    """Where rules of a context go instead of one of its files: the file's name and a place."""


ONLY_LOCAL = "only"
"""The value of a LOCAL move that keeps an entry from hosted agents."""


class Actor(StrEnum):
    """Who made a decision."""

    USER = "user"
    WISEN = "wisen"


class Move(Struct, frozen=True, kw_only=True):
    """A decision row: one decision about an entry, a proposal, an occurrence or a guard."""

    id: str
    subject: str
    """The id of the entry, proposal, occurrence or guard; of a rule or fix on trial, or of a context."""
    machine: str
    at: datetime
    by: Actor
    kind: MoveKind
    value: str = ""
    why: str = ""


JUDGED_PREFIX = "judged by sessions: "
"""The prefix of the reason if a trial or check dropped something: seeing it again does not bring it back."""


REMOVED_PREFIX = "you took it out of "
"""The prefix of the reason if the user removed a rule from a file: stating it again brings it back."""


class Answer(StrEnum):
    """What a person answers to a proposal, or `EXPIRED` after a while."""

    APPROVED = "approved"
    REJECTED = "rejected"
    SKIPPED = "skipped"
    """It waits for new evidence."""
    LATER = "later"
    TRIED = "tried"
    """It has to prove itself in a trial before it goes into a file."""
    EXPIRED = "expired"


class ProposalType(StrEnum):
    """What a proposal is for."""

    PROMOTION = "promotion"
    VERIFICATION = "verification"
    CRITICAL_FIX = "critical_fix"
    GUARD = "guard"
    """Calls are to be checked by a guard."""
    FIX = "fix"
    """May agents be told what helped, though it is not known to be harmless?"""
    SUGGESTION = "suggestion"
    """An agent's own words: no evidence, and shown only to the user until they approve it."""
    SKILL = "skill"
    """A skill is to be written or updated; the user always decides."""


class Proposal(Struct, frozen=True, kw_only=True):
    """A suggested change, with everything a person needs to judge it."""

    id: str
    machine: str
    at: datetime
    type: ProposalType
    entry: str
    """The id of the entry, guard or workflow; for a suggestion, the id of the entry it would become."""
    context: str
    text: str
    """The rule as it would be written."""
    path: str
    """The file it would go to; empty for a guard."""
    heading: str
    why: str
    hypothesis: str
    risk: str
    effort: str
    impact: str
    tokens: int
    """The approximate cost in every session that reads the file."""
    sessions: int
    """In how many sessions it had been seen when it was proposed: a skipped proposal waits for more."""
    backtest: Backtest | None = None
    """How it would have performed over recorded sessions, if known."""
    agent: str = ""
    """The agent that suggested it, if one did."""
    kind: str = ""
    """What a suggestion would be recorded as, one of LOGGABLE; empty for a new wording of an existing entry."""
    words: tuple[str, ...] = ()
    """For a decision not shown to be a person's: the command that makes it, without the program name."""
    typed: str = ""
    """That command as it was run, which an agent's log may show to have been typed by the user."""
    place: str = ""
    """The directory it was run in."""
    follows: str | None = None
    """The id of the previous proposal about the same, empty for the first; None if several may coexist."""
    replaces: str = ""
    """The id of our line in the file that it replaces; empty if it is a new line."""
    content: str = ""
    """For a skill: the whole file as we would write it, before what the user edited is merged into it."""
    unworded: bool = False
    """Whether its text is a quote that is not usable as a rule: a person has to word it before approving it."""

    @property
    def question_key(self) -> str | None:
        """Return a key of what it asks: two concurrent proposals with the same key are one."""
        if self.follows is None:
            return None
        is_rule = self.type in (ProposalType.PROMOTION, ProposalType.CRITICAL_FIX)
        kind = ProposalType.PROMOTION if is_rule else self.type
        content = "\0".join((kind, self.entry, self.context, self.follows)).encode("utf-8", "surrogatepass")
        return blake2b(content, digest_size=16).hexdigest()
