"""Repositories that git itself creates, and the contexts they resolve to."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from wisen.logs.context_resolver import ContextResolver
from wisen.model.context import Context, ContextKind
from wisen.model.ownership import Ownership, OwnershipSubject, OwnershipVerdict
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = [pytest.mark.requirement("N2"), pytest.mark.needs("git")]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path.resolve()


def at(
    world: Path, place: Path, start: Path | None = None, known: Sequence[Context] = (), words: Sequence[Ownership] = ()
) -> Context:
    seen = ContextResolver(home=world / "home", machine="laptop", contexts=known, aliases=(), ownerships=words)
    context = seen.context(str(place), str(start or place))
    assert context is not None
    return context


def named(world: Path, place: Path, start: Path | None = None) -> tuple[ContextKind, str]:
    context = at(world, place, start)
    return context.kind, context.name


def ownership_rows(
    project: Context, *places: Path, verdict: OwnershipVerdict = OwnershipVerdict.OWNED
) -> list[Ownership]:
    """Rows in which the user said that places belong to a project."""
    return [
        Ownership(
            id=f"{int(verdict is OwnershipVerdict.FOREIGN)}-{number}",
            machine="laptop",
            at=NOON,
            subject=OwnershipSubject.PLACE,
            path=str(place),
            context=project.key,
            digest=project.key,
            verdict=verdict,
        )
        for number, place in enumerate(places)
    ]


def git(directory: Path, *arguments: str) -> None:
    command = ["git", "-c", "protocol.file.allow=always", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run([*command, *arguments], cwd=directory, env=environment, check=True, capture_output=True)


def committed(directory: Path) -> Path:
    directory.mkdir(parents=True)
    git(directory, "init", "-q")
    git(directory, "commit", "-q", "--allow-empty", "-m", "first")
    return directory


def test_clones_of_one_repository_and_clones_of_clones_agree_once_the_user_says_so(world: Path) -> None:
    first = committed(world / "first")
    git(world, "clone", "-q", str(first), "second")
    git(world, "clone", "-q", f"file://{world}/second", "third")
    (world / "third/sub").mkdir()

    one = at(world, first)
    assert (one.kind, one.name) == (ContextKind.PATH, str(first))
    assert named(world, world / "third/sub") == (ContextKind.PATH, str(world / "third"))
    words = ownership_rows(one, world / "second", world / "third")
    assert at(world, world / "second", words=words) == at(world, world / "third/sub", words=words) == one

    git(first, "remote", "add", "origin", "https://user:hunter2@GitHub.com/Acme/App.git")
    app = at(world, first)
    assert (app.kind, app.name) == (ContextKind.REMOTE, "github.com/acme/app")
    known = [app]
    assert at(world, world / "third", known=known) != app
    assert at(world, world / "third", known=known, words=ownership_rows(app, world / "third")) == app
    words = ownership_rows(app, world / "third") + ownership_rows(
        app, world / "third", verdict=OwnershipVerdict.FOREIGN
    )
    assert at(world, world / "third", known=known, words=words) != app


def test_clones_of_a_bare_repository_agree_with_it_once_the_user_says_so(world: Path) -> None:
    git(world, "init", "-q", "--bare", "shared.git")
    git(world, "clone", "-q", str(world / "shared.git"), "one")
    git(world, "clone", "-q", "shared.git", "two")
    git(world / "two", "remote", "set-url", "origin", "../shared")

    one = at(world, world / "one")
    assert (one.kind, one.name) == (ContextKind.PATH, str(world / "shared.git"))
    assert at(world, world / "two") == at(world, world / "shared.git/hooks") == one
    assert at(world, world / "two", known=[one]) != one
    assert at(world, world / "two", known=[one], words=ownership_rows(one, world / "two")) == one


def test_a_worktree_agrees_with_its_main_repository_with_and_without_a_remote(world: Path) -> None:
    main = committed(world / "main")
    git(main, "worktree", "add", "-q", "../side")
    assert named(world, world / "side") == (ContextKind.PATH, str(main))
    assert at(world, world / "side") == at(world, main)

    git(main, "remote", "add", "origin", "git@github.com:acme/app.git")
    assert named(world, world / "side") == (ContextKind.REMOTE, "github.com/acme/app")


def test_a_worktree_of_a_bare_repository_agrees_with_the_folder_around_it(world: Path) -> None:
    project = world / "project"
    project.mkdir()
    git(project, "clone", "-q", "--bare", str(committed(world / "first")), ".bare")
    git(project / ".bare", "remote", "remove", "origin")
    (project / ".git").write_text("gitdir: ./.bare\n")
    git(project, "worktree", "add", "-q", "side")

    assert at(world, project / "side") == at(world, project)


def test_a_submodule_is_its_own_repository_and_two_checkouts_agree_on_it(world: Path) -> None:
    library = committed(world / "library")
    git(library, "remote", "add", "origin", "https://github.com/acme/library")
    outer = committed(world / "outer")
    git(outer, "remote", "add", "origin", "https://github.com/acme/outer")
    git(outer, "submodule", "--quiet", "add", str(library), "vendor/library")
    git(outer, "commit", "-q", "-m", "with a submodule")
    git(world, "clone", "-q", "--recurse-submodules", str(outer), "again")
    git(outer, "worktree", "add", "-q", "../side")
    git(world / "side", "submodule", "--quiet", "update", "--init")

    for checkout in (outer, world / "again", world / "side"):
        assert named(world, checkout) == (ContextKind.REMOTE, "github.com/acme/outer")
        inside = checkout / "vendor/library"
        assert named(world, inside, start=checkout) == (ContextKind.REMOTE, "github.com/acme/library")


def test_a_submodule_without_a_remote_is_the_place_where_it_lies(world: Path) -> None:
    outer = committed(world / "outer")
    git(outer, "submodule", "--quiet", "add", str(committed(world / "library")), "library")
    git(outer / "library", "remote", "remove", "origin")
    git(outer / "library", "worktree", "add", "-q", str(world / "side"))

    assert named(world, outer / "library") == (ContextKind.PATH, str(outer / "library"))
    assert at(world, world / "side") == at(world, outer / "library")


def test_a_git_directory_kept_elsewhere_is_followed(world: Path) -> None:
    git(world, "init", "-q", "--separate-git-dir", str(world / "kept.git"), "work")
    git(world / "work", "remote", "add", "upstream", "https://github.com/acme/app")

    assert named(world, world / "work") == (ContextKind.REMOTE, "github.com/acme/app")
