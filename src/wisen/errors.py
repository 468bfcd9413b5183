"""Every error wisen raises on purpose, in one tree.

WisenError                  the root: its text is for a person and names the next step
├── SettingsError           config.toml or an environment variable holds something we cannot use
├── SettingsUnclear         an agent's settings file cannot be changed with proof that nothing else changes
├── UsageError              a command was asked for something that does not exist
├── StoreError              a store cannot do its work
│   ├── StoreBusy           another process held the store longer than the busy timeout
│   ├── StoreDamaged        the file is not what we wrote: garbled, truncated, foreign
│   ├── StoreNewer          the file was written by a newer wisen
│   └── StoreReadOnly       the file or its folder cannot be written
├── MissingExtra            an optional dependency is needed and not installed
├── AgentError              an agent's own files cannot be read as sessions
└── FileError               a file of the user's cannot be read, written or deleted
    └── FileChanged         it is no longer what it was when it was read

Foreign exceptions (sqlite3, psycopg, OSError) are translated at the port where they arise. What is not in this
tree is a defect of ours and is shown as one.
"""

from __future__ import annotations


class WisenError(Exception):
    """The root of all errors that wisen raises on purpose."""


class SettingsError(WisenError):
    """A setting is unknown or has a value that is not allowed."""


class SettingsUnclear(WisenError):
    """An agent's settings file cannot be changed with proof that nothing else changes."""


class UsageError(WisenError):
    """What was asked for does not exist: a path, a name, an id."""


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


class AgentError(WisenError):
    """An agent's own files cannot be read as sessions."""


class FileError(WisenError):
    """A file of the user's cannot be read, written or deleted."""


class FileChanged(FileError):
    """The file is no longer what it was when it was read."""
