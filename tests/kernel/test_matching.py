"""Whether calls match a guard's pattern: tables, and properties over anything that can surround a command."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cost import cost
from tests.kernel.shell_lines import QUOTES, single
from wisen.errors import UsageError
from wisen.kernel.matching import WatchedCall, corrected_line, find_hits, path_matches, watch_keys
from wisen.model.guard import parse_watch


def _call(line: str) -> WatchedCall:
    return WatchedCall("Bash", {"command": line}, "/srv/app", "/home/me")


def _fits(watch: str, call: WatchedCall) -> bool:
    return bool(find_hits(parse_watch(watch), call))


FIT = [
    ("git push", "git $(echo push)"),
    ("git push", "git {push,pull}"),
    ("git push", "git push origin main"),
    ("git push", "/usr/bin/git push"),
    ("/usr/bin/git push", "/usr/bin/git push"),
    ("git push", "git -C /x --no-pager push"),
    ("git push", "git -c a=b push"),
    ("git push --force", "git push origin --force"),
    ("git push --force|-f", "git push -f"),
    ("git push --force", "git --force push"),
    ("git push --force", "git push --force=x"),
    ("rm -r", "rm -fr x"),
    ("rm -rf", "rm -rvf x"),
    ("rm|rmdir *", "rmdir x"),
    ("npm run test:*", "npm run test:unit"),
    ("npm ... --force", "npm install x --force"),
    ("npm ... left-pad", "npm install right-pad left-pad"),
    ("npm … left-pad", "npm i left-pad"),
    ("git ?ush", "git push"),
    ("*", "anything at all"),
    ("python*", "python3.11 x.py"),
    ("git push", "sudo -u me git push"),
    ("git push", "cd x && A=1 git push"),
    ("git push", "A=push; git $A"),
    ("git push", "alias g='git push'\ng"),
]
FIT_NOT = [
    ("git push", "git pull"),
    ("git push", "git"),
    ("git push", "git stash push"),
    ("git push", "git log push"),
    ("git push", "git-lfs push"),
    ("git push", "git\u00a0push"),
    ("git push", "git 'push '"),
    ("git push", "git $X"),
    ("git push", "command -v git push"),
    ("git push --force", "git push"),
    ("git push --force", "git push --force-with-lease"),
    ("git push --force", "git push -- --force"),
    ("git push -f", "git push --follow-tags"),
    ("rm -rf", "rm -r x"),
    ("rm -r", "python -rv x"),
    ("npm ... left-pad", "npm install"),
    ("python?", "python"),
    ("git push", "bash deploy.sh -c 'git push'"),
]


@pytest.mark.parametrize(("watch", "line"), FIT)
def test_a_call_fits(watch: str, line: str) -> None:
    assert _fits(f"shell: {watch}", _call(line))


@pytest.mark.parametrize(("watch", "line"), FIT_NOT)
def test_a_call_does_not_fit(watch: str, line: str) -> None:
    assert not _fits(f"shell: {watch}", _call(line))


@pytest.mark.parametrize(
    ("watch", "tool", "fields", "fits"),
    [
        ("edit: migrations/**", "Edit", {"file_path": "/srv/app/migrations/1.sql"}, True),
        ("edit: migrations/**", "Read", {"file_path": "/srv/app/migrations/1.sql"}, False),
        ("read: .env", "Read", {"file_path": ".env"}, True),
        ("read: .env", "Edit", {"file_path": ".env"}, False),
        ("edit: *.lock", "Bash", {"command": "cd sub && echo x > a.lock"}, True),
        ("edit: sub/a.lock", "Bash", {"command": "cd sub && rm a.lock"}, True),
        ("edit: *.lock", "Bash", {"command": "cat a.lock > b"}, False),
        ("edit: a.py", "apply_patch", {"input": "*** Begin\n*** Update File: x/a.py\n+y"}, True),
        ("edit: a.py", "apply_patch", {"input": "*** Begin\n*** Update File: x/b.py\n+a.py"}, False),
        ("WebFetch: url=*example.org*", "WebFetch", {"url": "https://example.org/a"}, True),
        ("WebFetch: url=*example.org*", "WebFetch", {"url": "https://example.com/a"}, False),
        ("WebFetch: url=*", "WebSearch", {"url": "x"}, False),
        ("WebFetch: n=3", "WebFetch", {"n": 3}, True),
        ("shell: git push", "shell", {"command": ["bash", "-lc", "git push"]}, True),
        ("shell: git push", "shell", {"command": ["git", "push", "it's"]}, True),
        ("shell: git push", "shell", {"command": ["echo", "x; git push"]}, False),
        ("shell: git push", "exec", {"cmd": "git push"}, True),
        ("shell: git push", "Edit", {"file_path": "git push"}, False),
    ],
)
def test_calls_of_any_tool_fit_by_what_they_are_given(
    watch: str, tool: str, fields: dict[str, object], fits: bool
) -> None:
    call = WatchedCall(tool, fields, "/srv/app", "/home/me")
    assert _fits(watch, call) is fits
    assert not fits or set(watch_keys(parse_watch(watch))) & call.guard_keys


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("migrations/**", "migrations/1.sql", True),
        ("migrations/**", "a/b/migrations/1/2.sql", True),
        ("migrations", "a/migrations/1.sql", True),
        ("migrations/**", "migrations", False),
        ("migrations/**", "my-migrations/1.sql", False),
        ("*.lock", "a/yarn.lock", True),
        ("*.lock", "a/yarn.lock.txt", False),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/c.py", "a/c.py", True),
        ("a/**/c.py", "x/a/1/2/c.py", True),
        ("a/**/c.py", "a/1/d.py", False),
        ("./src", "src/a", True),
        ("./src", "b/src/a", False),
        ("/etc/**", "/etc/hosts", True),
        ("/etc/**", "etc/hosts", False),
        ("/etc", "../../etc/hosts", True),
        ("~/.ssh", "/home/me/.ssh/id", True),
        ("/home/me/.ssh", "~/.ssh/id", True),
        ("work", "a", False),
        ("app/**", "a", False),
        ("work", "/else/work/a", True),
        ("./src", "src/../lib/a", False),
        ("lib", "src/../lib/a", True),
    ],
)
def test_a_path_fits_where_the_glob_says(glob: str, path: str, fits: bool) -> None:
    assert path_matches(glob, path, "/srv/app", "/home/me") is fits


_segments = st.lists(st.sampled_from(["a", "b", "ab", "ü", "x.py"]), min_size=1, max_size=5)


@given(path=_segments, at=st.integers(0, 4), length=st.integers(1, 5))
def test_any_part_of_a_path_fits_it_and_so_does_a_glob_of_it(path: list[str], at: int, length: int) -> None:
    part = path[at : at + length] or path
    for glob in ("/".join(part), "/".join(["**", *part]), "/".join("*" for _ in part), "/".join([*part[:-1], "**"])):
        assert path_matches(glob, "/".join(path), "/work", "")
    assert not path_matches("/".join([*part, "other"]), "/".join(path), "/work", "")


def test_a_glob_of_many_stars_is_matched_in_time() -> None:
    for glob, path in (("/".join(["**", "a"] * 12) + "/b", "/".join(["a"] * 60)), ("*a" * 30 + "b", "a" * 400)):
        assert cost(lambda glob=glob, path=path: path_matches(glob, path, "/work")) < 500, glob  # type: ignore[misc]
        assert not path_matches(glob, path, "/work")


AROUND = (
    "{}",
    "({})",
    "( {} )",
    "{{ {}; }}",
    "ls; {}",
    "ls && {}",
    "ls || {}",
    "{} | cat",
    "ls |& {}",
    "{} & wait",
    "ls # it's\n{}",
    "cd 'a b' && {}",
    "if {}; then ls; else cat; fi",
    "if ls; then {}; fi",
    "for x in a b; do {}; done",
    "while {}; do break; done",
    "case a in a|b) {};; esac",
    "f() {{ {}; }}; f",
    "echo $( {} )",
    'echo "a $( {} ) b"',
    "X=$( {} )",
    "diff <( {} ) x",
    "[[ -n $( {} ) ]]",
    "! {}",
    "{} 2>&1 > out",
    "ünï 'a\u00a0b'; {}",
)
BEFORE = (
    "",
    "A=1 ",
    "A='x y' B= ",
    "sudo ",
    "env A=b ",
    "command ",
    "nohup ",
    "time ",
    "timeout 5 ",
    "nice -n 3 ",
    "> out ",
    "xargs ",
)
DOCUMENT = "cat <<E > notes\nit's $( {}\n)\nE\nls"
SCRIPTS = ("bash -c {}", "sudo sh -ec {}", "eval {}", "bash <<< {}")
DATA = (
    "echo {}",
    "grep -rn {} .",
    "git commit -m {}",
    "printf '%s' {} > notes",
    "X={}; ls",
    "list=(a {})",
    "python -c {}",
    "for x in {}; do ls; done",
    "case {} in a) ls;; esac",
    "[[ a == {} ]] && ls",
    "cat <<< {}",
    "bash run.sh {}",
    "ls; # {}",
)
_contexts = st.lists(st.sampled_from(AROUND), max_size=3)


def _around(command: str, contexts: list[str]) -> str:
    for each in contexts:
        command = each.format(f" {command}" if command.startswith("(") else command)
    return command


@st.composite
def _spelt(draw: st.DrawFn, words: list[str]) -> str:
    """The same words, quoted or not."""
    made = [draw(st.sampled_from([word, word, *(quote(word) for quote in QUOTES)])) for word in words]
    return draw(st.sampled_from(BEFORE)) + draw(st.sampled_from([" ", "  ", "\t", " \\\n "])).join(made)


@given(command=_spelt(["git", "push", "--force", "x"]), contexts=_contexts, data=st.data())
def test_a_command_fits_whatever_stands_around_it(command: str, contexts: list[str], data: st.DataObject) -> None:
    line = _around(command, contexts)
    if data.draw(st.booleans()):
        line = _around(data.draw(st.sampled_from(SCRIPTS)).format(single(line)), contexts[:1])
    if data.draw(st.booleans()):
        line = DOCUMENT.format(line)
    assert _fits("shell: git push --force", _call(line)), line


@given(
    contexts=_contexts,
    kind=st.sampled_from(DATA),
    quote=st.sampled_from(QUOTES),
    prefix=st.sampled_from(["", "a; ", "x && "]),
)
def test_the_same_words_as_data_do_not_fit(contexts: list[str], kind: str, quote: object, prefix: str) -> None:
    assert callable(quote)
    data = kind.format(quote(f"{prefix}git push --force"))
    line = data if "#" in kind else _around(data, contexts)
    assert not _fits("shell: git push --force", _call(line)), line


@pytest.mark.parametrize("mark", ["<<E", "<<'E'", '<<-"E"', "<< \\E"])
@given(before=st.text("ab\n'\"#();é", max_size=12).filter(lambda text: "E" not in text))
def test_the_same_words_in_a_here_document_do_not_fit(mark: str, before: str) -> None:
    line = f"cat {mark} > notes\n{before}\ngit push --force\n(git push --force)\nE\nls"
    call = _call(line)
    assert not _fits("shell: git push --force", call)
    assert [run.views[0][0].text for run in call.runs] == ["cat", "ls"]


PAIRS = [
    ("rtk bun", "bun"),
    ("git push --force", "git push --force-with-lease"),
    ("npm install", "pnpm add"),
    ("bun test", "rtk bun test"),
    ("pip install", "uv pip install"),
    ("npm run build", "make"),
    ("pytest", "uv run pytest"),
    ("git push --force|-f", "git push --force-with-lease"),
    ("git commit --no-verify", "git commit"),
]


@settings(max_examples=200)
@given(
    pair=st.sampled_from(PAIRS),
    contexts=_contexts,
    behind=st.lists(st.sampled_from(["x", "'a b'", "-v", "--all=1", '"ü $(date)"', "\u00a0"]), max_size=2),
    twice=st.booleans(),
    data=st.data(),
)
def test_the_better_line_fits_no_more_and_is_the_same_otherwise(
    pair: tuple[str, str], contexts: list[str], behind: list[str], twice: bool, data: st.DataObject
) -> None:
    watch, better = parse_watch(f"shell: {pair[0]}"), pair[1].split()
    words = [data.draw(st.sampled_from(word.split("|"))) for word in pair[0].split()]
    command = " ".join([data.draw(_spelt(words)), *behind])
    line = _around(command, contexts) + (f"; {command}" if twice else "")
    call = _call(line)
    made = corrected_line(watch, better, call)
    met = find_hits(watch, call)
    assert met
    assert made, line
    again = _call(made)
    assert not find_hits(watch, again)
    assert len(again.runs) == len(call.runs)
    for old, new in zip(call.runs, again.runs, strict=True):
        if not any(hit.words[0] is word for hit in met for view in old.views for word in view):
            assert [[word.text for word in view] for view in old.views] == [
                [w.text for w in view] for view in new.views
            ]
    spans = sorted({(word.start, word.end) for hit in met for word in hit.words})
    kept, last = [], 0
    for start, end in [*spans, (len(line), len(line))]:
        kept.append(line[last:start].lstrip(" \t") if last else line[last:start])
        last = end
    assert re.fullmatch(r"[\s\S]*?".join(map(re.escape, kept)), made)


@pytest.mark.parametrize(
    ("watch", "better", "line", "made"),
    [
        ("rtk bun", "bun", "cd x && rtk bun test", "cd x && bun test"),
        ("bun test", "rtk bun test", "`bun test`", "`rtk bun test`"),
        ("bun test", "rtk bun test", "sudo bun test;bun test", "sudo rtk bun test;rtk bun test"),
        ("git push --force", "git push --force-with-lease", "git push o --force", "git push o --force-with-lease"),
        ("git push", "git pull", "'git' \"push\"  x", "'git' pull  x"),
        # what cannot be told for sure
        ("git push --force", "git push --force-with-lease", "git push --force=x", ""),
        ("rm -r", "rm", "rm -rf x", ""),
        ("pip *", "uv pip", "pip install x", ""),
        ("npm ... x", "pnpm add x", "npm i x", ""),
        ("npm … x", "pnpm add x", "npm i x", ""),
        ("git push", "git pull", "bash -c 'git push'", ""),
        ("git push", "git pull", "alias g='git push'\ng", ""),
        ("git push", "git push --dry-run", "git push", ""),
        ("git push", "git pull|fetch", "git push", ""),
        ("git push", "", "git push", ""),
        ("git push", "git pull", "git fetch", ""),
        ("git push", "git pull", f"git push {'x' * 400}", ""),
    ],
)
def test_better_lines(watch: str, better: str, line: str, made: str) -> None:
    assert corrected_line(parse_watch(f"shell: {watch}"), better.split(), _call(line)) == made


def test_only_a_command_line_can_be_made_better() -> None:
    assert corrected_line(parse_watch("edit: a"), ["b"], WatchedCall("Edit", {"file_path": "a"})) == ""


_pattern_words = st.sampled_from(
    ["git", "push", "-f", "--force|-f", "*", "g*", "...", "rm|git", "?it", "/bin/git", "x=y"]
)
_line_words = st.sampled_from(
    ["git", "push", "-f", "--force", "/bin/git", "x=y", "rm", "sudo", ";", "$(", ")", "$X", "'", "> a"]
)


@settings(max_examples=300)
@given(pattern=st.lists(_pattern_words, min_size=1, max_size=3), line=st.lists(_line_words, max_size=8).map(" ".join))
def test_a_hit_is_found_under_one_of_the_keys_of_its_call(pattern: list[str], line: str) -> None:
    text = f"shell: {' '.join(pattern)}"
    try:
        watch = parse_watch(text)
    except UsageError:
        return
    call = _call(line)
    for hit in find_hits(watch, call):
        assert len(hit.words) == len(pattern)
        assert set(watch_keys(watch)) & call.guard_keys


@given(line=st.lists(_line_words, max_size=8).map(" ".join), glob=st.sampled_from(["a", "*", "git", "**", "/work/**"]))
def test_a_hit_on_a_file_is_found_under_its_key(line: str, glob: str) -> None:
    call, watch = _call(line), parse_watch(f"edit: {glob}")
    assert not find_hits(watch, call) or "edit:" in call.guard_keys
