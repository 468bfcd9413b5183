"""What a Learner can be asked and told about languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.decider import Decider
from wisen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from wisen.edits.edit import Edit
    from wisen.feedback.language_keywords import Keywords
    from wisen.model.user_language import Built, Survey
    from wisen.parts import Parts

_BY_MODEL = "What {name} speakers write to an agent, by what it tells. Written by a language model ({model}), {day}."
_BY_FILE = "What {name} speakers write to an agent, by what it tells. Taken in from {source}, {day}."


class Linguist(Decider):
    """What a Learner does with languages."""

    _parts: Parts

    def languages(self) -> Survey:
        """The languages that are known and those that the user writes in without a file, by his typed turns."""
        from wisen.feedback.language_survey import survey

        return survey(self._parts)

    def build_languages(
        self,
        codes: Iterable[str] = (),
        *,
        model: bool = False,
        again: bool = False,
        dry_run: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> tuple[Built, ...]:
        """Have the configured heavy model write the files of languages that lack one, or of those that are named.

        Without `model`, and with `dry_run`, nothing is asked and nothing is written: what would be is told. Nothing
        that the user typed goes out.

        Raises:
            UsageError: a language is not known, is shipped, or has a file and is not to be written `again`.
            ModelAbsent: no heavy model is configured.
            FileError: a file cannot be written.
        """
        from wisen.feedback.language_building import QUESTIONS
        from wisen.feedback.language_survey import built, wanted

        chosen = wanted(self._parts, [code.lower() for code in codes], again=again)
        if dry_run or not model:
            return tuple(built(self._parts, code, questions=len(QUESTIONS)) for code in chosen)
        made: list[Built] = []
        for code in chosen:
            made.append(self._had_written(code, again=again, progress=progress or _silently))
            if made[-1].trouble:
                break  # whatever stopped this one would stop the next
        return tuple(made)

    def take_in_languages(self, path: Path, *, again: bool = False, dry_run: bool = False) -> tuple[Built, ...]:
        """Take in a file of keywords by language. For languages that are shipped, its phrases are added to them.

        All files are written, or none that is not said to have been.

        Raises:
            UsageError: it is not there or not such a file, or a language has a file and is not to be written `again`.
            FileError: a file cannot be read or written.
        """
        from wisen.feedback.language_survey import take_in

        held = self._keywords(path, "taken in")
        if held is None:
            raise UsageError(f"{path} is not there. Give a file of keywords by language.")
        repeats = ("--again",) if again else ()
        self.require_person("languages", "build", "--from", str(path.absolute()), *repeats, dry_run=dry_run)
        comment = _BY_FILE.format(name="{name}", source=path.name, day=f"{self._parts.clock.now():%Y-%m-%d}")
        return take_in(self._parts, held, comment, again=again, dry_run=dry_run)

    def write_languages(self, path: Path, survey: Survey, *, dry_run: bool = False) -> tuple[Edit, ...]:
        """Put the phrases of the user's languages into a file of keywords; what stands there stays.

        Raises:
            UsageError: what is there is not such a file.
            FileError, SettingsUnclear: it cannot be read or written.
        """
        from wisen.edits.edit import Editor, ValuePlan
        from wisen.feedback.language_keywords import fields
        from wisen.feedback.language_survey import languages_of

        parts = self._parts
        held = self._keywords(path, "written")
        mine = {*survey.spoken, *(each.code for each in parts.languages.languages)} - {"en"}
        groups = {each.code: each.groups for each in languages_of(parts) if each.code in mine and each.own_name}
        made: list[Edit] = []
        for name, value in fields(held, survey.spoken, groups, parts.clock.now()).items():
            saw = parts.files.read(path).digest
            plan = ValuePlan(str(path.absolute()), (name,), value, "your languages", saw)
            made.append(Editor(parts.desk).set(plan, dry_run=dry_run))
        return tuple(made)

    def _keywords(self, path: Path, what: str) -> Keywords | None:
        """What a file of keywords holds; None where there is none."""
        from wisen.feedback.language_keywords import read_keywords

        content = self._parts.files.read(path).content
        try:
            return None if content is None else read_keywords(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} was not {what}: it is no text in UTF-8.") from error
        except UsageError as error:
            raise UsageError(f"{path} was not {what}: {error}.") from error

    def _had_written(self, code: str, *, again: bool, progress: Callable[[str, int, int], None]) -> Built:
        from wisen.feedback.language_building import drafted
        from wisen.feedback.language_survey import built, put
        from wisen.model.model_use import Tier

        parts = self._parts
        asked = parts.model()
        done = drafted(asked, code, progress)
        language = done.draft.language()
        if not done.is_whole or not language.groups:
            return built(parts, code, done)
        comment = _BY_MODEL.format(
            name=language.name, model=asked.named(Tier.HEAVY), day=f"{parts.clock.now():%Y-%m-%d}"
        )
        return built(parts, code, done, kept=put(parts, language, comment, again=again), written=True)


def _silently(name: str, done: int, total: int) -> None:
    """No progress is shown."""
