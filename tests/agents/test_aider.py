"""The reader of aider's chat histories: what they record, and what they do not."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.aider_chats import CHATS, NOON, SHELL, TYPED, Project
from wisen.agents import jsonl, log_follower
from wisen.agents.aider import Aider
from wisen.agents.log_detection import detect_agent
from wisen.model.event import Call, Event, Interrupt, Message, Outcome, Provenance, Rejection, Status
from wisen.model.source import ReadProblem, ReadProblemKind, SourceMark
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")
CREATE = "Create new file? (Y)es/(N)o [Yes]:"
FIX = "Attempt to fix lint errors? (Y)es/(N)o [Yes]:"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "orchard")
    project.start()
    return project


def read(project: Project, *, program_prompts: bool = False) -> list[Event]:
    project.save()
    events, problems = read_all(Aider(Path("/nowhere"), {}, program_prompts=program_prompts), project.folder)
    assert problems == []
    return events


def commands(events: list[Event]) -> list[str]:
    calls = [event for event in events if isinstance(event, Call) and event.tool == "shell"]
    return [json.loads(call.arguments or "")["command"] for call in calls]


def ends(events: list[Event]) -> list[tuple[Status, str | None]]:
    return [(event.status, event.text) for event in events if isinstance(event, Outcome)]


def test_every_start_of_aider_is_a_session_of_its_own(project: Project) -> None:
    project.prompt("first")
    project.start()
    project.prompt("second")
    project.start()
    events = read(project)
    assert typed_texts(events) == ["first", "second"]
    assert len({event.session for event in events}) == 2
    assert {event.place for event in events} == {str(project.folder)}


def test_chats_that_begin_in_the_same_second_are_distinguished(project: Project) -> None:
    for _ in range(3):
        project.prompt("one")
        project.pieces.append(project.pieces[0])
    events = read(project)
    assert len({event.session for event in events}) == len({event.id for event in events}) == 3


def test_the_name_of_a_session_tells_nothing_of_what_was_typed(tmp_path: Path) -> None:
    names = []
    for number, text in enumerate(("one", "two")):
        project = Project(tmp_path / str(number) / "orchard")
        project.start()
        project.prompt(text)
        names += [event.session.native for event in read(project)]
    assert names[0] == names[1]


def test_clearing_the_chat_begins_another_conversation(project: Project) -> None:
    for command, reply in (
        ("/clear", "All chat history cleared."),
        ("/reset", "All files dropped and chat history cleared."),
    ):
        project.prompt("one")
        project.prompt(command)
        project.tell(reply)
    project.prompt("two")
    assert [event.session.segment for event in read(project)] == [0, 1, 2]


def test_the_input_history_tells_when_something_was_typed(project: Project) -> None:
    project.prompt("one")
    then = project.now
    project.pass_time(3600)
    project.prompt("two")
    first, second = read(project)
    assert abs(first.at - then) < timedelta(milliseconds=10)
    assert abs(second.at - project.now) < timedelta(milliseconds=10)


def test_without_it_everything_stands_at_the_beginning_in_order(tmp_path: Path) -> None:
    project = Project(tmp_path, notes=False)
    project.start()
    began = project.now
    project.prompt("one")
    project.reply("Done.")
    project.prompt("two")
    moments = [event.at for event in read(project)]
    assert began < moments[0] < moments[1] < began + timedelta(seconds=1)


@pytest.mark.requirement("X7")
def test_where_typing_is_recorded_nothing_else_counts_as_typed(project: Project) -> None:
    project.prompt("really typed")
    project.reply("Fine.")
    project.block("never typed")
    project.reply("Fine.")
    project.prompt("typed too")
    assert typed_texts(read(project)) == ["really typed", "typed too"]


def test_what_is_asked_of_another_mode_counts_once_and_commands_do_not(project: Project) -> None:
    for notes in (True, False):
        project.notes = notes
        project.start()
        project.prompt("/ask where are the pears?")
        project.block("where are the pears?")
        project.reply("In the barn.")
        project.prompt("/run ls")
        project.prompt("!ls")
        project.prompt("/architect")
        project.prompt("")
    assert typed_texts(read(project)) == ["where are the pears?"] * 2


def test_lines_between_braces_are_one_message(project: Project) -> None:
    for line in ("{", "first line", "", "third line", "}"):
        project.type(line)
    project.block("first line\n\nthird line")
    assert typed_texts(read(project)) == ["first line\n\nthird line"]


def test_a_pasted_text_is_found_whatever_breaks_its_lines(project: Project) -> None:
    text = "  first\tline \n\nsecond\u2028third\x0cfourth"
    project.prompt("go on")
    project.type(text)
    project.block(text)
    assert typed_texts(read(project)) == ["go on", "first\tline\n\nsecond\nthird\nfourth"]


def test_what_the_architect_hands_on_was_not_typed(tmp_path: Path) -> None:
    project = Project(tmp_path, notes=False)
    project.start()
    project.prompt("plan it")
    plan = "Rename the greeting.\n\n#### Steps\n\n- From now on say MODEL"
    project.reply(plan)
    project.block(plan)
    project.reply("Renamed.")
    project.prompt("thanks")
    assert typed_texts(read(project)) == ["plan it", "thanks"]


@pytest.mark.parametrize("option", ["--message go", "-m go", "--message-file=x", "--yes-always --msg go"])
def test_what_a_program_asked_is_the_users_only_where_he_says_so(option: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.start("--model some-model", option, "a.py")
    project.prompt("go")
    (given,) = read(project)
    assert isinstance(given, Message)
    assert given.provenance is Provenance.OTHER
    assert typed_texts(read(project, program_prompts=True)) == ["go"]


def test_a_command_that_ran_has_no_end_and_an_edit_has_one(project: Project) -> None:
    project.prompt("change it")
    project.reply("I change it.")
    project.tell("Applied edit to a b.py")
    project.run("make test")
    events = read(project)
    assert commands(events) == ["make test"]
    assert ends(events) == [(Status.OK, None)]
    (edit,) = [event for event in events if isinstance(event, Call) and event.tool == "edit"]
    assert json.loads(edit.arguments or "") == {"path": "a b.py"}


def test_an_edit_that_does_not_fit_is_a_failure_with_its_reason_and_without_the_files_lines(project: Project) -> None:
    project.prompt("change it")
    project.reply("I change it.")
    project.fail_edit("a.py")
    project.reply("Sorry, once more.")
    events = read(project)
    ((status, text),) = ends(events)
    assert status is Status.FAILED
    assert text is not None
    assert "SearchReplaceNoExactMatch" in text
    assert "MODEL" not in text
    (call,) = [event for event in events if isinstance(event, Call)]
    assert json.loads(call.arguments or "") == {"path": "a.py"}


@pytest.mark.parametrize("by_command", [True, False])
def test_a_check_that_failed_is_a_failure_with_what_it_printed(by_command: bool, project: Project) -> None:
    message = (
        "# Fix any errors below, if possible.\n\n## Running: ruff check a.py\n\na.py:1: oh\nat a.py\n\n## See\n\na"
    )
    if by_command:
        project.prompt("/lint")
        project.tell(message)
        project.ask("Fix lint errors in a.py? (Y)es/(N)o [Yes]:")
        project.block(message)
    else:
        project.prompt("change it")
        project.tell("Applied edit to a.py")
        project.tell_lines(message)
        project.ask(FIX)
    events = read(project)
    assert commands(events) == ["ruff check a.py"]
    assert ends(events)[-1] == (Status.FAILED, "a.py:1: oh\nat a.py")
    assert len(typed_texts(events)) == (not by_command)


@pytest.mark.parametrize(
    ("answer", "is_typed", "refused"), [("n", True, True), ("no", True, True), ("d", True, True), ("n", False, False)]
)
def test_only_the_user_refuses(answer: str, is_typed: bool, refused: bool, project: Project) -> None:
    project.prompt("clean up")
    project.reply("I clean up.")
    project.tell("rm -rf build   \nrm -rf dist")
    project.ask(SHELL.replace("command", "commands"), answer[0], typed=False)
    if is_typed:
        project.type(answer)
    project.prompt("next")
    events = read(project)
    assert commands(events) == ["rm -rf build\nrm -rf dist"]
    assert [type(event) is Rejection for event in events if isinstance(event, Rejection | Outcome)] == [refused]
    assert refused or ends(events) == [(Status.CANCELLED, None)]
    assert typed_texts(events) == ["clean up", "next"]


def test_an_edit_that_the_user_does_not_allow_is_refused(project: Project) -> None:
    project.prompt("write it")
    project.reply("I write it.")
    project.tell("new.py")
    project.ask(CREATE, "n")
    project.tell("Skipping edits to new.py")
    project.tell("Skipping edits to old.py that matches gitignore spec.")
    events = read(project)
    assert [type(event).__name__ for event in events] == ["Message", "Call", "Rejection"]


def test_an_interrupt_at_the_prompt_stops_nothing(project: Project) -> None:
    project.tell_lines("\n\n^C again to exit")
    project.prompt("think long")
    project.tell_lines("\n\n^C again to exit")
    project.tell_lines("\n\n^C again to exit")
    project.prompt("go on")
    project.reply("Done.")
    project.tell_lines("\n\n^C KeyboardInterrupt")
    events = read(project)
    assert [type(event) for event in events] == [Message, Interrupt, Message]


def test_files_with_the_line_ends_of_windows_are_read(project: Project) -> None:
    project.prompt("one")
    project.reply("Sorry.")
    expected = read(project)
    for path in (project.path, project.folder / TYPED):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    events, problems = read_all(Aider(Path("/nowhere"), {}), project.folder)
    assert (events, problems) == (expected, [])


def test_a_file_whose_beginning_is_gone_is_read_from_the_next_chat_on(project: Project) -> None:
    project.prompt("lost")
    project.start()
    project.prompt("found")
    del project.pieces[0]
    project.save()
    (source,) = Aider(project.folder, {}).sources()
    events, problems = list[Event](), list[ReadProblem]()
    for batch in Aider(project.folder, {}).read(source):
        events += batch.events
        problems += batch.problems
    assert typed_texts(events) == ["found"]
    assert [problem.kind for problem in problems] == [ReadProblemKind.MISSHAPEN]


def test_a_line_that_is_being_written_is_read_when_it_is_whole(project: Project) -> None:
    project.prompt("one")
    project.save()
    whole = project.path.read_bytes()
    project.path.write_bytes(whole[:-3])
    (source,) = Aider(project.folder, {}).sources()
    agent = Aider(project.folder, {})
    (torn,) = agent.read(source)
    assert (torn.events, [each.kind for each in torn.problems]) == ((), [ReadProblemKind.UNFINISHED])
    project.path.write_bytes(whole)
    (rest,) = agent.read(source, SourceMark(size=0, modified_ns=0, cursor=torn.cursor))
    assert typed_texts(list(rest.events)) == ["one"]


def test_chats_are_found_at_home_where_the_user_put_them_and_in_projects(tmp_path: Path) -> None:
    found = {}
    for name in ("home", "chosen", "a", "b"):
        found[name] = Project(tmp_path / name)
        found[name].start()
        found[name].save()
    here, there = (found[name].path for name in ("home", "chosen"))
    agent = Aider(tmp_path / "home", {})
    assert agent.roots() == (here,)
    assert [source.path for source in agent.sources()] == [here]
    projects = [tmp_path / name for name in ("home", "a", "nowhere", "b", "a")]
    assert [source.path for source in agent.project_sources(projects)] == [found["a"].path, found["b"].path]
    moved = Aider(tmp_path / "home", {"AIDER_CHAT_HISTORY_FILE": str(there)})
    assert [source.path for source in moved.sources()] == [there]
    renamed = Aider(tmp_path / "home", {"AIDER_CHAT_HISTORY_FILE": "chats.md"})
    (tmp_path / "b" / "chats.md").write_bytes(here.read_bytes())
    assert [source.path.name for source in renamed.project_sources(projects)] == ["chats.md"]
    assert len(list(agent.sources(tmp_path))) == 4
    assert [source.path.name for source in agent.sources(tmp_path / "b" / "chats.md")] == ["chats.md"]
    (source,) = agent.sources()
    assert agent.version(source) == "0.86.2"


def test_a_file_of_chats_is_known_by_its_first_line(project: Project) -> None:
    project.save()
    assert detect_agent(project.path) == "aider"
    (project.folder / "notes.md").write_text("# Notes\n\n# aider chat started at 2026-03-02 12:00:00\n")
    assert detect_agent(project.folder / "notes.md") is None


def story(project: Project) -> None:
    """Everything that can happen, in an order that only the numbers tell apart."""
    project.start("--yes-always" if project.notes else "")
    for number in range(3):
        project.prompt(f"typed {number}")
        project.reply("Sorry, PAYLOAD.\n\n#### PAYLOAD\n\n#### PAYLOAD")
        project.tell(f"Commit {number}abc Change\n\n#### PAYLOAD\n\n#### PAYLOAD")
        project.tell("Applied edit to a.py")
        project.fail_edit("b.py")
        project.reply("Once more.")
        project.run(f"make {number}")
        project.tell("rm -rf PAYLOAD")
        project.ask(SHELL, "n")
        project.tell_lines("# Fix any errors below, if possible.\n\n## Running: ruff check\n\nE999 oh\n\n## See")
        project.ask(FIX)
        project.reply("I fix it.")
        project.prompt(f"/ask typed {number} more")
        project.block(f"typed {number} more")
        project.tell_lines("\n\n^C again to exit")
        if number == 1:
            project.start()


@settings(deadline=None, max_examples=50)
@given(cuts=st.sets(st.integers(0, 200), max_size=12), notes=st.booleans())
def test_chats_that_grow_give_the_same_as_those_that_are_whole(
    cuts: set[int],
    notes: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    project = Project(tmp_path_factory.mktemp("grows"), notes=notes)
    story(project)
    whole = {event.id: event for event in read(project)}
    assert len(typed_texts(list(whole.values()))) == 6
    assert [isinstance(event, Rejection) for event in whole.values()].count(True) == (3 if notes else 0)
    agent, pieces, mark = Aider(project.folder, {}), project.pieces, None
    grown: dict[str, Event] = {}
    for cut in [*sorted(cuts), len(pieces)]:
        project.pieces = pieces[:cut]
        project.save()
        (source,) = agent.sources()
        for batch in agent.read(source, mark):
            assert batch.problems == ()
            grown.update({event.id: grown.get(event.id, event) for event in batch.events})
            mark = SourceMark(size=source.size, modified_ns=source.modified_ns, cursor=batch.cursor)
    assert grown == whole


def test_a_pass_that_ends_anywhere_is_gone_on_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path)
    story(project)
    whole = {event.id: event for event in read(project)}
    monkeypatch.setattr(log_follower, "BATCH_BYTES", 1)
    agent = Aider(tmp_path, {})
    (source,) = agent.sources()
    for chunk in (100, 150, 333):
        monkeypatch.setattr(jsonl, "CHUNK_BYTES", chunk)
        batches = list(agent.read(source))
        assert len(batches) > 5
        before: dict[str, Event] = {}
        for batch in batches:
            before.update({event.id: before.get(event.id, event) for event in batch.events})
            mark = SourceMark(size=source.size, modified_ns=source.modified_ns, cursor=batch.cursor)
            rest = {event.id: event for later in agent.read(source, mark) for event in later.events}
            assert rest | before == whole
            assert all(rest[id_] == before[id_] for id_ in rest.keys() & before.keys())


def test_what_is_remembered_does_not_grow_with_the_chats(project: Project) -> None:
    for _ in range(50):
        project.start()
        project.prompt("one")
    project.save()
    (source,) = Aider(project.folder, {}).sources()
    *_, last = Aider(project.folder, {}).read(source)
    assert len(last.cursor) < 1_000


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("seed", range(300))
def test_damage_costs_little_and_puts_nothing_into_the_users_mouth(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    project = Project(tmp_path, notes=seed % 2 == 0, began=NOON)
    story(project)
    project.save()
    lines = (tmp_path / CHATS).read_bytes().split(b"\n")
    at = chance.randrange(4, len(lines))
    line, cut = lines[at], chance.randrange(len(lines[at]) + 1)
    lines[at] = chance.choice(
        [
            line[:cut],
            line[cut:],
            line[:cut] + chance.randbytes(4).replace(b"\n", b"?") + line[cut:],
            b"\0" * 9 + line,
            line + line,
        ]
    )
    if chance.random() < 0.3:
        del lines[at]
    (tmp_path / CHATS).write_bytes(b"\n".join(lines))
    events, _ = read_all(Aider(tmp_path, {}))
    typed = [str(text) for text in typed_texts(events)]
    assert [text for text in typed if "PAYLOAD" in text] == []
    assert (
        len([text for text in typed if text in {f"typed {n}{more}" for n in range(3) for more in ("", " more")}]) >= 3
    )
    assert len({event.id for event in events}) == len(events)
