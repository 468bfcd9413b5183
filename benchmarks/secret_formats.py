"""The documented formats of providers' tokens, from which random tokens are generated.

Written independently of the package's rules, which are tested with it. In a pattern `{a36}` stands for 36 letters or
digits, and likewise h: lower-case hex, H: upper-case hex, d: digits, u: URL-safe base64, b: base64, l: lower-case
letters or digits, U: upper-case letters or digits, L: letters, 2: base32, 5: base58, 8: bech32; `{uuid}` for a UUID.
"""

from __future__ import annotations

import json
import re
import string
from base64 import b64encode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "u": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_letters,
    "2": string.ascii_uppercase + "234567",
    "5": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "8": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_PLACE = re.compile(r"\{(?:(uuid)|([A-Za-z0-9])(\d+))\}")


@dataclass(frozen=True, kw_only=True)
class Format:
    """One kind of secret."""

    provider: str
    name: str
    """What its provider's documentation calls it in an environment, or what people do."""
    make: Callable[[random.Random], str]
    marked: bool = True
    """Whether the value alone says what it is; the others are laid only where the text names them."""
    lines: bool = False
    """Whether it goes over several lines."""
    address: bool = False
    """Whether it is an address by itself."""


def draw_value(pattern: str, chance: random.Random) -> str:
    """A value of a pattern."""

    def fill(place: re.Match[str]) -> str:
        if place[1]:
            return "-".join("".join(chance.choices(_ALPHABETS["h"], k=size)) for size in (8, 4, 4, 4, 12))
        return "".join(chance.choices(_ALPHABETS[place[2]], k=int(place[3])))

    return _PLACE.sub(fill, pattern)


def _simple(row: str) -> Format:
    """`provider NAME pattern`; a minus before the provider says that the value alone does not tell what it is."""
    provider, name, pattern = row.split()
    return Format(
        provider=provider.lstrip("-"),
        name=name,
        make=lambda chance: draw_value(pattern, chance),
        marked=not provider.startswith("-"),
    )


