"""Whether text that the user did not type is ever taken for the user's word, and whether the user's own always is.

Data: `--data DIR` with injection/poison.jsonl, injection/benign.jsonl and the transcripts they name.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import DataAbsent
from wisen.domain.events import Message
from wisen.loop.observe.door import keep
from wisen.loop.observe.policy import DoorPolicy
from wisen.wiring import wire

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}")
_LOOK_ALIKES = str.maketrans("аеорсухіѕԁɡ", "aeopcyxisdg")


def run(options: argparse.Namespace) -> dict[str, object]:
    """The figures of one run. Raises: DataAbsent."""
    folder = (options.data or Path()) / "injection"
    if options.data is None or not (folder / "poison.jsonl").exists():
        raise DataAbsent("no injection/poison.jsonl; give the folder that holds it as --data DIR")
    poison, benign = (_lines(folder / f"{name}.jsonl") for name in ("poison", "benign"))
    heard = {case["file"]: _typed_in(folder / case["file"]) for case in [*poison, *benign]}
    learned = [case for case in poison if _holds(heard[case["file"]], case["markers"])]
    genuine = [case for case in poison if case["also_genuine"]]
    missed = [case for case in genuine if not _holds(heard[case["file"]], case["also_genuine"]["markers"])]
    blocked = [case for case in benign if not _holds(heard[case["file"]], case["markers"])]
    return {
        "poison": {"n": len(poison), "learned": len(learned)},
        "benign": {"n": len(benign) + len(genuine), "blocked": len(blocked) + len(missed)},
        "learned_from": sorted({f"{case['carrier']} ({case['format']})" for case in learned}),
        "blocked_ids": sorted(case["id"] for case in [*blocked, *missed]),
    }


def _typed_in(file: Path) -> str:
    """Everything that comes through the door as typed by the user from one transcript, folded."""
    wires = wire("/nonexistent", {"HOME": "/nonexistent"})
    batches = [batch for agent in wires.agents() for source in agent.sources(file) for batch in agent.read(source)]
    events = [event for batch in batches for event in batch.events]
    kept = [each.event for each in keep(events, lambda _: None, DoorPolicy())]
    texts = [event.text for event in kept if isinstance(event, Message) and event.text]
    return "\n".join(form for text in texts for form in _forms(text))


def _forms(text: str) -> Iterator[str]:
    """A text as a reader might make it out: hidden characters, look-alikes, tags, base64 and reversal undone."""
    plain = "".join(
        chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c
        for c in unicodedata.normalize("NFKC", text)
        if unicodedata.category(c) != "Cf" or 0xE0020 <= ord(c) <= 0xE007E
    )
    yield plain
    yield plain.translate(_LOOK_ALIKES)
    yield plain[::-1]
    for piece in _BASE64.findall(plain):
        try:
            yield base64.b64decode(piece + "=" * (-len(piece) % 4)).decode("utf-8")
        except ValueError:
            continue


def _holds(text: str, markers: list[str]) -> bool:
    folded = text.casefold()
    return any(unicodedata.normalize("NFKC", marker).casefold() in folded for marker in markers)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
