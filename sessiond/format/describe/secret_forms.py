"""The forms of secrets that are masked, and the cues by which texts that may have one are found.

Only forms that are hardly ever anything else: a model that sees `[masked ...]` in place of ordinary
code is misled. docs/masks.md says which forms stay visible, and names the sources.

The expression of a form takes about 100 ns for each character, so it runs only over texts in which
its cue occurs. A cue begins with a literal, which `re` looks for with `memchr`; cues that begin
with the same literal are looked for together. A cue matches in every text in which its form does,
and has no unbounded repetition, so that it takes linear time.

Texts may be JSON, in which quotes and line breaks are escaped. All expressions take linear time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import attrs

MASK = "[masked"
"""The beginning of every text that stands for a secret."""

_ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))"
"""Text that stands before a token, which may follow an escaped line break or tab."""
_KEY = "[A-Za-z0-9_-]"
_WORD = "[A-Za-z0-9]"
_HEX = "[0-9a-f]"
_PRIVATE = "PRIVATE KEY(?: BLOCK)?-----"
_QUOTE = r"\\{0,3}[\"'`]"
_NAME_ENDS = rf"(?:{_QUOTE})?\]?[ \t]{{0,64}}"
_IS = rf"{_NAME_ENDS}(?:=>|[:=])[ \t]{{0,64}}"
"""Between the name of a secret and its value: in JSON, YAML, headers, code, aligned or not."""
_GAP = r"(?:\s|\\{1,3}[nrt]){1,16}+"
"""White space, escaped or not, of which nothing is given back to what stands before or after it."""

_PASSWORD = (
    "password|passwd|passphrase|passwort"
    # A path behind it is the working directory.
    rf"|pwd(?!{_IS}(?:{_QUOTE})?(?:~|\.{{1,2}})?/)"
)
_NAMED = (
    f"(?ai:{_PASSWORD}|client[_-]?secret|api[_-]?key|access[_-]?token"
    "|auth[_-]?token|refresh[_-]?token|secret[_-]?key|private[_-]?token"
    rf"|(?:(?<={_WORD}[_-])|(?<=[\"'`]))pass)"
)
_SIGNED = r"(?=[A-Za-z0-9_-]{0,64}[0-9!@#%^&*+=/?~])"
"""A digit or sign, which names of variables and types rarely have."""
_MIXED = r"(?=(?:[^\s\d]{0,64}\d){2})(?=\S{0,64}[A-Z])(?=\S{0,64}[a-z])"
"""Two digits, a capital and a small letter."""
_BARE = r"[A-Za-z0-9_!@#%^&*+=/?~-]{6,256}+"
"""A password without quotes."""
_NO_CODE = r"(?!\.\w|[(\[{])"
"""Behind a value: no attribute, call or index. A point that ends a sentence may stand there."""
_PLAIN = r"[^\s\"'$<{`\\();,&|]"
"""A character of a password after a name or a command that says what it is."""
_VARIABLE = r"(?:\$[A-Z_][A-Z0-9_]{0,64}|\$?\{[A-Za-z_][A-Za-z0-9_.]{0,64}\})"
"""A variable of a shell or a template in the place of a password."""
_OPTION = rf"[ =]{{1,4}}(?:{_QUOTE})?"
_NO_PAGE = "".join(
    rf"(?<!(?ai:{name}))(?<!(?ai:{name}[_-]))"
    for name in ("next", "page", "client", "tion", "sequence")
)
"""Not a place in a list, nor what marks a repeated or verified request."""
_LONG = "(?=[A-Za-z0-9_+/=.-]{16})"
_SHORT = "(?=[A-Za-z0-9_+/=.-]{8})"
"""The beginning of a cue after its sign: few signs have so much of a token behind them."""


@attrs.frozen
class SecretForm:
    """A form of secrets."""

    name: str
    cues: tuple[re.Pattern[bytes], ...]
    """One of them matches in the UTF-8 of every text that has a secret of this form."""
    is_folded: bool
    """Whether the cues are written in small letters, and looked for in such."""
    pattern: re.Pattern[str]
    """The group `secret` is what is masked, without it all; a text with the group `stays` stays."""

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the secrets of this form begin and end in a text."""
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            begin, end = match.span(group)
            if match.lastgroup != "stays" and not text.startswith(f"{MASK}: ", begin):
                yield begin, end


