"""The secret rules, as data: a name for people, what to look for first, the exact form, and a check of the value.

A trigger is looked for without regard to case; the form is then tried where the trigger stands, in bytes, because every
secret is ASCII and its neighbours need not be. Forms begin with a look behind wherever they could otherwise be tried
again at each step of a long run of letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from wisen.safety.likeness import (
    is_basic_credential,
    is_body,
    is_generated,
    is_named_password,
    is_named_secret,
    is_password_in_address,
    is_placeholder,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One form of secret."""

    name: str
    triggers: tuple[str, ...]
    """Lower-case literals, one of which stands in every such secret."""
    form: re.Pattern[bytes]
    """Its group `value`, or else the whole of it, is what the check sees."""
    check: Callable[[str], bool] | None = None
    near: bytes = b""
    """What must stand ahead of the trigger for the rule to apply."""
    before: int = 0
    """How many bytes ahead of the trigger are looked at."""
    within: int = 0
    """How many bytes behind the trigger are searched; none means that the form begins at the trigger."""


def _form(pattern: str, flags: int = 0) -> re.Pattern[bytes]:
    return re.compile(pattern.encode("ascii"), flags | re.VERBOSE)


# An escaped line break ends in a letter.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"


def _prefixed(name: str, prefixes: str, body: str, check: Callable[[str], bool] = is_body) -> Rule:
    """A token that says by its first letters what it is."""
    words = prefixes.split()
    either = "|".join(map(re.escape, words))
    return Rule(
        name=name,
        triggers=tuple(word.lower() for word in words),
        form=_form(rf"{_EDGE}(?:{either})(?P<value>{body})(?![A-Za-z0-9])"),
        check=check,
    )


def _real(value: str) -> bool:
    return not is_placeholder(value)


# A user id in base64 begins with digits, which leave few letters for the first four places.
_DISCORD = tuple("".join(letters) for letters in product("mno", "dtjz", "aeimquycgk", "wxyz012345"))

_PASSWORDS = "password passwd passphrase _pass pwd".split()
_SECRETS = [
    *("secret", "token", "_auth"),
    *(
        f"{kind}{joint}key"
        for kind in ("api", "access", "private", "account", "auth", "encryption", "master", "session", "signing")
        for joint in ("", "_", "-", " ")
    ),
]
_QUALIFIED = r"(?:[_-]?(?:key|id|value|base64|b64|prod|production|dev|test|live|staging|\d{1,2}))?"
_IS = r"""(?:\\*["'`])?\]?\s{0,4}(?:=>|:=|=|:)\s{0,4}"""
_BARE = r"""[^\s"'`\\,;<>|&-][^\s"'`\\,;<>|&]{7,300}"""
_WRITTEN = rf"""\\*(?P<value>(?P<quote>["'`])[^"'`\\\s]{{8,300}}(?=\\*(?P=quote))|{_BARE})"""


def _named(name: str, words: list[str], check: Callable[[str], bool]) -> Rule:
    """A value with a name, as configuration, code and command lines give it one. The check sees its opening quote."""
    either = "(?:" + "|".join(word.replace(" ", "[ ]") for word in words) + ")" + _QUALIFIED
    form = rf"(?P<option>(?<=--))?{either}(?:{_IS}|(?(option)\s{{1,2}}|(?!))){_WRITTEN}"
    return Rule(name=name, triggers=tuple(words), form=_form(form, re.IGNORECASE), check=check)


