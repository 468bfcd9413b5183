"""What every ledger promises about exposures, as a suite."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.domain.exposures import Arm, Channel, Exposure
from wisen.domain.trials import Outcome
from wisen.testing.entries_contract import HOSTILE
from wisen.testing.logs import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.ports import Ledger


def an_exposure(id_: str = "a", subject: str = "R-1a2b3c4d", minutes: int = 0) -> Exposure:
    """A rule that a session was given."""
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


def an_outcome(id_: str = "a", minutes: int = 0) -> Outcome:
    """A session in which a rule mattered."""
    return Outcome(
        id=id_,
        machine="desk",
        agent="claude-code",
        session="s1",
        subject="R-1a2b3c4d",
        version="9f8e7d6c",
        at=NOON + timedelta(minutes=minutes),
        relevant=True,
        hit=False,
        rails={"failures": 3},
    )


class ExposuresContract:
    """Fixtures: `ledger`, and `reopen`, which gives the same ledger opened anew."""

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
        ledger.expose([an_exposure("b"), an_exposure("a"), hostile])
        ledger.expose([structs.replace(an_exposure("a"), subject="another")])
        again = reopen()
        again.check()
        assert again.exposures() == (hostile, an_exposure("a"), an_exposure("b"))

    def test_exposures_can_be_asked_for_by_subject(self, ledger: Ledger) -> None:
        ledger.expose([an_exposure("a"), an_exposure("b", "8e2f44"), an_exposure("c", minutes=-3)])
        assert [each.id for each in ledger.exposures("R-1a2b3c4d")] == ["c", "a"]
        assert ledger.exposures("none") == ()

    def test_what_coins_said_can_be_asked_for_alone(self, ledger: Ledger) -> None:
        coin = structs.replace(an_exposure("c"), event="coin", arm=Arm.WITHHELD, chance=0.5)
        ledger.expose([an_exposure("a"), coin, structs.replace(coin, id="d", subject="8e2f44", chance=0.0)])
        assert [each.id for each in ledger.exposures(tossed=True)] == ["c", "d"]
        assert ledger.exposures("R-1a2b3c4d", tossed=True) == (coin,)

    def test_exposures_are_remembered_all_or_none(self, ledger: Ledger) -> None:
        def rows() -> Iterator[Exposure]:
            yield an_exposure()
            raise ValueError("in the midst of it")

        with pytest.raises(ValueError, match="in the midst"):
            ledger.expose(rows())
        assert ledger.exposures() == ()

    def test_outcomes_come_back_whole_oldest_first_and_the_first_word_stands(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        hostile = structs.replace(an_outcome("z", minutes=-1), session=HOSTILE, subject=HOSTILE, rails={HOSTILE: 0})
        ledger.conclude([an_outcome("b"), an_outcome("a"), hostile])
        ledger.conclude([structs.replace(an_outcome("a"), hit=True)])
        again = reopen()
        again.check()
        assert again.outcomes() == (hostile, an_outcome("a"), an_outcome("b"))
