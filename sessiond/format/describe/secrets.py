"""Mask secrets of known forms in texts; `secret_forms` has the forms.

Texts may be JSON, in which quotes and line breaks are escaped.
"""

from __future__ import annotations

import functools
import json
import re

import attrs

from sessiond.format.describe.secret_forms import MASK, possible_forms
from sessiond.text.safe import without_hidden

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"(?P<colon>\s*:)?|\\?(?P<cut>\Z))', re.DOTALL)


def holds_secret(text: bytes) -> bool:
    """Return whether a text in UTF-8 has a secret of a known form."""
    forms = possible_forms(text)
    if not forms:
        return False
    whole = text.decode(errors="replace")
    return any(True for form in forms for _ in form.places(whole))


def masked(text: str) -> str:
    """Replace every secret of a known form by `[masked: ...]`.

    A text in which invisible characters split a secret is returned without these characters.
    """
    shown = _masked(text)
    plain = without_hidden(text)
    if plain == text:
        return shown
    # The beginning of a split secret may have been masked: the rest must not stay.
    whole = _masked(plain)
    return shown if without_hidden(shown) == whole else whole


def _masked(text: str) -> str:
    places = [
        (begin, end, form.name)
        for form in possible_forms(text.encode("utf-8", "surrogatepass"))
        for begin, end in form.places(text)
    ]
    parts: list[str] = []
    at = 0
    for begin, end, name in sorted(places, key=_from_longest):
        if begin >= at:
            parts += (text[at:begin], f"{MASK}: {name}]")
        # A secret that begins inside another one and ends behind it is hidden by the same mask.
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _from_longest(place: tuple[int, int, str]) -> tuple[int, int]:
    begin, end, _ = place
    return begin, -end


@attrs.frozen
class Mask:
    """The texts that are hidden from others besides secrets of known forms."""

    home: str = ""
    """The home directory, which becomes `~`; empty: it stays."""
    texts: tuple[str, ...] = ()
    """Further texts, in any case, such as a name."""

    def apply(self, text: str) -> str:
        """Return a text without secrets of known forms and without these."""
        text = masked(text)
        if self._home is not None:
            text = self._home.sub(lambda match: "-~" if match[0][0] == "-" else "~", text)
        return text if self._texts is None else self._texts.sub("[masked]", text)

    @functools.cached_property
    def _home(self) -> re.Pattern[str] | None:
        home = self.home.rstrip("/")
        if not home:
            return None
        # Directories of sessions are named after paths, with `-` in place of `/`.
        as_name = re.escape(home.replace("/", "-"))
        return re.compile(rf"{re.escape(home)}(?![\w-]|\.\w)|{as_name}(?=-)")

    @functools.cached_property
    def _texts(self) -> re.Pattern[str] | None:
        longest_first = sorted(filter(None, self.texts), key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first))
        return re.compile(either, re.IGNORECASE) if either else None


_SECRETS = Mask()


def masked_line(line: bytes, mask: Mask = _SECRETS) -> bytes:
    """The line with secrets of known forms masked in its strings; all other bytes are kept.

    Strings are masked one by one, because a secret that is cut off extends to the end of its text.
    A line that is not UTF-8 or has unfinished strings is masked as one text.
    """
    text = line.decode("utf-8", "surrogateescape")
    key = ""

    def replace(found: re.Match[str]) -> str:
        nonlocal key
        written = found[0]
        if found["colon"] is not None:
            key = written[1 : written.rindex('"')]
            return _masked_string(written[: written.rindex('"') + 1], "", mask) + found["colon"]
        of_key, key = key, ""
        return _masked_string(written, of_key, mask)

    if any(found["cut"] is not None for found in _STRING.finditer(text)):
        return mask.apply(text).encode("utf-8", "surrogateescape")
    return _STRING.sub(replace, text).encode("utf-8", "surrogateescape")


def _masked_string(written: str, key: str, mask: Mask) -> str:
    try:
        value = json.loads(written, strict=False)
    except ValueError:
        return mask.apply(written)
    hidden = mask.apply(value)
    # Some forms are only recognised after the name of the secret.
    if key and hidden == value and not masked(f"{key}={value}").endswith(f"={value}"):
        hidden = "[masked]"
    if hidden == value:
        return written
    # Lone surrogates, which stood for bytes or escapes, are written as they were read.
    return json.dumps(hidden, ensure_ascii="\\" in written)
