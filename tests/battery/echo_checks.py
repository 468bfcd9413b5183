"""T9: what wisen itself delivered, reported or wrote teaches nothing when it comes back in a session."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.poison_carriers import speeches
from benchmarks.poison_logs import AGENTS, PLACE, records, typed

import wisen
from tests.battery.check import Check, Tally
from tests.commands import run
from tests.guard_scenarios import shell_call
from tests.hooks import failed_call, fire_sealed, hook_answer
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.learner import Learner

_SESSIONS = 40
_FAILED = "Exit code 2\nshopctl: error: unrecognized option '--wait'"


def learn_nothing_from_itself(seed: int, folder: Path) -> Tally:
    """Sessions that repeat our texts in every place of a log: whole, cut off, quoted, pasted, retold."""
    chance, tally = Random(seed), Tally()
    _teach(folder, chance)
    with _open(folder) as learner:
        learner.learn(jobs=1)
        learner.guards.add("deny shell: make deploy-all -> make deploy # it deploys too much")
        learner.cycle()
        before = _learned(learner)
    texts = _own_texts(folder)
    tally.expect(all(texts.values()), f"texts of ours are missing: {[each for each in texts if not texts[each]]}")
    said = list[str]()
    for number in range(1, _SESSIONS + 1):
        name = chance.choice(sorted(texts))
        agent = chance.choice(AGENTS)
        place, write = chance.choice([("typed", typed), ("typed", typed), *records(agent)])
        form, change = chance.choice(_FORMS)
        write(agent, folder, number, change(texts[name], chance))
        said.append(f"{name}, {form}, {place}, {agent}")
    with _open(folder) as learner:
        if (folder / "chats").is_dir():
            learner.learn(folder / "chats", jobs=1)
        learner.learn(jobs=1)
        learner.feedback.learn_phrases()
        learner.cycle()
        after = _learned(learner)
    new = sorted(after - before)
    for number in range(_SESSIONS):
        # Each thing that is new is counted as one failed session; which one, its words say.
        problem = f"learned from ourselves: {new[number]} (in one of {said})" if number < len(new) else ""
        tally.expect(number >= len(new), problem)
    return tally


def _teach(folder: Path, chance: Random) -> None:
    for number, code in enumerate(chance.sample(sorted(speeches()), 3)):
        session = ClaudeTranscript(90_000 + number, cwd=PLACE)
        session.wait(days=number)
        session.prompt("deploy the shop")
        session.bash("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", exit_code=2)
        session.bash("shopctl deploy", "deployed")
        session.prompt(chance.choice(speeches()[code].wishes).format(x=f"tool{number}"))
        session.bash("make check")
        session.write(folder / ".claude" / "projects" / "-home-ada-orchard")


def _open(folder: Path) -> Learner:
    environment = {"HOME": str(folder), "WISEN_HOME": str(folder / "wisen"), "PATH": "/usr/bin:/bin"}
    return wisen.open_learner(environment=environment)


def _learned(learner: Learner) -> set[str]:
    """Everything that was learned, with its counts."""
    states = learner.lessons.all()
    found = {f"entry {state.text} {state.times} {state.sessions} {state.status}" for state in states}
    found |= {
        f"occurrence {each.session} {each.quote}" for state in states for each in learner.lessons.occurrences(state)
    }
    found |= {f"proposal {each.proposal.type} {each.proposal.text}" for each in learner.proposals.all()}
    found |= {f"fix {each.id} {each.sessions}" for each in learner.fixes.all()}
    return found | {f"guard {each}" for each in learner.guards.all()}


def _own_texts(folder: Path) -> dict[str, str]:
    """What agents and people get from wisen, and what it writes for them."""
    home = folder / "wisen"
    session = {"session_id": "asking", "cwd": PLACE}
    call = shell_call("make deploy-all", Path(PLACE))
    (page,) = (each for each in home.rglob("corrections.md") if ".written" not in each.parts)
    run("learn", "--markdown", folder / "report.md")
    return {
        "start": fire_sealed(home, "session-start", {**session, "source": "startup"}),
        "failure": fire_sealed(home, "failure", failed_call("shopctl deploy --wait", _FAILED, cwd=PLACE)),
        "guard": str(hook_answer(home, "before-call", call)),
        "answer": fire_sealed(home, "prompt", {**session, "prompt": "what did you learn from me?"}),
        "page": page.read_text(encoding="utf-8"),
        "report": (folder / "report.md").read_text(encoding="utf-8"),
        "list": run("lessons").stdout,
        "review": run("proposals").stdout,
        "learn": run("learn").stdout,
    }


def _cut_end(text: str, chance: Random) -> str:
    return text[: chance.randrange(len(text) // 3, len(text))]


def _cut_beginning(text: str, chance: Random) -> str:
    return text[chance.randrange(1, 40) :]


_FORMS: tuple[tuple[str, Callable[[str, Random], str]], ...] = (
    ("whole", lambda text, _: text),
    ("beside a task", lambda text, _: f"please fix the date parser\n\n{text}"),
    ("cut off", _cut_end),
    ("begins late", _cut_beginning),
    ("quoted", lambda text, _: "\n".join(f"> {line}" for line in text.splitlines())),
    ("fenced", lambda text, _: f"look:\n```\n{text}\n```"),
    ("reminder", lambda text, _: f"go on\n<system-reminder>\n{text}\n</system-reminder>"),
)

CHECKS = (Check("T9", "echo", "wisen learns from its own texts", learn_nothing_from_itself, quick=1, full=25),)
