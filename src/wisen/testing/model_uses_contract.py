"""The contracts of every ledger for model costs, and of every index for model answers, as test suites."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.model_use import NANOS, Cooldown, ModelCall, ModelsPolicy, ModelUsage, UsageTotal
from wisen.testing.entries_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.index import Index
    from wisen.store.ledger import Ledger

DAY = "2026-11-15"
PLENTY = ModelsPolicy(calls_per_day=100, tokens_per_day=10_000, money_per_day=1.0)


def a_call(id_: str = "01A", **changed: object) -> ModelCall:
    """Return a sample call that may cost a tenth."""
    call = ModelCall(
        id=id_,
        machine="desk",
        at=NOON,
        day=DAY,
        model="openai:small",
        purpose="label",
        tokens_in=100,
        tokens_out=20,
        nanos=NANOS // 10,
        priced=True,
    )
    return structs.replace(call, **changed)


def a_cooldown(id_: str = "01C", model: str = "openai:small", minutes: float = 5) -> Cooldown:
    """Return a sample cooldown: a model failed at noon."""
    return Cooldown(id=id_, machine="desk", at=NOON, model=model, until=NOON + timedelta(minutes=minutes), why="busy")


class ModelUsesContract:
    """Fixtures: `ledger`, open and empty, and `reopen`."""

    def test_what_is_reserved_counts_until_it_is_settled(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        assert ledger.model_uses.usage_of_day("desk", DAY) == UsageTotal()
        assert ledger.model_uses.reserve(a_call(), PLENTY) == ""
        assert ledger.model_uses.usage_of_day("desk", DAY) == UsageTotal(1, 120, NANOS // 10, 0)
        ledger.model_uses.settle(a_call(tokens_in=40, tokens_out=2, nanos=7, priced=False))
        ledger.model_uses.settle(a_call(tokens_in=0, tokens_out=0, nanos=0))
        assert reopen().model_uses.usage_of_day("desk", DAY) == UsageTotal(1, 42, 7, 1)

    def test_no_cap_is_ever_exceeded(self, ledger: Ledger) -> None:
        few = ModelsPolicy(calls_per_day=2, tokens_per_day=10_000, money_per_day=1.0)
        assert [ledger.model_uses.reserve(a_call(id_), few) == "" for id_ in ("01A", "01B", "01C")] == [
            True,
            True,
            False,
        ]
        assert "models.calls_per_day" in ledger.model_uses.reserve(a_call("01D"), few)
        assert ledger.model_uses.usage_of_day("desk", DAY).calls == 2

    def test_tokens_and_money_are_counted_with_what_is_to_come(self, ledger: Ledger) -> None:
        short = ModelsPolicy(calls_per_day=9, tokens_per_day=239, money_per_day=1.0)
        assert ledger.model_uses.reserve(a_call("01A"), short) == ""
        assert "models.tokens_per_day" in ledger.model_uses.reserve(a_call("01B"), short)
        poor = ModelsPolicy(calls_per_day=9, tokens_per_day=10_000, money_per_day=0.2)
        assert ledger.model_uses.reserve(a_call("01C"), poor) == ""
        assert "models.money_per_day" in ledger.model_uses.reserve(a_call("01D"), poor)
        assert ledger.model_uses.usage_of_day("desk", DAY) == UsageTotal(2, 240, NANOS // 5, 0)

    def test_each_day_and_each_machine_has_its_own(self, ledger: Ledger) -> None:
        once = ModelsPolicy(calls_per_day=1)
        for call in (a_call("01A"), a_call("01B", day="2026-11-16"), a_call("01C", machine="lap")):
            assert ledger.model_uses.reserve(call, once) == ""
        assert ledger.model_uses.reserve(a_call("01D"), once)

    def test_uses_are_counted_by_purpose_and_model(self, ledger: Ledger) -> None:
        calls = (
            a_call("01A"),
            a_call("01B"),
            a_call("01C", purpose=HOSTILE, nanos=NANOS // 2),
            a_call("01D", day="2026-11-01"),
            a_call("01E", machine="lap"),
        )
        assert all(ledger.model_uses.reserve(call, PLENTY) == "" for call in calls)
        assert ledger.model_uses.usage_since("desk", "2026-11-02") == (
            ModelUsage(HOSTILE, "openai:small", UsageTotal(1, 120, NANOS // 2, 0)),
            ModelUsage("label", "openai:small", UsageTotal(2, 240, NANOS // 5, 0)),
        )

    def test_a_model_cools_until_its_last_moment(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        for each in (a_cooldown("01A", minutes=5), a_cooldown("01B", minutes=9), a_cooldown("01C", "z", minutes=1)):
            ledger.model_uses.add_cooldown(each)
        again = reopen()
        assert again.model_uses.active_cooldowns("desk", NOON) == (
            a_cooldown("01B", minutes=9),
            a_cooldown("01C", "z", minutes=1),
        )
        assert again.model_uses.active_cooldowns("desk", NOON + timedelta(minutes=2)) == (a_cooldown("01B", minutes=9),)
        assert again.model_uses.active_cooldowns("desk", NOON + timedelta(minutes=9)) == ()
        assert again.model_uses.active_cooldowns("lap", NOON) == ()


class ModelAnswersContract:
    """Fixtures: `index`, open and empty, and `reopen`."""

    def test_an_answer_is_known_again(self, index: Index, reopen: Callable[[], Index]) -> None:
        index.model_answers.keep("q1", "label", HOSTILE)
        index.model_answers.keep("q1", "label", "newer")
        index.model_answers.keep("q2", "label", HOSTILE)
        again = reopen()
        assert again.model_answers.of("q1") == "newer"
        assert again.model_answers.of("q3") is None
        assert dict(again.model_answers.all()) == {"q1": "newer", "q2": HOSTILE}

    def test_no_more_than_a_fixed_number_is_kept(self, index: Index) -> None:
        for number in range(5003):
            index.model_answers.keep(str(number), "label", "x")
        assert len(index.model_answers.all()) == 5000
        assert index.model_answers.of("2") is None
        assert index.model_answers.of("3") == "x"

    def test_all_of_them_can_go(self, index: Index) -> None:
        index.model_answers.keep("q1", "label", "x")
        index.model_answers.forget()
        assert index.model_answers.all() == ()
