"""The record of a secret rule, and the few shapes that most rules are built from.

A trigger is searched for without regard to case, and any digit in it matches any other; the form is then tried at the
trigger, in bytes, because every secret is ASCII and its surroundings need not be. Forms begin with a lookbehind if they
could otherwise be tried again at each step of a long run of letters. Forms are text until a trigger is met: most are
never compiled.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.safety.secret_heuristics import is_generated, is_token_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ALNUM, HEX, URL, BASE64 = "[A-Za-z0-9]", "[0-9a-fA-F]", "[A-Za-z0-9_-]", "[A-Za-z0-9+/]"
UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
"""Where a token can begin: an escaped line break and an escaped byte end in a letter or a digit."""
END = "(?![A-Za-z0-9])"
_GAP = r"(?:[ \t]{5,30}|\s{0,4})"
_QUOTE = r"""(?:\\*["'`])"""
_BREAK = r"(?:\s|\\[nrt]|[,{])"
IS = (
    rf"""(?:\\*["'`*]){{0,3}}\]?{_GAP}(?::\s?(?:&(?:'\w{{1,12}}\s)?)?[A-Za-z][\w.<>\[\]?]{{0,30}}\s?=|=>|->|:=|={{1,3}}|:|>(?=\w)|\||│|<<<|,(?=\s?{_QUOTE}|[\w+/=-]{{16}})"""
    rf"""|\((?={_QUOTE})|{_BREAK}{{0,30}}{_QUOTE}?(?:value|default){_QUOTE}?\s{{0,4}}[:=]){_GAP}(?:(?:\[-[^\]\n]{{0,160}}-\])?\{{\+)?"""
)
"""Between a name and its value: an assignment, a field, an argument, a cell, a name-value pair, a diff of words."""
SAID = r"""\s{1,2}(?:(?:is|was|provided|used|to|as|ist|est|es)\b:?\s{1,2})?"""
"""The same in a sentence."""
BARE = r"""(?:[^\s"'`\\,;<>|&-]|-(?=[A-Za-z0-9_-]{15}))[^\s"'`\\,;<>|&]{7,160}"""
WRITTEN = (
    r"""(?:[bBrRuUfF]{1,2}(?=["']))?\\*"""
    rf"""(?P<value>(?P<quote>["'`])[^"'`\\\s]{{8,160}}(?=\\*(?P=quote)|[^"'`\\\s])|{BARE})"""
)
"""The check sees the opening quote. A value may continue, but not with a space before the closing one."""


class SecretRule(Struct, frozen=True, kw_only=True):
    """One form of secret."""

    name: str
    triggers: tuple[str, ...]
    """Lower-case literals, one of which occurs in every such secret."""
    form: str
    """A verbose regular expression. Its group `value`, or else the whole match, is what the check sees."""
    check: Callable[[str], bool] | None = None
    provider: str = ""
    """Who issues such secrets; empty for a rule that depends on a name or a place alone."""
    prefixes: tuple[str, ...] = ()
    """How such secrets begin, case-sensitive; they are searched for in base64 too."""
    ignores_case: bool = False
    required_before: bytes = b""
    """What must precede the trigger for the rule to apply."""
    lookbehind_bytes: int = 0
    """How many bytes before the trigger are examined."""
    search_bytes: int = 0
    """How many bytes after the trigger are searched; 0 means that the form begins at the trigger."""
    stands_alone: bool = False
    """Whether no provider is known, and the form still says what it is."""
    needs_name: bool = False
    """Whether only the provider's name next to it tells such a secret from any other value."""

    @property
    def is_marked(self) -> bool:
        """Whether such a secret says by itself what it is, without a name next to it."""
        return self.stands_alone or (bool(self.provider) and not self.needs_name)


@cache
def compile_form(rule: SecretRule) -> re.Pattern[bytes]:
    """Compile the form of a rule."""
    return re.compile(rule.form.encode("utf-8"), re.VERBOSE | (re.IGNORECASE if rule.ignores_case else 0))


def prefixed_token(provider: str, prefixes: str, body: str, check: Callable[[str], bool] = is_token_body) -> SecretRule:
    """Build the rule for a token that is known by its prefix."""
    words = prefixes.split()
    either = "|".join(map(re.escape, words))
    return SecretRule(
        name=f"{provider}-token",
        provider=provider,
        prefixes=tuple(words),
        triggers=tuple(word.lower() for word in words),
        form=rf"{EDGE}(?:{either})(?P<value>{body}){END}",
        check=check,
    )


def marked_token(provider: str, trigger: str, form: str, *, ahead: int = 0, size: int = 0) -> SecretRule:
    """Build the rule for a token with its marker inside: searched from `ahead` bytes before it to `size` after."""
    return SecretRule(
        name=f"{provider}-token",
        provider=provider,
        triggers=tuple(trigger.split()),
        form=form,
        check=is_token_body,
        lookbehind_bytes=ahead,
        search_bytes=size,
    )


def token_near_provider(provider: str, words: str, body: str) -> SecretRule:
    """Build the rule for a token without a marker, known by the provider's name shortly before it on the same line."""
    triggers = tuple(words.split())
    either = "|".join(map(re.escape, triggers))
    return SecretRule(
        name=f"{provider}-token",
        provider=provider,
        triggers=triggers,
        form=rf"(?i:{either})(?:[^\r\n]{{0,48}}?[^A-Za-z0-9\r\n/.])(?P<value>{body})(?![A-Za-z0-9_=-])",
        check=is_generated,
        needs_name=True,
    )


def named_value(
    name: str, words: Iterable[str], tail: str, check: Callable[[str], bool], between: str = IS
) -> SecretRule:
    """Build the rule for a named value in configuration, code and command lines. The check sees its opening quote."""
    triggers = tuple(words)
    either = "|".join(re.escape(word) for word in triggers)
    return SecretRule(
        name=name,
        triggers=triggers,
        form=rf"(?P<option>(?<=--))?(?:{either}){tail}(?:{between}|(?(option)\s{{1,2}}|(?!))){WRITTEN}",
        check=check,
        ignores_case=True,
    )
