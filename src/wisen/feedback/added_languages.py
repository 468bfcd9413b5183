"""Loads the languages that a user added: files in a folder of the home. A broken file is reported and skipped."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import LanguageError

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.delivery.chat_requests import RequestTable
    from wisen.feedback.detector import DetectorModel
    from wisen.feedback.language import Language

FOLDER = "languages"
"""Their folder, below the home."""
_DIGEST_VERSION = b"directives 1"
"""The version of how such a file is used: when it changes, sessions are analyzed again."""
_VERSION_BITS = 32
"""How many bits of the analysis version hold the version of the code."""


class BrokenFile(NamedTuple):
    """A file that is not a language file."""

    file: str
    problem: str


class AddedLanguages:
    """The languages of a folder, and the detector for them and the shipped ones."""

    def __init__(
        self, languages: tuple[Language, ...] = (), broken: tuple[BrokenFile, ...] = (), digest: int = 0
    ) -> None:
        self.languages = languages
        self.broken = broken
        self._digest = digest

    @cached_property
    def model(self) -> DetectorModel:
        """The detector model for all of them, built on first use."""
        from wisen.feedback.detector import build_detector, shipped_detector

        return build_detector(self.languages) if self.languages else shipped_detector()

    @cached_property
    def requests(self) -> RequestTable:
        """The forms by which users ask something of wisen in a chat: those of the shipped languages and of these."""
        from wisen.feedback.language_requests import build_request_table

        return build_request_table(self.languages)

    def language_of(self, text: str) -> str:
        """The code of the likeliest language of a text; English where nothing tells."""
        from wisen.text.directives import shipped_reader

        reader = self.model.directives if self.languages else shipped_reader()
        return reader.grammars_of(text)[0].code

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know."""
        return tuple(f"{each.problem} It is skipped." for each in self.broken)

    def analysis_version(self, version: int) -> int:
        """The version of the analysis: the version of the code, combined with a digest of these files."""
        return version + (self._digest << _VERSION_BITS)


def load_added_languages(folder: Path) -> AddedLanguages:
    """The languages of a folder; nothing is loaded where there is no such folder."""
    files = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not files:
        return AddedLanguages()
    from wisen.feedback.language import read_language_file

    languages: dict[str, Language] = {}
    broken, hasher = list[BrokenFile](), blake2b(digest_size=4, person=_DIGEST_VERSION)
    for file in files:
        try:
            language = read_language_file(file)
        except LanguageError as error:
            broken.append(BrokenFile(str(file), str(error)))
            continue
        if language.code in languages:
            broken.append(BrokenFile(str(file), f"{file} has the code {language.code!r}, which another file here has."))
            continue
        languages[language.code] = language
        hasher.update(repr(language).encode())
    # An odd number is never 0, which means that nothing was added; 31 bits, so that the whole fits into 64.
    digest = int.from_bytes(hasher.digest()) >> 1 | 1 if languages else 0
    return AddedLanguages(tuple(languages.values()), tuple(broken), digest)
