"""Loads the settings: config.toml in the home, overridden by WISEN_* variables.

Each section is the policy of one feature or mechanism; a key's meaning and limits are defined there. An unknown key or
value is an error that says where it is and what is allowed; it is never ignored.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from difflib import get_close_matches
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
from wisen.model.policy import SettingRule, setting
from wisen.safety.foreign_settings import parse_toml
from wisen.safety.regular_files import MAX_SIDE_FILE_BYTES, read_regular_text
from wisen.skills.settings import SkillsSettings
from wisen.trials.settings import TrialsPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

KNOWN_AGENTS = ("claude-code", "codex", "openclaw", "gemini-cli", "opencode", "hermes", "aider", "openhands", "generic")


@dataclass(frozen=True, kw_only=True)
class StorePolicy:
    """Where the ledger is stored and how it is backed up."""

    ledger: str = setting(
        "sqlite",
        "`sqlite` for a file in the home, or the address of a PostgreSQL database.",
        one_of=("sqlite", "postgresql://…", "postgres://…"),
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
    """Everything a user can configure."""

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
    skills: SkillsSettings = field(default_factory=SkillsSettings)
    archive: ArchivePolicy = field(default_factory=ArchivePolicy)
    off: OffPolicy = field(default_factory=OffPolicy)
    models: ModelsPolicy = field(default_factory=ModelsPolicy)
    sources: Mapping[str, str] = field(default_factory=dict)
    """The keys that were set, with the file or variable that set each."""

    def answer_to(self, key: str) -> bool | None:
        """Return the user's answer to a yes/no question; None if they were never asked."""
        section, _, name = key.partition(".")
        return bool(getattr(getattr(self, section), name)) if key in self.sources else None


@dataclass(frozen=True, kw_only=True)
class SettingDescription:
    """One setting with its effective value, for display and docs."""

    key: str
    value: object
    default: object
    source: str
    meaning: str
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
    "skills": SkillsSettings,
    "archive": ArchivePolicy,
    "off": OffPolicy,
    "models": ModelsPolicy,
}
SECTIONS = tuple(_POLICIES)
_LONGEST_VALUE = 200
_LONGEST_NAME = 100
"""No name of ours is longer; the comparison takes time with the square of the length."""
_PREFIX = "WISEN_"
_OTHER_VARIABLES = ("WISEN_HOME", "WISEN_OFF", "WISEN_TRACEBACK")
"""Variables that are no settings."""
_SIMILARITY = 0.88
"""How alike a variable must be to one of ours to be a typo of it; others may use the prefix for their own."""
RETIRED_KEYS = frozenset({"promote.stated", "promote.durable"})
"""Keys that are no longer used: a config.toml of an earlier version must not fail."""


def load(home: Path, environment: Mapping[str, str]) -> Settings:
    """Load the effective settings. Raises: SettingsError."""
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
        checked = _validate(_field(policy, name), value, key, source)
        settings = replace(settings, **{section: replace(policy, **{name: checked})})
    return settings


def describe(settings: Settings) -> Iterator[SettingDescription]:
    """Yield every setting with its value, default and meaning, in a fixed order."""
    for section in SECTIONS:
        policy = getattr(settings, section)
        for each in fields(policy):
            key = f"{section}.{each.name}"
            yield SettingDescription(
                key=key,
                value=_format_value(getattr(policy, each.name)),
                default=each.default,
                source=settings.sources.get(key, "default"),
                meaning=_rule(each).description,
                allowed=_rule(each).allowed,
                variable="" if _rule(each).tables else _variable(key),
            )


def _from_file(file: Path) -> Iterator[tuple[str, object]]:
    try:
        text = read_regular_text(file, MAX_SIDE_FILE_BYTES)
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}. Fix or move it, then try again.") from error
    try:
        tables = parse_toml(text)
    except ValueError as error:
        raise SettingsError(f"{file} is not valid TOML: {error}. Fix that line, then try again.") from error
    known = {described.key for described in describe(Settings(home=file.parent))}
    for section, table in tables.items():
        if section in SECTIONS and not isinstance(table, dict):
            raise SettingsError(f"{file}: {section} is a section, [{section}], and takes no value itself.")
        if section not in SECTIONS:
            raise SettingsError(
                f"{file}: unknown section or key {section!r}.{_suggest(section, SECTIONS)} Sections: "
                f"{', '.join(SECTIONS)} (see `wisen config`)."
            )
        for name, value in table.items():
            if f"{section}.{name}" in RETIRED_KEYS:
                continue
            if f"{section}.{name}" not in known:
                names = [key.partition(".")[2] for key in sorted(known) if key.startswith(f"{section}.")]
                raise SettingsError(
                    f"{file}: unknown key {section}.{name}.{_suggest(name, names)} Keys of [{section}]: "
                    f"{', '.join(names)}."
                )
            yield f"{section}.{name}", value


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    known = {_variable(f"{section}.{name}"): f"{section}.{name}" for section, name in _all_names()}
    retired = {_variable(key) for key in RETIRED_KEYS}
    sections = tuple(f"{_PREFIX}{section.upper()}_" for section in SECTIONS)
    for variable, text in environment.items():
        if variable in retired:
            continue
        if variable in known:
            yield known[variable], text, variable
        elif variable.startswith(sections) or (
            variable.startswith(_PREFIX) and variable not in _OTHER_VARIABLES and _is_misspelled(variable, known)
        ):
            raise SettingsError(
                f"unknown environment variable {variable}.{_suggest(variable, (*known, *_OTHER_VARIABLES))} "
                f"Known: {', '.join(sorted(known))}."
            )


