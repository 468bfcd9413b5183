"""Secret rules of providers: who issues a token, how it begins, what it is made of.

Lengths leave room on both sides of what is documented, because providers lengthen their tokens without notice.
"""

from __future__ import annotations

from itertools import product
from string import ascii_lowercase

from wisen.safety.secret_forms import (
    ALNUM,
    BASE64,
    EDGE,
    END,
    HEX,
    IS,
    URL,
    UUID,
    SecretRule,
    marked_token,
    prefixed_token,
    token_near_provider,
)
from wisen.safety.secret_heuristics import is_generated, is_not_placeholder, is_token_body

_LETTERS = ascii_lowercase + "0"
# Words that continue like the prefix of a token: common enough to cost time, rare enough in tokens to be left out.
_PAT_WORDS = {"patte", "paths", "patch", "patib"}
_PAT = " ".join(word for a, b in product(_LETTERS, _LETTERS) if (word := f"pat{a}{b}") not in _PAT_WORDS)
_SK = " ".join(f"sk{a}{b}" for a, b in product("abcdef0", "abcdef0"))
# A user id in base64 begins with digits, which leave few letters for the first five positions.
_DISCORD = " ".join(map("".join, product("mno", "dtjz", "aeimquycgk", "wxyz0", "mno")))

CLOUDS: tuple[SecretRule, ...] = (
    SecretRule(
        name="aws-access-key-id",
        provider="aws",
        prefixes=("AKIA", "ASIA"),
        triggers=("akia", "asia", "abia", "acca"),
        form=EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}" + END,
        check=is_not_placeholder,
    ),
    SecretRule(
        name="aws-secret-key",
        provider="aws",
        triggers=("secretaccesskey", "secret_access_key", "secret access key", "aws_secret", "secret-access-key"),
        form=rf"""[A-Za-z_ -]{{3,30}}(?:{IS}|\s)\\*["'`]?(?P<value>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+])""",
        check=is_token_body,
    ),
    prefixed_token("aws", "ABSK", f"{BASE64}{{100,300}}={{0,2}}"),
    prefixed_token("aws", "amzn.mws.", UUID),
    prefixed_token("google", "AIza", f"{URL}{{35}}"),
    prefixed_token("google", "ya29.", "[A-Za-z0-9_.-]{20,2000}"),
    prefixed_token("google", "GOCSPX-", f"{URL}{{24,40}}"),
    prefixed_token("google", "1//0", f"{URL}{{40,200}}"),
    SecretRule(
        name="azure-key",
        provider="azure",
        triggers=("accountkey", "sharedaccesskey", "account_key", "storage_key"),
        form=rf"""(?:AccountKey|SharedAccessKey|account_key|storage_key)(?:{IS})\\*["']?(?P<value>{BASE64}{{42,88}}=)""",
        check=is_token_body,
        ignores_case=True,
    ),
    marked_token("azure", "q~", rf"{EDGE}[A-Za-z0-9_~.-]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}{END}", ahead=4, size=40),
    marked_token("azure", "azdo", rf"{EDGE}{ALNUM}{{70,80}}AZDO{ALNUM}{{4}}{END}", ahead=80, size=8),
    marked_token("azure", "jqqj00", rf"{EDGE}{ALNUM}{{52}}JQQJ99{ALNUM}{{24,32}}{END}", ahead=52, size=40),
    prefixed_token("digitalocean", "dop_v1_ doo_v1_ dor_v1_", f"{HEX}{{60,70}}"),
    prefixed_token("heroku", "HRKU-AA", f"{URL}{{50,70}}"),
    token_near_provider("heroku", "heroku", UUID),
    token_near_provider("linode", "linode", f"{HEX}{{64}}"),
    prefixed_token("vercel", "vcp_ vci_ vca_ vcr_ vck_", f"{ALNUM}{{24,80}}"),
    token_near_provider("vercel", "vercel", f"{ALNUM}{{24}}"),
    prefixed_token("netlify", "nfp_ nfc_ nfo_ nfu_ nfb_", f"{ALNUM}{{32,60}}"),
    prefixed_token("cloudflare", "cfut_ cfat_ cfk_", f"{ALNUM}{{40,60}}"),
    marked_token("cloudflare", "v0.0-", rf"{EDGE}v1\.0-{HEX}{{24}}-{HEX}{{140,150}}{END}"),
    token_near_provider("cloudflare", "cloudflare cf_api", f"(?:{HEX}{{37}}|{URL}{{40}})"),
    token_near_provider("fastly", "fastly", f"{URL}{{32}}"),
    prefixed_token("fly", "fo1_", f"{URL}{{40,50}}"),
    prefixed_token("fly", "fm1a_ fm1r_ fm2_", f"{BASE64}{{80,2000}}={{0,3}}"),
    prefixed_token("render", "rnd_", f"{ALNUM}{{28,40}}"),
    token_near_provider("hetzner", "hcloud hetzner", f"{ALNUM}{{64}}"),
    token_near_provider("scaleway", "scw_secret scaleway", UUID),
    token_near_provider("railway", "railway_", UUID),
    prefixed_token("alibaba", "LTAI", f"{ALNUM}{{12,24}}", is_generated),
    prefixed_token("tencent", "AKID", f"{ALNUM}{{32}}"),
    prefixed_token("yandex", "AQVN", f"{URL}{{35,40}}"),
    prefixed_token("tailscale", "tskey-auth- tskey-api- tskey-client- tskey-webhook-", "[A-Za-z0-9-]{20,80}"),
    prefixed_token("ngrok", "ngrok_api_", f"{ALNUM}{{40,60}}"),
    prefixed_token("openshift", "sha256~", f"{URL}{{43}}"),
    prefixed_token("scalingo", "tk-us-", f"{URL}{{48}}"),
)

