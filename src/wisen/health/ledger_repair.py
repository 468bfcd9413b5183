"""Restores a damaged ledger, and says what came back, from when, and what did not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import StoreDamaged
from wisen.model.state import Health, HealthFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from wisen.store.backups import Backups
    from wisen.store.ledger import Ledger
    from wisen.store.salvage import Restored

_NOUNS = {
    "contexts": "project",
    "aliases": "folder of a project",
    "runs": "run",
    "records": "record",
    "snapshots": "file snapshot",
    "changes": "change",
    "looks": "check of a change",
    "entries": "lesson",
    "occurrences": "sighting",
    "moves": "decision",
    "proposals": "proposal",
    "exposures": "delivery",
    "outcomes": "trial outcome",
    "reinforcements": "reinforcement",
    "guards": "guard",
    "model_calls": "model call",
    "model_coolings": "pause of a model",
    "ownership": "answer about an owner",
    "phrases": "phrase",
    "phrase_proofs": "proof of a phrase",
    "phrase_searches": "search for phrases",
    "tombstones": "forgotten thing",
    "tombstone_keys": "key of a forgotten thing",
}
"""What a row of each table is, for people."""
_OTHER_PLURALS = {
    "folder of a project": "folders of projects",
    "check of a change": "checks of changes",
    "delivery": "deliveries",
    "pause of a model": "pauses of models",
    "answer about an owner": "answers about owners",
    "proof of a phrase": "proofs of phrases",
    "search for phrases": "searches for phrases",
    "key of a forgotten thing": "keys of forgotten things",
}


def repair_ledger(
    open_ledger: Callable[[], AbstractContextManager[Ledger]], backups: Backups | None, *, dry_run: bool = False
) -> HealthFinding:
    """Replace a damaged ledger with the newest good backup and what can still be read; the damaged file is kept."""
    try:
        with open_ledger() as ledger:
            ledger.check()
    except StoreDamaged as error:
        return _restore(error, backups, dry_run=dry_run)
    return HealthFinding(about="ledger", health=Health.GOOD, says="intact; nothing to repair")


def _restore(error: StoreDamaged, backups: Backups | None, *, dry_run: bool) -> HealthFinding:
    copy = backups.newest_valid() if backups else None
    if backups is None or copy is None:
        return HealthFinding(
            about="ledger",
            health=Health.BAD,
            says=f"{error} There is no good backup of it.",
            next_step="Move the file away to start with an empty ledger; wisen never does that by itself.",
        )
    restored = backups.restore(copy, dry_run=dry_run)
    return HealthFinding(
        about="ledger",
        health=Health.NOTICE,
        says=describe_restored(restored, dry_run=dry_run),
        next_step="Run `wisen doctor --repair`." if dry_run else "Run `wisen learn` to read the logs again.",
    )


def describe_restored(restored: Restored, *, dry_run: bool = False) -> str:
    """Describe for a person what came back, and what is lost."""
    were, would = ("would be", "would be ") if dry_run else ("were", "")
    made = f"{restored.made:%Y-%m-%d %H:%M:%S}"
    says = [f"{would}restored from {restored.copy.name}, the backup of {made} UTC"]
    many = sum(restored.recovered.values())
    if many:
        rows = "1 row" if many == 1 else f"{many:,} rows"
        verb = "was" if many == 1 and not dry_run else were
        says.append(f"{rows} written since {verb} recovered ({_describe_rows(restored.recovered)})")
    else:
        says.append("no row written since could be read")
    lost = f"what was written between then and {restored.written:%Y-%m-%d %H:%M:%S} and could not be read is lost"
    if restored.missing:
        lost += f": at least {_describe_rows(restored.missing)}"
    says.append(lost)
    if restored.aside is not None:
        says.append(f"the damaged file is kept: {restored.aside}")
    return "; ".join(says)


def _describe_rows(counts: Mapping[str, int]) -> str:
    return ", ".join(_count(counts[table], noun) for table, noun in _NOUNS.items() if counts.get(table))


def _count(many: int, noun: str) -> str:
    return f"1 {noun}" if many == 1 else f"{many:,} {_OTHER_PLURALS.get(noun, f'{noun}s')}"
