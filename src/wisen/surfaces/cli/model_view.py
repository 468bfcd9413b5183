"""`wisen models`: which models are configured, what they cost, and whether they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app, settings
from wisen.errors import UsageError
from wisen.model.model_use import NANOS, Tier
from wisen.surfaces.cli.render import plural, print_json, say

if TYPE_CHECKING:
    from wisen.model.model_use import ModelsState, ModelUsage, UsageTotal

_DAYS = 30


def show_models(*, as_json: bool) -> int:
    """Show models, limits and spending, without creating files."""
    wires = app.wire()
    described = [each for each in settings.describe(wires.settings) if each.key.startswith("models.")]
    state: ModelsState | None = None
    today: tuple[ModelUsage, ...] = ()
    lately: tuple[ModelUsage, ...] = ()
    if wires.ever_used:
        with wires.learner(reads=False) as learner:
            state, today, lately = learner.models.state(), learner.models.uses(1), learner.models.uses(_DAYS)
    if as_json:
        chosen = {each.key: {"value": each.value, "from": each.source} for each in described}
        fields = {
            "models": state,
            "settings": chosen,
            "today": _purpose_fields(today),
            "days": _DAYS,
            "lately": _purpose_fields(lately),
        }
        print_json(fields)
        return 0
    named = [each for each in described if each.key in ("models.nano", "models.heavy") and each.value]
    if not named:
        say("No model is configured, and none is needed. To configure one: docs/models.md")
    for each in described:
        if each in named or each.source != "default":
            value = "; ".join(each.value) if isinstance(each.value, tuple) else each.value
            say(f"{each.key} = {value}  ({each.source})")
    if state is not None:
        for line in model_lines(state):
            say(line)
    for title, uses in (("Today", today), (f"The last {_DAYS} days", lately)):
        if uses:
            say(f"{title}:")
        for use in uses:
            say(f"  {use.purpose} by {use.model}: {describe_usage(use.sum)}")
    return 0


def check_model(tier: str, *, dry_run: bool, as_json: bool) -> int:
    """Ask a model one harmless question."""
    if tier not in list(Tier):
        raise UsageError(f"--tier {tier!r} is not one of {', '.join(Tier)}.")
    wires = app.wire()
    name = wires.settings.models.model_for(Tier(tier))
    if dry_run and name:
        _report_dry_run(name, as_json=as_json)
        return 0
    with wires.learner(reads=False) as learner:
        answer, seconds = learner.models.check(Tier(tier))
    if as_json:
        fields = {
            "model": answer.model,
            "ok": answer.value.is_pong,
            "seconds": round(seconds, 3),
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "money": answer.money,
        }
        print_json(fields)
    else:
        cost = "price unknown" if answer.money is None else f"{answer.money:.6f} money"
        right = "" if answer.value.is_pong else ", wrongly,"
        tokens = f"{answer.tokens_in:,} tokens in, {answer.tokens_out:,} out"
        say(f"{answer.model} answered{right} in {seconds:.1f} s: {tokens}, {cost}.")
    return 0 if answer.value.is_pong else 1


def model_lines(state: ModelsState) -> list[str]:
    """Return the use of today's limits, and the models in cooldown, one line each."""
    names = ", ".join(f"{tier} {name}" for tier, name in state.names.items())
    today = state.today
    counted = f" ({plural(today.unpriced, 'call')} at an assumed price, as theirs is unknown)" if today.unpriced else ""
    used = (
        f"Models: {names}; today {today.calls:,} of {state.calls_per_day:,} calls, {today.tokens:,} of "
        f"{state.tokens_per_day:,} tokens, {today.money:.4f} of {state.money_per_day:g} money{counted}"
    )
    return [used, *(f"{each.model} is not asked until {each.until:%H:%M} UTC: {each.why}" for each in state.cooling)]


def describe_usage(total: UsageTotal) -> str:
    """Describe calls, tokens and cost for a person."""
    money = f"{total.nanos / NANOS:.4f} money"
    if total.unpriced:
        money += f", {total.unpriced:,} of them at an assumed price"
    return f"{plural(total.calls, 'call')}, {plural(total.tokens, 'token')}, {money}"


def _purpose_fields(uses: tuple[ModelUsage, ...]) -> list[dict[str, object]]:
    return [{"purpose": use.purpose, "model": use.model, **usage_fields(use.sum)} for use in uses]


def usage_fields(total: UsageTotal) -> dict[str, object]:
    """Return calls, tokens and cost as JSON fields."""
    return {"calls": total.calls, "tokens": total.tokens, "money": total.money, "unpriced": total.unpriced}


def _report_dry_run(name: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"model": name, "dry_run": True})
    else:
        say(f"Would ask {name} whether the word pong is the word pong, and send nothing else.")
