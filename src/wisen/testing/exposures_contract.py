"""The contract of every ledger for exposures, trial outcomes and praise, as a test suite."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.exposure import Arm, Channel, Exposure
from wisen.model.reinforcement import PraiseMoment, Reinforcement
from wisen.model.trial import TrialOutcome
from wisen.testing.entries_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.store.ledger import Ledger


def an_exposure(id_: str = "a", subject: str = "R-1a2b3c4d", minutes: int = 0) -> Exposure:
    """Return a sample exposure: a rule that a session was given."""
    return Exposure(
        id=id_,
        machine="desk",
        agent="claude-code",
        session="s1",
        subject=subject,
        version="9f8e7d6c",
        channel=Channel.HOOK,
        event="session-start",
        arm=Arm.GIVEN,
        at=NOON + timedelta(minutes=minutes),
    )


def an_outcome(id_: str = "a", minutes: int = 0) -> TrialOutcome:
    """Return a sample outcome: a session in which a rule was relevant."""
    return TrialOutcome(
        id=id_,
        machine="desk",
        agent="claude-code",
        session="s1",
        subject="R-1a2b3c4d",
        version="9f8e7d6c",
        at=NOON + timedelta(minutes=minutes),
        relevant=True,
        hit=False,
        guardrails={"failures": 3},
    )


def a_reinforcement(id_: str = "a", subject: str = "01ENTRY", minutes: int = 0, session: str = "s1") -> Reinforcement:
    """Return a sample reinforcement: an entry delivered to a session that the user praised."""
    return Reinforcement(
        id=id_,
        machine="desk",
        agent="claude-code",
        session=session,
        message=f"m{minutes}",
        subject=subject,
        how=PraiseMoment.PROMPT,
        weight=0.25,
        at=NOON + timedelta(minutes=minutes),
    )


class ExposuresContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_exposures_come_back_whole_oldest_first_and_once(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        hostile = structs.replace(
            an_exposure("z", HOSTILE, minutes=-1),
            session=HOSTILE,
            version="",
            arm=Arm.WITHHELD,
            channel=Channel.FILE,
            call=HOSTILE,
            mode="deny",
            chance=0.95,
            at=(NOON - timedelta(minutes=1)).astimezone(timezone(timedelta(hours=9))),
        )
        ledger.exposures.add([an_exposure("b"), an_exposure("a"), hostile])
        ledger.exposures.add([structs.replace(an_exposure("a"), subject="another")])
        again = reopen()
        again.check()
        assert again.exposures.all() == (hostile, an_exposure("a"), an_exposure("b"))

    def test_exposures_can_be_asked_for_by_subject(self, ledger: Ledger) -> None:
        ledger.exposures.add([an_exposure("a"), an_exposure("b", "8e2f44"), an_exposure("c", minutes=-3)])
        assert [each.id for each in ledger.exposures.of("R-1a2b3c4d")] == ["c", "a"]
        assert ledger.exposures.of("none") == ()

    def test_the_last_delivery_of_each_subject_is_known(self, ledger: Ledger) -> None:
        assert ledger.exposures.last_given() == {}
        later = structs.replace(an_exposure("d", minutes=9), arm=Arm.WITHHELD)
        drawn = structs.replace(an_exposure("e", HOSTILE, minutes=9), chance=0.5)
        given = [an_exposure("a", minutes=4), an_exposure("b", HOSTILE), an_exposure("c", minutes=-3)]
        ledger.exposures.add([*given, later, drawn])
        assert ledger.exposures.last_given() == {"R-1a2b3c4d": NOON + timedelta(minutes=4), HOSTILE: NOON}

    def test_what_coins_said_can_be_asked_for_alone(self, ledger: Ledger) -> None:
        coin = structs.replace(an_exposure("c"), event="coin", arm=Arm.WITHHELD, chance=0.5)
        ledger.exposures.add([an_exposure("a"), coin, structs.replace(coin, id="d", subject="8e2f44", chance=0.0)])
        assert [each.id for each in ledger.exposures.all(coin_only=True)] == ["c", "d"]
        assert ledger.exposures.of("R-1a2b3c4d", coin_only=True) == (coin,)

    def test_exposures_can_be_asked_for_by_session(self, ledger: Ledger) -> None:
        other = structs.replace(an_exposure("b"), session=HOSTILE)
        ledger.exposures.add([an_exposure("a"), other, structs.replace(other, id="c", subject="8e2f44")])
        assert [each.id for each in ledger.exposures.all(session=HOSTILE)] == ["b", "c"]
        assert ledger.exposures.of("R-1a2b3c4d", session=HOSTILE) == (other,)
        assert ledger.exposures.all(session="none") == ()

    def test_exposures_are_remembered_all_or_none(self, ledger: Ledger) -> None:
        def rows() -> Iterator[Exposure]:
            yield an_exposure()
            raise ValueError("in the midst of it")

        with pytest.raises(ValueError, match="in the midst"):
            ledger.exposures.add(rows())
        assert ledger.exposures.all() == ()

    def test_outcomes_come_back_whole_oldest_first_and_the_first_word_stands(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        hostile = structs.replace(
            an_outcome("z", minutes=-1), session=HOSTILE, subject=HOSTILE, guardrails={HOSTILE: 0}
        )
        ledger.trial_outcomes.add([an_outcome("b"), an_outcome("a"), hostile])
        ledger.trial_outcomes.add([structs.replace(an_outcome("a"), hit=True)])
        again = reopen()
        again.check()
        assert again.trial_outcomes.all() == (hostile, an_outcome("a"), an_outcome("b"))

    def test_what_praise_strengthened_comes_back_whole_oldest_first_and_the_first_word_stands(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        hostile = structs.replace(
            a_reinforcement("z", HOSTILE, -1), session=HOSTILE, message=HOSTILE, how=PraiseMoment.NAMED
        )
        ledger.reinforcements.add([a_reinforcement("b"), a_reinforcement("a"), hostile])
        ledger.reinforcements.add([structs.replace(a_reinforcement("a"), weight=1.0)])
        again = reopen()
        again.check()
        assert again.reinforcements.all() == (hostile, a_reinforcement("a"), a_reinforcement("b"))

    def test_what_praise_strengthened_is_remembered_all_or_none(self, ledger: Ledger) -> None:
        def rows() -> Iterator[Reinforcement]:
            yield a_reinforcement()
            raise ValueError("in the midst of it")

        with pytest.raises(ValueError, match="in the midst"):
            ledger.reinforcements.add(rows())
        assert ledger.reinforcements.all() == ()
