"""Lines of a developer's day that look random and are no secret: hashes, ids, lockfiles, minified code, and prose."""
# ruff: noqa: E501 - what a program prints stands on one line

from __future__ import annotations

import json
import string
from base64 import b64encode
from typing import TYPE_CHECKING

from benchmarks.secret_formats import draw_value

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

NPM, PYTHON_FILES = (".".join(parts) for parts in (("registry", "npmjs", "org"), ("files", "pythonhosted", "org")))
"""As lock files name them; in parts, because no file here names a place that packages come from."""
_WORDS = (
    "app core user page item order list view main test build index cache model route field value state error event query "
    "table chart image frame token session config secret password auth login parse render handle fetch store update "
    "delete create load send open close"
).split()


def make_lines(c: random.Random) -> dict[str, Callable[[], str]]:
    """A function for each kind of line."""

    def d(pattern: str) -> str:
        return draw_value(pattern, c)

    def w() -> str:
        return c.choice(_WORDS)

    def camel() -> str:
        return w() + w().title() + w().title()

    def path() -> str:
        return "/".join(w() for _ in range(c.randrange(2, 5))) + f"/{w()}.{c.choice(('py', 'ts', 'go', 'rs', 'json'))}"

    def ver() -> str:
        return f"{c.randrange(20)}.{c.randrange(30)}.{c.randrange(40)}"

    return {
        "git log": lambda: f"commit {d('{h40}')}",
        "oneline": lambda: f"{d('{h7}')} {w()}: {w()} the {w()} {w()}",
        "index": lambda: f"index {d('{h7}')}..{d('{h7}')} 100644",
        "merge": lambda: f"Merge: {d('{h9}')} {d('{h9}')}",
        "uuid": lambda: f'{w()}Id: "{d("{uuid}")}",',
        "uuid path": lambda: f"GET /api/{w()}s/{d('{uuid}')}/{w()} 200 {c.randrange(900)}ms",
        "npm integrity": lambda: f'      "integrity": "sha512-{d("{b86}")}==",',
        "npm resolved": lambda: f'      "resolved": "https://{NPM}/{w()}-{w()}/-/{w()}-{ver()}.tgz",',
        "yarn": lambda: f'  resolved "https://registry.yarnpkg.com/{w()}/-/{w()}-{ver()}.tgz#{d("{h40}")}"',
        "cargo": lambda: f'checksum = "{d("{h64}")}"',
        "poetry": lambda: f'    {{file = "{w()}-{ver()}-py3-none-any.whl", hash = "sha256:{d("{h64}")}"}},',
        "pip": lambda: f"    --hash=sha256:{d('{h64}')} \\",
        "go.sum": lambda: f"github.com/{w()}/{w()} v{ver()} h1:{d('{b43}')}=",
        "docker": lambda: f"{w()}@sha256:{d('{h64}')}",
        "docker layer": lambda: f"{d('{h12}')}: Pull complete",
        "image id": lambda: f" ---> {d('{h12}')}",
        "png": lambda: f"![{w()}](data:image/png;base64,iVBORw0KGgo{d('{b200}')}==)",
        "svg": lambda: (
            f'  background: url("data:image/svg+xml;base64,{b64encode(b"<svg xmlns=x>" + d("{a60}").encode()).decode()}");'
        ),
        "minified": lambda: (
            f"!function(e,t){{var {c.choice(string.ascii_lowercase)}={w()}.{camel()}(e),n=t.token;return n&&n.{w()}?{camel()}(n):void 0}}({w()},{w()});"
        ),
        "colour": lambda: f"  --{w()}-{w()}: #{d('{h6}')};",
        "colour8": lambda: f"{w()}: '#{d('{h8}')}',",
        "build id": lambda: f"BuildID[sha1]={d('{h40}')}, stripped",
        "asset": lambda: f"dist/assets/{w()}-{d('{u8}')}.js   {c.randrange(999)}.{c.randrange(99)} kB",
        "chunk": lambda: f'<script src="/_next/static/chunks/{d("{h16}")}.js" async=""></script>',
        "cdn": lambda: f"https://cdn.jsdelivr.net/npm/{w()}@{ver()}/dist/{w()}.min.js?v={d('{h20}')}",
        "github url": lambda: f"https://github.com/{w()}/{w()}/blob/{d('{h40}')}/{path()}#L{c.randrange(900)}",
        "sri": lambda: f'<link href="{w()}.css" integrity="sha384-{d("{b64}")}" crossorigin="anonymous">',
        "etag": lambda: f'ETag: W/"{d("{h32}")}"',
        "request id": lambda: f"x-request-id: {d('{uuid}')}",
        "trace id": lambda: f"traceparent: 00-{d('{h32}')}-{d('{h16}')}-01",
        "aws arn": lambda: f"arn:aws:lambda:eu-west-1:{d('{d12}')}:function:{w()}-{w()}",
        "aws id": lambda: f"i-0{d('{h16}')}  vpc-0{d('{h16}')}  running",
        "job": lambda: f"job {d('{d9}')} finished in {c.randrange(90)}s, artifact {d('{h32}')}.zip",
        "public key": lambda: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{d('{b43}')} {w()}@{w()}",
        "fingerprint": lambda: f"SHA256:{d('{b43}')} {w()}@{w()} (ED25519)",
        "known host": lambda: f"github.com ssh-rsa AAAAB3NzaC1yc2E{d('{b200}')}=",
        "cert": lambda: (
            "-----BEGIN CERTIFICATE-----\n" + "\n".join(d("{b64}") for _ in range(4)) + "\n-----END CERTIFICATE-----"
        ),
        "python": lambda: f"    {w()}_token = {camel()}.get_{w()}_token({w()}_{w()})",
        "python env": lambda: f'    password = os.environ["{w().upper()}_{w().upper()}_PASSWORD"]',
        "ts type": lambda: f"  {w()}Token: {camel().title()} | undefined;",
        "placeholder": lambda: f"{w().upper()}_API_KEY=<your-{w()}-api-key>",
        "placeholder2": lambda: f'api_key: "${{{w().upper()}_API_KEY}}"',
        "secretKeyRef": lambda: f"  secretKeyRef: {{ name: {w()}-{w()}, key: {w()}-{w()} }}",
        "test name": lambda: (
            f"PASS tests/{path()} > {w()} token is {w()}ed when the {w()} expires ({c.randrange(99)} ms)"
        ),
        "pytest": lambda: (
            f"FAILED tests/{path()}::test_{w()}_password_{w()}_{c.randrange(9)} - AssertionError: assert {c.randrange(99)} == {c.randrange(99)}"
        ),
        "stack": lambda: f'  File "/home/{w()}/{path()}", line {c.randrange(999)}, in {w()}_{w()}',
        "java stack": lambda: (
            f"\tat com.{w()}.{w()}.{camel().title()}.{camel()}({camel().title()}.java:{c.randrange(999)})"
        ),
        "css": lambda: f".{w()}-{w()}_{d('{a5}')} {{ margin: {c.randrange(40)}px }}",
        "css module": lambda: f'<div class="{camel().title()}_{w()}__{d("{a5}")} css-{d("{l6}")}">',
        "hexdump": lambda: f"{d('{h8}')}  " + " ".join(d("{h2}") for _ in range(16)) + "  |................|",
        "epoch": lambda: f'{{"ts": 17{d("{d11}")}, "level": "info", "msg": "{w()} {w()}"}}',
        "pnpm": lambda: f"  /{w()}@{ver()}: resolution: {{integrity: sha512-{d('{b86}')}==}}",
        "uv": lambda: (
            f'{{ url = "https://{PYTHON_FILES}/packages/{d("{h2}")}/{d("{h2}")}/{d("{h60}")}/{w()}-{ver()}.tar.gz", hash = "sha256:{d("{h64}")}", size = {c.randrange(99999)} }},'
        ),
        "nix": lambda: f"/nix/store/{d('{l32}')}-{w()}-{ver()}/bin/{w()}",
        "ulid": lambda: f"run {d('01K{U23}')} of {w()} took {c.randrange(99)} s",
        "objectid": lambda: f'{{ _id: ObjectId("{d("{h24}")}"), {w()}: "{w()}" }}',
        "tool id": lambda: f'"tool_use_id": "toolu_01{d("{a22}")}"',
        "message id": lambda: f'"id": "msg_01{d("{a22}")}", "model": "claude"',
        "session id": lambda: f'"sessionId": "{d("{uuid}")}", "parentUuid": "{d("{uuid}")}"',
        "react key": lambda: f'<Item key="{w()}-{c.randrange(999)}" token={{props.{w()}Token}} />',
        "sum": lambda: f"{d('{h64}')}  {w()}-{ver()}.tar.gz",
        "md5": lambda: f"MD5 ({w()}.bin) = {d('{h32}')}",
        "git lfs": lambda: f"oid sha256:{d('{h64}')}",
        "translation": lambda: f'"{w()}.{w()}.password.label": "{w().title()} your {w()} password",',
        "sql": lambda: f"SELECT token_{w()}, password_hash FROM {w()}s WHERE {w()}_id = {c.randrange(9999)};",
        "migration": lambda: f"add_column :{w()}s, :{w()}_token_digest, :string, limit: {c.randrange(255)}",
        "regex": lambda: f"const {w()}Re = /^[A-Za-z0-9_-]{{20,}}\\.{w()}$/;",
        "ip": lambda: (
            f'{c.randrange(255)}.{c.randrange(255)}.{c.randrange(255)}.{c.randrange(255)} - - [01/Mar/2026:08:00:00 +0000] "GET /{w()}/{w()}?page={c.randrange(99)} HTTP/1.1" 200 {c.randrange(9999)}'
        ),
        "phone-like": lambda: f"took {c.randrange(999)} {c.randrange(999)} {c.randrange(9999)} ns for {w()}",
        "number": lambda: f"{w()} count: {d('{d10}')}, total {d('{d16}')}",
        "webpack": lambda: (
            f'{c.randrange(9999)}:(e,t,n)=>{{"use strict";n.d(t,{{Z:()=>{c.choice("abc")}}});var r=n({c.randrange(99999)}),{c.choice("xyz")}="{d("{h20}")}"}}'
        ),
        "sourcemap": lambda: (
            f"//# sourceMappingURL=data:application/json;base64,{b64encode(json.dumps({'version': 3, 'sources': [path()], 'names': [camel()], 'mappings': d('{a60}')}).encode()).decode()}"
        ),
        "wasm": lambda: f'(data (i32.const {c.randrange(9999)}) "\\{d("{h2}")}\\{d("{h2}")}{w()}\\00")',
        "vite": lambda: f'import{{_ as {c.choice("abc")}}}from"./{w()}-{d("{u8}")}.js";',
        "openapi": lambda: f"  operationId: {camel()}Token\n  security:\n    - {w()}_auth: []",
        "terraform id": lambda: f"{w()}_{w()}.main: Refreshing state... [id={d('{h24}')}]",
        "k8s pod": lambda: f"{w()}-{w()}-{d('{h9}')}-{d('{l5}')}   1/1   Running   0   {c.randrange(99)}d",
        "cron": lambda: f"*/{c.randrange(1, 59)} * * * * /usr/bin/{w()} --{w()}={c.randrange(99)}",
        "changelog": lambda: (
            f"- {w().title()} {w()} of tokens ([#{c.randrange(9999)}](https://github.com/{w()}/{w()}/pull/{c.randrange(9999)})) ({d('{h7}')})"
        ),
    }


