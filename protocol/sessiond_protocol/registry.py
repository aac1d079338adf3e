"""Every method the daemon serves and every notification it sends, by name."""

from __future__ import annotations

from sessiond_protocol.catalog import table as catalog
from sessiond_protocol.connection import table as connection
from sessiond_protocol.context import table as context
from sessiond_protocol.gateway import table as gateway
from sessiond_protocol.method import Method
from sessiond_protocol.session import table as session

_FAMILIES = (connection, session, context, catalog, gateway)

METHODS: dict[str, Method] = {
    name: method for family in _FAMILIES for name, method in family.METHODS.items()
}
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS: dict[str, Method] = {
    name: method for family in _FAMILIES for name, method in family.NOTIFICATIONS.items()
}
"""Daemon → client."""

__all__ = ["METHODS", "NOTIFICATIONS", "Method"]
