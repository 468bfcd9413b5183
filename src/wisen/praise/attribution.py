"""Attributes praise: it reinforces what the session was given or loaded shortly before, if the work then stays.

What was withheld is never reinforced. The assistant's words are not stored, so what it claims to have used does not
count; what the user names when they praise does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.skill_loads import loaded_skill
from wisen.model.event import Status
from wisen.model.exposure import Arm
from wisen.model.history import UserAction
from wisen.model.reinforcement import PraiseMoment, Reinforcement, skill_subject
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wisen.model.exposure import Exposure
    from wisen.model.history import History, Step, Turn
    from wisen.model.signal import SourcedSignal
    from wisen.text.command_lines import Part

RECENT_TURNS = 3
"""What was delivered within so many typed turns before a praise counts as recent."""
RECENT_WEIGHT = 1.0
"""For what a prompt or a failure brought in that window, and what the user names themselves."""
EARLIER_WEIGHT = 0.25
"""For what the session began with, or got before that window: it was there, and so was much else."""
MAX_AGE = timedelta(days=1)
"""What was delivered longer ago does not count: a session may last for days."""
CLOCK_MARGIN = timedelta(seconds=5)
"""What a prompt brings comes with it: the hook's time and the log's time may differ by so much."""
SETTLING_TURNS = 3
"""After so many further turns, or when the session is over, it is known whether the work stays."""
_MOMENTS = {"session-start": PraiseMoment.START, "prompt": PraiseMoment.PROMPT, "failure": PraiseMoment.FAILURE}
_NAMED = lazy_regex(r"\b(?:[RW]-[0-9a-f]{8}|(?:LRN|ERR|FEAT)-\d{8}-\w+|[0-9a-f]{10})\b", re.IGNORECASE)
"""The format of the ids of rules, entries, fixes and workflows."""

NOTHING, UNDONE, OPEN, GONE = (
    "nothing that was learned was delivered before it",
    "the work was undone after it",
    "it is not known yet whether the work stays",
    "its session is no longer in the index",
)
"""Why a praise strengthens nothing."""


class PraiseEffect(NamedTuple):
    """A praise, and what it reinforces."""

    praise: SourcedSignal
    rows: tuple[Reinforcement, ...] = ()
    why: str = ""
    """Why it reinforces nothing."""
    before: str = ""
    """What the user typed before it."""
    calls: tuple[str, ...] = ()
    """The calls between that and the praise, as commands, or tools with their files."""


class PraiseEvidence(NamedTuple):
    """The evidence by which a praise is attributed."""

    exposures: Sequence[Exposure]
    """Of its session, in any order."""
    subject_of: Callable[[Exposure], str]
    """The id of the entry, fix or workflow that an exposure is about; empty for everything else."""
    find_subject: Callable[[str, str], str]
    """The id of the entry, fix or workflow with a name, within a context; empty where there is none."""
    machine: str


def ids_in(text: str) -> list[str]:
    """What looks like the id of a rule, an entry, a fix or a workflow."""
    return _NAMED.findall(text)


def attribute_praise(praise: SourcedSignal, history: History, evidence: PraiseEvidence, *, over: bool) -> PraiseEffect:
    """What a praise reinforces; `over`: nothing more comes in its session."""
    typed = [turn for turn in history.turns if turn.action is UserAction.SAID and turn.text]
    place = next((number for number, turn in enumerate(typed) if turn.id == praise.said.message), None)
    if place is None:
        return PraiseEffect(praise, why=GONE)
    since = typed[place - 1].before if place else 0
    calls = tuple(call_text(step) for step in history.steps[since : typed[place].before])
    found = PraiseEffect(praise, before=(typed[place - 1].text or "") if place else "", calls=calls)
    rows = tuple(_rows(praise, history, typed, place, evidence))
    if not rows:
        return found._replace(why=NOTHING)
    until = typed[place + SETTLING_TURNS].before if place + SETTLING_TURNS < len(typed) else len(history.steps)
    if was_undone(history.steps[: typed[place].before], history.steps[typed[place].before : until]):
        return found._replace(why=UNDONE)
    settled = over or place + SETTLING_TURNS < len(typed)
    return found._replace(rows=rows) if settled else found._replace(why=OPEN)


def call_text(step: Step) -> str:
    """A call as a command, or as a tool with its file."""
    fields = fields_of(step.arguments)
    return command_of(fields) or f"{step.tool} {fields.get('file_path') or fields.get('path') or ''}".rstrip()


def _rows(
    praise: SourcedSignal, history: History, typed: Sequence[Turn], place: int, evidence: PraiseEvidence
) -> Iterator[Reinforcement]:
    at, just = praise.said.at, typed[max(0, place - RECENT_TURNS)].at
    withheld = {evidence.subject_of(each) for each in evidence.exposures if each.arm is Arm.WITHHELD}
    best: dict[str, tuple[float, PraiseMoment]] = {}
    for each in evidence.exposures:
        how, subject = _MOMENTS.get(each.event), evidence.subject_of(each)
        margin = CLOCK_MARGIN if how is PraiseMoment.PROMPT else timedelta(0)
        if how is None or not subject or each.arm is not Arm.GIVEN or not at - MAX_AGE <= each.at < at - margin:
            continue
        is_recent = how is not PraiseMoment.START and each.at >= just - CLOCK_MARGIN
        best[subject] = max(best.get(subject, (0.0, how)), (RECENT_WEIGHT if is_recent else EARLIER_WEIGHT, how))
    for step in history.steps[: typed[place].before]:
        skill = loaded_skill(step.tool, step.arguments) if step.status is Status.OK else ""
        if skill and at - MAX_AGE <= step.at:
            weight = RECENT_WEIGHT if step.at >= just else EARLIER_WEIGHT
            subject = skill_subject(skill)
            best[subject] = max(best.get(subject, (0.0, PraiseMoment.LOADED)), (weight, PraiseMoment.LOADED))
    for name in ids_in(typed[place].text or ""):
        subject = evidence.find_subject(name, praise.context)
        if subject:
            best[subject] = RECENT_WEIGHT, PraiseMoment.NAMED
    for subject, (weight, how) in sorted(best.items()):
        if subject not in withheld:
            yield _row(praise, subject, weight, how, evidence.machine)


def _row(praise: SourcedSignal, subject: str, weight: float, how: PraiseMoment, machine: str) -> Reinforcement:
    identity = "\0".join((praise.agent, praise.native, praise.said.message, subject))
    return Reinforcement(
        id=blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
        machine=machine,
        agent=praise.agent,
        session=praise.native,
        message=praise.said.message,
        subject=subject,
        how=how,
        weight=weight,
        at=praise.said.at,
    )


def was_undone(done: Iterable[Step], then: Iterable[Step]) -> bool:
    """Whether calls undo earlier work: git restores files, or an edit is reversed."""
    edits: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for step in done:
        path, old, new = _edit(step)
        if path:
            edits[path].add((old, new))
    for step in then:
        if step.status is not Status.OK:
            continue
        path, old, new = _edit(step)
        if path and old != new and (new, old) in edits[path]:
            return True
        command = command_of(fields_of(step.arguments))
        if command is not None and any(map(is_revert, parse_command(command).parts)):
            return True
    return False


def is_revert(part: Part) -> bool:
    """Whether a command restores files or commits of git."""
    if part.program != "git":
        return False
    words = part.words[3:] if part.words[1:2] == ("-C",) else part.words[1:]
    verb, rest = (words[0], words[1:]) if words else ("", ())
    if verb == "revert":
        return not {"--abort", "--quit", "--skip"} & {*rest}
    if verb == "restore":
        return not {"--staged", "-S"} & {*rest} or bool({"--worktree", "-W"} & {*rest})
    if verb == "checkout":
        return "--" in rest or rest[-1:] == (".",)
    return verb == "reset" and "--hard" in rest


def _edit(step: Step) -> tuple[str, str, str]:
    """The file of an edit, the text it replaces and the replacement; empty for everything else."""
    fields: Mapping[str, object] = fields_of(step.arguments)
    path, old, new = (fields.get(name) for name in ("file_path", "old_string", "new_string"))
    return (path, old, new) if isinstance(path, str) and isinstance(old, str) and isinstance(new, str) else ("", "", "")
