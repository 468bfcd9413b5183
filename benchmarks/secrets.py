"""Measures whether secrets are found in every carrier, and how often real text is mistaken for one.

Data: `--data DIR` with transcripts/*.jsonl for false positives: every line of what would be kept of them. Secrets are
generated from providers' documented formats (`secret_formats`) and put into twelve carriers (`secret_carriers`).
`spoken` is what people say or split (`secret_plants`), learned and searched for in every byte of the home, by seeds.
`leave_provider_out` removes a provider's own rules and checks whether the names of its tokens still reveal them.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.data import transcripts
from benchmarks.secret_carriers import CARRIERS, Sample, make_sample
from benchmarks.secret_formats import FORMATS
from benchmarks.secret_peers import peers
from benchmarks.secret_plants import measure_seeds
from wisen.agents.claude_code import ClaudeCode
from wisen.model.event import Call, Message, Outcome, Provenance
from wisen.safety.private import find_private_data
from wisen.safety.secret_rules import RULES
from wisen.safety.secrets import SecretScanner, find_secret
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

_DRAWS = 7
"""Of each format in each carrier: more than ten thousand in all."""
_PEER_DRAWS = 1
_SEED = 11
_PLANT_SEEDS, _PLANTS = (201, 202), 1500
"""The rules were chosen on other seeds."""


class KeptText(NamedTuple):
    """One text of a real session."""

    session: str
    text: str
    is_json: bool


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    kept = list(_kept_texts(transcripts(options.data)))
    samples = list(_samples(_DRAWS))
    missed = [sample for sample in samples if find_secret(sample.text) is None]
    lines = [line for each in kept for line in _lines(each)]
    texts = [each.text for each in kept]
    some = [sample.text for sample in _samples(_PEER_DRAWS)]
    with tempfile.TemporaryDirectory(prefix="wisen-bench-") as work:
        baselines, absent = peers(some, lines, Path(work))
    ours = sum(find_secret(text) is not None for text in some) / len(some)
    return {
        "recall": 1 - len(missed) / len(samples),
        "false_line_rate": sum(find_secret(line) is not None for line in lines) / max(1, len(lines)),
        "mb_per_s": _speed(find_secret, texts, options.repeat),
        "baselines": {"wisen": {"recall": ours}, **baselines},
        "absent": absent,
        "leave_provider_out": _leave_provider_out(samples),
        "carriers": _shares(samples, missed, lambda sample: sample.carrier),
        "marked": _shares(samples, missed, lambda sample: "by itself" if sample.format.marked else "by name"),
        "missed": dict(Counter(f"{sample.format.name} in {sample.carrier}" for sample in missed)),
        "formats": len(FORMATS),
        "providers": len({format_.provider for format_ in FORMATS}),
        "samples": len(samples),
        "real": _real(kept, len(lines)),
        "private_line_rate": sum(find_private_data(line) is not None for line in lines) / max(1, len(lines)),
        "mb_per_s_with_private": _speed(rule_against, texts, options.repeat),
        "spoken": measure_seeds(_PLANT_SEEDS, _PLANTS),
    }


def _samples(draws: int) -> Iterator[Sample]:
    chance = random.Random(_SEED)
    for format_ in FORMATS:
        for carrier in CARRIERS:
            for _ in range(draws):
                sample = make_sample(format_, carrier, chance)
                if sample is not None:
                    yield sample


def _leave_provider_out(samples: Iterable[Sample]) -> dict[str, object]:
    named = defaultdict(list)
    for sample in samples:
        if sample.named:
            named[sample.format.provider].append(sample)
    shares = {}
    for provider, own in sorted(named.items()):
        others = SecretScanner(rule for rule in RULES if rule.provider != provider)
        shares[provider] = sum(others.scan(sample.text).secret is not None for sample in own) / len(own)
    size = sum(map(len, named.values()))
    return {
        "recall": sum(share * len(named[provider]) for provider, share in shares.items()) / size,
        "samples": size,
        "worst": dict(sorted(shares.items(), key=lambda pair: pair[1])[:5]),
    }


def _shares(samples: list[Sample], missed: list[Sample], by: Callable[[Sample], str]) -> dict[str, float]:
    all_, lost = Counter(map(by, samples)), Counter(map(by, missed))
    return {name: 1 - lost[name] / count for name, count in all_.items()}


def _real(kept: list[KeptText], lines: int) -> dict[str, object]:
    flagged = [(each.session, rule) for each in kept if (rule := rule_against(each.text)) is not None]
    return {
        "lines": lines,
        "texts": len(kept),
        "texts_withheld": len(flagged),
        "sessions": len({each.session for each in kept}),
        "sessions_affected": len({session for session, _ in flagged}),
        "rules": dict(Counter(rule for _, rule in flagged)),
    }


def _speed(look: Callable[[str], object], texts: list[str], repeat: int) -> float:
    """Return the megabytes per second over the texts as the event filter sees them, on one core."""
    megabytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    best = float("inf")
    for _ in range(max(1, repeat)):
        began = time.perf_counter()
        for text in texts:
            look(text)
        best = min(best, time.perf_counter() - began)
    return megabytes / best


def _kept_texts(folder: Path) -> Iterator[KeptText]:
    """Yield what of real sessions reaches the event filter: typed messages, call arguments, failed results."""
    agent = ClaudeCode(Path("/nonexistent"), {})
    for source in agent.sources(folder):
        for batch in agent.read(source):
            for event in batch.events:
                text = event.arguments if isinstance(event, Call) else None
                if isinstance(event, Message | Outcome):
                    text = event.text
                if text and event.provenance is not Provenance.OTHER:
                    yield KeptText(source.path.stem, text, isinstance(event, Call))


def _lines(kept: KeptText) -> Iterator[str]:
    """The lines of a text; those of arguments as they were before they became JSON."""
    for part in _strings(json.loads(kept.text)) if kept.is_json else (kept.text,):
        yield from (line for line in part.split("\n") if line.strip())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
