"""The user's languages: surveys which ones they write in, and writes language files into the home."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.errors import LanguageError, UsageError
from wisen.feedback.language import GROUPS, format_language, merge, merge_languages, shipped_languages
from wisen.feedback.language_building import QUESTION_COUNT
from wisen.feedback.language_detection import LanguageCounter, language_profiles
from wisen.feedback.language_draft import LanguageDraft
from wisen.feedback.language_evaluation import SENTENCES, LabelledSentences, evaluate_language, read_sentences
from wisen.feedback.phrase_languages import languages_in
from wisen.feedback.sentence_generation import format_sentences
from wisen.feedback.turns import turns_of
from wisen.model.report import Selection
from wisen.model.user_language import (
    KnownLanguage,
    LanguageAccuracy,
    LanguageBuild,
    LanguageOrigin,
    LanguageSurvey,
    UnknownLanguage,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime
    from pathlib import Path

    from wisen.feedback.added_languages import AddedLanguages
    from wisen.feedback.keyword_file import Keywords
    from wisen.feedback.language import Language
    from wisen.feedback.language_building import DraftResult
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files

_MAX_READ = 4_000
"""How much of a turn is searched for phrases."""


class UserLanguages:
    """The languages that the user writes in, the shipped ones, and the added ones."""

    def __init__(self, home: Home, files: Files, folder: Path, added: AddedLanguages) -> None:
        """`added`: the content of the folder."""
        self._home, self._files, self._folder, self._added = home, files, folder, added

    def known_languages(self) -> tuple[Language, ...]:
        """The shipped and added languages, merged as the detector uses them."""
        return merge_languages(shipped_languages(), self._added.languages)

    def survey(self) -> LanguageSurvey:
        """Which languages the user writes in, with and without a file."""
        counter = LanguageCounter()
        turns_read: list[tuple[str, set[str], datetime]] = []
        lexicon = self._added.model.lexicon
        for history in self._home.index.events.histories(Selection()):
            for turn, message in turns_of(history):
                turns_read.append((counter.add(message.text), languages_in(message.text[:_MAX_READ], lexicon), turn.at))
        known = self.known_languages()
        missing = {
            each.code: each for each in counter.languages() if each.code not in {language.code for language in known}
        }
        turns = Counter[str]()
        newest: dict[str, datetime] = {}
        for guess, spoken, at in turns_read:
            # A few phrases of a language with a file appear in every related language.
            for code in (guess,) if guess in missing else spoken:
                turns[code] += 1
                newest[code] = max(at, newest.get(code, at))
        return LanguageSurvey(
            turns=len(turns_read),
            known=tuple(
                sorted(
                    (self._describe_known(each, turns, newest) for each in known),
                    key=lambda each: (-each.turns, each.code),
                )
            ),
            unknown=tuple(
                UnknownLanguage(
                    code=code,
                    name=language_profiles()[code].name,
                    own_name=language_profiles()[code].own_name,
                    turns=turns[code],
                    newest=newest[code],
                    words=each.words,
                )
                for code, each in missing.items()
            ),
            warnings=self._added.warnings,
        )

    def file_of(self, code: str) -> Path:
        """The path of the user's own file of a language. Raises: UsageError where another file has its code."""
        file = self._folder / f"{code}.toml"
        if self._files.read(file).content is None and code in {each.code for each in self._added.languages}:
            raise UsageError(f"Another file in {file.parent} has the code {code!r} already. Name it {file.name}.")
        return file

    def write_language(self, language: Language, comment: str, *, again: bool) -> str:
        """Write the file of a language into the home, whole or not at all. Returns the path of the backup, if any.

        Raises:
            UsageError: there is one already, and it is not to be replaced.
            FileError: it cannot be written.
        """
        file = self.file_of(language.code)
        current = self._files.read(file)
        backup = ""
        if current.content is not None:
            if not again:
                raise UsageError(f"{file} exists already and was not changed. To replace it: --again")
            backup = self._back_up(file, current.content)
        self._files.write(current, format_language(language, comment).encode("utf-8"))
        return backup

    def write_sentences(self, code: str, sentences: LabelledSentences, comment: str) -> None:
        """Write the evaluation sentences of a language, unless there are some. Raises: FileError."""
        current = self._files.read(self._sentence_file(code))
        if current.content is None:
            self._files.write(current, format_sentences(sentences, comment).encode("utf-8"))

    def evaluate(self, codes: Collection[str]) -> tuple[LanguageAccuracy, ...]:
        """Measure how well the added languages are detected on held-back sentences; all of them without codes."""
        return tuple(self._evaluate(each) for each in self._added.languages if not codes or each.code in codes)

    def _evaluate(self, language: Language) -> LanguageAccuracy:
        file = self._sentence_file(language.code)
        content = self._files.read(file).content
        try:
            text = "" if content is None else content.decode("utf-8")
            return evaluate_language(language, read_sentences(text, str(file)), self._added.model, str(file))
        except (LanguageError, UnicodeDecodeError) as error:
            return LanguageAccuracy(code=language.code, name=language.name, file=str(file), problem=str(error))

    def _sentence_file(self, code: str) -> Path:
        return self._folder / SENTENCES / f"{code}.toml"

    def _back_up(self, file: Path, content: bytes) -> str:
        for number in count(1):
            current = self._files.read(file.with_name(f"{file.name}.bak{number}"))
            if current.content is None:
                return self._files.write(current, content).path
        raise AssertionError

    def _describe_known(self, language: Language, turns: Counter[str], newest: dict[str, datetime]) -> KnownLanguage:
        added = {each.code: each for each in self._added.languages}.get(language.code)
        shipped = language.code in {each.code for each in shipped_languages()}
        origin = (
            LanguageOrigin.SHIPPED
            if added is None
            else LanguageOrigin.EXTENDED
            if shipped and added.extends
            else LanguageOrigin.ADDED
        )
        return KnownLanguage(
            code=language.code,
            name=language.name,
            own_name=language.own_name,
            origin=origin,
            phrases=sum(map(len, language.groups.values())),
            turns=turns[language.code],
            newest=newest.get(language.code),
            file="" if added is None else str(self._folder / f"{language.code}.toml"),
        )

    def languages_to_build(self, codes: Sequence[str], *, again: bool) -> tuple[str, ...]:
        """The languages to write files for: the named ones, or those the user writes in that have none.

        Raises: UsageError where a named one cannot be built.
        """
        if not codes:
            return tuple(each.code for each in self.survey().unknown)
        for code in codes:
            if code in {each.code for each in shipped_languages()}:
                raise UsageError(
                    f"{code!r} comes with wisen. To add to it write a file with `extends = true`: docs/languages.md"
                )
            if code not in language_profiles():
                known = ", ".join(sorted(language_profiles().keys() - {each.code for each in shipped_languages()}))
                raise UsageError(
                    f"{code!r} is not one of {known}. For others write the file yourself: docs/languages.md"
                )
            if not again and self._files.read(self.file_of(code)).content is not None:
                raise UsageError(f"{self.file_of(code)} exists already. To replace it: --again")
        return tuple(dict.fromkeys(codes))

    def describe_build(
        self, code: str, done: DraftResult | None = None, *, questions: int = 0, kept: str = "", written: bool = False
    ) -> LanguageBuild:
        """Describe the result of having a language written, or what would be done."""
        build = LanguageBuild(
            code=code,
            name=language_profiles()[code].name,
            file=str(self.file_of(code)),
            questions=questions,
            written=written,
        )
        if done is None:
            return build
        phrases = sum(map(len, done.draft.language().groups.values()))
        problem = done.problem or ("" if phrases else "No phrase of the answers could be used.")
        return replace(
            build,
            phrases=phrases,
            dropped=dict(done.draft.dropped),
            answered=done.answered,
            questions=QUESTION_COUNT,
            kept=kept,
            problem=problem,
        )

    def import_keywords(self, held: Keywords, comment: str, *, again: bool, dry_run: bool) -> tuple[LanguageBuild, ...]:
        """Write the content of a keyword file into language files of the home.

        Raises:
            UsageError: one of them exists already and `again` is not set: then none is written.
            FileError: one cannot be written.
        """
        forgotten = self._home.forgotten_filter
        builds: list[tuple[Language, LanguageBuild]] = []
        for code, groups in held.phrases.items():
            draft = _new_draft(code)
            for group, texts in groups.items():
                table = next(table for table, names in GROUPS.items() if group in names)
                allowed = [text for text in texts if not forgotten.contains_forgotten(text)]
                draft.dropped["forgotten"] += len(texts) - len(allowed)
                draft.add(table, group, allowed)
            language = draft.language()
            file = self.file_of(code)
            known = next((each for each in self._added.languages if each.code == code), None)
            if self._files.read(file).content is not None and not (again and known):
                raise UsageError(
                    f"{file} exists already, so nothing was imported. To add to it and keep a backup: --again"
                )
            new = language if known is None else replace(merge(known, language), extends=known.extends)
            build = LanguageBuild(
                code=code,
                name=language.name,
                file=str(file),
                phrases=sum(map(len, language.groups.values())),
                dropped=dict(+draft.dropped),
                written=not dry_run and bool(language.groups),
            )
            builds.append((new, build))
        if dry_run:
            return tuple(build for _, build in builds)
        return tuple(
            replace(build, kept=self.write_language(new, comment.format(name=new.name), again=again))
            if build.written
            else build
            for new, build in builds
        )


def _new_draft(code: str) -> LanguageDraft:
    """A draft for phrases of a user's file: for a shipped language only the additions."""
    shipped = next((each for each in shipped_languages() if each.code == code), None)
    profile = language_profiles().get(code)
    name = shipped.name if shipped else profile.name if profile else code
    own_name = shipped.own_name if shipped else profile.own_name if profile else code
    return LanguageDraft(code, name, own_name, profile.script if profile else None, extends=shipped is not None)
