"""The bundle: the client precompiled in the home. It answers what the sources answer, or is not used."""

from __future__ import annotations

import importlib.util
import json
import marshal
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hooks import CLIENT, failed_call, without_seals, write_lesson_sessions
from wisen import app
from wisen.delivery.chat_requests import shipped_table
from wisen.delivery.hook_bundle import build_bundle, is_current
from wisen.delivery.launcher import HomeLauncher
from wisen.kernel.request_hints import hints_of, may_ask
from wisen.kernel.request_reading import read_request
from wisen.model.hook import BUNDLE, PARTS, Caller, Program
from wisen.surfaces.hook import lean_paths, lean_re
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = [pytest.mark.requirement("X6"), pytest.mark.requirement("X10")]

SAID = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
PROMPTS = (
    "deploy the shop",
    "use npm or pnpm?",
    "what did you learn",
    "please show my rules",
    "zeig mir meine regeln",
    "memory stats",
    "forget the rule about pnpm",
    "3番を承認",
    "what did we say about pnpm last time?",
    "was haben wir letztes mal über pnpm gesagt?",
    "what did we decide about the staging deployment?",
    "do you remember?",
)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return build_bundle(CLIENT)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home that holds lessons, and decisions that replace others; and its project."""
    folder = tmp_path_factory.mktemp("prepared")
    write_lesson_sessions(folder, folder / "shop")
    said = (
        ("we decided: the staging deployment runs at night", "from now on the staging deployment runs at noon instead"),
        ("for tests use jest, not vitest, with pnpm", "use vitest, not jest, with pnpm. changed my mind"),
        ("nimm immer tabs in den Makefiles der Auslieferung", "nimm nie tabs in den Makefiles, sondern Leerzeichen"),
    )
    for number, prompts in enumerate(said, start=11):
        log = ClaudeTranscript(number, cwd=str(folder / "shop"))
        for prompt in prompts:
            log.prompt(prompt)
            log.bash("make", "done")
        log.write(folder / ".claude" / "projects" / "shop")
    with app.wire(folder / "wisen", {"HOME": str(folder)}).learner() as learner:
        learner.cycle(quick=True)
    return folder / "wisen", folder / "shop"


def run_client(home: Path, program: Path, event: str, payload: dict[str, object]) -> str:
    """What an interpreter with the client prints, without the seals of the session."""
    command = [sys.executable, "-I", "-S", str(program), "--home", str(home), event]
    done = subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    return without_seals(done.stdout.decode())


def answers(home: Path, program: Path, project: Path) -> dict[str, str]:
    """All that a session is answered."""
    place: dict[str, object] = {"session_id": "s", "cwd": str(project)}
    found = {"start": run_client(home, program, "session-start", {**place, "source": "startup"})}
    for prompt in PROMPTS:
        found[prompt] = run_client(home, program, "prompt", {**place, "session_id": prompt, "prompt": prompt})
    found["failure"] = run_client(home, program, "failure", failed_call("shopctl deploy --wait", SAID, cwd=project))
    unknown = failed_call("make it", "Exit code 2\nTraceback\nValueError: 12 is not /a/b", cwd=project)
    found["unknown"] = run_client(home, program, "failure", unknown)
    call = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}
    found["call"] = run_client(home, program, "before-call", {**place, **call})
    return found


def put(home: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (home / name).write_bytes(content)
    return home / BUNDLE


def failures(home: Path) -> list[str]:
    return [path.name for path in (home / "spool" / "beats").glob("failed*")]


def test_it_answers_what_the_sources_answer(
    prepared: tuple[Path, Path], files: dict[str, bytes], tmp_path: Path
) -> None:
    home, project = prepared
    plain, quick = (shutil.copytree(home, tmp_path / name) for name in ("plain", "quick"))
    expected = answers(plain, CLIENT, project)
    assert answers(quick, put(quick, files), project) == expected
    assert failures(quick) == failures(plain) == []
    for prompt in ("what did we say about pnpm last time?", "what did we decide about the staging deployment?"):
        assert "From earlier sessions" in expected[prompt]
    assert "What helped then" in expected["failure"]
    kept = [sorted(path.name.partition("s-")[0] for path in each.glob("snapshots/pins/*")) for each in (plain, quick)]
    assert kept[0] == kept[1]


def test_it_loads_no_other_module_of_ours_and_no_slow_one(prepared: tuple[Path, Path], files: dict[str, bytes]) -> None:
    home, project = prepared
    bundle = put(home, files)
    sent = {"session_id": "slow", "cwd": str(project), "prompt": "what did we say about pnpm last time?"}
    command = [sys.executable, "-X", "importtime", "-I", "-S", str(bundle), "--home", str(home), "prompt"]
    done = subprocess.run(command, input=json.dumps(sent), capture_output=True, text=True, check=True)
    assert "From earlier sessions" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    slow = {"os", "re", "json", "typing", "enum", "collections", "functools", "pathlib", "sqlite3", "datetime"}
    assert not imported & slow
    assert not [name for name in imported if name.startswith(("wisen", "hook", "kernel"))]


@pytest.mark.parametrize("harm", ["garbage", "empty"])
def test_an_index_that_cannot_be_read_fails_in_the_same_way(
    prepared: tuple[Path, Path], files: dict[str, bytes], tmp_path: Path, harm: str
) -> None:
    kinds = []
    for name in ("plain", "quick"):
        home = shutil.copytree(prepared[0], tmp_path / name)
        for path in home.glob("index.db*"):
            path.unlink()
        (home / "index.db").write_bytes(b"no database at all" * 99 if harm == "garbage" else b"")
        program = CLIENT if name == "plain" else put(home, files)
        sent: dict[str, object] = {"session_id": "s", "cwd": str(prepared[1]), "prompt": "what did we say about pnpm?"}
        run_client(home, program, "prompt", sent)
        kinds.append(json.loads((home / "spool" / "beats" / "failed").read_text())["kind"])
    assert kinds[0] == kinds[1]
    assert kinds[0].startswith("Store")


@pytest.mark.parametrize("harm", ["parts gone", "parts cut", "parts flipped", "parts of another build"])
def test_damaged_parts_are_compiled_from_their_sources(
    prepared: tuple[Path, Path], files: dict[str, bytes], tmp_path: Path, harm: str
) -> None:
    home = shutil.copytree(prepared[0], tmp_path / "wisen")
    bundle, parts = put(home, files), home / PARTS
    content = parts.read_bytes()
    if harm == "parts gone":
        parts.unlink()
    else:
        changed = {"parts cut": content[:9000], "parts flipped": bytes(each ^ 1 for each in content)}
        parts.write_bytes(changed.get(harm, content[7:]))
    sent: dict[str, object] = {"session_id": "s", "cwd": str(prepared[1]), "source": "startup"}
    assert "pnpm" in run_client(home, bundle, "session-start", sent)


@pytest.mark.parametrize("module", ["hook_output", "event_answers"])
def test_a_changed_source_counts_at_once(prepared: tuple[Path, Path], tmp_path: Path, module: str) -> None:
    home = shutil.copytree(prepared[0], tmp_path / "wisen")
    package = shutil.copytree(CLIENT.parents[2], tmp_path / "lib" / "wisen", ignore=shutil.ignore_patterns("*.pyc"))
    client = package / "surfaces" / "hook" / "client.py"
    bundle = put(home, build_bundle(client))
    assert is_current(home, client)
    path = client.with_name(f"{module}.py")
    changed = {"hook_output": ('"additionalContext"', '"changed"'), "event_answers": ('"SessionStart"', '"changed"')}
    path.write_text(path.read_text().replace(*changed[module]))
    assert not is_current(home, client)
    sent: dict[str, object] = {"session_id": "s", "cwd": str(prepared[1]), "source": "startup"}
    assert '"changed"' in run_client(home, bundle, "session-start", sent)
    shutil.rmtree(package)
    assert run_client(home, bundle, "session-start", {**sent, "session_id": "gone"}) == ""


def launched(home: Path, event: str, payload: dict[str, object]) -> str:
    command = ["/bin/sh", "-c", Caller(home=str(home)).command(event, "claude-code")]
    done = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True, timeout=30)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("magic", [b"\x00\x00\r\n", importlib.util.MAGIC_NUMBER])
def test_an_interpreter_that_it_was_not_made_for_uses_the_sources(
    prepared: tuple[Path, Path], tmp_path: Path, magic: bytes
) -> None:
    """Another magic number, and a head that is cut off."""
    home = shutil.copytree(prepared[0], tmp_path / "wisen")
    HomeLauncher(home, Program(python=sys.executable, client=str(CLIENT))).write([])
    head = (home / BUNDLE).read_bytes()
    (home / BUNDLE).write_bytes(magic + head[4:400])
    sent: dict[str, object] = {"session_id": "s", "cwd": str(prepared[1]), "source": "startup"}
    assert "pnpm" in launched(home, "session-start", sent)
    (home / BUNDLE).unlink()
    assert "pnpm" in launched(home, "session-start", {**sent, "session_id": "t"})


def test_after_an_answer_nothing_else_is_started_until_one_is_missing(
    prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    home = shutil.copytree(prepared[0], tmp_path / "wisen")
    stand_in = tmp_path / "python"
    stand_in.write_text(
        f'#!/bin/sh\nread -r parent </proc/$PPID/comm\necho "$parent" >>"$0.log"\nexec {sys.executable} "$@"\n'
    )
    stand_in.chmod(0o755)
    HomeLauncher(home, Program(python=str(stand_in), client=str(CLIENT))).write([])
    for path in (stand_in, home / "hook", home / BUNDLE):
        os.utime(path, (1e9, 1e9))
    sent: dict[str, object] = {"session_id": "s", "cwd": str(prepared[1]), "source": "startup"}
    for number in range(3):
        assert "pnpm" in launched(home, "session-start", {**sent, "session_id": f"s{number}"})
        time.sleep(0.02)
    beats = [path for path in (home / "spool" / "beats").iterdir() if "session-start" in path.name]
    assert {path.stat().st_mode & 0o777 for path in beats} == {0o600}
    started = (tmp_path / "python.log").read_text().split()
    assert started[0] != "sh", "the first is watched over"
    assert set(started[1:]) == {"sh"}, "the next ones replace the launcher"
    stand_in.write_text("#!/bin/sh\nexec sleep 60\n")
    os.utime(stand_in, (1e9, 1e9))
    command = ["/bin/sh", str(home / "hook"), "claude-code", "session-start"]
    for _ in range(3):
        with subprocess.Popen(command, stdin=subprocess.DEVNULL) as one:
            time.sleep(0.3)
            assert one.poll() is None
            one.kill()  # the agent waited long enough
    began = time.monotonic()
    assert launched(home, "session-start", sent) == ""
    assert time.monotonic() - began < 10, "the next one is watched over again"


def test_a_client_whose_input_never_ends_is_stopped(prepared: tuple[Path, Path], files: dict[str, bytes]) -> None:
    bundle = put(prepared[0], files)
    command = [sys.executable, "-I", "-S", str(bundle), "--home", str(prepared[0]), "prompt"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.wait(timeout=20) != 0


def test_precompiled_patterns_are_what_re_compiles(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    parts = parts_of(files)

    def bundled(name: str, place: tuple[int, int, bytes] | None = None) -> object:
        return parts[name] if place is None else marshal.loads(files[PARTS][place[0] : place[0] + place[1]])

    monkeypatch.setattr(lean_re, "bundled", bundled)
    for part in ("patterns", "patterns table", "patterns recall", "patterns languages"):
        monkeypatch.setattr(lean_re, "_parts", {})
        monkeypatch.setattr(lean_re, "_made", {})
        monkeypatch.setattr(lean_re, "_compile", None)
        known: Any = parts[part]
        assert len(known) > 20
        for key in known:
            packed: Any = known[key] if isinstance(known[key], bytes) else bundled(part, known[key])
            text, flags, *_ = marshal.loads(packed) if isinstance(packed, bytes) else packed
            assert lean_re.key_of(text, flags) == key
            assert lean_re.pattern(text, flags, (part,)) == re.compile(text, flags)


def parts_of(files: dict[str, bytes]) -> dict[str, object]:
    """The values in a bundle, by name."""
    start = marshal.loads(files[BUNDLE][16:])
    index = next(each for each in start.co_consts if isinstance(each, dict) and "patterns" in each)
    return {
        name: marshal.loads(files[PARTS][place : place + length])
        for name, (place, length, *_) in index.items()
        if not name.startswith("wisen.")
    }


TABLE: Any = shipped_table()
WORDS = sorted(
    {word for form in TABLE["forms"] for part in form[:3] for word in part.split()} | {"2", "it", "pnpm", "the"}
)


@given(
    st.lists(st.sampled_from([*WORDS, *TABLE["polite"], *(each for each, _ in TABLE["yes"])]), max_size=6),
    st.text(max_size=9),
)
def test_what_the_hints_rule_out_is_no_request(words: list[str], more: str) -> None:
    text = f"{' '.join(words)}{more}"
    if not may_ask(text, hints_of(TABLE)):
        assert read_request(text, TABLE).kind == ""


def test_the_hints_rule_out_no_form_and_no_phrase() -> None:
    hints = hints_of(TABLE)
    for before, between, after, *_ in TABLE["forms"]:
        assert may_ask(f"{before}12{between}pnpm{after}", hints)
    for phrases in TABLE["phrases"].values():
        assert all(may_ask(phrase, hints) for phrase in phrases.strip("\n").split("\n"))
    assert not may_ask("deploy the shop to staging, please", hints)


names = st.lists(st.sampled_from(["a", "b", "..", ".", "", "link", "ü", "\n", "x y"]), max_size=5).map("/".join)


@given(name=names, absolute=st.booleans(), slashes=st.sampled_from(["", "/", "//"]))
def test_paths_are_those_of_os(
    tmp_path_factory: pytest.TempPathFactory, name: str, absolute: bool, slashes: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "paths"
    if not root.exists():
        (root / "a" / "b").mkdir(parents=True)
        (root / "link").symlink_to("a")
        (root / "a" / "link").symlink_to("nowhere")
    path = f"{slashes}{root}/{name}" if absolute else name
    assert lean_paths.absolute(path) == os.path.abspath(path)  # noqa: PTH100 - it is what they are compared with
    assert lean_paths.resolved(path) == os.path.realpath(path)
    assert lean_paths.parent_of(path) == os.path.dirname(path)  # noqa: PTH120 - it is what they are compared with
    assert lean_paths.exists(path) == os.path.exists(path)  # noqa: PTH110 - it is what they are compared with
    assert lean_paths.link_exists(path) == os.path.lexists(path)
    assert lean_paths.is_folder(path) == os.path.isdir(path)  # noqa: PTH112 - it is what they are compared with


def test_folders_are_made_as_by_os(tmp_path: Path) -> None:
    lean_paths.make_folders(str(tmp_path / "one" / "two" / "three"), 0o700)
    os.makedirs(tmp_path / "1" / "2" / "3", mode=0o700)  # noqa: PTH103 - as above
    one, other = ([each.stat().st_mode for each in sorted((tmp_path / top).rglob("*"))] for top in ("one", "1"))
    assert one == other
    lean_paths.make_folders(str(tmp_path / "one"), 0o700)
    (tmp_path / "file").touch()
    for path in ("file", "file/below"):
        with pytest.raises((FileExistsError, NotADirectoryError)):
            lean_paths.make_folders(str(tmp_path / path), 0o700)
