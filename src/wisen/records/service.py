"""Records service for programs that are their own log: they record their work and look up what helped.

Records go to the ledger at once, because there is no log to read them from again. Every string is sanitized first.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.errors import UsageError
from wisen.model.learning import Record, RecordKind
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from wisen.logs.projects import Projects
    from wisen.logs.settings import EventFilterPolicy
    from wisen.mining.settings import MinePolicy
    from wisen.model.failure import Signature
    from wisen.model.learning import Candidate, Learning, Problem
    from wisen.records.record_sanitizer import LengthLimits
    from wisen.store.home import Home


class RecordsService:
    """What a program records about its own work, and what it looks up."""

    def __init__(self, home: Home, projects: Projects, door: EventFilterPolicy, mining: MinePolicy) -> None:
        self._home, self._projects, self._door, self._mining = home, projects, door, mining

    def record_failure(
        self,
        *,
        tool: str,
        error: str,
        arguments: Mapping[str, object] | None = None,
        session: str | None = None,
        place: Path | str = "",
        tried: str | None = None,
    ) -> str:
        """Record that a call failed, and return the id of the failure once it is on disk.

        A text with a secret or private data is not stored; the failure is, with the name of the rule.

        Args:
            tool: What was called, by the program's name for it.
            error: The error message.
            arguments: The arguments of the call; strings, numbers, lists and dictionaries.
            session: The program's name for the work at hand, such as a job's. Similar failures of one tool are attempts
                at one problem within a session, and everything is counted by session. A record without one counts as a
                session of its own.
            place: The directory it is about.
            tried: The id of a suggested learning that was tried before this call and did not help.

        Raises:
            UsageError: a text is empty, the arguments cannot be written as JSON, or no learning has the id `tried`.
            StoreError: the ledger cannot be written.
        """
        failure = self._failure(tool, error, arguments)
        return self._store(
            replace(
                failure, session=_optional_text("session", session), place=str(place), tried=self._check_learning(tried)
            )
        )

    def record_resolution(self, failure: str, text: str, *, arguments: Mapping[str, object] | None = None) -> str:
        """Record what fixed a failure, and return the id of the resolution once it is on disk.

        It ends the open problems of the failure's tool in its session.

        Args:
            failure: The id that `record_failure` returned.
            text: What fixed it, as one person would tell another.
            arguments: Of the call that worked; together with those of the failure they show what was changed.

        Raises:
            UsageError: no failure has that id, the text is empty, or the arguments cannot be written as JSON.
            StoreError: the ledger cannot be written.
        """
        resolved = self._find_failure(failure)
        return self._store(
            replace(
                self._new(RecordKind.RESOLUTION),
                text=_require_text("text", text),
                arguments=_encode(arguments),
                tool=resolved.tool,
                session=resolved.session,
                place=resolved.place,
                signature=resolved.signature,
                failure=resolved.id,
            )
        )

    def record_success(
        self, *, tool: str, session: str | None = None, place: Path | str = "", tried: str | None = None
    ) -> str:
        """Record that a call succeeded, and return the id of the success once it is on disk.

        It ends the open problems of the tool in the session.

        Args:
            tool: What was called.
            session: The program's name for the work at hand; without one it ends nothing.
            place: The directory it is about.
            tried: The id of a suggested learning that was tried before this call and helped.

        Raises:
            UsageError: a text is empty, or no learning has the id `tried`.
            StoreError: the ledger cannot be written.
        """
        success = replace(
            self._new(RecordKind.SUCCESS), tool=_require_text("tool", tool), session=_optional_text("session", session)
        )
        return self._store(replace(success, place=str(place), tried=self._check_learning(tried)))

    def record_insight(self, text: str, *, tool: str | None = None) -> str:
        """Record something worth knowing, and return its id once it is on disk.

        Args:
            text: The insight, in your own words.
            tool: The tool it is about; without one it is found by its words.

        Raises:
            UsageError: a text is empty.
            StoreError: the ledger cannot be written.
        """
        return self._store(
            replace(self._new(RecordKind.INSIGHT), text=_require_text("text", text), tool=_optional_text("tool", tool))
        )

    def find_learnings(
        self, *, tool: str, error: str, arguments: Mapping[str, object] | None = None, place: Path | str = ""
    ) -> tuple[Learning, ...]:
        """What is known about an error of a tool, the best first; nothing is recorded.

        First comes what helped against the same failure, then against the same symptom of the tool, then against
        failures in similar words, then insights about the tool. What was tried against the same failure without success
        is left out until it has helped more often than that. Fixes mined from logs are included once known to help.

        Args:
            tool: What was called.
            error: The error message.
            arguments: The arguments of the call. Give them if failures are recorded with them: the program that a
                command runs is part of what makes two failures the same.
            place: The directory it is about. With one, only learnings of the same project are returned, and those of no
                project.

        Raises:
            UsageError: a text is empty, or the arguments cannot be written as JSON.
            StoreError: a store cannot be read.
        """
        from wisen.mining.call_changes import call_difference
        from wisen.records.accounts import build_accounts
        from wisen.records.record_sanitizer import sanitize_record
        from wisen.records.relevance import SimilarityPolicy, rank_learnings

        failure = sanitize_record(self._failure(tool, error, arguments), self._limits())
        signature = _signature(failure)
        folder = str(place)
        records = [
            each for each in self._records(tool=failure.tool, key=signature.key) if self._is_visible_in(each, folder)
        ]
        here = Selection(places=(folder,) if folder else ())
        known = (fix for fix in self._home.index.findings.fixes(here) if fix.is_reliable)
        return rank_learnings(
            build_accounts(records, known, call_difference),
            signature,
            failure.tool or "",
            has_text=failure.text is not None,
            policy=SimilarityPolicy(),
        )

    def candidates(self) -> tuple[Candidate, ...]:
        """What recurs often enough to be worth a rule, a guard or a skill, the one first that would save the most.

        These are resolutions and fixes that helped in at least three sessions, mostly, and the last time; and failures
        in at least three sessions that nothing is known to resolve, in records or in the logs of agents.

        Raises:
            StoreError: a store cannot be read.
        """
        from wisen.mining.call_changes import call_difference
        from wisen.records.accounts import build_accounts
        from wisen.records.candidates import CandidatePolicy, find_candidates

        records, index, everywhere = self._records(), self._home.index, Selection()
        alive = self._home.clock.now() - timedelta(days=self._mining.transient_days)
        kinds = index.findings.failures(everywhere, alive=alive)
        return find_candidates(
            records,
            kinds,
            build_accounts(records, index.findings.fixes(everywhere), call_difference),
            CandidatePolicy(),
        )

    def problem(self, failure: str) -> Problem:
        """The problem that a failure was an attempt at: all attempts, their trajectory and their error messages.

        Raises:
            UsageError: no failure has that id.
            StoreError: the ledger cannot be read.
        """
        from wisen.records.problems import group_problems

        failed = self._find_failure(failure)
        found = group_problems(self._records(tool=failed.tool))
        return next(problem for problem in found if failed.id in problem.attempts)

    def _new(self, kind: RecordKind) -> Record:
        home = self._home
        return Record(id=home.ids.new(), kind=kind, machine=home.machine, at=home.clock.now())

    def _failure(self, tool: str, error: str, arguments: Mapping[str, object] | None) -> Record:
        return replace(
            self._new(RecordKind.FAILURE),
            tool=_require_text("tool", tool),
            text=_require_text("error", error),
            arguments=_encode(arguments),
        )

    def _store(self, record: Record) -> str:
        from wisen.records.record_sanitizer import sanitize_record

        stored = sanitize_record(record, self._limits())
        if stored.text is not None and not stored.text.strip() and stored.kind is not RecordKind.FAILURE:
            raise UsageError("The text is one that wisen itself injected. Give your own words.")
        if stored.kind is RecordKind.FAILURE:
            stored = replace(stored, signature=_signature(stored))
        self._home.ledger.program_records.add(stored)
        return stored.id

    def _limits(self) -> LengthLimits:
        from wisen.records.record_sanitizer import LengthLimits

        door = self._door
        return LengthLimits(
            error_head=door.failure_head,
            error_tail=door.failure_tail,
            text=door.longest_message,
            argument=door.longest_argument,
        )

    def _records(self, *, tool: str | None = None, key: str | None = None) -> Sequence[Record]:
        return [
            _with_current_signature(record) for record in self._home.ledger.program_records.find(tool=tool, key=key)
        ]

    def _is_visible_in(self, record: Record, place: str) -> bool:
        """Whether a record may be shown in a place: projects never learn from each other unasked."""
        if not place or not record.place or record.place == place:
            return True
        one, two = (self._projects.resolver.context(each, "") for each in (record.place, place))
        return one is not None and two is not None and one.key == two.key

    def _find_failure(self, failure: str) -> Record:
        for record in self._home.ledger.program_records.find(id_=_require_text("failure", failure)):
            if record.kind is RecordKind.FAILURE:
                return record
        raise UsageError(f"{failure!r} is not the id of a recorded failure. Give the id that record_failure returned.")

    def _check_learning(self, tried: str | None) -> str | None:
        if tried is None:
            return None
        teaching = (RecordKind.RESOLUTION, RecordKind.INSIGHT)
        if any(
            record.kind in teaching
            for record in self._home.ledger.program_records.find(id_=_require_text("tried", tried))
        ):
            return tried
        if any(fix.id == tried for fix in self._home.index.findings.fixes(Selection())):
            return tried
        raise UsageError(f"{tried!r} is not the id of a learning. Give the id of one that find_learnings() returned.")


def _signature(failure: Record) -> Signature:
    from wisen.mining.signatures import signature_of

    return signature_of(tool=failure.tool or "", arguments=failure.arguments, text=failure.text)


def _with_current_signature(record: Record) -> Record:
    """The record with a comparable signature: an older one is recomputed from the stored text."""
    from wisen.mining.miner_version import SIGNATURE_VERSION

    if (
        record.signature is None
        or record.signature.version == SIGNATURE_VERSION
        or record.kind is not RecordKind.FAILURE
    ):
        return record
    return replace(record, signature=_signature(record))


def _require_text(name: str, text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{name} is {text!r}, but must not be empty. Give text that a person can read.")
    return text


def _optional_text(name: str, text: object) -> str | None:
    return None if text is None else _require_text(name, text)


def _encode(arguments: Mapping[str, object] | None) -> str | None:
    if arguments is None:
        return None
    try:
        return json.dumps(dict(arguments), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"The arguments cannot be written as JSON: {error}. Give texts, numbers, lists and dictionaries."
        ) from error
