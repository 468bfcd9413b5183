"""What a praise strengthens: what the session was told just before, if the work then stays.

What was withheld is never strengthened. The assistant's words are not kept, so what it says that it used does not
count; what the user names when he praises does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.event import Status
from wisen.model.exposure import Arm
from wisen.model.history import UserAction
from wisen.model.reinforcement import PraiseMoment, Reinforcement
from wisen.text.command_lines import command_of, fields_of, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wisen.model.exposure import Exposure
    from wisen.model.history import History, Step, Turn
    from wisen.model.signal import Sighting
    from wisen.text.command_lines import Part

TURNS = 3
"""What was told within so many typed turns before a praise was told just before it."""
JUST_BEFORE = 1.0
"""What a prompt or a failure brought in that window, and what the user names himself."""
EARLIER = 0.25
"""What the session began with, or was told before that window: it was there, and so was much else."""
LONGEST = timedelta(days=1)
"""What was told longer ago does not count: a session may go on for days."""
TOGETHER = timedelta(seconds=5)
"""What a prompt brings comes with it: so far apart its two times may be, in the hook's note and in the log."""
BEHIND = 3
"""After so many further turns, or when the session is over, it is known whether the work stays."""
_MOMENTS = {"session-start": PraiseMoment.START, "prompt": PraiseMoment.PROMPT, "failure": PraiseMoment.FAILURE}
_NAMED = re.compile(r"\b(?:R-[0-9a-f]{8}|(?:LRN|ERR|FEAT)-\d{8}-\w+|[0-9a-f]{10})\b", re.IGNORECASE)
"""How the ids of rules, entries and fixes look."""

NOTHING, UNDONE, OPEN, GONE = (
    "nothing that was learnt was delivered before it",
    "the work was taken back after it",
    "it is not known yet whether the work stays",
    "its session is no longer there",
)
"""Why a praise strengthens nothing."""


class Weighed(NamedTuple):
    """A praise, and what it strengthens."""

    praise: Sighting
    rows: tuple[Reinforcement, ...] = ()
    why: str = ""
    """Why it strengthens nothing."""
    before: str = ""
    """What the user typed before it."""
    calls: tuple[str, ...] = ()
    """The calls between that and the praise, as commands, or tools with their files."""


class Told(NamedTuple):
    """By what a praise is weighed."""

    exposures: Sequence[Exposure]
    """Of its session, in any order."""
    subject_of: Callable[[Exposure], str]
    """The id of the entry or fix that an exposure is about; empty for everything else."""
    named: Callable[[str, str], str]
    """The id of the entry or fix that has a name, within a context; empty where nothing has it there."""
    machine: str


def names_in(text: str) -> list[str]:
    """What looks like the id of a rule, an entry or a fix."""
    return _NAMED.findall(text)


def weighed(praise: Sighting, history: History, told: Told, *, over: bool) -> Weighed:
    """What a praise strengthens; `over`: nothing more comes in its session."""
    said = [turn for turn in history.turns if turn.action is UserAction.SAID and turn.text]
    place = next((number for number, turn in enumerate(said) if turn.id == praise.said.message), None)
    if place is None:
        return Weighed(praise, why=GONE)
    since = said[place - 1].before if place else 0
    calls = tuple(call_words(step) for step in history.steps[since : said[place].before])
    found = Weighed(praise, before=(said[place - 1].text or "") if place else "", calls=calls)
    rows = tuple(_rows(praise, said, place, told))
    if not rows:
        return found._replace(why=NOTHING)
    until = said[place + BEHIND].before if place + BEHIND < len(said) else len(history.steps)
    if is_undone(history.steps[: said[place].before], history.steps[said[place].before : until]):
        return found._replace(why=UNDONE)
    settled = over or place + BEHIND < len(said)
    return found._replace(rows=rows) if settled else found._replace(why=OPEN)


def call_words(step: Step) -> str:
    """A call as a command, or as a tool with its file."""
    fields = fields_of(step.arguments)
    return command_of(fields) or f"{step.tool} {fields.get('file_path') or fields.get('path') or ''}".rstrip()


def _rows(praise: Sighting, said: Sequence[Turn], place: int, told: Told) -> Iterator[Reinforcement]:
    at, just = praise.said.at, said[max(0, place - TURNS)].at
    withheld = {told.subject_of(each) for each in told.exposures if each.arm is Arm.WITHHELD}
    best: dict[str, tuple[float, PraiseMoment]] = {}
    for each in told.exposures:
        how, subject = _MOMENTS.get(each.event), told.subject_of(each)
        margin = TOGETHER if how is PraiseMoment.PROMPT else timedelta(0)
        if how is None or not subject or each.arm is not Arm.GIVEN or not at - LONGEST <= each.at < at - margin:
            continue
        near = how is not PraiseMoment.START and each.at >= just - TOGETHER
        best[subject] = max(best.get(subject, (0.0, how)), (JUST_BEFORE if near else EARLIER, how))
    for name in names_in(said[place].text or ""):
        subject = told.named(name, praise.context)
        if subject:
            best[subject] = JUST_BEFORE, PraiseMoment.NAMED
    for subject, (weight, how) in sorted(best.items()):
        if subject not in withheld:
            yield _row(praise, subject, weight, how, told.machine)


def _row(praise: Sighting, subject: str, weight: float, how: PraiseMoment, machine: str) -> Reinforcement:
    made = "\0".join((praise.agent, praise.native, praise.said.message, subject))
    return Reinforcement(
        id=blake2b(made.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest(),
        machine=machine,
        agent=praise.agent,
        session=praise.native,
        message=praise.said.message,
        subject=subject,
        how=how,
        weight=weight,
        at=praise.said.at,
    )


def is_undone(done: Iterable[Step], then: Iterable[Step]) -> bool:
    """Whether calls take back what was done: git gives it back as it was, or an edit is made the other way round."""
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
        if command is not None and any(map(takes_back, parsed(command).parts)):
            return True
    return False


def takes_back(part: Part) -> bool:
    """Whether a command gives back files or commits of git as they were before."""
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
    """The file that an edit is about, what it replaces and by what; empty for everything else."""
    fields: Mapping[str, object] = fields_of(step.arguments)
    path, old, new = (fields.get(name) for name in ("file_path", "old_string", "new_string"))
    return (path, old, new) if isinstance(path, str) and isinstance(old, str) and isinstance(new, str) else ("", "", "")
