"""Stores the findings about instruction files, so that a finding is shown until it changes or is decided.

Judging reads every session; a run without new sessions cannot find anything else, unless a file was changed. The file
is in the folder of reports, which forgetting searches as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, structs

from wisen.errors import FileError
from wisen.model.change import content_digest
from wisen.model.entry import MoveKind
from wisen.model.instruction import InstructionSummary, Strength, file_subject, line_subject

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.logs.projects import Projects
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files

FILE = "reports/instruction-files.msgpack"
"""Below the home. JSON has no infinite numbers, and an interval may be open."""


class StoredJudgement(Struct, frozen=True):
    """The findings about a file with this content digest."""

    digest: str
    judged: InstructionSummary


class StoredJudgements(Struct, frozen=True):
    """The findings of the last judging."""

    version: str
    """The version of wisen that judged: another one may find more."""
    files: tuple[StoredJudgement, ...]


def store_judgements(home: Home, files: Files, judged: Iterable[InstructionSummary]) -> None:
    """Store the findings until the next judging."""
    stored = tuple(StoredJudgement(_digest_of(files, each.path), each) for each in judged)
    content = msgspec.msgpack.encode(StoredJudgements(home.version, stored))
    file = files.read(home.path / FILE)
    if file.content != content:
        files.write(file, content)


def load_judgements(home: Home, files: Files) -> tuple[InstructionSummary, ...] | None:
    """Load the last findings; None where none are stored, or a file was changed since and has to be judged again."""
    stored = _read(home, files)
    if stored is None or stored.version != home.version:
        return None
    if any(_digest_of(files, each.judged.path) != each.digest for each in stored.files):
        return None
    return tuple(each.judged for each in stored.files)


def undecided_judgements(
    projects: Projects, files: Files, judged: Iterable[InstructionSummary] | None = None
) -> tuple[InstructionSummary, ...]:
    """Return the findings that are not decided; without `judged` the stored ones that still apply."""
    if judged is None:
        stored = _read(projects.home, files)
        judged = () if stored is None else [_relocate_lines(files, each) for each in stored.files]
    decided = {move.subject for move in projects.home.ledger.moves.all() if move.kind is MoveKind.KEEP}
    return tuple(_without_decided(each, decided) for each in judged if not projects.resolver.is_off(each.path))


def _without_decided(judged: InstructionSummary, decided: set[str]) -> InstructionSummary:
    speaking = tuple(
        effect
        for effect in judged.speaking
        if effect.strength is not Strength.BEGAN or line_subject(judged.path, effect.line.text) not in decided
    )
    if file_subject(judged.path) in decided:
        judged = structs.replace(judged, unused_lines=0, unused_tokens=0)
    return structs.replace(judged, speaking=speaking)


def _relocate_lines(files: Files, stored: StoredJudgement) -> InstructionSummary:
    """Update the findings about a file: drop lines that were removed since, and renumber the others."""
    judged = stored.judged
    content = _content_of(files, judged.path)
    if content_digest(content) == stored.digest:
        return judged
    numbers: dict[str, int] = {}
    for number, line in enumerate((content or b"").decode("utf-8", "replace").splitlines(), 1):
        numbers.setdefault(line.strip(), number)
    speaking = tuple(
        structs.replace(effect, line=structs.replace(effect.line, number=numbers[effect.line.text.strip()]))
        for effect in judged.speaking
        if effect.line.gone is None and effect.line.text.strip() in numbers
    )
    return structs.replace(judged, speaking=speaking, unused_lines=0, unused_tokens=0)


def _read(home: Home, files: Files) -> StoredJudgements | None:
    try:
        content = files.read(home.path / FILE).content
        return None if content is None else msgspec.msgpack.decode(content, type=StoredJudgements)
    except (FileError, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # it is only a cache: the next judging writes it again


def _digest_of(files: Files, path: str) -> str:
    return content_digest(_content_of(files, path))


def _content_of(files: Files, path: str) -> bytes | None:
    try:
        return files.read(Path(path)).content
    except FileError:
        return None
