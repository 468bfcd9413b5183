"""Settings come from config.toml and environment variables; errors name the key, the place and the allowed values."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from wisen.errors import SettingsError
from wisen.settings import Settings, describe, load
from wisen.surfaces.cli.config_view import make_template

pytestmark = pytest.mark.requirement("S19")


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert load(tmp_path, {}) == Settings(home=tmp_path)


def test_settings_of_an_earlier_version_are_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[promote]\nstated = 0.5\noccurrences = 4\n")
    settings = load(tmp_path, {"WISEN_PROMOTE_DURABLE": "0.9"})
    assert settings.promote.occurrences == 4
    assert "promote.stated" not in {each.key for each in describe(settings)}


def test_a_variable_goes_before_the_file_and_the_file_before_the_default(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[store]\nbackups = 3\nbusy_seconds = 2\n")
    settings = load(tmp_path, {"WISEN_STORE_BACKUPS": "5"})
    assert (settings.store.backups, settings.store.busy_seconds) == (5, 2.0)
    sources = {each.key: each.source for each in describe(settings)}
    assert sources["store.backups"] == "environment variable WISEN_STORE_BACKUPS"
    assert sources["store.busy_seconds"] == str(tmp_path / "config.toml")
    assert sources["store.ledger"] == "default"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[stores]\n", ["'stores'", "store, agents, door, mine"]),
        ("backups = 3\n", ["'backups'", "store, agents, door, mine"]),
        ("[store]\nbackup = 3\n", ["store.backup", "backups"]),
        ("[store]\nbackups = 0\n", ["store.backups = 0", "1 or more"]),
        ('[store]\nbackups = "many"\n', ["'many'", "a whole number"]),
        ("[store]\nbackups = true\n", ["True", "a whole number"]),
        ("[store]\nbackups = 2.5\n", ["2.5", "a whole number"]),
        ('[agents]\nenabled = ["clippy"]\n', ["clippy", "claude-code"]),
        ('[agents]\nenabled = "claude-code"\nx', ["not valid TOML"]),
        ('[promote]\nprofile = "cautius"\n', ["'cautius'", "cautious or standard or autonomous"]),
        ("[trials]\nholdout = 5.0\n", ["5.0", "from 0 to 1"]),
        ("[trials]\nholdout = nan\n", ["nan", "from 0 to 1"]),
        ("[trials]\nholdout = inf\n", ["inf", "from 0 to 1"]),
        ("[promote]\ndays = 99999999999\n", ["99999999999", "from 1 to 36500"]),
        ("[store]\nbusy_seconds = 1e300\n", ["1e+300", "from 0 to 3600"]),
        (f"[store]\nbackups = {10**30}\n", [str(10**30), "a whole number"]),
        ("[store]\nbackup = 3\n", ["Did you mean 'backups'?"]),
        ("[delivr]\ntokens = 3\n", ["'delivr'", "Did you mean 'deliver'?"]),
        ("store = 3\n", ["store is a section, [store]"]),
        ("[off]\ndirectories = [1, 2]\n", ["[1, 2]", "a list of names"]),
        ("[store]\nledger = 5\n", ["store.ledger = 5", "a text"]),
        (f"[store]\nbackups = {'9' * 5000}\n", ["not valid TOML"]),
        (f"[store]\nbackups = {'[' * 5000}{']' * 5000}\n", ["nested too deeply"]),
        (f"{'a.' * 100_000}b = 1\n", ["too many parts"]),
        (f'[store]\nbackups = "{"x" * 5000}"\n', ["xxx… is not allowed"]),
    ],
)
def test_a_bad_file_is_named_with_key_value_and_what_is_allowed(text: str, named: list[str], tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as error:
        load(tmp_path, {})
    for part in [str(file), *named]:
        assert part in str(error.value)


def test_every_number_and_every_choice_has_limits_so_that_no_value_breaks_a_run_later(tmp_path: Path) -> None:
    for each in describe(Settings(home=tmp_path)):
        if isinstance(each.default, bool) or not isinstance(each.default, int | float):
            continue
        for value in ("nan", "inf", "-inf", "1e300", "-1e300", str(10**40)):
            with pytest.raises(SettingsError, match="is not allowed"):
                load(tmp_path, {each.variable: value})


def test_a_bad_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"WISEN_STORE_BACKUPS.*'x'"):
        load(tmp_path, {"WISEN_STORE_BACKUPS": "x"})
    with pytest.raises(SettingsError, match=r"WISEN_STORE_BACKUP\. Did you mean 'WISEN_STORE_BACKUPS'"):
        load(tmp_path, {"WISEN_STORE_BACKUP": "1"})


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("WISEN_DELIVR_TOKENS", "WISEN_DELIVER_TOKENS"),
        ("WISEN_HOM", "WISEN_HOME"),
        ("WISEN_OF", "WISEN_OFF"),
        ("WISEN_ARCHVE_DAYS", "WISEN_ARCHIVE_DAYS"),
    ],
)
def test_a_variable_with_a_typo_in_its_section_is_not_ignored(typed: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"{typed}.*Did you mean '{meant}'"):
        load(tmp_path, {typed: "1"})


def test_variables_of_others_with_our_prefix_are_left_alone(tmp_path: Path) -> None:
    others = {"WISEN_HOST": "x", "WISEN_TEST_REQUIRE": "git", "WISEN_OFFICE_DAYS": "3", f"WISEN_{'X' * 9999}": "1"}
    assert load(tmp_path, others | {"WISEN_HOME": "/x", "WISEN_OFF": "1"}) == Settings(home=tmp_path)


@pytest.mark.parametrize("text", ["postgresqll://ada:hunter2@db/wisen", "many", "", "SQLite", "/srv/ledger.db"])
def test_a_ledger_that_is_neither_a_file_nor_a_server_is_not_taken_for_the_file(text: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="sqlite or postgresql://… or postgres://…") as error:
        load(tmp_path, {"WISEN_STORE_LEDGER": text})
    assert "hunter2" not in str(error.value)


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    settings = load(tmp_path, {"WISEN_STORE_LEDGER": "postgresql://ada:hunter2@db/wisen"})
    shown = {each.key: each.value for each in describe(settings)}["store.ledger"]
    assert shown == "postgresql://ada:…@db/wisen"


def test_the_template_is_valid_and_every_setting_says_what_it_means(tmp_path: Path) -> None:
    described = tuple(describe(load(tmp_path, {})))
    assert all(each.meaning.endswith(".") for each in described)
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line and not line.endswith(".") else line
        for line in make_template(described).splitlines()
    )
    tables = tomllib.loads("\n".join(line for line in uncommented.splitlines() if not line.startswith("#")))
    assert {f"{section}.{key}" for section, table in tables.items() for key in table} == {e.key for e in described}
    (tmp_path / "config.toml").write_text(uncommented)
    assert load(tmp_path, {}).door == Settings(home=tmp_path).door
