"""Messages that programs often write."""

from __future__ import annotations

import time

from sessiond_client.generated.contract import UserMessage

_NANOSECONDS_PER_MILLISECOND = 1_000_000


def user_text(text: str) -> UserMessage:
    """Return a message of the user, with the current time."""
    return UserMessage(content=text, timestamp=time.time_ns() // _NANOSECONDS_PER_MILLISECOND)
