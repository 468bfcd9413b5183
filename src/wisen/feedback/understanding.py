"""The step of a turn that mines sessions with something new: what failed, what helped, what the user said of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from wisen.errors import StoreError
from wisen.feedback import phrase_search
from wisen.feedback.adjudicating import Adjudicator
from wisen.feedback.detector import DETECTOR
from wisen.feedback.listen import listen
from wisen.logs.gather import collector_paused
from wisen.memory import recollection
from wisen.memory.diary import Diary
from wisen.mining.sessions import MINER, mine
from wisen.model.failure import Mined
from wisen.model.fences import FenceKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.feedback.own_phrases import Own
    from wisen.model.history import History
    from wisen.model.summary import Summary
    from wisen.parts import Parts

MINED_AT_ONCE = 50  # sessions whose findings go into one transaction
UNDERSTANDING = MINER * 1000 + DETECTOR  # what understood a session, beside added languages; another does it again


def dig(parts: Parts) -> Diary:
    """Mine the sessions that hold something new, and nothing else: it costs as much as there is of that."""
    diary, own = Diary(parts), phrase_search.own(parts)
    judge = Adjudicator(parts, own)
    understanding, folders = parts.languages.understanding(UNDERSTANDING), parts.places_by_context()
    new = parts.index.unmined(understanding)
    with collector_paused():
        while sessions := list(islice(new, MINED_AT_ONCE)):
            found: Sequence[Mined] = [understand(parts, each, own, folders) for each in sessions]
            with parts.fences.step("adjudicate"):
                found = judge.decided(sessions, found)
            told = [summarise(parts, diary, *each) for each in zip(sessions, found, strict=True)]
            recollect(parts, list(zip(sessions, found, told, strict=True)))
            parts.index.mined(found, understanding)
    diary.troubles += judge.troubles
    return diary


def understand(parts: Parts, session: History, own: Own, folders: Mapping[str, Sequence[str]]) -> Mined:
    """What one session taught; nothing where it cannot be understood, so that it does not keep others from it."""
    with parts.fences.around(FenceKind.SESSION, name_of(session)):
        return replace(mine(session, folders), said=listen(session, own))
    return Mined(session=session.session)


def summarise(parts: Parts, diary: Diary, session: History, mined: Mined) -> tuple[Summary, ...]:
    """What one session came to, for the diary."""
    with parts.fences.around(FenceKind.SESSION, name_of(session)):
        return diary.noted(session, mined)
    return ()


def recollect(parts: Parts, sessions: Sequence[tuple[History, Mined, Sequence[Summary]]]) -> None:
    """Keep what was typed in sessions as memories: all at once, or each by itself where one of them cannot be kept."""
    try:
        recollection.keep_sessions(parts, sessions)
    except StoreError:
        raise
    except Exception:  # noqa: BLE001 - the fences below tell which
        for each in sessions:
            with parts.fences.around(FenceKind.SESSION, name_of(each[0])):
                recollection.keep_sessions(parts, [each])


def name_of(session: History) -> str:
    """What a session is called where something failed in it."""
    return f"{session.agent} {session.native}"
