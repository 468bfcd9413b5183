"""T18: different projects never share a key or what was learned; one repository has one key on every machine."""

from __future__ import annotations

import json
import os
import random
import unicodedata
from typing import TYPE_CHECKING

from benchmarks.secret_formats import draw_value

import wisen
from tests.battery.check import Check, Tally
from tests.hooks import fire
from tests.ownership import make_repository, run_cycle, write_session
from wisen.errors import WisenError
from wisen.logs.context_resolver import ContextResolver
from wisen.logs.remote import network_name
from wisen.model.context import Context, ContextKind, context_of
from wisen.surfaces.mcp import tool_arguments as tools
from wisen.surfaces.mcp.tool_answers import ToolAnswers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_HOSTS = ("github.com", "gitlab.com", "git.example.org", "10.0.0.7")
_PAIRS = 500
_WORD = "bcdfghjklmnpqrtvwz", "aou"


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(_WORD[0]) + chance.choice(_WORD[1]) for _ in range(4)) + "x"


def _spellings(host: str, path: str, secret: str) -> tuple[str, ...]:
    """Addresses of one repository."""
    return (
        f"https://{host}/{path}.git",
        f"https://{host}/{path}",
        f"https://{host}/{path}/",
        f"https://user:{secret}@{host}/{path}.git",
        f"https://{secret}@{host.upper()}:443/{path}.git",
        f"ssh://git@{host}/{path}.git",
        f"ssh://git@{host}:22/{path}",
        f"git@{host}:{path}.git",
        f"{host}:{path}",
        f"git+ssh://git@{host}/{path}.git",
        f"https://{host}/x/../{path}.git",
        f"https://{host}/./{path}.git?access_token={secret}",
    )


def _other_repositories(host: str, path: str, chance: random.Random) -> tuple[str, ...]:
    """Addresses of other repositories that look like it."""
    owner, _, name = path.partition("/")
    return (
        f"https://{host}/{owner}-{name}",
        f"https://{host}/{owner}/{name}-",
        f"https://{host}/{owner}/{name}/{name}",
        f"https://{host}/{name}/{owner}",
        f"https://{host}:8443/{path}",
        f"ssh://git@{host}:2222/{path}",
        f"https://{host}.{chance.choice(('evil', 'example'))}/{path}",
        f"https://evil.example/{host}/{path}",
        f"https://{host}@evil.example/{path}",
        f"https://{host}/{owner}%2D{name}",
        f"git@{host}:fork-of/{name}",
        f"https://{host}/{owner}/{name}.github",
    )


def compare_remotes(seed: int, folder: Path) -> Tally:
    """Pairs of addresses: of one repository on two machines, and of two that look alike."""
    del folder
    chance, tally = random.Random(seed), Tally()
    while tally.trials < _PAIRS:
        host, path = chance.choice(_HOSTS), f"{_word(chance)}/{_word(chance)}"
        secret = draw_value("{a20}", chance)
        same, others = _spellings(host, path, secret), _other_repositories(host, path, chance)
        keys = {each: _remote(each, "laptop") for each in (*same, *others)}
        for address in same:
            here, there = keys[same[0]], _remote(address, "server")
            tally.expect(here == there, f"{address} is not {same[0]} on another machine")
            tally.expect(secret.lower() not in str(there).lower(), f"a credential is in the key of {address}")
        for other in others:
            tally.expect(keys[other] != keys[same[0]], f"{other} shares the key of {same[0]}")
    return tally


def _remote(address: str, machine: str) -> Context | None:
    name = network_name(address)
    return None if name is None else context_of(ContextKind.REMOTE, name, machine=machine)


_TWINS: tuple[Callable[[str], tuple[str, str]], ...] = (
    lambda word: (f"{word}-b", f"{word}/b"),
    lambda word: (f"{word}/{word}", f"{word}-{word}"),
    lambda word: (f"{word}.b", f"{word}/b"),
    lambda word: (word, word.upper()),
    lambda word: (unicodedata.normalize("NFC", f"{word}é"), f"{word}e"),
    lambda word: (f"{word}#x", f"{word}/x"),
    lambda word: (f"{word} b", f"{word}-b"),
    lambda word: (f"{word}%2Fb", f"{word}/b"),
    lambda word: (f"{word}_b", f"{word}-b"),
    lambda word: (f"-home-{word}", f"home/{word}"),
)
"""Two paths that look alike."""


