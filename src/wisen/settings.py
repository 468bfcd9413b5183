"""The settings: config.toml in the home, overruled by WISEN_* variables. It only composes and reads policies.

Each section is the policy of one stage or part; a key's meaning and limits stand beside it. A key or value that we do
not know is an error that names where it stands and what is allowed, never something passed over in silence.
"""

from __future__ import annotations

import tomllib
from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from wisen.delivery.settings import DeliverPolicy
from wisen.edits.permission import PromotePolicy
from wisen.errors import SettingsError
from wisen.feedback.settings import FeedbackPolicy
from wisen.forgetting.settings import ArchivePolicy
from wisen.guards.settings import GuardPolicy
from wisen.logs.settings import EventFilterPolicy, OffPolicy
from wisen.mining.settings import MinePolicy
from wisen.model.model_use import ModelsPolicy
from wisen.model.policy import PolicyRule, setting
from wisen.trials.settings import TrialsPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

KNOWN_AGENTS = ("claude-code", "codex", "openclaw", "gemini-cli", "opencode", "hermes", "aider", "openhands", "generic")


@dataclass(frozen=True, kw_only=True)
class StorePolicy:
    """Where the ledger is and how carefully it is kept."""

    ledger: str = setting(
        "sqlite", "`sqlite` for a file in the home, or the address of a PostgreSQL database (postgresql://…)."
    )
    backups: int = setting(7, "How many verified copies of the ledger are kept.", at_least=1)
    busy_seconds: float = setting(
        10.0, "How long to wait for another process that holds a store.", at_least=0, at_most=3600
    )


@dataclass(frozen=True, kw_only=True)
class AgentsPolicy:
    """Whose sessions are read."""

    enabled: tuple[str, ...] = setting(KNOWN_AGENTS, "The agents whose sessions are read.", one_of=KNOWN_AGENTS)
    program_prompts: bool = setting(
        False,
        "Whether prompts that a program gave (claude -p, codex exec, opencode run, aider --message) count as typed by"
        " the user.",
    )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything a user can choose."""

    home: Path
    store: StorePolicy = field(default_factory=StorePolicy)
    agents: AgentsPolicy = field(default_factory=AgentsPolicy)
    door: EventFilterPolicy = field(default_factory=EventFilterPolicy)
    mine: MinePolicy = field(default_factory=MinePolicy)
    promote: PromotePolicy = field(default_factory=PromotePolicy)
    feedback: FeedbackPolicy = field(default_factory=FeedbackPolicy)
    trials: TrialsPolicy = field(default_factory=TrialsPolicy)
    deliver: DeliverPolicy = field(default_factory=DeliverPolicy)
    guards: GuardPolicy = field(default_factory=GuardPolicy)
    archive: ArchivePolicy = field(default_factory=ArchivePolicy)
    off: OffPolicy = field(default_factory=OffPolicy)
    models: ModelsPolicy = field(default_factory=ModelsPolicy)
    sources: Mapping[str, str] = field(default_factory=dict)
    """Which keys do not have their default, and where that comes from."""

    def answered(self, key: str) -> bool | None:
        """What the user said to a question of yes or no; None where they were never asked."""
        section, _, name = key.partition(".")
        return bool(getattr(getattr(self, section), name)) if key in self.sources else None


@dataclass(frozen=True, kw_only=True)
class Described:
    """One setting as it is in force, for people and docs."""

    key: str
    value: object
    default: object
    source: str
    says: str
    allowed: str
    variable: str


_POLICIES = {
    "store": StorePolicy,
    "agents": AgentsPolicy,
    "door": EventFilterPolicy,
    "mine": MinePolicy,
    "promote": PromotePolicy,
    "feedback": FeedbackPolicy,
    "trials": TrialsPolicy,
    "deliver": DeliverPolicy,
    "guards": GuardPolicy,
    "archive": ArchivePolicy,
    "off": OffPolicy,
    "models": ModelsPolicy,
}
SECTIONS = tuple(_POLICIES)
RETIRED = frozenset({"promote.stated", "promote.durable"})
"""Keys that nothing asks for any more: what an earlier version was told is no mistake."""


def load(home: Path, environment: Mapping[str, str]) -> Settings:
    """The settings in force. Raises: SettingsError."""
    file = home / "config.toml"
    chosen: dict[str, tuple[object, str]] = {}
    for key, value in _from_file(file):
        chosen[key] = value, str(file)
    for key, text, variable in _from_environment(environment):
        chosen[key] = text, f"environment variable {variable}"
    settings = Settings(home=home, sources={key: source for key, (_, source) in chosen.items()})
    for key, (value, source) in chosen.items():
        section, _, name = key.partition(".")
        policy = getattr(settings, section)
        checked = _checked(_field(policy, name), value, key, source)
        settings = replace(settings, **{section: replace(policy, **{name: checked})})
    return settings


def describe(settings: Settings) -> Iterator[Described]:
    """Every setting with its value, default and meaning, in a fixed order."""
    for section in SECTIONS:
        policy = getattr(settings, section)
        for each in fields(policy):
            key = f"{section}.{each.name}"
            yield Described(
                key=key,
                value=_shown(getattr(policy, each.name)),
                default=each.default,
                source=settings.sources.get(key, "default"),
                says=_rule(each).says,
                allowed=_rule(each).allowed,
                variable="" if _rule(each).tables else _variable(key),
            )


def _from_file(file: Path) -> Iterator[tuple[str, object]]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}. Fix or move it, then try again.") from error
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not valid TOML: {error}. Fix that line, then try again.") from error
    known = {described.key for described in describe(Settings(home=file.parent))}
    for section, table in tables.items():
        if section not in SECTIONS or not isinstance(table, dict):
            raise SettingsError(
                f"{file}: unknown section or key {section!r}. Sections: {', '.join(SECTIONS)} (see `wisen config`)."
            )
        for name, value in table.items():
            if f"{section}.{name}" in RETIRED:
                continue
            if f"{section}.{name}" not in known:
                names = ", ".join(key.partition(".")[2] for key in sorted(known) if key.startswith(f"{section}."))
                raise SettingsError(f"{file}: unknown key {section}.{name}. Keys of [{section}]: {names}.")
            yield f"{section}.{name}", value


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    known = {_variable(f"{section}.{name}"): f"{section}.{name}" for section, name in _all_names()}
    retired = {_variable(key) for key in RETIRED}
    for variable, text in environment.items():
        if variable in retired:
            continue
        if variable in known:
            yield known[variable], text, variable
        elif variable.startswith(tuple(f"WISEN_{section.upper()}_" for section in SECTIONS)):
            raise SettingsError(f"unknown environment variable {variable}. Known: {', '.join(sorted(known))}.")


def _all_names() -> Iterator[tuple[str, str]]:
    for section, policy in _POLICIES.items():
        for each in fields(policy):
            if _rule(each).tables is None:
                yield section, each.name


def _variable(key: str) -> str:
    return f"WISEN_{key.upper().replace('.', '_')}"


def _field(policy: Any, name: str) -> Field[Any]:
    return next(each for each in fields(policy) if each.name == name)


def _rule(each: Field[Any]) -> PolicyRule:
    rule = each.metadata["rule"]
    assert isinstance(rule, PolicyRule)
    return rule


def _checked(each: Field[Any], value: object, key: str, source: str) -> object:
    """The value as the policy's type. Raises: SettingsError that names source, key, value and what is allowed."""
    rule, wanted = _rule(each), type(each.default)
    if rule.tables is not None:
        return _tables(rule.tables, value, key, source)
    converted = _converted(value, wanted)
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of names"}
    expected = names[wanted]
    allowed = f"{expected}, {rule.allowed}" if rule.allowed else expected
    if converted is None or not rule.allows(converted):
        raise SettingsError(
            f"{source}: {key} = {value!r} is not allowed. It takes {allowed}; default: {each.default!r}."
        )
    return converted


