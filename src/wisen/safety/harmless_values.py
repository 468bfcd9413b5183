"""Decides which values in a command line are harmless: paths in the project, plain words, script names, short texts.

Whether a path is inside is judged lexically; links are not resolved.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_PATH_LENGTH, _MAX_WORD_LENGTH, _MAX_TEXT_LENGTH = 160, 60, 80
_PATH = lazy_regex(r"[A-Za-z0-9_.@+*?\[\]=,%^/-][A-Za-z0-9_.@+*?\[\]=,%^~:/-]*\Z")
_WORD = lazy_regex(r"[A-Za-z0-9_.][A-Za-z0-9_.,:@+/=-]*\Z")
_REVISION = lazy_regex(r"[A-Za-z0-9_.@*^-][A-Za-z0-9_.@*^~/:,%+-]*\Z")
_NUMBER = lazy_regex(r"\d{1,6}(?:\.\d+)?(?:ms|s|m|h|%)?\Z")
_OWNER = lazy_regex(r"[A-Za-z0-9_-]{1,40}/[A-Za-z0-9_.-]{1,60}\Z")
_BRANCH = lazy_regex(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,80}\Z")
_TEXT = lazy_regex(r"[\x20-\x5f\x61-\x7e]*\Z")
_SECRET_PLACES = frozenset(
    ".git .ssh .aws .gnupg .kube .docker .netrc .npmrc .pypirc .pgpass id_rsa id_ed25519".split()
)
_THIRD_PARTY_FOLDERS = frozenset(
    "node_modules vendor site-packages dist-packages bower_components .venv venv .tox".split()
)
"""Folders of a project that contain other people's code."""
_SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore")
_SHARED_BRANCHES = frozenset("main master trunk develop production prod release stable".split())
"""Branches that others work from."""
_CHECK_WORDS = frozenset(
    "test tests unit unittest integration e2e spec specs lint linter check checks typecheck types type tsc typescript"
    " format fmt prettier eslint biome ruff mypy build compile coverage cov validate verify smoke vet clippy docs"
    " storybook bench benchmark".split()
)
"""First words of the names of scripts and targets that check or build a project."""
_SCRIPT = lazy_regex(r"[A-Za-z][A-Za-z0-9]*(?:[:._-][A-Za-z0-9]+)*\Z")
_RISKY_WORDS = frozenset(
    "deploy publish release push prod production live upload ship sync install uninstall setup bootstrap reset clean"
    " clear purge prune drop delete destroy wipe remove rm seed migrate rollback restore dump export import login"
    " logout auth token secret secrets env root sudo admin exec eval shell ssh remote cloud server start stop kill"
    " force unsafe skip nohooks noverify update upgrade bump tag commit version preinstall postinstall hook hooks"
    " fetch download curl".split()
)
"""Words in a script's name that say that it reaches beyond the project, or cannot be undone."""


class ValueKind(StrEnum):
    """What a value must be."""

    PATH = "path"
    WORD = "word"
    NUMBER = "number"
    TEXT = "text"
    """Something to search for or to say; nothing is run by it."""
    SCRIPT = "script"
    REVISION = "revision"
    """A git revision, or a path."""
    BRANCH = "branch"
    """A new branch, or one that is the user's own."""
    OWNER = "owner"
    """A repository as `owner/name`."""
    NONE = "none"


_PLAIN = {ValueKind.NUMBER: _NUMBER, ValueKind.BRANCH: _BRANCH, ValueKind.OWNER: _OWNER}


class CommandContext(NamedTuple):
    """Where a command is run, and what was tried before it."""

    roots: Sequence[str] = ()
    """The folders of the project, absolute."""
    failed_words: frozenset[str] = frozenset()
    """The words of the command that failed: a text that was in it is not new."""
    failed_scripts: frozenset[tuple[str, ...]] = frozenset()
    """The scripts of the project that it ran, each with its arguments: running them again is not new."""


def is_harmless_value(kind: ValueKind, value: str, scene: CommandContext) -> bool:
    """Whether a value is of its kind, and nothing more."""
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain.match(value) is not None and value.casefold() not in _SHARED_BRANCHES
    if kind is ValueKind.TEXT:
        return _is_text(value, scene)
    if kind is ValueKind.SCRIPT:
        return is_check_script(value)
    inside = is_inside_project(value, scene.roots)
    if kind is ValueKind.WORD:
        return inside and len(value) <= _MAX_WORD_LENGTH and _WORD.match(value) is not None
    if kind is ValueKind.REVISION:
        return inside or (_REVISION.match(value) is not None and _is_relative(value))
    return inside and kind is ValueKind.PATH


def is_inside_project(path: str, roots: Sequence[str]) -> bool:
    """Whether a path is inside the project, and no place where secrets are stored."""
    if path == "/dev/null":
        return True
    if path == "-" or not path or len(path) > _MAX_PATH_LENGTH or not _PATH.match(path):
        return False
    if path.startswith("/"):
        whole = [root.rstrip("/") for root in roots if root.count("/") > 1]
        root = next((each for each in whole if path == each or path.startswith(f"{each}/")), None)
        if root is None:
            return False
        path = path[len(root) :].lstrip("/") or "."
    return _is_relative(path)


def _is_relative(path: str) -> bool:
    pieces = re.split(r"[/:]", path)
    if path.startswith("/") or "//" in path or ".." in pieces or ":/" in path:
        return False
    return not any(_is_off_limits(piece.casefold()) for piece in pieces)


def is_harmless_pattern(value: str, scene: CommandContext) -> bool:
    """Whether a search pattern is no place outside the project, and no place of secrets."""
    if value.startswith(("/", "~", "-")) or any(piece == ".." or _is_off_limits(piece) for piece in value.split("/")):
        return False
    return _is_text(value, scene)


def _is_off_limits(name: str) -> bool:
    """Whether a folder or file contains secrets, or code of others."""
    if name.startswith(".env"):
        return not name.endswith((".example", ".sample", ".template"))
    return name in _SECRET_PLACES or name in _THIRD_PARTY_FOLDERS or name.endswith(_SECRET_ENDINGS)


def is_check_script(name: str) -> bool:
    """Whether a script or target checks or builds, judging by its name."""
    if len(name) > _MAX_WORD_LENGTH or not _SCRIPT.match(name):
        return False
    pieces = [piece.casefold() for piece in re.split(r"[:._-]|(?<=[a-z])(?=[A-Z])", name)]
    return pieces[0] in _CHECK_WORDS and not _RISKY_WORDS.intersection(pieces)


def _is_text(value: str, scene: CommandContext) -> bool:
    if value in scene.failed_words:
        return len(value) <= 4 * _MAX_TEXT_LENGTH and "://" not in value
    # New text must not be able to speak: an error text could have dictated it.
    return len(value) <= _MAX_TEXT_LENGTH and _TEXT.match(value) is not None and " " not in value and "://" not in value
