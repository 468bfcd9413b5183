"""X: settings with typos, values of the wrong type or out of range, in config.toml and as variables."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.battery.check import Check, Tally
from tests.battery.odd_worlds import working_in, write_intact_sessions
from tests.hooks import CLIENT
from tests.surfaces.test_terminal import ACTING, run_in_process
from wisen.settings import Settings, describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.settings import SettingDescription

_NOWHERE = Path("/nowhere")
_ODD_VALUES = (
    *("many", "", "\\u0000", "\\u001b[2K\\u202e", "x" * 100_000, "１", "1_0", " 7", "0x7", "None", "../..", "a,b\\nc"),
)
_TOML_VALUES = (
    *("[]", "{}", "[1]", '{a = "b"}', "{a = {b = 1}}", "nan", "-inf", "1e300", "-1e300", "-1", "1" * 40, "2.5", "true"),
    *("1979-05-27", "[" * 400 + "]" * 400, "[" * 9000, "{a = " * 50 + "1" + "}" * 50, "0b2", "'''", "=", '"', "\x1b"),
    *('["\\u0000"]', '["claude-cod"]', '[""]', "[[]]", "1" * 5000),
)


def break_settings(seed: int, folder: Path) -> Tally:
    """All mistakes in one key: first in config.toml, then as a variable. Then all is as before."""
    chance, tally = random.Random(seed), Tally()
    described = list(describe(Settings(home=folder)))
    setting = described[seed % len(described)]
    project, file = write_intact_sessions(folder), folder / "wisen/config.toml"
    with working_in(project):
        run_in_process("learn")
        known = run_in_process("lessons", "--json")[0]
        for text, wanted in (*_typed_wrong(setting), *_bad_files(setting)):
            file.write_bytes(text.encode())
            out, err, code = run_in_process("status")
            what = f"config.toml with {text[:80]!r}"
            _expect(tally, what, (out, err, code), wanted and (*wanted, str(file)))
            tally.expect(file.read_bytes() == text.encode(), f"{what} was written over")
        _expect_silent_hook(tally, folder, {}, setting.key)
        file.unlink()
        for name, value, wanted in _bad_variables(setting, chance):
            with _variable(name, value):
                _expect(tally, f"{name}={value[:40]!r}", run_in_process("status"), wanted)
        if setting.variable:
            _expect_silent_hook(tally, folder, {setting.variable: chance.choice(_ODD_VALUES)[:99]}, setting.variable)
        tally.expect(
            run_in_process("lessons", "--json")[0] == known, f"lessons are lost after mistakes in {setting.key}"
        )
    return tally


def _expect(tally: Tally, what: str, result: tuple[str, str, object], wanted: tuple[str, ...]) -> None:
    """An error that names all that is wanted; where nothing is, an answer or an error, but no crash."""
    out, err, code = result
    said = " ".join((out + err).split())
    crashed = "Traceback" in said or "a bug in wisen" in said
    tally.expect(not crashed and not ACTING.search(out + err), f"{what}: {said[-500:]}")
    if wanted:
        missing = [each for each in wanted if each not in said]
        tally.expect(bool(code) and not missing, f"{what}: exit code {code}, without {missing}: {said[:500]}")
        tally.expect(len(err) < 5000, f"{what}: {len(err)} characters")


def _expect_silent_hook(tally: Tally, folder: Path, environment: dict[str, str], what: str) -> None:
    command = [sys.executable, "-I", "-S", str(CLIENT), "--home", str(folder / "wisen"), "prompt"]
    done = subprocess.run(
        command, input=b'{"session_id": "s", "prompt": "run it"}', capture_output=True, check=False, timeout=20,
        env=os.environ | {name: value for name, value in environment.items() if "\0" not in value},
    )  # fmt: skip
    tally.expect((done.returncode, done.stderr) == (0, b""), f"the hook with a mistake in {what}: {done}")


def _typed_wrong(setting: SettingDescription) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A letter that is missing, twice there, or in the place of its neighbour, in the key and in its section."""
    section, _, name = setting.key.partition(".")
    for wrong in _misspelled(name):
        yield f"[{section}]\n{wrong} = 1\n", (f"{section}.{wrong}", f"Did you mean '{name}'")
    for wrong in _misspelled(section):
        yield f"[{wrong}]\n{name} = 1\n", (repr(wrong), f"Did you mean '{section}'")


def _misspelled(name: str) -> set[str]:
    at = len(name) // 2
    drop, double = name[:at] + name[at + 1 :], name[:at] + name[at] * 2 + name[at + 1 :]
    swap = name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    return {drop, double, swap} - {name}


def _bad_files(setting: SettingDescription) -> Iterator[tuple[str, tuple[str, ...]]]:
    section, _, name = setting.key.partition(".")
    for value in (*(f'"{each}"' for each in _ODD_VALUES), *_TOML_VALUES):
        yield f"[{section}]\n{name} = {value}\n", _wanted(setting, value)
    yield f"[{section}]\n{name} = 1\n{name} = 2\n", ("is not valid TOML",)
    yield f"{section} = 1\n", (f"[{section}]",)
    yield f"[[{section}]]\n{name} = 1\n", (f"[{section}]",)
    yield f'"{section}\\u001b" = 1\n', ("unknown section",)
    yield f"[{section}]\n" + "".join(f"{name}{number} = 1\n" for number in range(3000)), (f"{section}.{name}0",)


def _wanted(setting: SettingDescription, value: str) -> tuple[str, ...]:
    """What the error must name; nothing where the value may be right: a text where texts are taken, and the like."""
    default, is_text = setting.default, value.startswith('"') and len(value) > 1
    if value in ("'''", "=", '"', "\x1b", "[" * 9000, "0b2", "1" * 5000):
        return ("config.toml",)
    if not setting.variable:
        return () if value == "{}" else (setting.key,)
    if isinstance(default, bool):
        return () if value == "true" else (setting.key,)
    if isinstance(default, int | float):
        may_be_right = _is_number(value.strip('"'))
        return () if may_be_right else (setting.key,)
    if isinstance(default, tuple):
        return () if is_text or value in ("[]", '["\\u0000"]', '["claude-cod"]', '[""]') else (setting.key,)
    return () if is_text and setting.key != "store.ledger" else (setting.key,)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return re.fullmatch(r"1{40}|-?(inf|nan|1e300)", text) is None


def _bad_variables(setting: SettingDescription, chance: random.Random) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    if not setting.variable:
        return
    for wrong in _misspelled(setting.variable.removeprefix("WISEN_")):
        yield f"WISEN_{wrong}", "1", (f"WISEN_{wrong}", f"Did you mean '{setting.variable}'")
    section, _, rest = setting.variable.removeprefix("WISEN_").partition("_")
    for wrong in _misspelled(section):
        yield f"WISEN_{wrong}_{rest}", "1", (f"WISEN_{wrong}_{rest}", f"Did you mean '{setting.variable}'")
    for value in ("many", "", "\x1b[2K", "x" * 100_000, "-1", "nan", "inf", "1e300", "1" * 40, "[1]"):
        is_number = isinstance(setting.default, int | float)
        right = _is_number(value) and not isinstance(setting.default, bool) if is_number else not setting.allowed
        yield setting.variable, value, () if right else (setting.variable, setting.key)
    yield setting.variable, os.fsdecode(b"\xff\xfe" + chance.randbytes(3).replace(b"\0", b"")), ()


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


CHECKS = (
    Check("X", "settings", "a mistake in the settings is not named, ends in a traceback or loses something",
          break_settings, quick=1, full=len(list(describe(Settings(home=_NOWHERE))))),
)  # fmt: skip
