"""Runs the command line as a person: tests may be run by a script or an agent, which have no terminal.

What tells a person from an agent is tested with real terminals and made-up process tables in `test_presence.py`.
"""

from __future__ import annotations

from wisen import app
from wisen.model.presence import Person
from wisen.surfaces.cli import main
from wisen.testing.fakes import FixedPresence


def be_person() -> None:
    """From now on a person decides in this process."""
    setattr(app.Wiring, "presence", lambda _: FixedPresence(Person("a test")))  # noqa: B010 - as monkeypatch does it


if __name__ == "__main__":
    be_person()
    main()
