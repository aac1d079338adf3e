"""Every method the daemon serves and every notification it sends, by name."""

from __future__ import annotations

from sessiond_protocol import catalogs, contexts, gateways, sessions
from sessiond_protocol.method import Method

_FAMILIES = (sessions, contexts, catalogs, gateways)

METHODS: dict[str, Method] = {
    name: method for family in _FAMILIES for name, method in family.METHODS.items()
}
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS: dict[str, Method] = {
    name: method for family in _FAMILIES for name, method in family.NOTIFICATIONS.items()
}
"""Daemon → client."""

__all__ = ["METHODS", "NOTIFICATIONS", "Method"]
