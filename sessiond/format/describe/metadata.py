"""Text that gateways put before a message: who sent it, and when (openclaw/openclaw #39722)."""

from __future__ import annotations

import re

_METADATA = re.compile(r"\s*[A-Z][A-Za-z ]{0,60}\(untrusted metadata\):\n```json\n")
_FENCE = "\n```"
_SENT = re.compile(r"\s*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d(?: [^\]\n]{1,40})?\] ?")


def split_metadata(text: str) -> tuple[str, str]:
    """Return the blocks about the sender before a message, and the message.

    The blocks are lines that end with `(untrusted metadata):`, each with JSON in a fence, and the
    time after them in brackets. Linear in the length of the text.
    """
    end = 0
    while (begin := _METADATA.match(text, end)) is not None:
        fence = text.find(_FENCE, begin.end() - 1)
        if fence < 0:
            break
        end = fence + len(_FENCE)
    if not end:
        return "", text
    sent = _SENT.match(text, end)
    end = sent.end() if sent is not None else end
    return text[:end].strip(), text[end:].strip()
