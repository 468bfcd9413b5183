"""Symbolic links on the path of an edited file: where they may lead, and that none can be swapped in during an edit."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from wisen.edits.links import Links
from wisen.edits.user_files import UserFiles
from wisen.errors import FileError

pytestmark = pytest.mark.requirement("X7")


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A home with a checkout, a project without git, a workspace, an agent's folder, and unrelated files."""
    home = tmp_path / "ada"
    for folder in (
        *("shop/.git/hooks", "shop/docs", "shop/.claude", "plain/.claude", "plain/docs", "other/.git", ".claude"),
        *(".openclaw/workspace/memory", "dotfiles/claude", "secret"),
    ):
        (home / folder).mkdir(parents=True)
    for file in (
        *("secret/config", "secret/notes.md", "shop/AGENTS.md", "shop/docs/rules.md", "shop/.git/config.md", "bashrc"),
        *("plain/AGENTS.md", "other/CLAUDE.md", "dotfiles/claude/CLAUDE.md", "dotfiles/settings.json", ".rc.md"),
        *("shop/build.sh", ".openclaw/openclaw.md"),
    ):
        (home / file).write_bytes(b"old\n")
    return home


@pytest.fixture
def files(person: Path) -> UserFiles:
    return UserFiles(Links(person, [person / ".claude", person / ".openclaw"], [person / ".openclaw/workspace"]))


ALLOWED = [
    ("shop/CLAUDE.md", "AGENTS.md"),
    ("shop/CLAUDE.md", "docs/rules.md"),
    ("shop/.claude/CLAUDE.md", "../AGENTS.md"),
    ("plain/CLAUDE.md", "AGENTS.md"),
    ("plain/.claude/CLAUDE.md", "../AGENTS.md"),
    (".claude/CLAUDE.md", "../dotfiles/claude/CLAUDE.md"),
    (".claude/settings.json", "../dotfiles/settings.json"),
]
REFUSED = [
    ("shop/CLAUDE.md", "../secret/config"),
    ("shop/CLAUDE.md", "../secret/notes.md"),
    ("shop/CLAUDE.md", "../bashrc"),
    ("shop/CLAUDE.md", "../.rc.md"),
    ("shop/CLAUDE.md", "../other/CLAUDE.md"),
    ("shop/CLAUDE.md", ".git/config.md"),
    ("shop/CLAUDE.md", "build.sh"),
    ("shop/.claude/settings.json", "../../dotfiles/settings.json"),
    ("plain/CLAUDE.md", "../secret/notes.md"),
    ("plain/CLAUDE.md", "../shop/AGENTS.md"),
    (".claude/CLAUDE.md", "../secret/config"),
    (".claude/CLAUDE.md", "{outside}/notes.md"),
    (".openclaw/workspace/TOOLS.md", "../../bashrc"),
    (".openclaw/workspace/TOOLS.md", "../../.rc.md"),
    (".openclaw/workspace/TOOLS.md", "../openclaw.md"),
]
FOLDERS = [
    ("shop/memory", "../secret", "shop/memory/notes.md"),
    ("shop/memory", "../other", "shop/memory/CLAUDE.md"),
    ("plain/memory", "../other", "plain/memory/CLAUDE.md"),
    ("plain/.learnings", "../secret", "plain/.learnings/notes.md"),
    ("plain/.learnings", "../secret", "plain/.learnings/new.md"),
    ("shop/.learnings", ".git/hooks", "shop/.learnings/new.md"),
    ("shop/sub", "../secret", "shop/sub/notes.md"),
    (".openclaw/workspace/memory/sessions", "../../../secret", ".openclaw/workspace/memory/sessions/notes.md"),
]


def link(person: Path, name: str, target: str) -> Path:
    outside = person.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "notes.md").write_bytes(b"old\n")
    path = person / name
    path.symlink_to(target.format(outside=outside))
    return path


