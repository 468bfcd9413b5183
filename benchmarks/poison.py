"""Measures whether text that the user did not type is ever learned as theirs, and whether their own text always is.

Generated here: sentences planted in what users paste, in what agents record next to the user's messages, and in
repositories, by many techniques, in every shipped language, in the logs of every agent; and the same wishes typed by
the user. Everything that is kept as learned (ledger, signals, pages, own phrases) or prepared for delivery is checked.
With `--data DIR`: the transcripts of injection/poison.jsonl and injection/benign.jsonl there, up to what may teach.
"""

from __future__ import annotations

import base64
import re
import sqlite3
import tempfile
import unicodedata
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import wisen
from benchmarks.data import MissingDataError, json_lines
from benchmarks.poison_carriers import CARRIERS, TECHNIQUES, is_left_out, speeches, typed_forms
from benchmarks.poison_logs import AGENTS, CLONED, cloned, records, typed
from wisen.app import wire
from wisen.logs.event_filter import filter_events
from wisen.logs.settings import EventFilterPolicy
from wisen.model.event import Message
from wisen.safety.passages import own_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}")
_LOOK_ALIKES = str.maketrans("аеорсухіѕԁɡ", "aeopcyxisdg")
POISONED, TYPED = 1_500, 500
_AT_ONCE = 100
_TIMES = 6
"""In how many sessions the same stands where it stands in many."""
_NOT_LEARNT = frozenset({"index.db", "ledger.db", "backups"})
"""What of a home is read otherwise, or is a copy."""


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    if options.data is not None:
        return _data_figures(options.data)
    return generated_figures(options.seed, POISONED, TYPED)


class Case(NamedTuple):
    """One text in one agent's log."""

    marker: str
    text: str
    agent: str
    carrier: str
    technique: str
    language: str
    number: int
    shape: int = 0
    times: int = 1


def generated_figures(seed: int, poisoned: int, typed_by_user: int, *, jobs: int = 2) -> dict[str, object]:
    """The figures of texts made up from a seed."""
    poison, benign = poison_cases(seed, poisoned), benign_cases(seed, typed_by_user)
    batches = [poison[at : at + _AT_ONCE] for at in range(0, len(poison), _AT_ONCE)]
    own = [benign[at : at + _AT_ONCE] for at in range(0, len(benign), _AT_ONCE)]
    if jobs == 1:
        answers = [learned_markers(each) for each in (*batches, *own)]
    else:
        with ProcessPoolExecutor(max_workers=jobs) as executor:
            answers = list(executor.map(learned_markers, (*batches, *own)))
    found = [marker for each in answers[: len(batches)] for marker in each]
    detected = {marker for each in answers[len(batches) :] for marker in each}
    learned = [case for case in poison if case.marker in set(found)]
    blocked = [case for case in benign if case.marker not in detected]
    left_out = [case for case in poison if is_left_out(case.shape)]
    return {
        "poison": {"n": len(poison), "learned": len(learned)},
        "benign": {"n": len(benign), "blocked": len(blocked)},
        "left_out": {"n": len(left_out), "learned": sum(is_left_out(case.shape) for case in learned)},
        "seed": seed,
        **{f"by_{name}": _by(name, poison, learned) for name in ("carrier", "technique", "language", "agent")},
        "benign_by_agent": _by("agent", benign, blocked),
        "benign_by_language": _by("language", benign, blocked),
        "learned_from": sorted({f"{case.carrier} {case.shape} ({case.technique}, {case.agent})" for case in learned}),
        "blocked_texts": [f"{case.agent}: {case.text}" for case in blocked],
    }


def _by(name: str, cases: Sequence[Case], hit: Sequence[Case]) -> dict[str, str]:
    every, some = (Counter(str(getattr(case, name)) for case in each) for each in (cases, hit))
    return {key: f"{some[key]} of {many}" for key, many in sorted(every.items())}


def random_marker(random: Random, number: int) -> str:
    """A word that nobody uses."""
    return "".join(random.choice("bdfgklmprtvz") + random.choice("aeiou") for _ in range(4)) + f"q{number}"


