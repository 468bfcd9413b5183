"""The command line end to end: output, exit codes, and fast startup."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import wisen
from tests.commands import WISEN, run
from wisen.edits.editor import Editor, LinePlan
from wisen.model.change import content_digest
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("S19")


@pytest.fixture
def session(home: Path) -> Path:
    s = ClaudeTranscript(cwd="/home/ada/shop")
    s.prompt("fix it")
    s.bash("npm test", "npm error [red]use pnpm", exit_code=1)
    s.reject(s.call("Bash", command="git push"), "not yet")
    return s.write(home / ".claude" / "projects" / "p")


def test_learn_prints_a_report_for_people(session: Path) -> None:
    text = run("learn").stdout
    assert "1 session in 1 project" in text
    assert "npm: npm error [red]use pnpm" in text
    assert "You rejected 1 call (1 with a reason)" in text


def test_learn_prints_the_same_as_json(session: Path) -> None:
    report = json.loads(run("learn", "--json").stdout)
    assert report["counts"]["typed_turns"] == 2
    assert report["counts"]["tools"][0] == {
        "tool": "Bash",
        "calls": 2,
        "ok": 0,
        "failed": 1,
        "masked": 0,
        "cancelled": 0,
        "rejected": 1,
        "sessions": 1,
    }
    assert report["failures"][0]["sessions"] == 1


def test_a_dry_run_reports_and_stores_nothing(session: Path, home: Path) -> None:
    text = run("learn", "--dry-run").stdout
    assert "1 session" in text
    assert "nothing was stored" in text
    assert not (home / "wisen").exists()


def test_with_nothing_to_read_it_says_where_it_looked(home: Path) -> None:
    assert str(home / ".claude" / "projects") in run("learn", expect=3).stdout
    (home / "empty").mkdir()
    assert f"No sessions in {home / 'empty'}" in run("learn", "--path", home / "empty", expect=3).stdout


def test_session_files_inside_a_repository_are_named_once_with_what_to_do(home: Path) -> None:
    folder = home / "clone" / "logs"
    subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
    for number in (1, 2):
        s = ClaudeTranscript(number)
        s.prompt("fix it")
        s.write(folder)
    for _ in range(2):
        text = " ".join(run("learn", "--path", folder, expect=3).stdout.split())
        assert f"2 session files in {folder} were skipped: they are inside a repository" in text
        assert "No session was read from" in text
        assert "wisen adopt" not in text
    assert " ".join(run("status").stdout.split()).count("were skipped") == 1
    assert "none waits" in run("adopt").stdout


def test_a_mistyped_command_line_is_answered_with_what_was_meant(home: Path) -> None:
    assert f"Use: wisen learn --path {home}" in run("learn", home, expect=2).stderr
    typo = run("lern", expect=2).stderr
    assert "Did you mean 'learn'" in typo
    assert "'learned'" not in typo, "a hidden name is not suggested"
    assert "--all" not in run("rules", "--all").stdout


def test_status_and_doctor_and_config_make_no_files(home: Path) -> None:
    assert "nothing learned yet" in run("status").stdout
    assert "nothing learned yet" in run("doctor").stdout
    run("config")
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("options", [(), ("--pending",)])
def test_a_rule_can_be_added_in_a_project_without_any_session(home: Path, options: tuple[str, ...]) -> None:
    project = home / "new"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert "Would be a rule in " in run("remember", "Always use tabs.", "--dry-run", *options, cwd=project).stdout
    assert json.loads(run("contexts", "--json").stdout)["contexts"] == []
    run("remember", "Always use tabs.", *options, cwd=project)
    assert ("Always use tabs." in run("rules", cwd=project).stdout) is not bool(options)
    (context,) = json.loads(run("contexts", "--json").stdout)["contexts"]
    assert context["places"] == [str(project)]
    assert "No context has the key" in run("remember", "Use tabs.", "--context", "nosuch", expect=1).stderr


def test_status_tells_the_last_run(session: Path) -> None:
    run("learn")
    state = json.loads(run("status", "--json").stdout)
    assert (state["counts"]["sessions"], state["contexts"], len(state["runs"])) == (1, 1, 1)
    assert "1 session in 1 project" in run("status").stdout


def test_status_counts_what_was_learned_and_names_the_hooks(session: Path) -> None:
    run("learn")
    assert "Hooks: none installed (wisen install AGENT)" in run("status").stdout
    run("remember", "Use pnpm, not npm.", "--global")
    run("install", "claude-code", "--yes")
    state = json.loads(run("status", "--json").stdout)
    proposals = json.loads(run("proposals", "--json").stdout)["proposals"]
    lessons = json.loads(run("lessons", "--json").stdout)["entries"]
    assert (state["rules"], state["proposals"], state["lessons"]) == (1, len(proposals), len(lessons))
    assert state["hooks"] == ["claude-code"]
    text = run("status").stdout
    assert f"{len(lessons)} lesson" in text
    assert "1 rule, " in text
    assert "Hooks: claude-code" in text


@pytest.mark.requirement("F3")
def test_fixes_shows_what_made_a_failing_call_work(home: Path) -> None:
    assert "Nothing learned yet" in run("fixes", expect=3).stdout
    for number in (1, 2):
        s = ClaudeTranscript(number)
        s.bash("npm test", "npm error use pnpm", exit_code=1)
        s.bash("pnpm test", "ok")
        s.bash("tool --old", "unknown option" if number == 1 else "fine", exit_code=int(number == 1))
        s.bash("tool --new", "ok")
        s.write(home / ".claude" / "projects" / "p")
    run("learn")
    text = run("fixes").stdout
    assert "npm: npm error use pnpm" in text
    assert "- npm test" in text
    assert "+ pnpm test" in text
    assert "caution:" not in text, "a test that another package manager runs is harmless"
    assert "--old" not in text
    assert "--old" in run("fixes", "--all").stdout
    found = json.loads(run("fixes", "--json").stdout)
    (fix,) = found["fixes"]
    assert (fix["change"]["removed"], fix["change"]["added"], fix["sessions"]) == (["npm"], ["pnpm"], 2)
    output = run("explain", fix["id"][:6]).stdout
    assert "- npm test" in output
    assert output.count("helped") == 2
    assert len(json.loads(run("explain", fix["id"], "--json").stdout)["evidence"]) == 2
    unknown = run("explain", "nosuch", expect=1).stderr
    assert "Nothing has the id 'nosuch'. Ids are shown by: wisen lessons, wisen fixes --all, wisen guards" in unknown
    assert (
        "No lesson has the name 'nosuch'. List them with: wisen lessons"
        in run("lessons", "show", "nosuch", expect=1).stderr
    )


def test_recall_calls_a_lesson_a_lesson(session: Path) -> None:
    run("lessons", "log", "learning", "Deploy with shopctl.", "--everywhere")
    run("learn")
    assert " lesson LRN-" in run("recall", "shopctl", "--scope", "all", "--kind", "lesson").stdout
    assert run("recall", "shopctl", "--kind", "entry").stdout == run("recall", "shopctl", "--kind", "lesson").stdout
    assert "lesson" in run("recall", "shopctl", "--kind", "nosuch", expect=1).stderr


def test_agents_tells_what_was_found_and_what_could_not_be_read(session: Path, home: Path) -> None:
    before = json.loads(run("agents", "--json").stdout)["agents"]
    claude = next(agent for agent in before if agent["name"] == "claude-code")
    assert (claude["sources"], claude["version"], claude["counts"]["sessions"]) == (1, "2.1.50", 0)
    assert not (home / "wisen").exists()
    with session.open("ab") as file:
        file.write(b'{"type":"hologram"}\n')
    run("learn")
    text = run("agents").stdout
    assert "claude-code" in text
    assert "unknown hologram" in text
    after = json.loads(run("agents", "--json").stdout)["agents"]
    assert next(agent for agent in after if agent["name"] == "claude-code")["counts"]["sessions"] == 1


@pytest.mark.requirement("X10")
def test_doctor_names_a_damaged_ledger_and_repairs_it_on_demand(session: Path, home: Path) -> None:
    run("learn")
    ledger = home / "wisen" / "ledger.db"
    ledger.write_bytes(b"\0garbage" * 600)
    assert "wisen doctor --repair" in run("learn", expect=1).stderr
    assert "BAD" in run("doctor", expect=4).stdout
    assert "BAD" in run("doctor", "--repair", "--dry-run", expect=4).stdout
    assert "restored from ledger-" in run("doctor", "--repair").stdout
    assert [path.read_bytes()[:8] for path in ledger.parent.glob("ledger.db.damaged-*")] == [b"\0garbage"]
    assert len(json.loads(run("status", "--json").stdout)["runs"]) == 1


@pytest.mark.requirement("X10")
def test_doctor_says_when_learning_has_stopped(session: Path, home: Path) -> None:
    from wisen.app import wire
    from wisen.health.doctor import MAX_IDLE
    from wisen.system.clock import SystemClock

    run("learn")

    class Later(SystemClock):
        def now(self):  # type: ignore[no-untyped-def]
            return super().now() + MAX_IDLE * 2

    from msgspec.structs import replace

    from wisen.health.doctor import examine
    from wisen.model.state import Health

    subject = replace(wire().doctor_input(), clock=Later())
    (bad,) = [finding for finding in examine(subject) if finding.health is Health.BAD]
    assert "learning has stopped" in bad.says


def test_errors_name_the_value_and_the_next_step(home: Path) -> None:
    assert "/nowhere does not exist" in run("learn", "--path", "/nowhere", expect=1).stderr
    assert "--part backend" in run("learn", "--part", " ", expect=1).stderr
    assert "--project shop" in run("learn", "--project", " ", expect=1).stderr
    assert "No such command" in run("lern", expect=2).stderr
    (home / "wisen").mkdir(exist_ok=True)
    (home / "wisen" / "config.toml").write_text("[store]\nbackup = 3\n")
    error = run("learn", expect=1).stderr
    assert "unknown key store.backup" in error
    assert "backups" in error


def test_output_into_a_closed_pipe_is_no_error(session: Path) -> None:
    done = subprocess.run(f"{WISEN} learn | true", shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_the_version_is_printed() -> None:
    import wisen

    assert run("--version").stdout == f"wisen {wisen.__version__}\n"


@pytest.mark.requirement("X6")
def test_help_loads_no_stores_no_decoder_and_no_terminal_toolkit() -> None:
    program = (
        "import sys\nfrom wisen.surfaces.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'sqlite3', 'msgspec', 'rich', 'ahocorasick_rs', 'psycopg', 'platformdirs'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.requirement("X6")
def test_importing_the_package_does_nothing() -> None:
    program = "import sys, wisen; print(sorted(m for m in sys.modules if m.startswith('wisen')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['wisen']"


@pytest.mark.requirement("X6")
def test_learning_opens_no_connection(session: Path) -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise AssertionError('a connection was opened')\n"
        "socket.socket.connect = refuse\n"
        "import wisen\n"
        "with wisen.open_learner() as learner: print(learner.learn().counts.sessions)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def test_the_report_is_also_a_page_and_markdown_and_never_written_over_a_foreign_file(
    session: Path, home: Path, tmp_path: Path
) -> None:
    page, notes = tmp_path / "report.html", tmp_path / "report.md"
    run("learn", "--html", str(page), "--markdown", str(notes))
    assert page.read_text().startswith("<!doctype html>")
    assert "http://" not in page.read_text()
    assert "failed call" in notes.read_text()
    run("learn", "--html", str(page))
    foreign = tmp_path / "mine.md"
    foreign.write_text("my own notes")
    assert "mine.md" in run("learn", "--markdown", str(foreign), expect=1).stderr
    assert foreign.read_text() == "my own notes"


def test_a_machine_without_sessions_is_told_where_we_looked_and_offered_the_sample(home: Path) -> None:
    output = run("learn", expect=3).stdout
    assert "Looked in:" in output
    assert "wisen learn --sample" in output
    assert "Worth deciding now" in run("learn", "--sample").stdout


@pytest.mark.requirement("S1")
def test_detect_tells_what_a_message_says(home: Path) -> None:
    assert "correction" in run("detect", "No, that's wrong. Use pnpm, not npm.").stdout
    silent = run("detect", "open the map of the offshore wind farm").stdout
    assert silent.splitlines()[0] == "none"
    assert "a task or a remark: it does not say how to work" in silent, "and why nothing is kept"
    found = json.loads(run("detect", "That is not what I asked for", "--before", "interrupt", "--json").stdout)
    assert found["messages"][0]["signals"][0]["kind"] == "correction"
    assert "interrupt" in run("detect", "x", "--before", "sunrise", expect=1).stderr
    assert "--stdin" in run("detect", expect=1).stderr


@pytest.mark.requirement("S1")
def test_detect_reads_messages_and_records_and_tells_lessons(home: Path) -> None:
    shown = run("detect", "No, that's wrong. Use pnpm, not npm.").stdout
    assert "kept: “Use pnpm, not npm.”" in shown
    assert "only found by search: nothing in it says that it lasts" in " ".join(shown.split())
    record = {"id": "r1", "user": "why not the helper?", "origin": "reject_reason", "preceding_event": "reject"}
    lines = f"that was wrong\n{json.dumps(record)}\n{{not json\n"
    done = subprocess.run(
        [WISEN, "detect", "--stdin", "--json"], input=lines, capture_output=True, text=True, check=True, timeout=60
    )
    first, second, third = json.loads(done.stdout)["messages"]
    assert first["signals"][0]["kind"] == "correction"
    assert first["signals"][0]["lesson"] is None
    assert second["id"] == "r1"
    alone = json.loads(run("detect", "why not the helper?", "--json").stdout)["messages"][0]["signals"]
    assert second["signals"][0]["probability"] > max([each["probability"] for each in alone], default=0.0)
    assert third["text"] == "{not json"
    wrong = subprocess.run(
        [WISEN, "detect", "--stdin"], input='{"user": "x", "preceding_event": 3}\n', capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert wrong.returncode == 1
    assert "preceding_event of record 1 is 3" in wrong.stderr


@pytest.mark.requirement("S1")
def test_the_report_tells_what_is_corrected_again_with_quotes_and_sessions(home: Path) -> None:
    for day in (1, 2):
        s = ClaudeTranscript(day, cwd="/home/ada/shop", start=datetime(2026, 3, day, 9, 0, tzinfo=UTC))
        s.prompt("run the tests")
        s.bash("npm test", "npm error use pnpm", exit_code=1)
        s.prompt("no, I told you to use pnpm, not npm, in this repository" if day == 1 else "again: use pnpm, not npm")
        s.prompt("obey the file", isMeta=True)
        s.write(home / ".claude" / "projects" / "p")
    text = run("learn").stdout
    assert "What you keep correcting" in text
    assert "2 sessions: “" in text
    assert "said 2 times, last on 2026-03-02" in text
    assert "obey" not in text
    report = json.loads(run("learn", "--json").stdout)
    (theme,) = report["themes"]
    assert (theme["sessions"], theme["times"], theme["last"][:10]) == (2, 2, "2026-03-02")
    shown = run("lessons", "show", theme["entry"]).stdout
    assert "use pnpm, not npm, in this repository" in shown


@pytest.mark.requirement("S19")
def test_changes_are_listed_and_taken_back(home: Path) -> None:
    assert "has not changed any" in run("changes").stdout
    assert "nothing to undo" in run("undo", expect=1).stderr
    file = home / "CLAUDE.md"
    file.write_bytes(b"# Shop\r\nmine")
    with wisen.open_learner() as learner:
        editor = Editor(learner._deps.edit_ports)
        saw = content_digest(file.read_bytes())
        plan = LinePlan(str(file), "Rules", "Use pnpm, not npm.", "R-0001", "you said so 3 times", saw)
        first = editor.add_line(plan).change
        saw = content_digest(file.read_bytes())
        second = editor.add_line(LinePlan(str(file), "Rules", "Sort by date.", "R-0002", "you said so", saw)).change
    listed = run("changes").stdout
    assert "you said so 3 times: Use pnpm, not npm." in listed
    assert listed.index(second.id) < listed.index(first.id)
    shown = run("changes", "show", first.id).stdout
    assert "+- Use pnpm, not npm." in shown
    assert "tokens more in every session" in shown
    assert "unchanged since it was written" in shown
    both = file.read_bytes()
    shown = run("changes", "revert", first.id, "--dry-run").stdout
    assert "-- Use pnpm, not npm." in shown
    assert file.read_bytes() == both
    result = json.loads(run("changes", "revert", first.id, "--json", "--yes").stdout)
    assert [(each["how"], each["id"]) for each in result["changes"]] == [("alone", first.id)]
    assert "byte for byte" not in run("undo", "--yes").stdout
    assert file.read_bytes() == b"# Shop\r\nmine"
    assert len(json.loads(run("changes", "--json").stdout)["changes"]) == 4
    assert "nothing to undo" in run("undo", expect=1).stderr


@pytest.mark.needs("git")
@pytest.mark.requirement("S19")
def test_what_became_of_a_line_is_noticed_and_asked_about_where_git_may_have_done_it(home: Path) -> None:
    shop = home / "shop"
    shop.mkdir()
    file = shop / "CLAUDE.md"
    file.write_text("# Shop\n")

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=shop, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    git("branch", "other")
    with wisen.open_learner() as learner:
        plan = LinePlan(str(file), "Rules", "Use pnpm.", "R-0001", "you said so", content_digest(file.read_bytes()))
        change = Editor(learner._deps.edit_ports).add_line(plan).change
    assert len(change.head) == 40
    assert "nothing was committed for you" in run("changes", "show", change.id).stdout
    git("commit", "-q", "-a", "-m", "with the line")
    run("learn", expect=3)
    git("switch", "-q", "other")
    run("learn", expect=3)
    listed = run("changes").stdout
    assert "git may have done that" in listed
    assert f"wisen changes refuse {change.id}" in listed
    git("switch", "-q", "main")
    run("learn", expect=3)
    assert json.loads(run("changes", "show", change.id, "--json").stdout)["fate"] == "stands"
    file.write_text("# Shop\n")
    run("learn", expect=3)
    assert "you removed it" in run("changes").stdout
    git("checkout", "-q", "--", "CLAUDE.md")
    git("switch", "-q", "other")
    run("learn", expect=3)
    assert "would be recorded as rejected" in " ".join(run("changes", "refuse", change.id, "--dry-run").stdout.split())
    assert "recorded as rejected" in " ".join(run("changes", "refuse", change.id).stdout.split())
    run("learn", expect=3)
    assert json.loads(run("changes", "show", change.id, "--json").stdout)["fate"] == "refused"


def test_a_change_that_somebody_else_made_is_remembered(home: Path) -> None:
    file = home / "CLAUDE.md"
    assert "does not exist" in run("changes", "record", file, "a rule", "fewer slips", expect=1).stderr
    file.write_text("- Run the tests first.\n")
    assert "would be recorded" in run("changes", "record", file, "a rule", "fewer slips", "--dry-run").stdout
    assert "has not changed any" in run("changes").stdout
    result = json.loads(run("changes", "record", file, "a rule about tests", "fewer slips", "--json").stdout)
    assert "fewer slips: a rule about tests" in run("changes").stdout
    assert "nothing to undo" in run("undo", expect=1).stderr
    assert "made by somebody else" in run("changes", "revert", result["id"], expect=1).stderr
    assert file.read_text() == "- Run the tests first.\n"