@pytest.mark.parametrize(("name", "target"), ALLOWED)
def test_a_link_to_a_file_of_the_same_kind_in_the_same_project_is_followed(
    files: UserFiles, person: Path, name: str, target: str
) -> None:
    path = link(person, name, target)
    assert files.link_target(path) == str(path.resolve())
    files.write(files.read(path), b"new\n")
    assert path.is_symlink()
    assert path.read_bytes() == b"new\n"


@pytest.mark.parametrize(("name", "target"), REFUSED)
def test_one_that_leads_elsewhere_is_refused_with_the_place_and_the_reason(
    files: UserFiles, person: Path, name: str, target: str
) -> None:
    path = link(person, name, target)
    real = path.resolve()
    with pytest.raises(FileError, match=r"is a link to .*, which .*left alone. Put a file there") as refused:
        files.write(files.read(path), b"new\n")
    assert str(real) in str(refused.value)
    with pytest.raises(FileError):
        files.link_target(path)
    assert real.read_bytes() == b"old\n"


@pytest.mark.parametrize(("folder", "target", "name"), FOLDERS)
def test_every_part_of_the_path_counts(files: UserFiles, person: Path, folder: str, target: str, name: str) -> None:
    link(person, folder, target)
    before = {path: path.read_bytes() for path in person.rglob("*.md")}
    with pytest.raises(FileError, match="is a link to"):
        files.write(files.read(person / name), b"new\n")
    assert {path: path.read_bytes() for path in person.rglob("*.md")} == before


def test_links_above_a_project_are_how_the_user_gets_there(files: UserFiles, person: Path) -> None:
    (person / "work").symlink_to("shop")
    (person.parent / "linked home").symlink_to(person)
    for path in (person / "work/AGENTS.md", person / "work/.claude/new.md", person.parent / "linked home/shop/new.md"):
        assert files.link_target(path) is None
        files.write(files.read(path), b"new\n")
        assert path.read_bytes() == b"new\n"


def test_an_agents_folder_that_is_linked_as_a_whole_stays_the_users(person: Path) -> None:
    (person / "mine").symlink_to("dotfiles/claude")
    files = UserFiles(Links(person, [person / "mine"]))
    files.write(files.read(person / "mine/CLAUDE.md"), b"new\n")
    assert (person / "dotfiles/claude/CLAUDE.md").read_bytes() == b"new\n"


def test_a_home_whose_dotfiles_are_in_git_is_no_project(files: UserFiles, person: Path) -> None:
    (person / ".git").mkdir()
    path = link(person, "plain/CLAUDE.md", "../secret/notes.md")
    with pytest.raises(FileError, match="outside of"):
        files.write(files.read(path), b"new\n")


def _swap_file(person: Path) -> None:
    (person / "shop/docs/notes.md").unlink()
    (person / "shop/docs/notes.md").symlink_to("../../secret/notes.md")


def _swap_folder(person: Path) -> None:
    (person / "shop/docs").rename(person / "moved")
    (person / "shop/docs").symlink_to("../secret")


@pytest.mark.parametrize("swap", [_swap_file, _swap_folder])
@pytest.mark.parametrize("moment", ["fsync", "replace", "open"])
def test_what_is_put_in_its_place_between_looking_and_writing_is_not_written_to(
    files: UserFiles, person: Path, monkeypatch: pytest.MonkeyPatch, swap: Callable[[Path], None], moment: str
) -> None:
    path = person / "shop/docs/notes.md"
    path.write_bytes(b"old\n")
    seen, real, done = files.read(path), getattr(os, moment), list[bool]()

    def swapped(*given: Any, **named: Any) -> Any:
        # Opening a part of the path is the first step of the write, so the swap comes after the last check before it.
        if not done and (moment != "open" or given[0] == "docs"):
            done.append(True)
            swap(person)
        return real(*given, **named)

    with monkeypatch.context() as patched, suppress(FileError):
        patched.setattr(os, moment, swapped)
        files.write(seen, b"new\n")
    assert done
    assert (person / "secret/notes.md").read_bytes() == b"old\n"
    assert sorted(each.name for each in (person / "secret").iterdir()) == ["config", "notes.md"]
