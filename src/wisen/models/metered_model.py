"""The meter around whoever replies: what may go out, what it may cost, and how often it is tried.

In this order: only local models where the user wants that; nothing that holds a secret or private data; what was
answered before; a model that failed a moment ago is left alone; caps of the day, counted before anything is sent;
tries within one deadline; a second chance for an answer that is not as asked.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from wisen.errors import ModelAbsent, ModelFailed, Reason
from wisen.model.model_use import ABSENT_PRICE, NANOS, Cooldown, ModelCall
from wisen.models.answer_format import NotAsAsked, answer_in, asked_again, digest, prompt_of
from wisen.models.model_ports import ModelAnswer
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from wisen.model.model_use import ModelsPolicy, Tier
    from wisen.models.model_ports import MaterialItem, Prompt, Question, Reply, Responder
    from wisen.store.model_answers import ModelAnswers
    from wisen.store.model_uses import ModelUses
    from wisen.system.machine_ports import Clock, Ids

T = TypeVar("T")
TRIES = 3
FIRST_PAUSE = 0.5
"""Seconds before the second try; each pause after it is twice as long."""
COOL_SECONDS = 300
"""How long a model is left alone that failed all tries."""
_MOST_COOLING = 6 * 3600
"""A server may ask for more, and is not believed."""
_PASSES = (Reason.TIMEOUT, Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNREACHABLE)
"""What may be better a moment later."""
_UNBILLED = (Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNREACHABLE, Reason.DENIED)
"""Where no tokens were used; after a time-out nobody knows, so all that was reserved counts."""


class Around(NamedTuple):
    """What the meter works with."""

    answers: ModelAnswers
    purse: ModelUses
    clock: Clock
    ids: Ids
    machine: str
    local: Callable[[datetime], datetime]
    """A moment as clocks show it here: days begin at midnight where the user is."""
    pause: Callable[[float], None]


class Metered:
    """The models that the settings name, within the limits that they set."""

    def __init__(self, policy: ModelsPolicy, opening: Callable[[str], Responder], around: Around) -> None:
        """`opening`: who replies for a model of this name. Raises: ModelAbsent."""
        self._policy, self._opening, self._around = policy, opening, around

    def named(self, tier: Tier) -> str:
        """What the user knows it by; empty where there is none."""
        return self._policy.model_for(tier)

    def ask(self, question: Question[T]) -> ModelAnswer[T]:
        """The answer. Raises: ModelAbsent, ModelFailed, MissingExtra."""
        name = self.named(question.tier)
        if not name:
            raise ModelAbsent(
                f"No {question.tier} model is configured. Set models.{question.tier} in config.toml: docs/models.md"
            )
        responder = self._opening(name)
        if self._policy.local_only and not responder.is_local:
            raise ModelFailed(
                f"{name} was not asked: models.local_only is true, and it is not on this machine.", Reason.NOT_LOCAL
            )
        material, withheld = _passed(question, name)
        prompt = prompt_of(question, material)
        key = digest(name, prompt)
        if (known := self._known(key, question.answer)) is not None:
            return ModelAnswer(value=known, model=name, money=0.0, cached=True, withheld=withheld)
        self._warm(name)
        asking = _Asking(name, question.purpose, responder, self._policy, self._around)
        value = self._tried(asking, prompt, question.answer)
        text = msgspec.json.encode(value).decode()
        if rule_against(text) is None:
            self._around.answers.keep(key, question.purpose, text)
        money = asking.nanos / NANOS if asking.priced else None
        return ModelAnswer(
            value=value,
            model=name,
            tokens_in=asking.tokens_in,
            tokens_out=asking.tokens_out,
            money=money,
            withheld=withheld,
        )

    def _known(self, key: str, type_: type[T]) -> T | None:
        text = self._around.answers.of(key)
        if text is None:
            return None
        try:
            return answer_in(text, type_)
        except NotAsAsked:
            return None

    def _warm(self, name: str) -> None:
        around = self._around
        for each in around.purse.active_cooldowns(around.machine, around.clock.now()):
            if each.model == name:
                until = f"{around.local(each.until):%H:%M:%S}"
                raise ModelFailed(f"{name} is not asked until {until}: {each.why}.", Reason.COOLING)

    def _tried(self, asking: _Asking, prompt: Prompt, type_: type[T]) -> T:
        """The value, after as many tries as the deadline allows. Raises: ModelFailed."""
        clock = self._around.clock
        deadline = clock.elapsed() + self._policy.seconds
        tried, repaired, pause = 0, False, FIRST_PAUSE
        while True:
            tried += 1
            try:
                reply = asking.once(prompt, max(0.1, deadline - clock.elapsed()))
            except ModelFailed as error:
                wait = pause if error.wait is None else error.wait
                pause *= 2
                if error.reason not in _PASSES:
                    raise
                if tried >= TRIES or clock.elapsed() + wait >= deadline:
                    raise self._cooled(asking.name, error) from error
                self._around.pause(wait)
                continue
            if reply.refused:
                raise ModelFailed(f"{asking.name} declined to answer.", Reason.REFUSED)
            try:
                return answer_in(reply.text, type_)
            except NotAsAsked as error:
                if repaired or clock.elapsed() >= deadline:
                    says = f"{asking.name} did not answer in the form that was asked for: {error}."
                    raise ModelFailed(says, Reason.MALFORMED) from None
                repaired, prompt = True, asked_again(prompt, error)

    def _cooled(self, name: str, error: ModelFailed) -> ModelFailed:
        around, now = self._around, self._around.clock.now()
        seconds = min(max(error.wait or 0.0, COOL_SECONDS), _MOST_COOLING)
        until, why = now + timedelta(seconds=seconds), f"it failed ({error.reason})"
        around.purse.add_cooldown(
            Cooldown(id=around.ids.new(), machine=around.machine, at=now, model=name, until=until, why=why)
        )
        shown = f"{around.local(until):%H:%M:%S}"
        return ModelFailed(f"{str(error).rstrip('.')}. It is left alone until {shown}.", error.reason, wait=error.wait)


class _Asking:
    """One question to one model: each request is counted before it is sent, and again when it is known what it cost."""

    def __init__(self, name: str, purpose: str, responder: Responder, policy: ModelsPolicy, around: Around) -> None:
        self.name = name
        self.tokens_in = self.tokens_out = self.nanos = 0
        self.priced = True
        self._purpose, self._responder, self._policy, self._around = purpose, responder, policy, around

    def once(self, prompt: Prompt, seconds: float) -> Reply:
        """One request. Raises: ModelFailed."""
        # A token is at least one byte, so this is the most that it can be.
        sent = prompt.system + prompt.user
        most_in = len(sent.encode()) + len(msgspec.json.encode(prompt.schema)) + self._responder.overhead
        reserved = self._call(most_in, prompt.most_tokens, None)
        if why := self._around.purse.reserve(reserved, self._policy):
            raise ModelFailed(f"{self.name} was not asked: {why}.", Reason.OVER_CAP)
        try:
            reply = self._responder.respond(prompt, seconds)
        except ModelFailed as error:
            if error.reason in _UNBILLED:
                self._settle(reserved, 0, 0, 0.0)
            else:
                self._add(reserved)
            raise
        told = reply.tokens_in is not None and reply.tokens_out is not None
        tokens_in, tokens_out = (reply.tokens_in or 0, reply.tokens_out or 0) if told else (most_in, prompt.most_tokens)
        self._settle(reserved, tokens_in, tokens_out, reply.money)
        return reply

    def _settle(self, reserved: ModelCall, tokens_in: int, tokens_out: int, money: float | None) -> None:
        call = msgspec.structs.replace(self._call(tokens_in, tokens_out, money), id=reserved.id, day=reserved.day)
        self._around.purse.settle(call)
        self._add(call)

    def _add(self, call: ModelCall) -> None:
        self.tokens_in += call.tokens_in
        self.tokens_out += call.tokens_out
        self.nanos += call.nanos
        self.priced = self.priced and call.priced

    def _call(self, tokens_in: int, tokens_out: int, money: float | None) -> ModelCall:
        around, now = self._around, self._around.clock.now()
        nanos, priced = self._price(tokens_in, tokens_out, money)
        return ModelCall(
            id=around.ids.new(),
            machine=around.machine,
            at=now,
            day=around.local(now).date().isoformat(),
            model=self.name,
            purpose=self._purpose,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            nanos=nanos,
            priced=priced,
        )

    def _price(self, tokens_in: int, tokens_out: int, money: float | None) -> tuple[int, bool]:
        """What it costs: by the user's price, as whoever replied says, by a known price, or by the stated one."""
        if (own := dict(self._policy.prices).get(self.name)) is not None:
            return own.nanos(tokens_in, tokens_out), True
        told = money if money is not None else self._responder.cost(tokens_in, tokens_out)
        if told is not None:
            return round(told * NANOS), True
        return ABSENT_PRICE.nanos(tokens_in, tokens_out), False


def _passed(question: Question[T], name: str) -> tuple[tuple[MaterialItem, ...], tuple[str, ...]]:
    """The material that may go out, and the ids of the rest. Raises: ModelFailed."""
    if rule_against(question.instructions) is not None:
        says = f"{name} was not asked: the instructions hold a secret or private data."
        raise ModelFailed(says, Reason.WITHHELD)
    passed = tuple(item for item in question.material if rule_against(item.text) is None)
    kept = {item.id for item in passed}
    withheld = tuple(item.id for item in question.material if item.id not in kept)
    if question.material and not passed:
        says = f"{name} was not asked: all that would have been sent holds a secret or private data."
        raise ModelFailed(says, Reason.WITHHELD)
    return passed, withheld
