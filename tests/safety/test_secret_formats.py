"""Secrets of every documented format are found in every carrier, also without their provider's rules; noise is not.

The formats and carriers are those of the benchmark, which is independent of the rules. Everything is random.
"""

from __future__ import annotations

import base64
import json
import random
from functools import cache

import pytest
from benchmarks.secret_carriers import CARRIERS, Sample, make_sample
from benchmarks.secret_formats import FORMATS, draw_value

from wisen.safety.secret_rules import GENERIC, RULES
from wisen.safety.secrets import SecretScanner, find_secret
from wisen.safety.withhold import rule_against

pytestmark = pytest.mark.requirement("N7")

LINES = 20_000


@cache
def samples() -> tuple[Sample, ...]:
    chance = random.Random(2)
    laid = [make_sample(format_, carrier, chance) for format_ in FORMATS for carrier in CARRIERS for _ in range(2)]
    return tuple(sample for sample in laid if sample is not None)


def test_there_are_enough_formats_to_mean_something() -> None:
    assert len({format_.provider for format_ in FORMATS}) >= 60
    assert len(CARRIERS) == 12
    assert len({rule.provider for rule in RULES if rule.provider}) >= 60


@pytest.mark.parametrize("carrier", CARRIERS)
def test_secrets_of_every_format_are_found_in_a_carrier(carrier: str) -> None:
    own = [sample for sample in samples() if sample.carrier == carrier]
    missed = [sample.format.name for sample in own if find_secret(sample.text) is None]
    assert len(missed) <= 0.01 * len(own), missed


def test_nearly_every_secret_is_found_over_all_carriers() -> None:
    missed = [(sample.format.name, sample.carrier) for sample in samples() if find_secret(sample.text) is None]
    assert len(missed) <= 0.005 * len(samples()), missed


def test_a_secret_with_a_name_is_found_without_any_providers_rules() -> None:
    generic = SecretScanner(GENERIC)
    named = [sample for sample in samples() if sample.named]
    missed = [sample for sample in named if generic.scan(sample.text).secret is None]
    assert len(missed) <= 0.1 * len(named), {sample.format.name for sample in missed}


def test_no_generic_rule_belongs_to_a_provider_and_every_other_one_does() -> None:
    assert not any(rule.provider for rule in GENERIC)
    assert all(rule.provider for rule in RULES if rule not in GENERIC)


def noise(chance: random.Random) -> str:
    """Return a line that is full of random letters and contains no secret."""
    pixels = base64.b64encode(chance.randbytes(chance.randrange(60, 400))).decode()
    return chance.choice(
        [
            draw_value("commit {h40}", chance),
            draw_value("{h7} Fix the {l6} of the {l8}", chance),
            draw_value('"request_id": "{uuid}"', chance),
            f'"integrity": "sha512-{base64.b64encode(chance.randbytes(64)).decode()}",',
            draw_value('    "resolved": "https://registry.internal/left-pad/-/left-pad-1.{d1}.{d2}.tgz",', chance),
            draw_value("sha256:{h64}", chance),
            f"data:image/png;base64,iVBORw0KGgo{pixels}",
            f'<img src="data:image/gif;base64,R0lGODlh{pixels}">',
            draw_value('!function(e,t){{var n={L1}.{L2}({d2}),r="{l3}";return n?{L1}[{d1}]:t.{L3}(r)}}(this)', chance),
            draw_value("asset-manifest main.{h8}.chunk.js vendors~main.{h20}.js", chance),
            draw_value("FAIL src/{l6}.test.ts:{d2}:{d1} expected {d3} received {d3}", chance),
            draw_value(
                "at Object.<anonymous> (/app/node_modules/.pnpm/{l5}@{d1}.{d1}.{d1}_{h12}/index.js:{d2}:{d1})", chance
            ),
            draw_value('etag: W/"{h10}-{u27}"', chance),
            draw_value("pid {d5} took {d3}.{d9} ms, 0x{h12}, token_count={d6}, max_tokens: {d4}", chance),
            draw_value("kubectl get pod api-{h9}-{l5} -n prod", chance),
            draw_value("docker pull registry.internal/app@sha256:{h64}", chance),
            draw_value("toolu_01{a22} msg_01{a22} req_011C{a20}", chance),
            draw_value("const cacheKey = `user:{d4}:{l6}`; // see PR #{d4}", chance),
        ]
    )


def test_noise_is_hardly_ever_taken_for_a_secret_or_private_data() -> None:
    chance = random.Random(4)
    flagged = [line for line in (noise(chance) for _ in range(LINES)) if rule_against(line) is not None]
    assert len(flagged) <= 0.005 * LINES, flagged[:10]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("depth", ["base64", "base64 of json", "url-safe"])
def test_base64_does_not_hide_a_secret_wherever_it_begins(depth: str, place: int) -> None:
    chance = random.Random(depth)
    for _ in range(50):
        secret = "x" * place + " " + draw_value("ghp_{a36}", chance)
        inside = json.dumps({"auths": {"h": secret}}) if depth == "base64 of json" else secret
        encode = base64.urlsafe_b64encode if depth == "url-safe" else base64.b64encode
        assert find_secret(f"payload {encode(inside.encode()).decode()} end") == "github-token"


def test_a_continued_line_hides_a_secret_neither_in_a_script_nor_in_arguments() -> None:
    chance = random.Random(6)
    for _ in range(50):
        token = draw_value("glpat-{u20}", chance)
        at = chance.randrange(3, len(token) - 3)
        script = f"run --with {token[:at]}\\\n  {token[at:]}"
        assert find_secret(script) == find_secret(json.dumps({"command": script})) == "gitlab-token"


@pytest.mark.parametrize(
    "form",
    [
        "<password>{}</password>",
        '<add key="ApiKey" value="{}" />',
        "spring.datasource.password={}",
        'variable "db_password" {{ default = "{}" }}',
        "define('DB_PASSWORD', '{}');",
        "mysql -h db -u root -p{} app",
        "- name: API_KEY\n  value: {}",
        'setPassword("{}")',
        "CREATE USER bob IDENTIFIED BY '{}';",
        "https://maps.internal/api/js?key={}&v=3",
        "secret_key_base: {}",
        'let apiKey: String = "{}"',
        "aws configure set aws_secret_access_key {}",
        "gh auth login --with-token <<< {}",
        "echo {} | docker login -u bob --password-stdin",
        "docker login -u bob -p {} registry.internal",
        "Cookie: theme=dark; session={}; path=/",
        "redis-cli -h cache -a {} ping",
        "machine git.internal login bob password {}",
        "kubectl create secret generic x --from-literal=password={}",
    ],
)
def test_a_secret_is_found_in_the_ways_that_programs_are_given_one(form: str) -> None:
    chance = random.Random(form)
    found = [find_secret(form.format(draw_value("{a40}", chance))) for _ in range(50)]
    assert found.count(None) <= 1


def test_a_clean_text_after_a_secret_does_not_clear_it() -> None:
    chance = random.Random(8)
    assert find_secret("fine\n" * 1_000 + draw_value("sntryu_{h64}", chance) + "\nfine" * 1_000) == "sentry-token"
