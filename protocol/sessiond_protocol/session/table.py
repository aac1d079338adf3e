"""The methods of the family `session/`, and its notifications."""

from __future__ import annotations

from sessiond_protocol.method import by_name
from sessiond_protocol.session import (
    activity,
    append,
    context,
    drafts,
    notifications,
    read,
    updates,
    view,
)
from sessiond_protocol.session.list import METHODS as LIST
from sessiond_protocol.session.open import METHODS as OPEN

METHODS = by_name(
    OPEN,
    LIST,
    append.METHODS,
    drafts.METHODS,
    activity.METHODS,
    read.METHODS,
    view.METHODS,
    updates.METHODS,
    context.METHODS,
)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(notifications.NOTIFICATIONS, drafts.NOTIFICATIONS)
"""Daemon → client."""
