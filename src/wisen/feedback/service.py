"""Feedback service: detects what users say about the work, and learns their languages and their own wording."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import UsageError
from wisen.model.phrase import KnownPhrase, active_phrases
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.feedback.added_languages import AddedLanguages
    from wisen.feedback.adjudication import Adjudicator
    from wisen.feedback.keyword_file import Keywords
    from wisen.feedback.language_survey import UserLanguages
    from wisen.feedback.phrase_search import FoundPhrases
    from wisen.feedback.pointing_consent import PointingConsent
    from wisen.feedback.session_analysis import SessionAnalyzer
    from wisen.feedback.settlement import TurnSettlement
    from wisen.feedback.settlement_handlers import SettlementHandlers
    from wisen.feedback.user_detector import UserDetector
    from wisen.language_models.model_ports import Model
    from wisen.logs.executors import ExecutorFactory
    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.history import History
    from wisen.model.phrase import UserPhrase
    from wisen.model.signal import RecordedSignal
    from wisen.model.user_language import LanguageAccuracy, LanguageBuild, LanguageSurvey
    from wisen.store.home import Home

_BY_MODEL = "What {name} speakers write to an agent, by meaning. Written by a language model ({model}), {day}."
_SENTENCES_BY_MODEL = (
    "What {name} speakers write to an agent, to evaluate {code}.toml.\n"
    "A language model wrote it: replace these sentences with your own, or add some."
)
_BY_FILE = "What {name} speakers write to an agent, by meaning. Imported from {source}, {day}."


class PhraseChange(NamedTuple):
    """The result of importing or removing phrases, or of the dry run."""

    phrases: tuple[UserPhrase, ...]
    left: tuple[str, ...]
    """What was skipped, and why."""
    sessions: int
    """How many sessions will be analyzed again."""


class FeedbackService:
    """Detects what the user says, and learns how they say it."""

    def __init__(  # noqa: PLR0913 - keyword arguments, one for each dependency
        self,
        home: Home,
        projects: Projects,
        edit_ports: EditPorts,
        decisions: Decisions,
        *,
        languages_folder: Path,
        model: Callable[[], Model],
        adjudicates: bool,
        consent: PointingConsent,
        handlers: SettlementHandlers,
        model_named: Callable[[str], Model],
        workers: ExecutorFactory,
    ) -> None:
        """`languages_folder`: where the languages are that the user added.

        `model`: the language models, if the user configured any; `adjudicates`: whether one decides doubtful messages.
        `consent`: whether agents may point at what the user said; `handlers`: what other features do with the answers;
        `model_named`: an agent's program as a model; `workers`: opens an executor for many sessions.
        """
        self._home, self._projects, self._edit_ports, self._decisions = home, projects, edit_ports, decisions
        self.consent = consent
        self._handlers, self._model_named = handlers, model_named
        self._folder, self.model_factory, self._adjudicates = languages_folder, model, adjudicates
        self._added: AddedLanguages | None = None
        self._workers = workers

    @cached_property
    def settlement(self) -> TurnSettlement:
        """Settles turns in doubt with the help of the user's own agent."""
        from wisen.feedback.settlement import TurnSettlement

        return TurnSettlement(
            self._home,
            self._projects,
            self._decisions,
            self.consent,
            user_detector=self.user_detector,
            handlers=self._handlers,
            model_named=self._model_named,
        )

    @property
    def added_languages(self) -> AddedLanguages:
        """The languages that the user added, read once per run."""
        from wisen.feedback.added_languages import load_added_languages

        if self._added is None:
            self._added = load_added_languages(self._folder)
        return self._added

    def reload_languages(self) -> None:
        """Have the user's languages read again; each run begins with this."""
        self._added = None

    def user_detector(self) -> UserDetector:
        """The detector with the user's own phrases and added languages."""
        from wisen.feedback.user_detector import UserDetector

        phrases = active_phrases(self._home.ledger.phrases.of(self._home.machine))
        return UserDetector(phrases, lambda: self.added_languages.model)

    def session_detector(self) -> Callable[[History], tuple[RecordedSignal, ...]]:
        """A function that returns the signals of a session in order, using the user's own phrases known by now."""
        from wisen.feedback.signal_detection import detect_in_session

        return partial(detect_in_session, own=self.user_detector())

    def sessions_with_phrases(self, texts: Collection[str]) -> set[int]:
        """The index numbers of the sessions in which phrases were typed."""
        from wisen.feedback.phrase_search import sessions_with_phrases

        return sessions_with_phrases(self._home, texts)

    @staticmethod
    def prepare_worker() -> None:
        """Load in another process what analyzing sessions needs."""
        from wisen.feedback.analysis_worker import prepare_worker

        prepare_worker()

    def session_analyzer(self, boundaries: ErrorBoundaries) -> SessionAnalyzer:
        """Build the analyzer of new sessions: what failed, what helped, and what the user said about it."""
        from wisen.feedback.analysis_version import ANALYSIS_VERSION
        from wisen.feedback.session_analysis import SessionAnalyzer
        from wisen.model.pointing import settled_turns

        return SessionAnalyzer(
            home=self._home,
            workers=self._workers,
            phrases=active_phrases(self._home.ledger.phrases.of(self._home.machine)),
            languages=self._folder,
            model=lambda: self.added_languages.model,
            build_adjudicator=self._build_adjudicator,
            adjudicates=self._adjudicates,
            folders=self._projects.places_by_context(),
            settled=settled_turns(self._home.ledger.moves.all()),
            version=self.added_languages.analysis_version(ANALYSIS_VERSION),
            boundaries=boundaries,
        )

    def _build_adjudicator(self, detector: UserDetector) -> Adjudicator:
        from wisen.feedback.adjudication import Adjudicator

        return Adjudicator(detector, self.model_factory, enabled=self._adjudicates, local=self.consent.covers_local)

    def phrases(self) -> tuple[KnownPhrase, ...]:
        """The user's own phrases with the turns that support each, newest first."""
        ledger, machine = self._home.ledger, self._home.machine
        proofs = sorted(ledger.phrases.proofs(machine), key=lambda each: each.at, reverse=True)
        return tuple(
            KnownPhrase(phrase, tuple(each for each in proofs if each.phrase == phrase.id))
            for phrase in active_phrases(ledger.phrases.of(machine))
        )

    @one_writer("phrases")
    def learn_phrases(self, *, days: float | None = None, model: bool = False, dry_run: bool = False) -> FoundPhrases:
        """Search typed turns for phrases by which the user corrects and praises; record those that are certain enough.

        `days`: how far back; by default 30 for the first search and 3 for later ones. With `model`, the configured
        models name phrases too; only phrases that the user typed are accepted. With `dry_run` nothing is recorded.

        Raises:
            UsageError: `days` is not a positive number.
            ModelError: no model is configured, or it could not be asked.
        """
        from wisen.feedback import phrase_search

        if days is not None and days <= 0:
            raise UsageError(f"--days {days:g} leaves nothing to look at. Give a number above 0, or leave it out.")
        home, added = self._home, self.added_languages
        window = phrase_search.search_window(home, added, days)
        found = phrase_search.search_phrases(home, added, window, self.model_factory() if model else None)
        if not dry_run and window.new:  # with nothing to look at, this does not count as the first search
            proofs = [proof for _, evidence in found.phrases for proof in evidence]
            phrase_search.record_phrases(home, [phrase for phrase, _ in found.phrases], [*proofs, found.search])
        return found

    @one_writer("phrases")
    def import_phrases(self, path: Path, *, dry_run: bool = False) -> PhraseChange:
        """Import a file of feedback phrases.

        Raises:
            UsageError: the file does not exist or has another format; the message shows the offending value.
            FileError: it cannot be read.
        """
        from wisen.feedback import phrase_search
        from wisen.feedback.phrase_file import read_phrases

        content = self._edit_ports.files.read(path).content
        if content is None:
            raise UsageError(f"{path} does not exist. Give a file of feedback phrases.")
        try:
            held = read_phrases(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} was not imported: it is not UTF-8 text.") from error
        except UsageError as error:
            raise UsageError(f"{path} was not imported: {error}.") from error
        self._decisions.require_person("phrases", "learn", "--from", str(path.absolute()), dry_run=dry_run)
        new, left = phrase_search.rows_from_file(self._home, held.phrases)
        return PhraseChange(tuple(new), tuple(left), self._record(new, dry_run=dry_run))

    def export_phrases(self, path: Path, *, dry_run: bool = False) -> tuple[Edit, ...]:
        """Add the user's phrases to a file of feedback phrases; existing content stays, and it can be undone.

        Returns the edits; none where the file has them already.

        Raises:
            UsageError: the existing file has another format.
            FileError, SettingsUnclear: it cannot be read or written.
        """
        from wisen.edits.editor import Editor, ValuePlan
        from wisen.feedback.phrase_file import FeedbackPhrases, changed_fields, read_phrases

        content = self._edit_ports.files.read(path).content
        try:
            held = FeedbackPhrases() if content is None else read_phrases(content.decode("utf-8", "replace"))
        except UsageError as error:
            raise UsageError(f"{path} was not written: {error}.") from error
        phrases = [(each.text, each.kind) for each in active_phrases(self._home.ledger.phrases.of(self._home.machine))]
        edits: list[Edit] = []
        for name, value in changed_fields(held, phrases, self._home.clock.now()).items():
            saw = self._edit_ports.files.read(path).digest
            plan = ValuePlan(str(path.absolute()), (name,), value, "your own phrases of feedback", saw)
            edits.append(Editor(self._edit_ports).set_value(plan, dry_run=dry_run))
        return tuple(edits)

    @one_writer("phrases")
    def remove_phrase(self, text: str, *, dry_run: bool = False) -> PhraseChange:
        """Remove one phrase: it is no longer detected, and is not learned again.

        Raises:
            UsageError: there is no such phrase.
        """
        from wisen.feedback import phrase_search

        rows = phrase_search.removal_rows(self._home, text)
        if not rows:
            raise UsageError(f"{text!r} is not one of your phrases. To list them: wisen phrases show")
        self._decisions.require_person("phrases", "remove", text, dry_run=dry_run)
        return PhraseChange(tuple(rows), (), self._record(rows, dry_run=dry_run))

    def _record(self, rows: list[UserPhrase], *, dry_run: bool) -> int:
        from wisen.feedback import phrase_search

        if dry_run:
            return len(phrase_search.sessions_with_phrases(self._home, [each.text for each in rows]))
        return phrase_search.record_phrases(self._home, rows) if rows else 0

    def survey_languages(self) -> LanguageSurvey:
        """The known languages, and those that the user types in but that have no file, going by their typed turns."""
        return self._user_languages().survey()

    def build_languages(
        self,
        codes: Iterable[str] = (),
        *,
        model: bool = False,
        again: bool = False,
        dry_run: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> tuple[LanguageBuild, ...]:
        """Have the configured heavy model write the files of the missing languages, or of the named ones.

        Without `model`, or with `dry_run`, nothing is asked or written; the result describes what would be. Nothing
        that the user typed is sent.

        Raises:
            UsageError: a language is unknown, is shipped, or has a file and `again` is not set.
            ModelAbsent: no heavy model is configured.
            FileError: a file cannot be written.
        """
        from wisen.feedback.language_building import QUESTION_COUNT

        users, named = self._user_languages(), [code.lower() for code in codes]
        added = {each.code for each in self.added_languages.languages}
        missing = named if model else [code for code in named if code not in added]
        chosen = users.languages_to_build(missing, again=again) if missing or not named else ()
        if dry_run or not model:
            return tuple(users.describe_build(code, questions=QUESTION_COUNT) for code in chosen)
        builds: list[LanguageBuild] = []
        for code in chosen:
            builds.append(self._generate_language(code, again=again, progress=progress or _ignore_progress))
            if builds[-1].problem:
                break  # the same problem would stop the next one
        return tuple(builds)

    def evaluate_languages(self, codes: Iterable[str] = ()) -> tuple[LanguageAccuracy, ...]:
        """Measure how well the added languages are detected with their current files; all of them without codes.

        Each is evaluated on the held-back half of the sentences that are stored next to its file.
        """
        self.reload_languages()
        return self._user_languages().evaluate([code.lower() for code in codes])

    def import_languages(self, path: Path, *, again: bool = False, dry_run: bool = False) -> tuple[LanguageBuild, ...]:
        """Import a file of keywords by language. For shipped languages its phrases are added to the shipped ones.

        The result names every file that was written, even if a later one fails.

        Raises:
            UsageError: the file does not exist or has another format, or a language has a file and `again` is not set.
            FileError: a file cannot be read or written.
        """
        held = self._read_keywords(path, "imported")
        if held is None:
            raise UsageError(f"{path} does not exist. Give a file of keywords by language.")
        repeats = ("--again",) if again else ()
        self._decisions.require_person("languages", "build", "--from", str(path.absolute()), *repeats, dry_run=dry_run)
        comment = _BY_FILE.format(name="{name}", source=path.name, day=f"{self._home.clock.now():%Y-%m-%d}")
        return self._user_languages().import_keywords(held, comment, again=again, dry_run=dry_run)

    def export_languages(self, path: Path, survey: LanguageSurvey, *, dry_run: bool = False) -> tuple[Edit, ...]:
        """Add the phrases of the user's languages to a file of keywords; existing content stays.

        Raises:
            UsageError: the existing file has another format.
            FileError, SettingsUnclear: it cannot be read or written.
        """
        from wisen.edits.editor import Editor, ValuePlan
        from wisen.feedback.keyword_file import changed_fields

        held = self._read_keywords(path, "written")
        codes = {*survey.spoken, *(each.code for each in self.added_languages.languages)} - {"en"}
        groups = {
            each.code: each.groups
            for each in self._user_languages().known_languages()
            if each.code in codes and each.own_name
        }
        edits: list[Edit] = []
        for name, value in changed_fields(held, survey.spoken, groups, self._home.clock.now()).items():
            saw = self._edit_ports.files.read(path).digest
            plan = ValuePlan(str(path.absolute()), (name,), value, "your languages", saw)
            edits.append(Editor(self._edit_ports).set_value(plan, dry_run=dry_run))
        return tuple(edits)

    def _read_keywords(self, path: Path, verb: str) -> Keywords | None:
        """The content of a keyword file; None where there is no file."""
        from wisen.feedback.keyword_file import read_keywords

        content = self._edit_ports.files.read(path).content
        try:
            return None if content is None else read_keywords(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} was not {verb}: it is not UTF-8 text.") from error
        except UsageError as error:
            raise UsageError(f"{path} was not {verb}: {error}.") from error

    def _generate_language(self, code: str, *, again: bool, progress: Callable[[str, int, int], None]) -> LanguageBuild:
        from wisen.feedback.language_building import draft_language
        from wisen.model.model_use import Tier

        users, asked = self._user_languages(), self.model_factory()
        done = draft_language(asked, code, progress)
        language = done.draft.language()
        if not done.is_complete or not language.groups:
            return users.describe_build(code, done)
        comment = _BY_MODEL.format(
            name=language.name, model=asked.model_name(Tier.HEAVY), day=f"{self._home.clock.now():%Y-%m-%d}"
        )
        backup = users.write_language(language, comment, again=again)
        if done.sentences is not None:
            users.write_sentences(code, done.sentences, _SENTENCES_BY_MODEL.format(name=language.name, code=code))
        return users.describe_build(code, done, kept=backup, written=True)

    def _user_languages(self) -> UserLanguages:
        from wisen.feedback.language_survey import UserLanguages

        return UserLanguages(self._home, self._edit_ports.files, self._folder, self.added_languages)


def _ignore_progress(name: str, done: int, total: int) -> None:
    """Show no progress."""
