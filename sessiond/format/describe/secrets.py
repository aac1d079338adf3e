"""Mask secrets of known forms in texts.

Only forms that are hardly ever anything else: a model that sees `[masked ...]` in place of ordinary
code is misled. So passwords in prose and secrets without a form of their own stay.

Texts may be JSON, in which quotes and line breaks are escaped. All expressions take linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import attrs

from sessiond.format.describe.clean_text import HIDDEN, clean

# A token may follow an escaped line break or tab.
_ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))"
_KEY = "[A-Za-z0-9_-]"
_WORD = "[A-Za-z0-9]"
_PRIVATE = "PRIVATE KEY(?: BLOCK)?-----"
_QUOTE = r"\\{0,3}[\"'`]"
_NAME_ENDS = rf"(?:{_QUOTE})?\]?[ \t]{{0,64}}"
_IS = rf"{_NAME_ENDS}(?:=>|[:=])[ \t]{{0,64}}"
"""Between the name of a secret and its value: in JSON, YAML, headers, code, aligned or not."""
_NAMED = (
    "(?i:password|passwd|passphrase|pwd|client[_-]?secret|api[_-]?key|access[_-]?token"
    "|auth[_-]?token|refresh[_-]?token|secret[_-]?key|private[_-]?token)"
)
_GAP = r"(?:\s|\\{1,3}[nrt]){1,16}+"
"""White space, escaped or not, of which nothing is given back to what stands before or after it."""
_MASK = "[masked: "
MASK = b"[masked"
"""What every text begins with that stands for a secret."""


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"(?P<colon>\s*:)?|\\?(?P<cut>\Z))', re.DOTALL)
_HIDING = ("\\u", "\\/")
"""Escapes that may hide a character of a secret."""


@attrs.frozen
class SecretForm:
    """A form of secrets: a text without any of the `hints` contains none."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    """The group `secret` is what is masked, without it all; a text with the group `stays` stays."""

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the secrets of this form begin and end in a text."""
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for found in self.pattern.finditer(text):
            begin, end = found.span(group)
            if found.lastgroup != "stays" and not text.startswith(_MASK, begin):
                yield begin, end


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
        "secret_access_key SECRET_ACCESS_KEY ecretAccessKey",
        rf"(?:secret_access_key|SECRET_ACCESS_KEY|ecretAccessKey){_IS}(?:{_QUOTE})?"
        r"(?P<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])",
        before="",
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
    _form(
        "JSON Web Token",
        "eyJ",
        rf"eyJ{_KEY}{{8,}}+(?:\.eyJ{_KEY}{{8,}}+\.{_KEY}{{8,}}|(?P<stays>))",
    ),
    _form(
        "authorization",
        "uthorization UTHORIZATION",
        # Also an element of a dict or list, and an argument after the name of the header.
        rf"(?i:authorization){_NAME_ENDS}(?:=>|[:=]|,(?=[ \t]{{0,64}}[bfru]{{0,2}}{_QUOTE}))"
        rf"[ \t]{{0,64}}\[?[bfru]{{0,2}}(?:{_QUOTE})?"
        r"(?i:bearer|basic|token)[ \t]{1,16}"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{8,})",
        before="",
    ),
    _form(
        "password",
        "://",
        r"[^\s:/@\"'<>`]{0,128}:[^\s:/@\"'<>`]{3,256}(?=@[A-Za-z0-9\[])",
        before="(?<=://)",
    ),
    # In quotes, with a character that names of variables and types do not have.
    _form(
        "password",
        "assw ASSW assphrase PASSPHRASE pwd PWD ecret ECRET ey EY oken OKEN",
        rf"{_NAMED}{_IS}{_QUOTE}(?=[^\s\"'`\\]{{0,64}}[A-Z0-9!@#%^&*+=/?~])"
        rf"(?P<secret>[^\s\"'`\\<>${{}}()]{{6,256}})(?={_QUOTE})",
        before="",
    ),
    # Without quotes, as in YAML: with a digit or sign, and not the beginning of an expression.
    _form(
        "password",
        "assw ASSW assphrase PASSPHRASE pwd PWD ecret ECRET ey EY oken OKEN",
        rf"{_NAMED}{_IS}(?=[A-Za-z0-9_-]{{0,64}}[0-9!@#%^&*+=/?~])"
        r"(?P<secret>[A-Za-z0-9_!@#%^&*+=/?~-]{6,256}+)(?![.(\[{])",
        before="",
    ),
    _form(
        "password",
        "PASSWORD= PASSWD= API_KEY= APIKEY= SECRET_KEY= CLIENT_SECRET=",
        # In quotes, a word of small letters is rather the name of a field.
        rf"(?:PASSWORD|PASSWD|API_?KEY|SECRET_KEY|CLIENT_SECRET)="
        rf"(?!{_QUOTE}[a-z_]{{0,64}}{_QUOTE})(?:{_QUOTE})?"
        r"(?!(?:None|null|true|false)\b)(?P<secret>[^\s\"'$<{`\\();,&|]{3,256}+)(?!\()",
        before="",
    ),
    _form(
        "password",
        "machine",
        rf"machine{_GAP}[^\s\\]{{1,255}}+{_GAP}login{_GAP}[^\s\\]{{1,255}}+{_GAP}password{_GAP}"
        r"(?P<secret>[^\s\\\"]{1,255})",
    ),
    _form(
        "password",
        "curl",
        # Up to the next `curl`, from which it begins anew.
        r"curl\b(?:[^\nc]|c(?!url\b)){0,400}?"
        r"\s(?:-[A-Za-z]{0,8}u {0,4}|--user[ =]{1,4})[\\\"']{0,4}"
        r"[^\s:\"'\\]{1,128}:"
        r"(?P<secret>[^\s\"'\\]{1,256})",
        before="",
    ),
    _form(
        "registry login",
        "auth",
        rf"{_QUOTE}auth{_QUOTE}\s{{0,16}}:\s{{0,16}}{_QUOTE}(?P<secret>[A-Za-z0-9+/=]{{8,}})",
        before="",
    ),
    _form(
        "Azure key",
        "AccountKey= SharedAccessKey=",
        r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
        before="",
    ),
)


