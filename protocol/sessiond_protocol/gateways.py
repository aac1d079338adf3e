"""Every method and notification that is about CoderClaw's session layer.

Apart from the others because not every client asks for any of them, and classes take time to make.
"""

from __future__ import annotations

from sessiond_protocol import (
    beginning,
    following,
    gateway,
    keeping,
    legacy,
    maintaining,
    managing,
    records,
    replies,
    roster,
    stores,
    transcripts,
)
from sessiond_protocol.method import by_name

METHODS = by_name(
    gateway.METHODS,
    keeping.METHODS,
    replies.METHODS,
    stores.METHODS,
    managing.METHODS,
    roster.METHODS,
    transcripts.METHODS,
    records.METHODS,
    beginning.METHODS,
    maintaining.METHODS,
    legacy.METHODS,
    following.METHODS,
)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(following.NOTIFICATIONS)
"""Daemon → client."""
