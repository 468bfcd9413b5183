"""Traces three values through the program: which folders they pass, in which order, and how many files run.

    python -m tests.cycle.traces             the three walks, as Markdown
    python -m tests.cycle.traces --files     only the figures
    python -m tests.cycle.traces --all       also everybody who had the value

Hands are what composes: `cycle.py`, `learner.py`, the wiring, the command line. A station is a folder that they call; a
feature is one whoever calls it. Mechanisms that a station calls are its tools. The walk is the order in which stations
have the value, as far as what comes out at the end goes back to them: whoever wrote what the last one read, whoever
wrote what that one read, and so on. A station that is left for another one and has the value again is entered twice.
Who also has the value, but gives nothing to the end of the walk (the report), stands beside the way.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from tests.cycle.tracing import IN_HANDS, Stop, Tracer, backwards

WORD = "quillfmt"
_MOST_NAMED = 4


@dataclass
class Trace:
    """What was seen of one walk."""

    title: str
    files: list[str]
    stops: list[Stop]
    way: list[Stop]

    @property
    def stations(self) -> list[str]:
        """The folders on the way, in order; one that is entered again stands there again."""
        return [station for station, _ in self.stages]

    @property
    def stages(self) -> list[tuple[str, list[Stop]]]:
        """The folders on the way with what was called there."""
        stops = (stop for stop in self.way if stop.station != IN_HANDS)
        return [(station, list(calls)) for station, calls in groupby(stops, lambda stop: stop.station)]

    @property
    def beside(self) -> list[str]:
        """The folders that had the value and gave nothing to the end of the walk."""
        return sorted({stop.station for stop in self.stops} - {IN_HANDS, *self.stations})

    @property
    def entries(self) -> int:
        """How often control came into a folder that had the value there, on the way and beside it."""
        return len([*groupby(stop.station for stop in self.stops if stop.station != IN_HANDS)])

    @property
    def folders(self) -> list[str]:
        """Every folder of the package of which something ran, tools and hands too."""
        return sorted({file.split("/")[0].removesuffix(".py") for file in self.files})


def command(*words: str) -> str:
    """Run the command line in this process, as a person; what it printed."""
    from tests.as_person import be_person
    from wisen.surfaces.cli import main

    be_person()
    sys.argv = ["wisen", *words]
    out, code = io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert not code, out.getvalue()
    return out.getvalue()


def hook(home: Path, event: str, payload: Mapping[str, object]) -> str:
    """Run the hook client's code in this process; what the agent is told."""
    from wisen.surfaces.hook import event_answers, hook_output

    hook_output.LIMIT = hook_output.PATIENCE = 600.0  # being watched takes time
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(json.dumps(payload).encode())
        given.seek(0)
        sys.stdout.flush()
        kept = os.dup(0), os.dup(1)
        os.dup2(given.fileno(), 0)
        os.dup2(out.fileno(), 1)
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
        try:
            event_answers.run(["--home", str(home), event])
            sys.stdout.flush()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.stdin, sys.stdout = streams
            os.dup2(kept[0], 0)
            os.dup2(kept[1], 1)
            os.close(kept[0])
            os.close(kept[1])
        out.seek(0)
        return out.read().decode()


class World:
    """A user with one project, below a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.project = folder, folder / "wisen", folder / "shop"
        self.project.mkdir()
        (self.project / "CLAUDE.md").write_text("# Shop\n\nMine.\n")
        os.chdir(self.project)

    def session(self, number: int, *turns: tuple[str, ...]) -> None:
        """Write a session: `("prompt", said)`, `("bash", command, output, exit code)`."""
        from wisen.testing.transcripts import ClaudeTranscript

        log = ClaudeTranscript(number, cwd=str(self.project))
        for kind, *words in turns:
            if kind == "prompt":
                log.prompt(words[0])
            else:
                log.bash(words[0], words[1], exit_code=int(words[2]))
        log.write(self.folder / ".claude" / "projects" / "shop")

    def corrected(self) -> None:
        """The user corrects the agent in two sessions."""
        for number in (1, 2):
            message = f"no, from now on always use {WORD} instead of black"
            self.session(number, ("prompt", "tidy the shop"), ("prompt", message), ("bash", "ls", "shop", "0"))

    def failed(self) -> None:
        """A call fails and works without one of its words, in two sessions."""
        for number in (1, 2):
            self.session(
                number,
                ("prompt", "tidy the shop"),
                ("bash", f"{WORD} run --wait", f"{WORD}: error: unrecognized option '--wait'", "2"),
                ("bash", f"{WORD} run", "tidied", "0"),
            )


def correction(world: World, tracer: Tracer) -> set[str]:
    """A typed correction: from the line in the agent's log to the proposal, and to what the next session is told."""
    world.corrected()
    with tracer.watching():
        command("cycle")
        delivered = hook(
            world.home, "session-start", {"session_id": "new", "cwd": str(world.project), "source": "startup"}
        )
    assert WORD in delivered, delivered
    assert WORD in command("proposals")
    return {"proposals"}


