"""Secrets are found in every known form, and lookalikes are left alone.

Every secret here is generated randomly when the test runs; none is in this file.
"""

from __future__ import annotations

import json
import random
import string
from base64 import b64encode, urlsafe_b64encode
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cost import cost
from wisen.safety.secret_rules import RULES
from wisen.safety.secrets import SecretScanner, find_secret

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.requirement("N7")

DRAWS = 100
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
HIDDEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u2063\ufe0f\U000e0041"


def draw(rng: random.Random, letters: str, size: int) -> str:
    """Return a string without repeated neighbors, as four of a kind would read as a placeholder."""
    drawn = ""
    while len(drawn) < size:
        letter = rng.choice(letters)
        drawn += letter if not drawn.endswith(letter) else ""
    return drawn


def pem(rng: random.Random, kind: str = "RSA ", newline: str = "\n") -> str:
    lines = [draw(rng, ALNUM + "+/", 64) for _ in range(5)]
    return newline.join([f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----"])


def jwt(rng: random.Random) -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": draw(rng, string.digits, 10), "iat": rng.randrange(10**9)}]
    encoded = [urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, draw(rng, URLSAFE, 43)])


def discord(rng: random.Random) -> str:
    user = b64encode(str(rng.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return f"{user}.{draw(rng, URLSAFE, 6)}.{draw(rng, ALNUM, 38)}"


def basic(rng: random.Random) -> str:
    return "Authorization: Basic " + b64encode(f"bob:{draw(rng, ALNUM, 14)}".encode()).decode()


SHAPES: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "aws id": ("aws-access-key-id", lambda rng: "AKIA" + draw(rng, string.ascii_uppercase + "234567", 16)),
    "aws temporary id": ("aws-access-key-id", lambda rng: "ASIA" + draw(rng, string.ascii_uppercase + "234567", 16)),
    "aws secret": ("aws-secret-key", lambda rng: "aws_secret_access_key = " + draw(rng, ALNUM + "/+", 40)),
    "aws secret in JSON": ("aws-secret-key", lambda rng: '"SecretAccessKey": "' + draw(rng, ALNUM + "/+", 40) + '"'),
    **{
        f"github {kind}": ("github-token", lambda rng, kind=kind: f"gh{kind}_" + draw(rng, ALNUM, 36))  # type: ignore[misc]
        for kind in "pousr"
    },
    "github fine": ("github-token", lambda rng: f"github_pat_{draw(rng, ALNUM, 22)}_{draw(rng, ALNUM, 59)}"),
    "gitlab": ("gitlab-token", lambda rng: "glpat-" + draw(rng, ALNUM, 20)),
    "slack bot": ("slack-token", lambda rng: f"xoxb-{draw(rng, string.digits, 12)}-{draw(rng, ALNUM, 24)}"),
    "slack user": ("slack-token", lambda rng: f"xoxp-{draw(rng, string.digits, 12)}-{draw(rng, HEX, 32)}"),
    "slack webhook": (
        "slack-webhook",
        lambda rng: (
            f"https://hooks.slack.com/services/T{draw(rng, ALNUM, 8)}/B{draw(rng, ALNUM, 8)}/{draw(rng, ALNUM, 24)}"
        ),
    ),
    "openai": ("openai-token", lambda rng: "sk-" + draw(rng, ALNUM, 48)),
    "openai project": ("openai-token", lambda rng: "sk-proj-" + draw(rng, URLSAFE, 120) + "A1"),
    "anthropic": ("anthropic-token", lambda rng: "sk-ant-api03-" + draw(rng, URLSAFE, 93) + "AA"),
    "google key": ("google-token", lambda rng: "AIza" + draw(rng, URLSAFE, 34) + "Q"),
    "google oauth": ("google-token", lambda rng: "ya29." + draw(rng, URLSAFE, 120) + "Q"),
    "stripe live": ("stripe-token", lambda rng: "sk_live_" + draw(rng, ALNUM, 24)),
    "stripe restricted": ("stripe-token", lambda rng: "rk_live_" + draw(rng, ALNUM, 24)),
    "stripe test": ("stripe-token", lambda rng: "sk_test_" + draw(rng, ALNUM, 24)),
    "stripe webhook": ("stripe-token", lambda rng: "whsec_" + draw(rng, ALNUM, 32)),
    "npm": ("npm-token", lambda rng: "npm_" + draw(rng, ALNUM, 36)),
    "pypi": ("pypi-token", lambda rng: "pypi-AgEIcHlwaS5vcmc" + draw(rng, URLSAFE, 150) + "Q"),
    "hugging face": ("hugging-face-token", lambda rng: "hf_" + draw(rng, ALNUM, 34)),
    "sendgrid": ("sendgrid-token", lambda rng: f"SG.{draw(rng, URLSAFE, 22)}.{draw(rng, URLSAFE, 42)}Q"),
    "twilio": ("twilio-token", lambda rng: "twilio key SK" + draw(rng, HEX, 32)),
    "telegram": ("telegram-token", lambda rng: f"{rng.randrange(10**8, 10**10)}:AA{draw(rng, URLSAFE, 33)}"),
    "discord": ("discord-token", discord),
    "discord webhook": (
        "discord-webhook",
        lambda rng: f"https://discord.com/api/webhooks/{rng.randrange(10**17, 10**18)}/{draw(rng, URLSAFE, 68)}",
    ),
    "jwt": ("jwt", jwt),
    "private key": ("private-key", pem),
    "ec private key": ("private-key", lambda rng: pem(rng, "EC ")),
    "openssh private key": ("private-key", lambda rng: pem(rng, "OPENSSH ")),
    "encrypted private key": ("private-key", lambda rng: pem(rng, "ENCRYPTED ")),
    "private key on one line": ("private-key", lambda rng: pem(rng, "", "\\n")),
    "private key escaped twice": ("private-key", lambda rng: pem(rng, "", "\\\\n")),
    "private key indented": ("private-key", lambda rng: pem(rng, "", "\r\n    > ")),
    "ssh key without its frame": (
        "ssh-private-key",
        lambda rng: b64encode(b"openssh-key-v1\0\0").decode()[:19] + draw(rng, ALNUM, 60),
    ),
    "password in a url": ("password-in-url", lambda rng: f"postgres://app:{draw(rng, ALNUM, 12)}@db.internal:5432/app"),
    "token in a url": ("password-in-url", lambda rng: f"https://{draw(rng, ALNUM, 40)}@git.internal/o/r"),
    "bearer": ("authorization-header", lambda rng: "Authorization: Bearer " + draw(rng, ALNUM, 32)),
    "bearer alone": ("authorization-header", lambda rng: "-H 'authorization: bearer " + draw(rng, URLSAFE, 40) + "A1'"),
    "basic": ("authorization-header", basic),
    "other scheme": ("authorization-header", lambda rng: '"Authorization": "Apikey ' + draw(rng, ALNUM, 32) + '"'),
    "curl": ("command-password", lambda rng: f"curl -s -u bob:{draw(rng, ALNUM, 12)} https://h.internal/"),
    "sshpass": ("command-password", lambda rng: f"sshpass -p '{draw(rng, ALNUM, 12)}' ssh host"),
}

NAMED = [
    "DB_PASSWORD={}",
    "export PGPASSWORD='{}'",
    '"password": "{}"',
    '\\"passwd\\": \\"{}\\"',
    "client_secret: {}",
    "clientSecret = '{}'",
    'config["api_key"] = "{}"',
    "apiKey: '{}',",
    "X-Api-Key: {}",
    "ACCESS_KEY={}",
    "private-key => `{}`",
    "tool --token {} --verbose",
    "tool --password={}",
    "https://h.internal/?access_token={}&page=2",
    "SECRET_KEY = '{}'",
    "AccountKey={};EndpointSuffix=core",
    "DB_PASS={}",
    'token := "{}"',
]

AROUND = [
    "{}",
    "see {} there",
    '{{"command": "echo {}"}}',
    "ключ {}。",
    "a\n{}\nb",
    "a\\n{}\\nb",
    "\\t{}",
    "({})",
    "😀{} é",
    "x={}",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_secret_is_found_wherever_it_stands(shape: str) -> None:
    name, make = SHAPES[shape]
    rng = random.Random(shape)
    for _ in range(DRAWS):
        text = rng.choice(AROUND).format(make(rng))
        assert find_secret(text) == name


@pytest.mark.parametrize("form", NAMED)
@pytest.mark.parametrize(
    ("letters", "size"), [(ALNUM, 20), (HEX, 32), (ALNUM, 40), (string.ascii_lowercase + string.digits, 24)]
)
def test_a_value_that_something_names_is_found(form: str, letters: str, size: int) -> None:
    rng = random.Random(form + letters)
    found = [find_secret(form.format(draw(rng, letters, size))) for _ in range(DRAWS)]

    assert found.count(None) <= 1  # one in a hundred reads like a name


@pytest.mark.parametrize("form", ["DB_PASSWORD={}", '"password": "{}"', "passwd: '{}'"])
def test_a_password_of_a_word_and_a_number_is_found(form: str) -> None:
    rng = random.Random(form)
    for word in ("Summer", "Monkey", "liverpool"):
        for end in ("", "!", "#"):
            assert find_secret(form.format(f"{word}{rng.randrange(1000, 10000)}{end}")) == "named-password"


@pytest.mark.parametrize("shape", SHAPES)
def test_hidden_characters_do_not_hide_a_secret(shape: str) -> None:
    _, make = SHAPES[shape]
    rng = random.Random(shape)
    for _ in range(DRAWS):
        secret = make(rng)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(1, len(secret))
            secret = secret[:at] + rng.choice(HIDDEN) + secret[at:]
        assert find_secret(f"see {secret} there") is not None


def test_a_hidden_character_before_a_secret_does_not_hide_it() -> None:
    rng = random.Random(3)
    for character in HIDDEN:
        assert find_secret(f"word{character}ghp_{draw(rng, ALNUM, 36)}") == "github-token"


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"password = {value}"
            for value in ("changeme", "<password>", "${PASSWORD}", "$PASSWORD", "xxxxxxxx", "********")
        ),
        *(f'"token": "{value}"' for value in ("<token>", "YOUR_TOKEN_HERE", "{{ token }}", "[REDACTED]", "abc...xyz")),
        *(f"api_key={value}" for value in ("test_key", "your-api-key", "%API_KEY%", "EXAMPLE_KEY_12345", "disabled")),
        "https://api.internal/?api_key={quote(value, safe='')}",
        "curl -u bob:{draw(rng, letters, 12)} https://h.internal/",
        "machine {host} login {self.user} password {self.password}",
        "--- PASS: TestRunStatus_NotSetUp/too_short_(1_char) (0.01s)",
        "\t\tAPIKey:     FruitLogAPIKey,",
        "<username>:<password>@proxy-host",
        "token: string",
        "token: Optional[str] = None",
        "const token = getToken()",
        "const token = await getAccessToken(user)",
        "apiKey: process.env.OPENAI_API_KEY",
        "api_key=os.environ['OPENAI_API_KEY']",
        "secret = settings.client_secret",
        "private_key: _EllipticCurvePrivateKey",
        "password = index_url_user_password",
        "token = oauth2_access_token",
        "secretName: database-credentials",
        "secret: kubernetes-dashboard-certs",
        "the password: remember it",
        "max_tokens: 128000000",
        "token=12345678901",
        "token_type=bearer&expires=3600",
        "private_key: ~/.ssh/id_ed25519",
        "PWD=/home/me/projects/app2",
        "password: z.string().min(8)",
        "secrets: ${{ secrets.DEPLOY_TOKEN }}",
        "postgres://postgres:postgres@localhost/app",
        "postgres://user:password@localhost/app",
        "https://user:${TOKEN}@github.com/o/r",
        "https://user:<password>@github.com/o/r",
        "docker://alpine:3.18@sha256:" + "0a1b2c3d" * 8,
        "git@github.com:owner/repo.git",
        "http://localhost:8080/@scope/package",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "Authorization: Bearer YOUR_ACCESS_TOKEN",
        "basic authentication is not enough",
        "Basic implementation",
        "-----BEGIN RSA PRIVATE KEY-----",
        "grep -r 'BEGIN OPENSSH PRIVATE KEY' .",
        "-----BEGIN PUBLIC KEY-----\n" + "MFkw" * 30,
        "sk-learn-contrib-imbalanced-learning",
        "npm_config_registry and npm_lifecycle_event",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "sk-" + "0" * 48,
        "sha256:" + "0a1b2c3d" * 8,
        "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
        "d3b07384-d9a0-4c9b-8f3e-5b3c5d2f1a6e",
        "curl -u $USER:$PASS https://h.internal",
        "docker run -u 1000:1000 image",
        "Tokens are counted; the secret is patience.",
        "",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert find_secret(text) is None
    assert find_secret(json.dumps({"command": text})) is None


@given(text=st.text())
def test_no_text_is_an_error(text: str) -> None:
    assert find_secret(text) is None or find_secret(text) in {rule.name for rule in RULES}


def test_text_that_is_not_valid_unicode_is_searched_too() -> None:
    rng = random.Random(5)

    assert find_secret("\ud800 ghp_" + draw(rng, ALNUM, 36)) == "github-token"
    assert find_secret("\ud800\udfff\udcff") is None


@pytest.mark.parametrize(
    "pieces",
    [
        "\x1b[33m{0}{1}\x1b[0m",
        '{{"command": "\\u001b[1m{0}{1}\\u001b[0m"}}',
        't = "{0}"\n        + "{1}"',
        '{{"code": "t = \\"{0}\\" + \\"{1}\\""}}',
        "T='{0}'\nT+='{1}'",
        't = "".join(["{0}", "{1}"])',
        "['{0}', '{1}'].join('')",
        "a soft line break {0}=\n{1}",
    ],
)
@pytest.mark.parametrize("cut", [2, 9, 22])
def test_a_token_in_colours_or_in_pieces_is_found_wherever_it_is_cut(pieces: str, cut: int) -> None:
    token = "ghp_" + draw(random.Random(cut), ALNUM, 36)
    if "=\n" not in pieces or cut > 4:  # nothing else says that the first line is half of a word
        assert find_secret(pieces.format(token[:cut], token[cut:])) is not None


@pytest.mark.parametrize(
    "text",
    [
        "aws.secret.access.key={}",
        "name,value\nAWS_SECRET_ACCESS_KEY,{}",
        "assert settings['SECRET_KEY'] == b'{}'",
        'const SECRET_KEY: &str = "{}";',
        "SECRET_KEY=[-CHANGE_ME-]{{+{}+}}",
    ],
)
def test_a_value_is_named_in_properties_tables_bytes_and_diffs_of_words(text: str) -> None:
    assert find_secret(text.format(draw(random.Random(4), ALNUM, 40))) is not None


def test_every_trigger_is_lower_case_and_each_rule_has_one() -> None:
    for rule in RULES:
        assert rule.triggers
        assert all(trigger == trigger.lower() for trigger in rule.triggers)


@pytest.mark.parametrize(
    "piece",
    [
        *("eyJ", "token=", "password=a_", "://a:", "sk-", "--token ", "-----BEGIN PRIVATE KEY-----", "curl -u ", "-u "),
        *(
            "abc123",
            "v1-",
            "twilio ",
            ":AA",
            "secret: ((((",
            "token=\\\\",
            "1234567890",
            "a.b.",
            "MTAw",
            "\u200b",
            "/a/b",
        ),
        *("==", "basic AAAA", "_" * 7, "password='a1", "curl -u a:$", "token:" + " " * 5),
        *("Z2hwX", "base64 ", "base64,QUJD" * 4, "a\\\n", "%3A%2F%2F", "mysql a ", "cookie: a;", "webhook: ", "pass: "),
        *("heroku 0a", "0/00000000", "patab", "skab", "12345678 ", "docker login a ", "echo a | ", "token\n,value"),
    ],
)
def test_a_text_made_to_be_slow_is_searched_in_linear_time(piece: str) -> None:
    hostile = [
        piece * (200_000 // len(piece)),
        f"token={piece * 60}#",
        f'password: "{piece * 60}',
        "ghp_" + piece * 60 + "#",
    ]

    assert cost(lambda: [find_secret(text) for text in hostile]) < 3000


def _mixed(rng: random.Random, size: int) -> str:
    """Return random letters of both cases, with one digit and no words."""
    letters = draw(rng, "bcdfghjklmnpqrstvwzBCDFGHJKLMNPQRSTVWZ", size - 1)
    at = rng.randrange(1, size - 1)
    return f"{letters[:at]}7{letters[at:]}"


@pytest.mark.parametrize(
    "sentence",
    [
        "Error code: 401 - Incorrect API key provided: {}. You can find your key in the settings.",
        "ok so the shop password is {} , can you put it into the settings?",
        "the passphrase was {}, I think",
    ],
)
def test_a_value_that_is_said_to_be_a_secret_needs_one_digit_only(sentence: str) -> None:
    rng = random.Random(5)
    assert all(find_secret(sentence.format(_mixed(rng, 16))) for _ in range(DRAWS))


@pytest.mark.parametrize(
    "sentence",
    [
        "the password is incorrect, and the token is OAuth2Provider of course",
        "API key provided: none",
        "the secret is getUserByIdAndPassword2 in auth.py",
        "token provided: undefined",
    ],
)
def test_words_that_are_said_of_a_secret_are_none(sentence: str) -> None:
    assert find_secret(sentence) is None


def test_four_of_a_letter_in_both_cases_make_no_placeholder_of_a_long_token() -> None:
    rng = random.Random(6)
    body = draw(rng, ALNUM, 16)
    assert find_secret(f"use ghp_{body}XXxX{draw(rng, ALNUM, 16)} for now")
    assert find_secret(f"use ghp_{body}xxxx{draw(rng, ALNUM, 16)} for now") is None


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_token_that_goes_on_in_the_next_line_is_found_however_often_it_was_escaped(times: int) -> None:
    rng = random.Random(7)
    for _ in range(DRAWS):
        value = f"./deploy --with ghp_{draw(rng, ALNUM, 18)}\\\n{draw(rng, ALNUM, 18)} --now"
        for _ in range(times):
            value = json.dumps({"command": value})
        assert find_secret(value)


def test_a_scanner_finds_the_same_after_it_has_read_much() -> None:
    rng = random.Random(11)
    texts = [shape(rng) for _, shape in SHAPES.values()]
    texts += [f"{rng.choice(texts)} {text} {_mixed(rng, 400)}" for text in texts]
    scanner = SecretScanner()
    found = [scanner.scan(text) for text in texts]
    for _ in range(40):
        assert scanner.scan("nothing to be found in these words\n" * 1_200) == scanner.scan("")
    assert [scanner.scan(text) for text in texts] == found
