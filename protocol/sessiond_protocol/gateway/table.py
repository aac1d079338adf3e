"""The methods of the family `gateway/`, and its notifications.

Loaded on first use: many clients call none of them, and creating the classes takes time.
"""

from __future__ import annotations

from sessiond_protocol.gateway import (
    begin,
    change,
    keys,
    maintain,
    record,
    replies,
    rules,
    store,
    subscribe,
)
from sessiond_protocol.gateway.list import METHODS as LIST
from sessiond_protocol.method import by_name

METHODS = by_name(
    keys.METHODS,
    rules.METHODS,
    replies.METHODS,
    store.METHODS,
    change.METHODS,
    LIST,
    record.METHODS,
    begin.METHODS,
    maintain.METHODS,
    subscribe.METHODS,
)
"""Client → daemon, in the order in which they are documented."""

NOTIFICATIONS = by_name(subscribe.NOTIFICATIONS)
"""Daemon → client."""
