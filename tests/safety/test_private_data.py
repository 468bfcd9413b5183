"""Private data is found if its form is certain, asked about if not, and never quoted; ordinary numbers stay.

Every number here is generated randomly with its check digits when the test runs; none is anybody's.
"""

from __future__ import annotations

import json
import random
import string
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cost import cost
from wisen.safety.private import find_private_data
from wisen.safety.private_rules import CLUES
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.requirement("N7")

DRAWS = 40


def digits(rng: random.Random, size: int) -> str:
    return "".join(rng.choices(string.digits, k=size))


def letters(rng: random.Random, size: int) -> str:
    return "".join(rng.choices(string.ascii_uppercase, k=size))


def with_luhn(start: str) -> str:
    odd = sum(sum(divmod(2 * int(digit), 10)) for digit in start[::-1][::2])
    return start + str(-(odd + sum(map(int, start[::-1][1::2]))) % 10)


def card(rng: random.Random) -> str:
    prefix, size = rng.choice([("4", 16), ("5" + rng.choice("12345"), 16), ("37", 15), ("6011", 16), ("3530", 16)])
    while True:
        number = with_luhn(prefix + digits(rng, size - len(prefix) - 1))
        if len(set(number)) > 5:
            return number


def grouped(number: str, gap: str) -> str:
    sizes = (4, 6, 5) if len(number) == 15 else (4, 4, 4, 4)
    parts, at = [], 0
    for size in sizes:
        parts.append(number[at : at + size])
        at += size
    return gap.join(parts)


def iban(rng: random.Random) -> str:
    country, account = rng.choice(
        [("DE", digits(rng, 18)), ("GB", letters(rng, 4) + digits(rng, 14)), ("NO", digits(rng, 11))]
    )
    as_number = "".join(
        str(string.digits.find(sign) if sign.isdigit() else ord(sign) - 55) for sign in account + country
    )
    return f"{country}{98 - int(as_number + '00') % 97:02}{account}"


def in_fours(number: str) -> str:
    return " ".join(number[at : at + 4] for at in range(0, len(number), 4))


def routing(rng: random.Random) -> str:
    start = f"{rng.randrange(1, 13):02}" + digits(rng, 6)
    return start + str(
        -sum(int(digit) * weight for digit, weight in zip(start, (3, 7, 1, 3, 7, 1, 3, 7), strict=True)) % 10
    )


def ssn(rng: random.Random) -> str:
    return f"{rng.randrange(100, 665)}-{rng.randrange(10, 100)}-{rng.randrange(1000, 10000)}"


def cpf(rng: random.Random) -> str:
    number = digits(rng, 9)
    for weight in (10, 11):
        rest = sum(int(digit) * (weight - place) for place, digit in enumerate(number)) % 11
        number += str(0 if rest < 2 else 11 - rest)
    return f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}"


def dni(rng: random.Random) -> str:
    number = digits(rng, 8)
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def nhs(rng: random.Random) -> str:
    while True:
        start = digits(rng, 9)
        check = 11 - sum(int(digit) * weight for digit, weight in zip(start, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            return start + str(check % 11)


def resident(rng: random.Random) -> str:
    start = (
        f"{rng.randrange(110000, 660000)}{rng.randrange(1950, 2010)}{rng.randrange(1, 13):02}{rng.randrange(1, 29):02}"
    )
    start += digits(rng, 3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return start + "10X98765432"[sum(int(d) * w for d, w in zip(start, weights, strict=True)) % 11]


SURE: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "card in groups": ("financial", lambda rng: "pay with " + grouped(card(rng), rng.choice(" -"))),
    "card with its word": ("financial", lambda rng: f"my credit card is {card(rng)}, cvv 123"),
    "iban": ("financial", lambda rng: f"transfer it to {iban(rng)} please"),
    "iban in groups": ("financial", lambda rng: "IBAN: " + in_fours(iban(rng))),
    "bank account": ("financial", lambda rng: f"routing number {routing(rng)}, account number: {digits(rng, 10)}"),
    "ssn": ("identity", lambda rng: f"her SSN is {ssn(rng)}"),
    "ssn as a field": ("identity", lambda rng: f'"ssn": "{ssn(rng)}"'),
    "passport": ("identity", lambda rng: f"passport number: {letters(rng, 2)}1{digits(rng, 4)}9"),
    "cpf": ("identity", lambda rng: f"o CPF dele: {cpf(rng)}"),
    "dni": ("identity", lambda rng: f"DNI: {dni(rng)}"),
    "resident": ("identity", lambda rng: f"身份证 {resident(rng)}"),
    "nhs": ("medical", lambda rng: f"NHS number: {nhs(rng)}"),
    "insurance": ("medical", lambda rng: f"health insurance number is {letters(rng, 1)}{digits(rng, 9)}"),
    "dna": ("biometric", lambda rng: "her DNA: " + "".join(rng.choices("ACGT", k=40))),
    "person": (
        "third-party",
        lambda rng: f"Ann, {rng.randrange(10, 99)} Elm Street, ann@orchard.io, +44 20 7946 {rng.randrange(1000, 9999)}",
    ),
    "dwelling": ("third-party", lambda rng: f"she lives at {rng.randrange(10, 99)} Baker Street"),
    "dwelling abroad": ("third-party", lambda rng: f"seine home address: Lindenstraße {rng.randrange(1, 99)}"),
}


@pytest.mark.parametrize("shape", SURE)
def test_what_is_private_is_refused_wherever_it_stands(shape: str) -> None:
    kind, make = SURE[shape]
    rng = random.Random(shape)
    for _ in range(DRAWS):
        text = make(rng)
        for laid in (text, f"see:\n{text}\nthere", json.dumps({"command": f"a\n{text}"}, ensure_ascii=False)):
            found = find_private_data(laid)
            assert found is not None, laid
            assert (found.kind, found.is_sure) == (kind, True), laid
            assert rule_against(laid) == f"private:{kind}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my wife was diagnosed with diabetes last year", "medical"),
        ("I suffer from depression, so keep it short", "medical"),
        ("he is taking 50 mg of sertraline", "medical"),
        ("my colleague tested positive for covid-19", "medical"),
    ],
)
def test_a_statement_about_somebodys_health_is_refused(text: str, kind: str) -> None:
    found = find_private_data(text)
    assert found is not None
    assert (found.kind, found.is_sure) == (kind, True)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("my sister was diagnosed with something rare", "doubtful:medical"),
        ("bei ihr wurde letzte Woche Krebs diagnostiziert", "doubtful:medical"),
        ("my fingerprint data is in the archive", "doubtful:biometric"),
        ("account number: 48213377", "doubtful:financial"),
        ("Ann, 12 Elm Street, ann@orchard.io", "doubtful:third-party"),
    ],
)
def test_what_is_doubtful_is_withheld_under_another_name(text: str, rule: str) -> None:
    assert rule_against(text) == rule
    found = find_private_data(text)
    assert found is not None
    assert "may hold" in found.reason


