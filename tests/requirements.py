"""Every promise to users: its id, what it says, where it comes from, and how far it is met.

Tests cite ids with `@pytest.mark.requirement("F1")`. A check fails when a promise that is not `planned` has no test,
when a planned one has, or when a test cites an id that is not here. Shortfalls are data, told in `lacks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kept(StrEnum):
    """How far a promise is kept."""

    FULLY = "fully"
    PARTLY = "partly"
    PLANNED = "planned"


@dataclass(frozen=True)
class Promise:
    """One promise."""

    id: str
    says: str
    kept: Kept = Kept.PLANNED
    lacks: str = ""
    """What is missing, when it is partly kept."""

    @property
    def source(self) -> str:
        """The document that asks for it."""
        return SOURCES[self.id[0]]


SOURCES = {
    "F": "Foundry: learning from tool use",
    "S": "Self-Learning System: trail, promotion, memory",
    "N": "Global and namespaced learning",
    "C": "Self-correction pipeline",
    "A": "Meta-learning and memory designs",
    "X": "Beyond the seeds",
}

_P, _F = Kept.PARTLY, Kept.FULLY
PROMISES = (
    Promise("F1", "Agents are observed through their own logs, live, session by session.", _P, "following a session while it runs; durations; how commands ended in aider; whether a program gave a prompt to Gemini CLI, OpenHands or `hermes -z` is not told by their logs"),
    Promise("F2", "Any Python program can record failures, fixes and insights, and find them again.", _F),
    Promise("F3", "A fix is the measured difference between the call that failed and the one that worked.", _F),
    Promise("F4", "A known fix reaches the agent the moment the failure happens again.", _P, "in agents that can be installed into (docs/agents), in Codex for commands alone; what is not known to be harmless waits until it is confirmed"),
    Promise("F5", "Workflows are tracked from goal to outcome, and repeats are found across sessions.", _P, "two sessions at least, listed where chance does not explain them; how work turned out is judged right in 3 of 4"),
    Promise("F6", "What is used 5 times and succeeds in 70% becomes a skill, a tool or a guard.", _P, "guards, live in six agents; skills, always by a person; tools are not there yet"),
    Promise("F7", "Nothing generated runs before it was parsed, scanned, sandboxed and replayed."),
    Promise("F8", "An hourly overseer makes, measures and rolls back artefacts, prunes what was unused for 30 days, and reports."),
    Promise("F9", "A new task gets the fixes, insights and workflows that matter, within a token budget.", _P, "a command tells all of it; an agent is given rules, fixes and workflows by itself, and memories only where a prompt asks for them"),
    Promise("F10", "Attempts, their trajectory and the feedback they got are kept with each learning.", _P, "there are no artefacts yet, so no archive of them with fitness"),
    Promise("F11", "An agent can ask for a new skill or tool, through the same checks."),
    Promise("F12", "A runnable robot example learns from servo operations."),
    Promise("F13", "The seed's JSON files can be read and written."),
    Promise("S1", "Corrections, requests, gaps, errors, successes, preferences and remember-this are detected.", _P, "in projects that were never seen two corrections in five are missed, and most of what lasts says so only to who reads the conversation: it is in doubt, and asked about where an agent may help"),
    Promise("S2", "Entries carry ids, priority, status, area, source, tags and recurrence; ids never collide.", _F),
    Promise("S3", "Entries can be read and written as Markdown in the known format.", _P, "written by command only; read back once the user adopted the file"),
    Promise("S4", "The same lesson in other words is one lesson, counted by distinct sessions.", _P, "by words and a glossary of sixteen languages, not by meaning"),
    Promise("S5", "A lesson that came up 3 times in 2 sessions within 30 days is promoted to the file where its kind belongs.", _P, "skills as a target"),
    Promise("S6", "Each change is a proposal with evidence, risk and diff, and policy is enforced in code.", _P, "what is asked about an overdue change is no proposal"),
    Promise("S7", "Each change keeps its hypothesis, gets a verdict, and can be taken back byte for byte.", _P, "changes in files get a verdict only against them, from sessions before and after; proof is for what hooks deliver"),
    Promise("S8", "A check that is overdue reminds at 7 days, extends at 14, and reverts at 21 what was only inferred.", _P, "what the user stated is asked about in words at a session start, not by a proposal"),
    Promise("S9", "Principles that contradict each other are found by meaning and decided, ties by the user.", _P, "by words and a glossary of sixteen languages, not by meaning"),
    Promise("S10", "What is not used is demoted after 30 days, stale after 60 and closed after 90; using it resets the clock.", _P, "verified principles come with trials"),
    Promise("S11", "Memory has three layers: sessions, days, and the user.", _P, "sessions and days; the distilled memory and the user's model are missing, and so is a model that words summaries"),
    Promise("S12", "Dreaming distils recent logs into a bounded memory, and can be undone."),
    Promise("S13", "Skills come from 5 tool calls or 2 repeats, are updated rather than doubled, and are found again.", _P, "six real agents list them; uses are counted, and do not judge the skill yet; `memory/skills` of a workspace is not written"),
    Promise("S14", "Conversations are scored on five dimensions, with trends.", _P, "counts of what was measured, the last days beside those before, over MCP and for programs: no five dimensions, no plot, no command"),
    Promise("S15", "Only memories that matter to the task are injected, with citations.", _P, "in six agents, and only where a prompt asks for what was said before"),
    Promise("S16", "Events, lessons and principles form a graph that can be asked and drawn."),
    Promise("S17", "A session starts with what is pending, due and ready.", _P, "what is due is asked about in words; skills that are ready wait in the review"),
    Promise("S18", "Export, import, migration and sync lose nothing and overwrite nothing in silence."),
    Promise("S19", "One command runs the cycle, another tells the state, and no file is written unread.", _P, "six agents are told; others only through files"),
    Promise("N1", "Global and per-context rules are plain Markdown that people can edit.", _P, "an edit holds after one yes, because any program can make it; the date of last use does not go by deliveries yet"),
    Promise("N2", "A context has one stable key: clones agree, different projects never collide.", _P, "a second clone or a moved folder agrees after one yes; what was mined there before does not follow"),
    Promise("N3", "Only the active context and the global one are read, unless another is named.", _P, "one other context by its name"),
    Promise("N4", "Only explicit signals teach; a context rule needs confirmation, a global one the user's word or confirmation in 2 contexts.", _P, "what only a sentence's words speak for waits for an agent's or a person's word"),
    Promise("N5", "The context's rule goes before the global one, and conflicts are recorded.", _P, "rival words are seen by what one forbids, by a small table of rival tools and by opposites; other pairs stand beside each other"),
    Promise("N6", "Rules have size targets, are stale after 45 or 90 days unused, and are archived in place.", _P, "what a file tells is read unmeasured, and does not age"),
    Promise("N7", "Credentials and private data are never stored.", _P, "doubtful texts are withheld but not asked about yet; medical statements mostly in English; passwords of letters alone; purging does not look at names of folders and tools"),
    Promise("N8", "People can ask what was learned and have it forgotten everywhere.", _P, "in a chat in sixteen languages, through agents that call us; a session can be switched off only there; names of folders, log files, tools and contexts stay"),
    Promise("N9", "Whenever something learned is used, its source is cited.", _P, "the agent is told ids and sources and asked to name them; whether it does is not measured"),
    Promise("C1", "Incidents come with what stood before and after; machine traffic is left out by structure.", _P, "corrections come with the message, the session and what is known around it; the assistant's words are not kept"),
    Promise("C2", "16 languages and emoji from the start, more by command.", _P, "how well an added language is heard is counted on held-back sentences, which a model writes where the user gives none; files without words for directives are read by their other lists, which hear less"),
    Promise("C3", "Praise strengthens what was used just before it.", _P, "what hooks delivered, a skill that was loaded, or what the user names counts as used: what files tell, and what the assistant says that it used, is not known"),
    Promise("C4", "The user's own wording of feedback is learned, from 30 days at first and 3 days later.", _F),
    Promise("C5", "Incidents are categorised, deduplicated exactly and by meaning (0.92), and remedied, at most 5 a run.", _P, "the same lesson is one entry, by words; categories, severities, kinds of remedies and their limit are missing"),
    Promise("C6", "The daily report adds to earlier runs and never overwrites them."),
    Promise("C7", "A nightly schedule that knows its time zone."),
    Promise("C8", "Works without a model, with any model, or with the user's own agent as one.", _P, "vendors' servers, Codex and OpenClaw as models were tried with stand-ins only; the agent in its session decides only what it suggests, tried with a scripted Claude Code; what a model's decisions are worth is not measured"),
    Promise("A1", "Memory designs are explicit, searched over, applied, and taken back when worse."),
    Promise("A2", "Designs are judged by replay with confidence intervals; no improvement is an answer."),
    Promise("A3", "Several mutation strategies, compared in one harness with random search and TPE."),
    Promise("A4", "Designs as code, run only in the sandbox, with repair rounds."),
    Promise("A5", "Long histories are compressed by an observer and a reflector at token thresholds."),
    Promise("A6", "Routing learns which agent does best for which kind of task."),
    Promise("A7", "The optimiser works on a user's own parameters, shown by two runnable examples."),
    Promise("A8", "A code base is indexed by symbols and searched by words and meaning."),
    Promise("X1", "Hints are proven by randomized trials with consent, and the numbers are shown.", _P, "by hooks, so for the six agents that can be installed into; tokens are no guardrail metric"),
    Promise("X2", "A rule or guard is tried on the recorded past before it is adopted.", _P, "guards; rules that no guard can be made of"),
    Promise("X3", "A rule that is violated again becomes a guard.", _P, "rules that say plainly what not to run or edit"),
    Promise("X4", "The first run needs no set-up and tells within seconds what keeps going wrong.", _F),
    Promise("X5", "Six agents, each proven against the real client.", _P, "CI drives Claude Code and Codex; OpenClaw, Hermes, Gemini CLI and opencode by make test-agents-all, with a scripted model on Linux only"),
    Promise("X6", "No model, network, key or daemon is needed; budgets are fixed and hooks fast.", _P, "what hooks cost is measured for Claude Code and Codex; a session start and a failure with a known fix take up to 1.4 times a bare interpreter"),
    Promise("X7", "Only what the user typed and what tools measurably did can teach.", _P, "one bare sentence that was pasted without any frame; what an agent expands and records as typed"),
    Promise("X8", "Review, compare and explore in a local web page and in the terminal."),
    Promise("X9", "Teams share one PostgreSQL, with roles, a queue and a cluster.", _P, "the ledger works on PostgreSQL; roles, queue and cluster"),
    Promise("X10", "It is loud when it is broken.", _P, "what breaks in an agent after an update of it is told only by silence"),
)  # fmt: skip
