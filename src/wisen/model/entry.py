"""Entries: one lesson each, however often it recurs; what was seen of it, what was decided about it, and proposals."""

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
    """What kind of thing was learnt."""

    LEARNING = "learning"
    ERROR = "error"
    FEATURE = "feature"


PREFIXES = {EntryType.LEARNING: "LRN", EntryType.ERROR: "ERR", EntryType.FEATURE: "FEAT"}
"""With what the name of an entry begins."""


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
    """Data were lost, security is at stake, or nothing goes on without it."""
    HIGH = "high"
    """It recurs, or concerns what is done all the time."""
    MEDIUM = "medium"
    """There is a way around it."""
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
    """How an entry came about, in the words of the known format."""

    CONVERSATION = "conversation"
    ERROR = "error"
    USER_FEEDBACK = "user_feedback"
    SELF_DISCOVERY = "self_discovery"


class EntryOrigin(StrEnum):
    """On whose word an entry stands."""

    STATED = "stated"
    """The user typed it."""
    MEASURED = "measured"
    """Tools measurably did it."""
    LOGGED = "logged"
    """Somebody recorded it by command; it is evidence of nothing by itself."""
    IMPORTED = "imported"
    """It came from a file of another system."""


class Entry(Struct, frozen=True, kw_only=True):
    """One lesson as it was first recorded. What was decided since stands in moves."""

    id: str
    name: str
    """For people: LRN-YYYYMMDD-XXX."""
    machine: str
    context: str
    """The key of the context it belongs to; empty for everywhere."""
    at: datetime
    type: EntryType
    summary: str
    source: EntrySource
    origin: EntryOrigin
    category: Category | None = None
    details: str = ""
    action: str = ""
    """What is suggested to be done."""
    error: str = ""
    setting: str = ""
    """What was going on."""
    priority: Priority = Priority.MEDIUM
    area: str = "tooling"
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    key: str = ""
    """The pattern key, `area.symptom`."""
    about: LessonTopic | None = None
    durable: float = 0.0
    """How likely it is meant to last beyond the task at hand."""
    standing: bool | None = None
    """Whether the user said that it lasts; None where an earlier version recorded it, which did not ask."""
    trigger: Trigger | None = None
    """What calls it up again, where that could be told."""


def rule_id(entry: str) -> str:
    """The id that the line of an entry has in files."""
    return f"R-{blake2b(entry.encode(), digest_size=4).hexdigest()}"


def request_id(words: tuple[str, ...]) -> str:
    """By what a decision is known that waits for a person: the command that takes it."""
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
    """Something that is recorded by hand."""

    kind: str
    """One of LOGGABLE."""
    text: str
    context: str = ""
    source: str = EntrySource.SELF_DISCOVERY
    priority: str = Priority.MEDIUM
    area: str = "tooling"
    key: str = ""


class Occurrence(Struct, frozen=True, kw_only=True):
    """An entry seen in a session."""

    id: str
    """Made of where it was seen, so that the same sight is recorded once."""
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
    """The user's words, or the complaint of the tool."""


class Tally(Struct, frozen=True, kw_only=True):
    """How often an entry was seen."""

    entry: str
    context: str
    times: int
    sessions: int
    first: datetime
    last: datetime
    """When it was recorded, where it was never seen."""


def recount_tally(of: Tally, seen: Sequence[Occurrence]) -> Tally:
    """A tally counted anew from what was seen, oldest first."""
    return structs.replace(
        of,
        times=len(seen),
        sessions=len({(each.agent, each.session) for each in seen}),
        first=seen[0].at if seen else of.first,
        last=seen[-1].at if seen else of.last,
    )


