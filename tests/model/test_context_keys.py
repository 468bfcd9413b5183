"""Two projects never share a key, and a key is a valid directory name on every system."""

from __future__ import annotations

import random
import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.model.context import READABLE_LENGTH, ContextKind, canonical_of, context_of

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.requirement("N2")

PAIRS = 20_000
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}
_SEEDS = [
    "github.com/acme/app",
    "/home/me/a-b",
    "C:\\Users\\x",
    "é",
    "app",
    "con",
    "nul.x",
    ".",
    "..",
    " ",
    "-",
    "😀",
    "x" * 60,
]


def _twist(rng: random.Random, name: str) -> str:
    """A name that looks like another one."""
    twists: list[Callable[[str], str]] = [
        lambda text: text.replace("-", "/"),
        lambda text: text.replace("/", "-"),
        lambda text: text.replace("/", "."),
        str.upper,
        str.swapcase,
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: unicodedata.normalize("NFC", text),
        lambda text: text + rng.choice(["#", ".", "-", "/", " ", "\u200b", "#x", "é", "😀", "\ud800", "\0"]),
        lambda text: rng.choice(["#", ".", "-", "/", " ", "_", "con.", "ﬁ"]) + text,
        lambda text: text + rng.choice("ab") * rng.randrange(1, 60),
        lambda text: rng.choice("ab") * rng.randrange(1, 60) + text,
        lambda text: text[: len(text) // 2] + rng.choice("-/._#") + text[len(text) // 2 :],
    ]
    return rng.choice(twists)(name)


def test_twenty_thousand_pairs_of_names_that_look_alike_never_share_a_key() -> None:
    rng = random.Random(20_260_101)
    identities: dict[str, tuple[ContextKind, str, str | None, str]] = {}
    pairs = 0
    while pairs < PAIRS:
        one = rng.choice(_SEEDS)
        for _ in range(rng.randrange(4)):
            one = _twist(rng, one)
        other = _twist(rng, one)
        pairs += one != other
        kind = rng.choice(list(ContextKind))
        for name in (one, other):
            machine = rng.choice(["", "laptop", "server"]) if kind is ContextKind.PATH else ""
            suffix = rng.choice([None, "x", "x#y", "#"])
            identity = (kind, name, suffix, machine)
            # A file system that ignores case must not bring two of them together either.
            key = context_of(kind, name, suffix, machine=machine).key.casefold()
            assert identities.setdefault(key, identity) == identity
    assert len(identities) > PAIRS / 2


@given(
    kind=st.sampled_from(ContextKind),
    name=st.one_of(
        st.text(), st.sampled_from(["con", "con.x", "NUL.example.com", "a" * 47 + "/con.b", "..", ". .", "aux."])
    ),
    suffix=st.one_of(st.none(), st.text(min_size=1)),
)
def test_a_key_is_a_safe_directory_name_everywhere(kind: ContextKind, name: str, suffix: str | None) -> None:
    key = context_of(kind, name, suffix).key

    assert re.fullmatch(r"[a-z0-9_][a-z0-9._-]*[a-z0-9]", key)
    assert len(key) <= READABLE_LENGTH + 18
    assert key.split(".")[0] not in _RESERVED


def test_a_suffix_and_a_hash_sign_in_a_name_are_distinguished() -> None:
    assert context_of(ContextKind.PATH, "/a", "b").key != context_of(ContextKind.PATH, "/a#b").key
    assert context_of(ContextKind.PATH, "/a", "b#c").key != context_of(ContextKind.PATH, "/a#b", "c").key


def test_the_same_path_on_two_machines_is_two_contexts_and_a_remote_is_one() -> None:
    here, there = (context_of(ContextKind.PATH, "/app", machine=machine) for machine in ("laptop", "server"))
    assert here.key != there.key
    assert here.name == there.name == "/app"

    here, there = (
        context_of(ContextKind.REMOTE, "github.com/a/b", machine=machine) for machine in ("laptop", "server")
    )
    assert here == there


@given(name=st.text(st.characters(exclude_categories=["Cs"])), suffix=st.one_of(st.none(), st.text(min_size=1)))
def test_the_suffix_can_be_taken_off_again(name: str, suffix: str | None) -> None:
    context = context_of(ContextKind.PATH, name, suffix, machine="laptop")

    assert canonical_of(context, machine="laptop") == name
    assert canonical_of(context, machine="server") is None


def test_a_name_that_is_not_text_can_still_be_stored() -> None:
    odd = context_of(ContextKind.PATH, "/srv/\udcff")

    assert odd.name.encode()
    assert odd.key != context_of(ContextKind.PATH, "/srv/\udcfe").key