def _form(
    name: str, cue: str, pattern: str, before: str = _ALONE, *, is_folded: bool = False
) -> SecretForm:
    expression = re.compile(f"{before}(?:{pattern})")
    return SecretForm(name, (re.compile(cue.encode()),), is_folded, expression)


def _token(name: str, prefix: str, characters: str, least: int, end: str = "") -> SecretForm:
    """Return the form of a token: a prefix that ends with a sign, and at least some characters."""
    sign = prefix[-2:] if prefix[-2] == "\\" else prefix[-1]
    cue = f"{sign}{_LONG if least >= 16 else _SHORT}(?<={prefix}){characters}{{{least}}}"
    return _form(name, cue, f"{prefix}{characters}{{{least},}}{end}")


def _named(name: str, cue: str, pattern: str, before: str = "") -> SecretForm:
    """Return a form whose cue is a name, in capitals or not."""
    return _form(name, cue, pattern, before, is_folded=True)


def _password(pattern: str, value: str) -> SecretForm:
    """Return the form of what follows a name of `_NAMED`; its cues are parts of the names."""
    begin = rf"{_IS}{value}"
    cues = (
        rf"p(?:ass(?:word|wd|phrase|wort)?|wd){begin}",
        rf"k(?:(?:(?<=[it]k)|(?<=[it][_-]k))ey|(?:(?<=[esh]tok)|(?<=[esh][_-]tok))en){begin}",
        rf"secret(?:(?<=client[_-]secret)|(?<=clientsecret)){begin}",
    )
    compiled = tuple(re.compile(cue.encode()) for cue in cues)
    return SecretForm("password", compiled, is_folded=True, pattern=re.compile(pattern))


