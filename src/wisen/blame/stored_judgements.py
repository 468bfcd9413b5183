"""Stores the findings about instruction files, so that a finding is shown until it changes or is decided.

A run without new sessions cannot find anything else, unless a file was changed. The file is in the folder of reports,
which forgetting searches as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct, structs

from wisen.blame.blame_summary import summarize_blame
from wisen.errors import FileError
from wisen.model.change import content_digest
from wisen.model.entry import MoveKind
from wisen.model.instruction import Blame, InstructionSummary, Strength, file_subject, line_subject
from wisen.system.git_history import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.logs.projects import Projects
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files

FILE = "reports/instruction-files.msgpack"
"""Below the home. JSON has no infinite numbers, and an interval may be open."""


class StoredJudgement(Struct, frozen=True):
    """The findings about a file with this content digest."""

    digest: str
    judged: InstructionSummary
    root: str
    """The directory whose sessions read the file; empty for one that all sessions read."""
    mark: str
    """Of the file as it was judged, by `instruction_marks.py`."""
    lines: Raw
    """The blame of the file without its text, still encoded: only some runs need it."""


class StoredJudgements(Struct, frozen=True):
    """The findings of the last judging."""

    version: str
    """The version of wisen that judged: another one may find more."""
    files: tuple[StoredJudgement, ...]


def build_judgement(files: Files, blame: Blame, mark: str) -> StoredJudgement:
    """Build the findings about a file as they are stored."""
    # What is in the file may be secret, and is there anyway.
    effects = tuple(
        structs.replace(each, line=structs.replace(each.line, text="", heading="", words=(), against=()))
        for each in blame.effects
    )
    short = structs.replace(blame, file=structs.replace(blame.file, versions=()), effects=effects, gone=())
    lines = Raw(msgspec.msgpack.encode(short))
    return StoredJudgement(_digest_of(files, blame.file.path), summarize_blame(blame), blame.file.root, mark, lines)


def load_blame(files: Files, stored: StoredJudgement) -> Blame:
    """Return what was found about the lines of a file that did not change since; of a line only its text is known."""
    blame = msgspec.msgpack.decode(stored.lines, type=Blame)
    texts = _text_of(files, blame.file.path).splitlines()
    effects = tuple(
        structs.replace(each, line=structs.replace(each.line, text=texts[each.line.number - 1]))
        for each in blame.effects
        if each.line.number <= len(texts)
    )
    return structs.replace(blame, effects=effects)


def store_judgements(home: Home, files: Files, judged: Iterable[StoredJudgement]) -> str:
    """Store the findings until the next judging; returns the digest of what is stored."""
    content = msgspec.msgpack.encode(StoredJudgements(home.version, tuple(judged)))
    file = files.read(home.path / FILE)
    if file.content != content:
        files.write(file, content)
    return content_digest(content)


def load_judgements(home: Home, files: Files) -> tuple[str, tuple[StoredJudgement, ...]] | None:
    """Load the last findings, with their digest; None where this version of wisen stored none."""
    found = _read(home, files)
    return None if found is None or found[1].version != home.version else (found[0], found[1].files)


def undecided_judgements(
    projects: Projects, files: Files, judged: Iterable[InstructionSummary] | None = None
) -> tuple[InstructionSummary, ...]:
    """Return the findings that are not decided; without `judged` the stored ones that still apply."""
    if judged is None:
        found = _read(projects.home, files)
        judged = () if found is None else [_relocate_lines(files, each) for each in found[1].files]
    moves = projects.home.ledger.moves

    def is_decided(subject: str) -> bool:
        return any(move.kind is MoveKind.KEEP for move in moves.of(subject))

    return tuple(_without_decided(each, is_decided) for each in judged if not projects.resolver.is_off(each.path))


def _without_decided(judged: InstructionSummary, is_decided: Callable[[str], bool]) -> InstructionSummary:
    speaking = tuple(
        effect
        for effect in judged.speaking
        if effect.strength is not Strength.BEGAN or not is_decided(line_subject(judged.path, effect.line.text))
    )
    if judged.unused_lines and is_decided(file_subject(judged.path)):
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


def _read(home: Home, files: Files) -> tuple[str, StoredJudgements] | None:
    try:
        content = files.read(home.path / FILE).content
        if content is None:
            return None
        return content_digest(content), msgspec.msgpack.decode(content, type=StoredJudgements)
    except (FileError, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # it is only a cache: the next judging writes it again


def _text_of(files: Files, path: str) -> str:
    return text_of(_content_of(files, path) or b"")


def _digest_of(files: Files, path: str) -> str:
    return content_digest(_content_of(files, path))


def _content_of(files: Files, path: str) -> bytes | None:
    try:
        return files.read(Path(path)).content
    except FileError:
        return None
