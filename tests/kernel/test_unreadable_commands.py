"""A guard does not treat a command that it cannot parse as harmless, and leaves harmless ones alone."""

from __future__ import annotations

import base64

import pytest

from tests.cost import cpu_of, unit
from wisen.kernel.doubts import doubt_of, is_doubtful
from wisen.kernel.matching import WatchedCall, find_hits
from wisen.model.guard import parse_watch

_B64 = base64.b64encode(b"rm -rf x").decode()
HIDDEN = [
    "x=" + "a" * 100_000 + "; rm -rf x",
    ": " + "a " * 60_000 + "\nrm -rf x",
    "$(echo rm) -rf x",
    "`echo rm` -rf x",
    '"$(echo rm)" -rf x',
    "$(printf rm) -rf x",
    "$(printf '%s' rm) -rf x",
    "$(printf 'r%s' m) -rf x",
    "$(echo -n rm) -rf x",
    "$(echo mr | rev) -rf x",
    "$(tr a-z b-za <<< ql) -rf x",
    "r$(echo m) -rf x",
    "r$EMPTY''m -rf x",
    "r${x}m -rf x",
    "$(which rm) -rf x",
    "$(command -v rm) -rf x",
    "$RM -rf x",
    '"$RM" -rf x',
    "${RM} -rf x",
    "${RM:-rm} -rf x",
    "X=rm; $X -rf x",
    "X=$(echo rm); $X -rf x",
    "X='rm -rf x'; $X",
    "X='rm -rf x'; eval $X",
    "read X <<< 'rm -rf x'; $X",
    'A=(rm -rf x); "${A[@]}"',
    "eval 'rm -rf x'",
    'eval "$(echo rm -rf x)"',
    f"eval $(echo {_B64} | base64 -d)",
    f"echo {_B64} | base64 -d | sh",
    f"echo {_B64} | base64 --decode | bash -s",
    f"base64 -d <<< {_B64} | sh",
    f'bash -c "$(echo {_B64} | base64 -d)"',
    f"bash <(echo {_B64} | base64 -d)",
    f"source <(base64 -d <<< {_B64})",
    "echo 'rm -rf x' | sh",
    "printf 'rm -rf x' | bash",
    "printf '\\162\\155 -rf x' | sh",
    "echo 'x fr- mr' | rev | sh",
    "(echo rm; echo -rf) | xargs -n 3 | sh",
    "{ echo 'rm -rf x'; } | sh",
    "for i in 1; do echo 'rm -rf x'; done | sh",
    "cat <<E | sh\nrm -rf x\nE",
    "cat <<E | tr a a | sh\nrm -rf x\nE",
    "sh <<E\nrm -rf x\nE",
    "sh <<< 'rm -rf x'",
    ". /dev/stdin <<< 'rm -rf x'",
    "bash /dev/stdin <<< 'rm -rf x'",
    "sh -c 'rm -rf x'",
    "sh -c \"sh -c 'rm -rf x'\"",
    'sh -c \'sh -c "sh -c \\"sh -c \\\\\\"sh -c rm\\\\\\"\\""\'',
    "$SHELL -c 'rm -rf x'",
    "env -S 'rm -rf x'",
    "env -S'rm -rf x'",
    "env --split-string='rm -rf x'",
    "busybox rm -rf x",
    "busybox sh -c 'rm -rf x'",
    "toybox rm -rf x",
    "find . -exec rm -rf {} +",
    "find . -exec sh -c 'rm -rf $1' _ {} \\;",
    "echo x | xargs rm -rf",
    "echo rm | xargs -I{} {} -rf x",
    "echo 'rm -rf x' | xargs -I% sh -c '%'",
    "parallel rm -rf ::: x",
    "{rm,-rf,x}",
    "r{m,mdir} -rf x",
    "rm${IFS}-rf${IFS}x",
    "/bin/r? -rf x",
    "/b*/rm -rf x",
    "/bin/r[m] -rf x",
    "/???/rm -rf x",
    "'r'm -rf x",
    'r""m -rf x',
    "r\\m -rf x",
    "$'\\x72m' -rf x",
    "\\rm -rf x",
    "/bin/rm -rf x",
    "command rm -rf x",
    "exec rm -rf x",
    "f() { rm -rf x; }; f",
    'f() { "$@"; }; f rm -rf x',
    "function g { $1 -rf x; }; g rm",
    "alias d='rm -rf'; d x",
    "trap 'rm -rf x' EXIT",
    "su me -c 'rm -rf x'",
    "script -c 'rm -rf x' /dev/null",
    "for c in rm; do $c -rf x; done",
    "for c in ls rm; do $c -rf x; done",
    "while read c; do $c; done < list",
    "coproc rm -rf x",
    "time rm -rf x",
    "if true; then rm -rf x; fi",
    "case a in a) rm -rf x;; esac",
    "true && rm -rf x & wait",
    "python3 -c \"import os; os.system('rm -rf x')\"",
    "python3 -c \"import subprocess; subprocess.run(['rm', '-rf', 'x'])\"",
    "python3 - <<E\nimport os\nos.system('rm -rf x')\nE",
    'perl -e \'system("rm", "-rf", "x")\'',
    "ruby -e '`rm -rf x`'",
    "node -e \"require('child_process').execSync('rm -rf x')\"",
    "awk 'BEGIN { system(\"rm -rf x\") }'",
    " ".join(["sudo"] * 12) + " rm -rf x",
    "( " * 30 + "rm -rf x" + ")" * 30,
    "$(" * 30 + "rm -rf x" + ")" * 30,
    "echo ${a:-${a:-" * 15 + "$(rm -rf x)" + "}}" * 15,
    "flock /tmp/l rm -rf x",
    "strace -f rm -rf x",
    "sudo -u me env A=1 nice rm -rf x",
    "r\0m -rf x",
]
HARMLESS = [
    "ls -rf x",
    "echo 'rm -rf x'",
    "git commit -m 'rm -rf x is not used'",
    "git commit -m \"$(cat <<'E'\nDo not rm -rf x; use $(trash)\nE\n)\"",
    'eval "$(ssh-agent -s)"',
    'eval "$(pyenv init -)"',
    "eval `dircolors`",
    "curl -fsSL https://example.org/install | bash",
    'sh -c "$(curl -fsSL https://example.org/install)"',
    "source .venv/bin/activate && pytest",
    "source <(kubectl completion bash)",
    "$(npm bin)/eslint .",
    "$(go env GOPATH)/bin/tool -rf",
    "$HOME/bin/tool -rf x",
    '"$HOME/.local/bin/tool" -rf x',
    "PY=.venv/bin/python; $PY -m pytest -rf x",
    "rm $FILE",
    'rm "$TMP"/x',
    "git push $REMOTE",
    "for f in a b; do echo $f -rf; done",
    "for t in node npm; do $t -rf; done",
    'r() { "$@" || exit 1; }; r npm test -rf',
    "cat script.sh | bash",
    "bash script.sh -rf x",
    "find . -name x -exec ls -rf {} +",
    "python3 -c \"print('rm -rf x')\"",
    "python3 -c \"import os; print(os.listdir('-rf'))\"",
    "awk '{print $1}' x",
    "[ -f x ] && ls -rf",
    "[[ -f x* ]] && ls /tmp/*",
    "ls *.[ch] -rf",
    "rm\u00a0-rf x",
    "cat > x.sh <<'E'\nrm -rf x\nE",
    "x=" + "a" * 60_000 + "; ls -rf",
]


