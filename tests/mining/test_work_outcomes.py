"""The work towards a goal is judged by what followed it: what speaks against it first, then what speaks for it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from wisen.mining.goals import goals_of
from wisen.mining.work_outcomes import as_next_session, judge_by_next_session, judge_outcomes
from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.signal import Polarity, RecordedSignal, Signal, SignalKind
from wisen.model.work_outcome import NextSession, OutcomeReason, WorkOutcome

pytestmark = pytest.mark.requirement("F5")
AT = datetime(2026, 3, 2, tzinfo=UTC)
WORKED, PARTIAL, FAILED, UNKNOWN = WorkOutcome
ADD = "edit shop.py a = 1 => a = 2"
BACK = "edit shop.py a = 2 => a = 1"
_STATUS = {"ok": Status.OK, "edit": Status.OK, "write": Status.OK, "failed": Status.FAILED, "pending": None}
_ORIGINS = {"queued": "queued", "reason": "rejection"}
_SIGNALS = {
    "wrong": (SignalKind.CORRECTION, 0.9),
    "doubt": (SignalKind.CORRECTION, 0.5),
    "praise": (SignalKind.PRAISE, 0.9),
}


class Course:
    """A session from lines, a minute apart: who did what.

    `said TEXT`, `queued TEXT`, `reason TEXT` (typed to reject a call), `wrong TEXT` (a
    correction), `doubt TEXT` (perhaps one), `praise TEXT`, `refused`, `stopped`; `ok COMMAND`, `failed COMMAND`,
    `pending COMMAND`, `edit FILE OLD => NEW`, `write FILE`, `tool NAME`.
    """

    def __init__(self, *lines: str) -> None:
        self._steps: list[Step] = []
        self._turns: list[Turn] = []
        self.signals: list[RecordedSignal] = []
        for number, line in enumerate(lines):
            what, _, rest = line.partition(" ")
            at = AT + timedelta(minutes=number)
            if what in (*_STATUS, "tool"):
                self._call(number, what, rest, at)
            else:
                self._act(number, what, rest, at)
        self.history = History(session=1, steps=tuple(self._steps), turns=tuple(self._turns))
        self.goals = goals_of(self.history)

    def _call(self, number: int, what: str, rest: str, at: datetime) -> None:
        tool, arguments = "Bash", {"command": rest}
        if what == "edit":
            path, _, change = rest.partition(" ")
            old, _, new = change.partition(" => ")
            tool, arguments = "Edit", {"file_path": f"/work/{path}", "old_string": old, "new_string": new}
        elif what == "write":
            tool, arguments = "Write", {"file_path": f"/work/{rest}"}
        elif what == "tool":
            tool, arguments = rest, {}
        self._steps.append(
            Step(
                call=f"c{number}",
                tool=tool,
                arguments=json.dumps(arguments),
                status=_STATUS.get(what, Status.OK),
                text="no" if what == "failed" else None,
                at=at,
            )
        )

    def _act(self, number: int, what: str, rest: str, at: datetime) -> None:
        action = UserAction(what) if what in ("refused", "stopped") else UserAction.SAID
        call = self._steps[-1].call if self._steps and action is not UserAction.SAID else ""
        origin = _ORIGINS.get(what, "prompt") if action is UserAction.SAID else ""
        text = rest if action is UserAction.SAID else None
        turn = Turn(id=f"m{number}", action=action, at=at, text=text, before=len(self._steps), origin=origin, call=call)
        self._turns.append(turn)
        if what in _SIGNALS:
            kind, probability = _SIGNALS[what]
            signal = Signal(kind=kind, probability=probability, start=0, end=1, polarity=Polarity.NEITHER)
            self.signals.append(RecordedSignal(message=turn.id, at=at, signal=signal))


def judged(*lines: str, later: NextSession | None = None) -> list[tuple[WorkOutcome, OutcomeReason]]:
    course = Course(*lines)
    found = judge_outcomes(course.history, course.goals, course.signals, later)
    return [(each.outcome, each.reason) for each in found]


def first(*lines: str, later: NextSession | None = None) -> tuple[WorkOutcome, OutcomeReason]:
    return judged(*lines, later=later)[0]


def next_session(*requests: str, after: timedelta = timedelta(hours=3)) -> NextSession:
    return NextSession(began=AT + after, requests=requests)


def test_green_checks_at_the_end_show_that_it_worked() -> None:
    assert first("said add a tax to the shop", ADD, "ok pytest -q") == (WORKED, OutcomeReason.CHECKED)


def test_what_was_committed_worked() -> None:
    assert first("said add a tax to the shop", ADD, "ok git commit -am tax") == (WORKED, OutcomeReason.COMMITTED)


def test_what_was_committed_for_the_next_request_worked_too() -> None:
    found = judged("said add a tax to the shop", ADD, "said now commit the work", "ok git commit -am tax")
    assert found == [(WORKED, OutcomeReason.COMMITTED)] * 2


def test_a_commit_outweighs_a_failure_before_it() -> None:
    lines = ("said add a tax to the shop", ADD, "failed pytest -q", "said now commit the work", "ok git commit -am tax")
    assert first(*lines) == (WORKED, OutcomeReason.COMMITTED)


def test_a_check_that_fails_after_the_work_was_published_outweighs_that() -> None:
    pushed = ("said release 1.2", "ok git push --tags")
    assert first(*pushed, "ok curl -f https://shop.example/health") == (WORKED, OutcomeReason.COMMITTED)
    assert first(*pushed, "failed curl -f https://shop.example/health") == (FAILED, OutcomeReason.FAILING)


def test_a_commit_of_earlier_work_says_nothing_of_what_was_edited_after_it() -> None:
    assert first("said add a tax to the shop", "ok git commit -am a", ADD) == (UNKNOWN, OutcomeReason.NO_EVIDENCE)


def test_a_commit_that_failed_is_a_failure_left_behind() -> None:
    assert first("said commit all of it", "failed git commit -am tax") == (FAILED, OutcomeReason.FAILING)


def test_a_merge_that_was_given_up_publishes_nothing() -> None:
    assert first("said add a tax to the shop", ADD, "ok git merge --abort") == (
        WORKED,
        OutcomeReason.FINISHED,
    )


def test_praise_shows_that_it_worked_even_if_a_check_failed() -> None:
    lines = ("said add a tax to the shop", ADD, "failed pytest -q", "praise that is exactly what i wanted", "ok ls")
    assert first(*lines) == (WORKED, OutcomeReason.PRAISED)


def test_a_command_that_was_itself_the_result_is_finished() -> None:
    assert first("said deploy it to staging", "ok ./deploy staging") == (WORKED, OutcomeReason.FINISHED)


def test_a_text_that_was_written_is_itself_the_result() -> None:
    assert first("said add a license file", "write LICENSE") == (WORKED, OutcomeReason.FINISHED)


def test_code_that_nobody_ran_and_nobody_spoke_of_is_unknown() -> None:
    assert first("said add a tax to the shop", ADD) == (UNKNOWN, OutcomeReason.NO_EVIDENCE)


def test_code_was_accepted_if_the_user_went_on_without_objecting() -> None:
    assert first("said add a tax to the shop", ADD, "said and what about refunds", "ok ls") == (
        WORKED,
        OutcomeReason.ACCEPTED,
    )


def test_an_answer_that_the_user_went_on_from_served_its_purpose() -> None:
    lines = ("said where are taxes computed", "ok rg tax", "tool Read", "said then rename that function", "ok ls")
    assert first(*lines) == (WORKED, OutcomeReason.ACCEPTED)


def test_an_answer_that_nobody_reacted_to_is_unknown() -> None:
    assert first("said where are taxes computed", "ok rg tax", "tool Read") == (UNKNOWN, OutcomeReason.NO_EVIDENCE)


def test_a_plan_that_an_agent_keeps_for_itself_is_no_result() -> None:
    assert first("said plan the taxes", "write .claude/plans/tax.md") == (UNKNOWN, OutcomeReason.NO_EVIDENCE)


def test_a_plan_that_the_project_keeps_is_a_result() -> None:
    assert first("said plan the taxes", "write .planning/todos/tax.md") == (WORKED, OutcomeReason.FINISHED)


def test_a_failure_left_behind_shows_that_it_failed() -> None:
    assert first("said add a tax to the shop", ADD, "failed pytest -q") == (FAILED, OutcomeReason.FAILING)


def test_a_search_that_found_nothing_is_no_failure() -> None:
    lines = ("said is there a tax already", "failed rg tax", "said then add one to the shop", "ok ls")
    assert first(*lines) == (WORKED, OutcomeReason.ACCEPTED)


def test_work_that_broke_off_in_a_call_is_unknown() -> None:
    assert first("said deploy it to staging", "ok ./deploy check", "pending ./deploy staging") == (
        UNKNOWN,
        OutcomeReason.NO_EVIDENCE,
    )


def test_corrected_work_is_partial_although_its_checks_passed() -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "wrong no, taxes go on top of the price", "ok ls")
    assert first(*lines) == (PARTIAL, OutcomeReason.CORRECTED)


def test_a_correction_outweighs_a_commit() -> None:
    lines = ("said add a tax to the shop", ADD, "ok git commit -am tax", "wrong that is not the tax i meant", "ok ls")
    assert first(*lines) == (PARTIAL, OutcomeReason.CORRECTED)


def test_a_correction_during_the_work_counts_as_one_after_it() -> None:
    lines = ("said add a tax to the shop", "ok ls", "wrong no", ADD, "ok pytest -q")
    assert first(*lines)[0] is PARTIAL


def test_what_was_said_before_the_first_call_belongs_to_the_request() -> None:
    lines = ("said add a tax to the shop", "wrong no, i mean to the invoice", ADD, "ok pytest -q")
    assert judged(*lines) == [(WORKED, OutcomeReason.CHECKED)]


def test_a_correction_that_speaks_of_the_request_shows_that_it_was_not_reached() -> None:
    lines = (
        "said fix the failing invoice tests",
        ADD,
        "ok pytest -q",
        "wrong invoice tests are still failing",
        "ok ls",
    )
    assert first(*lines) == (FAILED, OutcomeReason.CORRECTED)


def test_a_doubtful_correction_does_not_count() -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "doubt could the menu be green", "ok ls")
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_a_correction_that_speaks_of_the_request_is_about_it_whatever_is_changed_then() -> None:
    lines = (
        "said add a menu", "edit menu.py a => b", "said fix the failing invoice tests", ADD, "ok pytest -q",
        "wrong invoice tests are still failing", "edit menu.py b => c",
    )  # fmt: skip
    assert judged(*lines)[1] == (FAILED, OutcomeReason.CORRECTED)


def test_an_answer_that_was_corrected_twice_failed() -> None:
    lines = (
        "said where are taxes computed",
        "ok rg tax",
        "wrong not there",
        "ok rg vat",
        "wrong not there either",
        "ok ls",
    )
    assert judged(*lines)[:2] == [(FAILED, OutcomeReason.CORRECTED), (PARTIAL, OutcomeReason.CORRECTED)]


def test_a_correction_after_a_commit_is_about_what_was_committed() -> None:
    lines = (
        "said add a tax to the shop",
        ADD,
        "said commit all of it",
        "ok git commit -am tax",
        "wrong it is not on top",
        "ok ls",
    )
    assert judged(*lines)[:2] == [(PARTIAL, OutcomeReason.CORRECTED), (WORKED, OutcomeReason.COMMITTED)]


def test_a_correction_after_work_that_was_also_committed_is_about_that_work() -> None:
    lines = ("said answer the comments", "ok ./answer all", "ok git push", "wrong the third answer is untrue", "ok ls")
    assert first(*lines) == (PARTIAL, OutcomeReason.CORRECTED)


def test_a_correction_that_changes_only_files_of_an_earlier_goal_is_about_that_one() -> None:
    lines = (
        "said add a tax to the shop", ADD, "said write the page", "edit page.html a => b", "ok pytest -q",
        "wrong the tax is wrong", "edit shop.py a = 2 => a = 3", "ok pytest -q",
    )  # fmt: skip
    assert judged(*lines)[1] == (WORKED, OutcomeReason.CHECKED)


def test_a_rejected_call_at_the_end_fails_work_that_left_nothing() -> None:
    assert first("said deploy it to staging", "pending ./deploy", "refused") == (FAILED, OutcomeReason.REJECTED)


def test_a_rejected_call_at_the_end_makes_work_partial_that_left_something() -> None:
    assert first("said add a tax to the shop", ADD, "pending ./deploy", "refused") == (PARTIAL, OutcomeReason.REJECTED)


def test_a_call_that_was_rejected_by_saying_what_to_do_instead_redirects_the_work() -> None:
    lines = ("said deploy it to staging", "pending ./deploy", "reason use make for that")
    assert first(*lines, "ok make deploy") == (PARTIAL, OutcomeReason.REJECTED)
    assert first(*lines, "ok ls") == (FAILED, OutcomeReason.REJECTED)


def test_stopped_work_that_left_nothing_failed() -> None:
    assert first("said deploy it to staging", "ok ls", "stopped") == (FAILED, OutcomeReason.INTERRUPTED)


def test_a_stop_outweighs_praise_for_what_came_before() -> None:
    lines = ("said deploy it to staging", "ok ls", "stopped", "praise nice so far, but let us wait")
    assert first(*lines) == (FAILED, OutcomeReason.INTERRUPTED)


def test_work_that_goes_on_after_a_stop_ends_as_that_does() -> None:
    lines = ("said add a tax to the shop", "ok ls", "stopped", "said the network is back now")
    assert first(*lines, ADD, "ok pytest -q") == (WORKED, OutcomeReason.CHECKED)
    assert first(*lines) == (FAILED, OutcomeReason.INTERRUPTED)


def test_a_stop_for_the_sake_of_a_correction_does_count() -> None:
    lines = ("said add a tax to the shop", "ok ls", "stopped", "wrong not to the shop", ADD, "ok pytest -q")
    assert first(*lines) == (FAILED, OutcomeReason.INTERRUPTED)


def test_a_stop_that_the_work_went_on_after_does_not_count() -> None:
    lines = ("said add a tax to the shop", "ok ls", "stopped", "said continue", ADD, "ok pytest -q")
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_closing_a_question_of_the_agent_is_no_objection() -> None:
    lines = ("said which tax is it", "ok rg tax", "tool AskUserQuestion", "refused", "said take the second", "ok ls")
    assert first(*lines) == (WORKED, OutcomeReason.ACCEPTED)


@pytest.mark.parametrize(
    "taking",
    [
        "git checkout -- shop.py",
        "git checkout HEAD~1 -- shop.py",
        "git restore shop.py",
        "git restore .",
        "git reset --hard",
        "git stash drop",
        "git checkout .",
    ],
)
def test_what_was_thrown_away_for_the_next_request_failed(taking: str) -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "said forget the tax", f"ok {taking}")
    assert first(*lines) == (FAILED, OutcomeReason.REVERTED)


@pytest.mark.parametrize(
    "harmless", ["git stash", "git restore --staged shop.py", "git checkout main", "rm shop.py", "git reset shop.py"]
)
def test_what_may_only_move_the_work_throws_nothing_away(harmless: str) -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "said look at the rest", f"ok {harmless}")
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_a_reset_of_the_tree_does_not_reach_what_was_committed() -> None:
    lines = ("said add a tax", ADD, "ok git commit -am tax", "said throw the rest away", "ok git reset --hard")
    assert first(*lines) == (WORKED, OutcomeReason.COMMITTED)


def test_a_file_that_the_same_work_restored_was_not_taken_back_by_the_user() -> None:
    lines = ("said add a tax to the shop", ADD, "ok git restore shop.py", ADD, "ok pytest -q")
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_an_edit_that_the_same_work_tried_both_ways_was_not_taken_back() -> None:
    lines = ("said add a tax to the shop", ADD, BACK, "edit shop.py a = 1 => a = 3", "ok pytest -q")
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_an_edit_that_was_edited_back_was_taken_back() -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "said without the tax after all", BACK)
    assert first(*lines) == (FAILED, OutcomeReason.REVERTED)


def test_work_of_which_a_part_was_taken_back_is_partial() -> None:
    lines = ("said add a tax to the shop", ADD, "edit page.html x => y", "ok pytest -q", "said not in the shop", BACK)
    assert first(*lines) == (PARTIAL, OutcomeReason.REVERTED)


def test_work_that_was_corrected_by_taking_a_part_of_it_back_failed() -> None:
    lines = ("said add a tax to the shop", ADD, "edit page.html x => y", "ok pytest -q", "wrong not in the shop", BACK)
    assert first(*lines) == (FAILED, OutcomeReason.REVERTED)


def test_one_edit_of_many_may_be_edited_back() -> None:
    many = [f"edit page{number}.html x => y" for number in range(9)]
    lines = ("said add a tax to the shop", ADD, *many, "ok pytest -q", "said not in the shop", BACK)
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_what_is_taken_back_long_afterwards_was_superseded() -> None:
    asked = ("said add a tax to the shop", ADD, "ok pytest -q")
    others = [line for number in range(9) for line in (f"said write page number {number}", f"write {number}.md")]
    more = [line for number in range(2) for line in (f"said read page number {number}", "ok ls")]
    assert first(*asked, *others, "said without the tax", BACK) == (FAILED, OutcomeReason.REVERTED)
    assert first(*asked, *others, *more, "said without the tax", BACK) == (WORKED, OutcomeReason.CHECKED)


def test_a_failed_command_takes_nothing_back() -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "said forget it", "failed git reset --hard")
    assert first(*lines) == (WORKED, OutcomeReason.CHECKED)


def test_being_taken_back_outweighs_a_correction() -> None:
    lines = ("said add a tax to the shop", ADD, "ok pytest -q", "wrong no, undo that", "ok git restore shop.py")
    assert first(*lines) == (FAILED, OutcomeReason.REVERTED)


def test_work_that_goes_on_under_a_message_typed_meanwhile_ends_as_that_does() -> None:
    lines = ("said add a tax to the shop", ADD, "failed pytest -q", "queued and write a test for it", "ok pytest -q")
    assert judged(*lines) == [(WORKED, OutcomeReason.CHECKED)] * 2


def test_the_same_request_in_the_next_session_shows_that_the_answer_did_not_help() -> None:
    asked = "find out why the invoice shows no tax"
    lines = (f"said {asked}", "ok rg tax")
    assert first(*lines, later=next_session("hi", asked)) == (FAILED, OutcomeReason.ASKED_AGAIN)
    assert first(*lines, later=next_session("translate the readme")) == (UNKNOWN, OutcomeReason.NO_EVIDENCE)


def test_the_same_request_shows_that_checked_edits_did_not_help() -> None:
    asked = "find out why the invoice shows no tax"
    assert first(f"said {asked}", ADD, "ok pytest -q", later=next_session(asked)) == (FAILED, OutcomeReason.ASKED_AGAIN)


@pytest.mark.parametrize("command", ["./deploy staging", "git push", "pytest -q"])
def test_what_succeeded_and_is_requested_once_more_is_routine(command: str) -> None:
    asked = "bring the shop to the staging server"
    assert first(f"said {asked}", f"ok {command}", later=next_session(asked))[0] is WORKED


def test_a_request_of_a_few_words_is_routine() -> None:
    assert first("said look around", "ok rg tax", later=next_session("look around"))[0] is UNKNOWN


def test_a_session_days_later_says_nothing() -> None:
    asked = "find out why the invoice shows no tax"
    late = next_session(asked, after=timedelta(days=3))
    assert first(f"said {asked}", "ok rg tax", later=late)[0] is UNKNOWN


def test_a_session_that_began_before_the_work_ended_says_nothing() -> None:
    asked = "find out why the invoice shows no tax"
    before = next_session(asked, after=timedelta(seconds=30))
    assert first(f"said {asked}", "ok rg tax", later=before)[0] is UNKNOWN


@pytest.mark.parametrize("request_", ["commit", "ok, commit and push", "Please commit this", "提交"])
def test_a_next_session_that_begins_by_committing_accepts_the_work(request_: str) -> None:
    assert first("said add a tax to the shop", ADD, later=next_session(request_)) == (WORKED, OutcomeReason.COMMITTED)


def test_a_next_session_that_asks_for_the_same_commit_accepts_nothing() -> None:
    lines = ("said commit this work", "ok git diff", "pending git diff --cached")
    assert first(*lines, later=next_session("commit")) == (UNKNOWN, OutcomeReason.NO_EVIDENCE)


def test_a_next_session_that_begins_with_a_committee_accepts_nothing() -> None:
    later = next_session("committee pages need a title")
    assert first("said add a tax to the shop", ADD, later=later)[0] is UNKNOWN


def test_the_next_session_changes_only_the_last_goals() -> None:
    asked = "find out why the invoice shows no tax"
    others = [line for word in ("red", "blue", "pink") for line in (f"said color the {word} page", "ok ls")]
    assert first(f"said {asked}", "ok rg tax", *others, later=next_session(asked)) == (WORKED, OutcomeReason.ACCEPTED)


def test_the_next_session_may_be_added_when_it_arrives() -> None:
    course = Course("said add a tax to the shop", ADD)
    before = judge_outcomes(course.history, course.goals, course.signals)
    later = next_session("commit")
    added = judge_by_next_session(course.history, course.goals, before, later)
    assert added == judge_outcomes(course.history, course.goals, course.signals, later) != before


def test_a_session_tells_the_one_before_it_what_was_typed_and_when() -> None:
    course = Course("stopped", "said add a tax", "ok ls", "said commit")
    assert as_next_session(course.history) == NextSession(
        began=AT + timedelta(minutes=1), requests=("add a tax", "commit")
    )


def test_a_session_in_which_nothing_was_typed_tells_nothing() -> None:
    assert as_next_session(Course("ok ls").history) is None


def test_a_session_without_anything_has_no_outcomes() -> None:
    assert judged() == []


def test_a_request_without_a_call_is_unknown() -> None:
    assert judged("said hello there my friend") == [(UNKNOWN, OutcomeReason.NO_EVIDENCE)]


def test_a_session_of_which_no_text_was_kept_is_judged_by_its_calls() -> None:
    course = Course("said add a tax to the shop", "ok ls", "said and what about refunds", "ok ls")
    turns = tuple(Turn(id=t.id, action=t.action, at=t.at, text=None, before=t.before) for t in course.history.turns)
    steps = tuple(
        Step(call=s.call, tool=s.tool, arguments=None, status=s.status, text=None, at=s.at)
        for s in course.history.steps
    )
    bare = History(session=1, steps=steps, turns=turns)
    found = judge_outcomes(bare, course.goals, (), next_session("commit"))
    assert [each.outcome for each in found] == [WORKED, WORKED]


def test_goals_of_calls_and_messages_that_are_gone_are_unknown() -> None:
    course = Course("said add a tax to the shop", ADD, "said and what about refunds", "ok ls")
    found = judge_outcomes(History(session=1, steps=()), course.goals, course.signals, next_session("commit"))
    assert {each.outcome for each in found} == {UNKNOWN}


def test_calls_without_outcomes_or_with_damaged_arguments_prove_nothing() -> None:
    course = Course("said add a tax to the shop", "pending git commit -am tax")
    damaged = Step(call="c1", tool="Bash", arguments="{nonsense", status=None, text=None, at=AT)
    bare = History(session=1, steps=(damaged,), turns=course.history.turns)
    for history in (course.history, bare):
        assert {each.outcome for each in judge_outcomes(history, course.goals, ())} == {UNKNOWN}


def test_commands_inside_a_script_of_an_agent_are_read() -> None:
    script = 'const r = await tools.exec_command({"cmd":"git commit -m \\"tax\\"","workdir":"/work"});'
    course = Course("said add a tax to the shop", ADD, "ok ls")
    steps = (
        course.history.steps[0],
        Step(call="c2", tool="exec", arguments=json.dumps({"input": script}), status=Status.OK, text=None, at=AT),
    )
    (found,) = judge_outcomes(History(session=1, steps=steps, turns=course.history.turns), course.goals, ())
    assert found.reason is OutcomeReason.COMMITTED


def test_opening_a_pull_request_publishes_the_work_and_looking_at_one_does_not() -> None:
    assert first("said add a tax to the shop", ADD, "ok gh pr create --fill")[1] is OutcomeReason.COMMITTED
    assert first("said add a tax to the shop", ADD, "ok gh pr view 3")[1] is not OutcomeReason.COMMITTED