DATA: tuple[SecretRule, ...] = (
    prefixed_token("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_=.-]{30,70}"),
    prefixed_token("supabase", "sbp_", f"{HEX}{{38,48}}"),
    prefixed_token("supabase", "sb_secret_", f"{URL}{{24,60}}"),
    prefixed_token("neon", "napi_", f"{ALNUM}{{40,80}}"),
    prefixed_token("databricks", "dapi", f"{HEX}{{32}}(?:-\\d)?"),
    prefixed_token("clickhouse", "4b1d", f"{ALNUM}{{38}}"),
    prefixed_token("pinecone", "pcsk_", f"{URL}{{40,90}}"),
    prefixed_token("doppler", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", f"{ALNUM}{{38,50}}"),
    prefixed_token("doppler", "dp.st.", rf"(?:[a-z0-9_-]{{2,35}}\.)?{ALNUM}{{38,50}}"),
    prefixed_token("vault", "hvs. hvb. hvr.", f"{URL}{{24,300}}"),
    marked_token("terraform", ".atlasv0.", rf"{EDGE}{ALNUM}{{14}}\.atlasv1\.{URL}{{60,70}}{END}", ahead=14, size=84),
    prefixed_token("pulumi", "pul-", f"{HEX}{{40}}"),
    prefixed_token("onepassword", "ops_eyJ", f"{BASE64}{{100,2000}}={{0,3}}"),
    marked_token("onepassword", "a0-", rf"{EDGE}A3(?:-[A-Z0-9]{{5,6}}){{5,6}}{END}"),
    prefixed_token("age", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{50,60}"),
    prefixed_token("contentful", "CFPAT-", f"{URL}{{40,50}}"),
    token_near_provider("contentful", "contentful", f"{URL}{{43}}"),
    token_near_provider("algolia", "algolia", f"{HEX}{{32}}"),
    marked_token("mapbox", "sk.eyj", rf"{EDGE}sk\.eyJ{URL}{{30,200}}\.{URL}{{20,30}}{END}"),
    prefixed_token("typeform", "tfp_", "[A-Za-z0-9_.=-]{50,70}"),
    prefixed_token("prefect", "pnu_ pnb_", f"{ALNUM}{{36}}"),
    prefixed_token("infracost", "ico-", f"{ALNUM}{{32}}"),
    marked_token("maxmind", "_mmk", rf"{EDGE}{ALNUM}{{6}}_{ALNUM}{{29}}_mmk{END}", ahead=36, size=5),
)

CODE: tuple[SecretRule, ...] = (
    prefixed_token("github", "ghp_ gho_ ghu_ ghs_ ghr_", f"{ALNUM}{{30,255}}"),
    prefixed_token("github", "github_pat_", "[A-Za-z0-9_]{30,255}"),
    prefixed_token(
        "gitlab", "glpat- gldt- glrt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-", "[A-Za-z0-9_.-]{20,300}"
    ),
    prefixed_token("gitlab", "glcbt- GR1348941", "[A-Za-z0-9_.-]{20,300}"),
    prefixed_token("atlassian", "ATATT3 ATCTT3 ATSTT3", "[A-Za-z0-9_=-]{60,300}"),
    prefixed_token("bitbucket", "ATBB", f"{ALNUM}{{28,40}}"),
    prefixed_token("circleci", "CCIPAT_ CCIPRJ_", f"{ALNUM}{{18,26}}_{HEX}{{40}}"),
    prefixed_token("buildkite", "bkua_ bkaa_ bkaj_ bkar_ bkct_ bkat_", f"{URL}{{36,90}}"),
    token_near_provider("travis", "travis", f"{URL}{{22}}"),
    prefixed_token("jfrog", "AKCp", f"{ALNUM}{{60,75}}"),
    prefixed_token("jfrog", "cmVmd", f"{ALNUM}{{59}}"),
    prefixed_token("sonar", "squ_ sqp_ sqa_", f"{HEX}{{40}}"),
    token_near_provider("codecov", "codecov", UUID),
    token_near_provider("snyk", "snyk", UUID),
    prefixed_token("sourcegraph", "sgp_", f"(?:{HEX}{{16}}_|local_)?{HEX}{{40}}"),
    prefixed_token("npm", "npm_", f"{ALNUM}{{36}}"),
    prefixed_token("pypi", "pypi-AgE", f"{URL}{{50,1000}}"),
    prefixed_token("rubygems", "rubygems_", f"{HEX}{{48}}"),
    prefixed_token("crates", "cio", f"{ALNUM}{{32}}", is_generated),
    prefixed_token("clojars", "CLOJARS_", f"{ALNUM}{{60}}"),
    prefixed_token("nuget", "oy2", "[a-z0-9]{43}"),
    prefixed_token("docker", "dckr_pat_ dckr_oat_", f"{URL}{{24,40}}"),
    prefixed_token("postman", "PMAK-", f"{HEX}{{24}}-{HEX}{{34}}"),
    prefixed_token("octopus", "API-", "[A-Z0-9]{26,40}", is_generated),
    prefixed_token("readme", "rdme_", "[a-z0-9]{70}"),
)

MODELS: tuple[SecretRule, ...] = (
    prefixed_token("anthropic", "sk-ant-", f"{URL}{{20,300}}"),
    # Shared by many providers of the same interface.
    prefixed_token("openai", "sk-", f"(?!ant-){URL}{{20,300}}", is_generated),
    prefixed_token("hugging-face", "hf_ api_org_", f"{ALNUM}{{30,60}}"),
    prefixed_token("replicate", "r8_", f"{ALNUM}{{30,50}}"),
    prefixed_token("groq", "gsk_", f"{ALNUM}{{40,70}}"),
    prefixed_token("perplexity", "pplx-", f"{ALNUM}{{40,64}}"),
    prefixed_token("xai", "xai-", f"{ALNUM}{{60,100}}"),
    prefixed_token("nvidia", "nvapi-", f"{URL}{{50,90}}"),
    prefixed_token("cerebras", "csk-", f"{ALNUM}{{40,64}}"),
    prefixed_token("tavily", "tvly-", f"{URL}{{24,64}}", is_generated),
    prefixed_token("firecrawl", "fc-", f"{HEX}{{32}}"),
    prefixed_token("fireworks", "fw_", f"{ALNUM}{{20,40}}", is_generated),
    prefixed_token("together", "tgp_v1_", f"{URL}{{40,50}}"),
    prefixed_token("langsmith", "lsv2_pt_ lsv2_sk_", f"{HEX}{{32}}_{HEX}{{10}}"),
    token_near_provider("cohere", "cohere co_api_key", f"{ALNUM}{{40}}"),
    token_near_provider("mistral", "mistral", f"{ALNUM}{{32}}"),
    token_near_provider("wandb", "wandb", f"{HEX}{{40}}"),
    token_near_provider("deepgram", "deepgram", f"{HEX}{{40}}"),
)

WATCH: tuple[SecretRule, ...] = (
    token_near_provider("datadog", "datadog dd_api dd_app dd-api dd-app", f"{HEX}{{32}}(?:{HEX}{{8}})?"),
    prefixed_token("new-relic", "NRAK- NRII- NRJS- NRRA- NRIQ-", "[A-Za-z0-9-]{19,48}", is_generated),
    marked_token("new-relic", "nral", rf"{EDGE}[0-9a-f]{{36}}(?:FFFF)?NRAL{END}", ahead=40, size=5),
    prefixed_token("sentry", "sntryu_", f"{HEX}{{60,70}}"),
    prefixed_token("sentry", "sntrys_", "[A-Za-z0-9+/=_]{60,600}"),
    prefixed_token("grafana", "glc_", f"{BASE64}{{32,400}}={{0,3}}"),
    prefixed_token("grafana", "glsa_", f"{ALNUM}{{32}}_{HEX}{{8}}"),
    prefixed_token("grafana", "eyJrIjoi", f"{ALNUM}{{60,400}}={{0,3}}"),
    token_near_provider("pagerduty", "pagerduty", "[A-Za-z0-9_+-]{20}"),
    prefixed_token("dynatrace", "dt0c01. dt0s01. dt0s16.", r"[A-Z0-9]{8,24}\.[A-Z0-9]{60,70}"),
    prefixed_token("honeycomb", "hcaik_ hcxik_ hcbik_ hcaic_ hcbmk_", "[a-z0-9]{50,70}"),
    prefixed_token("posthog", "phx_", f"{ALNUM}{{36,60}}"),
    prefixed_token("axiom", "xaat- xapt-", UUID),
    prefixed_token("launchdarkly", "sdk- mob- api-", UUID),
)

TALK: tuple[SecretRule, ...] = (
    prefixed_token(
        "slack", "xoxa- xoxb- xoxp- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xapp- xwfp-", "[A-Za-z0-9%-]{10,300}"
    ),
    prefixed_token("slack", "xoxe.xox", "[bp]-[A-Za-z0-9-]{30,300}"),
    SecretRule(
        name="slack-webhook",
        provider="slack",
        triggers=("hooks.slack.com/",),
        form=r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Za-z0-9+/]{30,120})",
        check=is_token_body,
    ),
    SecretRule(
        name="teams-webhook",
        provider="teams",
        triggers=(".webhook.office.com/",),
        form=rf"\.webhook\.office\.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/(?P<value>{HEX}{{32}})",
        check=is_token_body,
    ),
    SecretRule(
        name="telegram-token",
        provider="telegram",
        triggers=(":aa",),
        form=r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=/bot))\d{8,10}:(?P<value>AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])",
        check=is_token_body,
        lookbehind_bytes=10,
        search_bytes=48,
    ),
    SecretRule(
        name="discord-token",
        provider="discord",
        triggers=tuple(_DISCORD.split()),
        form=r"(?:(?<![A-Za-z0-9_.-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
        r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.(?P<value>[A-Za-z0-9_-]{27,40})(?![A-Za-z0-9])",
        check=is_token_body,
    ),
    SecretRule(
        name="discord-webhook",
        provider="discord",
        triggers=("/api/webhooks/",),
        form=r"/api/webhooks/\d{17,20}/(?P<value>[A-Za-z0-9_-]{60,90})",
        check=is_token_body,
    ),
    marked_token("sendgrid", "sg.", rf"{EDGE}SG\.(?P<value>{URL}{{20,24}}\.{URL}{{39,50}}){END}"),
    prefixed_token("mailgun", "key-", f"{HEX}{{32}}"),
    marked_token("mailgun", "mailgun", rf"{EDGE}(?P<value>{HEX}{{32}}-{HEX}{{8}}-{HEX}{{8}}){END}", ahead=60, size=120),
    marked_token("mailchimp", "-us0", rf"{EDGE}(?P<value>{HEX}{{32}})-us\d{{1,2}}{END}", ahead=32, size=7),
    prefixed_token("brevo", "xkeysib- xsmtpsib-", f"{HEX}{{64}}-{ALNUM}{{16}}"),
    prefixed_token("resend", "re_", f"{ALNUM}{{8}}_{ALNUM}{{24}}"),
    marked_token("twilio", _SK, rf"{EDGE}SK(?P<value>[0-9a-f]{{32}}){END}"),
    marked_token("twilio", "twilio", rf"{EDGE}(?P<value>[0-9a-f]{{32}}){END}", ahead=120, size=120),
    prefixed_token("facebook", "EAA", f"{ALNUM}{{90,400}}"),
    token_near_provider("twitch", "twitch", "[a-z0-9]{30}"),
    prefixed_token("intercom", "dG9rO", f"{BASE64}{{50,80}}={{0,2}}"),
)

