"""Directories resolve to contexts: clones, worktrees and submodules agree, and nothing else does."""

from __future__ import annotations

import random
import string
import timeit
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from wisen.errors import UsageError
from wisen.logs.context_resolver import ContextResolver
from wisen.model.context import Alias, Context, ContextKind, context_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.requirement("N2")

MACHINE = "laptop"
SINCE = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path.resolve()


def resolver(
    world: Path, contexts: Sequence[Context] = (), aliases: Sequence[Alias] = (), suffix: str | None = None
) -> ContextResolver:
    return ContextResolver(home=world / "home", machine=MACHINE, contexts=contexts, aliases=aliases, suffix=suffix)


def at(resolver: ContextResolver, place: Path | str, start: Path | str | None = None) -> Context | None:
    return resolver.context(str(place), str(place if start is None else start))


def named(resolver: ContextResolver, place: Path | str, start: Path | str | None = None) -> tuple[ContextKind, str]:
    context = at(resolver, place, start)
    assert context is not None
    return context.kind, context.name


def repository(directory: Path, config: str = "") -> Path:
    (directory / ".git").mkdir(parents=True)
    (directory / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (directory / ".git/config").write_text(config)
    return directory


def origin(address: str) -> str:
    return f'[remote "origin"]\n\turl = {address}\n'


# What git's files say


def test_credentials_reach_neither_key_nor_name(world: Path) -> None:
    repository(world / "app", origin("https://oauth2:glpat-hunter2@git.example.org/team/app.git?private_token=hunter2"))

    context = at(resolver(world), world / "app")

    assert context is not None
    assert context.name == "git.example.org/team/app"
    assert "hunter2" not in repr(context)
    assert "oauth2" not in repr(context)


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (origin("git@h.example:o/r") + '[remote "a"]\nurl = git@h.example:a/a', "h.example/o/r"),
        ('[remote "only"]\nurl = git@h.example:o/r', "h.example/o/r"),
        ('[remote "b"]\nurl=git@h.example:b/b\n[remote "a"]\nurl=git@h.example:a/a', "h.example/a/a"),
        ('[Remote "origin"] URL = "git@h.example:o/#1" ; why\r\n', "h.example/o"),
        ('; c\n# c\n[remote "origin"]\n\tfetch = +x\n\turl = git@h.example:o/r # why\n', "h.example/o/r"),
        ("[remote.origin]\nurl = git@h.example:o/r\n", "h.example/o/r"),
        ("\ufeff" + origin("git@h.example:o/r"), "h.example/o/r"),
        ('[remote "a\\"b\\\\"]\nurl = git@h.example:o/r', "h.example/o/r"),
        ('[url "git@h.example:"]\ninsteadOf = h:\n' + origin("h:o/r"), "h.example/o/r"),
        ('[core]\nbroken\n= x\n[\n[remote "origin"\n[remote "origin"]\nurl = git@h.example:o/r\\\n', "h.example/o/r"),
    ],
)
def test_the_remote_is_read_from_the_configuration(world: Path, config: str, name: str) -> None:
    repository(world / "app", config)

    assert named(resolver(world), world / "app") == (ContextKind.REMOTE, name)


def test_the_users_own_abbreviations_of_addresses_are_known(world: Path) -> None:
    (world / "home/.gitconfig").write_text('[url "https://github.com/"]\n\tinsteadOf = gh:\n')
    repository(world / "app", origin("gh:acme/app"))

    assert named(resolver(world), world / "app") == (ContextKind.REMOTE, "github.com/acme/app")


@pytest.mark.parametrize("config", ["", '[remote "origin"]\nurl =\n', '[remote "origin"]\nfetch = x', "\0\xff[[["])
def test_a_repository_without_a_remote_is_the_place_of_its_root(world: Path, config: str) -> None:
    repository(world / "app", config)
    (world / "app/src/deep").mkdir(parents=True)

    assert named(resolver(world), world / "app/src/deep") == (ContextKind.PATH, str(world / "app"))


