"""Writes the sample sessions of `wisen learn --sample`: an invented week of work on an invented web shop.

Run it after changing the story: python examples/write_sessions.py
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import wisen
from wisen.testing.transcripts import ClaudeTranscript

SESSIONS = Path(wisen.__file__).parent / "sample"
NO_NPM = "npm error code EUSAGE\nnpm error This project uses pnpm: run pnpm instead of npm"
NOT_FOUND = "<tool_use_error>String to replace not found in file.\nString: {}</tool_use_error>"
NOT_READ = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"


def main() -> None:
    """Write every session again."""
    for old in SESSIONS.glob("**/*.jsonl"):
        old.unlink()
    for session in (checkout(), tests(), migration(), search(), invoices(), release()):
        session.write(SESSIONS / session.cwd.replace("/", "-"))


def begin(number: int, day: int, hour: int, cwd: str = "/home/ada/orchard-shop") -> ClaudeTranscript:
    """A session on a day of the invented week."""
    return ClaudeTranscript(number, cwd=cwd, start=datetime(2026, 3, day, hour, tzinfo=UTC))


def checkout() -> ClaudeTranscript:
    """npm fails, pnpm works; the user says so."""
    s = begin(1, 2, 9)
    s.prompt("the checkout button stays disabled when the cart has one item, please fix it")
    s.ok(s.call("Grep", pattern="disabled=", path="src/checkout"), "src/checkout/Button.tsx:14")
    s.fail(
        s.call("Edit", file_path="src/checkout/Button.tsx", old_string="count > 1", new_string="count > 0"), NOT_READ
    )
    s.ok(s.call("Read", file_path="src/checkout/Button.tsx"), "export const Button = ...")
    s.ok(s.call("Edit", file_path="src/checkout/Button.tsx", old_string="count > 1", new_string="count > 0"))
    s.bash("npm test -- checkout", NO_NPM, exit_code=1)
    s.bash("pnpm test -- checkout", "Test Files  3 passed (3)")
    s.prompt("good. this repo uses pnpm, not npm, remember that")
    return s


def tests() -> ClaudeTranscript:
    """A pipe hides a failing test run."""
    s = begin(2, 2, 14)
    s.prompt("make the cart tests pass")
    s.bash("npm run test:cart", NO_NPM, exit_code=1)
    s.bash("pnpm run test:cart 2>&1 | tail -20", "--- FAIL: cart total rounds down\nTests  1 failed | 11 passed")
    call = s.call("Edit", file_path="src/cart/total.ts", old_string="Math.floor(sum)", new_string="Math.round(sum)")
    s.fail(call, NOT_FOUND.format("Math.floor(sum)"))
    s.ok(s.call("Read", file_path="src/cart/total.ts"), "return Math.floor(total)")
    s.ok(s.call("Edit", file_path="src/cart/total.ts", old_string="Math.floor(total)", new_string="Math.round(total)"))
    s.bash("pnpm run test:cart 2>&1 | tail -20", "Tests  12 passed (12)")
    s.prompt("again: use pnpm in this repo, not npm")
    return s


def migration() -> ClaudeTranscript:
    """The user refuses an edit and says why."""
    s = begin(3, 3, 10)
    s.prompt("add a phone number to customers")
    call = s.call("Edit", file_path="db/migrations/0007_customers.sql", old_string=");", new_string=", phone TEXT);")
    s.reject(call, "never edit an old migration, add a new one")
    s.ok(s.call("Write", file_path="db/migrations/0008_phone.sql", content="ALTER TABLE customers ADD phone TEXT;\n"))
    s.bash("pnpm db:migrate", "applied 0008_phone")
    s.queue("enqueue", "and add it to the seed data")
    s.queue("remove")
    s.ok(s.call("Edit", file_path="db/seed.ts", old_string="name,", new_string="name, phone,"))
    return s


def search() -> ClaudeTranscript:
    """An interrupt, and a call that was cancelled because its neighbor failed."""
    s = begin(4, 4, 11)
    s.prompt("search is slow, find out why")
    one, two = s.call("Bash", command="python tools/profile.py search"), s.call("Read", file_path="src/search/index.ts")
    s.fail(one, "Exit code 127\n/bin/bash: line 1: python: command not found")
    s.fail(two, "<tool_use_error>Sibling tool call errored</tool_use_error>")
    s.bash("python3 tools/profile.py search", "91% in tokenize()")
    s.call("Bash", command="rm -rf .cache && pnpm build")
    s.interrupt()
    s.prompt("don't delete the cache, just tell me what you found")
    s.say("91% of the time is spent in tokenize().")
    return s


def invoices() -> ClaudeTranscript:
    """The same mistake in another project."""
    s = begin(5, 5, 16, cwd="/home/ada/orchard-invoices")
    s.prompt("the invoice PDF has the wrong VAT for Austria")
    s.bash("python -m pytest tests/test_vat.py -q", "/bin/bash: line 1: python: command not found", exit_code=127)
    s.bash("python3 -m pytest tests/test_vat.py -q", "1 failed, 8 passed", exit_code=1)
    s.ok(s.call("Edit", file_path="invoices/vat.py", old_string='"AT": 19', new_string='"AT": 20'))
    s.bash("python3 -m pytest tests/test_vat.py -q", "9 passed")
    return s


def release() -> ClaudeTranscript:
    """npm again, and a refused push."""
    s = begin(6, 6, 9)
    s.prompt("bump the version and release")
    s.bash("npm version minor", NO_NPM, exit_code=1)
    s.bash("pnpm version minor", "v1.8.0")
    s.reject(s.call("Bash", command="git push origin main --tags"))
    s.prompt("let me look at the changelog first")
    s.ok(s.call("Read", file_path="CHANGELOG.md"), "## 1.8.0")
    s.prompt("I told you to use pnpm, not npm")
    return s


if __name__ == "__main__":
    main()