WORK: tuple[SecretRule, ...] = (
    prefixed_token("linear", "lin_api_ lin_oauth_ lin_wh_", f"{ALNUM}{{32,70}}"),
    prefixed_token("notion", "ntn_", f"{ALNUM}{{40,60}}"),
    prefixed_token("notion", "secret_", f"{ALNUM}{{43}}", is_generated),
    marked_token("airtable", _PAT, rf"{EDGE}pat{ALNUM}{{14}}\.(?P<value>[0-9a-f]{{64}}){END}"),
    prefixed_token("figma", "figd_ figdr_ figu_ figor_", f"{URL}{{36,60}}"),
    marked_token("asana", "0/00000000", rf"{EDGE}[12]/\d{{10,20}}(?:/\d{{10,20}})?:(?P<value>{HEX}{{32}}){END}"),
    prefixed_token("hubspot", "pat-na1- pat-eu1- pat-na2- pat-ap1-", UUID),
    token_near_provider("okta", "okta ssws", f"00{URL}{{40}}"),
    prefixed_token("dropbox", "sl.", f"{URL}{{100,2000}}"),
    prefixed_token("shopify", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", f"{HEX}{{32,64}}"),
    prefixed_token("square", "EAAA", f"{URL}{{50,70}}", is_generated),
    prefixed_token("square", "sq0atp- sq0csp- sq0idb-", f"{URL}{{20,60}}"),
    prefixed_token("stripe", "sk_live_ rk_live_ sk_test_ rk_test_", f"{ALNUM}{{16,300}}"),
    prefixed_token("stripe", "whsec_", f"{BASE64}{{24,100}}"),
    marked_token(
        "braintree", "access_token$", rf"access_token\$(?:production|sandbox)\$[a-z0-9]{{16}}\$(?P<value>{HEX}{{32}})"
    ),
    prefixed_token("plaid", "access-production- access-sandbox- access-development-", UUID),
    token_near_provider("plaid", "plaid", f"{HEX}{{30}}"),
    prefixed_token("razorpay", "rzp_live_ rzp_test_", f"{ALNUM}{{14,24}}"),
    prefixed_token("flutterwave", "FLWSECK- FLWSECK_TEST-", "[A-Za-z0-9]{12,40}(?:-X)?"),
    prefixed_token("easypost", "EZAK EZTK", f"{ALNUM}{{54}}"),
    prefixed_token("shippo", "shippo_live_ shippo_test_", f"{HEX}{{40}}"),
    prefixed_token("duffel", "duffel_live_ duffel_test_", "[A-Za-z0-9_=-]{40,60}"),
    prefixed_token("adobe", "p8e-", f"{URL}{{32}}"),
)

PROVIDERS: tuple[SecretRule, ...] = (*CLOUDS, *DATA, *CODE, *MODELS, *WATCH, *TALK, *WORK)