def poison_cases(seed: int, many: int) -> list[Case]:
    """Return texts that somebody else planted."""
    random = Random(seed)
    spoken = speeches()
    found: list[Case] = []
    typed_carriers, techniques, languages = list(CARRIERS), list(TECHNIQUES), sorted(spoken)
    while len(found) < many:
        number = len(found)
        agent, technique = AGENTS[number % len(AGENTS)], techniques[(number // len(AGENTS)) % len(techniques)]
        language = languages[random.randrange(len(languages))]
        marker, speech = random_marker(random, number), spoken[language]
        text = TECHNIQUES[technique].format(p=random.choice(speech.wishes).format(x=marker))
        times = _TIMES if technique == "many sessions" else 1
        kind = random.random()
        if kind < 0.03:
            carrier = CLONED[number % len(CLONED)]
            found.append(Case(marker, text, "claude-code", carrier, technique, language, number + 1))
        elif kind < 0.25:
            offers = records(agent)
            shape = random.randrange(len(offers))
            found.append(Case(marker, text, agent, offers[shape][0], technique, language, number + 1, shape * 2, times))
        else:
            carrier = typed_carriers[random.randrange(len(typed_carriers))]
            shapes = CARRIERS[carrier](text, speech)
            shape = random.randrange(len(shapes))
            found.append(Case(marker, shapes[shape], agent, carrier, technique, language, number + 1, shape, times))
    return found


def benign_cases(seed: int, many: int) -> list[Case]:
    """Return requests that the user typed."""
    random = Random(seed + 1)
    spoken = speeches()
    found: list[Case] = []
    for number in range(many):
        language = sorted(spoken)[number % len(spoken)]
        marker, speech = random_marker(random, number), spoken[language]
        wish = random.choice(speech.wishes).format(x=marker)
        text = typed_forms(wish, speech, random, "shopctl")
        agent = AGENTS[random.randrange(len(AGENTS))]
        found.append(Case(marker, text, agent, "typed", "typed", language, number + 1))
    return found


def learned_markers(cases: Sequence[Case]) -> list[str]:
    """Return the markers of the cases from which anything was learned, all in one home."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        for case in cases:
            write_case(case, home)
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        with wisen.open_learner(home / "wisen", environment=environment) as learner:
            if (home / "chats").is_dir():
                learner.learn(home / "chats")
            learner.cycle()
            learner.feedback.learn_phrases()
            learner.cycle(quick=True)
        learned = decode_all("\n".join(kept_as_learned(home / "wisen")))
        outside = decode_all("\n".join(_written_outside(home, cases)))
        return [case.marker for case in cases if case.marker in learned or case.marker in outside]


def write_case(case: Case, home: Path) -> None:
    """Write the sessions of a case."""
    if case.carrier in CLONED:
        cloned(case.carrier, home / "clones" / str(case.number), home, case.number, case.text)
        return
    for time in range(case.times):
        number = case.number * 10 + time
        if case.carrier in CARRIERS or case.carrier == "typed":
            typed(case.agent, home, number, case.text)
        else:
            write = records(case.agent)[case.shape // 2][1]
            write(case.agent, home, number, case.text)


def kept_as_learned(home: Path) -> Iterator[str]:
    """Every text of the ledger, the signals of the index, and every file but stores of what was typed."""
    yield from _texts(home / "ledger.db", None, without=("snapshots",))  # copies of instruction files, for comparing
    yield from _texts(home / "index.db", ("signals", "lessons"))
    for path in sorted(home.rglob("*")):
        if path.is_file() and _NOT_LEARNT.isdisjoint({path.name.split("-")[0], *path.relative_to(home).parts}):
            yield path.read_bytes().decode("utf-8", "replace")


def _texts(path: Path, tables: tuple[str, ...] | None, without: tuple[str, ...] = ()) -> Iterator[str]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        named = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in named:
            if table not in without and (tables is None or table in tables):
                for row in database.execute(f"SELECT * FROM {table}"):
                    yield " ".join(each if isinstance(each, str) else str(each) for each in row)


def _written_outside(home: Path, cases: Sequence[Case]) -> Iterator[str]:
    """Instruction files of places where nothing was planted."""
    for path in (Path(".claude/CLAUDE.md"), Path(".codex/AGENTS.md"), Path(".gemini/GEMINI.md")):
        if (home / path).is_file():
            yield (home / path).read_text(encoding="utf-8")


def decode_all(text: str) -> str:
    """Return a text in all forms in which a reader might make it out."""
    return "\n".join(_decoded_forms(text)).casefold()


def _data_figures(data: Path) -> dict[str, object]:
    folder = data / "injection"
    if not (folder / "poison.jsonl").exists():
        raise MissingDataError("no injection/poison.jsonl; give the folder that holds it as --data DIR")
    poison, benign = (_lines(folder / f"{name}.jsonl") for name in ("poison", "benign"))
    typed = {case["file"]: _typed_text(folder / case["file"]) for case in [*poison, *benign]}
    learned = [case for case in poison if _contains_any(typed[case["file"]], case["markers"])]
    genuine = [case for case in poison if case.get("also_genuine")]
    missed = [case for case in genuine if not _contains_any(typed[case["file"]], case["also_genuine"]["markers"])]
    blocked = [case for case in benign if not _contains_any(typed[case["file"]], case["markers"])]
    return {
        "poison": {"n": len(poison), "learned": len(learned)},
        "benign": {"n": len(benign) + len(genuine), "blocked": len(blocked) + len(missed)},
        "learned_from": sorted({f"{case.get('carrier')} ({case.get('format')})" for case in learned}),
        "blocked_ids": sorted(str(case.get("id")) for case in [*blocked, *missed]),
    }


def _typed_text(file: Path) -> str:
    """Everything of one transcript that may teach as the user's own words, folded."""
    wires = wire("/nonexistent/wisen", {"HOME": "/nonexistent"})
    batches = [batch for agent in wires.agents() for source in agent.sources(file) for batch in agent.read(source)]
    events = [event for batch in batches for event in batch.events]
    kept = [each.event for each in filter_events(events, lambda _: None, EventFilterPolicy())]
    texts = [own_words(event.text) for event in kept if isinstance(event, Message) and event.text]
    return "\n".join(form for text in texts for form in _decoded_forms(text))


def _decoded_forms(text: str) -> Iterator[str]:
    """A text as a reader might make it out: hidden characters, look-alikes, tags, base64 and reversal undone."""
    plain = "".join(
        chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c
        for c in unicodedata.normalize("NFKC", text)
        if unicodedata.category(c) != "Cf" or 0xE0020 <= ord(c) <= 0xE007E
    )
    yield plain
    yield plain.translate(_LOOK_ALIKES)
    yield plain[::-1]
    for piece in _BASE64.findall(plain):
        try:
            yield base64.b64decode(piece + "=" * (-len(piece) % 4)).decode("utf-8")
        except ValueError:
            continue


def _contains_any(text: str, markers: Iterable[str]) -> bool:
    folded = text.casefold()
    return any(unicodedata.normalize("NFKC", marker).casefold() in folded for marker in markers)


def _lines(file: Path) -> list[dict[str, Any]]:
    return json_lines(file)
