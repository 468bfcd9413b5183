"""Secrets in sentences, in every shipped language, must not be stored; what only looks like one stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.secret_plants import CALLED, SEEDS, SPOKEN, count_kept, make_plants

from wisen.feedback import languages
from wisen.safety.withhold import rule_against

HARMLESS = [
    "the password field is required",
    "password is wrong",
    "das Passwort ist falsch",
    "Passwort ist Pflicht",
    "le mot de passe est incorrect",
    "The password is sha256 hashed",
    "the password must have at least 8 characters",
    "password reset in auth.ts:42",
    "the password is OAuth2 based",
    "password: string",
    "passphrase is empty",
    "密码是必填项",
    "パスワードは必須です",
    "call reset at 1700000000",
    "phone: string",
    "version number 1.2.3",
    "build number 20240115123456",
    "call it on 2024-01-15 10:20:30",
    "issue number 2024 1234 5678 9",
    "numbers 10 20 30 40 50",
    "phone (555) 555-0123",
    "the seed is 42 and the wallet test passes",
    "seed: the tests run twice and are not flaky because they were fixed in the last release of this tool",
    'path = "src/" + "wisen/" + "safety"',
]


@pytest.mark.requirement("N7")
def test_every_shipped_language_has_its_sentences() -> None:
    shipped = {path.stem for path in Path(languages.__path__[0]).glob("*.toml")} - {"emoji"}
    assert shipped == SPOKEN.keys() == SEEDS.keys() == CALLED.keys()


@pytest.mark.requirement("N7")
@pytest.mark.parametrize("seed", [101, 102, 103])
def test_of_a_thousand_plants_at_most_one_in_a_hundred_is_not_seen(seed: int) -> None:
    missed = [each for each in make_plants(seed, 1500) if rule_against(each.text) is None]
    assert len(missed) <= 15, [each.text for each in missed]


@pytest.mark.requirement("N7")
def test_what_is_planted_is_in_no_byte_of_the_home_afterwards(tmp_path: Path) -> None:
    found = count_kept(tmp_path, 104, 300)
    assert int(str(found["kept"])) <= 3, found


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_speaks_of_it_is_kept(text: str) -> None:
    assert rule_against(text) is None