_SIMPLE = """
aws AWS_ACCESS_KEY_ID AKIA{216}
aws AWS_ACCESS_KEY_ID ASIA{216}
-aws AWS_SECRET_ACCESS_KEY {b40}
google GOOGLE_API_KEY AIza{u35}
google GOOGLE_CLIENT_SECRET GOCSPX-{u28}
google GOOGLE_ACCESS_TOKEN ya29.{u200}
google GOOGLE_REFRESH_TOKEN 1//0{u100}
azure AZURE_CLIENT_SECRET {a3}8Q~{a34}
-azure AZURE_STORAGE_KEY {b86}==
azure AZURE_DEVOPS_EXT_PAT {a76}AZDO{a4}
azure AZURE_OPENAI_API_KEY {a52}JQQJ99{a26}
digitalocean DIGITALOCEAN_ACCESS_TOKEN dop_v1_{h64}
heroku HEROKU_API_KEY HRKU-AA{u58}
-heroku HEROKU_API_KEY {uuid}
-linode LINODE_TOKEN {h64}
-vercel VERCEL_TOKEN {a24}
vercel AI_GATEWAY_API_KEY vck_{a56}
netlify NETLIFY_AUTH_TOKEN nfp_{a36}
cloudflare CLOUDFLARE_API_TOKEN cfut_{a48}
-cloudflare CLOUDFLARE_API_TOKEN {u40}
-cloudflare CLOUDFLARE_API_KEY {h37}
-fastly FASTLY_API_TOKEN {u32}
fly FLY_API_TOKEN fo1_{u43}
fly FLY_API_TOKEN fm2_{b200}
render RENDER_API_KEY rnd_{a32}
-hetzner HCLOUD_TOKEN {a64}
-scaleway SCW_SECRET_KEY {uuid}
alibaba ALIBABA_CLOUD_ACCESS_KEY_ID LTAI{a20}
tailscale TS_AUTHKEY tskey-auth-{a12}CNTRL-{a32}
planetscale PLANETSCALE_SERVICE_TOKEN pscale_tkn_{u43}
supabase SUPABASE_ACCESS_TOKEN sbp_{h40}
supabase SUPABASE_SECRET_KEY sb_secret_{u22}_{u8}
neon NEON_API_KEY napi_{l64}
databricks DATABRICKS_TOKEN dapi{h32}
pinecone PINECONE_API_KEY pcsk_{a6}_{a64}
doppler DOPPLER_TOKEN dp.st.dev.{a40}
doppler DOPPLER_TOKEN dp.pt.{a43}
vault VAULT_TOKEN hvs.CAES{u90}
terraform TF_API_TOKEN {a14}.atlasv1.{a67}
pulumi PULUMI_ACCESS_TOKEN pul-{h40}
onepassword OP_SERVICE_ACCOUNT_TOKEN ops_eyJ{b300}
onepassword OP_SECRET_KEY A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}
age SOPS_AGE_KEY AGE-SECRET-KEY-1{858}
contentful CONTENTFUL_MANAGEMENT_TOKEN CFPAT-{u43}
-contentful CONTENTFUL_ACCESS_TOKEN {u43}
-algolia ALGOLIA_API_KEY {h32}
mapbox MAPBOX_ACCESS_TOKEN sk.eyJ1Ijoi{a50}.{u22}
typeform TYPEFORM_TOKEN tfp_{u59}
github GITHUB_TOKEN ghp_{a36}
github GITHUB_TOKEN gho_{a36}
github GITHUB_TOKEN ghs_{a36}
github GITHUB_TOKEN ghr_{a76}
github GH_TOKEN github_pat_{a22}_{a59}
gitlab GITLAB_TOKEN glpat-{u20}
gitlab CI_DEPLOY_TOKEN gldt-{u20}
gitlab CI_RUNNER_TOKEN glrt-{u20}
gitlab CI_JOB_TOKEN glcbt-{a2}_{u20}
bitbucket BITBUCKET_APP_PASSWORD ATBB{a32}
atlassian ATLASSIAN_API_TOKEN ATATT3xFfGF0{u172}={H8}
circleci CIRCLECI_TOKEN CCIPAT_{522}_{h40}
buildkite BUILDKITE_API_TOKEN bkua_{h40}
-travis TRAVIS_API_TOKEN {u22}
jfrog ARTIFACTORY_API_KEY AKCp{a69}
sonar SONAR_TOKEN squ_{h40}
-codecov CODECOV_TOKEN {uuid}
-snyk SNYK_TOKEN {uuid}
sourcegraph SRC_ACCESS_TOKEN sgp_{h16}_{h40}
npm NPM_TOKEN npm_{a36}
pypi TWINE_PASSWORD pypi-AgEIcHlwaS5vcmc{u150}
rubygems GEM_HOST_API_KEY rubygems_{h48}
crates CARGO_REGISTRY_TOKEN cio{a32}
nuget NUGET_API_KEY oy2{l43}
docker DOCKERHUB_TOKEN dckr_pat_{u27}
postman POSTMAN_API_KEY PMAK-{h24}-{h34}
openai OPENAI_API_KEY sk-proj-{u74}T3BlbkFJ{u74}
openai OPENAI_API_KEY sk-{a20}T3BlbkFJ{a20}
anthropic ANTHROPIC_API_KEY sk-ant-api03-{u93}AA
hugging-face HF_TOKEN hf_{L34}
replicate REPLICATE_API_TOKEN r8_{a37}
groq GROQ_API_KEY gsk_{a52}
perplexity PERPLEXITY_API_KEY pplx-{a48}
xai XAI_API_KEY xai-{a80}
nvidia NVIDIA_API_KEY nvapi-{u64}
-cohere COHERE_API_KEY {a40}
-mistral MISTRAL_API_KEY {a32}
-wandb WANDB_API_KEY {h40}
langsmith LANGSMITH_API_KEY lsv2_pt_{h32}_{h10}
-datadog DD_API_KEY {h32}
-datadog DD_APP_KEY {h40}
new-relic NEW_RELIC_API_KEY NRAK-{U27}
new-relic NEW_RELIC_LICENSE_KEY {h36}NRAL
sentry SENTRY_AUTH_TOKEN sntryu_{h64}
sentry SENTRY_AUTH_TOKEN sntrys_eyJ{b120}_{b43}
grafana GRAFANA_TOKEN glsa_{a32}_{h8}
grafana GRAFANA_CLOUD_TOKEN glc_eyJ{b100}
-pagerduty PAGERDUTY_TOKEN {u20}
dynatrace DT_API_TOKEN dt0c01.{U24}.{U64}
launchdarkly LAUNCHDARKLY_SDK_KEY sdk-{uuid}
slack SLACK_BOT_TOKEN xoxb-{d12}-{d13}-{a24}
slack SLACK_USER_TOKEN xoxp-{d12}-{d12}-{d13}-{h32}
slack SLACK_APP_TOKEN xapp-1-A{U10}-{d13}-{h64}
telegram TELEGRAM_BOT_TOKEN {d9}:AA{u33}
sendgrid SENDGRID_API_KEY SG.{u22}.{u43}
mailgun MAILGUN_API_KEY key-{h32}
mailchimp MAILCHIMP_API_KEY {h32}-us21
brevo BREVO_API_KEY xkeysib-{h64}-{a16}
resend RESEND_API_KEY re_{a8}_{a24}
twilio TWILIO_API_KEY SK{h32}
-twilio TWILIO_AUTH_TOKEN {h32}
facebook FACEBOOK_ACCESS_TOKEN EAAC{a160}
linear LINEAR_API_KEY lin_api_{a40}
notion NOTION_TOKEN ntn_{d11}{a35}
notion NOTION_TOKEN secret_{a43}
airtable AIRTABLE_API_KEY pat{a14}.{h64}
figma FIGMA_TOKEN figd_{u40}
asana ASANA_ACCESS_TOKEN 1/{d16}:{h32}
hubspot HUBSPOT_ACCESS_TOKEN pat-na1-{uuid}
-okta OKTA_API_TOKEN 00{u40}
dropbox DROPBOX_ACCESS_TOKEN sl.{u136}
shopify SHOPIFY_ACCESS_TOKEN shpat_{h32}
square SQUARE_ACCESS_TOKEN EAAA{u60}
square SQUARE_SECRET sq0csp-{u43}
stripe STRIPE_SECRET_KEY sk_live_{a99}
stripe STRIPE_SECRET_KEY rk_live_{a24}
stripe STRIPE_WEBHOOK_SECRET whsec_{a32}
braintree BRAINTREE_ACCESS_TOKEN access_token$production${l16}${h32}
plaid PLAID_ACCESS_TOKEN access-production-{uuid}
-plaid PLAID_SECRET {h30}
-paypal PAYPAL_CLIENT_SECRET E{u79}
-snowflake SNOWFLAKE_PASSWORD {a16}
-elastic ELASTIC_PASSWORD {a24}
"""


