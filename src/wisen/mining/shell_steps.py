"""Says what the commands of a shell line do: program and subcommand, without what varies from run to run.

Changes of directory, variables, wrappers, pipes that only filter and redirections are no commands of their own here,
nor is anything that only looks at files or at git's history.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.scripts import read_line
from wisen.kernel.shell_runs import is_assignment, is_wrapper
from wisen.kernel.shell_words import UNKNOWN
from wisen.model.workflow import StepKind
from wisen.safety.harmless import judge_command
from wisen.safety.harmless_table import CommandEffect
from wisen.safety.harmless_values import CommandContext
from wisen.text.command_lines import Part
from wisen.text.lazy_regex import lazy_regex
from wisen.text.plain_shell import PlainCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

ELLIPSIS = "…"
"""Stands for what only the shell knows, and for what is too long to keep."""
MAX_WORDS, MAX_WORD = 40, 200
"""How many words of a command are kept, and how long one may be."""
_PREPARATIONS = frozenset(
    "cd export source . set unset pushd popd mkdir sleep echo printf true false : [ [[ test wait exit return break"
    " continue read local declare shift trap eval kill pkill pgrep lsof open basename dirname which command type nl tr"
    " xxd od base64 seq yes wc column md5 shasum sha256sum mount umount file stat id whoami uname history jq".split()
)
"""Programs that prepare, print or look, and that no workflow is about."""
_TEXT_WRITERS = frozenset("cat sed gsed perl tee printf echo".split())
"""Programs with which a shell line edits a file."""
_GIT_READERS = frozenset(
    "ls-tree cat-file grep merge-base check-ignore check-attr for-each-ref symbolic-ref show-ref ls-remote shortlog"
    " rev-list name-rev whatchanged diff-tree help version".split()
)
"""Besides those that `Part.only_reads` knows."""
_NO_SUBCOMMAND = frozenset(
    "rm rmdir cp mv touch chmod chown ln curl wget sed perl awk tar unzip zip ssh scp rsync gofmt prettier tsc"
    " pytest jest black mypy pyright psql sqlite3 mysql redis-cli nc diff patch xargs grep ls cat head tail find"
    " python python2 python3 node ruby php bash sh zsh java javac gcc vim nano".split()
)
"""Programs whose first operand is not a command of theirs."""
_NESTED = frozenset(
    "gh docker-compose aws gcloud az kubectl heroku fly vercel supabase firebase terraform glab".split()
)
"""Programs whose commands have commands: `gh pr create`."""
_NESTED_ONE = {("docker", "compose"), ("docker", "image"), ("docker", "buildx"), ("kubectl", "rollout")}
_SINGLE = {("kubectl", "apply"), ("kubectl", "get"), ("kubectl", "delete"), ("kubectl", "logs")}
"""Commands of such programs that take no further command."""
_RUNNERS = frozenset("run exec x dlx task".split())
_SCRIPT_RUNNERS = frozenset("npm pnpm yarn bun mise deno uv poetry hatch pdm pipenv just composer rake nx".split())
_PACKAGE_RUNNERS = frozenset("npx bunx pnpx uvx pipx".split())
_INTERPRETERS = frozenset("python python2 python3 node ruby php bash sh zsh deno tsx ts-node".split())
_PROXIED = frozenset("git bun npm pnpm yarn go cargo gh make docker kubectl pytest npx mise uv".split())
"""Programs that others run for them: `corepack pnpm`, `rtk git`."""
_VALUED = frozenset(
    "-C -c -F -w -n -R --filter --prefix --dir --cwd --workspace --namespace --context --repo --git-dir --work-tree"
    " --config --profile --region --project --manifest-path --directory -p".split()
)
"""Options before a subcommand that take a value."""
_SUBCOMMAND = lazy_regex(r"[A-Za-z][\w:-]*\Z")
_FILE = lazy_regex(r"[\w@~+./-]*[\w-]\.\w{1,8}\Z")
_PLAIN = lazy_regex(r"[\w./:=@,+% -]+\Z")
"""A line of words and nothing else, which is most of them and read far faster. `if` and the like need other marks."""
_PROGRAM = lazy_regex(r"[A-Za-z][\w.+:-]*\Z")
_METHOD = lazy_regex(r"(?:-X|--method|--request)=?(POST|PUT|PATCH|DELETE)?\Z")
_DOCUMENT = lazy_regex(r"[A-Z][A-Z_.-]{2,}(?:\.\w{1,5})?\Z")
_MANIFESTS = frozenset(
    "package.json pyproject.toml Cargo.toml go.mod setup.py plugin.json marketplace.json manifest.json Dockerfile"
    " docker-compose.yml compose.yaml tsconfig.json mise.toml wrangler.toml version.go version.py".split()
)
_SHELLS = frozenset("bash sh zsh dash fish".split())
_SERVICES = frozenset("gh curl wget kubectl docker aws gcloud az glab".split())
_SCRATCH = ("/dev/", "/tmp/", "/private/tmp/", "/var/folders/")  # noqa: S108 - recognized, never opened


class StepCommand(NamedTuple):
    """What may be a step: its key, its kind, and the words of the command."""

    key: str
    kind: StepKind
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def read_commands(line: str) -> tuple[StepCommand, ...]:
    """Return the commands of a shell line that may be steps."""
    if _PLAIN.match(line) and (words := tuple(line.split())) and not _is_special(words[0]):
        return _steps_of_words(words)
    found: list[StepCommand] = []
    for run in read_line(line).runs:
        words = tuple(word.text for word in run.views[-1]) if run.views else ()
        if not words or (words[0].rsplit("/", 1)[-1] in _SHELLS and words[1:2] in (("-c",), ("-lc",))):
            continue  # what a shell runs follows
        if words[0] in _TEXT_WRITERS:
            found += [edit_command(path) for path in run.writes if _FILE.match(path) and not path.startswith(_SCRATCH)]
            continue
        found += _steps_of_words(words)
    return tuple(found)


def _is_special(word: str) -> bool:
    """Whether a line that begins with a word has to be read as a shell does."""
    return is_wrapper(word) or is_assignment(word) or word in _TEXT_WRITERS or word.rsplit("/", 1)[-1] in _SHELLS


def _steps_of_words(words: tuple[str, ...]) -> tuple[StepCommand, ...]:
    words = _without_proxy(words)
    key = command_key(words)
    if not key or _only_reads(words):
        return ()
    return (StepCommand(key, StepKind.COMMAND, tuple(map(_shown, words[:MAX_WORDS]))),)


def command_key(words: Sequence[str]) -> str:
    """Return what a command does: its program and subcommand; empty for what is no step."""
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if program in _PREPARATIONS or not _PROGRAM.match(program):
        return ""
    operands = _operands(words[1:])
    if program in _INTERPRETERS:
        return _script_key(program, words[1:])
    if program in _PACKAGE_RUNNERS and operands:
        return f"{program} {operands[0].partition('@')[0] or operands[0]}"
    if program in _NO_SUBCOMMAND:
        return program + _http_method(words)
    if not operands or not _SUBCOMMAND.match(operands[0]):
        return program
    return _subcommand_key(program, operands, words)


def _subcommand_key(program: str, operands: Sequence[str], words: Sequence[str]) -> str:
    first = operands[0]
    if (program, first) == ("gh", "api"):
        target = " graphql" if operands[1:2] == ["graphql"] else ""
        return f"gh api{target}{_http_method(words)}"
    deeper = program in _NESTED or (program, first) in _NESTED_ONE or (program in _SCRIPT_RUNNERS and first in _RUNNERS)
    if deeper and (program, first) not in _SINGLE and len(operands) > 1 and _SUBCOMMAND.match(operands[1]):
        return f"{program} {first} {operands[1]}"
    return f"{program} {first}"


def edit_command(path: str) -> StepCommand:
    """Return the step of changing a file."""
    return StepCommand(f"edit {_file_kind(path)}", StepKind.EDIT, (path,))


def _without_proxy(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command without the program that only runs it: `corepack pnpm test`."""
    return words[1:] if words[1:2] and words[1] in _PROXIED and words[0] not in _PROXIED else words


