"""Secrets of known forms are masked; ordinary code is not."""

import pytest
from support.made_up_secrets import made_up_secrets

from sessiond.format.describe.secrets import FORMS, masked

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
]


@pytest.mark.parametrize(("name", "secret"), SECRETS)
def test_a_secret_is_masked_wherever_it_is(name: str, secret: str):
    for text in (secret, f"before {secret} after", f'"{secret}",', f"x={secret}\ny"):
        shown = masked(text)
        assert f"[masked: {name}]" in shown
        assert WORD[:12] not in shown
        assert HEX not in shown
        assert "hunter22" not in shown
        assert "MIIE" not in shown


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_text_stays(text: str):
    assert masked(text) == text


def test_every_form_has_an_example():
    assert {name for name, _ in SECRETS} == {form.name for form in FORMS}


def test_masking_a_long_text_takes_time_in_proportion_to_its_length():
    # Each would take minutes if an expression tried every pair of positions.
    for unit in (
        "a:b@",
        "sk-",
        "eyJhbGciOi.",
        "://x:",
        "-----BEGIN PRIVATE KEY",
        "xoxb-",
        "A" * 40,
    ):
        masked(unit * 20_000)
