"""From the settings to a model that can be asked: who replies for which name. Nothing is loaded before it is asked."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING

from wisen.errors import ModelAbsent
from wisen.models.command_model import CLIENTS, CommandModel
from wisen.models.hosted_model import HostedModel
from wisen.models.metered_model import Around, Metered
from wisen.system.clock import to_local_time
from wisen.system.ids import Ulids

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wisen.model.model_use import ModelsPolicy
    from wisen.models.model_ports import Responder
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Clock


def around(index: Index, ledger: Ledger, clock: Clock, machine: str) -> Around:
    """What the meter works with on this machine."""
    return Around(index.model_answers, ledger.model_uses, clock, Ulids(clock), machine, to_local_time, sleep)


def open_model(policy: ModelsPolicy, environment: Mapping[str, str], home: Path, around: Around) -> Metered:
    """The models that the settings name, behind the meter."""

    def responder(name: str) -> Responder:
        return responder_of(name, policy, environment, home, around)

    return Metered(policy, responder, around)


def responder_of(
    name: str, policy: ModelsPolicy, environment: Mapping[str, str], home: Path, around: Around
) -> Responder:
    """Who replies for a model of this name. Raises: ModelAbsent."""
    if name.partition(":")[0] in CLIENTS:
        return CommandModel(name, environment, home, around.ids.new)
    is_address = name.startswith(("http://", "https://"))
    if is_address and "@" in name.partition("|")[0]:
        raise ModelAbsent("The address of a model holds a password. Put it into a variable: models.key_variable")
    if (is_address and name.partition("|")[2]) or (not is_address and name.partition(":")[2]):
        return HostedModel(name, environment, policy.key_variable)
    raise ModelAbsent(
        f"{name!r} is no model's name. Give vendor:model, http://address/v1|model, or one of {', '.join(CLIENTS)}."
    )
