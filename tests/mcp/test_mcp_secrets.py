"""Secrets of known forms are masked; ordinary code is not."""

import json
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.made_up_secrets import made_up_secrets

from sessiond.format.describe.secret_forms import FORMS
from sessiond.format.describe.secrets import masked
from sessiond.text.safe import visible

HEX = "0123456789abcdef"
WORD = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5kL7nP9rS1uV3xY5zA7cD9fG1iK3mO5qU7w"

SECRETS = made_up_secrets(WORD, HEX)

PLAIN = [
    "the task-list of a disk-manager, risk-free",
    "sk-learn and sk-image are packages",
    "git commit 0123456789abcdef0123456789abcdef01234567",
    "uuid 019b2f4e-1111-7222-8333-444455556666",
    "https://example.com:8080/path?token=next#fragment",
    "git@github.com:sessiond/sessiond.git and user@example.com",
    "token = parser.next_token(); password = getpass()",
    "def npm_install(): ...; npm_config_registry",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "AKIA is the prefix of key ids",
    "SKIPPED 12 tests; SK and hf_hub are names",
    "Bearer authentication uses a header",
    "The public part: -----BEGIN PUBLIC KEY----- AAAA -----END PUBLIC KEY-----",
    "eyJ is how a token begins",
    "glob-pattern-for-all-the-files-of-a-project",
    "password: str = Field(min_length=8)",
    "def login(user: str, password: str, api_key: str | None = None) -> Token2: ...",
    "password = os.environ['DB_PASSWORD']; api_key = settings2.api_key",
    'password=$PGPASSWORD; PASSWORD=None, PASSWORD=getpass(), "password": "string"',
    "const {password, client_secret: secret} = config; password: string;",
    'KEY_PASSWORD="password"; FIELD_API_KEY="api_key"; PASSWORD=""',
    "Headers: [authorization, token exchange], 'Authorization', 'Bearer ' + token",
    "curl -sSLo out.txt https://example.com:8080/ && curl --user-agent x:y http://a.b",
    "Docker: docker run -u 1000:1000 image",
    "PWD=/home/me/project2; OLDPWD=/tmp/a1; pwd: ~/work/a2; CI_PWD=/builds/me/shop",
    '{"pwd": "/home/me/project2", "pwd": "../shop2"}',
    'curl -u "$USER:$PASS" https://example.com && curl --user me:${API_TOKEN} https://a.b',
    "postgres://shop:${DB_PASSWORD}@db/shop and f'postgres://{user}:{password}@{host}/shop'",
    "Family \U0001f469\u200d\U0001f469\u200d\U0001f467 and \u2764\ufe0f and 1\ufe0f\u20e3",
]


@pytest.mark.parametrize(("name", "secret"), SECRETS)
def test_a_secret_is_masked_wherever_it_is(name: str, secret: str):
    for text in (
        secret,
        f"before {secret} after",
        f'"{secret}",',
        f"x={secret}\ny",
        f"In a sentence: {secret}. It ends before this one.",
        f"At the end: {secret}.",
        json.dumps(f"line\n{secret}\tend"),
    ):
        shown = masked(text)
        assert f"[masked: {name}]" in shown
        assert not [WORD[at : at + 12] for at in range(58) if WORD[at : at + 12] in shown]
        assert HEX not in shown
        assert "hunter22" not in shown
        assert "correct-horse" not in shown
        assert "MIIE" not in shown


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_text_stays(text: str):
    assert masked(text) == text


def test_every_form_has_an_example():
    assert {name for name, _ in SECRETS} == {form.name for form in FORMS}


@pytest.mark.parametrize(
    "hidden", ["\u200b", "\u200d", "\ufe0f", "\u2065", "\x1b[0m", "\U000e0041"]
)
def test_a_secret_that_invisible_characters_split_is_masked(hidden: str):
    token = "ghp" + "_" + WORD[:36]
    for at in (2, 12, 30, 39):
        shown = masked(f"say {token[:at]}{hidden}{token[at:]} end")
        assert shown == "say [masked: GitHub token] end"


def test_the_docs_list_the_forms():
    page = (Path(__file__).parents[2] / "docs" / "masks.md").read_text()
    listed = re.search(r"<!-- forms -->\n(.*)\n<!-- end -->", page, re.DOTALL)
    assert listed is not None
    assert " ".join(listed[1].split()) == ", ".join(dict.fromkeys(form.name for form in FORMS))


@pytest.mark.parametrize(
    "hidden", ["\ufe00", "\ufe0f", "\u200d", "\u2065", "\u180b", "\u2800", "\u202e", "\U000e0041"]
)
def test_what_people_do_not_see_is_made_visible(hidden: str):
    assert visible(f"a{hidden}b") == "a\ufffdb"


@pytest.mark.parametrize("emoji", ["\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "1\ufe0f\u20e3"])
def test_an_emoji_stays_whole(emoji: str):
    assert visible(f"a {emoji} b") == f"a {emoji} b"


BEFORE = ("", "PASSWORD=", "curl -u me:", "password: ", 'api_key="', "https://me:", "Bearer ")
PIECES = [
    f"{before}{secret}{after}"
    for before, secret, after in product(
        BEFORE,
        [*(secret for _, secret in SECRETS), "[masked: password]", "[masked: ", "x1"],
        ("", '"'),
    )
]


@pytest.mark.parametrize("text", ["PGPASSWORD=foo123bar psql", *(secret for _, secret in SECRETS)])
def test_masking_again_changes_nothing(text: str):
    once = masked(text)
    assert once != text
    assert masked(once) == once


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("\n".join))
def test_masking_any_mixture_again_changes_nothing(text: str):
    once = masked(text)
    assert masked(once) == once


def test_a_secret_inside_another_one_is_masked_once():
    token = "ghp" + "_" + WORD[:36]
    assert masked(f"https://me:{token}@example.com") == "https://[masked: password]@example.com"
