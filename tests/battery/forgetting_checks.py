"""T15: what was forgotten is in no byte below the home, whatever kind it was, and does not come back."""

from __future__ import annotations

import random
import signal
from typing import TYPE_CHECKING

import wisen
from tests.battery.check import Check, Tally
from tests.forgetting import forget_and_die
from tests.forgetting.test_forgetting import write_three_corrections
from tests.forgetting.test_forgetting_killed import holds_it
from tests.hooks import fire
from tests.planted_secrets import Facts, Planter, find_residues
from wisen.model.tombstone import ALL_CONTEXTS

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.learner import Learner

_SESSIONS, _OTHERS, _GUARDS = 3, 2, 1
_STEPS = 28
"""A little more than the steps that forgetting this word takes."""


def _plant(home: Path, learner: Learner, facts: Facts) -> Planter:
    planter = Planter(home, home / "shop", facts)
    planter.write_files(_OTHERS)
    planter.write_logs(_SESSIONS)
    learner.learn()
    planter.approve_rules(learner, _OTHERS)
    planter.write_logs(_SESSIONS)
    planter.record_statements(learner, _OTHERS)
    planter.add_guards(learner, _GUARDS)
    learner.cycle()
    fire(home / "wisen", "session-start", {"session_id": "s", "cwd": str(home / "shop"), "source": "startup"})
    fire(home / "wisen", "prompt", {"session_id": "s", "cwd": str(home / "shop"), "prompt": facts.new("hook prompt")})
    planter.write_outputs(home / "wisen", _OTHERS)
    return planter


def _in_names(home: Path, words: list[str]) -> set[str]:
    """Words that are in the name of a file or a folder."""
    names = "\n".join(str(path.relative_to(home)) for path in home.rglob("*")).lower()
    return {word for word in words if word in names}


def forget_words(seed: int, folder: Path) -> Tally:
    """Unique words in every kind of place, forgotten one by one and together; then old logs are read again."""
    chance, tally, ours = random.Random(seed), Tally(), folder / "wisen"
    gone, kept = Facts(seed), Facts(seed + 1_000_000)
    with wisen.open_learner() as learner:
        planter = _plant(folder, learner, gone)
        keeper = Planter(folder, folder / "blog", kept, first=1000)
        keeper.write_logs(1)
        learner.cycle()
        held = find_residues(ours, [*gone.all(), *kept.all()])
        words = [word for word in gone.all() if word in held]
        chance.shuffle(words)
        single, together = words[:4], words[4:]
        for word in single:
            learner.forgetting.forget(chance.choice((word, word.upper(), f"`{word}`")), scope=ALL_CONTEXTS)
        learner.forgetting.forget(together, scope=ALL_CONTEXTS)
        found = find_residues(ours, words)
        named = _in_names(ours, words)
        unharmed = find_residues(ours, kept.all()).keys() == held.keys() & {*kept.all()}
        learner.cycle()
    if chance.random() < 0.5:
        for file in ours.glob("index.db*"):
            file.unlink()
    with wisen.open_learner() as learner:
        learner.learn(recheck=True, judge=True)
        learner.cycle()
    back = find_residues(ours, words)
    place_of = {word: place for place, of_place in gone.of.items() for word in of_place}
    for word in words:
        left, again = sorted(found.get(word, ())), sorted(back.get(word, ()))
        where = left or (f"again {again}" if again else word in named and "the name of a file")
        tally.expect(not where, f"a word from {place_of[word]} is still in {where}")
    tally.expect(unharmed, "words of another project went, too")
    tally.expect((folder / "shop" / "CLAUDE.md").read_text() == planter.own, "the user's file is not as they wrote it")
    return tally


def forget_everything(seed: int, folder: Path) -> Tally:
    """Everything of one project or of all, with the words of each kind of place; then old logs are read again."""
    chance, tally, ours = random.Random(seed), Tally(), folder / "wisen"
    gone, kept = Facts(seed), Facts(seed + 1_000_000)
    scope_is_all = chance.random() < 0.5
    with wisen.open_learner() as learner:
        planter = Planter(folder, folder / "shop", gone)
        planter.write_logs(_SESSIONS)
        keeper = Planter(folder, folder / "blog", kept, first=1000)
        keeper.write_logs(2)
        learner.cycle()
        learner.memory.add_note(f"the {gone.new('note')} came late", folder / "shop")
        held = find_residues(ours, [*gone.all(), *kept.all()])
        learner.forgetting.forget_everything(ALL_CONTEXTS if scope_is_all else learner.contexts.key_of(folder / "shop"))
        left = find_residues(ours, gone.all())
        learner.learn(recheck=True)
        learner.cycle()
    back = find_residues(ours, [*gone.all(), *kept.all()])
    for place, words in gone.of.items():
        for word in words:
            if word in held:
                where = sorted(left.get(word, ())) or sorted(back.get(word, ()))
                tally.expect(not where, f"a word from {place} is still in {where}")
    for word in kept.all():
        if word in held:
            tally.expect(
                (word in back) != scope_is_all, f"a word of the other project, everything forgotten: {scope_is_all}"
            )
    return tally


def forget_and_be_killed(seed: int, folder: Path) -> Tally:
    """Killed before a step of forgetting; the next run finishes it."""
    chance, tally, ours = random.Random(seed), Tally(), folder / "wisen"
    shop = write_three_corrections(folder)
    (shop / "CLAUDE.md").write_text(own := "# Shop\n\nMine about pnpm.\n")
    with wisen.open_learner() as learner:
        learner.cycle()
        learner.records.record_insight("the blue cable is fine")
        learner.cycle()
    code, _ = forget_and_die.forget("pnpm", chance.randrange(_STEPS))
    with wisen.open_learner() as learner:
        began = bool(learner.forgetting.tombstones())
        learner.cycle()
        done = all(each.done for each in learner.forgetting.tombstones())
    left = holds_it(folder)
    if began:
        tally.expect(done and not left, f"killed with {code}: done is {done}, and it is still in {left}")
    else:
        tally.expect(code == -signal.SIGKILL and bool(left), "it went, although forgetting had not begun")
    tally.expect((shop / "CLAUDE.md").read_text() == own, "the user's file is not as they wrote it")
    tally.expect(bool(find_residues(ours, ["blue cable"])), "something else went, too")
    return tally


CHECKS = (
    Check("T15", "words", "a forgotten word is left or comes back", forget_words, quick=1, full=15),
    Check("T15", "everything", "what is left of a project that was forgotten", forget_everything, quick=1, full=10),
    Check("T15", "killed", "forgetting that was killed is not finished", forget_and_be_killed, quick=1, full=40),
)
