"""The meter around models: what goes out, what it costs, how often it is tried, and what is let through."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.errors import ModelAbsent, ModelFailed, Reason
from wisen.language_models.answer_format import MalformedAnswer, build_prompt, json_schema_of, parse_answer
from wisen.language_models.hosted_model import HostedModel
from wisen.language_models.metered_model import COOLDOWN_SECONDS, MAX_TRIES, MeterContext, MeteredModel
from wisen.language_models.model_ports import MaterialItem, Model, Question, Reply
from wisen.model.model_use import ABSENT_PRICE, NANOS, ModelsPolicy, PricePolicy, Tier, UsageTotal
from wisen.testing.fake_models import MemoryModelAnswers, MemoryModelUses, ScriptedResponder
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.port_contracts import ModelContract, Verdict, harmless

pytestmark = pytest.mark.requirement("C8")

YES, NO = '{"ok": true}', '{"ok": false}'
SECRET = "use the key AKIAQ3EGRTTW7XMPLK9Z and the secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYzP3RexAMQKEY9"
NIGHT = datetime(2026, 11, 15, 23, 30, tzinfo=UTC)


@dataclass
class World:
    """A meter with a script behind it."""

    responder: ScriptedResponder
    policy: ModelsPolicy = field(default_factory=lambda: ModelsPolicy(nano="fake:small"))
    clock: FixedClock = field(default_factory=FixedClock)
    answers: MemoryModelAnswers = field(default_factory=MemoryModelAnswers)
    purse: MemoryModelUses = field(default_factory=MemoryModelUses)
    pauses: list[float] = field(default_factory=list)
    offset: timedelta = timedelta(0)

    def __post_init__(self) -> None:
        self.ids = CountingIds()

    @property
    def model(self) -> MeteredModel:
        around = MeterContext(
            self.answers, self.purse, self.clock, self.ids, "desk", lambda at: at + self.offset, self._pause
        )
        return MeteredModel(self.policy, lambda _: self.responder, around)

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.advance(seconds)

    @property
    def today(self) -> UsageTotal:
        return self.purse.usage_of_day("desk", (self.clock.now() + self.offset).date().isoformat())

    @property
    def sent(self) -> str:
        return "\n".join(prompt.system + prompt.user for prompt in self.responder.prompts)


def failing(reason: Reason, wait: float | None = None) -> ModelFailed:
    """Return what a server error becomes."""
    return ModelFailed("It failed.", reason, wait=wait)


class TestMetered(ModelContract):
    @pytest.fixture
    def model(self) -> Model:
        policy = ModelsPolicy(nano="fake:small", tokens_per_day=10**9)
        return World(ScriptedResponder(lambda _: YES), policy).model

    @pytest.fixture
    def silent_model(self) -> Model:
        return World(ScriptedResponder(lambda _: failing(Reason.UNREACHABLE))).model


def test_the_same_question_costs_nothing_the_second_time() -> None:
    world = World(ScriptedResponder([YES, NO]))
    first, again, other = (world.model.ask(harmless(text)) for text in ("a", "a", "b"))
    assert (first.value, first.cached, again.value, again.cached) == (Verdict(True), False, Verdict(True), True)
    assert (again.tokens_in, again.tokens_out, again.money) == (0, 0, 0.0)
    assert other.value == Verdict(False)
    assert len(world.responder.prompts) == 2
    assert world.today.calls == 2


def test_another_model_is_asked_again() -> None:
    world = World(ScriptedResponder([YES, NO]))
    world.model.ask(harmless("a"))
    world.policy = ModelsPolicy(nano="fake:other")
    assert world.model.ask(harmless("a")).value == Verdict(False)


def test_what_holds_a_secret_is_left_out_and_counted() -> None:
    world = World(ScriptedResponder([YES]))
    answer = world.model.ask(harmless("plain", SECRET, "charge my card 5425 2334 3010 9903 please", "fine"))
    assert answer.withheld == ("2", "3")
    assert "AKIA" not in world.sent
    assert "5425" not in world.sent
    assert [item["id"] for item in json.loads(world.responder.prompts[0].user)] == ["1", "4"]


def test_where_nothing_is_left_nothing_is_sent() -> None:
    world = World(ScriptedResponder([YES]))
    with pytest.raises(ModelFailed) as failed:
        world.model.ask(harmless(SECRET))
    assert failed.value.reason is Reason.WITHHELD
    question = Question(purpose="test", tier=Tier.NANO, instructions=SECRET, answer=Verdict)
    with pytest.raises(ModelFailed, match="instructions"):
        world.model.ask(question)
    assert world.responder.prompts == []
    assert world.today == UsageTotal()


def test_only_local_models_are_asked_where_the_user_wants_that() -> None:
    policy = ModelsPolicy(nano="fake:small", local_only=True)
    abroad = World(ScriptedResponder([YES], is_local=False), policy)
    with pytest.raises(ModelFailed) as failed:
        abroad.model.ask(harmless("a"))
    assert failed.value.reason is Reason.NOT_LOCAL
    assert abroad.responder.prompts == []
    assert World(ScriptedResponder([YES]), policy).model.ask(harmless("a")).value == Verdict(True)


@pytest.mark.parametrize(
    ("policy", "cap"),
    [
        (ModelsPolicy(nano="fake:small", calls_per_day=0), "calls_per_day"),
        (ModelsPolicy(nano="fake:small", tokens_per_day=1500), "tokens_per_day"),
        (ModelsPolicy(nano="fake:small", money_per_day=0.01), "money_per_day"),
    ],
)
def test_a_cap_that_could_be_exceeded_is_not_tried(policy: ModelsPolicy, cap: str) -> None:
    world = World(ScriptedResponder([YES], is_local=False), policy)
    with pytest.raises(ModelFailed, match=cap) as failed:
        world.model.ask(harmless("a"))
    assert failed.value.reason is Reason.OVER_CAP
    assert world.responder.prompts == []


@pytest.mark.parametrize("reply", [YES, "not json", failing(Reason.TIMEOUT), failing(Reason.UNAVAILABLE)])
@given(calls=st.integers(0, 6), tokens=st.integers(0, 20_000), cents=st.integers(0, 60))
def test_no_cap_is_ever_exceeded(reply: str | Exception, calls: int, tokens: int, cents: int) -> None:
    policy = ModelsPolicy(
        nano="fake:small", calls_per_day=calls, tokens_per_day=tokens, money_per_day=cents / 100, seconds=600
    )
    world = World(ScriptedResponder(lambda _: reply, is_local=False), policy)
    for number in range(5):
        world.clock.advance(COOLDOWN_SECONDS + 1)
        with suppress(ModelFailed):
            world.model.ask(harmless(str(number)))
    assert len(world.responder.prompts) <= calls
    assert world.today.calls <= calls
    assert world.today.tokens <= tokens
    assert world.today.nanos <= round(cents / 100 * NANOS)


def test_costs_are_exact() -> None:
    prices = (("fake:small", PricePolicy(input=0.15, output=0.6)),)
    policy = ModelsPolicy(nano="fake:small", prices=prices, money_per_day=100, tokens_per_day=10**9)
    world = World(ScriptedResponder(lambda _: Reply(YES, 123_457, 891), is_local=False), policy)
    answers = [world.model.ask(harmless(str(number))) for number in range(7)]
    # 123,457 x 0.15 / 1,000,000 + 891 x 0.60 / 1,000,000
    assert {answer.money for answer in answers} == {0.01905315}
    assert world.today == UsageTotal(7, 7 * (123_457 + 891), 133_372_050, 0)


def test_an_unknown_price_is_reported_as_unknown_and_counts_at_the_stated_one() -> None:
    world = World(ScriptedResponder([Reply(YES, 1000, 100)], is_local=False))
    assert world.model.ask(harmless("a")).money is None
    assert world.today == UsageTotal(1, 1100, ABSENT_PRICE.nanos(1000, 100), 1)


def test_what_whoever_replied_says_it_cost_counts() -> None:
    world = World(ScriptedResponder([Reply(YES, 1000, 100, money=0.0123)], is_local=False))
    assert world.model.ask(harmless("a")).money == 0.0123
    assert world.today == UsageTotal(1, 1100, 12_300_000, 0)


def test_tokens_that_nobody_tells_count_as_the_most_that_they_can_be() -> None:
    world = World(ScriptedResponder([Reply(YES)]))
    answer = world.model.ask(harmless("a"))
    prompt = world.responder.prompts[0]
    assert answer.tokens_in >= len((prompt.system + prompt.user).encode())
    assert answer.tokens_out == prompt.max_tokens


def test_a_day_ends_at_the_users_midnight() -> None:
    world = World(ScriptedResponder(lambda _: YES), ModelsPolicy(nano="fake:small", calls_per_day=1))
    world.clock.set(NIGHT)
    world.offset = timedelta(hours=-8)
    world.model.ask(harmless("a"))
    world.clock.advance(timedelta(hours=1))  # midnight in UTC, afternoon where the user is
    with pytest.raises(ModelFailed, match="calls_per_day"):
        world.model.ask(harmless("b"))
    world.clock.advance(timedelta(hours=8))
    assert world.model.ask(harmless("b")).value == Verdict(True)


@pytest.mark.parametrize("reason", [Reason.TIMEOUT, Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNREACHABLE])
def test_what_passes_is_tried_again_with_growing_pauses(reason: Reason) -> None:
    world = World(ScriptedResponder([failing(reason), failing(reason), YES]))
    assert world.model.ask(harmless("a")).value == Verdict(True)
    assert world.pauses == [0.5, 1.0]
    assert world.today.calls == 3


def test_as_long_as_the_server_asks_for() -> None:
    world = World(ScriptedResponder([failing(Reason.RATE_LIMITED, wait=7), YES]))
    world.model.ask(harmless("a"))
    assert world.pauses == [7]


@pytest.mark.parametrize("reason", [Reason.DENIED, Reason.REFUSED])
def test_what_does_not_pass_is_not_tried_again(reason: Reason) -> None:
    world = World(ScriptedResponder([failing(reason)]))
    with pytest.raises(ModelFailed) as failed:
        world.model.ask(harmless("a"))
    assert failed.value.reason is reason
    assert (len(world.responder.prompts), world.pauses) == (1, [])
    assert world.purse.active_cooldowns("desk", world.clock.now()) == ()


def test_a_model_that_fails_is_paused_and_it_is_reported_until_when() -> None:
    world = World(ScriptedResponder([*[failing(Reason.UNAVAILABLE)] * MAX_TRIES, YES]))
    with pytest.raises(ModelFailed, match=r"not asked again until 12:05:01"):
        world.model.ask(harmless("a"))
    with pytest.raises(ModelFailed, match=r"not asked until 12:05:01: it failed \(unavailable\)") as failed:
        world.model.ask(harmless("b"))
    assert failed.value.reason is Reason.COOLING
    assert len(world.responder.prompts) == MAX_TRIES
    world.clock.advance(COOLDOWN_SECONDS)
    assert world.model.ask(harmless("b")).value == Verdict(True)


def test_a_pause_that_is_longer_than_the_deadline_is_not_waited_for() -> None:
    world = World(ScriptedResponder([failing(Reason.RATE_LIMITED, wait=900)]))
    with pytest.raises(ModelFailed):
        world.model.ask(harmless("a"))
    assert world.pauses == []
    (cooling,) = world.purse.active_cooldowns("desk", world.clock.now())
    assert cooling.until - world.clock.now() == timedelta(seconds=900)


def test_after_a_time_out_all_that_was_reserved_counts() -> None:
    late = World(ScriptedResponder(lambda _: failing(Reason.TIMEOUT)))
    busy = World(ScriptedResponder(lambda _: failing(Reason.UNAVAILABLE)))
    for world in (late, busy):
        with pytest.raises(ModelFailed):
            world.model.ask(harmless("a"))
    assert late.today.tokens > MAX_TRIES * 1024
    assert (busy.today.calls, busy.today.tokens) == (MAX_TRIES, 0)


def test_an_answer_that_is_not_as_asked_gets_a_second_chance_with_the_error() -> None:
    world = World(ScriptedResponder(['{"ok": "yes"}', YES]))
    assert world.model.ask(harmless("a")).value == Verdict(True)
    assert "Expected `bool`, got `str`" in world.responder.prompts[1].user
    assert world.today.calls == 2


def test_and_no_third() -> None:
    world = World(ScriptedResponder(lambda _: '{"ok": "yes"}'))
    with pytest.raises(ModelFailed, match="form") as failed:
        world.model.ask(harmless("a"))
    assert failed.value.reason is Reason.MALFORMED
    assert len(world.responder.prompts) == 2
    assert world.answers.all() == ()


def test_a_refusal_is_one() -> None:
    world = World(ScriptedResponder([Reply("", 10, 2, refused=True)]))
    with pytest.raises(ModelFailed) as failed:
        world.model.ask(harmless("a"))
    assert failed.value.reason is Reason.REFUSED
    assert world.today.tokens == 12


def test_without_a_name_there_is_no_model() -> None:
    world = World(ScriptedResponder([YES]), ModelsPolicy())
    with pytest.raises(ModelAbsent, match=r"models\.nano"):
        world.model.ask(harmless("a"))


class Inner(msgspec.Struct, frozen=True):
    """Without `forbid_unknown_fields`, and with a default: the meter is strict all the same."""

    label: str
    score: float = 0.0


class Outer(msgspec.Struct, frozen=True):
    """Nested."""

    items: list[Inner]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes",
        "[]",
        "null",
        '{"items": []} and more',
        '{"items": [{"label": "a"}]}',
        '{"items": [{"label": "a", "score": "1"}]}',
        '{"items": [{"label": "a", "score": 1, "run": "rm -rf /"}]}',
        '{"items": [], "note": "ignore"}',
        '{"items": [{"score": 1}]}',
        '{"items": {}}',
        "[" * 20_000,
        '{"items": []',
    ],
)
def test_answers_are_read_strictly(text: str) -> None:
    with pytest.raises(MalformedAnswer):
        parse_answer(text, Outer)


@pytest.mark.parametrize(
    "text", ['{"items": [{"label": "a", "score": 1}]}', '```json\n{"items": [{"label": "a", "score": 1.0}]}\n```']
)
def test_an_answer_may_stand_in_a_code_block(text: str) -> None:
    assert parse_answer(text, Outer) == Outer([Inner("a", 1.0)])


@given(st.text())
def test_whatever_is_answered_is_a_value_of_the_type_or_nothing(text: str) -> None:
    try:
        value = parse_answer(text, Verdict)
    except MalformedAnswer:
        return
    assert value in (Verdict(True), Verdict(False))


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_no_text_can_end_its_own_quotation(items: list[tuple[str, str]]) -> None:
    material = tuple(MaterialItem(*each) for each in items)
    question = Question(purpose="t", tier=Tier.NANO, instructions="Judge.", answer=Verdict, material=material)
    read = json.loads(build_prompt(question, material).user)
    sendable = [{"id": _whole(id_), "text": _whole(text)} for id_, text in items]
    assert read == sendable


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def test_the_schema_is_an_object_at_the_top() -> None:
    schema = json_schema_of(Outer)
    assert schema["type"] == "object"
    assert list(schema["$defs"]) == ["Inner"]


def test_what_safety_refuses_is_not_kept_as_an_answer() -> None:
    class Words(msgspec.Struct, frozen=True):
        text: str

    world = World(ScriptedResponder(lambda _: json.dumps({"text": SECRET})))
    question = Question(purpose="t", tier=Tier.NANO, instructions="Say.", answer=Words)
    assert world.model.ask(question).value.text == SECRET
    assert world.answers.all() == ()


@pytest.mark.parametrize(
    ("name", "environment", "local"),
    [
        ("ollama:llama3", {}, True),
        ("ollama:llama3", {"OLLAMA_HOST": "0.0.0.0"}, True),
        ("ollama:llama3", {"OLLAMA_HOST": "[::1]:9999"}, True),
        ("ollama:llama3", {"OLLAMA_HOST": "garden.example:11434"}, False),
        ("ollama:llama3", {"OLLAMA_BASE_URL": "https://garden.example/v1"}, False),
        ("ollama:gpt-oss:120b-cloud", {}, False),
        ("http://localhost:8080/v1|small", {}, True),
        ("http://127.8.8.8/v1|small", {}, True),
        ("http://[::1]/v1|small", {}, True),
        ("http://localhost.example/v1|small", {}, False),
        ("http://127.0.0.1@garden.example/v1|small", {}, False),
        ("http://10.0.0.1/v1|small", {}, False),
        ("openai:gpt-5-nano", {}, False),
    ],
)
def test_what_is_local_is_decided_by_the_address(name: str, environment: dict[str, str], local: bool) -> None:
    assert HostedModel(name, environment).is_local is local


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000/v1"),
        ("https://garden.example", "https://garden.example:11434/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
    ],
)
def test_an_ollama_is_asked_where_it_listens(host: str, address: str) -> None:
    assert HostedModel("ollama:llama3", {"OLLAMA_HOST": host})._address == address
