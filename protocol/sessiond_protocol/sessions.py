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
from sessiond_protocol.method import Method

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        *lifecycle.METHODS,
        *opening.METHODS,
        *listing.METHODS,
        *appending.METHODS,
        *navigation.METHODS,
        *context.METHODS,
        *planning.METHODS,
    )
}
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS: dict[str, Method] = {method.name: method for method in notifications.NOTIFICATIONS}
"""Daemon → client."""
