"""All secret rules: those of the providers, and those that depend on a name or a place alone."""

from __future__ import annotations

from wisen.safety.providers import PROVIDERS
from wisen.safety.secret_forms import BARE, IS, SAID, URL, WRITTEN, SecretRule, named_value
from wisen.safety.secret_heuristics import (
    has_key_material,
    is_basic_credential,
    is_generated,
    is_key_material,
    is_named_password,
    is_named_secret,
    is_not_placeholder,
    is_password_in_address,
    is_spoken_secret,
    is_token_body,
)
from wisen.safety.spoken_rules import SPOKEN

_PASSWORDS = "password passwd passphrase passwort _pass pwd".split()
_KEYS = [
    f"{kind}{joint}key"
    for kind in (
        *"api access private account auth encryption master session signing secret".split(),
        *"admin app application client deploy hmac ingest insert integration jwt license management".split(),
        *"project role routing sdk server service shared storage subscription webhook write".split(),
    )
    for joint in ("", "_", "-", " ", ".")
]
_SECRETS = [*"secret token _auth credential credentials".split(), *_KEYS]
_SPOKEN = [
    *"password secret token credentials access_key api_key".split(),
    *("api key", "access key", "key is", "key was", "key provided", " pw is", " pwd is"),
]
_QUALIFIED = r"(?:[_-]?(?:key|id|value|base(?:64)?|b64|prod|production|dev|test|live|staging|raw|string|\d{1,2})){0,2}"

