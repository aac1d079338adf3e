"""The methods of the family `catalog/`, and its notifications.

Loaded on first use: many clients call none of them, and creating the classes takes time.
"""

from __future__ import annotations

from sessiond_protocol.catalog import (
    agents,
    export,
    files,
    marks,
    search,
    stats,
    subscribe,
    sync,
    usage,
)
from sessiond_protocol.method import by_name

METHODS = by_name(
    subscribe.METHODS,
    search.METHODS,
    files.METHODS,
    marks.METHODS,
    stats.METHODS,
    usage.METHODS,
    export.METHODS,
    sync.METHODS,
    agents.METHODS,
)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(subscribe.NOTIFICATIONS)
"""Daemon → client."""
