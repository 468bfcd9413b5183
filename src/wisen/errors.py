"""Every error wisen raises on purpose, in one tree.

WisenError                  the root: its text is for a person and names the next step
├── SettingsError           config.toml or an environment variable holds something we cannot use
├── SettingsUnclear         an agent's settings file cannot be changed with proof that nothing else changes
├── LanguageError           the file of a language holds something we cannot use
├── UsageError              a command was asked for something that does not exist
├── PersonNeeded            a decision that nobody shows to be a person's: it waits as a suggestion
├── StoreError              a store cannot do its work
│   ├── StoreBusy           another process held the store longer than the busy timeout
│   ├── StoreDamaged        the file is not what we wrote: garbled, truncated, foreign
│   ├── StoreNewer          the file was written by a newer wisen
│   └── StoreReadOnly       the file or its folder cannot be written
├── MissingExtra            an optional dependency is needed and not installed
├── ModelError              a model gave no answer; whoever asked goes on without one
│   ├── ModelAbsent         none is configured
│   └── ModelFailed         it was not asked, or did not answer as it should; `reason` says which
└── FileError               a file of the user's cannot be read, written or deleted
    ├── FileChanged         it is no longer what it was when it was read
    ├── FileFull            it is longer than a file that agents read should be, and not because of us
    ├── PlaceNeeded         an approved rule cannot go into its file; it names the places where it can
    └── UnfitFile           a pipe, device, folder or a huge file is in its place

Foreign exceptions (sqlite3, psycopg, OSError) are translated at the port where they arise. What is not in this
tree is a defect of ours and is shown as one.
"""

from __future__ import annotations

import errno
from enum import StrEnum


class WisenError(Exception):
    """The root of all errors that wisen raises on purpose."""


class SettingsError(WisenError):
    """A setting is unknown or has a value that is not allowed."""


class SettingsUnclear(WisenError):
    """An agent's settings file cannot be changed with proof that nothing else changes."""


class LanguageError(WisenError):
    """The file of a language holds something that is not allowed."""


class UsageError(WisenError):
    """What was asked for does not exist: a path, a name, an id."""


class PersonNeeded(WisenError):
    """Only a person decides this, and nothing shows that one does."""

    def __init__(self, says: str, *, reason: str, command: str, kept: bool) -> None:
        super().__init__(says)
        self.reason = reason
        """Why nobody counts as a person here."""
        self.command = command
        """What a person would run to decide it; empty where there is no such command."""
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
    """No model is configured for what is to be asked."""


class Reason(StrEnum):
    """Why there is no answer of a model."""

    TIMEOUT = "timeout"
    REFUSED = "refused"
    """The model declined to answer."""
    DENIED = "denied"
    """The key, the account or the request is not accepted."""
    MALFORMED = "malformed"
    """It answered, and not in the form that was asked for."""
    RATE_LIMITED = "rate limited"
    UNAVAILABLE = "unavailable"
    """The server has a trouble of its own."""
    UNREACHABLE = "unreachable"
    OVER_CAP = "over cap"
    """The day's calls, tokens or money are used up: it was not asked."""
    COOLING = "cooling down"
    """It failed a moment ago: it was not asked."""
    NOT_LOCAL = "not local"
    """Only models on this machine may be asked, and it is none."""
    WITHHELD = "secret withheld"
    """What would have been sent holds a secret or private data: it was not asked."""


class ModelFailed(ModelError):
    """A model was not asked, or did not answer as it should."""

    def __init__(self, says: str, reason: Reason, *, wait: float | None = None) -> None:
        super().__init__(says)
        self.reason = reason
        self.wait = wait
        """How many seconds the server asks us to wait, where it tells."""


class FileError(WisenError):
    """A file of the user's cannot be read, written or deleted."""


class FileChanged(FileError):
    """The file is no longer what it was when it was read."""


class FileFull(FileError):
    """A file is longer than a file that agents read should be, and taking our lines out does not help."""


class PlaceNeeded(FileError):
    """An approved rule cannot go into its file: nothing was answered, and a person says where it may go."""

    def __init__(self, says: str, *, why: str, places: tuple[tuple[str, str], ...]) -> None:
        super().__init__(says)
        self.why = why
        """What is wrong with the file, without the places."""
        self.places = places
        """Where it can go: the word for `--to`, and what that means."""


class UnfitFile(FileError, OSError):
    """Something is in the place of a file that is not opened: a pipe, socket, device or folder, or a huge file.

    It is an OSError too: who goes on without a file that cannot be read goes on without this one.
    """

    def __init__(self, path: str, says: str, number: int = errno.EINVAL) -> None:
        super().__init__(number, says, path)

    def __str__(self) -> str:
        """For a person."""
        return f"{self.filename} {self.strerror}, and was left alone. Look at it, and put a file there or take it away."