RULES: tuple[Rule, ...] = (
    Rule(
        name="private-key",
        triggers=("-----begin", "---- begin"),
        form=_form(
            r"-{4,5}[ ]?BEGIN[ ][A-Z0-9 ]{0,30}PRIVATE[ ]KEY(?:[ ]BLOCK)?[ ]?-{4,5}[\s\S]{0,300}?[A-Za-z0-9+/]{40}"
        ),
    ),
    Rule(
        name="ssh-private-key",
        # The first bytes of every such key, without the lines around it.
        triggers=("b3blbnnzac1rzxktdje",),
        form=_form(r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{20}"),
    ),
    Rule(
        name="aws-access-key-id",
        triggers=("akia", "asia"),
        form=_form(_EDGE + r"(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
        check=_real,
    ),
    Rule(
        name="aws-secret-key",
        triggers=("secretaccesskey", "secret_access_key", "secret access key", "aws_secret", "secret-access-key"),
        form=_form(r"[A-Za-z_ -]{3,30}" + _IS + r"""\\*["']?(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"""),
        check=is_body,
    ),
    _prefixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{30,255}"),
    _prefixed("github-token", "github_pat_", "[A-Za-z0-9_]{30,255}"),
    _prefixed("gitlab-token", "glpat- gldt- glrt- glcbt- glptt-", "[A-Za-z0-9_.-]{20,300}"),
    _prefixed("slack-token", "xoxa- xoxb- xoxp- xoxo- xoxr- xoxs- xapp-", "[A-Za-z0-9-]{10,300}"),
    Rule(
        name="slack-webhook",
        triggers=("hooks.slack.com/",),
        form=_form(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Za-z0-9+/]{30,120})"),
        check=is_body,
    ),
    _prefixed("anthropic-key", "sk-ant-", "[A-Za-z0-9_-]{20,300}"),
    _prefixed("openai-key", "sk-", "(?!ant-)[A-Za-z0-9_-]{20,300}", is_generated),
    _prefixed("google-key", "AIza", "[A-Za-z0-9_-]{35}"),
    _prefixed("google-token", "ya29.", "[A-Za-z0-9_.-]{20,2000}"),
    _prefixed("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", "[A-Za-z0-9]{16,300}"),
    _prefixed("stripe-key", "whsec_", "[A-Za-z0-9+/]{24,100}"),
    _prefixed("npm-token", "npm_", "[A-Za-z0-9]{36}"),
    _prefixed("pypi-token", "pypi-AgE", "[A-Za-z0-9_-]{50,1000}"),
    _prefixed("hugging-face-token", "hf_", "[A-Za-z0-9]{30,60}"),
    Rule(
        name="sendgrid-key",
        triggers=("sg.",),
        form=_form(_EDGE + r"SG\.(?P<value>[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50})(?![A-Za-z0-9])"),
        check=is_body,
    ),
    Rule(
        name="twilio-key",
        triggers=("twilio",),
        form=_form(_EDGE + r"(?P<value>SK[0-9a-f]{32}|[0-9a-f]{32})(?![A-Za-z0-9])"),
        check=is_body,
        before=120,
        within=120,
    ),
    Rule(
        name="telegram-token",
        triggers=(":aa",),
        form=_form(_EDGE + r"\d{8,10}:(?P<value>AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
        check=is_body,
        before=10,
        within=48,
    ),
    Rule(
        name="discord-token",
        triggers=_DISCORD,
        form=_form(
            r"(?:(?<![A-Za-z0-9_.-])|(?<=\\[nrt]))"
            r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.(?P<value>[A-Za-z0-9_-]{27,40})(?![A-Za-z0-9])"
        ),
        check=is_body,
    ),
    Rule(
        name="discord-webhook",
        triggers=("/api/webhooks/",),
        form=_form(r"/api/webhooks/\d{17,20}/(?P<value>[A-Za-z0-9_-]{60,90})"),
        check=is_body,
    ),
    Rule(
        name="jwt",
        triggers=("eyj",),
        form=_form(
            r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{10,4000}"
            r"\.(?P<value>[A-Za-z0-9_-]{10,16000}\.[A-Za-z0-9_-]{10,2000})"
        ),
        check=_real,
    ),
    Rule(
        name="password-in-url",
        triggers=("://",),
        form=_form(r"""://[^\s/@:"'`<>\\]{0,100}:(?P<value>[^\s/@"'`<>\\]{3,200})@(?!sha\d)[A-Za-z0-9\[]"""),
        check=is_password_in_address,
    ),
    Rule(
        name="password-in-url",
        triggers=("://",),
        form=_form(r"""://(?P<value>[A-Za-z0-9_-]{20,200})@[A-Za-z0-9\[]"""),
        check=is_generated,
    ),
    Rule(
        name="authorization-header",
        triggers=("bearer",),
        form=_form(r"(?i:bearer)(?:\s|\\t|%20){1,3}(?P<value>[A-Za-z0-9._~+/=-]{16,4000})"),
        check=is_generated,
    ),
    Rule(
        name="authorization-header",
        triggers=("basic",),
        form=_form(r"(?i:basic)\s{1,3}(?P<value>[A-Za-z0-9+/]{8,400}={0,2})"),
        check=is_basic_credential,
    ),
    Rule(
        name="authorization-header",
        triggers=("authorization",),
        form=_form(r"(?i:authorization)" + _IS + r"""\\*["'`]?(?:[A-Za-z-]{3,10}\s{1,2})?""" + rf"(?P<value>{_BARE})"),
        check=is_named_secret,
    ),
    Rule(
        name="command-password",
        triggers=("-u ", "--user", "--proxy-user"),
        form=_form(r"""(?:-u|--user|--proxy-user)[ =]{1,2}\\*["']?[^\s:"'\\]{1,80}:(?P<value>[^\s"'\\]{3,200})"""),
        check=is_password_in_address,
        near=b"curl",
        before=400,
    ),
    Rule(
        name="command-password",
        triggers=("sshpass",),
        form=_form(r"""sshpass\s{1,2}-p[ ]?\\*["']?(?P<value>[^\s"'\\]{3,200})"""),
        check=is_password_in_address,
    ),
    _named("named-password", _PASSWORDS, is_named_password),
    _named("named-secret", _SECRETS, is_named_secret),
)
"""In the order in which they are tried at one place of a text: what names the provider comes first."""
