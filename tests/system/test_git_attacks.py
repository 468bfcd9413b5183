"""Hostile repositories cannot run, write or leak anything when they are only read."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.blame.test_git_history import Repository
from wisen.blame.instruction_files import InstructionFiles
from wisen.logs.context_resolver import ContextResolver
from wisen.system.git import GitCheckouts

pytestmark = [pytest.mark.requirement("X7"), pytest.mark.needs("git")]

EVIL = "{evil}"
"""A stand-in for a program that leaves a file behind."""
RUNS: dict[str, tuple[tuple[str, str], ...]] = {
    "fsmonitor": (("core.fsmonitor", EVIL),),
    "fsmonitor of version 1": (("core.fsmonitor", EVIL), ("core.fsmonitorHookVersion", "1")),
    "fsmonitor by a shell": (("core.fsmonitor", "sh -c {evil}"),),
    "fsmonitor daemon": (("core.fsmonitor", "true"),),
    "hooks path": (("core.hooksPath", "{hooks}"),),
    "pager": (("core.pager", EVIL), ("pager.log", EVIL), ("pager.ls-files", EVIL), ("pager.cat-file", EVIL)),
    "pager of settings": (("pager.config", EVIL),),
    "editor": (("core.editor", EVIL), ("sequence.editor", EVIL)),
    "passwords": (("core.askPass", EVIL), ("credential.helper", f"!{EVIL}")),
    "ssh": (("core.sshCommand", EVIL), ("ssh.variant", "simple")),
    "proxy": (("core.gitProxy", EVIL),),
    "external diff": (("diff.external", EVIL), ("diff.trustExitCode", "true")),
    "diff driver": (("diff.evil.command", EVIL),),
    "text conversion": (("diff.evil.textconv", EVIL), ("diff.evil.cachetextconv", "true")),
    "clean filter": (("filter.evil.clean", EVIL), ("filter.evil.required", "true")),
    "smudge filter": (("filter.evil.smudge", EVIL), ("filter.evil.required", "true")),
    "process filter": (("filter.evil.process", EVIL), ("filter.evil.required", "true")),
    "merge driver": (("merge.evil.driver", EVIL),),
    "signatures": (("gpg.program", EVIL), ("log.showSignature", "true")),
    "signatures by ssh": (("gpg.format", "ssh"), ("gpg.ssh.program", EVIL), ("log.showSignature", "true")),
    "signatures by x509": (("gpg.format", "x509"), ("gpg.x509.program", EVIL), ("log.showSignature", "true")),
    "alias of log": (("alias.log", f"!{EVIL}"),),
    "alias of ls-files": (("alias.ls-files", f"!{EVIL}"),),
    "alias of cat-file": (("alias.cat-file", f"!{EVIL}"),),
    "configured hook": (("hook.a.command", EVIL), ("hook.a.event", "post-index-change")),
    "other configured hook": (("hook.post-index-change.command", EVIL),),
    "lazy fetch": (
        ("extensions.partialClone", "origin"),
        ("core.repositoryformatversion", "1"),
        ("remote.origin.url", "ext::{evil} x"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ),
    "lazy fetch by ssh": (
        ("remote.origin.url", "ssh://x.invalid/y"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("core.sshCommand", EVIL),
    ),
    "upload pack": (
        ("remote.origin.url", "file:///"),
        ("remote.origin.uploadpack", EVIL),
        ("remote.origin.promisor", "true"),
    ),
    "vcs helper": (("remote.origin.vcs", "ext"), ("remote.origin.promisor", "true")),
    "alternate refs": (("core.alternateRefsCommand", EVIL),),
    "uploads": (("uploadpack.packObjectsHook", EVIL),),
    "archives": (("tar.evil.command", EVIL),),
    "trailers": (("trailer.x.command", EVIL), ("trailer.x.cmd", EVIL)),
    "traces": (
        ("trace2.normalTarget", "{canary}"),
        ("trace2.eventTarget", "{canary}"),
        ("trace2.perfTarget", "{canary}"),
    ),
    "difference filter": (("interactive.diffFilter", EVIL),),
    "browser": (("web.browser", "x"), ("browser.x.cmd", EVIL)),
    "mail map": (("log.mailmap", "true"), ("mailmap.file", "/dev/zero")),
    "orders": (("diff.orderFile", "/dev/zero"), ("core.attributesFile", "/dev/zero")),
    "maintenance": (("gc.auto", "1"), ("maintenance.auto", "true"), ("gc.recentObjectsHook", EVIL)),
    "work elsewhere": (("core.worktree", "/"),),
    "ignored answers": (("core.ignoreStat", "true"), ("core.trustctime", "false"), ("core.untrackedCache", "true")),
}
PULLED_IN: dict[str, Callable[[Repository, str], None]] = {}
"""Ways in which a configuration is read from another file."""


def _pulled_in(name: str) -> Callable[[Callable[[Repository, str], None]], None]:
    def keep(way: Callable[[Repository, str], None]) -> None:
        PULLED_IN[name] = way

    return keep


@_pulled_in("include")
def _include(repository: Repository, settings: str) -> None:
    (repository.folder / ".git/more").write_text(settings)
    repository.git("config", "include.path", "more")


@_pulled_in("include of a tracked file")
def _include_tracked(repository: Repository, settings: str) -> None:
    repository.commit(settings, "gitconfig")
    repository.git("config", "include.path", "../gitconfig")


@_pulled_in("include by place")
def _include_by_place(repository: Repository, settings: str) -> None:
    (repository.folder / ".git/more").write_text(settings)
    repository.git("config", "includeIf.gitdir:**.path", "more")
    repository.git("config", "includeIf.gitdir/i:/.path", "more")


@_pulled_in("include by branch")
def _include_by_branch(repository: Repository, settings: str) -> None:
    (repository.folder / ".git/more").write_text(settings)
    repository.git("config", "includeIf.onbranch:**.path", "more")


@_pulled_in("worktree configuration")
def _worktree(repository: Repository, settings: str) -> None:
    repository.git("config", "extensions.worktreeConfig", "true")
    (repository.folder / ".git/config.worktree").write_text(settings)


@_pulled_in("linked configuration")
def _linked(repository: Repository, settings: str) -> None:
    file = repository.folder / ".git/config"
    (repository.folder / "elsewhere").write_text(file.read_text() + settings)
    file.unlink()
    file.symlink_to("../elsewhere")


class Attacked(Repository):
    """A repository with two commits, a file that is only added, one that is not, and a program that must not run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.commit("* diff=evil filter=evil merge=evil\n", ".gitattributes")
        self.commit("one\n")
        self.commit("two\n")
        self.write("added\n", "TOOLS.md")
        self.git("add", "TOOLS.md")
        self.write("mine\n", "USER.md")

    def place(self) -> None:
        """Put what must not be run next to it, and in it."""
        around = self.folder.parent
        self.canary, self.evil, self.hooks = around / "was-run", around / "evil", around / "hooks"
        self.evil.write_text(f"#!/bin/sh\necho x >> '{self.canary}'\ncat\n")
        self.evil.chmod(0o755)
        for place in (self.hooks, self.folder / ".git/hooks"):
            place.mkdir(exist_ok=True)
            for name in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor"):
                shutil.copy(self.evil, place / name)
        (self.folder / ".git/info").mkdir(exist_ok=True)
        (self.folder / ".git/info/attributes").write_text("* diff=evil filter=evil\n")

    def meant(self, value: str) -> str:
        return value.format(evil=self.evil, hooks=self.hooks, canary=self.canary)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared by all tests: creating it takes longer than querying it."""
    folder = tmp_path_factory.mktemp("made-once")
    Attacked(folder / "repository")
    return folder


@pytest.fixture
def attacked(made_once: Path, tmp_path: Path) -> Attacked:
    shutil.copytree(made_once, tmp_path, dirs_exist_ok=True)
    attacked = object.__new__(Attacked)
    attacked.folder, attacked.hours = tmp_path / "repository", 5
    attacked.place()
    return attacked


def ask_everything(repository: Repository, home: Path, environment: dict[str, str] | None = None) -> list[object]:
    """Return everything that is ever queried about a repository."""
    environment = {**os.environ, **(environment or {})}
    checkouts, instructions = GitCheckouts(environment), InstructionFiles(home, environment)
    answers: list[object] = []
    for name in ("CLAUDE.md", "TOOLS.md", "USER.md", "missing.md"):
        path = str(repository.folder / name)
        found = checkouts.checkout_of(path)
        answers += [found.content if found else None, checkouts.is_tracked(path)]
    answers += [[version.text for version in each.versions] for each in instructions.files([str(repository.folder)])]
    answers.append([version.text for version in instructions.file(repository.folder / "CLAUDE.md").versions])
    ContextResolver(home=home, machine="m", contexts=(), aliases=()).context(
        str(repository.folder), str(repository.folder)
    )
    return answers


EXPECTED = [
    b"two\n",
    True,
    b"",
    True,
    None,
    False,
    None,
    False,
    ["one\n", "two\n"],
    ["added\n"],
    ["mine\n"],
    ["one\n", "two\n"],
]


@pytest.mark.parametrize("name", RUNS)
def test_what_a_configuration_names_is_not_run_and_answers_stay_the_same(
    attacked: Attacked, home: Path, name: str
) -> None:
    for key, value in RUNS[name]:
        attacked.git("config", key, attacked.meant(value))
    (attacked.folder / "CLAUDE.md").touch()
    before = _files(attacked)
    assert ask_everything(attacked, home) == EXPECTED
    assert not attacked.canary.exists()
    assert _files(attacked) == before


@pytest.mark.parametrize("way", PULLED_IN)
def test_nor_is_what_another_file_configures(attacked: Attacked, home: Path, way: str) -> None:
    settings = f"[core]\n\tfsmonitor = {attacked.evil}\n\thooksPath = {attacked.hooks}\n\tpager = {attacked.evil}\n"
    PULLED_IN[way](attacked, settings)
    attacked.canary.unlink(missing_ok=True)
    assert ask_everything(attacked, home)[0] == b"two\n"
    assert not attacked.canary.exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_TRACE": "{canary}", "GIT_TRACE2": "{canary}", "GIT_TRACE2_EVENT": "{canary}"},
        {"GIT_EXTERNAL_DIFF": EVIL, "GIT_PAGER": EVIL, "PAGER": EVIL, "GIT_EDITOR": EVIL},
        {"GIT_SSH_COMMAND": EVIL, "GIT_SSH": EVIL, "GIT_ASKPASS": EVIL, "SSH_ASKPASS": EVIL},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": EVIL},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{evil}'"},
        {"GIT_CONFIG_GLOBAL": "{config}"},
        {"GIT_CONFIG_SYSTEM": "{config}", "GIT_CONFIG_NOSYSTEM": "0"},
        {"XDG_CONFIG_HOME": "{folder}/xdg"},
        {"GIT_EXEC_PATH": "{folder}", "GIT_TEMPLATE_DIR": "{folder}"},
        {"GIT_DIR": "{folder}", "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/dev/zero", "GIT_COMMON_DIR": "/"},
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES": "{folder}", "GIT_NAMESPACE": "x", "GIT_GRAFT_FILE": "/dev/zero"},
        {"GIT_PROXY_COMMAND": EVIL, "GIT_ALLOW_PROTOCOL": "ext:ssh"},
    ],
    ids=lambda variables: next(iter(variables)),
)  # fmt: skip
def test_nor_what_the_variables_of_whoever_started_us_name(
    attacked: Attacked, home: Path, variables: dict[str, str]
) -> None:
    config = attacked.folder.parent / "config"
    (attacked.folder.parent / "xdg/git").mkdir(parents=True)
    for file in (config, attacked.folder.parent / "xdg/git/config"):
        file.write_text(f"[core]\n\tfsmonitor = {attacked.evil}\n\tpager = {attacked.evil}\n")
    meant = {
        name: value.format(evil=attacked.evil, canary=attacked.canary, config=config, folder=config.parent)
        for name, value in variables.items()
    }
    assert ask_everything(attacked, home, meant) == EXPECTED
    assert not attacked.canary.exists()


def _git_in(folder: Path, canary: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "git").write_text(f"#!/bin/sh\necho x >> '{canary}'\n")
    (folder / "git").chmod(0o755)


@pytest.mark.parametrize(
    "entry",
    [".", "", "bin", "./bin", "{repository}/bin", "{repository}/bin/../bin", "{linked}", "{other}/node_modules/.bin",
     "{other}/tools", "{open}", "{open}/inside", "{other}/.venv/bin", "{linked file}"],
)  # fmt: skip
def test_no_git_is_started_that_a_project_could_have_put_into_the_path(
    attacked: Attacked, home: Path, entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = attacked.folder.parent
    other = Repository(around / "other")
    places = {"repository": attacked.folder, "other": other.folder}
    places |= {name: around / name for name in ("open", "linked", "linked file")}
    for folder in (
        *(attacked.folder, attacked.folder / "bin", other.folder / "node_modules/.bin", other.folder / "tools"),
        *(around / "open", around / "open/inside", other.folder / ".venv/bin"),
    ):
        _git_in(folder, attacked.canary)
    (around / "open").chmod(0o777)
    (around / "linked").symlink_to(attacked.folder / "bin")
    (around / "linked file").mkdir()
    (around / "linked file/git").symlink_to(attacked.folder / "bin/git")
    monkeypatch.chdir(attacked.folder)
    path = entry.format(**places) + os.pathsep + os.environ["PATH"]
    assert ask_everything(attacked, home, {"PATH": path}) == EXPECTED
    assert not attacked.canary.exists()


def test_a_git_of_the_users_own_is_started(attacked: Attacked, home: Path) -> None:
    for folder in (home / ".local/bin", home / ".nvm/versions/bin", home / "bin"):
        _git_in(folder, attacked.canary)
        (home / ".git").mkdir(exist_ok=True)
        (home / ".nvm/.git").mkdir(parents=True, exist_ok=True)
        ask_everything(attacked, home, {"PATH": str(folder)})
        assert attacked.canary.exists(), folder
        attacked.canary.unlink()


def test_a_pointer_to_somebody_elses_repository_tells_nothing_of_it(
    attacked: Attacked, home: Path, tmp_path: Path
) -> None:
    private = Repository(tmp_path / "private")
    private.commit("what nobody else may read\n")
    for pointer in (
        f"gitdir: {private.folder}/.git",
        "gitdir: ../private/.git",
        f"gitdir: {private.folder}/.git/worktrees/x",
        f"gitdir: {attacked.folder.parent}/forged",
    ):
        folder = tmp_path / f"pointing{abs(hash(pointer))}"
        folder.mkdir()
        (folder / ".git").write_text(pointer + "\n")
        (folder / "CLAUDE.md").write_text("public\n")
        forged = attacked.folder.parent / "forged"
        forged.mkdir(exist_ok=True)
        (forged / "HEAD").write_text("ref: refs/heads/main\n")
        (forged / "commondir").write_text(f"{private.folder}/.git\n")
        (forged / "gitdir").write_text(f"{folder}/.git\n")
        assert GitCheckouts(os.environ).checkout_of(str(folder / "CLAUDE.md")) is None
        assert GitCheckouts(os.environ).is_tracked(str(folder / "CLAUDE.md"))  # what is unknown is not denied
        found = InstructionFiles(home, os.environ).file(folder / "CLAUDE.md")
        assert [version.text for version in found.versions] == ["public\n"]


def test_objects_of_another_repository_are_not_borrowed(attacked: Attacked, home: Path, tmp_path: Path) -> None:
    private = Repository(tmp_path / "private")
    commit = private.commit("what nobody else may read\n")
    info = attacked.folder / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{private.folder}/.git/objects\n")
    (info / "http-alternates").write_text(f"{private.folder}/.git/objects\n")
    (attacked.folder / ".git/HEAD").write_text(f"{commit}\n")
    assert "nobody" not in str(ask_everything(attacked, home))
    assert GitCheckouts(os.environ).is_tracked(str(attacked.folder / "CLAUDE.md"))


@pytest.mark.parametrize("linked", [".git", ".git/objects", ".git/objects/pack", ".git/objects/xx", ".git/index"])
def test_links_to_another_repository_tell_nothing_of_it(
    attacked: Attacked, home: Path, tmp_path: Path, linked: str
) -> None:
    private = Repository(tmp_path / "private")
    commit = private.commit("what nobody else may read\n")
    if linked == ".git/objects/pack":
        private.git("repack", "-a", "-d", "-q")
    (attacked.folder / ".git/HEAD").write_text(f"{commit}\n")
    places = (
        sorted((private.folder / ".git/objects").glob("??")) if linked.endswith("xx") else [private.folder / linked]
    )
    for place in places:
        mine = attacked.folder / place.relative_to(private.folder)
        if mine.is_dir():
            shutil.rmtree(mine)
        mine.unlink(missing_ok=True)
        mine.symlink_to(place)
    assert "nobody" not in str(ask_everything(attacked, home))
    assert GitCheckouts(os.environ).is_tracked(str(attacked.folder / "CLAUDE.md"))


def test_replaced_and_grafted_commits_do_not_count(attacked: Attacked, home: Path) -> None:
    head, first = attacked.git("rev-parse", "HEAD"), attacked.git("rev-parse", "HEAD~1")
    attacked.git("replace", head, first)
    (attacked.folder / ".git/info/grafts").write_text(f"{head}\n")
    assert ask_everything(attacked, home) == EXPECTED


@pytest.mark.parametrize("how", ["split", "version 4", "skip", "assume unchanged", "packed", "worktree"])
def test_unusual_repositories_are_understood(attacked: Attacked, home: Path, how: str, tmp_path: Path) -> None:
    repository: Repository = attacked
    match how:
        case "split":
            attacked.git("update-index", "--split-index")
        case "version 4":
            attacked.git("update-index", "--index-version", "4")
        case "skip":
            attacked.git("update-index", "--skip-worktree", "CLAUDE.md", "TOOLS.md")
        case "assume unchanged":
            attacked.git("update-index", "--assume-unchanged", "CLAUDE.md")
        case "packed":
            attacked.git("pack-refs", "--all")
            attacked.git("repack", "-a", "-d", "-q")
        case "worktree":
            attacked.git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
            repository = object.__new__(Repository)
            repository.folder, repository.hours = tmp_path / "side", 9
            repository.write("added\n", "TOOLS.md")
            repository.git("add", "TOOLS.md")
            repository.write("mine\n", "USER.md")
    attacked.canary.unlink(missing_ok=True)
    assert ask_everything(repository, home) == EXPECTED
    assert not attacked.canary.exists()


@pytest.mark.parametrize("place", ["HEAD", "index", "packed-refs", "refs/heads/main", "commondir", "shallow", "pack"])
@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
def test_no_special_file_in_a_repository_keeps_us_waiting(
    attacked: Attacked, home: Path, place: str, kind: str
) -> None:
    path = attacked.folder / ".git" / ("objects/pack/pack-1.idx" if place == "pack" else place)
    if place == "packed-refs":
        (attacked.folder / ".git/refs/heads/main").unlink()
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "zero":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
    answers = ask_everything(attacked, home)
    assert answers[1] is True


def test_a_commit_that_unpacks_to_more_than_memory_holds_is_no_answer(attacked: Attacked, home: Path) -> None:
    attacked.git("config", "core.compression", "1")
    (attacked.folder / "CLAUDE.md").unlink()
    with (attacked.folder / "CLAUDE.md").open("wb") as file:
        file.truncate(40 << 20)
    attacked.git("config", "filter.evil.clean", "cat")
    attacked.git("add", "CLAUDE.md")
    attacked.git("commit", "-q", "-m", "x")
    assert GitCheckouts(os.environ).checkout_of(str(attacked.folder / "CLAUDE.md")) is None
    assert GitCheckouts(os.environ).is_tracked(str(attacked.folder / "CLAUDE.md"))


def test_somebody_elses_repository_runs_nothing_and_tells_nothing(
    attacked: Attacked, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attacked.git("config", "core.fsmonitor", str(attacked.evil))
    attacked.git("config", "safe.directory", "*")
    monkeypatch.setattr(os, "geteuid", lambda: attacked.folder.stat().st_uid + 1)
    answers = ask_everything(attacked, home)
    assert answers[0] is None
    assert answers[1] is True
    assert not attacked.canary.exists()


@pytest.mark.parametrize("name", ["fsmonitor", "alias of log", "external diff", "clean filter", "signatures", "traces"])
def test_the_attacks_work_on_a_git_that_is_simply_called(attacked: Attacked, name: str) -> None:
    for key, value in RUNS[name]:
        attacked.git("config", key, attacked.meant(value))
    (attacked.folder / "CLAUDE.md").write_text("three\n")
    if name == "signatures":
        body = attacked.git("cat-file", "commit", "HEAD").replace(
            "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n-----END PGP SIGNATURE-----\n\n", 1
        )
        (attacked.folder.parent / "signed").write_text(body + "\n")
        made = attacked.git("hash-object", "-t", "commit", "-w", "--literally", str(attacked.folder.parent / "signed"))
        (attacked.folder / ".git/refs/heads/main").write_text(made + "\n")
    for command in (["status"], ["ls-files", "-m"], ["diff"], ["log", "-1"]):
        subprocess.run(["git", *command], cwd=attacked.folder, capture_output=True, check=False)
    if name not in {"alias of log", "traces"}:  # git itself rejects these; they are in the table for other versions
        assert attacked.canary.exists()


def _files(repository: Repository) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for path in (repository.folder / ".git").rglob("*")}
