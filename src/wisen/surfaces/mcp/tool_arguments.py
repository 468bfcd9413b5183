"""The arguments and descriptions of the MCP tools, from which the schemas that agents see are built."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from wisen.model.memory import BRIEFING_TOKENS

Directory = Annotated[
    str,
    Meta(
        max_length=4096,
        description="The absolute path of a directory of your project. Default: the one the server was started in."
        " Other projects are not accessible.",
    ),
]
ShortText = Annotated[str, Meta(min_length=1, max_length=2000)]
Id = Annotated[str, Meta(min_length=1, max_length=200)]


class Call(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The arguments of a tool; its docstring is what an agent reads before it chooses the tool."""

    directory: Directory = ""


class Recall(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Find what the user said, decided or was told in earlier sessions, with its source.

    Use it when the user refers to something from before ("as we decided", "last time"), or before you ask them
    something that they may have answered already. Not for searching code.
    """

    question: Annotated[
        ShortText, Meta(description='Words to search for; "several words" in quotes as an exact phrase.')
    ]
    scope: Annotated[
        Literal["here", "all"],
        Meta(description="here: this project. all: also when something was said in others, never what or where."),
    ] = "here"
    days: Annotated[float, Meta(gt=0, description="Only the last N days.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=30)] = 8


class Remember(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Suggest a lesson that you believe will be useful in later sessions. It waits until the user approves it.

    Use it when you found out something lasting about this project. What the user types is learned without you: do not
    repeat it here. Nothing that you suggest is a rule, and you cannot approve it.
    """

    text: Annotated[ShortText, Meta(description="One sentence that makes sense to somebody who was not there.")]
    reason: Annotated[str, Meta(max_length=500, description="How you found it out.")] = ""


class Log(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Suggest an entry: a failure, a missing feature, an insight. It waits until the user approves it.

    Use it for a failure that is worth knowing (error), something that is missing (feature), something you understood
    (insight), a better way (learning), or what you believe the user corrected (correction).
    """

    kind: Literal["correction", "error", "learning", "feature", "insight"]
    text: Annotated[ShortText, Meta(description="What it is, in one sentence.")]
    reason: Annotated[str, Meta(max_length=500, description="How it came about.")] = ""


class Forget(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Show what would be forgotten. Nothing is deleted: only the user's own typed words do that.

    Use it when the user wants to forget something. Show them what was found, and what to type.
    """

    what: Annotated[ShortText, Meta(description="Words, or the id of an entry, rule, fix, proposal or memory.")]


class Rules(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List the rules in force, for this project and everywhere, with who approved them.

    Use it before larger work, if you were given none at the start of the session.
    """


class Explain(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Show where a rule, entry, guard or fix comes from: its sessions, dates and quotes.

    Use it when the user asks why something is a rule, or why a call was stopped.
    """

    id: Annotated[Id, Meta(description="R-…, LRN-…, ERR-…, FEAT-…, G-…, or the id of a fix.")]


class Proposals(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List what waits for the user's answer. You cannot answer for them.

    Use it when the user asks what is proposed. They answer with `wisen review`, or by typing "approve N" themselves.
    """


class Fixes(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Look up what made a failing call work before, in measured sessions.

    Use it when a tool call failed, before you try something else.
    """

    tool: Annotated[Id, Meta(description="The tool that was called, by your name for it: Bash, Edit, …")]
    error: Annotated[str, Meta(min_length=1, max_length=20_000, description="The error text, verbatim.")]
    arguments: (
        Annotated[dict[str, Any], Meta(description='The arguments of the call, such as {"command": "…"}.')] | None
    ) = None


class Context(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Get what matters to a task from earlier sessions: rules, known failures, earlier work; within a budget.

    Use it once at the beginning of a larger task.
    """

    task: Annotated[ShortText, Meta(description="The task in the user's words.")]
    budget: Annotated[int, Meta(ge=1, le=4000, description="How many tokens it may cost.")] = BRIEFING_TOKENS


class Score(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Show how sessions in this project went, as measured: corrections, failed calls, rejections, praise.

    Use it when the user asks how the work is going, or whether it is getting better. It covers the last days and as
    many before them; these are counts, not opinions.
    """

    days: Annotated[int, Meta(ge=1, le=3650, description="How many days to cover.")] = 30


class Point(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sort words that wisen shows you. Use it once for each id; words: the user's whole sentences, verbatim."""

    turn: str
    kind: Literal["correction", "preference", "remember", "none"]
    words: str = ""
    standing: bool = False
    about: str = ""
    wording: str = ""


TOOLS: dict[str, type[Struct]] = {
    "recall": Recall,
    "context": Context,
    "rules": Rules,
    "fixes": Fixes,
    "explain": Explain,
    "proposals": Proposals,
    "score": Score,
    "remember": Remember,
    "log": Log,
    "forget": Forget,
    "point": Point,
}
POINT = "point"
"""The tool that is offered only where the user allowed agents to help classify the user's messages."""
SUGGEST = frozenset({"remember", "log", POINT})
"""The tools that may write: a suggestion, or which of the user's words to learn from."""


def schema_of(call: type[Struct]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    _, parts = msgspec.json.schema_components([call], ref_template="#/$defs/{name}")
    schema: dict[str, Any] = dict(parts.pop(call.__name__))
    for name in ("description", "title"):
        schema.pop(name, None)
    if call is Point:  # every session pays for its tokens
        schema["properties"] = {
            name: {key: value for key, value in each.items() if key != "default"}
            for name, each in schema["properties"].items()
        }
    return schema | ({"$defs": parts} if parts else {})
