"""The methods of the family `context/`.

Loaded on first use: many clients call none of them, and creating the classes takes time.
"""

from __future__ import annotations

from sessiond_protocol.context import branches, compaction, tokens
from sessiond_protocol.method import by_name

METHODS = by_name(tokens.METHODS, compaction.METHODS, branches.METHODS)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name()
"""Daemon → client."""
