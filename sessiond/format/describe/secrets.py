"""Mask secrets of known forms in texts.

Only forms that are hardly ever anything else: a model that sees `[masked ...]` in place of ordinary
code is misled. So passwords in prose and secrets without a form of their own stay.
"""

from __future__ import annotations

import re

import attrs

_ALONE = r"(?<![A-Za-z0-9])"
_KEY = "[A-Za-z0-9_-]"
_WORD = "[A-Za-z0-9]"
_PRIVATE = "PRIVATE KEY(?: BLOCK)?-----"


@attrs.frozen
class SecretForm:
    """A form of secrets: a text without any of the `hints` contains none."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    """Where its last group has matched, the text is no secret and stays."""

    def replace(self, found: re.Match[str]) -> str:
        return f"[masked: {self.name}]" if found.lastindex is None else found[0]


def _form(name: str, hints: str, pattern: str, before: str = _ALONE) -> SecretForm:
    return SecretForm(name, tuple(hints.split()), re.compile(f"{before}(?:{pattern})"))


FORMS = (
    _form(
        "private key",
        "-----BEGIN",
        # One whose end was cut off extends to the end of the text.
        rf"-----BEGIN [A-Z ]*{_PRIVATE}(?s:.*?)(?:-----END [A-Z ]*{_PRIVATE}|\Z)",
        before="",
    ),
    _form("Anthropic key", "sk-ant-", rf"sk-ant-{_KEY}{{8,}}"),
    _form("OpenRouter key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{16,}"),
    _form("OpenAI key", "sk-", rf"sk-(?:proj|svcacct|admin|None)-{_KEY}{{16,}}|sk-{_WORD}{{32,}}"),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_WORD}{{20,}}"),
    _form("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    _form("GitLab token", "gl", rf"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-{_KEY}{{16,}}"),
    _form("AWS key id", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _form(
        "AWS secret key",
        "aws_secret_access_key AWS_SECRET_ACCESS_KEY secretAccessKey SecretAccessKey",
        r"\W{1,6}[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])",
        before="(?:(?<=aws_secret_access_key)|(?<=AWS_SECRET_ACCESS_KEY)|(?<=ecretAccessKey))",
    ),
    _form("Google key", "AIza", rf"AIza{_KEY}{{35}}"),
    _form("Google secret", "GOCSPX- ya29.", rf"GOCSPX-{_KEY}{{20,}}|ya29\.{_KEY}{{20,}}"),
    _form("Slack token", "xox xapp-", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}"),
    _form(
        "Slack webhook",
        "hooks.slack.com",
        r"(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,}",
        before=r"(?<=hooks\.slack\.com/)",
    ),
    _form(
        "Stripe key", "sk_ rk_ whsec_", rf"[sr]k_(?:live|test)_{_WORD}{{16,}}|whsec_{_WORD}{{24,}}"
    ),
    _form("npm token", "npm_", rf"npm_{_WORD}{{36}}"),
    _form("PyPI token", "pypi-", rf"pypi-{_KEY}{{32,}}"),
    _form("Hugging Face token", "hf_", rf"hf_{_WORD}{{30,}}"),
    _form("SendGrid key", "SG.", rf"SG\.{_KEY}{{16,}}\.{_KEY}{{16,}}"),
    _form("Twilio key", "SK", r"SK[0-9a-f]{32}(?![0-9a-f])"),
    _form("DigitalOcean token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _form("Telegram token", ":AA", rf"\d{{8,10}}:AA{_KEY}{{32,33}}"),
    _form("Groq key", "gsk_", rf"gsk_{_WORD}{{40,}}"),
    _form("xAI key", "xai-", rf"xai-{_WORD}{{40,}}"),
    _form("Databricks token", "dapi", r"dapi[0-9a-f]{32}"),
    _form("Vault token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_KEY}{{24,}}"),
    _form("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    # A run that is no token is matched as well, and stays: otherwise a run of `-eyJ` would be read
    # again from each of them.
    _form("JSON Web Token", "eyJ", rf"eyJ{_KEY}{{8,}}+(?:\.eyJ{_KEY}{{8,}}+\.{_KEY}{{8,}}|())"),
    _form(
        "authorization",
        "Bearer Basic",
        r"[A-Za-z0-9._~+/=-]{16,}",
        before=r"(?:(?<=uthorization: Bearer )|(?<=uthorization: Basic ))",
    ),
    _form(
        "password",
        "://",
        r"[^\s:/@\"'<>`]{1,128}:[^\s:/@\"'<>`]{3,256}(?=@[A-Za-z0-9\[])",
        before="(?<=://)",
    ),
)


def may_be_masked(text: str) -> bool:
    """Whether a text contains what secrets of a known form contain; cheap."""
    return any(hint in text for form in FORMS for hint in form.hints)


def masked(text: str) -> str:
    """Replace every secret of a known form by `[masked: ...]`."""
    for form in FORMS:
        if any(hint in text for hint in form.hints):
            text = form.pattern.sub(form.replace, text)
    return text
