"""The contract of every ledger for program records, as a test suite."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wisen.model.failure import Signature
from wisen.model.learning import Record, RecordKind
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.ledger import Ledger


def a_record(name: str, kind: RecordKind = RecordKind.FAILURE, tool: str | None = "deploy", minute: int = 0) -> Record:
    """Return a sample record, so many minutes after noon."""
    signature = Signature(key="net.timeout", who="deploy", version=1) if kind is RecordKind.FAILURE else None
    at = NOON + timedelta(minutes=minute)
    return Record(id=name, kind=kind, machine="desk", at=at, tool=tool, session="job", signature=signature)


class ProgramRecordsContract:
    """Fixtures: `ledger`, `reopen`."""

    def test_a_record_comes_back_exactly_as_it_was_kept(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        failure = replace(
            a_record("01A"),
            at=datetime(2026, 3, 1, 12, 0, 0, 123457, tzinfo=UTC),
            place="/srv/shop",
            text="it timed out",
            arguments='{"to": "prod"}',
            signature=Signature(key="net.timeout", who="deploy", says="timed out", version=7),
            tried="a fix",
            withheld="private:email",
        )
        resolution = replace(a_record("01B", RecordKind.RESOLUTION, minute=1), failure="01A", text="wait longer")
        insight = Record(id="01C", kind=RecordKind.INSIGHT, machine="lap", at=NOON + timedelta(hours=1))
        for record in (insight, failure, resolution):
            ledger.program_records.add(record)
        again = reopen()
        again.check()
        assert again.program_records.find() == (failure, resolution, insight)
        assert again.program_records.find(id_="01B") == (resolution,)

    def test_a_record_that_nobody_kept_is_not_there(self, ledger: Ledger) -> None:
        assert (
            ledger.program_records.find(),
            ledger.program_records.find(id_="01A"),
            ledger.program_records.find(tool="deploy"),
        ) == ((), (), ())

    def test_keeping_a_record_again_changes_nothing(self, ledger: Ledger) -> None:
        ledger.program_records.add(a_record("01A"))
        ledger.program_records.add(replace(a_record("01A"), text="another story"))
        assert ledger.program_records.find() == (a_record("01A"),)

    def test_a_moment_of_a_record_comes_back_in_utc_and_orders_before_the_id(self, ledger: Ledger) -> None:
        late = replace(a_record("A"), at=(NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))))
        early, also_early = a_record("a"), a_record("Z")
        for record in (late, early, also_early):
            ledger.program_records.add(record)
        assert [record.id for record in ledger.program_records.find()] == ["Z", "a", "A"]
        assert ledger.program_records.find()[-1].at.utcoffset() == timedelta(0)

    def test_what_concerns_a_tool_or_a_key_is_found_with_every_insight_and_every_try(self, ledger: Ledger) -> None:
        same_tool = replace(a_record("tool"), signature=Signature(key="fs.full", who="deploy", version=1))
        same_key = a_record("key", tool="upload")
        insight = a_record("insight", RecordKind.INSIGHT, tool=None)
        tried = replace(a_record("tried", RecordKind.SUCCESS, tool="sort"), tried="insight")
        other = replace(same_tool, id="other", tool="sort")
        for record in (same_tool, same_key, insight, tried, other):
            ledger.program_records.add(record)
        both = {record.id for record in ledger.program_records.find(tool="deploy", key="net.timeout")}
        assert both == {"tool", "key", "insight", "tried"}
        assert {record.id for record in ledger.program_records.find(key="net.timeout")} == {"key", "insight", "tried"}
        assert {record.id for record in ledger.program_records.find(tool="deploy")} == {"tool", "insight", "tried"}
        assert len(ledger.program_records.find()) == 5

    def test_a_success_is_left_out_where_its_tool_never_failed_in_the_session(self, ledger: Ledger) -> None:
        ended = a_record("ended", RecordKind.SUCCESS, minute=1)
        ledger.program_records.add(a_record("failure"))
        ledger.program_records.add(ended)
        for name, other in {
            "other tool": replace(ended, tool="sort"),
            "other session": replace(ended, session="job 2"),
            "other machine": replace(ended, machine="lap"),
            "no session": replace(ended, session=None),
        }.items():
            ledger.program_records.add(replace(other, id=name))
        assert [record.id for record in ledger.program_records.find()] == ["failure", "ended"]
        assert [record.id for record in ledger.program_records.find(tool="deploy")] == ["failure", "ended"]
        assert [record.id for record in ledger.program_records.find(id_="no session")] == ["no session"]

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_of_a_record_comes_back_as_it_was(
        self, ledger: Ledger, reopen: Callable[[], Ledger], text: str
    ) -> None:
        record = Record(
            id=f"01{text}",
            kind=RecordKind.FAILURE,
            machine=text,
            at=NOON,
            tool=text,
            session=text,
            place=text,
            text=text,
            arguments=text,
            signature=Signature(key=text, who=text, says=text, version=1),
            tried=text,
            withheld=text,
        )
        ledger.program_records.add(record)
        again = reopen()
        again.check()
        assert (
            again.program_records.find(id_=record.id)
            == again.program_records.find(tool=text)
            == again.program_records.find(key=text)
            == (record,)
        )
