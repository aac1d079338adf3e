"""`sessiond tag`."""

from __future__ import annotations

from sessiond.cli.marking import tagging

main = tagging("tag", "Tag a session with words, by which `list --tag` finds it.", "addTags")
