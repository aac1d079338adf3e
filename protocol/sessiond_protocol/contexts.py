"""Every method by which a context is compacted or a branch left.

Apart from the others because not every client asks for any of them, and classes take time to make.
"""

from __future__ import annotations

from sessiond_protocol import compacting, leaving
from sessiond_protocol.method import Method

METHODS: dict[str, Method] = {
    method.name: method for method in (*compacting.METHODS, *leaving.METHODS)
}
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS: dict[str, Method] = {}
"""Daemon → client."""