@pytest.mark.parametrize("pointer", ["gitdir: /nowhere/x", "gitdir: \0", "garbage", ""])
def test_a_broken_git_file_is_no_error_and_not_the_repository_around_it(world: Path, pointer: str) -> None:
    repository(world, origin("git@h.example:outer/outer"))
    (world / "inner").mkdir()
    (world / "inner/.git").write_text(pointer)

    assert named(resolver(world), world / "inner") == (ContextKind.PATH, str(world / "inner"))


def test_a_worktree_whose_repository_was_moved_is_asked_about(world: Path) -> None:
    (world / "side").mkdir()
    (world / "side/.git").write_text("gitdir: /gone/main/.git/worktrees/side\n")
    main = context_of(ContextKind.PATH, "/gone/main", machine=MACHINE)

    assert named(resolver(world), world / "side") == (ContextKind.PATH, str(world / "side"))
    seen = resolver(world, [main], [Alias(context=main.key, machine=MACHINE, path="/gone/main", since=SINCE)])
    assert named(seen, world / "side") == (ContextKind.PATH, str(world / "side"))
    (claim,) = seen.claims()
    assert (claim.root, claim.context, claim.places) == (str(world / "side"), main, ("/gone/main",))


def test_clones_that_name_each_other_as_remote_end(world: Path) -> None:
    repository(world / "a", origin("../b"))
    repository(world / "b", origin("../a"))
    repository(world / "self", origin("."))

    assert at(resolver(world), world / "a") is not None
    assert named(resolver(world), world / "self") == (ContextKind.PATH, str(world / "self"))


def test_a_local_remote_that_is_gone_joins_nothing_by_itself(world: Path) -> None:
    repository(world / "a", origin("/gone/shared.git/"))
    repository(world / "b", origin("file:///gone//shared.git"))
    shared = context_of(ContextKind.PATH, "/gone/shared.git", machine=MACHINE)
    known = resolver(world, [shared], [Alias(context=shared.key, machine=MACHINE, path=str(world / "a"), since=SINCE)])

    assert named(resolver(world), world / "a") == (ContextKind.PATH, str(world / "a"))
    assert at(known, world / "a") == shared
    assert named(known, world / "b") == (ContextKind.PATH, str(world / "b"))
    assert [claim.root for claim in known.claims()] == [str(world / "b")]


@pytest.mark.requirement("N7")
def test_an_address_or_a_directory_that_holds_a_secret_is_no_context(world: Path) -> None:
    token = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
    repository(world / "app", origin(f"https://git.example.org/{token}/app"))
    (world / token).mkdir()
    seen = resolver(world)

    assert at(seen, world / "app") is None
    assert at(seen, world / token) is None
    assert seen.locations.take_new() == ()


# Places


def test_the_home_directory_and_the_root_are_never_contexts(world: Path) -> None:
    (world / "link").symlink_to(world / "home")
    seen = resolver(world)

    for place in (world / "home", f"{world}/home/", world / "link", "~", "~/", "/", "//", "C:\\", "c:", ""):
        assert at(seen, place) is None
    assert seen.locations.take_new() == ()


def test_a_repository_that_is_the_whole_home_does_not_count_below_it(world: Path) -> None:
    repository(world / "home", origin("git@github.com:me/dotfiles"))
    (world / "home/notes/deep").mkdir(parents=True)
    repository(world / "home/app", origin("git@github.com:me/app"))
    seen = resolver(world)

    assert at(seen, world / "home") is None
    assert named(seen, world / "home/notes/deep") == (ContextKind.PATH, str(world / "home/notes/deep"))
    assert named(seen, world / "home/notes", start=world / "home") == (ContextKind.PATH, str(world / "home/notes"))
    assert named(seen, world / "home/app") == (ContextKind.REMOTE, "github.com/me/app")


def test_a_repository_around_the_home_does_not_count_inside_it(world: Path) -> None:
    repository(world, origin("git@h.example:o/everything"))
    (world / "home/notes").mkdir()
    (world / "other").mkdir()

    assert named(resolver(world), world / "home/notes") == (ContextKind.PATH, str(world / "home/notes"))
    assert named(resolver(world), world / "other") == (ContextKind.REMOTE, "h.example/o/everything")


