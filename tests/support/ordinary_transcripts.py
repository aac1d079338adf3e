"""Transcripts without a secret: code, logs, commands, configuration, hashes and lists of agents."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator

WORDS = [
    "parser",
    "token",
    "key",
    "secret",
    "password",
    "session",
    "cookie",
    "author",
    "login",
    "machine",
    "curl",
    "bearer",
    "basic",
    "auth",
    "header",
    "page",
    "next",
    "client",
    "access",
    "refresh",
    "api",
    "server",
    "worker",
    "index",
    "buffer",
    "stream",
    "column",
    "query",
    "handler",
    "request",
    "response",
    "timeout",
    "retry",
    "cache",
    "branch",
    "leaf",
    "entry",
    "migration",
    "schema",
]
LINES = [
    "def {a}_{b}(self, {c}: str, token: Token | None = None) -> {C}{D}:",
    "    {a}_token = parser.next_token(); {b}_key = settings.api_key_{n}",
    "    if password is None or len(password) < {n}: raise {C}Error('password too short')",
    "    self.assert{C}{D}{A}Equal({a}_{b}_{c}_{d}, {n})",
    "const {{{a}, {b}Token: token}} = await client.{c}{D}(options.secretKey, {n});",
    "export type {C}{D}Token = {{ kind: '{a}'; value: string; nextPageToken?: string }};",
    "password: string; secret: Secret<{C}>; token: {D}TokenProvider2;",
    "import {{ {C}{D}, {A}Token2 }} from './{a}-{b}/{c}.js';",
    '"nextPageToken": "{mixed}", "clientToken": "{uuid}"',
    "The {a} reads the token, and the {b} compares the password with the {c}. Basic usage first.",
    "Bearer tokens and Basic authentication are explained at https://example.com:8443/docs/{a}#{b}",
    "commit {hex40}",
    "sha256:{hex64}  {a}-{n}.tar.gz",
    "{uuid} INFO  {a}.{b} [{c}-{n}] request took {n}.{n} ms, status=200 bytes={n}",
    "mkdir -p build/{a}/{b} && cp -pr {a} {b} && docker run -p {n}:80 --name {a}-{b} {c}:{n}",
    "mysql -u root -p {a}_{b} < dump.sql; redis-cli --scan; docker login ghcr.io; curl -sSLo {a}",
    'tool --token $TOKEN --password "$PASSWORD" --api-key <key> --secret-file /run/{a}',
    "PASSWORD=$(cat /run/{a}); TOKEN=${{{b}}}; API_KEY=; JWT_SECRET=${{SECRET}}",
    "password: ${{{{ secrets.{a}_PASSWORD }}}}  # token: {b}",
    "<password>string</password> <token/> <secret>{{{{ .Values.{a} }}}}</secret>",
    "Set-Cookie: theme=dark; Path=/  Cookie: lang=en",
    "data:image/png;base64,{base64}",
    '{{"integrity": "sha512-{base64}=="}}',
    "git@github.com:{a}/{b}.git  user{n}@example.com  https://host:{n}/@{a}/{b}  npm i @{a}/{b}@{n}",
    "rows: {n}, {n}, {n}; key_{a}_{b}_{n}; secret_{c}_{d}; hf_{a}_{b}; gl-{a}-{b}; sk-{a}-{b}-{c}",
    "task-{a}-{b} took {n}/{n} and 1/{n} [{hex8}] arn:aws:secretsmanager:us-west-2:123456789012:secret:{C}{D}",
]


def ordinary_transcripts(size: int) -> Iterator[str]:
    """Yield texts of about 4 kB until they have `size` characters; always the same ones."""
    rng = random.Random(67)
    while size > 0:
        text = "\n".join(rng.choice(LINES).format_map(_Words(rng)) for _ in range(50))
        size -= len(text)
        yield text


class _Words(dict[str, object]):
    """Draws a value for each place of a line."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng

    def __missing__(self, name: str) -> object:
        rng = self._rng
        match name:
            case "n":
                return rng.randrange(10_000)
            case "mixed" | "base64":
                return base64.b64encode(rng.randbytes(60)).decode()
            case "uuid":
                made = rng.randbytes(16).hex()
                return "-".join((made[:8], made[8:12], made[12:16], made[16:20], made[20:]))
            case _ if name.startswith("hex"):
                return rng.randbytes(32).hex()[: int(name[3:])]
        word = rng.choice(WORDS)
        return word if name.islower() else word.capitalize()