class MoveKind(StrEnum):
    """What can be decided about an entry, a proposal, an occurrence or a guard."""

    STATUS = "status"
    PRIORITY = "priority"
    TEXT = "text"
    """Another wording of its summary."""
    CONFIRM = "confirm"
    MERGE = "merge"
    """It is the same as the entry whose id is the value; it stands by itself again where there is none."""
    SPLIT = "split"
    """The occurrence that it is about belongs to the entry whose id is the value."""
    SCOPE = "scope"
    """It holds in the context whose key is the value; everywhere where there is none."""
    EVERYWHERE = "everywhere"
    """The user said that it holds in all projects: it is proposed so."""
    LASTING = "lasting"
    """The user said it again, and that it holds from now on."""
    CITE = "cite"
    """It was used."""
    LOCAL = "local"
    """It was typed to models on the user's own machine only, where the value says so; else to a hosted one as well."""
    TRIGGER = "trigger"
    """What calls it up from now on, as JSON; nothing does where there is none."""
    CONFLICT = "conflict"
    """It says the opposite of the entry whose id is the value."""
    SUPERSEDE = "supersede"
    """A newer word of the user took its place, the entry whose id is the value; it stands again where there is none."""
    ANSWER = "answer"
    """What a person said to a proposal: one of `Answer`."""
    GUARD = "guard"
    """In which mode a guard is from now on."""
    OVERRULE = "overrule"
    """The user had his way against a guard."""
    VERDICT = "verdict"
    """What the trial of a rule or a fix came to: the version of its words, and the verdict."""
    CHECK = "check"
    """What a check of a change in a file came to, and what was done about it."""
    DECISION = "decision"
    """What was decided and done in one go: the ids of its moves, of its changes of files and of what it made."""
    UNDO = "undo"
    """Decisions about the same subject that were taken back: the ids of their moves."""
    KEEP = "keep"
    """The user keeps a line of an instruction file, or all lines of one, whatever sessions tell about them."""
    EXPERIMENTS = "experiments"
    """Whether what was only inferred may be tried in the context that it is about: `on` or `off`."""
    POINT = "point"
    """What a turn is, as an agent read it and the log proved: the turn's id is the subject, `SettledTurn` the value."""
    PLACE = "place"
    """Where rules of the context that it is about go instead of one of its files: the file's name and a place."""


ONLY_LOCAL = "only"
"""The value of a move of the kind LOCAL by which hosted agents are not told of an entry."""


class Actor(StrEnum):
    """Who decided."""

    USER = "user"
    WISEN = "wisen"


class Move(Struct, frozen=True, kw_only=True):
    """One decision about an entry, a proposal, an occurrence or a guard."""

    id: str
    subject: str
    """The id of the entry, the proposal, the occurrence or the guard; of a rule or fix on trial, or of a context."""
    machine: str
    at: datetime
    by: Actor
    kind: MoveKind
    value: str = ""
    why: str = ""


JUDGED_PREFIX = "judged by sessions: "
"""With what the reason begins where a trial or a check gave something up: coming up again does not bring it back."""


REMOVED_PREFIX = "you took it out of "
"""With what the reason begins where the user took a rule out of a file: saying it again brings it back."""


class Answer(StrEnum):
    """What a person says to a proposal, or what time says."""

    APPROVED = "approved"
    REJECTED = "rejected"
    SKIPPED = "skipped"
    """It waits for new evidence."""
    LATER = "later"
    TRIED = "tried"
    """It is to prove itself in a trial before it goes into a file."""
    EXPIRED = "expired"


class ProposalType(StrEnum):
    """What a proposal is for."""

    PROMOTION = "promotion"
    VERIFICATION = "verification"
    CRITICAL_FIX = "critical_fix"
    GUARD = "guard"
    """Something is to be watched for before calls."""
    FIX = "fix"
    """May agents be told what helped, though it is not known to be harmless?"""
    SUGGESTION = "suggestion"
    """An agent's own words: evidence of nothing, and told to nobody but the user until he approves it."""


class Proposal(Struct, frozen=True, kw_only=True):
    """A change that is suggested, with everything by which a person can judge it."""

    id: str
    machine: str
    at: datetime
    type: ProposalType
    entry: str
    """The id of the entry, or of the guard; of a suggestion that of the entry it would become."""
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
    """About what it costs in every session that reads the file."""
    sessions: int
    """In how many sessions it was seen when it was proposed: a skipped one waits for more."""
    backtest: Backtest | None = None
    """How it would have fared over recorded sessions, where that can be told."""
    agent: str = ""
    """Who suggested it, where that was an agent."""
    kind: str = ""
    """What a suggestion would be recorded as, one of LOGGABLE; empty for other words for an entry that there is."""
    words: tuple[str, ...] = ()
    """Of a decision that nobody showed to be a person's: the command that takes it, without the name of wisen."""
    typed: str = ""
    """That command as it was run, which an agent's log may show to have been typed by the user."""
    place: str = ""
    """The directory it was run in."""
    follows: str | None = None
    """The id of the last proposal about the same before it, empty for the first; None where it may stand beside it."""
    replaces: str = ""
    """The id of the line of ours in the file that it takes the place of; empty where it is a new line."""
    unworded: bool = False
    """Whether its text is a quote that is no rule as it stands: somebody has to word it before it can be approved."""

    @property
    def question_key(self) -> str | None:
        """What it asks, as a key: two that ask the same at the same time are one."""
        if self.follows is None:
            return None
        kinds = (ProposalType.VERIFICATION, ProposalType.GUARD, ProposalType.FIX, ProposalType.SUGGESTION)
        kind = self.type if self.type in kinds else ProposalType.PROMOTION
        told = "\0".join((kind, self.entry, self.context, self.follows)).encode("utf-8", "surrogatepass")
        return blake2b(told, digest_size=16).hexdigest()
