"""Every method by which a context is compacted or a branch left.

Apart from the others because not every client asks for any of them, and classes take time to make.
"""

from __future__ import annotations

from sessiond_protocol import compacting, leaving
from sessiond_protocol.method import by_name

METHODS = by_name(compacting.METHODS, leaving.METHODS)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name()
"""Daemon → client."""
