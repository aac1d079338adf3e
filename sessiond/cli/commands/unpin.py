"""`sessiond unpin`."""

from __future__ import annotations

from sessiond.cli.marking import marking

main = marking("unpin", "Take pins of sessions back.", pinned=False)