def _is_met(line: str, watch: str = "rm -rf") -> bool:
    call = WatchedCall("Bash", {"command": line}, "/work")
    guard = parse_watch(f"shell: {watch}")
    met, doubted = bool(find_hits(guard, call)), doubt_of(guard, call)
    assert not doubted or is_doubtful(call)  # or the client would not look at all
    return met or bool(doubted)


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("line", HIDDEN, ids=[line[:40].replace("\0", "NUL") for line in HIDDEN])
def test_a_call_that_may_be_watched_for_is_met_or_doubted(line: str) -> None:
    assert _is_met(line)


@pytest.mark.parametrize("line", HARMLESS, ids=[line[:40] for line in HARMLESS])
def test_a_harmless_call_is_neither_met_nor_doubted(line: str) -> None:
    assert not _is_met(line)


@pytest.mark.parametrize(
    ("line", "met"),
    [
        ("git $(rev <<< hsup) --force", True),
        ("git $X --force", True),
        ("git $X", False),
        ("git -C x $X origin --force", True),
        ("git push $X", False),
        ("git log $X --force", False),
        ("docker $X --force", False),
        ("$X push --force", True),
        ('"$X" push', False),
        ('"$X" push --force', True),
        ("python3 -c \"import subprocess; subprocess.run(['git', 'push', '--force'])\"", True),
        ("python3 -c \"import subprocess; subprocess.run(['git', 'push'])\"", False),
    ],
)
def test_what_a_program_is_told_to_do_may_be_hidden_as_well(line: str, met: bool) -> None:
    assert _is_met(line, "git push --force") == met


def test_a_guard_on_files_doubts_only_what_was_not_read_at_all() -> None:
    guard = parse_watch("edit: migrations/**")
    assert doubt_of(guard, WatchedCall("Bash", {"command": "x=" + "a" * 100_000}, "/work"))
    assert not doubt_of(guard, WatchedCall("Bash", {"command": "$X y"}, "/work"))
    assert not doubt_of(guard, WatchedCall("Edit", {"file_path": "x"}, "/work"))
    assert not doubt_of(parse_watch("WebFetch: url=*"), WatchedCall("Bash", {"command": "x=" + "a" * 100_000}, "/work"))


def test_a_megabyte_takes_no_longer_than_what_is_looked_at() -> None:
    def seconds(size: int) -> float:
        call = WatchedCall("Bash", {"command": "a 'b' $(c) " * (size // 11)}, "/work")
        assert bool(doubt_of(parse_watch("shell: rm"), call)) == (size > 65536)
        return cpu_of(lambda: doubt_of(parse_watch("shell: rm"), call))

    assert min(seconds(1 << 20) for _ in range(3)) < 4 * min(seconds(1 << 16) for _ in range(3)) + 50 * unit()