def compare_places(seed: int, folder: Path) -> Tally:
    """Folders and repositories that exist: alike ones differ, and each is one by links, parts of it and dots."""
    chance, tally = random.Random(seed), Tally()
    for number in range(20):
        for twins in _TWINS:
            one, other = (folder / "t" / str(number) / each for each in twins(_word(chance)))
            for place in (one, other):
                place.mkdir(parents=True, exist_ok=True)
            (linked := folder / "t" / str(number) / _word(chance)).symlink_to(one)
            seen = ContextResolver(home=folder / "home", machine="laptop", contexts=(), aliases=())
            there = ContextResolver(home=folder / "home", machine="server", contexts=(), aliases=())
            mine, theirs = (seen.context(str(place), str(place)) for place in (one, other))
            case = f"{one} and {other}"
            tally.expect(mine is not None and theirs is not None and mine.key != theirs.key, f"{case} share a key")
            for same in (linked, one / "." / ".." / one.name):
                again = seen.context(str(same), str(same))
                tally.expect(again == mine, f"{same} is not {one}")
            elsewhere = there.context(str(one), str(one))
            tally.expect(elsewhere != mine, f"{one} is the same project on another machine")
    (folder / "home").mkdir()
    for owned_by_nobody in (str(folder / "home"), folder.anchor):
        seen = ContextResolver(home=folder / "home", machine="laptop", contexts=(), aliases=())
        tally.expect(seen.context(owned_by_nobody, owned_by_nobody) is None, f"{owned_by_nobody} is a project")
    return tally


def read_across(seed: int, folder: Path) -> Tally:
    """Projects that look alike, forks and forged clones: none is told, shown or answered what another one learned."""
    chance, tally = random.Random(seed), Tally()
    word, remote = _word(chance), f"https://github.com/acme/{_word(chance)}.git"
    places = {
        "a folder": folder / "w" / f"{word}-b",
        "its twin": folder / "w" / word / "b",
        "capitals": folder / "w" / f"{word.upper()}-b",
        "a repository": make_repository(folder / "r" / word, remote=remote),
        "a forged clone": make_repository(folder / "x" / word, remote=remote.replace("https://", "https://me:pw@")),
        "a fork": make_repository(folder / "y" / word, remote=remote.replace("acme", "fork")),
        "a repository inside": make_repository(folder / "r" / word / "vendor" / "lib"),
    }
    secrets = {}
    for number, (name, place) in enumerate(places.items(), 1):
        place.mkdir(parents=True, exist_ok=True)
        secrets[name] = _word(chance)
        for times in (0, 1):  # twice, so that it is told
            write_session(folder, place, 2 * number + times, f"no, from now on always use {secrets[name]}, not npm")
    run_cycle()
    run_cycle()
    with wisen.open_learner() as learner:
        keys = {name: learner.contexts.key_of(place) for name, place in places.items()}
    tally.expect(len({*keys.values()}) == len(places), f"two of them share a key: {keys}")
    for name, place in places.items():
        said = _answers(folder, place, secrets[name])
        tally.expect(any(secrets[name] in text for text in said.values()), f"{name} is not told its own lesson")
        for other, secret in secrets.items():
            for way, text in said.items():
                if other != name:
                    tally.expect(secret not in text, f"{name} is told by {way} what {other} learned")
        for other, beside in places.items():
            if other != name and keys[other] != keys[name]:
                for spelled in (str(beside), f"{place}/{os.path.relpath(beside, place)}"):
                    answer = _ask(place, "recall", tools.Recall(question="what to use always", directory=spelled))
                    tally.expect(secrets[other] not in answer, f"MCP of {name} answers for {spelled}")
    return tally


def _answers(home: Path, place: Path, question: str) -> dict[str, str]:
    """What a session in a place gets at its start, and what its MCP server answers."""
    start = {"session_id": f"s-{question}", "cwd": str(place), "source": "startup"}
    with wisen.open_learner() as learner:
        recalled = repr(learner.memory.recall("what to use always, not npm", place))
    return {
        "its start": fire(home / "wisen", "session-start", start),
        "recall": recalled,
        "MCP recall": _ask(place, "recall", tools.Recall(question="what to use always, not npm")),
        "MCP rules": _ask(place, "rules", tools.Rules()),
        "MCP briefing": _ask(place, "context", tools.Context(task="use always, not npm")),
        "MCP proposals": _ask(place, "proposals", tools.Proposals()),
    }


def _ask(place: Path, name: str, call: tools.Call) -> str:
    try:
        return json.dumps(ToolAnswers(start=place).answer(name, call, "claude-code"), default=str)
    except WisenError as refused:
        return str(refused)


CHECKS = (
    Check("T18", "remotes", "repositories share a key, one has two, or a credential is in it", compare_remotes, 1, 32),
    Check("T18", "places", "folders that look alike share a key, or one has two", compare_places, 1, 6),
    Check("T18", "reads", "a project is told what another one learned", read_across, quick=1, full=12, needs=("git",)),
)
