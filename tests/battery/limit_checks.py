"""T19, T20, T22 and T23: what a hook costs, what is delivered at most, what models cost, how often a trial is wrong."""

from __future__ import annotations

import itertools
import random
import statistics
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import numpy as np
from benchmarks import hooks
from benchmarks.trial_verdicts import judge
from benchmarks.trial_worlds import SCENARIOS, Cell, make_world
from benchmarks.trials import rails

import wisen
from tests.battery.check import Check, Tally
from tests.delivery.test_start_block import LESSONS
from tests.language_models.chat_server import ChatAnswer, serve_chat
from tests.language_models.test_models import ask, configure
from wisen.delivery.block import BlockContent, DeliveredLine, PendingQuestion, build_block
from wisen.delivery.settings import DeliverPolicy
from wisen.errors import ModelFailed
from wisen.language_models import metered_model
from wisen.model.trial import Verdict
from wisen.safety import sentinel
from wisen.text.tokens import estimate_tokens
from wisen.trials.verdicts import VerdictPolicy

_ODD_WORDS = (
    *("use", "pnpm", "never", "ａｌｗａｙｓ", "必要です", "お願いします", "👩👧👦", "🇩🇪", "\u200b", "\u202e"),
    *("e" + "\u0301" * 30, "x" * 900, "<wisen51902>", "</wisen51902>", "[red]", "`code`", "- ", "\u2028", "\ud83d"),
    *("Ask the user once", "а" * 70),
)
BLOCKS = 50
SEAL = sentinel.session_seal(b"k" * 32, "claude-code", "s")


def build_blocks(seed: int, folder: Path) -> Tally:
    """Start blocks of fifty stores, with few to very many, short to very long, and odd lessons."""
    del folder
    chance, tally = random.Random(seed), Tally()
    for number in range(BLOCKS):
        policy = DeliverPolicy(
            tokens=chance.choice((0, 1, 60, 100, 200, 800, 800, 800, 5000)), hints=chance.random() < 0.5
        )
        content = _odd_content(chance, chance.choice((0, 1, 8, 40, 400)))
        problem = _problem_of_block(content, policy)
        tally.expect(not problem, f"store {number}, {policy.tokens} tokens: {problem}")
    return tally


def _odd_content(chance: random.Random, most: int) -> BlockContent:
    numbers = itertools.count()

    def text() -> str:
        if chance.random() < 0.5:
            return chance.choice(LESSONS)
        return " ".join(chance.choices(_ODD_WORDS, k=chance.choice((1, 3, 12, 200))))

    def lines() -> list[DeliveredLine]:
        return [DeliveredLine(f"R-{next(numbers):08x}", text(), "") for _ in range(chance.randint(0, most))]

    waiting = [PendingQuestion(each, f"P{each}", "R-1", text()) for each in range(chance.randint(0, most))]
    return BlockContent(lines(), lines(), lines(), waiting, lines(), (), lines(), lines())


def _problem_of_block(content: BlockContent, policy: DeliverPolicy) -> str:
    block = build_block(content, policy)
    sealed = sentinel.add_seal(block.text, SEAL)
    if sealed and estimate_tokens(sealed) > policy.tokens:
        return f"{estimate_tokens(sealed)} tokens are above the limit"
    if build_block(content, policy) != block:
        return "the same content gives other bytes"
    # What nobody was asked to put in is not in it, so what was put in beside it changes nothing.
    filed = content._replace(filed=[*content.filed, DeliveredLine("R-ffffffff", "one more", "")])
    if build_block(filed, policy).text != block.text:
        return "a rule that a file already holds changes the block"
    lines = {each.line for part in (content.rules, content.stated, content.hints, content.news, content.due,
             content.on_trial) for each in part} | {each.line(briefly=short) for each in content.waiting
             for short in (True, False)}  # fmt: skip
    inside = block.text.split("\n</wisen")[0]
    for line in sorted(lines, key=len)[:20]:
        plain = sentinel.wrap(line)[len("<wisen51902> ") : -len("\n</wisen51902>")]
        if len(plain) > 20 and plain[:-1] in inside and plain not in inside:
            return f"cut: {plain[:60]!r}"
    return ""


def share_of_advice(seed: int, folder: Path) -> Tally:
    """Ordinary lessons: eight of those that are known, approved and stated in any mix."""
    del folder
    chance, tally = random.Random(seed), Tally()
    for _ in range(BLOCKS):
        texts = chance.sample(LESSONS, len(LESSONS))
        lines = [DeliveredLine(f"R-{chance.getrandbits(32):08x}", each, "") for each in texts]
        cut = chance.randint(0, len(lines))
        content = BlockContent(lines[:cut], lines[cut:], (), (), ())
        text = sentinel.add_seal(build_block(content, DeliverPolicy()).text, SEAL)
        share = sum(map(len, texts)) / len(text)
        tally.expect(share >= 0.6 and all(each in text for each in texts), f"{share:.0%} of a block is advice")
    return tally


ANSWERS = (
    *(
        ChatAnswer('{"ok": true}'),
        ChatAnswer('{"ok": true}', tokens=(0, 0)),
    ),
    *(
        ChatAnswer("x" * 200_000),
        ChatAnswer("no json"),
        ChatAnswer(status=500),
        ChatAnswer(status=429),
        ChatAnswer(raw="{}"),
    ),
    *(ChatAnswer(raw="[" * 5000), ChatAnswer('{"ok": true}', tokens=(10**12, 10**12)), ChatAnswer(refusal="no")),
    *(ChatAnswer(status=503, headers={"Retry-After": "0"}), ChatAnswer(raw='{"usage": {"prompt_tokens": "x"}}')),
)
"""Good and bad answers, with right, missing, wrong and absurd figures of use."""