def _may_be_masked(text: str) -> bool:
    """Return whether a text contains what secrets of a known form contain; cheap."""
    return any(hint in text for form in FORMS for hint in form.hints)


def holds_secret(text: str) -> bool:
    """Return whether a text has a secret of a known form."""
    forms = (form for form in FORMS if any(hint in text for hint in form.hints))
    return any(True for form in forms for _ in form.places(text))


def masked(text: str) -> str:
    """Replace every secret of a known form by `[masked: ...]`.

    A text in which invisible characters split a secret is returned without these characters.
    """
    shown = _masked(text)
    plain = _visible(text)
    if plain == text:
        return shown
    # The beginning of a split secret may have been masked: the rest must not stay.
    whole = _masked(plain)
    return shown if _visible(shown) == whole else whole


def _visible(text: str) -> str:
    return HIDDEN.sub("", clean(text))


def _masked(text: str) -> str:
    found: list[tuple[int, int, str]] = []
    for form in FORMS:
        if any(hint in text for hint in form.hints):
            found += ((begin, end, form.name) for begin, end in form.places(text))
    parts: list[str] = []
    at = 0
    for begin, end, name in sorted(found, key=_from_longest):
        if begin >= at:
            parts += (text[at:begin], f"{_MASK}{name}]")
        # A secret that begins inside another one and ends behind it is hidden by the same mask.
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _from_longest(place: tuple[int, int, str]) -> tuple[int, int]:
    begin, end, _ = place
    return begin, -end


def masked_line(line: bytes) -> bytes:
    """The line with secrets of known forms masked in its strings; all other bytes are kept.

    Strings are masked one by one, because a secret that is cut off extends to the end of its text.
    A line that is not UTF-8 or has unfinished strings is masked as one text.
    """
    text = line.decode("utf-8", "surrogateescape")
    if not _may_be_masked(text) and not any(escape in text for escape in _HIDING):
        return line
    key = ""

    def mask(found: re.Match[str]) -> str:
        nonlocal key
        written = found[0]
        if found["colon"] is not None:
            key = written[1 : written.rindex('"')]
            return _masked_string(written[: written.rindex('"') + 1], "") + found["colon"]
        of_key, key = key, ""
        return _masked_string(written, of_key)

    if any(found["cut"] is not None for found in _STRING.finditer(text)):
        return masked(text).encode("utf-8", "surrogateescape")
    return _STRING.sub(mask, text).encode("utf-8", "surrogateescape")


def _masked_string(written: str, key: str) -> str:
    try:
        value = json.loads(written, strict=False)
    except ValueError:
        return masked(written)
    hidden = masked(value)
    # Some forms are only recognised after the name of the secret.
    if key and hidden == value and not masked(f"{key}={value}").endswith(f"={value}"):
        hidden = "[masked]"
    if hidden == value:
        return written
    # Lone surrogates, which stood for bytes or escapes, are written as they were read.
    return json.dumps(hidden, ensure_ascii="\\" in written)