FORMS: tuple[SecretForm, ...] = (
    _form(
        "private key",
        "B(?<=-----B)EGIN ",
        # One whose end was cut off extends to the end of the text. A quote behind the header means
        # that a program looks for keys.
        rf"-----BEGIN [A-Z ]*{_PRIVATE}(?!\\{{0,3}}[\"'`])(?s:.*?)"
        rf"(?:-----END [A-Z ]*{_PRIVATE}|\Z)",
        before="",
    ),
    # PuTTY's; the lines of base64 are counted before them.
    _form(
        "private key",
        "L(?<=Private-L)ines",
        rf"Private-Lines:[ \t]{{1,16}}\d{{1,3}}{_GAP}"
        r"(?P<secret>(?:[A-Za-z0-9+/=]{16,80}+(?:\s|\\{1,3}[nr]){0,4}+){1,256}+)",
        before="",
    ),
    _named(
        "private key",
        r"k(?:(?<=-k)ey-data|(?<=privatek)ey|(?<=private_k)ey)",
        # Of kubectl and WireGuard.
        rf"(?ai:client-key-data|private_?key){_IS}(?:{_QUOTE})?"
        r"(?P<secret>[A-Za-z0-9+/]{43,}+={0,2})",
    ),
    _token("Anthropic key", "sk-ant-", _KEY, 8),
    _token("OpenRouter key", "sk-or-v1-", _HEX, 16),
    _token("OpenAI key", "sk-proj-", _KEY, 16),
    _token("OpenAI key", "sk-svcacct-", _KEY, 16),
    _token("OpenAI key", "sk-admin-", _KEY, 16),
    _token("OpenAI key", "sk-None-", _KEY, 16),
    _token("OpenAI key", "sk-", _WORD, 32),
    _token("GitHub token", "gh[pousr]_", _WORD, 20),
    _token("GitHub token", "github_pat_", "[A-Za-z0-9_]", 20),
    _token("GitLab token", "gl[drf]t-", _KEY, 16),
    _token("GitLab token", "gl(?:pat|cbt|ptt|imt|oas)-", _KEY, 16),
    _token("GitLab token", "glsoat-", _KEY, 16),
    _token("GitLab token", "glagent-", _KEY, 16),
    _form(
        "AWS key id",
        "A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])",
    ),
    _form(
        "AWS secret key",
        "k(?:(?<=access_k)|(?<=accessk))ey",
        rf"(?:secret_access_key|SECRET_ACCESS_KEY|ecretAccessKey){_IS}(?:{_QUOTE})?"
        r"(?P<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])",
        before="",
        is_folded=True,
    ),
    # Beside the id of the key, as in the files that the console offers.
    _form(
        "AWS secret key",
        "A(?:KIA|SIA)[A-Z0-9]{16},",
        r"(?:AKIA|ASIA)[A-Z0-9]{16},(?P<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])",
    ),
    _form("Google key", f"A(?:Iza){_KEY}{{35}}", rf"AIza{_KEY}{{35}}"),
    _token("Google secret", "GOCSPX-", _KEY, 20),
    _token("Google secret", r"ya29\.", _KEY, 20),
    _form("Google secret", f"/(?<=1//)0{_KEY}{{40}}", rf"1//0{_KEY}{{40,}}"),
    _form(
        "Firebase key",
        f"A(?<=:A)PA91b{_KEY}{{100}}",
        rf"AAAA{_KEY}{{7}}:APA91b{_KEY}{{100,}}",
    ),
    _token("Slack token", "xox[abeoprs]-", "[A-Za-z0-9-]", 10),
    _form(
        "Slack token", rf"-{_SHORT}(?<=xapp-)\d-[A-Za-z0-9-]{{10}}", r"xapp-\d-[A-Za-z0-9-]{10,}"
    ),
    _form(
        "Slack webhook",
        rf"\.{_LONG}(?<=hooks\.slack\.)com/",
        r"(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,}",
        before=r"(?<=hooks\.slack\.com/)",
    ),
    _form(
        "Discord webhook",
        r"/(?<=\.com/)api/webhooks/",
        rf"discord(?:app)?\.com/api/webhooks/\d{{17,20}}/(?P<secret>{_KEY}{{50,}})",
    ),
    # The first part is the id of the bot, digits in base64.
    _form(
        "Discord token",
        rf"\.{_LONG}(?<=[A-Za-z0-9]{{22}}\.){_KEY}{{6}}\.{_KEY}{{27}}",
        rf"[MNO][A-Za-z0-9]{{22,27}}\.{_KEY}{{6}}\.(?=[A-Za-z_-]{{0,40}}\d){_KEY}{{27,48}}(?![A-Za-z0-9_-]|\.\w)",
    ),
    _token("Stripe key", "[sr]k_live_", _WORD, 16),
    _token("Stripe key", "[sr]k_test_", _WORD, 16),
    _token("Stripe key", "whsec_", _WORD, 24),
    _form("npm token", f"_{_LONG}(?<=npm_){_WORD}{{36}}", rf"npm_{_WORD}{{36}}"),
    _token("PyPI token", "pypi-", _KEY, 32),
    _token("Hugging Face token", "hf_", _WORD, 30),
    _form("SendGrid key", rf"\.{_LONG}(?<=SG\.){_KEY}{{16}}", rf"SG\.{_KEY}{{16,}}\.{_KEY}{{16,}}"),
    _form("Twilio key", f"S(?:K{_HEX}{{32}})", r"SK[0-9a-f]{32}(?![0-9a-f])"),
    _form(
        "DigitalOcean token", f"_{_LONG}(?<=do[opr]_)v1_{_HEX}{{64}}", r"do[opr]_v1_[0-9a-f]{64}"
    ),
    _form("Telegram token", f"A(?<=:A)A{_KEY}{{32}}", rf"\d{{8,10}}:AA{_KEY}{{32,33}}"),
    _token("Groq key", "gsk_", _WORD, 40),
    _token("xAI key", "xai-", _WORD, 40),
    _form("Databricks token", f"p(?<=dap)i{_HEX}{{32}}", r"dapi[0-9a-f]{32}", is_folded=True),
    _token("Vault token", r"hv[sbr]\.", _KEY, 24),
    _form("age key", f"-{_LONG}(?<=AGE-SECRET-)KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _form("Mailgun key", f"-{_LONG}(?<=key-){_HEX}{{32}}", rf"key-{_HEX}{{32}}(?!{_WORD})"),
    _form("Mailchimp key", r"-(?<=[0-9a-f]{32}-)us\d", rf"{_HEX}{{32}}-us\d{{1,2}}(?!{_WORD})"),
    _form(
        "Cloudflare key",
        f"-{_LONG}(?<={_HEX}{{16}}-){_HEX}{{100}}",
        rf"v1\.0-{_HEX}{{16,32}}-{_HEX}{{100,}}",
    ),
    _token("Linear key", "lin_api_", _WORD, 32),
    _token("Linear key", "lin_oauth_", _WORD, 32),
    _token("Notion token", "ntn_", _WORD, 40),
    _form(
        "Notion token", f"_{_LONG}(?<=secret_){_WORD}{{43}}", rf"secret_{_WORD}{{43}}(?!{_WORD})"
    ),
    _token("Figma token", "fig[dour]_", _KEY, 40),
    _token("Shopify token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]", 32),
    _form(
        "Atlassian token",
        "A(?:T)[A-Z]TT3[A-Za-z0-9_=-]{40}",
        r"AT[A-Z]TT3[A-Za-z0-9_=-]{40,}",
    ),
    _token("Square token", "sq0(?:atp|csp|idp)-", _KEY, 22),
    _form(
        "Square token",
        f"E(?:AAA){_KEY}{{60}}",
        rf"EAAA(?={_MIXED}){_KEY}{{60}}(?![A-Za-z0-9_+/=-])",
        before=r"(?:(?<![A-Za-z0-9+/_-])|(?<=\\[bfnrt]))",
    ),
    _token("New Relic key", "NRAK-", "[A-Z0-9]", 27),
    _token("Sentry token", "sntry[su]_", "[A-Za-z0-9_=+/-]", 40),
    _form(
        "Sentry token",
        f"/(?<=://){_HEX}{{32}}",
        rf"{_HEX}{{32}}(?::{_HEX}{{32}})?(?=@[A-Za-z0-9.-]{{0,64}}sentry)",
        before="(?<=://)",
    ),
    _token("Supabase token", "sbp_", _HEX, 40),
    _token("Perplexity key", "pplx-", _WORD, 40),
    _token("Replicate token", "r8_", _WORD, 37),
    _token("Fly token", "fm[12]_", "[A-Za-z0-9_+/=-]", 40),
    _token("Doppler token", r"dp\.(?:pt|st|ct|sa)\.", _WORD, 40),
    _token("PlanetScale token", "pscale_(?:tkn|pwd|oau)_", "[A-Za-z0-9_.=-]", 32),
    _form(
        "Grafana token", f"_{_LONG}(?<=glsa_){_WORD}{{32}}", rf"glsa_{_WORD}{{32}}_[0-9a-fA-F]{{8}}"
    ),
    _token("Grafana token", "glc_", "[A-Za-z0-9+/=]", 32),
    _form("Postman key", f"-{_LONG}(?<=PMAK-){_HEX}{{24}}", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    _form(
        "Terraform token",
        rf"\.{_LONG}(?<=\.atlasv1\.)[A-Za-z0-9_=-]{{60}}",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
    ),
    _form("JFrog key", f"A(?:KCp){_WORD}{{60}}", rf"A(?:KCp){_WORD}{{60,}}"),
    _token("Heroku key", "HRKU-", _KEY, 36),
    _token("Netlify token", "nf[pcoub]_", _WORD, 36),
    _token("Pulumi token", "pul-", _HEX, 40),
    _token("RubyGems key", "rubygems_", _HEX, 48),
    _form("crates.io token", f"cio{_WORD}{{32}}", rf"cio{_MIXED}{_WORD}{{32}}(?![A-Za-z0-9_+/=-])"),
    _token("Docker token", "dckr_pat_", _KEY, 27),
    _form("1Password token", f"_{_LONG}(?<=ops_)eyJ{_KEY}{{80}}", rf"ops_eyJ{_KEY}{{80,}}"),
    _form("Cursor key", f"_{_LONG}(?<=key_){_HEX}{{64}}", rf"key_{_HEX}{{64}}(?!{_WORD})"),
    _form("Asana token", r"/(?<=1/)\d{16}:", rf"1/\d{{16}}:{_HEX}{{32}}(?!{_WORD})"),
    _token("Dropbox token", r"sl\.", _KEY, 100),
    _form(
        "password hash",
        r"\$(?:apr1|[1256y]|2[abxy])\$",
        r"\$(?:apr1|[156y]|2[abxy])\$[A-Za-z0-9./=$]{20,256}+",
        before="",
    ),
    # A run that is no token is matched as well, and stays: otherwise a run of `-eyJ` would be read
    # again from each of them.
    _form(
        "JSON Web Token",
        f"J(?<=eyJ){_KEY}{{8}}",
        rf"eyJ{_KEY}{{8,}}+(?:\.eyJ{_KEY}{{8,}}+\.{_KEY}{{8,}}|(?P<stays>))",
    ),
    _named(
        "authorization",
        "z(?<=authoriz)ation",
        # Also an element of a dict or list, and an argument after the name of the header.
        rf"(?ai:authorization){_NAME_ENDS}(?:=>|[:=]|,(?=[ \t]{{0,64}}[bfru]{{0,2}}{_QUOTE}))"
        rf"[ \t]{{0,64}}\[?[bfru]{{0,2}}(?:{_QUOTE})?"
        r"(?ai:bearer|basic|token)[ \t]{1,16}"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{8,})",
    ),
    _named(
        "authorization",
        r"b(?:earer|asic)[ \t]{1,16}[a-z0-9._~+/=-]{16}",
        # Without the name of the header: only what no word is.
        rf"(?ai:bearer|basic)[ \t]{{1,16}}(?:{_MIXED}|(?=[A-Za-z0-9+/]{{14,256}}=))"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
        before=_ALONE,
    ),
    _named(
        "cookie",
        rf"k(?<=cook)ie(?:{_QUOTE})?:",
        rf"(?ai:cookie)(?:{_QUOTE})?:[ \t]{{0,64}}(?:{_QUOTE})?"
        r"(?=[^\r\n\"'\\]{0,512}?[=][A-Za-z0-9%_.~+/-]{16})(?=[^\r\n\"'\\]{0,512}?\d)"
        r"(?P<secret>[A-Za-z0-9_.-]{1,64}=[^\r\n\"'\\]{16,4096}+)",
    ),
    _form(
        "password",
        r"/(?<=://)[^\s:/@\"'<>`]{0,512}:[^\s\"'<>`]{3,1600}@",
        # Up to the last `@` before the path: signs in it were not escaped.
        rf"[^\s:/@\"'<>`]{{0,128}}:(?!{_VARIABLE}@)[^\s/\"'<>`]{{3,256}}(?=@[A-Za-z0-9\[])"
        # With a slash in it, unless it may be a port and a path.
        r"|[^\s:/@\"'<>`]{1,128}:(?!\d{1,5}/)[^\s/@\"'<>`{}$?&=]{1,256}/"
        r"[^\s@\"'<>`{}$?&=]{0,255}[^\s/@\"'<>`{}$?&=](?=@[A-Za-z0-9\[])",
        before="(?<=://)",
    ),
    # In quotes, with a character that names of variables and types do not have.
    _password(
        rf"{_NAMED}{_IS}{_QUOTE}(?=[^\s\"'`\\]{{0,64}}[A-Z0-9!@#%^&*+=/?~])"
        rf"(?P<secret>[^\s\"'`\\<>${{}}()]{{6,256}})(?={_QUOTE})",
        rf"{_QUOTE}[^\s\"'`\\<>${{}}()]{{6}}",
    ),
    # Without quotes, as in YAML: with a digit or sign, and not the beginning of an expression.
    _password(
        rf"{_NAMED}{_IS}{_SIGNED}(?P<secret>{_BARE}){_NO_CODE}",
        _BARE.removesuffix(",256}+") + "}",
    ),
    # On a line of its own.
    _password(
        rf"{_NAMED}{_NAME_ENDS}:[ \t]{{0,64}}[|>][+-]?{_GAP}"
        rf"{_SIGNED}(?P<secret>{_BARE}){_NO_CODE}",
        "[|>]",
    ),
    _form(
        "password",
        "=(?:(?<=PASSWORD=)|(?<=PASSWD=)|(?<=API_KEY=)|(?<=APIKEY=)|(?<=SECRET_KEY=)"
        "|(?<=CLIENT_SECRET=))",
        # In quotes, a word of small letters is rather the name of a field.
        rf"(?:PASSWORD|PASSWD|API_?KEY|SECRET_KEY|CLIENT_SECRET)="
        rf"(?!{_QUOTE}[a-z_]{{0,64}}{_QUOTE})(?:{_QUOTE})?"
        rf"(?!(?:None|null|true|false)\b)(?P<secret>{_PLAIN}{{3,256}}+)(?!\()",
        before="",
    ),
    _form(
        "password",
        "=(?:(?<=_SECRET=)|(?<=_PASS=)|(?<=_PWD=))",
        rf"_(?:SECRET|PASS|PWD(?!=(?:{_QUOTE})?~?/))=(?!{_QUOTE}[a-z_]{{0,64}}{_QUOTE})(?:{_QUOTE})?"
        rf"(?!(?:None|null|true|false)\b)(?P<secret>{_PLAIN}{{8,256}}+)(?!\()",
        before=_WORD,
    ),
    _named(
        "password",
        r"p(?:ass(?:word|wd|phrase)|wd)>[^\s<>]{6}",
        rf"<(?ai:{_PASSWORD})>(?=[^\s<>]{{0,64}}[A-Z0-9!@#%^&*+=/?~])"
        r"(?P<secret>[^\s<>{}$]{6,256})(?=<\\{0,3}/)",
    ),
    _named(
        "token",
        rf"k(?:(?<=tok)en|ey_base){_IS}(?:{_QUOTE})?[a-z0-9_+/~%-]{{20}}",
        rf"(?=[TtSs]){_NO_PAGE}(?ai:token|secret_key_base){_IS}(?:{_QUOTE})?(?:{_MIXED}|(?={_HEX}{{32}}))"
        rf"(?P<secret>[A-Za-z0-9_+/~%-]{{20,}}+={{0,2}}){_NO_CODE}",
    ),
    _named(
        "token",
        rf"secret{_IS}(?:{_QUOTE})?[a-z0-9_+/~%-]{{20}}",
        rf"(?<!:)(?ai:secret){_IS}(?:{_QUOTE})?(?:{_MIXED}|(?={_HEX}{{32}}))"
        rf"(?P<secret>[A-Za-z0-9_+/~%-]{{20,}}+={{0,2}}){_NO_CODE}",
    ),
    _form(
        "registry login",
        r"auth(?<=_auth)[ \t=]",
        r"_auth[ \t]{0,16}=[ \t]{0,16}\"?(?P<secret>[A-Za-z0-9+/]{8,}+={1,2}|[A-Za-z0-9+/]{20,}+)",
        before="",
    ),
    _form(
        "registry login",
        rf"auth{_QUOTE}\s{{0,16}}",
        rf"{_QUOTE}auth{_QUOTE}\s{{0,16}}:\s{{0,16}}{_QUOTE}(?P<secret>[A-Za-z0-9+/=]{{8,}})",
        before="",
    ),
    _form(
        "Azure key",
        "=(?:(?<=AccountKey=)|(?<=SharedAccessKey=))[A-Za-z0-9+/]{40}",
        r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
        before="",
    ),
    _form(
        "Azure key",
        "=(?<=sig=)[A-Za-z0-9%/+]{20}",
        r"(?:[?&;]|\\u0026)sig=(?P<secret>[A-Za-z0-9%/+]{20,}={0,2})",
        before="",
    ),
    _named(
        "password",
        r"machine(?:[\s\\\x1c-\x1f]|[^\x00-\x7f])",
        # The same as `_ALONE` before it, but `re` looks for a literal much faster.
        r"machine(?:(?<![A-Za-z0-9]machine)|(?<=\\[bfnrt]machine)"
        r"|(?<=\\u[0-9a-fA-F]{4}machine))"
        rf"{_GAP}[^\s\\]{{1,255}}+{_GAP}login{_GAP}[^\s\\]{{1,255}}+{_GAP}password{_GAP}"
        r"(?P<secret>[^\s\\\"]{1,255})",
    ),
    _form(
        "password",
        "curl(?![A-Za-z0-9_])",
        # Up to the next `curl`, from which it begins anew.
        r"curl\b(?:[^\nc]|c(?!url\b)){0,400}?"
        r"\s(?:-[A-Za-z]{0,8}u {0,4}|--user[ =]{1,4})[\\\"']{0,4}"
        r"[^\s:\"'\\]{1,128}:"
        rf"(?!{_VARIABLE}(?![^\s\"'\\]))(?P<secret>[^\s\"'\\]{{1,256}})",
        before="",
    ),
    _form(
        "password",
        "p(?:ass)(?<=sshpass) {1,4}-p",
        rf"sshpass {{1,4}}-p {{0,4}}(?:{_QUOTE})?(?P<secret>{_PLAIN}{{3,256}})",
        before="",
    ),
    _form(
        "password",
        "redis-cli ",
        rf"redis-cli [^\n|;&]{{0,200}}?(?:-a|--pass) {{1,4}}(?:{_QUOTE})?"
        rf"(?P<secret>{_PLAIN}{{3,256}})",
        before="",
    ),
    _form(
        "password",
        "q(?<=mysq)l",
        r"mysql(?:dump|admin|import|show)?\b(?: [^ \n|;&]{1,64}){0,16}? "
        rf"-p(?:{_QUOTE})?(?=[^\s\d]{{0,64}}\d)(?P<secret>(?!\d{{1,5}}\b){_PLAIN}{{4,256}})",
        before="",
    ),
    _form(
        "password",
        "login (?:(?<=docker login )|(?<=podman login ))",
        r"(?:docker|podman) login(?: [^ \n|;&]{1,255}){0,8}? "
        rf"(?:-p|--password)[ =]{{1,4}}(?:{_QUOTE})?(?P<secret>{_PLAIN}{{3,256}})",
        before="",
    ),
    _named(
        "password",
        "p(?<= --p)ass[a-z]{0,6}[ =]",
        rf"--(?:password|passwd|passphrase|pass){_OPTION}{_SIGNED}(?P<secret>{_BARE}){_NO_CODE}",
        before="(?<= )",
    ),
    _named(
        "token",
        "k(?:(?<=-tok)en|(?<=-api-k)ey)[ =]",
        rf"--(?:[a-z]{{1,16}}-)?{_NO_PAGE}(?:token|api-key){_OPTION}(?:{_MIXED}|(?={_HEX}{{32}}))"
        rf"(?P<secret>[A-Za-z0-9_+/~=-]{{20,}}+){_NO_CODE}",
        before="(?<= )",
    ),
)
"""All forms; several may have one name."""


Cue = tuple[re.Pattern[bytes], SecretForm]


@attrs.frozen
class _Cues:
    """The cues that begin alike, as one expression, and one by one with their forms."""

    expression: re.Pattern[bytes]
    cues: list[Cue]


_BEGINNING = re.compile(
    rb"(?:[A-Za-z]+|\\?.)(?:%b)?" % b"|".join(re.escape(each.encode()) for each in (_LONG, _SHORT))
)


def _groups(forms: list[SecretForm]) -> list[_Cues]:
    groups: defaultdict[bytes, list[Cue]] = defaultdict(list)
    for form in forms:
        for cue in form.cues:
            beginning = _BEGINNING.match(cue.pattern)
            groups[b"" if beginning is None else beginning[0]].append((cue, form))
    return [_Cues(_together(beginning, cues), cues) for beginning, cues in groups.items()]


def _together(beginning: bytes, cues: list[Cue]) -> re.Pattern[bytes]:
    endings = b"|".join(cue.pattern.removeprefix(beginning) for cue, _ in cues)
    return re.compile(b"%b(?:%b)" % (beginning, endings))


_EXACT = _groups([form for form in FORMS if not form.is_folded])
_FOLDED = _groups([form for form in FORMS if form.is_folded])


def possible_forms(text: bytes) -> Iterable[SecretForm]:
    """Return the forms of secrets that a text in UTF-8 may have."""
    return dict.fromkeys([*_with_cues(_EXACT, text), *_with_cues(_FOLDED, text.lower())])


def _with_cues(groups: list[_Cues], text: bytes) -> Iterator[SecretForm]:
    for group in groups:
        if group.expression.search(text):
            yield from (form for cue, form in group.cues if cue.search(text))