def test_a_repository_kept_below_the_home_it_covers_does_not_count_either(world: Path) -> None:
    kept = repository(world / "home/.dotfiles", f"[core]\nworktree = {world}/home\n" + origin("git@h.example:me/dots"))

    assert named(resolver(world), kept) == (ContextKind.PATH, str(kept))


def test_a_directory_below_the_start_belongs_to_the_start(world: Path) -> None:
    (world / "work/deep").mkdir(parents=True)
    (world / "workshop").mkdir()
    repository(world / "work/nested")
    seen = resolver(world)

    assert named(seen, world / "work/deep", start=world / "work") == (ContextKind.PATH, str(world / "work"))
    assert named(seen, world / "work/gone/deeper", start=world / "work") == (ContextKind.PATH, str(world / "work"))
    assert named(seen, world / "work/nested", start=world / "work") == (ContextKind.PATH, str(world / "work/nested"))
    assert named(seen, world / "workshop", start=world / "work") == (ContextKind.PATH, str(world / "workshop"))
    assert named(seen, world / "work/deep") == (ContextKind.PATH, str(world / "work/deep"))


def test_a_deleted_directory_of_the_starts_repository_belongs_to_it(world: Path) -> None:
    repository(world / "app", origin("git@h.example:o/app"))
    (world / "app/src").mkdir()
    seen = resolver(world)

    assert named(seen, world / "app/dist", start=world / "app/src") == (ContextKind.REMOTE, "h.example/o/app")
    assert named(seen, world / "app/dist") == (ContextKind.REMOTE, "h.example/o/app"), "its path tells"


def test_links_to_one_directory_are_one_context(world: Path) -> None:
    (world / "real/sub").mkdir(parents=True)
    (world / "link").symlink_to(world / "real")
    seen = resolver(world)

    assert at(seen, world / "link") == at(seen, world / "real")
    assert at(seen, world / "link/sub", start=world / "real") == at(seen, world / "real")


def test_names_that_differ_in_case_or_in_unicode_form_stay_apart(world: Path) -> None:
    seen = resolver(world)
    places = ["/gone/App", "/gone/app", "/gone/caf\u00e9", "/gone/cafe\u0301", "/gone/a-b", "/gone/a/b"]

    assert len({context.key for place in places if (context := at(seen, place))}) == len(places)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("/gone/./a//b/../c/", "/gone/a/c"),
        ("//gone/a", "/gone/a"),
        ("c:\\Users\\x\\..\\y\\app\\", "C:\\Users\\y\\app"),
        ("C:/Users/y/app", "C:\\Users\\y\\app"),
        ("\\\\server\\share\\app", "\\\\server\\share\\app"),
        ("/gone/" + "x" * 5000, "/gone/" + "x" * 5000),
        ("/gone/\ud800", "/gone/\\ud800"),
    ],
)
def test_a_place_that_is_not_on_this_machine_is_taken_by_its_letters(world: Path, written: str, name: str) -> None:
    assert named(resolver(world), written) == (ContextKind.PATH, name)


def test_a_windows_directory_below_the_start_belongs_to_the_start(world: Path) -> None:
    assert named(resolver(world), "C:\\work\\app\\src", start="c:\\work\\app")[1] == "C:\\work\\app"


def test_a_relative_place_is_taken_from_the_start_and_otherwise_unknown(world: Path) -> None:
    seen = resolver(world)

    assert at(seen, "src", start="/gone/app") == at(seen, "/gone/app")
    assert at(seen, "../other", start="/gone/app") == at(seen, "/gone/other")
    assert at(seen, "src", start="src") is None
    assert at(seen, "/gone/\0", start="/gone/\0") is None


# Memory of places


