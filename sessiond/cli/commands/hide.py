"""`sessiond hide`."""

from __future__ import annotations

from sessiond.cli.marking import marking

main = marking("hide", "Hide sessions: lists leave them out, except with --hidden.", hidden=True)
