"""The steps of a turn that tell whose files and folders are: what is read of them, what has ended, what waits.

Nothing here decides for the user: `contexts/service.py` does what the user says.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.agents.ports import Scattered
from wisen.delivery.block import Line
from wisen.edits.past import past
from wisen.errors import FileError
from wisen.logs.adoption import BEGINNING
from wisen.logs.switches import MARKER
from wisen.model.change import Passage
from wisen.model.context import Alias
from wisen.model.ownership import Ownership, OwnershipVerdict, Subject
from wisen.rules.learnings_folder import FOLDER, learnings_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.agents.ports import Agent
    from wisen.logs.membership import CheckoutClaim
    from wisen.model.change import Change
    from wisen.model.source import Source
    from wisen.parts import Parts


OFF_PLACES = "off-places"
"""Below the home: what `surfaces/hook/switch.py` reads where it meets a marker."""


class WaitingFile(NamedTuple):
    """A file below a project that would speak for the user, and does not as it is now."""

    path: str
    context: str
    digest: str
    was_adopted: bool
    """Whether the user adopted it before it changed."""
    subject: Subject = Subject.FILE


def note_places(parts: Parts) -> None:
    """Remember in which directories contexts were seen, and in which checkout each new project was first seen."""
    for context, path in parts.scope.new_sightings():
        alias = Alias(context=context.key, machine=parts.machine, path=path, since=parts.clock.now())
        parts.ledger.sight(context, alias)
    rows = [
        word_about(parts, Subject.PLACE, root, OwnershipVerdict.FIRST, context=project.key, digest=project.key)
        for project, root in parts.scope.new_firsts()
    ]
    if rows:
        parts.ledger.note_ownership(rows)


def word_about(parts: Parts, subject: Subject, path: str, verdict: OwnershipVerdict, **more: object) -> Ownership:
    """A word about a file or a folder, as a row."""
    row = Ownership(
        id=parts.ids.new(),
        machine=parts.machine,
        at=parts.clock.now(),
        subject=subject,
        path=path,
        context="",
        verdict=verdict,
    )
    return structs.replace(row, **more)


def owned_learnings(parts: Parts, place: Path) -> Iterator[bytes]:
    """What the files of learnings in a workspace hold that are the user's or our own."""
    adoptions = parts.adoptions
    for path in learnings_in(place):
        seen = parts.files.read(path)
        if seen.content and adoptions.holds(str(path), seen.digest, partial(_changes, parts, seen.real)):
            yield seen.content


def still_owned(parts: Parts, agent: Agent, sources: Iterable[Source]) -> list[Source]:
    """The sources that have grown, without those in projects that are now files of a repository: that is noted."""
    return [each for each in sources if _is_still_owned(parts, agent, each)]


def _is_still_owned(parts: Parts, agent: Agent, source: Source) -> bool:
    for file in parts.files_in_project(agent, source):
        if parts.tracking.tracked_by(file) != "":
            context = context_of_file(parts, file)
            parts.ledger.note_ownership(
                [word_about(parts, Subject.FILE, str(file), OwnershipVerdict.FOREIGN, context=context)]
            )
            return False
    return True


def context_of_file(parts: Parts, path: Path) -> str:
    """The key of the context that a file of a project speaks in."""
    return parts.scope.key_at(path.parent.parent if path.parent.name == FOLDER else path.parent)


def confined_agents(parts: Parts) -> frozenset[str]:
    """The agents whose sessions lie in projects: what they recorded speaks for its project alone."""
    return frozenset(each.name for each in parts.agents if isinstance(each, Scattered))


def waiting_files(parts: Parts, under: Path | None = None) -> list[WaitingFile]:
    """The files in known projects that would speak for the user, and wait for the user's word, by path.

    With `under` also those that agents left there.
    """
    found = _Waiting(parts)
    found.add_learnings()
    found.add_sources(under)
    found.add_asked()
    for marker in foreign_markers(parts):
        found.add(Path(marker), "", Subject.MARKER)
    return [found.files[path] for path in sorted(found.files)]


