"""Every command that writes, as it is tried on a busy home, and the few that are not tried, each with its reason."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tests.battery.busy_home import Attempt, BusyHome, Seen, lesson_word
from wisen.model.entry import ProposalType

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    Make = Callable[[BusyHome, Seen, random.Random], Attempt | None]

NOT_TRIED: Mapping[str, str] = {
    "serve": "it runs until it is ended, and what it starts is `cycle`",
    "models check": "it needs a model",
    "languages build": "it needs a model",
    "languages list": "it writes only an example for the user, who names the file",
    "feedback settle": "it needs the file of answers of a model",
    "phrases show": "it writes only an example for the user, who names the file",
    "phrases remove": "it needs phrases that were found in weeks of sessions",
    "contexts join": "it needs a project that another machine claims",
    "contexts adopt": "it needs a project with files of another person",
    "guards remove": "it is what `guards disable` does, with another word in the row",
    "lessons split": "it needs a lesson that was said in several sessions",
    "blame": "it removes a line of the user's own, which needs weeks of evidence",
}
"""The writing commands that are not killed."""


def _learn(home: BusyHome, seen: Seen, chance: random.Random) -> Attempt:
    del seen
    home.add_session()
    ids = tuple(home.written)
    words = chance.choice([("learn",), ("learn", "--recheck"), ("cycle",), ("cycle", "--quick")])
    # A cycle leaves the sessions to another one that runs, which may then be killed.
    subject = f"sessions:{len(ids)}" if words[0] == "learn" else ""
    return Attempt(words=words, subject=subject, holds=lambda now: now.sessions.issuperset(ids))


def _plain(*words: str, may_refuse: bool = False) -> Make:
    return lambda _home, _seen, _chance: Attempt(words=words, may_refuse=may_refuse)


def _doctor(_home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    return Attempt(words=("doctor", chance.choice(["--repair", "--recompute", "--purge"])))


def _switch(folder: str, subject: str, holds: Callable[[Seen], bool], *words: str) -> Make:
    return lambda _home, _seen, _chance: Attempt(
        words=words, subject=subject, holds=holds, folder=folder, may_refuse=True
    )


def _add_rule(_home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    text = f"always rinse plum{chance.randrange(10**9)} before use"
    return Attempt(words=("remember", text), subject=text, holds=lambda now: now.rules(text) == 1)


def _edit_rules(home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    text = f"always peel pear{chance.randrange(10**9)} before use"
    home.editor.write_text(f'#!/bin/sh\necho {shlex.quote(f"- {text}")} >>"$1"\n')
    home.editor.chmod(0o700)
    return Attempt(words=("rules", "edit"), subject=text, holds=lambda now: now.rules(text) == 1, may_refuse=True)


def _note(_home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    text = f"met fig{chance.randrange(10**9)} at noon"
    return Attempt(words=("note", text), subject=text, holds=lambda now: now.notes.count(text) == 1)


def _log(_home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    word = f"lime{chance.randrange(10**9)}"
    words = ("lessons", "log", "learning", f"always wash {word} first")
    return Attempt(words=words, subject=word, holds=lambda now: now.live(word) == 1)


def _add_guard(_home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    text = f"never run squash{chance.randrange(10**9)} --force"
    return Attempt(words=("guards", "add", text), subject=text, holds=lambda now: f"shell: {text}" in now.guards)


def _forget(home: BusyHome, seen: Seen, _chance: random.Random) -> Attempt | None:
    # Every third session is forgotten some day; nothing is decided about its lesson.
    words = {lesson_word(number) for number in range(3, len(home.written) + 1, 3)} - home.forgotten
    word = min((each for each in words if seen.live(each)), default="")
    if not word:
        return None
    home.forgotten.add(word)
    return Attempt(
        words=("forget", word, "--yes"),
        subject=word,
        holds=lambda now: not now.live(word) and not any(word in each.proposal.text for each in now.proposals.values()),
    )


def _answer(verb: str, *more: str) -> Make:
    def make(home: BusyHome, seen: Seen, chance: random.Random) -> Attempt | None:
        waiting = [each.proposal for each in seen.proposals.values() if each.is_waiting]
        own = sorted(
            (each.id, each.text)
            for each in waiting
            if each.type is ProposalType.SKILL or (each.type is ProposalType.PROMOTION and _is_decided(home, each.text))
        )
        if not own:
            return None
        id_, text = chance.choice(own)

        def holds(now: Seen) -> bool:
            state = now.proposals.get(id_)
            if state is None or (state.is_waiting and verb != "later"):
                return False
            is_skill = state.proposal.type is ProposalType.SKILL
            return is_skill or verb != "approve" or now.target.count(f"- {text} <!--") == 1

        return Attempt(words=("proposals", verb, id_, *more), subject=f"proposal:{id_}", holds=holds, may_refuse=True)

    return make


def _is_decided(home: BusyHome, text: str) -> bool:
    numbers = [number for number in range(1, len(home.written) + 1) if lesson_word(number) in text.split()]
    return bool(numbers) and all(number % 3 for number in numbers)


def _review(home: BusyHome, seen: Seen, chance: random.Random) -> Attempt | None:
    del home, seen
    answers = "".join(f"{chance.choice('yns')}\n" for _ in range(2)) + "q\n"
    return Attempt(words=("review",), subject="review", stdin=answers, may_refuse=True)


def _of_entry(verb: str, *more: str) -> Make:
    """Something that is done to a lesson that was logged by hand, about which nobody else decides."""

    def make(_home: BusyHome, seen: Seen, chance: random.Random) -> Attempt | None:
        own = sorted(each.entry.id for each in seen.entries if " lime" in each.text and not each.is_over)
        needed = 2 if verb in ("merge", "supersede") else 1
        if len(own) < needed:
            return None
        names = chance.sample(own, needed)
        return Attempt(words=("lessons", verb, *names, *more), subject="logged", may_refuse=True, retracts="lime")

    return make


def _of_guard(verb: str, *more: str) -> Make:
    def make(_home: BusyHome, seen: Seen, chance: random.Random) -> Attempt | None:
        if not seen.guards:
            return None
        id_ = chance.choice(sorted(seen.guards.values()))
        return Attempt(words=("guards", verb, id_, *more), subject="guards", may_refuse=True)

    return make


def _undo(_home: BusyHome, seen: Seen, chance: random.Random) -> Attempt | None:
    """An approval, or a rule in the user's own words, is undone."""
    rules = {each.entry.id: each.text for each in seen.entries if " plum" in each.text}
    subjects = rules | {id_: f"proposal:{id_}" for id_ in seen.proposals}
    standing = sorted(each.id for each in seen.decisions if not each.is_undone and each.subject in subjects)
    if not standing:
        return None
    id_ = chance.choice(standing)
    subject = subjects[next(each.subject for each in seen.decisions if each.id == id_)]

    def holds(now: Seen) -> bool:
        return all(each.is_undone for each in now.decisions if each.id == id_)

    return Attempt(words=("undo", id_, "--yes"), subject=subject, holds=holds, may_refuse=True)


