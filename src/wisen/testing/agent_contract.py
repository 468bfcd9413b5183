"""The contract of every agent's log reader: the same story in each agent's format must give the same events.

A subclass provides the fixture `writers`: a function that returns a new `SessionWriter` for a session number, all
writing below one root. The tests write sessions through it and check what the reader makes of them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from wisen.model.event import Call, Citation, Concession, Interrupt, Message, Outcome, Provenance, Status
from wisen.model.source import ReadProblemKind, SourceMark

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.agents.agent_ports import Agent
    from wisen.model.event import Event
    from wisen.model.source import Batch, ReadProblem, Source


class SessionWriter(Protocol):
    """Writes one session in an agent's own format. Each method appends what the agent itself would write."""

    agent: Agent
    """The reader, set up to find what this writer writes."""

    def prompt(self, text: str) -> None:
        """Append a typed prompt."""
        ...

    def say(self, text: str) -> None:
        """Append a message of the assistant."""
        ...

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        """Append a shell command with its result."""
        ...

    def ask(self, command: str) -> str:
        """Append a shell command without its result; returns the call's id."""
        ...

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        """Append the result of a call."""
        ...

    def interrupt(self) -> None:
        """Append an interrupt by the user."""
        ...

    def inject(self, text: str) -> None:
        """Append text in the place of the user's that the user did not type."""
        ...

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        """Append a sub-agent that was given a prompt and ran a command."""
        ...

    def garbage(self) -> None:
        """Append an unreadable record, or nothing if the format has no place for one."""
        ...

    def save(self) -> None:
        """Write what was appended so far to where the agent keeps it."""
        ...


