"""Prepare texts of sessions for an editor; every text that it displays goes through `shown`."""

from __future__ import annotations

from datetime import datetime

from sessiond.format.describe.clean_text import HIDDEN, SUSPECT, clean
from sessiond.text.dates import parse_js_date


def shown(text: str) -> str:
    """Return a text without what no person sees: lone surrogates, controls, and what reverses text.

    Strict readers of JSON refuse a whole answer for one lone surrogate.
    """
    return HIDDEN.sub("\ufffd", clean(text)) if SUSPECT.search(text) else text


def on_one_line(text: str) -> str:
    """Return a text as `shown` does, on one line."""
    return " ".join(shown(text).split())


def local_time(written: str) -> str:
    """Return the local time of an entry, to the minute; as it is written if that is no date."""
    at = parse_js_date(written)
    if at is None:
        return written
    return f"{datetime.fromtimestamp(at / 1000).astimezone():%Y-%m-%d %H:%M}"


def used(tokens: int | None, cost: float | None) -> list[str]:
    """Return tokens and cost in US dollars as facts; none of what is 0 or not known."""
    return [
        *([f"{tokens:,} tokens"] if tokens else []),
        *([f"${cost:.4f}"] if cost else []),
    ]
