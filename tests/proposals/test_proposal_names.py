"""Proposals by number, short id and id: a number refers to the list as shown, whatever was answered since."""

from __future__ import annotations

import json
import os
import pty
import re
import select
from contextlib import suppress
from pathlib import Path

import pytest

import wisen
from tests.commands import AS_PERSON, run
from tests.hooks import fire
from wisen import app
from wisen.errors import UsageError
from wisen.model.entry import Answer
from wisen.model.presence import NotAPerson
from wisen.model.short_ids import short_id, short_ids
from wisen.testing.fakes import FixedPresence
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("S6")

SAID = (
    "no, from now on always use pnpm instead of npm",
    "no, from now on always write dates as year, month, day",
    "no, from now on always sort the imports",
)


@pytest.fixture
def shop(home: Path) -> Path:
    project = home / "shop"
    project.mkdir()
    for number in (1, 2, 3):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("make the report")
        for text in SAID:
            log.bash("make report", "done")
            log.prompt(text)
        log.bash("ls")
        log.write(home / ".claude" / "projects" / "shop")
    with wisen.open_learner() as learner:
        learner.cycle()
        assert sum(each.is_waiting for each in learner.proposals.all()) == 3
    return project


def test_numbers_mean_the_list_that_was_shown_whatever_was_answered_since(shop: Path) -> None:
    with wisen.open_learner() as learner:
        ids = [each.proposal.id for each in learner.proposals.all() if each.is_waiting]
        learner.proposals.remember_shown(ids)
        learner.proposals.answer("1", Answer.APPROVED)
        learner.proposals.answer("2", Answer.APPROVED)
        answers = {each.proposal.id: each.answer for each in learner.proposals.all()}
        assert [answers[each] for each in ids] == [Answer.APPROVED, Answer.APPROVED, None]
        text = learner.proposals.get(ids[0]).proposal.text
        with pytest.raises(UsageError, match=re.escape(f"{short_id(ids[0])} (“{text}”) was already approved")):
            learner.proposals.answer("1", Answer.APPROVED)
        for number in ("0", "4", "99"):
            with pytest.raises(UsageError, match=f"has 3 proposals, and no number {number}"):
                learner.proposals.answer(number, Answer.APPROVED)
        learner.proposals.remember_shown(ids[2:])
        assert learner.proposals.get("1").proposal.id == ids[2], "the list that was shown last"


def test_a_number_of_no_list_is_refused_with_the_next_step(shop: Path) -> None:
    with wisen.open_learner() as learner, pytest.raises(UsageError, match="Run wisen proposals first"):
        learner.proposals.answer("2", Answer.APPROVED)


@pytest.mark.parametrize("broken", [b"", b"{", b"\xff\xfe", b'{"a": 1}', b'[{"viewer": 3}]'])
def test_a_broken_note_of_what_was_shown_is_as_if_nothing_was(shop: Path, home: Path, broken: bytes) -> None:
    (home / "wisen" / "shown.json").write_bytes(broken)
    with wisen.open_learner() as learner:
        with pytest.raises(UsageError, match="No list of proposals was shown"):
            learner.proposals.get("2")
        learner.proposals.remember_shown([learner.proposals.all()[0].proposal.id])
        assert learner.proposals.get("1") == learner.proposals.all()[0]