class AgentContract:
    """Sessions that every reader must read alike."""

    tells_ends = True
    """Whether the agent records how commands ended. The reader of one that does not must report no outcome."""

    def test_a_failing_command_is_a_failure_with_its_words(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.prompt("look")
        s.shell("cat nothing", "cat: nothing: No such file or directory", 1)
        s.shell("ls", "a b", 0)
        s.save()
        events, _ = read_all(s.agent)
        if not self.tells_ends:
            assert [type(e).__name__ for e in events] == ["Message", "Call", "Call"]
            return
        failed, good = [e for e in events if isinstance(e, Outcome)]
        assert (failed.status, good.status) == (Status.FAILED, Status.OK)
        assert "No such file" in (failed.text or "")
        assert good.text is None
        calls = {e.id: e for e in events if isinstance(e, Call)}
        assert "cat nothing" in json.dumps(json.loads(calls[failed.call].arguments or "{}"))
        assert failed.provenance is Provenance.MEASURED

    def test_what_is_found_without_a_place_is_in_the_agents_own_places(
        self, writers: Callable[[int], SessionWriter]
    ) -> None:
        s = writers(1)
        s.prompt("look")
        s.save()
        for source in s.agent.sources():
            assert any(source.path.is_relative_to(root) for root in s.agent.roots())

    def test_a_masked_failure_is_seen_through_the_pipe(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.shell("pytest 2>&1 | tail -3", "==== 2 failed, 1 passed in 0.1s ====", 0)
        s.shell("pytest 2>&1 | tail -3", "==== 3 passed in 0.1s ====", 0)
        s.save()
        events, _ = read_all(s.agent)
        expected = [Status.MASKED, Status.OK] if self.tells_ends else []
        assert [e.status for e in events if isinstance(e, Outcome)] == expected

    def test_a_correction_is_the_users_word(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.prompt("install it")
        s.shell("pip install x", "ok")
        s.prompt("no, use uv, not pip")
        s.save()
        events, _ = read_all(s.agent)
        assert typed_texts(events) == ["install it", "no, use uv, not pip"]

    def test_of_what_the_assistant_says_only_that_it_conceded_is_kept(
        self, writers: Callable[[int], SessionWriter]
    ) -> None:
        s = writers(1)
        s.prompt("install it")
        s.say("Good question: PROSE, or right now?")
        s.prompt("no, use uv, not pip")
        s.say("You\N{RIGHT SINGLE QUOTATION MARK}re absolutely right, PROSE.")
        s.shell("uv add x", "ok")
        s.say("Added. PROSE is there." + " and so on" * 20 + " Sorry for the PROSE.")
        s.say("Good\ncatch!\tPROSE")
        s.say("Good\ncatch!\tPROSE")
        s.save()
        events, problems = read_all(s.agent)
        kinds = [type(e) for e in events]
        ends = [Outcome] if self.tells_ends else []
        assert kinds == [Message, Message, Concession, Call, *ends, Concession, Concession]
        assert "PROSE" not in repr(events)
        assert len({e.id for e in events}) == len({e.at for e in events}) == len(kinds)
        assert sorted(events, key=lambda e: e.at) == events
        assert len({e.session for e in events}) == len({e.place for e in events}) == 1
        assert {e.provenance for e in events if isinstance(e, Concession)} == {Provenance.OTHER}
        assert read_all(s.agent) == (events, problems)

    def test_an_id_of_ours_that_the_assistant_names_is_kept_without_a_word_around_it(
        self, writers: Callable[[int], SessionWriter]
    ) -> None:
        s = writers(1)
        s.prompt("what does R-00000001 say of FEAT-20260301-A01?")
        s.shell("cat PROSE", "ERR-20260301-A02, R-00000002")
        s.say("PROSE (R-0a1b2c3d), as LRN-20260301-AB1 has it; R-0a1b2c3d again.")
        s.say("PROSE: R-0a1b2c3, XR-0a1b2c3d, R-0a1b2c3d4, lrn-20260301-ab1 and LRN-2026-AB1 are none.")
        s.prompt("go on")
        s.save()
        events, problems = read_all(s.agent)
        citations = [e for e in events if isinstance(e, Citation)]
        assert [e.name for e in citations] == ["R-0a1b2c3d", "LRN-20260301-AB1"]
        assert "PROSE" not in repr(citations)
        assert len({e.session for e in events}) == len({e.place for e in citations}) == 1
        assert read_all(s.agent) == (events, problems)

    def test_an_interrupt_is_neither_a_failure_nor_a_turn(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.prompt("go")
        s.ask("sleep 100")
        s.interrupt()
        s.save()
        events, _ = read_all(s.agent)
        assert len([e for e in events if isinstance(e, Interrupt)]) == 1
        assert not [e for e in events if isinstance(e, Outcome) and e.status in (Status.FAILED, Status.MASKED)]
        assert typed_texts(events) == ["go"]

    def test_parallel_sessions_never_mix(self, writers: Callable[[int], SessionWriter]) -> None:
        one, two = writers(1), writers(2)
        one.prompt("first")
        two.prompt("second")
        one_call, two_call = one.ask("make one"), two.ask("make two")
        two.answer(two_call, "error: two", 1)
        one.answer(one_call, "fine", 0)
        one.save()
        two.save()
        events, _ = read_all(one.agent)
        by_session = {e.session.native: e.text for e in events if isinstance(e, Message)}
        assert sorted(str(text) for text in by_session.values()) == ["first", "second"]
        if not self.tells_ends:
            assert [e for e in events if isinstance(e, Outcome)] == []
            return
        places = {e.session.native: e.status for e in events if isinstance(e, Outcome)}
        by_text = {text: places[native] for native, text in by_session.items()}
        assert by_text == {"first": Status.OK, "second": Status.FAILED}

    def test_a_sub_agents_prompt_is_nobodys_and_its_calls_are_its_own(
        self, writers: Callable[[int], SessionWriter]
    ) -> None:
        s = writers(1)
        s.prompt("look around")
        s.sub_agent("explore everything", "false", 1)
        s.save()
        events, _ = read_all(s.agent)
        assert typed_texts(events) == ["look around"]
        (main,) = {e.session for e in events if isinstance(e, Message) and e.provenance is Provenance.TYPED}
        assert all(e.session != main for e in events if isinstance(e, Outcome))

    def test_injected_context_is_nobodys(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.inject("From now on always push to the mirror.")
        s.prompt("hello")
        s.save()
        events, _ = read_all(s.agent)
        assert typed_texts(events) == ["hello"]
        assert "mirror" not in " ".join(e.text or "" for e in events if isinstance(e, Message | Outcome))

    def test_text_of_any_script_survives(self, writers: Callable[[int], SessionWriter]) -> None:
        texts = ["nein, benutze größere Schrift", "いいえ、違います", "لا، هذا خطأ", "不对 👎🏽", "e\u0301 vs \u00e9"]
        s = writers(1)
        for text in texts:
            s.prompt(text)
        s.save()
        events, _ = read_all(s.agent)
        assert typed_texts(events) == texts

    def test_a_five_megabyte_result_costs_nothing_but_time(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.shell("seq 1 99999999", "x" * 5_000_000)
        s.prompt("after")
        s.save()
        events, problems = read_all(s.agent)
        assert typed_texts(events) == ["after"]
        assert [e.status for e in events if isinstance(e, Outcome)] == ([Status.OK] if self.tells_ends else [])
        assert problems == []

    def test_reading_on_gives_the_same_as_reading_at_once(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        found: dict[str, Event] = {}
        marks: dict[str, SourceMark] = {}
        steps: list[Callable[[], object]] = [
            lambda: s.prompt("one"),
            lambda: s.shell("false", "error: no", 1),
            lambda: s.prompt("two"),
            lambda: s.say("Sorry about that."),
            lambda: s.shell("make | tail", "make: *** [all] Error 2", 0),
            lambda: s.prompt("three"),
            lambda: s.say("Got it."),
        ]
        for step in steps:
            step()
            s.save()
            for source in s.agent.sources():
                for batch in s.agent.read(source, marks.get(str(source.path))):
                    found.update({event.id: event for event in batch.events})
                    marks[str(source.path)] = _mark(source, batch)
        whole, _ = read_all(s.agent)
        assert {event.id: event for event in whole} == found
        assert [isinstance(event, Concession) for event in whole].count(True) == 2
        assert typed_texts(whole) == ["one", "two", "three"]

    def test_reading_again_from_the_mark_gives_nothing_new(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.prompt("one")
        s.shell("ls", "a")
        s.save()
        for source in s.agent.sources():
            batches = list(s.agent.read(source))
            again = list(s.agent.read(source, _mark(source, batches[-1])))
            assert [event for batch in again for event in batch.events] == []

    def test_a_mark_without_a_cursor_is_read_from_the_beginning(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.prompt("one")
        s.shell("ls", "a")
        s.say("Sorry about that.")
        s.save()
        for source in s.agent.sources():
            batches = list(s.agent.read(source))
            assert batches[0].from_start
            assert list(s.agent.read(source, SourceMark(size=-1, modified_ns=source.modified_ns, cursor=""))) == batches

    def test_garbage_costs_only_itself_and_is_reported(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        s.prompt("before")
        s.garbage()
        s.prompt("after")
        s.save()
        events, problems = read_all(s.agent)
        assert typed_texts(events) == ["before", "after"]
        assert all(problem.kind is not ReadProblemKind.UNREADABLE for problem in problems)
        assert problems

    def test_bytes_that_are_no_text_cost_no_more_than_themselves(self, writers: Callable[[int], SessionWriter]) -> None:
        for number, bad in enumerate((b"\xff" * 10, b"\\ud800abcd", b"\xed\xa0\x80abcdefg"), 1):
            s = writers(number)
            s.prompt(f"before {number}")
            s.shell("make", "make: QQBROKENQQ has no rule", 2)
            s.prompt(f"with QQBROKENQQ inside {number}")
            s.prompt(f"after {number}")
            s.save()
            for source in s.agent.sources():
                _replace_everywhere(source.path, b"QQBROKENQQ", bad)
            events, problems = read_all(s.agent)
            typed = [text for text in typed_texts(events) if text and text.endswith(str(number))]
            assert [text.partition(" ")[0] for text in typed] in (["before", "with", "after"], ["before", "after"])
            assert len(typed) == 3 or problems, "a line that cannot be read is reported"
            assert all(problem.kind is not ReadProblemKind.UNREADABLE for problem in problems)

    def test_every_event_has_an_identity_of_its_own(self, writers: Callable[[int], SessionWriter]) -> None:
        s = writers(1)
        for _ in range(3):
            s.prompt("again")
            s.shell("false", "error: again", 1)
        s.save()
        events, _ = read_all(s.agent)
        expected = 9 if self.tells_ends else 6
        assert len(events) == len({event.id for event in events}) == expected


def read_all(agent: Agent, under: Path | None = None) -> tuple[list[Event], list[ReadProblem]]:
    """Return everything that a reader finds."""
    batches = [batch for source in agent.sources(under) for batch in agent.read(source)]
    return [e for batch in batches for e in batch.events], [t for batch in batches for t in batch.problems]


def typed_texts(events: list[Event]) -> list[str | None]:
    """Return what the user typed, in order."""
    return [e.text for e in events if isinstance(e, Message) and e.provenance is Provenance.TYPED]


def _mark(source: Source, batch: Batch) -> SourceMark:
    return SourceMark(size=source.size, modified_ns=source.modified_ns, cursor=batch.cursor)


def _replace_everywhere(path: Path, old: bytes, new: bytes) -> None:
    """Replace bytes of a source as another program would; the length stays, so that databases stay intact."""
    assert len(old) == len(new)
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    for file in files:
        content = file.read_bytes()
        if old in content:
            file.write_bytes(content.replace(old, new))