PROSE = """
the login password is reset by the user in step 3
store the password hash with argon2id and 64MB of memory
the password field is at line 42 of login.tsx
change the password policy to 12 characters
set the password length to 16
update the password reset email to v2 of the template
use bcrypt2 as password hash
use sha256 as password digest
the password was rotated on 2024-03-01
the token expires after 3600 seconds
rotate the tokens every 90 days
log in with user1: it fails
log in as admin / staff1
I forgot to mask the password in log2file.py
rename password_hash to pwd_hash in users_v2
change password from varchar(255) to text
change the password column to varchar128
set the password in docker-compose3.yml
the api key header is X-Api-Key, not Authorization
move the secret from .env.local to vault
read the password from $DB_PASSWORD_2
the password prompt appears 3x
das Passwort-Feld auf Seite2 ändern
pin the version to 20240101
pin react to 18.2.0
PIN 13 is the LED on the board
the GPIO PIN numbers are wrong
password1 and password2 must match
the secret santa list has 24 names
token count is 128000 for gpt4o
max_tokens is 4096
the key is that the cache key includes the user id
our access tokens live 15min in redis7
password strength meter uses zxcvbn4
we use OAuth2 as the login with PKCE
the passphrase prompt in test_ssh2
tests/password_test.py::test_reset3 failed
see issue #1234 about the password dialog
the wallet test passes with 12 words in the fixture
le mot de passe doit avoir 8 caractères
el campo de la contraseña en login2.html
パスワードは8文字以上です
密码长度改为16位
비밀번호를 8자 이상으로
пароль должен быть не короче 8 символов
use 2FA as a second password
""".strip().splitlines()
"""What developers say about passwords, tokens and keys without one in it."""