def failure(world: World, tracer: Tracer) -> set[str]:
    """A failing call and its fix: from the agent's log to what is told after the same failure."""
    world.failed()
    call = {"tool_name": "Bash", "tool_input": {"command": f"{WORD} run --wait"}, "is_interrupt": False}
    event = {"error": f"{WORD}: error: unrecognized option '--wait'", "hook_event_name": "PostToolUseFailure"}
    with tracer.watching():
        command("cycle")
        delivered = hook(world.home, "failure", {"session_id": "new", "cwd": str(world.project), **call, **event})
    assert "--wait" in delivered, delivered
    return set()


def undo(world: World, tracer: Tracer) -> set[str]:
    """An undo: `wisen undo` of a rule that was approved into a file."""
    world.corrected()
    command("cycle")
    command("proposals")
    command("proposals", "approve", "1")
    file = world.project / "CLAUDE.md"
    assert WORD in file.read_text()
    with tracer.watching():
        command("undo", "--yes")
    assert WORD not in file.read_text()
    return {"shop/CLAUDE.md", "moves", "changes", "wisen/snapshots/*.json"}


WALKS: dict[str, Callable[[World, Tracer], set[str]]] = {"correction": correction, "failure": failure, "undo": undo}


def run_trace(name: str) -> Trace:
    """Take a walk in a process of its own, where nothing is remembered from another one."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("WISEN_", "CLAUDE", "XDG"))
        }
        environment |= {
            "HOME": str(home),
            "WISEN_HOME": str(home / "wisen"),
            "WISEN_TRACEBACK": "1",
            "COLUMNS": "120",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        done = subprocess.run(
            [sys.executable, "-m", "tests.cycle.traces", "--one", name, str(home)],
            cwd=_root(),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
    stops = [Stop(**{**each, "reads": set(each["reads"]), "writes": set(each["writes"])}) for each in answer["stops"]]
    doc = WALKS[name].__doc__ or ""
    return Trace(doc, answer["files"], stops, backwards(stops, answer["targets"]))


def _root() -> Path:
    """The folder that holds `tests`."""
    return next(each for each in Path(__file__).parents if (each / "tests").is_dir() and (each / "src").is_dir())


def _take(name: str, folder: Path) -> None:
    """Take a walk in this process, and print what was seen."""
    out = sys.stdout
    tracer = Tracer(folder, WORD)
    targets = WALKS[name](World(folder), tracer)
    stops = [{**asdict(stop), "reads": sorted(stop.reads), "writes": sorted(stop.writes)} for stop in tracer.stops]
    result = {"files": sorted(tracer.files), "stops": stops, "targets": sorted(targets)}
    print(json.dumps(result), file=out)


def _plain(names: Iterable[str]) -> list[str]:
    """Rows by their type, tables and files by their name."""
    return sorted({name.partition("@")[0] for name in names})


def _few(names: list[str]) -> str:
    return ", ".join([*names[:_MOST_NAMED], *(["…"] if len(names) > _MOST_NAMED else [])])


def markdown(walk: Trace) -> str:
    """A walk as a list of `file: function`."""
    title, _, rest = walk.title.rstrip(".").partition(": ")
    again = len(walk.stations) - len({*walk.stations})
    many = len({*walk.stations})
    passed = f"{many} folder{'s' * (many != 1)}{f', {again} times into one again' if again else ''}"
    lines = [f"**{title}** ({rest}): {passed}; {len(walk.files)} files run.", ""]
    for number, (_, stops) in enumerate(walk.stages, 1):
        functions = dict.fromkeys(place for stop in stops for place in (stop.entry, *stop.functions))
        writes = _plain(each for stop in stops for each in stop.writes)
        reads = _plain(each for stop in stops for each in stop.reads)
        callers = ", ".join(f"`{each}`" for each in dict.fromkeys(stop.caller for stop in stops if stop.caller))
        given = f"{_few(reads)} → {_few(writes) or 'the agent'}"
        by = f", called by {callers}" if callers else ""
        lines.append(f"{number}. {', '.join(f'`{each}`' for each in functions)} ({given}){by}")
    return "\n".join([*lines, "", f"Also called: {', '.join(walk.beside) or 'nobody'}."])


def every_stop(walk: Trace) -> str:
    """Everybody who had the value, one after the other."""
    return "\n".join(
        f"{stop.station:12} {stop.entry} ({', '.join(stop.functions)}) by {stop.caller}: "
        f"{', '.join(_plain(stop.reads)) or 'nothing'} → {', '.join(_plain(stop.writes)) or 'nothing'}"
        for stop in walk.stops
    )


def main(arguments: list[str]) -> None:
    """Print the walks."""
    if arguments[:1] == ["--one"]:
        _take(arguments[1], Path(arguments[2]))
        return
    for name in WALKS:
        walk = run_trace(name)
        if "--files" in arguments:
            had = len({*walk.stations, *walk.beside})
            print(f"{name}: {len(walk.files)} files in {len(walk.folders)} folders ran;", end=" ")
            print(f"on the way {len(walk.stations)} entries into {len({*walk.stations})} folders,", end=" ")
            print(f"in all {walk.entries} entries into {had} folders with the value")
        else:
            print(markdown(walk), *([every_stop(walk)] if "--all" in arguments else []), sep="\n\n", end="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
