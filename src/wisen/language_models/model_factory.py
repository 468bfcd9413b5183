"""Creates models from the settings: which responder serves which name. Nothing is imported before a model is asked."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING

from wisen.errors import ModelAbsent
from wisen.language_models.command_model import AGENT_PROGRAMS, CommandModel
from wisen.language_models.hosted_model import HostedModel
from wisen.language_models.metered_model import MeterContext, MeteredModel
from wisen.system.clock import to_local_time
from wisen.system.ids import Ulids

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wisen.language_models.model_ports import Responder
    from wisen.model.model_use import ModelsPolicy
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Clock


def meter_context(index: Index, ledger: Ledger, clock: Clock, machine: str) -> MeterContext:
    """Create the dependencies of the meter on this machine."""
    return MeterContext(index.model_answers, ledger.model_uses, clock, Ulids(clock), machine, to_local_time, sleep)


def open_model(policy: ModelsPolicy, environment: Mapping[str, str], home: Path, context: MeterContext) -> MeteredModel:
    """Create the metered model for the configured names."""

    def responder(name: str) -> Responder:
        return create_responder(name, policy, environment, home, context)

    return MeteredModel(policy, responder, context)


def create_responder(
    name: str, policy: ModelsPolicy, environment: Mapping[str, str], home: Path, context: MeterContext
) -> Responder:
    """Create the responder for a model name. Raises: ModelAbsent."""
    if name.partition(":")[0] in AGENT_PROGRAMS:
        return CommandModel(name, environment, home, context.ids.new)
    is_address = name.startswith(("http://", "https://"))
    if is_address and "@" in name.partition("|")[0]:
        raise ModelAbsent("The address of a model contains a password. Put it into a variable: models.key_variable")
    if (is_address and name.partition("|")[2]) or (not is_address and name.partition(":")[2]):
        return HostedModel(name, environment, policy.key_variable)
    raise ModelAbsent(
        f"{name!r} is not a model name. Use vendor:model, http://address/v1|model, "
        f"or one of {', '.join(AGENT_PROGRAMS)}."
    )
