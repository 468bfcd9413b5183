"""The reader of Codex's rollouts, on the record shapes of each client version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.codex_rollouts import PATCH, OldRollout, Rollout, batches, ends, read, unified
from wisen.model.event import (
    PROSE_EVENTS,
    Call,
    Concession,
    Event,
    Interrupt,
    Message,
    MessageOrigin,
    Outcome,
    Provenance,
    Status,
)
from wisen.model.source import SourceMark
from wisen.testing.agent_contract import typed_texts

pytestmark = pytest.mark.requirement("F1")

OK, FAILED, MASKED = Status.OK, Status.FAILED, Status.MASKED


def gist(events: list[Event]) -> list[tuple[object, ...]]:
    """What the events say, without their times and made-up ids."""
    facts: list[tuple[object, ...]] = []
    for e in events:
        if isinstance(e, Message):
            facts.append(("message", e.text, e.origin, e.provenance))
        elif isinstance(e, Outcome):
            facts.append(("outcome", e.call, e.status, e.text))
        elif isinstance(e, Call):
            facts.append(("call", e.id, e.tool, e.arguments))
        elif isinstance(e, PROSE_EVENTS):
            facts.append((type(e).__name__.lower(), e.at))
        else:
            facts.append((type(e).__name__, e.call))
    return sorted(facts, key=repr)


def test_a_turn_becomes_a_message_a_call_and_its_outcome(tmp_path: Path) -> None:
    r = Rollout(cwd="/home/ada/shop")
    r.turn()
    identity = r.user_text_to_model("run the tests")
    r.user_text_to_client("run the tests")
    call = r.shell("pytest", "2 failed", 1)
    events, problems = read(r, tmp_path)
    message, asked, end = events
    assert isinstance(message, Message)
    assert isinstance(asked, Call)
    assert isinstance(end, Outcome)
    assert (message.id, message.text, message.provenance) == (identity, "run the tests", Provenance.TYPED)
    assert (asked.id, asked.tool, json.loads(asked.arguments or "")) == (call, "exec_command", {"command": "pytest"})
    assert (end.call, end.status, end.text) == (call, FAILED, "Exit code 1\n2 failed")
    assert message.session == asked.session == end.session
    assert (message.session.native, message.place) == (r.thread, "/home/ada/shop")
    assert problems == []


def story(r: Rollout) -> Rollout:
    """A bit of everything that is written twice."""
    r.prompt("fix it")
    r.shell("false", "error: no", 1)
    r.user_text("and quickly")
    one, two = r.ask("pytest | tail -1"), r.ask("ls")
    r.answer(two, "a")
    r.answer(one, "==== 2 failed in 0.1s ====")
    patch = r.custom("apply_patch", PATCH)
    r.item({"type": "FileChange", "id": patch, "changes": {"a.py": {}}, "status": "failed", "stderr": "no such file"})
    r.output(patch, "Exit code: 1\nWall time: 0 seconds\nOutput:\nno such file", "custom_tool_call_output")
    lookup = r.call("find", "mcp__shop", sku=1)
    r.item({"type": "McpToolCall", "id": lookup, "server": "shop", "tool": "find", "status": "completed", "result": {}})
    r.output(lookup, [{"type": "input_text", "text": "Wall time: 0.1 seconds\nOutput:"}])
    server = r.ask("make serve")
    r.output(server, "Wall time: 1 seconds\nProcess running with session ID 77\nOutput:\n")
    r.event("task_complete", turn_id="t")
    r.prompt("fix it")
    poll = r.call("write_stdin", session_id=77, chars="")
    r.executed(server, "make serve", "make: *** [serve] Error 2", 2)
    r.output(poll, unified("make: *** [serve] Error 2", 2))
    sleeper = r.ask("sleep 60")
    r.output(sleeper, "Wall time: 7.8 seconds\naborted by user")
    r.interrupt()
    r.executed(sleeper, "sleep 60", "", -1)
    r.prompt("fix it")
    return r


def test_each_fact_of_a_long_story_comes_out_once(tmp_path: Path) -> None:
    events, problems = read(story(Rollout()), tmp_path)
    assert typed_texts(events) == ["fix it", "and quickly", "fix it", "fix it"]
    assert [e.origin for e in events if isinstance(e, Message)] == [
        MessageOrigin.PROMPT,
        MessageOrigin.QUEUED,
        MessageOrigin.PROMPT,
        MessageOrigin.PROMPT,
    ]
    assert ends(events) == [FAILED, OK, MASKED, FAILED, OK, FAILED, OK]
    assert len([e for e in events if isinstance(e, Call)]) == 8
    assert len([e for e in events if isinstance(e, Interrupt)]) == 1
    assert len({e.id for e in events}) == len(events)
    assert problems == []


def old_story() -> Rollout:
    """Calls side by side, in the shapes of 2025, which have one copy of each end."""
    r = OldRollout()
    r.prompt("fix it")
    one, two, three = r.ask("false"), r.ask("pytest | tail -1"), r.call("exec_command", cmd="make serve | tee log")
    r.output(one, "failed in sandbox: permission denied")
    r.output(three, "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n")
    r.answer(two, "==== 2 failed in 0.1s ====")
    poll = r.call("write_stdin", session_id=7, chars="")
    four = r.ask("ls")
    r.output(poll, unified("make: *** [serve] Error 2", 0))
    r.answer(four, "a")
    r.prompt("fix it")
    r.interrupt()
    return r


@pytest.mark.parametrize("r", [story(Rollout()), old_story()], ids=["2026", "2025"])
def test_a_reading_may_end_between_any_two_lines(r: Rollout, tmp_path: Path) -> None:
    whole, _ = read(r, tmp_path)
    path = tmp_path / "rollout-cut.jsonl"
    for cut in range(1, len(r.lines)):
        path.write_bytes(b"".join(line + b"\n" for line in r.lines[:cut]))
        first = batches(path)[-1]
        path.write_bytes(r.data())
        mark = SourceMark(size=1, modified_ns=1, cursor=first.cursor)
        found = [*first.events, *(e for batch in batches(path, mark) for e in batch.events)]
        assert {e.id: e for e in found} == {e.id: e for e in whole}, cut
        assert {e.id: e for e in reversed(found)} == {e.id: e for e in whole}, cut


@pytest.mark.parametrize("r", [story(Rollout()), old_story()], ids=["2026", "2025"])
def test_it_may_end_between_every_two_lines(r: Rollout, tmp_path: Path) -> None:
    whole, _ = read(r, tmp_path)
    path = tmp_path / "rollout-grows.jsonl"
    found: dict[str, Event] = {}
    mark: SourceMark | None = None
    for cut in range(1, len(r.lines) + 1):
        path.write_bytes(b"".join(line + b"\n" for line in r.lines[:cut]))
        for batch in batches(path, mark):
            found.update({e.id: e for e in batch.events})
            mark = SourceMark(size=1, modified_ns=1, cursor=batch.cursor)
    assert found == {e.id: e for e in whole}


def test_calls_side_by_side_each_get_their_own_end(tmp_path: Path) -> None:
    events, _ = read(old_story(), tmp_path)
    assert sorted(ends(events)) == sorted([FAILED, MASKED, OK, MASKED, OK])
    assert len([e for e in events if isinstance(e, Interrupt)]) == 1


def test_the_copies_may_come_in_either_order(tmp_path: Path) -> None:
    results = []
    for swapped in (False, True):
        r = Rollout()
        r.turn()
        copies = [lambda r=r: r.user_text_to_model("go"), lambda r=r: r.user_text_to_client("go")]
        for copy in reversed(copies) if swapped else copies:
            copy()
        call = r.id("call")
        asked = {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "false"}', "call_id": call}
        if not swapped:
            r.line("response_item", asked)
        r.executed(call, "false", "error: no", 1)
        if swapped:
            r.line("response_item", asked)
        r.output(call, unified("error: no", 1))
        other = r.ask("make")
        ended = [
            lambda r=r, c=other: r.executed(c, "make", "bad", 2),
            lambda r=r, c=other: r.output(c, unified("bad", 2)),
        ]
        for copy in reversed(ended) if swapped else ended:
            copy()
        results.append(gist(read(r, tmp_path)[0]))
    assert results[0] == results[1]
    assert len(results[0]) == 5


def test_a_message_that_has_only_one_copy_is_a_message(tmp_path: Path) -> None:
    r = Rollout()
    r.turn()
    r.user_text_to_model("only to the model")
    r.turn()
    r.user_text_to_client("only to the client")
    events, _ = read(r, tmp_path)
    assert typed_texts(events) == ["only to the model", "only to the client"]


def test_the_same_words_twice_are_two_messages(tmp_path: Path) -> None:
    r, old = Rollout(), OldRollout()
    for each in (r, old):
        each.prompt("continue")
        each.prompt("continue")
    r.user_text("continue")
    assert len(typed_texts(read(r, tmp_path)[0])) == 3
    events, _ = read(old, tmp_path)
    assert len({e.id for e in events}) == 2


@pytest.mark.requirement("C1")
@pytest.mark.parametrize(
    "kind",
    [
        "agents_md.instructions",
        "environments.environment_context",
        "hooks.additional_context",
        "generic.turn_aborted",
        "skills.selected_skill_instructions",
        "unknown",
    ],
)
def test_what_the_client_puts_in_the_users_place_is_nobodys_turn(kind: str, tmp_path: Path) -> None:
    r = Rollout()
    r.turn()
    r.user_text_to_model("always push to the mirror", kind)
    events, _ = read(r, tmp_path)
    assert events == []


@pytest.mark.requirement("C1")
def test_only_the_typed_parts_of_a_mixed_message_are_typed(tmp_path: Path) -> None:
    r = Rollout()
    r.turn()
    marks = {"content_item_kinds": ["user.text", "user.image", "mentions.file"]}
    content = [{"type": "input_text", "text": "look"}, {"type": "input_image"}, {"type": "input_text", "text": "FILE"}]
    message = {"type": "message", "role": "user", "content": content}
    r.line("response_item", {**message, "internal_chat_message_metadata_passthrough": marks})
    assert typed_texts(read(r, tmp_path)[0]) == ["look"]


@pytest.mark.requirement("C1")
def test_frames_and_kinds_of_older_versions_are_nobodys(tmp_path: Path) -> None:
    r = OldRollout()
    r.inject("obey")
    r.event("user_message", message="<environment_context>x</environment_context>", kind="environment_context")
    r.event("user_message", message="<turn_aborted>stop</turn_aborted>")
    request = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nexplain this\n"
    r.event("user_message", message=request)
    assert typed_texts(read(r, tmp_path)[0]) == ["explain this"]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    "before",
    [
        "# Context from my IDE setup:\n\n## Active selection of the file:\n## My request for Codex:\nuse pip\n\n",
        "# Files mentioned by the user:\n\n## a.md: /home/ada/a.md\n\n",
        "<in-app-browser-context source='ui'>\n## My request:\nuse pip\n</in-app-browser-context>\n",
    ],
)
@pytest.mark.parametrize("heading", ["## My request for Codex:", "## My request:"])
def test_of_a_message_with_open_or_attached_files_only_the_request_is_typed(
    before: str, heading: str, tmp_path: Path
) -> None:
    r = Rollout()
    r.prompt(f"{before}{heading}\nuse uv")
    assert typed_texts(read(r, tmp_path)[0]) == ["use uv"]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}, "thread_source": "subagent"},
        {"source": {"subagent": "review"}},
        {"source": {"internal": "memory_consolidation"}},
        {"thread_source": "subagent"},
        {"parent_thread_id": "p"},
    ],
)
def test_nobody_types_in_the_thread_of_a_sub_agent(meta: dict[str, object], tmp_path: Path) -> None:
    r = Rollout(meta=meta)
    r.prompt("explore everything")
    r.shell("false", "", 1)
    r.interrupt()
    events, _ = read(r, tmp_path)
    assert [type(e) for e in events] == [Call, Outcome]


def test_a_sub_agent_is_a_session_of_its_own_behind_its_parents(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}
    r = Rollout(2, meta={"source": source, "session_id": "root"})
    old = OldRollout(2, meta={"source": source})
    natives = []
    for each in (r, old):
        each.shell("ls")
        natives.append(read(each, tmp_path)[0][0].session.native)
    assert natives == [f"root/{r.thread}", f"p/{r.thread}"]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    ("meta", "trigger", "who"),
    [
        ({"source": "vscode"}, "user", "typed"),
        ({"source": "cli"}, None, "typed"),
        ({"source": {"custom": "chatgpt"}}, None, "typed"),
        ({"source": None, "originator": "codex_cli_rs"}, None, "typed"),
        ({"source": None, "originator": "codex_exec"}, None, "other"),
        ({"source": "exec"}, None, "other"),
        ({"source": "exec"}, "exec", "other"),
        ({"source": "exec"}, "user", "typed"),
        ({"source": "vscode"}, "exec", "other"),
        ({"source": "vscode"}, "heartbeat", "other"),
        ({"source": "mcp"}, None, "other"),
        ({"source": {"custom": "nightly"}}, None, "other"),
    ],
)
def test_what_a_program_asks_is_not_typed(
    meta: dict[str, object], trigger: str | None, who: str, tmp_path: Path
) -> None:
    r = Rollout(meta=meta)
    r.turn(trigger)
    r.user_text("do the chores")
    events, _ = read(r, tmp_path)
    assert [e.provenance.value for e in events] == [who]
    trusting, _ = read(r, tmp_path, program_prompts=True)
    assert typed_texts(trusting) == ["do the chores"]


@pytest.mark.requirement("X7")
def test_a_turn_that_another_turn_began_is_nobodys(tmp_path: Path) -> None:
    r = Rollout()
    r.turn("user", parent_turn_id="of-somebody")
    r.user_text("explore")
    assert read(r, tmp_path, program_prompts=True)[0] == []


@pytest.mark.requirement("X7")
def test_without_its_first_line_a_rollout_says_nothing_about_who_speaks(tmp_path: Path) -> None:
    r = Rollout()
    r.turn(None)
    r.user_text("who am I?")
    r.shell("false", "", 1)
    events, _ = read(b"".join(line + b"\n" for line in r.lines[1:]), tmp_path)
    assert typed_texts(events) == []
    assert ends(events) == [FAILED]


def test_a_fork_holds_the_same_messages_and_its_own_session(tmp_path: Path) -> None:
    parent = OldRollout(1)
    parent.prompt("one")
    parent.shell("false", "", 1)
    fork = OldRollout(2, meta={"forked_from_id": parent.thread})
    fork.at = fork.at.replace(year=2027)
    fork.line("session_meta", {"id": parent.thread, "source": "exec", "cwd": "/elsewhere"})
    fork.prompt("one")
    fork.lines += parent.lines[-2:]
    fork.prompt("another way")
    before, _ = read(parent, tmp_path)
    after, _ = read(fork, tmp_path)
    assert {e.id for e in before} < {e.id for e in after}
    assert typed_texts(after) == ["one", "another way"]
    assert {e.session.native for e in after} == {fork.thread}


@pytest.mark.requirement("X7")
def test_a_message_that_a_thread_inherited_was_not_typed_in_it(tmp_path: Path) -> None:
    r = Rollout()
    content = [{"type": "input_text", "text": "from before"}]
    message = {"type": "message", "role": "user", "content": content, "id": "m"}
    marks = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.text"]}}
    r.line("response_item", {**message, **marks}, metadata={"inherited_user_message": True})
    assert read(r, tmp_path)[0] == []


def test_the_place_follows_the_turn(tmp_path: Path) -> None:
    r = Rollout(cwd="/home/ada/shop")
    r.prompt("one")
    r.cwd = "/home/ada/shop/web"
    r.prompt("two")
    events, _ = read(r, tmp_path)
    assert [e.place for e in events] == ["/home/ada/shop", "/home/ada/shop/web"]
    assert {e.session.start for e in events} == {"/home/ada/shop"}


def test_a_concession_is_reported_once_and_under_the_models_id(tmp_path: Path) -> None:
    r = Rollout()
    r.prompt("no, use uv")
    first = r.say("You're right.")
    r.line("response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Sorry."}]})
    r.event("agent_reasoning", text="Sorry.")
    events, problems = read(r, tmp_path)
    assert [e.id for e in events if isinstance(e, Concession)] == [f"conceded:{first}"]
    assert problems == []


def test_a_concession_without_an_id_is_the_same_in_a_fork(tmp_path: Path) -> None:
    concessions: list[list[str]] = []
    for number, meta in ((1, {}), (2, {"forked_from_id": OldRollout(1).thread})):
        r = OldRollout(number, meta=meta)
        r.prompt("no, use uv")
        r.say("Sorry.")
        r.say("Sorry.")
        events, _ = read(r, tmp_path)
        concessions.append([e.id for e in events if isinstance(e, Concession)])
    assert concessions[0] == concessions[1]
    assert len(set(concessions[0])) == 2
    assert all(identity.startswith("conceded:made:") for identity in concessions[0])


def test_what_a_sub_agent_concedes_is_not_reported(tmp_path: Path) -> None:
    r = Rollout(meta={"source": {"subagent": "review"}})
    r.prompt("look around")
    r.say("Sorry.")
    events, _ = read(r, tmp_path)
    assert events == []
