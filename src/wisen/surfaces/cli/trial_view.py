"""`wisen trials` and `wisen effect`: lists trials, and shows their results in words and as a plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.exposure import Arm
from wisen.model.guard import Mode
from wisen.model.guard_text import describe_watch
from wisen.model.trial import Verdict
from wisen.surfaces.cli.render import clip, plural, print_json, say
from wisen.surfaces.pages.plot import Pair, render_svg, render_text

if TYPE_CHECKING:
    from wisen.learner import Learner
    from wisen.model.guard import GuardStats
    from wisen.model.instruction import Rate
    from wisen.model.trial import Trial

_WIDE = 96
_OFF = "Nothing is withheld. To allow experiments: wisen trials on"
_VERDICT_TEXTS = {
    Verdict.RUNNING: "still running",
    Verdict.CONFIRMED: "confirmed; 19 of 20 sessions get it",
    Verdict.INEFFECTIVE: "no longer given",
    Verdict.WORSE: "no longer given",
    Verdict.INCONCLUSIVE: "no longer given by itself; recall still finds it",
}


def list_trials(*, as_json: bool) -> int:
    """List the trials."""
    with app.wire().open_for_queries() as learner:
        welcome = learner.trials.allows_experiments(learner.contexts.key_of(Path.cwd()))
        found = [(each, learner.trials.describe(each)) for each in learner.trials.all()]
        shadows = [
            (each, learner.guards.live_outcomes(each)) for each in learner.guards.all() if each.mode is Mode.SHADOW
        ]
    if as_json:
        watched = [{"guard": each.guard.id, "watch": each.guard.watch, "fared": fared} for each, fared in shadows]
        print_json({"welcome": welcome, "trials": [_trial_fields(*each) for each in found], "shadows": watched})
        return 0
    for trial, name in found:
        say(f"{trial.subject:<10}  {clip(name, _WIDE)}")
        badge = ", also when all trials are taken together" if trial.stands else ""
        say(f"            {trial.judged.description}{badge} ({_VERDICT_TEXTS[trial.judged.verdict]})", dim=True)
    for state, fared in shadows:
        say(f"{state.guard.id:<10}  {clip(describe_watch(state.guard.watch), _WIDE)}")
        say(f"            guard in shadow: {describe_shadow(fared)} (wisen guards show {state.guard.id})", dim=True)
    if not found:
        say("Nothing is on trial yet. Hints and fixes that you did not approve will be, once an agent calls wisen.")
    if not welcome:
        say(f"{_OFF} (--here for this project)", dim=True)
    return 0


def describe_shadow(fared: GuardStats) -> str:
    """Describe what a guard in shadow mode would have done, and the outcome of the calls."""
    if not fared.decisions:
        return "it has matched nothing yet"
    met = f"would have acted {plural(fared.decisions, 'time')} in {plural(fared.sessions, 'session')}"
    return f"{met}; {fared.failed} of these calls failed, {fared.went_well} succeeded"


def show_trial(name: str, *, as_json: bool) -> int:
    """Show one trial."""
    with app.wire().open_for_queries() as learner:
        trial = learner.trials.get(name)
        words = learner.trials.describe(trial)
    if as_json:
        print_json(_trial_fields(trial, words) | {"sessions": trial.rows})
        return 0
    say(f"{trial.subject}  {words}")
    say(f"  {trial.judged.description} ({_VERDICT_TEXTS[trial.judged.verdict]})")
    say(f"  {trial.judged.interval_text}; helps with {trial.judged.better:.0%}", dim=True)
    say(
        f"  evidence that it helps {trial.judged.good:.3g}, that it hurts {trial.judged.harm:.3g}, "
        f"that it has no effect {trial.judged.futile:.3g}",
        dim=True,
    )
    for row in trial.rows:
        if row.relevant or row.arm is Arm.WITHHELD:
            came = ("seen" if row.hit else "not seen") if row.relevant else "not relevant"
            say(f"  {row.session}  {row.arm.value:<8}  {came}  (chance {row.chance:g})", dim=True)
    rest = sum(not row.relevant and row.arm is Arm.GIVEN for row in trial.rows)
    if rest:
        say(f"  {plural(rest, 'session')} got it, and it was not relevant there.", dim=True)
    return 0


def set_experiments(*, yes: bool, here: bool, dry_run: bool, as_json: bool) -> int:
    """Allow experiments, or stop them."""
    with app.wire().learner(reads=False) as learner:
        context = learner.contexts.key_of(Path.cwd()) if here else ""
        if here and not context:
            raise UsageError(f"{Path.cwd()} belongs to no project. Go to a project's folder, or leave --here out.")
        if not dry_run:
            learner.trials.allow_experiments(context, allowed=yes)
    if as_json:
        print_json({"welcome": yes, "context": context, "dry_run": dry_run})
        return 0
    where = "in this project" if here else "in all projects without a setting of their own"
    would = "would be" if dry_run else "are"
    say(f"Experiments {would} {'allowed' if yes else 'off'} {where}.")
    if yes:
        say("What you said, approved or confirmed is never withheld. wisen trials shows what is.", dim=True)
    return 0


def show_effect(svg: Path | None, *, as_json: bool) -> int:
    """Show the effect of hints."""
    with app.wire().open_for_queries() as learner:
        portfolio, _ = learner.trials.combined_effect()
        pairs, rules = _trial_pairs(learner), learner.trials.rule_effects()
    if portfolio.sessions_with and portfolio.sessions_without:
        name = "failures and corrections in a session"
        pairs.insert(0, Pair(name, portfolio.without, portfolio.with_hints, portfolio.interval, share=False))
    if svg is not None:
        svg.write_text(render_svg(pairs), encoding="utf-8")
    if as_json:
        fields = [{"rule": state.entry.name, "text": state.text, "says": each.description} for state, each in rules]
        print_json({"portfolio": portfolio, "pairs": pairs, "rules": fields})
        return 0
    say(portfolio.description[:1].upper() + portfolio.description[1:] + ".")
    if not portfolio.sessions_without:
        say("To leave some sessions without any hint: `holdout = 0.1` below [trials] in config.toml.", dim=True)
    for line in render_text(pairs):
        say(line)
    if rules:
        say("Rules in force, before and after each was added (this is not proof):")
    for state, each in rules:
        say(f"  {clip(state.text, _WIDE)}")
        say(f"    {each.description}", dim=True)
    if svg is not None:
        say(f"Written to {svg}.", dim=True)
    return 0


def _trial_pairs(learner: Learner) -> list[Pair]:
    """Return each trial that has sessions with and without the hint, as two shares."""
    return [
        Pair(
            learner.trials.describe(each), _share(each.judged.withheld), _share(each.judged.given), each.judged.interval
        )
        for each in learner.trials.all()
        if each.judged.withheld.of and each.judged.given.of
    ]


def _share(rate: Rate) -> float:
    return rate.sessions / rate.of


def _trial_fields(trial: Trial, name: str) -> dict[str, object]:
    return {
        "id": trial.subject,
        "version": trial.version,
        "what": name,
        "says": trial.judged.description,
        "chance": trial.chance,
        "stands": trial.stands,
        "judged": trial.judged,
    }
