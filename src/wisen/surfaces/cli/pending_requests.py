"""Executes stored requests: decisions that waited for proof that a person made them, by running their commands."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import WisenError
from wisen.model.entry import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.learner import Learner
    from wisen.model.entry import Proposal


def execute_request(learner: Learner, request: Proposal) -> int:
    """Run the command of a request in its directory; the command itself checks that a person decides.

    Raises:
        WisenError: it can no longer be done; the message says why.
    """
    from wisen.surfaces.cli.program import app as commands

    with _working_directory(request.place):
        code = commands([*request.words], standalone_mode=False)
    if learner.proposals.get(request.id).is_waiting:  # otherwise the command itself has answered it
        learner.decisions.answer_request(request.id, Answer.APPROVED)
    return code if isinstance(code, int) else 0


def execute_proven_requests(learner: Learner) -> tuple[list[str], list[str]]:
    """Execute what the logs of agents prove that the user typed. Returns what was done, and what failed and why."""
    done, problems = list[str](), list[str]()
    for request, person in learner.proposals.proven_requests():
        try:
            with app.on_word_of(person), learner.decisions.attribute_to(person), redirect_stdout(sys.stderr):
                execute_request(learner, request)
            done.append(request.text)
        except WisenError as error:
            problems.append(f"{request.text}: {error}")
    if done:
        learner.delivery.prepare_snapshots()
    return done, problems


@contextmanager
def _working_directory(place: str) -> Iterator[None]:
    before = Path.cwd()
    if place and Path(place).is_dir():
        os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)
