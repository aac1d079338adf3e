"""Secrets of known forms are masked; ordinary code is not.

The keys are made up; each is put together here, so that no scanner takes them for real ones.
"""

import pytest

from sessiond.format.describe.secrets import FORMS, masked, masked_part

HEX = "0123456789abcdef"
WORD = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5kL7nP9rS1uV3xY5zA7cD9fG1iK3mO5qU7w"

SECRETS = [
    (
        "private key",
        "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\nAB+/=\n-----END RSA PRIVATE KEY-----",
    ),
    ("private key", "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNzaC1rZXk"),
    (
        "private key",
        "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----\nxyz\n-----END PGP PRIVATE KEY BLOCK-----",
    ),
    ("Anthropic key", "sk-" + "ant-api03-" + WORD),
    ("OpenRouter key", "sk-" + "or-v1-" + HEX * 4),
    ("OpenAI key", "sk-" + "proj-" + WORD),
    ("OpenAI key", "sk-" + WORD[:48]),
    ("GitHub token", "ghp" + "_" + WORD[:36]),
    ("GitHub token", "ghs" + "_" + WORD[:36]),
    ("GitHub token", "github" + "_pat_" + WORD[:22] + "_" + WORD[:59]),
    ("GitLab token", "gl" + "pat-" + WORD[:20]),
    ("AWS key id", "AKIA" + "QWERTYUIOPASDFGH"),
    ("AWS secret key", 'aws_secret_access_key = "' + WORD[:40] + '"'),
    ("AWS secret key", '"SecretAccessKey": "' + WORD[:40] + '"'),
    ("Google key", "AIza" + WORD[:35]),
    ("Google secret", "GOCSPX" + "-" + WORD[:28]),
    ("Slack token", "xox" + "b-123456789012-123456789012-" + WORD[:24]),
    ("Slack webhook", "https://hooks.slack" + ".com/services/T00000000/B00000000/" + WORD[:24]),
    ("Stripe key", "sk" + "_live_" + WORD[:24]),
    ("Stripe key", "wh" + "sec_" + WORD[:32]),
    ("npm token", "npm" + "_" + WORD[:36]),
    ("PyPI token", "pypi" + "-AgEIcHlwaS5vcmc" + WORD),
    ("Hugging Face token", "hf" + "_" + WORD[:34]),
    ("SendGrid key", "SG" + "." + WORD[:22] + "." + WORD[:43]),
    ("Twilio key", "SK" + HEX * 2),
    ("DigitalOcean token", "dop" + "_v1_" + HEX * 4),
    ("Telegram token", "1234567890" + ":AA" + WORD[:33]),
    ("Groq key", "gsk" + "_" + WORD[:52]),
    ("xAI key", "xai" + "-" + WORD),
    ("Databricks token", "dapi" + HEX * 2),
    ("Vault token", "hvs" + "." + WORD[:60]),
    ("age key", "AGE-SECRET" + "-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2),
    ("JSON Web Token", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + WORD[:43]),
    ("authorization", "Authorization: Bearer " + WORD[:30]),
    ("authorization", "authorization: Basic " + "dXNlcjpwYXNzd29yZA=="),
    ("password", "postgres://admin:" + "hunter22@db.example/x"),
]

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


def test_a_secret_that_is_cut_at_the_end_of_a_part_is_not_shown():
    key = "ghp" + "_" + WORD[:36]
    for cut in range(14, len(key)):
        assert WORD[:10] not in masked_part(f"use {key[:cut]}")
        assert WORD[26:36] not in masked_part(f"{key[40 - cut :]} for it")
    assert masked_part("an ordinary part of a sentence") == "an ordinary part of a sentence"


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
