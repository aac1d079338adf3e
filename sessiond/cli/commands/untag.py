"""`sessiond untag`."""

from __future__ import annotations

from sessiond.cli.marking import tagging

main = tagging("untag", "Remove tags of a session.", "removeTags")
