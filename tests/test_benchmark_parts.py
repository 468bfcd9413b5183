"""A benchmark with only part of its data names what is missing or omits figures; it never ends in a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from benchmarks import detect
from benchmarks.__main__ import main
from benchmarks.data import MissingDataError, json_lines
from benchmarks.detect_items import Item
from benchmarks.detect_left_out import later_halves, parts_by
from benchmarks.outcomes import Labelled, agreement, wilson

from wisen.model.signal import TypedTurn
from wisen.model.work_outcome import WorkOutcome
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X6")


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def session_in(folder: Path) -> ClaudeTranscript:
    log = ClaudeTranscript(1, cwd=str(folder))
    log.prompt("count the pears")
    log.bash("shopctl up --now", "shopctl: error: unrecognized option '--now'", exit_code=2)
    log.bash("shopctl up", "ok")
    log.prompt("no, that is wrong, use pnpm instead of npm")
    log.bash("pnpm install", "ok")
    log.write(folder / "transcripts")
    return log


def turn(number: int, session: str, text: str, label: str, *, borderline: bool = True) -> dict[str, Any]:
    return {
        "id": f"t{number}",
        "session": session,
        "turn_uuid": f"none-{number}",
        "timestamp": "2026-03-02T09:00:00+00:00",
        "user": text,
        "labels": [label],
        "weight": 1.0,
        "borderline": borderline,
        "rule": None,
        "durable": None,
        "preceding_event": "ok",
        "origin": "prompt",
    }


def figures_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_detect_has_no_figures_for_labels_that_a_folder_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detect, "_SECONDS", 0.01)
    log = session_in(tmp_path)
    write_rows(tmp_path / "user_turns.jsonl", [turn(1, log.session, "no, that is wrong", "correction")])
    found = figures_of(capsys, "detect", "--data", str(tmp_path))
    assert found["sets"]["our_labels"] is None
    assert found["sets"]["user_turns_clear"] is None  # the one turn is a doubtful one
    assert found["sets"]["user_turns"]["correction"]["n"] == 1
    assert found["baselines"]["generic_list"]["user_turns_clear"] is None
    assert "NaN" not in json.dumps(found)
    assert found["by_project"] == {}  # no line says where it was typed
    assert found["agreement"]["correction"]["n"] == 150
    assert found["at_start"]["n"] == 0


def test_detect_counts_the_turns_of_each_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detect, "_SECONDS", 0.01)
    log = session_in(tmp_path)
    rows = [
        turn(1, log.session, "no, that is wrong", "correction") | {"repo": "orchard/pears"},
        turn(2, log.session, "count the pears", "correction", borderline=False) | {"repo": "orchard/pears"},
    ]
    write_rows(tmp_path / "user_turns.jsonl", rows)
    found = figures_of(capsys, "detect", "--data", str(tmp_path))
    counts = found["by_project"]["orchard/pears"]["correction"]
    assert counts == {"tp": 1, "fp": 0, "fn": 1, "f1": 0.6667, "clear_f1": 0.0}


def test_the_later_half_of_a_project_and_its_people_are_left_out_whole() -> None:
    def item(number: int, session: str, began: str) -> Item:
        turn = TypedTurn(text="count the pears")
        return Item(
            id=f"t{number}", group=session, typed_turn=turn, kinds=frozenset(), project="p", person="p ann", began=began
        )

    items = [item(number, "old" if number < 12 else "new", "1" if number < 12 else "2") for number in range(24)]
    assert later_halves(items) == [list(range(12, 24))]
    assert parts_by(items, lambda each: each.person) == [list(range(24))]
    assert parts_by(items[:19], lambda each: each.person) == []  # too little is known of them


def test_retrieval_leaves_out_the_part_that_is_not_there() -> None:
    from benchmarks.retrieval import _decisions

    assert _decisions(Path("/nonexistent")) is None


@pytest.mark.parametrize("talks", ["[]", "[{}]"])
def test_retrieval_needs_two_conversations(tmp_path: Path, capsys: pytest.CaptureFixture[str], talks: str) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo10.json").write_text(talks)
    assert main(["retrieval", "--data", str(tmp_path)]) == 3
    assert capsys.readouterr().err.startswith("benchmarks retrieval: ")


def test_attribution_of_files_without_sessions_names_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import blame_worlds

    monkeypatch.setattr(blame_worlds, "figures", lambda worlds: {"worlds": worlds})
    session_in(tmp_path)
    history = {"repo": "a/b", "path": "CLAUDE.md", "date": "2026-01-01T00:00:00+00:00", "text": "Hi", "commit": "1"}
    write_rows(tmp_path / "instruction_history.jsonl", [history, {**history, "text": "Ho", "commit": "2"}])
    write_rows(tmp_path / "sessions.jsonl", [])
    found = figures_of(capsys, "attribution", "--data", str(tmp_path))
    assert (found["named"], found["sessions"], found["files"]) == (0, 0, 1)


def test_sessions_without_labels_have_no_precision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session_in(tmp_path)
    found = figures_of(capsys, "sessions", "--data", str(tmp_path))
    assert (found["fix_precision"], found["signature_pairs"]) == (None, None)


@pytest.mark.parametrize(
    "name", ["scan", "poison", "secrets", "sessions", "attribution", "detect", "retrieval", "guards"]
)
def test_an_empty_folder_is_named_and_what_belongs_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        assert main([name, "--data", str(folder)]) == 3
        output = capsys.readouterr().err
        assert output.startswith(f"benchmarks {name}: ")
        assert "--data" in output
        assert "Traceback" not in output


@pytest.mark.parametrize("name", ["detect", "attribution", "poison"])
@pytest.mark.parametrize("rows", ["not json\n", '{"x": 1}\n', "[1]\n", "\xff\n"])
def test_records_of_another_shape_are_reported_and_not_raised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, rows: str
) -> None:
    session_in(tmp_path)
    for file in ("user_turns", "sessions", "instruction_history", "injection/poison", "injection/benign"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / f"{file}.jsonl").write_text(rows, encoding="utf-8")
    shutil.copytree(tmp_path / "transcripts", tmp_path / "injection" / "transcripts")
    assert main([name, "--data", str(tmp_path)]) == 3
    output = capsys.readouterr().err
    assert output.startswith(f"benchmarks {name}: ")
    assert str(tmp_path) in output


def test_a_line_that_is_no_object_is_named_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n\n7\n')
    with pytest.raises(MissingDataError, match=r"line 3 of .*a\.jsonl"):
        json_lines(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_text("")
    assert json_lines(tmp_path / "a.jsonl") == []


def test_outcomes_without_a_labelled_goal_name_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session_in(tmp_path)
    assert main(["outcomes", "--data", str(tmp_path)]) == 3
    assert "none of the labelled goals is in the data" in capsys.readouterr().err


def test_agreement_beyond_chance_is_nothing_where_all_verdicts_could_be_chance() -> None:
    worked, failed = WorkOutcome.WORKED, WorkOutcome.FAILED
    pairs = [(worked, worked), (worked, failed), (failed, worked), (failed, failed)]
    labelled = [Labelled((str(n), ""), "", one, two, is_studied=False) for n, (one, two) in enumerate(pairs)]
    found = agreement(labelled)
    assert (found["agreement"], found["kappa"]) == (0.5, 0.0)
    assert agreement(labelled[:1])["kappa"] == 1.0


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(8, 10) == [0.49, 0.943]
    assert wilson(0, 0) is None
    assert wilson(5, 5) == [0.566, 1.0]