def test_a_card_without_any_sign_of_being_one_is_doubtful() -> None:
    rng = random.Random(1)
    for _ in range(DRAWS):
        assert rule_against(f"id {card(rng)} failed") == "doubtful:financial"


@pytest.mark.parametrize("shape", SURE)
def test_the_reason_is_one_sentence_that_quotes_nothing(shape: str) -> None:
    text = SURE[shape][1](random.Random(shape))
    found = find_private_data(text)
    assert found is not None
    assert found.reason.endswith(".")
    assert found.reason.count(".") == 1
    assert not any(sign.isdigit() for sign in found.reason)


@pytest.mark.parametrize(
    "text",
    [
        *("4" + "1" * 15, "4242 4242 4242 4242", "5555-5555-5555-4444", "card 4000 0000 0000 0002"),
        *("1718000000000", "1718000000000000000", "2026-03-02 09:00:00", "0.4123412341234123", "build 20260302123456"),
        *("00000000-0000-0000-0000-000000000000", "127.0.0.1:8080", "+1,234 -5,678", "1234567890123456789012345"),
        *("const className = 'x'", "passport.use(new Strategy())", "import passport", "ssn: string", "SSN_PATTERN"),
        *("the issue was diagnosed with gdb", "I diagnosed it with strace", "this test suffers from a race"),
        *("suffers from depression of the stack", "the ssh key fingerprint is SHA256:abc", "cache fingerprint"),
        *("git config user.email ann@orchard.io", "Author: Ann <ann@orchard.io>", "Co-Authored-By: A <a@b.io>"),
        *("call +44 20 7946 0000", "the main street of the app", "drive, lane, road, street", "1 Main Street"),
        *("retina display", "iris dataset", "dna of the project", "biometric login is a feature we want"),
        *(
            "account number is required",
            "routing number must have 9 digits",
            "account no longer exists",
            "pregnant pause",
        ),
        *("DE00 1234", "GB29", "ISO8601", "SHA256", "insurance id: string", "patient number one"),
        "",
    ],
)
def test_what_only_looks_private_is_left_alone(text: str) -> None:
    assert find_private_data(text) is None
    assert rule_against(json.dumps({"command": text})) is None


def test_a_wrong_check_digit_is_no_number() -> None:
    rng = random.Random(2)
    for _ in range(DRAWS):
        number = card(rng)
        wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
        assert find_private_data(f"card {wrong}") is None
        account = iban(rng)
        assert find_private_data(account[:-1] + str((int(account[-1]) + 1) % 10)) is None


def test_every_clue_is_lower_case() -> None:
    assert all(clue == clue.lower() for clue in CLUES)


@given(text=st.text())
def test_no_text_is_an_error(text: str) -> None:
    found = find_private_data(text)
    assert found is None or found.kind


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "1234 ",
            "12345678",
            "my wife was ",
            "diagnosed with ",
            "12 Elm Street ",
            "ssn: ",
            "a@b.io ",
            "+44 ",
            "GB29 ",
        ),
        *("passport number is ", "her dna ", "he takes 5 mg ", "account number: ", "000.000.000-00", "lives at "),
    ],
)
def test_a_text_made_to_be_slow_is_read_in_linear_time(piece: str) -> None:
    assert cost(lambda: find_private_data(piece * (100_000 // len(piece)))) < 3000
