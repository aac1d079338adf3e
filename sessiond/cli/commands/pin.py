"""`sessiond pin`."""

from __future__ import annotations

from sessiond.cli.marking import marking

main = marking("pin", "Pin sessions: lists have them first.", pinned=True)
