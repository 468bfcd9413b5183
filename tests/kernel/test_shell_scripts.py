"""What a command line runs: tables, comparison with the real bash, and generated input."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cost import cost
from tests.kernel.shell_lines import STUBS, Bash, Piece, numbered, scripts
from wisen.kernel.scripts import read_line
from wisen.kernel.shell_words import UNKNOWN, Word

U = UNKNOWN


def _read(line: str) -> list[str]:
    """The commands of a line without the wrappers before them, their words with a blank between."""
    return [" ".join(word.text for word in run.views[-1]) for run in read_line(line).runs if run.views]


READ = [
    ("", []),
    ("git push", ["git push"]),
    ("  git\tpush ; ", ["git push"]),
    ("git push; ls", ["git push", "ls"]),
    ("git add . && git push || ls", ["git add .", "git push", "ls"]),
    ("git log | head -3 |& cat & wait", ["git log", "head -3", "cat", "wait"]),
    ("a\nb\n\nc", ["a", "b", "c"]),
    ("a &&\nb", ["a", "b"]),
    ("git \\\n push", ["git push"]),
    ("gi\\\nt push", ["git push"]),
    # quotes
    ("'git' \"push\"", ["git push"]),
    ("g'i't pu\\sh", ["git push"]),
    (r"$'\x67it' $'p\165sh'", ["git push"]),
    (r"$'\u00e9\n\'' x", ["é\n' x"]),
    (r"a $'\xc3\xa9' $'\cA'", [f"a {U}{U} {U}"]),
    ('a "b \\" $ \\$x \\q"', ['a b " $ $x \\q']),
    ("a ''", ["a "]),
    ("a\u00a0b", ["a\u00a0b"]),
    ("a \u2028 日本", ["a \u2028 日本"]),
    ("a b\\", ["a b\\"]),
    # data is no command
    ("echo 'git push; rm x'", ["echo git push; rm x"]),
    ("echo a # git push", ["echo a"]),
    ("echo a#b", ["echo a#b"]),
    ("cat <<E\ngit push\nE\nls", ["cat", "ls"]),
    ("cat <<-'E' x\n\tgit $(push)\n\tE\nls", ["cat x", "ls"]),
    ("(cat <<E)\ngit push\nE\nls", ["cat", "ls"]),
    ("cat <<A <<B\na $(x)\nA\nb\nB\nls", ["cat", "x", "ls"]),
    ("cat <<E\nend\\\nE\nE\nls", ["cat", "ls"]),
    ("x=(git push); ls", ["ls"]),
    ("rm !(git push)", [f"rm {U}"]),
    ("case x in git|push) ls;; esac", ["ls"]),
    ("for x in git push; do ls; done", ["ls"]),
    ("command -v git push", ["command -v git push"]),
    ("bash x.sh -c 'git push'", ["bash x.sh -c git push"]),
    # what stands in something else
    ("(git push)", ["git push"]),
    ("((a); (b))", ["a", "b"]),
    ("{ git push; }", ["git push"]),
    ("! time -p git push", ["git push"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("while a; do b; done < x | c", ["a", "b", "c"]),
    ("for ((i=0; i<$(a); i++)); do b; done", ["a", "b"]),
    ("for x in $(a); do b; done", ["a", "b"]),
    ("case $(a) in $(b)) c;; (d|e) f;& g) ;; *) h;;& esac; i", ["a", "b", "c", "f", "h", "i"]),
    ("f() { a; }; function g { b; }\nh () ( c )", ["a", "b", "c"]),
    ("[[ -n $(a) && b < c ]] && d", ["a", "d"]),
    ("(( $(a) )) && b", ["a", "b"]),
    ("a $(b $(c)) `d`", ["c", f"b {U}", "d", f"a {U} {U}"]),
    ("a `b \\`c\\``", ["c", f"b {U}", f"a {U}"]),
    ('a "${x:-$(b)}" ${y:-`c`} ${z:-"}"}', ["b", "c", f"a {U} {U} {U}"]),
    ("a $((1 + $(b))) $(((1)))", ["b", f"a {U} {U}"]),
    ("a <(b) > >(c)", ["b", "c", f"a {U}"]),
    ("cat <<E\n$(a) `b` \\$(c) '$(d)'\nE\n", ["cat", "a", "b", "d"]),
    ("A=$(a) B=`b`", ["a", "b"]),
    # what runs something else
    ("A=1 B='x y' git push", ["git push"]),
    ("'A=1' git push", ["A=1 git push"]),
    ("env -u X A=1 git push", ["git push"]),
    ("sudo -u me -- nice -n 5 timeout -k 1 9 git push", ["git push"]),
    ("xargs -n 1 git push", ["git push"]),
    ("bash -c 'a; b' x", ["bash -c a; b x", "a", "b"]),
    ("sh --norc -eo pipefail -c 'a'", ["sh --norc -eo pipefail -c a", "a"]),
    ("bash <<< 'a b'", ["bash", "a b"]),
    ("sudo bash -s <<E\na\nE\nb", ["bash -s", "a", "b"]),
    ("eval 'a \"b c\"' d", ['eval a "b c" d', "a b c d"]),
    ("find . -exec a {} \\; -ok sh -c 'b' +", ["find . -exec a {} ; -ok sh -c b +", "a {}", "sh -c b", "b"]),
    ("alias g='git push'\ng -f; \\g", ["alias g=git push", "git push -f", "g"]),
    # variables
    ("A=push; git $A", ["git push"]),
    ("A='push -f'; git $A; git \"$A\"", ["git push -f", "git push -f"]),
    ("A=; $A git ${A}push", ["git push"]),
    ("A=old; A=new git $A; ls $A", ["git old", "ls old"]),
    ("A=1 $A", [U]),
    (r"A=1 $'\x67it' $A", [f"git {U}"]),
    ("A=1; (A=2); a $A; A+=3; b $A", ["a 1", "b 13"]),
    ("A=1; x && A=2; a $A", ["x", f"a {U}"]),
    ("A=1; A=2 | a; b $A", ["a", f"b {U}"]),
    ("A=1; if x; then A=2; a $A; else b $A; fi; c $A", ["x", "a 2", f"b {U}", f"c {U}"]),
    ("A=1; for A in 2; do a $A; done", [f"a {U}"]),
    ("A=1; read A; a $A", ["read A", f"a {U}"]),
    ("A=1; f() { A=2; a $A $B; }; A=3; b $A", [f"a 2 {U}", f"b {U}"]),
    ("A=1; bash -c 'a $A'; bash -c \"b $A\"", ["bash -c a $A", f"a {U}", "bash -c b 1", "b 1"]),
    ("A=1; bash <<E\na $A \\$A\nE\n", ["bash", f"a 1 {U}"]),
    ("A=1; a $Aé ${A}b $1 $? $", [f"a 1é 1b {U} {U} $"]),
    # words that are made of others
    ("git {push,pull} '{a,b}' {a} x{1,2}y", ["git push pull {a,b} {a} x1y x2y"]),
    ("{git,push,-f}; g{it,o}", ["git push -f", "git go"]),
    ("git${IFS}push $IFS", ["git push"]),
    ("$SHELL -c 'a'", ["sh -c a", "a"]),
    ("$(echo git) push; `echo git push`", ["echo git", "git push", "echo git push", "git push"]),
    ("$(printf %s git) $(which push)", ["printf %s git", "which push", "git push"]),
    ("$(if a; then echo git; fi) push", ["a", "echo git", f"{U} push"]),
    ("$(echo git > x) push", ["echo git", f"{U} push"]),
    ("A=$(echo push); git $A", ["echo push", "git push"]),
    ("for x in git rm; do $x push; done", ["git push", "rm push"]),
    ('r() { "$@"; }; r git push', ["r git push", "git push"]),
    ("echo 'git push' | bash", ["echo git push", "bash", "git push"]),
    ("cat <<E | sh\na\nE\nb", ["cat", "sh", "a", "b"]),
    ("bash <(echo a)", ["echo a", f"bash {U}", "a"]),
    (". /dev/stdin <<< 'a'", [". /dev/stdin", "a"]),
    ("trap 'a b' EXIT", ["trap a b EXIT", "a b"]),
    ("su me -c 'a'", ["su me -c a", "a"]),
    ("env -S'a b' c; env --split-string='a b'", ["env -Sa b c", "a b c", "env --split-string=a b", "a b"]),
    ("busybox rm x; parallel rm ::: x", ["rm x", "rm ::: x"]),
    ("echo a | xargs -I{} {} -f", ["echo a", f"{U} -f"]),
    # not understood, and so not met
    ("A=(push); git ${A[0]}", [f"git {U}"]),
]


@pytest.mark.parametrize(("line", "commands"), READ, ids=[line for line, _ in READ])
def test_a_line_is_read_as_a_shell_reads_it(line: str, commands: list[str]) -> None:
    assert _read(line) == commands


@pytest.mark.parametrize(
    ("line", "writes", "folder"),
    [
        ("echo x > a", ["a"], ""),
        ("echo x 2>> a &> b >&2 < c", ["a", "b"], ""),
        ("cd x && rm a b", ["a", "b"], "x"),
        ("cd x; cd ../y; touch a", ["a"], "x/../y"),
        ("cd x; cd /y; tee a", ["a"], "/y"),
        ("(cd x); touch a", ["a"], ""),
        ("cd $X; touch a", ["a"], U),
        ("cp a b c", ["c"], ""),
        ("sed -i s/a/b/ f", ["f"], ""),
        ("sed s/a/b/ f", [], ""),
    ],
)
def test_the_files_that_a_command_writes_are_found(line: str, writes: list[str], folder: str) -> None:
    last = read_line(line).runs[-1]
    assert (last.writes, last.folder) == (writes, folder)


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Bash:
    return Bash(tmp_path_factory.mktemp("bash"))


def _fits(view: list[Word], ran: tuple[str, ...]) -> bool:
    """Return whether the parsed words match those that ran; an unknown word may stand for any words."""
    pattern = ""
    for word in view:
        if word.text == UNKNOWN:
            pattern += r"(?:[^\x01]*\x01)*"
        else:
            # What is unknown in a word without quotes may hold spaces, at which bash divides it.
            within = "[^\\x01]*" if word.raw[:1] in ("'", '"') else "(?:[^\\x01]*\\x01)*[^\\x01]*"
            pattern += within.join(map(re.escape, word.text.split(UNKNOWN))) + "\\x01"
    return re.fullmatch(pattern, "".join(f"{word}\x01" for word in ran)) is not None


judged = settings(max_examples=9, deadline=None, suppress_health_check=list(HealthCheck))
"""Few, because each holds many lines: a bash is started for each."""


@pytest.mark.needs("bash")
@judged
@given(pieces=st.lists(scripts(certain=False), min_size=8, max_size=12))
def test_whatever_bash_runs_is_found(bash: Bash, pieces: list[Piece]) -> None:
    lines = [numbered(piece) for piece in pieces]
    for line, ran in zip(lines, bash.ran(lines), strict=True):
        views = [view for run in read_line(line).runs for view in run.views]
        for each in ran:
            assert any(_fits(view, each) for view in views), (line, each)


@pytest.mark.needs("bash")
@judged
@given(pieces=st.lists(scripts(certain=True), min_size=8, max_size=12))
def test_whatever_is_found_is_run_by_bash(bash: Bash, pieces: list[Piece]) -> None:
    lines = [numbered(piece) for piece in pieces]
    for line, ran in zip(lines, bash.ran(lines), strict=True):
        for run in read_line(line).runs:
            for view in run.views:
                texts = tuple(word.text for word in view)
                if texts[0] in STUBS and UNKNOWN not in "".join(texts):
                    assert texts in ran, (line, texts)


_MARKS = (
    "a b ' \" \\ $ ` ; & | ( ) < > # { } = \n \t é \u00a0 \0 $( $(( (( )) ${ ${a:- $' << <<E <<-'E' <<< E <( [[ ]] "
    ";; ;& && || A= A=( $A a() if then else fi for in do done while case esac function time ! eval bash -c env sudo "
    "alias find -exec cd"
).split(" ")
_noise = st.lists(st.sampled_from([*_MARKS, " ", "\n"]), max_size=40).map("".join)
_spaced_noise = st.lists(st.sampled_from([*_MARKS, "\n"]), max_size=40).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(line=_noise | _spaced_noise | st.text(max_size=60))
def test_any_text_at_all_is_read_and_each_word_stands_where_it_is_said_to(line: str) -> None:
    for run in read_line(line).runs:
        for view in run.views:
            assert view
            for word in view:
                if word.end:
                    assert 0 <= word.start < word.end <= len(line)
                    assert word.raw == line[word.start : word.end]
                    if not {*"$`("} & {*word.raw}:
                        assert [each.text for each in read_line(f"x {word.raw}").runs[0].views[0]] == ["x", word.text]


_NONSENSE = (
    '((((|( ( |$($($(|$((|$(( |${a:-|"${a:-"|"$(|`\\`|`|<(|a(|f() { |{ |if |for |case a in b) |case |[[ |<<E |'
    "<<E\n|a=1;|a=(|x=1 {x=2;|eval |bash -c '|$'\\x|;;|))|\\|alias a=a;|(a=1;|$(a)|"
    "a <<E $(|find -exec |env |'\"|while a;|!"
).split("|")


@pytest.mark.parametrize("mark", _NONSENSE)
def test_64_kilobytes_of_nonsense_are_read_within_seconds(mark: str) -> None:
    line = mark * (65536 // len(mark) + 1)
    assert cost(lambda: read_line(line)) < 3000
