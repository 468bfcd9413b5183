"""Checks the documentation: generated pages are current, snippets run, and names exist."""

from __future__ import annotations

import html
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_architecture import FEATURES, ROLES

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("page", ["cli.md", "json.md", "settings.md", "agents/README.md"])
def test_generated_pages_are_as_the_program_would_write_them(page: str) -> None:
    made = subprocess.run(
        [sys.executable, "-c", f"import generate; print(generate.PAGES[{page!r}](), end='')"],
        cwd=ROOT / "docs",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == made, "run: python docs/generate.py"


def test_the_python_snippets_of_the_readme_run(home: Path) -> None:
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert snippets
    for snippet in snippets:
        subprocess.run([sys.executable, "-c", snippet], check=True, cwd=home, capture_output=True)


def test_the_picture_of_the_readme_shows_what_the_samples_really_print(home: Path) -> None:
    assert "docs/report.svg" in (ROOT / "README.md").read_text(encoding="utf-8")
    drawn = (ROOT / "docs" / "report.svg").read_text(encoding="utf-8")
    shown = [html.unescape(line).replace("\xa0", " ") for line in re.findall(r"<text [^>]*>(.*?)</text>", drawn)]
    report = runpy.run_path(str(ROOT / "docs" / "picture.py"))["printed"]()
    missing = [line for line in report.splitlines() if line.strip() and line.rstrip() not in map(str.rstrip, shown)]
    assert not missing, "run: python docs/picture.py"
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", ""), "it asks for nothing from outside"


def test_the_readme_is_short_and_speaks_of_nothing_to_come() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 120
    assert "to come" not in readme


def test_every_local_link_leads_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_path_in_the_architecture_tree_exists() -> None:
    tree = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```")[1]
    for name in re.findall(r"^  ([\w./]+)", tree, re.MULTILINE):
        assert (ROOT / "src" / "wisen" / name).exists(), name


def test_the_sample_sessions_are_what_their_story_writes(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; sys.path.insert(0, 'examples'); import write_sessions as w; "
        "w.SESSIONS = pathlib.Path(sys.argv[1]); w.main()"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, cwd=ROOT)
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    bundled = ROOT / "src" / "wisen" / "sample"
    assert written == {path.relative_to(bundled): path.read_bytes() for path in bundled.rglob("*.jsonl")}


def test_nothing_tracked_names_a_place_outside_the_project() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: an installed copy has no list of tracked files")
    registries = "|".join(["pypi" + r"\.org", "pythonhosted" + r"\.org", "registry" + r"\.npmjs", "deb" + r"\.debian"])
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if path.is_file():
            assert not re.search(registries, path.read_text(encoding="utf-8", errors="replace")), name


def test_every_feature_has_a_page_with_its_name() -> None:
    features = [path.name for path in (ROOT / "src" / "wisen").iterdir() if path.name in FEATURES]
    assert sorted(features) == sorted(FEATURES)
    assert not [name for name in features if not (ROOT / "docs" / f"{name}.md").is_file()]


def test_every_page_is_linked_from_the_index() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert not pages - linked


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "SECURITY.md", "docs/inside.md"])
def test_every_file_named_in_the_pages_about_the_code_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|toml|json|js))(?:: \w+)?`", text)
    roles = {"config.toml", *(f"{role}.py" for role in ROLES)}
    missing = [
        name
        for name in named
        if name not in roles
        and not any((base / name).is_file() for base in (ROOT, ROOT / "src" / "wisen", ROOT / "docs"))
    ]
    assert named
    assert not missing


def test_every_name_that_architecture_gives_to_a_file_is_in_that_file() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w-]+/)*[\w-]+\.py): (\w+)`", text)
    package = ROOT / "src" / "wisen"
    assert len(named) > 20
    assert not [pair for pair in named if pair[1] not in (package / pair[0]).read_text(encoding="utf-8")]
