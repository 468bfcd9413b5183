"""Maps the words of a task to the commands it implies, and to the words that rules about these commands use."""

from __future__ import annotations

from wisen.text.terms import term_of

_IMPLIED = {
    "commit": "git commit commits amend staged",
    "pr": "pull request push branch gh commit git",
    "push": "git push branch remote force commit amend",
    "pull": "git pull branch rebase",
    "branch": "git branch worktree",
    "merge": "git merge rebase conflict branch",
    "rebase": "git rebase amend force branch",
    "squash": "git rebase commit",
    "cherry-pick": "git commit branch",
    "release": "tag version changelog publish",
    "publish": "release version registry",
    "deploy": "release production staging migrate",
    "ship": "commit push release pr",
    "install": "package dependency npm pnpm yarn bun pip uv cargo",
    "dependency": "package install npm pnpm yarn bun pip uv cargo",
    "upgrade": "dependency version install",
    "test": "test tests coverage",
    "lint": "lint format",
    "format": "lint format",
    "build": "build compile make",
    "run": "command script",
    "migrate": "migration database schema",
    "review": "pr diff comment",
}
"""What each word of a task implies. A task with none of these words implies no command for certain."""


def implied_words(task: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that rules about a task may use and the task does not."""
    words = dict.fromkeys(
        word for each in task for part in each.split() for word in _BY_TERM.get(term_of(part), "").split()
    )
    return tuple(word for word in words if word not in task)


_BY_TERM = {term_of(word): words for word, words in _IMPLIED.items()}
