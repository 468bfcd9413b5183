"""The archive respects its limits: old sessions are dropped, their lessons stay, and old logs do not restore them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wisen
from tests.commands import run
from tests.planted_secrets import find_residues
from wisen.errors import SettingsError
from wisen.forgetting.retention import expired_sessions
from wisen.forgetting.settings import ArchivePolicy, ContextLimit
from wisen.model.archive import ArchivedSession
from wisen.store import index_deletion
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N8")

NOW = datetime(2026, 6, 1, tzinfo=UTC)
AGES = {"jabuticabax": 90, "kumquatox": 40, "loganberrux": 10}
"""A word of each session, and how many days ago it was typed."""


@pytest.fixture
def ours(home: Path) -> Path:
    return home / "wisen"


def write_sessions(home: Path, project: str = "shop", *, first: int = 1, padding: int = 0) -> Path:
    """Three sessions of different age in a project, each with a lesson."""
    folder = home / project
    folder.mkdir(exist_ok=True)
    for number, (word, days) in enumerate(AGES.items(), first):
        log = ClaudeTranscript(number, cwd=str(folder), start=datetime.now(UTC) - timedelta(days=days))
        log.prompt(f"look at the {word}in{project} {'and the rest of it ' * padding}")
        log.bash("make test", "ok")
        log.prompt(f"no, from now on always use tool{number} instead of npm")
        log.bash("make test", "ok")
        log.write(home / ".claude" / "projects" / project)
    return folder


def write_limits(ours: Path, settings: str) -> None:
    ours.mkdir(exist_ok=True)
    (ours / "config.toml").write_text(f"[archive]\n{settings}\n")


def indexed_words(ours: Path, project: str = "shop") -> list[str]:
    """The sessions of which the index holds words, by their word."""
    found = find_residues(ours, [f"{word}in{project}" for word in AGES])
    return [word for word in AGES if any("index" in name for name in found.get(f"{word}in{project}", ()))]


def lessons() -> set[str]:
    with wisen.open_learner() as learner:
        return {each.text for each in learner.lessons.all()}


@pytest.mark.parametrize("again", ["learn", "recheck", "rebuild"])
@pytest.mark.parametrize(("settings", "left"), [("days = 30", 1), ("days = 60", 2), ("days = 0", 3), ("days = 5", 0)])
def test_what_is_too_old_goes_and_does_not_come_back(
    home: Path, ours: Path, settings: str, left: int, again: str
) -> None:
    write_sessions(home)
    run("learn")
    before = lessons()
    assert len(indexed_words(ours)) == len(before) == 3
    write_limits(ours, settings)
    dry = json.loads(run("cycle", "--dry-run", "--json").stdout)
    assert dry["retired"] == 3 - left
    assert len(indexed_words(ours)) == 3
    assert json.loads(run("cycle", "--json").stdout)["retired"] == 3 - left
    assert indexed_words(ours) == list(AGES)[3 - left :]
    assert lessons() == before, "what was learned stays"
    if again == "rebuild":
        for file in ours.glob("index.db*"):
            file.unlink()
    report = json.loads(run("learn", "--json", *(["--recheck"] if again == "recheck" else []), expect=0).stdout)
    assert indexed_words(ours) == list(AGES)[3 - left :]
    assert lessons() == before
    assert again == "rebuild" or report["new_events"] == 0, "what comes and goes is not new"


def test_the_oldest_go_where_there_is_too_much(home: Path, ours: Path) -> None:
    write_sessions(home, padding=1_600)  # some 30 kB are kept of each prompt
    run("learn")
    assert indexed_words(ours) == list(AGES)
    with wisen.open_learner() as learner:
        sizes = {each.native: each.size for each in learner.home.index.removal.archived_sessions()}
    assert 90_000 < sum(sizes.values()) < 1_000_000
    for number in range(10, 50):
        log = ClaudeTranscript(number, cwd=str(home / "shop"), start=datetime.now(UTC) - timedelta(days=1))
        log.prompt("now this " * 3_000)
        log.write(home / ".claude" / "projects" / "shop")
    write_limits(ours, "megabytes = 1")
    run("learn")
    assert indexed_words(ours) == []
    with wisen.open_learner() as learner:
        kept = learner.home.index.removal.archived_sessions()
    assert 900_000 < sum(each.size for each in kept) <= 1_000_000
    names = {each.native for each in kept}
    for file in ours.glob("index.db*"):
        file.unlink()
    run("learn")
    with wisen.open_learner() as learner:
        assert {each.native for each in learner.home.index.removal.archived_sessions()} == names
    assert "the oldest above 1 MB" in " ".join(run("status").stdout.split())


def test_the_file_is_not_rewritten_for_a_few_sessions(home: Path, ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_deletion, "_FEW_PAGES", 0)
    write_sessions(home, padding=1_600)
    for number in range(10, 50):
        log = ClaudeTranscript(number, cwd=str(home / "shop"), start=datetime.now(UTC) - timedelta(days=1))
        log.prompt(f"now this {number} " * 1_000)
        log.write(home / ".claude" / "projects" / "shop")
    run("learn")
    write_limits(ours, "days = 60")
    with wisen.open_learner() as learner:
        learner.learn()
    with closing(sqlite3.connect(ours / "index.db")) as db:
        ((free,),) = db.execute("PRAGMA freelist_count")
        assert free > 0, "the space is left for what comes next"
        db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, memory_words, row)")
        terms = {str(term) for (term,) in db.execute("SELECT term FROM temp.terms")}
    assert not any(term.startswith("jabuticabaxin") for term in terms)
    assert any(term.startswith("loganberruxin") for term in terms)
    assert not (ours / "index.db-wal").exists() or (ours / "index.db-wal").stat().st_size == 0


@pytest.mark.parametrize("named_by", ["key", "directory"])
def test_a_project_may_have_limits_of_its_own(home: Path, ours: Path, named_by: str) -> None:
    shop, _ = write_sessions(home), write_sessions(home, "blog", first=7)
    run("learn")
    with wisen.open_learner() as learner:
        name = learner.contexts.key_of(shop) if named_by == "key" else str(shop)
    write_limits(ours, f'days = 60\n[archive.contexts."{name}"]\ndays = 0')
    run("learn")
    assert (indexed_words(ours), indexed_words(ours, "blog")) == (list(AGES), list(AGES)[1:])
    write_limits(ours, f'[archive.contexts."{name}"]\ndays = 30')
    run("learn")
    assert (indexed_words(ours), indexed_words(ours, "blog")) == (list(AGES)[2:], list(AGES)[1:])
    shown = json.loads(run("config", "--json").stdout)["settings"]
    assert [each["value"] for each in shown if each["key"] == "archive.contexts"] == [[f"{name}: days 30"]]


@pytest.mark.parametrize(
    "settings", ["contexts = 3", '[archive.contexts."a"]\nweeks = 3', '[archive.contexts."a"]\ndays = -3']
)
def test_limits_that_make_no_sense_are_reported(home: Path, ours: Path, settings: str) -> None:
    write_limits(ours, settings)
    with pytest.raises(SettingsError, match="archive"):
        wisen.open_learner()


def test_status_tells_the_size_the_pace_and_the_limit(home: Path, ours: Path) -> None:
    write_sessions(home)
    run("learn")
    shown = " ".join(run("status").stdout.split())
    assert "Archive: 3 sessions since " in shown
    assert " a year at this pace; " in shown
    assert " on disk with all that was learned. Dropped: the oldest above 1,000 MB (archive.days, " in shown
    usage = json.loads(run("status", "--json").stdout)["archive"]
    assert (usage["sessions"], usage["events"], usage["days"], usage["megabytes"]) == (3, 18, 0, 1_000)
    assert usage["first"] < usage["last"]
    stores = [path for path in ours.rglob("*.db*") if path.is_file()]
    assert usage["disk"] == sum(path.stat().st_size for path in stores)
    assert usage["yearly"] == pytest.approx(usage["size"] * 365 / 80, rel=0.01)
    write_limits(ours, "megabytes = 0")
    assert "; no limit" in " ".join(run("status").stdout.split())
    write_limits(ours, "days = 90")
    assert "Dropped: sessions without activity for 90 days and the oldest above 1,000 MB" in " ".join(
        run("status").stdout.split()
    )


SESSIONS = st.lists(
    st.builds(
        lambda number, context, days, size: ArchivedSession(
            "a", str(number), 0, context, NOW - timedelta(days=days), 1, size, waits=False
        ),
        st.integers(),
        st.sampled_from(["x", "y", ""]),
        st.integers(0, 100),
        st.integers(0, 2_000_000),
    ),
    unique_by=lambda each: each.native,
)
LIMITS = st.builds(ContextLimit, days=st.integers(-1, 100), megabytes=st.integers(0, 4))


@given(SESSIONS, st.integers(0, 100), st.integers(0, 5), st.dictionaries(st.sampled_from(["x", "y"]), LIMITS))
def test_what_is_left_is_within_every_limit_and_nothing_goes_for_no_reason(
    stored: list[ArchivedSession], days: int, megabytes: int, limits: dict[str, ContextLimit]
) -> None:
    gone = expired_sessions(stored, ArchivePolicy(days=days, megabytes=megabytes), limits, NOW)
    left = [each for each in stored if each not in gone]
    assert gone == sorted(gone, key=lambda each: (each.last, each.key))
    assert expired_sessions(left, ArchivePolicy(days=days, megabytes=megabytes), limits, NOW) == []
    for each in left:
        own = limits.get(each.context, ContextLimit())
        most = days if own.days < 0 else own.days
        assert not most or each.last >= NOW - timedelta(days=most)
    assert not megabytes or sum(each.size for each in left) <= megabytes * 1_000_000
    for context, limit in limits.items():
        of = sum(each.size for each in left if each.context == context)
        assert not limit.megabytes or of <= limit.megabytes * 1_000_000
    if not days and not megabytes and not limits:
        assert gone == []