GENERIC: tuple[SecretRule, ...] = (
    SecretRule(
        name="private-key",
        stands_alone=True,
        triggers=("-----begin", "---- begin"),
        form=r"-{4,5}[ ]?BEGIN(?:[ ]|%20|\+)[A-Z0-9 %+]{0,40}PRIVATE(?:[ ]|%20|\+)KEY(?:[ ]BLOCK)?[ ]?-{4,5}"
        r"[\s\S]{0,300}?[A-Za-z0-9+/]{40}",
    ),
    SecretRule(
        name="ssh-private-key",
        stands_alone=True,
        # The first bytes of every such key, without the lines around it.
        triggers=("b3blbnnzac1rzxktdje",),
        form=r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{20}",
    ),
    SecretRule(
        name="putty-private-key",
        triggers=("private-lines:",),
        form=r"Private-Lines:\s{0,2}\d{1,4}[\s\S]{0,40}?[A-Za-z0-9+/]{40}",
    ),
    SecretRule(
        name="jwt",
        stands_alone=True,
        triggers=("eyj",),
        form=r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))eyJ[A-Za-z0-9_-]{10,4000}"
        r"\.(?P<value>[A-Za-z0-9_-]{10,16000}\.[A-Za-z0-9_-]{10,2000})",
        check=is_not_placeholder,
    ),
    SecretRule(
        name="password-in-url",
        stands_alone=True,
        triggers=("://",),
        form=r"""://[^\s/@:"'`<>\\]{0,100}:(?P<value>[^\s/@"'`<>\\]{3,2000})@(?!sha\d)[A-Za-z0-9\[]""",
        check=is_password_in_address,
    ),
    SecretRule(
        name="password-in-url",
        stands_alone=True,
        triggers=("://",),
        form=rf"://(?P<value>{URL}{{20,200}})@[A-Za-z0-9\[]",
        check=is_generated,
    ),
    SecretRule(
        # Whoever knows it may do what it allows.
        name="signed-address",
        stands_alone=True,
        triggers=("sig=", "signature="),
        form=r"""(?<=[?&;-])[Ss]ig(?:nature)?=(?P<value>(?:[A-Za-z0-9_-]|%2[BbFf]|[+/]){40,600})""",
        check=is_token_body,
    ),
    SecretRule(
        name="secret-address",
        triggers=("webhook",),
        form=rf"""webhook(?:[_ -]?ur[il])?(?:{IS}|{SAID})\\*["'`]?https?://[^\s/"'`<>\\]{{1,100}}/"""
        r"""(?P<value>[^\s"'`<>\\]{20,400})""",
        check=has_key_material,
        ignores_case=True,
    ),
    SecretRule(
        name="authorization-header",
        triggers=("bearer",),
        form=r"(?i:bearer)(?:\s|\\t|%20|\+){1,3}(?P<value>[A-Za-z0-9._~+/=-]{12,4000})",
        check=is_generated,
    ),
    SecretRule(
        name="authorization-header",
        triggers=("basic",),
        form=r"(?i:basic)\s{1,3}(?P<value>[A-Za-z0-9+/]{8,400}={0,2})",
        check=is_basic_credential,
    ),
    SecretRule(
        name="authorization-header",
        triggers=("authorization",),
        form=rf"""(?i:authorization)(?:{IS})\\*["'`]?(?:[A-Za-z-]{{3,12}}\s{{1,2}})?(?P<value>{BARE})""",
        check=is_named_secret,
    ),
    SecretRule(
        name="command-password",
        triggers=("-u ", "--user", "--proxy-user"),
        form=r"""(?:-u|--user|--proxy-user)[ =]{1,2}\\*["']?[^\s:"'\\]{1,80}:(?P<value>[^\s"'\\]{3,200})""",
        check=is_password_in_address,
        required_before=b"curl",
        lookbehind_bytes=400,
    ),
    SecretRule(
        name="command-password",
        triggers=("sshpass",),
        form=r"""sshpass\s{1,2}-p[ ]?\\*["']?(?P<value>[^\s"'\\]{3,200})""",
        check=is_password_in_address,
    ),
    SecretRule(
        name="command-password",
        triggers=("--password-stdin",),
        form=r"""(?:echo|printf)\s{1,2}\\*["']?(?P<value>[^\s"'\\|]{6,400})\\*["']?\s{0,2}\|[^\n]{0,200}--password-stdin""",
        check=is_password_in_address,
        lookbehind_bytes=600,
        search_bytes=20,
    ),
    SecretRule(
        name="command-password",
        triggers=("mysql ", "mysqldump ", "mysqladmin ", "mariadb ", "docker login", "redis-cli ", "openssl enc"),
        form=r"""(?:(?:mysql(?:dump|admin)?|mariadb)[ ](?:[^\s|;&]{1,80}[ ]){0,12}?-p"""
        r"""|docker[ ]login[ ](?:[^\s|;&]{1,80}[ ]){0,8}?-p[ ]?|redis-cli[ ](?:[^\s|;&]{1,80}[ ]){0,8}?-a[ ]"""
        r"""|openssl[ ]enc[ ](?:[^\s|;&]{1,80}[ ]){0,12}?-k[ ])\\*["']?(?P<value>[^\s"'\\|;&]{4,200})""",
        check=is_password_in_address,
    ),
    SecretRule(
        name="sql-password",
        triggers=("identified by", "password '"),
        form=r"""(?i:identified[ ]by|password)[ ]{1,2}\\?'(?P<value>[^'\s\\]{6,200})\\?'""",
        check=is_named_password,
    ),
    SecretRule(
        name="cookie",
        triggers=("cookie:",),
        form=r"""(?i:cookie):[ ]?(?:[^\n;]{0,300};[ ]?){0,10}?[\w.-]{0,30}(?i:sess|auth|token|jwt|sid)[\w.-]{0,30}="""
        r"""(?P<value>[^;\s"'\\]{16,400})""",
        check=is_generated,
    ),
    SecretRule(
        name="key-in-url",
        triggers=("?key=", "&key="),
        form=rf"[?&]key=(?P<value>{URL}{{16,400}})",
        check=is_key_material,
    ),
    SecretRule(
        name="netrc-password",
        triggers=("login ",),
        form=r"""login[ ]\S{1,80}\s{1,8}password[ ](?P<value>[^\s"'`{}<>\\]{3,200})""",
        check=is_password_in_address,
    ),
    named_value("named-password", _PASSWORDS, _QUALIFIED, is_named_password),
    SecretRule(
        name="named-password",
        triggers=("pass:", "pass=", 'pass"', "pass'", "pw:", "pw=", 'pw"'),
        # Test runners write PASS: before a name.
        form=rf"(?<![A-Za-z])(?:[Pp]ass|PASS(?!:)|[Pp]w|PW)(?:{IS}){WRITTEN}",
        check=is_named_password,
    ),
    named_value("named-secret", _SECRETS, _QUALIFIED, is_named_secret),
    named_value("spoken-secret", [*_SPOKEN, "passphrase", "passwd"], r"(?:\s(?:id|value))?", is_spoken_secret, SAID),
    SecretRule(
        name="refused-secret",
        # What a service answers to a key that it rejects: whatever is there was used as one.
        triggers=("key provided: ", "token provided: "),
        form=rf"(?i:key|token)[ ]provided:[ ]{{1,2}}{WRITTEN}",
        check=is_named_secret,
    ),
    named_value("spoken-secret", _SPOKEN, r"(?:\s(?:id|value))?", is_key_material, SAID),
    SecretRule(
        name="named-secret",
        triggers=tuple(f"_{word}{sign}" for word in ("key", "pat") for sign in ("=", ":", '"', "'", "\\", " ")),
        form=rf"""(?<=[A-Za-z0-9])(?<!public)(?<!cache)(?<!primary)(?<!foreign)_(?:key|pat)(?:{IS})\\*["'`]?(?P<value>{BARE})""",
        check=is_key_material,
        ignores_case=True,
    ),
    *SPOKEN,
)

WRAPPED_WORDS = [
    *"-----BEGIN password PASSWORD secret SECRET token TOKEN api_key API_KEY apiKey private_key _authToken".split(),
    *"postgres: postgresql: mongodb: mongodb+srv: redis: rediss: mysql: amqp: https:".split(),
]
"""What is searched for in base64 in addition to the prefixes of tokens."""

RULES: tuple[SecretRule, ...] = (*PROVIDERS, *GENERIC)
"""In the order in which they are tried at one position of a text: rules that name the provider come first."""