class _Waiting:
    """Collects the files that wait for the user's word."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._adoptions = parts, parts.adoptions
        self.files: dict[str, WaitingFile] = {}

    def add(self, path: Path, digest: str, subject: Subject = Subject.FILE) -> None:
        """Add a file that is not the user's, unless the user refused it as it is."""
        word = self._adoptions.word(str(path), subject)
        if word is None or word.verdict is not OwnershipVerdict.FOREIGN or word.digest != digest:
            was = word is not None and word.verdict is OwnershipVerdict.OWNED
            context = context_of_file(self._parts, path)
            self.files[str(path)] = WaitingFile(str(path), context, digest, was, subject)

    def add_learnings(self) -> None:
        """The files of learnings in workspaces."""
        places = {alias.path for alias in self._parts.aliases()}
        for path in (path for place in places if (Path(place) / FOLDER).is_dir() for path in learnings_in(Path(place))):
            with suppress(FileError):
                seen = self._parts.files.read(path)
                ours = partial(_changes, self._parts, seen.real)
                if seen.content and not self._adoptions.holds(str(path), seen.digest, ours):
                    self.add(path, seen.digest)

    def add_sources(self, under: Path | None) -> None:
        """What agents keep in projects."""
        parts = self._parts
        for agent in parts.agents:
            for source in (*parts.found_sources(agent), *(parts.found_sources(agent, under) if under else ())):
                for file in parts.files_in_project(agent, source):
                    self._add_growing(file)

    def add_asked(self) -> None:
        """What was asked about before, also where no agent's reader is at hand."""
        for row in self._parts.ledger.ownerships(self._parts.machine):
            is_file = row.subject is Subject.FILE and Path(row.path).parent.name != FOLDER
            if is_file and row.verdict is OwnershipVerdict.ASKED and row.path not in self.files:
                self._add_growing(Path(row.path))

    def _add_growing(self, file: Path) -> None:
        tracking = self._parts.tracking
        if not self._adoptions.continues(str(file), partial(tracking.facts, file)):
            facts = tracking.facts(file, BEGINNING)
            if facts is not None:
                self.add(file, facts.identity)


def waiting_places(parts: Parts) -> list[CheckoutClaim]:
    """The checkouts that say to be a known project, and wait for the user's word, by path."""
    for alias in parts.aliases():
        parts.scope.claim(alias.path)
    return [*parts.scope.claims()]


def foreign_markers(parts: Parts) -> list[str]:
    """The markers in known projects that stop the learning there, and that the user did not make with `wisen off`."""
    found = {parts.scope.switches.by(alias.path) for alias in parts.ledger.aliases(parts.machine)}
    markers = sorted(path for path in found if Path(path).name == MARKER)
    return [path for path in markers if not is_own_marker(parts, path)]


def is_silent(parts: Parts, place: str) -> bool:
    """Whether the user wants nothing to be told in a directory: by the settings, or by a marker of the user's own."""
    by = parts.scope.switches.by(place)
    return bool(by) and (Path(by).name != MARKER or is_own_marker(parts, by))


def own_markers(parts: Parts) -> list[str]:
    """The markers that the user made with `wisen off` or took over: hooks are silent where they lie."""
    said = {row.path for row in parts.ledger.ownerships(parts.machine) if row.subject is Subject.MARKER}
    made = {each.path for each in parts.ledger.changes(machine=parts.machine) if Path(each.path).name == MARKER}
    return [path for path in sorted(said | made) if is_own_marker(parts, path)]


def write_off_places(parts: Parts) -> None:
    """Tell the hook client in which directories the user switched wisen off by a marker."""
    own = own_markers(parts)
    gone = [path for path in own if not os.path.lexists(path)]
    if gone:  # the next that lies there is another
        parts.ledger.note_ownership(
            [word_about(parts, Subject.MARKER, path, OwnershipVerdict.FOREIGN) for path in gone]
        )
    folders = {str(Path(path).parent) for path in own if path not in gone}
    folders |= {os.path.realpath(folder) for folder in folders}
    seen = parts.files.read(parts.home / OFF_PLACES)
    text = "".join(f"{each}\n" for each in sorted(folders) if "\n" not in each).encode("utf-8", "surrogateescape")
    if seen.content != text:
        parts.files.write(seen, text)


