"""Every error wisen raises on purpose, in one tree.

WisenError                  the root: its message is for a person and names the next step
├── SettingsError           config.toml or an environment variable has an invalid value
├── SettingsUnclear         an agent's settings file cannot be changed without the risk of changing more
├── LanguageError           the file of a language has invalid content
├── UsageError              a command names something that does not exist
├── PersonNeeded            nothing shows that a person decides: the decision waits as a suggestion
├── StoreError              a store cannot do its work
│   ├── StoreBusy           another process held the store longer than the busy timeout
│   ├── StoreDamaged        the file is not what we wrote: garbled, truncated, foreign
│   ├── StoreNewer          the file was written by a newer wisen
│   └── StoreReadOnly       the file or its folder cannot be written
├── MissingExtra            an optional dependency is needed and not installed
├── ModelError              a model gave no answer; the caller continues without one
│   ├── ModelAbsent         none is configured
│   └── ModelFailed         it was not asked, or its answer is unusable; `reason` says why
└── FileError               a file of the user's cannot be read, written or deleted
    ├── FileChanged         it has changed since it was read
    ├── FileFull            it is longer than a file that agents read should be, even without our lines
    ├── PlaceNeeded         an approved rule cannot go into its file; it names the places where it can
    └── UnfitFile           it is a pipe, a device, a folder or a huge file

Foreign exceptions (sqlite3, psycopg, OSError) are translated where they arise. An exception outside this tree is a
bug in wisen and is shown as one.
"""

from __future__ import annotations

import errno
from enum import StrEnum


class WisenError(Exception):
    """The base class of all errors that wisen raises on purpose."""


class SettingsError(WisenError):
    """A setting is unknown or has a value that is not allowed."""


class SettingsUnclear(WisenError):
    """An agent's settings file cannot be changed without the risk of changing more."""


class LanguageError(WisenError):
    """The file of a language has content that is not allowed."""


class UsageError(WisenError):
    """Something that was named does not exist: a path, a name, an id."""


class PersonNeeded(WisenError):
    """Only a person may decide this, and nothing shows that one does."""

    def __init__(self, says: str, *, reason: str, command: str, kept: bool) -> None:
        super().__init__(says)
        self.reason = reason
        """Why the caller does not count as a person."""
        self.command = command
        """The command with which a person decides it; empty if there is none."""
        self.kept = kept
        """Whether it waits for the user as a suggestion."""


class StoreError(WisenError):
    """A store cannot do its work."""


class StoreBusy(StoreError):
    """Another process held the store longer than the busy timeout."""


class StoreDamaged(StoreError):
    """The file is not what we wrote."""


class StoreNewer(StoreError):
    """The file was written by a newer wisen."""


class StoreReadOnly(StoreError):
    """The store cannot be written."""


class MissingExtra(WisenError):
    """An optional dependency is needed and not installed."""


class ModelError(WisenError):
    """A model gave no answer."""


class ModelAbsent(ModelError):
    """No model is configured for this question."""


class Reason(StrEnum):
    """Why a model gave no answer."""

    TIMEOUT = "timeout"
    REFUSED = "refused"
    """The model declined to answer."""
    DENIED = "denied"
    """The key, the account or the request is not accepted."""
    MALFORMED = "malformed"
    """Its answer is not in the requested format."""
    RATE_LIMITED = "rate limited"
    UNAVAILABLE = "unavailable"
    """The server has a problem."""
    UNREACHABLE = "unreachable"
    OVER_CAP = "over cap"
    """The day's calls, tokens or money are used up: it was not asked."""
    COOLING = "cooling down"
    """It failed a moment ago: it was not asked."""
    NOT_LOCAL = "not local"
    """Only models on this machine may be asked, and it is not one."""
    WITHHELD = "secret withheld"
    """The request contains a secret or private data: it was not sent."""


class ModelFailed(ModelError):
    """A model was not asked, or its answer is unusable."""

    def __init__(self, says: str, reason: Reason, *, wait: float | None = None) -> None:
        super().__init__(says)
        self.reason = reason
        self.wait = wait
        """How many seconds the server asks us to wait, if it says so."""


class FileError(WisenError):
    """A file of the user's cannot be read, written or deleted."""


class FileChanged(FileError):
    """The file has changed since it was read."""


class FileFull(FileError):
    """A file is longer than a file that agents read should be, and removing our lines does not help."""


class PlaceNeeded(FileError):
    """An approved rule cannot go into its file: the proposal stays open until a person says where it may go."""

    def __init__(self, says: str, *, why: str, places: tuple[tuple[str, str], ...]) -> None:
        super().__init__(says)
        self.why = why
        """What is wrong with the file, without the places."""
        self.places = places
        """Where it can go: the value for `--to`, and what that means."""


class UnfitFile(FileError, OSError):
    """A path is not opened because it is a pipe, socket, device, folder or huge file.

    It is an OSError too: code that continues without an unreadable file continues without this one.
    """

    def __init__(self, path: str, says: str, number: int = errno.EINVAL) -> None:
        super().__init__(number, says, path)

    def __str__(self) -> str:
        """For a person."""
        advice = "Look at it, and replace it with a regular file, or delete it."
        return f"{self.filename} {self.strerror}, and was left alone. {advice}"
