"""The numbers that bound what the daemon takes in, holds and waits for."""

from __future__ import annotations

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Largest inbound body (`--max-message-bytes`)."""

MAX_DEPTH = 512
"""Deepest nesting of arrays and objects in an inbound body."""

MAX_HEADER_BYTES = 8 * 1024
"""Longest header block of the base protocol; beyond it there is no message boundary."""

OUTGOING_HIGH_WATER = 8 * 1024 * 1024
"""Unsent bytes beyond which no further request is started until the client reads."""

LOCK_TIMEOUT = 10.0
"""Seconds to wait for somebody else's lock on a session file (`--lock-timeout`)."""

INLINE_READ_BYTES = 256 * 1024
"""A refresh that must read more than this runs in a worker."""

TAIL_BYTES = 64 * 1024
"""How much before the remembered offset must still match for a growth to count as an append."""

CACHE_BYTES = 256 * 1024 * 1024
"""Bytes of session text kept hot without an open handle (`--cache-bytes`)."""

PARENT_CHECK_SECONDS = 2.0
"""How often the process named by `processId` is looked at; the contract promises 5 at most."""

SEARCH_SECONDS = 30.0
"""Longest search, from the moment a worker begins with it."""

SEARCH_WORKERS = 2
"""Searches at the same time; another two may match regular expressions."""