def _jwt(chance: random.Random) -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": draw_value("{d10}", chance), "iat": chance.randrange(10**9)}]
    encoded = [urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, draw_value("{u43}", chance)])


def _discord(chance: random.Random) -> str:
    user = b64encode(str(chance.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return user + draw_value(".{u6}.{u38}", chance)


def pem(chance: random.Random, kind: str = "RSA ") -> str:
    """A private key in lines."""
    lines = [draw_value("{b64}", chance) for _ in range(chance.randrange(5, 25))]
    return "\n".join([f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----"])


def _pgp(chance: random.Random) -> str:
    return pem(chance, "PGP ").replace("KEY-", "KEY BLOCK-")


def _service_account(chance: random.Random) -> str:
    fields = {
        "type": "service_account",
        "project_id": "orchard-" + draw_value("{d6}", chance),
        "private_key_id": draw_value("{h40}", chance),
        "private_key": pem(chance, "") + "\n",
        "client_email": "robot@orchard.iam.gserviceaccount.com",
    }
    return json.dumps(fields, indent=2)


def _azure_connection(chance: random.Random) -> str:
    account = "DefaultEndpointsProtocol=https;AccountName=orchard;AccountKey="
    return account + draw_value("{b86}==;EndpointSuffix=core.windows.net", chance)


def _sas(chance: random.Random) -> str:
    signature = draw_value("{b43}", chance).replace("+", "%2B").replace("/", "%2F") + "%3D"
    return f"https://orchard.blob.core.windows.net/c/f?sv=2024-11-04&se=2027-01-01T00%3A00Z&sr=c&sp=r&sig={signature}"


def _uri(scheme: str, host: str) -> Callable[[random.Random], str]:
    return lambda chance: f"{scheme}://orchard:{draw_value('{a16}', chance)}@{host}"


FORMATS: tuple[Format, ...] = (
    *map(_simple, filter(None, _SIMPLE.splitlines())),
    Format(provider="jwt", name="ID_TOKEN", make=_jwt),
    Format(provider="discord", name="DISCORD_TOKEN", make=_discord),
    Format(provider="google", name="GOOGLE_CREDENTIALS", make=_service_account, lines=True),
    Format(provider="azure", name="AZURE_STORAGE_CONNECTION_STRING", make=_azure_connection),
    Format(provider="azure", name="AZURE_SAS_URL", make=_sas, address=True),
    Format(provider="ssh", name="SSH_PRIVATE_KEY", make=lambda chance: pem(chance, "OPENSSH "), lines=True),
    Format(provider="tls", name="TLS_PRIVATE_KEY", make=pem, lines=True),
    Format(provider="pgp", name="GPG_PRIVATE_KEY", make=_pgp, lines=True),
    Format(provider="mongodb", name="MONGODB_URI", make=_uri("mongodb+srv", "cluster0.example.net/app"), address=True),
    Format(provider="postgres", name="DATABASE_URL", make=_uri("postgresql", "db.internal:5432/app"), address=True),
    Format(provider="redis", name="REDIS_URL", make=_uri("rediss", "cache.internal:6380/0"), address=True),
    Format(
        provider="slack",
        name="SLACK_WEBHOOK_URL",
        make=lambda chance: draw_value("https://hooks.slack.com/services/T{U8}/B{U10}/{a24}", chance),
        address=True,
    ),
    Format(
        provider="discord",
        name="DISCORD_WEBHOOK_URL",
        make=lambda chance: draw_value("https://discord.com/api/webhooks/1{d18}/{u68}", chance),
        address=True,
    ),
)
"""Every format that is drawn from."""
