"""Words for figures of entries in an editor."""

from __future__ import annotations

from datetime import datetime

from sessiond.text.dates import parse_js_date


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
