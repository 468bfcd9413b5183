"""Meters the use of models: what may be sent, what it may cost, and how often a request is retried.

In this order: only local models if the user wants that; no secrets or private data; cached answers; a cooldown after a
failure; daily caps, reserved before anything is sent; retries within one deadline; a second chance for a malformed
answer.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from wisen.errors import ModelAbsent, ModelFailed, Reason
from wisen.language_models.answer_format import (
    MalformedAnswer,
    build_prompt,
    build_retry_prompt,
    parse_answer,
    prompt_digest,
)
from wisen.language_models.model_ports import ModelAnswer
from wisen.model.model_use import ABSENT_PRICE, NANOS, Cooldown, ModelCall
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from wisen.language_models.model_ports import MaterialItem, Prompt, Question, Reply, Responder
    from wisen.model.model_use import ModelsPolicy, Tier
    from wisen.store.model_answers import ModelAnswers
    from wisen.store.model_uses import ModelUses
    from wisen.system.machine_ports import Clock, Ids

T = TypeVar("T")
MAX_TRIES = 3
FIRST_PAUSE = 0.5
"""Seconds before the second try; each further pause is twice as long."""
COOLDOWN_SECONDS = 300
"""How long a model is not asked after it failed all tries."""
_MAX_COOLDOWN = 6 * 3600
"""The longest cooldown, even if a server asks for more."""
_RETRIABLE = (Reason.TIMEOUT, Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNREACHABLE)
"""Reasons that may go away, so that a retry makes sense."""
_UNBILLED = (Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNREACHABLE, Reason.DENIED)
"""Failures without token use; after a timeout the use is unknown, so the whole reservation counts."""


class MeterContext(NamedTuple):
    """The dependencies of the meter."""

    answers: ModelAnswers
    uses: ModelUses
    clock: Clock
    ids: Ids
    machine: str
    local: Callable[[datetime], datetime]
    """Converts to local time: days begin at midnight in the user's time zone."""
    pause: Callable[[float], None]


class MeteredModel:
    """The configured models, within the configured limits."""

    def __init__(self, policy: ModelsPolicy, open_responder: Callable[[str], Responder], context: MeterContext) -> None:
        """`open_responder`: returns the responder of a model name. Raises: ModelAbsent."""
        self._policy, self._open_responder, self._context = policy, open_responder, context

    def model_name(self, tier: Tier) -> str:
        """Return the configured name; empty if there is none."""
        return self._policy.model_for(tier)

    def ask(self, question: Question[T]) -> ModelAnswer[T]:
        """Return the answer. Raises: ModelAbsent, ModelFailed, MissingExtra."""
        name = self.model_name(question.tier)
        if not name:
            raise ModelAbsent(
                f"No {question.tier} model is configured. Set models.{question.tier} in config.toml: docs/models.md"
            )
        responder = self._open_responder(name)
        if self._policy.local_only and not responder.is_local:
            raise ModelFailed(
                f"{name} was not asked: models.local_only is true, and it is not on this machine.", Reason.NOT_LOCAL
            )
        material, withheld = _sendable_material(question, name)
        prompt = build_prompt(question, material)
        key = prompt_digest(name, prompt)
        if (cached := self._cached_answer(key, question.answer)) is not None:
            return ModelAnswer(value=cached, model=name, money=0.0, cached=True, withheld=withheld)
        self._check_cooldown(name)
        request = _MeteredRequest(name, question.purpose, responder, self._policy, self._context)
        value = self._ask_with_retries(request, prompt, question.answer)
        text = msgspec.json.encode(value).decode()
        if rule_against(text) is None:
            self._context.answers.keep(key, question.purpose, text)
        money = request.nanos / NANOS if request.priced else None
        return ModelAnswer(
            value=value,
            model=name,
            tokens_in=request.tokens_in,
            tokens_out=request.tokens_out,
            money=money,
            withheld=withheld,
        )

    def _cached_answer(self, key: str, type_: type[T]) -> T | None:
        text = self._context.answers.of(key)
        if text is None:
            return None
        try:
            return parse_answer(text, type_)
        except MalformedAnswer:
            return None

    def _check_cooldown(self, name: str) -> None:
        context = self._context
        for each in context.uses.active_cooldowns(context.machine, context.clock.now()):
            if each.model == name:
                until = f"{context.local(each.until):%H:%M:%S}"
                raise ModelFailed(f"{name} is not asked until {until}: {each.why}.", Reason.COOLING)

    def _ask_with_retries(self, request: _MeteredRequest, prompt: Prompt, type_: type[T]) -> T:
        """Return the value, after as many tries as the deadline allows. Raises: ModelFailed."""
        clock = self._context.clock
        deadline = clock.elapsed() + self._policy.seconds
        tries, was_retried, pause = 0, False, FIRST_PAUSE
        while True:
            tries += 1
            try:
                reply = request.send(prompt, max(0.1, deadline - clock.elapsed()))
            except ModelFailed as error:
                wait = pause if error.wait is None else error.wait
                pause *= 2
                if error.reason not in _RETRIABLE:
                    raise
                if tries >= MAX_TRIES or clock.elapsed() + wait >= deadline:
                    raise self._start_cooldown(request.name, error) from error
                self._context.pause(wait)
                continue
            if reply.refused:
                raise ModelFailed(f"{request.name} declined to answer.", Reason.REFUSED)
            try:
                return parse_answer(reply.text, type_)
            except MalformedAnswer as error:
                if was_retried or clock.elapsed() >= deadline:
                    message = f"{request.name} did not answer in the requested form: {error}."
                    raise ModelFailed(message, Reason.MALFORMED) from None
                was_retried, prompt = True, build_retry_prompt(prompt, error)

    def _start_cooldown(self, name: str, error: ModelFailed) -> ModelFailed:
        context, now = self._context, self._context.clock.now()
        seconds = min(max(error.wait or 0.0, COOLDOWN_SECONDS), _MAX_COOLDOWN)
        until, why = now + timedelta(seconds=seconds), f"it failed ({error.reason})"
        context.uses.add_cooldown(
            Cooldown(id=context.ids.new(), machine=context.machine, at=now, model=name, until=until, why=why)
        )
        local_time = f"{context.local(until):%H:%M:%S}"
        return ModelFailed(
            f"{str(error).rstrip('.')}. It is not asked again until {local_time}.", error.reason, wait=error.wait
        )


