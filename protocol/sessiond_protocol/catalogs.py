"""Every method and notification that is about the collection of session files.

Apart from the others because not every client asks for any of them, and classes take time to make.
"""

from __future__ import annotations

from sessiond_protocol import catalog, export, figures, search, upkeep
from sessiond_protocol.method import by_name

METHODS = by_name(catalog.METHODS, search.METHODS, upkeep.METHODS, figures.METHODS, export.METHODS)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(catalog.NOTIFICATIONS)
"""Daemon → client."""
