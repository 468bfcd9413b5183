"""The allowlist of harmless commands, with the options and values that keep them harmless.

Whatever is not on it is not harmless: another program, an option nobody thought of, a value of another kind. Reading
inside the project, checks and builds of the project's own code, and git work that stays on this machine are on it;
what fetches, installs, deletes, sends, gains rights or leaves the project is not.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety.harmless_values import ValueKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Mapping


class CommandEffect(IntEnum):
    """The strongest effect that a harmless command has."""

    READS = 0
    CHECKS = 1
    """It runs the project's own code, or tools over it."""
    WRITES = 2
    """It changes persistent state: git's index and history, folders."""


class KnownProgram(NamedTuple):
    """A known command: its effect, options and operands."""

    effect: CommandEffect
    flags: frozenset[str] = frozenset()
    valued: Mapping[str, ValueKind] = {}
    operands: ValueKind = ValueKind.PATH
    max_operands: int = 99
    """The maximum number of operands."""
    allows_any_option: bool = False
    """Whether its options at most change what is shown."""


def _parse_valued(text: str) -> dict[str, ValueKind]:
    """Parse options with the kinds of their values: `-n:number -k:text`."""
    return {name: ValueKind(kind) for name, kind in (each.split(":") for each in text.split())}


def _known(
    effect: CommandEffect, flags: str = "", valued: str = "", operands: str = "path", most: int = 99
) -> KnownProgram:
    return KnownProgram(effect, frozenset(flags.split()), _parse_valued(valued), ValueKind(operands), most)