def _of_change(verb: str, *more: str) -> Make:
    def make(_home: BusyHome, seen: Seen, chance: random.Random) -> Attempt | None:
        own = sorted(each.id for each in seen.changes if each.path.endswith("CLAUDE.md"))
        if not own:
            return None
        # It may belong to a decision about which something else was acknowledged: `retracts` drops that.
        words = ("changes", verb, chance.choice(own), *more)
        return Attempt(words=words, subject="changes", may_refuse=True, retracts="proposal:")

    return make


def _record_change(_home: BusyHome, _seen: Seen, chance: random.Random) -> Attempt:
    what = f"added the melon{chance.randrange(10**9)}"
    words = ("changes", "record", "CLAUDE.md", what, "fewer questions")
    return Attempt(
        words=words,
        subject=what,
        holds=lambda now: sum(each.external_description == what for each in now.changes) == 1,
    )


def _alias(home: BusyHome, seen: Seen, _chance: random.Random) -> Attempt | None:
    key, place = next((each.context for each in seen.entries if each.context), ""), home.folder / "elsewhere"
    place.mkdir(exist_ok=True)
    return Attempt(words=("contexts", "alias", key, str(place)), subject="alias") if key else None


def _of_skill(*words: str) -> Make:
    return lambda _home, _seen, _chance: Attempt(words=words, subject="skill", may_refuse=True, retracts="proposal:")


def _has_hooks(now: Seen) -> bool:
    return '"SessionStart"' in now.settings


ATTEMPTS: Mapping[str, Make] = {
    "learn": _learn,
    "cycle": _learn,
    "doctor": _doctor,
    "forget": _forget,
    "off": _switch("yard", "off", lambda now: now.is_off, "off"),
    "on": _switch("yard", "off", lambda now: not now.is_off, "on"),
    "install": _switch("shop", "hooks", _has_hooks, "install", "claude-code", "--yes"),
    "uninstall": _switch("shop", "hooks", lambda now: not _has_hooks(now), "uninstall", "claude-code"),
    "changes revert": _of_change("revert", "--yes"),
    "changes refuse": _of_change("refuse"),
    "changes record": _record_change,
    "changes undo": _undo,
    "proposals approve": _answer("approve"),
    "proposals reject": _answer("reject"),
    "proposals skip": _answer("skip"),
    "proposals later": _answer("later"),
    "proposals try": _answer("try"),
    "proposals place": _plain("proposals", "place", "file"),
    "proposals review": _review,
    "guards add": _add_guard,
    "guards enable": _of_guard("enable", "--as", "warn"),
    "guards disable": _of_guard("disable"),
    "skills make": _of_skill("skills", "make", "release on staging"),
    "skills retire": _of_skill("skills", "retire", "release-staging"),
    "skills restore": _of_skill("skills", "restore", "release-staging"),
    "workflows forget": _of_skill("workflows", "forget", "W-"),
    "trials on": _switch("shop", "trials", lambda _: True, "trials", "on", "--here"),
    "trials off": _switch("shop", "trials", lambda _: True, "trials", "off", "--here"),
    "lessons log": _log,
    "lessons write": _plain("lessons", "write"),
    "lessons confirm": _of_entry("confirm"),
    "lessons resolve": _of_entry("resolve"),
    "lessons set": _of_entry("set", "priority", "high"),
    "lessons merge": _of_entry("merge"),
    "lessons supersede": _of_entry("supersede"),
    "contexts alias": _alias,
    "contexts separate": _switch("yard", "separate", lambda _: True, "contexts", "separate", "."),
    "rules add": _add_rule,
    "rules edit": _edit_rules,
    "memory write": _plain("memory", "write"),
    "memory note": _note,
    "feedback on": _switch("shop", "feedback", lambda _: True, "feedback", "on"),
    "feedback off": _switch("shop", "feedback", lambda _: True, "feedback", "off"),
    "phrases learn": _plain("phrases", "learn"),
}
"""How each writing command is tried; None where there is nothing to do it to yet."""