def _tables(policy: type, value: object, key: str, source: str) -> tuple[tuple[str, object], ...]:
    """Tables with names of the user's, each as a policy. Raises: SettingsError."""
    known = {each.name: each for each in fields(policy)}
    found: list[tuple[str, object]] = []
    for name, table in value.items() if isinstance(value, dict) else ((key, None),):
        if not isinstance(table, dict) or not table.keys() <= known.keys():
            raise SettingsError(f'{source}: {key} takes tables, [{key}."NAME"], with the keys {", ".join(known)}.')
        chosen = {each: _checked(known[each], of, f'{key}."{name}".{each}', source) for each, of in table.items()}
        found.append((str(name), policy(**chosen)))
    return tuple(found)


_YES_NO = (bool, str)


def _converted(value: object, wanted: type) -> object | None:
    """None when the value cannot be meant as the wanted type."""
    if wanted is bool:
        return (
            {"true": True, "false": False, True: True, False: False}.get(value) if isinstance(value, _YES_NO) else None
        )
    if isinstance(value, bool):
        return None
    try:
        if wanted is tuple:
            items = value.split(",") if isinstance(value, str) else value
            return tuple(str(item).strip() for item in items) if isinstance(items, list) else None
        if wanted is int and isinstance(value, float):
            return None
        return wanted(value) if isinstance(value, (str, int, float)) else None
    except (ValueError, OverflowError):
        return None


def _shown(value: object) -> object:
    """A value as it may be shown: an address without its password, a table with its name."""
    if isinstance(value, tuple):
        return tuple(each if isinstance(each, str) else f"{each[0]}: {_told(each[1])}" for each in value)
    return _without_password(value)


def _told(policy: Any) -> str:
    chosen = (each.name for each in fields(policy) if getattr(policy, each.name) != each.default)
    return ", ".join(f"{name} {getattr(policy, name)}" for name in chosen)


def _without_password(value: object) -> object:
    """An address as it may be shown."""
    if not isinstance(value, str) or "@" not in value or "://" not in value:
        return value
    scheme, _, rest = value.partition("://")
    credentials, _, host = rest.rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}://{user}{':…' if ':' in credentials else ''}@{host}"