def is_own_marker(parts: Parts, path: str) -> bool:
    """Whether the user made a marker with `wisen off`, or took it over so."""
    word = parts.adoptions.word(path, Subject.MARKER)
    if word is not None:
        return word.verdict is OwnershipVerdict.OWNED
    desk = parts.desk
    return any(isinstance(each.deed, Passage) for each in past(desk).open(desk.files.real(Path(path))))


def describe_waiting(parts: Parts, under: Path | None = None, *, once: bool) -> tuple[str, ...]:
    """What waits for the user's word, a line each; with `once` only what was not told before, which is noted."""
    adoptions, lines, rows = parts.adoptions, list[str](), list[Ownership]()
    for file in waiting_files(parts, under):
        if not (once and adoptions.was_asked(file.path, file.digest)):
            lines.append(_line_of_file(file))
            rows.append(_asked(parts, file.subject, file.path, file.context, file.digest))
    for claim in waiting_places(parts):
        if not (once and adoptions.was_asked(claim.root, claim.context.key)):
            lines.append(line_of_place(claim))
            rows.append(_asked(parts, Subject.PLACE, claim.root, claim.context.key, claim.context.key))
    if once and rows:
        parts.ledger.note_ownership(rows)
    return tuple(lines)


def questions(parts: Parts) -> dict[str, list[Line]]:
    """What sessions of each context tell the user once, by context: what waits there for the user's word."""
    found: dict[str, list[Line]] = {}
    for file in waiting_files(parts):
        what = f"{_short(file.path)} is not read before the user adopts it"
        if file.subject is Subject.MARKER:
            what = f"{_short(file.path)} came with the project: nothing is learnt here, guards and rules hold"
        elif file.was_adopted:
            what = f"{_short(file.path)} changed since the user adopted it, and is not read"
        command = "wisen off" if file.subject is Subject.MARKER else "wisen adopt"
        found.setdefault(file.context, []).append(
            Line(f"Q-{_mark(file.path, file.digest)}", f"{what}.", "", f"`{command}`")
        )
    for claim in waiting_places(parts):
        here = parts.scope.key_at(Path(claim.root))
        text = "this folder has the remote of a project that wisen knows; what was learnt there is not told here."
        found.setdefault(here, []).append(
            Line(
                f"Q-{_mark(claim.root, claim.context.key)}",
                text,
                "",
                "`wisen contexts join .` or `wisen contexts separate .`",
            )
        )
    return found


def line_of_place(claim: CheckoutClaim) -> str:
    """What the user is asked about a checkout that says to be a known project."""
    gone = [path for path in claim.places if not Path(path).is_dir()]
    if claim.places and len(gone) == len(claim.places):
        why = f"{claim.context.name} was known in {gone[-1]}, which is gone: was it moved here?"
    elif claim.places:
        why = f"{claim.context.name} is known in {claim.places[-1]}: is this another checkout of yours?"
    else:
        why = f"{claim.context.name} is known from another machine: is this a checkout of yours?"
    return f"{claim.root} learns for itself. {why} wisen contexts join {claim.root}, or separate"


def _line_of_file(file: WaitingFile) -> str:
    if file.subject is Subject.MARKER:
        rest = "nothing is learnt there, and guards and rules hold. wisen off, or delete it"
        return f"{file.path} was not made by `wisen off`: {rest}"
    why = "changed since you adopted it" if file.was_adopted else "may be somebody else's"
    return f"{file.path} is not read: it {why}. wisen adopt {file.path}"


def _asked(parts: Parts, subject: Subject, path: str, context: str, digest: str) -> Ownership:
    return word_about(parts, subject, path, OwnershipVerdict.ASKED, context=context, digest=digest)


def _changes(parts: Parts, real: str) -> tuple[Change, ...]:
    return parts.ledger.changes(machine=parts.machine, path=real)


def _short(path: str) -> str:
    """The name of a file as agents are told it: the names of folders are others' words too."""
    file = Path(path)
    return f"{FOLDER}/{file.name}" if file.parent.name == FOLDER else file.name


def _mark(path: str, digest: str) -> str:
    from hashlib import blake2b

    return blake2b(f"{path}\0{digest}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
