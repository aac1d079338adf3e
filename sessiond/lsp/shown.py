"""Prepare texts of sessions for an editor; every text that it displays goes through `shown`."""

from __future__ import annotations

from sessiond.format.describe.clean_text import HIDDEN, clean


def shown(text: str) -> str:
    """Return a text without what no person sees: lone surrogates, controls, and what reverses text.

    Strict readers of JSON refuse a whole answer for one lone surrogate.
    """
    return HIDDEN.sub("\ufffd", clean(text))


def on_one_line(text: str) -> str:
    """Return a text as `shown` does, on one line."""
    return " ".join(shown(text).split())
