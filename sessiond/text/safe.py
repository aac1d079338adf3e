"""Make texts from outside safe to show.

Three levels: `presentable` can be encoded and has no terminal sequences; `clean` has no control
characters either; `visible` hides nothing from people, and reverses no text.
"""

from __future__ import annotations

import re

_INTRODUCER = re.compile("[\x1b\x80-\x9f]")
_SEQUENCE = re.compile(
    # Device and operating system commands, and other strings, up to their end on the same line.
    r"(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\r\n]*(?:\x07|\x1b\\|\x9c)"
    # Control sequences, such as colours; an unfinished one lacks its last character.
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    # Other escapes, such as character sets; the beginning of a string without an end.
    r"|\x1b[ -/]*[0-~]?|[\x80-\x9f]"
)
"""Terminal sequences (ECMA-48, section 5), also those of one byte."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
"""Control characters of one byte in other encodings, here in UTF-8."""
_ASCII_CONTROL = bytes(code for code in (*range(32), 127) if code not in b"\t\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EMOJI = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    "\u061c\u200e\u200f\u202a-\u202e"  # direction of text
    "\ufe00-\ufe0d\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and variation selectors that can spell hidden text
)
_HIDDEN = re.compile(
    f"[{_UNSEEN}]"
    # Joiners and selectors of the form of an emoji, unless they belong to one.
    rf"|(?<![{_EMOJI}])[\ufe0e\ufe0f](?!\u20e3)|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
)
"""Characters that people do not see, or that reverse text."""

_SUSPECT = re.compile(f"[{_UNSEEN}\ufe0e\ufe0f\u200d\u2028\u2029\ud800-\udfff]")
"""A text without any of these is visible; one search says so fast."""

_BREAKS = re.compile("[\u2028\u2029]")


def whole(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that the text can be encoded in UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def without_sequences(text: str) -> str:
    """Remove terminal sequences.

    Of an unfinished sequence only its introducer and parameters go, so that no text is hidden.
    """
    return text if _INTRODUCER.search(text) is None else _SEQUENCE.sub("", text)


def presentable(text: str) -> str:
    """Return a text of a session as titles and snippets have it: encodable, without sequences."""
    return whole(without_sequences(text))


def _is_clean(text: str) -> bool:
    """Return whether `clean` changes nothing; bytes tell several times as fast as expressions."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return False
    if len(encoded.translate(None, _ASCII_CONTROL)) != len(encoded):
        return False
    return text.isascii() or _C1.search(encoded) is None


def clean(text: str) -> str:
    """Remove terminal sequences and control characters; lines end with LF alone."""
    if _is_clean(text):
        return text
    text = without_sequences(text.replace("\r\n", "\n").replace("\r", "\n"))
    return whole(_CONTROL.sub("", text))


def visible(text: str) -> str:
    """Replace by U+FFFD what people cannot see, or what reverses text; lines end with LF."""
    if _SUSPECT.search(text) is None:
        return text
    return _HIDDEN.sub("\ufffd", _BREAKS.sub("\n", clean(text)))


def visible_line(text: str) -> str:
    """Return a visible text on one line."""
    return " ".join(visible(text).split())


def without_hidden(text: str) -> str:
    """Return a clean text without the characters that people cannot see."""
    return _HIDDEN.sub("", clean(text))