def test_what_an_agent_looked_at_was_shown_to_nobody_who_decides(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with wisen.open_learner() as learner:
        ids = [each.proposal.id for each in learner.proposals.all()]
        learner.proposals.remember_shown(ids)
    monkeypatch.setattr(app.Wiring, "presence", lambda _: FixedPresence(NotAPerson("an agent", "claude-code")))
    with wisen.open_learner() as learner:
        learner.proposals.remember_shown(ids[1:])
        assert learner.proposals.get("2").proposal.id == ids[1]


def test_each_terminal_has_its_own_list(shop: Path) -> None:
    with wisen.open_learner() as learner:
        ids = [each.proposal.id for each in learner.proposals.all()]
        learner.proposals.remember_shown(ids)
        own = learner.proposals.viewer
        learner.proposals.viewer = "another terminal"
        assert learner.proposals.get("2").proposal.id == ids[1], "where nothing was shown, the last that anybody saw"
        learner.proposals.remember_shown(ids[1:])
        assert learner.proposals.get("2").proposal.id == ids[2]
        learner.proposals.viewer = own
        assert learner.proposals.get("2").proposal.id == ids[1]


def test_short_ids_are_the_same_in_every_list(shop: Path, home: Path) -> None:
    proposals = json.loads(run("proposals", "--json").stdout)["proposals"]
    listed = run("proposals").stdout
    reviewed = run("review", stdin="q\n").stdout
    for each in proposals:
        assert re.fullmatch("[bcdfghjkmnpqrstvwxz]{4,12}", each["short"])
        assert f"({each['short']})" in listed
    assert f"(1/3) {proposals[0]['short']}" in reviewed
    answer = fire(
        home / "wisen", "prompt", {"session_id": "s", "cwd": str(shop), "prompt": f"approve {proposals[2]['short']}"}
    )
    assert "Noted" in answer
    assert proposals[2]["short"] in answer
    run("proposals", "approve", proposals[1]["short"].upper())
    with wisen.open_learner() as learner:
        assert learner.proposals.get(proposals[1]["id"]).answer is Answer.APPROVED


def test_short_ids_never_change_and_never_meet() -> None:
    ids = [f"01HQ{number:022d}" for number in range(3000)]
    found = short_ids(ids)
    assert len(set(found.values())) == len(ids)
    assert short_ids(ids[:1000]) == {each: found[each] for each in ids[:1000]}
    assert not any(set(each) & set("aeiouyl0123456789") for each in found.values()), "no word and no number is an id"


def test_why_shows_the_conversation_before_and_after(shop: Path) -> None:
    shown = run("review", stdin="w\nq\n").stdout
    quote = next(line for line in shown.splitlines() if line.startswith("> you: "))
    message = quote.removeprefix("> you: ")[:30]
    assert any(each.startswith(message) for each in SAID)
    assert "Bash: " in shown, "and what was done around it"
    conversation = shown.partition("?] ")[2].partition("[y,n")[0]
    assert [line for line in conversation.splitlines() if len(line) > 80] == []


def test_what_is_no_longer_kept_says_so(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = learner.proposals.all()[0].proposal
        assert all(each.lines for each in learner.proposals.conversations(proposal))
        index = learner.home.index
        index.removal.remove_sessions({each.key for each in index.removal.archived_sessions()})
        assert [each.lines for each in learner.proposals.conversations(proposal)] == [(), ()]


def test_edit_begins_with_the_text_that_is_proposed(shop: Path) -> None:
    with wisen.open_learner() as learner:
        text = learner.proposals.all()[0].proposal.text
    shown = _typed_at_terminal(["review"], [("?] ", "e\n"), ("New wording: " + text, " Always.\n"), ("?] ", "q\n")])
    assert "New wording: " + text in shown
    with wisen.open_learner() as learner:
        assert f"{text} Always." in [each.text for each in learner.lessons.all()]


def _typed_at_terminal(arguments: list[str], answers: list[tuple[str, str]]) -> str:
    """Return what a command shows in a terminal to a user who types at its prompts."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "dumb"
        os.environ["COLUMNS"] = "200"
        os.execv(AS_PERSON[0], [*AS_PERSON, *arguments])
    shown, waiting, since = "", [*answers], 0
    with suppress(OSError):  # the terminal is gone when the command has ended
        while select.select([terminal], [], [], 30)[0] and (data := os.read(terminal, 4096)):
            shown += data.decode()
            if waiting and waiting[0][0] in shown[since:]:
                since = len(shown)
                os.write(terminal, waiting.pop(0)[1].encode())
    os.close(terminal)
    os.waitpid(process, 0)
    assert not waiting, f"it never showed {waiting[0][0]!r}: {shown}"
    return shown