def _operands(words: Sequence[str]) -> list[str]:
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and not found:
            skip = word in _VALUED
        elif not word.startswith("-"):
            found.append(word)
            if len(found) == 2:
                break
    return found


def _script_key(program: str, words: Sequence[str]) -> str:
    if words[:1] == ("-m",) and len(words) > 1:
        return f"{program} -m {words[1]}"
    script = next((word for word in words if not word.startswith("-")), "")
    if not script or words[0] in ("-c", "-e", "-", "-p") or not _PROGRAM.match(name := script.rsplit("/", 1)[-1]):
        return program
    return f"{program} {name}"


def _http_method(words: Sequence[str]) -> str:
    if words[0] not in ("gh", "curl"):
        return ""
    for at, word in enumerate(words):
        method = _METHOD.match(word)
        if method is not None:
            named = method[1] or (words[at + 1] if at + 1 < len(words) else "")
            return f" {named}" if named.isalpha() and named != "GET" else ""
    return ""


def _only_reads(words: tuple[str, ...]) -> bool:
    """Whether a command only looks at files or at git's history; a look at a service is a step."""
    if words[-1] in ("--version", "--help", "-h"):
        return True
    program = words[0].rsplit("/", 1)[-1]
    if program in _SERVICES:
        return False
    if Part(words, program).only_reads:
        return True
    if program == "git" and _GIT_READERS.intersection(_operands(words[1:])[:1]):
        return True
    return judge_command(PlainCommand("", (), words), CommandContext()).effect is CommandEffect.READS


def _shown(word: str) -> str:
    word = word.replace(UNKNOWN, ELLIPSIS)
    return word if len(word) <= MAX_WORD else ELLIPSIS


def _file_kind(path: str) -> str:
    """Return what stands for a file in a key: its name where projects have one such file, else its ending."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    if name in _MANIFESTS or _DOCUMENT.match(name):
        return name
    return name[name.rfind(".") :] if "." in name[1:] else name