def spend_on_models(seed: int, folder: Path) -> Tally:
    """Ten questions from three learners on one home at once, to a server that errs: no cap of the day is passed."""
    chance, tally = random.Random(seed), Tally()
    calls, tokens = chance.choice((0, 1, 3, 20)), chance.choice((0, 3_000, 20_000, 500_000))
    money = chance.choice((0.0, 0.01, 0.2, 5.0))
    closed = chance.random() < 0.15
    script = [chance.choice(ANSWERS) for _ in range(30)]
    with serve_chat(script) as server, patch.object(metered_model, "FIRST_PAUSE", 0.0):
        caps = {"calls_per_day": calls, "tokens_per_day": tokens, "money_per_day": money, "seconds": 5}
        name = "" if closed else server.name
        configure(folder, name, **caps, prices={server.name: {"input": 3, "output": 15}})
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(_ask_often, range(3)))
        with wisen.open_learner() as learner:
            day = learner.home.local(learner.home.clock.now()).date().isoformat()
            spent = learner.home.ledger.model_uses.usage_of_day(learner.home.machine, day)
    asked = len(server.requests)
    told = [each for each in script[:asked] if each.tokens[0] > 10**6]
    tally.expect(asked <= calls, f"{asked} of {calls} calls went out")
    tally.expect(not closed or asked == 0, "a model was asked although there is none")
    # A server that reports more than can have been is believed: what came before it was within the caps.
    tally.expect(bool(told) or spent.tokens <= tokens, f"{spent.tokens} of {tokens} tokens")
    tally.expect(bool(told) or spent.money <= money + 1e-9, f"{spent.money} of {money} money")
    tally.expect(spent.tokens >= 0 and spent.nanos >= 0, f"a refund: {spent}")
    return tally


def _ask_often(number: int) -> None:
    with wisen.open_learner() as learner:
        for turn in range(4):
            try:
                ask(learner, f"question {number} {turn}")
            except (ModelFailed, wisen.errors.ModelAbsent):
                continue


RULES = 500
CONFIRM_BAR, WORSE_BAR = 0.02, 0.05


def judge_rules_without_effect(seed: int, folder: Path) -> Tally:
    """Five hundred rules that do nothing, in one world: the judge of trials must find no effect in them.

    Trials are rules. What the goal allows (2% confirmed, 5% worse) counts as no failure, above it each counts.
    """
    del folder
    tally = Tally()
    cell = Cell(scenario=SCENARIOS[seed % len(SCENARIOS)], law=("mix", ".1", ".2", ".4")[seed // len(SCENARIOS) % 4])
    chance = np.random.default_rng(seed)
    world = make_world(cell, RULES, chance)
    drawn = chance.permutation(2000)[:RULES]
    ended = judge(world.chance, world.given, world.hit, [each[drawn] for each in rails()], VerdictPolicy())
    for verdict, bar in ((Verdict.CONFIRMED, CONFIRM_BAR), (Verdict.WORSE, WORSE_BAR)):
        wrong = round(ended.share(verdict) * RULES)
        # Two standard errors above the goal: the goal is a rate, and one world is a sample of it.
        allowed = RULES * bar + 2 * (RULES * bar * (1 - bar)) ** 0.5
        tally.expect(wrong <= allowed, f"{cell.name}: {wrong} of {RULES} were {verdict.value}")
    return tally


CALLS = 6
"""Calls of each event in turn with bare interpreters, in one run."""


def call_hooks(seed: int, folder: Path) -> Tally:
    """Hooks as agents start them, one after another and eight at once, in turn with bare interpreters.

    The goals (20 and 80 ms) are for an idle machine; here they are ratios to bare interpreters in the same seconds.
    """
    tally = Tally()
    home = hooks.prepare_home(folder)
    events = hooks.event_runners(home, str(folder / "shop"))
    events.pop("stop")  # it starts a cycle, which would run beside the others
    for once in events.values():
        once(f"first {seed}")
    found = hooks.measure_in_turn({"bare": hooks.run_bare, **events}, CALLS)
    bare = statistics.median(found.pop("bare"))
    for name, some in found.items():
        most = 5 if name == "recall" else 3
        tally.expect(
            statistics.median(some) <= most * bare + 5, f"{name}: {statistics.median(some):.0f} ms, bare {bare:.0f}"
        )
        tally.trials += len(some) - 1
    bare_at_once, at_once = hooks.measure_parallel(list(events.values()), hooks.AT_ONCE)
    over = [each for each in at_once if each > max(bare_at_once) * 3 + 200]
    tally.expect(not over, f"eight at once: {max(at_once):.0f} ms, bare {max(bare_at_once):.0f}")
    tally.trials += len(at_once) - 1
    return tally


CHECKS = (
    # 10,000 calls take 20 CPU minutes with what they are compared with: a tenth of them.
    Check("T19", "latency", "a hook takes much longer than its interpreter", call_hooks, quick=1, full=20),
    Check(
        "T20", "budget", "a start block is above its limit, cut, or changes by itself", build_blocks, quick=1, full=100
    ),
    Check("T20", "advice", "less than 60% of an ordinary block is advice", share_of_advice, quick=1, full=10),
    Check("T22", "caps", "models cost more than the user allows", spend_on_models, quick=1, full=200),
    # 20,000 rules in every cell take hours (`python -m benchmarks trials --full`): every scenario with four laws.
    Check(
        "T23", "no-effect", "a rule without effect is confirmed or called worse", judge_rules_without_effect, 1, 4 * 6
    ),
)
