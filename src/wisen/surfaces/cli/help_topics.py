"""The concepts that `wisen help TOPIC` explains, each in a few plain lines."""

from __future__ import annotations

CONCEPTS: dict[str, str] = {
    "lesson": """
        A lesson is one thing that was learned: a correction of yours, a failure, or what helped. It keeps your
        quotes and the sessions it was seen in. What you said
        should last is given to agents at once; other lessons wait until you approve them as rules.
        See: wisen lessons
    """,
    "rule": """
        A rule is a lesson that you approved, or a sentence that you added yourself. Agents are given it at the
        start of each session, and it can be written into a file such as CLAUDE.md.
        See: wisen rules, wisen remember
    """,
    "proposal": """
        A proposal is a question that waits for your answer: whether a lesson becomes a rule, a guard is enabled,
        or a file is changed. Nothing of it happens before you approve it.
        See: wisen review, wisen proposals
    """,
    "fix": """
        A fix is the difference between a call that failed and the call that then worked, such as another option.
        Agents are given a fix when the failure recurs. After it helped in one session it is used for the same
        command only; after two, for similar ones.
        See: wisen fixes
    """,
    "guard": """
        A guard checks calls before an agent makes them. It can warn, ask you, or deny the call; in shadow mode it
        only records what it would have done. Guards are first tested on recorded sessions.
        See: wisen guards
    """,
    "hint": """
        A hint is a line that was inferred, not stated or approved by you; it is given to agents by a hook. Each
        session gets only as many hints as fit into a fixed budget.
        See: wisen brief
    """,
    "trial": """
        A trial measures whether a hint helps: it is given in some sessions and withheld in others, at random, and
        the failures of both are compared. Hints that you did not approve are only tried if you allow it.
        See: wisen trials, wisen effect
    """,
    "context": """
        A context is a project: a repository with all its checkouts, or a folder. Lessons and rules belong to one
        context, or hold in all of them.
        See: wisen contexts
    """,
    "snapshot": """
        A snapshot is a small file with everything that a hook may tell an agent in one context. It is written
        after each learning run, so that hooks answer in milliseconds without opening the ledger.
        See: wisen cycle
    """,
    "ledger": """
        The ledger is the database of what was learned and decided. Rows are only added, so decisions can be undone;
        only `wisen forget` deletes. The index beside it holds what was read from the logs, and can be rebuilt.
        See: wisen doctor
    """,
    "hook": """
        A hook is a command that an agent runs at a moment in its work: when a session starts, before and after a
        call. wisen adds its hooks to an agent's settings, and removes them again.
        See: wisen install, wisen uninstall
    """,
    "session": """
        A session is one conversation with an agent, as the agent recorded it in its log. wisen only reads these
        logs; it never changes them.
        See: wisen learn, wisen agents
    """,
    "change": """
        A change is an edit that wisen made in one of your files, after your approval. It is recorded with a diff,
        and can be reverted exactly.
        See: wisen changes, wisen undo
    """,
    "cycle": """
        The cycle is everything that wisen does by itself, once: read new sessions, learn from them, propose, apply
        what you allowed, and prepare snapshots for hooks. Hooks start it at the end of a turn.
        See: wisen cycle
    """,
    "phrase": """
        A phrase is wording that only you use when something is wrong, or right. wisen finds such phrases by what
        happened around them, and then understands your feedback better.
        See: wisen phrases
    """,
    "tombstone": """
        A tombstone proves that something was forgotten, without a word of it. It keeps old logs from teaching the
        same thing again, until you lift it.
        See: wisen forget --list
    """,
}
"""Each text ends with the commands to go on with."""
