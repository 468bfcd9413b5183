"""The contracts of clocks, ids, models, embedders and executors, as test suites for any backend.

A backend's test inherits from a suite and provides the fixture named after the port, and those that the suite's
docstring names.
"""

from __future__ import annotations

import math
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from msgspec import Struct

from wisen.errors import ModelAbsent, ModelFailed
from wisen.language_models.model_ports import MaterialItem, Question
from wisen.model.model_use import Tier

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from wisen.language_models.embedder import Embedder, Vector
    from wisen.language_models.model_ports import Model
    from wisen.system.machine_ports import Clock, Ids

HOSTILE = (
    "",
    " ",
    "plain",
    "nul \0 inside",
    "日本語 🙂",
    "a\u0301 á",
    "x" * 20_000,
    "\u202eright to left",
    "<tag> & 'quote'",
)
"""Texts that have broken models and embedders."""


class ClockContract:
    """Fixtures: `clock`, and `tick`, which lets some time pass."""

    def test_the_time_is_in_utc(self, clock: Clock) -> None:
        assert clock.now().utcoffset() == timedelta(0)

    def test_time_goes_on_and_never_back(self, clock: Clock, tick: Callable[[], None]) -> None:
        moments, seconds = [], []
        for _ in range(100):
            moments.append(clock.now())
            seconds.append(clock.elapsed())
            tick()
        assert seconds == sorted(seconds)
        assert seconds[-1] > seconds[0]
        assert moments[-1] > moments[0]

    def test_seconds_are_seconds(self, clock: Clock, tick: Callable[[], None]) -> None:
        moment, seconds = clock.now(), clock.elapsed()
        for _ in range(100):
            tick()
        passed = (clock.now() - moment).total_seconds()
        assert clock.elapsed() - seconds == pytest.approx(passed, abs=0.5)


class IdsContract:
    """Fixtures: `ids`, and `tick`, which lets a millisecond or more pass."""

    def test_no_id_is_given_twice(self, ids: Ids) -> None:
        given = [ids.new() for _ in range(10_000)]
        assert len(set(given)) == len(given)

    def test_ids_sort_by_the_time_they_were_made(self, ids: Ids, tick: Callable[[], None]) -> None:
        given = []
        for _ in range(1_000):
            given.append(ids.new())
            tick()
        assert all(earlier < later for earlier, later in pairwise(given))

    def test_an_id_is_a_short_plain_word(self, ids: Ids) -> None:
        given = ids.new()
        assert given.isascii()
        assert given.isalnum()
        assert len(given) == len(ids.new()) <= 64


class Verdict(Struct, frozen=True, forbid_unknown_fields=True):
    """A sample answer type."""

    ok: bool


def harmless(*texts: str, tier: Tier = Tier.NANO) -> Question[Verdict]:
    """Return a question that any model can answer."""
    material = tuple(MaterialItem(str(number), text) for number, text in enumerate(texts, 1))
    return Question(purpose="test", tier=tier, instructions="Say whether.", answer=Verdict, material=material)


class ModelContract:
    """Fixtures: `model`, which answers any `Verdict` of the nano tier, and `silent_model`, which cannot answer.

    Neither has a heavy tier.
    """

    def test_it_has_a_name_where_it_is_one(self, model: Model) -> None:
        assert model.model_name(Tier.NANO).strip()
        assert model.model_name(Tier.HEAVY) == ""

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_gets_an_answer_of_the_type_that_was_asked_for(self, model: Model, text: str) -> None:
        answer = model.ask(harmless(text))
        assert isinstance(answer.value, Verdict)
        assert answer.model == model.model_name(Tier.NANO)

    def test_a_tier_that_is_not_there_is_absent(self, model: Model) -> None:
        with pytest.raises(ModelAbsent, match=r"models\.heavy"):
            model.ask(harmless(tier=Tier.HEAVY))

    def test_what_goes_wrong_is_an_error_of_ours(self, silent_model: Model) -> None:
        with pytest.raises(ModelFailed, match=r"\w"):
            silent_model.ask(harmless("yes or no?"))


class EmbedderContract:
    """Fixture: `embedder`."""

    def test_it_has_a_name(self, embedder: Embedder) -> None:
        assert embedder.name.strip()

    def test_there_is_a_vector_for_each_text_in_order(self, embedder: Embedder) -> None:
        together = embedder.embed(HOSTILE)
        assert len(together) == len(HOSTILE)
        for text, vector in zip(HOSTILE, together, strict=True):
            (alone,) = embedder.embed([text])
            assert alone == pytest.approx(vector, abs=1e-5)
        assert embedder.embed([]) == ()

    def test_every_vector_has_unit_length_and_the_same_number_of_dimensions(self, embedder: Embedder) -> None:
        vectors = embedder.embed(HOSTILE)
        assert len({len(vector) for vector in vectors}) == 1
        for vector in vectors:
            assert math.hypot(*vector) == pytest.approx(1, abs=1e-4)

    def test_texts_that_say_the_same_are_nearer_than_others(self, embedder: Embedder) -> None:
        first, again, other = embedder.embed(
            ["please use tabs for indentation", "use tabs for indentation, please", "the database is locked again"]
        )
        assert _similarity(first, again) > _similarity(first, other)


class ExecutorContract:
    """Fixture: `executor`, shut down by its creator."""

    def test_a_result_comes_out_of_the_future(self, executor: Executor) -> None:
        assert executor.submit(divide, 6, by=3).result(timeout=60) == 2

    def test_an_error_comes_out_of_the_future_and_not_of_submit(self, executor: Executor) -> None:
        failed = executor.submit(divide, 1, by=0)
        assert isinstance(failed.exception(timeout=60), ZeroDivisionError)
        with pytest.raises(ZeroDivisionError):
            failed.result(timeout=60)
        assert executor.submit(divide, 4, by=2).result(timeout=60) == 2

    def test_results_of_a_map_come_in_order(self, executor: Executor) -> None:
        assert list(executor.map(divide, range(50), timeout=60)) == list(range(50))

    def test_after_the_end_no_work_is_taken(self, executor: Executor) -> None:
        executor.shutdown()
        with pytest.raises(RuntimeError):
            executor.submit(divide, 1)


def divide(number: int, by: int = 1) -> float:
    """Work that can be sent to another process, and can fail there."""
    return number / by


def _similarity(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