class _MeteredRequest:
    """One question to one model: each request is reserved before it is sent, and settled when its cost is known."""

    def __init__(
        self, name: str, purpose: str, responder: Responder, policy: ModelsPolicy, context: MeterContext
    ) -> None:
        self.name = name
        self.tokens_in = self.tokens_out = self.nanos = 0
        self.priced = True
        self._purpose, self._responder, self._policy, self._context = purpose, responder, policy, context

    def send(self, prompt: Prompt, seconds: float) -> Reply:
        """Send one request. Raises: ModelFailed."""
        # A token is at least one byte, so this is the upper limit.
        sent = prompt.system + prompt.user
        max_tokens_in = len(sent.encode()) + len(msgspec.json.encode(prompt.schema)) + self._responder.overhead
        reserved = self._build_call(max_tokens_in, prompt.max_tokens, None)
        if why := self._context.uses.reserve(reserved, self._policy):
            raise ModelFailed(f"{self.name} was not asked: {why}.", Reason.OVER_CAP)
        try:
            reply = self._responder.respond(prompt, seconds)
        except ModelFailed as error:
            if error.reason in _UNBILLED:
                self._settle(reserved, 0, 0, 0.0)
            else:
                self._add_use(reserved)
            raise
        has_usage = reply.tokens_in is not None and reply.tokens_out is not None
        tokens_in, tokens_out = (
            (reply.tokens_in or 0, reply.tokens_out or 0) if has_usage else (max_tokens_in, prompt.max_tokens)
        )
        self._settle(reserved, tokens_in, tokens_out, reply.money)
        return reply

    def _settle(self, reserved: ModelCall, tokens_in: int, tokens_out: int, money: float | None) -> None:
        call = msgspec.structs.replace(self._build_call(tokens_in, tokens_out, money), id=reserved.id, day=reserved.day)
        self._context.uses.settle(call)
        self._add_use(call)

    def _add_use(self, call: ModelCall) -> None:
        self.tokens_in += call.tokens_in
        self.tokens_out += call.tokens_out
        self.nanos += call.nanos
        self.priced = self.priced and call.priced

    def _build_call(self, tokens_in: int, tokens_out: int, money: float | None) -> ModelCall:
        context, now = self._context, self._context.clock.now()
        nanos, priced = self._price(tokens_in, tokens_out, money)
        return ModelCall(
            id=context.ids.new(),
            machine=context.machine,
            at=now,
            day=context.local(now).date().isoformat(),
            model=self.name,
            purpose=self._purpose,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            nanos=nanos,
            priced=priced,
        )

    def _price(self, tokens_in: int, tokens_out: int, money: float | None) -> tuple[int, bool]:
        """Return the cost: by the user's price, the responder's figure, a known price, or the default price."""
        if (user_price := dict(self._policy.prices).get(self.name)) is not None:
            return user_price.nanos(tokens_in, tokens_out), True
        cost = money if money is not None else self._responder.cost(tokens_in, tokens_out)
        if cost is not None:
            return round(cost * NANOS), True
        return ABSENT_PRICE.nanos(tokens_in, tokens_out), False


def _sendable_material(question: Question[T], name: str) -> tuple[tuple[MaterialItem, ...], tuple[str, ...]]:
    """Return the material that may be sent, and the ids of the rest. Raises: ModelFailed."""
    if rule_against(question.instructions) is not None:
        message = f"{name} was not asked: the instructions contain a secret or private data."
        raise ModelFailed(message, Reason.WITHHELD)
    sendable = tuple(item for item in question.material if rule_against(item.text) is None)
    sent_ids = {item.id for item in sendable}
    withheld = tuple(item.id for item in question.material if item.id not in sent_ids)
    if question.material and not sendable:
        message = f"{name} was not asked: everything that would have been sent contains a secret or private data."
        raise ModelFailed(message, Reason.WITHHELD)
    return sendable, withheld
