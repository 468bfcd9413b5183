"""Detects whether a text contains a secret, and by which rule. It never says where, and it never masks.

All triggers of all rules are searched for in one pass, so that a clean text costs little. Obfuscation does not hide a
secret: a text with invisible characters, continued lines or escaped addresses is scanned again without them, and what
looks like base64 of a known prefix is decoded and scanned too. The clues to private data (`private_rules`) are found in
the same pass.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ahocorasick_rs import BytesAhoCorasick, Implementation
from msgspec import Struct, field

from wisen.safety import obfuscation
from wisen.safety.private_rules import CLUES
from wisen.safety.secret_forms import SecretRule, compile_form
from wisen.safety.secret_rules import RULES, WRAPPED_WORDS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

_BUILD_DFA_AFTER = 1_500_000
"""Building the fast automaton takes as long as it saves on this many bytes."""
_MAX_CHECKED_BYTES = 128
"""This many bytes of a value are enough to judge it; a text could consist of nothing but long ones."""
_NORMALIZATION = bytes(range(256)).lower().translate(bytes.maketrans(b"123456789", b"000000000"))
"""Lower case, and 0 for every digit. Bytes of other scripts stay, so that their signs are found in the same pass."""
_WORD_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_.~-@:%$")
_STRING_ENDS = _WORD_BYTES | frozenset(b"\\")
"""What can stand before a quote that ends a piece of a token; a backslash if it is escaped."""


class Scan(NamedTuple):
    """What one pass over a text found."""

    secret: str | None
    """The name of the first rule that matches."""
    clues: frozenset[str]
    """What private data it may contain, as topics of `private_rules`; incomplete if there is a secret."""


EMPTY_SCAN = Scan(None, frozenset())
_Hit: TypeAlias = tuple[int, int, int]
"""Which trigger, from where, to where."""


class _CompiledRule:
    """A rule whose form is compiled when it is first tried."""

    __slots__ = ("form", "name", "rule", "value")

    def __init__(self, rule: SecretRule) -> None:
        self.rule = rule
        self.name = rule.name
        self.form: re.Pattern[bytes] | None = None
        self.value: str | int = 0

    def matches(self, data: bytes, start: int) -> bool:
        rule, form = self.rule, self.form
        if form is None:
            form = self.form = compile_form(rule)
            self.value = "value" if "value" in form.groupindex else 0
        if rule.lookbehind_bytes or rule.search_bytes:
            ahead = max(0, start - rule.lookbehind_bytes)
            if rule.required_before and data.rfind(rule.required_before, ahead, start) < 0:
                return False
            match = (
                form.search(data, ahead, start + rule.search_bytes) if rule.search_bytes else form.match(data, start)
            )
        else:
            match = form.match(data, start)
        if match is None:
            return False
        return rule.check is None or rule.check(match[self.value][:_MAX_CHECKED_BYTES].decode("utf-8", "replace"))


class _TriggerInfo(Struct):
    """What a trigger means in addition to its rules."""

    clues: set[str] = field(default_factory=set)
    spellings: list[obfuscation.Spelling] = field(default_factory=list)
    mentions: bool = False
    folds: bool = False
    continues: bool = False
    joins: bool = False


class _Seen(Struct):
    """What matching met on its way, apart from secrets."""

    clues: set[str] = field(default_factory=set)
    folded: bool = False
    """Whether to scan again unfolded."""
    joints: list[int] = field(default_factory=list)
    """Where two strings are concatenated."""


class _TriggerSearch:
    """Finds triggers: by an automaton that is built quickly, and by one that is fast once that pays."""

    def __init__(self, patterns: list[bytes]) -> None:
        self._patterns = patterns
        self._automaton = BytesAhoCorasick(patterns, implementation=Implementation.ContiguousNFA)
        self._left = _BUILD_DFA_AFTER
        """How many bytes are searched before the fast one is built."""

    def find_all(self, data: bytes) -> list[_Hit]:
        """Return every place of every trigger."""
        if self._left > 0:
            self._left -= len(data)
            if self._left <= 0:
                self._automaton = BytesAhoCorasick(self._patterns, implementation=Implementation.DFA)
        return self._automaton.find_matches_as_indexes(data.translate(_NORMALIZATION), overlapping=True)


class SecretScanner:
    """A scanner for a set of rules."""

    def __init__(self, rules: Iterable[SecretRule] = RULES, clues: Mapping[str, tuple[str, ...]] = CLUES) -> None:
        rules = tuple(rules)
        rules_by_trigger: dict[bytes, list[_CompiledRule]] = {}
        for rule in rules:
            one = _CompiledRule(rule)
            for trigger in rule.triggers:
                rules_by_trigger.setdefault(_normalize(trigger.encode()), []).append(one)
        infos: defaultdict[bytes, _TriggerInfo] = defaultdict(_TriggerInfo)
        for clue, kinds in clues.items():
            infos[_normalize(clue.encode())].clues.update(kinds)
        words = {*WRAPPED_WORDS, *(prefix for rule in rules for prefix in rule.prefixes)}
        for spelling in obfuscation.base64_spellings(sorted(words)):
            infos[_normalize(spelling.letters)].spellings.append(spelling)
        infos[_normalize(obfuscation.MENTION)].mentions = True
        for sign in obfuscation.FOLD_SIGNS:
            infos[_normalize(sign)].folds = True
        for sign in obfuscation.CONTINUATIONS:
            infos[_normalize(sign)].continues = True
        for sign in obfuscation.JOINT_SIGNS:
            infos[_normalize(sign)].joins = True
        patterns = list(dict.fromkeys((*rules_by_trigger, *infos)))
        self._triggers = _TriggerSearch(patterns)
        self._rules = tuple(tuple(rules_by_trigger.get(pattern, ())) for pattern in patterns)
        self._marked = tuple(tuple(each for each in found if each.rule.is_marked) for found in self._rules)
        self._has_prefixes = tuple(any(each.rule.prefixes for each in found) for found in self._rules)
        self._trigger_infos = tuple(infos.get(pattern) for pattern in patterns)

    def scan(self, text: str) -> Scan:
        """Scan a text for secrets and for clues to private data."""
        data = text.encode("utf-8", "surrogatepass")
        hits = self._triggers.find_all(data)
        seen = _Seen()
        secret = self._match_hits(data, hits, seen, unwrap=True) if hits else None
        if secret is None and seen.folded:
            secret = self._scan_bytes(obfuscation.unfold(text).encode("utf-8", "surrogatepass"), seen, unwrap=True)
        if secret is None and (joined := obfuscation.join_pieces(data, seen.joints)):
            secret = self._scan_bytes(joined, _Seen(), unwrap=True, marked=True)
        return Scan(secret, frozenset(seen.clues)) if secret or seen.clues else EMPTY_SCAN  # most texts

    def _match_hits(
        self, data: bytes, hits: list[_Hit], seen: _Seen, *, unwrap: bool, marked: bool = False
    ) -> str | None:
        """Return the first rule that matches at one of the hits.

        In pieces that were joined a name may stand before a value that is not its own, so only tokens count that
        have a mark of their own (`marked`).
        """
        rules, infos, begins = self._marked if marked else self._rules, self._trigger_infos, self._has_prefixes
        unwrapped_to = 0
        for trigger, start, _ in hits:
            for rule in rules[trigger]:
                if rule.matches(data, start):
                    return rule.name
            if (
                begins[trigger]
                and obfuscation.SPLIT_TOKEN.match(data, start)
                and (found := self._match_split_token(data, start, trigger))
            ):
                return found
            info = infos[trigger]
            if info is None:
                continue
            if info.joins and start and data[start - 1] in _STRING_ENDS and obfuscation.is_joint(data, start):
                seen.joints.append(start)
            if info.clues:
                seen.clues.update(info.clues)
            if (info.spellings or info.mentions) and unwrap and start >= unwrapped_to:
                inside, unwrapped_to = _unwrap(data, start, info)
                found = self._scan_bytes(inside, seen, unwrap=False)
                if found is not None:
                    return found
            if info.folds or (info.continues and _is_inside_word(data, start)):
                seen.folded = True
        return None

    def _match_split_token(self, data: bytes, start: int, trigger: int) -> str | None:
        """Return the rule that matches a token which begins here and continues in other lines or strings."""
        rules = [each for each in self._rules[trigger] if each.rule.prefixes]
        for token in obfuscation.joined_tokens(data, start):
            for rule in rules:
                if rule.matches(token, 0):
                    return rule.name
        return None

    def _scan_bytes(self, data: bytes, seen: _Seen, *, unwrap: bool, marked: bool = False) -> str | None:
        hits = self._triggers.find_all(data)
        return self._match_hits(data, hits, seen, unwrap=unwrap, marked=marked)


def find_secret(text: str) -> str | None:
    """Return the name of the first rule that matches, or None. A text that matches must be dropped as a whole."""
    return secret_scanner().scan(text).secret


@cache
def secret_scanner() -> SecretScanner:
    """Return the scanner with all rules."""
    return SecretScanner()


def _normalize(trigger: bytes) -> bytes:
    return trigger.translate(_NORMALIZATION)


def _is_inside_word(data: bytes, start: int) -> bool:
    return start > 0 and data[start - 1] in _WORD_BYTES


def _unwrap(data: bytes, start: int, info: _TriggerInfo) -> tuple[bytes, int]:
    if info.mentions:
        return obfuscation.decode_mentioned(data, start)
    end = start
    for spelling in info.spellings:
        inside, end = obfuscation.decode_around(data, start, spelling)
        if inside:
            return inside, end
    return b"", end
