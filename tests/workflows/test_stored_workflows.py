"""What is kept of workflows is what finding all of them again gives, and goes with what it was found in."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.workflows.workflow_builder import build_run
from wisen.model.failure import SessionFindings
from wisen.store.folds import Fold
from wisen.store.sqlite_index import open_index
from wisen.system.clock import SystemClock
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.log_writer import Log
from wisen.workflows.stored_workflows import current_workflows, kept_workflows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.workflow import Workflow
    from wisen.store.index import Index

DEPLOY = "docker build > docker tag > docker push > kubectl rollout status"
PUBLISH = "hugo publish > s3cmd sync > varnish purge > slackcat"
WORK = {"deploy to staging": DEPLOY, "publish the site": PUBLISH, "fix it": "edit .py > pytest"}


@pytest.fixture(params=["file", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    opened: Index = (
        open_index(tmp_path / "index.db", clock=SystemClock())[0] if request.param == "file" else MemoryIndex()
    )
    yield opened
    opened.close()


def record(index: Index, native: str, asked: str, *, context: str = "orchard", steps: str = "") -> None:
    """Mine a session with one run; if it is there already, again with this run."""
    log = Log(f"/{native}.jsonl", native, context=context)
    log.typed(f"{native}m", int(native[1:]))
    if not index.events.store([log.batch()]):
        index.findings.mine_again(index.sessions.numbers_of({("claude-code", native)}))
    for history in [*index.findings.take_unmined(1)]:
        run = build_run(int(native[1:]), asked, steps or WORK[asked], session=history.session)
        run = structs.replace(run, request=f"{native}m", context=context)
        runs = (run,) if history.native == native else ()  # of another session, the request was forgotten
        index.findings.store_findings([SessionFindings(session=history.session, runs=runs)], 1)


def found(index: Index) -> dict[str, tuple[tuple[int, ...], tuple[Workflow, ...]]]:
    """Return the sessions and workflows of each context."""
    known = current_workflows(index, "1", apart=2)
    return {context: (each.sessions, each.workflows) for context, each in known.items()}


def found_again(index: Index) -> dict[str, tuple[tuple[int, ...], tuple[Workflow, ...]]]:
    """Return the same from all sessions."""
    index.folds.clear()
    return found(index)


def test_a_new_session_joins_the_workflows_of_its_context_alone(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
        record(index, f"s{number + 10}", "publish the site", context="garden")
    before = current_workflows(index, "1")
    assert [each.uses for there in before.values() for each in there.workflows] == [3, 3]
    record(index, "s4", "deploy to staging")
    after = current_workflows(index, "1")
    assert after["garden"] == before["garden"]
    assert [(each.id, each.uses) for each in after["orchard"].workflows] == [(before["orchard"].workflows[0].id, 4)]
    assert found(index) == found_again(index)


def test_a_session_that_is_deleted_or_mined_otherwise_leaves_its_workflow(index: Index) -> None:
    for number in (1, 2, 3, 4):
        record(index, f"s{number}", "deploy to staging")
    current_workflows(index, "1")
    index.removal.remove_sessions({("claude-code", "s1", 0)})
    record(index, "s2", "fix it")
    (left,) = current_workflows(index, "1")["orchard"].workflows
    assert left.runs == ("s3m", "s4m")
    index.removal.remove_sessions({("claude-code", f"s{number}", 0) for number in (2, 3, 4)})
    assert current_workflows(index, "1") == {}
    state = index.folds.load("workflows orchard", "3 1")
    assert state is not None
    assert state.value == ""


def test_what_was_forgotten_is_kept_nowhere(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
    assert "deploy" in current_workflows(index, "1")["orchard"].workflows[0].title
    index.removal.redact({("claude-code", f"s{number}m") for number in (1, 2)})
    assert index.folds.load("workflows", "3 1") is None
    assert index.folds.load("workflows orchard", "3 1") is None
    assert current_workflows(index, "1")["orchard"].workflows == ()


def test_what_is_kept_by_another_version_or_damaged_is_found_again(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
    before = current_workflows(index, "1")
    assert current_workflows(index, "2") == before
    for damaged in ("", "[]", '{"orchard": 7}', '{"orchard": {"sessions": [], "workflows": [{}]}}'):
        index.folds.save("workflows", "3 1", Fold(index.folds.revision(), damaged), holds_text=True)
        assert current_workflows(index, "1") == before


def test_what_the_finder_knew_is_worked_out_again_where_it_is_damaged(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
    current_workflows(index, "1")
    for damaged in ("{", "[[],0,[],7]", ""):
        index.folds.save("workflows orchard", "3 1", Fold(index.folds.revision(), damaged), holds_text=True)
        record(index, "s4", "deploy to staging")
        assert found(index) == found_again(index)


def forget_patterns(index: Index, name: str) -> None:
    """Take the patterns out of a state: whatever is added to it gives other workflows."""
    stored = index.folds.load(name, "3 1")
    assert stored is not None
    sessions, runs, workflows, state = json.loads(stored.value)
    counts, newest, _, *rest = state
    emptied = json.dumps([sessions, runs, workflows, [counts, newest, [], *rest]])
    index.folds.save(name, "3 1", stored._replace(value=emptied), holds_text=True)


def test_a_later_session_is_added_to_what_the_finder_knew(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
    current_workflows(index, "1")
    forget_patterns(index, "workflows orchard")
    record(index, "s4", "deploy to staging")
    assert found(index) != found_again(index), "what is kept was not used"


@pytest.mark.parametrize(("changed", "used"), [("s8", "-recent"), ("s6", "-older"), ("s1", "")])
def test_a_session_that_goes_on_is_added_to_the_last_state_before_it(changed: str, used: str) -> None:
    def is_used(name: str) -> bool:
        index = MemoryIndex()
        for number in range(1, 9):
            record(index, f"s{number}", "deploy to staging")
            found(index)
        forget_patterns(index, f"workflows{name} orchard")
        record(index, changed, "publish the site")
        return found(index) != found_again(index)

    assert [name for name in ("", "-recent", "-older") if is_used(name)] == ([used] if used else [])


def test_forgetting_in_one_context_leaves_what_is_kept_of_another(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
        record(index, f"s{number + 4}", "publish the site", context="garden")
    before = current_workflows(index, "1")
    index.removal.redact({("claude-code", "s1m")})
    assert index.folds.load("workflows", "3 1") is None
    assert index.folds.load("workflows orchard", "3 1") is None
    kept = index.folds.load("workflows garden", "3 1")
    assert current_workflows(index, "1")["garden"] == before["garden"]
    assert index.folds.load("workflows garden", "3 1") == kept
    assert found(index) == found_again(index)


def test_of_many_contexts_to_go_through_again_some_wait_for_the_next_time(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging")
        record(index, f"s{number + 3}", "publish the site", context="garden")
        record(index, f"s{number + 6}", "publish the site", context="meadow")
    before = current_workflows(index, "1", most=1)
    assert sorted(before) == ["garden", "meadow", "orchard"], "the first time, nothing waits"
    index.removal.redact({("claude-code", f"s{number}m") for number in (1, 4)})
    for number in (1, 4):
        record(index, f"s{number}", "fix it", context="orchard" if number == 1 else "garden")
    assert kept_workflows(index, "1", "orchard") == kept_workflows(index, "1", "garden") == ()
    assert kept_workflows(index, "1", "meadow") == before["meadow"].workflows
    assert sorted(current_workflows(index, "1", most=1)) == ["garden", "meadow"]
    assert kept_workflows(index, "1", "orchard") == ()
    assert sorted(current_workflows(index, "1", most=1)) == ["garden", "meadow", "orchard"]
    assert found(index) == found_again(index)
    assert kept_workflows(index, "1", "orchard") == current_workflows(index, "1")["orchard"].workflows != ()


def test_a_context_whose_name_is_not_utf_8_is_kept(index: Index) -> None:
    for number in (1, 2, 3):
        record(index, f"s{number}", "deploy to staging", context="o\udcffther")
    before = current_workflows(index, "1")
    assert [each.uses for each in before["o\udcffther"].workflows] == [3]
    assert current_workflows(index, "1") == before
    record(index, "s4", "deploy to staging", context="o\udcffther")
    assert [each.uses for each in current_workflows(index, "1")["o\udcffther"].workflows] == [4]


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["record", "record", "record", "delete", "redact", "look", "look a little"]),
        st.integers(1, 9),
        st.sampled_from(sorted(WORK)),
        st.sampled_from(["orchard", "garden"]),
    ),
    max_size=24,
)


@given(OPERATIONS, st.booleans())
def test_it_is_always_what_finding_all_again_gives(operations: list[tuple[str, int, str, str]], in_file: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index: Index = open_index(Path(folder) / "index.db", clock=SystemClock())[0] if in_file else MemoryIndex()
        for operation, number, asked, context in operations:
            if operation == "record":
                record(index, f"s{number}", asked, context=context)
            elif operation == "delete":
                index.removal.remove_sessions({("claude-code", f"s{number}", 0)})
            elif operation == "redact":
                index.removal.redact({("claude-code", f"s{number}m")})
            else:
                current_workflows(index, "1", apart=2, most=None if operation == "look" else 1)
        kept = found(index)
        assert kept == found_again(index)
        index.close()
