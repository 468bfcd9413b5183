"""T11 to T13: secrets are found in every carrier and sentence, and what only looks like one is left alone.

The files of T12 (CredData) are on the network, which tests do not use: random values behind the names that people give
to secrets stand in for them. A goal that is a share counts every trial, and as failures what is beyond the share.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.secret_carriers import CARRIERS, make_sample
from benchmarks.secret_formats import FORMATS, draw_value

from tests.battery import spoken_secrets
from tests.battery.check import Check, Tally
from tests.battery.harmless_lines import PROSE, make_lines
from tests.battery.more_carriers import BARE, NAMED
from wisen.safety.secrets import find_secret
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_GENERIC_NAMES = (
    *"API_KEY ACCESS_TOKEN AUTH_TOKEN SECRET_KEY CLIENT_SECRET APP_SECRET JWT_SECRET SESSION_SECRET".split(),
    *"COOKIE_SECRET WEBHOOK_SECRET SIGNING_KEY ENCRYPTION_KEY MASTER_KEY PRIVATE_KEY PRIVATE_TOKEN".split(),
    *"REFRESH_TOKEN BEARER_TOKEN DEPLOY_TOKEN BOT_TOKEN USER_TOKEN ADMIN_TOKEN SERVICE_TOKEN".split(),
    *"DB_PASSWORD DATABASE_PASSWORD POSTGRES_PASSWORD MYSQL_ROOT_PASSWORD REDIS_PASSWORD SMTP_PASSWORD".split(),
    *"ADMIN_PASSWORD ROOT_PASSWORD LDAP_PASSWORD KEYSTORE_PASSWORD SSH_PASSPHRASE GPG_PASSPHRASE".split(),
    *"HMAC_KEY LICENSE_KEY STORAGE_KEY ACCOUNT_KEY SECRET_ACCESS_KEY API_SECRET APP_KEY CREDENTIALS".split(),
)
_GENERIC_VALUES = ("{a16}", "{a24}", "{a32}", "{a40}", "{h32}", "{h40}", "{h64}", "{b43}=", "{u22}", "{u43}", "{uuid}")
_MISSED_STRUCTURED, _MISSED_GENERIC, _FLAGGED = 0.005, 0.1, 0.005
_LINES = 3_200
"""Of each run of the false alarms."""


def find_in_carriers(seed: int, folder: Path) -> Tally:
    """One secret of each format in each carrier of the benchmark."""
    del folder
    chance, tally = random.Random(seed), Tally()
    for format_ in FORMATS:
        for carrier in CARRIERS:
            if sample := make_sample(format_, carrier, chance):
                tally.expect(find_secret(sample.text) is not None, f"{format_.name} in {carrier} was not found")
    return tally


def find_in_more_carriers(seed: int, folder: Path) -> Tally:
    """One secret of each format in a third of the other carriers: files, shells, logs, strings and lines in pieces."""
    del folder
    chance, tally, missed = random.Random(seed), Tally(), []
    for format_ in FORMATS:
        if format_.lines:
            continue
        carriers = NAMED if not format_.marked else NAMED | BARE
        for carrier in chance.sample(sorted(carriers), len(carriers) // 3):
            tally.trials += 1
            if find_secret(carriers[carrier](format_.name, format_.make(chance), chance)) is None:
                missed.append(f"{format_.name} in {carrier} was not found")
    tally.failures = _beyond(missed, tally.trials, _MISSED_STRUCTURED)
    return tally


def find_spoken(seed: int, folder: Path) -> Tally:
    """A password in every sentence, a PIN in each, seed phrases, and private data of each kind."""
    del folder
    chance, tally = random.Random(seed), Tally()
    for language, sentences in spoken_secrets.PASSWORDS.items():
        for sentence in sentences:
            text = sentence.format(spoken_secrets.make_password(chance))
            tally.expect(rule_against(text) is not None, f"a password was not found ({language}): {text}")
    for sentence in spoken_secrets.PINS:
        text = sentence.format(spoken_secrets.make_pin(chance))
        tally.expect(rule_against(text) is not None, f"a PIN was not found: {text}")
    for _ in range(10):
        text = spoken_secrets.seed_phrase(chance)
        tally.expect(rule_against(text) is not None, f"a seed phrase was not found: {text}")
        for kind, private in spoken_secrets.private_texts(chance).items():
            tally.expect(rule_against(private) is not None, f"private data ({kind}) was not found: {private}")
    return tally


def find_generic(seed: int, folder: Path) -> Tally:
    """A random value behind each of forty names, in each carrier that names what it carries."""
    del folder
    chance, tally, missed = random.Random(seed), Tally(), []
    for name in _GENERIC_NAMES:
        for carrier, put in NAMED.items():
            value = draw_value(chance.choice(_GENERIC_VALUES), chance)
            tally.trials += 1
            if find_secret(put(name, value, chance)) is None:
                missed.append(f"{name} in {carrier} was not found: {value}")
    tally.failures = _beyond(missed, tally.trials, _MISSED_GENERIC)
    return tally


def leave_lines(seed: int, folder: Path) -> Tally:
    """Hashes, ids, lockfiles, minified code: line by line."""
    del folder
    chance, flagged = random.Random(seed), []
    kinds = [*make_lines(chance).items()]
    for number in range(_LINES):
        kind, make = kinds[number % len(kinds)]
        if rule := rule_against(line := make()):
            flagged.append(f"{rule} in a line of {kind}: {line}")
    return Tally(_LINES, _beyond(flagged, _LINES, _FLAGGED))


def leave_prose(seed: int, folder: Path) -> Tally:
    """Sentences of developers, alone and among others of them."""
    del folder
    chance, tally = random.Random(seed), Tally()
    for sentence in PROSE:
        before, after = chance.sample(PROSE, 2)
        text = chance.choice(("{1}", "- {1}", "{0}\n{1}\n{2}", "{0}. {1}, ok?", "> {1}\n\n{2}")).format(
            before, sentence, after
        )
        rule = rule_against(text)
        tally.expect(rule is None, f"{rule} in {text}")
    return tally


def _beyond(failures: Iterable[str], trials: int, share: float) -> list[str]:
    """The failures that are more than a share of the trials."""
    return [*failures][int(share * trials) :]


CHECKS = (
    Check("T11", "formats", "a secret of a documented format is kept", find_in_carriers, quick=1, full=8),
    Check("T11", "carriers", "more than 0.5% of secrets in other carriers are kept", find_in_more_carriers, 1, 6),
    Check("T11", "spoken", "a spoken secret or private data is kept", find_spoken, quick=1, full=25),
    Check("T12", "generic", "more than 10% of generic secrets are kept", find_generic, quick=1, full=4),
    Check("T13", "lines", "more than 0.5% of lines without a secret are withheld", leave_lines, quick=1, full=32),
    Check("T13", "prose", "prose about passwords, tokens and keys is withheld", leave_prose, quick=1, full=20),
)