_READS, _CHECKS, _WRITES = CommandEffect
_FREE = KnownProgram(_READS, allows_any_option=True)
TEST_RUNNER = _known(
    _CHECKS,
    "-v -vv -vvv --verbose -q --quiet -s -x --exitfirst --bail --run --coverage --no-coverage --cov --lf --ff --sw"
    " --last-failed --failed-first -ra -rA -rf -l --showlocals --silent --ci --passWithNoTests --runInBand --no-header"
    " --collect-only --list --listTests --findRelatedTests --color --no-color --json --version --help -h --no-cov"
    " --no-watch --watch=false --watchAll=false --headless --only-changed --update-snapshot -u",
    "-k:text -t:text -m:word -n:number --tb:word --maxfail:number --timeout:number --grep:text --durations:number"
    " --testPathPattern:text --testPathPatterns:text --testNamePattern:text --testTimeout:number --project:word"
    " --workers:number --maxWorkers:number --retry:number --retries:number -j:number --shard:word --filter:text"
    " --repeat-each:number -g:text",
)
_SHOWN = "-s -p -w -b -q -z -M -C --stat --shortstat --numstat --name-only --name-status --oneline --graph --decorate"
_DIFF = _known(
    _READS,
    f"{_SHOWN} --all --patch --no-patch --cached --staged --check --summary --no-color --color --color-words --raw"
    " --word-diff --ignore-all-space --ignore-space-change --ignore-blank-lines --merge-base --merges --no-merges"
    " --first-parent --reverse --follow --find-renames --no-renames --minimal --patience --histogram --no-index"
    " --exit-code --quiet --left-right --cherry-pick --abbrev-commit --no-decorate --no-notes --tags --branches"
    " --date-order --topo-order --compact-summary --dirstat",
    "-n:number --max-count:number --since:text --until:text --after:text --before:text --author:text --grep:text"
    " --format:text --pretty:text --date:word -S:text -G:text -L:text --diff-filter:word --abbrev:number --skip:number"
    " -U:number --unified:number",
    "revision",
)
_NAMED = _known(_READS, "--json --version", "--depth:number", "word")
VERSION_ONLY = _known(_READS, "--version -V --help -h -v", operands="none")
_LISTS = "--json:word --jq:text -q:text --limit:number -L:number --state:word --author:text --label:text --base:word"
_GH = _known(
    _READS,
    "--comments --patch --name-only --log --log-failed --paginate --slurp --required --verbose",
    f"{_LISTS} --head:word --repo:owner -R:owner --job:number --branch:revision -b:revision --status:word --color:word"
    " --workflow:word --event:word --assignee:text --search:text",
    "revision",
)
_LINT = _known(
    _CHECKS,
    "--fix --quiet -q --cache --color --no-color --write --check --list-different -l -c --diff --apply --verbose -v -w"
    " -s -d --statistics --show-source --count --errors-only -E --strict --ignore-missing-imports --pretty -a -e"
    " --show-error-codes --no-error-summary --explicit-package-bases --namespace-packages --version --help --no-cache"
    " --all --staged --changed --files-ignore-unknown=true --no-errors-on-unmatched --organize-imports-enabled=true",
    "--max-warnings:number --ext:text --select:word --ignore:word --line-length:number --max-line-length:number"
    " --output-format:word --disable:word --enable:word --max-diagnostics:number --timeout:number -p:word"
    " --target-version:word --python-version:word --severity:word --diagnostic-level:word",
)
_TYPES = _known(
    _CHECKS,
    "--noEmit --pretty --skipLibCheck --strict --build -b --incremental --version --listFiles --verbose"
    " --allowImportingTsExtensions --jsx --emitDeclarationOnly",
    "-p:path --project:path --module:word --target:word",
)
_GO = _known(
    _CHECKS,
    "-v -race -short -cover -failfast -json -x -a -s -l -d -w",
    "-run:text -count:number -timeout:number -tags:word -bench:text -parallel:number -p:number -skip:text -fuzz:text"
    " -benchtime:number",
)
_CARGO = _known(
    _CHECKS,
    "--release --all-features --no-default-features --workspace --all --lib --bins --tests --all-targets --quiet -q"
    " --verbose -v -vv --no-fail-fast --nocapture --check --locked --offline --frozen --doc --no-run --keep-going",
    "-p:word --package:word --features:word --bin:word --test:word --example:word -j:number --manifest-path:path"
    " --test-threads:number --exclude:word --target:word",
    "word",
)
_MAKE = _known(
    _CHECKS, "-s -k -n -B --silent --keep-going --dry-run --no-print-directory --version", "-j:number -C:path", "script"
)
_JVM = _known(
    _CHECKS,
    "-q -B -o --info --stacktrace --quiet --console=plain --no-daemon --offline --continue --parallel",
    "--tests:text -pl:word -p:path",
    "script",
)
COMMANDS: dict[str, KnownProgram] = {
    **dict.fromkeys(
        "ls cat head wc pwd which stat du df cut basename dirname realpath readlink nl comm cmp diff od hexdump"
        " md5sum sha1sum sha256sum column tac rev fold whoami uname type true false nproc cksum".split(),
        _FREE,
    ),
    **dict.fromkeys(
        "grep egrep fgrep echo".split(), KnownProgram(_READS, allows_any_option=True, operands=ValueKind.TEXT)
    ),
    "rg": _known(
        _READS,
        "-n -i -l -w -v -o -c -s -S -F -U -u -uu -H -h -N -q --files --hidden --no-ignore --heading --no-heading"
        " --line-number --no-line-number --files-with-matches --count --json --multiline --sort-files --only-matching"
        " --ignore-case --smart-case --fixed-strings --word-regexp --no-filename --with-filename --stats --trim",
        "-e:text -g:text -t:word -T:word -A:number -B:number -C:number -m:number --glob:text --type:word --color:word"
        " --max-count:number --sort:word -d:number --max-depth:number",
        "text",
    ),
    "jq": _known(_READS, "-r -c -s -n -e -S -R -j -M -C --raw-output --compact-output --slurp", operands="text"),
    "sort": _known(_READS, "-n -r -u -h -V -f -b -g -s", "-k:word -t:text"),
    "uniq": _known(_READS, "-c -d -u -i", operands="none"),
    "tree": _known(_READS, "-a -d -f -h -s --dirsfirst --noreport", "-L:number -I:text -P:text"),
    "date": _known(_READS, "-u -I", operands="none"),
    "xxd": _known(_READS, "-p -u -b", "-l:number -c:number -s:number -g:number", most=1),
    "sleep": _known(_READS, operands="number"),
    "tail": _known(_READS, "-q -v -r", "-n:number -c:number --lines:number --bytes:number"),
    "sed -n": _known(_READS, operands="text"),
    "find": _known(
        _READS,
        "-not -o -print -empty",
        "-name:text -iname:text -type:word -maxdepth:number -mindepth:number -path:text -mtime:word",
    ),
    "tr": _known(_READS, "-d -s -c", operands="text", most=2),
    "cd": _known(_READS, most=1),
    "mkdir": _known(_WRITES, "-p -v"),
    "touch": _known(_WRITES),
    "docker ps": _known(_READS, "-a -q --all --quiet --no-trunc", "--filter:word --format:text", "none"),
    "docker images": _known(_READS, "-a -q --all --quiet", operands="word", most=1),
    "docker logs": _known(_READS, "-t --timestamps", "--tail:number -n:number --since:word", "word", 1),
    "docker compose ps": _known(_READS, "-a --all --services -q", operands="word"),
    "docker compose logs": _known(_READS, "-t --no-color --timestamps", "--tail:number -n:number --since:word", "word"),
    "docker-compose ps": _known(_READS, "-a --all --services -q", operands="word"),
    "docker-compose logs": _known(_READS, "-t --no-color --timestamps", "--tail:number --since:word", "word"),
    "git status": _known(_READS, "-s -b -u -v --short --branch --porcelain --long --ignored --show-stash"),
    **dict.fromkeys("git diff,git log,git show,git whatchanged".split(","), _DIFF),
    "git shortlog": _known(_READS, "-s -n -e --all", operands="revision"),
    "git branch": _known(_READS, "-a -r -v -vv --show-current --list --all --remotes", "--contains:revision", "none"),
    "git tag": _known(_READS, "-l --list -n", "--sort:word --contains:revision", "none"),
    "git rev-parse": _known(
        _READS, "--abbrev-ref --short --show-toplevel --git-dir --is-inside-work-tree --verify", operands="revision"
    ),
    "git rev-list": _known(_READS, "--count --all --left-right", "-n:number --max-count:number", "revision"),
    "git merge-base": _known(_READS, "--is-ancestor --fork-point", operands="revision"),
    "git ls-files": _known(_READS, "-o -c -m -d -s -t --others --cached --modified --deleted --exclude-standard"),
    "git ls-tree": _known(_READS, "-r -t -l --name-only", operands="revision"),
    "git check-ignore": _known(_READS, "-v --verbose"),
    "git blame": _known(_READS, "-w -M -C -s -e", "-L:text", "revision"),
    "git describe": _known(_READS, "--tags --always --dirty --all --long", operands="revision"),
    "git reflog": _known(_READS, "--all", "-n:number", "revision", 1),
    "git remote": _known(_READS, "-v --verbose", operands="none"),
    "git remote get-url": _known(_READS, operands="word", most=1),
    "git worktree list": _known(_READS, "--porcelain", operands="none"),
    "git stash list": _known(_READS, operands="none"),
    "git stash show": _known(_READS, "-p --stat", operands="revision", most=1),
    "git stash pop": _known(_WRITES, operands="none"),
    "git stash apply": _known(_WRITES, operands="none"),
    "git stash push": _known(_WRITES, "-u --include-untracked --keep-index", "-m:text --message:text"),
    "git stash": _known(_WRITES, "-u --include-untracked", operands="none"),
    "git add": _known(_WRITES, "-A -u -v -N -n --all --update --verbose --intent-to-add --dry-run"),
    "git commit": _known(
        _WRITES,
        "-a -s -v -q --all --signoff --verbose --quiet --allow-empty --dry-run -S --gpg-sign",
        "-m:text --message:text",
    ),
    "git mv": _known(_WRITES, "-v -n", most=2),
    "git switch": _known(_WRITES, "-c --create", operands="revision", most=2),
    "git checkout": _known(_WRITES, operands="word", most=1),
    "git checkout -b": _known(_WRITES, operands="revision", most=2),
    "git restore --staged": _known(_WRITES),
    "git fetch": _known(_READS, "--all --tags --prune -p -q -v --quiet --verbose", operands="revision"),
    "git pull": _known(
        _WRITES, "--rebase --ff-only --no-rebase --autostash -q -v -r --quiet --no-edit", operands="revision"
    ),
    "git push": _known(_WRITES, "-u --set-upstream -q -v --quiet --dry-run -n", operands="branch", most=2),
    **dict.fromkeys(
        "gh pr view,gh pr diff,gh pr list,gh pr checks,gh pr status,gh issue view,gh issue list,gh issue status"
        ",gh run view,gh run list,gh repo view,gh release list,gh release view,gh workflow list,gh workflow view"
        ",gh api".split(","),
        _GH,
    ),
    **dict.fromkeys(
        "pytest,jest,mocha,playwright test,rspec,phpunit,ctest,vitest,vitest run,bun test,deno test,node --test"
        ",python -m pytest,python -m unittest,swift test".split(","),
        TEST_RUNNER,
    ),
    **dict.fromkeys(
        "eslint,prettier,stylelint,biome check,biome lint,biome format,biome ci,ruff check,ruff format,black,isort,mypy"
        ",pyright,basedpyright,flake8,pylint,shellcheck,golangci-lint run,gofmt,rustfmt,rubocop,oxlint,markdownlint"
        ",deno lint,deno fmt,deno check,python -m mypy,python -m ruff check,python -m ruff format,python -m black"
        ",python -m isort,python -m flake8,python -m pylint,python -m compileall".split(","),
        _LINT,
    ),
    **dict.fromkeys("tsc,vue-tsc,tsgo".split(","), _TYPES),
    **dict.fromkeys("go test,go build,go vet,go fmt,go list".split(","), _GO),
    **dict.fromkeys("go env,go version,pip list,pip show,pip freeze,npm ls,pnpm ls,yarn why".split(","), _NAMED),
    **dict.fromkeys("cargo test,cargo build,cargo check,cargo clippy,cargo fmt,cargo nextest run".split(","), _CARGO),
    **dict.fromkeys("make,gmake,just,task,rake,mise run,tox run".split(","), _MAKE),
    **dict.fromkeys("mvn,gradle,gradlew,mvnw,./gradlew,./mvnw".split(","), _JVM),
    **dict.fromkeys("tox,nox".split(","), _known(_CHECKS, "-q -v", "-e:word -s:script", "none")),
    **dict.fromkeys(
        "python,node,npm,pnpm,yarn,bun,deno,go,cargo,rustc,git,gh,docker,ruby,java,uv,pip".split(","),
        VERSION_ONLY,
    ),
    **dict.fromkeys("swift build,dotnet build,dotnet test,zig build,zig test".split(","), TEST_RUNNER),
}
"""Commands by their first words."""
WRAPPERS: dict[str, int] = {
    **dict.fromkeys("rtk time command nohup npx bunx pnpx corepack".split(), 0),
    **dict.fromkeys(
        "uv run,poetry run,pipenv run,pdm run,hatch run,rye run,bundle exec,pnpm exec,yarn exec,npm exec,bun x"
        ",mise exec,rtk test,rtk lint,rtk err".split(","),
        0,
    ),
    "timeout": 1,
    "nice": 0,
}
"""Wrappers that may precede a harmless command, with the number of their own arguments; options are not accepted."""
SEPARATING_WRAPPERS = frozenset(["pnpm exec", "npm exec", "mise exec", "uv run"])
"""Wrappers that may separate the command with `--`."""
LIMITING_WRAPPERS = frozenset("timeout nice".split())
"""Wrappers that limit a command: without them it is not the same."""
FETCHERS = frozenset("npx,bunx,pnpx,npm exec,bun x".split(","))
FETCHABLE = frozenset(
    "tsc vue-tsc eslint prettier jest vitest mocha playwright biome stylelint markdownlint oxlint".split()
)
"""Well-known packages that may be run by name even if that would download them."""
RUNNERS = frozenset("npm pnpm yarn bun".split())
DEFAULT_TARGET_PROGRAMS = frozenset("make gmake just task rake mvn gradle gradlew mvnw ./gradlew ./mvnw".split())
"""Programs that run the project's default target if none is named."""
INTERPRETERS = lazy_regex(r"(?:python|ruby|node|bash|sh|zsh)(?:3(?:\.\d+)?)?\Z")
REMOTES = frozenset("origin upstream".split())
TRUNK_BRANCHES = frozenset("main master develop dev trunk".split())
SETTINGS = {
    "CI": lazy_regex(r"(?:1|0|true|false)?\Z"),
    "NO_COLOR": lazy_regex(r"\d?\Z"),
    "FORCE_COLOR": lazy_regex(r"\d?\Z"),
    "TERM": lazy_regex(r"(?:dumb|xterm(?:-256color)?)\Z"),
    "NODE_ENV": lazy_regex(r"(?:test|development|production)\Z"),
    "TZ": lazy_regex(r"[A-Z][A-Za-z/_+-]{1,40}\Z"),
    "LANG": lazy_regex(r"[A-Za-z_.0-9-]{1,20}\Z"),
    "LC_ALL": lazy_regex(r"[A-Za-z_.0-9-]{1,20}\Z"),
    "RUST_BACKTRACE": lazy_regex(r"(?:1|0|full)\Z"),
    "PYTHONUNBUFFERED": lazy_regex(r"\d?\Z"),
    "PYTHONDONTWRITEBYTECODE": lazy_regex(r"\d?\Z"),
    "CGO_ENABLED": lazy_regex(r"[01]\Z"),
    "PYTHONPATH": lazy_regex(r"(?:\.|(?:\./)?src)\Z"),
}
"""Environment variables that may be set for a command, with their allowed values."""
DISPENSABLE_PROGRAMS = frozenset(
    "rm rmdir unlink mv cp chmod chown kill pkill killall curl wget ssh scp rsync nc pip pip3 npm pnpm yarn bun uv brew"
    " apt apt-get gem poetry conda dnf yum apk eval source".split()
)
"""Programs that can be left out without losing a safety: they check or limit nothing."""
SAFETY_OPTIONS = frozenset(
    "--check --dry-run -n --diff --list --collect-only --noEmit --offline --frozen --locked --frozen-lockfile --ff-only"
    " --strict --max-warnings --timeout -timeout --signoff -S --gpg-sign --verify --staged -d -l -c -i --interactive"
    " --keep-index --no-run --intent-to-add".split()
)
"""Options of known commands that limit or verify what they do."""
DISPLAY_OPTIONS = lazy_regex(
    r"--(?:no-)?(?:stats?|colou?r|verbose|quiet|silent|reporter|format|output-format|pretty|json|progress|pager|summary"
    r"|details?|name-only|heading|header|width|depth|limit|tail|lines?|patch|merges|renames|filename|messages|decorate"
    r"|line-number|ignore|index|notes|coverage|cov|watch)\Z|-v+\Z|-q\Z"
)
"""Options that only change what is shown or examined, in any program."""
SAFETY_WORDS = lazy_regex(
    r"\bno-|dry|check|verif|safe|sandbox|isolat|ignore|script|interact|confirm|prompt|read|only|strict|frozen|lock|offline"
    r"|limit|max|min|time|user|root|net|cap|drop|deny|allow|perm|polic|audit|fail|hash|integrity|sign|gpg|secur|protect"
    r"|backup|keep|exclu|skip|restrict|quarant|trust|plugin|conf|env|preserve|pin|requir|guard|mode|level|scope|temp|tmp"
    r"|home|dir|path|root|jail|seccomp|\bro\b|preview|plan|what-if|simulat|list|show|diff|just-print|question",
    re.IGNORECASE,
)
"""Parts of unknown options' names that may mean a safety."""
POWERFUL_PROGRAMS = frozenset(
    "kubectl helm terraform tofu pulumi ansible ansible-playbook aws gcloud az doctl heroku vercel netlify fly flyctl"
    " wrangler serverless psql mysql sqlite3 mongo mongosh redis-cli docker docker-compose podman nerdctl ctr systemctl"
    " service launchctl crontab at iptables ufw mount umount mkfs dd shred openssl gpg ssh scp sftp rsync curl wget nc"
    " ncat socat telnet ftp sudo doas su pkexec env xargs find awk gawk perl php lua tclsh osascript eval exec source"
    " ln mv cp rm chmod chown tee sed vim vi nano emacs ed less more man tar unzip zip git hg svn gh glab npm pnpm yarn"
    " bun pip pip3 pipx uv uvx poetry conda brew apt apt-get dnf yum apk gem cargo go rustup nix dpkg rpm snap flatpak"
    " flask django-admin rails prisma alembic dbt supabase firebase stripe twilio op vault sops pass security defaults"
    " killall pkill kill reboot shutdown halt swapoff parted fdisk useradd usermod passwd visudo setcap nsenter unshare"
    " chroot bash sh zsh dash ksh fish csh tcsh python python3 ruby node deno java"
    " bwrap firejail screen tmux nohup setsid watch time timeout nice".split()
)
"""Well-known powerful programs: what the allowlist does not mention of them is not harmless."""
KNOWN_OPTIONS = frozenset(name for each in COMMANDS.values() for name in (*each.flags, *each.valued))
PROGRAMS = frozenset(name.partition(" ")[0] for name in COMMANDS) | {"python3", "pip3"}
