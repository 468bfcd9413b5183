"""Settles turns of old sessions in a batch: starts the user's own agent as a model and verifies its answers.

Only a person starts it, after seeing what would leave the machine. Each answer is checked like every other one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.errors import MissingExtra, ModelError, UsageError
from wisen.language_models.answer_format import build_prompt
from wisen.language_models.model_ports import MaterialItem, Question
from wisen.model.change import estimate_tokens
from wisen.model.model_use import Tier
from wisen.model.pointing import PointingOutcome, PointingResult, TurnClaim, TurnClaimKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.feedback.open_turns import DoubtfulTurn
    from wisen.language_models.model_ports import Model
    from wisen.model.pointing import OpenTurn

PURPOSE = "settle"
PROGRAMS = {"claude-code": "claude", "codex": "codex", "openclaw": "openclaw", "hermes": "hermes"}
"""The agents that can be asked, with the names of their programs."""
BATCH_SIZE = 20
"""How many turns one question is about."""
_TOKENS_PER_TURN = 120
_INSTRUCTIONS = """
Each text is one message that a person typed to an AI coding agent. Tell for each what kind it is:
correction: the agent's work, claim or approach is wrong, incomplete as it was asked for, or to be done otherwise.
preference: a wish or rule how to work. remember: the person asks to remember something. none: anything else, such as a
new task, a question, an answer, a permission or an error message.
words: for all kinds but none, the whole sentences of the message that say it, copied letter by letter, none left out.
standing: whether they are meant to hold from now on. Give one answer for each id.
"""


class TurnAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says about one turn."""

    id: str
    kind: TurnClaimKind
    words: str
    standing: bool


class TurnAnswers(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says about the turns that it was asked about."""

    answers: list[TurnAnswer]


class BatchSettlement(NamedTuple):
    """The result of a batch, or what would be asked."""

    agent: str
    turns: tuple[OpenTurn, ...]
    """The turns that were asked about, or would be."""
    sent: tuple[str, ...]
    """Exactly what left the machine, or would; one text for each question."""
    tokens: int
    """The approximate number of input tokens, without what the agent adds itself."""
    results: tuple[PointingResult, ...] = ()
    problems: tuple[str, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0


def plan_batch(agent: str, turns: Sequence[DoubtfulTurn]) -> BatchSettlement:
    """Plan what would be asked."""
    questions = [_question(some) for some in _batches(turns)]
    prompts = [build_prompt(each, each.material) for each in questions]
    sent = tuple(f"{each.system}\n{each.user}" for each in prompts)
    return BatchSettlement(
        agent, tuple(each.open for each in turns), sent, sum(estimate_tokens(each.encode()) for each in sent)
    )


def settle_batch(
    plan: BatchSettlement,
    turns: Sequence[DoubtfulTurn],
    model: Model,
    record: Callable[[TurnClaim, DoubtfulTurn], PointingResult],
    progress: Callable[[int, int], None],
) -> BatchSettlement:
    """Ask about the turns and record the verified answers; a question that fails ends the batch."""
    results, problems = list[PointingResult](), list[str]()
    tokens_in = tokens_out = done = 0
    for batch in _batches(turns):
        try:
            answer = model.ask(_question(batch))
        except (ModelError, MissingExtra) as error:
            problems.append(str(error))
            break
        tokens_in, tokens_out = tokens_in + answer.tokens_in, tokens_out + answer.tokens_out
        answers = {each.id: each for each in reversed(answer.value.answers)}
        for number, turn in enumerate(batch, 1):
            results.append(_record_answer(answers.get(str(number)), turn, record))
        done += len(batch)
        progress(done, len(turns))
    return plan._replace(results=tuple(results), problems=tuple(problems), tokens_in=tokens_in, tokens_out=tokens_out)


def _record_answer(
    answer: TurnAnswer | None, turn: DoubtfulTurn, record: Callable[[TurnClaim, DoubtfulTurn], PointingResult]
) -> PointingResult:
    refused = PointingResult(turn=turn.open.id, outcome=PointingOutcome.REFUSED, why="It was not answered.")
    if answer is None:
        return refused
    words = "" if answer.kind is TurnClaimKind.NONE else answer.words
    try:
        return record(TurnClaim(turn=turn.open.id, kind=answer.kind, words=words, standing=answer.standing), turn)
    except UsageError as error:
        return PointingResult(turn=turn.open.id, outcome=PointingOutcome.REFUSED, why=str(error))


def _batches(turns: Sequence[DoubtfulTurn]) -> list[Sequence[DoubtfulTurn]]:
    return [turns[at : at + BATCH_SIZE] for at in range(0, len(turns), BATCH_SIZE)]


def _question(turns: Sequence[DoubtfulTurn]) -> Question[TurnAnswers]:
    return Question(
        purpose=PURPOSE,
        tier=Tier.HEAVY,
        instructions=_INSTRUCTIONS,
        answer=TurnAnswers,
        material=tuple(MaterialItem(str(number), each.open.text) for number, each in enumerate(turns, 1)),
        max_tokens=_TOKENS_PER_TURN * (len(turns) + 1),
    )
