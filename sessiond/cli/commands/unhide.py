"""`sessiond unhide`."""

from __future__ import annotations

from sessiond.cli.marking import marking

main = marking("unhide", "Show hidden sessions in lists again.", hidden=False)
