"""The methods of the family `context/`.

Loaded on first use: not every client asks for any of them, and classes take time to make.
"""

from __future__ import annotations

from sessiond_protocol.context import branches, compaction, tokens
from sessiond_protocol.method import by_name

METHODS = by_name(tokens.METHODS, compaction.METHODS, branches.METHODS)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name()
"""Daemon → client."""
