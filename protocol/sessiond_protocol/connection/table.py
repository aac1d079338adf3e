"""The methods of the connection and the daemon itself, and their notifications."""

from __future__ import annotations

from sessiond_protocol.connection import lifecycle, progress
from sessiond_protocol.method import by_name

METHODS = by_name(lifecycle.METHODS)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(progress.NOTIFICATIONS)
"""Daemon → client."""
