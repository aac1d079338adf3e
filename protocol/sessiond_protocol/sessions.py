"""Every method and notification that is about single sessions and the daemon itself."""

from __future__ import annotations

from sessiond_protocol import (
    appending,
    context,
    lifecycle,
    listing,
    navigation,
    notifications,
    opening,
    planning,
)
from sessiond_protocol.method import by_name

METHODS = by_name(
    lifecycle.METHODS,
    opening.METHODS,
    listing.METHODS,
    appending.METHODS,
    navigation.METHODS,
    context.METHODS,
    planning.METHODS,
)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(notifications.NOTIFICATIONS)
"""Daemon → client."""