def test_a_deleted_worktree_is_still_the_context_it_was_seen_as(world: Path) -> None:
    app = context_of(ContextKind.REMOTE, "github.com/acme/app")
    alias = Alias(context=app.key, machine=MACHINE, path="/gone/side", since=SINCE)
    foreign = Alias(context=app.key, machine="other", path="/gone/elsewhere", since=SINCE)
    seen = resolver(world, contexts=[app], aliases=[alias, foreign])

    assert at(seen, "/gone/side") == app
    assert at(seen, "/gone/side/src", start="/gone/side") == app
    assert at(seen, "/gone/side", start="/gone") == app
    assert named(seen, "/gone/elsewhere") == (ContextKind.PATH, "/gone/elsewhere")


def test_the_newest_alias_counts_and_only_when_the_directory_is_gone(world: Path) -> None:
    old, new = (context_of(ContextKind.REMOTE, f"github.com/acme/{name}") for name in ("old", "new"))
    (world / "there").mkdir()
    aliases = [
        Alias(context=new.key, machine=MACHINE, path="/gone/app", since=SINCE.replace(year=2027)),
        Alias(context=old.key, machine=MACHINE, path="/gone/app", since=SINCE),
        Alias(context=old.key, machine=MACHINE, path=str(world / "there"), since=SINCE),
    ]
    seen = resolver(world, contexts=[old, new], aliases=aliases)

    assert at(seen, "/gone/app") == new
    assert named(seen, world / "there") == (ContextKind.PATH, str(world / "there"))


def test_a_remembered_place_takes_the_users_suffix_on_and_off(world: Path) -> None:
    plain = context_of(ContextKind.REMOTE, "github.com/acme/app")
    suffixed = context_of(ContextKind.REMOTE, "github.com/acme/app", "api")
    for known in (plain, suffixed):
        alias = Alias(context=known.key, machine=MACHINE, path="/gone/app", since=SINCE)
        assert at(resolver(world, [known], [alias]), "/gone/app") == plain
        assert at(resolver(world, [known], [alias], suffix="api"), "/gone/app") == suffixed


def test_each_sighting_is_given_out_once_and_known_ones_not_at_all(world: Path) -> None:
    repository(world / "app", origin("git@h.example:o/app"))
    (world / "app/src").mkdir()
    (world / "plain/sub").mkdir(parents=True)
    app = context_of(ContextKind.REMOTE, "h.example/o/app")
    plain = context_of(ContextKind.PATH, str(world / "plain"), machine=MACHINE)
    known = Alias(context=app.key, machine=MACHINE, path=str(world / "app"), since=SINCE)
    seen = resolver(world, contexts=[app], aliases=[known])

    at(seen, world / "app")
    at(seen, world / "app/src")
    at(seen, world / "app/src", start=world / "app")
    at(seen, world / "plain/sub", start=world / "plain")

    assert seen.locations.take_new() == ((app, str(world / "app/src")), (plain, str(world / "plain")))
    assert seen.locations.take_new() == ()


def test_a_suffix_makes_a_context_of_its_own(world: Path) -> None:
    repository(world / "app", origin("git@h.example:o/app"))

    assert named(resolver(world, suffix=" api "), world / "app") == (ContextKind.REMOTE, "h.example/o/app#api")
    assert at(resolver(world, suffix="api"), world / "app") != at(resolver(world), world / "app")


@pytest.mark.parametrize("suffix", ["", " ", "\t", "a\nb", "\x1b[31m", "a\0", "\u2028", "\udcff"])
def test_a_suffix_that_is_no_name_is_refused_by_name(world: Path, suffix: str) -> None:
    with pytest.raises(UsageError, match="no control characters") as refused:
        resolver(world, suffix=suffix)

    assert repr(suffix) in str(refused.value)


def test_a_directory_asked_for_again_costs_a_lookup(world: Path) -> None:
    seen = resolver(world)
    places = [("/gone/projects/app" * 3, "/gone/projects/app")] * 1000
    seen.context(*places[0])

    best = min(timeit.repeat(lambda: [seen.context(place, start) for place, start in places], number=20, repeat=5))

    assert best / 20_000 < 1e-6  # a tenth of this on an idle machine
