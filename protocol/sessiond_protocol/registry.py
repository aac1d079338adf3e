"""Every method the daemon serves and every notification it sends, by name."""

from __future__ import annotations

from sessiond_protocol import (
    appending,
    catalog,
    compacting,
    context,
    export,
    figures,
    gateway,
    keeping,
    leaving,
    lifecycle,
    listing,
    navigation,
    notifications,
    opening,
    planning,
    replies,
    search,
    upkeep,
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
        *compacting.METHODS,
        *leaving.METHODS,
        *catalog.METHODS,
        *search.METHODS,
        *upkeep.METHODS,
        *figures.METHODS,
        *export.METHODS,
        *gateway.METHODS,
        *keeping.METHODS,
        *replies.METHODS,
    )
}
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS: dict[str, Method] = {
    method.name: method for method in (*notifications.NOTIFICATIONS, *catalog.NOTIFICATIONS)
}
"""Daemon → client."""

__all__ = ["METHODS", "NOTIFICATIONS", "Method"]
