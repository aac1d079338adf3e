"""Secrets of every known form, put together here so that no scanner takes them for real ones."""

from __future__ import annotations


def made_up_secrets(word: str, hexadecimal: str) -> list[tuple[str, str]]:
    """Return names of forms with secrets made of `word` (70 letters and digits) and 16 digits."""
    return [
        (
            "private key",
            "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\nAB+/=\n-----END RSA PRIVATE KEY-----",
        ),
        ("private key", "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + word),
        (
            "private key",
            "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----\nxyz\n-----END PGP PRIVATE KEY BLOCK-----",
        ),
        ("Anthropic key", "sk-" + "ant-api03-" + word),
        ("OpenRouter key", "sk-" + "or-v1-" + hexadecimal * 4),
        ("OpenAI key", "sk-" + "proj-" + word),
        ("OpenAI key", "sk-" + word[:48]),
        ("GitHub token", "ghp" + "_" + word[:36]),
        ("GitHub token", "ghs" + "_" + word[:36]),
        ("GitHub token", "github" + "_pat_" + word[:22] + "_" + word[:59]),
        ("GitLab token", "gl" + "pat-" + word[:20]),
        ("AWS key id", "AKIA" + "QWERTYUIOPASDFGH"),
        ("AWS secret key", 'aws_secret_access_key = "' + word[:40] + '"'),
        ("AWS secret key", '"SecretAccessKey": "' + word[:40] + '"'),
        ("Google key", "AIza" + word[:35]),
        ("Google secret", "GOCSPX" + "-" + word[:28]),
        ("Slack token", "xox" + "b-123456789012-123456789012-" + word[:24]),
        ("Slack webhook", "https://hooks.slack" + ".com/services/T00000000/B00000000/" + word[:24]),
        ("Stripe key", "sk" + "_live_" + word[:24]),
        ("Stripe key", "wh" + "sec_" + word[:32]),
        ("npm token", "npm" + "_" + word[:36]),
        ("PyPI token", "pypi" + "-AgEIcHlwaS5vcmc" + word),
        ("Hugging Face token", "hf" + "_" + word[:34]),
        ("SendGrid key", "SG" + "." + word[:22] + "." + word[:43]),
        ("Twilio key", "SK" + hexadecimal * 2),
        ("DigitalOcean token", "dop" + "_v1_" + hexadecimal * 4),
        ("Telegram token", "1234567890" + ":AA" + word[:33]),
        ("Groq key", "gsk" + "_" + word[:52]),
        ("xAI key", "xai" + "-" + word),
        ("Databricks token", "dapi" + hexadecimal * 2),
        ("Vault token", "hvs" + "." + word[:60]),
        ("age key", "AGE-SECRET" + "-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2),
        ("JSON Web Token", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + word[:43]),
        ("authorization", "Authorization: Bearer " + word[:30]),
        ("authorization", "authorization: Basic " + "dXNlcjpwYXNzd29yZA=="),
        ("password", "postgres://admin:" + word[:8] + "@db.example/x"),
    ]