def _shorten(value: object) -> str:
    """Return a value as it is written, without the rest of a long one."""
    written = repr(value)
    return written if len(written) <= _LONGEST_VALUE else f"{written[:_LONGEST_VALUE]}…"


def _suggest(name: str, known: Iterable[str]) -> str:
    """Return the question whether the nearest known name was meant; empty if none is near."""
    near = get_close_matches(name[:_LONGEST_NAME], known, 1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _is_misspelled(variable: str, known: Iterable[str]) -> bool:
    near = get_close_matches(variable[:_LONGEST_NAME], (*known, *_OTHER_VARIABLES), 1, _SIMILARITY)
    return bool(near) and len(variable) <= _LONGEST_NAME


def _all_names() -> Iterator[tuple[str, str]]:
    for section, policy in _POLICIES.items():
        for each in fields(policy):
            if _rule(each).tables is None:
                yield section, each.name


def _variable(key: str) -> str:
    return f"{_PREFIX}{key.upper().replace('.', '_')}"


def _field(policy: Any, name: str) -> Field[Any]:
    return next(each for each in fields(policy) if each.name == name)


def _rule(each: Field[Any]) -> SettingRule:
    rule = each.metadata["rule"]
    assert isinstance(rule, SettingRule)
    return rule


def _validate(each: Field[Any], value: object, key: str, source: str) -> object:
    """Convert a value to the policy's type. Raises: SettingsError that names source, key, value and what is allowed."""
    rule, wanted = _rule(each), type(each.default)
    if rule.tables is not None:
        return _convert_tables(rule.tables, value, key, source)
    converted = _convert(value, wanted)
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of names"}
    expected = names[wanted]
    allowed = f"{expected}, {rule.allowed}" if rule.allowed else expected
    if converted is None or not rule.allows(converted):
        shown = _shorten(_without_password(value))
        raise SettingsError(f"{source}: {key} = {shown} is not allowed. It takes {allowed}; default: {each.default!r}.")
    return converted


def _convert_tables(policy: type, value: object, key: str, source: str) -> tuple[tuple[str, object], ...]:
    """Convert tables named by the user, each to a policy. Raises: SettingsError."""
    known = {each.name: each for each in fields(policy)}
    policies: list[tuple[str, object]] = []
    for name, table in value.items() if isinstance(value, dict) else ((key, None),):
        if not isinstance(table, dict) or not table.keys() <= known.keys():
            raise SettingsError(f'{source}: {key} takes tables, [{key}."NAME"], with the keys {", ".join(known)}.')
        chosen = {each: _validate(known[each], of, f'{key}."{name}".{each}', source) for each, of in table.items()}
        policies.append((str(name), policy(**chosen)))
    return tuple(policies)


_BOOLEAN_TYPES = (bool, str)


def _convert(value: object, wanted: type) -> object | None:
    """Convert a value; None if it cannot be of the wanted type."""
    if wanted is bool:
        return (
            {"true": True, "false": False, True: True, False: False}.get(value)
            if isinstance(value, _BOOLEAN_TYPES)
            else None
        )
    if isinstance(value, bool):
        return None
    try:
        if wanted is tuple:
            return _convert_names(value.split(",") if isinstance(value, str) else value)
        allowed = {str: (str,), int: (str, int)}.get(wanted, (str, int, float))
        return wanted(value) if isinstance(value, allowed) else None
    except (ValueError, OverflowError):
        return None


def _convert_names(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return None
    return tuple(each.strip() for each in value)


def _format_value(value: object) -> object:
    """Format a value for display: an address without its password, a table with its name."""
    if isinstance(value, tuple):
        return tuple(each if isinstance(each, str) else f"{each[0]}: {_format_policy(each[1])}" for each in value)
    return _without_password(value)


def _format_policy(policy: Any) -> str:
    chosen = (each.name for each in fields(policy) if getattr(policy, each.name) != each.default)
    return ", ".join(f"{name} {getattr(policy, name)}" for name in chosen)


def _without_password(value: object) -> object:
    """Return an address without its password."""
    if not isinstance(value, str) or "@" not in value or "://" not in value:
        return value
    scheme, _, rest = value.partition("://")
    credentials, _, host = rest.rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}://{user}{':…' if ':' in credentials else ''}@{host}"
