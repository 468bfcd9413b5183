"""Which files are instruction files, whom they address, and which versions are kept outside a repository."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wisen.blame import instruction_files
from wisen.blame.instruction_files import InstructionFiles
from wisen.blame.instruction_snapshots import new_snapshots, with_snapshots
from wisen.errors import UsageError
from wisen.model.instruction import InstructionFile, Version
from wisen.model.snapshot import Snapshot
from wisen.testing.fake_ledger import MemoryLedger

pytestmark = pytest.mark.requirement("X4")

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


def write(base: Path, *names: str) -> None:
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(f"rules of {name}\n")


def found(home: Path, *roots: Path, environment: dict[str, str] | None = None) -> dict[str, str]:
    """The root of each file that was found, by path."""
    here = InstructionFiles(home, {"PATH": os.environ["PATH"], **(environment or {})})
    return {file.path: file.root for file in here.files([str(root) for root in roots])}


def test_every_known_name_is_found_and_speaks_to_the_directory_it_stands_in(home: Path, project: Path) -> None:
    names = (
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        "AGENTS.override.md",
        "GEMINI.md",
        "SOUL.md",
        "TOOLS.md",
        "USER.md",
        "MEMORY.md",
        ".cursorrules",
        ".cursor/rules/style.mdc",
        ".claude/CLAUDE.md",
        ".claude/skills/deploy/SKILL.md",
        ".agents/skills/deploy/SKILL.md",
    )
    write(project, *names, *(f"web/{name}" for name in names))
    write(project, "README.md", "claude.md", "SKILL.md", "docs/SKILL.md", "style.mdc", ".cursor/rules/style.md")
    assert found(home, project) == {
        **{str(project / name): str(project) for name in names},
        **{str(project / "web" / name): str(project / "web") for name in names},
    }


def test_what_others_brought_and_what_lies_deep_is_not_looked_into(home: Path, project: Path) -> None:
    skipped = (".git", "node_modules", ".venv", "venv", "target", "dist", "build", "vendor", ".claude/worktrees/x")
    write(project, ".claude/plugins/x/CLAUDE.md", ".cursor/CLAUDE/CLAUDE.md")
    write(project, *(f"{name}/CLAUDE.md" for name in skipped), "a/vendor/CLAUDE.md")
    write(project, "1/2/3/4/CLAUDE.md", "1/2/3/4/5/CLAUDE.md")
    assert list(found(home, project)) == [str(project / "1/2/3/4/CLAUDE.md")]


def test_a_project_with_very_many_files_is_looked_at_from_the_top_and_not_to_the_end(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instruction_files, "_MAX_ENTRIES", 30)
    write(project, "CLAUDE.md", "a/CLAUDE.md", *(f"z/{number}" for number in range(100)), "z/deep/CLAUDE.md")
    write(project, ".claude/skills/deploy/SKILL.md")
    names = (".claude/skills/deploy/SKILL.md", "CLAUDE.md", "a/CLAUDE.md")
    assert list(found(home, project)) == [str(project / name) for name in names]


def test_links_are_followed_inside_a_project_and_never_round_in_circles(
    home: Path, project: Path, tmp_path: Path
) -> None:
    write(project, "CLAUDE.md", "a/CLAUDE.md", "shared/deploy/SKILL.md")
    write(tmp_path, "other/CLAUDE.md", "home.md")
    for link, target in {
        "loop": "..",
        "a/itself": ".",
        "a/up": "..",
        "a/b": "../b",
        "b/a": "../a",
        "nowhere": "no such file",
        "ring": "ring",
        "outside": "../other",
        ".claude/skills/deploy": "../../shared/deploy",
        "a/AGENTS.md": "CLAUDE.md",
        "GEMINI.md": "../home.md",
        "AGENTS.md": "missing.md",
    }.items():
        (project / link).parent.mkdir(parents=True, exist_ok=True)
        (project / link).symlink_to(target)
    assert list(found(home, project)) == [
        str(project / ".claude/skills/deploy/SKILL.md"),
        str(project / "CLAUDE.md"),
        str(project / "GEMINI.md"),
        str(project / "a/CLAUDE.md"),
        str(project / "b/a/CLAUDE.md"),
    ]


def test_files_of_the_user_are_found_whatever_the_project_and_openclaws_speak_in_its_workspace(home: Path) -> None:
    everywhere = (".claude/CLAUDE.md", ".codex/AGENTS.md", ".claude/skills/x/SKILL.md", ".agents/skills/y/SKILL.md")
    workspace = home / ".openclaw/workspace"
    names = ("AGENTS.md", "SOUL.md", "TOOLS.md", "USER.md", "MEMORY.md")
    write(home, *everywhere, ".claude/projects/p/CLAUDE.md")
    write(workspace, *names, "CLAUDE.md")
    expected = {str(home / name): "" for name in everywhere} | {str(workspace / name): str(workspace) for name in names}
    assert found(home) == expected
    assert found(home, workspace) == {**expected, str(workspace / "CLAUDE.md"): str(workspace)}
    here = InstructionFiles(home, {})
    assert [here.file(home / name).root for name in everywhere] == [""] * 4


def test_the_environment_says_where_the_users_files_are(home: Path, tmp_path: Path) -> None:
    write(home, ".claude/CLAUDE.md", ".codex/AGENTS.md")
    write(tmp_path, "c/CLAUDE.md", "x/AGENTS.md")
    chosen = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    assert found(home, environment=chosen) == {str(tmp_path / "c/CLAUDE.md"): "", str(tmp_path / "x/AGENTS.md"): ""}


def test_a_home_is_not_searched_for_projects(home: Path) -> None:
    write(home, "CLAUDE.md", "work/CLAUDE.md")
    assert found(home, home, home.parent) == {str(home / "CLAUDE.md"): str(home)}


def test_what_is_no_readable_file_of_a_fitting_size_is_left_out(home: Path, project: Path) -> None:
    write(project, "CLAUDE.md")
    (project / "AGENTS.md").write_bytes(b"x" * 1_000_001)
    (project / "GEMINI.md").mkdir()
    os.mkfifo(project / "SOUL.md")
    assert list(found(home, project)) == [str(project / "CLAUDE.md")]
    for name in ("AGENTS.md", "GEMINI.md", "SOUL.md", "nul\0.md"):
        with pytest.raises(UsageError, match=r"is not a readable file, or has more than 1,000,000 bytes"):
            InstructionFiles(home, {}).file(project / name)


@pytest.mark.parametrize("root", ["", ".", "relative", "/no/such/folder", "/nul\0", "/dev/null", "C:\\Users\\me"])
def test_no_root_is_an_error(home: Path, root: str) -> None:
    assert InstructionFiles(home, {}).files([root]) == ()


def test_any_file_can_be_asked_for_by_a_path_with_detours(home: Path, project: Path) -> None:
    write(project, "docs/guide.md")
    file = InstructionFiles(home, {}).file(project / "web/../docs/guide.md")
    assert (file.path, file.root) == (str(project / "docs/guide.md"), str(project / "docs"))


def a_file(text: str, at: datetime = NOW, path: str = "/p/CLAUDE.md") -> InstructionFile:
    return InstructionFile(path=path, root="/p", versions=(Version(at=at, text=text, origin="file"),))


def a_snapshot(text: str, at: datetime = NOW, machine: str = "desk", path: str = "/p/CLAUDE.md") -> Snapshot:
    return Snapshot(path=path, machine=machine, at=at, text=text)


def test_a_file_that_changes_between_runs_gets_a_history() -> None:
    ledger = MemoryLedger()
    for hour, text in enumerate(("one", "one", "two", "one")):
        file = a_file(text, NOW + hour * HOUR)
        known = ledger.file_snapshots.of(file.path, machine="desk")
        for snapshot in new_snapshots([file], known, machine="desk", now=NOW + hour * HOUR):
            ledger.file_snapshots.add(snapshot)
    versions = with_snapshots(
        a_file("one", NOW + 9 * HOUR), ledger.file_snapshots.of("/p/CLAUDE.md", machine="desk")
    ).versions
    assert [(version.text, version.at, version.origin) for version in versions] == [
        ("one", NOW, "snapshot"),
        ("two", NOW + 2 * HOUR, "snapshot"),
        ("one", NOW + 3 * HOUR, "snapshot"),
    ]


def test_what_git_remembers_gets_no_snapshot() -> None:
    committed = Version(at=NOW, text="one", origin="abc")
    file = InstructionFile(path="/p/CLAUDE.md", root="/p", versions=(committed,))
    edited = InstructionFile(
        path="/p/A.md", root="/p", versions=(committed, Version(at=NOW, text="two", origin="file"))
    )
    assert new_snapshots([file, edited], [], machine="desk", now=NOW) == []


@pytest.mark.parametrize(
    "text",
    ["deploy with AKIA" + "QYLPMN5HHHFPZAM2", "My IBAN is DE89 3704 0044 0532 0130 00", "I live at 12 Baker Street"],
)
def test_a_text_that_holds_a_secret_or_private_data_is_never_kept(text: str) -> None:
    assert new_snapshots([a_file(f"# Rules\n\n{text}\n")], [], machine="desk", now=NOW) == []


def test_a_path_that_holds_a_secret_is_never_kept() -> None:
    file = a_file("one", path="/p/AKIA" + "QYLPMN5HHHFPZAM2/CLAUDE.md")
    assert new_snapshots([file], [], machine="desk", now=NOW) == []


def test_a_snapshot_of_another_machine_or_file_says_nothing_about_this_one() -> None:
    known = [a_snapshot("one", machine="lap"), a_snapshot("one", path="/q/CLAUDE.md")]
    assert new_snapshots([a_file("one")], known, machine="desk", now=NOW) == [a_snapshot("one")]


@pytest.mark.parametrize(
    ("written", "last", "expected"),
    [
        (NOW - HOUR, None, NOW - HOUR),
        (NOW + HOUR, None, NOW),
        (NOW - HOUR, NOW - 2 * HOUR, NOW - HOUR),
        (NOW - 2 * HOUR, NOW - HOUR, NOW),
        (NOW + HOUR, NOW + 2 * HOUR, NOW + 2 * HOUR + timedelta(microseconds=1)),
    ],
    ids=["first", "from the future", "later", "an old copy put back", "a clock that went back"],
)
def test_a_snapshot_is_newer_than_the_last_one(written: datetime, last: datetime | None, expected: datetime) -> None:
    known = [] if last is None else [a_snapshot("before", last), a_snapshot("long before", last - 9 * HOUR)]
    assert new_snapshots([a_file("now", written)], known, machine="desk", now=NOW) == [a_snapshot("now", expected)]


def test_the_present_comes_behind_the_snapshots_even_with_an_old_time() -> None:
    file = with_snapshots(a_file("two", NOW - HOUR), [a_snapshot("one"), a_snapshot("else", path="/q/CLAUDE.md")])
    assert file.versions == (
        Version(at=NOW, text="one", origin="snapshot"),
        Version(at=NOW, text="two", origin="file"),
    )
    assert with_snapshots(a_file("one"), []) == a_file("one")


def test_where_git_remembers_only_older_snapshots_count() -> None:
    committed = Version(at=NOW, text="two", origin="abc")
    file = InstructionFile(path="/p/CLAUDE.md", root="/p", versions=(committed,))
    snapshots = [a_snapshot("one", NOW - HOUR), a_snapshot("half", NOW), a_snapshot("late", NOW + HOUR)]
    assert with_snapshots(file, snapshots).versions == (
        Version(at=NOW - HOUR, text="one", origin="snapshot"),
        committed,
    )
